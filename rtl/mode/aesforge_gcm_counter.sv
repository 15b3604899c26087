// SPDX-License-Identifier: Apache-2.0
// What enters the core for each beat of a GCM packet (SP 800-38D Sec. 7): counter blocks for text,
// J0 in the first block of the tag. J0 is made of an IV of 96 bits, or it is the hash of another
// IV. Blocks of zeros, whose result is the hash subkey H, take a cycle that no beat needs. Latency
// `Stages` + 1 cycles, one beat per cycle.
`default_nettype none

module aesforge_gcm_counter #(
    // [1 or more] bits that travel with a beat to the core
    parameter int unsigned SideBits = 1,
    parameter int unsigned Blocks = 1,  // [a power of two] blocks of a beat, the first at the top
    parameter int unsigned Stages = 6,  // [1 or more] see aesforge_staged_counter
    parameter bit Elastic = 1'b0  // [0, 1] 1: the core has back-pressure
) (
    input  logic                clk,  // clock
    input  logic                rst,  // synchronous reset
    input  logic                zeroize,  // discards everything
    input  logic                beat_valid,  // a beat is present
    output logic                beat_ready,  // it is accepted
    input  logic                beat_first,  // first beat of its packet
    input  logic                beat_aad,  // it holds additional authenticated data
    input  logic                beat_tag,  // it is the tag
    input  logic [        95:0] beat_iv,  // IV of its packet
    input  logic                beat_hashed,  // 1: `hashed_iv` is J0
    input  logic [       127:0] hashed_iv,  // J0 of an IV that does not have 96 bits
    input  logic [SideBits-1:0] beat_side,  // passed to the core with it
    input  logic                zero_valid,  // blocks of zeros are wanted
    output logic                zero_ready,  // they enter
    input  logic [SideBits-1:0] zero_side,  // passed to the core with them
    output logic                core_valid,  // a beat for the core
    input  logic                core_ready,  // it is accepted (`Elastic` only)
    output logic [128*Blocks-1:0] core_block,  // the blocks
    output logic [SideBits-1:0] core_side  // side bits of the beat
);
  // Text counts on from J0, whose last 32 bits are 1 if the IV has 96 bits (Sec. 7.1 step 2); the
  // tag uses J0.
  logic [127:0] j0;
  assign j0 = beat_hashed ? hashed_iv : {beat_iv, 32'd1};
  logic step, load, text, text_q;
  logic [Blocks-1:0] counter_valid;
  logic [31:0] counter[0:Blocks-1];
  assign load = beat_first || beat_tag;
  assign text = !beat_aad && !beat_tag;
  always_ff @(posedge clk) begin
    if (step && beat_valid) text_q <= text;
    if (rst || zeroize) text_q <= 1'b0;
  end

  // Each block has a counter of its own, which counts beats: the lowest bits of block b are those
  // of J0 + 1 + b throughout a packet. With the first beat of text the carry of that sum is added.
  localparam int unsigned LowBits = $clog2(Blocks);
  for (genvar b = 0; b < Blocks; b++) begin : gen_counter
    logic add;
    logic [31-LowBits:0] beats;
    if (Blocks == 1) begin : gen_low
      assign add = text;
      assign counter[b] = beats;
      logic unused_ok;
      assign unused_ok = &{1'b0, text_q};
    end else begin : gen_low
      logic [LowBits:0] first;
      logic [LowBits-1:0] low_q[0:Stages-1];
      assign first = {1'b0, j0[LowBits-1:0]} + (LowBits + 1)'(b + 1);
      assign add = text && (text_q || first[LowBits]);
      assign counter[b] = {beats, low_q[Stages-1]};
      always_ff @(posedge clk) begin
        if (step) begin
          low_q[0] <= beat_tag ? j0[LowBits-1:0] : first[LowBits-1:0];
          for (int i = 1; i < Stages; i++) low_q[i] <= low_q[i-1];
        end
      end
    end
    aesforge_staged_counter #(
        .Bits  (32 - LowBits),
        .Stages(Stages)
    ) u_counter (
        .clk,
        .rst(rst || zeroize),
        .step,
        .in_valid(beat_valid),
        .in_load(load),
        .in_value(j0[31:LowBits]),
        .in_add(add),
        .out_valid(counter_valid[b]),
        .out_value(beats)
    );
  end

  logic [95:0] iv_q[0:Stages-1];
  logic [SideBits-1:0] side_q[0:Stages-1];
  assign step = !Elastic || !core_valid || core_ready;
  assign beat_ready = step;
  assign zero_ready = step && !counter_valid[0];
  always_ff @(posedge clk) begin
    if (step) begin
      {iv_q[0], side_q[0]} <= {j0[127:32], beat_side};
      for (int i = 1; i < Stages; i++) {iv_q[i], side_q[i]} <= {iv_q[i-1], side_q[i-1]};
      core_valid <= counter_valid[0] || zero_valid;
      for (int b = 0; b < Blocks; b++) begin
        core_block[128*(Blocks-1-b)+:128] <= {iv_q[Stages-1], counter[b]};
      end
      core_side <= counter_valid[0] ? side_q[Stages-1] : zero_side;
    end
    if (zeroize) begin
      for (int i = 0; i < Stages; i++) {iv_q[i], side_q[i]} <= '0;
    end
    // A reset of the register, not a level of logic before it.
    if (zeroize || zero_ready) core_block <= '0;
    if (rst || zeroize) core_valid <= 1'b0;
  end

  logic unused_ok;
  assign unused_ok = &{1'b0, core_ready, counter_valid};
endmodule

`default_nettype wire
