// SPDX-License-Identifier: Apache-2.0
// aesforge_axis_slice under any traffic that keeps to the handshake.
`default_nettype none

module prove_axis_slice #(
    parameter int unsigned Width = 2,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0
) (
    input  logic             clk,
    input  logic             rst,
    input  logic             zeroize,
    input  logic             s_valid,
    input  logic [Width-1:0] s_data,
    input  logic             m_ready,
    // the word that is followed through, chosen when it comes
    input  logic             mark
);
  logic s_ready, m_valid;
  logic [Width-1:0] m_data;
  aesforge_axis_slice #(
      .Width(Width)
  ) u_slice (
      .clk,
      .rst,
      .zeroize,
      .s_valid,
      .s_ready,
      .s_data,
      .m_valid,
      .m_ready,
      .m_data
  );

  logic begun = 1'b0, waits = 1'b0, zeroized = 1'b0, marked = 1'b0, seen = 1'b0;
  logic [1:0] inside = '0, ahead = '0;
  logic [Width-1:0] word = '0, before = '0;
  wire push = s_valid && s_ready;
  wire pop = m_valid && m_ready;

  always_ff @(posedge clk) begin
    begun  <= 1'b1;
    waits  <= m_valid && !m_ready && !rst && !zeroize;
    zeroized  <= zeroize;
    before <= m_data;
    inside <= inside + 2'(push) - 2'(pop);
    if (marked) begin
      if (pop) begin
        ahead <= ahead - 1'b1;
        if (ahead == '0) {marked, seen} <= 2'b01;
      end
    end else if (push && mark) begin
      marked <= 1'b1;
      word   <= s_data;
      ahead  <= inside - 2'(pop);
    end
    if (rst || zeroize) begin
      inside <= '0;
      marked <= 1'b0;
    end
  end

  always_comb begin
    assume (begun || rst);
    if (Cover) begin
      assert (!(seen && inside == 2'd2));
    end else if (begun) begin
      // 1. What waits at the output stays as it is.
      if (waits) assert (m_valid && m_data == before);
      // 2. No word is invented, and one that is inside is at the output.
      assert (m_valid == (inside != '0));
      // 3. The word that is followed leaves in its turn, unchanged.
      if (marked && pop && ahead == '0) assert (m_data == word);
      // 4. There is room for two words, and none is taken after a cycle of zeroization.
      assert (s_ready == (inside < 2'd2 && !zeroized));
    end
  end
endmodule

`default_nettype wire
