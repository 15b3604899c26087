// SPDX-License-Identifier: Apache-2.0
// The hash and the tag of GCM packets (SP 800-38D Sec. 7): takes the beats that leave the cipher,
// hashes associated data, ciphertext and lengths, and in the place of the tag makes it or compares
// it. The hash of a packet that is an IV is J0 of the packet after it. Latency `Stages` + 12
// cycles, one beat per cycle.
`default_nettype none

module aesforge_gcm_tag #(
    parameter int unsigned Slots = 2,  // [2 or more] key slots
    // [a power of two from 4 on] beats ahead that the end of a packet is known
    parameter int unsigned Ahead = 8,
    parameter int unsigned Stages = 6,  // [1 to 10] see aesforge_gf128_multiply
    // [4 to 32] bits of the counter of text blocks: a packet has at most 2^CountBits - 2 of them
    parameter int unsigned CountBits = 32,
    parameter int unsigned SideBits = 1,  // [1 or more] bits that travel with a beat
    localparam int unsigned SlotBits = $clog2(Slots),
    localparam int unsigned PowerBits = $clog2(Ahead)
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
    input  logic [  PowerBits:0] in_left,  // beats of the packet that follow, or `Ahead` if more
    // what leaves the cipher, byte 0 at the top; bytes not kept are 0
    input  logic [        127:0] in_data,
    // what was XORed with the result of the core; bytes not kept are 0
    input  logic [        127:0] in_xor,
    input  logic [         15:0] in_keep,  // a bit for each byte, bit 0 for byte 0
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
    output logic [        127:0] out_data,  // its bytes
    output logic [ SideBits-1:0] out_side  // side bits of the beat
);
  localparam int unsigned CountStages = 6;
  // From the input to the hash.
  localparam int unsigned HashCycles = 1 + CountStages + Stages + 3;
  localparam int unsigned AadBits = 57;

  // The block to hash, but for the lengths: associated data, or the ciphertext of either direction.
  logic first_q, block_valid_q, block_first_q, block_aad_q, block_tag_q, full_q;
  logic [3:0] bytes_q;
  logic [127:0] block_q;
  always_ff @(posedge clk) begin
    if (in_valid) first_q <= in_tag;
    {block_valid_q, block_first_q} <= {in_valid, first_q};
    {block_aad_q, block_tag_q} <= {in_aad, in_tag};
    block_q <= in_aad || in_decrypt ? in_xor : in_data;
    full_q <= in_keep[15];
    // Bytes of a partial block: the last that is kept.
    bytes_q <= '0;
    for (int i = 1; i < 16; i++) if (in_keep[i-1] && !in_keep[i]) bytes_q <= 4'(i);
    if (rst || zeroize) begin
      first_q <= 1'b1;
      block_valid_q <= 1'b0;
    end
  end

  // Lengths: full blocks in counters, and the bytes of a partial one.
  logic aad_add, text_add, count_valid;
  logic [AadBits-1:0] aad_blocks;
  logic [CountBits-1:0] text_blocks;
  assign aad_add  = block_aad_q && full_q;
  assign text_add = !block_aad_q && !block_tag_q && full_q;
  aesforge_staged_counter #(
      .Bits  (AadBits),
      .Stages(CountStages)
  ) u_aad (
      .clk,
      .rst(rst || zeroize),
      .step(1'b1),
      .in_valid(block_valid_q),
      .in_load(block_first_q),
      .in_value('0),
      .in_add(aad_add),
      .out_valid(count_valid),
      .out_value(aad_blocks)
  );
  logic text_valid;
  aesforge_staged_counter #(
      .Bits  (CountBits),
      .Stages(CountStages)
  ) u_text (
      .clk,
      .rst(rst || zeroize),
      .step(1'b1),
      .in_valid(block_valid_q),
      .in_load(block_first_q),
      .in_value('0),
      .in_add(text_add),
      .out_valid(text_valid),
      .out_value(text_blocks)
  );

  // The same beat beside its counts, and its turn in the hash.
  localparam int unsigned CountSide = 128 + 4 + 4 + SlotBits + PowerBits + 1;
  logic [SlotBits-1:0] slot_q, hash_slot;
  logic [PowerBits:0] left_q, hash_left;
  logic hash_first, hash_aad, hash_tag, hash_full;
  logic [3:0] hash_bytes;
  logic [127:0] hash_block;
  always_ff @(posedge clk) {slot_q, left_q} <= {in_slot, in_left};
  aesforge_delay #(
      .Width(CountSide),
      .Depth(CountStages)
  ) u_count_side (
      .clk,
      .rst,
      .d({block_first_q, block_aad_q, block_tag_q, full_q, bytes_q, slot_q, left_q, block_q}),
      .q({
        hash_first, hash_aad, hash_tag, hash_full, hash_bytes, hash_slot, hash_left, hash_block
      })
  );
  logic [3:0] aad_bytes_q, text_bytes_q, aad_bytes, text_bytes;
  logic over, over_q, some_aad, some_aad_q;
  assign some_aad = hash_aad || (some_aad_q && !hash_first);
  assign aad_bytes  = hash_first ? '0 : aad_bytes_q;
  assign text_bytes = hash_first ? '0 : text_bytes_q;
  // Sec. 5.2.1.1: no more blocks than counters. A full block has counted itself.
  assign over = !hash_aad && !hash_tag && (hash_full ? text_blocks == '1
      : text_blocks == ~CountBits'(1));
  always_ff @(posedge clk) begin
    if (count_valid) begin
      aad_bytes_q  <= hash_aad && !hash_full ? hash_bytes : aad_bytes;
      text_bytes_q <= !hash_aad && !hash_tag && !hash_full ? hash_bytes : text_bytes;
      over_q <= over || (over_q && !hash_first);
      some_aad_q <= some_aad;
    end
    if (rst || zeroize) over_q <= 1'b0;
  end

  logic [63:0] aad_length, text_length;
  assign aad_length  = {aad_blocks, aad_bytes, 3'b000};
  assign text_length = 64'({text_blocks, text_bytes, 3'b000});
  logic [127:0] hash;
  aesforge_ghash #(
      .Slots (Slots),
      .Ahead (Ahead),
      .Stages(Stages)
  ) u_ghash (
      .clk,
      .rst,
      .zeroize,
      .in_valid(count_valid),
      .in_first(hash_first),
      .in_block(hash_tag ? {aad_length, text_length} : hash_block),
      .in_left(hash_left),
      .in_slot(hash_slot),
      .write_valid,
      .write_slot,
      .write_power,
      .write_value,
      .out_hash(hash)
  );

  // The beats wait for the hash.
  localparam int unsigned FlagBits = HashCycles;
  logic [FlagBits-1:0] valid_q, error_q, tag_q, decrypt_q, iv_q;
  logic [FlagBits-CountStages-2:0] late_over_q, late_bare_q;
  logic [127:0] data;
  logic [15:0] keep;
  logic [SideBits-1:0] side;
  always_ff @(posedge clk) begin
    valid_q <= FlagBits'({valid_q, in_valid});
    error_q <= FlagBits'({error_q, in_error});
    tag_q <= FlagBits'({tag_q, in_tag});
    decrypt_q <= FlagBits'({decrypt_q, in_decrypt});
    iv_q <= FlagBits'({iv_q, in_iv});
    // An IV needs text, and nothing else. That of 96 bits is not hashed (Sec. 7.1 step 2).
    late_bare_q <= (FlagBits - CountStages - 1)'({
      late_bare_q, hash_first || some_aad || (text_blocks == '0 && text_bytes == 4'd12)
    });
    late_over_q <= (FlagBits - CountStages - 1)'({late_over_q, over || (over_q && !hash_first)});
    if (rst || zeroize) valid_q <= '0;
  end
  aesforge_delay #(
      .Width(128 + 16 + SideBits),
      .Depth(HashCycles),
      .Style(aesforge_pkg::DelayRam)
  ) u_wait (
      .clk,
      .rst,
      .d({in_data, in_keep, in_side}),
      .q({data, keep, side})
  );

  // The tag: made when encrypting, compared when decrypting. All bits of it decide at once.
  logic tag, decrypt, iv, error;
  logic [127:0] sum;
  assign tag = tag_q[FlagBits-1];
  assign decrypt = decrypt_q[FlagBits-1];
  assign iv = iv_q[FlagBits-1];
  assign error = error_q[FlagBits-1] || late_over_q[FlagBits-CountStages-2]
      || (iv && tag && late_bare_q[FlagBits-CountStages-2]);
  always_comb begin
    for (int i = 0; i < 16; i++) begin
      sum[127-8*i-:8] = data[127-8*i-:8] ^ (tag && !iv && keep[i] ? hash[127-8*i-:8] : 8'h00);
    end
  end
  logic sum_valid_q, compare_q, sum_error_q;
  logic [127:0] sum_q;
  logic [15:0] differs_q;
  logic [SideBits-1:0] sum_side_q;
  always_ff @(posedge clk) begin
    {sum_valid_q, sum_error_q} <= {valid_q[FlagBits-1], error};
    compare_q <= tag && decrypt;
    iv_done <= valid_q[FlagBits-1] && tag && iv;
    iv_error <= error;
    if (valid_q[FlagBits-1] && tag && iv) iv_hash <= hash;
    if (zeroize) iv_hash <= '0;
    sum_q <= sum;
    sum_side_q <= side;
    for (int i = 0; i < 16; i++) differs_q[i] <= sum[8*i+:8] != '0;
    out_valid <= sum_valid_q;
    out_error <= sum_error_q || (compare_q && differs_q != '0);
    out_data  <= sum_error_q || compare_q ? '0 : sum_q;
    out_side  <= sum_side_q;
    if (rst || zeroize) {sum_valid_q, out_valid, iv_done} <= '0;
  end

  logic unused_ok;
  assign unused_ok = &{1'b0, text_valid};
endmodule

`default_nettype wire
