// SPDX-License-Identifier: Apache-2.0
// What is assumed of an engine around its parts: it begins with a reset, and is not zeroized.
`default_nettype none

module after_reset (
    input logic clk,
    input logic rst,
    input logic zeroize
);
  logic begun = 1'b0;
  always_ff @(posedge clk) begun <= 1'b1;
  always_comb begin
    assume (begun || rst);
    assume (!zeroize);
  end
endmodule

`default_nettype wire
