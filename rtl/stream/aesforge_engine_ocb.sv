// SPDX-License-Identifier: Apache-2.0
// An AES core and OCB (OCB3, RFC 7253) with AXI4-Stream interfaces. A packet is additional
// authenticated data, text and a tag; every beat comes out, in order. One beat per cycle, without
// bubbles between packets of Nr beats or more: offsets come from a second core, of one round.
// Latency that of the core + 13, and, where it decrypts, that of the core + 2 again.
`default_nettype none

module aesforge_engine_ocb #(
    parameter int unsigned KeyBits = 128,  // [128, 192, 256] key size
    // [0, 2] this and the next seven: see aesforge_core; its rounds are unrolled
    parameter int unsigned Direction = aesforge_pkg::Both,
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTower,  // [a style] S-boxes of the rounds
    // [a style] S-boxes of the key schedule, and of the core of offsets
    parameter int unsigned KeySboxStyle = aesforge_pkg::SboxTower,
    parameter int unsigned SboxStages = 1,  // [0 or more] pipeline stages in SubBytes
    parameter int unsigned LinearStages = 1,  // [0 to 4] pipeline stages in the rest of a round
    parameter int unsigned MixStyle = aesforge_pkg::MixXtime,  // [0, 1, 2] see aesforge_mix_column
    parameter int unsigned KeySlots = 2,  // [2 to 16] key slots
    parameter int unsigned DelayStyle = aesforge_pkg::DelayRam,  // [0, 1] see aesforge_delay
    // [6 to 14] a section has at most 2^CountBits - 1 blocks; below 14 for tests
    parameter int unsigned CountBits = 14,
    parameter int unsigned IdBits = 1,  // [1 or more] bits of `tid`
    // [1 or more] bits of `tuser` without the error flag; bit 0 marks associated data
    parameter int unsigned UserBits = 1,
    // [a power of two from 8 on] places of the queues; full rate needs the latency + 4, rounded up
    parameter int unsigned Depth = 64,
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
    input  logic [       127:0] s_ctx_iv,  // nonce, byte 0 in bits 7 to 0; the rest unused
    input  logic [         3:0] s_ctx_iv_bytes,  // bytes of the nonce, 1 to 15
    input  logic                s_ctx_decrypt,  // 1: decrypt and verify (`Direction` 2)
    input  logic [         4:0] s_ctx_tag_bytes,  // bytes of the tag: 8, 12 or 16
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
    // bit 0: error, or in the last beat a wrong tag; above it `s_axis_tuser`
    output logic [  UserBits:0] m_axis_tuser
);
  localparam bit Decrypts = Direction == aesforge_pkg::Both;
  localparam int unsigned Latency = Nr * (SboxStages + LinearStages) + 1;
  localparam int unsigned NonceDepth = 16;
  localparam int unsigned IndexBits = 4;
  // `tuser` inside: at the top an error, then the beginning of a section and the index of a word.
  localparam int unsigned InnerBits = UserBits + IndexBits + 2;

  if (Direction == aesforge_pkg::Decrypt) begin : gen_bad_direction
    $error("OCB needs the forward cipher: direction must be encrypt or both");
  end

  // Zeroize: first the cores; then their output of zeros overwrites delays, queues and the table.
  localparam int unsigned WaitRest = 2 ** $clog2(Latency + 2) + 4;
  localparam int unsigned TableRest = 2 ** (SlotBits + IndexBits) + 2;
  localparam int unsigned QueueRest = Depth + 7 + (Decrypts ? Latency + 6 : 4);
  localparam int unsigned HoldRest = HoldBeats + 5;
  localparam int unsigned CoreRest = QueueRest > WaitRest ? QueueRest : WaitRest;
  localparam int unsigned MoreRest = TableRest > HoldRest ? TableRest : HoldRest;
  localparam int unsigned Rest = CoreRest > MoreRest ? CoreRest : MoreRest;
  logic core_zeroize, zeroizing, cores_ready, data_key_ready, nonce_key_ready;
  assign cores_ready = data_key_ready && nonce_key_ready;
  aesforge_zeroize_sequence #(
      .Cycles(Rest)
  ) u_zeroize (
      .clk,
      .rst,
      .zeroize,
      .cores_ready,
      .core_zeroize,
      .zeroizing
  );

  // Keys. One waits until the tags of the packets before have entered the core, and is ready when
  // its table is.
  logic packet_valid, packet_stall, packet_unknown, packet_begin, packet_end, key_load, ctx_coming;
  logic table_busy;
  logic [SlotBits-1:0] key_slot, packet_slot;
  logic [KeyBits-1:0] key;
  aesforge_context_key_interlock #(
      .KeyBits(KeyBits),
      .Slots(KeySlots),
      .Open(2 * NonceDepth),
      .Wait(Decrypts ? Latency + 8 : 4)
  ) u_interlock (
      .clk,
      .rst,
      .zeroize(zeroizing),
      .s_key_tvalid,
      .s_key_tready,
      .s_key_slot,
      .s_key_tdata(KeyBits'(aesforge_pkg::byte_swap(256'(s_key_tdata), KeyBits / 8))),
      .key_load,
      .key_ready(cores_ready && !table_busy),
      .key_slot,
      .key,
      .next_valid(packet_valid),
      .next_slot(packet_slot),
      .next_stall(packet_stall),
      .next_unknown(packet_unknown),
      .begin_valid(packet_begin),
      .end_valid(packet_end),
      .coming(ctx_coming)
  );

  // Offsets before the text, and the table of each key: both from the core of one round.
  localparam int unsigned HeaderBits = SlotBits + 7;
  logic nonce_valid, nonce_ready, small_ready, small_result, small_tag, zero_valid;
  logic ctx_valid, ctx_ready;
  logic [SlotBits-1:0] zero_slot, nonce_slot;
  logic [127:0] nonce, small_out, ctx_offset;
  logic [HeaderBits-1:0] ctx_header;
  aesforge_ocb_nonce #(
      .Slots(KeySlots),
      .Depth(NonceDepth),
      .Style(QueueStyle)
  ) u_nonce (
      .clk,
      .rst,
      .zeroize(zeroize || zeroizing),
      .s_valid(s_ctx_tvalid),
      .s_ready(s_ctx_tready),
      .s_slot(s_ctx_slot),
      .s_decrypt(s_ctx_decrypt),
      .s_tag_bytes(s_ctx_tag_bytes),
      .s_nonce(120'(aesforge_pkg::byte_swap(256'(s_ctx_iv[119:0]), 15))),
      .s_nonce_bytes(s_ctx_iv_bytes),
      .next_valid(packet_valid),
      .next_slot(packet_slot),
      .next_stall(packet_stall),
      .next_unknown(packet_unknown),
      .begin_valid(packet_begin),
      .core_valid(nonce_valid),
      .core_ready(nonce_ready),
      .core_block(nonce),
      .core_slot(nonce_slot),
      .out_valid(small_result && !small_tag),
      .out_block(small_out),
      .m_valid(ctx_valid),
      .m_ready(ctx_ready),
      .m_header(ctx_header),
      .m_offset(ctx_offset)
  );
  assign nonce_ready = small_ready && !zero_valid;
  aesforge_core #(
      .KeyBits(KeyBits),
      .Direction(aesforge_pkg::Encrypt),
      .Unroll(1),
      .SboxStyle(KeySboxStyle),
      .KeySboxStyle(KeySboxStyle),
      .SboxStages(SboxStages),
      .LinearStages(LinearStages),
      .MixStyle(MixStyle),
      .KeySlots(KeySlots),
      .TagBits(1),
      .DelayStyle(DelayStyle)
  ) u_small_core (
      .clk,
      .rst,
      .zeroize(core_zeroize),
      .in_valid(nonce_valid || zero_valid),
      .in_ready(small_ready),
      .in_block(zero_valid ? '0 : nonce),
      .in_key('0),
      .in_slot(zero_valid ? zero_slot : nonce_slot),
      .in_decrypt(1'b0),
      .in_tag(zero_valid),
      .key_valid(key_load),
      .key_ready(nonce_key_ready),
      .key_slot,
      .key,
      .out_valid(small_result),
      .out_block(small_out),
      .out_tag(small_tag)
  );

  // Beats in, each with the word of the table that its offset takes.
  localparam int unsigned BeatWord = 128 + 16 + IdBits + UserBits;
  logic index_valid, index_ready, index_aad, index_last, index_full, index_start, index_over;
  logic [BeatWord-1:0] index_word;
  logic [IndexBits-1:0] index_word_index;
  logic [127:0] index_data;
  logic [15:0] index_keep;
  logic [IdBits-1:0] index_id;
  logic [UserBits-1:0] index_user;
  aesforge_ocb_index #(
      .Width(BeatWord),
      .IndexBits(IndexBits),
      .CountBits(CountBits)
  ) u_index (
      .clk,
      .rst,
      .zeroize(zeroize || zeroizing),
      .s_valid(s_axis_tvalid),
      .s_ready(s_axis_tready),
      .s_data({s_axis_tdata, s_axis_tkeep, s_axis_tid, s_axis_tuser}),
      .s_full(s_axis_tkeep[15]),
      .s_aad(s_axis_tuser[0]),
      .s_last(s_axis_tlast),
      .m_valid(index_valid),
      .m_ready(index_ready),
      .m_data(index_word),
      .m_aad(index_aad),
      .m_last(index_last),
      .m_full(index_full),
      .m_index(index_word_index),
      .m_start(index_start),
      .m_over(index_over)
  );
  assign {index_data, index_keep, index_id, index_user} = index_word;

  // The header of a context that came has a 1 at the top.
  logic [HeaderBits:0] next_header, open_header, beat_header;
  logic [4:0] next_tag_bytes;
  logic [6:0] next_tag_length;
  logic next_decrypt, next_error, beat_valid, beat_ready, beat_first, beat_block, beat_last, open;
  logic [InnerBits-1:0] head_user, beat_user;
  logic [127:0] beat_data, beat_offset, beat_word, beat_xor, result, post_xor;
  logic [15:0] beat_keep;
  logic beat_decrypt, result_valid, post_valid, post_decrypt, post_last, post_error;
  logic done_valid, done_error;
  localparam int unsigned WordBits = 128 + 16 + 1 + IdBits + InnerBits + 1;
  localparam int unsigned SideBits = 16 + 1 + IdBits + InnerBits;
  logic [WordBits-1:0] post_word;
  logic [127:0] post_data, done_data;
  logic [SideBits-1:0] post_side, done_side;
  logic held_valid, held_ready, held_last;
  logic [127:0] held_data;
  logic [15:0] held_keep;
  logic [IdBits-1:0] held_id;
  logic [InnerBits:0] held_user;
  assign {next_decrypt, next_tag_bytes, next_error} = next_header[6:0];
  always_comb begin
    case (next_tag_bytes)
      5'd16: next_tag_length = 7'b1000000;
      5'd12: next_tag_length = 7'b0000100;
      5'd8: next_tag_length = 7'b0000010;
      default: next_tag_length = '0;
    endcase
  end
  assign beat_decrypt = beat_header[6];
  assign {post_data, post_side, post_error} = post_word;
  assign post_last = post_side[IdBits+InnerBits];
  aesforge_axis_shell #(
      .Bytes(16),
      .BlockBytes(16),
      .HeaderBits(HeaderBits + 1),
      .PayloadBits(128),
      .IdBits(IdBits),
      .UserBits(InnerBits),
      .Depth(Depth),
      .ContextTimeout(ContextTimeout),
      .QueueStyle(QueueStyle),
      .Sections(1'b1),
      .Marked(1'b1)
  ) u_shell (
      .clk,
      .rst,
      .zeroize(zeroize || zeroizing),
      .s_axis_tvalid(index_valid),
      .s_axis_tready(index_ready),
      .s_axis_tdata(index_data),
      .s_axis_tkeep(index_keep),
      .s_axis_tlast(index_last),
      .s_axis_tid(index_id),
      .s_axis_tuser({index_over, index_start, index_word_index, index_user}),
      .s_ctx_tvalid(ctx_valid),
      .s_ctx_tready(ctx_ready),
      .s_ctx_header({1'b1, ctx_header}),
      .s_ctx_payload(ctx_offset),
      .ctx_coming,
      .next_header,
      .next_stall(1'b0),
      .next_error(next_error || next_tag_length == '0 || (!Decrypts && next_decrypt)),
      .next_partial(1'b0),
      .next_tag_length,
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
      .beat_payload(beat_offset),
      .beat_xor,
      .beat_note(beat_decrypt),
      .result_valid,
      .result_data(result),
      .post_valid,
      .post_word,
      .post_xor,
      .post_note(post_decrypt),
      .done_valid,
      .done_word({done_data, done_side, done_error}),
      .m_axis_tvalid(held_valid),
      .m_axis_tready(held_ready),
      .m_axis_tdata(held_data),
      .m_axis_tkeep(held_keep),
      .m_axis_tlast(held_last),
      .m_axis_tid(held_id),
      .m_axis_tuser(held_user)
  );
  assign packet_end = beat_valid && beat_ready && beat_last && beat_header[HeaderBits];

  aesforge_ocb_table #(
      .Slots(KeySlots),
      .IndexBits(IndexBits)
  ) u_table (
      .clk,
      .rst,
      .zeroize(zeroizing),
      .key_accept(key_load && 32'(key_slot) < KeySlots),
      .key_slot,
      .key_ready(cores_ready),
      .busy(table_busy),
      .zero_valid,
      .zero_ready(small_ready),
      .zero_slot,
      .result_valid(small_result && small_tag),
      .result(small_out),
      .step(!beat_valid || beat_ready),
      .slot(open_header[HeaderBits-1-:SlotBits]),
      .index(head_user[UserBits+:IndexBits]),
      .word_q(beat_word)
  );

  logic core_valid, core_ready, core_result, core_decrypt, out_tag;
  logic [SlotBits-1:0] core_slot;
  logic [127:0] core_block, core_out;
  aesforge_mode_ocb #(
      .Decrypts(Decrypts),
      .SideBits(SlotBits),
      .Latency(Latency),
      .Style(QueueStyle)
  ) u_mode (
      .clk,
      .rst,
      .zeroize(zeroizing),
      .beat_valid,
      .beat_ready,
      .beat_block,
      .beat_aad(beat_user[0]),
      .beat_last,
      .beat_start(beat_user[UserBits+IndexBits]),
      .beat_keep,
      .beat_data,
      .beat_decrypt,
      .beat_offset,
      .beat_word,
      .beat_side(beat_header[HeaderBits-1-:SlotBits]),
      .beat_xor,
      .core_valid,
      .core_decrypt,
      .core_block,
      .core_side(core_slot),
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
      .key,
      .out_valid(core_result),
      .out_block(core_out),
      .out_tag(out_tag)
  );

  // A tag that was received: its difference to the one that is computed.
  aesforge_tag_compare #(
      .SideBits(SideBits)
  ) u_compare (
      .clk,
      .rst,
      .zeroize(zeroizing),
      .in_valid(post_valid),
      .in_compare(post_decrypt && post_last),
      .in_error(post_error),
      .in_data(post_data),
      .in_side(post_side),
      .out_valid(done_valid),
      .out_error(done_error),
      .out_data(done_data),
      .out_side(done_side)
  );

  // Text leaves at once, or when the tag of its packet has been made or found right.
  aesforge_packet_release #(
      .DataBits(128),
      .SideBits(16 + IdBits + UserBits),
      .HoldBeats(HoldBeats)
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
    out_tag,
    core_ready,
    core_result,
    index_aad,
    index_full,
    open,
    open_header,
    next_header,
    beat_first,
    beat_header,
    beat_user,
    head_user,
    post_xor,
    s_ctx_iv[127:120],
    held_user
  };
endmodule

`default_nettype wire
