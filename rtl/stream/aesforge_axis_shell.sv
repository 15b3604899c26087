// SPDX-License-Identifier: Apache-2.0
// An AXI4-Stream shell around a datapath that returns results in order and has no back-pressure: a
// beat enters only if there is a credit for its place in the output queue.
// Latency 9 cycles plus those from beat to result and from `post` to `done`; one beat per cycle.
`default_nettype none

module aesforge_axis_shell #(
    parameter int unsigned Bytes = 16,  // [1 or more] bytes of a beat
    parameter int unsigned BlockBytes = 16,  // [a divisor of `Bytes`] bytes of a block
    // [1 or more] bits of the header, which decides before the packet begins
    parameter int unsigned HeaderBits = 2,
    // [1 or more] bits of the payload, which only travels with the beats
    parameter int unsigned PayloadBits = 8,
    parameter int unsigned IdBits = 1,  // [1 or more] bits of `tid`
    parameter int unsigned UserBits = 1,  // [1 or more] bits of `tuser` without the error flag
    // [a power of two from 8 on] places of the queues: how many full rate needs is in Timing
    parameter int unsigned Depth = 64,
    // [0 or more] most cycles that a packet waits for its context; 0: forever
    parameter int unsigned ContextTimeout = 1024,
    parameter int unsigned QueueStyle = aesforge_pkg::QueueBlock,  // [0, 1] see aesforge_queue_ram
    // [0, 1] 1: packets of additional authenticated data, text and a tag: see
    // aesforge_section_check; bit 0 of `tuser` marks the first
    parameter bit Sections = 1'b0,
    // [0, 1] 1: the top bit of `tuser` marks a beat that is an error
    parameter bit Marked = 1'b0,
    parameter int unsigned NoteBits = 1,  // [1 or more] bits stored beside a beat for `post_note`
    // [0, 1] 1: `next_stall` is of the next cycle, and known a cycle after the context comes to the
    // output: a path less, but a packet of one beat holds the next one back for a cycle
    parameter bit LateStall = 1'b0,
    localparam int unsigned WordBits = 8 * Bytes + Bytes + IdBits + UserBits + 2
) (
    input  logic                   clk,  // clock
    input  logic                   rst,  // synchronous reset
    // high for at least `Depth` + 10 cycles: accepts nothing from the next cycle on, discards
    // everything
    input  logic                   zeroize,
    input  logic                   s_axis_tvalid,  // a beat is present
    output logic                   s_axis_tready,  // it is accepted
    input  logic [    8*Bytes-1:0] s_axis_tdata,  // bytes, byte 0 in bits 7 to 0
    // a bit for each byte: the first bytes in a last beat, all bytes in any other
    input  logic [      Bytes-1:0] s_axis_tkeep,
    input  logic                   s_axis_tlast,  // the packet ends with this beat
    input  logic [     IdBits-1:0] s_axis_tid,  // returned with the beat
    input  logic [   UserBits-1:0] s_axis_tuser,  // returned with the beat, one bit higher
    input  logic                   s_ctx_tvalid,  // a context is present
    output logic                   s_ctx_tready,  // it is accepted
    input  logic [ HeaderBits-1:0] s_ctx_header,  // header of the next context
    input  logic [PayloadBits-1:0] s_ctx_payload,  // payload of the context
    input  logic                   ctx_coming,  // a context is on its way: its packet waits on
    output logic [ HeaderBits-1:0] next_header,  // header of the next packet
    input  logic                   next_stall,  // the next packet may not begin yet
    input  logic                   next_error,  // the next packet is an error as a whole
    input  logic                   next_partial,  // the next packet may end in part of a block
    // length of its tag, a bit each: 4, 8, 12, 13, 14, 15, 16 bytes (`Sections` only)
    input  logic [            6:0] next_tag_length,
    // a packet is open: its first beat has been accepted, its last has not entered the modes
    output logic                   open,
    output logic [ HeaderBits-1:0] open_header,  // context of the open packet
    output logic [   UserBits-1:0] head_user,  // `tuser` of the beat that comes to the entry next
    output logic                   beat_valid,  // a beat is at the entry of the modes
    input  logic                   beat_ready,  // it is accepted
    output logic                   beat_first,  // first beat of its packet
    // the beat has bytes and no error: its result is used
    output logic                   beat_block,
    output logic                   beat_last,  // last beat of its packet
    output logic [      Bytes-1:0] beat_keep,  // its `tkeep`
    output logic [   UserBits-1:0] beat_user,  // its `tuser`
    output logic [    8*Bytes-1:0] beat_data,  // its bytes, byte 0 at the top
    output logic [ HeaderBits-1:0] beat_header,  // context of its packet
    output logic [PayloadBits-1:0] beat_payload,  // payload of the context
    // XORed with its result, in the cycle in which the beat is accepted
    input  logic [    8*Bytes-1:0] beat_xor,
    input  logic [   NoteBits-1:0] beat_note,  // likewise, to `post_note`
    input  logic                   result_valid,  // a result is present
    input  logic [    8*Bytes-1:0] result_data,  // result of the oldest beat that has none
    // a beat with its result, before the output queue; `done` is `post`, at once or after a stage
    // outside
    output logic                   post_valid,
    // the beat: data, `tkeep`, `tlast`, `tid`, `tuser`, error, as on the bus; bytes not kept, and
    // those of an error, are 0
    output logic [   WordBits-1:0] post_word,
    output logic [    8*Bytes-1:0] post_xor,  // its `beat_xor`, byte 0 at the top, likewise
    output logic [   NoteBits-1:0] post_note,  // its `beat_note`
    input  logic                   done_valid,  // a beat for the output, in order
    input  logic [   WordBits-1:0] done_word,  // the beat
    output logic                   m_axis_tvalid,  // a beat is at the output
    input  logic                   m_axis_tready,  // it is accepted
    // bytes, byte 0 in bits 7 to 0; those not kept are 0
    output logic [    8*Bytes-1:0] m_axis_tdata,
    output logic [      Bytes-1:0] m_axis_tkeep,  // `tkeep` of the input beat
    output logic                   m_axis_tlast,  // `tlast` of the input beat
    output logic [     IdBits-1:0] m_axis_tid,  // `tid` of the input beat
    output logic [     UserBits:0] m_axis_tuser  // bit 0: error; above it `s_axis_tuser`
);
  localparam int unsigned DataBits = 8 * Bytes;
  localparam int unsigned PlaceBits = $clog2(Depth);
  localparam int unsigned SideBits = DataBits + 2 * Bytes + IdBits + UserBits + 2 + NoteBits;
  // ready_q is a pipeline stage after the credit.
  localparam int unsigned CreditLatency = 3;

  if (Depth < 8 || 2 ** PlaceBits != Depth) begin : gen_bad_depth
    $error("depth must be a power of two, at least 8");
  end

  // zeroize moves through the shell in stages, as the beats do: no net has to reach all of it.
  // Data have a flip-flop for each block; these rise one after another, and after all others, so
  // that synthesis cannot merge one of them with these. They fall as the first beat may enter.
  localparam int unsigned Groups = (DataBits + 127) / 128;
  logic zeroize_front_q, zeroize_back_q;
  logic [Groups-1:0] zeroize_data_q;
  always_ff @(posedge clk) begin
    zeroize_front_q <= zeroize;
    zeroize_back_q  <= zeroize_front_q;
    zeroize_data_q  <= {Groups{zeroize_back_q}} & Groups'({zeroize_data_q, 1'b1});
    if (rst) {zeroize_front_q, zeroize_back_q, zeroize_data_q} <= '0;
  end

  // Byte 0 of a beat is in the low bits on the bus and in the high bits inside.
  function automatic logic [DataBits-1:0] byte_swap(input logic [DataBits-1:0] data);
    for (int i = 0; i < Bytes; i++) byte_swap[8*i+:8] = data[8*(Bytes-1-i)+:8];
  endfunction

  // Contexts. next_place is the place of the next packet's payload, place_q that of the open one.
  logic next_valid, next_ready;
  logic [1:0] next_place, place_q;
  logic [PayloadBits-1:0] payload;
  aesforge_context_fifo #(
      .HeaderBits(HeaderBits),
      .PayloadBits(PayloadBits)
  ) u_contexts (
      .clk,
      .rst,
      .zeroize(zeroize_front_q),
      .s_valid(s_ctx_tvalid),
      .s_ready(s_ctx_tready),
      .s_header(s_ctx_header),
      .s_payload(s_ctx_payload),
      .m_valid(next_valid),
      .m_ready(next_ready),
      .m_header(next_header),
      .m_place(next_place),
      .place(place_q),
      .payload
  );

  // Beats in. ready_q: the next cycle can accept a beat, of the open packet or with a context.
  // fresh_q: that beat begins a packet. `go` is constant if neither core nor key can stall.
  logic accept, leave, ready_q, fresh_q, credit, missing, inside_q, step, go, free;
  assign step = !beat_valid || beat_ready;
  assign go   = step && (inside_q || free);
  assign s_axis_tready = ready_q && go;
  assign accept = s_axis_tvalid && s_axis_tready;
  assign next_ready = s_axis_tvalid && fresh_q && go;
  always_ff @(posedge clk) begin
    if (accept) inside_q <= !s_axis_tlast;
    ready_q <= s_ctx_tvalid || !s_ctx_tready
        || (accept ? !s_axis_tlast || (inside_q && next_valid)
            : inside_q || next_valid || missing);
    fresh_q <= (accept ? s_axis_tlast : !inside_q)
        && (s_ctx_tvalid || !s_ctx_tready || (accept ? inside_q && next_valid
            : next_valid || missing));
    if (rst || zeroize || !credit) {ready_q, fresh_q} <= '0;
    if (rst || zeroize_front_q) inside_q <= 1'b0;
  end

  // free: a packet may begin, its context does not stall, or there is none.
  if (LateStall) begin : gen_late_stall
    // Both known a cycle ahead: the first context waits for one cycle.
    logic stall_q, none_q;
    always_ff @(posedge clk) begin
      stall_q <= !next_valid || next_ready || next_stall;
      none_q  <= !s_ctx_tvalid && s_ctx_tready && !(next_valid && (inside_q || !accept));
    end
    assign free = none_q || !stall_q;
  end else begin : gen_late_stall
    assign free = !next_valid || !next_stall;
  end

  aesforge_credit_counter #(
      .Depth  (Depth),
      .Latency(CreditLatency)
  ) u_credits (
      .clk,
      .rst,
      .zeroize(zeroize_front_q),
      .take(accept),
      .give({1'b0, leave}),
      .credit
  );

  aesforge_context_timeout #(
      .Cycles(ContextTimeout)
  ) u_timeout (
      .clk,
      .rst,
      .waiting(s_axis_tvalid),
      .restart(zeroize_front_q || accept || inside_q || next_valid || ctx_coming),
      .missing
  );

  // The beat at the head, and its errors.
  logic head_q, first_q, last_q, broken_q, bad_keep, head_error;
  logic [DataBits-1:0] data_q;
  logic [Bytes-1:0] keep_q;
  logic [IdBits-1:0] id_q;
  logic [UserBits-1:0] user_q;
  // Error and length rule of the packet's context.
  logic context_error_q, partial_q;
  always_ff @(posedge clk) begin
    if (step) begin
      head_q <= accept;
      data_q <= byte_swap(s_axis_tdata);
      keep_q <= s_axis_tkeep;
      last_q <= s_axis_tlast;
      id_q <= s_axis_tid;
      user_q <= s_axis_tuser;
      first_q <= !inside_q;
      if (head_q) broken_q <= head_error && !last_q;
    end
    if (next_ready) begin
      open_header <= next_valid ? next_header : '0;
      place_q <= next_place;
      context_error_q <= !next_valid || next_error;
      partial_q <= next_partial;
    end
    for (int i = 0; i < DataBits; i++) if (zeroize_data_q[i/128]) data_q[i] <= 1'b0;
    if (zeroize_front_q) open_header <= '0;
    if (rst || zeroize_front_q) {head_q, broken_q} <= '0;
  end
  assign open = inside_q || head_q;
  assign head_user = user_q;
  if (Sections) begin : gen_sections
    aesforge_section_check #(
        .Bytes(Bytes)
    ) u_check (
        .clk,
        .rst(rst || zeroize_front_q),
        .s_valid(step),
        .s_keep(s_axis_tkeep),
        .s_first(!inside_q),
        .s_tag_length(next_tag_length),
        .valid(step && head_q),
        .aad(user_q[0]),
        .last(last_q),
        .error(bad_keep)
    );
    logic unused_ok;
    assign unused_ok = &{1'b0, partial_q};
  end else begin : gen_blocks
    aesforge_packet_check #(
        .Bytes(Bytes),
        .BlockBytes(BlockBytes)
    ) u_check (
        .clk,
        .s_valid(step),
        .s_keep(s_axis_tkeep),
        .first_keep(keep_q[0]),
        .last(last_q),
        .partial(partial_q),
        .error(bad_keep)
    );
    logic unused_ok;
    assign unused_ok = &{1'b0, next_tag_length};
  end
  assign head_error = (Marked && user_q[UserBits-1]) || context_error_q || broken_q || bad_keep;

  // The beat at the entry of the modes.
  logic beat_error_q, take;
  logic [IdBits-1:0] beat_id_q;
  always_ff @(posedge clk) begin
    if (step) begin
      beat_valid <= head_q;
      beat_first <= first_q;
      beat_block <= keep_q[0] && !head_error;
      beat_data <= data_q;
      beat_header <= open_header;
      beat_payload <= payload;
      {beat_error_q, beat_last, beat_keep} <= {head_error, last_q, keep_q};
      {beat_id_q, beat_user} <= {id_q, user_q};
    end
    // While zeroizing, steps continue and shift in the zeros of the head.
    if (rst || zeroize_front_q) beat_valid <= 1'b0;
  end
  assign take = beat_valid && beat_ready;

  // Sideband of each beat, stored until its result arrives. Written in every cycle, as the output
  // queue: place write_q is free, and no valid read hits it.
  logic [PlaceBits-1:0] write_q, read_q;
  logic [SideBits-1:0] side_second_q;
  logic [DataBits-1:0] result_first_q, result_second_q;
  logic result_first_valid_q, result_second_valid_q;
  // What a result is added to, beside each byte whether it is kept: in the same word of block RAM,
  // so that no net has to reach all bytes.
  logic [9*Bytes-1:0] beat_xors, side_xors;
  always_comb begin
    for (int i = 0; i < Bytes; i++) begin
      beat_xors[9*i+:9] = {beat_block && beat_keep[Bytes-1-i], beat_xor[8*i+:8]};
    end
  end
  aesforge_queue_ram #(
      .Width(SideBits),
      .Depth(Depth),
      .Style(QueueStyle)
  ) u_sides (
      .clk,
      .write(1'b1),
      .write_place(write_q),
      .write_data({
        beat_note,
        beat_error_q,
        beat_last,
        beat_keep,
        beat_id_q,
        beat_user,
        beat_xors
      }),
      .read_place(read_q),
      .first_step(1'b1),
      .second_step(1'b1),
      .second_q(side_second_q)
  );
  always_ff @(posedge clk) begin
    if (take || zeroize_back_q) write_q <= write_q + 1'b1;
    if (result_valid) read_q <= read_q + 1'b1;
    {result_first_q, result_second_q} <= {result_data, result_first_q};
    {result_first_valid_q, result_second_valid_q} <= {result_valid, result_first_valid_q};
    // Both pointers start at 0 after zeroization.
    if (rst || (zeroize_back_q && !zeroize_front_q)) write_q <= '0;
    if (rst || zeroize_back_q) {read_q, result_first_valid_q, result_second_valid_q} <= '0;
  end

  // The output beat. Bytes without tkeep, and all bytes after an error, are zero.
  logic side_error, side_last;
  logic [Bytes-1:0] side_keep, side_kept;
  logic [IdBits-1:0] side_id;
  logic [UserBits-1:0] side_user;
  logic [DataBits-1:0] side_xor, data;
  logic [NoteBits-1:0] side_note;
  assign {side_note, side_error, side_last, side_keep, side_id, side_user, side_xors}
      = side_second_q;
  always_comb begin
    for (int i = 0; i < Bytes; i++) {side_kept[i], side_xor[8*i+:8]} = side_xors[9*i+:9];
  end
  assign data = byte_swap(result_second_q ^ side_xor);
  logic out_valid_q, out_error_q, out_last_q;
  logic [DataBits-1:0] out_data_q;
  logic [Bytes-1:0] out_keep_q;
  logic [IdBits-1:0] out_id_q;
  logic [UserBits-1:0] out_user_q;
  always_ff @(posedge clk) begin
    out_valid_q <= result_second_valid_q;
    for (int i = 0; i < Bytes; i++) begin
      out_data_q[8*i+:8] <= side_kept[Bytes-1-i] ? data[8*i+:8] : 8'h00;
    end
    {out_error_q, out_last_q, out_keep_q} <= {side_error, side_last, side_keep};
    {out_id_q, out_user_q} <= {side_id, side_user};
    if (rst || zeroize_back_q) out_valid_q <= 1'b0;
  end

  always_ff @(posedge clk) begin
    for (int i = 0; i < Bytes; i++) begin
      post_xor[8*i+:8] <= side_kept[i] ? side_xor[8*i+:8] : 8'h00;
    end
    post_note <= side_note;
  end
  assign post_valid = out_valid_q;
  assign post_word  = {out_data_q, out_keep_q, out_last_q, out_id_q, out_user_q, out_error_q};

  // The output queue: the first 128 bits of data with all that comes beside them, and a queue for
  // each 128 bits more. All do the same in each cycle, so that no net has to reach the RAMs of all.
  localparam int unsigned FirstBits = WordBits - 128 * (Groups - 1);
  logic [WordBits-1:0] word;
  assign {m_axis_tdata, m_axis_tkeep, m_axis_tlast, m_axis_tid, m_axis_tuser} = word;
  aesforge_axis_queue #(
      .Width(FirstBits),
      .Depth(Depth),
      .Style(QueueStyle)
  ) u_queue (
      .clk,
      .rst,
      .zeroize(zeroize_back_q),
      .s_valid(done_valid),
      .s_data(done_word[FirstBits-1:0]),
      .leave,
      .m_valid(m_axis_tvalid),
      .m_ready(m_axis_tready),
      .m_data(word[FirstBits-1:0])
  );
  for (genvar g = 1; g < Groups; g++) begin : gen_apart
    logic leave_apart, m_valid;
    aesforge_axis_queue #(
        .Width(128),
        .Depth(Depth),
        .Style(QueueStyle)
    ) u_queue (
        .clk,
        .rst,
        .zeroize(zeroize_back_q),
        .s_valid(done_valid),
        .s_data(done_word[FirstBits+128*(g-1)+:128]),
        .leave(leave_apart),
        .m_valid,
        .m_ready(m_axis_tready),
        .m_data(word[FirstBits+128*(g-1)+:128])
    );
    logic unused_ok;
    assign unused_ok = &{1'b0, leave_apart, m_valid};
  end
endmodule

`default_nettype wire
