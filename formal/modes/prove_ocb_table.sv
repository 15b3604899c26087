// SPDX-License-Identifier: Apache-2.0
// aesforge_ocb_table under any keys: after each key its words are the cipher of a block of zeros,
// L_*, and the doubles of it, L_$, L_0, L_1, ... (RFC 7253 Sec. 4.1). Any word of any slot is
// followed.
`default_nettype none

module prove_ocb_table #(
    parameter int unsigned IndexBits = 4,
    // 1: also that from which all this follows; without, only what the outside sees
    parameter bit Steps = 1'b1,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0
) (
    input logic                 clk,
    input logic                 rst,
    // the word that is followed
    input logic                 some_slot,
    input logic [IndexBits-1:0] some_index,
    input logic                 key_accept,
    input logic                 key_slot,
    input logic                 key_ready,
    input logic                 zero_ready,
    input logic                 result_valid,
    input logic [        127:0] result,
    input logic                 step,
    input logic                 slot,
    input logic [IndexBits-1:0] index
);
  logic busy, zero_valid, zero_slot;
  logic [127:0] word_q;
  aesforge_ocb_table #(
      .Slots(2),
      .IndexBits(IndexBits)
  ) u_table (
      .clk,
      .rst,
      .zeroize(1'b0),
      .key_accept,
      .key_slot,
      .key_ready,
      .busy,
      .zero_valid,
      .zero_ready,
      .zero_slot,
      .result_valid,
      .result,
      .step,
      .slot,
      .index,
      .word_q
  );

  // Sec. 2: doubling in GF(2^128), the low bit at the end.
  function automatic logic [127:0] double(input logic [127:0] x);
    double = x << 1;
    if (x[127]) double ^= 128'd135;
  endfunction

  // A key: it is expanded, a block of zeros is asked for, its result comes, and words are written.
  localparam int unsigned Idle = 0, Expand = 1, Ask = 2, Wait = 3, Write = 4;
  logic [2:0] phase = Idle;
  logic owner;
  logic [IndexBits-1:0] turn;
  // The doubles so far; the word that is followed, once a key has given it.
  logic [127:0] value, word;
  logic known = 1'b0, read_known = 1'b0;
  logic [127:0] read;
  logic begun = 1'b0, seen = 1'b0, some_slot_q;
  logic [IndexBits-1:0] some_index_q;
  wire ends = phase == Write && turn == '1;
  always_ff @(posedge clk) begin
    begun <= 1'b1;
    {some_slot_q, some_index_q} <= {some_slot, some_index};
    case (phase)
      Idle: if (key_accept) begin
        phase <= Expand;
        owner <= key_slot;
        if (key_slot == some_slot) known <= 1'b0;
      end
      Expand: if (key_ready) phase <= Ask;
      Ask: if (zero_ready) phase <= Wait;
      Wait: if (result_valid) begin
        phase <= Write;
        value <= result;
        turn  <= '0;
      end
      default: begin
        value <= double(value);
        turn  <= turn + 1'b1;
        if (owner == some_slot && turn == some_index) word <= value;
        if (ends) begin
          phase <= Idle;
          if (owner == some_slot) known <= 1'b1;
        end
      end
    endcase
    if (step) begin
      read_known <= known && slot == some_slot && index == some_index;
      read <= word;
    end
    if (read_known && some_index == IndexBits'(3)) seen <= 1'b1;
    if (rst) begin
      phase <= Idle;
      {known, read_known} <= '0;
    end
  end

  // Registers of the module, connected by the script; word 0 of slot 0 in the lowest bits.
  (* keep *) logic [2:0] state_q;
  (* keep *) logic [IndexBits-1:0] write_q;
  (* keep *) logic [127:0] value_q;
  (* keep *) logic [128*2**(IndexBits+1)-1:0] words;

  always_comb begin
    assume (begun || rst);
    if (begun) assume (some_slot == some_slot_q && some_index == some_index_q);
    // A key comes when the one before has its words.
    if (key_accept) assume (!busy);
    if (Cover) begin
      assert (!seen);
    end else if (begun) begin
      // 1. It is busy until all words are written, and asks for one block of zeros under the key.
      assert (busy == (phase != Idle));
      assert (zero_valid == (phase == Ask));
      if (phase == Ask) assert (zero_slot == owner);
      // 2. The word that is read is the one of the slot's last key.
      if (read_known) assert (word_q == read);
      if (Steps) begin
        assert (phase <= Write && state_q == phase);
        if (phase != Idle) assert (zero_slot == owner && !(known && owner == some_slot));
        if (phase == Write) assert (value_q == value && write_q == turn);
        if (known || (phase == Write && owner == some_slot && turn > some_index)) begin
          assert (words[128*{some_slot, some_index}+:128] == word);
        end
      end
    end
  end
endmodule

`default_nettype wire
