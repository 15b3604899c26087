// SPDX-License-Identifier: Apache-2.0
// GateMate: CC_BRAM_20K, block RAM of 2048 words of 10 bits (Cologne Chip DS1001).
// Either it is only read; or port A writes, and port B reads words of the same width. See `unmodelled`
// in rom.v.
`default_nettype none

module CC_BRAM_20K #(
    parameter [319:0] INIT_00 = 0,
    parameter [319:0] INIT_01 = 0,
    parameter [319:0] INIT_02 = 0,
    parameter [319:0] INIT_03 = 0,
    parameter [319:0] INIT_04 = 0,
    parameter [319:0] INIT_05 = 0,
    parameter [319:0] INIT_06 = 0,
    parameter [319:0] INIT_07 = 0,
    parameter [319:0] INIT_08 = 0,
    parameter [319:0] INIT_09 = 0,
    parameter [319:0] INIT_0A = 0,
    parameter [319:0] INIT_0B = 0,
    parameter [319:0] INIT_0C = 0,
    parameter [319:0] INIT_0D = 0,
    parameter [319:0] INIT_0E = 0,
    parameter [319:0] INIT_0F = 0,
    parameter [319:0] INIT_10 = 0,
    parameter [319:0] INIT_11 = 0,
    parameter [319:0] INIT_12 = 0,
    parameter [319:0] INIT_13 = 0,
    parameter [319:0] INIT_14 = 0,
    parameter [319:0] INIT_15 = 0,
    parameter [319:0] INIT_16 = 0,
    parameter [319:0] INIT_17 = 0,
    parameter [319:0] INIT_18 = 0,
    parameter [319:0] INIT_19 = 0,
    parameter [319:0] INIT_1A = 0,
    parameter [319:0] INIT_1B = 0,
    parameter [319:0] INIT_1C = 0,
    parameter [319:0] INIT_1D = 0,
    parameter [319:0] INIT_1E = 0,
    parameter [319:0] INIT_1F = 0,
    parameter [319:0] INIT_20 = 0,
    parameter [319:0] INIT_21 = 0,
    parameter [319:0] INIT_22 = 0,
    parameter [319:0] INIT_23 = 0,
    parameter [319:0] INIT_24 = 0,
    parameter [319:0] INIT_25 = 0,
    parameter [319:0] INIT_26 = 0,
    parameter [319:0] INIT_27 = 0,
    parameter [319:0] INIT_28 = 0,
    parameter [319:0] INIT_29 = 0,
    parameter [319:0] INIT_2A = 0,
    parameter [319:0] INIT_2B = 0,
    parameter [319:0] INIT_2C = 0,
    parameter [319:0] INIT_2D = 0,
    parameter [319:0] INIT_2E = 0,
    parameter [319:0] INIT_2F = 0,
    parameter [319:0] INIT_30 = 0,
    parameter [319:0] INIT_31 = 0,
    parameter [319:0] INIT_32 = 0,
    parameter [319:0] INIT_33 = 0,
    parameter [319:0] INIT_34 = 0,
    parameter [319:0] INIT_35 = 0,
    parameter [319:0] INIT_36 = 0,
    parameter [319:0] INIT_37 = 0,
    parameter [319:0] INIT_38 = 0,
    parameter [319:0] INIT_39 = 0,
    parameter [319:0] INIT_3A = 0,
    parameter [319:0] INIT_3B = 0,
    parameter [319:0] INIT_3C = 0,
    parameter [319:0] INIT_3D = 0,
    parameter [319:0] INIT_3E = 0,
    parameter [319:0] INIT_3F = 0,
    parameter LOC = "UNPLACED",
    parameter A_RD_WIDTH = 0,
    parameter B_RD_WIDTH = 0,
    parameter A_WR_WIDTH = 0,
    parameter B_WR_WIDTH = 0,
    parameter RAM_MODE = "SDP",
    parameter A_WR_MODE = "NO_CHANGE",
    parameter B_WR_MODE = "NO_CHANGE",
    parameter A_CLK_INV = 1'b0,
    parameter B_CLK_INV = 1'b0,
    parameter A_EN_INV = 1'b0,
    parameter B_EN_INV = 1'b0,
    parameter A_WE_INV = 1'b0,
    parameter B_WE_INV = 1'b0,
    parameter A_DO_REG = 1'b0,
    parameter B_DO_REG = 1'b0,
    parameter ECC_EN = 1'b0
) (
    output wire [19:0] A_DO, B_DO,
    output wire ECC_1B_ERR, ECC_2B_ERR,
    input wire A_CLK, B_CLK, A_EN, B_EN, A_WE, B_WE,
    input wire [15:0] A_ADDR, B_ADDR,
    input wire [19:0] A_DI, B_DI, A_BM, B_BM
);
  localparam [2048*10-1:0] Contents = {
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
  if (RAM_MODE != "TDP" || A_CLK_INV || B_CLK_INV || A_EN_INV || B_EN_INV || A_WE_INV || B_WE_INV
      || A_DO_REG || B_DO_REG || ECC_EN) begin : gen_bad
    $error("CC_BRAM_20K in a mode without a model: other than plain true dual port");
  end
  if (A_WR_WIDTH == 0 && B_WR_WIDTH == 0) begin : gen_rom
    // Address bit 6 is left out, as in a memory of 40K.
    aesforge_rom #(.Width(A_RD_WIDTH), .Unit(10), .Contents(Contents)) u_a (
        .clk(A_CLK), .enable(A_EN), .address({A_ADDR[15:7], A_ADDR[5:1]}), .data(A_DO));
    aesforge_rom #(.Width(B_RD_WIDTH), .Unit(10), .Contents(Contents)) u_b (
        .clk(B_CLK), .enable(B_EN), .address({B_ADDR[15:7], B_ADDR[5:1]}), .data(B_DO));
    unmodelled u_unmodelled_a (.condition(A_WE));
  end else begin : gen_ram
    if (A_WR_WIDTH != 10 && A_WR_WIDTH != 20 || B_RD_WIDTH != A_WR_WIDTH || A_RD_WIDTH != 0
        || B_WR_WIDTH != 0) begin : gen_bad
      $error("CC_BRAM_20K in a mode without a model: other ports or widths");
    end
    localparam integer Units = A_WR_WIDTH / 10;
    reg [10*Units-1:0] mem[0:2048/Units-1];
    reg [10*Units-1:0] data_q;
    integer i;
    initial begin
      for (i = 0; i < 2048 / Units; i = i + 1) mem[i] = Contents[10*Units*i+:10*Units];
    end
    wire [10:0] all_a = {A_ADDR[15:7], A_ADDR[5:4]};
    wire [10:0] all_b = {B_ADDR[15:7], B_ADDR[5:4]};
    wire [11-Units:0] place_a = all_a[10:Units-1];
    wire [11-Units:0] place_b = all_b[10:Units-1];
    wire write = A_EN && A_WE;
    always @(posedge A_CLK) begin
      for (i = 0; i < 10 * Units; i = i + 1) begin
        if (write && A_BM[i]) mem[place_a][i] <= A_DI[i];
      end
    end
    // What port B reads while port A writes it is undefined.
    always @(posedge B_CLK) begin
      if (B_EN) data_q <= write && place_a == place_b ? {10 * Units{1'bx}} : mem[place_b];
    end
    assign B_DO[10*Units-1:0] = data_q;
  end
  unmodelled u_unmodelled_b (.condition(B_WE));
endmodule

`default_nettype wire
