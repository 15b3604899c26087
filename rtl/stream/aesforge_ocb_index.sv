// SPDX-License-Identifier: Apache-2.0
// Tells with each beat of a packet of associated data, text and a tag which word of the table L of
// OCB (RFC 7253 Sec. 4) its offset takes, and whether its section begins. Latency 1 cycle, one beat
// per cycle.
`default_nettype none

module aesforge_ocb_index #(
    parameter int unsigned Width = 8,  // [1 or more] bits of a beat without what is named here
    parameter int unsigned IndexBits = 4,  // [3 or more] bits of an index
    // [6 to 2^`IndexBits` - 2] a section has at most 2^CountBits - 1 blocks
    parameter int unsigned CountBits = 14
) (
    input  logic                 clk,  // clock
    input  logic                 rst,  // synchronous reset
    input  logic                 zeroize,  // discards both beats, which then read as zeros
    input  logic                 s_valid,  // a beat is present
    output logic                 s_ready,  // it is accepted
    input  logic [    Width-1:0] s_data,  // beat in
    input  logic                 s_full,  // all its bytes are kept
    input  logic                 s_aad,  // it is associated data
    input  logic                 s_last,  // it is the tag
    output logic                 m_valid,  // a beat is at the output
    input  logic                 m_ready,  // it is accepted
    output logic [    Width-1:0] m_data,  // beat out; stays until it is accepted
    output logic                 m_aad,  // `s_aad` of the beat
    output logic                 m_last,  // `s_last` of the beat
    output logic                 m_full,  // `s_full` of the beat
    output logic [IndexBits-1:0] m_index,  // 0: L_*, of part of a block; 1: L_$, of the tag; 2: L_0
    output logic                 m_start,  // first beat of its section, or a tag without text
    output logic                 m_over  // a block more than the table has words for
);
  localparam int unsigned HighBits = CountBits - 4;

  // Beats of the section before this one: full blocks, as part of one is the last. The block after
  // n of them takes L_k, k the ones at the end of n: those of the low four bits, or four more than
  // those of the others.
  logic [3:0] low_q, low;
  logic [HighBits-1:0] high_q;
  logic [IndexBits-1:0] high_ones, block_index;
  logic first_q, aad_q, start, at_end;
  always_comb begin
    high_ones = '0;
    for (int i = HighBits - 1; i >= 0; i--) if (!high_q[i]) high_ones = IndexBits'(i);
  end
  assign start = first_q || (aad_q && !s_aad);
  assign low = start ? '0 : low_q;
  assign block_index = !low[0] ? IndexBits'(2) : !low[1] ? IndexBits'(3) : !low[2] ? IndexBits'(4)
      : !low[3] ? IndexBits'(5) : IndexBits'(6) + high_ones;
  always_ff @(posedge clk) begin
    if (s_valid && s_ready) begin
      first_q <= s_last;
      aad_q <= s_aad;
      low_q <= low + 1'b1;
      if (start) high_q <= '0;
      else if (low_q == '1 && high_q != '1) high_q <= high_q + 1'b1;
    end
    if (rst || zeroize) first_q <= 1'b1;
  end
  assign at_end = !start && low_q == '1 && high_q == '1;

  aesforge_axis_slice #(
      .Width(Width + 5 + IndexBits)
  ) u_slice (
      .clk,
      .rst,
      .zeroize,
      .s_valid,
      .s_ready,
      .s_data({
        s_data,
        s_aad,
        s_last,
        s_full,
        s_last ? IndexBits'(1) : s_full ? block_index : IndexBits'(0),
        start,
        at_end && s_full && !s_last
      }),
      .m_valid,
      .m_ready,
      .m_data({m_data, m_aad, m_last, m_full, m_index, m_start, m_over})
  );
endmodule

`default_nettype wire
