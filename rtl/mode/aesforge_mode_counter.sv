// SPDX-License-Identifier: Apache-2.0
// The counter blocks of CTR (SP 800-38A Sec. 6.5 and B.1, all 128 bits count): the carry walks from
// 16 bits to the next 16 with the block, a stage each. Latency 8 cycles, one block per cycle; 10
// for beats of several blocks, one beat per cycle.
`default_nettype none

module aesforge_mode_counter #(
    parameter int unsigned Blocks = 1,  // [1 to 15] blocks of a beat, the first at the top
    parameter int unsigned SideBits = 1  // [1 or more] bits that travel with a beat
) (
    input  logic                  clk,  // clock
    input  logic                  rst,  // synchronous reset
    // discards all beats; high with zeros at `in_value` and `in_side` for 10 cycles:
    // discards all values
    input  logic                  zeroize,
    input  logic                  step,  // all pipeline stages advance
    input  logic                  in_valid,  // a beat is present
    // 1: its first block has its own value; 0: the counter goes on
    input  logic                  in_load,
    // 1: its other blocks count on from the first; 0: each has its own value
    input  logic                  in_count,
    input  logic [128*Blocks-1:0] in_value,  // the first counter values
    input  logic [  SideBits-1:0] in_side,  // returned with the block
    output logic                  out_valid,  // a beat is at the output
    output logic [128*Blocks-1:0] out_value,  // counter blocks of the beat
    output logic [  SideBits-1:0] out_side  // side bits of the beat
);
  localparam int unsigned Stages = 8;
  localparam int unsigned Bits = 128 / Stages;

  localparam int unsigned Length = Blocks > 1 ? Stages + 2 : Stages;

  // A carry chain takes longer than these trees. A small number is added to four bits: the carry
  // and the sum.
  function automatic logic [4:0] add_to_low(input logic [3:0] low, input logic [3:0] more);
    logic carried;
    carried = 1'b0;
    for (int k = 0; k < 4; k++) begin
      add_to_low[k] = low[k] ^ more[k] ^ carried;
      carried = low[k] && more[k] || carried && (low[k] || more[k]);
    end
    add_to_low[4] = carried;
  endfunction

  // A carry is added to a word: the carry that leaves it, and the sum. A bit flips when a carry
  // comes and all bits below it are ones. Fours of them first, then these, then what the bit
  // becomes: three levels of LUT4.
  function automatic logic [Bits:0] add_carry(input logic [Bits-1:0] word, input logic carry);
    logic [Bits/4-1:0] full;
    for (int k = 0; k < Bits / 4; k++) full[k] = &word[4*k+:4];
    for (int k = 0; k < Bits; k++) begin
      add_carry[k] = word[k] ^ (&(full | {Bits / 4{1'b1}} << (k / 4))
          && (carry && &(word[4*(k/4)+:4] | 4'hf << (k % 4))));
    end
    add_carry[Bits] = carry && &full;
  endfunction

  // A carry from the low four bits, which are already added to.
  function automatic logic [Bits:0] carry_on(input logic [Bits-1:0] word, input logic carry);
    // verilator lint_off UNUSEDSIGNAL
    logic [Bits:0] all;
    // verilator lint_on UNUSEDSIGNAL
    all = add_carry({word[Bits-1:4], 4'hf}, carry);
    carry_on = {all[Bits:4], word[3:0]};
  endfunction

  logic [Stages:0] carry, load, valid;

  // While zeroizing, every word takes what comes; no net has to reach all of them.
  logic [Length-1:0] valid_q, take_q, count_q;
  logic [SideBits-1:0] side_q[0:Length-1];
  always_ff @(posedge clk) begin
    if (step) begin
      valid_q <= {valid_q[Length-2:0], in_valid};
      take_q  <= {take_q[Length-2:0], valid[0]};
      count_q <= {count_q[Length-2:0], in_count && !zeroize};
      side_q[0] <= in_side;
      for (int i = 1; i < Length; i++) side_q[i] <= side_q[i-1];
    end
    if (rst || zeroize) valid_q <= '0;
    if (rst) take_q <= '0;
  end
  assign out_valid = valid_q[Length-1];
  assign out_side = side_q[Length-1];

  // Word i, counted from the low end, meets the beat in stage i: it waits i stages before, and the
  // others after.
  logic [Blocks-1:0] over[0:Stages];
  assign {load[0], valid[0]} = {in_load || zeroize, in_valid || zeroize};
  assign carry[0] = 1'b1;
  assign over[0] = '0;
  for (genvar i = 0; i < Stages; i++) begin : gen_word
    logic [Bits-1:0] early_q[0:Stages-1];
    logic [Bits-1:0] late_q[0:Stages-1];
    logic [Bits-1:0] value, stepped;
    logic through, carry_q, load_q;
    if (i == 0) begin : gen_early
      assign value = in_value[128*(Blocks-1)+:Bits];
    end else begin : gen_early
      assign value = early_q[i-1];
    end
    if (i == 0 && Blocks > 1) begin : gen_step
      logic [4:0] low;
      assign low = add_to_low(late_q[0][3:0], 4'(Blocks));
      assign {through, stepped} = carry_on({late_q[0][Bits-1:4], low[3:0]}, low[4]);
    end else begin : gen_step
      assign {through, stepped} = add_carry(late_q[0], carry[i]);
    end
    always_ff @(posedge clk) begin
      if (step) begin
        early_q[0] <= in_value[128*(Blocks-1)+Bits*i+:Bits];
        for (int k = 1; k < Stages; k++) early_q[k] <= early_q[k-1];
        if (valid[i]) late_q[0] <= load[i] ? value : stepped;
        for (int k = 1; k < Stages; k++) late_q[k] <= late_q[k-1];
        carry_q <= through;
        load_q  <= load[i];
      end
    end
    assign carry[i+1] = carry_q;
    assign load[i+1] = load_q;
    assign valid[i+1] = take_q[i];

    // The other blocks of a beat lie after the first one: their carries follow two stages later.
    if (Blocks > 1) begin : gen_blocks
      for (genvar b = 0; b < Blocks; b++) begin : gen_block
        logic [Bits-1:0] own_q[0:i];
        logic [Bits-1:0] sum_q[0:Stages-1-i];
        logic [Bits-1:0] base, base_q, sum;
        logic next, over_q;
        assign base = b == 0 || count_q[i] ? late_q[0] : own_q[i];
        if (i == 0) begin : gen_sum
          logic more_q;
          always_ff @(posedge clk) begin
            if (step) begin
              base_q <= base;
              {more_q, base_q[3:0]} <= add_to_low(base[3:0], count_q[i] ? 4'(b) : 4'd0);
            end
          end
          assign {next, sum} = carry_on(base_q, more_q);
        end else begin : gen_sum
          always_ff @(posedge clk) if (step) base_q <= base;
          assign {next, sum} = add_carry(base_q, over[i][b]);
        end
        always_ff @(posedge clk) begin
          if (step) begin
            own_q[0] <= in_value[128*(Blocks-1-b)+Bits*i+:Bits];
            for (int k = 1; k <= i; k++) own_q[k] <= own_q[k-1];
            sum_q[0] <= sum;
            for (int k = 1; k < Stages - i; k++) sum_q[k] <= sum_q[k-1];
            over_q <= next;
          end
        end
        assign over[i+1][b] = over_q;
        assign out_value[128*(Blocks-1-b)+Bits*i+:Bits] = sum_q[Stages-1-i];
      end
    end else begin : gen_blocks
      assign over[i+1] = '0;
      assign out_value[Bits*i+:Bits] = late_q[Stages-1-i];
    end
  end

  logic unused_ok;
  assign unused_ok = &{
    1'b0, carry[Stages], load[Stages], valid[Stages], over[Stages], count_q, take_q
  };
endmodule

`default_nettype wire
