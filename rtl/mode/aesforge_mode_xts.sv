// SPDX-License-Identifier: Apache-2.0
// XTS (IEEE Std 1619, SP 800-38E) between the beats and a core of constant latency: the tweaks of
// the blocks, and ciphertext stealing. A last part of a block costs no cycle: the block before it
// goes through the core in its place, and once more when that result is known.
// Latency 1 cycle and, with `Stealing`, `Latency` + 3 more than the core; one beat per cycle.
`default_nettype none

module aesforge_mode_xts #(
    parameter bit Stealing = 1'b1,  // [0, 1] 1: a data unit may end in part of a block
    parameter int unsigned SideBits = 1,  // [1 or more] bits that travel with a beat to the core
    parameter int unsigned Latency = 21,  // [4 or more] of the core, in cycles
    // [0, 1] memory of the delays, see aesforge_queue_ram
    parameter int unsigned Style = aesforge_pkg::QueueBlock
) (
    input  logic                clk,  // clock
    input  logic                rst,  // synchronous reset
    // high for at least 2 x `Latency` + 8 cycles: discards the blocks; zeros of the core overwrite
    // them
    input  logic                zeroize,
    input  logic                beat_valid,  // a beat is present
    output logic                beat_ready,  // it is accepted
    input  logic                beat_first,  // first beat of its data unit
    input  logic                beat_block,  // it has bytes and no error
    input  logic                beat_steals,  // a last beat follows that has part of a block
    input  logic [        15:0] beat_keep,  // a bit for each byte, bit 0 for byte 0
    input  logic [       127:0] beat_data,  // its bytes, byte 0 at the top
    input  logic                beat_decrypt,  // 1: its data unit is decrypted
    input  logic [       127:0] beat_tweak,  // tweak of the first block of its data unit
    input  logic [SideBits-1:0] beat_side,  // passed to the core with it
    output logic [       127:0] beat_xor,  // XORed with its result
    output logic                core_valid,  // a block for the core, which always accepts it
    output logic [       127:0] core_block,  // block
    output logic [SideBits-1:0] core_side,  // `beat_side` of its beat
    input  logic [       127:0] out_block,  // the core's output, `Latency` cycles later
    output logic                result_valid,  // result of the oldest beat that has none
    output logic [       127:0] result  // the result
);
  // IEEE Std 1619 Sec. 5.2: multiplication by alpha. Byte 0, at the top, has the lowest powers.
  function automatic logic [127:0] times_alpha(input logic [127:0] block);
    for (int i = 0; i < 16; i++) begin
      times_alpha[127-8*i-:8] = {block[126-8*i-:7], i == 0 ? 1'b0 : block[i==0?0 : 135-8*i]};
    end
    if (block[7]) times_alpha[127-:8] = times_alpha[127-:8] ^ 8'h87;
  endfunction

  // The tweak of the beat, and of the one before.
  logic take;
  logic [127:0] tweak, after, next_q;
  assign take  = beat_valid && beat_ready;
  assign tweak = beat_first ? beat_tweak : next_q;
  assign after = times_alpha(tweak);
  always_ff @(posedge clk) begin
    if (take) next_q <= after;
    if (zeroize) next_q <= '0;
  end

  if (Stealing) begin : gen_stealing
    // The last whole block waits for the part that follows it. `first` is the tweak of its first
    // way through the core, `second` that of the other (Sec. 5.3.2 and 5.4.2).
    logic wait_q, again_q;
    logic [127:0] before_q, block_q, first, second;
    assign first = beat_decrypt ? tweak : before_q;
    assign second = beat_decrypt ? before_q : tweak;
    always_comb begin
      beat_xor = tweak;
      if (wait_q) beat_xor = first;
      else if (beat_steals && !beat_decrypt) beat_xor = after;
    end
    always_ff @(posedge clk) begin
      if (take) begin
        wait_q   <= beat_steals;
        block_q  <= beat_data;
        before_q <= tweak;
      end
      if (zeroize) begin
        block_q  <= '0;
        before_q <= '0;
      end
      if (rst || zeroize) wait_q <= 1'b0;
    end

    // What enters the core: a block, or a second time one whose first result has come. The beat
    // that waits enters nothing and has its result from the second time.
    logic again_valid_q, result_q, steal_q;
    logic [127:0] again_block_q;
    logic [SideBits-1:0] again_side_q;
    assign beat_ready = !again_valid_q;
    always_ff @(posedge clk) begin
      core_valid <= again_valid_q || (beat_valid && (wait_q || (beat_block && !beat_steals)));
      core_block <= again_valid_q ? again_block_q : wait_q ? block_q ^ first : beat_data ^ tweak;
      core_side <= again_valid_q ? again_side_q : beat_side;
      result_q <= take && !beat_steals;
      steal_q <= take && wait_q;
      again_q <= again_valid_q;
      if (zeroize) core_block <= '0;
      if (rst || zeroize) {core_valid, result_q, steal_q, again_q} <= '0;
    end

    // Beside the core: the second block but for the bytes that it takes of the first result.
    logic [15:0] keep_q, kept;
    logic [127:0] rest_q, rest, stolen;
    logic [SideBits-1:0] rest_side;
    always_ff @(posedge clk) begin
      for (int i = 0; i < 16; i++) begin
        rest_q[127-8*i-:8] <= second[127-8*i-:8]
            ^ (beat_keep[i] ? beat_data[127-8*i-:8] : first[127-8*i-:8]);
      end
      keep_q <= beat_keep;
      if (zeroize) rest_q <= '0;
    end
    aesforge_long_delay #(
        .Width(128 + 16 + SideBits),
        .Depth(Latency),
        .Style(Style)
    ) u_rest (
        .clk,
        .rst,
        .d({rest_q, keep_q, core_side}),
        .q({rest, kept, rest_side})
    );
    always_comb begin
      for (int i = 0; i < 16; i++) stolen[127-8*i-:8] = kept[i] ? 8'h00 : out_block[127-8*i-:8];
    end
    logic [Latency-1:0] results_q, steals_q, agains_q;
    always_ff @(posedge clk) begin
      results_q <= Latency'({results_q, result_q});
      steals_q <= Latency'({steals_q, steal_q});
      agains_q <= Latency'({agains_q, again_q});
      again_valid_q <= steals_q[Latency-1];
      again_block_q <= rest ^ stolen;
      again_side_q <= rest_side;
      if (zeroize) again_block_q <= '0;
      if (rst || zeroize) {results_q, steals_q, agains_q, again_valid_q} <= '0;
    end

    // Results wait as long as a second time takes, and one cycle for it: it stands before the last
    // beat, in the cycle of the beat that waited.
    localparam int unsigned Wait = Latency + 3;
    logic [Wait-1:0] waits_q;
    logic [127:0] waited;
    aesforge_long_delay #(
        .Width(128),
        .Depth(Wait),
        .Style(Style)
    ) u_results (
        .clk,
        .rst,
        .d(out_block),
        .q(waited)
    );
    always_ff @(posedge clk) begin
      waits_q <= Wait'({waits_q, results_q[Latency-1]});
      if (rst || zeroize) waits_q <= '0;
    end
    assign result_valid = agains_q[Latency-1] || waits_q[Wait-1];
    assign result = agains_q[Latency-1] ? out_block : waited;
  end else begin : gen_whole
    logic result_q;
    logic [Latency-1:0] results_q;
    assign beat_ready = 1'b1;
    assign beat_xor   = tweak;
    always_ff @(posedge clk) begin
      core_valid <= beat_valid && beat_block;
      core_block <= beat_data ^ tweak;
      core_side  <= beat_side;
      result_q   <= beat_valid;
      results_q  <= Latency'({results_q, result_q});
      if (zeroize) core_block <= '0;
      if (rst || zeroize) {core_valid, result_q, results_q} <= '0;
    end
    assign result_valid = results_q[Latency-1];
    assign result = out_block;
    logic unused_ok;
    assign unused_ok = &{1'b0, beat_steals, beat_keep, beat_decrypt};
  end
endmodule

`default_nettype wire
