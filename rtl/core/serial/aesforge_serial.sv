// SPDX-License-Identifier: Apache-2.0
// AES block cipher core (FIPS 197) with a data path of 32 bits (Rahman et al.) with the ports of
// aesforge_core: blocks to columns and back, tags, and `zeroize`.
// Latency Nr x (SboxStages + LinearStages + that of ShiftRows) + 5; a block every four cycles. No
// back-pressure at the output.
`default_nettype none

module aesforge_serial #(
    // 128, 192 or 256; Nr is 10, 12 or 14
    parameter int unsigned KeyBits = 128,
    // 0 encrypt, 1 decrypt, 2 either, chosen by in_decrypt
    parameter int unsigned Direction = aesforge_pkg::Encrypt,
    // S-boxes of the rounds and of the key expansion, see aesforge_sbox
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTower,
    parameter int unsigned KeySboxStyle = aesforge_pkg::SboxTower,
    // pipeline stages in a round; see aesforge_sbox, and aesforge_serial_round (0 to 4)
    parameter int unsigned SboxStages = 1,
    parameter int unsigned LinearStages = 1,
    // see aesforge_mix_column and aesforge_shift_rows
    parameter int unsigned MixStyle = aesforge_pkg::MixXtime,
    parameter int unsigned ShiftStyle = aesforge_pkg::ShiftRegister,
    // bits that travel with a block
    parameter int unsigned TagBits = 8,
    // see aesforge_delay
    parameter int unsigned DelayStyle = aesforge_pkg::DelayRam,
    localparam int unsigned Nr = KeyBits / 32 + 6
) (
    input  logic               clk,
    input  logic               rst,
    // zeroizes key and blocks within ZeroizeCycles + 1 cycles
    input  logic               zeroize,
    // block in
    input  logic               in_valid,
    output logic               in_ready,
    input  logic [      127:0] in_block,
    input  logic [KeyBits-1:0] in_key,
    input  logic               in_slot,
    input  logic               in_decrypt,
    input  logic [TagBits-1:0] in_tag,
    // key in
    input  logic               key_valid,
    output logic               key_ready,
    input  logic               key_slot,
    input  logic [KeyBits-1:0] key,
    // block out
    output logic               out_valid,
    output logic [      127:0] out_block,
    output logic [TagBits-1:0] out_tag
);
  localparam bit Addressed = ShiftStyle == aesforge_pkg::ShiftAddressed;
  localparam int unsigned Stages = SboxStages + LinearStages;
  localparam int unsigned Latency = Nr * (Stages + (Addressed ? 4 : 5)) + 5;

  if (KeyBits != 128 && KeyBits != 192 && KeyBits != 256) begin : gen_bad_key_bits
    $error("key_bits must be 128, 192 or 256");
  end
  if (Stages == 0 || LinearStages > 4) begin : gen_bad_stages
    $error("sbox_stages + linear_stages must be at least 1, linear_stages at most 4");
  end
  if (ShiftStyle > aesforge_pkg::ShiftAddressed || TagBits == 0) begin : gen_bad_counts
    $error("shift_rows must be 0 (registers) or 1 (addressed), tag_bits at least 1");
  end

  // Clear: first the round keys follow from a key of zeros, then columns of zeros run through, each
  // round's buffer being as deep as its longest row.
  localparam int unsigned ZeroizeCycles = Nr * (Stages + (Addressed ? 7 : 5) + 1) + 2;
  localparam int unsigned ZeroizeBits = $clog2(ZeroizeCycles + 1);
  logic [ZeroizeBits-1:0] zeroize_count_q;
  logic zeroizing_q;
  always_ff @(posedge clk) begin
    if (zeroizing_q) zeroize_count_q <= zeroize_count_q - 1'b1;
    if (zeroize_count_q == ZeroizeBits'(1)) zeroizing_q <= 1'b0;
    if (zeroize) begin
      zeroize_count_q <= ZeroizeBits'(ZeroizeCycles);
      zeroizing_q <= 1'b1;
    end
    if (rst) zeroizing_q <= 1'b0;
  end

  // Columns in: a block's first goes straight on, the others wait here.
  logic cipher_ready, cipher_key_ready, accept, first_out;
  logic [1:0] left_q;
  logic [31:0] column_in, column_out;
  logic [95:0] rest_q;
  assign in_ready = cipher_ready && !zeroize;
  assign accept = in_valid && in_ready;
  assign column_in = left_q == '0 ? in_block[127:96] : rest_q[95:64];
  always_ff @(posedge clk) begin
    rest_q <= left_q == '0 ? in_block[95:0] : {rest_q[63:0], 32'h0};
    if (accept) left_q <= 2'd3;
    else if (left_q != '0) left_q <= left_q - 1'b1;
    if (zeroizing_q) rest_q <= '0;
    if (rst || zeroizing_q) left_q <= '0;
  end

  assign key_ready = cipher_key_ready && !zeroize;
  aesforge_serial_cipher #(
      .KeyBits(KeyBits),
      .Direction(Direction),
      .SboxStyle(SboxStyle),
      .KeySboxStyle(KeySboxStyle),
      .SboxStages(SboxStages),
      .LinearStages(LinearStages),
      .MixStyle(MixStyle),
      .ShiftStyle(ShiftStyle)
  ) u_cipher (
      .clk,
      .rst,
      .zeroize(zeroizing_q),
      .key_valid(key_valid && !zeroize),
      .key_ready(cipher_key_ready),
      .key,
      .in_first(in_valid && !zeroize),
      .in_ready(cipher_ready),
      .in_decrypt,
      .in_column(column_in),
      .out_first(first_out),
      .out_column(column_out)
  );

  // Columns out.
  logic [2:0] more_q;
  logic valid_q;
  always_ff @(posedge clk) begin
    if (first_out || more_q != '0) out_block <= {out_block[95:0], column_out};
    {valid_q, more_q} <= {more_q, first_out};
    if (zeroizing_q) out_block <= '0;
    if (rst || zeroizing_q) {valid_q, more_q} <= '0;
  end
  assign out_valid = valid_q && !zeroizing_q;

  // Tag.
  aesforge_delay #(
      .Width(TagBits),
      .Depth(Latency),
      .Style(DelayStyle)
  ) u_tag (
      .clk,
      .rst,
      .d(in_tag),
      .q(out_tag)
  );

  logic unused_ok;
  assign unused_ok = &{1'b0, in_key, in_slot, key_slot};
endmodule

`default_nettype wire
