// SPDX-License-Identifier: Apache-2.0
// Stands for aesforge_queue_ram in the proof of an engine: it holds the word of one place, an
// arbitrary constant. A read of any other place may give anything, and so may one in the cycle of a
// write to its place. prove_queue_ram.sv shows that aesforge_queue_ram does nothing else.
`default_nettype none

module aesforge_queue_ram #(
    parameter int unsigned Width = 8,
    parameter int unsigned Depth = 16,
    parameter int unsigned Style = aesforge_pkg::QueueBlock,
    localparam int unsigned PlaceBits = $clog2(Depth)
) (
    input  logic                 clk,
    input  logic                 write,
    input  logic [PlaceBits-1:0] write_place,
    input  logic [    Width-1:0] write_data,
    input  logic [PlaceBits-1:0] read_place,
    input  logic                 first_step,
    input  logic                 second_step,
    output logic [    Width-1:0] second_q
);
  (* anyconst *) logic [PlaceBits-1:0] some_place;
  (* anyseq *) logic [Width-1:0] other_word;
  logic [Width-1:0] word_q, first_q;
  logic hit;
  assign hit = write && write_place == some_place;
  always_ff @(posedge clk) begin
    if (hit) word_q <= write_data;
    if (first_step) first_q <= read_place == some_place && !hit ? word_q : other_word;
    if (second_step) second_q <= first_q;
  end
endmodule

`default_nettype wire
