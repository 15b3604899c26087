// SPDX-License-Identifier: Apache-2.0
// Stands for aesforge_gf128_serial where GHASH is proved with one sum: a product is anything, after
// the cycles that the multiplier takes, and stays until the next one starts. It keeps the factors.
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
  localparam int unsigned Cycles = 128 / Digit;
  localparam int unsigned CountBits = $clog2(Cycles);
  (* keep *) logic [CountBits-1:0] count_q;
  (* keep *) logic [127:0] a_q, b_q, result_q;
  (* anyseq *) logic [127:0] anything;
  wire last = count_q == CountBits'(Cycles - 1);
  assign product = busy ? anything : result_q;
  always_ff @(posedge clk) begin
    done <= busy && last && !start;
    count_q <= count_q + 1'b1;
    if (last) busy <= 1'b0;
    if (busy) result_q <= anything;
    if (start) begin
      busy <= 1'b1;
      count_q <= '0;
      {a_q, b_q} <= {a, b};
    end
    if (zeroize) result_q <= '0;
    if (rst || zeroize) {busy, done} <= '0;
  end
endmodule

`default_nettype wire
