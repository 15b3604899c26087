// SPDX-License-Identifier: Apache-2.0
// Finds pairs of equal keys, which SP 800-38E does not allow for XTS: compares the two keys of each
// pair on its way to the cores, and remembers the result for its slot. Latency 3 cycles.
`default_nettype none

module aesforge_key_pair_check #(
    parameter int unsigned KeyBits = 128,  // [a multiple of `PartBits`] bits of one key
    parameter int unsigned PartBits = 16,  // [1 or more] bits that are compared in one stage
    parameter int unsigned Slots = 2,  // [2 to 16] key slots
    localparam int unsigned SlotBits = $clog2(Slots)
) (
    input  logic                 clk,  // clock
    input  logic                 rst,  // synchronous reset
    input  logic                 zeroize,  // discards a comparison under way
    // a pair is accepted: it stands at `key`, with its slot, in the next two cycles
    input  logic                 accept,
    input  logic [ SlotBits-1:0] key_slot,  // slot of the pair
    input  logic [2*KeyBits-1:0] key,  // the pair
    input  logic [ SlotBits-1:0] slot,  // a slot
    output logic                 equal  // the two keys of its last pair are equal
);
  localparam int unsigned Parts = KeyBits / PartBits;
  logic compare_q, compared_q;
  logic [Parts-1:0] equal_q;
  logic [2**SlotBits-1:0] refused_q;
  always_ff @(posedge clk) begin
    compare_q  <= accept;
    compared_q <= compare_q;
    for (int i = 0; i < Parts; i++) begin
      equal_q[i] <= key[PartBits*i+:PartBits] == key[KeyBits+PartBits*i+:PartBits];
    end
    if (compared_q) refused_q[key_slot] <= &equal_q;
    if (rst || zeroize) compared_q <= 1'b0;
  end
  assign equal = refused_q[slot];
endmodule

`default_nettype wire
