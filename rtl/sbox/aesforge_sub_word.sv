// SPDX-License-Identifier: Apache-2.0
// SUBWORD() of FIPS 197 Sec. 5.2 (or its inverse): four S-boxes, one for each byte of a word.
// Latency: Stages cycles. Throughput: one word per cycle.
`default_nettype none

module aesforge_sub_word #(
    // [a style] see aesforge_sbox
    parameter int unsigned Style = aesforge_pkg::SboxTable,
    // [0 or more; 1 or more for `bram`] pipeline stages, any number (bram: at least 1); stages
    // beyond the style's levels only delay
    parameter int unsigned Stages = 0,
    // [0, 1, 2] 0 forward, 1 inverse, 2 both
    parameter int unsigned Direction = aesforge_pkg::Encrypt
) (
    input  logic        clk,  // clock
    // 1: inverse S-boxes for the word (`Direction` 2 only, else ignored)
    input  logic        inverse,
    input  logic [31:0] x,  // word in
    output logic [31:0] y  // word out, `Stages` cycles later
);
  genvar i, d;
  generate
    if (Style == aesforge_pkg::SboxBram && Stages > 0) begin : gen_bram
      localparam int unsigned InnerStages = (Stages < 2) ? Stages : 2;
      localparam int unsigned Delay = Stages - InnerStages;
      logic [31:0] sub [Delay + 1];

      for (i = 0; i < 2; i = i + 1) begin : gen_pair
        aesforge_sbox_bram #(.Ports(2), .Stages(InnerStages), .Direction(Direction)) u_sbox (
            .clk(clk), .inverse({2{inverse}}), .x(x[16*i +: 16]), .y(sub[0][16*i +: 16]));
      end
      for (d = 0; d < Delay; d = d + 1) begin : gen_delay
        always_ff @(posedge clk) sub[d+1] <= sub[d];
      end
      assign y = sub[Delay];
    end else begin : gen_byte
      for (i = 0; i < 4; i = i + 1) begin : gen_sbox
        aesforge_sbox #(.Style(Style), .Stages(Stages), .Direction(Direction)) u_sbox (
            .clk(clk), .inverse(inverse), .x(x[8*i +: 8]), .y(y[8*i +: 8]));
      end
    end
  endgenerate
endmodule

`default_nettype wire
