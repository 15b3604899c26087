// SPDX-License-Identifier: Apache-2.0
// Cipher() and InvCipher() (FIPS 197 Sec. 5.1 and 5.3) on a bus of 32 bits (Rahman et al.): Nr
// rounds of 32 bits, unrolled, and one stored key, its round keys in the steps that make them.
// Latency Nr x (SboxStages + LinearStages + that of ShiftRows) + 1; a block every four cycles.
`default_nettype none

module aesforge_serial_cipher #(
    parameter int unsigned KeyBits = 128,  // [128, 192, 256] key size
    // [0, 1, 2] 0 encrypt, 1 decrypt, 2 either, chosen by `in_decrypt`
    parameter int unsigned Direction = aesforge_pkg::Encrypt,
    // [a style] S-boxes of the rounds, see aesforge_sbox
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTable,
    // [a style; not bram without `SboxStages`] S-boxes of the key expansion
    parameter int unsigned KeySboxStyle = aesforge_pkg::SboxTable,
    // [0 or more; 1 or more for `bram`] pipeline stages in SubBytes
    parameter int unsigned SboxStages = 0,
    // [0 to 4] pipeline stages in the rest of a round, see aesforge_serial_round
    parameter int unsigned LinearStages = 1,
    parameter int unsigned MixStyle = aesforge_pkg::MixXtime,  // [0, 1, 2] see aesforge_mix_column
    // [0, 1] see aesforge_shift_rows
    parameter int unsigned ShiftStyle = aesforge_pkg::ShiftRegister
) (
    input  logic               clk,  // clock
    input  logic               rst,  // discards key and blocks; zeroizes nothing
    // overwrites key and blocks; for how long see aesforge_serial
    input  logic               zeroize,
    input  logic               key_valid,  // a key is present; no block is accepted meanwhile
    output logic               key_ready,  // it is accepted: no block is inside
    input  logic [KeyBits-1:0] key,  // key
    input  logic               in_first,  // the first column of a block is present
    // it is accepted; the other three must come in the next three cycles
    output logic               in_ready,
    // with the first column: decrypt the block (`Direction` 2 only, else ignored)
    input  logic               in_decrypt,
    // column: the first four bytes of the block, the first in the top byte, then the next four
    input  logic [       31:0] in_column,
    // the first column of a block is at the output; the others follow in the next three cycles
    output logic               out_first,
    output logic [       31:0] out_column  // column
);
  localparam int unsigned Nr = KeyBits / 32 + 6;
  localparam int unsigned ShiftLatency = ShiftStyle == aesforge_pkg::ShiftRegister ? 5 : 4;
  localparam int unsigned Latency = Nr * (SboxStages + LinearStages + ShiftLatency) + 1;

  // Control. A block's columns are counted; a new key waits until the last one has left.
  localparam int unsigned BusyCycles = Latency + 3;
  localparam int unsigned BusyBits = $clog2(BusyCycles + 1);
  logic begin_block, take_key, held_q, drop_q, idle_q;
  logic [1:0] number_q;
  logic [BusyBits-1:0] busy_q;
  logic [Nr:0] expanded;
  logic ready;

  assign key_ready = idle_q && !zeroize;
  assign take_key = key_valid && key_ready;
  // Rahman et al., Sec. III-E: encryption starts with four round keys computed, decryption with the
  // last one.
  if (Direction == aesforge_pkg::Encrypt) begin : gen_ready
    assign ready = expanded[3];
  end else if (Direction == aesforge_pkg::Decrypt) begin : gen_ready
    assign ready = expanded[Nr];
  end else begin : gen_ready
    assign ready = in_decrypt ? expanded[Nr] : expanded[3];
  end
  assign in_ready = ready && !key_valid && number_q == '0 && !zeroize;
  assign begin_block = in_first && in_ready;

  always_ff @(posedge clk) begin
    if (begin_block || number_q != '0) number_q <= number_q + 1'b1;
    if (begin_block) busy_q <= BusyBits'(BusyCycles);
    else if (!idle_q) busy_q <= busy_q - 1'b1;
    // A register of its own: a comparison would be in the path that enables the key's.
    idle_q <= !begin_block && busy_q[BusyBits-1:1] == '0;
    if (idle_q) drop_q <= 1'b0;
    if (take_key) held_q <= 1'b1;
    if (zeroize) begin
      number_q <= '0;
      busy_q   <= '0;
      idle_q   <= 1'b1;
      held_q   <= 1'b0;
    end
    // Valid bits of blocks that a reset discards travel to the end and are dropped there.
    if (rst) begin
      number_q <= '0;
      busy_q   <= BusyBits'(BusyCycles);
      idle_q   <= 1'b0;
      drop_q   <= 1'b1;
      held_q   <= 1'b0;
    end
  end

  // Key expansion: unrolled steps, each with its round key; valid while the key is at their input.
  // SubWord has as many stages as SubBytes, so that it is never the longer path; then come the new
  // words.
  logic [KeyBits-1:0] key_q;
  logic [128*(Nr+1)-1:0] round_keys;
  always_ff @(posedge clk) begin
    if (take_key) key_q <= key;
    if (zeroize) key_q <= '0;
  end
  aesforge_key_pipeline #(
      .KeyBits(KeyBits),
      .SboxStyle(KeySboxStyle),
      .SboxStages(SboxStages),
      .LinearStages(1),
      .Held(1'b1)
  ) u_key_pipeline (
      .clk,
      .rst,
      .zeroize(zeroize || take_key),
      .in_valid(held_q),
      .in_key(key_q),
      .out_valid(expanded),
      .out_round_keys(round_keys)
  );

  // Entry: the first AddRoundKey, each column's key chosen a cycle ahead.
  logic first_q, decrypt_d, decrypt_q;
  logic [31:0] column_q, first_key_q;
  logic [127:0] first_key;
  assign decrypt_d = number_q == '0 ? in_decrypt : decrypt_q;
  if (Direction == aesforge_pkg::Encrypt) begin : gen_entry
    assign first_key = round_keys[127:0];
  end else if (Direction == aesforge_pkg::Decrypt) begin : gen_entry
    assign first_key = round_keys[128*Nr+:128];
  end else begin : gen_entry
    assign first_key = decrypt_d ? round_keys[128*Nr+:128] : round_keys[127:0];
  end
  always_ff @(posedge clk) begin
    first_q <= begin_block;
    decrypt_q <= decrypt_d;
    column_q <= in_column;
    first_key_q <= first_key[{~number_q, 5'd0}+:32];
    if (zeroize) column_q <= '0;
  end

  // Rounds.
  for (genvar u = 0; u < Nr; u++) begin : gen_round
    logic first_i, first_o, decrypt_i, decrypt_o;
    logic [31:0] column_i, column_o;
    if (u == 0) begin : gen_first
      assign first_i = first_q;
      assign decrypt_i = decrypt_q;
      assign column_i = column_q ^ first_key_q;
    end else begin : gen_next
      assign first_i = gen_round[u-1].first_o;
      assign decrypt_i = gen_round[u-1].decrypt_o;
      assign column_i = gen_round[u-1].column_o;
    end
    aesforge_serial_round #(
        .Direction(Direction),
        .SboxStyle(SboxStyle),
        .SboxStages(SboxStages),
        .LinearStages(LinearStages),
        .MixStyle(MixStyle),
        .ShiftStyle(ShiftStyle),
        .Last(u == Nr - 1)
    ) u_round (
        .clk,
        .zeroize,
        .first_i,
        .decrypt_i,
        .column_i,
        .round_key_pre(round_keys[128*(Nr-1-u)+:128]),
        .round_key_post(round_keys[128*(u+1)+:128]),
        .first_o,
        .decrypt_o,
        .column_o
    );
  end
  assign out_first = gen_round[Nr-1].first_o && !drop_q && !zeroize;
  assign out_column = gen_round[Nr-1].column_o;

  logic unused_ok;
  assign unused_ok = &{1'b0, expanded, gen_round[Nr-1].decrypt_o};
endmodule

`default_nettype wire
