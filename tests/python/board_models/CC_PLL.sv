// SPDX-License-Identifier: Apache-2.0
// A model of GateMate's PLL for the tests: the frequencies are text, as in the primitive.
`timescale 1ns / 1ps

module CC_PLL #(
    parameter string REF_CLK = "10.0",
    parameter string OUT_CLK = "10.0",
    parameter PERF_MD = "SPEED",
    parameter LOW_JITTER = 1,
    parameter CI_FILTER_CONST = 2,
    parameter CP_FILTER_CONST = 4
) (
    input  wire CLK_REF,
    input  wire CLK_FEEDBACK,
    input  wire USR_CLK_REF,
    input  wire USR_LOCKED_STDY_RST,
    output wire USR_PLL_LOCKED_STDY,
    output wire USR_PLL_LOCKED,
    output wire CLK0,
    output wire CLK90,
    output wire CLK180,
    output wire CLK270,
    output wire CLK_REF_OUT
);
  assign {USR_PLL_LOCKED_STDY, CLK90, CLK180, CLK270, CLK_REF_OUT} = '0;
  real periods;
  initial periods = REF_CLK.atoreal() / OUT_CLK.atoreal();
  pll_model u_model (
      .reference(CLK_REF),
      .periods,
      .turns(1.0),
      .enable(1'b1),
      .clock(CLK0),
      .lock(USR_PLL_LOCKED)
  );
endmodule
