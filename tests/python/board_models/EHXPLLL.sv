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
    output reg  CLKOP,
    input  wire CLKFB,
    output wire CLKINTFB,
    input  wire PHASESEL0,
    input  wire PHASESEL1,
    input  wire PHASEDIR,
    input  wire PHASESTEP,
    input  wire PHASELOADREG,
    input  wire PLLWAKESYNC,
    input  wire ENCLKOP,
    output reg  LOCK
);
  realtime first, period;
  assign CLKINTFB = 1'b0;
  initial begin
    CLKOP = 1'b0;
    LOCK  = 1'b0;
    @(posedge CLKI) first = $realtime;
    @(posedge CLKI) period = ($realtime - first) * CLKI_DIV / CLKFB_DIV;
    if (period / CLKOP_DIV < 1.25 || period / CLKOP_DIV > 2.5) begin
      $display("the oscillator of the PLL runs at %f MHz", 1000.0 * CLKOP_DIV / period);
      $finish;
    end
    fork
      forever #(period / 2.0) CLKOP = ~CLKOP;
      #1000 LOCK = 1'b1;
    join
  end
endmodule
