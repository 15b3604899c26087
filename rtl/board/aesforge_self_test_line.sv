// SPDX-License-Identifier: Apache-2.0
// The report of a self-test as a line of text, byte by byte:
// `blocks HEX rate HEX errors HEX passes HEX mismatches HEX WORD`, where WORD is run, good, FAIL or
// done. Values are those of the cycle of `send`. Latency 1 cycle, a byte per cycle.
`default_nettype none

module aesforge_self_test_line (
    input  logic        clk,  // clock
    input  logic        rst,  // synchronous reset: no line is sent
    input  logic        send,  // starts a line; ignored while one is sent

    // values, as aesforge_self_test has them
    input  logic [39:0] blocks,  // blocks encrypted
    input  logic [31:0] rate,  // blocks per second
    input  logic [63:0] errors,  // wrong results
    input  logic [23:0] passes,  // passes ended
    input  logic [23:0] mismatches,  // wrong signatures
    input  logic        failed,  // FAIL
    input  logic        done,  // done, unless failed

    // bytes
    output logic        valid,  // a byte is present
    input  logic        ready,  // it is accepted
    output logic [ 7:0] data  // byte, ASCII
);
  // '#' stands for a hexadecimal digit, '*' for a letter of the word at the end.
  localparam int unsigned Length = 94;
  localparam logic [8*Length-1:0] Text = {
    "blocks ########## rate ######## errors ################ passes ###### mismatches ###### ****",
    8'h0d, 8'h0a
  };
  localparam int unsigned ValueBits = 40 + 32 + 64 + 24 + 24;

  logic [ValueBits-1:0] value_q;
  logic [31:0] word_q;
  logic [$clog2(Length)-1:0] left_q;  // bytes after this one
  logic [7:0] letter;
  logic [3:0] digit;
  assign letter = Text[8*left_q+:8];
  assign digit  = value_q[ValueBits-1-:4];
  always_comb begin
    data = letter;
    if (letter == "*") data = word_q[31:24];
    // 0 to 9, a to f.
    if (letter == "#") data = digit < 4'd10 ? {4'h3, digit} : {4'h6, digit - 4'd9};
  end

  always_ff @(posedge clk) begin
    if (!valid) begin
      if (send) begin
        valid   <= 1'b1;
        left_q  <= ($clog2(Length))'(Length - 1);
        value_q <= {blocks, rate, errors, passes, mismatches};
        word_q  <= failed ? "FAIL" : done ? "done" : passes != '0 ? "good" : "run ";
      end
    end else if (ready) begin
      left_q <= left_q - 1'b1;
      if (left_q == '0) valid <= 1'b0;
      if (letter == "#") value_q <= value_q << 4;
      if (letter == "*") word_q <= word_q << 8;
    end
    if (rst) valid <= 1'b0;
  end
endmodule

`default_nettype wire
