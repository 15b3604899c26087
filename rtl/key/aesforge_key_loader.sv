// SPDX-License-Identifier: Apache-2.0
// Expands a key into a slot's round-key stores and keeps account of which slots hold a key.
// A slot that held a key waits until every block under the old key has left.
// A key is ready Nr x (SboxStages + LinearStages) + 2 cycles after it was accepted, Latency later
// if the slot held one, SboxStages + LinearStages - 1 later right after another load.
`default_nettype none

module aesforge_key_loader #(
    parameter int unsigned KeyBits = 128,
    // see aesforge_key_round
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTable,
    parameter int unsigned SboxStages = 0,
    parameter int unsigned LinearStages = 1,
    // key slots, 2 to 16
    parameter int unsigned Slots = 2,
    // cycles a block is in the cipher
    parameter int unsigned Latency = 11,
    localparam int unsigned SlotBits = $clog2(Slots)
) (
    input  logic                clk,
    input  logic                rst,
    // forgets all keys
    input  logic                zeroize,
    // key in
    input  logic                key_valid,
    output logic                key_ready,
    input  logic [SlotBits-1:0] key_slot,
    input  logic [ KeyBits-1:0] key,
    // round keys to the stores
    output logic                write_valid,
    output logic [         3:0] write_round,
    output logic [SlotBits-1:0] write_slot,
    output logic [       127:0] write_key,
    // slots that hold a key
    output logic [   Slots-1:0] slot_valid
);
  localparam int unsigned Nr = KeyBits / 32 + 6;
  localparam int unsigned WaitBits = $clog2(Latency + 1);
  localparam logic [1:0] Idle = 2'd0, Wait = 2'd1, Expand = 2'd2;

  logic [1:0] state_q;
  logic [WaitBits-1:0] wait_q;
  logic [KeyBits-1:0] key_q;
  logic start, expand_ready, slot_held;

  assign key_ready = state_q == Idle && !zeroize;
  assign start = state_q == Wait && wait_q == '0;

  always_comb begin
    slot_held = 1'b0;
    for (int s = 0; s < Slots; s++) begin
      if (key_slot == SlotBits'(s)) slot_held = slot_valid[s];
    end
  end

  always_ff @(posedge clk) begin
    case (state_q)
      Idle: begin
        if (key_valid) begin
          state_q <= Wait;
          write_slot <= key_slot;
          key_q <= key;
          wait_q <= slot_held ? WaitBits'(Latency) : '0;
          for (int s = 0; s < Slots; s++) begin
            if (key_slot == SlotBits'(s)) slot_valid[s] <= 1'b0;
          end
        end
      end
      Wait: begin
        if (wait_q != '0) wait_q <= wait_q - 1'b1;
        else if (expand_ready) state_q <= Expand;
      end
      default: begin
        if (write_valid && write_round == 4'(Nr)) begin
          state_q <= Idle;
          // The expanded key is in the stores: no second copy of it stays here.
          key_q <= '0;
          for (int s = 0; s < Slots; s++) begin
            if (write_slot == SlotBits'(s)) slot_valid[s] <= 1'b1;
          end
        end
      end
    endcase
    if (zeroize) key_q <= '0;
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
      .zeroize,
      .in_valid(start),
      .in_ready(expand_ready),
      .in_key(key_q),
      .out_valid(write_valid),
      .out_round(write_round),
      .out_round_key(write_key)
  );
endmodule

`default_nettype wire
