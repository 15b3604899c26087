// SPDX-License-Identifier: Apache-2.0
// Stands for aesforge_axis_queue: words leave in order, each after any time. It has one place more
// than the queue, whose writer counts credits: that these suffice is a part of the claim.
`default_nettype none

module aesforge_axis_queue #(
    parameter int unsigned Width = 8,
    parameter int unsigned Depth = 16,
    parameter int unsigned Style = 0
) (
    input  logic             clk,
    input  logic             rst,
    input  logic             zeroize,
    input  logic             s_valid,
    input  logic [Width-1:0] s_data,
    output logic             leave,
    output logic             m_valid,
    input  logic             m_ready,
    output logic [Width-1:0] m_data
);
  localparam int unsigned PlaceBits = $clog2(Depth);
  (* keep *) logic [Width*Depth-1:0] words;
  (* keep *) logic [PlaceBits-1:0] first_q;
  (* keep *) logic [PlaceBits:0] count_q;
  (* keep *) logic shown_q;
  (* anyseq *) logic shows, leaves;
  wire [PlaceBits-1:0] last = first_q + PlaceBits'(count_q);
  assign m_valid = shown_q;
  always_comb begin
    m_data = '0;
    for (int i = 0; i < Depth; i++) if (first_q == PlaceBits'(i)) m_data = words[Width*i+:Width];
  end
  assign leave = leaves;
  always_ff @(posedge clk) begin
    for (int i = 0; i < Depth; i++) begin
      if (s_valid && last == PlaceBits'(i)) words[Width*i+:Width] <= s_data;
    end
    count_q <= count_q + (PlaceBits + 1)'(s_valid) - (PlaceBits + 1)'(m_valid && m_ready);
    if (m_valid && m_ready) begin
      first_q <= first_q + 1'b1;
      shown_q <= shows && count_q > (PlaceBits + 1)'(1);
    end else if (shows && count_q != '0) shown_q <= 1'b1;
    if (rst) {first_q, count_q, shown_q} <= '0;
  end
  logic unused_ok;
  assign unused_ok = &{1'b0, zeroize};
endmodule

`default_nettype wire
