// SPDX-License-Identifier: Apache-2.0
// The tweaks of XTS (IEEE Std 1619): encrypts the number of each data unit before its beats come. A
// context serves one unit, or several with numbers in sequence. Latency that of the core of tweaks
// + 9; one unit per 9 cycles under one context, one context per 3, or as that core takes blocks.
`default_nettype none

module aesforge_xts_tweak #(
    parameter int unsigned Slots = 2,  // [2 to 16] key slots
    parameter int unsigned Depth = 16,  // [a power of two from 8 on] tweaks that may be inside
    parameter int unsigned Style = aesforge_pkg::QueueBlock,  // [0, 1] see aesforge_queue_ram
    localparam int unsigned SlotBits = $clog2(Slots),
    localparam int unsigned HeaderBits = SlotBits + 2
) (
    input  logic                  clk,  // clock
    input  logic                  rst,  // synchronous reset
    // high for at least `Depth` + 6 cycles: discards everything, see aesforge_context_cipher
    input  logic                  zeroize,
    input  logic                  s_valid,  // a context is present
    output logic                  s_ready,  // it is accepted
    input  logic [  SlotBits-1:0] s_slot,  // slot of its keys
    input  logic                  s_decrypt,  // 1: its units are decrypted
    input  logic [         127:0] s_number,  // number of its first data unit
    input  logic [          15:0] s_more,  // data units after that one
    output logic                  next_valid,  // a data unit waits for its tweak
    output logic [  SlotBits-1:0] next_slot,  // slot of its keys
    // they are not ready yet; once low, it stays low until the unit begins
    input  logic                  next_stall,
    input  logic                  next_unknown,  // they have never been loaded
    output logic                  begin_valid,  // the unit takes them
    output logic                  core_valid,  // a number for the core, byte 0 at the top
    input  logic                  core_ready,  // it is accepted
    output logic [         127:0] core_block,  // the number
    output logic [  SlotBits-1:0] core_slot,  // slot of its keys
    input  logic                  out_valid,  // its tweak is present
    input  logic [         127:0] out_block,  // the tweak
    output logic                  m_valid,  // the context of a data unit
    input  logic                  m_ready,  // it is accepted
    // slot, direction, and at the bottom that it is an error: the slot has no keys
    output logic [HeaderBits-1:0] m_header,
    output logic [         127:0] m_tweak  // tweak of its first block
);
  // The number counts 16 bits per cycle, and moves round by as many.
  logic counting, decrypt_q, follows_q, core_decrypt;
  logic [15:0] more_q;
  logic [127:0] number_q;
  logic [3:0] words_q;
  logic carry_q;
  logic [16:0] sum;
  assign counting = words_q != '0;
  assign sum = {1'b0, number_q[15:0]} + 17'(carry_q);
  // A unit waits from the next cycle on. The ready is a flip-flop: it goes a long way. A unit
  // begins two cycles after its context or later: whether one follows it is known by then.
  logic waits;
  always_comb begin
    waits = next_valid;
    if (begin_valid) waits = follows_q;
    if (s_ready) waits = s_valid;
    if (rst || zeroize) waits = 1'b0;
  end
  always_ff @(posedge clk) begin
    follows_q <= more_q != '0;
    next_valid <= waits;
    s_ready <= rst || !(waits || zeroize);
    if (counting) begin
      number_q <= {sum[15:0], number_q[127:16]};
      carry_q  <= sum[16];
      words_q  <= words_q - 1'b1;
    end
    if (begin_valid) begin
      more_q <= more_q - 1'b1;
      carry_q <= 1'b1;
      words_q <= 4'd8;
    end
    if (s_ready) begin
      {next_slot, decrypt_q, number_q, more_q} <= {s_slot, s_decrypt, s_number, s_more};
      words_q <= '0;
    end
    if (zeroize) number_q <= '0;
    if (rst || zeroize) words_q <= '0;
  end

  aesforge_context_cipher #(
      .HeaderBits(SlotBits + 1),
      .Depth(Depth),
      .Style(Style)
  ) u_cipher (
      .clk,
      .rst,
      .zeroize,
      .s_valid(next_valid && words_q[3:1] == '0),
      .s_stall(next_stall),
      .s_error(next_unknown),
      .s_ready(begin_valid),
      .s_header({next_slot, decrypt_q}),
      .s_block(128'(aesforge_pkg::byte_swap(256'(number_q), 16))),
      .core_valid,
      .core_ready,
      .core_block,
      .core_header({core_slot, core_decrypt}),
      .out_valid,
      .out_block,
      .m_valid,
      .m_ready,
      .m_header(m_header[HeaderBits-1:1]),
      .m_error(m_header[0]),
      .m_block(m_tweak)
  );

  logic unused_ok;
  assign unused_ok = &{1'b0, core_decrypt};
endmodule

`default_nettype wire
