// SPDX-License-Identifier: Apache-2.0
// An AES core and CCM (SP 800-38C) with AXI4-Stream interfaces, encryption and decryption, for
// several interleaved streams. A packet is additional authenticated data, text and a tag; every
// beat comes out. With L the latency of the core: latency L + 11 for associated data, 2 L + 14 for
// text and tag; a stream has a beat of text every 2 L + 8 cycles. L + 5 streams fill an unrolled
// core: a beat of text every other cycle.
`default_nettype none

module aesforge_engine_ccm #(
    // [128, 192, 256] this and the next nine: see aesforge_core
    parameter int unsigned KeyBits = 128,
    parameter int unsigned Unroll = 10,  // [a divisor of Nr] rounds in hardware
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTower,  // [a style] S-boxes of the rounds
    // [a style] S-boxes of the key schedule
    parameter int unsigned KeySboxStyle = aesforge_pkg::SboxTower,
    parameter int unsigned SboxStages = 1,  // [0 or more] pipeline stages in SubBytes
    parameter int unsigned LinearStages = 1,  // [0 to 4] pipeline stages in the rest of a round
    parameter int unsigned MixStyle = aesforge_pkg::MixXtime,  // [0, 1, 2] see aesforge_mix_column
    // [0, 2 to 16] 0: a key with each context; else the number of key slots
    parameter int unsigned KeySlots = 0,
    parameter int unsigned Tiles = 1,  // [1 or more] rings that take turns; 1 where `Unroll` is Nr
    parameter int unsigned DelayStyle = aesforge_pkg::DelayRam,  // [0, 1] see aesforge_delay
    // [1 to 256] streams that may have a packet open: `tid` 0 to `Streams` - 1
    parameter int unsigned Streams = 26,
    // [1 or more] bits of `tuser` without the error flag; bit 0 marks associated data
    parameter int unsigned UserBits = 1,
    // [a power of two from 4 on] places of the queue; full rate needs L + 11, rounded up
    parameter int unsigned Depth = 64,
    // [0 or more] most cycles that a packet waits for its context; 0: forever
    parameter int unsigned ContextTimeout = 1024,
    // [0, or a power of two from 8 on] 0: text leaves before its tag is known; else places of each
    // stream for beats that wait for it: packets of up to 4 less pass
    parameter int unsigned HoldBeats = 0,
    localparam int unsigned SlotBits = KeySlots > 1 ? $clog2(KeySlots) : 1,
    localparam int unsigned StreamBits = Streams > 1 ? $clog2(Streams) : 1
) (
    input  logic                  clk,  // clock
    input  logic                  rst,  // synchronous reset
    // zeroizes keys, contexts and data and drops all packets; a pulse of one cycle will do
    input  logic                  zeroize,
    input  logic                  s_key_tvalid,  // a key is present (stored keys only)
    // it is accepted; depends on `s_key_slot` in the same cycle
    output logic                  s_key_tready,
    input  logic [  SlotBits-1:0] s_key_slot,  // slot of the key
    input  logic [   KeyBits-1:0] s_key_tdata,  // key, byte 0 in bits 7 to 0
    input  logic                  s_ctx_tvalid,  // a context is present
    output logic                  s_ctx_tready,  // it is accepted
    input  logic [   KeyBits-1:0] s_ctx_key,  // key, byte 0 in bits 7 to 0 (agile keys only)
    input  logic [  SlotBits-1:0] s_ctx_slot,  // slot of its key (stored keys only)
    // nonce, byte 0 in bits 7 to 0; bytes beyond its length are ignored
    input  logic [         127:0] s_ctx_iv,
    input  logic [           3:0] s_ctx_iv_bytes,  // length of the nonce in bytes: 7 to 13
    input  logic                  s_ctx_decrypt,  // 1: decrypt and verify
    // bytes of the tag: 4, 6, 8, 10, 12, 14 or 16
    input  logic [           4:0] s_ctx_tag_bytes,
    input  logic [          31:0] s_ctx_aad_bytes,  // length of the associated data in bytes
    // length of the text in bytes; less than 2^16 with a nonce of 13 bytes, 2^24 with one of 12
    input  logic [          31:0] s_ctx_text_bytes,
    input  logic                  s_axis_tvalid,  // a beat is present
    output logic                  s_axis_tready,  // it is accepted
    input  logic [         127:0] s_axis_tdata,  // bytes, byte 0 in bits 7 to 0
    // a bit for each byte: the first bytes in the last beat of a section, all in any other
    input  logic [          15:0] s_axis_tkeep,
    // the packet ends with this beat: its tag, or a place for it when encrypting
    input  logic                  s_axis_tlast,
    input  logic [StreamBits-1:0] s_axis_tid,  // its stream
    // bit 0: additional authenticated data; returned with the beat, one bit higher
    input  logic [  UserBits-1:0] s_axis_tuser,
    output logic                  m_axis_tvalid,  // a beat is at the output
    input  logic                  m_axis_tready,  // it is accepted
    // bytes, byte 0 in bits 7 to 0; those not kept are 0, and so is a tag that was compared
    output logic [         127:0] m_axis_tdata,
    output logic [          15:0] m_axis_tkeep,  // `tkeep` of the input beat
    output logic                  m_axis_tlast,  // `tlast` of the input beat
    output logic [StreamBits-1:0] m_axis_tid,  // its stream
    // bit 0: error, or in the last beat a wrong tag; above it `s_axis_tuser`
    output logic [    UserBits:0] m_axis_tuser
);
  localparam bit Stored = KeySlots > 1;
  logic zeroizing;

  // Contexts. The nonce is only for the first beat of a packet; lengths, and a key, are in the
  // payload; slot, direction and what follows from the lengths in the header.
  localparam int unsigned WindowBits = Stored ? SlotBits : KeyBits;
  localparam int unsigned StartBits = 104 + 4;
  localparam int unsigned PayloadBits = (Stored ? 0 : KeyBits) + 64;
  localparam int unsigned HeaderBits = (Stored ? SlotBits : 0) + 3 + 5;
  logic [103:0] ctx_nonce, beat_nonce;
  logic [3:0] beat_nonce_bytes;
  logic [PayloadBits-1:0] ctx_payload, beat_payload, late_payload;
  logic [HeaderBits-1:0] ctx_header, next_header, beat_header;
  logic [SlotBits-1:0] next_slot;
  logic [WindowBits-1:0] beat_window;
  logic [31:0] beat_aad_bytes, beat_text_bytes;
  logic [4:0] beat_tag_bytes;
  logic ctx_legal, ctx_long, next_legal, beat_decrypt, beat_long;
  assign next_legal = next_header[7];
  assign {beat_long, beat_decrypt, beat_tag_bytes} = beat_header[6:0];
  assign {beat_aad_bytes, beat_text_bytes} = beat_payload[63:0];

  always_comb begin
    ctx_nonce = 104'(aesforge_pkg::byte_swap(256'(s_ctx_iv[103:0]), 13));
    for (int i = 0; i < 13; i++) if (4'(i) >= s_ctx_iv_bytes) ctx_nonce[103-8*i-:8] = 8'h00;
  end
  // SP 800-38C Sec. 5.3 and A.1: a nonce of n bytes leaves 15 - n for the length of the text.
  assign ctx_legal = s_ctx_iv_bytes >= 4'd7 && s_ctx_iv_bytes <= 4'd13
      && !s_ctx_tag_bytes[0] && s_ctx_tag_bytes >= 5'd4 && s_ctx_tag_bytes <= 5'd16
      && (s_ctx_iv_bytes != 4'd13 || s_ctx_text_bytes[31:16] == '0)
      && (s_ctx_iv_bytes < 4'd12 || s_ctx_text_bytes[31:24] == '0);
  // A.2.2: from 2^16 - 2^8 on the length takes 6 bytes.
  assign ctx_long = s_ctx_aad_bytes[31:16] != '0 || s_ctx_aad_bytes[15:8] == '1;
  if (Stored) begin : gen_slot
    assign ctx_payload = {s_ctx_aad_bytes, s_ctx_text_bytes};
    assign ctx_header = {s_ctx_slot, ctx_legal, ctx_long, s_ctx_decrypt, s_ctx_tag_bytes};
    assign next_slot = next_header[HeaderBits-1:8];
    assign beat_window = beat_header[HeaderBits-1:8];
    logic unused_ok;
    assign unused_ok = &{1'b0, s_ctx_key};
  end else begin : gen_key
    logic [KeyBits-1:0] swapped_key;
    assign swapped_key = KeyBits'(aesforge_pkg::byte_swap(256'(s_ctx_key), KeyBits / 8));
    assign ctx_payload = {swapped_key, s_ctx_aad_bytes, s_ctx_text_bytes};
    assign ctx_header = {ctx_legal, ctx_long, s_ctx_decrypt, s_ctx_tag_bytes};
    assign next_slot = '0;
    assign beat_window = beat_payload[PayloadBits-1:64];
    logic unused_ok;
    assign unused_ok = &{1'b0, s_ctx_slot};
  end

  logic next_stall, next_unknown, next_valid, begin_valid, end_valid;
  logic [StreamBits-1:0] head_stream, end_stream;
  logic beat_hold, beat_valid, beat_first, beat_last;
  logic [StreamBits-1:0] beat_stream;
  logic [15:0] beat_keep;
  logic [UserBits-1:0] beat_user;
  logic [127:0] beat_data;
  logic result_valid, result_error;
  logic shell_valid, shell_ready, shell_last;
  logic [127:0] shell_data;
  logic [15:0] shell_keep;
  logic [StreamBits-1:0] shell_stream;
  logic [UserBits:0] shell_user;
  logic [StreamBits-1:0] result_stream;
  logic [127:0] result;
  aesforge_stream_shell #(
      .Streams(Streams),
      .StartBits(StartBits),
      .PayloadBits(PayloadBits),
      .HeaderBits(HeaderBits),
      .UserBits(UserBits),
      .Depth(Depth),
      .ContextTimeout(ContextTimeout),
      .Sections(1'b1)
  ) u_shell (
      .clk,
      .rst,
      .zeroize(zeroizing),
      .s_axis_tvalid,
      .s_axis_tready,
      .s_axis_tdata,
      .s_axis_tkeep,
      .s_axis_tlast,
      .s_axis_tid,
      .s_axis_tuser,
      .s_ctx_tvalid,
      .s_ctx_tready,
      .s_ctx_start({ctx_nonce, s_ctx_iv_bytes}),
      .s_ctx_payload(ctx_payload),
      .s_ctx_header(ctx_header),
      .next_header,
      .next_stall,
      .next_error(next_unknown || !next_legal),
      .next_partial(1'b0),
      .next_digest(1'b0),
      .next_empty(1'b0),
      .next_valid,
      .begin_valid,
      .head_stream,
      .end_valid,
      .end_stream,
      .beat_hold,
      .beat_valid,
      .beat_stream,
      .beat_first,
      .beat_last,
      .beat_keep,
      .beat_user,
      .beat_data,
      .beat_start({beat_nonce, beat_nonce_bytes}),
      .beat_payload,
      .late_payload,
      .beat_header,
      .result_valid,
      .result_stream,
      .result_data(result),
      .result_error,
      .m_axis_tvalid(shell_valid),
      .m_axis_tready(shell_ready),
      .m_axis_tdata(shell_data),
      .m_axis_tkeep(shell_keep),
      .m_axis_tlast(shell_last),
      .m_axis_tid(shell_stream),
      .m_axis_tuser(shell_user)
  );

  // Text leaves at once, or when the tag of its packet has been made or found right.
  if (HoldBeats == 0) begin : gen_flagged
    assign shell_ready = m_axis_tready;
    assign m_axis_tvalid = shell_valid;
    assign m_axis_tdata = shell_data;
    assign m_axis_tkeep = shell_keep;
    assign m_axis_tlast = shell_last;
    assign m_axis_tid = shell_stream;
    assign m_axis_tuser = shell_user;
  end else begin : gen_withheld
    // A copy beside the buffer: `zeroize` comes from afar.
    logic zeroize_q;
    always_ff @(posedge clk) zeroize_q <= (zeroize || zeroizing) && !rst;
    aesforge_stream_hold #(
        .DataBits(128),
        .SideBits(16 + UserBits),
        .Streams(Streams),
        .Depth(HoldBeats)
    ) u_hold (
        .clk,
        .rst,
        .zeroize(zeroize_q),
        .s_valid(shell_valid),
        .s_ready(shell_ready),
        .s_stream(shell_stream),
        .s_data(shell_data),
        .s_side({shell_keep, shell_user[UserBits:1]}),
        .s_last(shell_last),
        .s_error(shell_user[0]),
        .m_valid(m_axis_tvalid),
        .m_ready(m_axis_tready),
        .m_stream(m_axis_tid),
        .m_data(m_axis_tdata),
        .m_side({m_axis_tkeep, m_axis_tuser[UserBits:1]}),
        .m_last(m_axis_tlast),
        .m_error(m_axis_tuser[0])
    );
  end

  // The mode, between the beats and the core.
  logic mode_valid, out_valid;
  logic [StreamBits-1:0] mode_stream, out_stream;
  logic [WindowBits-1:0] mode_window;
  logic [127:0] mode_block, out_block;
  aesforge_mode_ccm #(
      .Streams(Streams),
      .WindowBits(WindowBits)
  ) u_mode (
      .clk,
      .rst,
      .zeroize(zeroizing),
      .beat_hold,
      .head_stream,
      .beat_valid,
      .beat_stream,
      .beat_first,
      .beat_last,
      .beat_aad(beat_user[0]),
      .beat_keep,
      .beat_data,
      .beat_decrypt,
      .beat_long,
      .beat_nonce,
      .beat_nonce_bytes,
      .beat_aad_bytes,
      .beat_text_bytes,
      .beat_tag_bytes,
      .beat_window,
      .core_valid(mode_valid),
      .core_stream(mode_stream),
      .core_window(mode_window),
      .core_block(mode_block),
      .out_valid,
      .out_stream,
      .out_block,
      .result_valid,
      .result_stream,
      .result_data(result),
      .result_error
  );

  aesforge_stream_core #(
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
      .Streams(Streams),
      .Depth(Depth),
      .ZeroizeCycles(HoldBeats == 0 ? 0 : HoldBeats * 2 ** StreamBits + 5)
  ) u_core (
      .clk,
      .rst,
      .zeroize,
      .zeroizing,
      .s_key_tvalid,
      .s_key_tready,
      .s_key_slot,
      .s_key_tdata,
      .next_valid,
      .next_slot,
      .next_stall,
      .next_unknown,
      .begin_valid(begin_valid && next_valid && !next_unknown && next_legal),
      .begin_stream(head_stream),
      .end_valid,
      .end_stream,
      .in_valid(mode_valid),
      .in_stream(mode_stream),
      .in_window(mode_window),
      .in_block(mode_block),
      .out_valid,
      .out_stream,
      .out_block
  );

  logic unused_ok;
  assign unused_ok = &{1'b0, beat_user, s_ctx_iv[127:104], next_header, beat_header, late_payload};
endmodule

`default_nettype wire
