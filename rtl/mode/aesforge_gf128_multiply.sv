// SPDX-License-Identifier: Apache-2.0
// A product in GF(2^128) as GHASH has it (SP 800-38D Sec. 6.3): four levels of Karatsuba, products
// of bytes, reduction. Latency Stages cycles, one product per cycle.
`default_nettype none

module aesforge_gf128_multiply #(
    // [1 to 10] cycles; the logic is 10 levels of LUT4, 2 a stage with 5 stages or more
    parameter int unsigned Stages = 5
) (
    input  logic         clk,  // clock
    input  logic [127:0] a,  // a factor; bit 127 is the first bit, the coefficient of x^0
    input  logic [127:0] b,  // the other factor
    output logic [127:0] product  // their product, `Stages` cycles later; a flip-flop
);
  if (Stages < 1 || Stages > 10) begin : gen_bad_stages
    $error("stages must be 1 to 10");
  end

  // Registers stand after the levels whose bit is set. The most bits cross after level 3. Above 5
  // stages, sums that come from far away, with long wires, get a stage of their own.
  localparam logic [10:1] Cut = Stages == 1 ? 10'b10_0000_0000
      : Stages == 2 ? 10'b10_0001_0000
      : Stages == 3 ? 10'b10_0100_1000
      : Stages == 4 ? 10'b10_0100_1010
      : Stages == 5 ? 10'b10_1010_1010
      : Stages == 6 ? 10'b10_1010_1011
      : Stages == 7 ? 10'b10_1110_1011
      : Stages == 8 ? 10'b10_1111_1011
      : Stages == 9 ? 10'b11_1111_1011
      : 10'b11_1111_1111;

  // Two levels of Karatsuba at a time, on quarters: a product of four quarters by four takes nine
  // products, of these sums of quarters (bit q: quarter q takes part). Of three neighbours, the
  // third one is the sum of the others.
  localparam logic [35:0] Sums = {
    4'b1111, 4'b1010, 4'b0101, 4'b1100, 4'b1000, 4'b0100, 4'b0011, 4'b0010, 4'b0001
  };

  // From here on bit i of a vector is the coefficient of x^i.
  logic [127:0] a_0, b_0;
  always_comb for (int i = 0; i < 128; i++) {a_0[i], b_0[i]} = {a[127-i], b[127-i]};

  // Levels 1 and 2: nine sums of 32 bits, 81 sums of a byte.
  logic [287:0] a_1, b_1, a_1_q, b_1_q;
  logic [647:0] a_2, b_2, a_2_q, b_2_q;
  always_comb begin
    a_1 = '0;
    b_1 = '0;
    a_2 = '0;
    b_2 = '0;
    for (int n = 0; n < 9; n++) begin
      for (int q = 0; q < 4; q++) begin
        if (Sums[4*n+q]) begin
          a_1[32*n+:32] = a_1[32*n+:32] ^ a_0[32*q+:32];
          b_1[32*n+:32] = b_1[32*n+:32] ^ b_0[32*q+:32];
        end
      end
    end
    for (int n = 0; n < 81; n++) begin
      for (int q = 0; q < 4; q++) begin
        if (Sums[4*(n%9)+q]) begin
          a_2[8*n+:8] = a_2[8*n+:8] ^ a_1_q[32*(n/9)+8*q+:8];
          b_2[8*n+:8] = b_2[8*n+:8] ^ b_1_q[32*(n/9)+8*q+:8];
        end
      end
    end
  end
  aesforge_delay #(.Width(576), .Depth(32'(Cut[1]))) u_delay_1 (
      .clk(clk), .rst(1'b0), .d({a_1, b_1}), .q({a_1_q, b_1_q}));
  aesforge_delay #(.Width(1296), .Depth(32'(Cut[2]))) u_delay_2 (
      .clk(clk), .rst(1'b0), .d({a_2, b_2}), .q({a_2_q, b_2_q}));

  // Levels 3 and 4: products of two bits and a byte, then of two bytes.
  logic [2915:0] pair, pair_q;
  logic [1214:0] c_4, c_4_q;
  always_comb begin
    for (int n = 0; n < 324; n++) begin
      pair[9*n+:9] = (a_2_q[2*n] ? {1'b0, b_2_q[8*(n/4)+:8]} : '0)
          ^ (a_2_q[2*n+1] ? {b_2_q[8*(n/4)+:8], 1'b0} : '0);
    end
    for (int n = 0; n < 81; n++) begin
      c_4[15*n+:15] = {6'h0, pair_q[36*n+:9]} ^ {4'h0, pair_q[36*n+9+:9], 2'h0}
          ^ {2'h0, pair_q[36*n+18+:9], 4'h0} ^ {pair_q[36*n+27+:9], 6'h0};
    end
  end
  aesforge_delay #(.Width(2916), .Depth(32'(Cut[3]))) u_delay_3 (
      .clk(clk), .rst(1'b0), .d(pair), .q(pair_q));
  aesforge_delay #(.Width(1215), .Depth(32'(Cut[4]))) u_delay_4 (
      .clk(clk), .rst(1'b0), .d(c_4), .q(c_4_q));

  // Levels 5 to 8: low + (low + high + both) x^n + high x^2n, where `both` is the product of the
  // sums of the halves.
  function automatic logic [30:0] join_8(input logic [14:0] low, input logic [14:0] high,
                                         input logic [14:0] both);
    join_8 = {high, 1'b0, low} ^ {8'h0, low ^ high ^ both, 8'h0};
  endfunction
  function automatic logic [62:0] join_16(input logic [30:0] low, input logic [30:0] high,
                                          input logic [30:0] both);
    join_16 = {high, 1'b0, low} ^ {16'h0, low ^ high ^ both, 16'h0};
  endfunction
  function automatic logic [126:0] join_32(input logic [62:0] low, input logic [62:0] high,
                                           input logic [62:0] both);
    join_32 = {high, 1'b0, low} ^ {32'h0, low ^ high ^ both, 32'h0};
  endfunction
  function automatic logic [254:0] join_64(input logic [126:0] low, input logic [126:0] high,
                                           input logic [126:0] both);
    join_64 = {high, 1'b0, low} ^ {64'h0, low ^ high ^ both, 64'h0};
  endfunction

  logic [836:0] c_5, c_5_q;
  logic [566:0] c_6, c_6_q;
  logic [380:0] c_7, c_7_q;
  logic [254:0] c_8, c_8_q;
  always_comb begin
    for (int n = 0; n < 27; n++) begin
      c_5[31*n+:31] = join_8(c_4_q[45*n+:15], c_4_q[45*n+15+:15], c_4_q[45*n+30+:15]);
    end
    for (int n = 0; n < 9; n++) begin
      c_6[63*n+:63] = join_16(c_5_q[93*n+:31], c_5_q[93*n+31+:31], c_5_q[93*n+62+:31]);
    end
    for (int n = 0; n < 3; n++) begin
      c_7[127*n+:127] = join_32(c_6_q[189*n+:63], c_6_q[189*n+63+:63], c_6_q[189*n+126+:63]);
    end
    c_8 = join_64(c_7_q[0+:127], c_7_q[127+:127], c_7_q[254+:127]);
  end
  aesforge_delay #(.Width(837), .Depth(32'(Cut[5]))) u_delay_5 (
      .clk(clk), .rst(1'b0), .d(c_5), .q(c_5_q));
  aesforge_delay #(.Width(567), .Depth(32'(Cut[6]))) u_delay_6 (
      .clk(clk), .rst(1'b0), .d(c_6), .q(c_6_q));
  aesforge_delay #(.Width(381), .Depth(32'(Cut[7]))) u_delay_7 (
      .clk(clk), .rst(1'b0), .d(c_7), .q(c_7_q));
  aesforge_delay #(.Width(255), .Depth(32'(Cut[8]))) u_delay_8 (
      .clk(clk), .rst(1'b0), .d(c_8), .q(c_8_q));

  // Levels 9 and 10: x^128 = 1 + x + x^2 + x^7. What goes over once more is x^128 to x^133.
  logic [126:0] high;
  logic [5:0] over;
  logic [127:0] low, low_q, once, once_q;
  logic [12:0] twice, twice_q;
  assign {high, low} = c_8_q;
  assign {over, once} = {7'h0, high} ^ {6'h0, high, 1'b0} ^ {5'h0, high, 2'h0} ^ {high, 7'h0};
  assign twice = {7'h0, over} ^ {6'h0, over, 1'b0} ^ {5'h0, over, 2'h0} ^ {over, 7'h0};
  aesforge_delay #(.Width(269), .Depth(32'(Cut[9]))) u_delay_9 (
      .clk(clk), .rst(1'b0), .d({low, once, twice}), .q({low_q, once_q, twice_q}));

  logic [127:0] c_10;
  assign c_10 = low_q ^ once_q ^ {115'h0, twice_q};
  always_ff @(posedge clk) for (int i = 0; i < 128; i++) product[127-i] <= c_10[i];

  logic unused_ok;
  assign unused_ok = &{1'b0, Cut[10]};
endmodule

`default_nettype wire
