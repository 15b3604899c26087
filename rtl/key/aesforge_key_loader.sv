// SPDX-License-Identifier: Apache-2.0
// Expands a key into a slot's round-key stores and tracks which slots hold a key. To replace a key,
// it waits until every block under the old key has left.
// A key is ready Nr x (SboxStages + LinearStages) + 3 cycles after it was accepted, Latency more if
// the slot held one.
`default_nettype none

module aesforge_key_loader #(
    parameter int unsigned KeyBits = 128,  // [128, 192, 256] key size
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTable,  // [a style] see aesforge_sbox
    // [0 or more; 1 or more for `bram`] pipeline stages in SubWord
    parameter int unsigned SboxStages = 0,
    // [0 or more] pipeline stages after the new words; at least 1 in all
    parameter int unsigned LinearStages = 1,
    parameter int unsigned Slots = 2,  // [2 to 16] key slots
    // [1 or more] cycles a block is in the cipher, from its acceptance on
    parameter int unsigned Latency = 11,
    // [0, 1] cycles from a round key at the output to its store; 0: it comes from a register here
    parameter int unsigned StoreDelay = 0,
    localparam int unsigned SlotBits = $clog2(Slots)
) (
    input  logic                clk,  // clock
    input  logic                rst,  // marks all slots empty; zeroizes nothing
    input  logic                zeroize,  // discards all keys and zeroizes the one in progress
    input  logic                key_valid,  // a key is present
    output logic                key_ready,  // it is accepted
    input  logic [SlotBits-1:0] key_slot,  // slot to load
    input  logic [ KeyBits-1:0] key,  // key
    // a round key for the stores; means nothing with `zeroize` and in the cycle after it
    output logic                write_valid,
    output logic [         3:0] write_round,  // number of the round key, 0 to Nr
    output logic [SlotBits-1:0] write_slot,  // slot of the key
    output logic [       127:0] write_key,  // round key
    output logic [   Slots-1:0] slot_valid  // slots that hold a key
);
  localparam int unsigned Nr = KeyBits / 32 + 6;
  localparam int unsigned WaitBits = $clog2(Latency + 1);
  localparam logic [1:0] Idle = 2'd0, Wait = 2'd1, Expand = 2'd2, Start = 2'd3;

  logic [1:0] state_q;
  logic [WaitBits-1:0] wait_q;
  logic [KeyBits-1:0] key_q;
  logic slot_held, last_q, expand_valid, expand_ready;
  logic [3:0] expand_round;
  logic [127:0] expand_key;

  assign key_ready = state_q == Idle && !zeroize;

  // At most one is high: an OR takes fewer levels than a loop that assigns.
  logic [Slots-1:0] held;
  always_comb for (int s = 0; s < Slots; s++) held[s] = slot_valid[s] && key_slot == SlotBits'(s);
  assign slot_held = |held;

  always_ff @(posedge clk) begin
    case (state_q)
      Idle: begin
        // They follow their ports: that a key is accepted need not reach all of them.
        write_slot <= key_slot;
        key_q <= key;
        wait_q <= WaitBits'(Latency);
        if (key_valid) begin
          state_q <= slot_held ? Wait : Start;
          for (int s = 0; s < Slots; s++) begin
            if (key_slot == SlotBits'(s)) slot_valid[s] <= 1'b0;
          end
        end
      end
      Wait: begin
        wait_q <= wait_q - 1'b1;
        if (wait_q == WaitBits'(1)) state_q <= Start;
      end
      Start: state_q <= Expand;
      default: begin
        if (last_q) begin
          state_q <= Idle;
          for (int s = 0; s < Slots; s++) begin
            if (write_slot == SlotBits'(s)) slot_valid[s] <= 1'b1;
          end
        end
      end
    endcase
    // When the expansion has begun, the copy here is zeroized. After `zeroize` the port does that.
    if (state_q == Expand) key_q <= '0;
    if (rst || zeroize) begin
      state_q <= Idle;
      slot_valid <= '0;
    end
  end

  aesforge_key_expand #(
      .KeyBits(KeyBits),
      .SboxStyle(SboxStyle),
      .SboxStages(SboxStages),
      .LinearStages(LinearStages)
  ) u_key_expand (
      .clk,
      .rst,
      // Also after `zeroize`; what follows the port goes no further.
      .zeroize(state_q == Idle),
      .in_valid(state_q == Start),
      // It is ready: Idle also ends what runs on there after a key's last round key.
      .in_ready(expand_ready),
      .in_key(key_q),
      .out_valid(expand_valid),
      .out_round(expand_round),
      .out_round_key(expand_key)
  );

  // The last round key is in its store at the next edge.
  always_ff @(posedge clk) last_q <= expand_valid && expand_round == 4'(Nr);
  if (StoreDelay > 0) begin : gen_write
    assign write_valid = expand_valid;
    assign write_round = expand_round;
    assign write_key   = expand_key;
  end else begin : gen_write
    always_ff @(posedge clk) begin
      write_valid <= expand_valid && state_q != Idle && !rst;
      write_round <= expand_round;
      write_key   <= expand_key;
    end
  end

  logic unused_ok;
  assign unused_ok = &{1'b0, expand_ready};
endmodule

`default_nettype wire
