// SPDX-License-Identifier: Apache-2.0
// aesforge_mode_xts between data units of any length and a core that is any function with its
// latency. One block of any beat is followed, or two where the second is part of a block: what
// leaves in its turn is XTS (IEEE Std 1619 Sec. 5.3 and 5.4) of it.
`default_nettype none

module prove_mode_xts #(
    parameter bit Stealing = 1'b1,
    parameter int unsigned Blocks = 1,
    parameter int unsigned Latency = 4,
    // 1: also that from which all this follows; without, only what the outside sees
    parameter bit Steps = 1'b1,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0
) (
    input logic                  clk,
    input logic                  rst,
    input logic                  beat_valid,
    input logic                  beat_first,
    input logic                  beat_block,
    input logic                  beat_steals,
    input logic [ 16*Blocks-1:0] beat_keep,
    input logic [128*Blocks-1:0] beat_data,
    input logic                  beat_decrypt,
    input logic [         127:0] beat_tweak,
    input logic [           1:0] beat_side,
    // the beat that is followed, chosen when it comes
    input logic                  mark
);
  localparam int unsigned Bits = 128 * Blocks;
  localparam int unsigned KeepBits = 16 * Blocks;
  localparam int unsigned PlaceBits = Blocks > 1 ? $clog2(Blocks) : 1;
  logic beat_ready, core_valid, result_valid;
  logic [Bits-1:0] core_block, out_block, result;
  logic [1:0] core_side;
  aesforge_mode_xts #(
      .Stealing(Stealing),
      .Blocks(Blocks),
      .SideBits(2),
      .Latency(Latency)
  ) u_mode (
      .clk,
      .rst,
      .zeroize(1'b0),
      .beat_valid,
      .beat_ready,
      .beat_first,
      .beat_block,
      .beat_steals,
      .beat_keep,
      .beat_data,
      .beat_decrypt,
      .beat_tweak,
      .beat_side,
      .core_valid,
      .core_block,
      .core_side,
      .out_block,
      .result_valid,
      .result
  );

  // The core: any function, of which the results for one or two blocks are followed.
  (* anyconst *) logic [1:0] some_side;
  (* anyconst *) logic [127:0] once_block, once_result, again_block, again_result;
  (* anyseq *) logic [Bits-1:0] anything;
  wire same_side = core_valid && core_side == some_side;
  for (genvar b = 0; b < Blocks; b++) begin : gen_core
    localparam int unsigned Top = Bits - 1 - 128 * b;
    logic [Latency-1:0] once_q = '0, again_q = '0;
    assign out_block[Top-:128] = once_q[Latency-1] ? once_result
        : again_q[Latency-1] ? again_result : anything[Top-:128];
    always_ff @(posedge clk) begin
      once_q  <= Latency'({once_q, same_side && core_block[Top-:128] == once_block});
      again_q <= Latency'({again_q, same_side && core_block[Top-:128] == again_block});
      if (rst) {once_q, again_q} <= '0;
    end
  end

  // What the standard says. Its blocks are numbers whose byte 0 is the lowest; here it is on top.
  function automatic logic [127:0] swapped(input logic [127:0] data);
    for (int i = 0; i < 16; i++) swapped[8*i+:8] = data[8*(15-i)+:8];
  endfunction
  function automatic logic [127:0] next_tweak(input logic [127:0] tweak);
    logic [127:0] number;
    number = swapped(tweak);
    next_tweak = swapped((number << 1) ^ (number[127] ? 128'h87 : 128'h0));
  endfunction
  // The bytes that are kept of one block, and the others of another.
  function automatic logic [127:0] joined(
      input logic [15:0] keep, input logic [127:0] kept, input logic [127:0] others);
    for (int i = 0; i < 16; i++) begin
      joined[127-8*i-:8] = keep[i] ? kept[127-8*i-:8] : others[127-8*i-:8];
    end
  endfunction
  // A block of a beat, and what is kept of it; the first where there are no more.
  function automatic logic [127:0] block_of(
      input logic [Bits-1:0] data, input logic [PlaceBits-1:0] place);
    block_of = data[Bits-1-:128];
    for (int b = 1; b < Blocks; b++) begin
      if (place == PlaceBits'(b)) block_of = data[Bits-1-128*b-:128];
    end
  endfunction
  function automatic logic [15:0] kept_of(
      input logic [KeepBits-1:0] keep, input logic [PlaceBits-1:0] place);
    kept_of = keep[15:0];
    for (int b = 1; b < Blocks; b++) if (place == PlaceBits'(b)) kept_of = keep[16*b+:16];
  endfunction

  wire take = beat_valid && beat_ready;
  wire steals = Stealing && beat_steals;
  logic fresh = 1'b1, waits = 1'b0, decrypt;
  logic [1:0] side;
  // Of the last block of the beat before.
  logic [127:0] tweak, data;
  // Of the blocks of this one, and which of them are parts.
  logic [Bits-1:0] tweaks;
  logic [Blocks-1:0] parts;
  for (genvar b = 0; b < Blocks; b++) begin : gen_block
    logic [127:0] own;
    if (b == 0) begin : gen_first
      assign own = beat_first ? beat_tweak : next_tweak(tweak);
      assign parts[b] = waits;
    end else begin : gen_other
      assign own = next_tweak(gen_block[b-1].own);
      assign parts[b] = Stealing && beat_block && beat_keep[16*b] && !beat_keep[16*b+15];
    end
    assign tweaks[Bits-1-128*b-:128] = own;
  end

  // The block that is followed, by its place in its beat; `pair`: the next one, part of a block, is
  // followed too, and `across`: it is in the next beat. `waiting`: its beat waits for that.
  (* anyseq *) logic [PlaceBits-1:0] place;
  logic marked = 1'b0, pair, across, waiting = 1'b0;
  logic [PlaceBits-1:0] place_q;
  wire [PlaceBits-1:0] some_place = marked ? place_q : place;
  wire [PlaceBits-1:0] next_place = some_place + 1'b1;
  wire at_end = some_place == PlaceBits'(Blocks - 1);
  logic [5:0] n_in = '0, n_out = '0;
  (* anyconst *) logic [5:0] some_number;
  logic [15:0] keep;
  logic [127:0] own_tweak, last_tweak;
  logic own_part, next_part;
  always_comb begin
    own_part  = parts[0] && some_place == '0;
    next_part = 1'b0;
    for (int b = 1; b < Blocks; b++) begin
      if (parts[b] && some_place == PlaceBits'(b)) own_part = 1'b1;
      if (parts[b] && some_place == PlaceBits'(b - 1)) next_part = 1'b1;
    end
  end
  // Both blocks of a pair, and the tweaks of the first and second way of the whole one through the
  // core.
  wire [127:0] place_tweak = block_of(tweaks, some_place);
  wire [127:0] place_data = block_of(beat_data, some_place);
  wire [127:0] whole_tweak = waiting ? tweak : place_tweak;
  wire [127:0] whole_data = waiting ? data : place_data;
  wire [PlaceBits-1:0] part_place = waiting ? '0 : next_place;
  wire [127:0] part_tweak = block_of(tweaks, part_place);
  wire [127:0] part_data = block_of(beat_data, part_place);
  wire [15:0] part_keep = kept_of(beat_keep, part_place);
  wire [127:0] once_tweak = beat_decrypt ? part_tweak : whole_tweak;
  wire [127:0] again_tweak = beat_decrypt ? whole_tweak : part_tweak;
  wire fits = once_block == (whole_data ^ once_tweak)
      && again_block == (joined(part_keep, part_data, once_result ^ once_tweak) ^ again_tweak);
  wire chosen = take && mark && !marked && n_in == some_number && beat_side == some_side
      && !own_part && (next_part ? fits : (steals && at_end)
      || (beat_block && once_block == (place_data ^ place_tweak)));
  wire goes = waiting && take && (!pair || fits);
  wire turn = marked && !waiting && result_valid && n_out == some_number;
  wire last_turn = marked && !waiting && pair && result_valid
      && n_out == some_number + 6'(across);
  wire [127:0] own_result = block_of(result, some_place);
  wire [127:0] last_result = block_of(result, across ? '0 : next_place);

  // Beats whose results come at known times, and those whose results come a cycle before that of
  // the beat after them.
  localparam int unsigned Whole = Stealing ? 2 * Latency + 5 : Latency + 2;
  localparam int unsigned Stolen = 2 * Latency + 4;
  logic [Whole-1:0] whole_q = '0;
  logic [Stolen-1:0] stolen_q = '0;
  logic [5:0] in_flight;
  always_comb begin
    in_flight = 6'(waits);
    for (int i = 0; i < Whole; i++) in_flight += 6'(whole_q[i]);
    for (int i = 0; i < Stolen; i++) in_flight += 6'(stolen_q[i]);
  end

  logic begun = 1'b0, stalled = 1'b0, seen_whole = 1'b0;
  logic seen_pair = 1'b0, seen_within = 1'b0, seen_waited = 1'b0;
  localparam int unsigned BeatBits = 1 + 1 + 1 + KeepBits + Bits + 1 + 128 + 2;
  logic [BeatBits-1:0] held;
  wire [BeatBits-1:0] beat = {
    beat_first, beat_block, beat_steals, beat_keep, beat_data, beat_decrypt, beat_tweak, beat_side
  };
  // The followed blocks on their way.
  logic [Whole-1:0] own_way = '0, last_way = '0;
  logic [Stolen-1:0] own_stolen = '0;

  always_ff @(posedge clk) begin
    begun <= 1'b1;
    stalled <= beat_valid && !beat_ready && !rst;
    held <= beat;
    if (take) begin
      {tweak, data, side, decrypt} <= {tweaks[127:0], beat_data[127:0], beat_side, beat_decrypt};
      waits <= steals;
      fresh <= 1'b0;
    end
    n_in  <= n_in + 6'(take);
    n_out <= n_out + 6'(result_valid);
    whole_q <= Whole'({whole_q, take && !steals});
    stolen_q <= Stolen'({stolen_q, take && waits});
    if (!marked) place_q <= place;
    if (chosen) begin
      marked <= 1'b1;
      pair <= next_part || (steals && at_end);
      across <= !next_part;
      waiting <= steals;
      own_tweak <= next_part ? again_tweak : place_tweak;
    end
    if (waiting && take) begin
      waiting <= 1'b0;
      marked <= goes;
      if (pair) own_tweak <= again_tweak;
    end
    if (chosen || (waiting && take)) begin
      last_tweak <= once_tweak;
      keep <= part_keep;
    end
    own_way <= Whole'({own_way, chosen && !steals});
    own_stolen <= Stolen'({own_stolen, goes});
    last_way <= Whole'({last_way, goes && pair});
    if (turn && !pair) {marked, seen_whole} <= 2'b01;
    if (turn && !pair && own_stolen[Stolen-1]) seen_waited <= 1'b1;
    if (last_turn) begin
      marked <= 1'b0;
      if (across) seen_pair <= 1'b1;
      else seen_within <= 1'b1;
    end
    if (rst) begin
      {n_in, n_out} <= '0;
      {marked, waits, waiting, whole_q, stolen_q} <= '0;
      {own_way, own_stolen, last_way} <= '0;
      fresh <= 1'b1;
    end
  end

  // Registers of the module, connected by the script.
  (* keep *) logic [127:0] next_q;
  (* keep *) logic [Bits-1:0] data_q, tweak_q;
  (* keep *) logic [Bits-1:0] xor_q;
  (* keep *) logic wait_q, steals_q, decrypt_q;
  (* keep *) logic [1:0] side_q;
  (* keep *) logic [Blocks-1:0] part_q;

  wire [PlaceBits-1:0] other_place = across ? '0 : next_place;
  wire [127:0] core_here = block_of(core_block, some_place);
  wire [127:0] core_part = block_of(core_block, other_place);
  wire [127:0] mask_here = block_of(xor_q, some_place);
  wire [127:0] mask_part = block_of(xor_q, other_place);

  always_comb begin
    assume (begun || rst);
    assume (32'(place) < Blocks);
    // Two equal blocks have one result.
    if (once_block == again_block) assume (once_result == again_result);
    // A beat waits unchanged.
    if (stalled) assume (beat_valid && beat == held);
    // Data units: a beat that steals is followed by the last beat of its unit, part of a block. One
    // without an error has no holes, and all its bytes if another follows.
    if (beat_valid && fresh) assume (beat_first);
    if (beat_valid && !beat_first) assume (beat_side == side && beat_decrypt == decrypt);
    if (beat_valid && waits) begin
      assume (!beat_first && !beat_steals);
      assume (beat_keep[0] && beat_keep[15:0] != '1 && beat_keep >> 16 == '0);
    end
    if (Blocks > 1 && beat_valid && beat_block) begin
      assume ((beat_keep & (beat_keep + 1'b1)) == '0);
      assume (!beat_steals || beat_keep == '1);
    end
    if (Cover) begin
      assert (!(seen_whole && (seen_pair || !Stealing)
          && ((seen_within && seen_waited) || !Stealing || Blocks == 1)));
    end else if (begun) begin
      // 1. Each beat has one result, in order, and none is invented.
      assert (!result_valid || n_in != n_out);
      // 2. A whole block.
      if (turn && !pair) assert (own_result == (once_result ^ own_tweak));
      // 3. The last whole block before part of a block, and that part.
      if (turn && pair) assert (own_result == (again_result ^ own_tweak));
      if (last_turn) begin
        assert (joined(keep, last_result, '0) == joined(keep, once_result ^ last_tweak, '0));
      end
      if (Steps) begin
        assert (6'(n_in - n_out) == in_flight);
        // What enters the core for the blocks that are followed, and what their results are added
        // to, one or two cycles after their beats.
        if (own_way[1] && !pair) assert (core_here == once_block);
        if (own_way[1] && pair) assert (core_part == once_block && mask_part == last_tweak);
        if (last_way[1]) assert (core_part == once_block && mask_part == last_tweak);
        if (own_way[1] || (Stealing && own_stolen[0])) assert (mask_here == own_tweak);
        if (own_way[1] || last_way[1]) assert (core_valid && core_side == some_side);
        // And the second time.
        if (Stealing && own_stolen[Latency+3]) begin
          assert (core_valid && core_side == some_side);
          assert (core_here == (pair ? again_block : once_block));
        end
        if (Stealing && pair && own_way[Latency+3]) begin
          assert (core_valid && core_side == some_side && core_here == again_block);
        end
        // What is followed is on its way, and its turn is when it arrives.
        if (marked && !waiting) assert (own_way != '0 || own_stolen != '0 || last_way != '0);
        if (own_way[Whole-1] || (Stealing && own_stolen[Stolen-1])) assert (turn);
        if (last_way[Whole-1]) assert (last_turn);
        if (!fresh) begin
          assert (next_q == next_tweak(tweak));
          assert (data_q[127:0] == data && tweak_q[127:0] == tweak);
          assert (side_q == side && decrypt_q == decrypt && steals_q == waits);
        end
        assert (!fresh || !waits);
        assert (wait_q == waits && (!waits || part_q == '0));
        if (!Stealing) assert (!waits && !waiting && !(marked && pair));
        if (marked) assert (32'(place_q) < Blocks);
        if (waiting) begin
          assert (marked && waits && side == some_side && n_in == some_number + 1'b1);
          assert (pair == at_end);
          if (pair) assert (across);
          else begin
            assert (block_of(tweak_q, some_place) == own_tweak);
            assert (block_of(data_q, some_place) == (once_block ^ own_tweak));
          end
        end
      end
    end
  end
endmodule

`default_nettype wire
