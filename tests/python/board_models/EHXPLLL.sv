// SPDX-License-Identifier: Apache-2.0
// A model of ECP5's PLL for the tests: frequency and lock, from the parameters and the clock that
// comes in, by the formula of ecppll (Project Trellis). No phases.
`timescale 1ns / 1ps

module EHXPLLL #(
    parameter PLLRST_ENA = "DISABLED",
    parameter INTFB_WAKE = "DISABLED",
    parameter STDBY_ENABLE = "DISABLED",
    parameter DPHASE_SOURCE = "DISABLED",
    parameter OUTDIVIDER_MUXA = "DIVA",
    parameter OUTDIVIDER_MUXB = "DIVB",
    parameter OUTDIVIDER_MUXC = "DIVC",
    parameter OUTDIVIDER_MUXD = "DIVD",
    parameter CLKI_DIV = 1,
    parameter CLKOP_ENABLE = "ENABLED",
    parameter CLKOP_DIV = 8,
    parameter CLKOP_CPHASE = 0,
    parameter CLKOP_FPHASE = 0,
    parameter FEEDBK_PATH = "CLKOP",
    parameter CLKFB_DIV = 1
) (
    input  wire RST,
    input  wire STDBY,
    input  wire CLKI,
    output wire CLKOP,
    input  wire CLKFB,
    output wire CLKINTFB,
    input  wire PHASESEL0,
    input  wire PHASESEL1,
    input  wire PHASEDIR,
    input  wire PHASESTEP,
    input  wire PHASELOADREG,
    input  wire PLLWAKESYNC,
    input  wire ENCLKOP,
    output wire LOCK
);
  assign CLKINTFB = 1'b0;
  pll_model #(
      .Shortest(1.25),
      .Longest (2.5)
  ) u_model (
      .reference(CLKI),
      .periods(1.0 * CLKI_DIV / CLKFB_DIV),
      .turns(1.0 * CLKOP_DIV),
      .enable(1'b1),
      .clock(CLKOP),
      .lock(LOCK)
  );
endmodule
