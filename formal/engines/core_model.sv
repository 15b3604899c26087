// SPDX-License-Identifier: Apache-2.0
// Stands for aesforge_core in the proof of an engine: its latency, and any function of block, key
// and direction, of each block of a beat. The key comes with the block, or is the last one that was
// loaded into its slot. One argument of the function is followed, an arbitrary constant, whose
// value is another, in one block of the beats; all other results may be anything.
`default_nettype none

module aesforge_core #(
    parameter int unsigned KeyBits = 128,
    parameter int unsigned Direction = aesforge_pkg::Encrypt,
    parameter int unsigned Unroll = 10,
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTower,
    parameter int unsigned KeySboxStyle = aesforge_pkg::SboxTower,
    parameter int unsigned SboxStages = 1,
    parameter int unsigned LinearStages = 1,
    parameter int unsigned MixStyle = aesforge_pkg::MixXtime,
    parameter int unsigned KeySlots = 0,
    parameter int unsigned Tiles = 1,
    parameter int unsigned TagBits = 8,
    parameter int unsigned DelayStyle = aesforge_pkg::DelayRam,
    localparam int unsigned Nr = KeyBits / 32 + 6,
    localparam int unsigned Blocks = Unroll == Nr ? Tiles : 1,
    localparam int unsigned SlotBits = KeySlots > 1 ? $clog2(KeySlots) : 1,
    localparam int unsigned IndexBits = Blocks > 1 ? $clog2(Blocks) : 1
) (
    input  logic                 clk,
    input  logic                 rst,
    input  logic                 zeroize,
    input  logic                 in_valid,
    output logic                 in_ready,
    input  logic [128*Blocks-1:0] in_block,
    input  logic [  KeyBits-1:0] in_key,
    input  logic [ SlotBits-1:0] in_slot,
    input  logic                 in_decrypt,
    input  logic [  TagBits-1:0] in_tag,
    input  logic                 key_valid,
    output logic                 key_ready,
    input  logic [ SlotBits-1:0] key_slot,
    input  logic [  KeyBits-1:0] key,
    output logic                 out_valid,
    output logic [128*Blocks-1:0] out_block,
    output logic [  TagBits-1:0] out_tag
);
  localparam bit Stored = KeySlots > 1;
  localparam int unsigned Waits = Stored || Direction == aesforge_pkg::Encrypt ? 1 : 2;
  localparam int unsigned Latency = Waits * Nr * (SboxStages + LinearStages) + 1;

  // The argument that is followed, and its value; which block of the beats, from the top.
  (* anyconst *) logic [IndexBits-1:0] some_index;
  (* anyconst *) logic [127:0] some_block;
  (* anyconst *) logic [KeyBits-1:0] some_key;
  (* anyconst *) logic [SlotBits-1:0] some_slot;
  (* anyconst *) logic some_decrypt;
  (* anyconst *) logic [127:0] some_result;
  (* anyseq *) logic [128*Blocks-1:0] other_result;
  (* anyseq *) logic [TagBits-1:0] any_tag;

  // The block that is followed, and the outputs with its value in its place.
  logic [127:0] block;
  logic [128*Blocks-1:0] with_result;
  always_comb begin
    block = in_block[127:0];
    with_result = other_result;
    for (int i = 0; i < Blocks; i++) begin
      if (some_index == Blocks - 1 - i) begin
        block = in_block[128*i+:128];
        with_result[128*i+:128] = some_result;
      end
    end
  end

  // A looped core is full at any time.
  (* anyseq *) logic full;
  logic slot_ready;
  assign in_ready = slot_ready && !(Unroll < Nr && full);

  // Whether the key of the blocks is the one that is followed.
  logic same_key;
  if (Stored) begin : gen_slots
    // A key load takes any time. Until then its slot lets no blocks in.
    (* anyseq *) logic loaded;
    logic busy_q, load_same_q, slot_same_q;
    logic [SlotBits-1:0] load_slot_q;
    logic [2**SlotBits-1:0] slot_valid_q;
    always_ff @(posedge clk) begin
      if (key_valid && key_ready) begin
        busy_q <= 1'b1;
        {load_slot_q, load_same_q} <= {key_slot, key == some_key};
        slot_valid_q[key_slot] <= 1'b0;
      end
      if (busy_q && loaded) begin
        busy_q <= 1'b0;
        slot_valid_q[load_slot_q] <= load_slot_q < KeySlots;
        if (load_slot_q == some_slot) slot_same_q <= load_same_q;
      end
      if (rst || zeroize) begin
        busy_q <= 1'b0;
        slot_valid_q <= '0;
      end
    end
    assign key_ready = !busy_q;
    assign slot_ready = slot_valid_q[in_slot];
    assign same_key = in_slot == some_slot && slot_same_q;
  end else begin : gen_no_slots
    assign key_ready = 1'b0;
    assign slot_ready = 1'b1;
    assign same_key = in_key == some_key;
  end

  logic same;
  logic [Latency-1:0] valid_q, same_q;
  assign same = block == some_block && same_key
      && (Direction != aesforge_pkg::Both || in_decrypt == some_decrypt);
  always_ff @(posedge clk) begin
    valid_q <= Latency'({valid_q, in_valid && in_ready});
    same_q  <= Latency'({same_q, same});
    if (rst || zeroize) valid_q <= '0;
  end

  assign out_valid = valid_q[Latency-1];
  assign out_block = same_q[Latency-1] ? with_result : other_result;
  assign out_tag = any_tag;
endmodule

`default_nettype wire
