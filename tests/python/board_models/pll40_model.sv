// SPDX-License-Identifier: Apache-2.0
// What the models of iCE40's two PLLs share: the feedback path SIMPLE, by the formula of icepll
// (Project IceStorm).
`timescale 1ns / 1ps

module pll40_model #(
    parameter [3:0] DIVR = 0,
    parameter [6:0] DIVF = 0,
    parameter [2:0] DIVQ = 0,
    parameter [2:0] FILTER_RANGE = 0
) (
    input  wire reference,
    input  wire RESETB,
    input  wire BYPASS,
    output wire clock,
    output wire lock
);
  pll_model #(
      .Shortest(0.938),
      .Longest (1.877)
  ) u_model (
      .reference,
      .periods(1.0 * (DIVR + 1) * (1 << DIVQ) / (DIVF + 1)),
      .turns  (1.0 * (1 << DIVQ)),
      .enable (FILTER_RANGE != 0 && RESETB && !BYPASS),
      .clock,
      .lock
  );
endmodule
