// SPDX-License-Identifier: Apache-2.0
// The reset of a board: high until the PLL has been locked for 2^Bits cycles, and again when it
// loses its lock. FPGAs start with zeros in flip-flops, which is the reset.
`default_nettype none

module aesforge_board_reset #(
    parameter int unsigned Bits = 8  // [1 or more] logarithm of the cycles
) (
    input  logic clk,  // clock of the PLL
    input  logic locked,  // the PLL is locked; asynchronous to `clk`
    output logic rst  // synchronous reset, active high
);
  logic [1:0] locked_q;
  logic [Bits-1:0] count_q;
  logic ready_q;

  // What FPGAs do by themselves, for simulators.
  initial begin
    locked_q = '0;
    ready_q  = 1'b0;
  end

  // Not always_ff: its registers may have no start value.
  always @(posedge clk) begin
    locked_q <= {locked_q[0], locked};
    count_q  <= locked_q[1] ? count_q + 1'b1 : '0;
    ready_q  <= locked_q[1] && (ready_q || &count_q);
  end
  assign rst = !ready_q;
endmodule

`default_nettype wire
