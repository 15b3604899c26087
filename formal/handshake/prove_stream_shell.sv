// SPDX-License-Identifier: Apache-2.0
// aesforge_stream_shell between two sides and modes that do what they like, as long as they keep to
// the handshake and the modes answer each beat once.
`default_nettype none

module prove_stream_shell #(
    parameter int unsigned Depth = 4,
    // 1: also that from which all this follows from one cycle to the next; without, only what the
    // outside sees
    parameter bit Steps = 1'b1,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0
) (
    input  logic       clk,
    input  logic       rst,
    input  logic       zeroize,
    input  logic       s_axis_tvalid,
    // one bit of each byte: no bit looks at another
    input  logic [1:0] s_axis_bits,
    input  logic [1:0] s_axis_tkeep,
    input  logic       s_axis_tlast,
    input  logic       s_axis_tid,
    input  logic       s_ctx_tvalid,
    input  logic [1:0] s_ctx_tdata,
    input  logic       next_stall,
    input  logic       next_error,
    input  logic       next_partial,
    input  logic       next_digest,
    input  logic       next_empty,
    input  logic       beat_hold,
    input  logic       result_valid,
    input  logic       result_stream,
    input  logic [1:0] result_bits,
    input  logic       m_axis_tready,
    // tuser of a beat: bit 0 marks the one that is followed, bit 1 one of its stream after it
    input  logic [1:0] s_axis_tuser,
    // the context that is followed through, chosen when it comes
    input  logic       mark_context
);
  logic s_axis_tready, s_ctx_tready, next_valid, begin_valid, head_stream, end_valid, end_stream;
  logic beat_valid, beat_stream, beat_first, beat_last, beat_start, next_header;
  logic beat_payload, late_payload, beat_header;
  logic [1:0] beat_keep, beat_user;
  logic [15:0] beat_data, m_axis_tdata;
  wire [15:0] s_axis_tdata = {7'd0, s_axis_bits[1], 7'd0, s_axis_bits[0]};
  wire [15:0] result_data = {7'd0, result_bits[1], 7'd0, result_bits[0]};
  logic m_axis_tvalid, m_axis_tlast, m_axis_tid;
  logic [1:0] m_axis_tkeep;
  logic [2:0] m_axis_tuser;
  aesforge_stream_shell #(
      .Bytes(2),
      .Streams(2),
      .StartBits(1),
      .PayloadBits(1),
      .HeaderBits(1),
      .UserBits(2),
      .Depth(Depth),
      .ContextTimeout(2)
  ) u_shell (
      .clk,
      .rst,
      .zeroize,
      .s_axis_tvalid,
      .s_axis_tready,
      .s_axis_tdata,
      .s_axis_tkeep,
      .s_axis_tlast,
      .s_axis_tid,
      .s_axis_tuser,
      .s_ctx_tvalid,
      .s_ctx_tready,
      .s_ctx_start(^s_ctx_tdata),
      .s_ctx_payload(s_ctx_tdata[1]),
      .s_ctx_header(s_ctx_tdata[0]),
      .next_header,
      .next_stall,
      .next_error,
      .next_partial,
      .next_digest,
      .next_empty,
      .next_valid,
      .begin_valid,
      .head_stream,
      .end_valid,
      .end_stream,
      .beat_hold,
      .beat_valid,
      .beat_stream,
      .beat_first,
      .beat_last,
      .beat_keep,
      .beat_user,
      .beat_data,
      .beat_start,
      .beat_payload,
      .late_payload,
      .beat_header,
      .result_valid,
      .result_stream,
      .result_data,
      .result_error(1'b0),
      .m_axis_tvalid,
      .m_axis_tready,
      .m_axis_tdata,
      .m_axis_tkeep,
      .m_axis_tlast,
      .m_axis_tid,
      .m_axis_tuser
  );

  // Registers of the shell, connected by the script: those that decide who goes.
  (* keep *)
  logic head_q, free_q, credit, beat_q, skip_q, skip_spare_q, skip_stream_q, skip_spare_stream_q;
  (* keep *)
  logic [1:0] busy_q, inside_q, used_q, delta_q;
  // Places that were given back a cycle ago.
  wire [1:0] back = 2'(beat_q) - delta_q;
  (* keep *)
  logic digest_q, done_q, done_stream_q, end_q, out_q, out_stream_q;
  (* keep *)
  logic [1:0] queue_write_q, queue_read_q, queue_after_q;
  (* keep *)
  logic queue_first_q, queue_second_q, spare_q, some_q, queue_zeroize_q, context_q, context_spare_q;
  // And those through which the beat and the context that are followed go.
  (* keep *)
  logic head_first_q, head_last_q, head_full_q, head_hole_q;
  (* keep *)
  logic [1:0] head_keep_q, head_user_q, beat_user_q;
  (* keep *)
  logic [15:0] head_data_q, done_data_q, out_data_q;
  (* keep *)
  logic known_q, partial_q, beat_error, beat_block;
  (* keep *)
  logic [7:0] done_side_q, out_side_q;
  (* keep *)
  logic [22:0] queue_first, queue_second, queue_spare;
  (* keep *)
  logic [1:0] ctx_write_delayed_q, ctx_write_q, ctx_read_q, place_q, payload_q;
  (* keep *)
  logic context_spare;
  // The RAMs, place 0 in the lowest bits.
  (* keep *)
  logic [2*5-1:0] states;
  (* keep *)
  logic [2*8-1:0] sides;
  (* keep *)
  logic [1:0] ends;
  (* keep *)
  logic [4*23-1:0] memory;
  (* keep *)
  logic [4*2-1:0] payloads;

  wire stop = rst || zeroize;
  wire accept = s_axis_tvalid && s_axis_tready;
  wire leave = m_axis_tvalid && m_axis_tready;

  // The beat at the head, as it came; it goes on when another may come.
  logic head = 1'b0, h_stream = 1'b0, h_last = 1'b0, h_first = 1'b0;
  logic [1:0] h_keep = '0, h_user = '0;
  logic [15:0] h_data = '0;
  wire go = head && s_axis_tready;
  // What is known of each stream's packet: open, an error, and what its context allows.
  logic [1:0] within = '0, bad = '0, partial = '0, digest = '0;
  wire lone = h_first && !next_valid;
  wire partial_d = h_first ? next_partial : partial[h_stream];
  wire digest_d = h_first ? next_digest && !lone : digest[h_stream];
  wire bad_d = (h_first ? lone || next_error : bad[h_stream]) || h_keep == 2'b10
      || (h_keep != 2'b11 && (!h_last || (h_keep[0] && !partial_d)))
      || (digest_d && !h_keep[0] && !(h_first && next_empty));
  wire block_d = !bad_d && (h_keep[0] || digest_d);
  wire shown_d = !digest_d || h_last;

  // Account of results that the modes owe, and of all beats that must come out.
  logic [1:0] owed = '0;
  logic [3:0] inside = '0;
  // The beat that is followed, and where it is.
  logic marked = 1'b0, k_last = 1'b0, k_stream = 1'b0, k_bad = 1'b0;
  logic k_block = 1'b0, k_digest = 1'b0;
  logic answered = 1'b0, fresh = 1'b0, k_first = 1'b0, k_known = 1'b0;
  // The two marks: given; and the second is inside.
  logic [1:0] given = '0;
  logic after = 1'b0;
  logic [1:0] k_keep = '0;
  logic [15:0] k_data = '0, answer = '0;
  wire [15:0] swapped = {k_data[7:0], k_data[15:8]};
  logic begun = 1'b0, seen_good = 1'b0, seen_bad = 1'b0, seen_digest = 1'b0, full = 1'b0;
  logic seen_both = 1'b0;
  logic m_stalled = 1'b0, m_last = 1'b0, m_id = 1'b0, s_stalled = 1'b0, c_stalled = 1'b0;
  logic held = 1'b0;
  logic [1:0] m_keep = '0, s_user = '0;
  logic s_id = 1'b0;
  logic [2:0] m_user = '0;
  logic [15:0] m_data = '0;
  // Cycles without progress, though nobody hinders it.
  logic [3:0] stuck = '0, refused = '0;
  // Packets that count for the account of keys.
  logic [1:0] running = '0;

  always_ff @(posedge clk) begin
    begun <= 1'b1;
    if (accept) begin
      {h_stream, h_last, h_keep, h_data} <= {s_axis_tid, s_axis_tlast, s_axis_tkeep, s_axis_tdata};
      h_user <= s_axis_tuser;
      given <= given | s_axis_tuser;
      if (s_axis_tuser[0]) k_stream <= s_axis_tid;
      h_first <= !within[s_axis_tid];
      within[s_axis_tid] <= !s_axis_tlast;
    end
    head <= accept || (head && !go);
    if (go) begin
      bad[h_stream] <= bad_d;
      partial[h_stream] <= partial_d;
      digest[h_stream] <= digest_d;
    end
    inside <= inside + 4'(go && shown_d) - 4'(leave);
    if (beat_valid) owed[beat_stream] <= 1'b1;
    if (result_valid) owed[result_stream] <= 1'b0;
    held <= beat_hold;
    full <= full || (s_axis_tvalid && !s_axis_tready && inside > Depth);
    fresh <= go && shown_d && h_user[0];
    if (go && shown_d && h_user[0]) begin
      {marked, answered} <= 2'b10;
      {k_last, k_first, k_bad, k_block, k_digest} <= {h_last, h_first, bad_d, block_d, digest_d};
      k_known <= h_first ? next_valid && !next_error : sure[h_stream];
      k_keep <= h_keep | {2{digest_d}};
      k_data <= h_data;
    end else if (marked) begin
      if (result_valid && result_stream == k_stream && !answered) begin
        answered <= 1'b1;
        answer <= result_data;
      end
      if (leave && m_axis_tuser[1]) begin
        marked <= 1'b0;
        seen_good <= seen_good || k_block;
        seen_bad <= seen_bad || k_bad;
        seen_digest <= seen_digest || (k_digest && !k_bad);
      end
    end
    if (go && shown_d && h_user[1]) after <= 1'b1;
    if (leave && m_axis_tuser[2]) begin
      after <= 1'b0;
      seen_both <= 1'b1;
    end
    // Both are through: they may be given again.
    if (given == 2'b11 && !marked && !after && !head && !fresh) given <= '0;
    if (end_valid) running[end_stream] <= 1'b0;
    if (begin_valid && next_valid && !next_error) running[head_stream] <= 1'b1;
    m_stalled <= m_axis_tvalid && !m_axis_tready && !stop;
    {m_last, m_id, m_keep, m_user, m_data} <=
        {m_axis_tlast, m_axis_tid, m_axis_tkeep, m_axis_tuser, m_axis_tdata};
    s_stalled <= s_axis_tvalid && !s_axis_tready && !stop;
    {s_user, s_id} <= {s_axis_tuser, s_axis_tid};
    c_stalled <= s_ctx_tvalid && !s_ctx_tready && !stop;
    stuck <= inside == '0 || leave || !m_axis_tready || (owed != '0 && !result_valid)
        || go ? '0 : stuck + 1'b1;
    refused <= !head || go || inside != '0 || owed != '0 || next_stall || beat_hold
        ? '0 : refused + 1'b1;
    if (stop) begin
      {inside, stuck, refused} <= '0;
      owed <= '0;
      running <= '0;
      {marked, after, fresh, head} <= '0;
      given <= '0;
      within <= '0;
    end
  end

  // Where beats are: beside the modes, past them, or lined up for the output, from there on.
  wire [1:0] past = {
    (skip_q && skip_stream_q) || (skip_spare_q && skip_spare_stream_q),
    (skip_q && !skip_stream_q) || (skip_spare_q && !skip_spare_stream_q)
  };
  wire [1:0] beside = owed | past;
  wire [1:0] in_queue = queue_zeroize_q ? 2'd0 : queue_write_q - queue_read_q;
  wire [8:0] lined = {
    done_q && done_side_q[7],
    out_q && out_side_q[7],
    in_queue == 2'd3,
    in_queue >= 2'd2,
    in_queue != 2'd0,
    queue_first_q,
    queue_second_q,
    spare_q && m_axis_tvalid,
    m_axis_tvalid
  };
  function automatic logic [22:0] word_of(input logic [7:0] side, input logic [15:0] data,
                                          input logic stream);
    word_of = {
      side[6] && side[3] ? data[7:0] : 8'd0,
      side[6] && side[2] ? data[15:8] : 8'd0,
      side[3:2],
      side[4],
      stream,
      side[1:0],
      side[5]
    };
  endfunction
  wire [1:0] place_second = queue_read_q + 2'd1, place_third = queue_read_q + 2'd2;
  wire [9*23-1:0] line = {
    word_of(done_side_q, done_data_q, done_stream_q),
    word_of(out_side_q, out_data_q, out_stream_q),
    23'(memory >> (23 * place_third)),
    23'(memory >> (23 * place_second)),
    23'(memory >> (23 * queue_read_q)),
    queue_first,
    queue_second,
    queue_spare,
    m_axis_tdata,
    m_axis_tkeep,
    m_axis_tlast,
    m_axis_tid,
    m_axis_tuser
  };
  // All that give a beat, from the output on, and which of them are marked.
  wire beat_shown = beat_q && (!digest_q || beat_last);
  wire [1:0] side_shown = {beside[1] && sides[15], beside[0] && sides[7]};
  logic [11:0] shown, first, second;
  // So many are inside, marked first and second; and no first is after a second.
  logic [3:0] count, firsts, seconds;
  logic ordered;
  always_comb begin
    shown = {beat_shown, side_shown, lined};
    first[11:9]  = {beat_user_q[0], sides[8], sides[0]};
    second[11:9] = {beat_user_q[1], sides[9], sides[1]};
    for (int i = 0; i < 9; i++) {second[i], first[i]} = line[23*i+1+:2];
    {count, firsts, seconds} = '0;
    ordered = 1'b1;
    for (int i = 0; i < 12; i++) begin
      if (shown[i] && first[i] && seconds != '0) ordered = 1'b0;
      count   = count + 4'(shown[i]);
      firsts  = firsts + 4'(shown[i] && first[i]);
      seconds = seconds + 4'(shown[i] && second[i]);
    end
  end
  // What the beat that is followed must be beside the modes, and in the line.
  wire [7:0] k_side = {1'b1, k_block, k_bad, k_last, k_keep, 2'b01};
  wire [22:0] k_word = {
    k_block && k_keep[1] ? answer[7:0] : 8'd0,
    k_block && k_keep[0] ? answer[15:8] : 8'd0,
    k_keep,
    k_last,
    k_stream,
    2'b01,
    k_bad
  };
  // Streams whose next beat at the head, now or later, belongs to a packet that has begun; its
  // context is known; and those that have a packet's last beat, known likewise, on its way.
  logic [1:0] opened, sure, ending;
  for (genvar l = 0; l < 2; l++) begin : gen_stream
    wire at_beat = beat_q && beat_stream == l;
    assign opened[l] = head && h_stream == l ? !h_first : within[l];
    assign sure[l] = at_beat ? known_q : states[5*l+4];
    assign ending[l] = (at_beat && known_q && beat_last) || (beside[l] && ends[l])
        || (done_q && done_stream_q == l && end_q);
  end

  // One context is followed to the first beat of its packet.
  logic c_marked = 1'b0, c_due = 1'b0, c_seen = 1'b0;
  // It came in the last cycle; any did; nothing was forgotten then.
  logic c_new = 1'b0, c_pushed = 1'b0, c_live = 1'b0;
  logic [1:0] c_inside = '0, c_ahead = '0, c_word = '0;
  wire [1:0] c_place = ctx_read_q + c_ahead;
  wire [1:0] c_rest = {^c_word, c_word[1]};
  wire c_push = s_ctx_tvalid && s_ctx_tready;
  wire c_pop = begin_valid && next_valid;
  // Its packet's first beat went to the modes in the last cycle.
  logic c_late = 1'b0, c_late_payload = 1'b0;
  always_ff @(posedge clk) begin
    c_inside <= c_inside + 2'(c_push) - 2'(c_pop);
    c_new <= c_push && mark_context && !c_marked && !stop;
    {c_pushed, c_live} <= {c_push && !stop, !stop};
    {c_late, c_late_payload} <= {c_marked && c_due && beat_valid && !stop, c_word[1]};
    if (!c_marked) begin
      if (c_push && mark_context) begin
        {c_marked, c_due} <= 2'b10;
        c_ahead <= c_inside - 2'(c_pop);
        c_word  <= s_ctx_tdata;
      end
    end else if (!c_due) begin
      if (c_pop) begin
        c_ahead <= c_ahead - 1'b1;
        c_due   <= c_ahead == '0;
      end
    end else begin
      c_marked <= 1'b0;
      c_seen   <= 1'b1;
    end
    if (stop) begin
      c_inside <= '0;
      c_marked <= 1'b0;
    end
  end

  always_comb begin
    assume (begun || rst);
    // The modes owe what they answer; the senders wait as the handshake says.
    if (!owed[result_stream]) assume (!result_valid);
    if (s_stalled) assume (s_axis_tvalid && {s_axis_tuser, s_axis_tid} == {s_user, s_id});
    // The first mark is given once, and then the second one, in its stream.
    assume (s_axis_tuser != 2'b11 && (s_axis_tuser & given) == '0);
    if (s_axis_tuser[1]) assume (given[0] && s_axis_tid == k_stream);
    if (c_stalled) assume (s_ctx_tvalid);
    if (Cover) begin
      assert (!(seen_good && seen_bad && seen_digest && c_seen && full && seen_both));
    end else if (begun) begin
      // 1. What waits at the output stays as it is.
      if (m_stalled) begin
        assert (m_axis_tvalid);
        assert ({m_axis_tlast, m_axis_tid, m_axis_tkeep, m_axis_tuser, m_axis_tdata}
            == {m_last, m_id, m_keep, m_user, m_data});
      end
      // 2. No beat is invented, and no more are inside than there are places for: one of the
      // queue's
      //    RAM stays free, four are after it.
      if (m_axis_tvalid) assert (inside != '0);
      assert (inside <= Depth + 3);
      // 3. A stream has one beat in flight, and none goes to the modes after a cycle of beat_hold.
      if (beat_valid) assert (!owed[beat_stream] && !held);
      // 4. The beat that is followed goes to the modes as it came, and leaves once, before one of
      //    its stream that came after it, unchanged but for its data, which is its result.
      if (marked && fresh) begin
        assert (beat_valid == k_block);
        if (k_block) begin
          assert (beat_stream == k_stream && beat_data == swapped);
          assert (beat_last == k_last && beat_first == k_first);
        end
      end
      if (leave && m_axis_tuser[2]) assert (after && !marked && m_axis_tid == k_stream);
      if (leave && m_axis_tuser[1]) begin
        assert (marked && (answered || !k_block));
        assert ({m_axis_tid, m_axis_tlast, m_axis_tkeep} == {k_stream, k_last, k_keep});
        assert (m_axis_tuser == {2'b01, k_bad});
        assert (m_axis_tdata[7:0] == (k_block && k_keep[0] ? answer[15:8] : 8'd0));
        assert (m_axis_tdata[15:8] == (k_block && k_keep[1] ? answer[7:0] : 8'd0));
      end
      // 5. The context that is followed is that of its packet, if the packet has a block.
      if (c_marked && c_due && beat_valid) begin
        assert (beat_first && {beat_payload, beat_header} == c_word && beat_start == ^c_word);
      end
      if (c_late) assert (late_payload == c_late_payload);
      // 6. What is inside comes out, and an empty shell lets a beat go.
      assert (stuck < 4'd10 && refused < 4'd8);
      // 7. A packet that has begun under its context ends, once, and no other does.
      if (end_valid) assert (running[end_stream]);
      if (begin_valid && !(end_valid && end_stream == head_stream)) assert (!running[head_stream]);
    end
    if (begun && Steps) begin
      // What the head is, and who may go;
      assert (head_q == head && inside_q == within);
      assert (busy_q == beside && (owed & past) == '0);
      assert (!(skip_spare_q && skip_q && skip_stream_q == skip_spare_stream_q));
      assert (!skip_spare_q || (skip_q && !beat_q));
      assert (!beat_q || !beside[beat_stream]);
      assert (!beat_q || !held);
      assert (!done_q || !(beside[done_stream_q] || (beat_q && beat_stream == done_stream_q)));
      assert (!out_q || !beside[out_stream_q]);
      if (head) begin
        assert (free_q == !(busy_q[h_stream] || (beat_q && beat_stream == h_stream)));
        assert ({head_stream, head_first_q, head_last_q} == {h_stream, h_first, h_last});
        assert ({head_keep_q, head_user_q} == {h_keep, h_user});
        assert (head_full_q == (h_keep == 2'b11) && head_hole_q == (h_keep == 2'b10));
        assert (head_data_q == {h_data[7:0], h_data[15:8]});
        assert (within[h_stream] == !h_last);
      end
      // no credit is lost, and none is given twice;
      assert (inside == count);
      assert (4'(used_q) == 4'(beside[0]) + 4'(beside[1]) + 4'(done_q) + 4'(out_q)
          + 4'(in_queue) + 4'(back));
      assert (back != 2'd3);
      assert (used_q + 3'(beat_q) <= Depth - 1);
      assert (!credit || used_q + 3'(beat_q) <= Depth - 2);
      assert (queue_zeroize_q
          ? inside == '0 && {head_q, beat_q, done_q, out_q, some_q} == '0 && beside == '0
            && back == '0
          : some_q == (in_queue != '0) && queue_after_q == queue_read_q + 2'd1);
      // what is known of packets that have begun;
      for (int l = 0; l < 2; l++) begin
        if (beat_q && beat_stream == l) begin
          assert ({beat_error, partial_q, digest_q} == {bad[l], partial[l], digest[l]});
          assert (beat_last == !opened[l]);
        end else if (opened[l]) begin
          assert (states[5*l+1+:3] == {bad[l], partial[l], digest[l]});
        end
        if (beside[l]) assert (sides[8*l+4] ? !opened[l] : opened[l] && !ends[l]);
        if (done_q && done_stream_q == l) assert (done_side_q[4] ? !opened[l] : !end_q);
        assert (running[l] == ((opened[l] && sure[l]) || ending[l]));
      end
      // where the marks are;
      assert (firsts == 4'(marked) && seconds == 4'(after) && ordered);
      assert (given != 2'b10 && (!marked || given[0]));
      assert (!after || given == 2'b11);
      if (head) begin
        assert ((h_user & ~given) == '0 && h_user != 2'b11);
        if (h_user[0]) assert (!marked && !after && !given[1]);
        if (h_user[1]) assert (!after && given[0]);
        if (h_user != '0) assert (h_stream == k_stream);
      end
      assert (fresh == (beat_shown && beat_user_q[0]));
      for (int i = 0; i < 9; i++) begin
        if (lined[i] && line[23*i+1]) assert (line[23*i+:23] == k_word && (answered || !k_block));
        if (lined[i] && line[23*i+2]) assert (line[23*i+3] == k_stream && !line[23*i+1]);
      end
      for (int l = 0; l < 2; l++) begin
        if (side_shown[l]) begin
          if (sides[8*l]) begin
            assert (k_stream == l && sides[8*l+:8] == k_side && !answered && owed[l] == k_block);
            assert (ends[l] == (k_known && k_last));
          end
          if (sides[8*l+1]) assert (k_stream == l && !sides[8*l]);
        end
      end
      if (beat_shown) begin
        if (beat_user_q[0]) begin
          assert ({known_q, beat_error, beat_block, beat_last, beat_first}
              == {k_known, k_bad, k_block, k_last, k_first});
          assert (beat_stream == k_stream && (beat_keep | {2{digest_q}}) == k_keep);
          assert (beat_data == swapped && beat_user_q == 2'b01 && !answered);
        end
        if (beat_user_q[1]) assert (beat_stream == k_stream && !beat_user_q[0]);
      end
      // and where the context is.
      assert (c_inside == 2'(context_q) + 2'(context_q && context_spare_q));
      assert (ctx_write_q == ctx_read_q + c_inside && (c_inside != '0 || !c_pushed));
      assert (c_live ? ctx_write_delayed_q == ctx_write_q - 2'(c_pushed)
          : c_inside == '0 && !c_marked);
      if (c_marked && !c_due) begin
        assert (c_ahead < c_inside);
        assert (c_new == (c_pushed && c_ahead + 1'b1 == c_inside));
        assert ((c_ahead == '0 ? next_header : context_spare) == c_word[0]);
        if (c_new) assert (ctx_write_delayed_q == c_place && payload_q == c_rest);
        else assert (2'(payloads >> (2 * c_place)) == c_rest);
      end
      if (c_marked && c_due) begin
        assert (beat_q && beat_first && beat_header == c_word[0]);
        assert (place_q == ctx_read_q - 2'd1 && 2'(payloads >> (2 * place_q)) == c_rest);
      end
    end
  end

  logic unused_ok;
  assign unused_ok = &{1'b0, next_header, beat_keep};
endmodule

`default_nettype wire
