// SPDX-License-Identifier: Apache-2.0
// The counter blocks of CTR (SP 800-38A Sec. 6.5 and B.1, all 128 bits count): the carry walks from
// 16 bits to the next 16 with the block, a rank each. Latency 8 cycles, one block a cycle.
`default_nettype none

module aesforge_mode_counter #(
    // bits that travel with a block
    parameter int unsigned SideBits = 1
) (
    input  logic                clk,
    input  logic                rst,
    input  logic                wipe,
    // all ranks step
    input  logic                step,
    // block in: a value to start from, or else (in_load low) one more than the block before
    input  logic                in_valid,
    input  logic                in_load,
    input  logic [       127:0] in_value,
    input  logic [SideBits-1:0] in_side,
    // block out
    output logic                out_valid,
    output logic [       127:0] out_value,
    output logic [SideBits-1:0] out_side
);
  localparam int unsigned Ranks = 8;
  localparam int unsigned Bits = 128 / Ranks;

  logic [Ranks-1:0] valid_q;
  logic [SideBits-1:0] side_q[0:Ranks-1];
  always_ff @(posedge clk) begin
    if (step) begin
      valid_q <= {valid_q[Ranks-2:0], in_valid};
      side_q[0] <= in_side;
      for (int i = 1; i < Ranks; i++) side_q[i] <= side_q[i-1];
    end
    if (wipe) for (int i = 0; i < Ranks; i++) side_q[i] <= '0;
    if (rst || wipe) valid_q <= '0;
  end
  assign out_valid = valid_q[Ranks-1];
  assign out_side = side_q[Ranks-1];

  // Word i, counted from the low end, meets the block in rank i: it waits i ranks before, and the
  // others behind.
  logic [Ranks:0] carry, load, valid;
  assign {carry[0], load[0], valid[0]} = {1'b1, in_load, in_valid};
  for (genvar i = 0; i < Ranks; i++) begin : gen_word
    logic [Bits-1:0] early_q[0:Ranks-1];
    logic [Bits-1:0] late_q[0:Ranks-1];
    logic [Bits-1:0] value, turn;
    logic [Bits/4-1:0] full;
    logic carry_q, load_q;
    // A bit turns over when a carry comes and all bits below it are ones. Fours of them first, then
    // these, then what the bit becomes: three levels of LUT4, where a carry chain takes longer.
    always_comb begin
      for (int k = 0; k < Bits / 4; k++) full[k] = &late_q[0][4*k+:4];
      for (int k = 0; k < Bits; k++) begin
        turn[k] = &(full | {Bits / 4{1'b1}} << (k / 4))
            && (carry[i] && &(late_q[0][4*(k/4)+:4] | 4'hf << (k % 4)));
      end
    end
    if (i == 0) begin : gen_early
      assign value = in_value[Bits-1:0];
    end else begin : gen_early
      assign value = early_q[i-1];
    end
    always_ff @(posedge clk) begin
      if (step) begin
        early_q[0] <= in_value[Bits*i+:Bits];
        for (int k = 1; k < Ranks; k++) early_q[k] <= early_q[k-1];
        if (valid[i]) late_q[0] <= load[i] ? value : late_q[0] ^ turn;
        for (int k = 1; k < Ranks; k++) late_q[k] <= late_q[k-1];
        carry_q <= carry[i] && late_q[0] == '1;
        load_q  <= load[i];
      end
      if (wipe) begin
        for (int k = 0; k < Ranks; k++) begin
          early_q[k] <= '0;
          late_q[k]  <= '0;
        end
      end
    end
    assign carry[i+1] = carry_q;
    assign load[i+1] = load_q;
    assign valid[i+1] = valid_q[i];
    assign out_value[Bits*i+:Bits] = late_q[Ranks-1-i];
  end

  logic unused_ok;
  assign unused_ok = &{1'b0, carry[Ranks], load[Ranks], valid[Ranks]};
endmodule

`default_nettype wire
