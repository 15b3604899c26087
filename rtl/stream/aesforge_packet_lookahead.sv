// SPDX-License-Identifier: Apache-2.0
// Delays the beats of a stream until it is known how many beats of their packet follow, or that
// these are `Ahead` or more; and how many blocks they have. Latency 4 cycles from the beat that
// decides; one beat per cycle.
`default_nettype none

module aesforge_packet_lookahead #(
    parameter int unsigned Width = 8,  // [1 or more] bits of a beat without its end mark
    // [a power of two from 4 to 32] how far it looks: the count of a beat ends there
    parameter int unsigned Ahead = 16,
    // [a power of two] most blocks of a beat; above 1 they are counted
    parameter int unsigned Blocks = 1,
    localparam int unsigned SizeBits = Blocks > 1 ? $clog2(Blocks) : 1,
    localparam int unsigned SumBits = $clog2(Ahead * Blocks)
) (
    input  logic                   clk,  // clock
    input  logic                   rst,  // synchronous reset
    // high for at least 2 x `Ahead` + 12 cycles: accepts nothing from the next cycle on, discards
    // all beats and overwrites them with zeros
    input  logic                   zeroize,
    input  logic                   s_valid,  // a beat is present
    output logic                   s_ready,  // it is accepted
    input  logic [      Width-1:0] s_data,  // beat in
    input  logic                   s_last,  // the packet ends with this beat
    // blocks of the beat less one; a last beat counts as one block
    input  logic [   SizeBits-1:0] s_size,
    output logic                   m_valid,  // a beat is at the output
    input  logic                   m_ready,  // it is accepted
    output logic [      Width-1:0] m_data,  // beat out; stays until it is accepted
    output logic                   m_last,  // `s_last` of the beat
    // beats of its packet that follow, `Ahead` if these are more
    output logic [$clog2(Ahead):0] m_left,
    // blocks of the beat and of those that follow, of `Ahead` beats at most, less one
    output logic [    SumBits-1:0] m_sum
);
  localparam int unsigned LeftBits = $clog2(Ahead) + 1;
  // At full rate the credit counter sees `Ahead` + 4 places taken, and needs 4 more.
  localparam int unsigned Depth = Ahead < 8 ? 16 : 2 * Ahead;
  localparam int unsigned PlaceBits = $clog2(Depth);

  if (Ahead < 4 || Ahead > 32 || 2 ** (LeftBits - 1) != Ahead) begin : gen_bad_ahead
    $error("ahead must be a power of two from 4 to 32");
  end

  logic accept, leave, step, begins, more_q, zeroize_q;
  assign accept = s_valid && s_ready;
  assign leave = m_valid && m_ready;
  aesforge_credit_counter #(
      .Depth  (Depth),
      .Latency(2)
  ) u_credits (
      .clk,
      .rst,
      .zeroize,
      .take(accept),
      .give({1'b0, leave}),
      .credit(s_ready)
  );

  // The memory is written in every cycle, which saves the fan-out of an enable: one place is always
  // free. index_q: beats of the packet before the one in data_q, at most `Ahead`.
  logic put_q, last_q;
  logic [Width-1:0] data_q;
  logic [LeftBits-1:0] index_q, next_index;
  always_comb begin
    // Without a carry chain, which is slower for so few bits.
    for (int i = 0; i < LeftBits; i++) begin
      next_index[i] = index_q[i] ^ ((~index_q & LeftBits'((1 << i) - 1)) == '0);
    end
  end
  (* no_rw_check, ram_style = "distributed" *)
  logic [Width-1:0] memory[0:Depth-1];
  logic [PlaceBits-1:0] write_q, read_q;
  // A beat is in the memory when its run is known, or before.
  always_ff @(posedge clk) begin
    put_q  <= accept;
    last_q <= s_last;
    data_q <= s_data;
    if (put_q && !index_q[LeftBits-1]) index_q <= next_index;
    memory[write_q] <= data_q;
    if (put_q || zeroize) write_q <= write_q + 1'b1;
    if (step) m_data <= memory[read_q];
    if (begins) read_q <= read_q + 1'b1;
    if (zeroize) data_q <= '0;
    if (rst || zeroize || (put_q && last_q)) index_q <= '0;
    if (rst || zeroize) {put_q, read_q} <= '0;
    zeroize_q <= zeroize;
    // The pointer starts at 0 after zeroization.
    if (rst || (zeroize_q && !zeroize)) write_q <= '0;
    if (rst) zeroize_q <= 1'b0;
  end

  // A run is one beat that `Ahead` beats follow, or the last beats of a packet, at most `Ahead` + 1
  // of them, which the counts go down through. The beat that ends or decides it writes the count of
  // its first beat, and whether it has more than one.
  logic run_put, run_get, run_some_q, run_ready, run_valid, run_more, run_take;
  logic [LeftBits-1:0] run_left;
  localparam int unsigned RunBits = LeftBits + 1 + (Blocks > 1 ? SumBits : 0);
  logic [RunBits-1:0] run;
  logic [SumBits-1:0] put_sum, run_sum;
  (* no_rw_check, ram_style = "distributed" *)
  logic [RunBits-1:0] runs[0:Depth-1];
  // The runs in the memory are those from run_read_q up to run_write_q; run_after_q is the place
  // after run_read_q.
  logic [PlaceBits-1:0] run_write_q, run_read_q, run_after_q;
  assign run_put = put_q && (last_q || index_q[LeftBits-1]);
  assign run_get = run_some_q && run_ready;
  always_ff @(posedge clk) begin
    runs[run_write_q] <= RunBits'({put_sum, last_q && index_q != '0, index_q});
    if (run_put || zeroize) run_write_q <= run_write_q + 1'b1;
    if (run_get) begin
      run_read_q  <= run_after_q;
      run_after_q <= run_after_q + 1'b1;
    end
    run_some_q <= run_put || (run_get ? run_write_q != run_after_q : run_write_q != run_read_q);
    if (rst || zeroize || zeroize_q) begin
      {run_read_q, run_some_q} <= '0;
      run_after_q <= PlaceBits'(1);
    end
    if (rst || (zeroize_q && !zeroize)) run_write_q <= '0;
  end
  aesforge_axis_slice #(
      .Width(RunBits)
  ) u_runs (
      .clk,
      .rst,
      .zeroize,
      .s_valid(run_some_q),
      .s_ready(run_ready),
      .s_data(runs[run_read_q]),
      .m_valid(run_valid),
      .m_ready(run_take),
      .m_data(run)
  );
  assign {run_sum, run_more, run_left} = (SumBits + LeftBits + 1)'(run);

  // Beats out. more_q: the next beat is of the same run.
  logic [LeftBits-1:0] next_left;
  always_comb begin
    for (int i = 0; i < LeftBits; i++) begin
      next_left[i] = m_left[i] ^ ((m_left & LeftBits'((1 << i) - 1)) == '0);
    end
  end
  assign step = !m_valid || m_ready;
  assign begins = step && (more_q || run_valid);
  assign run_take = step && !more_q;
  always_ff @(posedge clk) begin
    if (step) begin
      m_valid <= more_q || run_valid;
      m_left <= more_q ? next_left : run_left;
      m_last <= more_q ? m_left == LeftBits'(1) : !run_more && !run_left[LeftBits-1];
      more_q <= more_q ? m_left != LeftBits'(1) : run_valid && run_more;
    end
    if (rst || zeroize) {m_valid, more_q} <= '0;
  end

  if (Blocks > 1) begin : gen_sum
    // recent_q: blocks of the beats of the packet before the one in data_q, of `Ahead` of them at
    // most, whose sizes are in before_q.
    logic [SizeBits-1:0] size_q, m_size;
    logic [SizeBits-1:0] before_q[0:Ahead-1];
    logic [SumBits:0] recent_q, grown;
    (* no_rw_check, ram_style = "distributed" *)
    logic [SizeBits-1:0] sizes[0:Depth-1];
    logic many;
    assign many = index_q[LeftBits-1];
    assign grown = recent_q + (SumBits + 1)'(size_q) + 1'b1;
    // A run's first beat is `Ahead` beats before this one, or the packet's first; a last beat has
    // one block.
    assign put_sum = many ? SumBits'(recent_q - 1'b1) : SumBits'(recent_q);
    always_ff @(posedge clk) begin
      size_q <= s_size;
      sizes[write_q] <= size_q;
      if (put_q) begin
        before_q[0] <= size_q;
        for (int i = 1; i < Ahead; i++) before_q[i] <= before_q[i-1];
        recent_q <= many ? grown - (SumBits + 1)'(before_q[Ahead-1]) - 1'b1 : grown;
      end
      if (put_q && last_q) recent_q <= '0;
      if (rst || zeroize) recent_q <= '0;
      if (zeroize) size_q <= '0;
      if (step) begin
        m_size <= sizes[read_q];
        if (!more_q) m_sum <= run_sum;
        else if (m_left[LeftBits-1]) m_sum <= m_sum - SumBits'(m_size);
        else m_sum <= m_sum - SumBits'(m_size) - 1'b1;
      end
    end
  end else begin : gen_sum
    assign put_sum = '0;
    assign m_sum = m_left[LeftBits-1] ? '1 : m_left[SumBits-1:0];
    logic unused_ok;
    assign unused_ok = &{1'b0, s_size, run_sum};
  end
endmodule

`default_nettype wire
