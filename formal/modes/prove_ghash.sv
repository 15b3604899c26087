// SPDX-License-Identifier: Apache-2.0
// aesforge_ghash with running sums, under packets of any length, in any slots, with any pauses. One
// block of one packet is followed, all others are zero: the hash of its packet is the block times
// the power of the hash subkey that SP 800-38D Sec. 6.4 gives it, and that of all other packets is
// zero. Any block may be the one; prove_ghash_sum.sv shows that hashes of sums are sums of hashes.
`default_nettype none

module prove_ghash #(
    parameter int unsigned Ahead = 4,
    parameter int unsigned Stages = 2,
    parameter int unsigned Blocks = 1,
    // 1: also that from which all this follows; without, only what the outside sees
    parameter bit Steps = 1'b1,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0,
    localparam int unsigned Powers = Ahead * Blocks,
    localparam int unsigned PowerBits = $clog2(Powers),
    localparam int unsigned SumBits = $clog2(Ahead),
    localparam int unsigned SizeBits = $clog2(Blocks + 1)
) (
    input logic                 clk,
    input logic                 rst,
    input logic                 in_valid,
    input logic                 slot,
    // the block that is followed is in this beat
    input logic                 mark,
    // blocks of the beat that comes to the end of the window, and whether its packet ends with it
    input logic [ SizeBits-1:0] size_in,
    input logic                 last_in,
    input logic                 write_valid,
    input logic                 write_slot,
    input logic [PowerBits-1:0] write_power
);
  // Exponents are counted up to 2^8, and from there again from 0.
  localparam int unsigned Bits = 8;
  // The element of a slot with an exponent, for exponent_multiply.sv.
  function automatic logic [127:0] power(input logic of_slot, input logic [Bits-1:0] exponent);
    power = '0;
    power[127] = 1'b1;
    if (of_slot) power[Bits+:Bits] = exponent;
    else power[0+:Bits] = exponent;
  endfunction

  // The beats that come: place 0 is the next one.
  logic [SizeBits-1:0] size[0:Ahead-1];
  logic last[0:Ahead-1];
  logic fresh = 1'b1;
  logic slot_q;
  wire in_slot = fresh ? slot : slot_q;
  // How many of them are of the packet: all, if none of them is its last. Their blocks.
  logic ends;
  logic [SumBits-1:0] left;
  logic [Bits-1:0] sum;
  always_comb begin
    ends = 1'b0;
    left = '0;
    sum  = '0;
    for (int i = 0; i < Ahead; i++) begin
      if (!ends) begin
        sum += Bits'(size[i]);
        left = SumBits'(i);
        ends = last[i];
      end
    end
  end
  logic [PowerBits:0] in_left;
  always_comb begin
    in_left = '0;
    in_left[PowerBits] = !ends;
    if (Blocks > 1) in_left[PowerBits-1:0] = PowerBits'(sum - 1'b1);
    else if (ends) in_left[PowerBits-1:0] = left;
  end

  // The block that is followed.
  (* anyconst *) logic [SizeBits-1:0] some_index;
  logic marked = 1'b0;
  wire chosen = in_valid && mark && !marked && some_index < size[0];
  logic [128*Blocks-1:0] in_block;
  for (genvar b = 0; b < Blocks; b++) begin : gen_block
    assign in_block[128*(Blocks-1-b)+:128] = chosen && some_index == b ? power(1'b0, '0) : '0;
  end

  // The mask of the multipliers' models, connected by the script, those of all blocks.
  (* keep *) logic [128*Blocks-1:0] masks;
  wire [127:0] mask = masks[127:0];
  logic out_valid;
  logic [127:0] out_hash;
  aesforge_ghash #(
      .Slots(2),
      .Ahead(Ahead),
      .Stages(Stages),
      .Blocks(Blocks)
  ) u_ghash (
      .clk,
      .rst,
      .zeroize(1'b0),
      .begin_packet(1'b0),
      .in_valid,
      .in_first(fresh),
      .in_block,
      .in_left,
      .in_slot,
      .write_valid,
      .write_slot,
      .write_power,
      .write_value(power(write_slot, Bits'(write_power) + 1'b1) ^ mask),
      .out_valid,
      .out_hash
  );

  // Powers that have been written.
  logic [2*Powers-1:0] written = '0;

  // What the hash should be. Within the packet of the block that is followed: its blocks from that
  // one on, and the beats until the sum that has the block is used again.
  logic within = 1'b0;
  logic [Bits-1:0] since = '0;
  logic [SumBits-1:0] until_q = '0;
  wire carries = chosen || (within && until_q == '0);
  // What the beat adds to the sum, or to the hash.
  wire [Bits-1:0] exponent = chosen ? sum - Bits'(some_index) : since + sum;
  wire [127:0] product = carries ? power(in_slot, exponent) : '0;
  wire [Bits-1:0] since_d = chosen ? Bits'(size[0]) - Bits'(some_index) : since + Bits'(size[0]);
  wire within_d = chosen || within;

  // Each beat on its way: stage 0 is that of `block_q`, stage `Stages` + 2 that of its product.
  localparam int unsigned Depth = Stages + 4;
  logic [Depth-1:0] way_valid = '0, way_final, way_start, way_last, way_within;
  logic [SumBits-1:0] way_place[0:Depth-1];
  logic [127:0] way_product[0:Depth-1];
  logic [127:0] way_hash[0:Depth-1];
  // The sums and the hash: when the beats have been accepted, and when they leave.
  logic [SumBits-1:0] place = SumBits'(1);
  logic [SumBits:0] seen = '0;
  logic some_final = 1'b0;
  logic [Ahead-1:0] front_known = '0, back_known = '0;
  logic [127:0] front[0:Ahead-1];
  logic [127:0] back[0:Ahead-1];
  logic front_hash_known = 1'b0;
  logic [127:0] front_hash, back_hash;
  logic back_hash_known = 1'b0;
  wire start = ends && (fresh || !some_final);
  logic begun = 1'b0, seen_long = 1'b0;
  logic [Bits-1:0] beats = '0;
  always_ff @(posedge clk) begin
    begun <= 1'b1;
    if (in_valid) begin
      for (int i = 1; i < Ahead; i++) begin
        size[i-1] <= size[i];
        last[i-1] <= last[i];
      end
      size[Ahead-1] <= size_in;
      last[Ahead-1] <= last_in;
      fresh <= last[0];
      slot_q <= in_slot;
      place <= place + 1'b1;
      seen <= fresh ? (SumBits + 1)'(1) : seen[SumBits] ? seen : seen + 1'b1;
      some_final <= ends;
      front[place] <= product;
      front_known[place] <= 1'b1;
      if (ends) begin
        front_hash <= product ^ (start ? '0 : front_hash);
        front_hash_known <= 1'b1;
      end
      within <= within_d && !last[0];
      since <= since_d;
      if (within_d) until_q <= carries ? SumBits'(Ahead - 1) : until_q - 1'b1;
      if (chosen) marked <= 1'b1;
      beats <= fresh ? '0 : beats + Bits'(beats != '1);
    end
    if (write_valid) written[{write_slot, write_power}] <= 1'b1;
    way_valid <= Depth'({way_valid, in_valid});
    way_final <= Depth'({way_final, ends});
    way_start <= Depth'({way_start, start});
    way_last <= Depth'({way_last, last[0]});
    way_within <= Depth'({way_within, within_d});
    way_place[0] <= place;
    way_product[0] <= product;
    // At the end of a packet, what the standard says.
    way_hash[0] <= within_d ? power(in_slot, since_d) : '0;
    for (int i = 1; i < Depth; i++) begin
      way_place[i] <= way_place[i-1];
      way_product[i] <= way_product[i-1];
      way_hash[i] <= way_hash[i-1];
    end
    if (way_valid[Depth-2]) begin
      back[way_place[Depth-2]] <= way_product[Depth-2];
      back_known[way_place[Depth-2]] <= 1'b1;
      if (way_final[Depth-2]) begin
        back_hash <= way_product[Depth-2] ^ (way_start[Depth-2] ? '0 : back_hash);
        if (way_start[Depth-2]) back_hash_known <= 1'b1;
      end
    end
    seen_long <= seen_long || (out_valid && way_last[Depth-1] && way_within[Depth-1] && beats > 10);
    if (rst) begin
      {within, seen, front_hash_known} <= '0;
      place <= SumBits'(1);
      front_known <= '0;
      back_known <= '0;
      fresh <= 1'b1;
      way_valid <= '0;
    end
  end

  // Registers of the module, connected by the script.
  (* keep *) logic [SumBits-1:0] sum_q;
  (* keep *) logic [SumBits:0] seen_q;
  (* keep *) logic some_final_q;
  (* keep *) logic [127:0] product_now;
  (* keep *) logic [128*Ahead-1:0] sums;
  (* keep *) logic [2*128*Powers*Blocks-1:0] memory;
  // The sums and the hash when all beats on their way have left.
  logic [128*Ahead-1:0] coming;
  logic [Ahead-1:0] coming_known;
  logic [127:0] coming_hash;
  logic coming_hash_known;
  always_comb begin
    for (int i = 0; i < Ahead; i++) coming[128*i+:128] = back[i];
    coming_known = back_known;
    coming_hash = back_hash;
    coming_hash_known = back_hash_known;
    for (int i = Depth - 2; i >= 0; i--) begin
      for (int l = 0; l < Ahead; l++) begin
        if (way_valid[i] && way_place[i] == SumBits'(l)) begin
          coming[128*l+:128] = way_product[i];
          coming_known[l] = 1'b1;
        end
      end
      if (way_valid[i] && way_final[i]) begin
        coming_hash = way_product[i] ^ (way_start[i] ? '0 : coming_hash);
        coming_hash_known = coming_hash_known || way_start[i];
      end
    end
  end

  // For each of the next beats: the blocks from the one that is followed up to its first one, and
  // whether its packet has ended before it.
  logic [Bits*Ahead-1:0] before;
  logic [Ahead-1:0] ended;
  always_comb begin
    before = '0;
    ended  = '0;
    before[0+:Bits] = since;
    ended[0] = fresh;
    for (int r = 1; r < Ahead; r++) begin
      before[Bits*r+:Bits] = before[Bits*(r-1)+:Bits] + Bits'(size[r-1]);
      ended[r] = ended[r-1] || last[r-1];
    end
  end

  always_comb begin
    assume (begun || rst);
    assume (size_in != '0 && size_in <= Blocks);
    assume (masks == {Blocks{mask}});
    if (!begun) begin
      for (int i = 0; i < Ahead; i++) assume (size[i] != '0 && size[i] <= Blocks);
    end
    // The packet of the block that is followed has a key whose powers have all been written.
    if (in_valid && within_d) assume (&written[Powers*in_slot+:Powers]);
    if (Cover) begin
      assert (!seen_long);
    end else if (begun) begin
      // 1. A beat leaves `Stages` + 4 cycles after it came, and none is invented.
      assert (out_valid == way_valid[Depth-1]);
      // 2. The hash of a packet is the block that is followed times its power, or zero.
      if (out_valid && way_last[Depth-1]) assert (out_hash == way_hash[Depth-1]);
      if (Steps) begin
        for (int i = 0; i < Ahead; i++) assert (size[i] != '0 && size[i] <= Blocks);
        assert (!within || (marked && !fresh));
        assert (place == sum_q + 1'b1);
        if (!fresh) begin
          assert (seen != '0);
          assert (seen_q == seen);
          assert (some_final_q == some_final);
        end
        for (int b = 0; b < Blocks; b++) begin
          for (int i = 0; i < 2 * Powers; i++) begin
            if (written[i]) begin
              assert (memory[128*(2*Powers*b+i)+:128]
                  == (power(i >= Powers, Bits'(i % Powers) + 1'b1) ^ mask));
            end
          end
        end
        if (way_valid[Depth-2]) assert (product_now == way_product[Depth-2]);
        for (int i = 0; i < Ahead; i++) begin
          if (back_known[i]) assert (sums[128*i+:128] == back[i]);
          if (front_known[i]) assert (coming_known[i] && coming[128*i+:128] == front[i]);
        end
        if (back_hash_known) assert (out_hash == back_hash);
        if (front_hash_known) assert (coming_hash_known && coming_hash == front_hash);
        // The sums that the next beats of the packet are added to.
        for (int r = 0; r < Ahead; r++) begin
          if (!ended[r] && seen >= (SumBits + 1)'(Ahead - r)) begin
            assert (front_known[SumBits'(place + SumBits'(r))]);
            assert (front[SumBits'(place + SumBits'(r))]
                == (within && until_q == SumBits'(r) ? power(slot_q, before[Bits*r+:Bits]) : '0));
          end
        end
        // The hash, once the last beats have begun.
        if (!fresh && !some_final) assert (!ends || left == '1);
        if (!fresh && some_final) begin
          assert (ends && front_hash_known);
          assert (front_hash == (within && until_q > left ? power(slot_q, since + sum) : '0));
        end
        if (within) assert (seen >= (SumBits + 1)'(Ahead) - (SumBits + 1)'(until_q));
      end
    end
  end
endmodule

`default_nettype wire
