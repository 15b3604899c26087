// SPDX-License-Identifier: Apache-2.0
// aesforge_queue_ram does nothing that queue_ram_model.sv does not: a read of a place returns the
// word that was last written there, unless the same cycle writes to it.
`default_nettype none

module prove_queue_ram #(
    parameter int unsigned Width = 8,
    parameter int unsigned Depth = 16,
    parameter int unsigned Style = aesforge_pkg::QueueBlock,
    localparam int unsigned PlaceBits = $clog2(Depth)
) (
    input logic                 clk,
    input logic                 write,
    input logic [PlaceBits-1:0] write_place,
    input logic [    Width-1:0] write_data,
    input logic [PlaceBits-1:0] read_place,
    input logic                 first_step,
    input logic                 second_step
);
  logic [Width-1:0] second_q;
  aesforge_queue_ram #(
      .Width(Width),
      .Depth(Depth),
      .Style(Style)
  ) u_ram (
      .clk,
      .write,
      .write_place,
      .write_data,
      .read_place,
      .first_step,
      .second_step,
      .second_q
  );

  // The place that is followed, its word, and whether the registers hold it.
  (* anyconst *) logic [PlaceBits-1:0] some_place;
  logic written = 1'b0, first_valid = 1'b0, second_valid = 1'b0;
  logic [Width-1:0] word, first, second;
  wire hit = write && write_place == some_place;
  always_ff @(posedge clk) begin
    if (hit) {written, word} <= {1'b1, write_data};
    if (first_step) begin
      {first_valid, first} <= {written && read_place == some_place && !hit, word};
    end
    if (second_step) {second_valid, second} <= {first_valid, first};
  end

  // Registers of the RAM, connected by the script.
  (* keep *) logic [Depth*Width-1:0] memory;
  (* keep *) logic [Width-1:0] first_q;
  always_comb begin
    if (second_valid) assert (second_q == second);
    if (first_valid) assert (first_q == first);
  end
  for (genvar p = 0; p < Depth; p++) begin : gen_place
    always_comb begin
      if (written && some_place == p) assert (memory[Width*p+:Width] == word);
    end
  end
endmodule

`default_nettype wire
