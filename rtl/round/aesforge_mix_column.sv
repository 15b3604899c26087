// SPDX-License-Identifier: Apache-2.0
// MixColumns (FIPS 197 Sec. 5.1.3) and InvMixColumns (Sec. 5.3.3) of one column.
// Latency Stages, one column per cycle.
`default_nettype none

module aesforge_mix_column #(
    // [0, 1, 2] 0 MixColumns, 1 InvMixColumns, 2 either, chosen by `inverse`
    parameter int unsigned Direction = aesforge_pkg::Encrypt,
    parameter int unsigned Style = aesforge_pkg::MixXtime,  // [0, 1, 2] 0 xtime, 1 table, 2 shared
    parameter int unsigned Stages = 0  // [0 to 2; 0 to 1 for `Direction` 0] pipeline stages inside
) (
    input  logic        clk,  // clock
    // with the column: use the inverse (`Direction` 2 only, else ignored)
    input  logic        inverse,
    input  logic        bypass,  // with the column: leave it unchanged, as in the last round
    input  logic [31:0] x,  // column, row 0 in the top byte
    output logic [31:0] y  // column out
);
  localparam int unsigned FirstStage = Stages >= 1 ? 1 : 0;
  localparam int unsigned SecondStage = Stages >= 2 ? 1 : 0;

  // Byte i of the column; what is wanted of it, now and after the first stage.
  logic [7:0] a[0:3];
  logic undo, undo_1, skip_1;
  for (genvar i = 0; i < 4; i++) begin : gen_a
    assign a[i] = x[31-8*i-:8];
  end
  assign undo = Direction == aesforge_pkg::Decrypt || (Direction == aesforge_pkg::Both && inverse);
  aesforge_delay #(
      .Width(2),
      .Depth(FirstStage)
  ) u_wanted (
      .clk,
      .rst(1'b0),
      .d  ({undo, bypass}),
      .q  ({undo_1, skip_1})
  );

  if (Style == aesforge_pkg::MixTable) begin : gen_table
    // Products by table, then their sums. A bypassed column is the product by the unit matrix.
    logic [7:0] product[0:15];
    for (genvar i = 0; i < 4; i++) begin : gen_row
      for (genvar j = 0; j < 4; j++) begin : gen_product
        aesforge_mix_product #(
            .Column((j - i + 4) % 4),
            .Direction(Direction)
        ) u_product (
            .inverse(undo),
            .bypass,
            .x(a[j]),
            .y(product[4*i+j])
        );
      end

      logic [31:0] terms;
      logic [15:0] sums_d, sums;
      aesforge_delay #(
          .Width(32),
          .Depth(FirstStage)
      ) u_terms (
          .clk,
          .rst(1'b0),
          .d  ({product[4*i], product[4*i+1], product[4*i+2], product[4*i+3]}),
          .q  (terms)
      );
      assign sums_d = terms[31:16] ^ terms[15:0];
      aesforge_delay #(
          .Width(16),
          .Depth(SecondStage)
      ) u_sums (
          .clk,
          .rst(1'b0),
          .d  (sums_d),
          .q  (sums)
      );
      assign y[31-8*i-:8] = sums[15:8] ^ sums[7:0];
    end
    logic unused_ok;
    assign unused_ok = &{1'b0, undo_1, skip_1};

  end else if (Style == aesforge_pkg::MixShared && Direction == aesforge_pkg::Encrypt)
  begin : gen_wide
    // Nothing to share: for LUTs of six inputs. Three bits of each byte are a sum of seven, where
    // {02} reduces; four of these are added before the stage, as many LUTs as there are such bits.
    logic [43:0] level_d, level;
    logic skip;
    for (genvar i = 0; i < 4; i++) begin : gen_level
      // bits 7, 3, 2 and 0 of a[i] ^ a[i+1]
      logic [3:0] pair;
      assign pair = {a[i][7], a[i][3:2], a[i][0]}
          ^ {a[(i+1)%4][7], a[(i+1)%4][3:2], a[(i+1)%4][0]};
      assign level_d[43-11*i-:11] = {a[i], pair[2:1] ^ {2{pair[3]}}, pair[0] ^ pair[3]};
    end
    aesforge_delay #(
        .Width(45),
        .Depth(FirstStage)
    ) u_level (
        .clk,
        .rst(1'b0),
        .d  ({bypass, level_d}),
        .q  ({skip, level})
    );
    for (genvar i = 0; i < 4; i++) begin : gen_sum
      logic [7:0] b_0, b_1, b_2, b_3, twice;
      // bits 7 to 4 and 1 of b_0 ^ b_1
      logic [4:0] pair;
      logic [2:0] reduced;
      assign {b_0, reduced} = level[43-11*i-:11];
      assign b_1 = level[43-11*((i+1)%4)-:8];
      assign b_2 = level[43-11*((i+2)%4)-:8];
      assign b_3 = level[43-11*((i+3)%4)-:8];
      assign pair = {b_0[7:4], b_0[1]} ^ {b_1[7:4], b_1[1]};
      assign twice = {pair[3:1], reduced[2:1], pair[0], reduced[0], pair[4]};
      assign y[31-8*i-:8] = skip ? b_0 : twice ^ b_1 ^ b_2 ^ b_3;
    end
    logic unused_ok;
    assign unused_ok = &{1'b0, undo_1, skip_1};

  end else if (Style == aesforge_pkg::MixShared && Direction == aesforge_pkg::Decrypt)
  begin : gen_inverse
    // MixColumns and a second sum, {04} own + {08} (even + odd) with own the sum of the bytes in
    // rows as even or as odd as i. Of the second sum, common are terms of every row, near those of
    // every second row, and what has room beside a bit of MixColumns is there. Three levels of one
    // LUT4 each, AddRoundKey in the first, as long as it is known which column is bypassed.
    logic [79:0] level_d, level;
    // sums of the bytes in even and in odd rows
    logic [7:0] rows[0:1];
    logic [7:0] total;
    logic [31:0] mixed_d, mixed;
    logic [ 9:0] near_d, near;
    logic [ 5:0] common_d, common;

    assign level_d = {x, x ^ {x[23:0], x[31:24]}, a[0] ^ a[2], a[1] ^ a[3]};
    aesforge_delay #(
        .Width(80),
        .Depth(FirstStage)
    ) u_level (
        .clk,
        .rst(1'b0),
        .d  (level_d),
        .q  (level)
    );
    assign rows[0] = level[15:8];
    assign rows[1] = level[7:0];
    assign total = rows[0] ^ rows[1];
    // bits 7 to 3, and 0
    assign common_d = skip_1 ? 6'h0
        : {total[4], total[3:1] ^ total[7:5], total[7] ^ total[5], total[5]};
    for (genvar i = 0; i < 4; i++) begin : gen_mixed
      logic [7:0] twice, with_own;
      assign twice = aesforge_pkg::xtimes(level[47-8*i-:8]);
      assign with_own = twice ^ {rows[i%2][5:4], 5'h0, rows[i%2][6]};
      assign mixed_d[31-8*i-:8] = skip_1 ? level[79-8*i-:8]
          : with_own ^ level[47-8*((i+2)%4)-:8] ^ level[79-8*((i+1)%4)-:8];
      assign y[31-8*i-:8] = mixed[31-8*i-:8]
          ^ {common[5:1], 2'h0, common[0]} ^ {2'h0, near[9-5*(i%2)-:5], 1'b0};
    end
    for (genvar i = 0; i < 2; i++) begin : gen_near
      // bits 5 to 1
      assign near_d[9-5*i-:5] = skip_1 ? 5'h0 : {
        rows[i][3] ^ rows[1-i][7],
        rows[i][2] ^ rows[i][7] ^ rows[1-i][6],
        rows[i][1] ^ rows[i][6] ^ total[0],
        rows[i][0] ^ rows[1-i][7] ^ total[6],
        rows[i][7] ^ rows[1-i][6] ^ total[5]
      };
    end
    aesforge_delay #(
        .Width(48),
        .Depth(SecondStage)
    ) u_mixed (
        .clk,
        .rst(1'b0),
        .d  ({mixed_d, near_d, common_d}),
        .q  ({mixed, near, common})
    );
    logic unused_ok;
    assign unused_ok = &{1'b0, undo_1};

  end else if (Style == aesforge_pkg::MixShared) begin : gen_shared
    // The paper's names: pair is X, even and odd are Y1 and Y0, unmix is Z.
    logic unmix;
    logic [79:0] level_d, level;
    logic [7:0] even, odd, twice;
    logic [31:0] mixed_d, mixed;
    logic [15:0] unmix_d, unmix_2;

    assign level_d = {
      x,
      x ^ {x[23:0], x[31:24]},
      aesforge_pkg::xtimes(aesforge_pkg::xtimes(a[0] ^ a[2])),
      aesforge_pkg::xtimes(aesforge_pkg::xtimes(a[1] ^ a[3]))
    };
    aesforge_delay #(
        .Width(80),
        .Depth(FirstStage)
    ) u_level (
        .clk,
        .rst(1'b0),
        .d  (level_d),
        .q  (level)
    );
    for (genvar i = 0; i < 4; i++) begin : gen_mixed
      assign mixed_d[31-8*i-:8] = skip_1 ? level[79-8*i-:8]
          : aesforge_pkg::xtimes(level[47-8*i-:8]) ^ level[47-8*((i+2)%4)-:8]
          ^ level[79-8*((i+1)%4)-:8];
    end
    assign {even, odd} = level[15:0];
    assign twice = aesforge_pkg::xtimes(even ^ odd);
    assign unmix = undo_1 && !skip_1;
    assign unmix_d = unmix ? {twice ^ even, twice ^ odd} : 16'h0;
    aesforge_delay #(
        .Width(48),
        .Depth(SecondStage)
    ) u_mixed (
        .clk,
        .rst(1'b0),
        .d  ({mixed_d, unmix_d}),
        .q  ({mixed, unmix_2})
    );
    assign y = mixed ^ {unmix_2, unmix_2};

  end else if (Direction == aesforge_pkg::Encrypt && Stages == 0) begin : gen_flat
    // With t the sum of the column, byte i becomes a[i] + t + {02} (a[i] + a[i+1]); a bypassed
    // column drops all but a[i]. Where {02} reduces, bits 1, 3 and 4, a pair's bit is wanted only
    // in sum with its bit 7: it is taken so, also for t. Each result is then one LUT4 with a bit
    // of a round key, and all before it are one LUT4 each.
    logic [7:0] t, pairs, doubles;
    logic [7:0] pair[0:3];
    logic [7:0] twice[0:3];
    for (genvar i = 0; i < 4; i++) begin : gen_pair
      assign pair[i] = bypass ? 8'h00 : a[i] ^ a[(i+1)%4];
      assign twice[i] = aesforge_pkg::xtimes(pair[i]);
    end
    assign pairs = pair[0] ^ pair[2];
    assign doubles = twice[0] ^ twice[2];
    assign t = {pairs[7:4], doubles[4:3] ^ {2{pairs[7]}}, pairs[1], doubles[1] ^ pairs[7]};
    for (genvar i = 0; i < 4; i++) begin : gen_sum
      assign y[31-8*i-:8] = a[i] ^ t ^ twice[i];
    end
    logic unused_ok;
    assign unused_ok = &{1'b0, undo_1, skip_1, pairs, doubles};

  end else begin : gen_xtime
    // InvMixColumns = MixColumns of a column whose bytes two rows apart have {04} times their sum
    // added. Alone, MixColumns puts its only stage after the pair sums.
    localparam int unsigned PairStage =
        Direction == aesforge_pkg::Encrypt ? FirstStage : SecondStage;

    logic [31:0] column;
    logic skip_pair, skip_sum;
    if (Direction == aesforge_pkg::Encrypt) begin : gen_forward
      assign column = x;
      assign skip_pair = bypass;
      logic unused_ok;
      assign unused_ok = &{1'b0, a[0], a[1], a[2], a[3], undo_1, skip_1};
    end else begin : gen_undo
      logic [7:0] even, odd;
      logic unmix;
      assign unmix = undo && !bypass;
      assign even = unmix ? aesforge_pkg::xtimes(aesforge_pkg::xtimes(a[0] ^ a[2])) : 8'h00;
      assign odd = unmix ? aesforge_pkg::xtimes(aesforge_pkg::xtimes(a[1] ^ a[3])) : 8'h00;
      aesforge_delay #(
          .Width(32),
          .Depth(FirstStage)
      ) u_column (
          .clk,
          .rst(1'b0),
          .d  (x ^ {even, odd, even, odd}),
          .q  (column)
      );
      assign skip_pair = skip_1;
      logic unused_ok;
      assign unused_ok = &{1'b0, undo_1};
    end

    // One LUT4 each: the pair sums, and their doubles.
    logic [95:0] level_d, level;
    for (genvar i = 0; i < 4; i++) begin : gen_pair
      logic [7:0] pair;
      assign pair = column[31-8*i-:8] ^ column[31-8*((i+1)%4)-:8];
      assign level_d[95-8*i-:8] = column[31-8*i-:8];
      assign level_d[63-8*i-:8] = pair;
      assign level_d[31-8*i-:8] = aesforge_pkg::xtimes(pair);
    end
    aesforge_delay #(
        .Width(96),
        .Depth(PairStage)
    ) u_level (
        .clk,
        .rst(1'b0),
        .d  (level_d),
        .q  (level)
    );
    aesforge_delay #(
        .Width(1),
        .Depth(PairStage)
    ) u_skip (
        .clk,
        .rst(1'b0),
        .d  (skip_pair),
        .q  (skip_sum)
    );
    for (genvar i = 0; i < 4; i++) begin : gen_sum
      assign y[31-8*i-:8] = skip_sum ? level[95-8*i-:8]
          : level[31-8*i-:8] ^ level[63-8*((i+2)%4)-:8] ^ level[95-8*((i+1)%4)-:8];
    end
  end
endmodule

`default_nettype wire
