// SPDX-License-Identifier: Apache-2.0
// aesforge_staged_counter: each beat has the count that a plain counter has, `Stages` steps later.
// Of one stage with stalls, of more without.
`default_nettype none

module prove_staged_counter #(
    parameter int unsigned Bits = 32,
    parameter int unsigned Stages = 6,
    // 1: also that from which all this follows; without, only what the outside sees
    parameter bit Steps = 1'b1,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0,
    localparam int unsigned Word = (Bits + Stages - 1) / Stages
) (
    input logic            clk,
    input logic            rst,
    input logic            step,
    input logic            in_valid,
    input logic            in_load,
    input logic [Bits-1:0] in_value,
    input logic            in_add
);
  logic out_valid;
  logic [Bits-1:0] out_value;
  wire go = step || Stages > 1;
  aesforge_staged_counter #(
      .Bits  (Bits),
      .Stages(Stages)
  ) u_counter (
      .clk,
      .rst,
      .step(go),
      .in_valid,
      .in_load,
      .in_value,
      .in_add,
      .out_valid,
      .out_value
  );

  // A plain counter, and the counts of the beats on their way.
  logic loaded = 1'b0, begun = 1'b0;
  logic [Bits-1:0] count;
  wire [Bits-1:0] count_d = (in_load ? in_value : count) + Bits'(in_add);
  logic [Stages-1:0] way_valid = '0;
  logic [Bits-1:0] way[0:Stages-1];
  // The count of the last beat that has passed stage i.
  logic [Stages-1:0] passed_known = '0;
  logic [Bits-1:0] passed[0:Stages-1];
  always_ff @(posedge clk) begin
    begun <= 1'b1;
    if (in_valid && go) begin
      count  <= count_d;
      loaded <= 1'b1;
      passed[0] <= count_d;
      passed_known[0] <= 1'b1;
    end
    if (go) begin
      way_valid <= Stages'({way_valid, in_valid});
      way[0] <= count_d;
    end
    for (int i = 1; i < Stages; i++) begin
      way[i] <= way[i-1];
      if (way_valid[i-1]) begin
        passed[i] <= way[i-1];
        passed_known[i] <= 1'b1;
      end
    end
    if (rst) begin
      loaded <= 1'b0;
      passed_known <= '0;
      way_valid <= '0;
    end
  end

  // Words of the counter, connected by the script, the lowest one in the low bits.
  (* keep *) logic [Word*Stages-1:0] words;
  // The count when all beats before stage i have passed it.
  logic [Stages-1:0] coming_known;
  logic [Bits*Stages-1:0] coming;
  always_comb begin
    coming = '0;
    for (int i = 0; i < Stages; i++) begin
      coming[Bits*i+:Bits] = passed[i];
      coming_known[i] = passed_known[i];
      for (int k = Stages - 1; k >= 0; k--) begin
        if (k < i && way_valid[k]) begin
          coming[Bits*i+:Bits] = way[k];
          coming_known[i] = 1'b1;
        end
      end
    end
  end

  logic seen = 1'b0;
  always_ff @(posedge clk) seen <= seen || (out_valid && out_value == Bits'(3));
  always_comb begin
    assume (begun || rst);
    if (!loaded && in_valid) assume (in_load);
    if (Cover) begin
      assert (!seen);
    end else if (begun) begin
      // 1. Each beat leaves after `Stages` steps, with its count.
      assert (out_valid == way_valid[Stages-1]);
      if (out_valid) assert (out_value == way[Stages-1]);
      if (Steps) begin
        for (int i = 0; i < Stages; i++) begin
          for (int b = 0; b < Word; b++) begin
            if (passed_known[i] && Word * i + b < Bits) begin
              assert (words[Word*i+b] == passed[i][Word*i+b]);
            end
          end
          if (loaded) assert (coming_known[i] && coming[Bits*i+:Bits] == count);
        end
      end
    end
  end
endmodule

`default_nettype wire
