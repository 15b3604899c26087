// SPDX-License-Identifier: Apache-2.0
// CCM (SP 800-38C) for several streams, each with one beat in flight at most: the blocks that enter
// the core for a beat, and what comes of them. Two calls of the core for a beat of text, for the
// tag, and for associated data whose last bytes need a block of their own; one for other associated
// data. Latency 3 cycles besides the core's, for each call; one block per cycle.
`default_nettype none

module aesforge_mode_ccm #(
    // [1 to 256] streams that may have a packet open: `tid` 0 to `Streams` - 1
    parameter int unsigned Streams = 16,
    // [1 or more] bits that travel with a block to the core: key or slot
    parameter int unsigned WindowBits = 1,
    localparam int unsigned StreamBits = Streams > 1 ? $clog2(Streams) : 1
) (
    input  logic                  clk,  // clock
    input  logic                  rst,  // synchronous reset
    input  logic                  zeroize,  // discards everything within 2^`StreamBits` + 2 cycles
    // the shell may send no beat: a block returns to the core two cycles later
    output logic                  beat_hold,
    // stream of the beat that may be present in the next cycle
    input  logic [StreamBits-1:0] head_stream,
    input  logic                  beat_valid,  // a beat is present
    input  logic [StreamBits-1:0] beat_stream,  // its stream, which has no beat in flight
    input  logic                  beat_first,  // first beat of its packet
    input  logic                  beat_last,  // last beat of its packet: the tag
    input  logic                  beat_aad,  // it is marked as additional authenticated data
    input  logic [          15:0] beat_keep,  // a bit for each byte, bit 0 for byte 0
    input  logic [         127:0] beat_data,  // its bytes, byte 0 at the top
    input  logic                  beat_decrypt,  // 1: decrypt and verify
    // the length of the associated data is 65,280 or more
    input  logic                  beat_long,
    // nonce of its packet, byte 0 at the top, zeros after its end; valid in a first beat
    input  logic [         103:0] beat_nonce,
    input  logic [           3:0] beat_nonce_bytes,  // 7 to 13; valid in a first beat
    input  logic [          31:0] beat_aad_bytes,  // length of the packet's associated data
    input  logic [          31:0] beat_text_bytes,  // length of its text
    input  logic [           4:0] beat_tag_bytes,  // length of its tag: 4, 6, 8, 10, 12, 14, 16
    input  logic [WindowBits-1:0] beat_window,  // passed to the core with each of its blocks
    output logic                  core_valid,  // a block for the core, which always accepts it
    output logic [StreamBits-1:0] core_stream,  // its stream
    output logic [WindowBits-1:0] core_window,  // `beat_window` of its beat
    output logic [         127:0] core_block,  // block
    // the core's result is present; 2 cycles after its beat or later
    input  logic                  out_valid,
    input  logic [StreamBits-1:0] out_stream,  // its stream
    input  logic [         127:0] out_block,  // block
    output logic                  result_valid,  // the beat in flight of a stream is done
    output logic [StreamBits-1:0] result_stream,  // the stream
    // associated data as they are, the other text, the tag; zeros for a tag that was compared
    output logic [         127:0] result_data,
    // the tag is wrong, or the packet is not as long as its context says
    output logic                  result_error
);
  // Zeroization goes over all streams.
  logic [StreamBits-1:0] walk_q;
  always_ff @(posedge clk) begin
    walk_q <= walk_q + 1'b1;
    if (rst) walk_q <= '0;
  end

  // --- For each stream the block of CBC-MAC that is encrypted next: X XOR B of Sec. 6.1, so that
  // each beat begins with a call for the block before it; that of a first beat is B0.
  logic next_valid_q;
  logic [StreamBits-1:0] next_stream_q;
  logic [127:0] mac_q, chain_q;
  logic [127:0] chains[0:Streams-1];
  always_ff @(posedge clk) begin
    chain_q <= chains[head_stream];
    if (zeroize || next_valid_q) chains[zeroize?walk_q : next_stream_q] <= mac_q;
    if (zeroize) chain_q <= '0;
  end

  // Appendix A.2.1. The nonce is shorter than its field by as much as Q is longer.
  logic [2:0] tag_code, count_code;
  logic [127:0] first_block;
  assign tag_code = 3'(beat_tag_bytes >> 1) - 3'd1;
  assign count_code = 3'(4'd14 - beat_nonce_bytes);
  assign first_block = {
    1'b0,
    beat_aad_bytes != '0,
    tag_code,
    count_code,
    {beat_nonce, 16'h0} | {88'h0, beat_text_bytes}
  };

  // --- Associated data begin with their length (Appendix A.2.2), in 2 or 6 bytes: each beat's last
  // bytes go to the next block.
  logic [127:0] kept, shifted;
  logic [47:0] carry_in, carry_out, tail_q;
  always_comb begin
    for (int i = 0; i < 16; i++) begin
      kept[127-8*i-:8] = beat_keep[i] ? beat_data[127-8*i-:8] : 8'h00;
    end
  end
  assign carry_in = !beat_first ? tail_q : beat_long ? {16'hfffe, beat_aad_bytes}
      : {beat_aad_bytes[15:0], 32'h0};
  assign shifted = !beat_aad ? kept : beat_long ? {carry_in, kept[127:48]}
      : {carry_in[47:32], kept[127:16]};
  assign carry_out = beat_long ? kept[47:0] : {kept[15:0], 32'h0};

  // Bytes of the beat, less one.
  logic [3:0] bytes;
  always_comb begin
    bytes = '0;
    for (int i = 1; i < 16; i++) if (beat_keep[i]) bytes = 4'(i);
  end

  // --- To the core; what comes back for a second call goes before new beats.
  localparam int unsigned InfoBits = 7 + 4;
  logic again_q;
  logic [InfoBits-1:0] again_info, core_info;
  logic [WindowBits-1:0] again_window;
  logic [127:0] next_q, wait_q;
  logic [47:0] carry_q;
  logic [106:0] nonce_q;
  logic first_q;
  always_ff @(posedge clk) begin
    core_valid <= beat_valid || again_q;
    core_stream <= again_q ? next_stream_q : beat_stream;
    core_window <= again_q ? again_window : beat_window;
    core_block <= again_q ? next_q : beat_first ? first_block : chain_q;
    core_info <= again_q ? again_info : {
      // the second call; the associated data do not fit into the block
      {1'b0, beat_long ? beat_keep[10] : beat_keep[14]},
      {beat_aad, beat_last, beat_decrypt, beat_first, beat_long},
      bytes
    };
    {wait_q, carry_q} <= {shifted, carry_out};
    {nonce_q, first_q} <= {count_code, beat_nonce, beat_first && !again_q};
    if (zeroize) begin
      core_window <= '0;
      core_block <= '0;
      wait_q <= '0;
      carry_q <= '0;
      nonce_q <= '0;
    end
    if (rst || zeroize) core_valid <= 1'b0;
  end

  // --- Beside the core, for each stream; read when its block comes back. The second call finds
  // what the first one left.
  logic [StreamBits-1:0] write_stream;
  logic write, write_beat;
  logic [InfoBits-1:0] infos[0:Streams-1];
  logic [WindowBits-1:0] windows[0:Streams-1];
  logic [127:0] waits[0:Streams-1];
  logic [47:0] tails[0:Streams-1];
  logic [106:0] nonces[0:Streams-1];
  logic [27:0] counts[0:Streams-1];
  assign write = zeroize || core_valid;
  assign write_beat = zeroize || (core_valid && !core_info[InfoBits-1]);
  assign write_stream = zeroize ? walk_q : core_stream;
  logic back_q;
  logic [StreamBits-1:0] back_stream_q;
  logic [InfoBits-1:0] back_info_q;
  logic [WindowBits-1:0] window_q, again_window_q;
  logic [InfoBits-1:0] again_info_q;
  logic [127:0] back_block, back_wait, back_chain;
  logic [47:0] back_tail;
  logic [106:0] back_nonce;
  logic [27:0] back_count, count, count_d, count_q;
  always_ff @(posedge clk) begin
    if (write) infos[write_stream] <= core_info;
    if (write) windows[write_stream] <= core_window;
    if (write_beat) waits[write_stream] <= wait_q;
    if (write_beat) tails[write_stream] <= carry_q;
    if (zeroize || (core_valid && first_q)) nonces[write_stream] <= nonce_q;
    if (next_valid_q) counts[next_stream_q] <= count_q;
    tail_q <= tails[head_stream];
    back_q <= out_valid;
    back_stream_q <= out_stream;
    back_info_q <= infos[out_stream];
    window_q <= windows[out_stream];
    back_wait <= waits[out_stream];
    back_tail <= tails[out_stream];
    back_nonce <= nonces[out_stream];
    back_count <= counts[out_stream];
    back_chain <= chains[out_stream];
    back_block <= out_block;
    if (zeroize) begin
      tail_q <= '0;
      window_q <= '0;
      back_wait <= '0;
      back_tail <= '0;
      back_nonce <= '0;
      back_chain <= '0;
      back_block <= '0;
    end
    if (rst || zeroize) back_q <= 1'b0;
  end

  // The lengths, whose check has the time of a call.
  logic look_end, look_error;
  aesforge_length_check #(
      .Streams(Streams)
  ) u_lengths (
      .clk,
      .head_stream,
      .beat_valid,
      .beat_stream,
      .beat_first,
      .beat_last,
      .beat_aad,
      .beat_keep,
      .beat_aad_bytes,
      .beat_text_bytes,
      .beat_tag_bytes,
      .look_stream(out_stream),
      .look_end,
      .look_error
  );

  // --- What comes of a block.
  logic second, over, aad, tag, decrypt, first, long, more;
  logic [3:0] last_byte;
  assign {second, over, aad, tag, decrypt, first, long, last_byte} = back_info_q;
  assign more = !second && (!aad || (over && look_end));
  assign beat_hold = back_q && more;
  assign again_window = again_window_q;
  assign again_info = again_info_q;

  // Counter blocks (Appendix A.3): 0 for the tag, from 1 on for the text.
  logic [127:0] counter_block;
  assign count = first && !second ? 28'd1 : back_count;
  assign count_d = count + 28'(!second && !aad && !tag);
  assign counter_block = {
    5'h0, back_nonce[106:104], {back_nonce[103:0], 16'h0} | {92'h0, tag ? 28'd0 : count}
  };

  logic [127:0] key_stream, sum, mac, data;
  always_comb begin
    for (int i = 0; i < 16; i++) begin
      key_stream[127-8*i-:8] = 4'(i) <= last_byte ? back_block[127-8*i-:8] : 8'h00;
    end
  end
  // The other text; with the tag, the received one and the keystream.
  assign sum = back_wait ^ key_stream;
  // After the first call X, with associated data XORed with their block; after the second with the
  // plaintext, or with the rest of the associated data.
  assign mac = aad ? back_block ^ (second ? {back_tail, 80'h0} : back_wait)
      : second ? back_chain ^ (decrypt ? sum : back_wait) : back_block;
  assign data = aad ? (long ? {back_wait[79:0], back_tail} : {back_wait[111:0], back_tail[47:32]})
      : sum;

  // The tag is X XOR S0 (Sec. 6.1, step 8). All bits of it decide at once.
  logic compare_q, wrong_q;
  logic [127:0] tag_made;
  logic [15:0] differs, differs_q;
  assign tag_made = back_chain ^ back_block;
  always_comb begin
    for (int i = 0; i < 16; i++) begin
      differs[i] = 4'(i) <= last_byte && tag_made[127-8*i-:8] != back_wait[127-8*i-:8];
    end
  end

  always_ff @(posedge clk) begin
    next_valid_q <= back_q;
    next_stream_q <= back_stream_q;
    result_valid <= back_q && !more;
    result_data <= !tag ? data : decrypt ? '0 : tag_made;
    compare_q <= tag && decrypt;
    differs_q <= differs;
    wrong_q <= look_error;
    mac_q <= mac;
    next_q <= aad ? mac : counter_block;
    count_q <= count_d;
    again_q <= beat_hold;
    again_info_q <= {1'b1, back_info_q[InfoBits-2:0]};
    again_window_q <= window_q;
    if (zeroize) begin
      result_data <= '0;
      mac_q <= '0;
      next_q <= '0;
      again_window_q <= '0;
    end
    if (rst || zeroize) {next_valid_q, result_valid, again_q} <= '0;
  end
  assign result_stream = next_stream_q;
  assign result_error  = wrong_q || (compare_q && differs_q != '0);
endmodule

`default_nettype wire
