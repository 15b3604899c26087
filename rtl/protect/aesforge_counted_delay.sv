// SPDX-License-Identifier: Apache-2.0
// aesforge_delay for words that no later logic checks: its RAM has two counters, and `astray`
// shows that they have differed. Latency Depth, one word per cycle.
`default_nettype none

module aesforge_counted_delay #(
    parameter int unsigned Width = 8,  // [1 or more] bits of a word
    parameter int unsigned Depth = 1,  // [1 or more] cycles
    // [0, 1] 0: registers; 1: RAM where `Depth` is at least 8, registers below
    parameter int unsigned Style = aesforge_pkg::DelayRegister
) (
    input  logic             clk,  // clock
    input  logic             rst,  // sets both counters to the first place
    input  logic [Width-1:0] d,  // word in
    output logic [Width-1:0] q,  // word out
    // the counters have differed since the last reset: `q` may be the word of another cycle
    output logic             astray
);
  if (Style == aesforge_pkg::DelayRam && Depth >= 8) begin : gen_ram
    localparam int unsigned Places = Depth - 1;
    localparam int unsigned PlaceBits = $clog2(Places);
    localparam logic [PlaceBits-1:0] LastPlace = PlaceBits'(Places - 1);

    logic [Width-1:0] memory[0:Places-1];
    logic [PlaceBits-1:0] place_q, place, again_q, again;
    logic differ, astray_q;

    // The second counter holds the complement, so that synthesis does not merge them.
    assign place = place_q == LastPlace ? '0 : place_q + 1'b1;
    assign again = ~again_q == LastPlace ? '0 : ~again_q + 1'b1;
    always_ff @(posedge clk) begin
      q <= memory[place_q];
      memory[place_q] <= d;
      place_q <= place;
      again_q <= ~again;
      astray_q <= astray;
      if (rst) begin
        place_q <= '0;
        again_q <= '1;
        astray_q <= 1'b0;
      end
    end
    // Sticky: a counter that left its range may later agree again, while the RAM holds words never
    // written.
    assign differ = place_q != ~again_q;
    assign astray = differ || astray_q;
  end else begin : gen_registers
    aesforge_delay #(
        .Width(Width),
        .Depth(Depth)
    ) u_delay (
        .clk,
        .rst,
        .d,
        .q
    );
    assign astray = 1'b0;
  end
endmodule

`default_nettype wire
