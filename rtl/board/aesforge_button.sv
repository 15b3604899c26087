// SPDX-License-Identifier: Apache-2.0
// A push button: synchronized, and its bounces removed. Latency `Cycles` + 2 cycles or more; a
// pulse for each time that it is pressed.
`default_nettype none

module aesforge_button #(
    parameter int unsigned Cycles = 1000000  // [2 or more] for so long it must not change
) (
    input  logic clk,  // clock
    input  logic rst,  // synchronous reset: the button counts as released
    input  logic pin,  // 1 while it is pressed; asynchronous to `clk`
    output logic pressed  // for one cycle: it was pressed
);
  if (Cycles < 2) begin : gen_bad_cycles
    $error("Cycles must be 2 or more");
  end

  localparam int unsigned Bits = $clog2(Cycles);
  logic [1:0] pin_q;
  logic down_q;
  logic [Bits-1:0] count_q;  // cycles for which the pin has differed from down_q

  always_ff @(posedge clk) begin
    pin_q   <= {pin_q[0], pin};
    pressed <= 1'b0;
    count_q <= '0;
    if (pin_q[1] != down_q) begin
      count_q <= count_q + 1'b1;
      if (count_q == Bits'(Cycles - 1)) begin
        down_q  <= pin_q[1];
        pressed <= pin_q[1];
        count_q <= '0;
      end
    end
    if (rst) begin
      pin_q   <= '0;
      down_q  <= 1'b0;
      count_q <= '0;
      pressed <= 1'b0;
    end
  end
endmodule

`default_nettype wire
