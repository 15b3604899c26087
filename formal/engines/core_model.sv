// SPDX-License-Identifier: Apache-2.0
// Stands for a pipelined aesforge_core in the proof of an engine: its latency, and any function of
// block, key and direction. One argument of the function is followed, an arbitrary constant, whose
// value is another; results of all other arguments may be anything.
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
    parameter int unsigned DelayStyle = aesforge_pkg::DelayRam
) (
    input  logic               clk,
    input  logic               rst,
    input  logic               zeroize,
    input  logic               in_valid,
    output logic               in_ready,
    input  logic [      127:0] in_block,
    input  logic [KeyBits-1:0] in_key,
    input  logic               in_slot,
    input  logic               in_decrypt,
    input  logic [TagBits-1:0] in_tag,
    input  logic               key_valid,
    output logic               key_ready,
    input  logic               key_slot,
    input  logic [KeyBits-1:0] key,
    output logic               out_valid,
    output logic [      127:0] out_block,
    output logic [TagBits-1:0] out_tag
);
  localparam int unsigned Nr = KeyBits / 32 + 6;
  localparam int unsigned Waits = Direction == aesforge_pkg::Encrypt ? 1 : 2;
  localparam int unsigned Latency = Waits * Nr * (SboxStages + LinearStages) + 1;

  // The argument that is followed, and its value.
  (* anyconst *) logic [127:0] some_block;
  (* anyconst *) logic [KeyBits-1:0] some_key;
  (* anyconst *) logic some_decrypt;
  (* anyconst *) logic [127:0] some_result;
  (* anyseq *) logic [127:0] other_result;
  (* anyseq *) logic [TagBits-1:0] any_tag;

  logic same;
  logic [Latency-1:0] valid_q, same_q;
  assign same = in_block == some_block && in_key == some_key
      && (Direction != aesforge_pkg::Both || in_decrypt == some_decrypt);
  always_ff @(posedge clk) begin
    valid_q <= Latency'({valid_q, in_valid});
    same_q  <= Latency'({same_q, same});
    if (rst || zeroize) valid_q <= '0;
  end

  assign in_ready = 1'b1;
  assign key_ready = 1'b0;
  assign out_valid = valid_q[Latency-1];
  assign out_block = same_q[Latency-1] ? some_result : other_result;
  assign out_tag = any_tag;
endmodule

`default_nettype wire
