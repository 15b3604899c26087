// SPDX-License-Identifier: Apache-2.0
// What the models of block RAM have in common: Yosys has none for most of them, or none that it can
// read back. They cover memories that are only read, as S-boxes are.
`default_nettype none

// A condition under which a model says nothing. The proof sees to it that it is constantly false.
(* blackbox, keep *)
module unmodelled (
    input wire condition
);
endmodule

// A port that reads 2048 words of `Unit` bits, one or two at a time; what is read stays in `data`.
module aesforge_rom #(
    // One or two units; 0: the port is not in use.
    parameter integer Width = 9,
    parameter integer Unit = 9,
    parameter [2048*Unit-1:0] Contents = 0
) (
    input wire clk,
    input wire enable,
    // The address of a single bit: the units' number is in its upper bits.
    input wire [13:0] address,
    output wire [2*Unit-1:0] data
);
  localparam integer Units = Width == 2 * Unit ? 2 : 1;
  localparam integer Words = 2048 / Units;
  if (Width != 0 && Width != Unit && Width != 2 * Unit) begin : gen_bad
    $error("block RAM of a width without a model");
  end
  if (Width == 0) begin : gen_port
    // Nothing is said of its output: a free value.
  end else begin : gen_port
    reg [Units*Unit-1:0] memory[0:Words-1];
    reg [Units*Unit-1:0] data_q;
    integer i;
    initial begin
      for (i = 0; i < Words; i = i + 1) memory[i] = Contents[Units*Unit*i+:Units*Unit];
    end
    always @(posedge clk) begin
      if (enable) data_q <= memory[address[13:2+Units]];
    end
    assign data[Units*Unit-1:0] = data_q;
  end
endmodule

`default_nettype wire
