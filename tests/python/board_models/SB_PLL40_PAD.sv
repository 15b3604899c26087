// SPDX-License-Identifier: Apache-2.0
// A model of iCE40's PLL for the tests, with the clock from a pad.
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
    output wire PLLOUTGLOBAL,
    input  wire RESETB,
    input  wire BYPASS,
    output wire LOCK
);
  assign PLLOUTCORE = PLLOUTGLOBAL;
  pll40_model #(
      .DIVR(DIVR),
      .DIVF(DIVF),
      .DIVQ(DIVQ),
      .FILTER_RANGE(FILTER_RANGE)
  ) u_model (
      .reference(PACKAGEPIN),
      .RESETB,
      .BYPASS,
      .clock(PLLOUTGLOBAL),
      .lock(LOCK)
  );
endmodule
