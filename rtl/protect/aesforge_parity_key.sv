// SPDX-License-Identifier: Apache-2.0
// One step of KeyExpansion() (FIPS 197 Sec. 5.2), forward, with a parity bit for each byte of the
// window: compares the input parity with the window, predicts the output parity from it.
// Latency SboxStages + LinearStages; a step per cycle.
`default_nettype none

module aesforge_parity_key #(
    parameter int unsigned KeyBits = 128,  // [128, 192, 256] key size
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTable,  // [a style] see aesforge_sbox
    // [0 or more; 1 or more for `bram`] pipeline stages in SubWord
    parameter int unsigned SboxStages = 0,
    parameter int unsigned LinearStages = 1  // [0 to 4] pipeline stages in the rest of a step
) (
    input  logic                 clk,  // clock
    input  logic [          3:0] step,  // number of the step, 1 to Nr
    input  logic [  KeyBits-1:0] window_i,  // window
    input  logic [KeyBits/8-1:0] parity_i,  // parity of the window; the top bit is for byte 0
    output logic [        127:0] round_key,  // round key of the step, with `window_o`
    output logic [         15:0] key_parity,  // predicted parity of the output
    output logic [  KeyBits-1:0] window_o,  // window
    output logic [KeyBits/8-1:0] parity_o,  // predicted parity of the output
    // window and parity differ; with `window_i`, a cycle later if `LinearStages` is 2 or more
    output logic                 wrong
);
  localparam int unsigned Nk = KeyBits / 32;
  localparam int unsigned EntryStage = LinearStages >= 2 ? 1 : 0;

  logic [127:0] round_key_pre;
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
      .step,
      .window_i,
      .round_key_pre,
      .round_key_post(round_key),
      .window_o
  );

  // Window register for the comparison; synthesis merges it with that of the key step. The kind of
  // step is delayed as its complement, so that this register is not merged.
  logic [KeyBits-1:0] window;
  logic [4*Nk-1:0] parity;
  logic [3:0] kind, kind_n;
  assign kind[3] = ^aesforge_pkg::rcon(aesforge_pkg::rcon_index(KeyBits, step));
  assign kind[2] = KeyBits != 256 || step[0];
  assign kind[1:0] = KeyBits == 192 ? aesforge_pkg::phase192(step) : 2'd0;
  aesforge_delay #(
      .Width(KeyBits + 4 * Nk + 4),
      .Depth(EntryStage)
  ) u_entry (
      .clk,
      .rst(1'b0),
      .d  ({~kind, parity_i, window_i}),
      .q  ({kind_n, parity, window})
  );
  logic [4*Nk-1:0] differ;
  for (genvar i = 0; i < 4 * Nk; i++) begin : gen_differ
    assign differ[i] = ^window[8*i+:8] ^ parity[i];
  end
  assign wrong = differ != '0;

  // SubWord of the last word.
  logic [3:0] sub_d, sub, sub_top, kind_sub_n, kind_sub;
  logic [4*Nk-1:0] waiting;
  for (genvar i = 0; i < 4; i++) begin : gen_sub
    aesforge_parity_sbox u_sbox (
        .x(window[8*i+:8]),
        .parity(sub_d[i]),
        .top(sub_top[i])
    );
  end
  aesforge_delay #(
      .Width(4 * Nk + 8),
      .Depth(SboxStages)
  ) u_waiting (
      .clk,
      .rst(1'b0),
      .d  ({kind_n, sub_d, parity}),
      .q  ({kind_sub_n, sub, waiting})
  );
  assign kind_sub = ~kind_sub_n;

  // The sums of the words, on parity bits.
  logic [3:0] v[0:Nk-1];
  logic [3:0] n[0:Nk-1];
  logic [3:0] temp;
  logic [4*Nk-1:0] next;
  for (genvar i = 0; i < Nk; i++) begin : gen_word
    assign v[i] = waiting[4*Nk-1-4*i-:4];
    if (i == 0) begin : gen_first
      assign n[0] = v[0] ^ (KeyBits == 192 && kind_sub[1:0] == 2'd1 ? v[Nk-1] : temp);
    end else begin : gen_next
      assign n[i] = v[i] ^ n[i-1];
    end
  end
  assign temp = (kind_sub[2] ? {sub[2:0], sub[3]} : sub) ^ {kind_sub[3], 3'b000};
  if (KeyBits == 128) begin : gen_window
    assign next = {n[0], n[1], n[2], n[3]};
  end else if (KeyBits == 192) begin : gen_window
    always_comb begin
      case (kind_sub[1:0])
        2'd0: next = {v[4], v[5], n[0], n[1], n[2], n[3]};
        2'd1: next = {v[2], v[3], v[4], v[5], n[0], n[1]};
        default: next = {n[0], n[1], n[2], n[3], n[4], n[5]};
      endcase
    end
  end else begin : gen_window
    assign next = {v[4], v[5], v[6], v[7], n[0], n[1], n[2], n[3]};
    logic unused_ok;
    assign unused_ok = &{1'b0, n[4], n[5], n[6], n[7]};
  end

  logic late_n;
  aesforge_delay #(
      .Width(4 * Nk + 1),
      .Depth(LinearStages - EntryStage)
  ) u_next (
      .clk,
      .rst(1'b0),
      .d  ({kind_sub[1:0] != 2'd1, next}),
      .q  ({late_n, parity_o})
  );
  assign key_parity = KeyBits == 192 && !late_n ? parity_o[15:0] : parity_o[4*Nk-1-:16];

  logic unused_ok;
  assign unused_ok = &{1'b0, round_key_pre, sub_top, late_n, kind_sub};
endmodule

`default_nettype wire
