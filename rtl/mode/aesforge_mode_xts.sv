// SPDX-License-Identifier: Apache-2.0
// XTS (IEEE Std 1619, SP 800-38E) between the beats and a core of constant latency: the tweaks of
// the blocks, and ciphertext stealing. A last part of a block costs no cycle: the block before it
// goes through the core in its place, and once more when that result is known.
// Latency 2 cycles and, with `Stealing`, `Latency` + 3 more than the core; one beat per cycle.
`default_nettype none

module aesforge_mode_xts #(
    parameter bit Stealing = 1'b1,  // [0, 1] 1: a data unit may end in part of a block
    parameter int unsigned Blocks = 1,  // [1 or more] blocks of a beat, the first at the top
    parameter int unsigned SideBits = 1,  // [1 or more] bits that travel with a beat to the core
    parameter int unsigned Latency = 21,  // [4 or more] of the core, in cycles
    // [0, 1] memory of the delays, see aesforge_queue_ram
    parameter int unsigned Style = aesforge_pkg::QueueBlock
) (
    input  logic                  clk,  // clock
    input  logic                  rst,  // synchronous reset
    // high for at least 4 x `Latency` + 8 cycles: discards the blocks; zeros of the core overwrite
    // them
    input  logic                  zeroize,
    input  logic                  beat_valid,  // a beat is present
    output logic                  beat_ready,  // it is accepted
    input  logic                  beat_first,  // first beat of its data unit
    input  logic                  beat_block,  // it has bytes and no error
    // a last beat follows whose first block is part of one
    input  logic                  beat_steals,
    input  logic [ 16*Blocks-1:0] beat_keep,  // a bit for each byte, bit 0 for byte 0
    input  logic [128*Blocks-1:0] beat_data,  // its bytes, byte 0 at the top
    input  logic                  beat_decrypt,  // 1: its data unit is decrypted
    input  logic [         127:0] beat_tweak,  // tweak of the first block of its data unit
    input  logic [  SideBits-1:0] beat_side,  // passed to the core with it
    output logic                  core_valid,  // blocks for the core, which always accepts them
    output logic [128*Blocks-1:0] core_block,  // the blocks
    output logic [  SideBits-1:0] core_side,  // `beat_side` of its beat
    input  logic [128*Blocks-1:0] out_block,  // the core's output, `Latency` cycles later
    output logic                  result_valid,  // result of the oldest beat that has none
    output logic [128*Blocks-1:0] result  // the result
);
  localparam int unsigned Bits = 128 * Blocks;

  // IEEE Std 1619 Sec. 5.2: multiplication by alpha. Byte 0, at the top, has the lowest powers.
  function automatic logic [127:0] times_alpha(input logic [127:0] block);
    for (int i = 0; i < 16; i++) begin
      times_alpha[127-8*i-:8] = {block[126-8*i-:7], i == 0 ? 1'b0 : block[i==0?0 : 135-8*i]};
    end
    if (block[7]) times_alpha[127-:8] = times_alpha[127-:8] ^ 8'h87;
  endfunction

  // First stage: the tweak of each block, and of the one after them; which blocks are parts of one.
  // A block waits for the part that follows it, in its beat or in the next; that a beat waits is
  // known before its last block is.
  logic take, valid_q, block_q, steals_q, decrypt_q;
  logic [127:0] next_q;
  logic [Blocks-1:0] part, part_q;
  logic [Bits-1:0] tweak, data_q, tweak_q;
  logic [16*Blocks-1:0] keep_q;
  logic [SideBits-1:0] side_q;
  assign take = beat_valid && beat_ready;
  for (genvar b = 0; b < Blocks; b++) begin : gen_block
    logic [127:0] own, next;
    if (b == 0) begin : gen_first
      logic wait_q;
      always_ff @(posedge clk) begin
        if (take) wait_q <= Stealing && beat_steals;
        if (rst || zeroize) wait_q <= 1'b0;
      end
      assign own = beat_first ? beat_tweak : next_q;
      assign part[b] = wait_q;
    end else begin : gen_other
      assign own = gen_block[b-1].next;
      assign part[b] = Stealing && beat_block && beat_keep[16*b] && !beat_keep[16*b+15];
    end
    assign next = times_alpha(own);
    assign tweak[Bits-1-128*b-:128] = own;
  end
  always_ff @(posedge clk) begin
    if (take) begin
      next_q <= gen_block[Blocks-1].next;
      {block_q, steals_q, decrypt_q} <= {beat_block, Stealing && beat_steals, beat_decrypt};
      {data_q, tweak_q, keep_q, side_q} <= {beat_data, tweak, beat_keep, beat_side};
      part_q <= part;
    end
    valid_q <= take;
    if (zeroize) {next_q, data_q, tweak_q} <= '0;
    if (rst || zeroize) valid_q <= 1'b0;
  end

  // Second stage: what enters the core, and what is XORed with its result. The first stage holds a
  // beat until the next one comes, so that a result that waits for that one has its mask a cycle
  // before it.
  logic [Bits-1:0] mask, xor_q, xors;
  always_ff @(posedge clk) begin
    xor_q <= mask;
    if (zeroize) xor_q <= '0;
  end
  aesforge_long_delay #(
      .Width(Bits),
      .Depth(Stealing ? 2 * Latency + 3 : Latency),
      .Style(Style)
  ) u_xors (
      .clk,
      .rst,
      .d(xor_q),
      .q(xors)
  );

  if (Stealing) begin : gen_stealing
    // The tweaks of the first way of a block before a part through the core, and of the other
    // (Sec. 5.3.2 and 5.4.2).
    logic [127:0] last_q, last_tweak_q;
    logic [Bits-1:0] previous, previous_tweak, first, second;
    assign previous = Bits'({last_q, data_q} >> 128);
    assign previous_tweak = Bits'({last_tweak_q, tweak_q} >> 128);
    assign first = decrypt_q ? tweak_q : previous_tweak;
    assign second = decrypt_q ? previous_tweak : tweak_q;
    always_ff @(posedge clk) begin
      {last_q, last_tweak_q} <= {data_q[127:0], tweak_q[127:0]};
      if (zeroize) {last_q, last_tweak_q} <= '0;
    end
    for (genvar b = 0; b < Blocks; b++) begin : gen_mask
      localparam int unsigned Top = Bits - 1 - 128 * b;
      logic steals;
      if (b == Blocks - 1) begin : gen_last
        assign steals = steals_q;
      end else begin : gen_other
        assign steals = part_q[b+1];
      end
      always_comb begin
        mask[Top-:128] = tweak_q[Top-:128];
        if (part_q[b]) mask[Top-:128] = first[Top-:128];
        else if (steals && !decrypt_q) mask[Top-:128] = times_alpha(tweak_q[Top-:128]);
      end
    end

    // What enters the core: the blocks of a beat, the one before in the place of a part, or a
    // second time one whose first result has come. A beat that waits enters nothing; all of it goes
    // with the second time of its last block.
    logic soon_q, again_valid_q, result_q;
    logic [Blocks-1:0] late_part_q;
    logic [Bits-1:0] again_block_q;
    logic [SideBits-1:0] again_side_q;
    assign beat_ready = !soon_q;
    always_ff @(posedge clk) begin
      core_valid <= again_valid_q || (valid_q && (part_q[0] || (block_q && !steals_q)));
      for (int b = 0; b < Blocks; b++) begin
        core_block[Bits-1-128*b-:128] <= again_valid_q ? again_block_q[Bits-1-128*b-:128]
            : part_q[b] ? previous[Bits-1-128*b-:128] ^ first[Bits-1-128*b-:128]
            : data_q[Bits-1-128*b-:128] ^ tweak_q[Bits-1-128*b-:128];
      end
      core_side <= again_valid_q ? again_side_q : side_q;
      result_q <= valid_q && !steals_q;
      late_part_q <= valid_q ? part_q : '0;
      if (zeroize) core_block <= '0;
      if (rst || zeroize) {core_valid, result_q, late_part_q} <= '0;
    end

    // Beside the core: for each part the second block but for the bytes that it takes of the first
    // result; in the place of the block before it, where that goes through the core again.
    logic [16*Blocks-1:0] taken_q, kept;
    logic [Bits-1:0] rest_q, rest, stolen;
    logic [SideBits-1:0] rest_side;
    for (genvar b = 0; b < Blocks; b++) begin : gen_rest
      localparam int unsigned Part = (b + 1) % Blocks;
      localparam int unsigned From = Bits - 1 - 128 * Part;
      localparam int unsigned To = Bits - 1 - 128 * b;
      logic [127:0] bytes;
      always_comb begin
        for (int i = 0; i < 16; i++) begin
          bytes[127-8*i-:8] = second[From-8*i-:8]
              ^ (keep_q[16*Part+i] ? data_q[From-8*i-:8] : first[From-8*i-:8]);
          stolen[To-8*i-:8] = kept[16*b+i] ? 8'h00 : out_block[From-8*i-:8];
        end
      end
      if (b == Blocks - 1) begin : gen_last
        always_ff @(posedge clk) begin
          rest_q[To-:128] <= bytes;
          taken_q[16*b+:16] <= keep_q[15:0];
          if (zeroize) rest_q[To-:128] <= '0;
        end
      end else begin : gen_other
        // The beat that waits, whole.
        logic [127:0] early_q;
        always_ff @(posedge clk) begin
          early_q <= data_q[To-:128] ^ tweak_q[To-:128];
          rest_q[To-:128] <= part_q[0] ? early_q : bytes;
          taken_q[16*b+:16] <= part_q[0] ? '1 : keep_q[16*Part+:16];
          if (zeroize) begin
            early_q <= '0;
            rest_q[To-:128] <= '0;
          end
        end
      end
    end
    aesforge_long_delay #(
        .Width(Bits + 16 * Blocks + SideBits),
        .Depth(Latency),
        .Style(Style)
    ) u_rest (
        .clk,
        .rst,
        .d({rest_q, taken_q, core_side}),
        .q({rest, kept, rest_side})
    );
    // Of each beat whether it has a result of its own, and of each block whether it is part of one:
    // until its result comes, and then until that of the block before it does.
    localparam int unsigned Once = Latency * Blocks;
    localparam int unsigned Twice = (2 * Latency + 2) * Blocks;
    logic [Latency-1:0] results_q;
    logic [Twice-1:0] parts_q;
    logic [Blocks-1:0] again;
    always_ff @(posedge clk) begin
      results_q <= Latency'({results_q, result_q});
      parts_q <= Twice'({parts_q, late_part_q});
      soon_q <= parts_q[Once-Blocks-1-:Blocks] != '0;
      again_valid_q <= soon_q;
      again_block_q <= rest ^ stolen;
      again_side_q <= rest_side;
      if (zeroize) again_block_q <= '0;
      if (rst || zeroize) {results_q, parts_q, soon_q, again_valid_q} <= '0;
    end
    assign again = parts_q[Twice-1-:Blocks];

    // Results wait as long as a second time takes, and one cycle for it: that of a beat that waited
    // comes before the last beat, that of a block in the cycle of its beat.
    localparam int unsigned Wait = Latency + 3;
    logic [Wait-1:0] waits_q;
    logic [Bits-1:0] waited;
    aesforge_long_delay #(
        .Width(Bits),
        .Depth(Wait),
        .Style(Style)
    ) u_results (
        .clk,
        .rst,
        .d(out_block),
        .q(waited)
    );
    always_ff @(posedge clk) begin
      waits_q <= Wait'({waits_q, results_q[Latency-1]});
      if (rst || zeroize) waits_q <= '0;
    end
    assign result_valid = again[0] || waits_q[Wait-1];
    for (genvar b = 0; b < Blocks; b++) begin : gen_result
      localparam int unsigned Top = Bits - 1 - 128 * b;
      logic [127:0] own;
      if (b == Blocks - 1) begin : gen_last
        assign own = waited[Top-:128];
      end else begin : gen_other
        logic again_q;
        logic [127:0] out_q;
        always_ff @(posedge clk) begin
          again_q <= again[b+1];
          out_q   <= out_block[Top-:128];
        end
        assign own = again_q ? out_q : waited[Top-:128];
      end
      assign result[Top-:128] = xors[Top-:128] ^ (again[0] ? out_block[Top-:128] : own);
    end
  end else begin : gen_whole
    logic result_q;
    logic [Latency-1:0] results_q;
    assign beat_ready = 1'b1;
    assign mask = tweak_q;
    always_ff @(posedge clk) begin
      core_valid <= valid_q && block_q;
      core_block <= data_q ^ tweak_q;
      core_side  <= side_q;
      result_q   <= valid_q;
      results_q  <= Latency'({results_q, result_q});
      if (zeroize) core_block <= '0;
      if (rst || zeroize) {core_valid, result_q, results_q} <= '0;
    end
    assign result_valid = results_q[Latency-1];
    assign result = out_block ^ xors;
    logic unused_ok;
    assign unused_ok = &{1'b0, steals_q, decrypt_q, keep_q, part_q};
  end
endmodule

`default_nettype wire
