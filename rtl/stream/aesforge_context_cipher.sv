// SPDX-License-Identifier: Apache-2.0
// Encrypts a block of each context before its packet comes, and returns it with the context's
// header, in order. Latency that of the core + 5; as many contexts as the core takes blocks.
`default_nettype none

module aesforge_context_cipher #(
    parameter int unsigned HeaderBits = 2,  // [1 or more] bits of a header
    parameter int unsigned Depth = 16,  // [a power of two from 8 on] contexts that may be inside
    parameter int unsigned Style = aesforge_pkg::QueueBlock  // [0, 1] see aesforge_queue_ram
) (
    input  logic                  clk,  // clock
    input  logic                  rst,  // synchronous reset
    // high for at least `Depth` + 6 cycles: discards everything and overwrites it with `out_block`,
    // which must be zeros by then
    input  logic                  zeroize,
    input  logic                  s_valid,  // a context is present
    output logic                  s_ready,  // it is accepted
    input  logic [HeaderBits-1:0] s_header,  // its header
    input  logic [         127:0] s_block,  // the block, byte 0 at the top
    input  logic                  s_error,  // it has no key: nothing is encrypted
    output logic                  core_valid,  // a block for the core
    input  logic                  core_ready,  // it is accepted
    output logic [         127:0] core_block,  // the block
    input  logic                  out_valid,  // its result is present
    input  logic [         127:0] out_block,  // the result
    output logic                  m_valid,  // a context is at the output
    input  logic                  m_ready,  // it is accepted
    output logic [HeaderBits-1:0] m_header,  // its header
    output logic                  m_error,  // `s_error` of it
    output logic [         127:0] m_block  // the result; undefined with `m_error`
);
  logic credit, accept, leave, header_valid, block_valid, header_leave, block_leave;
  assign s_ready = credit && (s_error || core_ready);
  assign accept = s_valid && s_ready;
  assign core_valid = s_valid && credit && !s_error;
  assign core_block = s_block;
  assign m_valid = header_valid && (m_error || block_valid);
  assign leave = m_valid && m_ready;
  aesforge_credit_counter #(
      .Depth(Depth)
  ) u_credits (
      .clk,
      .rst,
      .zeroize,
      .take(accept),
      .give({1'b0, leave}),
      .credit
  );
  aesforge_axis_queue #(
      .Width(HeaderBits + 1),
      .Depth(Depth),
      .Style(Style)
  ) u_headers (
      .clk,
      .rst,
      .zeroize,
      .s_valid(accept),
      .s_data({s_header, s_error}),
      .leave(header_leave),
      .m_valid(header_valid),
      .m_ready(leave),
      .m_data({m_header, m_error})
  );
  aesforge_axis_queue #(
      .Width(128),
      .Depth(Depth),
      .Style(Style)
  ) u_blocks (
      .clk,
      .rst,
      .zeroize,
      .s_valid(out_valid),
      .s_data(out_block),
      .leave(block_leave),
      .m_valid(block_valid),
      .m_ready(leave && !m_error),
      .m_data(m_block)
  );

  logic unused_ok;
  assign unused_ok = &{1'b0, header_leave, block_leave};
endmodule

`default_nettype wire
