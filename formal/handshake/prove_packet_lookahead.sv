// SPDX-License-Identifier: Apache-2.0
// aesforge_packet_lookahead under any traffic. Beats have numbers modulo 32: fewer are inside.
`default_nettype none

module prove_packet_lookahead #(
    // 1: also that from which all this follows from one cycle to the next; without, only what the
    // outside sees
    parameter bit Steps = 1'b1,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0
) (
    input  logic clk,
    input  logic rst,
    input  logic s_valid,
    input  logic s_data,
    input  logic s_last,
    input  logic m_ready,
    // the beat that is followed through, chosen when it comes
    input  logic mark
);
  localparam int unsigned Ahead = 4, Places = 16;
  logic s_ready, m_valid, m_data, m_last;
  logic [2:0] m_left;
  aesforge_packet_lookahead #(
      .Width(1),
      .Ahead(Ahead)
  ) u_lookahead (
      .clk,
      .rst,
      .zeroize(1'b0),
      .s_valid,
      .s_ready,
      .s_data,
      .s_last,
      .m_valid,
      .m_ready,
      .m_data,
      .m_last,
      .m_left
  );

  // Registers of the module, connected by the script; place 0 of a RAM is in the lowest bits.
  (* keep *)
  logic put_q, last_q, data_q, run_some_q, run_valid, stall_q, more_q, zeroize_q;
  (* keep *)
  logic [2:0] index_q;
  (* keep *)
  logic [3:0] write_q, read_q, run_write_q, run_read_q, run_after_q, used_q, run, spare;
  (* keep *)
  logic [1:0] delta_q;
  (* keep *)
  logic [Places-1:0] memory;
  (* keep *)
  logic [4*Places-1:0] runs;

  wire push = s_valid && s_ready;
  wire pop = m_valid && m_ready;

  // Numbers of the next beat in, and of that at the output or the next there.
  logic [4:0] in = '0, out = '0;
  // The beat that is followed: its number and data; the beats of its packet after it, at most
  // Ahead; its packet has ended.
  logic marked = 1'b0, word = 1'b0, closed = 1'b0, seen = 1'b0;
  logic [4:0] number = '0;
  logic [2:0] follow = '0;
  // The number after the last beat that is decided: what it has to come to the output with is known.
  logic [4:0] known = '0;
  logic [2:0] length = '0;
  logic begun = 1'b0, waits = 1'b0;
  logic [4:0] before = '0;
  logic [2:0] idle = '0, stuck = '0;
  wire chosen = push && mark && !marked;
  wire full = length == 3'(Ahead);
  wire decides = push && (s_last || full);

  always_ff @(posedge clk) begin
    begun  <= 1'b1;
    waits  <= m_valid && !m_ready && !rst;
    before <= {m_data, m_last, m_left};
    in     <= in + 5'(push);
    out    <= out + 5'(pop);
    if (push) length <= s_last ? '0 : full ? length : length + 1'b1;
    if (decides) known <= known + (s_last ? 5'(length) + 1'b1 : 5'd1);
    idle  <= m_valid || known == out ? '0 : idle + 1'b1;
    stuck <= s_ready || in - out > 5'(Ahead) ? '0 : stuck + 1'b1;
    if (chosen) begin
      {marked, word, closed} <= {1'b1, s_data, s_last};
      number <= in;
      follow <= '0;
    end else if (marked) begin
      if (push && !closed && follow != 3'(Ahead)) {closed, follow} <= {s_last, follow + 1'b1};
      if (pop && number == out) {marked, seen} <= {1'b0, seen || (follow == 3'(Ahead) && s_ready)};
    end
    if (rst) begin
      {in, out, known, length, idle, stuck} <= '0;
      marked <= 1'b0;
    end
  end

  // The numbers of the first beats of the runs, and that after the last run that is stored.
  logic [5*Places-1:0] starts = '0;
  logic [4:0] stored = '0, run_start = '0, spare_start = '0;
  wire run_get = run_some_q && !stall_q;
  wire run_step = !m_valid || m_ready;
  wire run_take = run_step && !more_q;
  wire [4:0] get_start = 5'(starts >> (5 * run_read_q));
  always_ff @(posedge clk) begin
    if (put_q && (last_q || index_q == 3'(Ahead))) begin
      starts[5*run_write_q+:5] <= stored;
      stored <= stored + (last_q ? 5'(index_q) + 1'b1 : 5'd1);
    end
    // As in aesforge_axis_slice.
    if (!run_valid || run_take) run_start <= stall_q ? spare_start : get_start;
    if (!stall_q) spare_start <= get_start;
    if (rst) stored <= '0;
  end

  // A run is its mark for more beats, and its first count.
  function automatic logic [4:0] beats(input logic [3:0] one);
    beats = one[3] ? 5'(one[2:0]) + 1'b1 : 5'd1;
  endfunction
  function automatic logic legal(input logic [3:0] one);
    legal = one[3] ? one[2:0] >= 3'd1 && one[2:0] <= 3'(Ahead)
        : one[2:0] == 3'd0 || one[2:0] == 3'(Ahead);
  endfunction
  // The beat that is followed is none of a run, or its count there is right.
  wire decided = closed || follow == 3'(Ahead);
  function automatic logic right(input logic [4:0] start, input logic [3:0] one);
    logic [4:0] place;
    place = number - start;
    right = !marked || place >= beats(one) || (decided && 5'(one[2:0]) == 5'(follow) + place);
  endfunction

  wire [3:0] count = run_write_q - run_read_q;
  wire [4:0] ring = run_some_q ? get_start : stored;
  wire [3:0] head = {more_q, m_left};
  wire [4:0] inside = in - out;
  logic [3:0] one, place, after;
  logic [4:0] start, next;
  always_comb begin
    {one, place, after, start, next} = '0;
    assume (begun || rst);
    if (Cover) begin
      assert (!(seen && in - out == 5'(Places - 2) && !m_ready));
    end else if (begun) begin
      // 1. What waits at the output stays as it is.
      if (waits) assert (m_valid && {m_data, m_last, m_left} == before);
      // 2. No beat is at the output before it is decided, and none is invented.
      if (m_valid) assert (known != out);
      assert (5'(known - out) <= inside && inside < 5'(Places));
      // 3. The beat that is followed leaves in its turn, with its data and the right count.
      if (marked && pop && number == out) begin
        assert (decided && m_data == word && m_left == follow && m_last == (follow == '0));
      end
      // 4. A beat that is decided comes to the output within three cycles.
      assert (m_valid || idle < 3'd3);
      // 5. The source waits for no more than what is decided to leave.
      assert (s_ready || stuck == '0);
      if (Steps) begin
        // The credits.
        assert (5'(used_q) + {{3{delta_q[1]}}, delta_q} == inside && delta_q != 2'b10);
        assert (!s_ready || used_q <= 4'd13);
        assert (!zeroize_q);
        // The steps of a run to the output.
        assert (idle < 3'd4);
        assert (m_valid || run_valid || idle == '0 || (run_some_q && idle == 3'd1));
        // The places of the beats. The number of the next one in also says which is in data_q.
        assert (write_q == 4'(in - 5'(put_q)) && read_q == out[3:0]);
        assert (5'(put_q) <= inside);
        assert (!marked || 5'(number - out) < inside);
        if (marked) begin
          assert ((put_q && 5'(number + 1'b1) == in) ? data_q == word
              : memory[number[3:0]] == word);
        end
        // Undecided beats are those of the open packet, at most Ahead.
        assert (index_q <= 3'(Ahead) && length <= 3'(Ahead));
        assert (5'(in - 5'(put_q) - stored) == 5'(index_q));
        assert (5'(in - known) == 5'(length));
        assert (!put_q || length == (last_q ? '0 : index_q + 3'(index_q != 3'(Ahead))));
        assert (put_q || length == index_q);
        if (marked && 5'(in - 1'b1 - number) < 5'(in - stored)) begin
          // It is not in a run yet.
          assert (5'(follow) == 5'(in - 1'b1 - number) && closed == (put_q && last_q));
        end
        // The runs follow one another from the output on, and each has its beats.
        assert (run_some_q == (count != '0) && run_after_q == run_read_q + 1'b1);
        assert (run_valid || !stall_q);
        assert (m_valid || !more_q);
        if (m_valid) begin
          assert (legal(head) && m_last == (m_left == '0) && right(out, head));
        end
        if (run_valid) assert (legal(run) && right(run_start, run));
        if (stall_q) assert (legal(spare) && right(spare_start, spare));
        start = m_valid ? out + beats(head) : out;
        assert (start == (run_valid ? run_start : ring));
        if (run_valid) assert (run_start + beats(run) == (stall_q ? spare_start : ring));
        if (stall_q) assert (spare_start + beats(spare) == ring);
        assert (5'(stored - ring) <= 5'(stored - out) && 5'(stored - out) <= inside);
        if (run_valid) assert (5'(stored - run_start) <= 5'(stored - out));
        if (stall_q) assert (5'(stored - spare_start) <= 5'(stored - out));
        for (int i = 0; i < Places; i++) begin
          one   = runs[4*i+:4];
          start = starts[5*i+:5];
          place = 4'(i) - run_read_q;
          after = count - place;
          next  = after == 4'd1 ? stored : 5'(starts >> (5 * ((i + 1) % Places)));
          if (place < count) begin
            assert (legal(one) && right(start, one));
            assert (start + beats(one) == next);
            // So there are never more runs than places.
            assert (5'(stored - start) >= 5'(after) && 5'(stored - start) <= inside);
          end
        end
      end
    end
  end
endmodule

`default_nettype wire
