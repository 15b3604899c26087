// SPDX-License-Identifier: Apache-2.0
// UART receiver: 8 data bits, lowest first, no parity, 1 stop bit, sampled in the middle of a bit.
// Latency from the middle of the stop bit 3 to 4 cycles.
`default_nettype none

module aesforge_uart_rx #(
    parameter int unsigned Divider = 217  // [4 or more] clock cycles per bit
) (
    input  logic       clk,  // clock
    input  logic       rst,  // synchronous reset: the byte is lost and its bits read as 0
    input  logic       rxd,  // serial line, 1 when idle; asynchronous to `clk`
    output logic       valid,  // for one cycle: a byte has come
    output logic [7:0] data,  // byte; stays until the next one begins
    output logic       error  // for one cycle: no stop bit followed (framing error), no byte came
);
  if (Divider < 4) begin : gen_bad_divider
    $error("Divider must be 4 or more");
  end

  // Two flip-flops synchronize the line; the third finds its falling edge. After a framing error
  // the line must rise before another byte begins.
  logic [2:0] line_q;
  logic line, start;
  assign line = line_q[1];
  assign start = line_q[2] && !line;

  localparam int unsigned CountBits = $clog2(Divider);
  logic [CountBits-1:0] count_q;  // cycles to the next sample
  logic [3:0] left_q;  // samples to take, start and stop bit included; 0: idle
  always_ff @(posedge clk) begin
    line_q <= {line_q[1:0], rxd};
    count_q <= count_q - 1'b1;
    valid <= 1'b0;
    error <= 1'b0;
    if (left_q == '0) begin
      count_q <= CountBits'(Divider / 2 - 1);
      if (start) left_q <= 4'd10;
    end else if (count_q == '0) begin
      count_q <= CountBits'(Divider - 1);
      left_q <= left_q - 1'b1;
      if (left_q == 4'd10) begin
        // A start bit that is over before its middle is noise.
        if (line) left_q <= '0;
      end else if (left_q == 4'd1) begin
        // The rest of the stop bit is idle time: the next start bit may come early.
        valid <= line;
        error <= !line;
      end else begin
        data <= {line, data[7:1]};
      end
    end
    if (rst) begin
      line_q <= '1;
      left_q <= '0;
      valid <= 1'b0;
      error <= 1'b0;
      data <= '0;
    end
  end
endmodule

`default_nettype wire
