// SPDX-License-Identifier: Apache-2.0
// aesforge_gcm_counter under packets of any length: what enters the core for each beat is what
// SP 800-38D Sec. 7.1 and 7.2 say. With one stage the core may stall. count_model.sv stands for the
// counters.
`default_nettype none

module prove_gcm_counter #(
    parameter int unsigned Blocks = 1,
    parameter int unsigned Stages = 6,
    // 1: also that from which all this follows; without, only what the outside sees
    parameter bit Steps = 1'b1,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0,
    localparam int unsigned Places = Blocks > 1 ? $clog2(Blocks) : 1
) (
    input logic         clk,
    input logic         rst,
    input logic         beat_valid,
    input logic         beat_aad,
    input logic         beat_tag,
    input logic [ 95:0] beat_iv,
    input logic         beat_hashed,
    input logic [127:0] hashed_iv,
    input logic [  1:0] beat_side,
    input logic         zero_valid,
    input logic [  1:0] zero_side,
    input logic         core_ready
);
  localparam bit Elastic = Stages == 1;
  logic beat_ready, zero_ready, core_valid, fresh = 1'b1;
  logic [128*Blocks-1:0] core_block;
  logic [1:0] core_side;
  aesforge_gcm_counter #(
      .SideBits(2),
      .Blocks(Blocks),
      .Stages(Stages),
      .Elastic(Elastic)
  ) u_counter (
      .clk,
      .rst,
      .zeroize(1'b0),
      .beat_valid,
      .beat_ready,
      .beat_first(fresh),
      .beat_aad,
      .beat_tag,
      .beat_iv,
      .beat_hashed,
      .hashed_iv,
      .beat_side,
      .zero_valid,
      .zero_ready,
      .zero_side,
      .core_valid,
      .core_ready,
      .core_block,
      .core_side
  );

  // J0 of the packet, the blocks of text before the beat, and whether there has been text.
  logic [127:0] j0;
  logic [31:0] texts;
  logic some_text, legal;
  wire [127:0] j0_d = beat_hashed ? hashed_iv : {beat_iv, 32'd1};
  wire [31:0] texts_d = fresh ? '0 : texts;
  wire text = !beat_aad && !beat_tag;
  // Associated data, then text, then the tag, under one IV. Other packets have an error: nothing is
  // claimed of their blocks.
  wire legal_d = !(beat_aad && beat_tag)
      && (fresh || (legal && j0_d == j0 && !(some_text && beat_aad)));
  // The block of the beat that is followed.
  (* anyconst *) logic [Places-1:0] some_block;
  wire [127:0] wanted = beat_tag ? j0_d
      : {j0_d[127:32], j0_d[31:0] + 32'd1 + texts_d + 32'(some_block)};

  localparam int unsigned Depth = Stages + 1;
  logic [Depth-1:0] way_valid = '0, way_known;
  logic [127:0] way[0:Depth-1];
  logic [1:0] way_side[0:Depth-1];
  logic begun = 1'b0, zero = 1'b0, seen = 1'b0;
  logic [1:0] zero_side_q;
  logic [127:0] own;
  wire step = !Elastic || !core_valid || core_ready;
  always_comb begin
    own = core_block[128*Blocks-1-:128];
    for (int b = 1; b < Blocks; b++) if (some_block == b) own = core_block[128*(Blocks-1-b)+:128];
  end
  always_ff @(posedge clk) begin
    begun <= 1'b1;
    if (beat_valid && step) begin
      fresh <= beat_tag;
      j0 <= j0_d;
      texts <= texts_d + (text ? 32'(Blocks) : 32'd0);
      some_text <= text || (some_text && !fresh);
      legal <= legal_d;
    end
    if (step) begin
      way_valid <= Depth'({way_valid, beat_valid});
      // Associated data use no counter block, and the tag one alone.
      way_known <= Depth'({way_known, legal_d && (text || (beat_tag && some_block == '0))});
      way[0] <= wanted;
      way_side[0] <= beat_side;
      for (int i = 1; i < Depth; i++) begin
        way[i] <= way[i-1];
        way_side[i] <= way_side[i-1];
      end
      zero <= zero_valid && zero_ready;
      zero_side_q <= zero_side;
    end
    seen <= seen || (core_valid && own[31:0] == 32'd0 && way_valid[Depth-1] && way_known[Depth-1]);
    if (rst) begin
      fresh <= 1'b1;
      way_valid <= '0;
      zero <= 1'b0;
    end
  end

  // Registers of the module, connected by the script: counters of all blocks, the first one's in
  // the low bits.
  localparam int unsigned LowBits = $clog2(Blocks);
  (* keep *) logic [(32-LowBits)*Blocks-1:0] counts;
  (* keep *) logic text_q;
  // Of one stage: what waits there.
  (* keep *) logic [95:0] iv_q;
  (* keep *) logic [1:0] side_q;
  (* keep *) logic [31:0] value_q;
  (* keep *) logic valid_q;
  logic [31:0] next;
  always_comb begin
    assume (begun || rst);
    assume (some_block < Blocks);
    next = '0;
    if (Cover) begin
      assert (!seen);
    end else if (begun) begin
      // 1. A beat, or a block of zeros that was taken, enters the core, and nothing else does.
      assert (core_valid == (way_valid[Depth-1] || zero));
      assert (!(way_valid[Depth-1] && zero));
      assert (beat_ready == step && (!zero_ready || step));
      // 2. The counter blocks of text, and J0 in the first block of the tag, with the side bits.
      if (way_valid[Depth-1]) begin
        assert (core_side == way_side[Depth-1]);
        if (way_known[Depth-1]) assert (own == way[Depth-1]);
      end
      // 3. A block of zeros is zero.
      if (zero) assert (core_block == '0 && core_side == zero_side_q);
      if (Steps) begin
        if (fresh || legal) assert (text_q == (some_text && !fresh));
        if (Elastic) begin
          assert (valid_q == way_valid[0]);
          if (way_valid[0]) assert (side_q == way_side[0]);
          if (way_valid[0] && way_known[0]) assert ({iv_q, value_q} == way[0]);
        end
        if (!fresh) begin
          if (!some_text) assert (texts == '0);
          assert (texts[Places-1:0] == '0 || Blocks == 1);
        end
        for (int b = 0; b < Blocks; b++) begin
          // Before the first text a counter has J0 itself, whose carry from J0 + 1 + b is to come.
          next = j0[31:0] + 32'd1 + 32'(b) + texts - 32'(Blocks);
          if (Blocks == 1 || !some_text) next = j0[31:0] + texts;
          if (!fresh && legal) assert (counts[(32-LowBits)*b+:32-LowBits] == next[31:LowBits]);
        end
      end
    end
  end
endmodule

`default_nettype wire
