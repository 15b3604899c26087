// SPDX-License-Identifier: Apache-2.0
// A counter in words, a pipeline stage each: the carry moves up one word per stage, together with
// the beat. The value of a beat includes what it adds itself. Latency `Stages` steps, one beat per
// step.
`default_nettype none

module aesforge_staged_counter #(
    parameter int unsigned Bits = 32,  // [1 or more] bits of the counter
    parameter int unsigned Stages = 4  // [1 or more] words, of equal width except the highest
) (
    input  logic            clk,  // clock
    input  logic            rst,  // synchronous reset
    input  logic            step,  // all pipeline stages advance
    input  logic            in_valid,  // a beat is present
    input  logic            in_load,  // 1: the counter starts from `in_value`
    input  logic [Bits-1:0] in_value,  // start value
    input  logic            in_add,  // 1: the beat adds one
    output logic            out_valid,  // a beat is at the output
    output logic [Bits-1:0] out_value  // the counter after this beat
);
  localparam int unsigned Word = (Bits + Stages - 1) / Stages;

  logic [Stages:0] carry, load, valid;
  assign {carry[0], load[0], valid[0]} = {in_add, in_load, in_valid};
  for (genvar i = 0; i < Stages; i++) begin : gen_word
    logic carry_q, load_q, valid_q;
    if (i * Word < Bits) begin : gen_count
      localparam int unsigned Low = i * Word;
      localparam int unsigned Size = Low + Word <= Bits ? Word : Bits - Low;
      // early_q[i] is the word of the start value, i stages late; late_q[0] is the count.
      logic [Size-1:0] early[0:Stages-1];
      logic [Size-1:0] late_q[0:Stages-1];
      logic [Size-1:0] base;
      logic [  Size:0] sum;
      assign early[0] = in_value[Low+:Size];
      for (genvar k = 1; k <= i; k++) begin : gen_early
        always_ff @(posedge clk) if (step) early[k] <= early[k-1];
      end
      assign base = load[i] ? early[i] : late_q[0];
      assign sum  = {1'b0, base} + (Size + 1)'(carry[i]);
      always_ff @(posedge clk) begin
        if (step) begin
          if (valid[i]) late_q[0] <= sum[Size-1:0];
          for (int k = 1; k < Stages; k++) late_q[k] <= late_q[k-1];
          carry_q <= sum[Size];
        end
      end
      assign out_value[Low+:Size] = late_q[Stages-1-i];
    end else begin : gen_count
      always_ff @(posedge clk) if (step) carry_q <= carry[i];
    end
    always_ff @(posedge clk) begin
      if (step) {load_q, valid_q} <= {load[i], valid[i]};
      if (rst) valid_q <= 1'b0;
    end
    assign {carry[i+1], load[i+1], valid[i+1]} = {carry_q, load_q, valid_q};
  end
  assign out_valid = valid[Stages];

  logic unused_ok;
  assign unused_ok = &{1'b0, carry[Stages], load[Stages]};
endmodule

`default_nettype wire
