// SPDX-License-Identifier: Apache-2.0
// Packets in, packets out, of several streams at a time: an AES core under the modes of operation
// in which a block waits for the one before it (SP 800-38A, SP 800-38B), with AXI4-Stream
// interfaces. Latency that of the core + 10. One 16-byte beat per cycle with an unrolled core, if
// it comes from as many streams in turn as the core has cycles of latency, and 5 more; one stream
// alone: a beat in these cycles.
`default_nettype none

module aesforge_engine_interleaved #(
    // the core: see aesforge_core
    parameter int unsigned KeyBits = 128,
    parameter int unsigned Unroll = 10,
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTower,
    parameter int unsigned KeySboxStyle = aesforge_pkg::SboxTower,
    parameter int unsigned SboxStages = 1,
    parameter int unsigned LinearStages = 1,
    parameter int unsigned MixStyle = aesforge_pkg::MixXtime,
    parameter int unsigned KeySlots = 0,
    parameter int unsigned Tiles = 1,
    parameter int unsigned DelayStyle = aesforge_pkg::DelayRam,
    // see aesforge_mode_feedback
    parameter int unsigned Modes = 4,
    // see aesforge_stream_shell
    parameter int unsigned Streams = 26,
    parameter int unsigned UserBits = 1,
    parameter int unsigned Depth = 32,
    parameter int unsigned ContextTimeout = 1024,
    localparam int unsigned Nr = KeyBits / 32 + 6,
    localparam int unsigned SlotBits = KeySlots > 1 ? $clog2(KeySlots) : 1,
    localparam int unsigned StreamBits = Streams > 1 ? $clog2(Streams) : 1
) (
    input  logic                  clk,
    input  logic                  rst,
    // zeroizes keys, contexts and data, and drops all packets
    input  logic                  zeroize,
    // keys in (stored keys); byte 0 of a key, an IV or a beat stands in bits 7 to 0
    input  logic                  s_key_tvalid,
    output logic                  s_key_tready,
    input  logic [  SlotBits-1:0] s_key_slot,
    input  logic [   KeyBits-1:0] s_key_tdata,
    // contexts in, one for each packet, in the order of their first beats; s_ctx_key for agile
    // keys, s_ctx_slot for stored ones
    input  logic                  s_ctx_tvalid,
    output logic                  s_ctx_tready,
    input  logic [   KeyBits-1:0] s_ctx_key,
    input  logic [  SlotBits-1:0] s_ctx_slot,
    input  logic [         127:0] s_ctx_iv,
    input  logic [           2:0] s_ctx_mode,
    input  logic                  s_ctx_decrypt,
    // packets in; tid is the stream
    input  logic                  s_axis_tvalid,
    output logic                  s_axis_tready,
    input  logic [         127:0] s_axis_tdata,
    input  logic [          15:0] s_axis_tkeep,
    input  logic                  s_axis_tlast,
    input  logic [StreamBits-1:0] s_axis_tid,
    input  logic [  UserBits-1:0] s_axis_tuser,
    // packets out; bit 0 of tuser is the error flag
    output logic                  m_axis_tvalid,
    input  logic                  m_axis_tready,
    output logic [         127:0] m_axis_tdata,
    output logic [          15:0] m_axis_tkeep,
    output logic                  m_axis_tlast,
    output logic [StreamBits-1:0] m_axis_tid,
    output logic [    UserBits:0] m_axis_tuser
);
  localparam bit Stored = KeySlots > 1;
  localparam bit Looped = Unroll < Nr;

  if (Unroll == Nr && Tiles != 1) begin : gen_bad_tiles
    $error("with feedback a beat is one block: tiles must be 1 where unroll is full");
  end

  // Zeroize: the core is zeroized first, then its clean output floods the queues, and zeros the
  // streams.
  localparam int unsigned Places = Depth > 2 ** StreamBits ? Depth : 2 ** StreamBits;
  localparam int unsigned RestBits = $clog2(Places) + 2;
  logic core_zeroize_q, zeroize_q, core_open, rest_end;
  logic core_ready, core_key_ready;
  logic [RestBits-1:0] rest_q;
  assign core_open = !core_zeroize_q && (Stored ? core_key_ready : core_ready);
  assign rest_end = rest_q == RestBits'(Places + 6);
  always_ff @(posedge clk) begin
    core_zeroize_q <= zeroize;
    zeroize_q <= zeroize || (zeroize_q && !rest_end);
    rest_q <= core_open && !rest_end ? rest_q + 1'b1 : '0;
    if (!zeroize_q) rest_q <= '0;
    if (rst) begin
      core_zeroize_q <= 1'b0;
      zeroize_q  <= 1'b0;
    end
  end

  // Contexts. The IV is for a packet's first beat alone; a key is payload, a slot is header as
  // well.
  localparam int unsigned WindowBits = Stored ? SlotBits : KeyBits;
  localparam int unsigned PayloadBits = Stored ? 1 : KeyBits;
  localparam int unsigned HeaderBits = (Stored ? SlotBits : 0) + 3 + 1;
  logic [PayloadBits-1:0] ctx_payload, beat_payload;
  logic [HeaderBits-1:0] ctx_header, next_header, beat_header;
  logic [SlotBits-1:0] next_slot;
  logic [WindowBits-1:0] beat_window;
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
    assign beat_window = beat_header[HeaderBits-1:4];
    logic unused_ok;
    assign unused_ok = &{1'b0, s_ctx_key, beat_payload};
  end else begin : gen_key
    assign ctx_payload = KeyBits'(aesforge_pkg::byte_swap(256'(s_ctx_key), KeyBits / 8));
    assign ctx_header = {s_ctx_mode, s_ctx_decrypt};
    assign next_slot = '0;
    assign beat_window = beat_payload;
    logic unused_ok;
    assign unused_ok = &{1'b0, s_ctx_slot};
  end

  // What this engine has not built is an error of the packet that asks for it. CBC decrypts in
  // aesforge_engine, where no block waits.
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
      .zeroize(zeroize_q),
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
      .beat_data,
      .beat_start(beat_iv),
      .beat_payload,
      .beat_header,
      .result_valid,
      .result_stream,
      .result_data(result),
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
      .zeroize(zeroize_q),
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
      .result_data(result)
  );

  // An unrolled core takes every block at once; before a looped one they wait their turn, at most
  // one of each stream.
  logic core_valid;
  logic [StreamBits-1:0] core_stream;
  logic [WindowBits-1:0] core_window;
  logic [127:0] core_block;
  if (Looped) begin : gen_queue
    logic leave;
    aesforge_axis_queue #(
        .Width(StreamBits + WindowBits + 128),
        .Depth(2 ** StreamBits)
    ) u_queue (
        .clk,
        .rst,
        .zeroize(zeroize_q),
        .s_valid(mode_valid),
        .s_data({mode_stream, mode_window, mode_block}),
        .leave,
        .m_valid(core_valid),
        .m_ready(core_ready),
        .m_data({core_stream, core_window, core_block})
    );
    logic unused_ok;
    assign unused_ok = &{1'b0, leave};
  end else begin : gen_no_queue
    assign core_valid = mode_valid;
    assign {core_stream, core_window, core_block} = {mode_stream, mode_window, mode_block};
  end

  // Stored keys pass the interlock on their way to the core.
  logic core_key_valid;
  logic [SlotBits-1:0] core_key_slot, core_slot;
  logic [KeyBits-1:0] core_key, core_in_key;
  if (Stored) begin : gen_interlock
    logic [KeyBits-1:0] swapped_key;
    assign swapped_key = KeyBits'(aesforge_pkg::byte_swap(256'(s_key_tdata), KeyBits / 8));
    aesforge_stream_key_interlock #(
        .KeyBits(KeyBits),
        .Slots(KeySlots),
        .Streams(Streams)
    ) u_interlock (
        .clk,
        .rst,
        .zeroize(zeroize_q),
        .s_key_tvalid,
        .s_key_tready,
        .s_key_slot,
        .s_key_tdata(swapped_key),
        .key_valid(core_key_valid),
        .key_ready(core_key_ready),
        .key_slot(core_key_slot),
        .key(core_key),
        .next_valid,
        .next_slot,
        .next_stall,
        .next_unknown,
        .begin_valid(begin_valid && next_valid && !next_unknown && !next_unbuilt),
        .begin_stream(head_stream),
        .end_valid,
        .end_stream
    );
    assign core_slot = core_window;
    assign core_in_key = '0;
  end else begin : gen_no_interlock
    assign s_key_tready = 1'b0;
    assign core_key_valid = 1'b0;
    assign core_key_slot = '0;
    assign core_key = '0;
    assign core_slot = '0;
    assign core_in_key = core_window;
    assign next_stall = 1'b0;
    assign next_unknown = 1'b0;
    logic unused_ok;
    assign unused_ok = &{
      1'b0, s_key_tvalid, s_key_slot, s_key_tdata, core_key_ready, next_valid, next_slot,
      begin_valid, end_valid, end_stream
    };
  end

  aesforge_core #(
      .KeyBits(KeyBits),
      .Direction(aesforge_pkg::Encrypt),
      .Unroll(Unroll),
      .SboxStyle(SboxStyle),
      .KeySboxStyle(KeySboxStyle),
      .SboxStages(SboxStages),
      .LinearStages(LinearStages),
      .MixStyle(MixStyle),
      .KeySlots(KeySlots),
      .Tiles(Tiles),
      .TagBits(StreamBits),
      .DelayStyle(DelayStyle)
  ) u_core (
      .clk,
      .rst,
      .zeroize(core_zeroize_q),
      .in_valid(core_valid),
      .in_ready(core_ready),
      .in_block(core_block),
      .in_key(core_in_key),
      .in_slot(core_slot),
      .in_decrypt(1'b0),
      .in_tag(core_stream),
      .key_valid(core_key_valid),
      .key_ready(core_key_ready),
      .key_slot(core_key_slot),
      .key(core_key),
      .out_valid,
      .out_block,
      .out_tag(out_stream)
  );
endmodule

`default_nettype wire
