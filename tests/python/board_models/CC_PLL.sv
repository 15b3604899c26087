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
    output reg  USR_PLL_LOCKED,
    output reg  CLK0,
    output wire CLK90,
    output wire CLK180,
    output wire CLK270,
    output wire CLK_REF_OUT
);
  real in_mhz, out_mhz;
  realtime first, period;
  assign {USR_PLL_LOCKED_STDY, CLK90, CLK180, CLK270, CLK_REF_OUT} = '0;
  initial begin
    CLK0 = 1'b0;
    USR_PLL_LOCKED = 1'b0;
    in_mhz = REF_CLK.atoreal();
    out_mhz = OUT_CLK.atoreal();
    @(posedge CLK_REF) first = $realtime;
    @(posedge CLK_REF) period = ($realtime - first) * in_mhz / out_mhz;
    fork
      forever #(period / 2.0) CLK0 = ~CLK0;
      #1000 USR_PLL_LOCKED = 1'b1;
    join
  end
endmodule
