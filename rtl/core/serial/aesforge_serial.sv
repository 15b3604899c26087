// SPDX-License-Identifier: Apache-2.0
// AES block cipher core (FIPS 197) with a data path of 32 bits (Rahman et al.) with the ports of
// aesforge_core: blocks to columns and back, tags, and `zeroize`.
// Latency Nr x (SboxStages + LinearStages + that of ShiftRows) + 5; a block every four cycles. No
// back-pressure at the output.
`default_nettype none

module aesforge_serial #(
    parameter int unsigned KeyBits = 128,  // [128, 192, 256] key size; Nr is 10, 12, 14
    // [0, 1, 2] 0 encrypt, 1 decrypt, 2 either, chosen by `in_decrypt`
    parameter int unsigned Direction = aesforge_pkg::Encrypt,
    // [a style] S-boxes of the rounds, see aesforge_sbox
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTower,
    // [a style; not bram without `SboxStages`] S-boxes of the key expansion
    parameter int unsigned KeySboxStyle = aesforge_pkg::SboxTower,
    // [0 or more; 1 or more for `bram`] pipeline stages in SubBytes
    parameter int unsigned SboxStages = 1,
    parameter int unsigned LinearStages = 1,  // [0 to 4] pipeline stages in the rest of a round
    parameter int unsigned MixStyle = aesforge_pkg::MixXtime,  // [0, 1, 2] see aesforge_mix_column
    // [0, 1] see aesforge_shift_rows
    parameter int unsigned ShiftStyle = aesforge_pkg::ShiftRegister,
    parameter int unsigned TagBits = 8,  // [1 or more] bits that travel with a block
    // [0, 1] how delays of tags are built, see aesforge_delay
    parameter int unsigned DelayStyle = aesforge_pkg::DelayRam,
    localparam int unsigned Nr = KeyBits / 32 + 6
) (
    input  logic               clk,  // clock
    input  logic               rst,  // empties the core; zeroizes nothing
    input  logic               zeroize,  // zeroizes key and blocks; a pulse of one cycle will do
    input  logic               in_valid,  // a block is present
    output logic               in_ready,  // it is accepted
    input  logic [      127:0] in_block,  // block, bit 127 the first bit of byte 0
    input  logic [KeyBits-1:0] in_key,  // ignored
    input  logic               in_slot,  // ignored: there is one key
    input  logic               in_decrypt,  // decrypt it (`Direction` 2 only)
    input  logic [TagBits-1:0] in_tag,  // returned with the block
    input  logic               key_valid,  // a key is present; no block is accepted meanwhile
    output logic               key_ready,  // it is accepted: no block is inside
    input  logic               key_slot,  // ignored
    input  logic [KeyBits-1:0] key,  // key
    output logic               out_valid,  // a block is at the output; there is no back-pressure
    output logic [      127:0] out_block,  // block
    output logic [TagBits-1:0] out_tag  // tag of the block
);
  localparam bit Addressed = ShiftStyle == aesforge_pkg::ShiftAddressed;
  localparam int unsigned Stages = SboxStages + LinearStages;
  localparam int unsigned Latency = Nr * (Stages + (Addressed ? 4 : 5)) + 5;

  if (KeyBits != 128 && KeyBits != 192 && KeyBits != 256) begin : gen_bad_key_bits
    $error("key_bits must be 128, 192 or 256");
  end
  if (LinearStages > 4) begin : gen_bad_stages
    $error("linear_stages must be at most 4");
  end
  if (ShiftStyle > aesforge_pkg::ShiftAddressed || TagBits == 0) begin : gen_bad_counts
    $error("shift_rows must be 0 (registers) or 1 (addressed), tag_bits at least 1");
  end

  // Zeroize: a key of zeros overwrites the round keys, SboxStages + 1 cycles each, then columns of
  // zeros run through the rounds, for as many cycles as each round's buffer is deep.
  localparam int unsigned ZeroizeCycles =
      Nr * (SboxStages + 1 + Stages + (Addressed ? 7 : 5)) + 2;
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

  // Columns in: the first of a block enters at once, the others wait here.
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
