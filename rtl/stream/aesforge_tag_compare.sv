// SPDX-License-Identifier: Apache-2.0
// Turns the difference of two tags into an error: a beat that compares is an error if any of its
// bits is set, and leaves as zeros. Latency 2 cycles, one beat per cycle.
`default_nettype none

module aesforge_tag_compare #(
    parameter int unsigned SideBits = 1  // [1 or more] bits that travel with a beat
) (
    input  logic                clk,  // clock
    input  logic                rst,  // synchronous reset
    input  logic                zeroize,  // discards the beats; both read as zeros
    input  logic                in_valid,  // a beat is present
    input  logic                in_compare,  // it is the difference of two tags
    input  logic                in_error,  // it is an error already
    input  logic [       127:0] in_data,  // its bytes
    input  logic [SideBits-1:0] in_side,  // returned with it
    output logic                out_valid,  // a beat is at the output
    output logic                out_error,  // it is an error
    output logic [       127:0] out_data,  // its bytes, or zeros
    output logic [SideBits-1:0] out_side  // `in_side`
);
  logic valid_q, compare_q, error_q;
  logic [7:0] differs_q;
  logic [127:0] data_q;
  logic [SideBits-1:0] side_q;
  always_ff @(posedge clk) begin
    {valid_q, compare_q, error_q} <= {in_valid, in_compare, in_error};
    for (int i = 0; i < 8; i++) differs_q[i] <= in_data[16*i+:16] != '0;
    {data_q, side_q} <= {in_data, in_side};
    out_valid <= valid_q;
    out_error <= error_q || (compare_q && differs_q != '0);
    out_data  <= compare_q ? '0 : data_q;
    out_side  <= side_q;
    if (zeroize) {data_q, out_data} <= '0;
    if (rst || zeroize) {valid_q, out_valid} <= '0;
  end
endmodule

`default_nettype wire
