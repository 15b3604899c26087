// SPDX-License-Identifier: Apache-2.0
// After each new key: has a block of zeros encrypted, which gives the hash subkey H (SP 800-38D
// Sec. 7.1), and writes H^1 to H^Ahead. Busy from the acceptance of the key on, for the key
// expansion, the latency of the core and `Ahead` * (128 / `Digit` + 2) cycles; H alone is written
// when it leaves the core.
`default_nettype none

module aesforge_gcm_powers #(
    parameter int unsigned Slots = 2,  // [2 or more] key slots
    parameter int unsigned Ahead = 8,  // [1, or a power of two from 4 on] powers
    parameter int unsigned Digit = 8,  // [1 to 8, a power of two] see aesforge_gf128_serial
    localparam int unsigned SlotBits = $clog2(Slots),
    localparam int unsigned PowerBits = Ahead > 1 ? $clog2(Ahead) : 1
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
  logic start, last;
  assign busy = state_q != Idle;
  assign zero_valid = state_q == Ask;
  always_ff @(posedge clk) begin
    case (state_q)
      Idle: begin
        if (key_accept) begin
          slot <= key_slot;
          state_q <= Expand;
        end
      end
      Expand: if (key_ready) state_q <= Ask;
      Ask: if (zero_ready) state_q <= Wait;
      Wait: if (hash_valid) state_q <= Ahead > 1 ? Multiply : Idle;
      default: if (last) state_q <= Idle;
    endcase
    if (rst || zeroize) state_q <= Idle;
  end
  assign start = state_q == Wait && hash_valid;

  if (Ahead == 1) begin : gen_one
    // The last block under the old key left the core before the expansion of the new one: it is in
    // the multiplier, with the old H.
    assign write_valid = start;
    assign write_power = 1'b0;
    assign write_value = hash_key;
    assign last = 1'b0;
  end else begin : gen_powers
    logic [127:0] hash_key_q, product;
    logic start_q, first_q, done, final_q;
    assign write_valid = done;
    assign write_value = product;
    assign last = done && final_q;

    // The first product is 1 * H. So a power is written at the earliest 128 / `Digit` cycles after
    // the last block under the old key left the core: its hash has used the old powers. All further
    // products take the power from the multiplier, which keeps it until it starts.
    localparam logic [127:0] One = {1'b1, 127'b0};
    always_ff @(posedge clk) begin
      start_q <= start || (write_valid && !last);
      first_q <= start;
      final_q <= write_power == '1;
      if (start) begin
        write_power <= '0;
        hash_key_q <= hash_key;
      end else if (write_valid) begin
        write_power <= write_power + 1'b1;
      end
      if (zeroize || last) hash_key_q <= '0;
      if (rst || zeroize) start_q <= 1'b0;
    end

    // Idle, no register holds H or a power of it.
    logic unused_ok;
    aesforge_gf128_serial #(
        .Digit(Digit)
    ) u_multiply (
        .clk,
        .rst,
        .zeroize(zeroize || last),
        .start(start_q),
        .a(first_q ? One : product),
        .b(hash_key_q),
        .busy(unused_ok),
        .done,
        .product
    );
  end
endmodule

`default_nettype wire
