// SPDX-License-Identifier: Apache-2.0
// Runs the key schedule forward to its last Nk words while the block waits. A decrypting cipher
// runs it backward from there (FIPS 197 Sec. 5.3).
// Latency Nr x (SboxStages + LinearStages); a loop of Unroll steps, as in aesforge_cipher.
`default_nettype none

module aesforge_key_last #(
    parameter int unsigned KeyBits = 128,  // [128, 192, 256] key size
    // [1, 2] 1: every block is decrypted; 2: a block to be encrypted keeps its window
    parameter int unsigned Direction = aesforge_pkg::Decrypt,
    // [a divisor of Nr] steps in the ring, as many as the cipher has rounds
    parameter int unsigned Unroll = 10,
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTable,  // [a style] see aesforge_sbox
    // [0 or more; 1 or more for `bram`] pipeline stages in SubWord
    parameter int unsigned SboxStages = 0,
    // [0 or more] pipeline stages after the new words; at least 1 in all if `Unroll` is below Nr
    parameter int unsigned LinearStages = 1,
    // [0; 1 only with `KeyBits` 128, `Direction` 1, `Unroll` 10 and `LinearStages` 1 or more] the
    // window leaves as a `Summed` aesforge_key_round needs it, and as zeros in the cycle after
    // `zeroize`
    parameter bit Summed = 1'b0,
    // [1 or more] bits that wait with the key: block and tag
    parameter int unsigned SideBits = 128,
    // [0, 1] how delays are built, see aesforge_delay
    parameter int unsigned DelayStyle = aesforge_pkg::DelayRegister
) (
    input  logic                clk,  // clock
    input  logic                rst,  // discards all keys
    input  logic                zeroize,  // discards all keys and overwrites the ring
    input  logic                in_valid,  // a key and its block are present
    output logic                in_ready,  // they are accepted
    input  logic                in_decrypt,  // the block is to be decrypted
    input  logic [ KeyBits-1:0] in_key,  // key
    input  logic [SideBits-1:0] in_side,  // returned with the window
    output logic                out_valid,  // a window is at the output; there is no back-pressure
    output logic                out_decrypt,  // `in_decrypt` of that key; 1 if `Direction` is 1
    // last window, or the key itself (`Direction` 2, encrypt)
    output logic [ KeyBits-1:0] out_window,
    output logic [SideBits-1:0] out_side  // `in_side` of that key
);
  localparam int unsigned Nr = KeyBits / 32 + 6;
  localparam int unsigned Stages = SboxStages + LinearStages;
  localparam int unsigned Passes = Nr / Unroll;
  localparam int unsigned PassBits = Passes > 1 ? $clog2(Passes) : 1;
  // Without a register the loop is not closed.
  localparam bit Straight = Stages == 0;

  logic enter;
  logic [Unroll*PassBits-1:0] pass;
  logic [Unroll-1:0] decrypt;
  logic done_decrypt;
  logic [KeyBits-1:0] window_entry, window_end;
  logic [SideBits-1:0] side_d;

  aesforge_sequencer #(
      .Unroll(Unroll),
      .Stages(Stages),
      .Passes(Passes),
      .SideBits(1),
      .SideUsed(Direction == aesforge_pkg::Both)
  ) u_sequencer (
      .clk,
      .rst,
      .zeroize,
      .in_valid,
      .in_ready,
      .in_side(in_decrypt),
      .enter,
      .pass,
      .side(decrypt),
      .done(out_valid),
      .done_side(done_decrypt)
  );

  assign out_decrypt = Direction == aesforge_pkg::Decrypt || done_decrypt;
  assign window_entry = zeroize ? '0 : Straight ? in_key : enter ? in_key : window_end;
  for (genvar u = 0; u < Unroll; u++) begin : gen_step
    logic [KeyBits-1:0] window_i, window_o;
    logic [127:0] round_key_pre, round_key_post;
    if (u == 0) begin : gen_first
      assign window_i = window_entry;
    end else begin : gen_next
      assign window_i = gen_step[u-1].window_o;
    end
    aesforge_key_round #(
        .KeyBits(KeyBits),
        .Direction(aesforge_pkg::Encrypt),
        .SboxStyle(SboxStyle),
        .SboxStages(SboxStages),
        // The last stage of all is then after the sum.
        .LinearStages(LinearStages - (Summed && u == Unroll - 1 ? 1 : 0))
    ) u_key_round (
        .clk,
        .decrypt(1'b0),
        .hold(Direction == aesforge_pkg::Both && !decrypt[u]),
        .step(4'(Unroll) * 4'(pass[PassBits*u+:PassBits]) + 4'(u + 1)),
        .window_i,
        .round_key_pre,
        .round_key_post,
        .window_o
    );
    logic unused_ok;
    assign unused_ok = &{1'b0, round_key_pre, round_key_post};
  end
  assign window_end = gen_step[Unroll-1].window_o;
  if (Summed) begin : gen_sum
    always_ff @(posedge clk) begin
      out_window <= zeroize ? '0 : window_end ^ KeyBits'(window_end[63:32]);
    end
  end else begin : gen_sum
    assign out_window = window_end;
  end

  assign side_d = zeroize ? '0 : Straight ? in_side : enter ? in_side : out_side;
  aesforge_delay #(
      .Width(SideBits),
      .Depth(Unroll * Stages),
      .Style(DelayStyle)
  ) u_side (
      .clk,
      .rst,
      .d(side_d),
      .q(out_side)
  );

  if (Direction != aesforge_pkg::Both) begin : gen_unused
    logic unused_ok;
    assign unused_ok = &{1'b0, decrypt};
  end
endmodule

`default_nettype wire
