// SPDX-License-Identifier: Apache-2.0
// Orders key updates and the packets of several streams: a key is accepted when no packet of its
// slot is open, and a packet that begins later waits until the core has the key.
// A key goes to the core at the earliest in the cycle after it was accepted.
`default_nettype none

module aesforge_stream_key_interlock #(
    parameter int unsigned KeyBits = 128,  // [128, 192, 256] key size
    parameter int unsigned Slots = 2,  // [2 to 16] key slots
    // [1 to 256] streams that may have a packet open: `tid` 0 to `Streams` - 1
    parameter int unsigned Streams = 16,
    localparam int unsigned SlotBits = $clog2(Slots),
    localparam int unsigned StreamBits = Streams > 1 ? $clog2(Streams) : 1
) (
    input  logic                  clk,  // clock
    input  logic                  rst,  // synchronous reset
    input  logic                  zeroize,  // marks all slots empty and discards the key that waits
    input  logic                  s_key_tvalid,  // a key is present
    output logic                  s_key_tready,  // it is accepted
    input  logic [  SlotBits-1:0] s_key_slot,  // slot of the key
    input  logic [   KeyBits-1:0] s_key_tdata,  // key, byte 0 at the top
    output logic                  pending,  // a key waits here
    input  logic                  load_hold,  // it may not go to the loader yet
    output logic                  key_valid,  // to the loader: a key is present
    // from the loader: it is accepted; low while it expands a key
    input  logic                  key_ready,
    output logic [  SlotBits-1:0] key_slot,  // slot of the key
    output logic [   KeyBits-1:0] key,  // key
    input  logic                  next_valid,  // a packet waits at the head with its context
    input  logic [  SlotBits-1:0] next_slot,  // slot of the next packet
    output logic                  next_stall,  // the slot's key is not ready yet
    output logic                  next_unknown,  // the slot has never been loaded
    input  logic                  begin_valid,  // the packet begins under that slot's key
    input  logic [StreamBits-1:0] begin_stream,  // its stream
    input  logic                  end_valid,  // a packet that began so has ended
    input  logic [StreamBits-1:0] end_stream  // its stream
);
  localparam int unsigned CountBits = $clog2(Streams + 1);

  logic [SlotBits-1:0] end_slot;
  logic [2**SlotBits-1:0] used;
  // The slot of each stream's packet, and the number of open packets of each slot.
  logic [SlotBits-1:0] slots[0:Streams-1];
  assign end_slot = slots[end_stream];
  always_ff @(posedge clk) if (begin_valid) slots[begin_stream] <= next_slot;
  for (genvar s = 0; s < 2 ** SlotBits; s++) begin : gen_slot
    logic [CountBits-1:0] count_q;
    always_ff @(posedge clk) begin
      count_q <= count_q + CountBits'(begin_valid && next_slot == SlotBits'(s))
          - CountBits'(end_valid && end_slot == SlotBits'(s));
      if (rst || zeroize) count_q <= '0;
    end
    assign used[s] = count_q != '0;
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
      .load_hold,
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
