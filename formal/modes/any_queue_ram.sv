// SPDX-License-Identifier: Apache-2.0
// Stands for aesforge_queue_ram where no claim is about what it holds: a read gives anything.
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
  (* anyseq *) logic [Width-1:0] any_word;
  always_ff @(posedge clk) if (second_step) second_q <= any_word;
endmodule

`default_nettype wire
