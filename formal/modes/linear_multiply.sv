// SPDX-License-Identifier: Apache-2.0
// Stands for aesforge_gf128_multiply where GHASH is shown to be linear: its product is anything.
// prove_ghash_sum.sv assumes that the product of a sum is the sum of the products.
`default_nettype none

module aesforge_gf128_multiply #(
    parameter int unsigned Stages = 5
) (
    input  logic         clk,
    input  logic [127:0] a,
    input  logic [127:0] b,
    output logic [127:0] product
);
  (* anyseq *) logic [127:0] anything;
  assign product = anything;
endmodule

`default_nettype wire
