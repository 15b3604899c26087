// SPDX-License-Identifier: Apache-2.0
// An AES core and GCM (SP 800-38D) with AXI4-Stream interfaces, encryption and decryption. A packet
// is additional authenticated data, text and a tag; every beat comes out, in order. One beat of
// `Tiles` blocks per cycle with an unrolled core, without bubbles between packets. Latency that of
// the core + 34 + `MultiplyStages` + the beats it looks ahead. With a digit-serial multiplier, for
// small cores: one beat every 128 / `MultiplyDigit` + 2 cycles at most; latency that of the core +
// 15 + 128 / `MultiplyDigit`.
`default_nettype none

module aesforge_engine_gcm #(
    // [128, 192, 256] this and the next nine: see aesforge_core
    parameter int unsigned KeyBits = 128,
    parameter int unsigned Unroll = 10,  // [a divisor of Nr] rounds in hardware
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTower,  // [a style] S-boxes of the rounds
    // [a style] S-boxes of the key schedule
    parameter int unsigned KeySboxStyle = aesforge_pkg::SboxTower,
    parameter int unsigned SboxStages = 1,  // [0 or more] pipeline stages in SubBytes
    parameter int unsigned LinearStages = 1,  // [0 to 4] pipeline stages in the rest of a round
    parameter int unsigned MixStyle = aesforge_pkg::MixXtime,  // [0, 1, 2] see aesforge_mix_column
    parameter int unsigned KeySlots = 2,  // [2 to 16] key slots
    // [1, 2, 4] blocks of a beat; 1 unless `Unroll` is Nr and the multiplier is pipelined
    parameter int unsigned Tiles = 1,
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
    localparam int unsigned Nr = KeyBits / 32 + 6,
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
    output logic [  UserBits:0] m_axis_tuser
);
  localparam bit Looped = Unroll < Nr;
  // A digit-serial multiplier makes one product after the other (Horner's rule), so it needs no
  // powers of H, and need not know how many beats follow. Blocks enter so many cycles apart that it
  // has time for each.
  localparam bit Serial = MultiplyStages == 0;
  localparam int unsigned Ahead =
      Serial ? 1 : MultiplyStages <= 2 ? 4 : MultiplyStages <= 6 ? 8 : 16;
  localparam int unsigned CountStages = Serial ? 1 : 6;
  localparam int unsigned TagLatency = Serial ? 128 / MultiplyDigit + 4 : MultiplyStages + 13;
  localparam int unsigned Interval = Serial ? 128 / MultiplyDigit + 2 : 1;
  localparam int unsigned PowerBits = Serial ? 1 : $clog2(Ahead * Tiles);
  localparam int unsigned LeftBits = Serial ? 0 : PowerBits + 1;
  localparam int unsigned Powers = 2 ** SlotBits * Ahead * Tiles;
  // `tuser` inside: how many beats follow is at the top.
  localparam int unsigned InnerBits = LeftBits + UserBits;
  localparam bit Elastic = Looped || Serial;
  localparam int unsigned DataBits = 128 * Tiles;
  localparam int unsigned KeepBits = 16 * Tiles;

  if ((Tiles != 1 && Tiles != 2 && Tiles != 4) || (Elastic && Tiles > 1)) begin : gen_bad_tiles
    $error("tiles must be 1, 2 or 4, and 1 in a looped or digit-serial engine");
  end

  // Zeroize: first the core; then its output of zeros overwrites the queues.
  localparam int unsigned QueueRest = Depth + 6 + Tiles + TagLatency;
  localparam int unsigned PowerRest = Powers + MultiplyStages + 8;
  localparam int unsigned HoldRest = HoldBeats + 4 + Tiles;
  localparam int unsigned MostRest = QueueRest > PowerRest ? QueueRest : PowerRest;
  localparam int unsigned Rest = MostRest > HoldRest ? MostRest : HoldRest;
  logic core_zeroize, zeroizing, core_ready, core_key_ready;
  aesforge_zeroize_sequence #(
      .Cycles(Rest)
  ) u_zeroize (
      .clk,
      .rst,
      .zeroize,
      .cores_ready(core_key_ready),
      .core_zeroize,
      .zeroizing
  );

  // Flip-flops of their own before and after the core: no net has to reach all of the engine.
  logic zeroizing_q, counter_zeroize_q;
  always_ff @(posedge clk) begin
    zeroizing_q <= zeroizing && !rst;
    counter_zeroize_q <= zeroizing_q && !rst;
  end

  // Beats in, each with how much of its packet follows.
  localparam int unsigned HeadBits = DataBits + KeepBits + IdBits + UserBits;
  logic head_valid, head_ready, head_last;
  logic [HeadBits-1:0] axis_word, head_word;
  logic [PowerBits:0] head_left;
  logic [DataBits-1:0] head_data;
  logic [KeepBits-1:0] head_keep;
  logic [IdBits-1:0] head_id;
  logic [UserBits-1:0] head_user;
  assign axis_word = {s_axis_tdata, s_axis_tkeep, s_axis_tid, s_axis_tuser};
  assign {head_data, head_keep, head_id, head_user} = head_word;
  if (Serial) begin : gen_head
    assign {head_valid, head_word, head_last} = {s_axis_tvalid, axis_word, s_axis_tlast};
    assign s_axis_tready = head_ready;
    assign head_left = '0;
  end else begin : gen_head
    // Blocks less one: those that begin, except the first.
    localparam int unsigned SizeBits = Tiles > 1 ? $clog2(Tiles) : 1;
    logic zeroize_q;
    logic [SizeBits-1:0] size;
    logic [$clog2(Ahead):0] beats_left;
    logic [PowerBits-1:0] sum;
    always_ff @(posedge clk) zeroize_q <= (zeroize || zeroizing) && !rst;
    always_comb begin
      size = '0;
      for (int b = 1; b < Tiles; b++) size += SizeBits'(s_axis_tkeep[16*b]);
    end
    logic look_valid, look_ready, look_last;
    logic [HeadBits-1:0] look_word;
    logic [PowerBits:0] look_left;
    if (Tiles == 1) begin : gen_left
      assign look_left = beats_left;
      logic unused_ok;
      assign unused_ok = &{1'b0, sum};
    end else begin : gen_left
      assign look_left = {beats_left[$clog2(Ahead)], sum};
      logic unused_ok;
      assign unused_ok = &{1'b0, beats_left};
    end
    aesforge_packet_lookahead #(
        .Width (HeadBits),
        .Ahead (Ahead),
        .Blocks(Tiles)
    ) u_lookahead (
        .clk,
        .rst,
        .zeroize(zeroize_q),
        .s_valid(s_axis_tvalid),
        .s_ready(s_axis_tready),
        .s_data(axis_word),
        .s_last(s_axis_tlast),
        .s_size(size),
        .m_valid(look_valid),
        .m_ready(look_ready),
        .m_data(look_word),
        .m_last(look_last),
        .m_left(beats_left),
        .m_sum(sum)
    );
    // A stall of the shell ends here: the lookahead's memories are far from it. A slice for each
    // block, the first with all that comes beside the data: no stall has to reach all words.
    localparam int unsigned FirstBits = HeadBits - DataBits + 128 + 1 + PowerBits + 1;
    aesforge_axis_slice #(
        .Width(FirstBits)
    ) u_slice (
        .clk,
        .rst,
        .zeroize(zeroize_q),
        .s_valid(look_valid),
        .s_ready(look_ready),
        .s_data({look_word[HeadBits-DataBits+127:0], look_last, look_left}),
        .m_valid(head_valid),
        .m_ready(head_ready),
        .m_data({head_word[HeadBits-DataBits+127:0], head_last, head_left})
    );
    for (genvar b = 1; b < Tiles; b++) begin : gen_apart
      localparam int unsigned At = HeadBits - DataBits + 128 * b;
      logic s_ready, m_valid;
      aesforge_axis_slice #(
          .Width(128)
      ) u_slice (
          .clk,
          .rst,
          .zeroize(zeroize_q),
          .s_valid(look_valid),
          .s_ready,
          .s_data(look_word[At+:128]),
          .m_valid,
          .m_ready(head_ready),
          .m_data(head_word[At+:128])
      );
      logic unused_ok;
      assign unused_ok = &{1'b0, s_ready, m_valid};
    end
  end

  // Contexts. The header has slot, direction, kind of IV and length of the tag, a bit for each that
  // is legal: decoded before it waits, so that a packet begins sooner. The payload has the IV.
  localparam int unsigned HeaderBits = SlotBits + 3 + 7;
  localparam logic [1:0] IvGiven = 2'd0, IvPacket = 2'd1, IvHashed = 2'd2;
  logic [HeaderBits-1:0] next_header, open_header, beat_header;
  logic [95:0] beat_iv;
  logic [SlotBits-1:0] next_slot, beat_slot;
  logic beat_decrypt, next_stall, next_unknown, next_decrypt;
  logic [6:0] ctx_tag_length, next_tag_length;
  logic [1:0] next_kind, beat_kind;
  assign {next_slot, next_decrypt, next_kind, next_tag_length} = next_header;
  assign {beat_slot, beat_decrypt, beat_kind} = beat_header[HeaderBits-1:7];
  always_comb begin
    case (s_ctx_tag_bytes)
      5'd16: ctx_tag_length = 7'b1000000;
      5'd15: ctx_tag_length = 7'b0100000;
      5'd14: ctx_tag_length = 7'b0010000;
      5'd13: ctx_tag_length = 7'b0001000;
      5'd12: ctx_tag_length = 7'b0000100;
      5'd8: ctx_tag_length = {5'b0, ShortTags, 1'b0};
      5'd4: ctx_tag_length = {6'b0, ShortTags};
      default: ctx_tag_length = '0;
    endcase
  end

  logic open, zero_valid, zero_ready, next_key_comes;
  assign next_key_comes = s_key_tvalid && s_key_tready && s_key_slot == next_slot;

  // An IV on its way to its hash: a packet that uses it, or brings another, waits for that. It is
  // used once.
  logic iv_open, iv_used, iv_pending_q, iv_ready_q, iv_done, iv_error, next_iv_stall, next_bad_kind;
  logic [SlotBits-1:0] iv_slot_q;
  logic [127:0] hashed_iv;
  assign iv_open = open && open_header[8:7] == IvPacket;
  assign iv_used = open && open_header[8:7] == IvHashed;
  assign next_iv_stall = (iv_open || iv_pending_q) && next_kind != IvGiven;
  assign next_bad_kind = next_kind == 2'd3
      || (next_kind == IvHashed && (!iv_ready_q || iv_used || iv_slot_q != next_slot));
  always_ff @(posedge clk) begin
    if (iv_open) begin
      {iv_pending_q, iv_ready_q} <= 2'b10;
      iv_slot_q <= open_header[HeaderBits-1-:SlotBits];
    end else if (iv_done) begin
      {iv_pending_q, iv_ready_q} <= {1'b0, !iv_error};
    end else if (iv_used) begin
      iv_ready_q <= 1'b0;
    end
    if (rst || zeroizing) {iv_pending_q, iv_ready_q} <= '0;
  end
  logic beat_valid, beat_ready, beat_first, beat_block, beat_last;
  logic [KeepBits-1:0] beat_keep;
  logic [DataBits-1:0] beat_data;
  logic [InnerBits-1:0] next_user, beat_user;
  logic result_valid;
  logic [DataBits-1:0] result;
  logic post_valid, post_last, post_error, post_decrypt, post_iv, done_valid, done_last, done_error;
  logic [DataBits-1:0] post_bytes, post_xor, done_data;
  logic [KeepBits-1:0] post_keep, done_keep;
  logic [IdBits-1:0] post_id, done_id;
  logic [InnerBits-1:0] post_user;
  logic [UserBits-1:0] done_user;
  logic [SlotBits-1:0] post_slot;
  localparam int unsigned WordBits = DataBits + KeepBits + 1 + IdBits + InnerBits + 1;
  // Byte 0 of a beat is in the low bits on the bus and in the high bits inside.
  function automatic logic [DataBits-1:0] swapped(input logic [DataBits-1:0] data);
    for (int i = 0; i < KeepBits; i++) swapped[8*i+:8] = data[8*(KeepBits-1-i)+:8];
  endfunction
  logic [WordBits-1:0] post_word, done_word;
  assign {post_bytes, post_keep, post_last, post_id, post_user, post_error} = post_word;
  assign done_word = {
    swapped(done_data),
    done_keep,
    done_last,
    done_id,
    InnerBits'(done_user),
    done_error
  };
  logic held_valid, held_ready, held_last;
  logic [DataBits-1:0] held_data;
  logic [KeepBits-1:0] held_keep;
  logic [IdBits-1:0] held_id;
  logic [InnerBits:0] held_user;
  aesforge_axis_shell #(
      .Bytes(KeepBits),
      .BlockBytes(16),
      .HeaderBits(HeaderBits),
      .PayloadBits(96),
      .IdBits(IdBits),
      .UserBits(InnerBits),
      .Depth(Depth),
      .ContextTimeout(ContextTimeout),
      .QueueStyle(QueueStyle),
      .Sections(1'b1),
      .NoteBits(SlotBits + 2),
      .LateStall(!Serial)
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
      .s_axis_tuser(InnerBits'({head_left, head_user})),
      .s_ctx_tvalid,
      .s_ctx_tready,
      .s_ctx_header({s_ctx_slot, s_ctx_decrypt, s_ctx_iv_kind, ctx_tag_length}),
      .s_ctx_payload(96'(aesforge_pkg::byte_swap(256'(s_ctx_iv[95:0]), 12))),
      .ctx_coming(1'b0),
      .next_header,
      // Of the next cycle. The block of zeros for a new key takes the cycle of the first beat of a
      // packet.
      .next_stall(next_stall || next_key_comes || zero_valid || next_iv_stall),
      .next_error(next_unknown || next_tag_length == '0 || next_bad_kind),
      .next_partial(1'b0),
      .next_tag_length,
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
      .beat_payload(beat_iv),
      .beat_xor(beat_data),
      .beat_note({beat_slot, beat_decrypt, beat_kind == IvPacket}),
      .result_valid,
      .result_data(result),
      .post_valid,
      .post_word,
      .post_xor,
      .post_note({post_slot, post_decrypt, post_iv}),
      .done_valid,
      .done_word,
      .m_axis_tvalid(held_valid),
      .m_axis_tready(held_ready),
      .m_axis_tdata(held_data),
      .m_axis_tkeep(held_keep),
      .m_axis_tlast(held_last),
      .m_axis_tid(held_id),
      .m_axis_tuser(held_user)
  );

  // Counter blocks. A beat that needs none bypasses the core, which may have no key for it, with
  // the same latency.
  localparam int unsigned SideBits = SlotBits + 2;
  logic mode_valid, enter, skip, zero;
  logic [DataBits-1:0] core_block;
  logic [SlotBits-1:0] core_slot, new_slot;
  aesforge_gcm_counter #(
      .SideBits(SideBits),
      .Blocks  (Tiles),
      .Stages  (CountStages),
      .Elastic (Elastic)
  ) u_counter (
      .clk,
      .rst,
      .zeroize(counter_zeroize_q),
      .beat_valid,
      .beat_ready,
      .beat_first,
      .beat_aad(beat_user[0]),
      .beat_tag(beat_last),
      .beat_iv,
      // The fourth kind is an error, whose counters nobody needs.
      .beat_hashed(beat_kind[1]),
      .hashed_iv,
      .beat_side({beat_slot, 1'b0, !beat_block || beat_user[0] || beat_kind == IvPacket}),
      .zero_valid,
      .zero_ready,
      .zero_side({new_slot, 1'b1, 1'b0}),
      .core_valid(mode_valid),
      .core_ready(enter),
      .core_block,
      .core_side({core_slot, zero, skip})
  );
  localparam int unsigned Latency = Nr * (SboxStages + LinearStages) + 1;
  // What leaves the core, and when, is known when it enters: so no logic after its output.
  logic [Latency-1:0] result_q, skip_q, zero_q;
  logic core_result, paced;
  logic [DataBits-1:0] core_out;
  assign enter = paced && (core_ready || skip);
  assign result_valid = result_q[Latency-1];
  // Associated data leave as they are.
  assign result = skip_q[Latency-1] ? '0 : core_out;
  always_ff @(posedge clk) begin
    result_q <= Latency'({result_q, mode_valid && !zero && enter});
    skip_q <= Latency'({skip_q, mode_valid && skip && paced});
    zero_q <= Latency'({zero_q, mode_valid && zero && enter});
    if (rst || zeroizing) {result_q, skip_q, zero_q} <= '0;
  end
  if (Serial) begin : gen_pace
    localparam int unsigned PaceBits = $clog2(Interval);
    logic [PaceBits-1:0] pace_q;
    assign paced = pace_q == '0;
    always_ff @(posedge clk) begin
      if (!paced) pace_q <= pace_q - 1'b1;
      else if (mode_valid && enter) pace_q <= PaceBits'(Interval - 1);
      if (rst || zeroizing) pace_q <= '0;
    end
  end else begin : gen_pace
    assign paced = 1'b1;
  end

  // Keys pass the interlock on their way to the core, and are ready when their powers of H are.
  logic key_valid, key_ready, powers_busy;
  logic [SlotBits-1:0] key_slot;
  logic [KeyBits-1:0] key, swapped_key;
  assign swapped_key = KeyBits'(aesforge_pkg::byte_swap(256'(s_key_tdata), KeyBits / 8));
  assign key_ready   = core_key_ready && !powers_busy;
  aesforge_slot_key_interlock #(
      .KeyBits(KeyBits),
      .Slots  (KeySlots),
      // the entry of the modes, and aesforge_gcm_counter
      .Stages (2 + CountStages)
  ) u_interlock (
      .clk,
      .rst,
      .zeroize(zeroizing),
      .s_key_tvalid,
      .s_key_tready,
      .s_key_slot,
      .s_key_tdata(swapped_key),
      .key_valid,
      .key_ready,
      .key_slot,
      .key,
      .next_slot,
      .next_stall,
      .next_unknown,
      .use_valid(open),
      .use_slot(open_header[HeaderBits-1-:SlotBits]),
      .step(beat_ready)
  );
  // The powers learn a cycle later what the core takes and that it is ready: it is not, for longer
  // than that, after each key.
  logic accepted_q, core_key_ready_q;
  logic [SlotBits-1:0] accepted_slot_q;
  always_ff @(posedge clk) begin
    accepted_q <= key_valid && key_ready && 32'(key_slot) < KeySlots;
    accepted_slot_q <= key_slot;
    core_key_ready_q <= core_key_ready;
    if (rst) accepted_q <= 1'b0;
  end
  logic write_valid;
  logic [PowerBits-1:0] write_power;
  logic [127:0] write_value;
  aesforge_gcm_powers #(
      .Slots(KeySlots),
      .Ahead(Ahead * Tiles)
  ) u_powers (
      .clk,
      .rst,
      .zeroize(zeroizing_q),
      .key_accept(accepted_q),
      .key_slot(accepted_slot_q),
      .key_ready(core_key_ready_q),
      .busy(powers_busy),
      .zero_valid,
      .zero_ready,
      .slot(new_slot),
      .hash_valid(zero_q[Latency-1]),
      .hash_key(core_out[DataBits-1-:128]),
      .write_valid,
      .write_power,
      .write_value
  );

  logic out_tag;
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
      .TagBits(1),
      .DelayStyle(DelayStyle)
  ) u_core (
      .clk,
      .rst,
      .zeroize(core_zeroize),
      .in_valid(mode_valid && !skip && paced),
      .in_ready(core_ready),
      .in_block(core_block),
      .in_key('0),
      .in_slot(core_slot),
      .in_decrypt(1'b0),
      .in_tag(1'b0),
      .key_valid(key_valid && !powers_busy),
      .key_ready(core_key_ready),
      .key_slot,
      .key,
      .out_valid(core_result),
      .out_block(core_out),
      .out_tag(out_tag)
  );

  // The tag, between the results and the output queue.
  aesforge_gcm_tag #(
      .Slots(KeySlots),
      .Ahead(Ahead),
      .Stages(MultiplyStages),
      .Digit(MultiplyDigit),
      .Blocks(Tiles),
      .CountBits(CountBits),
      .SideBits(KeepBits + 1 + IdBits + UserBits),
      .PowerStyle(QueueStyle)
  ) u_tag (
      .clk,
      .rst,
      .zeroize(zeroizing_q),
      .in_valid(post_valid),
      .in_aad(post_user[0]),
      .in_tag(post_last),
      .in_error(post_error),
      .in_decrypt(post_decrypt || post_iv),
      .in_iv(post_iv),
      .in_slot(post_slot),
      .in_left((PowerBits + 1)'({1'b0, post_user} >> UserBits)),
      .in_data(swapped(post_bytes)),
      .in_xor(post_xor),
      .in_keep(post_keep),
      .in_side({post_keep, post_last, post_id, post_user[UserBits-1:0]}),
      .write_valid,
      .write_slot(new_slot),
      .write_power,
      .write_value,
      .iv_done,
      .iv_error,
      .iv_hash(hashed_iv),
      .out_valid(done_valid),
      .out_error(done_error),
      .out_data(done_data),
      .out_side({done_keep, done_last, done_id, done_user})
  );

  // Text leaves at once, or when the tag of its packet has been made or found right.
  aesforge_packet_release #(
      .DataBits(DataBits),
      .SideBits(KeepBits + IdBits + UserBits),
      .HoldBeats(HoldBeats),
      .Parts(Tiles)
  ) u_release (
      .clk,
      .rst,
      .zeroize(zeroize || zeroizing),
      .s_valid(held_valid),
      .s_ready(held_ready),
      .s_data(held_data),
      .s_side({held_keep, held_id, held_user[UserBits:1]}),
      .s_last(held_last),
      .s_error(held_user[0]),
      .m_valid(m_axis_tvalid),
      .m_ready(m_axis_tready),
      .m_data(m_axis_tdata),
      .m_side({m_axis_tkeep, m_axis_tid, m_axis_tuser[UserBits:1]}),
      .m_last(m_axis_tlast),
      .m_error(m_axis_tuser[0])
  );

  logic unused_ok;
  assign unused_ok = &{
    1'b0,
    core_result,
    out_tag,
    next_decrypt,
    open_header,
    beat_header,
    beat_keep,
    beat_user,
    next_user,
    s_ctx_iv[127:96],
    held_user
  };
endmodule

`default_nettype wire
