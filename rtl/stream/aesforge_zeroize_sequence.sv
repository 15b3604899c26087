// SPDX-License-Identifier: Apache-2.0
// The order in which an engine is zeroized: first its cores; then their output of zeros overwrites
// delays, queues and tables. Latency 1 cycle from `zeroize` to both outputs.
`default_nettype none

module aesforge_zeroize_sequence #(
    // [1 or more] cycles that the rest takes when the cores are zeroized
    parameter int unsigned Cycles = 71
) (
    input  logic clk,  // clock
    input  logic rst,  // synchronous reset
    input  logic zeroize,  // a pulse of one cycle will do
    input  logic cores_ready,  // they have been; ignored while `core_zeroize` is high
    output logic core_zeroize,  // zeroizes the cores
    output logic zeroizing  // from then on until all is zeroized
);
  localparam int unsigned RestBits = $clog2(Cycles + 1);

  // end_q: the count is at its end, known a cycle ahead.
  logic counts, end_q;
  logic [RestBits-1:0] rest_q;
  assign counts = zeroizing && !core_zeroize && cores_ready && !end_q;
  always_ff @(posedge clk) begin
    core_zeroize <= zeroize;
    // A pulse in the last cycle begins again.
    zeroizing <= zeroize || (zeroizing && (core_zeroize || !end_q));
    rest_q <= counts ? rest_q + 1'b1 : '0;
    end_q  <= counts && rest_q == RestBits'(Cycles - 1);
    if (rst) begin
      core_zeroize <= 1'b0;
      zeroizing <= 1'b0;
      end_q <= 1'b0;
    end
  end
endmodule

`default_nettype wire
