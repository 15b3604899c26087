// SPDX-License-Identifier: Apache-2.0
// A queue of words in RAM with a synchronous read port, so that tools may take block RAM.
// Latency 2 cycles, one word a cycle. Whoever writes knows that there is room: the shell counts.
`default_nettype none

module aesforge_axis_fifo #(
    // bits of a word
    parameter int unsigned Width = 8,
    // words it holds, the one at the output included: a power of two, at least 2
    parameter int unsigned Depth = 16
) (
    input  logic             clk,
    input  logic             rst,
    // empties the queue; writes what stands at s_data over all words within Depth + 2 cycles. No
    // word may come in these cycles, nor in the one behind them.
    input  logic             wipe,
    // word in
    input  logic             s_valid,
    input  logic [Width-1:0] s_data,
    // word out; stays until it is taken
    output logic             m_valid,
    input  logic             m_ready,
    output logic [Width-1:0] m_data
);
  localparam int unsigned PlaceBits = $clog2(Depth);

  if (Depth < 2 || 2 ** PlaceBits != Depth) begin : gen_bad_depth
    $error("depth must be a power of two, at least 2");
  end

  // The shell never writes where it reads in the same cycle, so a block RAM needs no bypass.
  (* no_rw_check *)
  logic [Width-1:0] memory[0:Depth-1];
  // The words in the memory are those from read_q up to write_q. They are Depth - 1 at most, since
  // one of Depth stands at the output, or is on its way there.
  logic [PlaceBits-1:0] write_q, read_q;
  logic read, wipe_q;

  assign read = write_q != read_q && (!m_valid || m_ready);

  always_ff @(posedge clk) begin
    if (s_valid || wipe) begin
      memory[write_q] <= s_data;
      write_q <= write_q + 1'b1;
    end
    // A wipe reads the word at place 0 again and again, so that this register forgets too.
    if (read) begin
      m_data <= memory[read_q];
      read_q <= read_q + 1'b1;
    end
    m_valid <= read || (m_valid && !m_ready);
    wipe_q <= wipe;
    if (rst || wipe || wipe_q) begin
      m_valid <= 1'b0;
      read_q <= '0;
    end
    if (rst || wipe != wipe_q) write_q <= '0;
    if (rst) wipe_q <= 1'b0;
  end
endmodule

`default_nettype wire
