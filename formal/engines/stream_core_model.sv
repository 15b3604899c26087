// SPDX-License-Identifier: Apache-2.0
// Stands for aesforge_core in the proof of an interleaved engine: its latency, the tag of each
// block, and the key under which the block goes. The results are arbitrary; or, to search for what
// the ports can show, those of one function of key and block, which is not AES.
`default_nettype none

package prove_function_pkg;
  // Any function would do. In this one no two bits of a block or of a key are alike.
  function automatic logic [127:0] some_function(
      input logic [255:0] key, input logic [127:0] block);
    some_function = {block[118:0], block[127:119]} ^ key[127:0] ^ {key[250:128], key[255:251]}
        ^ 128'h0123456789abcdef1123581321345589;
  endfunction
endpackage

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
    localparam int unsigned SlotBits = KeySlots > 1 ? $clog2(KeySlots) : 1
) (
    input  logic                 clk,
    input  logic                 rst,
    input  logic                 zeroize,
    input  logic                 in_valid,
    output logic                 in_ready,
    input  logic [        127:0] in_block,
    input  logic [  KeyBits-1:0] in_key,
    input  logic [ SlotBits-1:0] in_slot,
    input  logic                 in_decrypt,
    input  logic [  TagBits-1:0] in_tag,
    input  logic                 key_valid,
    output logic                 key_ready,
    input  logic [ SlotBits-1:0] key_slot,
    input  logic [  KeyBits-1:0] key,
    output logic                 out_valid,
    output logic [        127:0] out_block,
    output logic [  TagBits-1:0] out_tag
);
  localparam bit Stored = KeySlots > 1;
  localparam int unsigned Latency = Nr * (SboxStages + LinearStages) + 1;

  // 1: the results are those of the function; connected by the script.
  (* keep *) logic computes;
  (* anyseq *) logic [127:0] any_result;

  // A looped core is full at any time.
  (* anyseq *) logic full;
  logic slot_ready;
  assign in_ready = slot_ready && !(Unroll < Nr && full);

  logic [KeyBits-1:0] block_key;
  if (Stored) begin : gen_slots
    // A key load takes any time. Until then its slot lets no blocks in.
    (* anyseq *) logic loaded;
    logic busy_q;
    logic [SlotBits-1:0] load_slot_q;
    logic [KeyBits-1:0] load_key_q;
    logic [2**SlotBits-1:0] slot_valid_q;
    logic [KeyBits-1:0] slot_keys[0:2**SlotBits-1];
    always_ff @(posedge clk) begin
      if (key_valid && key_ready) begin
        busy_q <= 1'b1;
        {load_slot_q, load_key_q} <= {key_slot, key};
        slot_valid_q[key_slot] <= 1'b0;
      end
      if (busy_q && loaded) begin
        busy_q <= 1'b0;
        slot_valid_q[load_slot_q] <= 32'(load_slot_q) < KeySlots;
        slot_keys[load_slot_q] <= load_key_q;
      end
      if (rst || zeroize) begin
        busy_q <= 1'b0;
        slot_valid_q <= '0;
      end
    end
    assign key_ready = !busy_q;
    assign slot_ready = slot_valid_q[in_slot];
    assign block_key = slot_keys[in_slot];
  end else begin : gen_no_slots
    assign key_ready = 1'b0;
    assign slot_ready = 1'b1;
    assign block_key = in_key;
  end

  logic [Latency-1:0] valid_q;
  logic [TagBits*Latency-1:0] tags_q;
  logic [128*Latency-1:0] results_q;
  always_ff @(posedge clk) begin
    valid_q <= Latency'({valid_q, in_valid && in_ready});
    tags_q <= (TagBits * Latency)'({tags_q, in_tag});
    results_q <= (128 * Latency)'({
      results_q, prove_function_pkg::some_function(256'(block_key), in_block)
    });
    if (rst || zeroize) valid_q <= '0;
  end
  assign out_valid = valid_q[Latency-1];
  assign out_tag = tags_q[TagBits*Latency-1-:TagBits];
  assign out_block = computes ? results_q[128*Latency-1-:128] : any_result;
endmodule

`default_nettype wire
