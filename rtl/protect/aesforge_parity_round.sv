// SPDX-License-Identifier: Apache-2.0
// One round of Cipher() (FIPS 197 Sec. 5.1) with a parity bit for each byte of the state: compares
// the input parity with the state, predicts the output parity from it.
// Latency SboxStages + LinearStages, one block per cycle.
`default_nettype none

module aesforge_parity_round #(
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTable,  // [a style] see aesforge_sbox
    // [0 or more; 1 or more for `bram`] pipeline stages in SubBytes
    parameter int unsigned SboxStages = 0,
    // [0 to 4] pipeline stages in the rest; at least 1 in all
    parameter int unsigned LinearStages = 1,
    parameter int unsigned MixStyle = aesforge_pkg::MixXtime  // [0, 1, 2] see aesforge_mix_column
) (
    input  logic         clk,  // clock
    input  logic         last,  // with the state: this is the last round
    input  logic [127:0] state_i,  // state
    input  logic [ 15:0] parity_i,  // parity of the state; bit 15 is for byte 0
    input  logic [127:0] round_key,  // round key, with `state_o`
    input  logic [ 15:0] key_parity,  // parity of the input
    output logic [127:0] state_o,  // state
    output logic [ 15:0] parity_o,  // predicted parity of the output
    // state and parity differ; a cycle after `state_i`, with it if `LinearStages` is 0
    output logic         wrong
);
  localparam int unsigned StateStage = LinearStages >= 1 ? 1 : 0;
  localparam int unsigned EarlyStage = SboxStages >= 1 ? 1 : 0;

  // State register for the comparison. A round with more stages has its own; this one is then a
  // copy, and synthesis merges the two.
  localparam bit Outside = LinearStages <= 1;

  // `last` is delayed twice, the second time as its complement.
  logic [127:0] state;
  logic [15:0] parity;
  logic last_round, last_n;
  aesforge_delay #(
      .Width(146),
      .Depth(StateStage)
  ) u_state (
      .clk,
      .rst(1'b0),
      .d  ({last, !last, parity_i, state_i}),
      .q  ({last_round, last_n, parity, state})
  );
  aesforge_round #(
      .Direction(aesforge_pkg::Encrypt),
      .SboxStyle(SboxStyle),
      .SboxStages(SboxStages),
      .LinearStages(Outside ? 0 : LinearStages),
      .MixStyle(MixStyle)
  ) u_round (
      .clk,
      .decrypt(1'b0),
      .last(Outside ? last_round : last),
      .state_i(Outside ? state : state_i),
      .round_key_pre('0),
      .round_key_post(round_key),
      .state_o
  );

  // SubBytes.
  logic [15:0] differ, sub_parity_d, sub_top_d, sub_parity, sub_top;
  for (genvar i = 0; i < 16; i++) begin : gen_byte
    assign differ[i] = ^state[8*i+:8] ^ parity[i];
    aesforge_parity_sbox u_sbox (
        .x(state[8*i+:8]),
        .parity(sub_parity_d[i]),
        .top(sub_top_d[i])
    );
  end
  assign wrong = differ != '0;
  logic sub_last_n;
  aesforge_delay #(
      .Width(33),
      .Depth(EarlyStage)
  ) u_sub_bytes (
      .clk,
      .rst(1'b0),
      .d  ({last_n, sub_parity_d, sub_top_d}),
      .q  ({sub_last_n, sub_parity, sub_top})
  );

  // ShiftRows and MixColumns: the parity of {02} a is that of a XOR its top bit, as {1b} has four
  // ones; the parity of {03} a is the top bit. Byte r + 4c is bit 15 - r - 4c.
  logic [15:0] mixed_d, mixed;
  for (genvar c = 0; c < 4; c++) begin : gen_column
    for (genvar r = 0; r < 4; r++) begin : gen_row
      localparam int unsigned Own = 15 - r - 4 * ((c + r) % 4);
      localparam int unsigned Next = 15 - (r + 1) % 4 - 4 * ((c + (r + 1) % 4) % 4);
      localparam int unsigned Second = 15 - (r + 2) % 4 - 4 * ((c + (r + 2) % 4) % 4);
      localparam int unsigned Third = 15 - (r + 3) % 4 - 4 * ((c + (r + 3) % 4) % 4);
      assign mixed_d[15-r-4*c] = sub_parity[Own]
          ^ (sub_last_n && (sub_top[Own] ^ sub_top[Next] ^ sub_parity[Second] ^ sub_parity[Third]));
    end
  end
  aesforge_delay #(
      .Width(16),
      .Depth(SboxStages + LinearStages - StateStage - EarlyStage)
  ) u_mixed (
      .clk,
      .rst(1'b0),
      .d  (mixed_d),
      .q  (mixed)
  );

  // AddRoundKey.
  assign parity_o = mixed ^ key_parity;
endmodule

`default_nettype wire
