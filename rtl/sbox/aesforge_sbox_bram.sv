// SPDX-License-Identifier: Apache-2.0
// S-box of FIPS 197 as a synchronous ROM with one or two read ports, made for block RAM.
// Latency: Stages cycles (1 or 2). Throughput: one byte per cycle and port.
`default_nettype none

module aesforge_sbox_bram #(
    // [1, 2] read ports of the one ROM, 1 or 2; a true dual-port block RAM serves both
    parameter int unsigned Ports = 1,
    // [1, 2] 1 the RAM's own register, 2 an output register as well
    parameter int unsigned Stages = 1,
    // [0, 1, 2] 0 forward, 1 inverse, 2 both (512 bytes, addressed by `{inverse, x}`)
    parameter int unsigned Direction = aesforge_pkg::Encrypt
) (
    input  logic               clk,  // clock
    // for each port, 1: inverse S-box for the byte (`Direction` 2 only, else ignored)
    input  logic [  Ports-1:0] inverse,
    input  logic [8*Ports-1:0] x,  // byte in of port p at `[8*p +: 8]`
    output logic [8*Ports-1:0] y  // byte out of port p at `[8*p +: 8]`, `Stages` cycles later
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
  localparam logic [4095:0] Table =
      (Direction == aesforge_pkg::Decrypt) ? {InvSbox, InvSbox} : {InvSbox, Sbox};

  (* rom_style = "block", ram_style = "block" *)
  logic [7:0] rom [1 << AddressBits];

  initial begin
    for (int i = 0; i < (1 << AddressBits); i++) rom[i] = Table[8*i +: 8];
  end

  genvar p;
  generate
    if (Ports < 1 || Ports > 2 || Stages < 1 || Stages > 2 || Direction > aesforge_pkg::Both)
    begin : gen_bad
      $error("aesforge_sbox_bram: Ports must be 1 or 2, Stages 1 or 2.");
    end

    for (p = 0; p < Ports; p = p + 1) begin : gen_port
      logic [8:0] address;
      logic [7:0] read_q;
      assign address = {inverse[p], x[8*p +: 8]};
      always_ff @(posedge clk) read_q <= rom[address[AddressBits-1:0]];

      if (Stages == 2) begin : gen_output_register
        logic [7:0] y_q;
        always_ff @(posedge clk) y_q <= read_q;
        assign y[8*p +: 8] = y_q;
      end else begin : gen_output
        assign y[8*p +: 8] = read_q;
      end

      logic unused_address;
      assign unused_address = &{1'b0, address};
    end
  endgenerate
endmodule

`default_nettype wire
