// SPDX-License-Identifier: Apache-2.0
// aesforge_mode_xts between data units of any length and a core that is any function with its
// latency. One beat is followed, or two where the second is part of a block: what leaves in its
// turn is XTS (IEEE Std 1619 Sec. 5.3 and 5.4) of it.
`default_nettype none

module prove_mode_xts #(
    parameter bit Stealing = 1'b1,
    parameter int unsigned Latency = 4,
    // 1: also that from which all this follows; without, only what the outside sees
    parameter bit Steps = 1'b1,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0
) (
    input logic         clk,
    input logic         rst,
    input logic         beat_valid,
    input logic         beat_first,
    input logic         beat_block,
    input logic         beat_steals,
    input logic [ 15:0] beat_keep,
    input logic [127:0] beat_data,
    input logic         beat_decrypt,
    input logic [127:0] beat_tweak,
    input logic [  1:0] beat_side,
    // the beat that is followed, chosen when it comes
    input logic         mark
);
  logic beat_ready, core_valid, result_valid;
  logic [127:0] beat_xor, core_block, out_block, result;
  logic [1:0] core_side;
  aesforge_mode_xts #(
      .Stealing(Stealing),
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
      .beat_xor,
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
  (* anyseq *) logic [127:0] anything;
  logic [Latency-1:0] once_q = '0, again_q = '0;
  assign out_block = once_q[Latency-1] ? once_result : again_q[Latency-1] ? again_result : anything;

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
  wire take = beat_valid && beat_ready;
  wire steals = Stealing && beat_steals;
  logic fresh = 1'b1, waits = 1'b0, decrypt;
  logic [1:0] side;
  logic [127:0] tweak, data, before_tweak;
  wire [127:0] tweak_d = beat_first ? beat_tweak : next_tweak(tweak);

  // The beat that is followed: `pair`: the next one, part of a block, is followed too.
  logic [5:0] n_in = '0, n_out = '0;
  (* anyconst *) logic [5:0] some_number;
  logic marked = 1'b0, pair, first_of_pair = 1'b0;
  logic [15:0] keep;
  logic [127:0] own_tweak, own_xor, last_tweak, last_xor;
  wire chosen = take && mark && !marked && n_in == some_number && beat_side == some_side && !waits
      && (steals || (beat_block && once_block == (beat_data ^ tweak_d)));
  // The tweaks of the first and of the second way through the core.
  wire [127:0] once_tweak = decrypt ? tweak_d : tweak;
  wire [127:0] again_tweak = decrypt ? tweak : tweak_d;
  wire [127:0] once_whole = once_result ^ once_tweak;
  wire fits = once_block == (data ^ once_tweak)
      && again_block == (joined(beat_keep, beat_data, once_whole) ^ again_tweak);
  wire turn = marked && !first_of_pair && result_valid && n_out == some_number;
  wire last_turn = marked && !first_of_pair && pair && result_valid && n_out == some_number + 1'b1;

  // Beats whose results come at known times, and those whose results come a cycle before that of
  // the beat after them.
  localparam int unsigned Whole = Stealing ? 2 * Latency + 4 : Latency + 1;
  localparam int unsigned Stolen = 2 * Latency + 3;
  logic [Whole-1:0] whole_q = '0;
  logic [Stolen-1:0] stolen_q = '0;
  logic [5:0] inside;
  always_comb begin
    inside = 6'(waits);
    for (int i = 0; i < Whole; i++) inside += 6'(whole_q[i]);
    for (int i = 0; i < Stolen; i++) inside += 6'(stolen_q[i]);
  end

  logic begun = 1'b0, stalled = 1'b0, seen_pair = 1'b0, seen_whole = 1'b0;
  logic [1+1+1+16+128+1+128+2-1:0] held;
  wire [1+1+1+16+128+1+128+2-1:0] beat = {
    beat_first, beat_block, beat_steals, beat_keep, beat_data, beat_decrypt, beat_tweak, beat_side
  };
  // The followed beats on their way.
  logic [Whole-1:0] own_way = '0, last_way = '0;
  logic [Stolen-1:0] own_stolen = '0;

  always_ff @(posedge clk) begin
    begun <= 1'b1;
    stalled <= beat_valid && !beat_ready && !rst;
    held <= beat;
    once_q <= Latency'({once_q, core_valid && core_side == some_side && core_block == once_block});
    again_q <= Latency'({again_q, core_valid && core_side == some_side
        && core_block == again_block});
    if (take) begin
      {tweak, data, side, decrypt} <= {tweak_d, beat_data, beat_side, beat_decrypt};
      waits <= steals;
      fresh <= 1'b0;
    end
    n_in  <= n_in + 6'(take);
    n_out <= n_out + 6'(result_valid);
    whole_q <= Whole'({whole_q, take && !steals});
    stolen_q <= Stolen'({stolen_q, take && waits});
    if (chosen) begin
      marked <= 1'b1;
      pair <= steals;
      first_of_pair <= steals;
      own_tweak <= tweak_d;
      own_xor <= beat_xor;
    end
    if (first_of_pair && take) begin
      first_of_pair <= 1'b0;
      marked <= fits;
      {own_tweak, last_tweak} <= {again_tweak, once_tweak};
      last_xor <= beat_xor;
      keep <= beat_keep;
    end
    own_way <= Whole'({own_way, chosen && !steals});
    own_stolen <= Stolen'({own_stolen, first_of_pair && take && fits});
    last_way <= Whole'({last_way, first_of_pair && take && fits});
    if (turn && !pair) {marked, seen_whole} <= 2'b01;
    if (last_turn) {marked, seen_pair} <= 2'b01;
    if (rst) begin
      {n_in, n_out} <= '0;
      {marked, waits, first_of_pair, whole_q, stolen_q, once_q, again_q} <= '0;
      {own_way, own_stolen, last_way} <= '0;
      fresh <= 1'b1;
    end
  end

  // Registers of the module, connected by the script.
  (* keep *) logic [127:0] next_q, block_q, before_q;
  (* keep *) logic wait_q;
  localparam int unsigned RestBits = $clog2(Latency - 1);
  localparam int unsigned ResultBits = $clog2(Latency + 2);
  (* keep *) logic [RestBits-1:0] rest_write_q, rest_read_q;
  (* keep *) logic [ResultBits-1:0] result_write_q, result_read_q;

  always_comb begin
    assume (begun || rst);
    // Two equal blocks have one result.
    if (once_block == again_block) assume (once_result == again_result);
    // A beat waits unchanged.
    if (stalled) assume (beat_valid && beat == held);
    // Data units: a beat that steals is followed by the last beat of its unit, part of a block.
    if (fresh) assume (beat_first);
    if (!beat_first) assume (beat_side == side && beat_decrypt == decrypt);
    if (waits) begin
      assume (!beat_first && !beat_steals);
      assume (beat_keep[0] && beat_keep != '1);
    end
    if (Cover) begin
      assert (!(seen_pair && seen_whole));
    end else if (begun) begin
      // 1. Each beat has one result, in order, and none is invented.
      assert (!result_valid || n_in != n_out);
      // 2. A beat of a whole block.
      if (turn && !pair) assert ((result ^ own_xor) == (once_result ^ own_tweak));
      // 3. The last whole block before part of a block, and that part.
      if (turn && pair) assert ((result ^ own_xor) == (again_result ^ own_tweak));
      if (last_turn) begin
        assert (joined(keep, result ^ last_xor, '0) == joined(keep, once_result ^ last_tweak, '0));
      end
      if (Steps) begin
        assert (6'(n_in - n_out) == inside);
        // The beat that is followed is on its way, and its turn is when it arrives.
        if (marked && !first_of_pair) assert (own_way != '0 || own_stolen != '0 || last_way != '0);
        if (own_way[Whole-1] || (Stealing && own_stolen[Stolen-1])) assert (turn);
        if (last_way[Whole-1]) assert (last_turn);
        if (!fresh) assert (next_q == next_tweak(tweak));
        assert (!fresh || !waits);
        if (!Stealing) assert (!waits && !first_of_pair && !(marked && pair));
        if (Stealing) begin
          assert (wait_q == waits);
          if (waits) assert (block_q == data && before_q == tweak);
          assert (first_of_pair == (marked && pair && n_in == some_number + 1'b1));
          if (first_of_pair) assert (waits && side == some_side
              && own_xor == (decrypt ? tweak : next_tweak(tweak)));
          assert (rest_write_q - rest_read_q == RestBits'(Latency - 2));
          assert (result_write_q - result_read_q == ResultBits'(Latency + 1));
        end
      end
    end
  end
endmodule

`default_nettype wire
