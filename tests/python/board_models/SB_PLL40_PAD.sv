// SPDX-License-Identifier: Apache-2.0
// A model of iCE40's PLL for the tests: frequency and lock of the feedback path SIMPLE, from the
// parameters and the clock that comes in, by the formula of icepll (Project IceStorm).
`timescale 1ns / 1ps

module SB_PLL40_PAD #(
    parameter FEEDBACK_PATH = "SIMPLE",
    parameter [3:0] DIVR = 0,
    parameter [6:0] DIVF = 0,
    parameter [2:0] DIVQ = 0,
    parameter [2:0] FILTER_RANGE = 0
) (
    input  wire PACKAGEPIN,
    output wire PLLOUTCORE,
    output reg  PLLOUTGLOBAL,
    input  wire RESETB,
    input  wire BYPASS,
    output reg  LOCK
);
  realtime first, vco;
  assign PLLOUTCORE = PLLOUTGLOBAL;
  initial begin
    PLLOUTGLOBAL = 1'b0;
    LOCK = 1'b0;
    @(posedge PACKAGEPIN) first = $realtime;
    @(posedge PACKAGEPIN) vco = ($realtime - first) * (DIVR + 1) / (DIVF + 1);
    if (vco < 0.938 || vco > 1.877 || FILTER_RANGE == 0 || !RESETB || BYPASS) begin
      $display("the oscillator of the PLL runs at %f MHz", 1000.0 / vco);
      $finish;
    end
    fork
      forever #(vco * (1 << DIVQ) / 2.0) PLLOUTGLOBAL = ~PLLOUTGLOBAL;
      #1000 LOCK = 1'b1;
    join
  end
endmodule
