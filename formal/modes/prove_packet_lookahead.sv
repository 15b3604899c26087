// SPDX-License-Identifier: Apache-2.0
// aesforge_packet_lookahead under any traffic: beats leave in order and unchanged, each with the
// count of those that follow it in its packet, and with that of their blocks.
`default_nettype none

module prove_packet_lookahead #(
    parameter int unsigned Ahead = 4,
    parameter int unsigned Blocks = 1,
    // 1: also that from which all this follows; without, only what the outside sees
    parameter bit Steps = 1'b1,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0,
    localparam int unsigned LeftBits = $clog2(Ahead) + 1,
    localparam int unsigned SizeBits = Blocks > 1 ? $clog2(Blocks) : 1,
    localparam int unsigned SumBits = $clog2(Ahead * Blocks)
) (
    input logic clk,
    input logic rst,
    input logic s_valid,
    input logic s_data,
    input logic s_last,
    input logic [SizeBits-1:0] s_size,
    input logic m_ready
);
  logic s_ready, m_valid, m_data, m_last;
  logic [LeftBits-1:0] m_left;
  logic [SumBits-1:0] m_sum;
  aesforge_packet_lookahead #(
      .Width (1),
      .Ahead (Ahead),
      .Blocks(Blocks)
  ) u_lookahead (
      .clk,
      .rst,
      .zeroize(1'b0),
      .s_valid,
      .s_ready,
      .s_data,
      .s_last,
      .s_size,
      .m_valid,
      .m_ready,
      .m_data,
      .m_last,
      .m_left,
      .m_sum
  );
  wire push = s_valid && s_ready;
  wire pop = m_valid && m_ready;

  // Beats that came, by their numbers: those from n_out on are inside. Numbers count to a multiple
  // of the places.
  localparam int unsigned Depth = Ahead < 8 ? 16 : 2 * Ahead;
  localparam int unsigned PlaceBits = $clog2(Depth);
  localparam int unsigned Bits = PlaceBits + 4;
  logic [Bits-1:0] n_in = '0, n_out = '0;
  logic [Depth-1:0] datas, lasts;
  logic [SizeBits*Depth-1:0] sizes;
  wire [Bits-1:0] inside = n_in - n_out;
  function automatic logic [PlaceBits-1:0] place(input logic [Bits-1:0] number);
    place = number[PlaceBits-1:0];
  endfunction
  // Whether so many beats from one on are not last ones of their packets, and the next one is.
  function automatic logic [Ahead:0] open_from(input logic [Bits-1:0] number);
    open_from[0] = 1'b1;
    for (int i = 0; i < Ahead; i++) begin
      open_from[i+1] = open_from[i] && !lasts[place(number + Bits'(i))];
    end
  endfunction
  function automatic logic ends_after(
      input logic [Bits-1:0] number, input logic [LeftBits-1:0] left);
    logic [Ahead:0] open;
    open = open_from(number);
    ends_after = 1'b0;
    for (int i = 0; i <= Ahead; i++) begin
      if (left == LeftBits'(i)) ends_after = open[i] && lasts[place(number + Bits'(i))];
    end
  endfunction
  function automatic logic opens(input logic [Bits-1:0] number);
    logic [Ahead:0] open;
    open  = open_from(number);
    opens = open[Ahead];
  endfunction

  // Blocks of a beat, and of so many from one on. With one block in a beat its size means nothing.
  function automatic logic [SumBits:0] blocks_of(input logic [Bits-1:0] number);
    blocks_of = 1;
    for (int i = 0; i < Depth; i++) begin
      if (Blocks > 1 && place(number) == PlaceBits'(i)) begin
        blocks_of = sizes[SizeBits*i+:SizeBits] + 1'b1;
      end
    end
  endfunction
  function automatic logic [SumBits:0] sum_from(
      input logic [Bits-1:0] number, input logic [LeftBits-1:0] beats);
    sum_from = '0;
    if (Blocks == 1) sum_from = beats;
    else begin
      for (int i = 0; i < Ahead; i++) begin
        if (LeftBits'(i) < beats) sum_from = sum_from + blocks_of(number + Bits'(i));
      end
    end
  endfunction
  // A last beat counts as one block; where `Ahead` beats or more follow, that many count.
  function automatic logic [SumBits-1:0] sum_of(
      input logic [Bits-1:0] number, input logic [LeftBits-1:0] left);
    logic [SumBits:0] sum;
    sum = sum_from(number, left);
    if (left == LeftBits'(Ahead)) sum = sum - 1'b1;
    sum_of = sum[SumBits-1:0];
  endfunction

  logic begun = 1'b0, waits = 1'b0, seen_long = 1'b0, seen_short = 1'b0;
  logic [LeftBits+SumBits+1:0] held;
  wire [LeftBits+SumBits+1:0] out = {m_data, m_last, m_left, m_sum};
  always_ff @(posedge clk) begin
    begun <= 1'b1;
    waits <= m_valid && !m_ready && !rst;
    held  <= out;
    if (push) begin
      datas[place(n_in)] <= s_data;
      lasts[place(n_in)] <= s_last;
      for (int i = 0; i < Depth; i++) begin
        if (place(n_in) == PlaceBits'(i)) sizes[SizeBits*i+:SizeBits] <= s_size;
      end
      n_in <= n_in + 1'b1;
    end
    if (pop) begin
      n_out <= n_out + 1'b1;
      seen_long <= seen_long || m_left == LeftBits'(Ahead);
      seen_short <= seen_short || m_left == LeftBits'(2);
    end
    if (rst) begin
      n_in <= '0;
      n_out <= '0;
    end
  end

  // Registers of the module, connected by the script; place 0 of a memory is in the lowest bits.
  (* keep *) logic put_q, last_q, data_q, more_q, run_some_q, run_valid, spare_valid_q, zeroize_q;
  (* keep *) logic [LeftBits-1:0] index_q;
  (* keep *) logic [PlaceBits-1:0] write_q, read_q, run_write_q, run_read_q, run_after_q, used_q;
  (* keep *) logic [1:0] delta_q;
  localparam int unsigned RunBits = LeftBits + 1 + (Blocks > 1 ? SumBits : 0);
  (* keep *) logic [RunBits-1:0] run_first, run_spare;
  (* keep *) logic [Depth-1:0] memory;
  (* keep *) logic [RunBits*Depth-1:0] runs;
  // Of several blocks in a beat.
  (* keep *) logic [SizeBits-1:0] size_q, m_size;
  (* keep *) logic [SizeBits*Ahead-1:0] befores;
  (* keep *) logic [SumBits:0] recent_q;
  (* keep *) logic [SizeBits*Depth-1:0] size_memory;

  // The number of the first beat of each run: in the memory, in the slice and its spare register.
  logic [Bits*Depth-1:0] run_numbers;
  logic [Bits-1:0] first_number, spare_number;
  wire [Bits-1:0] n_put = n_in - Bits'(put_q);
  wire [Bits-1:0] n_read = n_out + Bits'(m_valid);
  // Beats before this one belong to a run.
  wire [Bits-1:0] n_run = n_put - Bits'(index_q);
  // The next run begins here.
  wire [Bits-1:0] n_next = n_read + (more_q ? Bits'(m_left) : '0);
  wire run_put = put_q && (last_q || index_q[LeftBits-1]);
  wire run_get = run_some_q && !spare_valid_q;
  wire run_take = (!m_valid || m_ready) && !more_q;
  logic [Bits-1:0] got_number;
  wire [PlaceBits-1:0] run_count = run_write_q - run_read_q;
  always_ff @(posedge clk) begin
    for (int i = 0; i < Depth; i++) begin
      if (run_put && run_write_q == PlaceBits'(i)) run_numbers[Bits*i+:Bits] <= n_run;
    end
    if (!run_valid || run_take) begin
      first_number <= spare_valid_q ? spare_number : got_number;
    end
    if (!spare_valid_q) spare_number <= got_number;
  end
  // A run is a beat that `Ahead` beats follow, or the last beats of a packet.
  function automatic logic right(input logic [RunBits-1:0] run, input logic [Bits-1:0] number);
    logic [SumBits-1:0] sum;
    sum = run >> (LeftBits + 1);
    right = (Blocks == 1 || sum == sum_of(number, run[LeftBits-1:0])) && (run[LeftBits] ? run[LeftBits-1:0] != '0 && run[LeftBits-1:0] <= LeftBits'(Ahead)
            && ends_after(number, run[LeftBits-1:0])
        : run[LeftBits-1:0] == '0 ? lasts[place(number)]
        : run[LeftBits-1:0] == LeftBits'(Ahead) && opens(number));
  endfunction
  // All beats that decide it are inside.
  function automatic logic known(
      input logic [RunBits-1:0] run, input logic [Bits-1:0] number, input logic [Bits-1:0] first,
      input logic [Bits-1:0] beats);
    known = number - first + Bits'(run[LeftBits-1:0]) < beats;
  endfunction
  function automatic logic [Bits-1:0] after(
      input logic [RunBits-1:0] run, input logic [Bits-1:0] number);
    after = number + 1'b1 + (run[LeftBits] ? Bits'(run[LeftBits-1:0]) : '0);
  endfunction

  // Whether each place of the memory has a run, the run that follows it, and its own number.
  logic [Depth-1:0] there;
  logic [RunBits-1:0] run;
  logic [Bits-1:0] number, follows;
  always_comb begin
    got_number = '0;
    for (int i = 0; i < Depth; i++) begin
      there[i] = PlaceBits'(i) - run_read_q < run_count;
      if (run_read_q == PlaceBits'(i)) got_number = run_numbers[Bits*i+:Bits];
    end
  end

  always_comb begin
    assume (begun || rst);
    run = '0;
    number = '0;
    follows = '0;
    if (Cover) begin
      assert (!(seen_long && seen_short));
    end else if (begun) begin
      // 1. What waits at the output stays as it is; no beat is invented, and no more are inside
      // than there are places.
      if (waits) assert (m_valid && out == held);
      if (m_valid) assert (inside != '0);
      assert (inside < Bits'(Depth));
      if (m_valid) begin
        // 2. The oldest beat that is inside leaves.
        assert (m_data == datas[place(n_out)] && m_last == lasts[place(n_out)]);
        // 3. With the beats that follow it in its packet, which all are inside, or `Ahead` of them.
        assert (m_left <= LeftBits'(Ahead) && inside > Bits'(m_left));
        if (m_left == LeftBits'(Ahead)) assert (opens(n_out));
        else assert (ends_after(n_out, m_left));
        // 4. And with the number of their blocks.
        assert (m_sum == sum_of(n_out, m_left));
      end
      if (Steps) begin
        assert (!zeroize_q && run_after_q == run_read_q + 1'b1);
        // Places and credits.
        assert (inside == Bits'(used_q) + Bits'($signed(delta_q)) && delta_q != 2'b10);
        if (s_ready) assert (inside <= Bits'(Depth - 2));
        assert (write_q == place(n_put) && read_q == place(n_read));
        assert (Bits'(put_q) + Bits'(m_valid) <= inside);
        if (put_q) begin
          assert (data_q == datas[place(n_put)] && last_q == lasts[place(n_put)]);
        end
        for (int i = 0; i < Depth; i++) begin
          if (PlaceBits'(i) - read_q < write_q - read_q) assert (memory[i] == datas[i]);
        end
        // The open packet: beats before the one in the first stage, at most `Ahead`.
        assert (index_q <= LeftBits'(Ahead));
        for (int i = 1; i <= Ahead; i++) begin
          if (LeftBits'(i) <= index_q) assert (!lasts[place(n_put - Bits'(i))]);
        end
        if (Blocks > 1) begin
          if (put_q) assert (blocks_of(n_put) == {1'b0, size_q} + 1'b1);
          if (m_valid) assert (blocks_of(n_out) == {1'b0, m_size} + 1'b1);
          assert (recent_q == sum_from(n_run, index_q));
          for (int i = 0; i < Ahead; i++) begin
            if (LeftBits'(i) < index_q) begin
              assert (blocks_of(n_put - Bits'(i + 1)) == befores[SizeBits*i+:SizeBits] + 1'b1);
            end
          end
          for (int i = 0; i < Depth; i++) begin
            if (PlaceBits'(i) - read_q < write_q - read_q) begin
              assert (size_memory[SizeBits*i+:SizeBits] == sizes[SizeBits*i+:SizeBits]);
            end
          end
        end
        // Runs follow one another, from the output to the open packet.
        assert (n_next - n_out <= n_run - n_out && n_run - n_out <= inside);
        assert (run_some_q == (run_write_q != run_read_q));
        assert (run_valid || !spare_valid_q);
        if (more_q) begin
          assert (m_valid && m_left != '0 && ends_after(n_out, m_left));
        end else if (m_valid) assert (m_left == '0 || m_left == LeftBits'(Ahead));
        if (run_valid) begin
          assert (right(run_first, first_number) && first_number == n_next);
          assert (known(run_first, first_number, n_out, inside));
          follows = after(run_first, first_number);
          assert (follows - n_out <= n_run - n_out);
        end else follows = n_next;
        if (spare_valid_q) begin
          assert (right(run_spare, spare_number) && spare_number == follows);
          assert (known(run_spare, spare_number, n_out, inside));
          follows = after(run_spare, spare_number);
          assert (follows - n_out <= n_run - n_out);
        end
        if (run_some_q) assert (got_number == follows);
        else assert (follows == n_run);
        for (int i = 0; i < Depth; i++) begin
          if (there[i]) begin
            run = runs[RunBits*i+:RunBits];
            number = run_numbers[Bits*i+:Bits];
            assert (right(run, number) && known(run, number, n_out, inside));
            // From it on there are at least as many beats as runs.
            assert (n_run - number >= Bits'(PlaceBits'(run_write_q - PlaceBits'(i))));
            assert (after(run, number) - n_out <= n_run - n_out);
            if (there[(i+1)%Depth] && PlaceBits'(i + 1) != run_read_q) begin
              assert (run_numbers[Bits*((i+1)%Depth)+:Bits] == after(run, number));
            end else assert (n_run == after(run, number));
          end
        end
      end
    end
  end
endmodule

`default_nettype wire
