// SPDX-License-Identifier: Apache-2.0
// aesforge_gcm_powers: after each key the block of zeros is asked for once, and its result H is
// written as H^1, then H^2 to H^Ahead, each once, before `busy` goes low. exponent_serial.sv stands
// for the multiplier, which is not there where H alone is written.
`default_nettype none

module prove_gcm_powers #(
    parameter int unsigned Ahead = 8,
    parameter int unsigned Digit = 8,
    // 1: also that from which all this follows; without, only what the outside sees
    parameter bit Steps = 1'b1,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0,
    localparam int unsigned PowerBits = Ahead > 1 ? $clog2(Ahead) : 1
) (
    input logic clk,
    input logic rst,
    input logic key_accept,
    input logic key_slot,
    input logic key_ready,
    input logic zero_ready,
    input logic hash_valid
);
  localparam int unsigned Bits = 8;
  function automatic logic [127:0] power(input logic [Bits-1:0] exponent);
    power = '0;
    power[127] = 1'b1;
    power[Bits-1:0] = exponent;
  endfunction
  // H is masked, so that it may be any value; the script connects the mask of the model.
  (* keep *) logic [127:0] mask;
  logic busy, zero_valid, slot, write_valid;
  logic [PowerBits-1:0] write_power;
  logic [127:0] write_value;
  // What leaves the core is H when it is the block of zeros, and else anything.
  logic asked = 1'b0;
  (* anyseq *) logic [127:0] anything;
  wire mine = asked && hash_valid;
  wire [127:0] hash_key = mine && Ahead > 1 ? power(Bits'(1)) ^ mask : anything;
  aesforge_gcm_powers #(
      .Slots(2),
      .Ahead(Ahead),
      .Digit(Digit)
  ) u_powers (
      .clk,
      .rst,
      .zeroize(1'b0),
      .key_accept,
      .key_slot,
      .key_ready,
      .busy,
      .zero_valid,
      .zero_ready,
      .slot,
      .hash_valid,
      .hash_key,
      .write_valid,
      .write_power,
      .write_value
  );

  // 0: no key; 1: a key came; 2: the block of zeros entered; 3: powers are written.
  logic [1:0] phase = '0;
  logic wanted_slot;
  logic [PowerBits:0] next = '0;
  logic begun = 1'b0, seen = 1'b0;
  always_ff @(posedge clk) begin
    begun <= 1'b1;
    if (key_accept && phase == 2'd0) begin
      phase <= 2'd1;
      wanted_slot <= key_slot;
    end
    if (zero_valid && zero_ready) begin
      phase <= 2'd2;
      asked <= 1'b1;
    end
    if (mine) begin
      phase <= Ahead > 1 ? 2'd3 : 2'd0;
      asked <= 1'b0;
      next <= '0;
    end
    if (write_valid && Ahead == 1) seen <= 1'b1;
    if (write_valid && Ahead > 1) begin
      next <= next + 1'b1;
      if (next == (PowerBits + 1)'(Ahead - 1)) {phase, seen} <= {2'd0, 1'b1};
    end
    if (rst) {phase, asked} <= '0;
  end

  // Registers of the module, connected by the script.
  localparam int unsigned CountBits = $clog2(128 / Digit);
  (* keep *) logic [2:0] state_q;
  (* keep *) logic start_q, first_q, final_q, multiply_busy, done, shown_q;
  (* keep *) logic [CountBits-1:0] count_q;
  (* keep *) logic [127:0] hash_key_q, result_q;
  always_comb begin
    assume (begun || rst);
    // No key comes while one is in progress.
    if (busy) assume (!key_accept);
    // Before the block of zeros has entered, no result is its.
    if (!asked) assume (!hash_valid);
    if (Cover) begin
      assert (!seen);
    end else if (begun) begin
      // 1. Busy until all powers are written.
      assert (busy == (phase != 2'd0));
      // 2. The block of zeros is asked for only after the key, and once.
      if (zero_valid) assert (phase == 2'd1);
      // 3. The powers in order, each with its value and slot.
      if (Ahead == 1) begin
        assert (write_valid == mine);
        if (write_valid) assert (slot == wanted_slot && write_power == '0 && write_value == hash_key);
      end else if (write_valid) begin
        assert (phase == 2'd3 && slot == wanted_slot);
        assert ((PowerBits + 1)'(write_power) == next);
        assert (write_value == power(Bits'(next) + 1'b1));
      end
      if (Steps) begin
        assert (state_q <= 3'd4);
        assert ((phase == 2'd0) == (state_q == 3'd0));
        assert ((phase == 2'd1) == (state_q == 3'd1 || state_q == 3'd2));
        assert ((phase == 2'd2) == (state_q == 3'd3) && (phase == 2'd3) == (state_q == 3'd4));
        assert (asked == (phase == 2'd2));
        if (phase != 2'd0) assert (slot == wanted_slot);
        if (Ahead == 1) assert (phase != 2'd3);
        else if (phase == 2'd3) begin
          assert (next < (PowerBits + 1)'(Ahead) && (PowerBits + 1)'(write_power) == next);
          assert (hash_key_q == (power(Bits'(1)) ^ mask));
          // A product is about to start, in progress or done.
          assert (2'(start_q) + 2'(multiply_busy) + 2'(done) == 2'd1);
          if (!start_q) assert (result_q == power(Bits'(next) + 1'b1));
          if (start_q) assert (first_q == (next == '0));
          if (start_q && !first_q) assert (shown_q && result_q == power(Bits'(next)));
          if (done) assert (shown_q && final_q == (write_power == '1));
          if (multiply_busy) assert (!shown_q);
          if (multiply_busy && count_q != '0) assert (final_q == (write_power == '1));
        end else assert (!start_q && !multiply_busy && !done);
      end
    end
  end
endmodule

`default_nettype wire
