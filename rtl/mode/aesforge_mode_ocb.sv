// SPDX-License-Identifier: Apache-2.0
// OCB (RFC 7253) between the beats and a core of constant latency: offsets, the checksum, and the
// sum over associated data. A tag to compare enters the core when the text before it is known.
// Latency 1 cycle and, with `Decrypts`, `Latency` + 2 more than the core; one beat per cycle.
`default_nettype none

module aesforge_mode_ocb #(
    parameter bit Decrypts = 1'b1,  // [0, 1] 1: packets may be decrypted
    parameter int unsigned SideBits = 1,  // [1 or more] bits that travel with a beat to the core
    parameter int unsigned Latency = 21,  // [4 or more] of the core, in cycles
    // [0, 1] memory of the delays, see aesforge_queue_ram
    parameter int unsigned Style = aesforge_pkg::QueueBlock
) (
    input  logic                clk,  // clock
    input  logic                rst,  // synchronous reset
    // high for at least 2 x `Latency` + 8 cycles: discards the blocks; zeros of the core overwrite
    // them
    input  logic                zeroize,
    input  logic                beat_valid,  // a beat is present
    output logic                beat_ready,  // it is accepted
    input  logic                beat_block,  // it has no error
    input  logic                beat_aad,  // it is associated data
    input  logic                beat_last,  // it is the tag, and ends its packet
    input  logic                beat_start,  // first beat of its section, or a tag without text
    input  logic [        15:0] beat_keep,  // a bit for each byte, bit 0 for byte 0
    input  logic [       127:0] beat_data,  // its bytes, byte 0 at the top
    input  logic                beat_decrypt,  // 1: its packet is decrypted
    input  logic [       127:0] beat_offset,  // the offset before the text
    input  logic [       127:0] beat_word,  // the word of the table L that its offset takes
    input  logic [SideBits-1:0] beat_side,  // passed to the core with it
    output logic [       127:0] beat_xor,  // XORed with its result
    output logic                core_valid,  // a block for the core, which always accepts it
    output logic                core_decrypt,  // 1: decrypt it
    output logic [       127:0] core_block,  // block
    output logic [SideBits-1:0] core_side,  // `beat_side` of its beat
    input  logic [       127:0] out_block,  // the core's output, `Latency` cycles later
    output logic                result_valid,  // result of the oldest beat that has none
    output logic [       127:0] result  // the result
);
  logic take, full, text, decrypt;
  assign take = beat_valid && beat_ready;
  assign full = beat_keep[15];
  assign text = !beat_aad && !beat_last;
  assign decrypt = Decrypts && beat_decrypt;

  // A one and zeros after part of a block (Sec. 4.1).
  logic [127:0] padded;
  always_comb begin
    for (int i = 0; i < 16; i++) begin
      padded[127-8*i-:8] = beat_keep[i] ? beat_data[127-8*i-:8] : 8'h00;
      if (!beat_keep[i] && (i == 0 || beat_keep[i>0?i-1 : 0])) padded[127-8*i-:8] = 8'h80;
    end
  end

  // Offsets. The checksum is over the plaintext; when decrypting, it is over what the core does not
  // give of that: the offsets, and the bytes of the last part.
  logic [127:0] offset, offset_q, checksum_q;
  assign offset = (beat_start ? (beat_aad ? '0 : beat_offset) : offset_q) ^ beat_word;
  always_ff @(posedge clk) begin
    if (take) begin
      offset_q <= offset;
      if (beat_last) checksum_q <= '0;
      else if (text) checksum_q <= checksum_q ^ (decrypt && full ? offset : padded);
    end
    if (zeroize) offset_q <= '0;
    if (rst || zeroize) checksum_q <= '0;
  end

  // Associated data leave as they are, with a result of zeros; part of a block is added to the
  // encrypted offset; a tag that was received, to the one that is computed.
  always_comb begin
    beat_xor = offset;
    if (beat_last) beat_xor = decrypt ? beat_data : '0;
    else if (beat_aad || !full) beat_xor = beat_data;
  end

  logic [127:0] block;
  always_comb begin
    block = padded ^ offset;
    if (beat_last) block = checksum_q ^ offset;
    else if (text && !full) block = offset;
  end

  // Beside the core: what a result is.
  logic again_valid_q, wait_q;
  logic [127:0] again_block_q;
  logic [SideBits-1:0] again_side_q;
  logic result_q, aad_q, tag_q;
  assign beat_ready = !again_valid_q;
  always_ff @(posedge clk) begin
    core_valid <= again_valid_q || (beat_valid && beat_block && !(decrypt && beat_last));
    core_decrypt <= !again_valid_q && decrypt && text && full;
    core_block <= again_valid_q ? again_block_q : block;
    core_side <= again_valid_q ? again_side_q : beat_side;
    result_q <= take;
    {aad_q, tag_q} <= {beat_aad, beat_last};
    wait_q <= take && decrypt && beat_last;
    if (zeroize) core_block <= '0;
    if (rst || zeroize) {core_valid, result_q, wait_q} <= '0;
  end
  logic [Latency-1:0] results_q, aads_q, tags_q;
  always_ff @(posedge clk) begin
    results_q <= Latency'({results_q, result_q});
    aads_q <= Latency'({aads_q, aad_q});
    tags_q <= Latency'({tags_q, tag_q});
    if (rst || zeroize) results_q <= '0;
  end

  // The results in order.
  logic ready_valid, ready_aad, ready_tag;
  logic [127:0] ready_block, sum_q;
  if (Decrypts) begin : gen_decrypts
    // The checksum of the decrypted text: of what was known before it, and of the results.
    logic text_q, again_q;
    logic [127:0] known_q, known, sum, text_sum_q;
    logic [15:0] keep_q, keep;
    logic [SideBits-1:0] side;
    logic [Latency-1:0] texts_q, waits_q, agains_q;
    always_ff @(posedge clk) begin
      text_q  <= take && text;
      known_q <= checksum_q ^ offset;
      keep_q  <= beat_keep;
      again_q <= again_valid_q;
      if (zeroize) known_q <= '0;
      if (rst || zeroize) {text_q, again_q} <= '0;
    end
    aesforge_long_delay #(
        .Width(128 + 16 + SideBits),
        .Depth(Latency),
        .Style(Style)
    ) u_known (
        .clk,
        .rst,
        .d({known_q, keep_q, core_side}),
        .q({known, keep, side})
    );
    always_comb begin
      for (int i = 0; i < 16; i++) sum[127-8*i-:8] = keep[i] ? out_block[127-8*i-:8] : 8'h00;
    end
    always_ff @(posedge clk) begin
      texts_q  <= Latency'({texts_q, text_q});
      waits_q  <= Latency'({waits_q, wait_q});
      agains_q <= Latency'({agains_q, again_q});
      if (results_q[Latency-1] && tags_q[Latency-1]) text_sum_q <= '0;
      else if (texts_q[Latency-1]) text_sum_q <= text_sum_q ^ sum;
      again_valid_q <= waits_q[Latency-1];
      again_block_q <= known ^ text_sum_q;
      again_side_q  <= side;
      if (zeroize) again_block_q <= '0;
      if (rst || zeroize) begin
        text_sum_q <= '0;
        {texts_q, waits_q, agains_q, again_valid_q} <= '0;
      end
    end

    // Results wait until the tag of their packet could have come, which takes the place of what was
    // in the core for it.
    localparam int unsigned Wait = Latency + 2;
    logic [Wait-1:0] valids_q, wait_aads_q, wait_tags_q;
    logic [127:0] waited;
    aesforge_long_delay #(
        .Width(128),
        .Depth(Wait),
        .Style(Style)
    ) u_results (
        .clk,
        .rst,
        .d(out_block),
        .q(waited)
    );
    always_ff @(posedge clk) begin
      valids_q <= Wait'({valids_q, results_q[Latency-1]});
      wait_aads_q <= Wait'({wait_aads_q, aads_q[Latency-1]});
      wait_tags_q <= Wait'({wait_tags_q, tags_q[Latency-1]});
      if (rst || zeroize) valids_q <= '0;
    end
    assign ready_valid = valids_q[Wait-1];
    assign ready_aad = wait_aads_q[Wait-1];
    assign ready_tag = wait_tags_q[Wait-1];
    assign ready_block = agains_q[Latency-1] ? out_block : waited;
  end else begin : gen_encrypts
    assign again_valid_q = 1'b0;
    assign again_block_q = '0;
    assign again_side_q = '0;
    assign ready_valid = results_q[Latency-1];
    assign ready_aad = aads_q[Latency-1];
    assign ready_tag = tags_q[Latency-1];
    assign ready_block = out_block;
    logic unused_ok;
    assign unused_ok = &{1'b0, wait_q};
  end

  // The sum over associated data (Sec. 4.1), which the tag takes.
  always_ff @(posedge clk) begin
    if (ready_valid && ready_tag) sum_q <= '0;
    else if (ready_valid && ready_aad) sum_q <= sum_q ^ ready_block;
    if (rst || zeroize) sum_q <= '0;
  end
  assign result_valid = ready_valid;
  assign result = ready_aad ? '0 : ready_tag ? ready_block ^ sum_q : ready_block;
endmodule

`default_nettype wire
