// SPDX-License-Identifier: Apache-2.0
// 7-series: RAMB18E1, block RAM of 2048 words of 9 bits (Xilinx UG473).
// Only what is read is modelled; see `unmodelled` in rom.v.
`default_nettype none

module RAMB18E1 #(
    parameter [255:0] INIT_00 = 0,
    parameter [255:0] INIT_01 = 0,
    parameter [255:0] INIT_02 = 0,
    parameter [255:0] INIT_03 = 0,
    parameter [255:0] INIT_04 = 0,
    parameter [255:0] INIT_05 = 0,
    parameter [255:0] INIT_06 = 0,
    parameter [255:0] INIT_07 = 0,
    parameter [255:0] INIT_08 = 0,
    parameter [255:0] INIT_09 = 0,
    parameter [255:0] INIT_0A = 0,
    parameter [255:0] INIT_0B = 0,
    parameter [255:0] INIT_0C = 0,
    parameter [255:0] INIT_0D = 0,
    parameter [255:0] INIT_0E = 0,
    parameter [255:0] INIT_0F = 0,
    parameter [255:0] INIT_10 = 0,
    parameter [255:0] INIT_11 = 0,
    parameter [255:0] INIT_12 = 0,
    parameter [255:0] INIT_13 = 0,
    parameter [255:0] INIT_14 = 0,
    parameter [255:0] INIT_15 = 0,
    parameter [255:0] INIT_16 = 0,
    parameter [255:0] INIT_17 = 0,
    parameter [255:0] INIT_18 = 0,
    parameter [255:0] INIT_19 = 0,
    parameter [255:0] INIT_1A = 0,
    parameter [255:0] INIT_1B = 0,
    parameter [255:0] INIT_1C = 0,
    parameter [255:0] INIT_1D = 0,
    parameter [255:0] INIT_1E = 0,
    parameter [255:0] INIT_1F = 0,
    parameter [255:0] INIT_20 = 0,
    parameter [255:0] INIT_21 = 0,
    parameter [255:0] INIT_22 = 0,
    parameter [255:0] INIT_23 = 0,
    parameter [255:0] INIT_24 = 0,
    parameter [255:0] INIT_25 = 0,
    parameter [255:0] INIT_26 = 0,
    parameter [255:0] INIT_27 = 0,
    parameter [255:0] INIT_28 = 0,
    parameter [255:0] INIT_29 = 0,
    parameter [255:0] INIT_2A = 0,
    parameter [255:0] INIT_2B = 0,
    parameter [255:0] INIT_2C = 0,
    parameter [255:0] INIT_2D = 0,
    parameter [255:0] INIT_2E = 0,
    parameter [255:0] INIT_2F = 0,
    parameter [255:0] INIT_30 = 0,
    parameter [255:0] INIT_31 = 0,
    parameter [255:0] INIT_32 = 0,
    parameter [255:0] INIT_33 = 0,
    parameter [255:0] INIT_34 = 0,
    parameter [255:0] INIT_35 = 0,
    parameter [255:0] INIT_36 = 0,
    parameter [255:0] INIT_37 = 0,
    parameter [255:0] INIT_38 = 0,
    parameter [255:0] INIT_39 = 0,
    parameter [255:0] INIT_3A = 0,
    parameter [255:0] INIT_3B = 0,
    parameter [255:0] INIT_3C = 0,
    parameter [255:0] INIT_3D = 0,
    parameter [255:0] INIT_3E = 0,
    parameter [255:0] INIT_3F = 0,
    parameter [255:0] INITP_00 = 0,
    parameter [255:0] INITP_01 = 0,
    parameter [255:0] INITP_02 = 0,
    parameter [255:0] INITP_03 = 0,
    parameter [255:0] INITP_04 = 0,
    parameter [255:0] INITP_05 = 0,
    parameter [255:0] INITP_06 = 0,
    parameter [255:0] INITP_07 = 0,
    parameter [71:0] INIT_A = 0,
    parameter [71:0] INIT_B = 0,
    parameter INIT_FILE = "NONE",
    parameter DOA_REG = 0,
    parameter DOB_REG = 0,
    parameter RAM_MODE = "TDP",
    parameter RDADDR_COLLISION_HWCONFIG = "DELAYED_WRITE",
    parameter READ_WIDTH_A = 0,
    parameter READ_WIDTH_B = 0,
    parameter RSTREG_PRIORITY_A = "RSTREG",
    parameter RSTREG_PRIORITY_B = "RSTREG",
    parameter SIM_COLLISION_CHECK = "ALL",
    parameter SIM_DEVICE = "7SERIES",
    parameter [71:0] SRVAL_A = 0,
    parameter [71:0] SRVAL_B = 0,
    parameter WRITE_MODE_A = "WRITE_FIRST",
    parameter WRITE_MODE_B = "WRITE_FIRST",
    parameter WRITE_WIDTH_A = 0,
    parameter WRITE_WIDTH_B = 0,
    parameter IS_CLKARDCLK_INVERTED = 1'b0,
    parameter IS_CLKBWRCLK_INVERTED = 1'b0,
    parameter IS_ENARDEN_INVERTED = 1'b0,
    parameter IS_ENBWREN_INVERTED = 1'b0,
    parameter IS_RSTRAMARSTRAM_INVERTED = 1'b0,
    parameter IS_RSTRAMB_INVERTED = 1'b0,
    parameter IS_RSTREGARSTREG_INVERTED = 1'b0,
    parameter IS_RSTREGB_INVERTED = 1'b0
) (
    input wire CLKARDCLK, CLKBWRCLK, ENARDEN, ENBWREN, REGCEAREGCE, REGCEB,
    input wire RSTRAMARSTRAM, RSTRAMB, RSTREGARSTREG, RSTREGB,
    input wire [13:0] ADDRARDADDR, ADDRBWRADDR,
    input wire [15:0] DIADI, DIBDI,
    input wire [1:0] DIPADIP, DIPBDIP, WEA,
    input wire [3:0] WEBWE,
    output wire [15:0] DOADO, DOBDO,
    output wire [1:0] DOPADOP, DOPBDOP
);
  localparam [2048*8-1:0] Data = {
    INIT_3F, INIT_3E, INIT_3D, INIT_3C,
    INIT_3B, INIT_3A, INIT_39, INIT_38,
    INIT_37, INIT_36, INIT_35, INIT_34,
    INIT_33, INIT_32, INIT_31, INIT_30,
    INIT_2F, INIT_2E, INIT_2D, INIT_2C,
    INIT_2B, INIT_2A, INIT_29, INIT_28,
    INIT_27, INIT_26, INIT_25, INIT_24,
    INIT_23, INIT_22, INIT_21, INIT_20,
    INIT_1F, INIT_1E, INIT_1D, INIT_1C,
    INIT_1B, INIT_1A, INIT_19, INIT_18,
    INIT_17, INIT_16, INIT_15, INIT_14,
    INIT_13, INIT_12, INIT_11, INIT_10,
    INIT_0F, INIT_0E, INIT_0D, INIT_0C,
    INIT_0B, INIT_0A, INIT_09, INIT_08,
    INIT_07, INIT_06, INIT_05, INIT_04,
    INIT_03, INIT_02, INIT_01, INIT_00
  };
  localparam [2048-1:0] Parity = {
    INITP_07, INITP_06, INITP_05, INITP_04,
    INITP_03, INITP_02, INITP_01, INITP_00
  };
  function [2048*9-1:0] contents(input [2048*8-1:0] data, input [2048-1:0] parity);
    integer i;
    for (i = 0; i < 2048; i = i + 1) contents[9*i+:9] = {parity[i], data[8*i+:8]};
  endfunction
  if (DOA_REG != 0 || DOB_REG != 0 || RAM_MODE != "TDP" || IS_CLKARDCLK_INVERTED
      || IS_CLKBWRCLK_INVERTED || IS_ENARDEN_INVERTED || IS_ENBWREN_INVERTED
      || IS_RSTRAMARSTRAM_INVERTED || IS_RSTRAMB_INVERTED) begin : gen_bad
    $error("RAMB18E1 in a mode without a model: other than plain true dual port");
  end
  wire [17:0] data_a;
  assign {DOPADOP[1], DOADO[15:8], DOPADOP[0], DOADO[7:0]} = data_a;
  aesforge_rom #(.Width(READ_WIDTH_A), .Unit(9), .Contents(contents(Data, Parity))) u_a (
      .clk(CLKARDCLK), .enable(ENARDEN), .address(ADDRARDADDR), .data(data_a));
  unmodelled u_unmodelled_a (.condition(RSTRAMARSTRAM || |WEA));
  wire [17:0] data_b;
  assign {DOPBDOP[1], DOBDO[15:8], DOPBDOP[0], DOBDO[7:0]} = data_b;
  aesforge_rom #(.Width(READ_WIDTH_B), .Unit(9), .Contents(contents(Data, Parity))) u_b (
      .clk(CLKBWRCLK), .enable(ENBWREN), .address(ADDRBWRADDR), .data(data_b));
  unmodelled u_unmodelled_b (.condition(RSTRAMB || |WEBWE));
endmodule

// Of 4096 words; none of our cores has needed one yet.
(* blackbox *)
module RAMB36E1 ();
endmodule

`default_nettype wire
