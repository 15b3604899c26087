// SPDX-License-Identifier: Apache-2.0
// SBOX() and INVSBOX() of FIPS 197 Sec. 5.1.1 and 5.3.2 as one table each, byte i in bits 8 i on.
// Latency: Stages cycles (0 or 1). Throughput: one byte per cycle.
`default_nettype none

module aesforge_sbox_table #(
    parameter int unsigned Stages = 0,  // [0, 1] 0 combinational, 1 a register at the output
    // [0, 1, 2] 0 forward, 1 inverse, 2 both (both tables and a choice)
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

  logic [7:0] y_d;

  generate
    if (Direction == aesforge_pkg::Encrypt) begin : gen_forward
      assign y_d = Sbox[{x, 3'b000}+:8];
    end else if (Direction == aesforge_pkg::Decrypt) begin : gen_inverse
      assign y_d = InvSbox[{x, 3'b000}+:8];
    end else begin : gen_both
      assign y_d = inverse ? InvSbox[{x, 3'b000}+:8] : Sbox[{x, 3'b000}+:8];
    end

    if (Stages > 1 || Direction > aesforge_pkg::Both) begin : gen_bad
      $error("aesforge_sbox_table: Stages must be 0 or 1.");
    end else if (Stages == 1) begin : gen_stage
      // Without the attribute a synthesizer may fold table and register into a block RAM.
      (* rom_style = "logic" *)
      logic [7:0] y_q;
      always_ff @(posedge clk) y_q <= y_d;
      assign y = y_q;
    end else begin : gen_comb
      assign y = y_d;
    end
  endgenerate

  logic unused_inputs;
  assign unused_inputs = &{1'b0, clk, inverse};
endmodule

`default_nettype wire
