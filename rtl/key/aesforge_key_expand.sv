// SPDX-License-Identifier: Apache-2.0
// KeyExpansion() (FIPS 197 Sec. 5.2) by one step used Nr times. Round key r leaves
// r x (SboxStages + LinearStages) cycles after its key was accepted; one key every
// (Nr + 1) x (SboxStages + LinearStages) + 1 cycles.
`default_nettype none

module aesforge_key_expand #(
    parameter int unsigned KeyBits = 128,  // [128, 192, 256] key size
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTable,  // [a style] see aesforge_sbox
    // [0 or more; 1 or more for `bram`] pipeline stages in SubWord
    parameter int unsigned SboxStages = 0,
    // [0 or more] pipeline stages after the new words; at least 1 in all
    parameter int unsigned LinearStages = 1
) (
    input  logic               clk,  // clock
    input  logic               rst,  // discards the key in progress
    // discards and overwrites the key in progress; in its cycles the outputs mean nothing
    input  logic               zeroize,
    input  logic               in_valid,  // a key is present
    output logic               in_ready,  // it is accepted
    input  logic [KeyBits-1:0] in_key,  // key
    output logic               out_valid,  // a round key is at the output
    output logic [        3:0] out_round,  // number of the round key, 0 to Nr
    output logic [      127:0] out_round_key  // round key
);
  localparam int unsigned Nr = KeyBits / 32 + 6;

  // One pass more than there are steps: a round key is read at the start of a pass.
  localparam int unsigned Stages = SboxStages + LinearStages;
  logic accept, enter, done, busy_q, more_q;
  logic [Stages-1:0] ring_q;  // where the key is
  logic [3:0] pass;  // passes that have begun: the round key at the entry
  logic [127:0] round_key_pre, round_key_post;
  logic [KeyBits-1:0] window_d, window;

  assign in_ready = !busy_q;
  assign accept = in_valid && in_ready;
  assign enter = accept || (ring_q[Stages-1] && more_q);
  assign done = ring_q[Stages-1] && !more_q;
  always_ff @(posedge clk) begin
    ring_q <= Stages'({ring_q, enter});
    if (enter) begin
      pass   <= pass + 1'b1;
      more_q <= pass != 4'(Nr);
    end
    if (accept) busy_q <= 1'b1;
    if (done || zeroize || rst) begin
      busy_q <= 1'b0;
      pass   <= '0;
    end
    if (zeroize || rst) ring_q <= '0;
  end

  // One key at a time: `busy_q` says where the window comes from.
  assign window_d = zeroize ? '0 : busy_q ? window : in_key;
  aesforge_key_round #(
      .KeyBits(KeyBits),
      .Direction(aesforge_pkg::Encrypt),
      .SboxStyle(SboxStyle),
      .SboxStages(SboxStages),
      .LinearStages(LinearStages)
  ) u_key_round (
      .clk,
      .decrypt(1'b0),
      .hold(1'b0),
      .step(pass + 4'd1),
      .window_i(window_d),
      .round_key_pre,
      .round_key_post,
      .window_o(window)
  );

  assign out_valid = enter;
  assign out_round = pass;
  assign out_round_key = busy_q ? round_key_post : in_key[KeyBits-1-:128];

  logic unused_ok;
  assign unused_ok = &{1'b0, round_key_pre};
endmodule

`default_nettype wire
