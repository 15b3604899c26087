// SPDX-License-Identifier: Apache-2.0
// The modes of SP 800-38A in which no block waits for the result of another: ECB, CTR, and the
// decryption of CBC and CFB (128 bits). It says what enters the core for each beat and what the
// result is added to. Latency 8 cycles with CTR, 10 for beats of several blocks, else 0; one beat a
// cycle.
`default_nettype none

module aesforge_mode_forward #(
    // [1 to 15] the sum of the modes built in: 1 ECB, 2 CTR, 4 CBC decryption, 8 CFB decryption
    parameter int unsigned Modes = 2,
    parameter int unsigned Blocks = 1,  // [1 or more] blocks of a beat, the first at the top
    // [1 or more] bits that travel with a beat to the core: key or slot, direction
    parameter int unsigned SideBits = 1,
    parameter bit Elastic = 1'b0  // [0, 1] 1: the core has back-pressure
) (
    input  logic                  clk,  // clock
    input  logic                  rst,  // synchronous reset
    input  logic                  zeroize,  // discards the block before, and the counter
    input  logic                  beat_valid,  // a beat is present
    output logic                  beat_ready,  // it is accepted
    input  logic                  beat_first,  // first beat of its packet
    input  logic [128*Blocks-1:0] beat_data,  // its bytes
    // 0 ECB, 1 CTR, 2 CBC, 3 CFB; ignored where only one is built in
    input  logic [           1:0] beat_mode,
    input  logic [         127:0] beat_iv,  // IV or first counter block of its packet
    input  logic [  SideBits-1:0] beat_side,  // passed to the core with it
    output logic [128*Blocks-1:0] beat_xor,  // XORed with its result
    output logic                  core_valid,  // blocks for the core
    input  logic                  core_ready,  // they are accepted (`Elastic` only)
    output logic [128*Blocks-1:0] core_block,  // the blocks
    output logic [  SideBits-1:0] core_side  // `beat_side` of its beat
);
  localparam bit HasCtr = (Modes >> aesforge_pkg::ModeCtr) % 2 == 1;
  localparam bit HasCbc = (Modes >> aesforge_pkg::ModeCbc) % 2 == 1;
  localparam bit HasCfb = (Modes >> aesforge_pkg::ModeCfb) % 2 == 1;
  // With one mode there is nothing to choose, and synthesis sees constants.
  localparam bit Single = (Modes & (Modes - 1)) == 0;

  if (Modes == 0 || Modes > 15) begin : gen_bad_modes
    $error("modes must be a sum of 1 (ECB), 2 (CTR), 4 (CBC decryption) and 8 (CFB decryption)");
  end

  logic ctr, cbc, cfb;
  assign ctr = HasCtr && (Single || beat_mode == 2'(aesforge_pkg::ModeCtr));
  assign cbc = HasCbc && (Single || beat_mode == 2'(aesforge_pkg::ModeCbc));
  assign cfb = HasCfb && (Single || beat_mode == 2'(aesforge_pkg::ModeCfb));

  // The ciphertext blocks before these, of which the first is the last of the beat before, or the
  // IV (SP 800-38A Sec. 6.2 and 6.3).
  logic [127:0] head;
  logic [128*Blocks-1:0] previous;
  if (HasCbc || HasCfb) begin : gen_previous
    logic [127:0] previous_q;
    always_ff @(posedge clk) begin
      if (beat_valid && beat_ready) previous_q <= beat_data[127:0];
      if (zeroize) previous_q <= '0;
    end
    assign head = beat_first ? beat_iv : previous_q;
  end else begin : gen_no_previous
    assign head = beat_iv;
  end
  assign previous = (128 * Blocks)'({head, beat_data} >> 128);

  // CTR starts from the IV: there `head` of the first beat, and of no other beat used.
  logic [128*Blocks-1:0] block;
  assign block = ctr || cfb ? previous : beat_data;
  assign beat_xor = ctr || cfb ? beat_data : cbc ? previous : '0;

  logic ready;
  assign ready = !Elastic || !core_valid || core_ready;
  if (HasCtr) begin : gen_counter
    aesforge_mode_counter #(
        .Blocks(Blocks),
        .SideBits(SideBits)
    ) u_counter (
        .clk,
        .rst,
        .zeroize,
        .step(ready),
        .in_valid(beat_valid),
        .in_load(!ctr || beat_first),
        .in_count(ctr),
        .in_value(block),
        .in_side(beat_side),
        .out_valid(core_valid),
        .out_value(core_block),
        .out_side(core_side)
    );
  end else begin : gen_wire
    assign core_valid = beat_valid;
    assign core_block = block;
    assign core_side = beat_side;
  end
  assign beat_ready = ready;

  logic unused_ok;
  assign unused_ok = &{
    1'b0, clk, rst, zeroize, beat_first, beat_mode, beat_iv, core_ready, cbc
  };
endmodule

`default_nettype wire
