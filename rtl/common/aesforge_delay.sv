// SPDX-License-Identifier: Apache-2.0
// A delay of Depth cycles: shift registers, or a circular buffer in distributed RAM (Saggese et
// al., Sec. 4). Latency Depth, one word per cycle.
`default_nettype none

module aesforge_delay #(
    parameter int unsigned Width = 8,  // [1 or more] bits of a word
    parameter int unsigned Depth = 1,  // [0 or more] cycles; 0 is a wire
    // [0, 1] 0: registers; 1: RAM where `Depth` is at least 8, registers below
    parameter int unsigned Style = aesforge_pkg::DelayRegister
) (
    input  logic             clk,  // clock
    // sets the buffer's pointer to its first place; registers ignore it
    input  logic             rst,
    input  logic [Width-1:0] d,  // word in
    output logic [Width-1:0] q  // word out
);
  if (Depth == 0) begin : gen_wire
    assign q = d;
    logic unused_ok;
    assign unused_ok = &{1'b0, clk, rst};
  end else if (Style == aesforge_pkg::DelayRam && Depth >= 8) begin : gen_ram
    // A circular buffer of Depth - 1 words, and a register after the read port.
    localparam int unsigned Places = Depth - 1;
    localparam int unsigned PlaceBits = $clog2(Places);
    localparam logic [PlaceBits-1:0] LastPlace = PlaceBits'(Places - 1);

    logic [Width-1:0] memory[0:Places-1];
    logic [PlaceBits-1:0] place_q;

    always_ff @(posedge clk) begin
      q <= memory[place_q];
      memory[place_q] <= d;
      place_q <= place_q == LastPlace ? '0 : place_q + 1'b1;
      if (rst) place_q <= '0;
    end
  end else begin : gen_registers
    logic [Width-1:0] stage_q[0:Depth-1];

    always_ff @(posedge clk) begin
      stage_q[0] <= d;
      for (int i = 1; i < Depth; i++) stage_q[i] <= stage_q[i-1];
    end

    assign q = stage_q[Depth-1];
    logic unused_ok;
    assign unused_ok = &{1'b0, rst};
  end
endmodule

`default_nettype wire
