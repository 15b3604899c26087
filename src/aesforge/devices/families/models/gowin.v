// SPDX-License-Identifier: Apache-2.0
// Gowin: DPX9B, block RAM of 2048 words of 9 bits (Gowin UG285).
// Only what is read is modelled; see `unmodelled` in rom.v.
`default_nettype none

module DPX9B #(
    parameter [287:0] INIT_RAM_00 = 0,
    parameter [287:0] INIT_RAM_01 = 0,
    parameter [287:0] INIT_RAM_02 = 0,
    parameter [287:0] INIT_RAM_03 = 0,
    parameter [287:0] INIT_RAM_04 = 0,
    parameter [287:0] INIT_RAM_05 = 0,
    parameter [287:0] INIT_RAM_06 = 0,
    parameter [287:0] INIT_RAM_07 = 0,
    parameter [287:0] INIT_RAM_08 = 0,
    parameter [287:0] INIT_RAM_09 = 0,
    parameter [287:0] INIT_RAM_0A = 0,
    parameter [287:0] INIT_RAM_0B = 0,
    parameter [287:0] INIT_RAM_0C = 0,
    parameter [287:0] INIT_RAM_0D = 0,
    parameter [287:0] INIT_RAM_0E = 0,
    parameter [287:0] INIT_RAM_0F = 0,
    parameter [287:0] INIT_RAM_10 = 0,
    parameter [287:0] INIT_RAM_11 = 0,
    parameter [287:0] INIT_RAM_12 = 0,
    parameter [287:0] INIT_RAM_13 = 0,
    parameter [287:0] INIT_RAM_14 = 0,
    parameter [287:0] INIT_RAM_15 = 0,
    parameter [287:0] INIT_RAM_16 = 0,
    parameter [287:0] INIT_RAM_17 = 0,
    parameter [287:0] INIT_RAM_18 = 0,
    parameter [287:0] INIT_RAM_19 = 0,
    parameter [287:0] INIT_RAM_1A = 0,
    parameter [287:0] INIT_RAM_1B = 0,
    parameter [287:0] INIT_RAM_1C = 0,
    parameter [287:0] INIT_RAM_1D = 0,
    parameter [287:0] INIT_RAM_1E = 0,
    parameter [287:0] INIT_RAM_1F = 0,
    parameter [287:0] INIT_RAM_20 = 0,
    parameter [287:0] INIT_RAM_21 = 0,
    parameter [287:0] INIT_RAM_22 = 0,
    parameter [287:0] INIT_RAM_23 = 0,
    parameter [287:0] INIT_RAM_24 = 0,
    parameter [287:0] INIT_RAM_25 = 0,
    parameter [287:0] INIT_RAM_26 = 0,
    parameter [287:0] INIT_RAM_27 = 0,
    parameter [287:0] INIT_RAM_28 = 0,
    parameter [287:0] INIT_RAM_29 = 0,
    parameter [287:0] INIT_RAM_2A = 0,
    parameter [287:0] INIT_RAM_2B = 0,
    parameter [287:0] INIT_RAM_2C = 0,
    parameter [287:0] INIT_RAM_2D = 0,
    parameter [287:0] INIT_RAM_2E = 0,
    parameter [287:0] INIT_RAM_2F = 0,
    parameter [287:0] INIT_RAM_30 = 0,
    parameter [287:0] INIT_RAM_31 = 0,
    parameter [287:0] INIT_RAM_32 = 0,
    parameter [287:0] INIT_RAM_33 = 0,
    parameter [287:0] INIT_RAM_34 = 0,
    parameter [287:0] INIT_RAM_35 = 0,
    parameter [287:0] INIT_RAM_36 = 0,
    parameter [287:0] INIT_RAM_37 = 0,
    parameter [287:0] INIT_RAM_38 = 0,
    parameter [287:0] INIT_RAM_39 = 0,
    parameter [287:0] INIT_RAM_3A = 0,
    parameter [287:0] INIT_RAM_3B = 0,
    parameter [287:0] INIT_RAM_3C = 0,
    parameter [287:0] INIT_RAM_3D = 0,
    parameter [287:0] INIT_RAM_3E = 0,
    parameter [287:0] INIT_RAM_3F = 0,
    parameter READ_MODE0 = 1'b0,
    parameter READ_MODE1 = 1'b0,
    parameter WRITE_MODE0 = 2'b00,
    parameter WRITE_MODE1 = 2'b00,
    parameter BIT_WIDTH_0 = 18,
    parameter BIT_WIDTH_1 = 18,
    parameter BLK_SEL_0 = 3'b000,
    parameter BLK_SEL_1 = 3'b000,
    parameter RESET_MODE = "SYNC"
) (
    input wire CLKA, CEA, CLKB, CEB, OCEA, OCEB, RESETA, RESETB, WREA, WREB,
    input wire [13:0] ADA, ADB,
    input wire [17:0] DIA, DIB,
    input wire [2:0] BLKSELA, BLKSELB,
    output wire [17:0] DOA, DOB
);
  localparam [2048*9-1:0] Contents = {
    INIT_RAM_3F, INIT_RAM_3E, INIT_RAM_3D, INIT_RAM_3C,
    INIT_RAM_3B, INIT_RAM_3A, INIT_RAM_39, INIT_RAM_38,
    INIT_RAM_37, INIT_RAM_36, INIT_RAM_35, INIT_RAM_34,
    INIT_RAM_33, INIT_RAM_32, INIT_RAM_31, INIT_RAM_30,
    INIT_RAM_2F, INIT_RAM_2E, INIT_RAM_2D, INIT_RAM_2C,
    INIT_RAM_2B, INIT_RAM_2A, INIT_RAM_29, INIT_RAM_28,
    INIT_RAM_27, INIT_RAM_26, INIT_RAM_25, INIT_RAM_24,
    INIT_RAM_23, INIT_RAM_22, INIT_RAM_21, INIT_RAM_20,
    INIT_RAM_1F, INIT_RAM_1E, INIT_RAM_1D, INIT_RAM_1C,
    INIT_RAM_1B, INIT_RAM_1A, INIT_RAM_19, INIT_RAM_18,
    INIT_RAM_17, INIT_RAM_16, INIT_RAM_15, INIT_RAM_14,
    INIT_RAM_13, INIT_RAM_12, INIT_RAM_11, INIT_RAM_10,
    INIT_RAM_0F, INIT_RAM_0E, INIT_RAM_0D, INIT_RAM_0C,
    INIT_RAM_0B, INIT_RAM_0A, INIT_RAM_09, INIT_RAM_08,
    INIT_RAM_07, INIT_RAM_06, INIT_RAM_05, INIT_RAM_04,
    INIT_RAM_03, INIT_RAM_02, INIT_RAM_01, INIT_RAM_00
  };
  if (READ_MODE0 != 1'b0 || READ_MODE1 != 1'b0) begin : gen_bad
    $error("DPX9B in a mode without a model: output registers");
  end
  aesforge_rom #(.Width(BIT_WIDTH_0), .Unit(9), .Contents(Contents)) u_a (
      .clk(CLKA), .enable(CEA), .address(ADA), .data(DOA));
  unmodelled u_unmodelled_a (.condition(WREA || RESETA || BLKSELA != BLK_SEL_0));
  aesforge_rom #(.Width(BIT_WIDTH_1), .Unit(9), .Contents(Contents)) u_b (
      .clk(CLKB), .enable(CEB), .address(ADB), .data(DOB));
  unmodelled u_unmodelled_b (.condition(WREB || RESETB || BLKSELB != BLK_SEL_1));
endmodule

`default_nettype wire
