// SPDX-License-Identifier: Apache-2.0
// AES block cipher core (FIPS 197): one tile or several, their key loader, and `zeroize`.
// Latency Nr x (SboxStages + LinearStages) + 1, or 2 Nr x (SboxStages + LinearStages) + 1 to
// decrypt with agile keys; Tiles x Unroll / Nr blocks per cycle. No back-pressure at the output.
`default_nettype none

module aesforge_core #(
    parameter int unsigned KeyBits = 128,  // [128, 192, 256] key size; Nr is 10, 12, 14
    // [0, 1, 2] 0 encrypt, 1 decrypt, 2 either, chosen by `in_decrypt`
    parameter int unsigned Direction = aesforge_pkg::Encrypt,
    // [a divisor of Nr] rounds in hardware: Nr is a pipeline, fewer a ring
    parameter int unsigned Unroll = 10,
    // [a style] S-boxes of the rounds, see aesforge_sbox
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTower,
    // [a style] S-boxes of the key schedule
    parameter int unsigned KeySboxStyle = aesforge_pkg::SboxTower,
    // [0 or more; 1 or more for `bram`] pipeline stages in SubBytes and SubWord
    parameter int unsigned SboxStages = 1,
    // [0 to 4] pipeline stages in the rest of a round; at least 1 in all, except for a pipeline of
    // agile keys
    parameter int unsigned LinearStages = 1,
    parameter int unsigned MixStyle = aesforge_pkg::MixXtime,  // [0, 1, 2] see aesforge_mix_column
    // [0, 2 to 16] 0: agile, a key with each block; else the number of key slots
    parameter int unsigned KeySlots = 0,
    parameter int unsigned Tiles = 1,  // [1 or more] parallel pipelines
    parameter int unsigned TagBits = 8,  // [1 or more] bits that travel with a block
    // [0, 1] how delays of tags and waiting blocks are built, see aesforge_delay
    parameter int unsigned DelayStyle = aesforge_pkg::DelayRam,
    localparam int unsigned Nr = KeyBits / 32 + 6,
    localparam int unsigned BlocksPerBeat = Unroll == Nr ? Tiles : 1,
    localparam int unsigned SlotBits = KeySlots > 1 ? $clog2(KeySlots) : 1
) (
    input  logic                         clk,  // clock
    input  logic                         rst,  // empties the core; zeroizes nothing
    // zeroizes all keys and blocks; a pulse of one cycle will do
    input  logic                         zeroize,
    input  logic                         in_valid,  // a block is present
    output logic                         in_ready,  // it is accepted
    // block, bit 127 the first bit of byte 0; block i in bits 128 i and up
    input  logic [128*BlocksPerBeat-1:0] in_block,
    input  logic [          KeyBits-1:0] in_key,  // key of the block (agile keys only)
    input  logic [         SlotBits-1:0] in_slot,  // slot of its key (stored keys only)
    input  logic                         in_decrypt,  // decrypt it (`Direction` 2 only)
    input  logic [          TagBits-1:0] in_tag,  // returned with the block
    input  logic                         key_valid,  // a key is present (stored keys only)
    output logic                         key_ready,  // it is accepted; low with agile keys
    input  logic [         SlotBits-1:0] key_slot,  // slot to load
    input  logic [          KeyBits-1:0] key,  // key
    // a block is at the output; there is no back-pressure
    output logic                         out_valid,
    output logic [128*BlocksPerBeat-1:0] out_block,  // block
    output logic [          TagBits-1:0] out_tag  // tag of the block
);
  localparam int unsigned Stages = SboxStages + LinearStages;
  localparam int unsigned Passes = Nr / Unroll;
  localparam int unsigned PassBits = $clog2(Passes);
  localparam int unsigned Rings = Unroll == Nr ? 1 : Tiles;

  if (KeyBits != 128 && KeyBits != 192 && KeyBits != 256) begin : gen_bad_key_bits
    $error("key_bits must be 128, 192 or 256");
  end
  if (Unroll == 0 || Nr % Unroll != 0) begin : gen_bad_unroll
    $error("unroll must divide the number of rounds");
  end
  if ((Stages == 0 && (Unroll != Nr || KeySlots > 1)) || LinearStages > 4) begin : gen_bad_stages
    $error("sbox_stages + linear_stages must be at least 1, linear_stages at most 4");
  end
  if (KeySlots == 1 || KeySlots > 16 || Tiles == 0 || TagBits == 0) begin : gen_bad_counts
    $error("key_slots must be 2 to 16 (0 for agile keys), tiles and tag_bits at least 1");
  end

  // Zeroize: zeros at the inputs overwrite the loops; the key stores take one address per cycle,
  // in a pipeline each store a cycle after the one before it.
  localparam int unsigned RingPlaces = Unroll * Stages;
  localparam int unsigned StoreWords = KeySlots > 1 ? 2 ** (SlotBits + PassBits) : 0;
  // What enters a pipeline before its slot is zeroized takes a round key with it to the end.
  localparam int unsigned ZeroizeCycles = Passes == 1 && KeySlots > 1 ? RingPlaces + StoreWords + 3
      : (RingPlaces > StoreWords ? RingPlaces : StoreWords) + 2;
  localparam int unsigned ZeroizeBits =
      $clog2(ZeroizeCycles + 1) > 8 ? $clog2(ZeroizeCycles + 1) : 8;
  // The counter counts to all ones; its value has no effect after that. The upper bits step when
  // the lower four wrap, which is known a cycle ahead: one level of logic before every bit.
  localparam int unsigned HighBits = ZeroizeBits - 4;
  localparam logic [HighBits-1:0] HighEnd = '1;
  localparam logic [ZeroizeBits-1:0] Begin = ZeroizeBits'(2 ** ZeroizeBits - 1 - ZeroizeCycles);
  logic [3:0] zeroize_low_q;
  logic [HighBits-1:0] zeroize_high_q;
  logic zeroize_step_q, zeroize_last_q, zeroizing_q, zeroizing;
  always_ff @(posedge clk) begin
    for (int i = 0; i < 4; i++) begin
      zeroize_low_q[i] <= zeroize_low_q[i] ^ &(zeroize_low_q | (4'hf << i));
    end
    for (int i = 0; i < HighBits; i++) begin
      if (zeroize_step_q) begin
        zeroize_high_q[i] <= zeroize_high_q[i] ^ &(zeroize_high_q | (HighEnd << i));
      end
    end
    zeroize_step_q <= zeroize_low_q == 4'he;
    zeroize_last_q <= zeroize_high_q == HighEnd;
    zeroizing_q <= zeroize || (zeroizing_q && !(zeroize_step_q && zeroize_last_q));
    if (zeroize || rst) begin
      {zeroize_high_q, zeroize_low_q} <= Begin;
      zeroize_step_q <= Begin[3:0] == 4'hf;
      zeroize_last_q <= 1'b0;
    end
    if (rst) zeroizing_q <= 1'b0;
  end
  assign zeroizing = zeroize || zeroizing_q;
  // A register drives the tiles' zeroize because of its fan-out. A block that enters in the cycle
  // of `zeroize` is overwritten with the others, and none leaves after it.

  // Key loader.
  logic slot_ready, write_valid;
  logic [3:0] write_round;
  logic [SlotBits-1:0] write_slot;
  logic [127:0] write_key;
  if (KeySlots > 1) begin : gen_stored
    logic [KeySlots-1:0] slot_valid;
    aesforge_key_loader #(
        .KeyBits(KeyBits),
        .SboxStyle(KeySboxStyle),
        .SboxStages(SboxStages),
        .LinearStages(LinearStages),
        .Slots(KeySlots),
        .Latency(Nr * Stages + 1),
        .StoreDelay(Passes == 1 ? 1 : 0)
    ) u_key_loader (
        .clk,
        .rst,
        .zeroize(zeroizing),
        .key_valid,
        .key_ready,
        .key_slot,
        .key,
        .write_valid,
        .write_round,
        .write_slot,
        .write_key,
        .slot_valid
    );
    logic [KeySlots-1:0] ready;
    always_comb begin
      for (int s = 0; s < KeySlots; s++) ready[s] = slot_valid[s] && in_slot == SlotBits'(s);
    end
    assign slot_ready = |ready;
  end else begin : gen_agile
    assign slot_ready = 1'b1;
    assign key_ready = 1'b0;
    assign write_valid = 1'b0;
    assign write_round = '0;
    assign write_slot = '0;
    assign write_key = '0;
    logic unused_ok;
    assign unused_ok = &{1'b0, zeroizing, key_valid, key_slot, key};
  end

  // Tiles. A block goes to the first loop with a free slot. All have the same latency, so at most
  // one block leaves per cycle, in order.
  logic [Rings-1:0] ring_valid_i, ring_ready, ring_valid_o;
  logic [128*BlocksPerBeat-1:0] ring_block[0:Rings-1];
  logic [TagBits-1:0] ring_tag[0:Rings-1];
  for (genvar i = 0; i < Rings; i++) begin : gen_tile
    if (i == 0) begin : gen_first
      assign ring_valid_i[0] = in_valid && slot_ready && !zeroize;
    end else begin : gen_next
      assign ring_valid_i[i] = in_valid && slot_ready && !zeroize && ring_ready[i-1:0] == '0;
    end
    aesforge_tile #(
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
        .DelayStyle(DelayStyle)
    ) u_tile (
        .clk,
        .rst,
        .zeroize(zeroizing_q),
        .zeroize_address({zeroize_high_q[3:0], zeroize_low_q}),
        .in_valid(ring_valid_i[i]),
        .in_ready(ring_ready[i]),
        .in_decrypt,
        .in_slot,
        .in_key,
        .in_block,
        .in_tag,
        .write_valid,
        .write_round,
        .write_slot,
        .write_key,
        .out_valid(ring_valid_o[i]),
        .out_block(ring_block[i]),
        .out_tag(ring_tag[i])
    );
  end

  assign in_ready = slot_ready && !zeroize && ring_ready != '0;
  assign out_valid = !zeroizing_q && ring_valid_o != '0;
  if (Rings == 1) begin : gen_out
    assign out_block = ring_block[0];
    assign out_tag = ring_tag[0];
  end else begin : gen_out
    always_comb begin
      out_block = '0;
      out_tag = '0;
      for (int i = 0; i < Rings; i++) begin
        if (ring_valid_o[i]) begin
          out_block = ring_block[i];
          out_tag = ring_tag[i];
        end
      end
    end
  end
endmodule

`default_nettype wire
