// SPDX-License-Identifier: Apache-2.0
// Orders key updates and packets whose contexts take the key before their beats come: all of a
// packet uses the key that its slot had when its context was accepted. A key goes to the cores when
// no packet of its slot is open, and `Wait` + 1 cycles after it was accepted.
`default_nettype none

module aesforge_context_key_interlock #(
    parameter int unsigned KeyBits = 128,  // [1 or more] bits of a key, or of several
    parameter int unsigned Slots = 2,  // [2 to 16] key slots
    // [a power of two from 2 on] packets whose contexts may have been accepted
    parameter int unsigned Open = 32,
    // [1 or more] cycles from a packet's last beat until all its blocks are in the core
    parameter int unsigned Wait = 4,
    localparam int unsigned SlotBits = $clog2(Slots)
) (
    input  logic                clk,  // clock
    input  logic                rst,  // synchronous reset
    input  logic                zeroize,  // marks all slots empty and discards the key that waits
    input  logic                s_key_tvalid,  // a key is present
    output logic                s_key_tready,  // it is accepted
    input  logic [SlotBits-1:0] s_key_slot,  // slot of the key
    input  logic [ KeyBits-1:0] s_key_tdata,  // key, byte 0 at the top
    output logic                key_load,  // the cores take the key
    input  logic                key_ready,  // they all can; low while they expand one
    output logic [SlotBits-1:0] key_slot,  // slot of the key
    output logic [ KeyBits-1:0] key,  // key
    input  logic                next_valid,  // a context waits
    input  logic [SlotBits-1:0] next_slot,  // slot of its key
    output logic                next_stall,  // that is not ready yet
    output logic                next_unknown,  // it has never been loaded
    input  logic                begin_valid,  // the packet takes it
    // the oldest such packet has ended; for a key it counts five cycles later
    input  logic                end_valid,
    // a packet's context has been accepted and its last beat has not gone in, a cycle ago
    output logic                coming
);
  localparam int unsigned OpenBits = $clog2(Open);
  localparam int unsigned CountBits = $clog2(Open + 1);
  localparam int unsigned WaitBits = $clog2(Wait + 1);

  logic pending, waited, key_valid, end_valid_q, ended_q;
  logic [OpenBits-1:0] begin_q, end_q;
  logic [WaitBits-1:0] wait_q;
  assign waited = wait_q == WaitBits'(Wait);
  assign key_load = key_valid && key_ready;
  always_ff @(posedge clk) begin
    if (!pending) wait_q <= '0;
    else if (!waited) wait_q <= wait_q + 1'b1;
    begin_q <= begin_q + OpenBits'(begin_valid);
    end_valid_q <= end_valid;
    ended_q <= end_valid_q;
    end_q <= end_q + OpenBits'(end_valid_q);
    coming  <= next_valid || begin_q != end_q;
    if (rst || zeroize) {begin_q, end_q, end_valid_q, ended_q} <= '0;
  end

  // Packets end in the order in which they began. The slot of each, and the open packets of each
  // slot: what it counts stands in flip-flops, and so does whether it is in use.
  logic [SlotBits-1:0] slots[0:Open-1];
  logic [SlotBits-1:0] end_slot_q;
  logic [2**SlotBits-1:0] used;
  always_ff @(posedge clk) begin
    if (begin_valid) slots[begin_q] <= next_slot;
    end_slot_q <= slots[end_q];
  end
  for (genvar s = 0; s < 2 ** SlotBits; s++) begin : gen_slot
    logic up_q, down_q;
    logic [CountBits-1:0] count_q;
    always_ff @(posedge clk) begin
      up_q <= begin_valid && next_slot == SlotBits'(s);
      down_q <= ended_q && end_slot_q == SlotBits'(s);
      count_q <= count_q + CountBits'(up_q) - CountBits'(down_q);
      used[s] <= (begin_valid && next_slot == SlotBits'(s)) || up_q || count_q != '0;
      if (rst || zeroize) {up_q, down_q, count_q, used[s]} <= '0;
    end
  end

  // A packet at the head is older than a key that would be accepted now.
  aesforge_key_interlock #(
      .KeyBits(KeyBits),
      .Slots  (Slots)
  ) u_key (
      .clk,
      .rst,
      .zeroize,
      .s_key_tvalid,
      .s_key_tready,
      .s_key_slot,
      .s_key_tdata,
      .accept_hold(used[s_key_slot] || (next_valid && next_slot == s_key_slot)),
      .pending,
      .load_hold(!waited),
      .key_valid,
      .key_ready,
      .key_slot,
      .key,
      .next_slot,
      .next_stall,
      .next_unknown
  );
endmodule

`default_nettype wire
