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
    output wire       CLKOUT,
    output wire       LOCK,
    output wire       CLKOUTP,
    output wire       CLKOUTD,
    output wire       CLKOUTD3
);
  assign {CLKOUTP, CLKOUTD, CLKOUTD3} = '0;
  pll_model #(
      .Shortest(0.8),
      .Longest (2.5)
  ) u_model (
      .reference(CLKIN),
      .periods(1.0 * (IDIV_SEL + 1) / (FBDIV_SEL + 1)),
      .turns(1.0 * ODIV_SEL),
      .enable(!RESET && !RESET_P),
      .clock(CLKOUT),
      .lock(LOCK)
  );
endmodule
