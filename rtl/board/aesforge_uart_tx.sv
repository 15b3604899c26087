// SPDX-License-Identifier: Apache-2.0
// UART transmitter: 8 data bits, lowest first, no parity, 1 stop bit.
// A byte per 10 x Divider + 1 cycles; its start bit begins a cycle after it is accepted.
`default_nettype none

module aesforge_uart_tx #(
    parameter int unsigned Divider = 217  // [4 or more] clock cycles per bit
) (
    input  logic       clk,  // clock
    input  logic       rst,  // synchronous reset: the line is idle, the byte is lost
    input  logic       valid,  // a byte is present
    output logic       ready,  // it is accepted
    input  logic [7:0] data,  // byte
    output logic       txd  // serial line, 1 when idle; a flip-flop
);
  if (Divider < 4) begin : gen_bad_divider
    $error("Divider must be 4 or more");
  end

  localparam int unsigned CountBits = $clog2(Divider);
  logic [CountBits-1:0] count_q;  // cycles of this bit so far
  logic [3:0] left_q;  // bits that are not over, start and stop bit included; 0: idle
  logic [8:0] shift_q;  // bit 0 is on the line; ones follow, which are stop bit and idle line
  assign ready = left_q == '0;
  assign txd = shift_q[0];

  always_ff @(posedge clk) begin
    count_q <= count_q + 1'b1;
    if (ready) begin
      count_q <= '0;
      if (valid) begin
        shift_q <= {data, 1'b0};
        left_q <= 4'd10;
      end
    end else if (count_q == CountBits'(Divider - 1)) begin
      count_q <= '0;
      shift_q <= {1'b1, shift_q[8:1]};
      left_q <= left_q - 1'b1;
    end
    if (rst) begin
      shift_q <= '1;
      left_q <= '0;
    end
  end
endmodule

`default_nettype wire
