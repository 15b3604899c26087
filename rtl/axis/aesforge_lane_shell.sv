// SPDX-License-Identifier: Apache-2.0
// An AXI4-Stream shell for several packets at a time, one for each lane (tid). A lane has one beat
// in work at most, and the next waits for its result; other lanes' beats go on meanwhile.
// Latency 7 cycles besides what lies between beat and result; one beat a cycle.
`default_nettype none

module aesforge_lane_shell #(
    // bytes of a beat
    parameter int unsigned Bytes = 16,
    // packets that may be open at once: tid 0 to Lanes - 1
    parameter int unsigned Lanes = 16,
    // bits of a context that the first beat alone sees, that all beats of its packet see, and that
    // decide about it besides
    parameter int unsigned StartBits = 8,
    parameter int unsigned CarriedBits = 8,
    parameter int unsigned JudgedBits = 8,
    // bits of tuser without the error flag
    parameter int unsigned UserBits = 1,
    // places of the queue, a power of two, at least 4: full rate needs the loop's length, see the
    // page
    parameter int unsigned Depth = 64,
    // cycles that a packet waits for its context, after which it goes through with the error flag;
    // 0: for ever
    parameter int unsigned ContextWait = 1024,
    localparam int unsigned LaneBits = Lanes > 1 ? $clog2(Lanes) : 1
) (
    input  logic                   clk,
    input  logic                   rst,
    // forgets everything; for at least Depth + 5 cycles, and 5 more than there are lanes
    input  logic                   wipe,
    // packets in
    input  logic                   s_axis_tvalid,
    output logic                   s_axis_tready,
    input  logic [    8*Bytes-1:0] s_axis_tdata,
    input  logic [      Bytes-1:0] s_axis_tkeep,
    input  logic                   s_axis_tlast,
    input  logic [   LaneBits-1:0] s_axis_tid,
    input  logic [   UserBits-1:0] s_axis_tuser,
    // contexts in, one for each packet, in the order of their first beats
    input  logic                   s_ctx_tvalid,
    output logic                   s_ctx_tready,
    input  logic [  StartBits-1:0] s_ctx_start,
    input  logic [CarriedBits-1:0] s_ctx_carried,
    input  logic [ JudgedBits-1:0] s_ctx_judged,
    // judgement of the next packet's context: not yet, never, may end in a partial beat, gives one
    // beat at its end, may do so without a byte
    output logic [ JudgedBits-1:0] next_judged,
    input  logic                   next_wait,
    input  logic                   next_error,
    input  logic                   next_partial,
    input  logic                   next_digest,
    input  logic                   next_empty,
    // a packet that has its context waits to begin; it begins; one that has so begun is out
    output logic                   next_valid,
    output logic                   begin_valid,
    output logic [   LaneBits-1:0] head_lane,
    output logic                   end_valid,
    output logic [   LaneBits-1:0] end_lane,
    // beat out, of the lane that was head_lane a cycle ago; byte 0 at the top. In a cycle of
    // beat_hold none sets out, so that none is there in the next.
    input  logic                   beat_hold,
    output logic                   beat_valid,
    output logic [   LaneBits-1:0] beat_lane,
    output logic                   beat_first,
    output logic                   beat_last,
    output logic [      Bytes-1:0] beat_keep,
    output logic [    8*Bytes-1:0] beat_data,
    output logic [  StartBits-1:0] beat_start,
    output logic [CarriedBits-1:0] beat_carried,
    output logic [ JudgedBits-1:0] beat_judged,
    // results in, one for each beat, at any time
    input  logic                   result_valid,
    input  logic [   LaneBits-1:0] result_lane,
    input  logic [    8*Bytes-1:0] result_data,
    // packets out; bit 0 of tuser is the error flag
    output logic                   m_axis_tvalid,
    input  logic                   m_axis_tready,
    output logic [    8*Bytes-1:0] m_axis_tdata,
    output logic [      Bytes-1:0] m_axis_tkeep,
    output logic                   m_axis_tlast,
    output logic [   LaneBits-1:0] m_axis_tid,
    output logic [     UserBits:0] m_axis_tuser
);
  localparam int unsigned DataBits = 8 * Bytes;
  localparam int unsigned CreditBits = $clog2(Depth);
  // A beat beyond the lanes has a place for what travels beside it, and nothing more.
  localparam int unsigned Places = 2 ** LaneBits;
  localparam int unsigned SideBits = Bytes + UserBits + 5;

  if (Lanes == 0 || Lanes > 256) begin : gen_bad_lanes
    $error("lanes must be 1 to 256");
  end
  if (Depth < 4 || 2 ** CreditBits != Depth) begin : gen_bad_depth
    $error("depth must be a power of two, at least 4");
  end

  // Byte 0 of a beat stands at the low end on the bus and at the top everywhere else.
  function automatic logic [DataBits-1:0] swap(input logic [DataBits-1:0] data);
    for (int i = 0; i < Bytes; i++) swap[8*i+:8] = data[8*(Bytes-1-i)+:8];
  endfunction

  // Contexts wait in two places, so that packets of one beat each run without a bubble.
  logic context_valid;
  aesforge_axis_slice #(
      .Width(JudgedBits)
  ) u_contexts (
      .clk,
      .rst,
      .wipe,
      .s_valid(s_ctx_tvalid),
      .s_ready(s_ctx_tready),
      .s_data(s_ctx_judged),
      .m_valid(context_valid),
      .m_ready(begin_valid),
      .m_data(next_judged)
  );

  // What nobody judges lies in RAM meanwhile and is read by the number of its packet's context, so
  // that no enable has to reach all of it. Written in every cycle: two contexts wait, one goes to
  // the modes, and the fourth place is that of the next one.
  (* no_rw_check *)
  logic [StartBits+CarriedBits-1:0] waiting[0:3];
  logic [StartBits+CarriedBits-1:0] waiting_q;
  logic [1:0] place_q, given_q, next_q, number_q;
  always_ff @(posedge clk) begin
    waiting_q <= {s_ctx_start, s_ctx_carried};
    place_q <= given_q;
    waiting[place_q] <= waiting_q;
    if ((s_ctx_tvalid && s_ctx_tready) || wipe) given_q <= given_q + 1'b1;
    if (begin_valid && context_valid) next_q <= next_q + 1'b1;
    number_q <= next_q;
    if (wipe) begin
      waiting_q <= '0;
      next_q <= given_q + 1'b1;
    end
    if (rst) {given_q, next_q} <= '0;
  end

  // The beat at the head. Whether its lane is free is looked up when it comes, so that the way back
  // to s_axis_tready is short.
  logic accept, go, head_q, head_first_q, head_last_q, head_full_q, head_hole_q, head_beyond_q;
  logic free_q, missing_q, room_q, beat_q, done, skip_q, skip;
  logic [LaneBits-1:0] done_lane;
  logic [DataBits-1:0] head_data_q;
  logic [Bytes-1:0] head_keep_q;
  logic [UserBits-1:0] head_user_q;
  logic [Places-1:0] inside_q, busy_q;
  logic [CreditBits-1:0] credits_q;
  logic leave, swallow;
  logic [1:0] back_q;
  assign go = head_q && free_q && room_q && !beat_hold && !skip_q
      && (!head_first_q || (context_valid ? !next_wait : missing_q));
  assign s_axis_tready = !wipe && (!head_q || go);
  assign accept = s_axis_tvalid && s_axis_tready;
  assign begin_valid = go && head_first_q;
  assign next_valid = head_q && head_first_q && context_valid;
  always_ff @(posedge clk) begin
    head_q <= accept || (head_q && !go);
    if (accept) begin
      head_data_q <= swap(s_axis_tdata);
      head_keep_q <= s_axis_tkeep;
      head_last_q <= s_axis_tlast;
      head_lane <= s_axis_tid;
      head_user_q <= s_axis_tuser;
      head_first_q <= 32'(s_axis_tid) < Lanes && !inside_q[s_axis_tid];
      head_beyond_q <= 32'(s_axis_tid) >= Lanes;
      head_full_q <= s_axis_tkeep == '1;
      head_hole_q <= ((s_axis_tkeep >> 1) & ~s_axis_tkeep) != '0;
      free_q <= (!busy_q[s_axis_tid] || (done && done_lane == s_axis_tid))
          && !(go && head_lane == s_axis_tid) && !(beat_q && beat_lane == s_axis_tid);
    end else if (done && done_lane == head_lane) begin
      free_q <= 1'b1;
    end
    // Known a cycle late, from registers alone: no path leads from go to every lane.
    for (int unsigned i = 0; i < Places; i++) begin
      if (done && 32'(done_lane) == i) busy_q[i] <= 1'b0;
      else if (beat_q && 32'(beat_lane) == i) busy_q[i] <= 1'b1;
      if (accept && 32'(s_axis_tid) == i) inside_q[i] <= !s_axis_tlast;
    end
    // Two beats more than are known here may have gone, and one place of the queue stays free.
    back_q <= 2'(leave) + 2'(swallow);
    credits_q <= credits_q + CreditBits'(beat_q) - CreditBits'(back_q);
    room_q <= credits_q < CreditBits'(Depth - 3);
    if (wipe) head_data_q <= '0;
    if (rst || wipe) begin
      head_q <= 1'b0;
      inside_q <= '0;
      busy_q <= '0;
      credits_q <= '0;
      back_q <= '0;
      room_q <= 1'b0;
    end
  end

  // A packet without a context.
  if (ContextWait > 0) begin : gen_missing
    localparam int unsigned WaitBits = $clog2(ContextWait + 1);
    logic [WaitBits-1:0] wait_q;
    always_ff @(posedge clk) begin
      if (!missing_q) wait_q <= wait_q + 1'b1;
      missing_q <= missing_q || wait_q == WaitBits'(ContextWait - 1);
      if (rst || wipe || go || !head_q || !head_first_q || context_valid) begin
        wait_q <= '0;
        missing_q <= 1'b0;
      end
    end
  end else begin : gen_missing
    assign missing_q = 1'b0;
  end

  // What a packet's first beat leaves for the others: its context, and what it may be. A wipe goes
  // over all lanes.
  logic [LaneBits-1:0] walk_q;
  logic [CarriedBits-1:0] carrieds[0:Lanes-1];
  logic [JudgedBits-1:0] judgeds[0:Lanes-1];
  logic [CarriedBits-1:0] carried_q, new_carried;
  logic [4:0] states[0:Lanes-1];
  // The beat that goes to the modes, and what is wrong with it.
  logic beat_full_q, beat_hole_q, beat_beyond_q;
  logic known_q, broken_q, partial_q, digest_q, empty_q, beat_error, beat_block;
  logic [UserBits-1:0] beat_user_q;
  always_ff @(posedge clk) begin
    beat_q <= go;
    beat_lane <= head_lane;
    beat_first <= head_first_q;
    beat_last <= head_last_q;
    beat_keep <= head_keep_q;
    beat_data <= head_data_q;
    beat_user_q <= head_user_q;
    beat_full_q <= head_full_q;
    beat_hole_q <= head_hole_q;
    beat_beyond_q <= head_beyond_q;
    carried_q <= carrieds[head_lane];
    if (head_first_q) begin
      beat_judged <= next_judged;
      known_q <= context_valid && !next_error;
      broken_q <= !context_valid || next_error;
      partial_q <= next_partial;
      // Without a context nobody knows that the packet should give one beat only.
      digest_q <= context_valid && next_digest;
      empty_q <= next_empty;
    end else begin
      beat_judged <= judgeds[head_lane];
      {known_q, broken_q, partial_q, digest_q, empty_q} <= states[head_lane];
    end
    if (head_beyond_q) {known_q, broken_q, digest_q} <= 3'b010;
    if (wipe) begin
      beat_data <= '0;
      carried_q <= '0;
      beat_judged <= '0;
    end
    if (rst || wipe) beat_q <= 1'b0;
    walk_q <= walk_q + 1'b1;
    if (rst) walk_q <= '0;
  end
  assign {beat_start, new_carried} = waiting[number_q];
  assign beat_carried = beat_first ? new_carried : carried_q;
  // A beat that is not full ends a packet; one of a mode of whole blocks has no bytes then. A
  // packet that gives one beat at its end ends in a block, or is empty.
  assign beat_error = broken_q || beat_hole_q
      || (!beat_full_q && (!beat_last || (beat_keep[0] && !partial_q)))
      || (digest_q && !beat_keep[0] && !(beat_first && empty_q));
  assign beat_block = !beat_error && (beat_keep[0] || digest_q);
  assign beat_valid = beat_q && beat_block;

  // Beside the modes: what belongs to the beat of each lane.
  logic [SideBits-1:0] sides[0:Places-1];
  always_ff @(posedge clk) begin
    if (wipe || (beat_q && !beat_beyond_q)) begin
      carrieds[wipe?walk_q : beat_lane] <= beat_carried;
      judgeds[wipe?walk_q : beat_lane]  <= beat_judged;
    end
    if (beat_q && !beat_beyond_q) begin
      states[beat_lane] <= {known_q, beat_error, partial_q, digest_q, empty_q};
    end
    if (beat_q) begin
      sides[beat_lane] <= {
        known_q && beat_last,
        !digest_q || beat_last,
        beat_block,
        beat_error,
        beat_last,
        beat_keep | {Bytes{digest_q}},
        beat_user_q
      };
    end
  end

  // A beat that needs no result passes the modes by, when none of theirs comes. No beat sets out
  // while one waits for that; but one more may be under way then.
  logic skip_spare_q;
  logic [LaneBits-1:0] skip_lane_q, skip_spare_lane_q;
  assign skip = beat_q && !beat_block;
  assign done = result_valid || skip_q;
  assign done_lane = result_valid ? result_lane : skip_lane_q;
  always_ff @(posedge clk) begin
    skip_q <= skip || skip_spare_q || (skip_q && result_valid);
    skip_spare_q <= skip_q && result_valid && (skip || skip_spare_q);
    if (!skip_q || !result_valid) skip_lane_q <= skip_spare_q ? skip_spare_lane_q : beat_lane;
    if (!skip_spare_q) skip_spare_lane_q <= beat_lane;
    if (rst || wipe) {skip_q, skip_spare_q} <= '0;
  end

  // Results, each with what belongs to it. Those of a packet that gives one beat end here, but for
  // the last.
  logic out_q, out_end, out_shown, out_block, out_error, out_last;
  logic [DataBits-1:0] out_data_q;
  logic [LaneBits-1:0] out_lane_q;
  logic [SideBits-1:0] out_side_q;
  logic [Bytes-1:0] out_keep;
  logic [UserBits-1:0] out_user;
  always_ff @(posedge clk) begin
    out_q <= done;
    out_lane_q <= done_lane;
    out_side_q <= sides[done_lane];
    out_data_q <= result_data;
    if (wipe) begin
      out_lane_q <= '0;
      out_side_q <= '0;
      out_data_q <= '0;
    end
    if (rst || wipe) out_q <= 1'b0;
  end
  assign {out_end, out_shown, out_block, out_error, out_last, out_keep, out_user} = out_side_q;
  assign swallow = out_q && !out_shown;
  assign end_valid = out_q && out_end;
  assign end_lane = out_lane_q;

  // Beats out. Bytes that are not kept, and all bytes from an error on, are zero.
  logic [DataBits-1:0] data, masked;
  assign data = swap(out_data_q);
  for (genvar i = 0; i < Bytes; i++) begin : gen_byte
    assign masked[8*i+:8] = out_block && out_keep[i] ? data[8*i+:8] : 8'h00;
  end
  aesforge_axis_queue #(
      .Width(DataBits + Bytes + LaneBits + UserBits + 2),
      .Depth(Depth)
  ) u_queue (
      .clk,
      .rst,
      .wipe,
      .s_valid(out_q && out_shown),
      .s_data({masked, out_keep, out_last, out_lane_q, out_user, out_error}),
      .leave,
      .m_valid(m_axis_tvalid),
      .m_ready(m_axis_tready),
      .m_data({m_axis_tdata, m_axis_tkeep, m_axis_tlast, m_axis_tid, m_axis_tuser})
  );
endmodule

`default_nettype wire
