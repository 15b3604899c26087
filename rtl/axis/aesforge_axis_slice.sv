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
    // forgets both words, which then read as zeros, and a word that comes in its first cycle; takes
    // none in the others, nor in the one behind
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
  // The spare place takes a word that comes while the one at the output waits. Behind a wipe it is
  // shut though nothing waits, so that s_ready comes from this register alone.
  logic shut_q;
  logic [Width-1:0] spare_q;

  assign s_ready = !shut_q;

  always_ff @(posedge clk) begin
    if (!m_valid || m_ready) begin
      m_valid <= shut_q ? m_valid : s_valid;
      m_data  <= shut_q ? spare_q : s_data;
      shut_q  <= 1'b0;
    end else if (s_valid) begin
      shut_q <= 1'b1;
    end
    if (!shut_q) spare_q <= s_data;
    if (wipe) begin
      m_data  <= '0;
      spare_q <= '0;
    end
    if (rst || wipe) begin
      m_valid <= 1'b0;
      shut_q  <= wipe;
    end
  end
endmodule

`default_nettype wire
