// SPDX-License-Identifier: Apache-2.0
// aesforge_packet_hold under any traffic: packets of any length, with and without errors.
`default_nettype none

module prove_packet_hold #(
    parameter int unsigned Depth = 8,
    parameter int unsigned Parts = 1,
    // 1: also that from which all this follows from one cycle to the next; without, only what the
    // outside sees
    parameter bit Steps = 1'b1,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0,
    // a bit of data for each part, and the rest of a word
    localparam int unsigned W = Parts + 3
) (
    input  logic clk,
    input  logic rst,
    input  logic s_valid,
    input  logic [Parts-1:0] s_data,
    input  logic s_side,
    input  logic s_last,
    input  logic s_error,
    input  logic m_ready,
    // the beat that is followed through, chosen when it comes
    input  logic mark
);
  logic s_ready, m_valid, m_side, m_last, m_error;
  logic [Parts-1:0] m_data;
  aesforge_packet_hold #(
      .DataBits(Parts),
      .SideBits(1),
      .Depth(Depth),
      .Parts(Parts)
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

  // Registers of the module, connected by the script; place 0 of the RAM is in the lowest bits.
  (* keep *)
  logic put_q, last_q, error_q, side_q, long_q, store_q, zeroize_q, some_q;
  (* keep *)
  logic first_valid_q, second_valid_q, stall_q;
  (* keep *)
  logic [2:0] write_q, commit_q, read_q, after_q, used_q, place_q;
  (* keep *)
  logic [3:0] length_q;
  (* keep *)
  logic [Parts-1:0] data_q;
  (* keep *)
  logic [W-1:0] word_q, first_q, second_q, spare_q;
  (* keep *)
  logic [W*Depth-1:0] memory;
  // Of each part: what it reads, and which of its registers have a word.
  (* keep *)
  logic [11*Parts-1:0] states;

  logic begun = 1'b0, waits = 1'b0, seen = 1'b0, dropped = 1'b0;
  // The beat that is followed: chosen, its packet has ended, what it must be when it leaves.
  logic marked = 1'b0, closed = 1'b0;
  logic [W-1:0] before = '0, word = '0;
  // Beats of the open packet, at most Depth; beats of ended packets that have to leave; those of
  // them before the one that is followed, in its own packet until that has ended.
  logic [3:0] length = '0, kept = '0, ahead = '0;
  logic [2:0] idle = '0, stall = '0;
  wire push = s_valid && s_ready;
  wire pop = m_valid && m_ready;
  wire last = push && s_last;
  wire bad = s_error || length >= 4'(Depth - 4);
  wire [W-1:0] out = {m_data, m_side, m_last, m_error};
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
      if (bad) word <= {Parts'(0), s_side, 2'b11};
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

  // For the steps: registers of the module a cycle ago, the length before the beat in its first
  // stage, and whether that beat is the one that is followed.
  logic [3:0] length_put = '0;
  logic [2:0] commit_before = '0;
  logic put_before = 1'b0, put_earlier = 1'b0, fresh = 1'b0;
  always_ff @(posedge clk) begin
    if (push) length_put <= length;
    commit_before <= commit_q;
    {put_before, put_earlier} <= {put_q, put_before};
    fresh <= chosen && !rst;
    if (rst) {commit_before, put_before, put_earlier} <= '0;
  end
  // Beats of the open packet before the one in the first stage, or before the next.
  wire [3:0] open = put_q ? length_put : length;
  // Beats in the RAM: of ended packets, of these in the cycle before, of the open packet.
  wire [3:0] ended = {1'b0, commit_q - read_q};
  wire [3:0] readable = {1'b0, commit_before - read_q};
  wire [3:0] stored = {1'b0, write_q - commit_q};
  wire ending = put_q && last_q;
  wire [3:0] ending_beats = !ending ? '0 : error_q || long_q ? 4'd1 : open + 1'b1;
  // From the output to the RAM, and the place of the beat that is followed.
  wire [3:0] line_beats = 4'(m_valid) + 4'(stall_q) + 4'(second_valid_q) + 4'(first_valid_q);
  wire [4*W-1:0] line_first = first_valid_q ? {(3 * W)'(0), first_q} : '0;
  wire [4*W-1:0] line_second = second_valid_q ? {line_first[3*W-1:0], second_q} : line_first;
  wire [4*W-1:0] line_spare = stall_q ? {line_second[3*W-1:0], spare_q} : line_second;
  wire [4*W-1:0] line = m_valid ? {line_spare[3*W-1:0], out} : line_spare;
  wire [3:0] beyond = ahead - line_beats;
  wire [2:0] place = closed ? read_q + beyond[2:0] : commit_q + ahead[2:0];
  wire [W-1:0] first_stage = ending && (error_q || long_q) ? {Parts'(0), side_q, 2'b11}
      : {data_q, side_q, last_q, 1'b0};
  wire [W-1:0] there = fresh ? first_stage : store_q && place_q == place ? word_q
      : W'(memory >> (W * place));

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
      // 4. A packet that has ended comes to the output within five cycles.
      assert (m_valid || idle < 3'd5);
      // 5. The source waits for no more than the ended packets to leave.
      assert (s_ready || stall == '0);
      if (Steps) begin
        assert (!zeroize_q && after_q == read_q + 1'b1);
        assert (m_valid || !stall_q);
        assert (states == {Parts {
          read_q, after_q, some_q, first_valid_q, second_valid_q, stall_q, m_valid
        }});
        // The open packet.
        assert (length <= 4'(Depth) && length_put <= 4'(Depth));
        if (put_q) assert (length == (last_q ? '0 : open + 4'(open != 4'(Depth))));
        assert (long_q == (open >= 4'(Depth - 4)));
        assert (long_q || length_q == open + 4'd5);
        assert (stored == (long_q ? '0 : open));
        // Ended packets, and how far these may be read.
        assert (kept == line_beats + ended + ending_beats);
        assert (some_q == (readable != '0) && readable <= ended);
        assert (!store_q || 4'(place_q - read_q) >= readable);
        assert (m_valid || idle == '0 || second_valid_q || (first_valid_q && idle <= 3'd3)
            || (some_q && idle <= 3'd2) || (ended != '0 && idle == 3'd1));
        // There is a place for each beat.
        assert (ended + stored <= 4'(used_q) + 4'(put_before));
        assert (!s_ready || ended + stored <= 4'd3 + 4'(put_before) + 4'(put_earlier));
        assert (ended + stored + 4'(put_q) <= 4'(Depth - 1));
        if (kept == '0) assert (used_q <= 3'd3);
        // Where the beat that is followed is.
        assert (!fresh || (put_q && marked));
        assert (!closed || marked);
        if (marked && !closed) begin
          assert (!ending && (fresh ? ahead == open : ahead < open || &{ahead[3], open[3]}));
          if (!long_q && !(put_q && ahead >= 4'(Depth - 4))) assert (there == word);
        end
        if (closed) begin
          assert (ahead < kept);
          if (ahead < line_beats) begin
            assert (!fresh && W'(line >> (W * ahead)) == word);
          end else begin
            assert (there == word);
            if (beyond >= ended) begin
              assert (ending && fresh == (beyond + 1'b1 == ended + ending_beats));
            end else assert (!fresh);
          end
        end
      end
    end
  end
endmodule

`default_nettype wire
