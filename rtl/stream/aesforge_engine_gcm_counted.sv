// SPDX-License-Identifier: Apache-2.0
// aesforge_engine_gcm that makes its IVs (SP 800-38D Sec. 8.2.1): a packet that encrypts runs under
// the next IV, which leaves on `m_iv`. Latency and throughput of aesforge_engine_gcm; a context
// takes a cycle more.
`default_nettype none

module aesforge_engine_gcm_counted #(
    // [128, 192, 256] this and all but the last: see aesforge_engine_gcm
    parameter int unsigned KeyBits = 128,
    parameter int unsigned Unroll = 10,  // [a divisor of Nr] rounds in hardware
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTower,  // [a style] S-boxes of the rounds
    // [a style] S-boxes of the key schedule
    parameter int unsigned KeySboxStyle = aesforge_pkg::SboxTower,
    parameter int unsigned SboxStages = 1,  // [0 or more] pipeline stages in SubBytes
    parameter int unsigned LinearStages = 1,  // [0 to 4] pipeline stages in the rest of a round
    parameter int unsigned MixStyle = aesforge_pkg::MixXtime,  // [0, 1, 2] see aesforge_mix_column
    parameter int unsigned KeySlots = 2,  // [2 to 16] key slots
    parameter int unsigned Tiles = 1,  // [1, 2, 4] blocks of a beat
    parameter int unsigned DelayStyle = aesforge_pkg::DelayRam,  // [0, 1] see aesforge_delay
    // [0 to 10] pipeline stages of the multiplier in GHASH; 0: it is digit-serial
    parameter int unsigned MultiplyStages = 6,
    // [1, 2, 4, 8, 16, 32] bits per cycle of a digit-serial multiplier
    parameter int unsigned MultiplyDigit = 8,
    parameter bit ShortTags = 1'b0,  // [0, 1] 1: tags of 4 and 8 bytes are legal
    // [4 to 32] a packet has at most 2^CountBits - 2 blocks of text; below 32 for tests
    parameter int unsigned CountBits = 32,
    parameter int unsigned IdBits = 1,  // [1 or more] bits of `tid`
    // [1 or more] bits of `tuser` without the error flag; bit 0 marks associated data
    parameter int unsigned UserBits = 1,
    // [a power of two from 8 on] places of the queues; full rate needs the latency of the core +
    // `MultiplyStages` + 34, rounded up
    parameter int unsigned Depth = 128,
    // [0 or more] most cycles that a packet waits for its context; 0: forever
    parameter int unsigned ContextTimeout = 1024,
    parameter int unsigned QueueStyle = aesforge_pkg::QueueBlock,  // [0, 1] see aesforge_queue_ram
    // [0, or a power of two from 8 on] 0: text leaves before its tag is known; else places for
    // beats that wait for it: packets of up to 4 less pass
    parameter int unsigned HoldBeats = 0,
    // [1 to 64] bits of the invocation counter; below 64 for tests
    parameter int unsigned InvocationBits = 64,
    localparam int unsigned SlotBits = $clog2(KeySlots)
) (
    input  logic                clk,  // clock
    input  logic                rst,  // synchronous reset: drops keys, starts the counter again
    // zeroizes keys, contexts and data and drops all packets, not the counter; a pulse of one cycle
    // will do
    input  logic                zeroize,
    input  logic                s_key_tvalid,  // a key is present
    output logic                s_key_tready,  // it is accepted
    input  logic [SlotBits-1:0] s_key_slot,  // slot of the key
    input  logic [ KeyBits-1:0] s_key_tdata,  // key, byte 0 in bits 7 to 0
    // fixed field of each slot, slot 0 lowest; byte 0 of a field in its bits 7 to 0. Sampled when a
    // context is accepted
    input  logic [32*KeySlots-1:0] iv_fixed,
    input  logic                s_ctx_tvalid,  // a context is present
    output logic                s_ctx_tready,  // it is accepted
    input  logic [SlotBits-1:0] s_ctx_slot,  // slot of its key
    input  logic [       127:0] s_ctx_iv,  // IV to decrypt, byte 0 in bits 7 to 0; the rest unused
    // to encrypt 0; to decrypt, or for the packet of an IV, see aesforge_engine_gcm
    input  logic [         1:0] s_ctx_iv_kind,
    // 0: encrypt, under the next IV; 1: decrypt and verify
    input  logic                s_ctx_decrypt,
    // bytes of the tag: 12 to 16, with `ShortTags` 4 and 8 too
    input  logic [         4:0] s_ctx_tag_bytes,
    input  logic                s_axis_tvalid,  // a beat is present
    output logic                s_axis_tready,  // it is accepted
    input  logic [128*Tiles-1:0] s_axis_tdata,  // bytes, byte 0 in bits 7 to 0
    // a bit for each byte: the first bytes in the last beat of a section, all in any other
    input  logic [16*Tiles-1:0] s_axis_tkeep,
    // the packet ends with this beat: its tag, or a place for it when encrypting
    input  logic                s_axis_tlast,
    input  logic [  IdBits-1:0] s_axis_tid,  // returned with the beat
    // bit 0: additional authenticated data; returned with the beat, one bit higher
    input  logic [UserBits-1:0] s_axis_tuser,
    output logic                m_axis_tvalid,  // a beat is at the output
    input  logic                m_axis_tready,  // it is accepted
    // bytes, byte 0 in bits 7 to 0; those not kept are 0, and so is a tag that was compared
    output logic [128*Tiles-1:0] m_axis_tdata,
    output logic [16*Tiles-1:0] m_axis_tkeep,  // `tkeep` of the input beat
    output logic                m_axis_tlast,  // `tlast` of the input beat
    output logic [  IdBits-1:0] m_axis_tid,  // `tid` of the input beat
    // bit 0: error, or in the last beat a wrong tag; above it `s_axis_tuser`
    output logic [  UserBits:0] m_axis_tuser,
    // one word for each context that encrypts, in order; no context is accepted before it is
    output logic                m_iv_tvalid,
    input  logic                m_iv_tready,  // it is accepted
    output logic [        95:0] m_iv_tdata,  // IV of the packet, byte 0 in bits 7 to 0
    output logic                m_iv_tuser  // 1: there is no IV; the packet is an error
);
  logic ctx_tvalid, ctx_tready, ctx_decrypt;
  logic [SlotBits-1:0] ctx_slot;
  logic [127:0] ctx_iv;
  logic [1:0] ctx_iv_kind;
  logic [4:0] ctx_tag_bytes;
  aesforge_gcm_iv #(
      .KeySlots (KeySlots),
      .CountBits(InvocationBits)
  ) u_iv (
      .clk,
      .rst,
      .zeroize,
      .iv_fixed,
      .s_ctx_tvalid,
      .s_ctx_tready,
      .s_ctx_slot,
      .s_ctx_iv,
      .s_ctx_iv_kind,
      .s_ctx_decrypt,
      .s_ctx_tag_bytes,
      .m_ctx_tvalid(ctx_tvalid),
      .m_ctx_tready(ctx_tready),
      .m_ctx_slot(ctx_slot),
      .m_ctx_iv(ctx_iv),
      .m_ctx_iv_kind(ctx_iv_kind),
      .m_ctx_decrypt(ctx_decrypt),
      .m_ctx_tag_bytes(ctx_tag_bytes),
      .m_iv_tvalid,
      .m_iv_tready,
      .m_iv_tdata,
      .m_iv_tuser
  );

  aesforge_engine_gcm #(
      .KeyBits(KeyBits),
      .Unroll(Unroll),
      .SboxStyle(SboxStyle),
      .KeySboxStyle(KeySboxStyle),
      .SboxStages(SboxStages),
      .LinearStages(LinearStages),
      .MixStyle(MixStyle),
      .KeySlots(KeySlots),
      .Tiles(Tiles),
      .DelayStyle(DelayStyle),
      .MultiplyStages(MultiplyStages),
      .MultiplyDigit(MultiplyDigit),
      .ShortTags(ShortTags),
      .CountBits(CountBits),
      .IdBits(IdBits),
      .UserBits(UserBits),
      .Depth(Depth),
      .ContextTimeout(ContextTimeout),
      .QueueStyle(QueueStyle),
      .HoldBeats(HoldBeats)
  ) u_engine (
      .clk,
      .rst,
      .zeroize,
      .s_key_tvalid,
      .s_key_tready,
      .s_key_slot,
      .s_key_tdata,
      .s_ctx_tvalid(ctx_tvalid),
      .s_ctx_tready(ctx_tready),
      .s_ctx_slot(ctx_slot),
      .s_ctx_iv(ctx_iv),
      .s_ctx_iv_kind(ctx_iv_kind),
      .s_ctx_decrypt(ctx_decrypt),
      .s_ctx_tag_bytes(ctx_tag_bytes),
      .s_axis_tvalid,
      .s_axis_tready,
      .s_axis_tdata,
      .s_axis_tkeep,
      .s_axis_tlast,
      .s_axis_tid,
      .s_axis_tuser,
      .m_axis_tvalid,
      .m_axis_tready,
      .m_axis_tdata,
      .m_axis_tkeep,
      .m_axis_tlast,
      .m_axis_tid,
      .m_axis_tuser
  );
endmodule

`default_nettype wire
