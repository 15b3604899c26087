// SPDX-License-Identifier: Apache-2.0
// aesforge_axis_shell between two sides and a core that do what they like, as long as they keep to
// the handshake and the core answers each block once.
`default_nettype none

module prove_axis_shell #(
    parameter int unsigned Depth = 8,
    // 1: whether a packet may begin is known a cycle ahead
    parameter bit LateStall = 1'b0,
    // 1: also that from which all this follows from one cycle to the next; without, only what the
    // outside sees
    parameter bit Steps = 1'b1,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0
) (
    input  logic        clk,
    input  logic        rst,
    input  logic        s_axis_tvalid,
    input  logic [15:0] s_axis_tdata,
    input  logic [ 1:0] s_axis_tkeep,
    input  logic        s_axis_tlast,
    input  logic        s_axis_tid,
    input  logic        s_ctx_tvalid,
    input  logic [ 1:0] s_ctx_tdata,
    input  logic        ctx_coming,
    input  logic        next_stall,
    input  logic        next_error,
    input  logic        next_partial,
    input  logic        beat_ready,
    input  logic [15:0] beat_xor,
    input  logic        beat_note,
    input  logic        result_valid,
    input  logic [15:0] result_data,
    input  logic        m_axis_tready,
    // the beat, and the context, that are followed through, chosen when they come
    input  logic        mark,
    input  logic        mark_context
);
  logic s_axis_tready, s_ctx_tready, open, beat_valid, beat_first, beat_block, beat_last;
  logic next_header, open_header, beat_header, beat_payload, beat_user, head_user;
  logic [1:0] beat_keep;
  logic post_valid, post_note;
  logic [15:0] post_xor;
  logic [21:0] post_word;
  logic [15:0] beat_data, m_axis_tdata;
  logic m_axis_tvalid, m_axis_tlast, m_axis_tid;
  logic [1:0] m_axis_tkeep, m_axis_tuser;
  aesforge_axis_shell #(
      .Bytes(2),
      .BlockBytes(2),
      .HeaderBits(1),
      .PayloadBits(1),
      .Depth(Depth),
      .ContextTimeout(3),
      .LateStall(LateStall)
  ) u_shell (
      .clk,
      .rst,
      .zeroize(1'b0),
      .s_axis_tvalid,
      .s_axis_tready,
      .s_axis_tdata,
      .s_axis_tkeep,
      .s_axis_tlast,
      .s_axis_tid,
      .s_axis_tuser(1'b0),
      .s_ctx_tvalid,
      .s_ctx_tready,
      .s_ctx_header(s_ctx_tdata[0]),
      .s_ctx_payload(s_ctx_tdata[1]),
      .ctx_coming,
      .next_header,
      .next_stall,
      .next_error,
      .next_partial,
      .next_tag_length('0),
      .open,
      .open_header,
      .head_user,
      .beat_valid,
      .beat_ready,
      .beat_first,
      .beat_block,
      .beat_last,
      .beat_keep,
      .beat_user,
      .beat_data,
      .beat_header,
      .beat_payload,
      .beat_xor,
      .beat_note,
      .result_valid,
      .result_data,
      .post_valid,
      .post_word,
      .post_xor,
      .post_note,
      .done_valid(post_valid),
      .done_word(post_word),
      .m_axis_tvalid,
      .m_axis_tready,
      .m_axis_tdata,
      .m_axis_tkeep,
      .m_axis_tlast,
      .m_axis_tid,
      .m_axis_tuser
  );

  // Registers of the shell, connected by the script: what the credit counter is about.
  (* keep *)
  logic [2:0] used_q, write_q, read_q, queue_write_q, queue_read_q, queue_after_q;
  (* keep *)
  logic credit, ready_q, fresh_q, inside_q;
  logic [1:0] delta_q;
  (* keep *)
  logic head_q, first_q, second_q, out_q;
  (* keep *)
  logic some_q, queue_first_q, queue_second_q, spare_q, context_q, context_spare_q;
  // And those through which the beat and the context that are followed go.
  (* keep *)
  logic [15:0] data_q, result_first, result_second, out_data_q;
  (* keep *)
  logic [1:0] keep_q, out_keep_q;
  (* keep *)
  logic last_q, id_q, user_q, head_error, context_error_q, broken_q, first_beat_q, partial_q;
  (* keep *)
  logic beat_error_q, beat_id_q;
  (* keep *)
  logic out_error_q, out_last_q, out_id_q, out_user_q;
  (* keep *)
  logic [24:0] side_first_q, side_second_q;
  (* keep *)
  logic [21:0] queue_first, queue_second, queue_spare;
  (* keep *)
  logic [1:0] ctx_write_delayed_q, ctx_write_q, ctx_read_q, place_q;
  (* keep *)
  logic payload_q, context_spare;
  // What is known a cycle ahead of a packet's begin.
  logic late_stall, late_none;
  if (LateStall) begin : gen_late
    (* keep *) logic stall_q, none_q;
    assign {late_stall, late_none} = {stall_q, none_q};
  end else begin : gen_now
    assign {late_stall, late_none} = 2'b10;
  end
  // The RAMs, place 0 in the lowest bits.
  (* keep *)
  logic [8*25-1:0] sides;
  (* keep *)
  logic [8*22-1:0] memory;
  (* keep *)
  logic [3:0] payloads;
  wire [2:0] in_sides = write_q - read_q;
  wire [2:0] in_queue = queue_write_q - queue_read_q;
  wire [4:0] places = 5'(head_q) + 5'(beat_valid) + 5'(in_sides) + 5'(first_q) + 5'(second_q)
      + 5'(out_q) + 5'(in_queue);
  wire [3:0] after = 4'(queue_first_q) + 4'(queue_second_q) + 4'(spare_q) + 4'(m_axis_tvalid);

  wire accept = s_axis_tvalid && s_axis_tready;
  wire take = beat_valid && beat_ready;
  wire step = !beat_valid || beat_ready;
  wire leave = m_axis_tvalid && m_axis_tready;

  // Account of what is inside, of blocks that the core owes, and of the beat that is followed.
  logic begun = 1'b0, seen_good = 1'b0, seen_bad = 1'b0, full = 1'b0;
  logic [3:0] inside = '0, owed = '0;
  logic marked = 1'b0, behind_head = 1'b0, passed = 1'b0, answered = 1'b0;
  logic good = 1'b0, block = 1'b0;
  logic [3:0] ahead = '0, ahead_result = '0;
  logic last = 1'b0, id = 1'b0, note = 1'b0, within = 1'b0;
  logic [1:0] keep = '0;
  logic [15:0] data = '0, given = '0, sum = '0;
  wire [15:0] swapped = {data[7:0], data[15:8]};
  wire [15:0] result = sum ^ result_data;

  logic [1:0] c_inside = '0;
  // A context was at the output a cycle ago, stayed, and did not stall.
  logic could = 1'b0;
  // What is an error: a packet without a context or with a bad one; a hole; a beat that is not full
  // before the last, or in a mode of whole blocks; and all beats after one.
  logic bad = 1'b0, partial = 1'b0;
  wire partial_d = within ? partial : next_partial;
  wire bad_d = (within ? bad : c_inside == '0 || next_error) || s_axis_tkeep == 2'b10
      || (s_axis_tkeep != 2'b11 && (!s_axis_tlast || (s_axis_tkeep[0] && !partial_d)));

  // The waits of both sides.
  logic m_stalled = 1'b0, m_last = 1'b0, m_id = 1'b0, s_stalled = 1'b0, c_stalled = 1'b0;
  logic beat_stalled = 1'b0, b_block = 1'b0, b_first = 1'b0;
  logic [1:0] m_keep = '0, m_user = '0;
  logic [15:0] m_data = '0, b_data = '0;
  // Cycles without progress, though nobody hinders it.
  logic [3:0] stuck = '0, refused = '0;

  always_ff @(posedge clk) begin
    begun  <= 1'b1;
    inside <= inside + 4'(accept) - 4'(leave);
    owed   <= owed + 4'(take) - 4'(result_valid);
    full   <= full || (s_axis_tvalid && !s_axis_tready && inside > Depth);
    if (accept) {within, bad, partial} <= {!s_axis_tlast, bad_d, partial_d};
    if (!marked) begin
      if (accept && mark) begin
        {marked, passed, answered} <= 3'b100;
        // It is taken in a step, in which the beat at the head moves on to the modes.
        behind_head <= head_q;
        ahead <= inside - 4'(leave);
        last  <= s_axis_tlast;
        id    <= s_axis_tid;
        keep  <= s_axis_tkeep;
        data  <= s_axis_tdata;
        good  <= !bad_d;
        block <= s_axis_tkeep[0] && !bad_d;
      end
    end else begin
      if (leave) begin
        ahead <= ahead - 1'b1;
        if (ahead == '0) begin
          marked <= 1'b0;
          seen_good <= seen_good || good;
          seen_bad  <= seen_bad || !good;
        end
      end
      if (take) behind_head <= 1'b0;
      if (take && !passed && !behind_head) begin
        passed <= 1'b1;
        {given, sum} <= {beat_xor, beat_xor};
        note   <= beat_note;
        ahead_result <= owed - 4'(result_valid);
      end
      if (passed && !answered && result_valid) begin
        ahead_result <= ahead_result - 1'b1;
        if (ahead_result == '0) begin
          answered <= 1'b1;
          sum <= result;
        end
      end
    end
    m_stalled <= m_axis_tvalid && !m_axis_tready && !rst;
    {m_last, m_id, m_keep, m_user, m_data} <=
        {m_axis_tlast, m_axis_tid, m_axis_tkeep, m_axis_tuser, m_axis_tdata};
    beat_stalled <= beat_valid && !beat_ready && !rst;
    {b_block, b_first, b_data} <= {beat_block, beat_first, beat_data};
    s_stalled <= s_axis_tvalid && !s_axis_tready && !rst;
    c_stalled <= s_ctx_tvalid && !s_ctx_tready && !rst;
    stuck <= inside == '0 || leave || !m_axis_tready || !beat_ready
        || (owed != '0 && !result_valid) ? '0 : stuck + 1'b1;
    refused <= !s_axis_tvalid || accept || inside != '0 || next_stall || ctx_coming
        ? '0 : refused + 1'b1;
    if (rst) begin
      {inside, owed, stuck, refused} <= '0;
      {marked, within} <= '0;
    end
  end

  // Where the beat is that is followed: so many are inside up to each place, from the output on.
  wire [3:0] to_output = 4'(m_axis_tvalid);
  wire [3:0] to_spare = to_output + 4'(spare_q);
  wire [3:0] to_second = to_spare + 4'(queue_second_q);
  wire [3:0] to_first = to_second + 4'(queue_first_q);
  wire [3:0] to_queue = to_first + 4'(in_queue);
  wire [3:0] to_out = to_queue + 4'(out_q);
  wire [3:0] to_result_second = to_out + 4'(second_q);
  wire [3:0] to_result_first = to_result_second + 4'(first_q);
  wire [3:0] to_sides = to_result_first + 4'(in_sides);
  wire [3:0] to_beat = to_sides + 4'(beat_valid);
  wire [2:0] side_place = read_q + 3'(ahead - to_result_first);
  wire [2:0] queue_place = queue_read_q + 3'(ahead - to_first);
  wire [24:0] side_there = 25'(sides >> (8'd25 * side_place));
  wire [21:0] queue_there = 22'(memory >> (8'd22 * queue_place));
  // What it must be there.
  wire [5:0] beside = {!good, last, keep, id, 1'b0};
  wire [17:0] given_bytes
      = {block && keep[0], given[15:8], block && keep[1], given[7:0]};
  wire [15:0] kept = {block && keep[1] ? sum[7:0] : 8'd0, block && keep[0] ? sum[15:8] : 8'd0};
  wire [15:0] kept_given
      = {block && keep[0] ? given[15:8] : 8'd0, block && keep[1] ? given[7:0] : 8'd0};
  wire [21:0] leaving = {kept, keep, last, id, 1'b0, !good};

  // One context is followed to the first beat of its packet.
  logic c_marked = 1'b0, c_due = 1'b0, c_there = 1'b0, c_seen = 1'b0;
  logic [1:0] c_ahead = '0, c_word = '0;
  // It came in the last cycle; any did; there was no reset.
  logic c_new = 1'b0, c_pushed = 1'b0, c_live = 1'b0;
  wire [1:0] c_place = ctx_read_q + c_ahead;
  wire [1:0] c_at = c_due ? place_q : c_place;
  wire c_payload = payloads[c_at];
  wire c_push = s_ctx_tvalid && s_ctx_tready;
  wire c_pop = accept && !within && c_inside != '0;
  always_ff @(posedge clk) begin
    c_inside <= c_inside + 2'(c_push) - 2'(c_pop);
    could <= c_inside != '0 && !c_pop && !next_stall;
    c_new <= c_push && mark_context && !c_marked && !rst;
    {c_pushed, c_live} <= {c_push && !rst, !rst};
    if (!c_marked) begin
      if (c_push && mark_context) begin
        {c_marked, c_due, c_there} <= 3'b100;
        c_ahead <= c_inside - 2'(c_pop);
        c_word  <= s_ctx_tdata;
      end
    end else if (!c_due) begin
      if (c_pop) begin
        c_ahead <= c_ahead - 1'b1;
        c_due   <= c_ahead == '0;
      end
    end else if (!c_there) begin
      c_there <= step;
    end else if (take) begin
      c_marked <= 1'b0;
      c_seen   <= 1'b1;
    end
    if (rst) begin
      c_inside <= '0;
      c_marked <= 1'b0;
    end
  end

  always_comb begin
    assume (begun || rst);
    // The core owes what it answers; the senders wait as the handshake says.
    if (owed == '0) assume (!result_valid);
    if (s_stalled) assume (s_axis_tvalid);
    if (c_stalled) assume (s_ctx_tvalid);
    if (Cover) begin
      assert (!(seen_good && seen_bad && c_seen && full));
    end else if (begun) begin
      // 1. What waits at the output, or for the modes, stays as it is.
      if (m_stalled) begin
        assert (m_axis_tvalid);
        assert ({m_axis_tlast, m_axis_tid, m_axis_tkeep, m_axis_tuser, m_axis_tdata}
            == {m_last, m_id, m_keep, m_user, m_data});
      end
      if (beat_stalled) begin
        assert (beat_valid && {beat_block, beat_first, beat_data} == {b_block, b_first, b_data});
      end
      // 2. No beat is invented, and no more are inside than there are places for:
      //    one of the RAM stays free, four are after it.
      if (m_axis_tvalid) assert (inside != '0);
      assert (inside <= Depth + 3);
      // 3. The beat that is followed goes to the modes, and leaves in its turn, unchanged but for
      //    its data, which is the sum of its result and of what the modes gave.
      if (marked && !passed && !behind_head && take) begin
        assert (beat_data == swapped && beat_block == block);
      end
      if (marked && leave && ahead == '0) begin
        assert (passed && answered);
        assert ({m_axis_tlast, m_axis_tid, m_axis_tkeep} == {last, id, keep});
        assert (m_axis_tuser == {1'b0, !good});
        assert (m_axis_tdata[7:0] == (block && keep[0] ? sum[15:8] : 8'd0));
        assert (m_axis_tdata[15:8] == (block && keep[1] ? sum[7:0] : 8'd0));
      end
      // 4. The context that is followed stands beside the first beat of its packet.
      if (c_marked && c_there) begin
        assert (beat_valid && beat_first && {beat_payload, beat_header} == c_word);
      end
      // 5. Whoever stands between `post` and `done` sees the beat that is followed with its word,
      //    and with what the modes gave beside it.
      if (marked && post_valid && ahead == to_queue) begin
        assert (passed && answered && post_word == leaving);
        assert (post_xor == kept_given && post_note == note);
      end
      // 6. What is inside comes out, and an empty shell takes a beat.
      assert (stuck < 4'd13 && refused < (LateStall ? 4'd14 : 4'd12));
      // 7. A packet begins only when its context does not stall.
      if (c_pop) assert (LateStall ? could : !next_stall);
    end
    if (begun && Steps) begin
      // Where the beat and the context are, and what else decides about them.
      if (marked) begin
        assert (ahead < inside);
        assert (passed == (ahead < to_sides) && answered == (ahead < to_result_first));
        assert (behind_head == (ahead >= to_beat && beat_valid));
        if (ahead < to_output) begin
          assert ({m_axis_tdata, m_axis_tkeep, m_axis_tlast, m_axis_tid, m_axis_tuser} == leaving);
        end else if (ahead < to_spare) assert (queue_spare == leaving);
        else if (ahead < to_second) assert (queue_second == leaving);
        else if (ahead < to_first) assert (queue_first == leaving);
        else if (ahead < to_queue) assert (queue_there == leaving);
        else if (ahead < to_out) begin
          assert ({out_data_q, out_keep_q, out_last_q, out_id_q, out_user_q, out_error_q}
              == leaving);
          assert (post_xor == kept_given && post_note == note);
        end else if (ahead < to_result_second) begin
          assert (side_second_q == {note, beside, given_bytes} && (given ^ result_second) == sum);
        end else if (ahead < to_result_first) begin
          assert (side_first_q == {note, beside, given_bytes} && (given ^ result_first) == sum);
        end else if (ahead < to_sides) begin
          assert (side_there == {note, beside, given_bytes} && given == sum);
          assert (ahead_result == ahead - to_result_first);
        end else if (ahead < to_beat) begin
          assert ({beat_block, beat_error_q, beat_last, beat_keep, beat_id_q, beat_user}
              == {block, beside} && beat_data == swapped);
        end else begin
          assert ({keep_q[0] && !head_error, head_error, last_q, keep_q, id_q, user_q}
              == {block, beside});
          assert (data_q == swapped);
        end
      end
      assert (!head_q || last_q == !within);
      assert (head_q && !first_beat_q || !broken_q || (within && !head_q));
      if (within) begin
        assert (bad == (head_q ? head_error : broken_q) && partial == partial_q);
        assert (bad || !context_error_q);
      end
      assert (ctx_write_q == ctx_read_q + c_inside && (c_inside != '0 || !c_pushed));
      assert (c_live ? ctx_write_delayed_q == ctx_write_q - 2'(c_pushed)
          : c_inside == '0 && !c_marked);
      if (c_marked && !c_due) begin
        assert (!c_there && c_ahead < c_inside);
        assert (c_new == (c_pushed && c_ahead + 1'b1 == c_inside));
        assert ((c_ahead == '0 ? next_header : context_spare) == c_word[0]);
        assert (c_new ? ctx_write_delayed_q == c_place && payload_q == c_word[1]
            : c_payload == c_word[1]);
      end
      if (c_marked && c_due && !c_there) begin
        assert (head_q && first_beat_q && open_header == c_word[0]);
        assert (place_q == ctx_read_q - 2'd1 && c_payload == c_word[1]);
      end
      // Every beat inside has its place, and the credit counter is exact, only late: no
      // credit is lost, and none is given twice.
      assert (5'(inside) == places + 5'(after) && owed == 4'(in_sides));
      assert (places == 5'(used_q) + 5'($signed(delta_q)));
      assert (delta_q != 2'b10);
      assert (!credit || used_q <= Depth - 4);
      assert (!ready_q || places <= Depth - 2);
      assert (places <= Depth - 1);
      assert (some_q == (in_queue != '0) && queue_after_q == queue_read_q + 3'd1);
      assert ((!spare_q || m_axis_tvalid) && (!context_spare_q || context_q));
      assert (inside_q == within && fresh_q == (ready_q && !within));
      assert (c_inside == 2'(context_q) + 2'(context_spare_q));
      // A reset leaves them as they are, and no beat may come after it.
      assert (!LateStall || (late_stall ? !could : could || !ready_q));
      assert (!late_none || !context_q);
    end
  end

  logic unused_ok;
  assign unused_ok = &{1'b0, open, beat_last, beat_user};
endmodule

`default_nettype wire
