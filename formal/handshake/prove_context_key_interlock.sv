// SPDX-License-Identifier: Apache-2.0
// aesforge_context_key_interlock between keys, cores that are busy as long as they want, and
// packets whose contexts take their key early; they end in the order in which they began. A key is a
// pair of keys, as XTS has them, and aesforge_key_pair_check says which pairs are equal.
`default_nettype none

module prove_context_key_interlock #(
    parameter int unsigned Wait = 2,
    parameter int unsigned KeyBits = 2,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0,
    localparam int unsigned Pair = 2 * KeyBits
) (
    input logic       clk,
    input logic       rst,
    input logic       zeroize,
    input logic       s_key_tvalid,
    input logic       s_key_slot,
    input logic [Pair-1:0] s_key_tdata,
    input logic       key_ready,
    // a context waits, it would be accepted, the oldest packet ends
    input logic       next_valid,
    input logic       next_slot,
    input logic       go,
    input logic       finish
);
  logic s_key_tready, key_load, key_slot, next_stall, next_unknown, coming, equal;
  logic [Pair-1:0] key;
  // Packets: four places, of which three are used, also by one that ended a cycle ago.
  logic [1:0] n_in = '0, n_out = '0;
  logic [3:0] slots = '0;
  logic ended = 1'b0;
  wire [1:0] open = n_in - n_out;
  wire begins = next_valid && go && !next_stall && 3'(open) + 3'(ended) < 3'd3;
  wire ends = finish && open != '0;
  wire taken = s_key_tvalid && s_key_tready;
  aesforge_context_key_interlock #(
      .KeyBits(Pair),
      .Slots(2),
      .Open(4),
      .Wait(Wait)
  ) u_interlock (
      .clk,
      .rst,
      .zeroize,
      .s_key_tvalid,
      .s_key_tready,
      .s_key_slot,
      .s_key_tdata,
      .key_load,
      .key_ready,
      .key_slot,
      .key,
      .next_valid,
      .next_slot,
      .next_stall,
      .next_unknown,
      .begin_valid(begins),
      .end_valid(ends),
      .coming
  );
  aesforge_key_pair_check #(
      .KeyBits(KeyBits),
      .PartBits(1),
      .Slots(2)
  ) u_pairs (
      .clk,
      .rst,
      .zeroize,
      .accept(taken),
      .key_slot,
      .key,
      .slot(next_slot),
      .equal
  );

  wire stop = rst || zeroize;
  logic [1:0] in_use;
  always_comb begin
    in_use = '0;
    for (int i = 0; i < 4; i++) begin
      if (2'(2'(i) - n_out) < open) begin
        if (slots[i]) in_use[1] = 1'b1;
        else in_use[0] = 1'b1;
      end
    end
  end

  // The key that each slot was given last, and the one that the cores have; whether one waits.
  // Cycles since a packet of each slot was open.
  logic begun = 1'b0, waits = 1'b0, n_stalled = 1'b0, n_slot, k_stalled = 1'b0, k_slot;
  logic replaced = 1'b0, stalled = 1'b0, busy = 1'b0, b_slot, was_here = 1'b0;
  logic [Pair-1:0] k_data, given[0:1], held[0:1];
  logic [Pair-1:0] begins_with;
  logic [1:0] known_slots = '0, loaded_slots = '0;
  logic [2:0] stuck = '0, free_low = '0, free_high = '0;
  wire [2:0] key_free = key_slot ? free_high : free_low;
  wire [2:0] offered_free = s_key_slot ? free_high : free_low;
  always_ff @(posedge clk) begin
    begun <= 1'b1;
    if (begins) begin
      slots[n_in] <= next_slot;
      n_in <= n_in + 1'b1;
    end
    if (ends) n_out <= n_out + 1'b1;
    ended <= ends && !stop;
    free_low  <= in_use[0] ? '0 : free_low + 3'(free_low != '1);
    free_high <= in_use[1] ? '0 : free_high + 3'(free_high != '1);
    if (taken) begin
      given[s_key_slot] <= s_key_tdata;
      known_slots[s_key_slot] <= 1'b1;
      waits <= 1'b1;
      replaced <= replaced || (loaded_slots[s_key_slot] && open != '0);
    end
    if (key_load) begin
      held[key_slot] <= key;
      loaded_slots[key_slot] <= 1'b1;
      waits <= 1'b0;
      b_slot <= key_slot;
    end
    busy <= key_load || (busy && !key_ready);
    n_stalled <= next_valid && !begins && !stop;
    n_slot <= next_slot;
    stalled <= stalled || (next_valid && next_stall && replaced);
    k_stalled <= s_key_tvalid && !s_key_tready && !stop;
    {k_slot, k_data} <= {s_key_slot, s_key_tdata};
    was_here <= next_valid || open != '0;
    stuck <= !waits || key_load ? '0 : stuck + 3'(key_ready && stuck != '1);
    if (stop) begin
      {known_slots, loaded_slots} <= '0;
      {n_in, n_out} <= '0;
      {waits, busy, n_stalled, was_here, stuck, free_low, free_high} <= '0;
    end
  end

  always_comb begin
    begins_with = '0;
    assume (begun || rst);
    if (n_stalled) assume (next_valid && next_slot == n_slot);
    if (k_stalled) assume (s_key_tvalid && {s_key_slot, s_key_tdata} == {k_slot, k_data});
    if (Cover) begin
      assert (!(stalled && open != '0 && waits));
    end else if (begun) begin
      // 1. A packet begins under the key that its slot was given last, and the cores have it; or the
      //    slot was never loaded.
      if (begins) begin
        assert (next_unknown == !known_slots[next_slot]);
        if (!next_unknown) begin
          assert (loaded_slots[next_slot] && held[next_slot] == given[next_slot]);
          assert (!(busy && !key_ready && b_slot == next_slot));
          // Whether the two keys of its pair are equal is known.
          begins_with = given[next_slot];
          assert (equal == (begins_with[Pair-1-:KeyBits] == begins_with[KeyBits-1:0]));
        end
      end
      // 2. No key goes on for the slot of a packet that is open, or was until `Wait` cycles ago.
      if (key_load) assert (!in_use[key_slot] && 32'(key_free) >= Wait);
      // 3. Each key goes on once: the one that its slot was given last.
      if (taken) assert (!waits);
      if (key_load) assert (waits && key == given[key_slot]);
      // 4. It is taken if no packet of its slot is open or at the head, some cycles after the last
      //    one; it goes on when the cores are ready, and a packet waits for nothing else.
      if (s_key_tvalid && !s_key_tready && !zeroize) begin
        assert (waits || in_use[s_key_slot] || offered_free < 3'd5
            || (next_valid && next_slot == s_key_slot));
      end
      assert (32'(stuck) <= Wait);
      if (next_valid && next_stall && key_ready) assert (waits);
      // 5. A packet is known to come from its context on.
      if (was_here) assert (coming);
    end
  end
endmodule

`default_nettype wire
