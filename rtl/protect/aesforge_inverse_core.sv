// SPDX-License-Identifier: Apache-2.0
// AES block cipher core (FIPS 197) with inverse check: a second aesforge_core inverts each result,
// which must equal the input block.
// Latency that of both cores + 2; Tiles x Unroll / Nr blocks per cycle. No back-pressure.
`default_nettype none

module aesforge_inverse_core #(
    parameter int unsigned KeyBits = 128,  // [128, 192, 256] key size
    // [0, 1, 2] 0 encrypt, 1 decrypt, 2 either, chosen by `in_decrypt`
    parameter int unsigned Direction = aesforge_pkg::Encrypt,
    parameter int unsigned Unroll = 10,  // [a divisor of Nr] rounds in hardware
    // [a style] S-boxes of the rounds, see aesforge_sbox
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTower,
    // [a style] S-boxes of the key schedule
    parameter int unsigned KeySboxStyle = aesforge_pkg::SboxTower,
    // [0 or more; 1 or more for `bram`] pipeline stages in SubBytes and SubWord
    parameter int unsigned SboxStages = 1,
    // [0 to 4] pipeline stages in the rest of a round; at least 1 in all, except for a pipeline
    parameter int unsigned LinearStages = 1,
    parameter int unsigned MixStyle = aesforge_pkg::MixXtime,  // [0, 1, 2] see aesforge_mix_column
    parameter int unsigned Tiles = 1,  // [1 or more] as in `aesforge_core`
    parameter int unsigned TagBits = 8,  // [1 or more] bits that travel with a block
    // [0, 1] how delays are built, see aesforge_delay
    parameter int unsigned DelayStyle = aesforge_pkg::DelayRam,
    localparam int unsigned Nr = KeyBits / 32 + 6,
    localparam int unsigned BlocksPerBeat = Unroll == Nr ? Tiles : 1,
    localparam int unsigned SlotBits = 1
) (
    input  logic                         clk,  // clock
    // synchronous reset, active high: discards all blocks
    input  logic                         rst,
    input  logic                         zeroize,  // zeroizes all keys and blocks
    input  logic                         in_valid,  // a block is present
    output logic                         in_ready,  // it is accepted
    input  logic [128*BlocksPerBeat-1:0] in_block,  // block; block i in bits 128 i and up
    input  logic [          KeyBits-1:0] in_key,  // key of the block
    input  logic [         SlotBits-1:0] in_slot,  // not used: keys are agile
    // decrypt it (`Direction` 2 only, else ignored)
    input  logic                         in_decrypt,
    input  logic [          TagBits-1:0] in_tag,  // tag
    input  logic                         key_valid,  // not used
    output logic                         key_ready,  // low
    input  logic [         SlotBits-1:0] key_slot,  // not used
    input  logic [          KeyBits-1:0] key,  // not used
    // a block is at the output, or one that should be is missing
    output logic                         out_valid,
    output logic [128*BlocksPerBeat-1:0] out_block,  // block
    output logic [          TagBits-1:0] out_tag,  // tag of the block
    // with `out_valid`: block or tag may be wrong, or a block is missing or spurious; else low
    output logic                         alarm
);
  localparam int unsigned Opposite = Direction == aesforge_pkg::Encrypt ? aesforge_pkg::Decrypt
      : Direction == aesforge_pkg::Decrypt ? aesforge_pkg::Encrypt : aesforge_pkg::Both;
  localparam int unsigned Bits = 128 * BlocksPerBeat;
  // Latencies: all rounds, the core, its inverse, and the comparison.
  localparam int unsigned Run = Nr * (SboxStages + LinearStages);
  localparam int unsigned There = (Direction == aesforge_pkg::Encrypt ? 1 : 2) * Run + 1;
  localparam int unsigned Back = (Opposite == aesforge_pkg::Encrypt ? 1 : 2) * Run + 1;
  localparam int unsigned Compare = 2;

  // The core.
  logic result_valid;
  logic [Bits-1:0] result;
  logic [TagBits-1:0] result_tag;
  aesforge_core #(
      .KeyBits(KeyBits),
      .Direction(Direction),
      .Unroll(Unroll),
      .SboxStyle(SboxStyle),
      .KeySboxStyle(KeySboxStyle),
      .SboxStages(SboxStages),
      .LinearStages(LinearStages),
      .MixStyle(MixStyle),
      .Tiles(Tiles),
      .TagBits(TagBits),
      .DelayStyle(DelayStyle)
  ) u_there (
      .clk,
      .rst,
      .zeroize,
      .in_valid,
      .in_ready,
      .in_block,
      .in_key,
      .in_slot,
      .in_decrypt,
      .in_tag,
      .key_valid,
      .key_ready,
      .key_slot,
      .key,
      .out_valid(result_valid),
      .out_block(result),
      .out_tag(result_tag)
  );

  // The inverse core gets key and direction from the input ports, delayed, not from the first core.
  // All delays here hold complements: synthesis would merge equal registers with those of a core,
  // and an SEU there would be the same on both sides.
  logic decrypt;
  logic [KeyBits-1:0] key_there;
  aesforge_delay #(
      .Width(KeyBits),
      .Depth(There),
      .Style(DelayStyle)
  ) u_key (
      .clk,
      .rst,
      .d(~in_key),
      .q(key_there)
  );
  if (Direction == aesforge_pkg::Both) begin : gen_decrypt
    aesforge_delay #(
        .Width(1),
        .Depth(There)
    ) u_decrypt (
        .clk,
        .rst,
        .d(~in_decrypt),
        .q(decrypt)
    );
  end else begin : gen_decrypt
    assign decrypt = 1'b0;
  end

  // The inverse core. It is ready for every result, since it has the rate of the first core.
  logic back_valid, back_ready, back_key_ready;
  logic [Bits-1:0] back_block;
  logic [TagBits-1:0] back_tag;
  aesforge_core #(
      .KeyBits(KeyBits),
      .Direction(Opposite),
      .Unroll(Unroll),
      .SboxStyle(SboxStyle),
      .KeySboxStyle(KeySboxStyle),
      .SboxStages(SboxStages),
      .LinearStages(LinearStages),
      .MixStyle(MixStyle),
      .Tiles(Tiles),
      .TagBits(TagBits),
      .DelayStyle(DelayStyle)
  ) u_back (
      .clk,
      .rst,
      .zeroize,
      .in_valid(result_valid),
      .in_ready(back_ready),
      .in_block(result),
      .in_key(~key_there),
      .in_slot(1'b0),
      .in_decrypt(decrypt),
      .in_tag(result_tag),
      .key_valid(1'b0),
      .key_ready(back_key_ready),
      .key_slot(1'b0),
      .key('0),
      .out_valid(back_valid),
      .out_block(back_block),
      .out_tag(back_tag)
  );

  // Input block and tag, delayed; and the accept handshake, delayed by the latency: it shows when a
  // block is due, independently of the cores. An empty place holds a one.
  logic [Bits-1:0] block_n;
  logic [TagBits-1:0] tag_n;
  logic [There+Back+Compare-1:0] absent_q;
  logic expected;
  aesforge_delay #(
      .Width(Bits),
      .Depth(There + Back),
      .Style(DelayStyle)
  ) u_block (
      .clk,
      .rst,
      .d(~in_block),
      .q(block_n)
  );
  aesforge_delay #(
      .Width(TagBits),
      .Depth(There + Back + Compare),
      .Style(DelayStyle)
  ) u_tag (
      .clk,
      .rst,
      .d(~in_tag),
      .q(tag_n)
  );
  always_ff @(posedge clk) begin
    absent_q <= {absent_q[There+Back+Compare-2:0], !(in_valid && in_ready)};
    if (rst || zeroize) absent_q <= '1;
  end
  assign expected = !absent_q[There+Back+Compare-1];

  // The result waits. One parity bit per byte, in a separate delay line, detects an SEU in it.
  logic [Bits/8-1:0] parity_d, parity_n, parity_out;
  logic result_astray, parity_astray;
  for (genvar i = 0; i < Bits / 8; i++) begin : gen_parity
    assign parity_d[i] = ^result[8*i+:8];
    assign parity_out[i] = ^out_block[8*i+:8];
  end
  aesforge_counted_delay #(
      .Width(Bits),
      .Depth(Back + Compare),
      .Style(DelayStyle)
  ) u_result (
      .clk,
      .rst,
      .d(result),
      .q(out_block),
      .astray(result_astray)
  );
  aesforge_counted_delay #(
      .Width(Bits / 8),
      .Depth(Back + Compare),
      .Style(DelayStyle)
  ) u_parity (
      .clk,
      .rst,
      .d(~parity_d),
      .q(parity_n),
      .astray(parity_astray)
  );

  // Comparison: per byte, then all bytes; it reaches the last register together with the result.
  logic [Bits/8-1:0] differ_d, differ_q;
  logic differ, valid_q, valid_2q;
  logic [TagBits-1:0] back_tag_q;
  for (genvar i = 0; i < Bits / 8; i++) begin : gen_differ
    assign differ_d[i] = back_block[8*i+:8] != ~block_n[8*i+:8];
  end
  always_ff @(posedge clk) begin
    differ_q <= differ_d;
    differ <= differ_q != '0;
    back_tag_q <= back_tag;
    out_tag <= back_tag_q;
    valid_q <= back_valid;
    valid_2q <= valid_q;
    if (rst || zeroize) {valid_q, valid_2q} <= 2'b00;
  end

  // A missing block also raises `out_valid`, with an alarm.
  assign out_valid = valid_2q || expected;
  assign alarm = out_valid && (!valid_2q || !expected || differ || out_tag != ~tag_n
      || parity_out != ~parity_n || result_astray || parity_astray);

  logic unused_ok;
  assign unused_ok = &{1'b0, back_ready, back_key_ready};
endmodule

`default_nettype wire
