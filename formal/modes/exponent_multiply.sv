// SPDX-License-Identifier: Apache-2.0
// Stands for aesforge_gf128_multiply where GHASH is proved. A factor is 0, or a power of the hash
// subkeys, written as its exponents with a 1 at the top; a product has the sums of the exponents.
// The second factor, which comes from a memory, is masked: so what is stored may be any value.
`default_nettype none

module aesforge_gf128_multiply #(
    parameter int unsigned Stages = 5
) (
    input  logic         clk,
    input  logic [127:0] a,
    input  logic [127:0] b,
    output logic [127:0] product
);
  localparam int unsigned Bits = 8;
  (* keep, anyconst *) logic [127:0] mask;
  wire [127:0] factor = b ^ mask;
  logic [127:0] product_q[0:Stages-1];
  assign product = product_q[Stages-1];
  always_ff @(posedge clk) begin
    product_q[0] <= '0;
    if (a[127] && factor[127]) begin
      product_q[0][127] <= 1'b1;
      for (int s = 0; s < 2; s++) begin
        product_q[0][Bits*s+:Bits] <= a[Bits*s+:Bits] + factor[Bits*s+:Bits];
      end
    end
    for (int i = 1; i < Stages; i++) product_q[i] <= product_q[i-1];
  end
endmodule

`default_nettype wire
