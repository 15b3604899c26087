// SPDX-License-Identifier: Apache-2.0
// SBOX() or INVSBOX() of FIPS 197 Sec. 5.1.1 and 5.3.2 in one of the styles of aesforge_pkg.
// Latency: Stages cycles. Throughput: one byte per cycle.
`default_nettype none

module aesforge_sbox #(
    // [a style] 0 table, 1 split4, 2 split6, 3 tower, 4 bram: aesforge_pkg::Sbox*
    parameter int unsigned Style = aesforge_pkg::SboxTable,
    // [0 or more; 1 or more for `bram`] pipeline stages, any number (bram: at least 1); stages
    // beyond the style's levels only delay
    parameter int unsigned Stages = 0,
    // [0, 1, 2] 0 forward, 1 inverse, 2 both
    parameter int unsigned Direction = aesforge_pkg::Encrypt
) (
    input  logic       clk,  // clock
    input  logic       inverse,  // 1: inverse S-box for the byte (`Direction` 2 only, else ignored)
    input  logic [7:0] x,  // byte in
    output logic [7:0] y  // byte out, `Stages` cycles later
);
  localparam int unsigned Both = (Direction == aesforge_pkg::Both) ? 1 : 0;
  localparam int unsigned TowerLevels = (Both == 1) ? 10 : 7;
  // The most stages inside a style: 1 unless it has more levels.
  localparam int unsigned Levels =
      (Style == aesforge_pkg::SboxSplit4) ? 5 + Both :
      (Style == aesforge_pkg::SboxSplit6) ? 2 + Both :
      (Style == aesforge_pkg::SboxTower) ? TowerLevels :
      (Style == aesforge_pkg::SboxBram) ? 2 : 1;
  localparam int unsigned InnerStages = (Stages < Levels) ? Stages : Levels;
  localparam int unsigned Delay = Stages - InnerStages;

  logic [7:0] sub [Delay + 1];

  genvar d;
  generate
    if (Direction > aesforge_pkg::Both) begin : gen_bad_direction
      $error("direction must be 0 (forward), 1 (inverse) or 2 (both).");
    end
    if (Style == aesforge_pkg::SboxTable) begin : gen_table
      aesforge_sbox_table #(.Stages(InnerStages), .Direction(Direction)) u_sbox (
          .clk(clk), .inverse(inverse), .x(x), .y(sub[0]));
    end else if (Style == aesforge_pkg::SboxSplit4) begin : gen_split4
      aesforge_sbox_split #(.K(4), .Stages(InnerStages), .Direction(Direction)) u_sbox (
          .clk(clk), .inverse(inverse), .x(x), .y(sub[0]));
    end else if (Style == aesforge_pkg::SboxSplit6) begin : gen_split6
      aesforge_sbox_split #(.K(6), .Stages(InnerStages), .Direction(Direction)) u_sbox (
          .clk(clk), .inverse(inverse), .x(x), .y(sub[0]));
    end else if (Style == aesforge_pkg::SboxTower) begin : gen_tower
      aesforge_sbox_tower #(.Stages(InnerStages), .Direction(Direction)) u_sbox (
          .clk(clk), .inverse(inverse), .x(x), .y(sub[0]));
    end else if (Style == aesforge_pkg::SboxBram && Stages > 0) begin : gen_bram
      aesforge_sbox_bram #(.Ports(1), .Stages(InnerStages), .Direction(Direction)) u_sbox (
          .clk(clk), .inverse(inverse), .x(x), .y(sub[0]));
    end else if (Style == aesforge_pkg::SboxBram) begin : gen_bad_stages
      $error("sbox bram needs sbox_stages of at least 1: a block RAM has a register.");
    end else begin : gen_bad_style
      $error("sbox must be the number of a style, one of aesforge_pkg::Sbox*.");
    end

    for (d = 0; d < Delay; d = d + 1) begin : gen_delay
      always_ff @(posedge clk) sub[d+1] <= sub[d];
    end
  endgenerate

  assign y = sub[Delay];

  logic unused_inputs;
  assign unused_inputs = &{1'b0, clk};
endmodule

`default_nettype wire
