// SPDX-License-Identifier: Apache-2.0
// aesforge_lane_shell between two sides and modes that do what they like, as long as they keep to
// the handshake and the modes answer each beat once.
`default_nettype none

module prove_lane_shell #(
    parameter int unsigned Depth = 4,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0
) (
    input logic        clk,
    input logic        rst,
    input logic        wipe,
    input logic        s_axis_tvalid,
    // one bit of each byte: no bit looks at another
    input logic [ 1:0] s_axis_bits,
    input logic [ 1:0] s_axis_tkeep,
    input logic        s_axis_tlast,
    input logic        s_axis_tid,
    input logic        s_ctx_tvalid,
    input logic [ 1:0] s_ctx_tdata,
    input logic        next_wait,
    input logic        next_error,
    input logic        next_partial,
    input logic        next_digest,
    input logic        next_empty,
    input logic        beat_hold,
    input logic        result_valid,
    input logic        result_lane,
    input logic [ 1:0] result_bits,
    input logic        m_axis_tready,
    // tuser of a beat: bit 0 marks the one that is followed, bit 1 one of its lane behind it
    input logic [ 1:0] s_axis_tuser,
    // the context that is followed through, chosen when it comes
    input logic        mark_context
);
  logic s_axis_tready, s_ctx_tready, next_valid, begin_valid, head_lane, end_valid, end_lane;
  logic beat_valid, beat_lane, beat_first, beat_last, beat_start, next_judged;
  logic beat_carried, beat_judged;
  logic [1:0] beat_keep;
  logic [15:0] beat_data, m_axis_tdata;
  wire [15:0] s_axis_tdata = {7'd0, s_axis_bits[1], 7'd0, s_axis_bits[0]};
  wire [15:0] result_data = {7'd0, result_bits[1], 7'd0, result_bits[0]};
  logic m_axis_tvalid, m_axis_tlast, m_axis_tid;
  logic [1:0] m_axis_tkeep;
  logic [2:0] m_axis_tuser;
  aesforge_lane_shell #(
      .Bytes(2),
      .Lanes(2),
      .StartBits(1),
      .CarriedBits(1),
      .JudgedBits(1),
      .UserBits(2),
      .Depth(Depth),
      .ContextWait(2)
  ) u_shell (
      .clk,
      .rst,
      .wipe,
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
      .s_ctx_carried(s_ctx_tdata[1]),
      .s_ctx_judged(s_ctx_tdata[0]),
      .next_judged,
      .next_wait,
      .next_error,
      .next_partial,
      .next_digest,
      .next_empty,
      .next_valid,
      .begin_valid,
      .head_lane,
      .end_valid,
      .end_lane,
      .beat_hold,
      .beat_valid,
      .beat_lane,
      .beat_first,
      .beat_last,
      .beat_keep,
      .beat_data,
      .beat_start,
      .beat_carried,
      .beat_judged,
      .result_valid,
      .result_lane,
      .result_data,
      .m_axis_tvalid,
      .m_axis_tready,
      .m_axis_tdata,
      .m_axis_tkeep,
      .m_axis_tlast,
      .m_axis_tid,
      .m_axis_tuser
  );

  wire stop = rst || wipe;
  wire accept = s_axis_tvalid && s_axis_tready;
  wire leave = m_axis_tvalid && m_axis_tready;

  // The beat at the head, as it came; it goes on when another may come.
  logic head = 1'b0, h_lane = 1'b0, h_last = 1'b0, h_first = 1'b0;
  logic [1:0] h_keep = '0, h_user = '0;
  logic [15:0] h_data = '0;
  wire go = head && s_axis_tready;
  // What is known of each lane's packet: open, an error, and what its context allows.
  logic [1:0] within = '0, bad = '0, partial = '0, digest = '0;
  wire lone = h_first && !next_valid;
  wire partial_d = h_first ? next_partial : partial[h_lane];
  wire digest_d = h_first ? next_digest && !lone : digest[h_lane];
  wire bad_d = (h_first ? lone || next_error : bad[h_lane]) || h_keep == 2'b10
      || (h_keep != 2'b11 && (!h_last || (h_keep[0] && !partial_d)))
      || (digest_d && !h_keep[0] && !(h_first && next_empty));
  wire block_d = !bad_d && (h_keep[0] || digest_d);
  wire shown_d = !digest_d || h_last;

  // Account of results that the modes owe, and of all beats that must come out.
  logic [1:0] owed = '0;
  logic [3:0] inside = '0;
  // The beat that is followed, and where it is.
  logic marked = 1'b0, k_last = 1'b0, k_lane = 1'b0, k_bad = 1'b0, k_block = 1'b0, k_digest = 1'b0;
  logic answered = 1'b0, fresh = 1'b0, k_first = 1'b0;
  // The two marks: given; and the second is inside.
  logic [1:0] given = '0;
  logic behind = 1'b0;
  logic [1:0] k_keep = '0;
  logic [15:0] k_data = '0, answer = '0;
  wire [15:0] swapped = {k_data[7:0], k_data[15:8]};
  logic begun = 1'b0, seen_good = 1'b0, seen_bad = 1'b0, seen_digest = 1'b0, full = 1'b0;
  logic seen_both = 1'b0;
  logic m_waits = 1'b0, m_last = 1'b0, m_id = 1'b0, s_waits = 1'b0, c_waits = 1'b0;
  logic held = 1'b0;
  logic [1:0] m_keep = '0, s_user = '0;
  logic s_id = 1'b0;
  logic [2:0] m_user = '0;
  logic [15:0] m_data = '0;
  // Cycles without progress, though nobody hinders it.
  logic [3:0] stuck = '0, shut = '0;
  // Packets that count for the account of keys.
  logic [1:0] running = '0;

  always_ff @(posedge clk) begin
    begun <= 1'b1;
    if (accept) begin
      {h_lane, h_last, h_keep, h_data} <= {s_axis_tid, s_axis_tlast, s_axis_tkeep, s_axis_tdata};
      h_user <= s_axis_tuser;
      given <= given | s_axis_tuser;
      if (s_axis_tuser[0]) k_lane <= s_axis_tid;
      h_first <= !within[s_axis_tid];
      within[s_axis_tid] <= !s_axis_tlast;
    end
    head <= accept || (head && !go);
    if (go) begin
      bad[h_lane] <= bad_d;
      partial[h_lane] <= partial_d;
      digest[h_lane] <= digest_d;
    end
    inside <= inside + 4'(go && shown_d) - 4'(leave);
    if (beat_valid) owed[beat_lane] <= 1'b1;
    if (result_valid) owed[result_lane] <= 1'b0;
    held <= beat_hold;
    full <= full || (s_axis_tvalid && !s_axis_tready && inside > Depth);
    fresh <= go && shown_d && h_user[0];
    if (go && shown_d && h_user[0]) begin
      {marked, answered} <= 2'b10;
      {k_last, k_first, k_bad, k_block, k_digest} <= {h_last, h_first, bad_d, block_d, digest_d};
      k_keep <= h_keep | {2{digest_d}};
      k_data <= h_data;
    end else if (marked) begin
      if (result_valid && result_lane == k_lane && !answered) begin
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
    if (go && shown_d && h_user[1]) behind <= 1'b1;
    if (leave && m_axis_tuser[2]) begin
      behind <= 1'b0;
      seen_both <= 1'b1;
    end
    // Both are through: they may be given again.
    if (given == 2'b11 && !marked && !behind && !head && !fresh) given <= '0;
    if (end_valid) running[end_lane] <= 1'b0;
    if (begin_valid && next_valid && !next_error) running[head_lane] <= 1'b1;
    m_waits <= m_axis_tvalid && !m_axis_tready && !stop;
    {m_last, m_id, m_keep, m_user, m_data} <=
        {m_axis_tlast, m_axis_tid, m_axis_tkeep, m_axis_tuser, m_axis_tdata};
    s_waits <= s_axis_tvalid && !s_axis_tready && !stop;
    {s_user, s_id} <= {s_axis_tuser, s_axis_tid};
    c_waits <= s_ctx_tvalid && !s_ctx_tready && !stop;
    stuck <= inside == '0 || leave || !m_axis_tready || (owed != '0 && !result_valid)
        || go ? '0 : stuck + 1'b1;
    shut <= !head || go || inside != '0 || owed != '0 || next_wait || beat_hold ? '0 : shut + 1'b1;
    if (stop) begin
      {inside, stuck, shut} <= '0;
      owed <= '0;
      running <= '0;
      {marked, behind, fresh, head} <= '0;
      given <= '0;
      within <= '0;
    end
  end

  // One context is followed to the first beat of its packet.
  logic c_marked = 1'b0, c_due = 1'b0, c_seen = 1'b0;
  logic [1:0] c_inside = '0, c_ahead = '0, c_word = '0;
  wire c_push = s_ctx_tvalid && s_ctx_tready;
  wire c_pop = begin_valid && next_valid;
  always_ff @(posedge clk) begin
    c_inside <= c_inside + 2'(c_push) - 2'(c_pop);
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
    if (!owed[result_lane]) assume (!result_valid);
    if (s_waits) assume (s_axis_tvalid && {s_axis_tuser, s_axis_tid} == {s_user, s_id});
    // The first mark is given once, and then the second one, in its lane.
    assume (s_axis_tuser != 2'b11 && (s_axis_tuser & given) == '0);
    if (s_axis_tuser[1]) assume (given[0] && s_axis_tid == k_lane);
    if (c_waits) assume (s_ctx_tvalid);
    if (Cover) begin
      assert (!(seen_good && seen_bad && seen_digest && c_seen && full && seen_both));
    end else if (begun) begin
      // 1. What waits at the output stays as it is.
      if (m_waits) begin
        assert (m_axis_tvalid);
        assert ({m_axis_tlast, m_axis_tid, m_axis_tkeep, m_axis_tuser, m_axis_tdata}
            == {m_last, m_id, m_keep, m_user, m_data});
      end
      // 2. No beat is invented, and no more are inside than there are places for: one of the queue's
      //    RAM stays free, four are behind it.
      if (m_axis_tvalid) assert (inside != '0);
      assert (inside <= Depth + 3);
      // 3. A lane has one beat in work, and none goes to the modes behind a cycle of beat_hold.
      if (beat_valid) assert (!owed[beat_lane] && !held);
      // 4. The beat that is followed goes to the modes as it came, and leaves once, before one of
      //    its lane that came behind it, unchanged but for its data, which is its result.
      if (marked && fresh) begin
        assert (beat_valid == k_block);
        if (k_block) begin
          assert (beat_lane == k_lane && beat_data == swapped);
          assert (beat_last == k_last && beat_first == k_first);
        end
      end
      if (leave && m_axis_tuser[2]) assert (behind && !marked && m_axis_tid == k_lane);
      if (leave && m_axis_tuser[1]) begin
        assert (marked && (answered || !k_block));
        assert ({m_axis_tid, m_axis_tlast, m_axis_tkeep} == {k_lane, k_last, k_keep});
        assert (m_axis_tuser == {2'b01, k_bad});
        assert (m_axis_tdata[7:0] == (k_block && k_keep[0] ? answer[15:8] : 8'd0));
        assert (m_axis_tdata[15:8] == (k_block && k_keep[1] ? answer[7:0] : 8'd0));
      end
      // 5. The context that is followed is that of its packet, if the packet has a block.
      if (c_marked && c_due && beat_valid) begin
        assert (beat_first && {beat_carried, beat_judged} == c_word && beat_start == ^c_word);
      end
      // 6. What is inside comes out, and an empty shell lets a beat go.
      assert (stuck < 4'd10);
      assert (shut < 4'd8);
      // 7. A packet that has begun under its context ends, once, and no other does.
      if (end_valid) assert (running[end_lane]);
      if (begin_valid && !(end_valid && end_lane == head_lane)) assert (!running[head_lane]);
    end
  end

  logic unused_ok;
  assign unused_ok = &{1'b0, next_judged, beat_keep};
endmodule

`default_nettype wire
