// SPDX-License-Identifier: Apache-2.0
// A delay of many cycles in the memory of a queue: at clocks above the limit of block RAM too.
// Latency Depth, one word per cycle.
`default_nettype none

module aesforge_long_delay #(
    parameter int unsigned Width = 8,  // [1 or more] bits of a word
    parameter int unsigned Depth = 16,  // [4 or more] cycles
    parameter int unsigned Style = aesforge_pkg::QueueBlock  // [0, 1] see aesforge_queue_ram
) (
    input  logic             clk,  // clock
    input  logic             rst,  // sets the pointers to their first places
    input  logic [Width-1:0] d,  // word in
    output logic [Width-1:0] q  // word out
);
  localparam int unsigned PlaceBits = $clog2(Depth - 1);

  if (Depth < 4) begin : gen_bad_depth
    $error("depth must be at least 4");
  end

  // A word is read Depth - 2 cycles after it was written; the memory takes two more.
  logic [PlaceBits-1:0] write_q, read_q;
  always_ff @(posedge clk) begin
    write_q <= write_q + 1'b1;
    read_q  <= read_q + 1'b1;
    if (rst) begin
      write_q <= '0;
      read_q  <= PlaceBits'(2 ** PlaceBits - (Depth - 2));
    end
  end
  aesforge_queue_ram #(
      .Width(Width),
      .Depth(2 ** PlaceBits),
      .Style(Style)
  ) u_ram (
      .clk,
      .write(1'b1),
      .write_place(write_q),
      .write_data(d),
      .read_place(read_q),
      .first_step(1'b1),
      .second_step(1'b1),
      .second_q(q)
  );
endmodule

`default_nettype wire
