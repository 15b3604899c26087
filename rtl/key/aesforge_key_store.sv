// SPDX-License-Identifier: Apache-2.0
// The stored round keys of one round in a ring: one for each slot and pass. Latency ReadDelay + 1.
`default_nettype none

module aesforge_key_store #(
    // rounds of the cipher, and which of them these are: First, First + Stride, ... counted from 1
    // in the direction in which the blocks run
    parameter int unsigned Nr = 10,
    parameter int unsigned First = 1,
    parameter int unsigned Stride = 10,
    // 1: the round keys of a decrypting block, which takes them from the last to the first
    parameter bit Backward = 1'b0,
    // key slots
    parameter int unsigned Slots = 2,
    // cycles that the address waits before it is used
    parameter int unsigned ReadDelay = 0,
    localparam int unsigned Passes = Nr / Stride,
    localparam int unsigned SlotBits = $clog2(Slots),
    localparam int unsigned PassBits = Passes > 1 ? $clog2(Passes) : 1
) (
    input  logic                clk,
    // round keys in, those of all rounds in turn; zeroize overwrites what stands at zeroize_address
    input  logic                write_valid,
    input  logic [         3:0] write_round,
    input  logic [SlotBits-1:0] write_slot,
    input  logic [       127:0] write_key,
    input  logic                zeroize,
    input  logic [         7:0] zeroize_address,
    // round key out
    input  logic [SlotBits-1:0] slot,
    input  logic [PassBits-1:0] pass,
    output logic [       127:0] round_key
);
  localparam int unsigned UsedPassBits = Passes > 1 ? PassBits : 0;
  localparam int unsigned AddressBits = SlotBits + UsedPassBits;

  logic [127:0] memory[0:2**AddressBits-1];
  logic [AddressBits-1:0] write_address, read_address, address;
  logic mine;

  // Which pass a round key belongs to, if it is one of ours.
  logic [PassBits-1:0] write_pass;
  always_comb begin
    mine = 1'b0;
    write_pass = '0;
    for (int p = 0; p < Passes; p++) begin
      if (write_round == 4'(Backward ? Nr - (First + Stride * p) : First + Stride * p)) begin
        mine = 1'b1;
        write_pass = PassBits'(p);
      end
    end
  end

  if (Passes > 1) begin : gen_address
    assign write_address = {write_slot, write_pass};
    assign read_address = {slot, pass};
  end else begin : gen_address
    assign write_address = write_slot;
    assign read_address = slot;
    logic unused_ok;
    assign unused_ok = &{1'b0, write_pass, pass};
  end
  aesforge_delay #(
      .Width(AddressBits),
      .Depth(ReadDelay)
  ) u_address (
      .clk,
      .rst(1'b0),
      .d  (read_address),
      .q  (address)
  );

  always_ff @(posedge clk) begin
    round_key <= memory[address];
    if (zeroize || (write_valid && mine)) begin
      memory[zeroize?zeroize_address[AddressBits-1:0] : write_address] <= zeroize ? '0 : write_key;
    end
  end

  if (AddressBits < 8) begin : gen_unused
    logic unused_ok;
    assign unused_ok = &{1'b0, zeroize_address[7:AddressBits]};
  end
endmodule

`default_nettype wire
