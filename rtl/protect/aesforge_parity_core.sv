// SPDX-License-Identifier: Apache-2.0
// Cipher() of FIPS 197 Sec. 5.1 with a parity bit for each byte of state and key, predicted through
// every round and compared after it: aesforge_core for encryption with agile keys, and an alarm.
// Latency Nr x (SboxStages + LinearStages) + 1; Unroll / Nr blocks per cycle and block of the beat.
`default_nettype none

module aesforge_parity_core #(
    parameter int unsigned KeyBits = 128,  // [128, 192, 256] key size
    parameter int unsigned Unroll = 10,  // [a divisor of Nr] rounds in hardware
    // [a style] S-boxes of the rounds, see aesforge_sbox
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTower,
    // [a style] S-boxes of the key schedule
    parameter int unsigned KeySboxStyle = aesforge_pkg::SboxTower,
    // [0 or more; 1 or more for `bram`] pipeline stages in SubBytes and SubWord
    parameter int unsigned SboxStages = 1,
    // [0 to 4] pipeline stages in the rest of a round; at least 1 in all
    parameter int unsigned LinearStages = 1,
    parameter int unsigned MixStyle = aesforge_pkg::MixXtime,  // [0, 1, 2] see aesforge_mix_column
    // [1 or more; 1 if `Unroll` is less than Nr] blocks in lock step under one key
    parameter int unsigned Tiles = 1,
    parameter int unsigned TagBits = 8,  // [1 or more] bits that travel with a block
    // [0, 1] how delays of tags are built, see aesforge_delay
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
    input  logic                         in_decrypt,  // not used: it encrypts
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
  localparam int unsigned Stages = SboxStages + LinearStages;
  localparam int unsigned Passes = Nr / Unroll;
  localparam int unsigned PassBits = Passes > 1 ? $clog2(Passes) : 1;
  localparam int unsigned Places = Unroll * Stages;
  localparam int unsigned StateStage = LinearStages >= 1 ? 1 : 0;
  localparam int unsigned EntryStage = LinearStages >= 2 ? 1 : 0;
  localparam int unsigned KeyBytes = KeyBits / 8;

  if (KeyBits != 128 && KeyBits != 192 && KeyBits != 256) begin : gen_bad_key_bits
    $error("key_bits must be 128, 192 or 256");
  end
  if (Unroll == 0 || Nr % Unroll != 0 || (Tiles != 1 && Unroll != Nr)) begin : gen_bad_unroll
    $error("unroll must divide the number of rounds, and be that number with more than one tile");
  end
  if (Stages == 0 || LinearStages > 4) begin : gen_bad_stages
    $error("sbox_stages + linear_stages must be at least 1, linear_stages at most 4");
  end

  // Zeroize: the inputs overwrite the ring.
  localparam int unsigned ZeroizeBits = $clog2(Places + 3);
  logic [ZeroizeBits-1:0] zeroize_count_q;
  logic zeroizing_q;
  always_ff @(posedge clk) begin
    zeroizing_q <= zeroize || (zeroizing_q && zeroize_count_q != '0);
    if (zeroize_count_q != '0) zeroize_count_q <= zeroize_count_q - 1'b1;
    if (zeroize) zeroize_count_q <= ZeroizeBits'(Places + 2);
    if (rst) {zeroize_count_q, zeroizing_q} <= '0;
  end

  // The places of the ring, as in aesforge_cipher.
  logic enter, done, done_side, ring_ready, accept;
  logic [Unroll*PassBits-1:0] pass;
  logic [Unroll-1:0] side;
  assign in_ready = ring_ready && !zeroize;
  assign accept = in_valid && in_ready;
  aesforge_sequencer #(
      .Unroll(Unroll),
      .Stages(Stages),
      .Passes(Passes),
      .SideBits(1),
      .SideUsed(1'b0)
  ) u_sequencer (
      .clk,
      .rst,
      .zeroize(zeroizing_q),
      .in_valid(accept),
      .in_ready(ring_ready),
      .in_side(1'b0),
      .enter,
      .pass,
      .side,
      .done,
      .done_side
  );

  // Keys.
  logic [KeyBytes-1:0] in_key_parity;
  logic [KeyBits-1:0] window_entry, window_end;
  logic [KeyBytes-1:0] window_parity_entry, window_parity_end;
  logic [127:0] round_key[0:Unroll-1];
  logic [15:0] round_key_parity[0:Unroll-1];
  logic [Unroll-1:0] key_wrong;
  for (genvar i = 0; i < KeyBytes; i++) begin : gen_key_parity
    assign in_key_parity[i] = ^in_key[8*i+:8];
  end
  assign window_entry = enter ? in_key : window_end;
  assign window_parity_entry = enter ? in_key_parity : window_parity_end;
  for (genvar u = 0; u < Unroll; u++) begin : gen_key_round
    logic [KeyBits-1:0] window_i, window_o;
    logic [KeyBytes-1:0] parity_i, parity_o;
    if (u == 0) begin : gen_first
      assign window_i = window_entry;
      assign parity_i = window_parity_entry;
    end else begin : gen_next
      assign window_i = gen_key_round[u-1].window_o;
      assign parity_i = gen_key_round[u-1].parity_o;
    end
    aesforge_parity_key #(
        .KeyBits(KeyBits),
        .SboxStyle(KeySboxStyle),
        .SboxStages(SboxStages),
        .LinearStages(LinearStages)
    ) u_parity_key (
        .clk,
        .step(4'(Unroll) * 4'(pass[PassBits*u+:PassBits]) + 4'(u + 1)),
        .window_i,
        .parity_i,
        .round_key(round_key[u]),
        .key_parity(round_key_parity[u]),
        .window_o,
        .parity_o,
        .wrong(key_wrong[u])
    );
  end
  assign window_end = gen_key_round[Unroll-1].window_o;
  assign window_parity_end = gen_key_round[Unroll-1].parity_o;

  // State.
  logic [Unroll*BlocksPerBeat-1:0] state_wrong;
  logic [16*BlocksPerBeat-1:0] out_parity_q, out_parity;
  for (genvar block_index = 0; block_index < BlocksPerBeat; block_index++) begin : gen_block
    logic [127:0] state_entry, state_end;
    logic [15:0] in_parity, parity_entry, parity_end;
    for (genvar i = 0; i < 16; i++) begin : gen_parity
      assign in_parity[i] = ^in_block[128*block_index+8*i+:8];
      assign out_parity[16*block_index+i] = ^out_block[128*block_index+8*i+:8];
    end
    assign state_entry =
        enter ? in_block[128*block_index+:128] ^ in_key[KeyBits-1-:128] : state_end;
    assign parity_entry = enter ? in_parity ^ in_key_parity[KeyBytes-1-:16] : parity_end;
    for (genvar u = 0; u < Unroll; u++) begin : gen_round
      logic last;
      logic [127:0] state_i, state_o;
      logic [15:0] parity_i, parity_o;
      if (u == 0) begin : gen_first
        assign state_i = state_entry;
        assign parity_i = parity_entry;
      end else begin : gen_next
        assign state_i = gen_round[u-1].state_o;
        assign parity_i = gen_round[u-1].parity_o;
      end
      if (u < Unroll - 1) begin : gen_last
        assign last = 1'b0;
      end else if (Passes == 1) begin : gen_last
        assign last = 1'b1;
      end else begin : gen_last
        assign last = pass[PassBits*u+:PassBits] == PassBits'(Passes - 1);
      end
      aesforge_parity_round #(
          .SboxStyle(SboxStyle),
          .SboxStages(SboxStages),
          .LinearStages(LinearStages),
          .MixStyle(MixStyle)
      ) u_parity_round (
          .clk,
          .last,
          .state_i,
          .parity_i,
          .round_key(round_key[u]),
          .key_parity(round_key_parity[u]),
          .state_o,
          .parity_o,
          .wrong(state_wrong[Unroll*block_index+u])
      );
    end
    assign state_end = gen_round[Unroll-1].state_o;
    assign parity_end = gen_round[Unroll-1].parity_o;

    always_ff @(posedge clk) begin
      if (Passes == 1 || done) begin
        out_block[128*block_index+:128] <= state_end;
        out_parity_q[16*block_index+:16] <= parity_end;
      end
      if (Passes > 1 && zeroizing_q) begin
        out_block[128*block_index+:128] <= '0;
        out_parity_q[16*block_index+:16] <= '0;
      end
    end
  end

  // A mismatch sets a bit that travels with the block.
  logic wrong_end, wrong_q;
  for (genvar u = 0; u < Unroll; u++) begin : gen_wrong
    logic wrong_i, wrong_1, wrong_state, wrong_o;
    if (u == 0) begin : gen_first
      assign wrong_i = !enter && wrong_end;
    end else begin : gen_next
      assign wrong_i = gen_wrong[u-1].wrong_o;
    end
    aesforge_delay #(
        .Width(1),
        .Depth(StateStage)
    ) u_entry (
        .clk,
        .rst(1'b0),
        .d  (wrong_i || (EntryStage == 0 && key_wrong[u])),
        .q  (wrong_1)
    );
    always_comb begin
      wrong_state = wrong_1 || (EntryStage == 1 && key_wrong[u]);
      for (int block_index = 0; block_index < BlocksPerBeat; block_index++) begin
        if (state_wrong[Unroll*block_index+u]) wrong_state = 1'b1;
      end
    end
    aesforge_delay #(
        .Width(1),
        .Depth(Stages - StateStage)
    ) u_rest (
        .clk,
        .rst(1'b0),
        .d  (wrong_state),
        .q  (wrong_o)
    );
  end
  assign wrong_end = gen_wrong[Unroll-1].wrong_o;

  // Tag and the complement of its parity bit.
  logic [TagBits-1:0] tag, tag_end;
  logic tag_parity, tag_parity_n, tag_parity_q;
  assign tag = enter ? in_tag : tag_end;
  assign tag_parity = enter ? ^in_tag : !tag_parity_n;
  aesforge_delay #(
      .Width(TagBits),
      .Depth(Places),
      .Style(DelayStyle)
  ) u_tag (
      .clk,
      .rst,
      .d(tag),
      .q(tag_end)
  );
  aesforge_delay #(
      .Width(1),
      .Depth(Places)
  ) u_tag_parity (
      .clk,
      .rst,
      .d(!tag_parity),
      .q(tag_parity_n)
  );

  // The accept handshake, delayed by the latency, shows when a block is due, independently of the
  // ring and its zeroization. An empty place holds a one.
  logic [Nr*Stages:0] absent_q;
  logic valid_q, expected;
  always_ff @(posedge clk) begin
    absent_q <= {absent_q[Nr*Stages-1:0], !accept};
    if (rst || zeroize) absent_q <= '1;
    valid_q <= done;
    if (rst || zeroize) valid_q <= 1'b0;
    if (Passes == 1 || done) begin
      out_tag <= tag_end;
      tag_parity_q <= !tag_parity_n;
      wrong_q <= wrong_end;
    end
    if (Passes > 1 && zeroizing_q) wrong_q <= 1'b0;
  end
  assign expected = !absent_q[Nr*Stages];

  // A missing block also raises `out_valid`, with an alarm.
  assign out_valid = valid_q || expected;
  assign alarm = out_valid && (!valid_q || !expected || wrong_q || ^out_tag != tag_parity_q
      || out_parity != out_parity_q);

  assign key_ready = 1'b0;
  logic unused_ok;
  assign unused_ok = &{1'b0, in_slot, in_decrypt, key_valid, key_slot, key, side, done_side};
endmodule

`default_nettype wire
