// SPDX-License-Identifier: Apache-2.0
// An AES core for interleaved streams: a queue before a looped core, the key-update interlock of
// stored keys, and the order in which all is zeroized. The stream travels through the core as its
// tag. Latency that of the core, with a looped core 4 more and the wait for a free place; a block
// per cycle, or what the core takes.
`default_nettype none

module aesforge_stream_core #(
    // [128, 192, 256] this and the next nine: see aesforge_core
    parameter int unsigned KeyBits = 128,
    parameter int unsigned Unroll = 10,  // [a divisor of Nr] rounds in hardware
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTower,  // [a style] S-boxes of the rounds
    // [a style] S-boxes of the key schedule
    parameter int unsigned KeySboxStyle = aesforge_pkg::SboxTower,
    parameter int unsigned SboxStages = 1,  // [0 or more] pipeline stages in SubBytes
    parameter int unsigned LinearStages = 1,  // [0 to 4] pipeline stages in the rest of a round
    parameter int unsigned MixStyle = aesforge_pkg::MixXtime,  // [0, 1, 2] see aesforge_mix_column
    // [0, 2 to 16] 0: a key with each block; else the number of key slots
    parameter int unsigned KeySlots = 0,
    parameter int unsigned Tiles = 1,  // [1 or more] rings that take turns; 1 where `Unroll` is Nr
    parameter int unsigned DelayStyle = aesforge_pkg::DelayRam,  // [0, 1] see aesforge_delay
    // [1 to 256] streams that may have a packet open, each with one block here at most
    parameter int unsigned Streams = 26,
    // [a power of two from 4 on] places of the queue that is zeroized after the core
    parameter int unsigned Depth = 32,
    // [0 or more] cycles, after the core, that something else takes that is zeroized with the shell
    parameter int unsigned ZeroizeCycles = 0,
    localparam int unsigned Nr = KeyBits / 32 + 6,
    localparam int unsigned SlotBits = KeySlots > 1 ? $clog2(KeySlots) : 1,
    localparam int unsigned StreamBits = Streams > 1 ? $clog2(Streams) : 1,
    localparam int unsigned WindowBits = KeySlots > 1 ? SlotBits : KeyBits
) (
    input  logic                  clk,  // clock
    input  logic                  rst,  // synchronous reset
    // zeroizes keys and blocks; a pulse of one cycle will do
    input  logic                  zeroize,
    // high while the shell and the mode around it are to be zeroized
    output logic                  zeroizing,
    input  logic                  s_key_tvalid,  // a key is present (stored keys only)
    output logic                  s_key_tready,  // it is accepted
    input  logic [  SlotBits-1:0] s_key_slot,  // slot of the key
    input  logic [   KeyBits-1:0] s_key_tdata,  // key, byte 0 in bits 7 to 0
    input  logic                  next_valid,  // a packet waits at the head with its context
    input  logic [  SlotBits-1:0] next_slot,  // slot of the next packet (stored keys only)
    output logic                  next_stall,  // the slot's key is not ready yet
    output logic                  next_unknown,  // the slot has never been loaded
    input  logic                  begin_valid,  // the packet begins under that slot's key
    input  logic [StreamBits-1:0] begin_stream,  // its stream
    input  logic                  end_valid,  // a packet that began so has ended
    input  logic [StreamBits-1:0] end_stream,  // its stream
    input  logic                  in_valid,  // a block is present; there is no back-pressure
    input  logic [StreamBits-1:0] in_stream,  // its stream, which has no block here
    input  logic [WindowBits-1:0] in_window,  // its key, byte 0 at the top, or its slot
    input  logic [         127:0] in_block,  // the block
    output logic                  out_valid,  // a result is present
    output logic [StreamBits-1:0] out_stream,  // its stream
    output logic [         127:0] out_block  // the block, encrypted
);
  localparam bit Stored = KeySlots > 1;
  localparam bit Looped = Unroll < Nr;

  if (Unroll == Nr && Tiles != 1) begin : gen_bad_tiles
    $error("with feedback a beat is one block: tiles must be 1 where unroll is full");
  end

  // Zeroize: first the core; then its output of zeros overwrites the queues, and zeros the streams.
  localparam int unsigned Places = Depth > 2 ** StreamBits ? Depth : 2 ** StreamBits;
  logic core_zeroize, core_ready, core_key_ready;
  aesforge_zeroize_sequence #(
      .Cycles(ZeroizeCycles > Places + 6 ? ZeroizeCycles : Places + 6)
  ) u_zeroize (
      .clk,
      .rst,
      .zeroize,
      .cores_ready(Stored ? core_key_ready : core_ready),
      .core_zeroize,
      .zeroizing
  );

  // An unrolled core accepts a block in every cycle; blocks queue before a looped core, at most one
  // of each stream.
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
        .zeroize(zeroizing),
        .s_valid(in_valid),
        .s_data({in_stream, in_window, in_block}),
        .leave,
        .m_valid(core_valid),
        .m_ready(core_ready),
        .m_data({core_stream, core_window, core_block})
    );
    logic unused_ok;
    assign unused_ok = &{1'b0, leave};
  end else begin : gen_no_queue
    assign core_valid = in_valid;
    assign {core_stream, core_window, core_block} = {in_stream, in_window, in_block};
  end

  // Stored keys pass the interlock on their way to the core.
  logic core_key_valid;
  logic [SlotBits-1:0] core_key_slot, core_slot;
  logic [KeyBits-1:0] core_key, core_in_key;
  if (Stored) begin : gen_interlock
    logic [KeyBits-1:0] swapped_key;
    logic key_pending;
    assign swapped_key = KeyBits'(aesforge_pkg::byte_swap(256'(s_key_tdata), KeyBits / 8));
    aesforge_stream_key_interlock #(
        .KeyBits(KeyBits),
        .Slots(KeySlots),
        .Streams(Streams)
    ) u_interlock (
        .clk,
        .rst,
        .zeroize(zeroizing),
        .s_key_tvalid,
        .s_key_tready,
        .s_key_slot,
        .s_key_tdata(swapped_key),
        .pending(key_pending),
        .load_hold(1'b0),
        .key_valid(core_key_valid),
        .key_ready(core_key_ready),
        .key_slot(core_key_slot),
        .key(core_key),
        .next_valid,
        .next_slot,
        .next_stall,
        .next_unknown,
        .begin_valid,
        .begin_stream,
        .end_valid,
        .end_stream
    );
    assign core_slot = core_window;
    assign core_in_key = '0;
    logic unused_ok;
    assign unused_ok = &{1'b0, key_pending};
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
      begin_valid, begin_stream, end_valid, end_stream
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
      .zeroize(core_zeroize),
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
