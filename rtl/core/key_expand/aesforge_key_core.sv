// SPDX-License-Identifier: Apache-2.0
// KeyExpansion() (FIPS 197 Sec. 5.2) as a core of its own: all steps unrolled, or one step in a
// loop. Round key r leaves r x (SboxStages + LinearStages) cycles after its key was accepted. One
// key per cycle, or one every (Nr + 1) x (SboxStages + LinearStages) + 1 cycles.
`default_nettype none

module aesforge_key_core #(
    parameter int unsigned KeyBits = 128,  // [128, 192, 256] key size; Nr is 10, 12, 14
    parameter int unsigned Unroll = 10,  // [1 or Nr] steps in hardware
    // [a style] S-boxes of SubWord, see aesforge_sbox
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTower,
    // [0 or more; 1 or more for `bram`] pipeline stages in SubWord
    parameter int unsigned SboxStages = 1,
    // [0 to 4] pipeline stages in the rest of a step; at least 1 in all if `Unroll` is 1
    parameter int unsigned LinearStages = 1,
    parameter int unsigned TagBits = 8,  // [1 or more] bits that travel with a key
    localparam int unsigned Nr = KeyBits / 32 + 6,
    localparam int unsigned Outputs = Unroll == Nr ? Nr + 1 : 1
) (
    input  logic                       clk,  // clock
    input  logic                       rst,  // discards the keys in progress; zeroizes nothing
    input  logic                       zeroize,  // discards and zeroizes the keys in progress
    input  logic                       in_valid,  // a key is present
    output logic                       in_ready,  // it is accepted
    input  logic [        KeyBits-1:0] in_key,  // key
    input  logic [        TagBits-1:0] in_tag,  // travels with the key
    // a round key is at the output; with several outputs, bit r: round key r is
    output logic [        Outputs-1:0] out_valid,
    // number of the round key, 0 to Nr; 0 where each has its own output
    output logic [                3:0] out_round,
    // round key; with several outputs, bits 128 r and up: round key r
    output logic [    128*Outputs-1:0] out_round_keys,
    // tag of the key; with several outputs, bits `TagBits` r and up: tag of round key r
    output logic [TagBits*Outputs-1:0] out_tag
);
  localparam int unsigned Stages = SboxStages + LinearStages;

  if (KeyBits != 128 && KeyBits != 192 && KeyBits != 256) begin : gen_bad_key_bits
    $error("key_bits must be 128, 192 or 256");
  end
  if (Unroll != 1 && Unroll != Nr) begin : gen_bad_unroll
    $error("unroll of a key expansion must be 1 or the number of rounds");
  end
  if ((Stages == 0 && Unroll != Nr) || LinearStages > 4) begin : gen_bad_stages
    $error("sbox_stages + linear_stages must be at least 1, linear_stages at most 4");
  end
  if (TagBits == 0) begin : gen_bad_counts
    $error("tag_bits must be at least 1");
  end

  logic accept;
  assign accept = in_valid && in_ready;

  if (Unroll == Nr) begin : gen_pipeline
    // Every register loads in each cycle: zeros after a key overwrite it.
    assign in_ready = !zeroize;
    aesforge_key_pipeline #(
        .KeyBits(KeyBits),
        .SboxStyle(SboxStyle),
        .SboxStages(SboxStages),
        .LinearStages(LinearStages)
    ) u_key_pipeline (
        .clk,
        .rst,
        .zeroize(zeroize),
        .in_valid(accept),
        .in_key,
        .out_valid,
        .out_round_keys
    );
    assign out_round = '0;

    assign out_tag[TagBits-1:0] = in_tag;
    for (genvar r = 1; r <= Nr; r++) begin : gen_tag
      aesforge_delay #(
          .Width(TagBits),
          .Depth(Stages)
      ) u_tag (
          .clk,
          .rst,
          .d(out_tag[TagBits*(r-1)+:TagBits]),
          .q(out_tag[TagBits*r+:TagBits])
      );
    end
  end else begin : gen_loop
    // An empty loop loads in_key: zeros there zeroize it, stage by stage.
    logic ready, valid;
    assign in_ready  = ready && !zeroize;
    assign out_valid = valid && !zeroize;
    aesforge_key_expand #(
        .KeyBits(KeyBits),
        .SboxStyle(SboxStyle),
        .SboxStages(SboxStages),
        .LinearStages(LinearStages)
    ) u_key_expand (
        .clk,
        .rst,
        .zeroize(zeroize),
        .in_valid,
        .in_ready(ready),
        .in_key,
        .out_valid(valid),
        .out_round,
        .out_round_key(out_round_keys)
    );

    logic [TagBits-1:0] tag_q;
    always_ff @(posedge clk) begin
      if (accept) tag_q <= in_tag;
    end
    assign out_tag = accept ? in_tag : tag_q;
  end
endmodule

`default_nettype wire
