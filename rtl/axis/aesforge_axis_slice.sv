// SPDX-License-Identifier: Apache-2.0
// Two places between two handshakes: no path leads from m_ready to s_ready, nor from s_valid to
// m_valid. Latency 1 cycle, one word a cycle.
`default_nettype none

module aesforge_axis_slice #(
    // bits of a word
    parameter int unsigned Width = 8
) (
    input  logic             clk,
    input  logic             rst,
    // forgets both words, which then read as zeros, and takes none
    input  logic             wipe,
    // word in
    input  logic             s_valid,
    output logic             s_ready,
    input  logic [Width-1:0] s_data,
    // word out
    output logic             m_valid,
    input  logic             m_ready,
    output logic [Width-1:0] m_data
);
  // The spare place takes a word that comes while the one at the output waits.
  logic spare_valid_q;
  logic [Width-1:0] spare_q;

  assign s_ready = !spare_valid_q && !wipe;

  always_ff @(posedge clk) begin
    if (!m_valid || m_ready) begin
      m_valid <= spare_valid_q || s_valid;
      m_data  <= spare_valid_q ? spare_q : s_data;
      spare_valid_q <= 1'b0;
    end else if (s_valid && !spare_valid_q) begin
      spare_valid_q <= 1'b1;
    end
    if (!spare_valid_q) spare_q <= s_data;
    if (wipe) begin
      m_data  <= '0;
      spare_q <= '0;
    end
    if (rst || wipe) begin
      m_valid <= 1'b0;
      spare_valid_q <= 1'b0;
    end
  end
endmodule

`default_nettype wire
