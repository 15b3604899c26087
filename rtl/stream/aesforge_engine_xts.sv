// SPDX-License-Identifier: Apache-2.0
// An AES core and XTS (IEEE Std 1619, SP 800-38E) with AXI4-Stream interfaces. A packet is a data
// unit; every beat comes out, in order. One beat per cycle, without bubbles between data units of
// Nr beats or more: tweaks come from a second core, of one round. With beats of several blocks it
// has two, and Nr / 2 beats will do. Latency that of the core + 14,
// and, with `Stealing`, that of the core + 3 again.
`default_nettype none

module aesforge_engine_xts #(
    parameter int unsigned KeyBits = 128,  // [128, 256] of each of the two keys
    // [0, 1, 2] this and the next eight: see aesforge_core; its rounds are unrolled
    parameter int unsigned Direction = aesforge_pkg::Both,
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTower,  // [a style] S-boxes of the rounds
    // [a style] S-boxes of the key schedule, and of the core of tweaks
    parameter int unsigned KeySboxStyle = aesforge_pkg::SboxTower,
    parameter int unsigned SboxStages = 1,  // [0 or more] pipeline stages in SubBytes
    parameter int unsigned LinearStages = 1,  // [0 to 4] pipeline stages in the rest of a round
    parameter int unsigned MixStyle = aesforge_pkg::MixXtime,  // [0, 1, 2] see aesforge_mix_column
    parameter int unsigned KeySlots = 2,  // [2 to 16] slots, each for two keys
    parameter int unsigned Tiles = 1,  // [1, 2, 4] blocks of a beat
    parameter int unsigned DelayStyle = aesforge_pkg::DelayRam,  // [0, 1] see aesforge_delay
    // [0, 1] 1: a data unit may end in part of a block (ciphertext stealing)
    parameter bit Stealing = 1'b1,
    // [1 to 20] a data unit has at most 2^UnitBits blocks; below 20 for tests
    parameter int unsigned UnitBits = 20,
    parameter int unsigned IdBits = 1,  // [1 or more] bits of `tid`
    parameter int unsigned UserBits = 1,  // [1 or more] bits of `tuser` without the error flag
    // [a power of two from 8 on] places of the queues; full rate needs the latency + 2, rounded up
    parameter int unsigned Depth = 64,
    // [0 or more] most cycles that a packet waits for its context; 0: forever
    parameter int unsigned ContextTimeout = 1024,
    parameter int unsigned QueueStyle = aesforge_pkg::QueueBlock,  // [0, 1] see aesforge_queue_ram
    localparam int unsigned Nr = KeyBits / 32 + 6,
    localparam int unsigned SlotBits = $clog2(KeySlots)
) (
    input  logic                 clk,  // clock
    input  logic                 rst,  // synchronous reset
    // zeroizes keys, contexts and data and drops all packets; a pulse of one cycle will do
    input  logic                 zeroize,
    input  logic                 s_key_tvalid,  // a pair of keys is present
    output logic                 s_key_tready,  // it is accepted
    input  logic [ SlotBits-1:0] s_key_slot,  // slot of the keys
    // key of the data, byte 0 in bits 7 to 0; above it the key of the tweaks. Equal keys leave the
    // slot empty.
    input  logic [2*KeyBits-1:0] s_key_tdata,
    input  logic                 s_ctx_tvalid,  // a context is present
    output logic                 s_ctx_tready,  // it is accepted
    input  logic [ SlotBits-1:0] s_ctx_slot,  // slot of its keys
    input  logic [        127:0] s_ctx_iv,  // number of the data unit, a binary number
    // data units that follow under this context, each with the next number
    input  logic [         15:0] s_ctx_more,
    input  logic                 s_ctx_decrypt,  // 1: decrypt
    input  logic                 s_axis_tvalid,  // a beat is present
    output logic                 s_axis_tready,  // it is accepted
    input  logic [128*Tiles-1:0] s_axis_tdata,  // bytes, byte 0 in bits 7 to 0
    // a bit for each byte: the first bytes in a last beat, all bytes in any other
    input  logic [ 16*Tiles-1:0] s_axis_tkeep,
    input  logic                 s_axis_tlast,  // the data unit ends with this beat
    input  logic [   IdBits-1:0] s_axis_tid,  // returned with the beat
    input  logic [ UserBits-1:0] s_axis_tuser,  // returned with the beat, one bit higher
    output logic                 m_axis_tvalid,  // a beat is at the output
    input  logic                 m_axis_tready,  // it is accepted
    // bytes, byte 0 in bits 7 to 0; those not kept are 0
    output logic [128*Tiles-1:0] m_axis_tdata,
    output logic [ 16*Tiles-1:0] m_axis_tkeep,  // `tkeep` of the input beat
    output logic                 m_axis_tlast,  // `tlast` of the input beat
    output logic [   IdBits-1:0] m_axis_tid,  // `tid` of the input beat
    output logic [   UserBits:0] m_axis_tuser  // bit 0: error; above it `s_axis_tuser`
);
  localparam int unsigned Latency = Nr * (SboxStages + LinearStages) + 1;
  localparam int unsigned TweakDepth = 16;
  localparam int unsigned DataBits = 128 * Tiles;
  localparam int unsigned KeepBits = 16 * Tiles;
  // `tuser` inside: an error and the beat before part of a block are at the top.
  localparam int unsigned InnerBits = UserBits + 2;

  if (KeyBits != 128 && KeyBits != 256) begin : gen_bad_key_bits
    $error("XTS has keys of 128 or 256 bits");
  end
  if (Tiles != 1 && Tiles != 2 && Tiles != 4) begin : gen_bad_tiles
    $error("tiles must be 1, 2 or 4");
  end

  // Zeroize: first the cores; then their output of zeros overwrites the delays and queues.
  localparam int unsigned WaitRest = 2 ** $clog2(2 * Latency + 2) + 4;
  localparam int unsigned QueueRest = Depth + 6 + Tiles + (Stealing ? Latency + 7 : 3);
  localparam int unsigned Rest = QueueRest > WaitRest ? QueueRest : WaitRest;
  logic core_zeroize, zeroizing, key_ready, data_key_ready, tweak_key_ready;
  aesforge_zeroize_sequence #(
      .Cycles(Rest)
  ) u_zeroize (
      .clk,
      .rst,
      .zeroize,
      .cores_ready(key_ready),
      .core_zeroize,
      .zeroizing
  );

  // A flip-flop of its own before the shell: what is accepted in the cycle of a pulse is discarded
  // a cycle later.
  logic zeroize_q;
  always_ff @(posedge clk) zeroize_q <= (zeroize || zeroizing) && !rst;

  // Pairs of keys. One waits until the last blocks of the data units before have entered the core a
  // second time.
  logic unit_valid, unit_stall, slot_unknown, unit_begin, unit_end, key_load, ctx_coming;
  logic [SlotBits-1:0] key_slot, unit_slot, number_slot;
  logic [2*KeyBits-1:0] key;
  assign key_ready = data_key_ready && tweak_key_ready;
  aesforge_context_key_interlock #(
      .KeyBits(2 * KeyBits),
      .Slots(KeySlots),
      .Open(2 * TweakDepth),
      .Wait(Stealing ? Latency + 9 : 5)
  ) u_interlock (
      .clk,
      .rst,
      .zeroize(zeroizing),
      .s_key_tvalid,
      .s_key_tready,
      .s_key_slot,
      .s_key_tdata({
        KeyBits'(aesforge_pkg::byte_swap(256'(s_key_tdata[KeyBits-1:0]), KeyBits / 8)),
        KeyBits'(aesforge_pkg::byte_swap(256'(s_key_tdata[2*KeyBits-1:KeyBits]), KeyBits / 8))
      }),
      .key_load,
      .key_ready,
      .key_slot,
      .key,
      .next_valid(unit_valid),
      .next_slot(unit_slot),
      .next_stall(unit_stall),
      .next_unknown(slot_unknown),
      .begin_valid(unit_begin),
      .end_valid(unit_end),
      .coming(ctx_coming)
  );

  // SP 800-38E needs two keys that differ. They are compared while data units of the slot wait.
  logic keys_equal;
  aesforge_key_pair_check #(
      .KeyBits(KeyBits),
      .Slots  (KeySlots)
  ) u_pairs (
      .clk,
      .rst,
      .zeroize(zeroizing),
      .accept(s_key_tvalid && s_key_tready),
      .key_slot,
      .key,
      .slot(unit_slot),
      .equal(keys_equal)
  );

  // Tweaks.
  localparam int unsigned HeaderBits = SlotBits + 2;
  logic number_valid, number_ready, tweak_valid, ctx_valid, ctx_ready;
  logic [127:0] number, tweak, ctx_tweak;
  logic [HeaderBits-1:0] ctx_header;
  aesforge_xts_tweak #(
      .Slots(KeySlots),
      .Depth(TweakDepth),
      .Style(QueueStyle)
  ) u_tweak (
      .clk,
      .rst,
      .zeroize(zeroize_q),
      .s_valid(s_ctx_tvalid),
      .s_ready(s_ctx_tready),
      .s_slot(s_ctx_slot),
      .s_decrypt(s_ctx_decrypt),
      .s_number(s_ctx_iv),
      .s_more(s_ctx_more),
      .next_valid(unit_valid),
      .next_slot(unit_slot),
      .next_stall(unit_stall),
      .next_unknown(slot_unknown || keys_equal),
      .begin_valid(unit_begin),
      .core_valid(number_valid),
      .core_ready(number_ready),
      .core_block(number),
      .core_slot(number_slot),
      .out_valid(tweak_valid),
      .out_block(tweak),
      .m_valid(ctx_valid),
      .m_ready(ctx_ready),
      .m_header(ctx_header),
      .m_tweak(ctx_tweak)
  );
  logic tweak_tag;
  aesforge_core #(
      .KeyBits(KeyBits),
      .Direction(aesforge_pkg::Encrypt),
      .Unroll(Tiles > 1 ? 2 : 1),
      .SboxStyle(KeySboxStyle),
      .KeySboxStyle(KeySboxStyle),
      .SboxStages(SboxStages),
      .LinearStages(LinearStages),
      .MixStyle(MixStyle),
      .KeySlots(KeySlots),
      .TagBits(1),
      .DelayStyle(DelayStyle)
  ) u_tweak_core (
      .clk,
      .rst,
      .zeroize(core_zeroize),
      .in_valid(number_valid),
      .in_ready(number_ready),
      .in_block(number),
      .in_key('0),
      .in_slot(number_slot),
      .in_decrypt(1'b0),
      .in_tag(1'b0),
      .key_valid(key_load),
      .key_ready(tweak_key_ready),
      .key_slot,
      .key(key[KeyBits-1:0]),
      .out_valid(tweak_valid),
      .out_block(tweak),
      .out_tag(tweak_tag)
  );

  // Beats in, each with the news whether part of a block follows.
  localparam int unsigned UnitWord = DataBits + IdBits + UserBits;
  logic look_valid, look_ready, look_last, look_steals, look_error;
  logic head_valid, head_ready, head_last, head_steals, head_error;
  logic [UnitWord-1:0] look_data;
  logic [KeepBits-1:0] look_keep;
  logic [DataBits-1:0] head_data;
  logic [KeepBits-1:0] head_keep;
  logic [IdBits-1:0] head_id;
  logic [UserBits-1:0] head_user;
  aesforge_unit_lookahead #(
      .Width(UnitWord),
      .Blocks(Tiles),
      .UnitBits(UnitBits),
      .Stealing(Stealing)
  ) u_lookahead (
      .clk,
      .rst,
      .zeroize(zeroize_q),
      .s_valid(s_axis_tvalid),
      .s_ready(s_axis_tready),
      .s_data({s_axis_tdata, s_axis_tid, s_axis_tuser}),
      .s_keep(s_axis_tkeep),
      .s_last(s_axis_tlast),
      .m_valid(look_valid),
      .m_ready(look_ready),
      .m_data(look_data),
      .m_keep(look_keep),
      .m_last(look_last),
      .m_steals(look_steals),
      .m_error(look_error)
  );
  // No path leads from the shell's ready to the flip-flops of the beats before it.
  aesforge_axis_slice #(
      .Width(UnitWord + KeepBits + 3)
  ) u_head (
      .clk,
      .rst,
      .zeroize(zeroize_q),
      .s_valid(look_valid),
      .s_ready(look_ready),
      .s_data({look_data, look_keep, look_last, look_steals, look_error}),
      .m_valid(head_valid),
      .m_ready(head_ready),
      .m_data({head_data, head_id, head_user, head_keep, head_last, head_steals, head_error})
  );

  // The header of a context that came has a 1 at the top.
  logic [HeaderBits:0] next_header, open_header, beat_header;
  logic next_decrypt, next_error, beat_valid, beat_ready, beat_first, beat_block, beat_last;
  logic [InnerBits-1:0] next_user, beat_user;
  logic [127:0] beat_tweak;
  logic [DataBits-1:0] beat_data, result, post_xor;
  logic [KeepBits-1:0] beat_keep;
  logic result_valid, post_valid, post_note, open;
  logic [DataBits+KeepBits+IdBits+InnerBits+1:0] post_word;
  logic [InnerBits:0] m_axis_inner;
  assign {next_decrypt, next_error} = next_header[1:0];
  assign m_axis_tuser = m_axis_inner[UserBits:0];
  aesforge_axis_shell #(
      .Bytes(KeepBits),
      .BlockBytes(16),
      .HeaderBits(HeaderBits + 1),
      .PayloadBits(128),
      .IdBits(IdBits),
      .UserBits(InnerBits),
      .Depth(Depth),
      .ContextTimeout(ContextTimeout),
      .QueueStyle(QueueStyle),
      .Marked(1'b1)
  ) u_shell (
      .clk,
      .rst,
      .zeroize(zeroize || zeroizing),
      .s_axis_tvalid(head_valid),
      .s_axis_tready(head_ready),
      .s_axis_tdata(head_data),
      .s_axis_tkeep(head_keep),
      .s_axis_tlast(head_last),
      .s_axis_tid(head_id),
      .s_axis_tuser({head_error, head_steals, head_user}),
      .s_ctx_tvalid(ctx_valid),
      .s_ctx_tready(ctx_ready),
      .s_ctx_header({1'b1, ctx_header}),
      .s_ctx_payload(ctx_tweak),
      .ctx_coming,
      .next_header,
      .next_stall(1'b0),
      .next_error(next_error || (Direction == aesforge_pkg::Encrypt && next_decrypt)
          || (Direction == aesforge_pkg::Decrypt && !next_decrypt)),
      .next_partial(Stealing),
      .next_tag_length('0),
      .open,
      .open_header,
      .head_user(next_user),
      .beat_valid,
      .beat_ready,
      .beat_first,
      .beat_block,
      .beat_last,
      .beat_keep,
      .beat_user,
      .beat_data,
      .beat_header,
      .beat_payload(beat_tweak),
      .beat_xor('0),
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
      .m_axis_tuser(m_axis_inner)
  );
  assign unit_end = beat_valid && beat_ready && beat_last && beat_header[HeaderBits];

  logic core_valid, core_ready, core_result, core_decrypt, out_tag;
  logic [SlotBits-1:0] core_slot;
  logic [DataBits-1:0] core_block, core_out;
  aesforge_mode_xts #(
      .Stealing(Stealing),
      .Blocks(Tiles),
      .SideBits(SlotBits + 1),
      .Latency(Latency),
      .Style(QueueStyle)
  ) u_mode (
      .clk,
      .rst,
      .zeroize(zeroizing),
      .beat_valid,
      .beat_ready,
      .beat_first,
      .beat_block,
      .beat_steals(beat_user[UserBits]),
      .beat_keep,
      .beat_data,
      .beat_decrypt(beat_header[1]),
      .beat_tweak,
      .beat_side(beat_header[HeaderBits-1:1]),
      .core_valid,
      .core_block,
      .core_side({core_slot, core_decrypt}),
      .out_block(core_out),
      .result_valid,
      .result
  );
  aesforge_core #(
      .KeyBits(KeyBits),
      .Direction(Direction),
      .Unroll(Nr),
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
      .in_key('0),
      .in_slot(core_slot),
      .in_decrypt(core_decrypt),
      .in_tag(1'b0),
      .key_valid(key_load),
      .key_ready(data_key_ready),
      .key_slot,
      .key(key[2*KeyBits-1:KeyBits]),
      .out_valid(core_result),
      .out_block(core_out),
      .out_tag(out_tag)
  );

  // What a context decides stands in the header, and the core is a pipeline.
  logic unused_ok;
  assign unused_ok = &{
    1'b0,
    tweak_tag,
    out_tag,
    core_ready,
    core_result,
    open,
    open_header,
    next_header,
    beat_header,
    beat_user,
    next_user,
    post_xor,
    post_note,
    m_axis_inner[InnerBits:UserBits+1]
  };
endmodule

`default_nettype wire
