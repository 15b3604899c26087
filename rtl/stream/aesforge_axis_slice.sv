// SPDX-License-Identifier: Apache-2.0
// A skid buffer: no path leads from m_ready to s_ready, nor from s_valid to m_valid. Latency 1
// cycle, one word per cycle.
`default_nettype none

module aesforge_axis_slice #(
    parameter int unsigned Width = 8  // [1 or more] bits of a word
) (
    input  logic             clk,  // clock
    input  logic             rst,  // synchronous reset
    // discards both words, which then read as zeros, and accepts none
    input  logic             zeroize,
    input  logic             s_valid,  // a word is present
    output logic             s_ready,  // it is accepted: a place is free and `zeroize` is low
    input  logic [Width-1:0] s_data,  // word in
    output logic             m_valid,  // a word is at the output
    input  logic             m_ready,  // it is accepted
    output logic [Width-1:0] m_data  // word out; stays until it is accepted
);
  // spare_q holds a word that was accepted while the output was stalled. stall_q is also set after
  // zeroization, with no word in spare_q, so that s_ready comes from this register alone.
  logic stall_q;
  logic [Width-1:0] spare_q;

  assign s_ready = !stall_q;

  always_ff @(posedge clk) begin
    if (!m_valid || m_ready) begin
      m_valid <= stall_q ? m_valid : s_valid;
      m_data  <= stall_q ? spare_q : s_data;
      stall_q  <= 1'b0;
    end else if (s_valid) begin
      stall_q <= 1'b1;
    end
    if (!stall_q) spare_q <= s_data;
    if (zeroize) begin
      m_data  <= '0;
      spare_q <= '0;
    end
    if (rst || zeroize) begin
      m_valid <= 1'b0;
      stall_q  <= zeroize;
    end
  end
endmodule

`default_nettype wire
