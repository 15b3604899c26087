// SPDX-License-Identifier: Apache-2.0
// What the models of the vendors' PLLs share: it measures the clock that comes in, makes another of
// it, and locks. No phases.
`timescale 1ns / 1ps

module pll_model #(
    // The period of the oscillator in ns, shortest and longest; 0: any.
    parameter real Shortest = 0.0,
    parameter real Longest  = 0.0
) (
    input  wire reference,
    input  real periods,  // periods of the reference in one of the output
    input  real turns,  // periods of the oscillator in one of the output
    input  wire enable,  // no reset, no bypass
    output reg  clock,
    output reg  lock
);
  realtime first, period;
  initial begin
    clock = 1'b0;
    lock  = 1'b0;
    @(posedge reference) first = $realtime;
    @(posedge reference) period = ($realtime - first) * periods;
    if (!enable || Longest > 0.0 && (period / turns < Shortest || period / turns > Longest)) begin
      $display("the oscillator of the PLL runs at %f MHz", 1000.0 * turns / period);
      $finish;
    end
    fork
      forever #(period / 2.0) clock = ~clock;
      #1000 lock = 1'b1;
    join
  end
endmodule
