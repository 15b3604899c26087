// SPDX-License-Identifier: Apache-2.0
// aesforge_axis_queue under any traffic for which there is room.
`default_nettype none

module prove_axis_queue #(
    parameter int unsigned Width = 2,
    parameter int unsigned Depth = 4,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0
) (
    input  logic             clk,
    input  logic             rst,
    input  logic             s_valid,
    input  logic [Width-1:0] s_data,
    input  logic             m_ready,
    // the word that is followed through, chosen when it comes
    input  logic             mark
);
  logic leave, m_valid;
  logic [Width-1:0] m_data;
  aesforge_axis_queue #(
      .Width(Width),
      .Depth(Depth)
  ) u_queue (
      .clk,
      .rst,
      .zeroize(1'b0),
      .s_valid,
      .s_data,
      .leave,
      .m_valid,
      .m_ready,
      .m_data
  );

  logic begun = 1'b0, waits = 1'b0, marked = 1'b0, seen = 1'b0;
  logic [3:0] inside = '0, ahead = '0, stored = '0;
  logic [2:0] idle = '0;
  logic [Width-1:0] word = '0, before = '0;
  wire push = s_valid;
  wire pop = m_valid && m_ready;

  always_ff @(posedge clk) begin
    begun  <= 1'b1;
    waits  <= m_valid && !m_ready && !rst;
    before <= m_data;
    inside <= inside + 4'(push) - 4'(pop);
    stored <= stored + 4'(push) - 4'(leave);
    idle   <= m_valid || inside == '0 ? '0 : idle + 1'b1;
    if (marked) begin
      if (pop) begin
        ahead <= ahead - 1'b1;
        if (ahead == '0) {marked, seen} <= 2'b01;
      end
    end else if (push && mark) begin
      marked <= 1'b1;
      word   <= s_data;
      ahead  <= inside - 4'(pop);
    end
    if (rst) begin
      inside <= '0;
      stored <= '0;
      idle   <= '0;
      marked <= 1'b0;
    end
  end

  always_comb begin
    assume (begun || rst);
    assume (!(push && stored == Depth - 1));
    if (Cover) begin
      assert (!(seen && inside == Depth + 3));
    end else if (begun) begin
      // 1. What waits at the output stays as it is.
      if (waits) assert (m_valid && m_data == before);
      // 2. No word is invented.
      if (m_valid) assert (inside != '0);
      // 3. The word that is followed leaves in its turn, unchanged.
      if (marked && pop && ahead == '0) assert (m_data == word);
      // 4. A word that is inside comes to the output within four cycles.
      assert (idle < 3'd4);
      // 5. What leaves the RAM was there.
      if (leave) assert (stored != '0);
    end
  end
endmodule

`default_nettype wire
