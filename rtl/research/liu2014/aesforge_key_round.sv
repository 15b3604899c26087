// SPDX-License-Identifier: Apache-2.0
// NOT AES, for research: the key expansion of Liu, Xu and Yuan 2014, Sec. 4.1.
// In place of the standard's aesforge_key_round, with its ports and its latency.
// It leaves two judgement bits open: here the last bits of the last two bytes of n_0, which no
// Rcon reaches.
`default_nettype none

module aesforge_key_round #(
    parameter int unsigned KeyBits = 128,  // 128 alone
    parameter int unsigned Direction = aesforge_pkg::Encrypt,  // Encrypt alone: it has no way back
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTable,
    parameter int unsigned SboxStages = 0,
    parameter int unsigned LinearStages = 1,
    parameter bit Summed = 1'b0,  // 0 alone
    parameter bit Held = 1'b0  // 0 alone
) (
    input  logic               clk,
    input  logic               decrypt,
    input  logic               hold,
    input  logic [        3:0] step,
    input  logic [KeyBits-1:0] window_i,
    output logic [      127:0] round_key_pre,
    output logic [      127:0] round_key_post,
    output logic [KeyBits-1:0] window_o
);
  // As in the standard's step: a stage after the new words, the next before SubWord.
  localparam int unsigned FirstStage = LinearStages >= 1 ? 1 : 0;
  localparam int unsigned EntryStage = LinearStages >= 2 ? 1 : 0;

  logic [127:0] window, waiting;
  aesforge_delay #(.Width(128), .Depth(EntryStage)) u_entry (
      .clk, .rst(1'b0), .d(window_i[127:0]), .q(window));
  aesforge_delay #(.Width(128), .Depth(SboxStages)) u_waiting (
      .clk, .rst(1'b0), .d(window), .q(waiting));

  logic [31:0] w_0, w_1, w_2, w_3, v_0, v_1, v_2, v_3;
  assign {w_0, w_1, w_2, w_3} = window;
  assign {v_0, v_1, v_2, v_3} = waiting;

  logic [7:0] rcon_q;
  logic hold_q;
  aesforge_delay #(.Width(9), .Depth(EntryStage + SboxStages)) u_kind (
      .clk, .rst(1'b0), .d({aesforge_pkg::rcon(step), hold}), .q({rcon_q, hold_q}));

  logic [31:0] sub_out_0, temp_0;
  aesforge_sub_word #(
      .Style(SboxStyle), .Stages(SboxStages), .Direction(aesforge_pkg::Encrypt)
  ) u_sub_word_0 (
      .clk, .inverse(1'b0), .x(w_3), .y(sub_out_0));
  assign temp_0 = {sub_out_0[23:0], sub_out_0[31:24]} ^ {rcon_q, 24'h0};
  logic [31:0] sub_out_1, temp_1;
  aesforge_sub_word #(
      .Style(SboxStyle), .Stages(SboxStages), .Direction(aesforge_pkg::Encrypt)
  ) u_sub_word_1 (
      .clk, .inverse(1'b0), .x(w_2), .y(sub_out_1));
  assign temp_1 = {sub_out_1[23:0], sub_out_1[31:24]} ^ {rcon_q, 24'h0};

  logic [31:0] n_0, n_1, n_2, n_3;
  assign n_0 = v_0 ^ temp_0;
  assign n_1 = v_1 ^ temp_1;
  assign n_2 = n_0 ^ (n_0[0] ? {n_1[15:0], n_1[31:16]} : {n_1[23:0], n_1[31:24]});
  assign n_3 = n_1 ^ (n_0[8] ? {n_2[15:0], n_2[31:16]} : {n_2[23:0], n_2[31:24]});

  logic [127:0] window_pre;
  aesforge_delay #(.Width(128), .Depth(FirstStage)) u_pre (
      .clk, .rst(1'b0), .d(hold_q ? waiting : {n_0, n_1, n_2, n_3}), .q(window_pre));
  aesforge_delay #(.Width(128), .Depth(LinearStages - FirstStage - EntryStage)) u_post (
      .clk, .rst(1'b0), .d(window_pre), .q(round_key_post));
  assign round_key_pre = window_pre;
  assign window_o = KeyBits'(round_key_post);

  if (KeyBits != 128 || Direction != aesforge_pkg::Encrypt || Summed || Held)
  begin : gen_bad_scheme
    $error("a research scheme has 128-bit keys and cannot be run backwards");
  end
  logic unused_ok;
  assign unused_ok = &{1'b0, decrypt, w_0, w_1, v_2, v_3};
endmodule

`default_nettype wire
