// SPDX-License-Identifier: Apache-2.0
// An AXI4-Stream shell around what takes beats in and gives results back in order, with no means to
// hold them back: a beat enters only where the output queues have room for it.
// Latency 9 cycles besides what lies between beat and result; one beat a cycle.
`default_nettype none

module aesforge_axis_shell #(
    // bytes of a beat, and of a block, of which a beat holds one or several
    parameter int unsigned Bytes = 16,
    parameter int unsigned BlockBytes = 16,
    // bits of a context that are judged before its packet begins, and that are only carried; the
    // shell reads neither
    parameter int unsigned JudgedBits = 2,
    parameter int unsigned CarriedBits = 8,
    // bits of tid, and of tuser without the error flag
    parameter int unsigned IdBits = 1,
    parameter int unsigned UserBits = 1,
    // places of the queues, a power of two, at least 8: full rate needs the loop's length, see the
    // page
    parameter int unsigned Depth = 64,
    // cycles that a packet waits for its context, after which it goes through with the error flag;
    // 0: for ever
    parameter int unsigned ContextWait = 1024
) (
    input  logic                   clk,
    input  logic                   rst,
    // takes nothing from the next cycle on and forgets everything, as aesforge_axis_queue does, up
    // to two cycles later
    input  logic                   wipe,
    // packets in
    input  logic                   s_axis_tvalid,
    output logic                   s_axis_tready,
    input  logic [    8*Bytes-1:0] s_axis_tdata,
    input  logic [      Bytes-1:0] s_axis_tkeep,
    input  logic                   s_axis_tlast,
    input  logic [     IdBits-1:0] s_axis_tid,
    input  logic [   UserBits-1:0] s_axis_tuser,
    // contexts in, one for each packet
    input  logic                   s_ctx_tvalid,
    output logic                   s_ctx_tready,
    input  logic [ JudgedBits-1:0] s_ctx_judged,
    input  logic [CarriedBits-1:0] s_ctx_carried,
    // judgement of the context of the next packet: not yet, never, may end in a partial beat
    output logic [ JudgedBits-1:0] next_judged,
    input  logic                   next_wait,
    input  logic                   next_error,
    input  logic                   next_partial,
    // a packet with this context is open: its first beat has been taken, its last is at most one
    // step before the entry of the modes
    output logic                   open,
    output logic [ JudgedBits-1:0] open_judged,
    // beat out; byte 0 at the top; a result follows for each, and counts where beat_block is up
    output logic                   beat_valid,
    input  logic                   beat_ready,
    output logic                   beat_first,
    output logic                   beat_block,
    output logic [    8*Bytes-1:0] beat_data,
    output logic [ JudgedBits-1:0] beat_judged,
    output logic [CarriedBits-1:0] beat_carried,
    // what the beat's result is to be added to, given in the cycle in which the beat is taken
    input  logic [    8*Bytes-1:0] beat_xor,
    // results in, in the order of their beats
    input  logic                   result_valid,
    input  logic [    8*Bytes-1:0] result_data,
    // packets out; bit 0 of tuser is the error flag
    output logic                   m_axis_tvalid,
    input  logic                   m_axis_tready,
    output logic [    8*Bytes-1:0] m_axis_tdata,
    output logic [      Bytes-1:0] m_axis_tkeep,
    output logic                   m_axis_tlast,
    output logic [     IdBits-1:0] m_axis_tid,
    output logic [     UserBits:0] m_axis_tuser
);
  localparam int unsigned DataBits = 8 * Bytes;
  localparam int unsigned PlaceBits = $clog2(Depth);
  localparam int unsigned SideBits = DataBits + Bytes + IdBits + UserBits + 3;
  // Beats that may be taken before the account of credits stops them: see room_q.
  localparam int unsigned Late = 3;

  if (Bytes % BlockBytes != 0) begin : gen_bad_bytes
    $error("a beat must hold whole blocks");
  end
  if (Depth < 8 || 2 ** PlaceBits != Depth) begin : gen_bad_depth
    $error("depth must be a power of two, at least 8");
  end

  // A wipe walks through the shell with its beats, so that no wire has to reach all of it at once.
  logic wipe_front_q, wipe_back_q;
  always_ff @(posedge clk) begin
    wipe_front_q <= wipe;
    wipe_back_q  <= wipe_front_q;
    if (rst) {wipe_front_q, wipe_back_q} <= '0;
  end

  // Byte 0 of a beat stands at the low end on the bus and at the top everywhere else.
  function automatic logic [DataBits-1:0] swap(input logic [DataBits-1:0] data);
    for (int i = 0; i < Bytes; i++) swap[8*i+:8] = data[8*(Bytes-1-i)+:8];
  endfunction

  // Contexts wait in two places, so that packets of one beat each run without a bubble.
  logic next_valid, next_ready;
  aesforge_axis_slice #(
      .Width(JudgedBits)
  ) u_contexts (
      .clk,
      .rst,
      .wipe(wipe_front_q),
      .s_valid(s_ctx_tvalid),
      .s_ready(s_ctx_tready),
      .s_data(s_ctx_judged),
      .m_valid(next_valid),
      .m_ready(next_ready),
      .m_data(next_judged)
  );

  // What is only carried lies in RAM meanwhile and is read by the number of its packet's context,
  // so that no enable has to reach all of it. Written in every cycle: two contexts wait, one is in
  // use, and the fourth place is that of the next one.
  (* no_rw_check *)
  logic [CarriedBits-1:0] carried[0:3];
  logic [CarriedBits-1:0] carried_q;
  logic [1:0] place_q, given_q, next_q;
  always_ff @(posedge clk) begin
    carried_q <= s_ctx_carried;
    place_q <= given_q;
    carried[place_q] <= carried_q;
    if ((s_ctx_tvalid && s_ctx_tready) || wipe_front_q) given_q <= given_q + 1'b1;
    if (next_ready && next_valid) next_q <= next_q + 1'b1;
    if (wipe_front_q) begin
      carried_q <= '0;
      next_q <= given_q + 1'b1;
    end
    if (rst) {given_q, next_q} <= '0;
  end

  // Beats in. Whether the next cycle takes one, and whether that begins a packet, is known from
  // this one: a packet goes on, or a context will be there. What stands beside ready_q and fresh_q
  // is constant where nothing waits for a core or a key.
  logic accept, leave, ready_q, fresh_q, room_q, missing_q, inside_q, step, go;
  assign step = !beat_valid || beat_ready;
  assign go = step && (inside_q || !next_valid || !next_wait);
  assign s_axis_tready = ready_q && go;
  assign accept = s_axis_tvalid && s_axis_tready;
  assign next_ready = s_axis_tvalid && fresh_q && go;
  always_ff @(posedge clk) begin
    if (accept) inside_q <= !s_axis_tlast;
    ready_q <= room_q && (s_ctx_tvalid || !s_ctx_tready
        || (accept ? !s_axis_tlast || (inside_q && next_valid)
            : inside_q || next_valid || missing_q));
    fresh_q <= room_q && (accept ? s_axis_tlast : !inside_q)
        && (s_ctx_tvalid || !s_ctx_tready || (accept ? inside_q && next_valid
            : next_valid || missing_q));
    if (rst || wipe) {ready_q, fresh_q} <= '0;
    if (rst || wipe_front_q) inside_q <= 1'b0;
  end

  // Credits: an account of the places that are taken, kept at leisure.
  logic change_q, fewer_q;
  logic [PlaceBits-1:0] taken_q;
  always_ff @(posedge clk) begin
    change_q <= accept != leave;
    fewer_q <= leave && !accept;
    taken_q <= taken_q + {{PlaceBits - 1{fewer_q}}, change_q};
    room_q <= taken_q < PlaceBits'(Depth - 1 - Late);
    if (rst || wipe_front_q) {change_q, fewer_q, taken_q, room_q} <= '0;
  end

  // A packet without a context.
  if (ContextWait > 0) begin : gen_missing
    localparam int unsigned WaitBits = $clog2(ContextWait + 1);
    logic [WaitBits-1:0] wait_q;
    always_ff @(posedge clk) begin
      if (!s_axis_tvalid || inside_q || next_valid) wait_q <= '0;
      else if (!missing_q) wait_q <= wait_q + 1'b1;
      missing_q <= !inside_q && (missing_q || wait_q == WaitBits'(ContextWait - 1));
      if (rst || wipe_front_q || accept || next_valid) begin
        wait_q <= '0;
        missing_q <= 1'b0;
      end
    end
  end else begin : gen_missing
    assign missing_q = 1'b0;
  end

  // The beat at the head, and what is wrong with it. A beat that is not full ends a packet; one of
  // a mode of whole blocks has no part of a block then.
  logic head_q, first_q, hole_q, full_q, part, last_q, broken_q, head_error;
  logic [DataBits-1:0] data_q;
  logic [Bytes-1:0] keep_q;
  logic [IdBits-1:0] id_q;
  logic [UserBits-1:0] user_q;
  // The packet's context, and what it may be.
  logic [1:0] number_q;
  logic context_error_q, partial_q;
  always_ff @(posedge clk) begin
    if (step) begin
      head_q <= accept;
      data_q <= swap(s_axis_tdata);
      keep_q <= s_axis_tkeep;
      last_q <= s_axis_tlast;
      id_q <= s_axis_tid;
      user_q <= s_axis_tuser;
      first_q <= !inside_q;
      full_q <= s_axis_tkeep == '1;
      hole_q <= ((s_axis_tkeep >> 1) & ~s_axis_tkeep) != '0;
      if (head_q) broken_q <= head_error && !last_q;
    end
    if (next_ready) begin
      open_judged <= next_judged;
      number_q <= next_q;
      context_error_q <= !next_valid || next_error;
      partial_q <= next_partial;
    end
    if (wipe_front_q) {data_q, open_judged} <= '0;
    if (rst || wipe_front_q) {head_q, broken_q} <= '0;
  end
  assign open = inside_q || head_q;
  if (Bytes == BlockBytes) begin : gen_part
    assign part = !full_q && keep_q[0];
  end else begin : gen_part
    logic part_q;
    always_ff @(posedge clk) begin
      if (step) begin
        part_q <= 1'b0;
        for (int i = 0; i < Bytes; i += BlockBytes) begin
          if (s_axis_tkeep[i] != s_axis_tkeep[i+BlockBytes-1]) part_q <= 1'b1;
        end
      end
    end
    assign part = part_q;
  end
  assign head_error = context_error_q || broken_q || hole_q || (!full_q && !last_q)
      || (part && !partial_q);

  // The beat at the entry of the modes.
  logic beat_error_q, beat_last_q, take;
  logic [Bytes-1:0] beat_keep_q;
  logic [IdBits-1:0] beat_id_q;
  logic [UserBits-1:0] beat_user_q;
  always_ff @(posedge clk) begin
    if (step) begin
      beat_valid <= head_q;
      beat_first <= first_q;
      beat_block <= keep_q[0] && !head_error;
      beat_data <= data_q;
      beat_judged <= open_judged;
      beat_carried <= carried[number_q];
      {beat_error_q, beat_last_q, beat_keep_q} <= {head_error, last_q, keep_q};
      {beat_id_q, beat_user_q} <= {id_q, user_q};
    end
    // In a wipe steps go on, and bring the zeros of the head.
    if (rst || wipe_front_q) beat_valid <= 1'b0;
  end
  assign take = beat_valid && beat_ready;

  // Beside the core: what belongs to a beat, until its result is there. As in aesforge_axis_queue,
  // the read port has two registers, and no read that counts meets a write of the same place.
  (* no_rw_check *)
  logic [SideBits-1:0] sides[0:Depth-1];
  logic [PlaceBits-1:0] write_q, read_q;
  logic [SideBits-1:0] side_first_q, side_second_q;
  logic [DataBits-1:0] result_first_q, result_second_q;
  logic result_first_valid_q, result_second_valid_q;
  always_ff @(posedge clk) begin
    if (take || wipe_back_q) begin
      sides[write_q] <= {
        beat_block, beat_error_q, beat_last_q, beat_keep_q, beat_id_q, beat_user_q, beat_xor
      };
      write_q <= write_q + 1'b1;
    end
    if (result_valid) read_q <= read_q + 1'b1;
    side_first_q <= sides[read_q];
    side_second_q <= side_first_q;
    {result_first_q, result_second_q} <= {result_data, result_first_q};
    {result_first_valid_q, result_second_valid_q} <= {result_valid, result_first_valid_q};
    // Places 0 on are written first when the wipe is through: both counts begin there.
    if (rst || (wipe_back_q && !wipe_front_q)) write_q <= '0;
    if (rst || wipe_back_q) {read_q, result_first_valid_q, result_second_valid_q} <= '0;
  end

  // The beat that leaves. Bytes that are not kept, and all bytes from an error on, are zero.
  logic side_block, side_error, side_last;
  logic [Bytes-1:0] side_keep;
  logic [IdBits-1:0] side_id;
  logic [UserBits-1:0] side_user;
  logic [DataBits-1:0] side_xor, data;
  assign {side_block, side_error, side_last, side_keep, side_id, side_user, side_xor}
      = side_second_q;
  assign data = swap(result_second_q ^ side_xor);
  logic out_valid_q, out_error_q, out_last_q;
  logic [DataBits-1:0] out_data_q;
  logic [Bytes-1:0] out_keep_q;
  logic [IdBits-1:0] out_id_q;
  logic [UserBits-1:0] out_user_q;
  always_ff @(posedge clk) begin
    out_valid_q <= result_second_valid_q;
    for (int i = 0; i < Bytes; i++) begin
      out_data_q[8*i+:8] <= side_block && side_keep[i] ? data[8*i+:8] : 8'h00;
    end
    {out_error_q, out_last_q, out_keep_q} <= {side_error, side_last, side_keep};
    {out_id_q, out_user_q} <= {side_id, side_user};
    if (rst || wipe_back_q) out_valid_q <= 1'b0;
  end

  aesforge_axis_queue #(
      .Width(DataBits + Bytes + IdBits + UserBits + 2),
      .Depth(Depth)
  ) u_queue (
      .clk,
      .rst,
      .wipe(wipe_back_q),
      .s_valid(out_valid_q),
      .s_data({out_data_q, out_keep_q, out_last_q, out_id_q, out_user_q, out_error_q}),
      .leave,
      .m_valid(m_axis_tvalid),
      .m_ready(m_axis_tready),
      .m_data({m_axis_tdata, m_axis_tkeep, m_axis_tlast, m_axis_tid, m_axis_tuser})
  );
endmodule

`default_nettype wire
