// SPDX-License-Identifier: Apache-2.0
// KeyExpansion() (FIPS 197 Sec. 5.2) with all Nr steps unrolled: a new key every cycle. Round key r
// leaves r x (SboxStages + LinearStages) cycles after its key was accepted, in step with a data
// pipeline of as many stages.
`default_nettype none

module aesforge_key_pipeline #(
    parameter int unsigned KeyBits = 128,  // [128, 192, 256] key size
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTable,  // [a style] see aesforge_sbox
    // [0 or more; 1 or more for `bram`] pipeline stages in SubWord
    parameter int unsigned SboxStages = 1,
    parameter int unsigned LinearStages = 1,  // [0 or more] pipeline stages after the new words
    // [0, 1] 1: `in_key` stays as long as its round keys are used, see aesforge_key_round
    parameter bit Held = 1'b0,
    localparam int unsigned Nr = KeyBits / 32 + 6
) (
    input  logic                  clk,  // clock
    input  logic                  rst,  // discards all keys in progress
    // as `rst`; `in_key` overwrites the steps meanwhile, so it must hold no secret
    input  logic                  zeroize,
    input  logic                  in_valid,  // a key is present
    input  logic [   KeyBits-1:0] in_key,  // key
    output logic [          Nr:0] out_valid,  // bit r: round key r is at the output
    output logic [128*(Nr+1)-1:0] out_round_keys  // bits 128 r and up: round key r
);
  localparam int unsigned Stages = SboxStages + LinearStages;
  // Without stages all round keys of a key leave in the cycle in which it is accepted.
  localparam bit Straight = Stages == 0;
  localparam int unsigned RoundStages = Straight ? 1 : Stages;

  logic [Nr*RoundStages:1] valid_q;

  assign out_valid[0] = in_valid;
  assign out_round_keys[127:0] = in_key[KeyBits-1-:128];

  always_ff @(posedge clk) begin
    valid_q <= {valid_q[Nr*RoundStages-1:1], in_valid};
    if (rst || zeroize) valid_q <= '0;
  end

  for (genvar r = 1; r <= Nr; r++) begin : gen_step
    logic [KeyBits-1:0] window_i, window_o;
    logic [127:0] round_key_pre;
    if (r == 1) begin : gen_first
      assign window_i = in_key;
    end else begin : gen_next
      assign window_i = gen_step[r-1].window_o;
    end
    aesforge_key_round #(
        .KeyBits(KeyBits),
        .Direction(aesforge_pkg::Encrypt),
        .SboxStyle(SboxStyle),
        .SboxStages(SboxStages),
        .LinearStages(LinearStages),
        .Held(Held)
    ) u_key_round (
        .clk,
        .decrypt(1'b0),
        .hold(1'b0),
        .step(4'(r)),
        .window_i,
        .round_key_pre,
        .round_key_post(out_round_keys[128*r+:128]),
        .window_o
    );
    assign out_valid[r] = Straight ? in_valid : valid_q[RoundStages*r];
    logic unused_ok;
    assign unused_ok = &{1'b0, round_key_pre};
  end

  logic unused_ok;
  assign unused_ok = &{1'b0, gen_step[Nr].window_o};
endmodule

`default_nettype wire
