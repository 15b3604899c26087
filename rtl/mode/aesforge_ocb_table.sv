// SPDX-License-Identifier: Apache-2.0
// The table L of OCB (RFC 7253 Sec. 4.1) for each key slot: a block of zeros through the core for
// each new key, and its doubles. One word per cycle to read, with a latency of one step.
`default_nettype none

module aesforge_ocb_table #(
    parameter int unsigned Slots = 2,  // [2 to 16] key slots
    parameter int unsigned IndexBits = 4,  // [3 or more] 2^IndexBits words: L_*, L_$, L_0, ...
    localparam int unsigned SlotBits = $clog2(Slots)
) (
    input  logic                 clk,  // clock
    input  logic                 rst,  // synchronous reset
    // high for at least 2^(`SlotBits` + `IndexBits`) + 1 cycles: overwrites all words with zeros
    input  logic                 zeroize,
    input  logic                 key_accept,  // the core accepts a key
    input  logic [ SlotBits-1:0] key_slot,  // its slot
    input  logic                 key_ready,  // the core has expanded it
    output logic                 busy,  // the words are not written yet
    output logic                 zero_valid,  // a block of zeros is wanted
    input  logic                 zero_ready,  // it enters
    output logic [ SlotBits-1:0] zero_slot,  // slot of the key in progress
    input  logic                 result_valid,  // its result is present
    input  logic [        127:0] result,  // L_*
    input  logic                 step,  // the word to read is taken
    input  logic [ SlotBits-1:0] slot,  // slot to read
    input  logic [IndexBits-1:0] index,  // word to read
    output logic [        127:0] word_q  // the word
);
  localparam logic [2:0] Idle = 3'd0, Expand = 3'd1, Ask = 3'd2, Wait = 3'd3, Write = 3'd4;

  logic [2:0] state_q;
  logic [IndexBits-1:0] write_q;
  logic [127:0] value_q, double;
  logic [SlotBits+IndexBits-1:0] walk_q;
  assign busy = state_q != Idle;
  assign zero_valid = state_q == Ask;
  assign double = {value_q[126:0], 1'b0} ^ (value_q[127] ? 128'h87 : 128'h0);
  always_ff @(posedge clk) begin
    case (state_q)
      Idle: begin
        if (key_accept) begin
          zero_slot <= key_slot;
          state_q   <= Expand;
        end
      end
      Expand: if (key_ready) state_q <= Ask;
      Ask: if (zero_ready) state_q <= Wait;
      Wait: begin
        write_q <= '0;
        value_q <= result;
        if (result_valid) state_q <= Write;
      end
      default: begin
        write_q <= write_q + 1'b1;
        value_q <= double;
        if (write_q == '1) begin
          state_q <= Idle;
          value_q <= '0;
        end
      end
    endcase
    if (zeroize) value_q <= '0;
    if (rst || zeroize) state_q <= Idle;
  end

  (* no_rw_check, ram_style = "distributed" *)
  logic [127:0] words[0:2**(SlotBits + IndexBits)-1];
  always_ff @(posedge clk) begin
    walk_q <= walk_q + 1'b1;
    if (zeroize || state_q == Write) words[zeroize?walk_q : {zero_slot, write_q}] <= value_q;
    if (step) word_q <= words[{slot, index}];
    if (zeroize) word_q <= '0;
    if (rst) walk_q <= '0;
  end
endmodule

`default_nettype wire
