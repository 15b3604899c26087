// SPDX-License-Identifier: Apache-2.0
// Stands for aesforge_staged_counter, which prove_staged_counter.sv compares with the same lines.
`default_nettype none

module aesforge_staged_counter #(
    parameter int unsigned Bits = 32,
    parameter int unsigned Stages = 4
) (
    input  logic            clk,
    input  logic            rst,
    input  logic            step,
    input  logic            in_valid,
    input  logic            in_load,
    input  logic [Bits-1:0] in_value,
    input  logic            in_add,
    output logic            out_valid,
    output logic [Bits-1:0] out_value
);
  (* keep *) logic [Bits-1:0] count_q;
  logic [Stages-1:0] valid_q;
  logic [Bits-1:0] value_q[0:Stages-1];
  wire [Bits-1:0] count = (in_load ? in_value : count_q) + Bits'(in_add);
  assign out_valid = valid_q[Stages-1];
  assign out_value = value_q[Stages-1];
  always_ff @(posedge clk) begin
    if (step) begin
      valid_q <= Stages'({valid_q, in_valid});
      value_q[0] <= count;
      for (int i = 1; i < Stages; i++) value_q[i] <= value_q[i-1];
      if (in_valid) count_q <= count;
    end
    if (rst) valid_q <= '0;
  end
endmodule

`default_nettype wire
