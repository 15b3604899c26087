// SPDX-License-Identifier: Apache-2.0
// One cipher. To decrypt with agile keys, aesforge_key_last before it computes the last round key,
// which adds Nr x (SboxStages + LinearStages) to the latency. Wiring only.
`default_nettype none

module aesforge_tile #(
    parameter int unsigned KeyBits = 128,  // [128, 192, 256] key size
    // [0, 1, 2] 0 encrypt, 1 decrypt, 2 either, chosen by `in_decrypt`
    parameter int unsigned Direction = aesforge_pkg::Encrypt,
    parameter int unsigned Unroll = 10,  // [a divisor of Nr] rounds in hardware
    // [a style] S-boxes of the rounds, see aesforge_sbox
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTable,
    // [a style] S-boxes of the key schedule
    parameter int unsigned KeySboxStyle = aesforge_pkg::SboxTable,
    // [0 or more; 1 or more for `bram`] pipeline stages in SubBytes and SubWord
    parameter int unsigned SboxStages = 1,
    // [0 to 4] pipeline stages in the rest of a round; at least 1 in all, except for a pipeline of
    // agile keys
    parameter int unsigned LinearStages = 1,
    parameter int unsigned MixStyle = aesforge_pkg::MixXtime,  // [0, 1, 2] see aesforge_mix_column
    parameter int unsigned KeySlots = 0,  // [0, 2 to 16] 0: agile; else the number of key slots
    // [1 or more] pipelines that run in lock step under one key
    parameter int unsigned BlocksPerBeat = 1,
    parameter int unsigned TagBits = 8,  // [1 or more] bits that travel with a block
    // [0, 1] how delays of tags and waiting blocks are built, see aesforge_delay
    parameter int unsigned DelayStyle = aesforge_pkg::DelayRegister,
    localparam int unsigned SlotBits = KeySlots > 1 ? $clog2(KeySlots) : 1
) (
    input  logic                         clk,  // clock
    input  logic                         rst,  // discards all blocks
    input  logic                         zeroize,  // discards all blocks and overwrites the rings
    // during `zeroize`: the place of the stores that is overwritten
    input  logic [                  7:0] zeroize_address,
    input  logic                         in_valid,  // a block is present
    output logic                         in_ready,  // it is accepted: a place is free
    // decrypt it (`Direction` 2 only, else ignored)
    input  logic                         in_decrypt,
    input  logic [         SlotBits-1:0] in_slot,  // slot of its key (stored keys only)
    input  logic [          KeyBits-1:0] in_key,  // key of the block (agile keys only)
    input  logic [128*BlocksPerBeat-1:0] in_block,  // block; block i in bits 128 i and up
    input  logic [          TagBits-1:0] in_tag,  // tag
    // a round key for the stores (stored keys only)
    input  logic                         write_valid,
    input  logic [                  3:0] write_round,  // number of the round key
    input  logic [         SlotBits-1:0] write_slot,  // slot of the key
    input  logic [                127:0] write_key,  // round key
    // a block is at the output; there is no back-pressure
    output logic                         out_valid,
    output logic [128*BlocksPerBeat-1:0] out_block,  // block
    output logic [          TagBits-1:0] out_tag  // tag of the block
);
  // Backward steps in a pipeline pass on the input of SubWord itself, not the terms of its sum.
  localparam bit Summed = KeySlots < 2 && Direction == aesforge_pkg::Decrypt && KeyBits == 128
      && Unroll == 10 && LinearStages >= 2;

  logic cipher_valid, cipher_ready, cipher_decrypt;
  logic [KeyBits-1:0] cipher_window;
  logic [128*BlocksPerBeat-1:0] cipher_block;
  logic [TagBits-1:0] cipher_tag;

  if (KeySlots < 2 && Direction != aesforge_pkg::Encrypt) begin : gen_key_last
    // Both loops have the same slots and passes, so the cipher has a free slot when a key arrives.
    logic unused_ok;
    assign unused_ok = &{1'b0, cipher_ready};
    aesforge_key_last #(
        .KeyBits(KeyBits),
        .Direction(Direction),
        .Unroll(Unroll),
        .SboxStyle(KeySboxStyle),
        .SboxStages(SboxStages),
        .LinearStages(LinearStages),
        .Summed(Summed),
        .SideBits(128 * BlocksPerBeat + TagBits),
        .DelayStyle(DelayStyle)
    ) u_key_last (
        .clk,
        .rst,
        .zeroize,
        .in_valid,
        .in_ready,
        .in_decrypt,
        .in_key,
        .in_side({in_block, in_tag}),
        .out_valid(cipher_valid),
        .out_decrypt(cipher_decrypt),
        .out_window(cipher_window),
        .out_side({cipher_block, cipher_tag})
    );
  end else begin : gen_key_last
    assign cipher_valid = in_valid;
    assign cipher_decrypt = in_decrypt;
    assign cipher_window = in_key;
    assign cipher_block = in_block;
    assign cipher_tag = in_tag;
    assign in_ready = cipher_ready;
  end

  aesforge_cipher #(
      .KeyBits(KeyBits),
      .Direction(Direction),
      .Unroll(Unroll),
      .SboxStyle(SboxStyle),
      .KeySboxStyle(KeySboxStyle),
      .SboxStages(SboxStages),
      .LinearStages(LinearStages),
      .MixStyle(MixStyle),
      .KeySlots(KeySlots),
      .BlocksPerBeat(BlocksPerBeat),
      .TagBits(TagBits),
      .DelayStyle(DelayStyle),
      .Summed(Summed)
  ) u_cipher (
      .clk,
      .rst,
      .zeroize,
      .zeroize_address,
      .in_valid(cipher_valid),
      .in_ready(cipher_ready),
      .in_decrypt(cipher_decrypt),
      .in_slot,
      .in_window(cipher_window),
      .in_block(cipher_block),
      .in_tag(cipher_tag),
      .write_valid,
      .write_round,
      .write_slot,
      .write_key,
      .out_valid,
      .out_block,
      .out_tag
  );
endmodule

`default_nettype wire
