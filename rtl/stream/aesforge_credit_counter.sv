// SPDX-License-Identifier: Apache-2.0
// Counts the places of a queue that are taken, and tells whether there is credit for one more. What
// a cycle takes and gives shows in `credit` three cycles later.
`default_nettype none

module aesforge_credit_counter #(
    parameter int unsigned Depth = 64,  // [a power of two from 4 on] places of the queue
    // [2 to 14] cycles whose takes are not known where `credit` is used: 2, and 1 for each
    // pipeline stage from there on
    parameter int unsigned Latency = 2
) (
    input  logic       clk,  // clock
    input  logic       rst,  // synchronous reset
    input  logic       zeroize,  // all places are free again
    input  logic       take,  // a place is taken
    input  logic [1:0] give,  // places that become free: 0, 1 or 2
    // more than `Latency` of the `Depth` - 1 places that may be taken were free three cycles ago
    output logic       credit
);
  localparam int unsigned CountBits = $clog2(Depth);
  if (2 ** CountBits != Depth || Depth < Latency + 2) begin : gen_bad_depth
    $error("depth must be a power of two, at least the latency and two");
  end

  // What a cycle takes, -2 to 1.
  logic [1:0] delta_q;
  // The count. The digits above the lowest are a cycle late: carry_q, -1 to 1, is still to come.
  localparam int unsigned LowBits = CountBits > 4 ? 4 : CountBits;
  logic [CountBits-1:0] used_q;
  logic [1:0] carry_q;
  logic [LowBits+1:0] sum;
  assign sum = {2'b0, used_q[LowBits-1:0]} + (LowBits + 2)'($signed(delta_q));
  always_ff @(posedge clk) begin
    delta_q <= 2'(take) - give;
    used_q[LowBits-1:0] <= sum[LowBits-1:0];
    // A count that loses its carry is below the limit.
    credit <= carry_q[1] || used_q < CountBits'(Depth - 1 - Latency);
    if (rst || zeroize) {delta_q, used_q[LowBits-1:0], credit} <= '0;
  end
  if (CountBits > LowBits) begin : gen_high
    always_ff @(posedge clk) begin
      carry_q <= sum[LowBits+:2];
      used_q[CountBits-1:LowBits] <= used_q[CountBits-1:LowBits]
          + (CountBits - LowBits)'($signed(carry_q));
      if (rst || zeroize) {carry_q, used_q[CountBits-1:LowBits]} <= '0;
    end
  end else begin : gen_high
    assign carry_q = '0;
    logic unused_ok;
    assign unused_ok = &{1'b0, sum[LowBits+:2], carry_q};
  end
endmodule

`default_nettype wire
