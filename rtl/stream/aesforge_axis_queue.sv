// SPDX-License-Identifier: Apache-2.0
// A queue in RAM. The read port has two registers, so that tools may use block RAM with its output
// register, and a slice after them: no path leads from m_ready to the RAM.
// Latency 4 cycles, one word per cycle. It has no s_ready: the writer counts credits.
`default_nettype none

module aesforge_axis_queue #(
    parameter int unsigned Width = 8,  // [1 or more] bits of a word
    // [a power of two from 2 on] places in the RAM, of which one stays free
    parameter int unsigned Depth = 16,
    parameter int unsigned Style = aesforge_pkg::QueueBlock  // [0, 1] see aesforge_queue_ram
) (
    input  logic             clk,  // clock
    input  logic             rst,  // synchronous reset
    // empties the queue and overwrites all words with `s_data` within `Depth` + 5 cycles; no word
    // may come in these or in the next
    input  logic             zeroize,
    input  logic             s_valid,  // a word is present
    input  logic [Width-1:0] s_data,  // word in
    output logic             leave,  // a word leaves the RAM: its place is free
    output logic             m_valid,  // a word is at the output
    input  logic             m_ready,  // it is accepted
    output logic [Width-1:0] m_data  // word out; stays until it is accepted
);
  localparam int unsigned PlaceBits = $clog2(Depth);

  if (Depth < 2 || 2 ** PlaceBits != Depth) begin : gen_bad_depth
    $error("depth must be a power of two, at least 2");
  end

  // The words in the RAM are those from read_q up to write_q; after_q is the place after read_q.
  logic [PlaceBits-1:0] write_q, read_q, after_q;
  logic some_q, zeroize_q;
  logic [Width-1:0] second_q;
  logic first_valid_q, second_valid_q, first_take, second_take, slice_ready;

  assign second_take = !second_valid_q || slice_ready;
  assign first_take = !first_valid_q || second_take;
  assign leave = some_q && first_take;

  // Written in every cycle, which saves the fan-out of an enable: place write_q is free. Without a
  // word the data are not used: while zeroizing, address 0 is read repeatedly.
  aesforge_queue_ram #(
      .Width(Width),
      .Depth(Depth),
      .Style(Style)
  ) u_ram (
      .clk,
      .write(1'b1),
      .write_place(write_q),
      .write_data(s_data),
      .read_place(read_q),
      .first_step(first_take),
      .second_step(second_take),
      .second_q
  );

  always_ff @(posedge clk) begin
    if (s_valid || zeroize) write_q <= write_q + 1'b1;
    if (first_take) first_valid_q <= some_q;
    if (second_take) second_valid_q <= first_valid_q;
    if (leave) begin
      read_q  <= after_q;
      after_q <= after_q + 1'b1;
    end
    // Computed a cycle ahead, so that the comparison is not in the path that starts a read.
    some_q <= s_valid || (leave ? write_q != after_q : write_q != read_q);
    zeroize_q <= zeroize;
    if (rst || zeroize || zeroize_q) begin
      {some_q, first_valid_q, second_valid_q} <= '0;
      read_q  <= '0;
      after_q <= PlaceBits'(1);
    end
    if (rst || zeroize != zeroize_q) write_q <= '0;
    if (rst) zeroize_q <= 1'b0;
  end

  aesforge_axis_slice #(
      .Width(Width)
  ) u_slice (
      .clk,
      .rst,
      .zeroize,
      .s_valid(second_valid_q),
      .s_ready(slice_ready),
      .s_data(second_q),
      .m_valid,
      .m_ready,
      .m_data
  );
endmodule

`default_nettype wire
