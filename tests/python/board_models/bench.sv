// SPDX-License-Identifier: Apache-2.0
// A board's top, its oscillator, and a terminal: prints each line that comes by the UART with the
// LEDs after it; presses the button after line 2 and sends an f after line 4.
`timescale 1ns / 1ps

module bench #(
    parameter real Period = 40.0,  // ns, of the oscillator
    parameter real Bit = 1000.0,  // ns, of the UART
    parameter int Leds = 4,  // LEDs of the board
    parameter bit Released = 0,  // the button's level when it is not pressed
    parameter int Lines = 6  // lines to wait for
);
  logic clk_in = 1'b0, rxd = 1'b1, button = Released;
  logic txd;
  logic [Leds-1:0] led;
  always #(Period / 2.0) clk_in = ~clk_in;

  top u_top (
      .clk_in(clk_in),
`ifdef BUTTON
      .button(button),
`endif
      .rxd(rxd),
      .txd(txd),
      .led(led)
  );

  int lines = 0;
  logic [7:0] data;
  initial begin
    forever begin
      @(negedge txd);
      #(Bit / 2.0);
      if (txd === 1'b0) begin
        for (int i = 0; i < 8; i++) #(Bit) data[i] = txd;
        #(Bit) if (txd !== 1'b1) $display("framing error");
        $write("%c", data);
        if (data == 8'h0a) begin
          $display("led %b", led);
          lines = lines + 1;
          if (lines == Lines) $finish;
        end
      end
    end
  end

  // One press, which bounces.
  initial begin
    wait (lines == 2);
    for (int i = 0; i < 4; i++) #(Bit) button = ~button;
    button = !Released;
    #(200 * Bit) button = Released;
    wait (lines == 4);
    rxd = 1'b0;
    for (int i = 0; i < 8; i++) #(Bit) rxd = 8'h66 >> i;
    #(Bit) rxd = 1'b1;
  end

  initial begin
    #(Lines * 3000 * Bit) $display("no line for too long");
    $finish;
  end
endmodule
