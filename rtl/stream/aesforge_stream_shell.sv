// SPDX-License-Identifier: Apache-2.0
// An AXI4-Stream shell for interleaved packets, one open packet for each stream (tid). A stream has
// at most one beat in flight, and its next beat waits for that result; other streams continue.
// Latency 8 cycles plus that from beat to result; one beat per cycle.
`default_nettype none

module aesforge_stream_shell #(
    parameter int unsigned Bytes = 16,  // [1 to 32] bytes of a beat
    // [1 to 256] streams that may have a packet open: `tid` 0 to `Streams` - 1
    parameter int unsigned Streams = 16,
    // [1 or more] bits of a context for the first beat of a packet: the IV
    parameter int unsigned StartBits = 8,
    // [1 or more] bits of a context for all beats of a packet
    parameter int unsigned PayloadBits = 8,
    // [1 or more] bits of the header, which decides about the packet
    parameter int unsigned HeaderBits = 8,
    parameter int unsigned UserBits = 1,  // [1 or more] bits of `tuser` without the error flag
    // [a power of two from 4 on] places of the queue: how many full rate needs is in Timing
    parameter int unsigned Depth = 64,
    // [0 or more] most cycles that a packet waits for its context; 0: forever
    parameter int unsigned ContextTimeout = 1024,
    // [0, 1] 1: no beat is empty, and whoever gives the results checks the rest of `tkeep`
    parameter bit Sections = 1'b0,
    localparam int unsigned StreamBits = Streams > 1 ? $clog2(Streams) : 1
) (
    input  logic                   clk,  // clock
    input  logic                   rst,  // synchronous reset
    // high for at least `Depth` + 5 cycles and 2^`StreamBits` + 5: discards everything
    input  logic                   zeroize,
    input  logic                   s_axis_tvalid,  // a beat is present
    output logic                   s_axis_tready,  // it is accepted
    input  logic [    8*Bytes-1:0] s_axis_tdata,  // bytes, byte 0 in bits 7 to 0
    // a bit for each byte: the first bytes in a last beat, all bytes in any other
    input  logic [      Bytes-1:0] s_axis_tkeep,
    input  logic                   s_axis_tlast,  // the packet ends with this beat
    input  logic [ StreamBits-1:0] s_axis_tid,  // its stream
    input  logic [   UserBits-1:0] s_axis_tuser,  // returned with the beat, one bit higher
    input  logic                   s_ctx_tvalid,  // a context is present
    output logic                   s_ctx_tready,  // it is accepted
    input  logic [  StartBits-1:0] s_ctx_start,  // start of the context, for the first beat
    input  logic [PayloadBits-1:0] s_ctx_payload,  // payload of the context, for all beats
    input  logic [ HeaderBits-1:0] s_ctx_header,  // header of the context
    output logic [ HeaderBits-1:0] next_header,  // header of the next packet
    input  logic                   next_stall,  // the next packet may not begin yet
    input  logic                   next_error,  // the next packet is an error as a whole
    input  logic                   next_partial,  // the next packet may end in a partial beat
    input  logic                   next_digest,  // the next packet gives one beat, at its end
    input  logic                   next_empty,  // the next packet may be empty
    // a first beat is at the head, and its context is present
    output logic                   next_valid,
    // the packet begins: its first beat goes to the modes in this cycle
    output logic                   begin_valid,
    output logic [ StreamBits-1:0] head_stream,  // stream of the beat at the head
    // a packet that began with a context and without an error has ended
    output logic                   end_valid,
    output logic [ StreamBits-1:0] end_stream,  // its stream
    input  logic                   beat_hold,  // the shell may send no beat to the modes
    // a beat goes to the modes; there is no back-pressure
    output logic                   beat_valid,
    // its stream, which was `head_stream` a cycle before
    output logic [ StreamBits-1:0] beat_stream,
    output logic                   beat_first,  // first beat of its packet
    output logic                   beat_last,  // last beat of its packet
    output logic [      Bytes-1:0] beat_keep,  // its `tkeep`, bit 0 for byte 0
    output logic [   UserBits-1:0] beat_user,  // its `tuser`
    output logic [    8*Bytes-1:0] beat_data,  // its bytes, byte 0 at the top
    // `s_ctx_start` of its packet; valid in a first beat
    output logic [  StartBits-1:0] beat_start,
    output logic [PayloadBits-1:0] beat_payload,  // `s_ctx_payload` of its packet
    output logic [PayloadBits-1:0] late_payload,  // the same, in the cycle after the beat
    output logic [ HeaderBits-1:0] beat_header,  // `s_ctx_header` of its packet
    input  logic                   result_valid,  // a result is present; there is no back-pressure
    input  logic [ StreamBits-1:0] result_stream,  // its stream
    input  logic [    8*Bytes-1:0] result_data,  // result of that stream's beat, byte 0 at the top
    input  logic                   result_error,  // that beat is an error
    output logic                   m_axis_tvalid,  // a beat is at the output
    input  logic                   m_axis_tready,  // it is accepted
    output logic [    8*Bytes-1:0] m_axis_tdata,  // bytes, byte 0 in bits 7 to 0
    // `tkeep` of the input beat; all ones for a digest
    output logic [      Bytes-1:0] m_axis_tkeep,
    output logic                   m_axis_tlast,  // `tlast` of the input beat
    output logic [ StreamBits-1:0] m_axis_tid,  // `tid` of the input beat
    output logic [     UserBits:0] m_axis_tuser  // bit 0: error; above it `s_axis_tuser`
);
  localparam int unsigned DataBits = 8 * Bytes;
  // A beat with an illegal tid has a place for its sideband, and nothing else.
  localparam int unsigned Places = 2 ** StreamBits;
  localparam int unsigned SideBits = Bytes + UserBits + 4;

  if (Streams == 0 || Streams > 256) begin : gen_bad_streams
    $error("streams must be 1 to 256");
  end
  if (Bytes > 32) begin : gen_bad_bytes
    $error("a beat must hold at most 32 bytes");
  end

  // Contexts. next_place is the place of the next packet's start and payload, place_q that of the
  // packet whose beat goes to the modes.
  logic context_valid;
  logic [1:0] next_place, place_q;
  logic [PayloadBits-1:0] new_payload;
  always_ff @(posedge clk) place_q <= next_place;
  aesforge_context_fifo #(
      .HeaderBits(HeaderBits),
      .PayloadBits(StartBits + PayloadBits)
  ) u_contexts (
      .clk,
      .rst,
      .zeroize,
      .s_valid(s_ctx_tvalid),
      .s_ready(s_ctx_tready),
      .s_header(s_ctx_header),
      .s_payload({s_ctx_start, s_ctx_payload}),
      .m_valid(context_valid),
      .m_ready(begin_valid),
      .m_header(next_header),
      .m_place(next_place),
      .place(place_q),
      .payload({beat_start, new_payload})
  );

  // The beat at the head. free_q (its stream has no beat in flight) is looked up on arrival, which
  // shortens the path to s_axis_tready.
  logic accept, go, head_q, head_first_q, head_last_q, head_beyond_q;
  logic free_q, missing, credit, beat_q, done, skip_q, skip;
  logic [StreamBits-1:0] done_stream;
  logic [DataBits-1:0] head_data_q;
  logic [Bytes-1:0] head_keep_q;
  logic [UserBits-1:0] head_user_q;
  logic [Places-1:0] inside_q, busy_q;
  logic leave, swallow;
  assign go = head_q && free_q && credit && !beat_hold && !skip_q
      && (!head_first_q || (context_valid ? !next_stall : missing));
  assign s_axis_tready = !zeroize && (!head_q || go);
  assign accept = s_axis_tvalid && s_axis_tready;
  assign begin_valid = go && head_first_q;
  assign next_valid = head_q && head_first_q && context_valid;
  always_ff @(posedge clk) begin
    head_q <= accept || (head_q && !go);
    if (accept) begin
      head_data_q <= DataBits'(aesforge_pkg::byte_swap(256'(s_axis_tdata), Bytes));
      head_keep_q <= s_axis_tkeep;
      head_last_q <= s_axis_tlast;
      head_stream <= s_axis_tid;
      head_user_q <= s_axis_tuser;
      head_first_q <= 32'(s_axis_tid) < Streams && !inside_q[s_axis_tid];
      head_beyond_q <= 32'(s_axis_tid) >= Streams;
      free_q <= (!busy_q[s_axis_tid] || (done && done_stream == s_axis_tid))
          && !(go && head_stream == s_axis_tid) && !(beat_q && beat_stream == s_axis_tid);
    end else if (done && done_stream == head_stream) begin
      free_q <= 1'b1;
    end
    // A cycle late, from registers only: `go` does not fan out to every stream.
    for (int unsigned i = 0; i < Places; i++) begin
      if (done && 32'(done_stream) == i) busy_q[i] <= 1'b0;
      else if (beat_q && 32'(beat_stream) == i) busy_q[i] <= 1'b1;
      if (accept && 32'(s_axis_tid) == i) inside_q[i] <= !s_axis_tlast;
    end
    if (zeroize) head_data_q <= '0;
    if (rst || zeroize) begin
      head_q <= 1'b0;
      inside_q <= '0;
      busy_q <= '0;
    end
  end

  aesforge_credit_counter #(
      .Depth  (Depth),
      .Latency(2)
  ) u_credits (
      .clk,
      .rst,
      .zeroize,
      .take(go),
      .give(2'(leave) + 2'(swallow)),
      .credit
  );

  aesforge_context_timeout #(
      .Cycles(ContextTimeout)
  ) u_timeout (
      .clk,
      .rst,
      .waiting(1'b1),
      .restart(zeroize || go || !head_q || !head_first_q || context_valid),
      .missing
  );

  // Context and state of each stream's packet, stored by its first beat. Zeroization visits all
  // streams in turn. Payloads leave their RAM through a second register, which block RAM has. None
  // is read in the cycle in which it is written: a stream's next beat comes after that.
  logic [StreamBits-1:0] walk_q;
  (* no_rw_check *)
  logic [PayloadBits-1:0] payloads[0:Streams-1];
  logic [HeaderBits-1:0] headers[0:Streams-1];
  logic [PayloadBits-1:0] payload_q;
  logic [4:0] states[0:Streams-1];
  // The beat to the modes, and its errors.
  logic beat_beyond_q, bad_keep;
  logic known_q, broken_q, partial_q, digest_q, empty_q, beat_error, beat_block;
  logic [UserBits-1:0] beat_user_q;
  always_ff @(posedge clk) begin
    beat_q <= go;
    beat_stream <= head_stream;
    beat_first <= head_first_q;
    beat_last <= head_last_q;
    beat_keep <= head_keep_q;
    beat_data <= head_data_q;
    beat_user_q <= head_user_q;
    beat_beyond_q <= head_beyond_q;
    payload_q <= payloads[head_stream];
    if (head_first_q) begin
      beat_header <= next_header;
      known_q <= context_valid && !next_error;
      broken_q <= !context_valid || next_error;
      partial_q <= next_partial;
      // Without a context it is unknown whether the packet is a digest.
      digest_q <= context_valid && next_digest;
      empty_q <= next_empty;
    end else begin
      beat_header <= headers[head_stream];
      {known_q, broken_q, partial_q, digest_q, empty_q} <= states[head_stream];
    end
    if (head_beyond_q) {known_q, broken_q, digest_q} <= 3'b010;
    if (zeroize) begin
      beat_data   <= '0;
      beat_header <= '0;
    end
    if (rst || zeroize) beat_q <= 1'b0;
    walk_q <= walk_q + 1'b1;
    if (rst) walk_q <= '0;
  end
  assign beat_payload = beat_first ? new_payload : payload_q;
  // While zeroizing, the new payload is selected, and zero.
  logic late_first_q, late_store_q;
  logic [StreamBits-1:0] late_stream_q;
  logic [PayloadBits-1:0] late_new_q, late_old_q;
  always_ff @(posedge clk) begin
    late_first_q  <= beat_first || zeroize;
    late_store_q  <= (beat_q && beat_first) || zeroize;
    late_stream_q <= zeroize ? walk_q : beat_stream;
    late_new_q    <= new_payload;
    late_old_q    <= payload_q;
    if (late_store_q) payloads[late_stream_q] <= late_new_q;
    if (zeroize) late_new_q <= '0;
    if (rst) late_store_q <= 1'b0;
  end
  assign late_payload = late_first_q ? late_new_q : late_old_q;
  assign beat_user = beat_user_q;
  if (Sections) begin : gen_sections
    assign bad_keep = !beat_keep[0];
    logic unused_ok;
    assign unused_ok = &{1'b0, partial_q};
  end else begin : gen_packets
    aesforge_packet_check #(
        .Bytes(Bytes),
        .BlockBytes(Bytes),
        .Stages(2)
    ) u_check (
        .clk,
        .s_valid(accept),
        .s_keep(s_axis_tkeep),
        .first_keep(beat_keep[0]),
        .last(beat_last),
        .partial(partial_q),
        .error(bad_keep)
    );
  end
  // A digest packet ends in a block, or is empty.
  assign beat_error = broken_q || bad_keep
      || (digest_q && !beat_keep[0] && !(beat_first && empty_q));
  assign beat_block = !beat_error && (beat_keep[0] || digest_q);
  assign beat_valid = beat_q && beat_block;

  // Sideband of the beat in flight of each stream, and whether a packet that began has ended, which
  // is needed earlier. None is read in the cycle in which it is written.
  (* no_rw_check *)
  logic [SideBits-1:0] sides[0:Places-1];
  (* no_rw_check *)
  logic ends[0:Places-1];
  always_ff @(posedge clk) begin
    if (zeroize || (beat_q && !beat_beyond_q)) begin
      headers[zeroize ? walk_q : beat_stream] <= beat_header;
    end
    if (beat_q && !beat_beyond_q) begin
      states[beat_stream] <= {known_q, beat_error, partial_q, digest_q, empty_q};
    end
    if (beat_q) begin
      ends[beat_stream] <= known_q && beat_last;
      sides[beat_stream] <= {
        !digest_q || beat_last,
        beat_block,
        beat_error,
        beat_last,
        beat_keep | {Bytes{digest_q}},
        beat_user_q
      };
    end
  end

  // A beat without a block bypasses the modes and takes a cycle in which they have no result. The
  // head stalls meanwhile, but one more beat may already be on its way.
  logic skip_spare_q;
  logic [StreamBits-1:0] skip_stream_q, skip_spare_stream_q;
  assign skip = beat_q && !beat_block;
  assign done = result_valid || skip_q;
  assign done_stream = result_valid ? result_stream : skip_stream_q;
  always_ff @(posedge clk) begin
    skip_q <= skip || skip_spare_q || (skip_q && result_valid);
    skip_spare_q <= skip_q && result_valid && (skip || skip_spare_q);
    if (!skip_q || !result_valid) skip_stream_q <= skip_spare_q ? skip_spare_stream_q : beat_stream;
    if (!skip_spare_q) skip_spare_stream_q <= beat_stream;
    if (rst || zeroize) {skip_q, skip_spare_q} <= '0;
  end

  // Results with their sideband, which leaves its RAM through a second register. Of a digest packet
  // only the last one leaves.
  logic done_q, end_q, done_wrong_q;
  logic [DataBits-1:0] done_data_q;
  logic [StreamBits-1:0] done_stream_q;
  logic [SideBits-1:0] done_side_q;
  logic out_q, out_wrong_q, out_shown, out_block, out_error, out_last;
  logic [DataBits-1:0] out_data_q;
  logic [StreamBits-1:0] out_stream_q;
  logic [SideBits-1:0] out_side_q;
  logic [Bytes-1:0] out_keep;
  logic [UserBits-1:0] out_user;
  always_ff @(posedge clk) begin
    done_q <= done;
    done_stream_q <= done_stream;
    done_side_q <= sides[done_stream];
    end_q <= ends[done_stream];
    done_data_q <= result_data;
    done_wrong_q <= result_valid && result_error;
    out_q <= done_q;
    out_stream_q <= done_stream_q;
    out_side_q <= done_side_q;
    out_data_q <= done_data_q;
    out_wrong_q <= done_wrong_q;
    if (zeroize) begin
      done_stream_q <= '0;
      done_data_q <= '0;
    end
    if (rst || zeroize) {done_q, out_q} <= '0;
  end
  assign {out_shown, out_block, out_error, out_last, out_keep, out_user} = out_side_q;
  assign swallow = out_q && !out_shown;
  assign end_valid = done_q && end_q;
  assign end_stream = done_stream_q;

  // Output beats. Bytes without tkeep, and all bytes after an error, are zero.
  logic [DataBits-1:0] data, masked;
  assign data = DataBits'(aesforge_pkg::byte_swap(256'(out_data_q), Bytes));
  for (genvar i = 0; i < Bytes; i++) begin : gen_byte
    assign masked[8*i+:8] = out_block && !out_wrong_q && out_keep[i] ? data[8*i+:8] : 8'h00;
  end
  aesforge_axis_queue #(
      .Width(DataBits + Bytes + StreamBits + UserBits + 2),
      .Depth(Depth)
  ) u_queue (
      .clk,
      .rst,
      .zeroize,
      .s_valid(out_q && out_shown),
      .s_data({masked, out_keep, out_last, out_stream_q, out_user, out_error || out_wrong_q}),
      .leave,
      .m_valid(m_axis_tvalid),
      .m_ready(m_axis_tready),
      .m_data({m_axis_tdata, m_axis_tkeep, m_axis_tlast, m_axis_tid, m_axis_tuser})
  );
endmodule

`default_nettype wire
