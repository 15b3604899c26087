// SPDX-License-Identifier: Apache-2.0
// Tracks the blocks in a loop of Unroll rounds with Stages stages each. A block makes Passes
// passes, so it holds its slot for Passes x Unroll x Stages cycles. With one pass the loop is a
// pipeline; without stages it is combinational. Latency of `done`: Passes x Unroll x Stages.
`default_nettype none

module aesforge_sequencer #(
    parameter int unsigned Unroll = 10,  // [1 or more] rounds in the ring
    parameter int unsigned Stages = 2,  // [1 or more; 0 if `Passes` is 1] pipeline stages per round
    parameter int unsigned Passes = 1,  // [1 or more] passes a block makes
    // [1 or more] bits that travel with a block and are visible at the entry of each round
    parameter int unsigned SideBits = 1,
    // [any] those of them that are kept; the others are valid only at the entry
    parameter bit [SideBits-1:0] SideUsed = '1,
    localparam int unsigned PassBits = Passes > 1 ? $clog2(Passes) : 1
) (
    input  logic                       clk,  // clock
    input  logic                       rst,  // discards all blocks
    // discards all blocks, keeps the entry open and accepts no new one
    input  logic                       zeroize,
    input  logic                       in_valid,  // a block asks to enter
    output logic                       in_ready,  // the entry is free
    input  logic [       SideBits-1:0] in_side,  // travels with the block
    // in this cycle the ring takes its input, not its own end
    output logic                       enter,
    // pass of the block at the entry of round u, in bits `PassBits` u and up
    output logic [Unroll*PassBits-1:0] pass,
    // side bits of the block at the entry of round u, in bits `SideBits` u and up
    output logic [Unroll*SideBits-1:0] side,
    output logic                       done,  // a block is at the end of the ring in its last pass
    output logic [       SideBits-1:0] done_side  // side bits of the block at the end of the ring
);
  // Without stages no slot holds a block: it leaves at once.
  localparam bit Straight = Stages == 0;
  localparam int unsigned RoundStages = Straight ? 1 : Stages;
  localparam int unsigned Places = Unroll * RoundStages;

  // The block that enters in this cycle, and the block in each slot.
  logic entry_valid, valid_end, again;
  logic [PassBits-1:0] entry_pass, pass_end;
  logic [SideBits-1:0] entry_side;
  logic [Places-1:0] valid_q;
  logic [PassBits-1:0] pass_q[0:Places-1];
  logic [SideBits-1:0] side_q[0:Places-1];

  assign valid_end = valid_q[Places-1];
  assign pass_end = pass_q[Places-1];
  assign done_side = Straight ? in_side : side_q[Places-1];

  // Constant with one pass, so that synthesis sees constant round numbers in a pipeline.
  assign again = Passes > 1 && valid_end && pass_end != PassBits'(Passes - 1);
  assign enter = Straight ? 1'b1 : !again || zeroize;
  assign in_ready = Straight ? !zeroize : !again && !zeroize;
  assign entry_valid = again || in_valid;
  assign entry_pass = Straight ? '0 : enter ? '0 : pass_end + 1'b1;
  assign entry_side = Straight ? in_side : enter ? in_side : done_side;

  // A reset empties a pipeline one round per cycle, which is faster than any block: a reset of all
  // slots at once would be the longest wire of the core. Blocks that leave before its end are
  // suppressed.
  localparam bit Wave = Passes == 1 && Stages > 1 && Unroll > 2;
  logic [Unroll-1:0] empty;
  logic hold;
  if (Wave) begin : gen_wave
    logic [Unroll-2:0] wave_q;
    logic [Unroll-1:0] hold_q;
    logic begin_q;
    assign empty = {wave_q, rst || zeroize};
    assign hold = begin_q || hold_q[Unroll-1];
    always_ff @(posedge clk) begin
      wave_q <= empty[Unroll-2:0];
      begin_q <= empty[0];
      hold_q <= hold_q << 1;
      if (begin_q) hold_q <= '1;
    end
  end else begin : gen_wave
    assign empty = {Unroll{rst || zeroize}};
    assign hold = 1'b0;
  end

  always_ff @(posedge clk) begin
    valid_q <= Places'({valid_q, entry_valid});
    pass_q[0] <= entry_pass;
    side_q[0] <= entry_side;
    // Constants are written in each stage: to propagate them from stage to stage, synthesis would
    // need one iteration per stage.
    for (int i = 1; i < Places; i++) begin
      pass_q[i] <= Passes > 1 ? pass_q[i-1] : '0;
      for (int b = 0; b < SideBits; b++) side_q[i][b] <= SideUsed[b] ? side_q[i-1][b] : 1'b0;
    end
    for (int u = 0; u < Unroll; u++) begin
      if (empty[u]) valid_q[RoundStages*u+:RoundStages] <= '0;
    end
  end

  for (genvar u = 0; u < Unroll; u++) begin : gen_entry
    if (u == 0) begin : gen_first
      assign pass[PassBits-1:0] = entry_pass;
      assign side[SideBits-1:0] = entry_side;
    end else begin : gen_next
      assign pass[PassBits*u+:PassBits] = Straight ? '0 : pass_q[RoundStages*u-1];
      assign side[SideBits*u+:SideBits] = Straight ? in_side : side_q[RoundStages*u-1];
    end
  end

  assign done = Straight ? in_valid && !zeroize : valid_end && !again && !zeroize && !hold;
endmodule

`default_nettype wire
