// SPDX-License-Identifier: Apache-2.0
// The memory of a queue: one write port, and a read port with two registers. Block RAM, or
// distributed RAM in banks of 16 words where the clock is above the limit of block RAM. Latency 2
// cycles, one word per cycle.
`default_nettype none

module aesforge_queue_ram #(
    parameter int unsigned Width = 8,  // [1 or more] bits of a word
    parameter int unsigned Depth = 16,  // [a power of two from 2 on] words
    // [0, 1] 0: block RAM, or what the tool prefers; 1: distributed RAM
    parameter int unsigned Style = aesforge_pkg::QueueBlock,
    localparam int unsigned PlaceBits = $clog2(Depth)
) (
    input  logic                 clk,  // clock
    input  logic                 write,  // a word is written
    input  logic [PlaceBits-1:0] write_place,  // its place
    input  logic [    Width-1:0] write_data,  // the word
    // place of the word to read; not valid in the cycle in which it is written
    input  logic [PlaceBits-1:0] read_place,
    input  logic                 first_step,  // the first register takes the word read
    input  logic                 second_step,  // the second register takes that of the first
    output logic [    Width-1:0] second_q  // the second register
);
  if (Style == aesforge_pkg::QueueBlock || Depth <= 16) begin : gen_block
    // No valid read hits the address of a write in the same cycle: a block RAM needs no bypass.
    (* no_rw_check *)
    logic [Width-1:0] memory[0:Depth-1];
    logic [Width-1:0] first_q;
    always_ff @(posedge clk) begin
      if (write) memory[write_place] <= write_data;
      if (first_step) first_q <= memory[read_place];
      if (second_step) second_q <= first_q;
    end
  end else begin : gen_banks
    localparam int unsigned Banks = Depth / 16;
    logic [Banks-1:0] selected_q;
    logic [Width-1:0] selected[0:Banks-1];
    for (genvar b = 0; b < Banks; b++) begin : gen_bank
      (* no_rw_check, ram_style = "distributed" *)
      logic [Width-1:0] memory[0:15];
      logic [Width-1:0] first_q;
      always_ff @(posedge clk) begin
        if (write && 32'(write_place[PlaceBits-1:4]) == b) memory[write_place[3:0]] <= write_data;
        if (first_step) begin
          first_q <= memory[read_place[3:0]];
          selected_q[b] <= 32'(read_place[PlaceBits-1:4]) == b;
        end
      end
      assign selected[b] = first_q & {Width{selected_q[b]}};
    end
    // A reduction is a tree of look-up tables; a loop of ORs becomes a chain.
    logic [Width-1:0] word;
    logic [Banks-1:0] bits;
    always_comb begin
      bits = '0;
      for (int i = 0; i < Width; i++) begin
        for (int b = 0; b < Banks; b++) bits[b] = selected[b][i];
        word[i] = |bits;
      end
    end
    always_ff @(posedge clk) if (second_step) second_q <= word;
  end
endmodule

`default_nettype wire
