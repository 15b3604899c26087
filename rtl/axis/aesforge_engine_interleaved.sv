// SPDX-License-Identifier: Apache-2.0
// Packets in, packets out, of several streams at a time: an AES core under the modes of operation
// in which a block waits for the one before it (SP 800-38A, SP 800-38B), behind AXI4-Stream.
// Latency that of the core + 10. One 16-byte beat a cycle with an unrolled core, if it comes from
// as many streams in turn as the core has cycles of latency, and 5 more; one stream alone: a beat
// in these cycles.
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
    // see aesforge_lane_shell
    parameter int unsigned Lanes = 26,
    parameter int unsigned UserBits = 1,
    parameter int unsigned Depth = 32,
    parameter int unsigned ContextWait = 1024,
    localparam int unsigned Nr = KeyBits / 32 + 6,
    localparam int unsigned SlotBits = KeySlots > 1 ? $clog2(KeySlots) : 1,
    localparam int unsigned LaneBits = Lanes > 1 ? $clog2(Lanes) : 1
) (
    input  logic                clk,
    input  logic                rst,
    // wipes keys, contexts and data, and drops all packets
    input  logic                clear,
    // keys in (stored keys); byte 0 of a key, an IV or a beat stands in bits 7 to 0
    input  logic                s_key_tvalid,
    output logic                s_key_tready,
    input  logic [SlotBits-1:0] s_key_slot,
    input  logic [ KeyBits-1:0] s_key_tdata,
    // contexts in, one for each packet, in the order of their first beats; s_ctx_key for agile
    // keys, s_ctx_slot for stored ones
    input  logic                s_ctx_tvalid,
    output logic                s_ctx_tready,
    input  logic [ KeyBits-1:0] s_ctx_key,
    input  logic [SlotBits-1:0] s_ctx_slot,
    input  logic [       127:0] s_ctx_iv,
    input  logic [         2:0] s_ctx_mode,
    input  logic                s_ctx_decrypt,
    // packets in; tid is the stream
    input  logic                s_axis_tvalid,
    output logic                s_axis_tready,
    input  logic [       127:0] s_axis_tdata,
    input  logic [        15:0] s_axis_tkeep,
    input  logic                s_axis_tlast,
    input  logic [LaneBits-1:0] s_axis_tid,
    input  logic [UserBits-1:0] s_axis_tuser,
    // packets out; bit 0 of tuser is the error flag
    output logic                m_axis_tvalid,
    input  logic                m_axis_tready,
    output logic [       127:0] m_axis_tdata,
    output logic [        15:0] m_axis_tkeep,
    output logic                m_axis_tlast,
    output logic [LaneBits-1:0] m_axis_tid,
    output logic [  UserBits:0] m_axis_tuser
);
  localparam bit Stored = KeySlots > 1;
  localparam bit Looped = Unroll < Nr;

  if (Unroll == Nr && Tiles != 1) begin : gen_bad_tiles
    $error("with feedback a beat is one block: tiles must be 1 where unroll is full");
  end

  // Clear: the core is wiped first, then its clean output floods the queues, and zeros the lanes.
  localparam int unsigned Places = Depth > 2 ** LaneBits ? Depth : 2 ** LaneBits;
  localparam int unsigned RestBits = $clog2(Places) + 2;
  logic clear_q, wipe_q, core_open, rest_end;
  logic core_ready, core_key_ready;
  logic [RestBits-1:0] rest_q;
  assign core_open = !clear_q && (Stored ? core_key_ready : core_ready);
  assign rest_end = rest_q == RestBits'(Places + 6);
  always_ff @(posedge clk) begin
    clear_q <= clear;
    wipe_q <= clear || (wipe_q && !rest_end);
    rest_q <= core_open && !rest_end ? rest_q + 1'b1 : '0;
    if (!wipe_q) rest_q <= '0;
    if (rst) begin
      clear_q <= 1'b0;
      wipe_q  <= 1'b0;
    end
  end

  // Contexts. The IV is for a packet's first beat alone; a key is only carried, a slot is judged as
  // well.
  localparam int unsigned WindowBits = Stored ? SlotBits : KeyBits;
  localparam int unsigned CarriedBits = Stored ? 1 : KeyBits;
  localparam int unsigned JudgedBits = (Stored ? SlotBits : 0) + 3 + 1;
  logic [CarriedBits-1:0] given_carried, beat_carried;
  logic [JudgedBits-1:0] given_judged, next_judged, beat_judged;
  logic [SlotBits-1:0] next_slot;
  logic [WindowBits-1:0] beat_window;
  logic [127:0] given_iv, beat_iv;
  logic [2:0] next_mode, beat_mode;
  logic next_decrypt, beat_decrypt;
  assign {next_mode, next_decrypt} = next_judged[3:0];
  assign {beat_mode, beat_decrypt} = beat_judged[3:0];

  always_comb begin
    for (int i = 0; i < 16; i++) given_iv[8*i+:8] = s_ctx_iv[8*(15-i)+:8];
  end
  if (Stored) begin : gen_slot
    assign given_carried = 1'b0;
    assign given_judged = {s_ctx_slot, s_ctx_mode, s_ctx_decrypt};
    assign next_slot = next_judged[JudgedBits-1:4];
    assign beat_window = beat_judged[JudgedBits-1:4];
    logic unused_ok;
    assign unused_ok = &{1'b0, s_ctx_key, beat_carried};
  end else begin : gen_key
    always_comb begin
      for (int i = 0; i < KeyBits / 8; i++) begin
        given_carried[8*i+:8] = s_ctx_key[8*(KeyBits/8-1-i)+:8];
      end
    end
    assign given_judged = {s_ctx_mode, s_ctx_decrypt};
    assign next_slot = '0;
    assign beat_window = beat_carried;
    logic unused_ok;
    assign unused_ok = &{1'b0, s_ctx_slot};
  end

  // What this engine has not built is an error of the packet that asks for it. CBC decrypts in
  // aesforge_engine, where no block waits.
  logic next_wait, next_unknown, next_unbuilt, next_mac, next_partial, next_empty;
  assign next_unbuilt = (Modes >> next_mode) % 2 == 0
      || (32'(next_mode) == aesforge_pkg::ModeCbc && next_decrypt);
  assign next_empty = 32'(next_mode) == aesforge_pkg::ModeCmac;
  assign next_mac = next_empty || 32'(next_mode) == aesforge_pkg::ModeCbcMac;
  assign next_partial = 32'(next_mode) != aesforge_pkg::ModeCbc
      && 32'(next_mode) != aesforge_pkg::ModeCbcMac;

  logic next_valid, begin_valid, end_valid;
  logic [LaneBits-1:0] head_lane, end_lane;
  logic beat_hold, beat_valid, beat_first, beat_last;
  logic [LaneBits-1:0] beat_lane;
  logic [15:0] beat_keep;
  logic [127:0] beat_data;
  logic result_valid;
  logic [LaneBits-1:0] result_lane;
  logic [127:0] result;
  aesforge_lane_shell #(
      .Lanes(Lanes),
      .StartBits(128),
      .CarriedBits(CarriedBits),
      .JudgedBits(JudgedBits),
      .UserBits(UserBits),
      .Depth(Depth),
      .ContextWait(ContextWait)
  ) u_shell (
      .clk,
      .rst,
      .wipe(wipe_q),
      .s_axis_tvalid,
      .s_axis_tready,
      .s_axis_tdata,
      .s_axis_tkeep,
      .s_axis_tlast,
      .s_axis_tid,
      .s_axis_tuser,
      .s_ctx_tvalid,
      .s_ctx_tready,
      .s_ctx_start(given_iv),
      .s_ctx_carried(given_carried),
      .s_ctx_judged(given_judged),
      .next_judged,
      .next_wait,
      .next_error(next_unknown || next_unbuilt),
      .next_partial,
      .next_digest(next_mac && !next_unbuilt),
      .next_empty,
      .next_valid,
      .begin_valid,
      .head_lane,
      .end_valid,
      .end_lane,
      .beat_hold,
      .beat_valid,
      .beat_lane,
      .beat_first,
      .beat_last,
      .beat_keep,
      .beat_data,
      .beat_start(beat_iv),
      .beat_carried,
      .beat_judged,
      .result_valid,
      .result_lane,
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
  logic [LaneBits-1:0] mode_lane, out_lane;
  logic [WindowBits-1:0] mode_window;
  logic [127:0] mode_block, out_block;
  aesforge_mode_feedback #(
      .Modes(Modes),
      .Lanes(Lanes),
      .WindowBits(WindowBits)
  ) u_mode (
      .clk,
      .rst,
      .wipe(wipe_q),
      .beat_hold,
      .head_lane,
      .beat_valid,
      .beat_lane,
      .beat_first,
      .beat_last,
      .beat_keep,
      .beat_data,
      .beat_mode,
      .beat_decrypt,
      .beat_iv,
      .beat_window,
      .core_valid(mode_valid),
      .core_lane(mode_lane),
      .core_window(mode_window),
      .core_block(mode_block),
      .out_valid,
      .out_lane,
      .out_block,
      .result_valid,
      .result_lane,
      .result_data(result)
  );

  // An unrolled core takes every block at once; before a looped one they wait their turn, at most
  // one of each lane.
  logic core_valid;
  logic [LaneBits-1:0] core_lane;
  logic [WindowBits-1:0] core_window;
  logic [127:0] core_block;
  if (Looped) begin : gen_queue
    logic leave;
    aesforge_axis_queue #(
        .Width(LaneBits + WindowBits + 128),
        .Depth(2 ** LaneBits)
    ) u_queue (
        .clk,
        .rst,
        .wipe(wipe_q),
        .s_valid(mode_valid),
        .s_data({mode_lane, mode_window, mode_block}),
        .leave,
        .m_valid(core_valid),
        .m_ready(core_ready),
        .m_data({core_lane, core_window, core_block})
    );
    logic unused_ok;
    assign unused_ok = &{1'b0, leave};
  end else begin : gen_no_queue
    assign core_valid = mode_valid;
    assign {core_lane, core_window, core_block} = {mode_lane, mode_window, mode_block};
  end

  // Stored keys pass the guard on their way to the core.
  logic core_key_valid;
  logic [SlotBits-1:0] core_key_slot, core_slot;
  logic [KeyBits-1:0] core_key, core_in_key;
  if (Stored) begin : gen_guard
    logic [KeyBits-1:0] given_key;
    always_comb begin
      for (int i = 0; i < KeyBits / 8; i++) begin
        given_key[8*i+:8] = s_key_tdata[8*(KeyBits/8-1-i)+:8];
      end
    end
    aesforge_lane_guard #(
        .KeyBits(KeyBits),
        .Slots(KeySlots),
        .Lanes(Lanes)
    ) u_guard (
        .clk,
        .rst,
        .wipe(wipe_q),
        .s_key_tvalid,
        .s_key_tready,
        .s_key_slot,
        .s_key_tdata(given_key),
        .key_valid(core_key_valid),
        .key_ready(core_key_ready),
        .key_slot(core_key_slot),
        .key(core_key),
        .next_valid,
        .next_slot,
        .next_wait,
        .next_unknown,
        .begin_valid(begin_valid && next_valid && !next_unknown && !next_unbuilt),
        .begin_lane(head_lane),
        .end_valid,
        .end_lane
    );
    assign core_slot = core_window;
    assign core_in_key = '0;
  end else begin : gen_no_guard
    assign s_key_tready = 1'b0;
    assign core_key_valid = 1'b0;
    assign core_key_slot = '0;
    assign core_key = '0;
    assign core_slot = '0;
    assign core_in_key = core_window;
    assign next_wait = 1'b0;
    assign next_unknown = 1'b0;
    logic unused_ok;
    assign unused_ok = &{
      1'b0, s_key_tvalid, s_key_slot, s_key_tdata, core_key_ready, next_valid, next_slot,
      begin_valid, end_valid, end_lane
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
      .TagBits(LaneBits),
      .DelayStyle(DelayStyle)
  ) u_core (
      .clk,
      .rst,
      .clear(clear_q),
      .in_valid(core_valid),
      .in_ready(core_ready),
      .in_block(core_block),
      .in_key(core_in_key),
      .in_slot(core_slot),
      .in_decrypt(1'b0),
      .in_tag(core_lane),
      .key_valid(core_key_valid),
      .key_ready(core_key_ready),
      .key_slot(core_key_slot),
      .key(core_key),
      .out_valid,
      .out_block,
      .out_tag(out_lane)
  );
endmodule

`default_nettype wire
