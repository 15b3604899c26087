// SPDX-License-Identifier: Apache-2.0
// An AES core and the modes of operation with feedback (SP 800-38A, SP 800-38B) with AXI4-Stream
// interfaces, for several interleaved streams. Latency that of the core + 11. A stream has one
// 16-byte beat every L + 5 cycles, with L the latency of the core; L + 5 streams fill every cycle
// of an unrolled core.
`default_nettype none

module aesforge_engine_interleaved #(
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
    parameter int unsigned Modes = 4,  // [4 to 252, a multiple of 4] see aesforge_mode_feedback
    // [1 to 256] streams that may have a packet open: `tid` 0 to `Streams` - 1
    parameter int unsigned Streams = 26,
    parameter int unsigned UserBits = 1,  // [1 or more] bits of `tuser` without the error flag
    // [a power of two from 4 on] places of the queue; full rate needs L + 11, rounded up
    parameter int unsigned Depth = 32,
    // [0 or more] most cycles that a packet waits for its context; 0: forever
    parameter int unsigned ContextTimeout = 1024,
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
    // IV, byte 0 in bits 7 to 0; unused by CBC-MAC and CMAC
    input  logic [         127:0] s_ctx_iv,
    // 2 CBC, 3 CFB, 4 OFB, 5 CFB with 8 bits, 6 CBC-MAC, 7 CMAC
    input  logic [           2:0] s_ctx_mode,
    // 1: decrypt (CFB, CFB with 8 bits); OFB and the MACs ignore it, CBC needs 0
    input  logic                  s_ctx_decrypt,
    input  logic                  s_axis_tvalid,  // a beat is present
    output logic                  s_axis_tready,  // it is accepted
    input  logic [         127:0] s_axis_tdata,  // bytes, byte 0 in bits 7 to 0
    // a bit for each byte: the first bytes in a last beat, all bytes in any other
    input  logic [          15:0] s_axis_tkeep,
    input  logic                  s_axis_tlast,  // the packet ends with this beat
    input  logic [StreamBits-1:0] s_axis_tid,  // its stream
    input  logic [  UserBits-1:0] s_axis_tuser,  // returned with the beat, one bit higher
    output logic                  m_axis_tvalid,  // a beat is at the output
    input  logic                  m_axis_tready,  // it is accepted
    // bytes, byte 0 in bits 7 to 0; those not kept are 0
    output logic [         127:0] m_axis_tdata,
    output logic [          15:0] m_axis_tkeep,  // `tkeep` of the input beat; all ones for a MAC
    output logic                  m_axis_tlast,  // `tlast` of the input beat
    output logic [StreamBits-1:0] m_axis_tid,  // its stream
    output logic [    UserBits:0] m_axis_tuser  // bit 0: error; above it `s_axis_tuser`
);
  localparam bit Stored = KeySlots > 1;
  logic zeroizing;

  // Contexts. The IV is only for the first beat of a packet. A key is in the payload, a slot also
  // in the header.
  localparam int unsigned WindowBits = Stored ? SlotBits : KeyBits;
  localparam int unsigned PayloadBits = Stored ? 1 : KeyBits;
  localparam int unsigned HeaderBits = (Stored ? SlotBits : 0) + 3 + 1;
  logic [PayloadBits-1:0] ctx_payload, beat_payload, late_payload;
  logic [HeaderBits-1:0] ctx_header, next_header, beat_header;
  logic [SlotBits-1:0] next_slot;
  logic [WindowBits-1:0] late_window;
  logic [127:0] ctx_iv, beat_iv;
  logic [2:0] next_mode, beat_mode;
  logic next_decrypt, beat_decrypt;
  assign {next_mode, next_decrypt} = next_header[3:0];
  assign {beat_mode, beat_decrypt} = beat_header[3:0];

  assign ctx_iv = 128'(aesforge_pkg::byte_swap(256'(s_ctx_iv), 16));
  if (Stored) begin : gen_slot
    assign ctx_payload = 1'b0;
    assign ctx_header = {s_ctx_slot, s_ctx_mode, s_ctx_decrypt};
    assign next_slot = next_header[HeaderBits-1:4];
    always_ff @(posedge clk) late_window <= beat_header[HeaderBits-1:4];
    logic unused_ok;
    assign unused_ok = &{1'b0, s_ctx_key, late_payload};
  end else begin : gen_key
    assign ctx_payload = KeyBits'(aesforge_pkg::byte_swap(256'(s_ctx_key), KeyBits / 8));
    assign ctx_header = {s_ctx_mode, s_ctx_decrypt};
    assign next_slot = '0;
    assign late_window = late_payload;
    logic unused_ok;
    assign unused_ok = &{1'b0, s_ctx_slot};
  end

  // A mode or slot that this engine does not have is an error of the packet. CBC decryption has no
  // feedback: aesforge_engine does that.
  logic next_stall, next_unknown, next_unbuilt, next_mac, next_partial, next_empty;
  assign next_unbuilt = (Modes >> next_mode) % 2 == 0
      || (32'(next_mode) == aesforge_pkg::ModeCbc && next_decrypt);
  assign next_empty = 32'(next_mode) == aesforge_pkg::ModeCmac;
  assign next_mac = next_empty || 32'(next_mode) == aesforge_pkg::ModeCbcMac;
  assign next_partial = 32'(next_mode) != aesforge_pkg::ModeCbc
      && 32'(next_mode) != aesforge_pkg::ModeCbcMac;

  logic next_valid, begin_valid, end_valid;
  logic [StreamBits-1:0] head_stream, end_stream;
  logic beat_hold, beat_valid, beat_first, beat_last;
  logic [StreamBits-1:0] beat_stream;
  logic [15:0] beat_keep;
  logic [UserBits-1:0] beat_user;
  logic [127:0] beat_data;
  logic result_valid;
  logic [StreamBits-1:0] result_stream;
  logic [127:0] result;
  aesforge_stream_shell #(
      .Streams(Streams),
      .StartBits(128),
      .PayloadBits(PayloadBits),
      .HeaderBits(HeaderBits),
      .UserBits(UserBits),
      .Depth(Depth),
      .ContextTimeout(ContextTimeout)
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
      .s_ctx_start(ctx_iv),
      .s_ctx_payload(ctx_payload),
      .s_ctx_header(ctx_header),
      .next_header,
      .next_stall,
      .next_error(next_unknown || next_unbuilt),
      .next_partial,
      .next_digest(next_mac && !next_unbuilt),
      .next_empty,
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
      .beat_start(beat_iv),
      .beat_payload,
      .late_payload,
      .beat_header,
      .result_valid,
      .result_stream,
      .result_data(result),
      .result_error(1'b0),
      .m_axis_tvalid,
      .m_axis_tready,
      .m_axis_tdata,
      .m_axis_tkeep,
      .m_axis_tlast,
      .m_axis_tid,
      .m_axis_tuser
  );

  // The mode, between the beats and the core.
  logic mode_valid, out_valid;
  logic [StreamBits-1:0] mode_stream, out_stream;
  logic [WindowBits-1:0] mode_window;
  logic [127:0] mode_block, out_block;
  aesforge_mode_feedback #(
      .Modes(Modes),
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
      .beat_keep,
      .beat_data,
      .beat_mode,
      .beat_decrypt,
      .beat_iv,
      .late_window,
      .core_valid(mode_valid),
      .core_stream(mode_stream),
      .core_window(mode_window),
      .core_block(mode_block),
      .out_valid,
      .out_stream,
      .out_block,
      .result_valid,
      .result_stream,
      .result_data(result)
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
      .Depth(Depth)
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
      .begin_valid(begin_valid && next_valid && !next_unknown && !next_unbuilt),
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
  assign unused_ok = &{1'b0, beat_user, beat_payload};
endmodule

`default_nettype wire
