// SPDX-License-Identifier: Apache-2.0
// Three times aesforge_ghash with running sums, with the same packets but for their blocks: those
// of the third are the sums of those of the two others. So are its hashes.
`default_nettype none

module prove_ghash_sum #(
    parameter int unsigned Ahead = 4,
    parameter int unsigned Stages = 2,
    parameter int unsigned Blocks = 1,
    // 1: also that from which all this follows; without, only what the outside sees
    parameter bit Steps = 1'b1,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0,
    localparam int unsigned Powers = Ahead * Blocks,
    localparam int unsigned PowerBits = $clog2(Powers),
    localparam int unsigned SumBits = $clog2(Ahead)
) (
    input logic                  clk,
    input logic                  rst,
    input logic                  in_valid,
    input logic                  in_last,
    input logic [128*Blocks-1:0] block_a,
    input logic [128*Blocks-1:0] block_b,
    input logic [   PowerBits:0] in_left,
    input logic                  in_slot,
    input logic                  write_valid,
    input logic                  write_slot,
    input logic [ PowerBits-1:0] write_power,
    input logic [         127:0] write_value
);
  logic fresh = 1'b1;
  logic [2:0] out_valid;
  logic [127:0] hash[0:2];
  for (genvar c = 0; c < 3; c++) begin : gen_copy
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
        .in_block(c == 0 ? block_a : c == 1 ? block_b : block_a ^ block_b),
        .in_left,
        .in_slot,
        .write_valid,
        .write_slot,
        .write_power,
        .write_value,
        .out_valid(out_valid[c]),
        .out_hash(hash[c])
    );
  end

  // Registers of the three, connected by the script: the third one's on top.
  (* keep *) logic [3*128*Blocks-1:0] left_q, right_q, product;
  (* keep *) logic [3*128*Ahead-1:0] sums;
  (* keep *) logic [3*SumBits-1:0] sum_qs;
  (* keep *) logic [3*(SumBits+1)-1:0] seen_qs;
  (* keep *) logic [2:0] some_final_q;
  wire [SumBits-1:0] sum_q = sum_qs[SumBits-1:0];
  wire [SumBits:0] seen_q = seen_qs[SumBits:0];
  (* keep *) logic [3*128*2*Powers*Blocks-1:0] memory;

  wire same_powers = memory == {3{memory[128*2*Powers*Blocks-1:0]}};

  // Sums that have been written since the reset; a beat on its way, and which sum it writes.
  localparam int unsigned Depth = Stages + 4;
  logic [Depth-1:0] way_valid = '0, way_start, way_final, way_last;
  logic [SumBits-1:0] way_place[0:Depth-1];
  logic [Ahead-1:0] known = '0, coming;
  logic hash_known = 1'b0, hash_coming, some_final, begun = 1'b0, seen = 1'b0;
  wire is_final = !in_left[PowerBits];
  // Whether all blocks of a packet so far are zero, in the first module: of beats on their way, of
  // the sums and of the hash.
  logic zero;
  wire zero_d = (fresh || zero) && block_a == '0;
  logic [Depth-1:0] way_zero;
  logic [Stages+2:3] way_no_factor;
  wire no_factor = left_q[128*Blocks-1:0] == '0;
  logic [Ahead-1:0] zeros = '0, zeros_coming;
  logic hash_zero = 1'b0, hash_zero_coming;
  always_ff @(posedge clk) begin
    begun <= 1'b1;
    if (in_valid) begin
      fresh <= in_last;
      some_final <= is_final;
      zero <= zero_d;
    end
    way_zero <= Depth'({way_zero, zero_d});
    way_no_factor <= Stages'({way_no_factor, no_factor});
    if (way_valid[Depth-2]) zeros[way_place[Depth-2]] <= way_zero[Depth-2];
    if (way_valid[Depth-2] && way_final[Depth-2]) hash_zero <= way_zero[Depth-2];
    way_valid <= Depth'({way_valid, in_valid});
    way_last  <= Depth'({way_last, in_last});
    way_final <= Depth'({way_final, is_final});
    way_start <= Depth'({way_start, is_final && (fresh || !some_final)});
    way_place[0] <= sum_q + 1'b1;
    for (int i = 1; i < Depth; i++) way_place[i] <= way_place[i-1];
    if (way_valid[Depth-2]) known[way_place[Depth-2]] <= 1'b1;
    if (way_valid[Depth-2] && way_start[Depth-2]) hash_known <= 1'b1;
    seen <= seen || (out_valid[0] && way_last[Depth-1] && hash[0] != '0 && hash[1] != '0);
    if (rst) begin
      fresh <= 1'b1;
      {hash_known, hash_zero} <= '0;
      {known, zeros} <= '0;
      way_valid <= '0;
    end
  end
  always_comb begin
    coming = known;
    hash_coming = hash_known;
    zeros_coming = zeros;
    hash_zero_coming = hash_zero;
    for (int i = Depth - 2; i >= 0; i--) begin
      if (way_valid[i]) zeros_coming[way_place[i]] = way_zero[i];
      if (way_valid[i] && way_final[i]) hash_zero_coming = way_zero[i];
    end
    for (int i = 0; i < Depth - 1; i++) begin
      if (way_valid[i]) coming[way_place[i]] = 1'b1;
      if (way_valid[i] && way_start[i]) hash_coming = 1'b1;
    end
  end

  always_comb begin
    assume (begun || rst);
    // The three are one module, three times: they begin with the same powers, whatever these are.
    if (!begun) assume (same_powers);
    // A packet ends with final beats.
    if (in_valid) begin
      if (in_last) assume (is_final);
      if (!fresh && some_final) assume (is_final);
    end
    // A product of zero is zero.
    if (way_valid[Stages+2] && way_no_factor[Stages+2]) assume (product[128*Blocks-1:0] == '0);
    // Products are linear.
    for (int b = 0; b < Blocks; b++) begin
      assume (product[128*(2*Blocks+b)+:128]
          == (product[128*(Blocks+b)+:128] ^ product[128*b+:128]));
    end
    if (Cover) begin
      assert (!seen);
    end else if (begun) begin
      assert (out_valid == {3{way_valid[Depth-1]}});
      // 1. The hash of the sums is the sum of the hashes.
      if (way_valid[Depth-1] && way_last[Depth-1]) assert (hash[2] == (hash[1] ^ hash[0]));
      // 2. A packet of zeros has the hash zero, whatever came before it, and under any factors.
      if (way_valid[Depth-1] && way_last[Depth-1] && way_zero[Depth-1]) assert (hash[0] == '0);
      // 3. So that products may be called linear: of each three, the other factor is the same.
      if (way_valid[2]) begin
        for (int b = 0; b < Blocks; b++) begin
          assert (left_q[128*(2*Blocks+b)+:128]
              == (left_q[128*(Blocks+b)+:128] ^ left_q[128*b+:128]));
          assert (right_q[128*(2*Blocks+b)+:128] == right_q[128*b+:128]);
          assert (right_q[128*(Blocks+b)+:128] == right_q[128*b+:128]);
        end
      end
      if (Steps) begin
        assert (sum_qs == {3{sum_q}});
        if (!fresh) assert (seen_qs == {3{seen_q}} && some_final_q == {3{some_final}});
        assert (same_powers);
        if (way_valid[2] && way_zero[2]) assert (no_factor);
        if (hash_zero) assert (hash[0] == '0);
        for (int i = 0; i < Ahead; i++) begin
          if (zeros[i]) assert (sums[128*i+:128] == '0);
          if (known[i]) begin
            assert (sums[128*(2*Ahead+i)+:128] == (sums[128*(Ahead+i)+:128] ^ sums[128*i+:128]));
          end
          if (!fresh && seen_q >= (SumBits + 1)'(Ahead - i)) begin
            assert (coming[SumBits'(sum_q + SumBits'(i + 1))]);
            if (zero) assert (zeros_coming[SumBits'(sum_q + SumBits'(i + 1))]);
          end
        end
        if (!fresh) assert (seen_q != '0);
        if (hash_known) assert (hash[2] == (hash[1] ^ hash[0]));
        if (!fresh && some_final) assert (hash_coming && (hash_zero_coming || !zero));
      end
    end
  end
endmodule

`default_nettype wire
