// SPDX-License-Identifier: Apache-2.0
// A model of Gowin's PLL for the tests: frequency and lock, from the parameters and the clock that
// comes in, by the formula of gowin_pll (Project Apicula).
`timescale 1ns / 1ps

module rPLL #(
    parameter FCLKIN = "100.0",
    parameter DEVICE = "",
    parameter IDIV_SEL = 0,
    parameter FBDIV_SEL = 0,
    parameter ODIV_SEL = 8
) (
    input  wire       CLKIN,
    input  wire       CLKFB,
    input  wire       RESET,
    input  wire       RESET_P,
    input  wire [5:0] FBDSEL,
    input  wire [5:0] IDSEL,
    input  wire [5:0] ODSEL,
    input  wire [3:0] PSDA,
    input  wire [3:0] DUTYDA,
    input  wire [3:0] FDLY,
    output reg        CLKOUT,
    output reg        LOCK,
    output wire       CLKOUTP,
    output wire       CLKOUTD,
    output wire       CLKOUTD3
);
  realtime first, period;
  assign {CLKOUTP, CLKOUTD, CLKOUTD3} = '0;
  initial begin
    CLKOUT = 1'b0;
    LOCK   = 1'b0;
    @(posedge CLKIN) first = $realtime;
    @(posedge CLKIN) period = ($realtime - first) * (IDIV_SEL + 1) / (FBDIV_SEL + 1);
    if (period / ODIV_SEL < 0.8 || period / ODIV_SEL > 2.5 || RESET || RESET_P) begin
      $display("the oscillator of the PLL runs at %f MHz", 1000.0 * ODIV_SEL / period);
      $finish;
    end
    fork
      forever #(period / 2.0) CLKOUT = ~CLKOUT;
      #1000 LOCK = 1'b1;
    join
  end
endmodule
