// SPDX-License-Identifier: Apache-2.0
// An AXI4-Stream shell around what takes beats in and gives results back in order, with no means to
// hold them back: a beat enters only where the output queues have room for it.
// Latency 4 cycles besides what lies between beat and result; one beat a cycle.
`default_nettype none

module aesforge_axis_shell #(
    // bytes of a beat
    parameter int unsigned Bytes = 16,
    // bits of a context, which the shell carries and does not read
    parameter int unsigned ContextBits = 8,
    // bits of tid, and of tuser without the error flag
    parameter int unsigned IdBits = 1,
    parameter int unsigned UserBits = 1,
    // beats that may be inside, a power of two: full rate needs the loop's length, see the page
    parameter int unsigned Depth = 64,
    // cycles that a packet waits for its context, after which it goes through with the error flag;
    // 0: for ever
    parameter int unsigned ContextWait = 1024
) (
    input  logic                   clk,
    input  logic                   rst,
    // forgets everything, as aesforge_axis_fifo does
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
    input  logic [ContextBits-1:0] s_ctx_tdata,
    // judgement of the context of the next packet: not yet, never, may end in a partial beat
    output logic [ContextBits-1:0] next_context,
    input  logic                   next_wait,
    input  logic                   next_error,
    input  logic                   next_partial,
    // a packet is open: its first beat has been taken, its last has not left for the modes
    output logic                   open,
    // beat out; byte 0 at the top. beat_block: a result follows, else none does.
    output logic                   beat_valid,
    input  logic                   beat_ready,
    output logic                   beat_first,
    output logic                   beat_block,
    output logic [    8*Bytes-1:0] beat_data,
    output logic [ContextBits-1:0] beat_context,
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
  localparam int unsigned CreditBits = $clog2(Depth) + 1;
  localparam int unsigned SideBits = DataBits + Bytes + IdBits + UserBits + 3;

  // Byte 0 of a beat stands at the low end on the bus and at the top everywhere else.
  function automatic logic [DataBits-1:0] swap(input logic [DataBits-1:0] data);
    for (int i = 0; i < Bytes; i++) swap[8*i+:8] = data[8*(Bytes-1-i)+:8];
  endfunction

  // Contexts wait in two places, so that packets of one beat each run without a bubble.
  logic next_valid, next_ready;
  aesforge_axis_slice #(
      .Width(ContextBits)
  ) u_contexts (
      .clk,
      .rst,
      .wipe,
      .s_valid(s_ctx_tvalid),
      .s_ready(s_ctx_tready),
      .s_data(s_ctx_tdata),
      .m_valid(next_valid),
      .m_ready(next_ready),
      .m_data(next_context)
  );

  // Beats in. The credits given out never exceed Depth: the top bit alone says that none is left.
  logic accept, leave, start, missing_q, inside_q;
  logic [CreditBits-1:0] credits_q;
  assign start = next_valid ? !next_wait : missing_q;
  assign s_axis_tready = !wipe && !credits_q[CreditBits-1] && (!beat_valid || beat_ready)
      && (inside_q || start);
  assign accept = s_axis_tvalid && s_axis_tready;
  assign next_ready = accept && !inside_q;
  always_ff @(posedge clk) begin
    credits_q <= credits_q + CreditBits'(accept) - CreditBits'(leave);
    if (accept) inside_q <= !s_axis_tlast;
    if (rst || wipe) begin
      credits_q <= '0;
      inside_q  <= 1'b0;
    end
  end

  // A packet without a context.
  if (ContextWait > 0) begin : gen_missing
    localparam int unsigned WaitBits = $clog2(ContextWait + 1);
    logic [WaitBits-1:0] wait_q;
    always_ff @(posedge clk) begin
      if (!s_axis_tvalid || inside_q || next_valid) wait_q <= '0;
      else if (!missing_q) wait_q <= wait_q + 1'b1;
      missing_q <= !inside_q && (missing_q || wait_q == WaitBits'(ContextWait - 1));
      if (rst || wipe || accept || next_valid) begin
        wait_q <= '0;
        missing_q <= 1'b0;
      end
    end
  end else begin : gen_missing
    assign missing_q = 1'b0;
  end

  // The beat at the entry of the modes, and what is wrong with it.
  logic hole_q, full_q, last_q, context_error_q, partial_q, broken_q, beat_error, take;
  logic [Bytes-1:0] keep_q;
  logic [IdBits-1:0] id_q;
  logic [UserBits-1:0] user_q;
  always_ff @(posedge clk) begin
    if (accept) begin
      beat_data <= swap(s_axis_tdata);
      keep_q <= s_axis_tkeep;
      last_q <= s_axis_tlast;
      id_q <= s_axis_tid;
      user_q <= s_axis_tuser;
      beat_first <= !inside_q;
      full_q <= s_axis_tkeep == '1;
      hole_q <= ((s_axis_tkeep >> 1) & ~s_axis_tkeep) != '0;
    end
    if (next_ready) begin
      if (next_valid) beat_context <= next_context;
      context_error_q <= !next_valid || next_error;
      partial_q <= next_partial;
    end
    beat_valid <= accept || (beat_valid && !beat_ready);
    if (take) broken_q <= beat_error && !last_q;
    if (wipe) begin
      beat_data <= '0;
      beat_context <= '0;
    end
    if (rst || wipe) begin
      beat_valid <= 1'b0;
      broken_q <= 1'b0;
    end
  end
  assign open = inside_q || beat_valid;
  assign take = beat_valid && beat_ready;
  // A beat that is not full ends a packet; one of a mode of whole blocks has no bytes then.
  assign beat_error = context_error_q || broken_q || hole_q
      || (!full_q && (!last_q || (keep_q[0] && !partial_q)));
  assign beat_block = keep_q[0] && !beat_error;

  // Beside the core: what belongs to a beat.
  logic side_valid, side_block, side_error, side_last;
  logic [Bytes-1:0] side_keep;
  logic [IdBits-1:0] side_id;
  logic [UserBits-1:0] side_user;
  logic [DataBits-1:0] side_xor;
  aesforge_axis_fifo #(
      .Width(SideBits),
      .Depth(Depth)
  ) u_sides (
      .clk,
      .rst,
      .wipe,
      .s_valid(take),
      .s_data({beat_block, beat_error, last_q, keep_q, id_q, user_q, beat_xor}),
      .m_valid(side_valid),
      .m_ready(leave),
      .m_data({side_block, side_error, side_last, side_keep, side_id, side_user, side_xor})
  );

  // Behind the core: its results.
  logic block_valid;
  logic [DataBits-1:0] block;
  aesforge_axis_fifo #(
      .Width(DataBits),
      .Depth(Depth)
  ) u_results (
      .clk,
      .rst,
      .wipe,
      .s_valid(result_valid),
      .s_data(result_data),
      .m_valid(block_valid),
      .m_ready(leave && side_block),
      .m_data(block)
  );

  // Beats out. Bytes that are not kept, and all bytes from an error on, are zero.
  logic [DataBits-1:0] data;
  assign data = swap(block ^ side_xor);
  assign leave = side_valid && (block_valid || !side_block) && (!m_axis_tvalid || m_axis_tready);
  always_ff @(posedge clk) begin
    m_axis_tvalid <= leave || (m_axis_tvalid && !m_axis_tready);
    if (leave) begin
      for (int i = 0; i < Bytes; i++) begin
        m_axis_tdata[8*i+:8] <= side_block && side_keep[i] ? data[8*i+:8] : 8'h00;
      end
      m_axis_tkeep <= side_keep;
      m_axis_tlast <= side_last;
      m_axis_tid   <= side_id;
      m_axis_tuser <= {side_user, side_error};
    end
    if (wipe) m_axis_tdata <= '0;
    if (rst || wipe) m_axis_tvalid <= 1'b0;
  end
endmodule

`default_nettype wire
