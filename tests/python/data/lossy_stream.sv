// SPDX-License-Identifier: Apache-2.0
// A pipeline of two stages that is wrong on purpose: it takes a word whenever its reader is ready and
// gives each word for one cycle only, so that what comes out while the reader waits is lost.
`default_nettype none

module lossy_stream (
    input  wire         aclk,
    input  wire         aresetn,
    input  wire         in_tvalid,
    output wire         in_tready,
    input  wire [127:0] in_tdata,
    input  wire         in_tlast,
    output wire         out_tvalid,
    input  wire         out_tready,
    output wire [127:0] out_tdata,
    output wire         out_tlast
);
  reg [1:0] valid_q, last_q;
  reg [127:0] first_q, second_q;
  always @(posedge aclk) begin
    valid_q  <= {valid_q[0], in_tvalid && in_tready};
    last_q   <= {last_q[0], in_tlast};
    first_q  <= in_tdata;
    second_q <= first_q;
    if (!aresetn) valid_q <= 2'b00;
  end
  assign in_tready = out_tready;
  assign out_tvalid = valid_q[1];
  assign out_tdata = second_q;
  assign out_tlast = last_q[1];
endmodule

`default_nettype wire
