// SPDX-License-Identifier: Apache-2.0
// After each new key: has a block of zeros encrypted, which gives the hash subkey H (SP 800-38D
// Sec. 7.1), and writes H^1 to H^Ahead. Busy from the acceptance of the key on, for the key
// expansion, the latency of the core and `Ahead` * (128 / `Digit` + 2) cycles.
`default_nettype none

module aesforge_gcm_powers #(
    parameter int unsigned Slots = 2,  // [2 or more] key slots
    parameter int unsigned Ahead = 8,  // [a power of two] powers
    parameter int unsigned Digit = 8,  // [1 to 8, a power of two] see aesforge_gf128_serial
    localparam int unsigned SlotBits = $clog2(Slots),
    localparam int unsigned PowerBits = $clog2(Ahead)
) (
    input  logic                 clk,  // clock
    input  logic                 rst,  // synchronous reset
    input  logic                 zeroize,  // discards everything
    input  logic                 key_accept,  // the core accepts a key
    input  logic [ SlotBits-1:0] key_slot,  // its slot
    input  logic                 key_ready,  // the core has expanded it
    output logic                 busy,  // the powers are not written yet
    output logic                 zero_valid,  // a block of zeros is wanted
    input  logic                 zero_ready,  // it enters
    output logic [ SlotBits-1:0] slot,  // slot of the key in progress
    input  logic                 hash_valid,  // its result is present
    input  logic [        127:0] hash_key,  // H
    output logic                 write_valid,  // a power is present
    output logic [PowerBits-1:0] write_power,  // the exponent less one
    output logic [        127:0] write_value  // the power
);
  localparam logic [2:0] Idle = 3'd0, Expand = 3'd1, Ask = 3'd2, Wait = 3'd3, Multiply = 3'd4;

  logic [2:0] state_q;
  logic [127:0] hash_key_q, power_q;
  logic start_q, done;
  logic [127:0] product;
  assign busy = state_q != Idle;
  assign zero_valid = state_q == Ask;
  assign write_valid = state_q == Multiply && done;
  assign write_value = product;

  // The first product is 1 * H. So a power is written at the earliest 128 / `Digit` cycles after
  // the last block under the old key left the core: its hash has used the old powers.
  localparam logic [127:0] One = {1'b1, 127'b0};
  always_ff @(posedge clk) begin
    start_q <= 1'b0;
    case (state_q)
      Idle: begin
        if (key_accept) begin
          slot <= key_slot;
          state_q <= Expand;
        end
      end
      Expand: if (key_ready) state_q <= Ask;
      Ask: if (zero_ready) state_q <= Wait;
      Wait: begin
        write_power <= '0;
        power_q <= One;
        if (hash_valid) begin
          hash_key_q <= hash_key;
          start_q <= 1'b1;
          state_q <= Multiply;
        end
      end
      default: begin
        if (done) begin
          power_q <= product;
          write_power <= write_power + 1'b1;
          start_q <= write_power != '1;
          if (write_power == '1) begin
            state_q <= Idle;
            {hash_key_q, power_q} <= '0;
          end
        end
      end
    endcase
    if (zeroize) {hash_key_q, power_q} <= '0;
    if (rst || zeroize) begin
      state_q <= Idle;
      start_q <= 1'b0;
    end
  end

  logic unused_ok;
  aesforge_gf128_serial #(
      .Digit(Digit)
  ) u_multiply (
      .clk,
      .rst,
      .zeroize,
      .start(start_q),
      .a(power_q),
      .b(hash_key_q),
      .busy(unused_ok),
      .done,
      .product
  );
endmodule

`default_nettype wire
