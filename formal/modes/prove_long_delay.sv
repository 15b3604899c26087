// SPDX-License-Identifier: Apache-2.0
// aesforge_long_delay: a word of any cycle comes out `Depth` cycles later.
`default_nettype none

module prove_long_delay #(
    parameter int unsigned Depth = 4,
    // 1: also that from which all this follows; without, only what the outside sees
    parameter bit Steps = 1'b1,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0
) (
    input logic       clk,
    input logic       rst,
    input logic [1:0] d,
    // the word that is followed
    input logic       mark
);
  logic [1:0] q;
  aesforge_long_delay #(
      .Width(2),
      .Depth(Depth)
  ) u_delay (
      .clk,
      .rst,
      .d,
      .q
  );

  localparam int unsigned AgeBits = $clog2(Depth + 1);
  localparam int unsigned PlaceBits = $clog2(Depth - 1);
  logic begun = 1'b0;
  logic [1:0] word;
  // Cycles since it came; 0: none is followed.
  logic [AgeBits-1:0] age = '0;
  wire arrives = age == AgeBits'(Depth);
  always_ff @(posedge clk) begin
    begun <= 1'b1;
    if (age == '0) begin
      word <= d;
      age  <= AgeBits'(mark);
    end else age <= arrives ? '0 : age + 1'b1;
    if (rst) age <= '0;
  end

  // Registers of the module, connected by the script.
  (* keep *) logic [PlaceBits-1:0] write_q, read_q;
  (* keep *) logic [1:0] first_q;
  (* keep *) logic [2*2**PlaceBits-1:0] words;
  wire [PlaceBits-1:0] place = write_q - PlaceBits'(age);
  logic [1:0] stored;
  always_comb begin
    stored = '0;
    for (int i = 0; i < 2 ** PlaceBits; i++) begin
      if (place == PlaceBits'(i)) stored = words[2*i+:2];
    end
  end

  always_comb begin
    assume (begun || rst);
    if (Cover) begin
      assert (!(arrives && q == word));
    end else if (begun) begin
      if (arrives) assert (q == word);
      if (Steps) begin
        assert (write_q - read_q == PlaceBits'(Depth - 2));
        assert (32'(age) <= Depth);
        if (age != '0 && 32'(age) <= Depth - 2) assert (stored == word);
        if (32'(age) == Depth - 1) assert (first_q == word);
      end
    end
  end
endmodule

`default_nettype wire
