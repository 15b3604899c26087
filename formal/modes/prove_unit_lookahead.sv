// SPDX-License-Identifier: Apache-2.0
// aesforge_unit_lookahead under any traffic: the beats of a data unit leave in order and unchanged,
// the last whole block with the news that part of a block follows, and each error with its flag.
`default_nettype none

module prove_unit_lookahead #(
    parameter int unsigned UnitBits = 20,
    parameter int unsigned Blocks = 1,
    parameter bit Stealing = 1'b1,
    // 1: also that from which all this follows; without, only what the outside sees
    parameter bit Steps = 1'b1,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0
) (
    input logic                 clk,
    input logic                 rst,
    input logic                 s_valid,
    input logic [          1:0] s_data,
    input logic [16*Blocks-1:0] s_keep,
    input logic                 s_last,
    input logic                 m_ready
);
  localparam int unsigned KeepBits = 16 * Blocks;
  logic s_ready, m_valid, m_last, m_steals, m_error;
  logic [1:0] m_data;
  logic [KeepBits-1:0] m_keep;
  aesforge_unit_lookahead #(
      .Width(2),
      .Blocks(Blocks),
      .UnitBits(UnitBits),
      .Stealing(Stealing)
  ) u_lookahead (
      .clk,
      .rst,
      .zeroize(1'b0),
      .s_valid,
      .s_ready,
      .s_data,
      .s_keep,
      .s_last,
      .m_valid,
      .m_ready,
      .m_data,
      .m_keep,
      .m_last,
      .m_steals,
      .m_error
  );
  wire push = s_valid && s_ready;
  wire pop = m_valid && m_ready;

  // A last beat whose first block is part of one: some bytes, from the first on, and not all of it.
  function automatic logic part_of(input logic [KeepBits-1:0] keep, input logic last);
    part_of = last && keep != '0 && keep[15:0] != '1 && (keep & (keep + 1'b1)) == '0;
  endfunction

  // Beats that came, by their numbers: those from n_out on are inside, at most three. Each with the
  // beats of its data unit before it, of which no more than have 2^UnitBits blocks are counted.
  localparam int unsigned MostBits = UnitBits - $clog2(Blocks);
  localparam int unsigned CountBits = MostBits + 1;
  localparam int unsigned EntryBits = 2 + KeepBits + 1 + CountBits;
  logic [2:0] n_in = '0, n_out = '0;
  logic [CountBits-1:0] count = '0;
  logic [EntryBits-1:0] entries[0:3];
  wire [2:0] inside = n_in - n_out;
  logic [1:0] data, next_data, spare_data;
  logic [KeepBits-1:0] keep, next_keep, spare_keep;
  logic last, next_last, spare_last;
  logic [CountBits-1:0] before, next_before, spare_before;
  // Registers of the module, connected by the script.
  (* keep *) logic held_q, first_q, stall_q, slice_valid;
  (* keep *) logic [CountBits-1:0] count_q;
  (* keep *) logic [KeepBits+4:0] slice_word, spare_word;
  // The oldest beat; the one at the output of the slice, and the one after that.
  wire [2:0] n_next = n_out + 3'(held_q);
  wire [2:0] n_spare = n_next + 3'd1;
  // It is one beat too many.
  wire over = before[MostBits];
  wire next_over = entries[2'(n_out + 3'd1)][MostBits];
  wire [KeepBits-1:0] after_keep = entries[2'(n_out + 3'd1)][CountBits+1+:KeepBits];
  wire after_last = entries[2'(n_out + 3'd1)][CountBits];
  wire steals = Stealing && !last && part_of(after_keep, after_last) && !next_over;
  assign {data, keep, last, before} = entries[n_out[1:0]];
  assign {next_data, next_keep, next_last, next_before} = entries[n_next[1:0]];
  assign {spare_data, spare_keep, spare_last, spare_before} = entries[n_spare[1:0]];

  logic begun = 1'b0, waits = 1'b0, seen_steals = 1'b0, seen_short = 1'b0;
  wire [KeepBits+4:0] out = {m_data, m_keep, m_last, m_steals, m_error};
  logic [KeepBits+4:0] held;
  always_ff @(posedge clk) begin
    begun <= 1'b1;
    waits <= m_valid && !m_ready && !rst;
    held  <= out;
    if (push) begin
      entries[n_in[1:0]] <= {s_data, s_keep, s_last, count};
      count <= s_last ? '0 : count + CountBits'(!count[MostBits]);
      n_in <= n_in + 1'b1;
    end
    if (pop) begin
      n_out <= n_out + 1'b1;
      if (m_steals) seen_steals <= 1'b1;
      if (m_error) seen_short <= 1'b1;
    end
    if (rst) begin
      n_in  <= '0;
      n_out <= '0;
      count <= '0;
    end
  end

  always_comb begin
    assume (begun || rst);
    if (Cover) begin
      assert (!((seen_steals || !Stealing) && seen_short));
    end else if (begun) begin
      // 1. What waits at the output stays as it is; no beat is lost or invented.
      if (waits) assert (m_valid && out == held);
      assert (inside <= 3'd3);
      if (m_valid) begin
        assert (inside != '0);
        // 2. The oldest beat that is inside leaves.
        assert (m_data == data && m_keep == keep && m_last == last);
        // 3. It is known whether part of a block follows.
        if (!last) assert (inside >= 3'd2);
        assert (m_steals == steals);
        // 4. The errors of a data unit: less than a block, or a beat too many.
        assert (m_error == ((over && keep[0]) || (last && keep[15:0] != '1 && before == '0)));
      end
      if (Steps) begin
        assert (inside == 3'(held_q) + 3'(slice_valid) + 3'(stall_q));
        assert (slice_valid || !stall_q);
        assert (count <= CountBits'(1) << MostBits);
        if (held_q) begin
          assert (m_data == data && m_keep == keep && m_last == last);
          assert (m_error == ((over && keep[0]) || (last && keep[15:0] != '1 && before == '0)));
        end
        assert (count_q == (slice_valid ? next_before : count) && first_q == (count_q == '0));
        if (slice_valid) begin
          assert (slice_word == {
            next_data, next_keep, next_last, next_keep[15:0] == '1, part_of(next_keep, next_last)
          });
          if (!stall_q) begin
            assert (count == (next_last ? '0 : next_before + CountBits'(!next_before[MostBits])));
          end
        end
        if (stall_q) begin
          assert (spare_word == {
            spare_data, spare_keep, spare_last, spare_keep[15:0] == '1, part_of(spare_keep, spare_last)
          });
          assert (spare_before
              == (next_last ? '0 : next_before + CountBits'(!next_before[MostBits])));
          assert (count == (spare_last ? '0 : spare_before + CountBits'(!spare_before[MostBits])));
        end
      end
    end
  end
endmodule

`default_nettype wire
