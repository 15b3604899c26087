// SPDX-License-Identifier: Apache-2.0
// Makes the IVs of GCM (SP 800-38D Sec. 8.2.1): the fixed field of the key's slot, and an
// invocation counter. Contexts pass; one that encrypts gets the next IV, which also leaves on
// `m_iv`.
// Latency 1 cycle, one context every 2 cycles.
`default_nettype none

module aesforge_gcm_iv #(
    parameter int unsigned KeySlots = 2,  // [2 to 16] key slots
    // [1 to 64] bits of the counter; below 64 for tests
    parameter int unsigned CountBits = 64,
    localparam int unsigned SlotBits = $clog2(KeySlots)
) (
    input  logic                   clk,  // clock
    // synchronous reset: starts the counter again, so the fixed fields or the keys must be new
    input  logic                   rst,
    // discards a context and an IV that wait; the counter keeps its value
    input  logic                   zeroize,
    // fixed field of each slot, slot 0 lowest; byte 0 of a field in its bits 7 to 0. Sampled when a
    // context is accepted
    input  logic [32*KeySlots-1:0] iv_fixed,
    input  logic                   s_ctx_tvalid,  // a context is present
    output logic                   s_ctx_tready,  // it is accepted
    input  logic [   SlotBits-1:0] s_ctx_slot,  // slot of its key
    input  logic [          127:0] s_ctx_iv,  // of one that decrypts: see aesforge_engine_gcm
    input  logic [            1:0] s_ctx_iv_kind,  // likewise; must be 0 to encrypt
    input  logic                   s_ctx_decrypt,  // 0: encrypt, under the next IV
    input  logic [            4:0] s_ctx_tag_bytes,  // bytes of the tag
    output logic                   m_ctx_tvalid,  // a context is at the output
    input  logic                   m_ctx_tready,  // it is accepted
    output logic [   SlotBits-1:0] m_ctx_slot,  // slot of its key
    output logic [          127:0] m_ctx_iv,  // its IV, byte 0 in bits 7 to 0
    output logic [            1:0] m_ctx_iv_kind,  // 3, an error, if there is no IV for it
    output logic                   m_ctx_decrypt,  // 1: decrypt and verify
    output logic [            4:0] m_ctx_tag_bytes,  // bytes of the tag
    // one word for each context that encrypts, in order; no context is accepted before it is
    output logic                   m_iv_tvalid,
    input  logic                   m_iv_tready,  // it is accepted
    output logic [           95:0] m_iv_tdata,  // IV of the packet, byte 0 in bits 7 to 0
    output logic                   m_iv_tuser  // 1: there is no IV; the packet is an error
);
  if (CountBits < 1 || CountBits > 64) begin : gen_bad_count
    $error("the counter must have 1 to 64 bits");
  end

  // One counter for all slots: a key that is loaded again, or into another slot, meets no IV twice.
  // The counter stops at its end: `spent_q`.
  localparam logic [1:0] IvGiven = 2'd0, IvNone = 2'd3;
  localparam int unsigned Fields = 2 ** SlotBits;
  logic [CountBits-1:0] count_q;
  logic spent_q, accept, encrypts, refused;
  logic [32*Fields-1:0] fields;
  logic [SlotBits+4:0] field_at;
  logic [95:0] iv;
  assign s_ctx_tready = !m_ctx_tvalid && !m_iv_tvalid;
  assign accept = s_ctx_tvalid && s_ctx_tready;
  assign encrypts = !s_ctx_decrypt;
  assign refused = spent_q || s_ctx_iv_kind != IvGiven;
  // A slot beyond the last has no key: its packet is an error.
  assign fields = (32 * Fields)'(iv_fixed);
  assign field_at = {s_ctx_slot, 5'd0};
  assign iv = {64'(aesforge_pkg::byte_swap(256'(count_q), 8)), fields[field_at+:32]};

  always_ff @(posedge clk) begin
    if (accept) begin
      m_ctx_slot <= s_ctx_slot;
      m_ctx_decrypt <= s_ctx_decrypt;
      m_ctx_tag_bytes <= s_ctx_tag_bytes;
      m_ctx_iv <= encrypts ? {32'b0, iv} : s_ctx_iv;
      m_ctx_iv_kind <= !encrypts ? s_ctx_iv_kind : refused ? IvNone : IvGiven;
      m_iv_tdata <= refused ? '0 : iv;
      m_iv_tuser <= refused;
      m_ctx_tvalid <= 1'b1;
      m_iv_tvalid <= encrypts;
    end else begin
      if (m_ctx_tready) m_ctx_tvalid <= 1'b0;
      if (m_iv_tready) m_iv_tvalid <= 1'b0;
    end
    // In a cycle of `zeroize` too: an IV that may have left is used.
    if (accept && encrypts && !refused) {spent_q, count_q} <= {&count_q, count_q + 1'b1};
    if (zeroize) {m_ctx_iv, m_iv_tdata} <= '0;
    if (rst || zeroize) {m_ctx_tvalid, m_iv_tvalid} <= '0;
    if (rst) {spent_q, count_q} <= '0;
  end
endmodule

`default_nettype wire
