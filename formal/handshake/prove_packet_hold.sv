// SPDX-License-Identifier: Apache-2.0
// aesforge_packet_hold under any traffic: packets of any length, with and without errors.
`default_nettype none

module prove_packet_hold #(
    parameter int unsigned Depth = 8,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0
) (
    input  logic clk,
    input  logic rst,
    input  logic s_valid,
    input  logic s_data,
    input  logic s_side,
    input  logic s_last,
    input  logic s_error,
    input  logic m_ready,
    // the beat that is followed through, chosen when it comes
    input  logic mark
);
  logic s_ready, m_valid, m_data, m_side, m_last, m_error;
  aesforge_packet_hold #(
      .DataBits(1),
      .SideBits(1),
      .Depth(Depth)
  ) u_hold (
      .clk,
      .rst,
      .zeroize(1'b0),
      .s_valid,
      .s_ready,
      .s_data,
      .s_side,
      .s_last,
      .s_error,
      .m_valid,
      .m_ready,
      .m_data,
      .m_side,
      .m_last,
      .m_error
  );

  logic begun = 1'b0, waits = 1'b0, seen = 1'b0, dropped = 1'b0;
  // The beat that is followed: chosen, its packet has ended, what it must be when it leaves.
  logic marked = 1'b0, closed = 1'b0;
  logic [3:0] before = '0, word = '0;
  // Beats of the open packet, at most Depth; beats of ended packets that have to leave; those of
  // them before the one that is followed, in its own packet until that has ended.
  logic [3:0] length = '0, kept = '0, ahead = '0;
  logic [2:0] idle = '0, stall = '0;
  wire push = s_valid && s_ready;
  wire pop = m_valid && m_ready;
  wire last = push && s_last;
  wire bad = s_error || length >= 4'(Depth - 4);
  wire [3:0] out = {m_data, m_side, m_last, m_error};
  // The beat that is followed is or was in the packet that ends now.
  wire chosen = push && mark && !marked;
  wire ends = last && (chosen || (marked && !closed));

  always_ff @(posedge clk) begin
    begun  <= 1'b1;
    waits  <= m_valid && !m_ready && !rst;
    before <= out;
    if (push) length <= s_last ? '0 : length + 4'(length != 4'(Depth));
    kept  <= kept - 4'(pop) + (!last ? '0 : bad ? 4'd1 : length + 1'b1);
    idle  <= m_valid || kept == '0 ? '0 : idle + 1'b1;
    stall <= s_ready || kept != '0 ? '0 : stall + 1'b1;
    if (chosen) begin
      marked <= 1'b1;
      word   <= {s_data, s_side, s_last, 1'b0};
      ahead  <= length;
    end
    if (ends) begin
      closed <= 1'b1;
      ahead  <= kept - 4'(pop) + (bad ? '0 : chosen ? length : ahead);
      if (bad) word <= {1'b0, s_side, 2'b11};
      // Of a packet with an error, only the last beat is still there.
      if (bad && !chosen) {marked, closed, dropped} <= 3'b001;
    end else if (closed && pop) begin
      ahead <= ahead - 1'b1;
      if (ahead == '0) {marked, closed, seen} <= 3'b001;
    end
    if (rst) begin
      {length, kept, idle, stall} <= '0;
      {marked, closed} <= '0;
    end
  end

  always_comb begin
    assume (begun || rst);
    if (Cover) begin
      assert (!(seen && dropped && kept == Depth + 2));
    end else if (begun) begin
      // 1. What waits at the output stays as it is.
      if (waits) assert (m_valid && out == before);
      // 2. No beat is at the output before its packet has ended, and none is invented.
      if (m_valid) assert (kept != '0);
      // 3. The beat that is followed leaves in its turn: unchanged, or zeros with the error flag.
      if (closed && pop && ahead == '0) assert (out == word);
      // 4. A packet that has ended comes to the output within six cycles.
      assert (idle < 3'd6);
      // 5. The source waits for no more than the ended packets to leave.
      assert (stall < 3'd5);
    end
  end
endmodule

`default_nettype wire
