// SPDX-License-Identifier: Apache-2.0
// aesforge_slot_key_interlock between keys, a loader that is busy as long as it wants, and packets
// that a shell begins when it may, whose blocks then pass the stages before the core.
`default_nettype none

module prove_slot_key_interlock #(
    parameter int unsigned Stages = 2,
    // 1: the shell decides a cycle ahead whether a packet begins, as in GCM
    parameter bit Late = 1'b0,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0
) (
    input  logic       clk,
    input  logic       rst,
    input  logic       zeroize,
    input  logic       s_key_tvalid,
    input  logic       s_key_slot,
    input  logic [1:0] s_key_tdata,
    input  logic       key_ready,
    // the shell: a packet waits, it would begin, its beat has a block, it ends with this beat
    input  logic       next_valid,
    input  logic       next_slot,
    input  logic       go,
    input  logic       block,
    input  logic       finish,
    // the modes accept a beat
    input  logic       beat_ready
);
  logic s_key_tready, key_valid, key_slot, next_stall, next_unknown;
  logic [1:0] key;
  logic open = 1'b0, slot;
  aesforge_slot_key_interlock #(
      .KeyBits(2),
      .Slots(2),
      .Stages(Stages)
  ) u_interlock (
      .clk,
      .rst,
      .zeroize,
      .s_key_tvalid,
      .s_key_tready,
      .s_key_slot,
      .s_key_tdata,
      .key_valid,
      .key_ready,
      .key_slot,
      .key,
      .next_slot,
      .next_stall,
      .next_unknown,
      .use_valid(open),
      .use_slot(slot),
      .step(beat_ready)
  );

  wire stop = rst || zeroize;
  wire taken = s_key_tvalid && s_key_tready;
  wire loaded = key_valid && key_ready;

  // The shell. A block goes from the head to the entry of the modes, then through the stages; the
  // last place is the core.
  logic entry = 1'b0, known, entry_slot, may_q = 1'b0;
  logic [Stages:0] stage = '0, stage_slot;
  wire step = !entry || beat_ready;
  wire comes = taken && s_key_slot == next_slot;
  wire may = Late ? may_q : !next_stall;
  wire ends = open && step && finish;
  wire begins = next_valid && go && may && step && (!open || ends);
  always_ff @(posedge clk) begin
    if (step) begin
      entry <= open && block && known;
      entry_slot <= slot;
    end
    if (beat_ready) begin
      stage <= {stage[Stages-1:0], entry};
      stage_slot <= {stage_slot[Stages-1:0], entry_slot};
    end
    if (ends) open <= 1'b0;
    if (begins) begin
      open  <= 1'b1;
      slot  <= next_slot;
      known <= !next_unknown;
    end
    may_q <= next_valid && !begins && !next_stall && !comes;
    if (stop) {open, entry, stage, may_q} <= '0;
  end

  // The key that each slot was given last, and the one that the core has; whether one waits.
  logic begun = 1'b0, waits = 1'b0, n_stalled = 1'b0, n_slot, k_stalled = 1'b0, k_slot;
  logic replaced = 1'b0, stalled = 1'b0, busy = 1'b0, b_slot;
  logic [1:0] k_data, given[0:1], held[0:1];
  logic [1:0] known_slots = '0, loaded_slots = '0;
  logic [3:0] stuck = '0;
  always_ff @(posedge clk) begin
    begun <= 1'b1;
    if (taken) begin
      given[s_key_slot] <= s_key_tdata;
      known_slots[s_key_slot] <= 1'b1;
      waits <= 1'b1;
      replaced <= replaced || (loaded_slots[s_key_slot] && open && slot == s_key_slot);
    end
    if (loaded) begin
      held[key_slot] <= key;
      loaded_slots[key_slot] <= 1'b1;
      waits <= 1'b0;
      b_slot <= key_slot;
    end
    // The loader works on a key until it is ready again.
    busy <= loaded || (busy && !key_ready);
    n_stalled <= next_valid && !begins && !stop;
    n_slot <= next_slot;
    stalled <= stalled || (next_valid && next_stall && replaced);
    k_stalled <= s_key_tvalid && !s_key_tready && !stop;
    {k_slot, k_data} <= {s_key_slot, s_key_tdata};
    // A key goes on when the loader is ready and the modes take what is here, if no packet of its
    // slot is open.
    stuck <= !waits || (open && slot == key_slot) || !key_ready || loaded
        ? '0 : stuck + 4'(beat_ready && stuck != '1);
    if (stop) begin
      {known_slots, loaded_slots} <= '0;
      {waits, busy, n_stalled} <= '0;
      stuck <= '0;
    end
  end

  always_comb begin
    assume (begun || rst);
    if (n_stalled) assume (next_valid && next_slot == n_slot);
    if (k_stalled) assume (s_key_tvalid && {s_key_slot, s_key_tdata} == {k_slot, k_data});
    if (Cover) begin
      assert (!(stalled && stage != '0 && waits));
    end else if (begun) begin
      // 1. A packet begins under the key that its slot was given last, and the core has it; or the
      //    slot was never loaded.
      if (begins) begin
        assert (next_unknown == !known_slots[next_slot]);
        if (!next_unknown) begin
          assert (loaded_slots[next_slot] && held[next_slot] == given[next_slot]);
          assert (!(busy && !key_ready && b_slot == next_slot));
        end
      end
      // 2. No key goes on for the slot of a packet that is open, or of a block before the core.
      if (loaded) begin
        if (open) assert (key_slot != slot);
        if (entry) assert (key_slot != entry_slot);
        for (int i = 0; i < Stages; i++) if (stage[i]) assert (key_slot != stage_slot[i]);
      end
      // 3. Each key goes on once: the one that its slot was given last.
      if (taken) assert (!waits);
      if (key_valid) assert (waits && key == given[key_slot]);
      // 4. It does so when the stages are empty, whatever other slots do, and a packet waits for
      //    nothing else.
      assert (stuck <= 4'(Stages + 2));
      if (next_valid && next_stall && key_ready) assert (waits);
    end
  end
endmodule

`default_nettype wire
