// SPDX-License-Identifier: Apache-2.0
// Stands for aesforge_ghash where the tag is proved: a hash is anything, after its latency.
`default_nettype none

module aesforge_ghash #(
    parameter int unsigned Slots = 2,
    parameter int unsigned Ahead = 8,
    parameter int unsigned Stages = 6,
    parameter int unsigned Digit = 8,
    parameter int unsigned Blocks = 1,
    parameter int unsigned PowerStyle = 0,
    localparam int unsigned SlotBits = $clog2(Slots),
    localparam int unsigned PowerBits = Ahead > 1 ? $clog2(Ahead * Blocks) : 1
) (
    input  logic                  clk,
    input  logic                  rst,
    input  logic                  zeroize,
    input  logic                  begin_packet,
    input  logic                  in_valid,
    input  logic                  in_first,
    input  logic [128*Blocks-1:0] in_block,
    input  logic [   PowerBits:0] in_left,
    input  logic [  SlotBits-1:0] in_slot,
    input  logic                  write_valid,
    input  logic [  SlotBits-1:0] write_slot,
    input  logic [ PowerBits-1:0] write_power,
    input  logic [         127:0] write_value,
    output logic                  out_valid,
    output logic [         127:0] out_hash
);
  (* anyseq *) logic [127:0] anything;
  localparam int unsigned Latency = Ahead > 1 ? Stages + 4 : 128 / Digit + 1;
  logic [Latency-1:0] valid_q;
  assign out_valid = valid_q[Latency-1];
  assign out_hash = anything;
  always_ff @(posedge clk) begin
    valid_q <= Latency'({valid_q, in_valid});
    if (rst || zeroize) valid_q <= '0;
  end
endmodule

`default_nettype wire
