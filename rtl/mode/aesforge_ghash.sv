// SPDX-License-Identifier: Apache-2.0
// GHASH (SP 800-38D Sec. 6.4) of one packet after another, one beat per cycle, without a bubble.
// With `Ahead` running sums and powers of H: the first block of a beat that at least `Ahead` others
// follow is added to the sum of the beat `Ahead` before it. Each block is multiplied by the power
// of H that is between it and the first block `Ahead` beats later; each block of the last beats by
// the power that it has in the hash. The products of a beat are its sum; those of the last beats
// are the hash. Latency `Stages` + 4 cycles, one beat per cycle. With one sum it is Horner's rule
// and a digit-serial multiplier: latency 128 / `Digit` + 1 cycles, one block in as many.
`default_nettype none

module aesforge_ghash #(
    parameter int unsigned Slots = 2,  // [2 or more] hash subkeys
    // [1, or a power of two from 4 on] running sums; above 1 at least `Stages` + 2
    parameter int unsigned Ahead = 8,
    parameter int unsigned Stages = 6,  // [1 to 10] see aesforge_gf128_multiply; with sums
    // [1, 2, 4, 8, 16, 32] see aesforge_gf128_serial; with one sum
    parameter int unsigned Digit = 8,
    // [a power of two; 1 with one sum] blocks of a beat, the first at the top
    parameter int unsigned Blocks = 1,
    // [0, 1] how the powers are stored, see aesforge_queue_ram; with sums
    parameter int unsigned PowerStyle = aesforge_pkg::QueueBlock,
    localparam int unsigned SlotBits = $clog2(Slots),
    localparam int unsigned PowerBits = Ahead > 1 ? $clog2(Ahead * Blocks) : 1
) (
    input  logic                 clk,  // clock
    input  logic                 rst,  // synchronous reset
    // overwrites powers and sums within 2^`SlotBits` * `Ahead` * `Blocks` + `Stages` + 4 cycles in
    // which `write_value` is zero; with one sum within 2^`SlotBits` + 1
    input  logic                 zeroize,
    // the next block is the first of its packet, and the hash of the one before is not needed any
    // more; used with one sum, where it comes a cycle or more before the block
    input  logic                 begin_packet,
    input  logic                 in_valid,  // a beat is present
    input  logic                 in_first,  // first beat of its packet; not used with one sum
    // blocks; the last of a beat may be zeros, and are not of the packet
    input  logic [128*Blocks-1:0] in_block,
    // not used with one sum: the top bit: `Ahead` or more beats of the packet follow. Below it,
    // with several blocks: those of this beat and of the beats that follow, of `Ahead` beats at
    // most, less one; else blocks that follow, or 0 if these are `Ahead` or more
    input  logic [  PowerBits:0] in_left,
    input  logic [ SlotBits-1:0] in_slot,  // slot of its hash subkey
    input  logic                 write_valid,  // a power of a hash subkey is present
    input  logic [ SlotBits-1:0] write_slot,  // slot of the subkey
    input  logic [PowerBits-1:0] write_power,  // the exponent less one
    input  logic [        127:0] write_value,  // the power
    output logic                 out_valid,  // a beat has been hashed
    // hash of the beats of the packet so far, if these beats were its last `Ahead`
    output logic [        127:0] out_hash
);
  if (Ahead > 1 && (2 ** $clog2(Ahead) != Ahead || Ahead < Stages + 2)) begin : gen_bad_ahead
    $error("ahead must be 1 or a power of two, at least stages + 2");
  end
  if (2 ** $clog2(Blocks) != Blocks || (Ahead == 1 && Blocks > 1)) begin : gen_bad_blocks
    $error("blocks must be a power of two, 1 with one sum");
  end

  if (Ahead == 1) begin : gen_serial
    // Horner's rule: the product is the hash so far. The multiplier's own reset starts a packet at
    // zero, which costs no level of logic before its factor.
    logic [127:0] keys[0:2**SlotBits-1];
    logic [SlotBits-1:0] key_walk_q;
    always_ff @(posedge clk) begin
      key_walk_q <= zeroize ? key_walk_q + 1'b1 : '0;
      if (write_valid || zeroize) keys[zeroize?key_walk_q : write_slot] <= write_value;
      if (rst) key_walk_q <= '0;
    end
    logic unused_ok;
    aesforge_gf128_serial #(
        .Digit(Digit)
    ) u_multiply (
        .clk,
        .rst,
        .zeroize(zeroize || begin_packet),
        .start(in_valid),
        .a(in_block ^ out_hash),
        .b(keys[in_slot]),
        .busy(unused_ok),
        .done(out_valid),
        .product(out_hash)
    );
    logic unused_inputs;
    assign unused_inputs = &{1'b0, in_first, in_left, write_power};
  end else begin : gen_sums
    localparam int unsigned Powers = 2 ** SlotBits * Ahead * Blocks;
    localparam int unsigned WalkBits = SlotBits + PowerBits;
    localparam int unsigned SumBits = $clog2(Ahead);

    // Zeroization overwrites a word of each memory per cycle.
    logic [WalkBits-1:0] walk_q;
    always_ff @(posedge clk) begin
      walk_q <= zeroize ? walk_q + 1'b1 : '0;
      if (rst) walk_q <= '0;
    end

    // Which power, which sum, and what becomes of the product.
    logic valid_q, add_q, final_q, start_q, some_final_q;
    logic [128*Blocks-1:0] block_q;
    logic [SlotBits-1:0] slot_q;
    logic [PowerBits-1:0] power_q[0:Blocks-1];
    logic [SumBits-1:0] sum_q;
    logic [SumBits:0] seen_q;
    logic is_final;
    assign is_final = !in_left[PowerBits];
    always_ff @(posedge clk) begin
      valid_q <= in_valid;
      if (in_valid) begin
        block_q <= in_block;
        slot_q <= in_slot;
        for (int b = 0; b < Blocks; b++) begin
          power_q[b] <= Blocks > 1 || is_final ? in_left[PowerBits-1:0] - PowerBits'(b) : '1;
        end
        sum_q <= sum_q + 1'b1;
        add_q <= !in_first && seen_q[SumBits];
        if (in_first) seen_q <= (SumBits + 1)'(1);
        else if (!seen_q[SumBits]) seen_q <= seen_q + 1'b1;
        final_q <= is_final;
        some_final_q <= is_final;
        start_q <= is_final && (in_first || !some_final_q);
      end
      if (zeroize) {block_q, add_q} <= '0;
      if (rst) sum_q <= '0;
      if (rst || zeroize) valid_q <= 1'b0;
    end

    // A power takes two cycles to read; the block waits for it.
    logic wait_valid_q, wait_add_q, wait_final_q, wait_start_q;
    logic [128*Blocks-1:0] wait_block_q;
    logic [SumBits-1:0] wait_sum_q;
    always_ff @(posedge clk) begin
      {wait_block_q, wait_sum_q} <= {block_q, sum_q};
      {wait_valid_q, wait_add_q, wait_final_q, wait_start_q} <= {valid_q, add_q, final_q, start_q};
      if (rst || zeroize) wait_valid_q <= 1'b0;
    end

    // A sum is read `Ahead` beats after it was written: at least `Ahead` cycles.
    logic [127:0] sums[0:Ahead-1];
    logic [128*Blocks-1:0] left_q;
    logic [127:0] product;
    logic [Stages:0] valid_at_q, final_at_q, start_at_q;
    logic [SumBits-1:0] sum_at_q[0:Stages];
    // Where the sum is written, and that it is: known a cycle ahead, for all its bits.
    logic sum_write_q;
    logic [SumBits-1:0] sum_place_q;
    always_ff @(posedge clk) begin
      left_q <= wait_block_q;
      left_q[128*Blocks-1-:128] <= wait_block_q[128*Blocks-1-:128]
          ^ (wait_add_q ? sums[wait_sum_q] : '0);
      if (zeroize) left_q <= '0;
      valid_at_q  <= (Stages + 1)'({valid_at_q, wait_valid_q});
      final_at_q  <= (Stages + 1)'({final_at_q, wait_final_q});
      start_at_q  <= (Stages + 1)'({start_at_q, wait_start_q});
      sum_at_q[0] <= wait_sum_q;
      for (int i = 1; i <= Stages; i++) sum_at_q[i] <= sum_at_q[i-1];
      sum_write_q <= valid_at_q[Stages-1] || zeroize;
      sum_place_q <= zeroize ? walk_q[SumBits-1:0] : sum_at_q[Stages-1];
      if (rst || zeroize) valid_at_q <= '0;
    end
    logic [127:0] products[0:Blocks-1];
    for (genvar b = 0; b < Blocks; b++) begin : gen_block
      logic [127:0] right_q;
      aesforge_queue_ram #(
          .Width(128),
          .Depth(Powers),
          .Style(PowerStyle)
      ) u_powers (
          .clk,
          .write(write_valid || zeroize),
          .write_place(zeroize ? walk_q : {write_slot, write_power}),
          .write_data(write_value),
          .read_place({slot_q, power_q[b]}),
          .first_step(1'b1),
          .second_step(1'b1),
          .second_q(right_q)
      );
      aesforge_gf128_multiply #(
          .Stages(Stages)
      ) u_multiply (
          .clk,
          .a(left_q[128*(Blocks-1-b)+:128]),
          .b(right_q),
          .product(products[b])
      );
    end
    always_comb begin
      product = products[0];
      for (int b = 1; b < Blocks; b++) product ^= products[b];
    end
    always_ff @(posedge clk) begin
      if (sum_write_q) sums[sum_place_q] <= product;
      if (valid_at_q[Stages] && final_at_q[Stages]) begin
        out_hash <= product ^ (start_at_q[Stages] ? '0 : out_hash);
      end
      out_valid <= valid_at_q[Stages];
      if (zeroize) out_hash <= '0;
      if (rst || zeroize) out_valid <= 1'b0;
    end
    logic unused_ok;
    assign unused_ok = &{1'b0, begin_packet};
  end
endmodule

`default_nettype wire
