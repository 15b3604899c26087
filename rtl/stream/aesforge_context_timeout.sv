// SPDX-License-Identifier: Apache-2.0
// Ends the wait of a packet for its context: the packet goes on without one, as an error.
// Latency 1 cycle.
`default_nettype none

module aesforge_context_timeout #(
    parameter int unsigned Cycles = 1024  // [0 or more] most cycles that a packet waits; 0: forever
) (
    input  logic clk,  // clock
    input  logic rst,  // synchronous reset
    input  logic waiting,  // a packet waits in this cycle; falls only with `restart`
    input  logic restart,  // the packet waits no more: the count starts at 0 again
    output logic missing  // the packet has waited for `Cycles` cycles; stays until `restart`
);
  if (Cycles > 0) begin : gen_count
    localparam int unsigned CountBits = $clog2(Cycles + 1);
    logic [CountBits-1:0] count_q, count;
    // The count is at its end: known a cycle ahead.
    logic end_q, restart_q;
    // `restart` comes late in its cycle: the count sees it a cycle later, the rest at once.
    assign count = restart_q ? '0 : count_q;
    always_ff @(posedge clk) begin
      restart_q <= rst || restart;
      if (!waiting) count_q <= '0;
      else if (!missing) count_q <= count + 1'b1;
      end_q   <= Cycles == 1 || (waiting && count == CountBits'(Cycles - 2));
      missing <= missing || end_q;
      if (rst || restart) begin
        end_q   <= Cycles == 1;
        missing <= 1'b0;
      end
    end
  end else begin : gen_never
    assign missing = 1'b0;
    logic unused_ok;
    assign unused_ok = &{1'b0, clk, rst, waiting, restart};
  end
endmodule

`default_nettype wire
