// SPDX-License-Identifier: Apache-2.0
// aesforge_engine_gcm, and after it a buffer that holds each packet until its tag is made or found
// right: of a packet with an error not one byte leaves, but one beat of zeros with the error flag.
// Latency of a packet: that of the engine for its last beat + 6. One beat per cycle.
`default_nettype none

module aesforge_engine_gcm_hold #(
    // [128, 192, 256] this and the next eight: see aesforge_core
    parameter int unsigned KeyBits = 128,
    parameter int unsigned Unroll = 10,  // [a divisor of Nr] rounds in hardware
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTower,  // [a style] S-boxes of the rounds
    // [a style] S-boxes of the key schedule
    parameter int unsigned KeySboxStyle = aesforge_pkg::SboxTower,
    parameter int unsigned SboxStages = 1,  // [0 or more] pipeline stages in SubBytes
    parameter int unsigned LinearStages = 1,  // [0 to 4] pipeline stages in the rest of a round
    parameter int unsigned MixStyle = aesforge_pkg::MixXtime,  // [0, 1, 2] see aesforge_mix_column
    parameter int unsigned KeySlots = 2,  // [2 to 16] key slots
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
    // `MultiplyStages` + 33, rounded up
    parameter int unsigned Depth = 128,
    // [0 or more] most cycles that a packet waits for its context; 0: forever
    parameter int unsigned ContextTimeout = 1024,
    parameter int unsigned QueueStyle = aesforge_pkg::QueueBlock,  // [0, 1] see aesforge_queue_ram
    // [a power of two from 8 on] places for beats that wait: packets of up to 4 less pass
    parameter int unsigned HoldBeats = 256,
    localparam int unsigned SlotBits = $clog2(KeySlots)
) (
    input  logic                clk,  // clock
    input  logic                rst,  // synchronous reset
    // zeroizes keys, contexts and data and drops all packets; a pulse of one cycle will do
    input  logic                zeroize,
    input  logic                s_key_tvalid,  // a key is present
    output logic                s_key_tready,  // it is accepted
    input  logic [SlotBits-1:0] s_key_slot,  // slot of the key
    input  logic [ KeyBits-1:0] s_key_tdata,  // key, byte 0 in bits 7 to 0
    input  logic                s_ctx_tvalid,  // a context is present
    output logic                s_ctx_tready,  // it is accepted
    input  logic [SlotBits-1:0] s_ctx_slot,  // slot of its key
    input  logic [       127:0] s_ctx_iv,  // IV of 96 bits, byte 0 in bits 7 to 0; the rest unused
    // 0: the IV is in `s_ctx_iv`; 1: the text of this packet is an IV; 2: the IV is that of the
    // last such packet, which had the same slot, and is used up
    input  logic [         1:0] s_ctx_iv_kind,
    input  logic                s_ctx_decrypt,  // 1: decrypt and verify
    // bytes of the tag: 12 to 16, with `ShortTags` 4 and 8 too
    input  logic [         4:0] s_ctx_tag_bytes,
    input  logic                s_axis_tvalid,  // a beat is present
    output logic                s_axis_tready,  // it is accepted
    input  logic [       127:0] s_axis_tdata,  // bytes, byte 0 in bits 7 to 0
    // a bit for each byte: the first bytes in the last beat of a section, all in any other
    input  logic [        15:0] s_axis_tkeep,
    // the packet ends with this beat: its tag, or a place for it when encrypting
    input  logic                s_axis_tlast,
    input  logic [  IdBits-1:0] s_axis_tid,  // returned with the beat
    // bit 0: additional authenticated data; returned with the beat, one bit higher
    input  logic [UserBits-1:0] s_axis_tuser,
    output logic                m_axis_tvalid,  // a beat is at the output
    input  logic                m_axis_tready,  // it is accepted
    // bytes, byte 0 in bits 7 to 0; those not kept are 0, and so is a tag that was compared
    output logic [       127:0] m_axis_tdata,
    output logic [        15:0] m_axis_tkeep,  // `tkeep` of the input beat
    output logic                m_axis_tlast,  // `tlast` of the input beat
    output logic [  IdBits-1:0] m_axis_tid,  // `tid` of the input beat
    // bit 0: the packet was an error, and this beat stands for it; above it `s_axis_tuser`
    output logic [  UserBits:0] m_axis_tuser
);
  logic held_valid, held_ready, held_last;
  logic [127:0] held_data;
  logic [15:0] held_keep;
  logic [IdBits-1:0] held_id;
  logic [UserBits:0] held_user;
  aesforge_engine_gcm #(
      .KeyBits(KeyBits),
      .Unroll(Unroll),
      .SboxStyle(SboxStyle),
      .KeySboxStyle(KeySboxStyle),
      .SboxStages(SboxStages),
      .LinearStages(LinearStages),
      .MixStyle(MixStyle),
      .KeySlots(KeySlots),
      .DelayStyle(DelayStyle),
      .MultiplyStages(MultiplyStages),
      .MultiplyDigit(MultiplyDigit),
      .ShortTags(ShortTags),
      .CountBits(CountBits),
      .IdBits(IdBits),
      .UserBits(UserBits),
      .Depth(Depth),
      .ContextTimeout(ContextTimeout),
      .QueueStyle(QueueStyle)
  ) u_engine (
      .clk,
      .rst,
      .zeroize,
      .s_key_tvalid,
      .s_key_tready,
      .s_key_slot,
      .s_key_tdata,
      .s_ctx_tvalid,
      .s_ctx_tready,
      .s_ctx_slot,
      .s_ctx_iv,
      .s_ctx_iv_kind,
      .s_ctx_decrypt,
      .s_ctx_tag_bytes,
      .s_axis_tvalid,
      .s_axis_tready,
      .s_axis_tdata,
      .s_axis_tkeep,
      .s_axis_tlast,
      .s_axis_tid,
      .s_axis_tuser,
      .m_axis_tvalid(held_valid),
      .m_axis_tready(held_ready),
      .m_axis_tdata(held_data),
      .m_axis_tkeep(held_keep),
      .m_axis_tlast(held_last),
      .m_axis_tid(held_id),
      .m_axis_tuser(held_user)
  );

  // The buffer is zeroized as long as it takes to overwrite it.
  localparam int unsigned Rest = HoldBeats + 5;
  localparam int unsigned RestBits = $clog2(Rest + 1);
  logic zeroize_q;
  logic [RestBits-1:0] rest_q;
  always_ff @(posedge clk) begin
    zeroize_q <= zeroize || (zeroize_q && rest_q != RestBits'(Rest));
    rest_q <= zeroize ? '0 : rest_q + RestBits'(zeroize_q);
    if (rst) zeroize_q <= 1'b0;
  end

  logic error;
  logic [UserBits-1:0] user;
  assign m_axis_tuser = {user, error};
  aesforge_packet_hold #(
      .DataBits(128),
      .SideBits(16 + IdBits + UserBits),
      .Depth(HoldBeats)
  ) u_hold (
      .clk,
      .rst,
      .zeroize(zeroize || zeroize_q),
      .s_valid(held_valid),
      .s_ready(held_ready),
      .s_data(held_data),
      .s_side({held_keep, held_id, held_user[UserBits:1]}),
      .s_last(held_last),
      .s_error(held_user[0]),
      .m_valid(m_axis_tvalid),
      .m_ready(m_axis_tready),
      .m_data(m_axis_tdata),
      .m_side({m_axis_tkeep, m_axis_tid, user}),
      .m_last(m_axis_tlast),
      .m_error(error)
  );
endmodule

`default_nettype wire
