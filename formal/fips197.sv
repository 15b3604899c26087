// SPDX-License-Identifier: Apache-2.0
// The specification: FIPS 197 (update 1, 2023), combinational, written straight from the standard.
// It shares no code with the cores, and nothing in it is there for speed or size. Section,
// algorithm and equation numbers are the standard's. Bit 7 of a byte is its b_7; a word [a_0, a_1,
// a_2, a_3] and a block of bytes in_0 to in_15 are held with the first byte at the top (Sec. 3.3
// and 3.4).
`default_nettype none

// --- Section 4: the field GF(2^8) ---------------------------------------------------------------

package fips197_field;
  // Sec. 4.2, XTIMES(b): multiply by x, reduce by m(x) = x^8 + x^4 + x^3 + x + 1.
  function automatic logic [7:0] xtimes(input logic [7:0] b);
    xtimes = {b[6:0], 1'b0} ^ (b[7] ? 8'b0001_1011 : 8'b0000_0000);
  endfunction
endpackage

// Sec. 4.2: b times c is the sum of b x^i over the powers x^i in c.
module fips197_multiply (
    input  logic [7:0] b,
    input  logic [7:0] c,
    output logic [7:0] result
);
  for (genvar i = 0; i < 8; i++) begin : gen_power
    logic [7:0] b_times_power, sum;
    if (i == 0) begin : gen_sum
      assign b_times_power = b;
      assign sum = c[0] ? b : 8'h00;
    end else begin : gen_sum
      assign b_times_power = fips197_field::xtimes(gen_power[i-1].b_times_power);
      assign sum = gen_power[i-1].sum ^ (c[i] ? b_times_power : 8'h00);
    end
  end
  assign result = gen_power[7].sum;
endmodule

// Sec. 4.4: the inverse of b is b^254 = b^2 b^4 b^8 b^16 b^32 b^64 b^128; {00} gives {00}.
module fips197_inverse (
    input  logic [7:0] b,
    output logic [7:0] result
);
  for (genvar i = 0; i < 8; i++) begin : gen_power
    // b^(2^i), and the product of all from b^2 to it
    logic [7:0] power, product;
    if (i == 0) begin : gen_product
      assign power = b;
      assign product = 8'h01;
    end else begin : gen_product
      fips197_multiply u_power (
          .b(gen_power[i-1].power), .c(gen_power[i-1].power), .result(power));
      fips197_multiply u_product (.b(gen_power[i-1].product), .c(power), .result(product));
    end
  end
  assign result = gen_power[7].product;
endmodule

// --- Sections 5.1.1 and 5.3.2: the substitution boxes -------------------------------------------

module fips197_sbox (
    input  logic [7:0] b,
    output logic [7:0] result
);
  // The inverse of b, then the affine map
  // b'_i = b_i + b_(i+4 mod 8) + b_(i+5 mod 8) + b_(i+6 mod 8) + b_(i+7 mod 8) + c_i.
  localparam logic [7:0] C = 8'b0110_0011;
  logic [7:0] v;
  fips197_inverse u_inverse (.b(b), .result(v));
  always_comb begin
    for (int i = 0; i < 8; i++) begin
      result[i] = v[i] ^ v[(i+4)%8] ^ v[(i+5)%8] ^ v[(i+6)%8] ^ v[(i+7)%8] ^ C[i];
    end
  end
endmodule

module fips197_inv_sbox (
    input  logic [7:0] b,
    output logic [7:0] result
);
  // INVSBOX() is the inverse of SBOX(): the affine map undone, which is b_i = b'_(i+2 mod 8) +
  // b'_(i+5 mod 8) + b'_(i+7 mod 8) + d_i, then the inverse. That it does undo it is tested for
  // every byte.
  localparam logic [7:0] D = 8'b0000_0101;
  logic [7:0] v;
  always_comb begin
    for (int i = 0; i < 8; i++) begin
      v[i] = b[(i+2)%8] ^ b[(i+5)%8] ^ b[(i+7)%8] ^ D[i];
    end
  end
  fips197_inverse u_inverse (.b(v), .result(result));
endmodule

// --- Sections 5.1 and 5.3: the transformations of the state -------------------------------------
// Sec. 3.4: s[r, c] = in[r + 4c]; its bits are those from 127 - 8 (r + 4c) down.

module fips197_sub_bytes #(
    parameter bit Inverse = 1'b0
) (
    input  logic [127:0] s,
    output logic [127:0] result
);
  for (genvar i = 0; i < 16; i++) begin : gen_byte
    if (Inverse) begin : gen_sbox
      fips197_inv_sbox u_sbox (.b(s[127-8*i-:8]), .result(result[127-8*i-:8]));
    end else begin : gen_sbox
      fips197_sbox u_sbox (.b(s[127-8*i-:8]), .result(result[127-8*i-:8]));
    end
  end
endmodule

package fips197_transformations;
  // Sec. 5.1.2: s'[r, c] = s[r, (c + r) mod 4].
  function automatic logic [127:0] shift_rows(input logic [127:0] s);
    for (int r = 0; r < 4; r++) begin
      for (int c = 0; c < 4; c++) shift_rows[127-8*(r+4*c)-:8] = s[127-8*(r+4*((c+r)%4))-:8];
    end
  endfunction

  // Sec. 5.3.1: s'[r, c] = s[r, (c - r) mod 4].
  function automatic logic [127:0] inv_shift_rows(input logic [127:0] s);
    for (int r = 0; r < 4; r++) begin
      for (int c = 0; c < 4; c++) begin
        inv_shift_rows[127-8*(r+4*c)-:8] = s[127-8*(r+4*((c+4-r)%4))-:8];
      end
    end
  endfunction
endpackage

// Sec. 4.3: each column times the matrix whose first row is [a_0, a_3, a_2, a_1] and whose rows
// below are that row turned right, one place more in each.
module fips197_mix_columns #(
    // Sec. 5.1.3, MIXCOLUMNS(): [a_0, a_1, a_2, a_3] = [{02}, {01}, {01}, {03}].
    // Sec. 5.3.3, INVMIXCOLUMNS(): [{0e}, {09}, {0d}, {0b}].
    parameter logic [31:0] A = 32'h02_01_01_03
) (
    input  logic [127:0] s,
    output logic [127:0] result
);
  for (genvar c = 0; c < 4; c++) begin : gen_column
    for (genvar r = 0; r < 4; r++) begin : gen_row
      logic [31:0] terms;
      for (genvar k = 0; k < 4; k++) begin : gen_term
        fips197_multiply u_multiply (
            .b(s[127-8*(k+4*c)-:8]), .c(A[31-8*((r+4-k)%4)-:8]), .result(terms[8*k+:8]));
      end
      assign result[127-8*(r+4*c)-:8] = terms[31:24] ^ terms[23:16] ^ terms[15:8] ^ terms[7:0];
    end
  end
endmodule

// --- Section 5.2: KEYEXPANSION(), Algorithm 2 ---------------------------------------------------

module fips197_key_expansion #(
    parameter int unsigned KeyBits = 128,
    localparam int unsigned Nk = KeyBits / 32,
    localparam int unsigned Nr = Nk + 6
) (
    input  logic [         KeyBits-1:0] key,
    // The words w[0] to w[4 Nr + 3], the first at the top.
    output logic [128*(Nr+1)-1:0] words
);
  // Table 5: Rcon[j] = [x^(j-1), {00}, {00}, {00}].
  function automatic logic [31:0] rcon(input int unsigned j);
    logic [7:0] power;
    power = 8'h01;
    for (int unsigned i = 1; i < 10; i++) begin
      if (i < j) power = fips197_field::xtimes(power);
    end
    rcon = {power, 24'h000000};
  endfunction

  for (genvar i = 0; i < 4 * Nr + 4; i++) begin : gen_word
    logic [31:0] w;
    if (i < Nk) begin : gen_key
      assign w = key[KeyBits-1-32*i-:32];
    end else begin : gen_step
      logic [31:0] before, temp;
      assign before = gen_word[i-1].w;
      if (i % Nk == 0) begin : gen_temp
        // SUBWORD(ROTWORD(temp)) + Rcon[i / Nk]
        logic [31:0] rotated, substituted;
        assign rotated = {before[23:0], before[31:24]};
        for (genvar j = 0; j < 4; j++) begin : gen_byte
          fips197_sbox u_sbox (.b(rotated[8*j+:8]), .result(substituted[8*j+:8]));
        end
        assign temp = substituted ^ rcon(i / Nk);
      end else if (Nk > 6 && i % Nk == 4) begin : gen_temp
        // SUBWORD(temp)
        for (genvar j = 0; j < 4; j++) begin : gen_byte
          fips197_sbox u_sbox (.b(before[8*j+:8]), .result(temp[8*j+:8]));
        end
      end else begin : gen_temp
        assign temp = before;
      end
      assign w = gen_word[i-Nk].w ^ temp;
    end
    assign words[128*(Nr+1)-1-32*i-:32] = w;
  end
endmodule

// --- Section 5.1: CIPHER(), Algorithm 1 ---------------------------------------------------------

module fips197_cipher #(
    parameter int unsigned Nr = 10
) (
    input  logic [         127:0] block,
    input  logic [128*(Nr+1)-1:0] words,
    output logic [         127:0] result
);
  for (genvar round = 0; round <= Nr; round++) begin : gen_round
    logic [127:0] round_key, state;
    assign round_key = words[128*(Nr+1-round)-1-:128];
    if (round == 0) begin : gen_state
      assign state = block ^ round_key;
    end else begin : gen_state
      logic [127:0] substituted, shifted;
      fips197_sub_bytes #(.Inverse(1'b0)) u_sub_bytes (
          .s(gen_round[round-1].state), .result(substituted));
      assign shifted = fips197_transformations::shift_rows(substituted);
      if (round < Nr) begin : gen_mix
        logic [127:0] mixed;
        fips197_mix_columns #(.A(32'h02_01_01_03)) u_mix_columns (.s(shifted), .result(mixed));
        assign state = mixed ^ round_key;
      end else begin : gen_mix
        assign state = shifted ^ round_key;
      end
    end
  end
  assign result = gen_round[Nr].state;
endmodule

// --- Section 5.3: INVCIPHER(), Algorithm 3 ------------------------------------------------------

module fips197_inv_cipher #(
    parameter int unsigned Nr = 10
) (
    input  logic [         127:0] block,
    input  logic [128*(Nr+1)-1:0] words,
    output logic [         127:0] result
);
  // `step` counts as the rounds run; the round keys come from the last to the first.
  for (genvar step = 0; step <= Nr; step++) begin : gen_round
    logic [127:0] round_key, state;
    assign round_key = words[128*(step+1)-1-:128];
    if (step == 0) begin : gen_state
      assign state = block ^ round_key;
    end else begin : gen_state
      logic [127:0] shifted, substituted;
      assign shifted = fips197_transformations::inv_shift_rows(gen_round[step-1].state);
      fips197_sub_bytes #(.Inverse(1'b1)) u_sub_bytes (.s(shifted), .result(substituted));
      if (step < Nr) begin : gen_mix
        fips197_mix_columns #(.A(32'h0e_09_0d_0b)) u_mix_columns (
            .s(substituted ^ round_key), .result(state));
      end else begin : gen_mix
        assign state = substituted ^ round_key;
      end
    end
  end
  assign result = gen_round[Nr].state;
endmodule

// --- AES-128, AES-192, AES-256: Section 6 -------------------------------------------------------

module fips197 #(
    // 128, 192 or 256
    parameter int unsigned KeyBits = 128,
    // 0: CIPHER(), 1: INVCIPHER()
    parameter bit Inverse = 1'b0
) (
    input  logic [KeyBits-1:0] key,
    input  logic [      127:0] block,
    output logic [      127:0] result
);
  localparam int unsigned Nr = KeyBits / 32 + 6;
  logic [128*(Nr+1)-1:0] words;
  fips197_key_expansion #(.KeyBits(KeyBits)) u_key_expansion (.key(key), .words(words));
  if (Inverse) begin : gen_direction
    fips197_inv_cipher #(.Nr(Nr)) u_cipher (.block(block), .words(words), .result(result));
  end else begin : gen_direction
    fips197_cipher #(.Nr(Nr)) u_cipher (.block(block), .words(words), .result(result));
  end
endmodule

`default_nettype wire
