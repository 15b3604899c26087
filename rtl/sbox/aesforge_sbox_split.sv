// SPDX-License-Identifier: Apache-2.0
// S-box of FIPS 197 as 2^(8-K) small tables and a multiplexer tree, one LUT level each, after
// Liu, Xu and Yuan (2014). Latency: Stages cycles. Throughput: one byte per cycle.
`default_nettype none

module aesforge_sbox_split #(
    // [4, 6] address bits of a small table: 4 (2:1 multiplexers) or 6 (4:1 multiplexers)
    parameter int unsigned K = 4,
    // [0 to 5 with `K` 4, 0 to 2 with `K` 6; one more with `Direction` 2] pipeline stages, 0 to the
    // number of levels: K = 4: 5, K = 6: 2; one more for both
    parameter int unsigned Stages = 0,
    // [0, 1, 2] 0 forward, 1 inverse, 2 both (twice the tables)
    parameter int unsigned Direction = aesforge_pkg::Encrypt
) (
    input  logic       clk,  // clock
    input  logic       inverse,  // 1: inverse S-box for the byte (`Direction` 2 only, else ignored)
    input  logic [7:0] x,  // byte in
    output logic [7:0] y  // byte out, `Stages` cycles later
);
  /* verilator no_inline_module */

  // begin generated: scripts/make_sbox_tables.py
  localparam logic [2047:0] Sbox = {
      256'h16bb54b00f2d99416842e6bf0d89a18cdf2855cee9871e9b948ed9691198f8e1,
      256'h9e1dc186b95735610ef6034866b53e708a8bbd4b1f74dde8c6b4a61c2e2578ba,
      256'h08ae7a65eaf4566ca94ed58d6d37c8e779e4959162acd3c25c2406490a3a32e0,
      256'hdb0b5ede14b8ee4688902a22dc4f816073195d643d7ea7c41744975fec130ccd,
      256'hd2f3ff1021dab6bcf5389d928f40a351a89f3c507f02f94585334d43fbaaefd0,
      256'hcf584c4a39becb6a5bb1fc20ed00d153842fe329b3d63b52a05a6e1b1a2c8309,
      256'h75b227ebe28012079a059618c323c7041531d871f1e5a534ccf73f362693fdb7,
      256'hc072a49cafa2d4adf04759fa7dc982ca76abd7fe2b670130c56f6bf27b777c63};
  localparam logic [2047:0] InvSbox = {
      256'h7d0c2155631469e126d677ba7e042b17619953833cbbebc8b0f52aae4d3be0a0,
      256'hef9cc9939f7ae52d0d4ab519a97f51605fec8027591012b131c7078833a8dd1f,
      256'hf45acd78fec0db9a2079d2c64b3e56fc1bbe18aa0e62b76f89c5291d711af147,
      256'h6edf751ce837f9e28535ade72274ac9673e6b4f0cecff297eadc674f4111913a,
      256'h6b8a130103bdafc1020f3fca8f1e2cd00645b3b80558e4f70ad3bc8c00abd890,
      256'h849d8da75746155edab9edfd5048706c92b6655dcc5ca4d41698688664f6f872,
      256'h25d18b6d49a25b76b224d92866a12e084ec3fa420b954cee3d23c2a632947b54,
      256'hcbe9dec444438e3487ff2f9b8239e37cfbd7f3819ea340bf38a53630d56a0952};
  // end generated

  localparam int unsigned AddressBits = (Direction == aesforge_pkg::Both) ? 9 : 8;
  localparam int unsigned SelectBits = AddressBits - K;
  localparam int unsigned MuxBits = (K == 4) ? 1 : 2;  // select bits used up by a level
  localparam int unsigned MuxLevels = (SelectBits + MuxBits - 1) / MuxBits;
  localparam int unsigned Levels = 1 + MuxLevels;
  localparam int unsigned TableSize = 8 << K;
  localparam logic [4095:0] Both =
      (Direction == aesforge_pkg::Decrypt) ? {InvSbox, InvSbox} : {InvSbox, Sbox};

  logic [8:0] address;
  assign address = {inverse, x};

  // Level 0 is the tables; each level ends in an optional stage (byte_d before, byte_q after it)
  // and hands on the select bits (select_d, select_q) that are still needed.
  genvar l, t;
  generate
    if ((K != 4 && K != 6) || Stages > Levels || Direction > aesforge_pkg::Both) begin : gen_bad
      $error("aesforge_sbox_split: K must be 4 or 6, Stages at most the levels.");
    end

    for (l = 0; l < Levels; l = l + 1) begin : gen_level
      localparam int unsigned Left = (MuxBits * l < SelectBits) ? SelectBits - MuxBits * l : 0;
      localparam int unsigned Bytes = 1 << Left;
      logic [8*Bytes-1:0] byte_d, byte_q;
      // One bit more than needed keeps the last level's vector from being empty.
      logic [Left:0] select_d, select_q;

      if (l == 0) begin : gen_tables
        for (t = 0; t < Bytes; t = t + 1) begin : gen_table
          localparam logic [TableSize-1:0] Table = Both[TableSize*t +: TableSize];
          assign byte_d[8*t +: 8] = Table[{address[K-1:0], 3'b000} +: 8];
        end
        assign select_d = {1'b0, address[AddressBits-1:K]};
      end else begin : gen_muxes
        localparam int unsigned Before = SelectBits - MuxBits * (l - 1);
        for (t = 0; t < Bytes; t = t + 1) begin : gen_mux
          if (Before - Left == 2) begin : gen_four
            assign byte_d[8*t +: 8] =
                gen_level[l-1].byte_q[{gen_level[l-1].select_q[1:0], 3'b000} + 32*t +: 8];
          end else begin : gen_two
            assign byte_d[8*t +: 8] = gen_level[l-1].select_q[0] ?
                gen_level[l-1].byte_q[16*t + 8 +: 8] : gen_level[l-1].byte_q[16*t +: 8];
          end
        end
        assign select_d = gen_level[l-1].select_q[Before:Before-Left];
      end

      // Registers are spread evenly, the longer stages first (cuts are narrower further down), the
      // last stage at the output.
      if (((l + 1) * Stages) / Levels > (l * Stages) / Levels) begin : gen_stage
        always_ff @(posedge clk) begin
          byte_q   <= byte_d;
          select_q <= select_d;
        end
      end else begin : gen_wire
        assign byte_q   = byte_d;
        assign select_q = select_d;
      end

      logic unused_select;
      assign unused_select = &{1'b0, select_q};
    end
  endgenerate

  assign y = gen_level[Levels-1].byte_q;

  logic unused_inputs;
  assign unused_inputs = &{1'b0, clk, address};
endmodule

`default_nettype wire
