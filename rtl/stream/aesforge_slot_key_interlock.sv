// SPDX-License-Identifier: Apache-2.0
// Orders key updates and packets: all of a packet uses the key that its slot had when it began, and
// packets of other slots are not delayed.
// A key goes to the core at the earliest Stages + 2 cycles after it was accepted, and Stages + 1
// after the last beat of its slot's packet went to the modes.
`default_nettype none

module aesforge_slot_key_interlock #(
    parameter int unsigned KeyBits = 128,  // [128, 192, 256] key size
    parameter int unsigned Slots = 2,  // [2 to 16] key slots
    // [0 or more] pipeline stages between the entry of the modes and the core
    parameter int unsigned Stages = 0,
    localparam int unsigned SlotBits = $clog2(Slots)
) (
    input  logic                clk,  // clock
    input  logic                rst,  // synchronous reset
    input  logic                zeroize,  // marks all slots empty and discards the key that waits
    input  logic                s_key_tvalid,  // a key is present
    output logic                s_key_tready,  // it is accepted
    input  logic [SlotBits-1:0] s_key_slot,  // slot of the key
    input  logic [ KeyBits-1:0] s_key_tdata,  // key, byte 0 at the top
    output logic                key_valid,  // to the loader: a key is present
    // from the loader: it is accepted; low while it expands a key
    input  logic                key_ready,
    output logic [SlotBits-1:0] key_slot,  // slot of the key
    output logic [ KeyBits-1:0] key,  // key
    input  logic [SlotBits-1:0] next_slot,  // slot of the next packet
    output logic                next_stall,  // the slot's key is not ready yet
    output logic                next_unknown,  // the slot has never been loaded
    input  logic                use_valid,  // a packet is open
    input  logic [SlotBits-1:0] use_slot,  // slot of the key
    input  logic                step  // the pipeline stages after the entry of the modes advance
);
  localparam int unsigned StageBits = $clog2(Stages + 2);

  // The last blocks of a packet need so many steps to reach the core, also when a key arrives just
  // after the packet.
  logic pending, used;
  logic [StageBits-1:0] drain_q;
  assign used = use_valid && use_slot == key_slot;
  always_ff @(posedge clk) begin
    if (!pending || used) drain_q <= StageBits'(Stages + 1);
    else if (step && drain_q != '0) drain_q <= drain_q - 1'b1;
  end
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
      .accept_hold(1'b0),
      .pending,
      .load_hold(drain_q != '0),
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
