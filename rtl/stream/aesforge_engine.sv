// SPDX-License-Identifier: Apache-2.0
// An AES core and modes of operation (SP 800-38A) with AXI4-Stream interfaces. One beat per cycle
// with an unrolled core, without bubbles between packets. A beat has 16 bytes per tile of an
// unrolled core. Latency that of the core + 9, with CTR + 17, or + 19 if a beat has several blocks.
`default_nettype none

module aesforge_engine #(
    // [128, 192, 256] this and the next ten: see aesforge_core
    parameter int unsigned KeyBits = 128,
    // [0, 1, 2] CTR and CFB need 0 or 2, CBC 1 or 2
    parameter int unsigned Direction = aesforge_pkg::Encrypt,
    parameter int unsigned Unroll = 10,  // [a divisor of Nr] rounds in hardware
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTower,  // [a style] S-boxes of the rounds
    // [a style] S-boxes of the key schedule
    parameter int unsigned KeySboxStyle = aesforge_pkg::SboxTower,
    parameter int unsigned SboxStages = 1,  // [0 or more] pipeline stages in SubBytes
    parameter int unsigned LinearStages = 1,  // [0 to 4] pipeline stages in the rest of a round
    parameter int unsigned MixStyle = aesforge_pkg::MixXtime,  // [0, 1, 2] see aesforge_mix_column
    // [0, 2 to 16] 0: a key with each context; else the number of key slots
    parameter int unsigned KeySlots = 0,
    // [1 or more] where `Unroll` is Nr: blocks of a beat; else rings that take turns
    parameter int unsigned Tiles = 1,
    parameter int unsigned DelayStyle = aesforge_pkg::DelayRam,  // [0, 1] see aesforge_delay
    parameter int unsigned Modes = 2,  // [1 to 15] see aesforge_mode_forward
    parameter int unsigned IdBits = 1,  // [1 or more] bits of `tid`
    parameter int unsigned UserBits = 1,  // [1 or more] bits of `tuser` without the error flag
    // [a power of two from 8 on] places of the queues; full rate needs the latency + 5, rounded up
    parameter int unsigned Depth = 64,
    // [0 or more] most cycles that a packet waits for its context; 0: forever
    parameter int unsigned ContextTimeout = 1024,
    parameter int unsigned QueueStyle = aesforge_pkg::QueueBlock,  // [0, 1] see aesforge_queue_ram
    localparam int unsigned Nr = KeyBits / 32 + 6,
    localparam int unsigned Blocks = Unroll == Nr ? Tiles : 1,
    localparam int unsigned SlotBits = KeySlots > 1 ? $clog2(KeySlots) : 1
) (
    input  logic                  clk,  // clock
    input  logic                  rst,  // synchronous reset
    // zeroizes keys, contexts and data and drops all packets; a pulse of one cycle will do
    input  logic                  zeroize,
    input  logic                  s_key_tvalid,  // a key is present (stored keys only)
    output logic                  s_key_tready,  // it is accepted
    input  logic [  SlotBits-1:0] s_key_slot,  // slot of the key
    input  logic [   KeyBits-1:0] s_key_tdata,  // key, byte 0 in bits 7 to 0
    input  logic                  s_ctx_tvalid,  // a context is present
    output logic                  s_ctx_tready,  // it is accepted
    input  logic [   KeyBits-1:0] s_ctx_key,  // key, byte 0 in bits 7 to 0 (agile keys only)
    input  logic [  SlotBits-1:0] s_ctx_slot,  // slot of its key (stored keys only)
    // IV or first counter block, byte 0 in bits 7 to 0; unused by ECB
    input  logic [         127:0] s_ctx_iv,
    input  logic [           1:0] s_ctx_mode,  // 0 ECB, 1 CTR, 2 CBC, 3 CFB
    input  logic                  s_ctx_decrypt,  // 1: decrypt; CTR ignores it
    input  logic                  s_axis_tvalid,  // a beat is present
    output logic                  s_axis_tready,  // it is accepted
    input  logic [128*Blocks-1:0] s_axis_tdata,  // bytes, byte 0 in bits 7 to 0
    // a bit for each byte: the first bytes in a last beat, all bytes in any other
    input  logic [ 16*Blocks-1:0] s_axis_tkeep,
    input  logic                  s_axis_tlast,  // the packet ends with this beat
    input  logic [    IdBits-1:0] s_axis_tid,  // returned with the beat
    input  logic [  UserBits-1:0] s_axis_tuser,  // returned with the beat, one bit higher
    output logic                  m_axis_tvalid,  // a beat is at the output
    input  logic                  m_axis_tready,  // it is accepted
    // bytes, byte 0 in bits 7 to 0; those not kept are 0
    output logic [128*Blocks-1:0] m_axis_tdata,
    output logic [ 16*Blocks-1:0] m_axis_tkeep,  // `tkeep` of the input beat
    output logic                  m_axis_tlast,  // `tlast` of the input beat
    output logic [    IdBits-1:0] m_axis_tid,  // `tid` of the input beat
    output logic [    UserBits:0] m_axis_tuser  // bit 0: error; above it `s_axis_tuser`
);
  localparam bit Stored = KeySlots > 1;
  localparam bit Looped = Unroll < Nr;
  localparam bit HasEcb = (Modes >> aesforge_pkg::ModeEcb) % 2 == 1;
  localparam bit HasCtr = (Modes >> aesforge_pkg::ModeCtr) % 2 == 1;
  localparam bit HasCbc = (Modes >> aesforge_pkg::ModeCbc) % 2 == 1;
  localparam bit HasCfb = (Modes >> aesforge_pkg::ModeCfb) % 2 == 1;

  if (HasCbc && Direction == aesforge_pkg::Encrypt) begin : gen_bad_cbc
    $error("CBC decryption needs the inverse cipher: direction must be decrypt or both");
  end
  if ((HasCtr || HasCfb) && Direction == aesforge_pkg::Decrypt) begin : gen_bad_forward
    $error("CTR and CFB need the forward cipher: direction must be encrypt or both");
  end

  // Zeroize: first the core; then its output of zeros overwrites the queues.
  logic core_zeroize, zeroizing, core_ready, core_key_ready;
  aesforge_zeroize_sequence #(
      .Cycles(Depth + 6 + Blocks)
  ) u_zeroize (
      .clk,
      .rst,
      .zeroize,
      .cores_ready(Stored ? core_key_ready : core_ready),
      .core_zeroize,
      .zeroizing
  );

  // Contexts. Fields that this engine does not use are constant, and synthesis removes them. Slot,
  // mode and direction are in the header; key and IV are in the payload.
  localparam int unsigned WindowBits = Stored ? SlotBits : KeyBits;
  localparam int unsigned HeaderBits = (Stored ? SlotBits : 0) + 2 + 1;
  localparam int unsigned PayloadBits = (Stored ? 0 : KeyBits) + 128;
  logic [HeaderBits-1:0] ctx_header, next_header, open_header, beat_header;
  logic [PayloadBits-1:0] ctx_payload, beat_payload;
  logic [WindowBits-1:0] beat_window;
  logic [127:0] ctx_iv, beat_iv;
  logic [1:0] next_mode, beat_mode;
  logic next_decrypt, beat_decrypt;
  assign {next_mode, next_decrypt} = next_header[2:0];
  assign {beat_mode, beat_decrypt} = beat_header[2:0];
  assign beat_iv = beat_payload[127:0];

  always_comb begin
    ctx_iv = '0;
    if (HasCtr || HasCbc || HasCfb) begin
      ctx_iv = 128'(aesforge_pkg::byte_swap(256'(s_ctx_iv), 16));
    end
  end
  if (Stored) begin : gen_slot
    assign ctx_header = {s_ctx_slot, s_ctx_mode, s_ctx_decrypt};
    assign ctx_payload = ctx_iv;
    assign beat_window = beat_header[HeaderBits-1:3];
    logic unused_ok;
    assign unused_ok = &{1'b0, s_ctx_key};
  end else begin : gen_key
    logic [KeyBits-1:0] swapped_key;
    assign swapped_key = KeyBits'(aesforge_pkg::byte_swap(256'(s_ctx_key), KeyBits / 8));
    assign ctx_header = {s_ctx_mode, s_ctx_decrypt};
    assign ctx_payload = {swapped_key, ctx_iv};
    assign beat_window = beat_payload[PayloadBits-1:128];
    logic unused_ok;
    assign unused_ok = &{1'b0, s_ctx_slot};
  end

  // A mode or slot that this engine does not have is an error of the packet.
  logic next_stall, next_unknown, next_unbuilt, next_partial;
  always_comb begin
    case (32'(next_mode))
      aesforge_pkg::ModeEcb:
      next_unbuilt = !HasEcb || (Direction == aesforge_pkg::Encrypt && next_decrypt)
          || (Direction == aesforge_pkg::Decrypt && !next_decrypt);
      aesforge_pkg::ModeCtr: next_unbuilt = !HasCtr;
      aesforge_pkg::ModeCbc: next_unbuilt = !HasCbc || !next_decrypt;
      default: next_unbuilt = !HasCfb || !next_decrypt;
    endcase
  end
  assign next_partial = 32'(next_mode) == aesforge_pkg::ModeCtr
      || 32'(next_mode) == aesforge_pkg::ModeCfb;

  logic open, beat_valid, beat_ready, beat_first, beat_block;
  logic [128*Blocks-1:0] beat_data, beat_xor;
  logic result_valid;
  logic [128*Blocks-1:0] result;
  // Results need no further stage.
  logic beat_last, post_valid, post_note;
  logic [16*Blocks-1:0] beat_keep;
  logic [UserBits-1:0] head_user, beat_user;
  logic [128*Blocks-1:0] post_xor;
  logic [144*Blocks+IdBits+UserBits+1:0] post_word;
  aesforge_axis_shell #(
      .Bytes(16 * Blocks),
      .BlockBytes(16),
      .HeaderBits(HeaderBits),
      .PayloadBits(PayloadBits),
      .IdBits(IdBits),
      .UserBits(UserBits),
      .Depth(Depth),
      .ContextTimeout(ContextTimeout),
      .QueueStyle(QueueStyle)
  ) u_shell (
      .clk,
      .rst,
      .zeroize(zeroize || zeroizing),
      .s_axis_tvalid,
      .s_axis_tready,
      .s_axis_tdata,
      .s_axis_tkeep,
      .s_axis_tlast,
      .s_axis_tid,
      .s_axis_tuser,
      .s_ctx_tvalid,
      .s_ctx_tready,
      .s_ctx_header(ctx_header),
      .s_ctx_payload(ctx_payload),
      .ctx_coming(1'b0),
      .next_header,
      .next_stall,
      .next_error(next_unknown || next_unbuilt),
      .next_partial,
      .next_tag_length('0),
      .open,
      .open_header,
      .head_user,
      .beat_valid,
      .beat_ready,
      .beat_first,
      .beat_block,
      .beat_last,
      .beat_keep,
      .beat_user,
      .beat_data,
      .beat_header,
      .beat_payload,
      .beat_xor,
      .beat_note(1'b0),
      .result_valid,
      .result_data(result),
      .post_valid,
      .post_word,
      .post_xor,
      .post_note,
      .done_valid(post_valid),
      .done_word(post_word),
      .m_axis_tvalid,
      .m_axis_tready,
      .m_axis_tdata,
      .m_axis_tkeep,
      .m_axis_tlast,
      .m_axis_tid,
      .m_axis_tuser
  );

  // A flip-flop of its own for the mode: no net has to reach all of the engine.
  logic zeroizing_q;
  always_ff @(posedge clk) zeroizing_q <= zeroizing && !rst;

  // The mode, between the beats and the core. The direction matters only if a mode has both.
  localparam int unsigned SideBits = WindowBits + 2;
  logic decrypt, mode_valid, core_valid, core_decrypt, skip;
  logic [128*Blocks-1:0] core_block;
  logic [WindowBits-1:0] core_window;
  assign decrypt = Direction == aesforge_pkg::Both && beat_decrypt
      && (32'(beat_mode) == aesforge_pkg::ModeEcb || 32'(beat_mode) == aesforge_pkg::ModeCbc);
  aesforge_mode_forward #(
      .Modes(Modes),
      .Blocks(Blocks),
      .SideBits(SideBits),
      .Elastic(Looped)
  ) u_mode (
      .clk,
      .rst,
      .zeroize(zeroizing_q),
      .beat_valid,
      .beat_ready,
      .beat_first,
      .beat_data,
      .beat_mode,
      .beat_iv,
      .beat_side({beat_window, decrypt, !beat_block}),
      .beat_xor,
      .core_valid(mode_valid),
      .core_ready(core_ready || skip),
      .core_block,
      .core_side({core_window, core_decrypt, skip})
  );

  // A beat without a block bypasses the core, which may have no key for it, with the same latency.
  localparam int unsigned Waits = Stored || Direction == aesforge_pkg::Encrypt ? 1 : 2;
  localparam int unsigned Latency = Waits * Nr * (SboxStages + LinearStages) + 1;
  logic [Latency-1:0] skip_q;
  logic core_result, skip_rst_q;
  assign core_valid = mode_valid && !skip;
  assign result_valid = core_result || skip_q[Latency-1];
  always_ff @(posedge clk) begin
    // A reset has a stage before it reaches all but the last.
    skip_rst_q <= rst || zeroizing;
    skip_q <= Latency'({skip_q, mode_valid && skip});
    if (skip_rst_q) skip_q <= '0;
    if (rst || zeroizing) skip_q[$high(skip_q)] <= 1'b0;
  end

  // Stored keys pass the interlock on their way to the core.
  logic core_key_valid;
  logic [SlotBits-1:0] core_key_slot, core_slot;
  logic [KeyBits-1:0] core_key, core_in_key;
  if (Stored) begin : gen_interlock
    logic [KeyBits-1:0] swapped_key;
    assign swapped_key = KeyBits'(aesforge_pkg::byte_swap(256'(s_key_tdata), KeyBits / 8));
    aesforge_slot_key_interlock #(
        .KeyBits(KeyBits),
        .Slots(KeySlots),
        // the entry of the modes, and those of the counter
        .Stages(!HasCtr ? 1 : Blocks > 1 ? 11 : 9)
    ) u_interlock (
        .clk,
        .rst,
        .zeroize(zeroizing),
        .s_key_tvalid,
        .s_key_tready,
        .s_key_slot,
        .s_key_tdata(swapped_key),
        .key_valid(core_key_valid),
        .key_ready(core_key_ready),
        .key_slot(core_key_slot),
        .key(core_key),
        .next_slot(next_header[HeaderBits-1:3]),
        .next_stall,
        .next_unknown,
        .use_valid(open),
        .use_slot(open_header[HeaderBits-1:3]),
        .step(beat_ready)
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
      1'b0, s_key_tvalid, s_key_slot, s_key_tdata, open, open_header, core_key_ready
    };
  end

  logic out_tag;
  aesforge_core #(
      .KeyBits(KeyBits),
      .Direction(Direction),
      .Unroll(Unroll),
      .SboxStyle(SboxStyle),
      .KeySboxStyle(KeySboxStyle),
      .SboxStages(SboxStages),
      .LinearStages(LinearStages),
      .MixStyle(MixStyle),
      .KeySlots(KeySlots),
      .Tiles(Tiles),
      .TagBits(1),
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
      .in_decrypt(core_decrypt),
      .in_tag(1'b0),
      .key_valid(core_key_valid),
      .key_ready(core_key_ready),
      .key_slot(core_key_slot),
      .key(core_key),
      .out_valid(core_result),
      .out_block(result),
      .out_tag(out_tag)
  );

  logic unused_ok;
  assign unused_ok = &{
    1'b0, out_tag, next_header, open_header, beat_last, beat_keep, beat_user, head_user, post_xor,
    post_note
  };
endmodule

`default_nettype wire
