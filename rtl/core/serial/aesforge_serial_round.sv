// SPDX-License-Identifier: Apache-2.0
// One round of Cipher() or InvCipher() (FIPS 197 Sec. 5.1 and 5.3), a column wide (Rahman et al.,
// Fig. 1). Latency SboxStages + LinearStages and that of ShiftRows; one column per cycle.
`default_nettype none

module aesforge_serial_round #(
    // [0, 1, 2] 0 encrypt, 1 decrypt, 2 either, chosen by `decrypt_i`
    parameter int unsigned Direction = aesforge_pkg::Encrypt,
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTable,  // [a style] see aesforge_sbox
    // [0 or more; 1 or more for `bram`] pipeline stages in SubBytes
    parameter int unsigned SboxStages = 0,
    parameter int unsigned LinearStages = 1,  // [0 to 4] pipeline stages in the rest of the round
    parameter int unsigned MixStyle = aesforge_pkg::MixXtime,  // [0, 1, 2] see aesforge_mix_column
    // [0, 1] see aesforge_shift_rows
    parameter int unsigned ShiftStyle = aesforge_pkg::ShiftRegister,
    parameter bit Last = 1'b0  // [0, 1] 1: the last round, which has no MixColumns
) (
    input  logic         clk,  // clock
    input  logic         zeroize,  // overwrites the round with its input
    // the first column of a state is present; the other three must follow at once
    input  logic         first_i,
    input  logic         decrypt_i,  // with each column: decrypt (`Direction` 2 only, else ignored)
    input  logic [ 31:0] column_i,  // column in, row 0 in the top byte
    input  logic [127:0] round_key_pre,  // round key to add before InvMixColumns; used to decrypt
    input  logic [127:0] round_key_post,  // round key to add after MixColumns; used to encrypt
    output logic         first_o,  // the first column of a state is at the output
    output logic         decrypt_o,  // with each column: its `decrypt_i`
    output logic [ 31:0] column_o  // column out
);
  localparam bit Forward = Direction == aesforge_pkg::Encrypt;
  localparam int unsigned StateStage = LinearStages >= 1 ? 1 : 0;
  localparam int unsigned ShiftStage = LinearStages >= 4 ? 1 : 0;
  localparam int unsigned InnerStages = LinearStages >= 1 ? LinearStages - 1 - ShiftStage : 0;
  // MixColumns has one inner stage at most, InvMixColumns two.
  localparam int unsigned MixStages = Forward && InnerStages > 1 ? 1 : InnerStages;
  localparam int unsigned MixedStage = InnerStages - MixStages;

  // State, SubBytes.
  logic first, first_shift, decrypt, decrypt_shift;
  logic [31:0] column, substituted;
  aesforge_delay #(
      .Width(34),
      .Depth(StateStage)
  ) u_state (
      .clk,
      .rst(1'b0),
      .d  ({first_i, decrypt_i, column_i}),
      .q  ({first, decrypt, column})
  );
  aesforge_sub_word #(
      .Style(SboxStyle),
      .Stages(SboxStages),
      .Direction(Direction)
  ) u_sub_bytes (
      .clk,
      .inverse(decrypt),
      .x(column),
      .y(substituted)
  );
  aesforge_delay #(
      .Width(2),
      .Depth(SboxStages)
  ) u_mark_shift (
      .clk,
      .rst(1'b0),
      .d  ({first, decrypt}),
      .q  ({first_shift, decrypt_shift})
  );

  // ShiftRows.
  logic first_add, decrypt_add, next_decrypt;
  logic [1:0] next_number;
  logic [31:0] shifted;
  aesforge_shift_rows #(
      .Direction(Direction),
      .Style(ShiftStyle)
  ) u_shift_rows (
      .clk,
      .zeroize,
      .first_i(first_shift),
      .inverse_i(decrypt_shift),
      .column_i(substituted),
      .first_o(first_add),
      .inverse_o(decrypt_add),
      .column_o(shifted),
      .next_number,
      .next_inverse(next_decrypt)
  );

  // Sec. 5.3: the inverse cipher adds the round key before InvMixColumns. A round key's column is
  // chosen a cycle ahead, and zero where none is to be added.
  logic first_mix, decrypt_mix;
  logic [31:0] added, unmixed, mixed_d, mixed;
  if (Forward) begin : gen_pre
    assign added = shifted;
    logic unused_ok;
    assign unused_ok = &{1'b0, round_key_pre};
  end else begin : gen_pre
    logic [31:0] key_q;
    always_ff @(posedge clk) begin
      key_q <= Direction == aesforge_pkg::Decrypt || next_decrypt
          ? round_key_pre[{~next_number, 5'd0}+:32] : '0;
    end
    assign added = shifted ^ key_q;
  end
  aesforge_delay #(
      .Width(34),
      .Depth(ShiftStage)
  ) u_shifted (
      .clk,
      .rst(1'b0),
      .d  ({first_add, decrypt_add, added}),
      .q  ({first_mix, decrypt_mix, unmixed})
  );

  // MixColumns.
  aesforge_mix_column #(
      .Direction(Direction),
      .Style(MixStyle),
      .Stages(MixStages)
  ) u_mix_columns (
      .clk,
      .inverse(decrypt_mix),
      .bypass(Last),
      .x(unmixed),
      .y(mixed_d)
  );
  aesforge_delay #(
      .Width(32),
      .Depth(MixedStage)
  ) u_mixed (
      .clk,
      .rst(1'b0),
      .d  (mixed_d),
      .q  (mixed)
  );
  aesforge_delay #(
      .Width(2),
      .Depth(InnerStages)
  ) u_mark_out (
      .clk,
      .rst(1'b0),
      .d  ({first_mix, decrypt_mix}),
      .q  ({first_o, decrypt_o})
  );

  // AddRoundKey.
  if (Direction == aesforge_pkg::Decrypt) begin : gen_post
    assign column_o = mixed;
    logic unused_ok;
    assign unused_ok = &{1'b0, round_key_post};
  end else begin : gen_post
    logic [1:0] number;
    logic undo;
    logic [31:0] key_q;
    aesforge_delay #(
        .Width(3),
        .Depth(ShiftStage + InnerStages)
    ) u_number (
        .clk,
        .rst(1'b0),
        .d  ({next_number, next_decrypt}),
        .q  ({number, undo})
    );
    always_ff @(posedge clk) begin
      key_q <= Direction == aesforge_pkg::Both && undo ? '0 : round_key_post[{~number, 5'd0}+:32];
    end
    assign column_o = mixed ^ key_q;
  end
endmodule

`default_nettype wire
