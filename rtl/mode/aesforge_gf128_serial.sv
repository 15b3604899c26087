// SPDX-License-Identifier: Apache-2.0
// A product in GF(2^128) as GHASH has it (SP 800-38D Sec. 6.3), some bits of a factor per cycle.
// Latency 128 / Digit + 1 cycles, one product at a time.
`default_nettype none

module aesforge_gf128_serial #(
    parameter int unsigned Digit = 4  // [1, 2, 4, 8, 16, 32] bits of `a` per cycle
) (
    input  logic         clk,  // clock
    input  logic         rst,  // synchronous reset; data stay
    input  logic         zeroize,  // ends the work and sets all registers to zero
    // takes `a` and `b`, even while `busy`: the product then due is lost
    input  logic         start,
    input  logic [127:0] a,  // a factor; bit 127 is the first bit, the coefficient of x^0
    input  logic [127:0] b,  // the other factor
    output logic         busy,  // a product is being made
    output logic         done,  // one cycle: `product` is new; it stays until the next `start`
    output logic [127:0] product  // the product
);
  if (Digit < 1 || Digit > 32 || 128 % Digit != 0) begin : gen_bad_digit
    $error("digit must be 1, 2, 4, 8, 16 or 32");
  end

  localparam int unsigned Cycles = 128 / Digit;
  localparam int unsigned CountBits = $clog2(Cycles);

  // The coefficient of x^127 first, which is bit 0: product x^Digit + digit b per cycle. The sum
  // has `Digit` coefficients more, in its low bits, and is reduced once. Its terms are added in
  // pairs, which a look-up table of four inputs holds.
  logic [127:0] a_q, b_q, product_d;
  logic [127+Digit:0] sum, pair;
  always_comb begin
    sum = (128 + Digit)'(product);
    for (int i = 0; i < Digit; i += 2) begin
      pair = a_q[i] ? (128 + Digit)'(b_q) << (i + 1) : '0;
      if (i + 1 < Digit && a_q[i+1]) pair = pair ^ ((128 + Digit)'(b_q) << (i + 2));
      sum = sum ^ pair;
    end
    product_d = sum[127+Digit:Digit];
    for (int i = 0; i < Digit; i++) begin
      // x^(128+k) = (1 + x + x^2 + x^7) x^k.
      if (sum[Digit-1-i]) product_d = product_d ^ (128'he1 << 120 >> i);
    end
  end

  logic [CountBits-1:0] count_q;
  logic last;
  assign last = count_q == CountBits'(Cycles - 1);
  always_ff @(posedge clk) begin
    done <= busy && last && !start;
    count_q <= count_q + 1'b1;
    if (busy) begin
      a_q <= a_q >> Digit;
      product <= product_d;
    end
    if (last) busy <= 1'b0;
    if (start) begin
      busy <= 1'b1;
      count_q <= '0;
      a_q <= a;
      b_q <= b;
      product <= '0;
    end
    if (zeroize) {a_q, b_q, product} <= '0;
    if (rst || zeroize) {busy, done} <= '0;
  end
endmodule

`default_nettype wire
