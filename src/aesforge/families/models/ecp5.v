// SPDX-License-Identifier: Apache-2.0
// ECP5: DP16KD, block RAM of 1024 words of 18 bits (Lattice FPGA-TN-02204).
// Only what is read is modelled; see `unmodelled` in rom.v.
`default_nettype none

module DP16KD #(
    parameter [319:0] INITVAL_00 = 0,
    parameter [319:0] INITVAL_01 = 0,
    parameter [319:0] INITVAL_02 = 0,
    parameter [319:0] INITVAL_03 = 0,
    parameter [319:0] INITVAL_04 = 0,
    parameter [319:0] INITVAL_05 = 0,
    parameter [319:0] INITVAL_06 = 0,
    parameter [319:0] INITVAL_07 = 0,
    parameter [319:0] INITVAL_08 = 0,
    parameter [319:0] INITVAL_09 = 0,
    parameter [319:0] INITVAL_0A = 0,
    parameter [319:0] INITVAL_0B = 0,
    parameter [319:0] INITVAL_0C = 0,
    parameter [319:0] INITVAL_0D = 0,
    parameter [319:0] INITVAL_0E = 0,
    parameter [319:0] INITVAL_0F = 0,
    parameter [319:0] INITVAL_10 = 0,
    parameter [319:0] INITVAL_11 = 0,
    parameter [319:0] INITVAL_12 = 0,
    parameter [319:0] INITVAL_13 = 0,
    parameter [319:0] INITVAL_14 = 0,
    parameter [319:0] INITVAL_15 = 0,
    parameter [319:0] INITVAL_16 = 0,
    parameter [319:0] INITVAL_17 = 0,
    parameter [319:0] INITVAL_18 = 0,
    parameter [319:0] INITVAL_19 = 0,
    parameter [319:0] INITVAL_1A = 0,
    parameter [319:0] INITVAL_1B = 0,
    parameter [319:0] INITVAL_1C = 0,
    parameter [319:0] INITVAL_1D = 0,
    parameter [319:0] INITVAL_1E = 0,
    parameter [319:0] INITVAL_1F = 0,
    parameter [319:0] INITVAL_20 = 0,
    parameter [319:0] INITVAL_21 = 0,
    parameter [319:0] INITVAL_22 = 0,
    parameter [319:0] INITVAL_23 = 0,
    parameter [319:0] INITVAL_24 = 0,
    parameter [319:0] INITVAL_25 = 0,
    parameter [319:0] INITVAL_26 = 0,
    parameter [319:0] INITVAL_27 = 0,
    parameter [319:0] INITVAL_28 = 0,
    parameter [319:0] INITVAL_29 = 0,
    parameter [319:0] INITVAL_2A = 0,
    parameter [319:0] INITVAL_2B = 0,
    parameter [319:0] INITVAL_2C = 0,
    parameter [319:0] INITVAL_2D = 0,
    parameter [319:0] INITVAL_2E = 0,
    parameter [319:0] INITVAL_2F = 0,
    parameter [319:0] INITVAL_30 = 0,
    parameter [319:0] INITVAL_31 = 0,
    parameter [319:0] INITVAL_32 = 0,
    parameter [319:0] INITVAL_33 = 0,
    parameter [319:0] INITVAL_34 = 0,
    parameter [319:0] INITVAL_35 = 0,
    parameter [319:0] INITVAL_36 = 0,
    parameter [319:0] INITVAL_37 = 0,
    parameter [319:0] INITVAL_38 = 0,
    parameter [319:0] INITVAL_39 = 0,
    parameter [319:0] INITVAL_3A = 0,
    parameter [319:0] INITVAL_3B = 0,
    parameter [319:0] INITVAL_3C = 0,
    parameter [319:0] INITVAL_3D = 0,
    parameter [319:0] INITVAL_3E = 0,
    parameter [319:0] INITVAL_3F = 0,
    parameter DATA_WIDTH_A = 18,
    parameter DATA_WIDTH_B = 18,
    parameter REGMODE_A = "NOREG",
    parameter REGMODE_B = "NOREG",
    parameter RESETMODE = "SYNC",
    parameter ASYNC_RESET_RELEASE = "SYNC",
    parameter CSDECODE_A = "0b000",
    parameter CSDECODE_B = "0b000",
    parameter CLKAMUX = "CLKA",
    parameter CLKBMUX = "CLKB",
    parameter WRITEMODE_A = "NORMAL",
    parameter WRITEMODE_B = "NORMAL",
    parameter GSR = "ENABLED"
) (
    input wire DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0,
    input wire ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0,
    input wire CLKA, CEA, OCEA, WEA, RSTA, CSA2, CSA1, CSA0,
    output wire DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0,
    input wire DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0,
    input wire ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0,
    input wire CLKB, CEB, OCEB, WEB, RSTB, CSB2, CSB1, CSB0,
    output wire DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0
);
  // A word takes 20 bits of an INITVAL, of which the lower 18 count.
  localparam [64*320-1:0] Given = {
    INITVAL_3F, INITVAL_3E, INITVAL_3D, INITVAL_3C,
    INITVAL_3B, INITVAL_3A, INITVAL_39, INITVAL_38,
    INITVAL_37, INITVAL_36, INITVAL_35, INITVAL_34,
    INITVAL_33, INITVAL_32, INITVAL_31, INITVAL_30,
    INITVAL_2F, INITVAL_2E, INITVAL_2D, INITVAL_2C,
    INITVAL_2B, INITVAL_2A, INITVAL_29, INITVAL_28,
    INITVAL_27, INITVAL_26, INITVAL_25, INITVAL_24,
    INITVAL_23, INITVAL_22, INITVAL_21, INITVAL_20,
    INITVAL_1F, INITVAL_1E, INITVAL_1D, INITVAL_1C,
    INITVAL_1B, INITVAL_1A, INITVAL_19, INITVAL_18,
    INITVAL_17, INITVAL_16, INITVAL_15, INITVAL_14,
    INITVAL_13, INITVAL_12, INITVAL_11, INITVAL_10,
    INITVAL_0F, INITVAL_0E, INITVAL_0D, INITVAL_0C,
    INITVAL_0B, INITVAL_0A, INITVAL_09, INITVAL_08,
    INITVAL_07, INITVAL_06, INITVAL_05, INITVAL_04,
    INITVAL_03, INITVAL_02, INITVAL_01, INITVAL_00
  };
  function [1024*18-1:0] contents(input [64*320-1:0] given);
    integer i;
    for (i = 0; i < 1024; i = i + 1) contents[18*i+:18] = given[20*i+:18];
  endfunction
  if (REGMODE_A != "NOREG" || REGMODE_B != "NOREG" || CLKAMUX != "CLKA" || CLKBMUX != "CLKB"
      || CSDECODE_A != "0b000" || CSDECODE_B != "0b000") begin : gen_bad
    $error("DP16KD in a mode without a model: output registers, chip selects or inverted clocks");
  end
  aesforge_rom #(.Width(DATA_WIDTH_A), .Unit(9), .Contents(contents(Given))) u_a (
      .clk(CLKA), .enable(CEA), .address({ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0}),
      .data({DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0}));
  unmodelled u_unmodelled_a (
      .condition(WEA || RSTA || !OCEA || CSA0 || CSA1 || CSA2));
  aesforge_rom #(.Width(DATA_WIDTH_B), .Unit(9), .Contents(contents(Given))) u_b (
      .clk(CLKB), .enable(CEB), .address({ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0}),
      .data({DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0}));
  unmodelled u_unmodelled_b (
      .condition(WEB || RSTB || !OCEB || CSB0 || CSB1 || CSB2));
endmodule

`default_nettype wire
