// SPDX-License-Identifier: Apache-2.0
// One cipher, and before it, where keys are agile and blocks are decrypted, the run of the key
// schedule to its end. Latency that of the cipher, plus Nr x (SboxStages + LinearStages) for that
// run. Wiring only.
`default_nettype none

module aesforge_tile #(
    // parameters: see aesforge_core
    parameter int unsigned KeyBits = 128,
    parameter int unsigned Direction = aesforge_pkg::Encrypt,
    parameter int unsigned Unroll = 10,
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTable,
    parameter int unsigned KeySboxStyle = aesforge_pkg::SboxTable,
    parameter int unsigned SboxStages = 1,
    parameter int unsigned LinearStages = 1,
    parameter int unsigned MixStyle = aesforge_pkg::MixXtime,
    parameter int unsigned KeySlots = 0,
    parameter int unsigned BlocksPerBeat = 1,
    parameter int unsigned TagBits = 8,
    parameter int unsigned DelayStyle = aesforge_pkg::DelayRegister,
    localparam int unsigned SlotBits = KeySlots > 1 ? $clog2(KeySlots) : 1
) (
    input  logic                         clk,
    input  logic                         rst,
    input  logic                         zeroize,
    input  logic [                  7:0] zeroize_address,
    // block in
    input  logic                         in_valid,
    output logic                         in_ready,
    input  logic                         in_decrypt,
    input  logic [         SlotBits-1:0] in_slot,
    input  logic [          KeyBits-1:0] in_key,
    input  logic [128*BlocksPerBeat-1:0] in_block,
    input  logic [          TagBits-1:0] in_tag,
    // round keys for the stores
    input  logic                         write_valid,
    input  logic [                  3:0] write_round,
    input  logic [         SlotBits-1:0] write_slot,
    input  logic [                127:0] write_key,
    // block out
    output logic                         out_valid,
    output logic [128*BlocksPerBeat-1:0] out_block,
    output logic [          TagBits-1:0] out_tag
);
  // A pipeline of steps back hands on what SubWord takes, not what it would have to be added from.
  localparam bit Summed = KeySlots < 2 && Direction == aesforge_pkg::Decrypt && KeyBits == 128
      && Unroll == 10 && LinearStages >= 2;

  logic cipher_valid, cipher_ready, cipher_decrypt;
  logic [KeyBits-1:0] cipher_window;
  logic [128*BlocksPerBeat-1:0] cipher_block;
  logic [TagBits-1:0] cipher_tag;

  if (KeySlots < 2 && Direction != aesforge_pkg::Encrypt) begin : gen_key_last
    // Both rings have the same places and passes, so the cipher is free when a key arrives.
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
