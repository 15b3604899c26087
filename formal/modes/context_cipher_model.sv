// SPDX-License-Identifier: Apache-2.0
// Stands for aesforge_context_cipher: it accepts a context a cycle or more after it was there with
// its key, asks the core for anything, and gives any contexts.
`default_nettype none

module aesforge_context_cipher #(
    parameter int unsigned HeaderBits = 2,
    parameter int unsigned Depth = 16,
    parameter int unsigned Style = 0
) (
    input  logic                  clk,
    input  logic                  rst,
    input  logic                  zeroize,
    input  logic                  s_valid,
    input  logic                  s_stall,
    input  logic                  s_error,
    output logic                  s_ready,
    input  logic [HeaderBits-1:0] s_header,
    input  logic [         127:0] s_block,
    output logic                  core_valid,
    input  logic                  core_ready,
    output logic [         127:0] core_block,
    output logic [HeaderBits-1:0] core_header,
    input  logic                  out_valid,
    input  logic [         127:0] out_block,
    output logic                  m_valid,
    input  logic                  m_ready,
    output logic [HeaderBits-1:0] m_header,
    output logic                  m_error,
    output logic [         127:0] m_block
);
  (* anyseq *) logic takes;
  (* anyseq *) logic some_core_valid, some_valid, some_error;
  (* anyseq *) logic [127:0] some_core_block, some_block;
  (* anyseq *) logic [HeaderBits-1:0] some_core_header, some_header;
  (* keep *) logic go_q;
  assign s_ready = go_q && takes;
  assign {core_valid, core_block, core_header} =
      {some_core_valid, some_core_block, some_core_header};
  assign {m_valid, m_header, m_error, m_block} = {some_valid, some_header, some_error, some_block};
  always_ff @(posedge clk) begin
    go_q <= s_valid && !s_stall && !s_ready;
    if (rst) go_q <= 1'b0;
  end
  logic unused_ok;
  assign unused_ok = &{
    1'b0, zeroize, s_error, s_header, s_block, core_ready, out_valid, out_block, m_ready
  };
endmodule

`default_nettype wire
