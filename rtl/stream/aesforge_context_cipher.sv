// SPDX-License-Identifier: Apache-2.0
// Encrypts a block of each context before its packet comes, and returns it with the context's
// header, in order. Latency that of the core + 7; a context per 3 cycles, or as the core takes
// blocks.
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
    // a context is present; it is looked at in this cycle and accepted in a later one
    input  logic                  s_valid,
    // its key is not ready yet; once low, it stays low until the context is accepted
    input  logic                  s_stall,
    input  logic                  s_error,  // it has no key: nothing is encrypted
    output logic                  s_ready,  // it is accepted; low without one
    input  logic [HeaderBits-1:0] s_header,  // its header
    input  logic [         127:0] s_block,  // the block, byte 0 at the top
    output logic                  core_valid,  // a block for the core
    input  logic                  core_ready,  // it is accepted
    output logic [         127:0] core_block,  // the block
    output logic [HeaderBits-1:0] core_header,  // header of its context
    input  logic                  out_valid,  // its result is present
    input  logic [         127:0] out_block,  // the result
    output logic                  m_valid,  // a context is at the output
    input  logic                  m_ready,  // it is accepted
    output logic [HeaderBits-1:0] m_header,  // its header
    output logic                  m_error,  // `s_error` of it
    output logic [         127:0] m_block  // the result; undefined with `m_error`
);
  // A context is accepted a cycle after its key was ready, and its block waits in a register for
  // the core: no path leads from what is known of keys, or from the core, to the queues.
  logic go_q, error_q, held_q;
  logic credit, leave, header_valid, block_valid, header_leave, block_leave;
  assign s_ready = go_q && !held_q && credit;
  assign core_valid = held_q;
  always_ff @(posedge clk) begin
    go_q <= s_valid && !s_stall && !s_ready;
    error_q <= s_error;
    if (!held_q) {core_header, core_block} <= {s_header, s_block};
    held_q <= (s_ready && !error_q) || (held_q && !core_ready);
    if (rst || zeroize) {go_q, held_q} <= '0;
  end
  assign m_valid = header_valid && (m_error || block_valid);
  assign leave = m_valid && m_ready;
  aesforge_credit_counter #(
      .Depth(Depth)
  ) u_credits (
      .clk,
      .rst,
      .zeroize,
      .take(s_ready),
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
      .s_valid(s_ready),
      .s_data({s_header, error_q}),
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
