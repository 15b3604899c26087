// SPDX-License-Identifier: Apache-2.0
// The first offset of OCB (RFC 7253 Sec. 4.2): formats the nonce of each packet, has it encrypted
// before the packet comes, and selects 128 bits of the result. Latency that of the core + 10, and
// one for each byte that the nonce has less than 15; one packet in as many cycles + 3.
`default_nettype none

module aesforge_ocb_nonce #(
    parameter int unsigned Slots = 2,  // [2 to 16] key slots
    parameter int unsigned Depth = 16,  // [a power of two from 8 on] packets that may be inside
    parameter int unsigned Style = aesforge_pkg::QueueBlock,  // [0, 1] see aesforge_queue_ram
    localparam int unsigned SlotBits = $clog2(Slots),
    localparam int unsigned HeaderBits = SlotBits + 7
) (
    input  logic                  clk,  // clock
    input  logic                  rst,  // synchronous reset
    // high for at least `Depth` + 9 cycles: discards everything, see aesforge_context_cipher
    input  logic                  zeroize,
    input  logic                  s_valid,  // a context is present
    output logic                  s_ready,  // it is accepted
    input  logic [  SlotBits-1:0] s_slot,  // slot of its key
    input  logic                  s_decrypt,  // 1: its packet is decrypted
    input  logic [           4:0] s_tag_bytes,  // bytes of its tag
    input  logic [         119:0] s_nonce,  // nonce, byte 0 at the top, then what is not used
    input  logic [           3:0] s_nonce_bytes,  // [1 to 15] bytes of the nonce
    output logic                  next_valid,  // a packet waits for its offset
    output logic [  SlotBits-1:0] next_slot,  // slot of its key
    // that is not ready yet; once low, it stays low until the packet begins
    input  logic                  next_stall,
    input  logic                  next_unknown,  // it has never been loaded
    output logic                  begin_valid,  // the packet takes it
    output logic                  core_valid,  // a block for the core, byte 0 at the top
    input  logic                  core_ready,  // it is accepted
    output logic [         127:0] core_block,  // the block
    output logic [  SlotBits-1:0] core_slot,  // slot of its key
    input  logic                  out_valid,  // its result is present
    input  logic [         127:0] out_block,  // the result
    output logic                  m_valid,  // the context of a packet
    input  logic                  m_ready,  // it is accepted
    // slot, direction, bytes of the tag, and at the bottom that it is an error: the slot has no
    // key, or the nonce no bytes
    output logic [HeaderBits-1:0] m_header,
    output logic [         127:0] m_offset  // the offset before the first block
);
  // The nonce moves to the end, a byte per cycle, and a one before it.
  logic shifting, decrypt_q, none_q;
  logic [3:0] shifts_q;
  logic [4:0] tag_bytes_q;
  logic [127:0] nonce_q, block;
  assign shifting = shifts_q != '0;
  assign s_ready = !next_valid && !zeroize;
  // The top seven bits are the length of the tag in bits, 0 for 128.
  assign block = {tag_bytes_q[3:0], 3'b0, nonce_q[120:0]};
  always_ff @(posedge clk) begin
    if (shifting) begin
      nonce_q  <= nonce_q >> 8;
      shifts_q <= shifts_q - 1'b1;
    end
    if (begin_valid) next_valid <= 1'b0;
    if (s_ready) begin
      next_valid <= s_valid;
      {next_slot, decrypt_q, tag_bytes_q} <= {s_slot, s_decrypt, s_tag_bytes};
      nonce_q <= {8'h01, s_nonce};
      shifts_q <= 4'd15 - s_nonce_bytes;
      none_q <= s_nonce_bytes == '0;
    end
    if (zeroize) nonce_q <= '0;
    if (rst || zeroize) {next_valid, shifts_q} <= '0;
  end

  localparam int unsigned InnerBits = SlotBits + 1 + 5 + 6;
  logic top_valid, top_ready, top_error;
  logic [InnerBits-1:0] top_header, core_header;
  logic [127:0] top;
  aesforge_context_cipher #(
      .HeaderBits(InnerBits),
      .Depth(Depth),
      .Style(Style)
  ) u_cipher (
      .clk,
      .rst,
      .zeroize,
      .s_valid(next_valid && shifts_q[3:1] == '0),
      .s_stall(next_stall),
      .s_error(next_unknown || none_q),
      .s_ready(begin_valid),
      .s_header({next_slot, decrypt_q, tag_bytes_q, block[5:0]}),
      .s_block({block[127:6], 6'b0}),
      .core_valid,
      .core_ready,
      .core_block,
      .core_header,
      .out_valid,
      .out_block,
      .m_valid(top_valid),
      .m_ready(top_ready),
      .m_header(top_header),
      .m_error(top_error),
      .m_block(top)
  );

  assign core_slot = core_header[InnerBits-1-:SlotBits];

  // The result is stretched to 192 bits; the low six bits of the nonce say where the offset begins.
  // Two of them in each stage.
  logic [191:0] stretch;
  logic [142:0] first, first_q;
  logic [130:0] second, second_q;
  logic [127:0] third;
  logic [HeaderBits-1:0] first_header_q, second_header_q;
  logic [3:0] first_bottom_q;
  logic [1:0] second_bottom_q;
  logic first_valid_q, second_valid_q, step;
  assign stretch = {top, top[127:64] ^ top[119:56]};
  assign first = 143'(stretch >> (8'd49 - {2'b0, top_header[5:4], 4'b0}));
  assign second = 131'(first_q >> (4'd12 - {first_bottom_q[3:2], 2'b0}));
  assign third = 128'(second_q >> (2'd3 - second_bottom_q));
  assign step = !m_valid || m_ready;
  assign top_ready = step;
  always_ff @(posedge clk) begin
    if (step) begin
      {m_valid, second_valid_q, first_valid_q} <= {second_valid_q, first_valid_q, top_valid};
      {first_q, second_q, m_offset} <= {first, second, third};
      first_header_q <= {top_header[InnerBits-1:6], top_error};
      {m_header, second_header_q} <= {second_header_q, first_header_q};
      first_bottom_q <= top_header[3:0];
      second_bottom_q <= first_bottom_q[1:0];
    end
    if (zeroize) {first_q, second_q, m_offset} <= '0;
    if (rst || zeroize) {m_valid, second_valid_q, first_valid_q} <= '0;
  end

  logic unused_ok;
  assign unused_ok = &{1'b0, core_header};
endmodule

`default_nettype wire
