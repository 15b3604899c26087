// SPDX-License-Identifier: Apache-2.0
// Stands for aesforge_core in an engine whose parts' assumptions are proved: any results, after any
// time, of as many beats as came with the same low bit of their tags. A looped core is full at any
// time, and a key load takes any.
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
    localparam int unsigned SlotBits = KeySlots > 1 ? $clog2(KeySlots) : 1
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
  localparam bit Stored = KeySlots > 0;
  // More than have a place in a core: one in each stage of each ring, or of both unrolled pipelines,
  // and one at the output.
  localparam int unsigned Places = Unroll * (SboxStages + LinearStages) + 1;
  localparam int unsigned Most = (Unroll == Nr ? 2 : Tiles) * Places;
  localparam int unsigned CountBits = $clog2(Most + 1);
  (* anyseq *) logic full, loaded, leaves;
  (* anyseq *) logic [TagBits-1:0] any_tag;
  (* anyseq *) logic [128*Blocks-1:0] any_result;

  // From its load on, until that is over, a slot lets no blocks in.
  logic slot_ready, busy_q;
  logic [SlotBits-1:0] load_slot_q;
  logic [2**SlotBits-1:0] slot_valid_q;
  always_ff @(posedge clk) begin
    if (key_valid && key_ready) begin
      busy_q <= 1'b1;
      load_slot_q <= key_slot;
      slot_valid_q[key_slot] <= 1'b0;
    end
    if (busy_q && loaded) begin
      busy_q <= 1'b0;
      slot_valid_q[load_slot_q] <= 32'(load_slot_q) < KeySlots;
    end
    if (rst || zeroize) begin
      busy_q <= 1'b0;
      slot_valid_q <= '0;
    end
  end
  assign key_ready  = Stored && !busy_q;
  assign slot_ready = !Stored || slot_valid_q[in_slot];
  assign in_ready   = slot_ready && !(Unroll < Nr && full);

  // Beats inside, of each low bit of a tag.
  logic [1:0] there;
  for (genvar tag = 0; tag < 2; tag++) begin : gen_tag
    logic [CountBits-1:0] count_q = '0;
    always_ff @(posedge clk) begin
      count_q <= count_q + CountBits'(in_valid && in_ready && in_tag[0] == tag)
          - CountBits'(out_valid && out_tag[0] == tag);
      if (rst || zeroize) count_q <= '0;
    end
    always_comb assume (32'(count_q) <= Most);
    assign there[tag] = count_q != '0;
  end
  assign out_valid = leaves && there[any_tag[0]];
  assign out_tag = any_tag;
  assign out_block = any_result;
endmodule

`default_nettype wire
