// SPDX-License-Identifier: Apache-2.0
// The stored round keys of one round in a ring: one for each slot and pass. Latency ReadDelay + 1,
// or 0 if it has no output register.
`default_nettype none

module aesforge_key_store #(
    parameter int unsigned Nr = 10,  // [10, 12, 14] rounds of the cipher
    // [0 to `Stride`] number of this round in the first pass, from 1, in the direction of the
    // blocks; 0 for the first AddRoundKey
    parameter int unsigned First = 1,
    // [a divisor of `Nr`] rounds in the ring: this one is `First`, `First` + `Stride`, ...
    parameter int unsigned Stride = 10,
    // [0, 1] 1: for decrypting blocks, which take round keys from the last to the first
    parameter bit Backward = 1'b0,
    parameter int unsigned Slots = 2,  // [2 to 16] key slots
    // [0 or more] cycles that the address waits before it is used
    parameter int unsigned ReadDelay = 0,
    parameter bit OutputRegister = 1'b1,  // [0, 1] 1: the round key comes from a register
    localparam int unsigned Passes = Nr / Stride,
    localparam int unsigned SlotBits = $clog2(Slots),
    localparam int unsigned PassBits = Passes > 1 ? $clog2(Passes) : 1
) (
    input  logic                clk,  // clock
    // a round key is present; the round keys of all rounds come in turn
    input  logic                write_valid,
    // number of the round key, 0 to Nr; stored if it belongs to this round
    input  logic [         3:0] write_round,
    input  logic [SlotBits-1:0] write_slot,  // slot of the key
    input  logic [       127:0] write_key,  // round key
    // overwrites the place `zeroize_address` with zeros, before any write
    input  logic                zeroize,
    input  logic [         7:0] zeroize_address,  // place; the bits that the store has are used
    input  logic [SlotBits-1:0] slot,  // slot to read
    input  logic [PassBits-1:0] pass,  // pass to read
    output logic [       127:0] round_key  // round key
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

  if (OutputRegister) begin : gen_read
    always_ff @(posedge clk) round_key <= memory[address];
  end else begin : gen_read
    assign round_key = memory[address];
  end
  always_ff @(posedge clk) begin
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
