// SPDX-License-Identifier: Apache-2.0
// CRC-32 of IEEE 802.3 Sec. 3.2.9, lowest bit of a byte first: that of zlib and of POSIX tools.
// Latency 1 cycle, one byte per cycle.
`default_nettype none

module aesforge_crc32 (
    input  logic        clk,  // clock
    input  logic        start,  // the next byte is the first
    input  logic        step,  // a byte is present; ignored with `start`
    input  logic [ 7:0] data,  // byte
    output logic [31:0] crc  // of the bytes so far, complemented as the standard has it
);
  function automatic logic [31:0] next(input logic [31:0] state, input logic [7:0] value);
    next = state ^ {24'd0, value};
    for (int i = 0; i < 8; i++) next = {1'b0, next[31:1]} ^ (next[0] ? 32'hedb88320 : 32'd0);
  endfunction

  logic [31:0] state_q;
  assign crc = ~state_q;
  always_ff @(posedge clk) begin
    if (step) state_q <= next(state_q, data);
    if (start) state_q <= '1;
  end
endmodule

`default_nettype wire
