// SPDX-License-Identifier: Apache-2.0
// Stands for aesforge_gf128_serial where the powers of a hash subkey are proved, with elements as
// exponent_multiply.sv has them, the second factor masked. 1 has the exponent 0.
`default_nettype none

module aesforge_gf128_serial #(
    parameter int unsigned Digit = 4
) (
    input  logic         clk,
    input  logic         rst,
    input  logic         zeroize,
    input  logic         start,
    input  logic [127:0] a,
    input  logic [127:0] b,
    output logic         busy,
    output logic         done,
    output logic [127:0] product
);
  localparam int unsigned Bits = 8;
  (* keep, anyconst *) logic [127:0] mask;
  wire [127:0] factor = b ^ mask;
  localparam int unsigned Cycles = 128 / Digit;
  (* keep *) logic [$clog2(Cycles)-1:0] count_q;
  wire last = count_q == $clog2(Cycles)'(Cycles - 1);
  // The product, which is at the output when the work is done: before, that shows anything.
  (* keep *) logic [127:0] result_q;
  (* keep *) logic shown_q;
  (* anyseq *) logic [127:0] anything;
  assign product = shown_q ? result_q : anything;
  always_ff @(posedge clk) begin
    done <= busy && last && !start;
    count_q <= count_q + 1'b1;
    if (last) busy <= 1'b0;
    if (busy && last) shown_q <= 1'b1;
    if (start) begin
      busy <= 1'b1;
      count_q <= '0;
      shown_q <= 1'b0;
      result_q <= '0;
      if (a[127] && factor[127]) begin
        result_q[127] <= 1'b1;
        result_q[Bits-1:0] <= a[Bits-1:0] + factor[Bits-1:0];
      end
    end
    if (zeroize) begin
      result_q <= '0;
      shown_q <= 1'b1;
    end
    if (rst || zeroize) {busy, done} <= '0;
  end
endmodule

`default_nettype wire
