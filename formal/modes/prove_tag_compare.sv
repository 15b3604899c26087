// SPDX-License-Identifier: Apache-2.0
// aesforge_tag_compare: a difference of two tags is an error if any of its 128 bits is set, and
// leaves as zeros; other beats leave as they are.
`default_nettype none

module prove_tag_compare #(
    // 1: also that from which all this follows; here that is nothing
    parameter bit Steps = 1'b1,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0
) (
    input logic         clk,
    input logic         rst,
    input logic         in_valid,
    input logic         in_compare,
    input logic         in_error,
    input logic [127:0] in_data,
    input logic [  1:0] in_side
);
  logic out_valid, out_error;
  logic [127:0] out_data;
  logic [1:0] out_side;
  aesforge_tag_compare #(
      .SideBits(2)
  ) u_compare (
      .clk,
      .rst,
      .zeroize(1'b0),
      .in_valid,
      .in_compare,
      .in_error,
      .in_data,
      .in_side,
      .out_valid,
      .out_error,
      .out_data,
      .out_side
  );

  logic begun = 1'b0, seen_equal = 1'b0, seen_other = 1'b0;
  logic [1:0] way_valid = '0;
  logic [131:0] way[0:1];
  wire [131:0] beat = {in_compare, in_error, in_data, in_side};
  logic compare, error;
  logic [127:0] data;
  logic [1:0] side;
  assign {compare, error, data, side} = way[1];
  always_ff @(posedge clk) begin
    begun <= 1'b1;
    way_valid <= {way_valid[0], in_valid};
    {way[1], way[0]} <= {way[0], beat};
    if (way_valid[1] && compare && !error) begin
      if (data == '0) seen_equal <= 1'b1;
      else seen_other <= 1'b1;
    end
    if (rst) way_valid <= '0;
  end

  always_comb begin
    assume (begun || rst);
    if (Cover) begin
      assert (!(seen_equal && seen_other));
    end else if (begun) begin
      assert (out_valid == way_valid[1]);
      if (way_valid[1]) begin
        assert (out_error == (error || (compare && data != '0)));
        assert (out_data == (compare ? '0 : data) && out_side == side);
      end
    end
  end

  logic unused_ok;
  assign unused_ok = &{1'b0, Steps};
endmodule

`default_nettype wire
