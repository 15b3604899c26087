// SPDX-License-Identifier: Apache-2.0
// aesforge_stream_key_interlock between packets, keys and a loader that do what they like: a
// stream's packet begins when it may and ends some time after, and the loader is busy as long as it
// wants.
`default_nettype none

module prove_stream_key_interlock #(
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0
) (
    input  logic       clk,
    input  logic       rst,
    input  logic       zeroize,
    input  logic       s_key_tvalid,
    input  logic       s_key_slot,
    input  logic [1:0] s_key_tdata,
    input  logic       load_hold,
    input  logic       key_ready,
    input  logic       next_valid,
    input  logic       next_slot,
    input  logic       go,
    input  logic       begin_stream,
    input  logic       end_valid,
    input  logic       end_stream
);
  logic s_key_tready, pending, key_valid, key_slot, next_stall, next_unknown;
  logic [1:0] key;
  wire begin_valid = next_valid && go && !next_stall && !next_unknown;
  aesforge_stream_key_interlock #(
      .KeyBits(2),
      .Slots(2),
      .Streams(2)
  ) u_interlock (
      .clk,
      .rst,
      .zeroize,
      .s_key_tvalid,
      .s_key_tready,
      .s_key_slot,
      .s_key_tdata,
      .pending,
      .load_hold,
      .key_valid,
      .key_ready,
      .key_slot,
      .key,
      .next_valid,
      .next_slot,
      .next_stall,
      .next_unknown,
      .begin_valid,
      .begin_stream,
      .end_valid,
      .end_stream
  );

  wire stop = rst || zeroize;
  wire taken = s_key_tvalid && s_key_tready;
  wire loaded = key_valid && key_ready;
  logic begun = 1'b0;
  // The key that each slot was given last, and the one that the core has or is about to have; what
  // each stream's packet runs under; the key that was given last when the packet came to the head.
  logic [1:0] given[0:1], held[0:1], under[0:1];
  logic [1:0] known = '0, loaded_once = '0, open = '0;
  logic [1:0] slot_of = '0;
  logic n_stalled = 1'b0, n_slot = 1'b0, k_stalled = 1'b0, k_slot = 1'b0;
  logic busy = 1'b0, b_slot = 1'b0;
  logic [1:0] due = '0, k_data = '0;
  logic replaced = 1'b0, waited = 1'b0;
  logic [2:0] stuck = '0;

  always_ff @(posedge clk) begin
    begun <= 1'b1;
    if (taken) begin
      given[s_key_slot] <= s_key_tdata;
      known[s_key_slot] <= 1'b1;
      replaced <= replaced || known[s_key_slot];
    end
    if (loaded) begin
      held[key_slot] <= key;
      loaded_once[key_slot] <= 1'b1;
    end
    // The loader works on a key until it is ready again.
    busy <= loaded || (busy && !key_ready);
    if (loaded) b_slot <= key_slot;
    // What a packet at the head must find: the key that was there when it came.
    if (next_valid && !n_stalled) due <= given[next_slot];
    n_stalled <= next_valid && !begin_valid && !stop;
    n_slot <= next_slot;
    waited <= waited || (next_valid && next_stall);
    if (end_valid) open[end_stream] <= 1'b0;
    if (begin_valid) begin
      open[begin_stream] <= 1'b1;
      slot_of[begin_stream] <= next_slot;
      under[begin_stream] <= held[next_slot];
    end
    k_stalled <= s_key_tvalid && !s_key_tready && !stop;
    {k_slot, k_data} <= {s_key_slot, s_key_tdata};
    // A key for a slot that is free is taken as soon as the loader has the one before.
    stuck <= !s_key_tvalid || taken || open != '0 || next_valid || end_valid || !key_ready || load_hold
        ? '0 : stuck + 1'b1;
    if (stop) begin
      known <= '0;
      open <= '0;
      loaded_once <= '0;
      stuck <= '0;
      {busy, n_stalled} <= '0;
    end
  end

  always_comb begin
    assume (begun || rst);
    if (n_stalled) assume (next_valid && next_slot == n_slot);
    if (k_stalled) assume (s_key_tvalid && {s_key_slot, s_key_tdata} == {k_slot, k_data});
    if (!open[end_stream]) assume (!end_valid);
    if (open[begin_stream] && !(end_valid && end_stream == begin_stream)) assume (!begin_valid);
    if (Cover) begin
      assert (!(replaced && waited && open == 2'b11 && slot_of == 2'b10));
    end else if (begun) begin
      // 1. A packet begins under the key that its slot had been given when it came, and the core
      //    has it.
      if (begin_valid) begin
        assert (known[next_slot] && loaded_once[next_slot]);
        assert (held[next_slot] == (n_stalled ? due : given[next_slot]));
        assert (!(busy && !key_ready && b_slot == next_slot));
      end
      // 2. All of it runs under that key.
      for (int i = 0; i < 2; i++) begin
        if (open[i]) assert (held[slot_of[i]] == under[i]);
        if (open[i] && loaded) assert (key_slot != slot_of[i]);
      end
      // 3. The key that waits is the one that its slot was given last.
      if (key_valid) assert (key == given[key_slot]);
      // 4. A key whose slot is free is taken, and a packet waits for nothing but the loader, and
      //    the hold.
      assert (stuck < 3'd4);
      if (next_valid && next_stall && key_ready) assert (key_valid || load_hold);
      // 5. A key that is held does not go on.
      if (load_hold) assert (!key_valid);
      else assert (key_valid == pending);
    end
  end
endmodule

`default_nettype wire
