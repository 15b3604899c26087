// SPDX-License-Identifier: Apache-2.0
// One step of KeyExpansion() (FIPS 197 Sec. 5.2), forward or backward: from Nk words of the
// schedule to those one round later. Latency SboxStages + LinearStages, as a round; one step per
// cycle.
`default_nettype none

module aesforge_key_round #(
    // [128, 192, 256] key size; Nk = 4, 6, 8 and Nr = 10, 12, 14
    parameter int unsigned KeyBits = 128,
    // [0, 1, 2] 0 forwards, 1 backwards, 2 either, chosen by `decrypt`
    parameter int unsigned Direction = aesforge_pkg::Encrypt,
    // [a style] see aesforge_sbox; used forwards in either direction
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTable,
    // [0 or more; 1 or more for `bram`] pipeline stages in SubWord
    parameter int unsigned SboxStages = 0,
    // [0 or more] other pipeline stages: the first after the new words
    parameter int unsigned LinearStages = 1,
    // [0; 1 only with `KeyBits` 128, `Direction` 1 and `LinearStages` 2 or more] word 3 of the
    // windows holds the sum of words 2 and 3
    parameter bit Summed = 1'b0,
    // [0, 1] 1: window and step stay until the step is done: nothing has to wait for SubWord
    parameter bit Held = 1'b0
) (
    input  logic               clk,  // clock
    // with the window: invert the step (`Direction` 2 only, else ignored)
    input  logic               decrypt,
    input  logic               hold,  // with the window: leave it unchanged
    // with the window: number of the step that is made or inverted, 1 to Nr
    input  logic [        3:0] step,
    input  logic [KeyBits-1:0] window_i,  // window
    // round key of the step, as early as a decrypting round needs it
    output logic [      127:0] round_key_pre,
    output logic [      127:0] round_key_post,  // the same round key, with `window_o`
    output logic [KeyBits-1:0] window_o  // window one step on, or one step back
);
  localparam int unsigned Nk = KeyBits / 32;
  // The first stage stands after the new words. Of the others, one stands before SubWord where no
  // round takes round_key_pre: nothing else then comes between a key and its register.
  localparam int unsigned FirstStage = LinearStages >= 1 ? 1 : 0;
  localparam int unsigned EntryStage =
      Direction == aesforge_pkg::Encrypt && LinearStages >= 2 ? 1 : 0;
  localparam int unsigned MoreStages = LinearStages - FirstStage - EntryStage;
  // Only these use word 3 in nothing but the sum of words 2 and 3: taken before the stages of
  // SubWord, it leaves one sum of four terms after them. Without stages it is one more sum.
  localparam bit Fold = Direction == aesforge_pkg::Encrypt && KeyBits != 192 && SboxStages > 0;

  logic [KeyBits-1:0] window;
  aesforge_delay #(
      .Width(KeyBits),
      .Depth(EntryStage)
  ) u_entry (
      .clk,
      .rst(1'b0),
      .d  (window_i),
      .q  (window)
  );

  // Word i of the window, and the word that SubWord takes.
  logic [31:0] w[0:Nk-1];
  logic [31:0] sub_in_forward, sub_in_backward, sub_in, sub_out;
  logic [1:0] phase;
  for (genvar i = 0; i < Nk; i++) begin : gen_w
    assign w[i] = window[KeyBits-1-32*i-:32];
  end
  assign phase = aesforge_pkg::phase192(step);
  assign sub_in_forward = w[Nk-1];
  if (KeyBits == 128) begin : gen_sub_in
    assign sub_in_backward = Summed ? w[3] : w[3] ^ w[2];
  end else if (KeyBits == 192) begin : gen_sub_in
    assign sub_in_backward = phase == 2'd0 ? w[1] : w[5] ^ w[4];
  end else begin : gen_sub_in
    assign sub_in_backward = w[3];
  end
  if (Direction == aesforge_pkg::Encrypt) begin : gen_direction_in
    assign sub_in = sub_in_forward;
    logic unused_ok;
    assign unused_ok = &{1'b0, sub_in_backward, decrypt};
  end else if (Direction == aesforge_pkg::Decrypt) begin : gen_direction_in
    assign sub_in = sub_in_backward;
    logic unused_ok;
    assign unused_ok = &{1'b0, sub_in_forward, decrypt};
  end else begin : gen_direction_in
    assign sub_in = decrypt ? sub_in_backward : sub_in_forward;
  end

  aesforge_sub_word #(
      .Style(SboxStyle),
      .Stages(SboxStages),
      .Direction(aesforge_pkg::Encrypt)
  ) u_sub_word (
      .clk,
      .inverse(1'b0),
      .x(sub_in),
      .y(sub_out)
  );

  // What waits for SubWord: the window, and what kind of step this is.
  logic [7:0] rcon, rcon_q;
  logic [1:0] phase_q;
  logic rotate, rotate_q, decrypt_q, hold_q;
  logic [KeyBits-1:0] waiting_d, waiting;
  logic [31:0] v[0:Nk-1];
  // With 256-bit keys every second step has neither RotWord nor Rcon.
  assign rotate = KeyBits != 256 || step[0];
  assign rcon = aesforge_pkg::rcon(aesforge_pkg::rcon_index(KeyBits, step));
  for (genvar i = 0; i < Nk; i++) begin : gen_v
    assign waiting_d[KeyBits-1-32*i-:32] = Fold && i == 3 ? w[3] ^ w[2] : w[i];
    assign v[i] = waiting[KeyBits-1-32*i-:32];
  end
  aesforge_delay #(
      .Width(KeyBits),
      .Depth(Held ? 0 : SboxStages)
  ) u_waiting (
      .clk,
      .rst(1'b0),
      .d  (waiting_d),
      .q  (waiting)
  );
  aesforge_delay #(
      .Width(13),
      .Depth(EntryStage + SboxStages)
  ) u_kind (
      .clk,
      .rst(1'b0),
      .d  ({rcon, phase, rotate, decrypt, hold}),
      .q  ({rcon_q, phase_q, rotate_q, decrypt_q, hold_q})
  );

  // temp of the standard's Algorithm 2, RotWord moved after SubWord.
  logic [31:0] temp;
  assign temp = (rotate_q ? {sub_out[23:0], sub_out[31:24]} : sub_out) ^ {rcon_q, 24'h0};

  // The window one step on, and one step back.
  logic [KeyBits-1:0] forward, backward;
  // 192-bit keys only: the round key is the last four words of the window, not the first.
  logic late_forward, late_backward;
  if (KeyBits == 128) begin : gen_window
    logic [31:0] n_0, n_1, n_2, n_3;
    assign n_0 = v[0] ^ temp;
    assign n_1 = v[1] ^ n_0;
    assign n_2 = v[2] ^ n_1;
    assign n_3 = v[3] ^ (Fold ? n_1 : n_2);
    assign forward = {n_0, n_1, n_2, n_3};
    assign backward = {v[0] ^ temp, v[1] ^ v[0], v[2] ^ v[1], Summed ? v[3] : v[3] ^ v[2]};
    assign {late_forward, late_backward} = 2'b00;
  end else if (KeyBits == 192) begin : gen_window
    logic [31:0] n_0, n_1, n_2, n_3, n_4, n_5;
    assign n_0 = v[0] ^ (phase_q == 2'd1 ? v[5] : temp);
    assign n_1 = v[1] ^ n_0;
    assign n_2 = v[2] ^ n_1;
    assign n_3 = v[3] ^ n_2;
    assign n_4 = v[4] ^ n_3;
    assign n_5 = v[5] ^ n_4;
    logic [31:0] b_in, b_0;
    assign b_in = phase_q == 2'd0 ? v[2] : v[0];
    assign b_0 = b_in ^ temp;
    always_comb begin
      case (phase_q)
        2'd0: begin
          forward = {v[4], v[5], n_0, n_1, n_2, n_3};
          backward = {b_0, v[3] ^ v[2], v[4] ^ v[3], v[5] ^ v[4], v[0], v[1]};
        end
        2'd1: begin
          forward = {v[2], v[3], v[4], v[5], n_0, n_1};
          backward = {v[4] ^ v[3], v[5] ^ v[4], v[0], v[1], v[2], v[3]};
        end
        default: begin
          forward = {n_0, n_1, n_2, n_3, n_4, n_5};
          backward = {b_0, v[1] ^ v[0], v[2] ^ v[1], v[3] ^ v[2], v[4] ^ v[3], v[5] ^ v[4]};
        end
      endcase
    end
    assign late_forward = phase_q == 2'd1;
    assign late_backward = phase_q == 2'd2;
  end else begin : gen_window
    logic [31:0] n_0, n_1, n_2, n_3;
    assign n_0 = v[0] ^ temp;
    assign n_1 = v[1] ^ n_0;
    assign n_2 = v[2] ^ n_1;
    assign n_3 = v[3] ^ (Fold ? n_1 : n_2);
    assign forward = {v[4], v[5], v[6], v[7], n_0, n_1, n_2, n_3};
    assign backward = {
      v[4] ^ temp, v[5] ^ v[4], v[6] ^ v[5], v[7] ^ v[6], v[0], v[1], v[2], v[3]
    };
    assign {late_forward, late_backward} = 2'b00;
  end

  logic [KeyBits-1:0] stepped, unchanged, window_pre_d, window_pre;
  logic late_d, late_pre, late_post;
  if (Direction == aesforge_pkg::Encrypt) begin : gen_direction_out
    assign stepped = forward;
    assign late_d = late_forward;
    logic unused_ok;
    assign unused_ok = &{1'b0, backward, late_backward, decrypt_q};
  end else if (Direction == aesforge_pkg::Decrypt) begin : gen_direction_out
    assign stepped = backward;
    assign late_d = late_backward;
    logic unused_ok;
    assign unused_ok = &{1'b0, forward, late_forward, decrypt_q};
  end else begin : gen_direction_out
    assign stepped = decrypt_q ? backward : forward;
    assign late_d = decrypt_q ? late_backward : late_forward;
  end
  for (genvar i = 0; i < Nk; i++) begin : gen_unchanged
    assign unchanged[KeyBits-1-32*i-:32] = (Fold || Summed) && i == 3 ? v[3] ^ v[2] : v[i];
  end
  assign window_pre_d = hold_q ? unchanged : stepped;

  aesforge_delay #(
      .Width(KeyBits + 1),
      .Depth(FirstStage)
  ) u_pre (
      .clk,
      .rst(1'b0),
      .d  ({late_d, window_pre_d}),
      .q  ({late_pre, window_pre})
  );
  logic [KeyBits-1:0] window_post_d;
  assign window_post_d = window_pre ^ (Summed ? KeyBits'(window_pre[63:32]) : '0);
  aesforge_delay #(
      .Width(KeyBits + 1),
      .Depth(MoreStages)
  ) u_post (
      .clk,
      .rst(1'b0),
      .d  ({late_pre, window_post_d}),
      .q  ({late_post, window_o})
  );

  if (KeyBits == 192) begin : gen_round_key
    assign round_key_pre = late_pre ? window_pre[127:0] : window_pre[KeyBits-1-:128];
    assign round_key_post = late_post ? window_o[127:0] : window_o[KeyBits-1-:128];
  end else begin : gen_round_key
    assign round_key_pre = window_pre[KeyBits-1-:128];
    assign round_key_post = window_o[KeyBits-1-:128];
    logic unused_ok;
    assign unused_ok = &{1'b0, late_pre, late_post, phase_q};
  end

  if (Summed && (KeyBits != 128 || Direction != aesforge_pkg::Decrypt || LinearStages < 2))
  begin : gen_bad_summed
    $error("sums are for 128-bit keys that only run backwards, with two linear stages or more");
  end
endmodule

`default_nettype wire
