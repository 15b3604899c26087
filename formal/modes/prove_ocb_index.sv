// SPDX-License-Identifier: Apache-2.0
// aesforge_ocb_index under any traffic: beats leave in order and unchanged, each with the word of
// the table L that its block takes (RFC 7253 Sec. 4.1), and the news that its section begins.
`default_nettype none

module prove_ocb_index #(
    parameter int unsigned IndexBits = 4,
    parameter int unsigned CountBits = 14,
    // 1: also that from which all this follows; without, only what the outside sees
    parameter bit Steps = 1'b1,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0
) (
    input logic       clk,
    input logic       rst,
    input logic       s_valid,
    input logic [1:0] s_data,
    input logic       s_full,
    input logic       s_aad,
    input logic       s_last,
    input logic       m_ready
);
  logic s_ready, m_valid, m_aad, m_last, m_full, m_start, m_over;
  logic [1:0] m_data;
  logic [IndexBits-1:0] m_index;
  aesforge_ocb_index #(
      .Width(2),
      .IndexBits(IndexBits),
      .CountBits(CountBits)
  ) u_index (
      .clk,
      .rst,
      .zeroize(1'b0),
      .s_valid,
      .s_ready,
      .s_data,
      .s_full,
      .s_aad,
      .s_last,
      .m_valid,
      .m_ready,
      .m_data,
      .m_aad,
      .m_last,
      .m_full,
      .m_index,
      .m_start,
      .m_over
  );
  wire push = s_valid && s_ready;
  wire pop = m_valid && m_ready;

  // Blocks of the section before the beat. Once it has a block too many, nothing more is claimed;
  // nor of a tag that is marked as associated data, which is an error.
  logic fresh = 1'b1, after_aad, broken;
  logic [CountBits-1:0] count;
  wire start = fresh || (after_aad && !s_aad);
  wire [CountBits-1:0] earlier = start ? '0 : count;
  wire [CountBits:0] number = {1'b0, earlier} + 1'b1;
  // L_k stands in word k + 2, k the zeros at the end of the block's number.
  logic [IndexBits-1:0] index;
  always_comb begin
    index = '0;
    for (int i = CountBits; i >= 0; i--) if (number[i]) index = IndexBits'(i + 2);
    if (!s_full) index = '0;
    if (s_last) index = IndexBits'(1);
  end
  wire over = number[CountBits] && s_full && !s_last;

  // Beats inside, the oldest one first: at most two. At the top whether something is claimed.
  localparam int unsigned EntryBits = 2 + 3 + IndexBits + 2;
  wire [EntryBits:0] entry = {
    (start || !broken || s_last) && !(s_aad && s_last),
    {s_data, s_aad, s_last, s_full, index, start, over}
  };
  wire [EntryBits-1:0] out = {m_data, m_aad, m_last, m_full, m_index, m_start, m_over};
  function automatic logic same(input logic [EntryBits-1:0] word, input logic [EntryBits:0] claim);
    logic [EntryBits-1:0] differs;
    differs = word ^ claim[EntryBits-1:0];
    // A block too many has no word.
    if (claim[0]) differs[2+:IndexBits] = '0;
    same = !claim[EntryBits] || differs == '0;
  endfunction
  logic [1:0] in_flight = '0;
  logic [EntryBits:0] first, second;
  logic [EntryBits-1:0] held;
  logic begun = 1'b0, waits = 1'b0, seen = 1'b0;
  always_ff @(posedge clk) begin
    begun <= 1'b1;
    waits <= m_valid && !m_ready && !rst;
    held  <= out;
    if (push) begin
      {fresh, after_aad} <= {s_last, s_aad};
      broken <= (broken && !start) || number[CountBits];
      count <= number[CountBits-1:0];
    end
    in_flight <= in_flight + 2'(push) - 2'(pop);
    if (in_flight == 2'(pop)) first <= entry;
    else if (pop) first <= second;
    if (in_flight == 2'd1 + 2'(pop)) second <= entry;
    if (pop && m_index == IndexBits'(4)) seen <= 1'b1;
    if (rst) begin
      in_flight <= '0;
      fresh  <= 1'b1;
    end
  end

  // Registers of the module, connected by the script.
  (* keep *) logic first_q, aad_q, stall_q;
  (* keep *) logic [3:0] low_q;
  (* keep *) logic [CountBits-5:0] high_q;
  (* keep *) logic [EntryBits-1:0] spare_q;

  always_comb begin
    assume (begun || rst);
    if (Cover) begin
      assert (!seen);
    end else if (begun) begin
      // 1. What waits stays; no beat is lost or invented.
      if (waits) assert (m_valid && out == held);
      assert (m_valid == (in_flight != 2'd0));
      assert (in_flight <= 2'd2);
      // 2. Each beat leaves with its word of the table.
      if (m_valid) assert (same(out, first));
      if (Steps) begin
        assert (stall_q == (in_flight == 2'd2));
        if (stall_q) assert (same(spare_q, second));
        assert (first_q == fresh);
        if (!fresh) assert (aad_q == after_aad && (broken || {high_q, low_q} == count));
      end
    end
  end
endmodule

`default_nettype wire
