// SPDX-License-Identifier: Apache-2.0
// S-box of FIPS 197 Sec. 5.1.1 computed in the tower field GF((2^4)^2).
// Latency: Stages cycles. Throughput: one byte a cycle.
`default_nettype none

module aesforge_sbox_tower #(
    // Register ranks.
    parameter int unsigned Stages = 0,
    // 0 forward, 1 inverse, 2 both (`inverse` selects).
    parameter int unsigned Direction = 0
) (
    input  logic       clk,
    // 1 = inverse S-box for the byte beside it (Direction 2 only, else ignored).
    input  logic       inverse,
    input  logic [7:0] x,
    output logic [7:0] y
);
  /* verilator no_inline_module */

  function automatic logic [7:0] linear(input logic [63:0] columns, input logic [7:0] a);
    linear = 8'h00;
    for (int i = 0; i < 8; i++) linear = linear ^ (columns[8*i +: 8] & {8{a[i]}});
  endfunction

  function automatic logic [3:0] multiply(input logic [3:0] a, input logic [3:0] b);
    logic [3:0] shifted;
    shifted  = a;
    multiply = 4'h0;
    for (int i = 0; i < 4; i++) begin
      multiply = multiply ^ (shifted & {4{b[i]}});
      shifted  = {shifted[2:0], 1'b0} ^ (shifted[3] ? 4'h3 : 4'h0);
    end
  endfunction

  localparam logic [63:0] Inverse16 = 64'h834a5c2f67bde910;

  logic backward;
  logic [7:0] a, b, y_d;
  logic [3:0] norm, norm_inverse;

  assign backward = (Direction == 1) || (Direction == 2 && inverse);
  assign a = backward ? linear(64'h92f9797628989f58, x ^ 8'h63) : linear(64'he534d53c4c462001, x);
  assign norm = multiply(multiply(a[7:4], a[7:4]), 4'h8) ^ multiply(a[3:0], a[7:4] ^ a[3:0]);
  assign norm_inverse = Inverse16[{norm, 2'b00} +: 4];
  assign b = {multiply(a[7:4], norm_inverse), multiply(a[7:4] ^ a[3:0], norm_inverse)};
  assign y_d = backward ? linear(64'hdbb802a250e05c01, b) : linear(64'h60653e5236abb21f, b) ^ 8'h63;

  logic [7:0] rank [Stages + 1];
  assign rank[0] = y_d;
  genvar s;
  generate
    for (s = 0; s < Stages; s = s + 1) begin : gen_rank
      always_ff @(posedge clk) rank[s+1] <= rank[s];
    end
  endgenerate
  assign y = rank[Stages];

  logic unused_inputs;
  assign unused_inputs = &{1'b0, clk, inverse};
endmodule

`default_nettype wire
