// SPDX-License-Identifier: Apache-2.0
// Holds one key for a slot until the core takes it, and holds back the packets of that slot. Common
// part of the key-update interlocks, which say when a key may be accepted and when it may go on.
`default_nettype none

module aesforge_key_interlock #(
    parameter int unsigned KeyBits = 128,  // [128, 192, 256] key size
    parameter int unsigned Slots = 2,  // [2 to 16] key slots
    localparam int unsigned SlotBits = $clog2(Slots)
) (
    input  logic                clk,  // clock
    input  logic                rst,  // synchronous reset
    input  logic                zeroize,  // marks all slots empty and discards the key that waits
    input  logic                s_key_tvalid,  // a key is present
    output logic                s_key_tready,  // it is accepted
    input  logic [SlotBits-1:0] s_key_slot,  // slot of the key
    input  logic [ KeyBits-1:0] s_key_tdata,  // key, byte 0 at the top
    input  logic                accept_hold,  // no key may be accepted for `s_key_slot`
    output logic                pending,  // a key waits here
    input  logic                load_hold,  // it may not go to the loader yet
    output logic                key_valid,  // to the loader: a key is present
    // from the loader: it is accepted; low while it expands a key
    input  logic                key_ready,
    output logic [SlotBits-1:0] key_slot,  // slot of the key
    output logic [ KeyBits-1:0] key,  // key
    input  logic [SlotBits-1:0] next_slot,  // slot of the next packet
    output logic                next_stall,  // the slot's key is not ready yet
    output logic                next_unknown  // the slot has never been loaded
);
  // One key waits here; one may be with the loader, which is busy then.
  logic [SlotBits-1:0] loading_q;
  logic [2**SlotBits-1:0] known_q;

  assign s_key_tready = !pending && !zeroize && !accept_hold;
  assign key_valid = pending && !load_hold;
  assign next_unknown = !known_q[next_slot];
  assign next_stall = !next_unknown
      && ((pending && next_slot == key_slot) || (!key_ready && next_slot == loading_q));

  always_ff @(posedge clk) begin
    // Without a key here the register follows the port, so that no copy stays of one that the core
    // has.
    if (!pending) begin
      key_slot <= s_key_slot;
      key <= s_key_tdata;
    end
    if (s_key_tvalid && s_key_tready) begin
      pending <= 1'b1;
      known_q[s_key_slot] <= 32'(s_key_slot) < Slots;
    end
    if (key_valid && key_ready) begin
      pending   <= 1'b0;
      loading_q <= key_slot;
    end
    if (zeroize) key <= '0;
    if (rst || zeroize) begin
      pending <= 1'b0;
      known_q <= '0;
    end
  end
endmodule

`default_nettype wire
