// SPDX-License-Identifier: Apache-2.0
// aesforge_context_cipher between contexts and a core that takes any time: contexts leave in order,
// each with its header and the result of its block. The block is the header again, and the core
// gives it back, so a result that is another's shows. queue_model.sv stands for the queues.
`default_nettype none

module prove_context_cipher #(
    parameter int unsigned Depth = 8,
    // 1: also that from which all this follows; without, only what the outside sees
    parameter bit Steps = 1'b1,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0
) (
    input logic       clk,
    input logic       rst,
    input logic       s_valid,
    input logic       s_stall,
    input logic       s_error,
    input logic [1:0] s_header,
    input logic       core_ready,
    input logic       out_valid,
    input logic       m_ready
);
  logic s_ready, core_valid, m_valid, m_error;
  logic [1:0] core_header, m_header;
  logic [127:0] core_block, m_block;
  // The blocks that are in the core, in order.
  localparam int unsigned PlaceBits = $clog2(Depth);
  logic [2*Depth-1:0] core_words;
  logic [PlaceBits-1:0] core_first = '0;
  logic [PlaceBits:0] core_count = '0;
  wire [PlaceBits-1:0] core_last = core_first + PlaceBits'(core_count);
  function automatic logic [1:0] pair(input logic [2*Depth-1:0] all,
                                      input logic [PlaceBits-1:0] place);
    pair = '0;
    for (int i = 0; i < Depth; i++) if (place == PlaceBits'(i)) pair = all[2*i+:2];
  endfunction
  function automatic logic [2:0] three(input logic [3*Depth-1:0] all,
                                       input logic [PlaceBits-1:0] place);
    three = '0;
    for (int i = 0; i < Depth; i++) if (place == PlaceBits'(i)) three = all[3*i+:3];
  endfunction
  wire [1:0] out_word = pair(core_words, core_first);
  wire enters = core_valid && core_ready;
  aesforge_context_cipher #(
      .HeaderBits(2),
      .Depth(Depth)
  ) u_cipher (
      .clk,
      .rst,
      .zeroize(1'b0),
      .s_valid,
      .s_stall,
      .s_error,
      .s_ready,
      .s_header,
      .s_block({126'd0, s_header}),
      .core_valid,
      .core_ready,
      .core_block,
      .core_header,
      .out_valid,
      .out_block({126'd0, out_word}),
      .m_valid,
      .m_ready,
      .m_header,
      .m_error,
      .m_block
  );

  // Contexts inside, in order: header, and whether it is an error.
  logic [3*Depth-1:0] words;
  logic [PlaceBits-1:0] first = '0;
  logic [PlaceBits:0] count = '0;
  wire [PlaceBits-1:0] last = first + PlaceBits'(count);
  wire [2:0] oldest = three(words, first);
  wire leaves = m_valid && m_ready;
  // Whether the context that is accepted has no key, known a cycle before.
  logic error_q, valid_q, stall_q;
  logic begun = 1'b0, waits = 1'b0, seen_error = 1'b0, seen_result = 1'b0;
  logic [4:0] held;
  wire [4:0] out = {m_header, m_error, m_error ? 2'b0 : m_block[1:0]};
  always_ff @(posedge clk) begin
    begun <= 1'b1;
    {valid_q, stall_q, error_q} <= {s_valid && !s_ready, s_stall, s_error};
    waits <= m_valid && !m_ready && !rst;
    held  <= out;
    for (int i = 0; i < Depth; i++) begin
      if (s_ready && last == PlaceBits'(i)) words[3*i+:3] <= {s_header, error_q};
      if (enters && core_last == PlaceBits'(i)) core_words[2*i+:2] <= core_block[1:0];
    end
    count <= count + (PlaceBits + 1)'(s_ready) - (PlaceBits + 1)'(leaves);
    if (leaves) first <= first + 1'b1;
    core_count <= core_count + (PlaceBits + 1)'(enters) - (PlaceBits + 1)'(out_valid);
    if (out_valid) core_first <= core_first + 1'b1;
    if (leaves && m_error) seen_error <= 1'b1;
    if (leaves && !m_error) seen_result <= 1'b1;
    if (rst) begin
      {first, count, core_first, core_count} <= '0;
      valid_q <= 1'b0;
    end
  end

  // Registers of the module and of the queues' models, connected by the script.
  (* keep *) logic held_q, go_q, credit, error_here, header_shown, block_shown;
  (* keep *) logic [127:0] held_block;
  (* keep *) logic [1:0] held_header;
  (* keep *) logic [3*Depth-1:0] header_words;
  (* keep *) logic [128*Depth-1:0] block_words;
  (* keep *) logic [PlaceBits-1:0] header_first, block_first, used_q;
  (* keep *) logic [PlaceBits:0] header_count, block_count;
  (* keep *) logic [1:0] delta_q;

  // The results that must come, in order: those of the contexts inside that are no errors; and
  // those that there are: in the queue, in the core, and before it.
  logic [2*Depth+1:0] due, there;
  logic [PlaceBits:0] due_count;
  wire [PlaceBits+1:0] there_count = (PlaceBits + 2)'(block_count) + (PlaceBits + 2)'(core_count)
      + (PlaceBits + 2)'(held_q);
  // How far each place is from the first word.
  logic [PlaceBits-1:0] from_first[0:Depth-1];
  logic [PlaceBits-1:0] from_block[0:Depth-1];
  for (genvar i = 0; i < Depth; i++) begin : gen_place
    assign from_first[i] = PlaceBits'(i) - first;
    assign from_block[i] = PlaceBits'(i) - block_first;
  end
  logic [2*Depth-1:0] block_pairs;
  logic [PlaceBits-1:0] at;
  logic [2:0] one;
  always_comb begin
    for (int i = 0; i < Depth; i++) block_pairs[2*i+:2] = block_words[128*i+:2];
    due = '0;
    due_count = '0;
    there = '0;
    at = '0;
    one = '0;
    for (int i = Depth - 1; i >= 0; i--) begin
      at = first + PlaceBits'(i);
      one = three(words, at);
      if ((PlaceBits + 1)'(i) < count && !one[0]) begin
        due = (due << 2) | (2 * Depth + 2)'(one[2:1]);
        due_count = due_count + 1'b1;
      end
    end
    if (held_q) there = (2 * Depth + 2)'(held_block[1:0]);
    for (int i = Depth - 1; i >= 0; i--) begin
      at = core_first + PlaceBits'(i);
      if ((PlaceBits + 1)'(i) < core_count) begin
        there = (there << 2) | (2 * Depth + 2)'(pair(core_words, at));
      end
    end
    for (int i = Depth - 1; i >= 0; i--) begin
      at = block_first + PlaceBits'(i);
      if ((PlaceBits + 1)'(i) < block_count) begin
        there = (there << 2) | (2 * Depth + 2)'(pair(block_pairs, at));
      end
    end
  end

  always_comb begin
    assume (begun || rst);
    // A context stays until it is accepted, when its header and block count; its key stays ready.
    if (valid_q) begin
      assume (s_valid);
      if (!stall_q) assume (!s_stall && s_error == error_q);
    end
    if (out_valid) assume (core_count != '0);
    if (Cover) begin
      assert (!(seen_error && seen_result));
    end else if (begun) begin
      // 1. A context is accepted once its key is ready.
      if (s_ready) assert (s_valid && valid_q && !stall_q);
      // 2. The core is given the block and the header of a context.
      if (core_valid) assert (core_block == {126'd0, core_header});
      // 3. Contexts leave in order, each with its header, and the result of its own block.
      if (waits) assert (m_valid && out == held);
      if (m_valid) begin
        assert (count != '0 && {m_header, m_error} == oldest);
        if (!m_error) assert (m_block == {126'd0, m_header});
      end
      // 4. There are places for all that are inside.
      assert (count < (PlaceBits + 1)'(Depth));
      if (Steps) begin
        if (go_q) assert (valid_q && !stall_q);
        assert (error_here == error_q);
        assert (core_valid == held_q);
        if (held_q) assert (held_block == {126'd0, held_header});
        assert (count == (PlaceBits + 1)'(used_q) + (PlaceBits + 1)'($signed(delta_q)));
        if (credit) assert (count <= (PlaceBits + 1)'(Depth - 2));
        assert (header_count == count && header_first == first);
        assert (!header_shown || header_count != '0);
        assert (!block_shown || block_count != '0);
        assert (there_count == (PlaceBits + 2)'(due_count) && there == due);
        for (int i = 0; i < Depth; i++) begin
          if (from_first[i] < count) assert (header_words[3*i+:3] == words[3*i+:3]);
          if (from_block[i] < block_count) assert (block_words[128*i+2+:126] == '0);
        end
      end
    end
  end
endmodule

`default_nettype wire
