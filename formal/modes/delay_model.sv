// SPDX-License-Identifier: Apache-2.0
// Stands for aesforge_long_delay: a shift register.
`default_nettype none

module aesforge_long_delay #(
    parameter int unsigned Width = 8,
    parameter int unsigned Depth = 16,
    parameter int unsigned Style = 0
) (
    input  logic             clk,
    input  logic             rst,
    input  logic [Width-1:0] d,
    output logic [Width-1:0] q
);
  logic [Width*Depth-1:0] words;
  always_ff @(posedge clk) words <= (Width * Depth)'({words, d});
  assign q = words[Width*Depth-1-:Width];
  logic unused_ok;
  assign unused_ok = &{1'b0, rst};
endmodule

`default_nettype wire
