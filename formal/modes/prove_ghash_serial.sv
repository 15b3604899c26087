// SPDX-License-Identifier: Apache-2.0
// aesforge_ghash with one sum, under packets of any length: each block is added to the hash of those
// before it in its packet, and multiplied by the hash subkey of its slot (SP 800-38D Sec. 6.4).
// any_serial.sv stands for the multiplier, which keeps its factors.
`default_nettype none

module prove_ghash_serial #(
    parameter int unsigned Digit = 8,
    // 1: also that from which all this follows; without, only what the outside sees
    parameter bit Steps = 1'b1,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0
) (
    input logic         clk,
    input logic         rst,
    input logic         begin_packet,
    input logic         in_valid,
    input logic [127:0] in_block,
    input logic         in_slot,
    input logic         write_valid,
    input logic         write_slot,
    input logic [127:0] write_value
);
  logic out_valid;
  logic [127:0] out_hash;
  aesforge_ghash #(
      .Slots(2),
      .Ahead(1),
      .Digit(Digit)
  ) u_ghash (
      .clk,
      .rst,
      .zeroize(1'b0),
      .begin_packet,
      .in_valid,
      .in_first(1'b0),
      .in_block,
      .in_left(2'b00),
      .in_slot,
      .write_valid,
      .write_slot,
      .write_power(1'b0),
      .write_value,
      .out_valid,
      .out_hash
  );

  // The subkeys, the hash so far, and cycles since a block came: then its product is due.
  localparam int unsigned Cycles = 128 / Digit + 1;
  localparam int unsigned CountBits = $clog2(Cycles + 1);
  logic [127:0] low_key, high_key, hash, wanted_a, wanted_b;
  logic [1:0] known = '0;
  logic [CountBits-1:0] since = '0;
  logic begun = 1'b0, opened = 1'b0, wanted_known, again = 1'b0, seen = 1'b0;
  wire idle = since == '0;
  wire due = since == CountBits'(Cycles);
  always_ff @(posedge clk) begin
    begun <= 1'b1;
    if (write_valid && !write_slot) {known[0], low_key} <= {1'b1, write_value};
    if (write_valid && write_slot) {known[1], high_key} <= {1'b1, write_value};
    if (in_valid) begin
      wanted_a <= in_block ^ hash;
      wanted_b <= in_slot ? high_key : low_key;
      wanted_known <= known[in_slot];
      since <= CountBits'(1);
    end else if (!idle) since <= due ? '0 : since + 1'b1;
    // A packet begins at zero.
    if (begin_packet) {hash, opened} <= {128'd0, 1'b1};
    else if (due) hash <= out_hash;
    // Two blocks of a packet.
    again <= (again || due) && !begin_packet;
    seen <= seen || (again && due && hash != '0);
    if (rst) {known, since, opened} <= '0;
  end

  // Nets of the module and of the model, connected by the script; slot 0 in the low bits.
  (* keep *) logic [255:0] keys;
  (* keep *) logic [127:0] a_q, b_q;
  localparam int unsigned StepBits = $clog2(128 / Digit);
  (* keep *) logic [StepBits-1:0] count_q;
  (* keep *) logic multiply_busy;
  wire [StepBits-1:0] steps = since - 1'b1;
  always_comb begin
    assume (begun || rst);
    // One block at a time, in a packet that has begun; a packet begins between two blocks, at the
    // earliest with the hash of the one before.
    if (in_valid) assume (idle && opened && !begin_packet);
    if (begin_packet) assume (idle || due);
    if (Cover) begin
      assert (!seen);
    end else if (begun) begin
      // 1. A hash is due as many cycles after its block, and no other time.
      assert (out_valid == due);
      // 2. It is the product of the sum and the subkey; a packet without one is an error.
      if (due) assert (a_q == wanted_a && (!wanted_known || b_q == wanted_b));
      // 3. It stays until the next block, or the next packet.
      if (idle && opened) assert (out_hash == hash);
      if (Steps) begin
        assert (32'(since) <= Cycles);
        assert (multiply_busy == (!idle && !due));
        if (multiply_busy) begin
          assert (count_q == steps);
          assert (a_q == wanted_a && (!wanted_known || b_q == wanted_b));
        end
        if (known[0]) assert (keys[127:0] == low_key);
        if (known[1]) assert (keys[255:128] == high_key);
      end
    end
  end
endmodule

`default_nettype wire
