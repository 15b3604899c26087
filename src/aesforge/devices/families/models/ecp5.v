// SPDX-License-Identifier: Apache-2.0
// ECP5: DP16KD, block RAM of 1024 words of 18 bits (Lattice FPGA-TN-02204), used by words of 9, 18
// or 36 bits. Port A may write, port B only read; see `unmodelled` in rom.v. Where words of 36 bits
// are written, all reading is by port B, and a word of 36 bits comes out at both ports.
// Writing, the output registers and their enables are as in Lattice's simulation model of the same
// block RAM in ECP3, DP16KC.v: the output register follows OCE alone.
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
  localparam WholeWords = DATA_WIDTH_A == 36;
  localparam RegisteredA = REGMODE_A == "OUTREG";
  localparam RegisteredB = REGMODE_B == "OUTREG";
  if (!RegisteredA && REGMODE_A != "NOREG" || !RegisteredB && REGMODE_B != "NOREG"
      || WholeWords && RegisteredA != RegisteredB || CLKAMUX != "CLKA" || CLKBMUX != "CLKB"
      || CSDECODE_A != "0b000" || CSDECODE_B != "0b000"
      || DATA_WIDTH_A != 9 && DATA_WIDTH_A != 18 && DATA_WIDTH_A != 36
      || DATA_WIDTH_B != 9 && DATA_WIDTH_B != 18 && (DATA_WIDTH_B != 36 || !WholeWords)) begin : gen_bad
    $error("DP16KD in a mode without a model: widths, output registers of one half of a word, chip selects or inverted clocks");
  end

  // Four units of 9 bits in a row, of which a port takes one, two or all.
  wire [13:0] address_a = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0};
  wire [13:0] address_b = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0};
  wire [17:0] low = {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0};
  wire [17:0] high = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0};
  wire [35:0] written = WholeWords ? {high, low} : DATA_WIDTH_A == 18 ? {low, low} : {4{low[8:0]}};
  wire [3:0] chosen = WholeWords ? address_a[3:0]
      : DATA_WIDTH_A == 18 ? {{2{address_a[4]}}, {2{!address_a[4]}}} & {2{address_a[1:0]}}
      : 4'b1 << address_a[4:3];
  wire write = CEA && WEA;

  wire [35:0] row_b;
  wire [17:0] read_a, read_b;
  integer row;
  // What port B reads while port A writes it is undefined.
  if (DATA_WIDTH_A == 9 && DATA_WIDTH_B == 9) begin : gen_units
    // A byte of an S-box is read by one address: it is to be seen that a memory holds one.
    reg [8:0] mem[0:2047];
    initial begin
      for (row = 0; row < 2048; row = row + 1) mem[row] = Given[20*(row/2)+9*(row%2)+:9];
    end
    always @(posedge CLKA) begin
      if (write) mem[address_a[13:3]] <= low[8:0];
    end
    assign row_b = 36'bx;
    assign read_a = mem[address_a[13:3]];
    assign read_b = write && address_a[13:3] == address_b[13:3] ? 18'bx : mem[address_b[13:3]];
  end else begin : gen_rows
    reg [35:0] mem[0:511];
    initial begin
      for (row = 0; row < 512; row = row + 1) mem[row] = {Given[40*row+20+:18], Given[40*row+:18]};
    end
    always @(posedge CLKA) begin
      if (write && chosen[0]) mem[address_a[13:5]][8:0] <= written[8:0];
      if (write && chosen[1]) mem[address_a[13:5]][17:9] <= written[17:9];
      if (write && chosen[2]) mem[address_a[13:5]][26:18] <= written[26:18];
      if (write && chosen[3]) mem[address_a[13:5]][35:27] <= written[35:27];
    end
    wire [35:0] row_a = mem[address_a[13:5]];
    wire [3:0] unknown = write && address_a[13:5] == address_b[13:5] ? chosen : 4'b0;
    wire [35:0] stored_b = mem[address_b[13:5]];
    assign row_b = {
      unknown[3] ? 9'bx : stored_b[35:27], unknown[2] ? 9'bx : stored_b[26:18],
      unknown[1] ? 9'bx : stored_b[17:9], unknown[0] ? 9'bx : stored_b[8:0]
    };
    assign read_a = DATA_WIDTH_A == 18 ? row_a[18*address_a[4]+:18] : row_a[9*address_a[4:3]+:9];
    assign read_b = DATA_WIDTH_B == 36 ? row_b[35:18]
        : DATA_WIDTH_B == 18 ? row_b[18*address_b[4]+:18] : row_b[9*address_b[4:3]+:9];
  end
  reg [17:0] read_a_q, read_b_q, out_a_q, out_b_q;
  wire [17:0] out_a, out_b;
  if (DATA_WIDTH_B == 36) begin : gen_whole
    always @(posedge CLKB) begin
      if (CEB) read_a_q <= row_b[17:0];
      if (OCEB) out_a_q <= read_a_q;
    end
  end else begin : gen_half
    always @(posedge CLKA) begin
      if (CEA && (!WEA || WRITEMODE_A == "READBEFOREWRITE")) read_a_q <= read_a;
      if (OCEA) out_a_q <= read_a_q;
    end
  end
  always @(posedge CLKB) begin
    if (CEB) read_b_q <= read_b;
    if (OCEB) out_b_q <= read_b_q;
  end
  assign out_a = RegisteredA ? out_a_q : read_a_q;
  assign out_b = RegisteredB ? out_b_q : read_b_q;
  assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0} = out_a;
  assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0} = out_b;
  unmodelled u_unmodelled (
      .condition(RSTA || CSA0 || CSA1 || CSA2 || WEB || RSTB || CSB0 || CSB1 || CSB2
          || WEA && WRITEMODE_A == "WRITETHROUGH" && !WholeWords));
endmodule

`default_nettype wire
