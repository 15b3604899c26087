// SPDX-License-Identifier: Apache-2.0
// One round of Cipher() or InvCipher() (FIPS 197 Sec. 5.1 and 5.3) with SboxStages +
// LinearStages pipeline stages. Latency SboxStages + LinearStages, one block per cycle.
`default_nettype none

module aesforge_round #(
    // [0, 1, 2] 0 encrypt, 1 decrypt, 2 either, chosen by `decrypt`
    parameter int unsigned Direction = aesforge_pkg::Encrypt,
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTable,  // [a style] see aesforge_sbox
    // [0 or more; 1 or more for `bram`] pipeline stages in SubBytes
    parameter int unsigned SboxStages = 0,
    parameter int unsigned LinearStages = 1,  // [0 to 4] pipeline stages in the rest of the round
    parameter int unsigned MixStyle = aesforge_pkg::MixXtime  // [0, 1, 2] see aesforge_mix_column
) (
    input  logic         clk,  // clock
    input  logic         decrypt,  // with the state: decrypt (`Direction` 2 only, else ignored)
    input  logic         last,  // with the state: this is the last round, no MixColumns
    input  logic [127:0] state_i,  // state in, bit 127 the first bit of byte 0
    input  logic [127:0] round_key_pre,  // round key to add before InvMixColumns; used to decrypt
    input  logic [127:0] round_key_post,  // round key to add after MixColumns; used to encrypt
    output logic [127:0] state_o  // state out
);
  localparam bit Forward = Direction == aesforge_pkg::Encrypt;
  localparam int unsigned StateStage = LinearStages >= 1 ? 1 : 0;
  localparam int unsigned ShiftStage = LinearStages >= 4 ? 1 : 0;
  localparam int unsigned InnerStages = LinearStages >= 1 ? LinearStages - 1 - ShiftStage : 0;
  // MixColumns has one inner stage at most, InvMixColumns two.
  localparam int unsigned MixStages = Forward && InnerStages > 1 ? 1 : InnerStages;
  localparam int unsigned MixedStage = InnerStages - MixStages;

  // State, SubBytes.
  logic [127:0] state_q, substituted;
  logic [1:0] control_q, control_shift, control_mix;
  aesforge_delay #(
      .Width(130),
      .Depth(StateStage)
  ) u_state (
      .clk,
      .rst(1'b0),
      .d  ({decrypt, last, state_i}),
      .q  ({control_q, state_q})
  );
  for (genvar c = 0; c < 4; c++) begin : gen_sub_bytes
    aesforge_sub_word #(
        .Style(SboxStyle),
        .Stages(SboxStages),
        .Direction(Direction)
    ) u_sub_word (
        .clk,
        .inverse(control_q[1]),
        .x(state_q[127-32*c-:32]),
        .y(substituted[127-32*c-:32])
    );
  end
  aesforge_delay #(
      .Width(2),
      .Depth(SboxStages)
  ) u_control_shift (
      .clk,
      .rst(1'b0),
      .d  (control_q),
      .q  (control_shift)
  );

  // ShiftRows. Sec. 5.3: the inverse cipher adds the round key before InvMixColumns.
  logic [127:0] shifted_d, shifted;
  if (Direction == aesforge_pkg::Encrypt) begin : gen_shift
    assign shifted_d = aesforge_pkg::shift_rows(substituted);
    logic unused_ok;
    assign unused_ok = &{1'b0, round_key_pre};
  end else if (Direction == aesforge_pkg::Decrypt) begin : gen_shift
    assign shifted_d = aesforge_pkg::inv_shift_rows(substituted) ^ round_key_pre;
  end else begin : gen_shift
    assign shifted_d = control_shift[1]
        ? aesforge_pkg::inv_shift_rows(substituted) ^ round_key_pre
        : aesforge_pkg::shift_rows(substituted);
  end
  aesforge_delay #(
      .Width(130),
      .Depth(ShiftStage)
  ) u_shifted (
      .clk,
      .rst(1'b0),
      .d  ({control_shift, shifted_d}),
      .q  ({control_mix, shifted})
  );

  // MixColumns.
  logic [127:0] mixed_d, mixed;
  for (genvar c = 0; c < 4; c++) begin : gen_mix_columns
    aesforge_mix_column #(
        .Direction(Direction),
        .Style(MixStyle),
        .Stages(MixStages)
    ) u_mix_column (
        .clk,
        .inverse(control_mix[1]),
        .bypass(control_mix[0]),
        .x(shifted[127-32*c-:32]),
        .y(mixed_d[127-32*c-:32])
    );
  end
  aesforge_delay #(
      .Width(128),
      .Depth(MixedStage)
  ) u_mixed (
      .clk,
      .rst(1'b0),
      .d  (mixed_d),
      .q  (mixed)
  );

  // AddRoundKey.
  if (Direction == aesforge_pkg::Encrypt) begin : gen_add
    assign state_o = mixed ^ round_key_post;
  end else if (Direction == aesforge_pkg::Decrypt) begin : gen_add
    assign state_o = mixed;
    logic unused_ok;
    assign unused_ok = &{1'b0, round_key_post};
  end else begin : gen_add
    logic decrypt_add;
    aesforge_delay #(
        .Width(1),
        .Depth(InnerStages)
    ) u_decrypt_add (
        .clk,
        .rst(1'b0),
        .d  (control_mix[1]),
        .q  (decrypt_add)
    );
    assign state_o = decrypt_add ? mixed : mixed ^ round_key_post;
  end
endmodule

`default_nettype wire
