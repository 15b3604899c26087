// SPDX-License-Identifier: Apache-2.0
// The hash and the tag of GCM packets (SP 800-38D Sec. 7): takes the beats that leave the cipher,
// hashes associated data, ciphertext and lengths, and in the place of the tag makes it or compares
// it. The hash of a packet that is an IV is J0 of the packet after it. Latency `Stages` + 13
// cycles, one beat per cycle. Without beats ahead, latency 128 / `Digit` + 4 cycles, one beat every
// 128 / `Digit` + 2.
`default_nettype none

module aesforge_gcm_tag #(
    parameter int unsigned Slots = 2,  // [2 or more] key slots
    // [1, or a power of two from 4 on] beats ahead that the end of a packet is known; 1: it is not
    parameter int unsigned Ahead = 8,
    parameter int unsigned Stages = 6,  // [1 to 10] see aesforge_ghash
    parameter int unsigned Digit = 8,  // [1, 2, 4, 8, 16, 32] see aesforge_ghash
    // [a power of two; 1 without beats ahead] blocks of a beat, the first at the top
    parameter int unsigned Blocks = 1,
    // [4 to 32] bits of the counter of text blocks: a packet has at most 2^CountBits - 2 of them
    parameter int unsigned CountBits = 32,
    parameter int unsigned SideBits = 1,  // [1 or more] bits that travel with a beat
    parameter int unsigned PowerStyle = aesforge_pkg::QueueBlock,  // [0, 1] see aesforge_ghash
    localparam int unsigned SlotBits = $clog2(Slots),
    localparam int unsigned PowerBits = Ahead > 1 ? $clog2(Ahead * Blocks) : 1
) (
    input  logic                 clk,  // clock
    input  logic                 rst,  // synchronous reset
    // high until everything is overwritten: see aesforge_ghash
    input  logic                 zeroize,
    input  logic                 in_valid,  // a beat is present
    input  logic                 in_aad,  // it holds additional authenticated data
    input  logic                 in_tag,  // it is the tag: the packet ends
    input  logic                 in_error,  // it is an error
    input  logic                 in_decrypt,  // the packet is decrypted, or an IV
    input  logic                 in_iv,  // the packet is an IV: its text is hashed
    input  logic [ SlotBits-1:0] in_slot,  // slot of its key
    input  logic [  PowerBits:0] in_left,  // how much of the packet follows, see aesforge_ghash
    // what leaves the cipher, byte 0 at the top; bytes not kept are 0
    input  logic [128*Blocks-1:0] in_data,
    // what was XORed with the result of the core; bytes not kept are 0
    input  logic [128*Blocks-1:0] in_xor,
    input  logic [16*Blocks-1:0] in_keep,  // a bit for each byte, bit 0 for byte 0
    input  logic [ SideBits-1:0] in_side,  // returned with the beat
    input  logic                 write_valid,  // a power of a hash subkey is present
    input  logic [ SlotBits-1:0] write_slot,  // slot of the subkey
    input  logic [PowerBits-1:0] write_power,  // the exponent less one
    input  logic [        127:0] write_value,  // the power
    output logic                 iv_done,  // an IV has been hashed
    output logic                 iv_error,  // it is none: no text, associated data, or an error
    output logic [        127:0] iv_hash,  // J0; stays until the next IV
    output logic                 out_valid,  // a beat is at the output
    // it is an error: the tag is wrong, a packet is no IV, or the input was an error
    output logic                 out_error,
    output logic [128*Blocks-1:0] out_data,  // its bytes
    output logic [ SideBits-1:0] out_side  // side bits of the beat
);
  localparam bit Serial = Ahead == 1;
  localparam int unsigned CountStages = Serial ? 1 : 6;
  // From the counts to the hash.
  localparam int unsigned HashCycles = Stages + 4;
  // Lengths are counted in full beats, and in bytes of a beat that is not full.
  localparam int unsigned DataBits = 128 * Blocks;
  localparam int unsigned ByteBits = $clog2(16 * Blocks);
  localparam int unsigned AadBits = 61 - ByteBits;
  localparam int unsigned TextBits = CountBits + 4 - ByteBits;

  // The block to hash, except the lengths: associated data, or the ciphertext of either direction.
  // Zero for the tag. One at a time it stays in two parts, one of which is zero, and their sum is
  // taken with that of the multiplier: a level of logic less.
  localparam int unsigned BlockBits = Serial ? 256 : DataBits;
  localparam int unsigned EntryBits = BlockBits + 4 + ByteBits + SlotBits + PowerBits + 1;
  logic first_q, block_valid, block_first, block_aad, block_tag, block_full, from_xor, from_data;
  logic [ByteBits-1:0] bytes, block_bytes;
  logic [8*Blocks-1:0] runs;
  logic [DataBits-1:0] xor_part, data_part;
  logic [BlockBits-1:0] in_parts, block_parts, hash_parts;
  logic [SlotBits-1:0] block_slot;
  logic [PowerBits:0] block_left;
  always_comb begin
    from_xor  = (in_aad || in_decrypt) && !in_tag;
    from_data = !in_aad && !in_decrypt && !in_tag;
    xor_part  = from_xor ? in_xor : '0;
    data_part = from_data ? in_data : '0;
    // Bytes of a partial beat: bit i is 1 from an odd multiple of 2^i to the next even one. There
    // are no holes, or the beat is an error.
    for (int i = 0; i < ByteBits; i++) begin
      runs = '0;
      for (int m = 0; m < (8 * Blocks) >> i; m++) begin
        runs[m] = in_keep[(2*m+1)*2**i-1] && !in_keep[(2*m+2)*2**i-1];
      end
      bytes[i] = |runs;
    end
  end
  always_ff @(posedge clk) begin
    if (in_valid) first_q <= in_tag;
    if (rst || zeroize) first_q <= 1'b1;
  end
  aesforge_delay #(
      .Width(EntryBits),
      .Depth(Serial ? 0 : 1)
  ) u_entry (
      .clk,
      .rst,
      .d({first_q, in_aad, in_tag, in_keep[16*Blocks-1], bytes, in_slot, in_left, in_parts}),
      .q({
        block_first,
        block_aad,
        block_tag,
        block_full,
        block_bytes,
        block_slot,
        block_left,
        block_parts
      })
  );
  logic [DataBits-1:0] hash_block;
  if (Serial) begin : gen_entry
    assign block_valid = in_valid;
    assign in_parts = {xor_part, data_part};
    assign hash_block = hash_parts[BlockBits-1-:128] ^ hash_parts[127:0];
  end else begin : gen_entry
    logic valid_q;
    assign block_valid = valid_q;
    assign in_parts = xor_part ^ data_part;
    assign hash_block = hash_parts;
    always_ff @(posedge clk) begin
      valid_q <= in_valid;
      if (rst || zeroize) valid_q <= 1'b0;
    end
  end

  // Lengths: full beats in counters, and the bytes of a partial one.
  logic aad_add, text_add, count_valid;
  logic [AadBits-1:0] aad_beats;
  logic [TextBits-1:0] text_beats;
  assign aad_add  = block_aad && block_full;
  assign text_add = !block_aad && !block_tag && block_full;
  aesforge_staged_counter #(
      .Bits  (AadBits),
      .Stages(CountStages)
  ) u_aad (
      .clk,
      .rst(rst || zeroize),
      .step(1'b1),
      .in_valid(block_valid),
      .in_load(block_first),
      .in_value('0),
      .in_add(aad_add),
      .out_valid(count_valid),
      .out_value(aad_beats)
  );
  logic text_valid;
  aesforge_staged_counter #(
      .Bits  (TextBits),
      .Stages(CountStages)
  ) u_text (
      .clk,
      .rst(rst || zeroize),
      .step(1'b1),
      .in_valid(block_valid),
      .in_load(block_first),
      .in_value('0),
      .in_add(text_add),
      .out_valid(text_valid),
      .out_value(text_beats)
  );

  // The same beat beside its counts, and its turn in the hash.
  logic [SlotBits-1:0] hash_slot;
  logic [PowerBits:0] hash_left;
  logic hash_first, hash_aad, hash_tag, hash_full;
  logic [ByteBits-1:0] hash_bytes;
  aesforge_delay #(
      .Width(EntryBits),
      .Depth(CountStages)
  ) u_count_side (
      .clk,
      .rst,
      .d({
        block_first,
        block_aad,
        block_tag,
        block_full,
        block_bytes,
        block_slot,
        block_left,
        block_parts
      }),
      .q({
        hash_first, hash_aad, hash_tag, hash_full, hash_bytes, hash_slot, hash_left, hash_parts
      })
  );
  logic [ByteBits-1:0] aad_bytes_q, text_bytes_q, aad_bytes, text_bytes;
  logic some_aad, some_aad_q;
  assign some_aad = hash_aad || (some_aad_q && !hash_first);
  assign aad_bytes  = hash_first ? '0 : aad_bytes_q;
  assign text_bytes = hash_first ? '0 : text_bytes_q;
  always_ff @(posedge clk) begin
    if (count_valid) begin
      aad_bytes_q  <= hash_aad && !hash_full ? hash_bytes : aad_bytes;
      text_bytes_q <= !hash_aad && !hash_tag && !hash_full ? hash_bytes : text_bytes;
      some_aad_q <= some_aad;
    end
  end

  // The counts of text are compared in a stage of their own.
  logic over, over_d, over_q, late_valid_q, late_first_q, text_q, full_q, bare_q;
  logic all_ones_q, zeros_q, twelve_q;
  always_ff @(posedge clk) begin
    late_valid_q <= count_valid;
    late_first_q <= hash_first;
    text_q <= !hash_aad && !hash_tag;
    full_q <= hash_full;
    bare_q <= hash_first || some_aad;
    all_ones_q <= text_beats == '1;
    zeros_q <= text_beats == '0;
    twelve_q <= text_bytes == ByteBits'(12);
    if (late_valid_q) over_q <= over_d;
    if (rst || zeroize) {late_valid_q, over_q} <= '0;
  end
  // Sec. 5.2.1.1: no more blocks than counters. A full beat has counted itself. Of several blocks
  // all but two of the last beat are legal.
  if (Blocks == 1) begin : gen_over
    logic but_one_q;
    always_ff @(posedge clk) but_one_q <= &text_beats[TextBits-1:1] && !text_beats[0];
    assign over = text_q && (full_q ? all_ones_q : but_one_q);
  end else begin : gen_over
    logic many_q;
    always_ff @(posedge clk) many_q <= 32'(hash_bytes) > 16 * (Blocks - 2);
    assign over = text_q && (full_q ? zeros_q : all_ones_q && many_q);
  end
  assign over_d = over || (over_q && !late_first_q);

  logic [63:0] aad_length, text_length;
  assign aad_length  = {aad_beats, aad_bytes, 3'b000};
  assign text_length = 64'({text_beats, text_bytes, 3'b000});
  logic [DataBits-1:0] length_block;
  assign length_block = DataBits'({aad_length, text_length}) << (DataBits - 128);
  logic hash_valid;
  logic [127:0] hash;
  aesforge_ghash #(
      .Slots (Slots),
      .Ahead (Ahead),
      .Stages(Stages),
      .Digit (Digit),
      .Blocks(Blocks),
      .PowerStyle(PowerStyle)
  ) u_ghash (
      .clk,
      .rst,
      .zeroize,
      .begin_packet(block_valid && block_first),
      .in_valid(count_valid),
      .in_first(hash_first),
      .in_block(hash_block ^ (hash_tag ? length_block : '0)),
      .in_left(hash_left),
      .in_slot(hash_slot),
      .write_valid,
      .write_slot,
      .write_power,
      .write_value,
      .out_valid(hash_valid),
      .out_hash(hash)
  );

  // The beats wait for the hash: in a queue, or one at a time.
  localparam int unsigned WaitBits = DataBits + 16 + SideBits + 4;
  logic [WaitBits-1:0] beat;
  logic beat_over, beat_bare, bare_d, flagged, tag, decrypt, iv;
  logic [DataBits-1:0] data, pad;
  // A tag that is made takes the place of what came there, so that is taken out again.
  logic made;
  assign made = in_tag && (!in_decrypt || in_iv);
  always_comb begin
    pad = in_data;
    if (made) pad[DataBits-1-:128] = in_data[DataBits-1-:128] ^ in_xor[DataBits-1-:128];
  end
  // Bytes of the tag: decided before the wait, so that one level of logic is left after it.
  logic [15:0] in_tag_keep, tag_keep;
  logic [SideBits-1:0] side;
  assign in_tag_keep = in_keep[15:0] & {16{in_tag && !in_iv}};
  assign beat = {pad, in_tag_keep, in_side, in_error, in_tag, in_decrypt, in_iv};
  // An IV needs text, and nothing else. That of 96 bits is not hashed (Sec. 7.1 step 2).
  assign bare_d = bare_q || (zeros_q && twelve_q);
  if (Serial) begin : gen_wait
    logic [WaitBits-1:0] beat_q;
    assign {data, tag_keep, side, flagged, tag, decrypt, iv} = beat_q;
    always_ff @(posedge clk) begin
      if (in_valid) beat_q <= beat;
      if (late_valid_q) {beat_over, beat_bare} <= {over_d, bare_d};
      if (zeroize) beat_q <= '0;
    end
  end else begin : gen_wait
    aesforge_delay #(
        .Width(WaitBits),
        .Depth(1 + CountStages + HashCycles),
        .Style(aesforge_pkg::DelayRam)
    ) u_beat (
        .clk,
        .rst,
        .d(beat),
        .q({data, tag_keep, side, flagged, tag, decrypt, iv})
    );
    aesforge_delay #(
        .Width(2),
        .Depth(HashCycles - 1)
    ) u_late (
        .clk,
        .rst,
        .d({over_d, bare_d}),
        .q({beat_over, beat_bare})
    );
  end

  // The tag: made when encrypting, compared when decrypting. All bits of it decide at once.
  logic error;
  logic [DataBits-1:0] sum;
  assign error = flagged || beat_over || (iv && tag && beat_bare);
  always_comb begin
    sum = data;
    for (int i = 0; i < 16; i++) begin
      sum[DataBits-1-8*i-:8] ^= (tag_keep[i] ? hash[127-8*i-:8] : 8'h00);
    end
  end
  // A beat that leaves as zeros is known with its sum: one flip-flop before the reset of 128.
  logic sum_valid_q, compare_q, sum_error_q, blank_q;
  logic [DataBits-1:0] sum_q;
  logic [15:0] differs_q;
  logic [SideBits-1:0] sum_side_q;
  always_ff @(posedge clk) begin
    {sum_valid_q, sum_error_q} <= {hash_valid, error};
    compare_q <= tag && decrypt;
    blank_q <= error || (tag && decrypt);
    iv_done <= hash_valid && tag && iv;
    iv_error <= error;
    if (hash_valid && tag && iv) iv_hash <= hash;
    if (zeroize) iv_hash <= '0;
    sum_q <= sum;
    sum_side_q <= side;
    for (int i = 0; i < 16; i++) differs_q[i] <= sum[DataBits-128+8*i+:8] != '0;
    out_valid <= sum_valid_q;
    out_error <= sum_error_q || (compare_q && differs_q != '0);
    out_data  <= blank_q ? '0 : sum_q;
    out_side  <= sum_side_q;
    if (rst || zeroize) {sum_valid_q, out_valid, iv_done} <= '0;
  end

  logic unused_ok;
  assign unused_ok = &{1'b0, text_valid};
endmodule

`default_nettype wire
