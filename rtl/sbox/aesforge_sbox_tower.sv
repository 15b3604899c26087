// SPDX-License-Identifier: Apache-2.0
// S-box of FIPS 197 Sec. 5.1.1 and 5.3.2 by one inversion in GF(2^4), in levels of 4-input LUTs.
// Latency: Stages cycles. Throughput: one byte per cycle.
// Written by scripts/tower_sbox.py, which explains u, q, d, e, p. Do not edit.
`default_nettype none

module aesforge_sbox_tower #(
    // [0 to the levels] pipeline stages; levels: forward 7, inverse 7, both 10
    parameter int unsigned Stages = 0,
    // [0, 1, 2] 0 forward, 1 inverse, 2 both (one inversion, linear maps chosen by `inverse`)
    parameter int unsigned Direction = aesforge_pkg::Encrypt
) (
    input  logic       clk,  // clock
    input  logic       inverse,  // 1: inverse S-box for the byte (`Direction` 2 only, else ignored)
    input  logic [7:0] x,  // byte in
    output logic [7:0] y  // byte out, `Stages` cycles later
);
  /* verilator no_inline_module */

  generate
    if (Direction == aesforge_pkg::Encrypt) begin : gen_forward
      // Bit l of StageMask: pipeline stage after level l + 1.
      localparam logic [6:0] StageMask =
          (Stages == 1) ? 7'b0010000 :
          (Stages == 2) ? 7'b1000100 :
          (Stages == 3) ? 7'b1100100 :
          (Stages == 4) ? 7'b1010101 :
          (Stages == 5) ? 7'b1110101 :
          (Stages == 6) ? 7'b1111101 :
          (Stages == 7) ? 7'b1111111 :
          7'b0000000;
      if (Stages > 7) begin : gen_bad_stages
        $error("aesforge_sbox_tower: Stages must be 0 to 7.");
      end

      // Level 1: linear forms.
      logic u0, u1, u2, u3, u4, u5, u6, u7, u8, u9;
      assign u0 = x[1] ^ x[2] ^ x[5] ^ x[6];
      assign u1 = x[0] ^ x[2] ^ x[3] ^ x[6];
      assign u2 = x[0] ^ x[1] ^ x[4] ^ x[6];
      assign u3 = x[3] ^ x[4] ^ x[6] ^ x[7];
      assign u4 = x[0] ^ x[1] ^ x[2] ^ x[4];
      assign u5 = x[4] ^ x[5] ^ x[7];
      assign u6 = x[1] ^ x[3] ^ x[4] ^ x[6];
      assign u7 = x[4] ^ x[5];
      assign u8 = x[3] ^ x[4] ^ x[7];
      assign u9 = x[0] ^ x[2] ^ x[4] ^ x[5];
      logic [14:0] cut1_d, cut1_q;
      assign cut1_d = {u9, u8, u7, u6, u5, u4, u3, u2, u1, u0, x[7], x[6], x[5], x[3], x[0]};
      if (StageMask[0]) begin : gen_stage1
        always_ff @(posedge clk) cut1_q <= cut1_d;
      end else begin : gen_wire1
        assign cut1_q = cut1_d;
      end
      logic u9_1, u8_1, u7_1, u6_1, u5_1, u4_1, u3_1, u2_1, u1_1, u0_1, x7_1, x6_1, x5_1, x3_1,
          x0_1;
      assign {u9_1, u8_1, u7_1, u6_1, u5_1, u4_1, u3_1, u2_1, u1_1, u0_1, x7_1, x6_1, x5_1, x3_1,
          x0_1} = cut1_q;

      // Level 2: products in the norm.
      logic q0, q1, q2, q3, q4, q5;
      assign q0 = (u1_1 & x6_1) ^ (x7_1 & u0_1);
      assign q1 = (u5_1 & u3_1) ^ (u4_1 & u3_1) ^ (u4_1 & u2_1);
      assign q2 = (u9_1 & u7_1) ^ (u8_1 & u6_1);
      assign q3 = (x7_1 & x6_1) ^ (u1_1 & x6_1) ^ (u1_1 & u0_1);
      assign q4 = (u5_1 & u3_1) ^ (u5_1 & u2_1) ^ (u4_1 & u2_1);
      assign q5 = (u6_1 & u8_1) ^ (u7_1 & u8_1) ^ (u6_1 & u9_1);
      logic [20:0] cut2_d, cut2_q;
      assign cut2_d = {q5, q4, q3, q2, u9_1, u8_1, u7_1, u6_1, q1, u5_1, u4_1, u3_1, u2_1, q0, u1_1,
          u0_1, x7_1, x6_1, x5_1, x3_1, x0_1};
      if (StageMask[1]) begin : gen_stage2
        always_ff @(posedge clk) cut2_q <= cut2_d;
      end else begin : gen_wire2
        assign cut2_q = cut2_d;
      end
      logic q5_2, q4_2, q3_2, q2_2, u9_2, u8_2, u7_2, u6_2, q1_2, u5_2, u4_2, u3_2, u2_2, q0_2,
          u1_2, u0_2, x7_2, x6_2, x5_2, x3_2, x0_2;
      assign {q5_2, q4_2, q3_2, q2_2, u9_2, u8_2, u7_2, u6_2, q1_2, u5_2, u4_2, u3_2, u2_2, q0_2,
          u1_2, u0_2, x7_2, x6_2, x5_2, x3_2, x0_2} = cut2_q;

      // Level 3: norm.
      logic d0, d1, d2, d3;
      assign d0 = x3_2 ^ q1_2 ^ q0_2;
      assign d1 = u9_2 ^ u7_2 ^ q2_2 ^ q0_2;
      assign d2 = x0_2 ^ x5_2 ^ q4_2 ^ q3_2;
      assign d3 = x7_2 ^ u0_2 ^ q5_2 ^ q4_2;
      logic [15:0] cut3_d, cut3_q;
      assign cut3_d = {d3, d2, d1, u9_2, u8_2, u7_2, u6_2, d0, u5_2, u4_2, u3_2, u2_2, u1_2, u0_2,
          x7_2, x6_2};
      if (StageMask[2]) begin : gen_stage3
        always_ff @(posedge clk) cut3_q <= cut3_d;
      end else begin : gen_wire3
        assign cut3_q = cut3_d;
      end
      logic d3_3, d2_3, d1_3, u9_3, u8_3, u7_3, u6_3, d0_3, u5_3, u4_3, u3_3, u2_3, u1_3, u0_3,
          x7_3, x6_3;
      assign {d3_3, d2_3, d1_3, u9_3, u8_3, u7_3, u6_3, d0_3, u5_3, u4_3, u3_3, u2_3, u1_3, u0_3,
          x7_3, x6_3} = cut3_q;

      // Level 4: its inverse.
      logic e0, e1, e2, e3, e4, e5;
      localparam logic [15:0] E0 = 16'h5d92;
      assign e0 = E0[{d0_3, d1_3, d2_3, d3_3}];
      localparam logic [15:0] E1 = 16'h7c94;
      assign e1 = E1[{d3_3, d2_3, d1_3, d0_3}];
      localparam logic [15:0] E2 = 16'ha61e;
      assign e2 = E2[{d3_3, d2_3, d1_3, d0_3}];
      localparam logic [15:0] E3 = 16'h13d6;
      assign e3 = E3[{d3_3, d2_3, d1_3, d0_3}];
      localparam logic [15:0] E4 = 16'h7278;
      assign e4 = E4[{d3_3, d2_3, d1_3, d0_3}];
      localparam logic [15:0] E5 = 16'ha8f2;
      assign e5 = E5[{d3_3, d2_3, d1_3, d0_3}];
      logic [17:0] cut4_d, cut4_q;
      assign cut4_d = {e5, e4, e3, e2, e1, e0, u9_3, u8_3, u7_3, u6_3, u5_3, u4_3, u3_3, u2_3, u1_3,
          u0_3, x7_3, x6_3};
      if (StageMask[3]) begin : gen_stage4
        always_ff @(posedge clk) cut4_q <= cut4_d;
      end else begin : gen_wire4
        assign cut4_q = cut4_d;
      end
      logic e5_4, e4_4, e3_4, e2_4, e1_4, e0_4, u9_4, u8_4, u7_4, u6_4, u5_4, u4_4, u3_4, u2_4,
          u1_4, u0_4, x7_4, x6_4;
      assign {e5_4, e4_4, e3_4, e2_4, e1_4, e0_4, u9_4, u8_4, u7_4, u6_4, u5_4, u4_4, u3_4, u2_4,
          u1_4, u0_4, x7_4, x6_4} = cut4_q;

      // Level 5: products and their sums.
      logic p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11;
      assign p0 = (u8_4 & e1_4) ^ (u9_4 & e1_4) ^ (u9_4 & e0_4);
      assign p1 = (u3_4 & e3_4) ^ (u2_4 & e2_4);
      assign p2 = (x7_4 & e5_4) ^ (x7_4 & e4_4) ^ (u1_4 & e4_4);
      assign p3 = (u5_4 & e3_4) ^ (u4_4 & e3_4) ^ (u4_4 & e2_4);
      assign p4 = (u5_4 & e3_4) ^ (u5_4 & e2_4) ^ (u4_4 & e2_4);
      assign p5 = (u1_4 & e5_4) ^ (x7_4 & e4_4);
      assign p6 = (u6_4 & e1_4) ^ (u6_4 & e0_4) ^ (u7_4 & e0_4);
      assign p7 = (u0_4 & e5_4) ^ (x6_4 & e4_4) ^ (u0_4 & e4_4);
      assign p8 = (u9_4 & e1_4) ^ (u8_4 & e0_4);
      assign p9 = (u7_4 & e1_4) ^ (u6_4 & e0_4);
      assign p10 = (x6_4 & e5_4) ^ (u0_4 & e5_4) ^ (x6_4 & e4_4);
      assign p11 = (u2_4 & e3_4) ^ (u3_4 & e2_4) ^ (u2_4 & e2_4);
      logic [11:0] cut5_d, cut5_q;
      assign cut5_d = {p11, p10, p9, p8, p7, p6, p5, p4, p3, p2, p1, p0};
      if (StageMask[4]) begin : gen_stage5
        always_ff @(posedge clk) cut5_q <= cut5_d;
      end else begin : gen_wire5
        assign cut5_q = cut5_d;
      end
      logic p11_5, p10_5, p9_5, p8_5, p7_5, p6_5, p5_5, p4_5, p3_5, p2_5, p1_5, p0_5;
      assign {p11_5, p10_5, p9_5, p8_5, p7_5, p6_5, p5_5, p4_5, p3_5, p2_5, p1_5, p0_5} = cut5_q;

      // Level 6: products and their sums.
      logic p12, p13, p14, p15, p16, p17;
      assign p12 = ~(p3_5 ^ p2_5 ^ p1_5 ^ p0_5);
      assign p13 = ~(p5_5 ^ p4_5);
      assign p14 = p5_5 ^ p6_5;
      assign p15 = p8_5 ^ p7_5;
      assign p16 = p0_5 ^ p1_5 ^ p2_5 ^ p9_5;
      assign p17 = ~(p1_5 ^ p4_5 ^ p6_5 ^ p10_5);
      logic [9:0] cut6_d, cut6_q;
      assign cut6_d = {p11_5, p17, p16, p15, p7_5, p14, p13, p12, p1_5, p0_5};
      if (StageMask[5]) begin : gen_stage6
        always_ff @(posedge clk) cut6_q <= cut6_d;
      end else begin : gen_wire6
        assign cut6_q = cut6_d;
      end
      logic p11_6, p17_6, p16_6, p15_6, p7_6, p14_6, p13_6, p12_6, p1_6, p0_6;
      assign {p11_6, p17_6, p16_6, p15_6, p7_6, p14_6, p13_6, p12_6, p1_6, p0_6} = cut6_q;

      // Level 7: products and their sums.
      logic p18, p19;
      assign p18 = p0_6 ^ p1_6 ^ p13_6;
      assign p19 = ~(p0_6 ^ p13_6 ^ p7_6 ^ p11_6);
      logic [7:0] cut7_d, cut7_q;
      assign cut7_d = {p19, p17_6, p18, p16_6, p15_6, p14_6, p13_6, p12_6};
      if (StageMask[6]) begin : gen_stage7
        always_ff @(posedge clk) cut7_q <= cut7_d;
      end else begin : gen_wire7
        assign cut7_q = cut7_d;
      end

      assign y = cut7_q;
    end else if (Direction == aesforge_pkg::Decrypt) begin : gen_inverse
      // Bit l of StageMask: pipeline stage after level l + 1.
      localparam logic [6:0] StageMask =
          (Stages == 1) ? 7'b0010000 :
          (Stages == 2) ? 7'b1000100 :
          (Stages == 3) ? 7'b1010100 :
          (Stages == 4) ? 7'b1010101 :
          (Stages == 5) ? 7'b1110101 :
          (Stages == 6) ? 7'b1111101 :
          (Stages == 7) ? 7'b1111111 :
          7'b0000000;
      if (Stages > 7) begin : gen_bad_stages
        $error("aesforge_sbox_tower: Stages must be 0 to 7.");
      end

      // Level 1: linear forms.
      logic u0, u1, u2, u3, u4, u5, u6;
      assign u0 = ~(x[1] ^ x[3] ^ x[7]);
      assign u1 = x[1] ^ x[3] ^ x[5];
      assign u2 = ~(x[2] ^ x[6] ^ x[7]);
      assign u3 = x[2] ^ x[3] ^ x[4];
      assign u4 = x[2] ^ x[5] ^ x[6];
      assign u5 = ~(x[0] ^ x[1] ^ x[6]);
      assign u6 = ~(x[2] ^ x[3] ^ x[4] ^ x[5]);
      logic [12:0] cut1_d, cut1_q;
      assign cut1_d = {u6, u5, u4, u3, u2, u1, u0, x[7], x[5], x[3], x[2], x[1], x[0]};
      if (StageMask[0]) begin : gen_stage1
        always_ff @(posedge clk) cut1_q <= cut1_d;
      end else begin : gen_wire1
        assign cut1_q = cut1_d;
      end
      logic u6_1, u5_1, u4_1, u3_1, u2_1, u1_1, u0_1, x7_1, x5_1, x3_1, x2_1, x1_1, x0_1;
      assign {u6_1, u5_1, u4_1, u3_1, u2_1, u1_1, u0_1, x7_1, x5_1, x3_1, x2_1, x1_1,
          x0_1} = cut1_q;

      // Level 2: products in the norm, linear forms.
      logic q0, q1, q2, q3, q4, u7, q5;
      assign q0 = (x0_1 & x1_1) ^ (x0_1 & x5_1) ^ (x1_1 & x5_1) ^ (x1_1 & u0_1) ^ x1_1 ^ u0_1;
      assign q1 = (x2_1 & u2_1) ^ (x2_1 & u1_1) ^ (u3_1 & u1_1) ^ u2_1 ^ u1_1;
      assign q2 = (u6_1 & x3_1) ^ (u5_1 & u4_1);
      assign q3 = (u3_1 & u2_1) ^ (x2_1 & u1_1) ^ (u2_1 & u1_1) ^ u1_1;
      assign q4 = (x0_1 & x1_1) ^ (x0_1 & x5_1) ^ (x0_1 & u0_1) ^ (x5_1 & u0_1) ^ u0_1;
      assign u7 = x5_1 ^ u2_1 ^ u4_1 ^ u5_1;
      assign q5 = (u6_1 & x3_1) ^ (u5_1 & x3_1) ^ (u6_1 & u4_1);
      logic [18:0] cut2_d, cut2_q;
      assign cut2_d = {q5, u7, q4, q3, q2, u6_1, u5_1, u4_1, q1, u3_1, u2_1, u1_1, q0, u0_1, x7_1,
          x5_1, x3_1, x2_1, x0_1};
      if (StageMask[1]) begin : gen_stage2
        always_ff @(posedge clk) cut2_q <= cut2_d;
      end else begin : gen_wire2
        assign cut2_q = cut2_d;
      end
      logic q5_2, u7_2, q4_2, q3_2, q2_2, u6_2, u5_2, u4_2, q1_2, u3_2, u2_2, u1_2, q0_2, u0_2,
          x7_2, x5_2, x3_2, x2_2, x0_2;
      assign {q5_2, u7_2, q4_2, q3_2, q2_2, u6_2, u5_2, u4_2, q1_2, u3_2, u2_2, u1_2, q0_2, u0_2,
          x7_2, x5_2, x3_2, x2_2, x0_2} = cut2_q;

      // Level 3: norm, linear forms.
      logic d3, d2, d1, d0, u8;
      assign d3 = ~(x0_2 ^ x7_2 ^ q1_2 ^ q0_2);
      assign d2 = ~(x2_2 ^ x5_2 ^ q1_2 ^ q2_2);
      assign d1 = ~(x5_2 ^ u4_2 ^ q4_2 ^ q3_2);
      assign d0 = ~(u3_2 ^ q4_2 ^ q5_2 ^ u7_2);
      assign u8 = ~(x3_2 ^ x5_2 ^ u5_2 ^ u7_2);
      logic [14:0] cut3_d, cut3_q;
      assign cut3_d = {u8, d0, d1, d2, u6_2, u5_2, u4_2, d3, u3_2, u2_2, u1_2, u0_2, x5_2, x3_2,
          x0_2};
      if (StageMask[2]) begin : gen_stage3
        always_ff @(posedge clk) cut3_q <= cut3_d;
      end else begin : gen_wire3
        assign cut3_q = cut3_d;
      end
      logic u8_3, d0_3, d1_3, d2_3, u6_3, u5_3, u4_3, d3_3, u3_3, u2_3, u1_3, u0_3, x5_3, x3_3,
          x0_3;
      assign {u8_3, d0_3, d1_3, d2_3, u6_3, u5_3, u4_3, d3_3, u3_3, u2_3, u1_3, u0_3, x5_3, x3_3,
          x0_3} = cut3_q;

      // Level 4: its inverse, linear forms.
      logic e0, e1, e2, e3, u9, e4, e5, u10;
      localparam logic [15:0] E0 = 16'h7670;
      assign e0 = E0[{d3_3, d2_3, d1_3, d0_3}];
      localparam logic [15:0] E1 = 16'hb0d6;
      assign e1 = E1[{d3_3, d2_3, d1_3, d0_3}];
      localparam logic [15:0] E2 = 16'h85f8;
      assign e2 = E2[{d3_3, d2_3, d1_3, d0_3}];
      localparam logic [15:0] E3 = 16'hae1a;
      assign e3 = E3[{d3_3, d2_3, d1_3, d0_3}];
      assign u9 = ~(x0_3 ^ u8_3);
      localparam logic [15:0] E4 = 16'h68bc;
      assign e4 = E4[{d3_3, d2_3, d1_3, d0_3}];
      localparam logic [15:0] E5 = 16'h5d92;
      assign e5 = E5[{d3_3, d2_3, d1_3, d0_3}];
      assign u10 = x0_3 ^ u5_3 ^ u8_3;
      logic [17:0] cut4_d, cut4_q;
      assign cut4_d = {u10, e5, e4, u9, u8_3, e3, e2, e1, e0, u6_3, u5_3, u4_3, u3_3, u2_3, u1_3,
          u0_3, x5_3, x3_3};
      if (StageMask[3]) begin : gen_stage4
        always_ff @(posedge clk) cut4_q <= cut4_d;
      end else begin : gen_wire4
        assign cut4_q = cut4_d;
      end
      logic u10_4, e5_4, e4_4, u9_4, u8_4, e3_4, e2_4, e1_4, e0_4, u6_4, u5_4, u4_4, u3_4, u2_4,
          u1_4, u0_4, x5_4, x3_4;
      assign {u10_4, e5_4, e4_4, u9_4, u8_4, e3_4, e2_4, e1_4, e0_4, u6_4, u5_4, u4_4, u3_4, u2_4,
          u1_4, u0_4, x5_4, x3_4} = cut4_q;

      // Level 5: products and their sums.
      logic p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11;
      assign p0 = (u4_4 & e1_4) ^ (x3_4 & e0_4) ^ (u4_4 & e0_4);
      assign p1 = (u0_4 & e3_4) ^ (u8_4 & e2_4) ^ e2_4;
      assign p2 = (u6_4 & e1_4) ^ (u5_4 & e0_4);
      assign p3 = (x5_4 & e2_4) ^ (x5_4 & e3_4) ^ (e3_4 & u9_4) ^ e2_4;
      assign p4 = (u5_4 & e1_4) ^ (u6_4 & e0_4) ^ (u5_4 & e0_4);
      assign p5 = (x3_4 & e1_4) ^ (u4_4 & e1_4) ^ (x3_4 & e0_4);
      assign p6 = (u1_4 & e5_4) ^ (u1_4 & e4_4) ^ (u2_4 & e4_4);
      assign p7 = (u0_4 & e3_4) ^ (u8_4 & e3_4) ^ (u0_4 & e2_4) ^ e3_4;
      assign p8 = (x5_4 & e2_4) ^ (e2_4 & u9_4) ^ (e3_4 & u9_4) ^ e3_4;
      assign p9 = (u10_4 & e5_4) ^ (u3_4 & e4_4) ^ (u10_4 & e4_4);
      assign p10 = (u2_4 & e5_4) ^ (u1_4 & e4_4);
      assign p11 = (u3_4 & e5_4) ^ (u10_4 & e4_4);
      logic [11:0] cut5_d, cut5_q;
      assign cut5_d = {p11, p10, p9, p8, p7, p6, p5, p4, p3, p2, p1, p0};
      if (StageMask[4]) begin : gen_stage5
        always_ff @(posedge clk) cut5_q <= cut5_d;
      end else begin : gen_wire5
        assign cut5_q = cut5_d;
      end
      logic p11_5, p10_5, p9_5, p8_5, p7_5, p6_5, p5_5, p4_5, p3_5, p2_5, p1_5, p0_5;
      assign {p11_5, p10_5, p9_5, p8_5, p7_5, p6_5, p5_5, p4_5, p3_5, p2_5, p1_5, p0_5} = cut5_q;

      // Level 6: products and their sums.
      logic p12, p13, p14, p15, p16, p17;
      assign p12 = p1_5 ^ p0_5;
      assign p13 = p2_5 ^ p7_5 ^ p6_5;
      assign p14 = p9_5 ^ p2_5 ^ p8_5;
      assign p15 = p8_5 ^ p4_5 ^ p7_5 ^ p10_5;
      assign p16 = p0_5 ^ p3_5 ^ p6_5 ^ p9_5;
      assign p17 = p1_5 ^ p6_5 ^ p8_5 ^ p11_5;
      logic [11:0] cut6_d, cut6_q;
      assign cut6_d = {p17, p16, p11_5, p15, p14, p8_5, p13, p5_5, p4_5, p3_5, p2_5, p12};
      if (StageMask[5]) begin : gen_stage6
        always_ff @(posedge clk) cut6_q <= cut6_d;
      end else begin : gen_wire6
        assign cut6_q = cut6_d;
      end
      logic p17_6, p16_6, p11_6, p15_6, p14_6, p8_6, p13_6, p5_6, p4_6, p3_6, p2_6, p12_6;
      assign {p17_6, p16_6, p11_6, p15_6, p14_6, p8_6, p13_6, p5_6, p4_6, p3_6, p2_6,
          p12_6} = cut6_q;

      // Level 7: products and their sums.
      logic p18, p19, p20;
      assign p18 = p4_6 ^ p3_6 ^ p2_6 ^ p12_6;
      assign p19 = p8_6 ^ p3_6 ^ p13_6 ^ p5_6;
      assign p20 = p8_6 ^ p11_6 ^ p15_6;
      logic [7:0] cut7_d, cut7_q;
      assign cut7_d = {p17_6, p12_6, p16_6, p15_6, p20, p14_6, p19, p18};
      if (StageMask[6]) begin : gen_stage7
        always_ff @(posedge clk) cut7_q <= cut7_d;
      end else begin : gen_wire7
        assign cut7_q = cut7_d;
      end

      assign y = cut7_q;
    end else if (Direction == aesforge_pkg::Both) begin : gen_both
      // Bit l of StageMask: pipeline stage after level l + 1.
      localparam logic [9:0] StageMask =
          (Stages == 1) ? 10'b0001000000 :
          (Stages == 2) ? 10'b1000010000 :
          (Stages == 3) ? 10'b1000100010 :
          (Stages == 4) ? 10'b1001010010 :
          (Stages == 5) ? 10'b1010101010 :
          (Stages == 6) ? 10'b1101010110 :
          (Stages == 7) ? 10'b1101010111 :
          (Stages == 8) ? 10'b1111010111 :
          (Stages == 9) ? 10'b1111110111 :
          (Stages == 10) ? 10'b1111111111 :
          10'b0000000000;
      if (Stages > 10) begin : gen_bad_stages
        $error("aesforge_sbox_tower: Stages must be 0 to 10.");
      end

      // Level 1: linear forms.
      logic u0, u1, u2, u3, u4, u5, u6, u7;
      assign u0 = x[1] ^ x[4] ^ x[5];
      assign u1 = x[0] ^ x[2] ^ x[6];
      assign u2 = x[0] ^ x[3] ^ x[5];
      assign u3 = x[4] ^ x[1] ^ x[3] ^ x[7];
      assign u4 = x[7] ^ x[6] ^ x[3];
      assign u5 = x[0] ^ inverse;
      assign u6 = (x[3] & inverse) ^ (x[7] & inverse) ^ x[0] ^ x[3] ^ inverse;
      assign u7 = (x[1] & inverse) ^ (x[5] & inverse) ^ x[1] ^ x[6];
      logic [12:0] cut1_d, cut1_q;
      assign cut1_d = {u7, u6, u5, u4, u3, u2, u1, u0, inverse, x[7], x[6], x[4], x[2]};
      if (StageMask[0]) begin : gen_stage1
        always_ff @(posedge clk) cut1_q <= cut1_d;
      end else begin : gen_wire1
        assign cut1_q = cut1_d;
      end
      logic u7_1, u6_1, u5_1, u4_1, u3_1, u2_1, u1_1, u0_1, inverse_1, x7_1, x6_1, x4_1, x2_1;
      assign {u7_1, u6_1, u5_1, u4_1, u3_1, u2_1, u1_1, u0_1, inverse_1, x7_1, x6_1, x4_1,
          x2_1} = cut1_q;

      // Level 2: linear forms.
      logic u8, u9, u10, u11, u12, u13;
      assign u8 = (inverse_1 & u1_1) ^ (inverse_1 & u0_1) ^ x7_1 ^ u0_1;
      assign u9 = (x6_1 & inverse_1) ^ (inverse_1 & u2_1) ^ x6_1;
      assign u10 = x7_1 ^ inverse_1 ^ u2_1 ^ u3_1;
      assign u11 = (x2_1 & inverse_1) ^ (inverse_1 & u4_1) ^ x4_1 ^ u4_1;
      assign u12 = (x4_1 & inverse_1) ^ (inverse_1 & u5_1) ^ x4_1 ^ inverse_1 ^ u5_1 ^ u3_1;
      assign u13 = x4_1 ^ u0_1 ^ u5_1 ^ u1_1;
      logic [8:0] cut2_d, cut2_q;
      assign cut2_d = {u7_1, u13, u6_1, u12, u11, u10, u9, u8, inverse_1};
      if (StageMask[1]) begin : gen_stage2
        always_ff @(posedge clk) cut2_q <= cut2_d;
      end else begin : gen_wire2
        assign cut2_q = cut2_d;
      end
      logic u7_2, u13_2, u6_2, u12_2, u11_2, u10_2, u9_2, u8_2, inverse_2;
      assign {u7_2, u13_2, u6_2, u12_2, u11_2, u10_2, u9_2, u8_2, inverse_2} = cut2_q;

      // Level 3: linear forms, products in the norm.
      logic u14, q0, u15, u16, u17, u18;
      assign u14 = u10_2 ^ u9_2 ^ u8_2;
      assign q0 = (u6_2 & u12_2) ^ (u8_2 & u12_2) ^ (u8_2 & u11_2);
      assign u15 = u13_2 ^ u12_2 ^ u11_2;
      assign u16 = u9_2 ^ u11_2;
      assign u17 = u6_2 ^ u8_2 ^ u9_2 ^ u10_2;
      assign u18 = u7_2 ^ u8_2;
      logic [14:0] cut3_d, cut3_q;
      assign cut3_d = {u18, u7_2, u17, u16, u15, u13_2, q0, u6_2, u12_2, u11_2, u14, u10_2, u9_2,
          u8_2, inverse_2};
      if (StageMask[2]) begin : gen_stage3
        always_ff @(posedge clk) cut3_q <= cut3_d;
      end else begin : gen_wire3
        assign cut3_q = cut3_d;
      end
      logic u18_3, u7_3, u17_3, u16_3, u15_3, u13_3, q0_3, u6_3, u12_3, u11_3, u14_3, u10_3, u9_3,
          u8_3, inverse_3;
      assign {u18_3, u7_3, u17_3, u16_3, u15_3, u13_3, q0_3, u6_3, u12_3, u11_3, u14_3, u10_3, u9_3,
          u8_3, inverse_3} = cut3_q;

      // Level 4: products in the norm, linear forms.
      logic q1, q2, q3, u19, q4, q5, q6;
      assign q1 = u6_3 ^ q0_3 ^ u14_3;
      assign q2 = (u7_3 & u16_3) ^ (u17_3 & u16_3) ^ (u7_3 & u15_3);
      assign q3 = (u18_3 & u13_3) ^ (u14_3 & u9_3) ^ (u18_3 & u9_3);
      assign u19 = u8_3 ^ u13_3 ^ u17_3 ^ u7_3;
      assign q4 = (u17_3 & u16_3) ^ (u7_3 & u15_3) ^ (u17_3 & u15_3);
      assign q5 = (u14_3 & u13_3) ^ (u18_3 & u13_3) ^ (u14_3 & u9_3);
      assign q6 = (u6_3 & u12_3) ^ (u6_3 & u11_3) ^ (u8_3 & u11_3);
      logic [20:0] cut4_d, cut4_q;
      assign cut4_d = {q6, q5, q4, u19, q3, u18_3, q2, u7_3, u17_3, u16_3, u15_3, u13_3, q1, u6_3,
          u12_3, u11_3, u14_3, u10_3, u9_3, u8_3, inverse_3};
      if (StageMask[3]) begin : gen_stage4
        always_ff @(posedge clk) cut4_q <= cut4_d;
      end else begin : gen_wire4
        assign cut4_q = cut4_d;
      end
      logic q6_4, q5_4, q4_4, u19_4, q3_4, u18_4, q2_4, u7_4, u17_4, u16_4, u15_4, u13_4, q1_4,
          u6_4, u12_4, u11_4, u14_4, u10_4, u9_4, u8_4, inverse_4;
      assign {q6_4, q5_4, q4_4, u19_4, q3_4, u18_4, q2_4, u7_4, u17_4, u16_4, u15_4, u13_4, q1_4,
          u6_4, u12_4, u11_4, u14_4, u10_4, u9_4, u8_4, inverse_4} = cut4_q;

      // Level 5: norm.
      logic d3, d2, d1, d0;
      assign d3 = u12_4 ^ u13_4 ^ q2_4 ^ q1_4;
      assign d2 = u10_4 ^ q2_4 ^ q3_4;
      assign d1 = q5_4 ^ q4_4 ^ u19_4;
      assign d0 = u8_4 ^ u16_4 ^ q5_4 ^ q6_4;
      logic [16:0] cut5_d, cut5_q;
      assign cut5_d = {d0, d1, d2, u18_4, d3, u7_4, u17_4, u16_4, u15_4, u13_4, u6_4, u12_4, u11_4,
          u14_4, u9_4, u8_4, inverse_4};
      if (StageMask[4]) begin : gen_stage5
        always_ff @(posedge clk) cut5_q <= cut5_d;
      end else begin : gen_wire5
        assign cut5_q = cut5_d;
      end
      logic d0_5, d1_5, d2_5, u18_5, d3_5, u7_5, u17_5, u16_5, u15_5, u13_5, u6_5, u12_5, u11_5,
          u14_5, u9_5, u8_5, inverse_5;
      assign {d0_5, d1_5, d2_5, u18_5, d3_5, u7_5, u17_5, u16_5, u15_5, u13_5, u6_5, u12_5, u11_5,
          u14_5, u9_5, u8_5, inverse_5} = cut5_q;

      // Level 6: its inverse.
      logic e0, e1, e2, e3, e4, e5;
      localparam logic [15:0] E0 = 16'h25f2;
      assign e0 = E0[{d3_5, d2_5, d1_5, d0_5}];
      localparam logic [15:0] E1 = 16'hae1a;
      assign e1 = E1[{d3_5, d2_5, d1_5, d0_5}];
      localparam logic [15:0] E2 = 16'h958e;
      assign e2 = E2[{d3_5, d2_5, d1_5, d0_5}];
      localparam logic [15:0] E3 = 16'hc2b6;
      assign e3 = E3[{d3_5, d2_5, d1_5, d0_5}];
      localparam logic [15:0] E4 = 16'h495e;
      assign e4 = E4[{d3_5, d2_5, d1_5, d0_5}];
      localparam logic [15:0] E5 = 16'h72ca;
      assign e5 = E5[{d3_5, d2_5, d1_5, d0_5}];
      logic [18:0] cut6_d, cut6_q;
      assign cut6_d = {e5, e4, e3, e2, e1, e0, u18_5, u7_5, u17_5, u16_5, u15_5, u13_5, u6_5, u12_5,
          u11_5, u14_5, u9_5, u8_5, inverse_5};
      if (StageMask[5]) begin : gen_stage6
        always_ff @(posedge clk) cut6_q <= cut6_d;
      end else begin : gen_wire6
        assign cut6_q = cut6_d;
      end
      logic e5_6, e4_6, e3_6, e2_6, e1_6, e0_6, u18_6, u7_6, u17_6, u16_6, u15_6, u13_6, u6_6,
          u12_6, u11_6, u14_6, u9_6, u8_6, inverse_6;
      assign {e5_6, e4_6, e3_6, e2_6, e1_6, e0_6, u18_6, u7_6, u17_6, u16_6, u15_6, u13_6, u6_6,
          u12_6, u11_6, u14_6, u9_6, u8_6, inverse_6} = cut6_q;

      // Level 7: products and their sums.
      logic p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11;
      assign p0 = (u9_6 & e1_6) ^ (u13_6 & e0_6);
      assign p1 = (u14_6 & e1_6) ^ (u14_6 & e0_6) ^ (u18_6 & e0_6);
      assign p2 = (u6_6 & e3_6) ^ (u6_6 & e2_6) ^ (u8_6 & e2_6);
      assign p3 = (u11_6 & e3_6) ^ (u12_6 & e2_6) ^ (u11_6 & e2_6);
      assign p4 = (u16_6 & e5_6) ^ (u15_6 & e5_6) ^ (u16_6 & e4_6);
      assign p5 = (u16_6 & e5_6) ^ (u15_6 & e4_6);
      assign p6 = (u7_6 & e5_6) ^ (u17_6 & e4_6);
      assign p7 = (u13_6 & e1_6) ^ (u13_6 & e0_6) ^ (u9_6 & e0_6);
      assign p8 = (u14_6 & e1_6) ^ (u18_6 & e1_6) ^ (u18_6 & e0_6);
      assign p9 = (u6_6 & e3_6) ^ (u8_6 & e3_6) ^ (u8_6 & e2_6);
      assign p10 = (u12_6 & e3_6) ^ (u11_6 & e3_6) ^ (u12_6 & e2_6);
      assign p11 = (u17_6 & e5_6) ^ (u7_6 & e4_6) ^ (u17_6 & e4_6);
      logic [12:0] cut7_d, cut7_q;
      assign cut7_d = {p11, p10, p9, p8, p7, p6, p5, p4, p3, p2, p1, p0, inverse_6};
      if (StageMask[6]) begin : gen_stage7
        always_ff @(posedge clk) cut7_q <= cut7_d;
      end else begin : gen_wire7
        assign cut7_q = cut7_d;
      end
      logic p11_7, p10_7, p9_7, p8_7, p7_7, p6_7, p5_7, p4_7, p3_7, p2_7, p1_7, p0_7, inverse_7;
      assign {p11_7, p10_7, p9_7, p8_7, p7_7, p6_7, p5_7, p4_7, p3_7, p2_7, p1_7, p0_7,
          inverse_7} = cut7_q;

      // Level 8: products and their sums.
      logic p12, p13, p14, p15, p16, p17, p18;
      assign p12 = p3_7 ^ p2_7 ^ p1_7 ^ p0_7;
      assign p13 = p1_7 ^ p4_7 ^ p2_7 ^ p3_7;
      assign p14 = p1_7 ^ p7_7 ^ p6_7 ^ p5_7;
      assign p15 = p9_7 ^ p8_7 ^ p4_7 ^ p0_7;
      assign p16 = p2_7 ^ p10_7 ^ p7_7 ^ p6_7;
      assign p17 = p10_7 ^ p5_7;
      assign p18 = p8_7 ^ p0_7 ^ p5_7 ^ p11_7;
      logic [13:0] cut8_d, cut8_q;
      assign cut8_d = {p18, p11_7, p17, p16, p10_7, p15, p8_7, p14, p7_7, p13, p12, p3_7, p0_7,
          inverse_7};
      if (StageMask[7]) begin : gen_stage8
        always_ff @(posedge clk) cut8_q <= cut8_d;
      end else begin : gen_wire8
        assign cut8_q = cut8_d;
      end
      logic p18_8, p11_8, p17_8, p16_8, p10_8, p15_8, p8_8, p14_8, p7_8, p13_8, p12_8, p3_8, p0_8,
          inverse_8;
      assign {p18_8, p11_8, p17_8, p16_8, p10_8, p15_8, p8_8, p14_8, p7_8, p13_8, p12_8, p3_8, p0_8,
          inverse_8} = cut8_q;

      // Level 9: products and their sums.
      logic p19, p20, p21, p22, p23, p24;
      assign p19 = p15_8 ^ p14_8 ^ p13_8;
      assign p20 = p7_8 ^ p14_8 ^ p10_8;
      assign p21 = p15_8 ^ p17_8 ^ p16_8;
      assign p22 = p0_8 ^ p7_8 ^ p18_8;
      assign p23 = p3_8 ^ p10_8 ^ p18_8;
      assign p24 = p8_8 ^ p16_8 ^ p11_8;
      logic [12:0] cut9_d, cut9_q;
      assign cut9_d = {p24, p23, p22, p21, p17_8, p16_8, p20, p19, p15_8, p14_8, p13_8, p12_8,
          inverse_8};
      if (StageMask[8]) begin : gen_stage9
        always_ff @(posedge clk) cut9_q <= cut9_d;
      end else begin : gen_wire9
        assign cut9_q = cut9_d;
      end
      logic p24_9, p23_9, p22_9, p21_9, p17_9, p16_9, p20_9, p19_9, p15_9, p14_9, p13_9, p12_9,
          inverse_9;
      assign {p24_9, p23_9, p22_9, p21_9, p17_9, p16_9, p20_9, p19_9, p15_9, p14_9, p13_9, p12_9,
          inverse_9} = cut9_q;

      // Level 10: products and their sums.
      logic p25, p26, p27, p28, p29, p30, p31, p32;
      assign p25 = ~((inverse_9 & p19_9) ^ (inverse_9 & p12_9) ^ inverse_9 ^ p15_9);
      assign p26 = ~((inverse_9 & p15_9) ^ (inverse_9 & p20_9) ^ inverse_9 ^ p15_9 ^ p21_9 ^ p20_9);
      assign p27 = (inverse_9 & p14_9) ^ (inverse_9 & p22_9) ^ p14_9;
      assign p28 = (inverse_9 & p17_9) ^ (inverse_9 & p19_9) ^ p17_9;
      assign p29 = (inverse_9 & p20_9) ^ (inverse_9 & p23_9) ^ p23_9;
      assign p30 = ~((inverse_9 & p13_9) ^ (inverse_9 & p24_9) ^ inverse_9 ^ p13_9);
      assign p31 = ~((inverse_9 & p21_9) ^ (inverse_9 & p13_9) ^ inverse_9 ^ p16_9);
      assign p32 = (inverse_9 & p16_9) ^ (inverse_9 & p22_9) ^ p12_9;
      logic [7:0] cut10_d, cut10_q;
      assign cut10_d = {p32, p31, p30, p29, p28, p27, p26, p25};
      if (StageMask[9]) begin : gen_stage10
        always_ff @(posedge clk) cut10_q <= cut10_d;
      end else begin : gen_wire10
        assign cut10_q = cut10_d;
      end

      assign y = cut10_q;
    end else begin : gen_bad_direction
      $error("aesforge_sbox_tower: Direction must be Encrypt, Decrypt or Both.");
    end
  endgenerate

  logic unused_inputs;
  assign unused_inputs = &{1'b0, clk, inverse};
endmodule

`default_nettype wire
