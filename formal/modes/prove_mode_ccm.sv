// SPDX-License-Identifier: Apache-2.0
// aesforge_mode_ccm between packets of several streams and a core that gives any results, each
// after any time: what the core is given and what leaves for each beat of one stream, any of them,
// is CCM (SP 800-38C) of its packet, whatever the others do.
`default_nettype none

module prove_mode_ccm #(
    parameter int unsigned Streams = 2,
    // 1: also that from which all this follows; without, only what the outside sees
    parameter bit Steps = 1'b1,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0,
    localparam int unsigned StreamBits = Streams > 1 ? $clog2(Streams) : 1
) (
    input logic                  clk,
    input logic                  rst,
    // the stream that is followed
    input logic [StreamBits-1:0] some_stream,
    input logic [StreamBits-1:0] head_stream,
    input logic                  beat_valid,
    input logic [StreamBits-1:0] beat_stream,
    input logic                  beat_first,
    input logic                  beat_last,
    input logic                  beat_aad,
    input logic [          15:0] beat_keep,
    input logic [         127:0] beat_data,
    input logic                  beat_decrypt,
    input logic                  beat_long,
    input logic [         103:0] beat_nonce,
    input logic [           3:0] beat_nonce_bytes,
    input logic [          31:0] beat_aad_bytes,
    input logic [          31:0] beat_text_bytes,
    input logic [           4:0] beat_tag_bytes,
    input logic [           1:0] beat_window,
    input logic                  out_valid,
    input logic [StreamBits-1:0] out_stream,
    input logic [         127:0] out_block
);
  logic beat_hold, core_valid, result_valid, result_error;
  logic [StreamBits-1:0] core_stream, result_stream;
  logic [1:0] core_window;
  logic [127:0] core_block, result_data;
  aesforge_mode_ccm #(
      .Streams(Streams),
      .WindowBits(2)
  ) u_mode (
      .clk,
      .rst,
      .zeroize(1'b0),
      .beat_hold,
      .head_stream,
      .beat_valid,
      .beat_stream,
      .beat_first,
      .beat_last,
      .beat_aad,
      .beat_keep,
      .beat_data,
      .beat_decrypt,
      .beat_long,
      .beat_nonce,
      .beat_nonce_bytes,
      .beat_aad_bytes,
      .beat_text_bytes,
      .beat_tag_bytes,
      .beat_window,
      .core_valid,
      .core_stream,
      .core_window,
      .core_block,
      .out_valid,
      .out_stream,
      .out_block,
      .result_valid,
      .result_stream,
      .result_data,
      .result_error
  );

  function automatic logic [127:0] kept(input logic [15:0] keep, input logic [127:0] data);
    for (int i = 0; i < 16; i++) kept[127-8*i-:8] = keep[i] ? data[127-8*i-:8] : 8'h00;
  endfunction
  // Bytes up to the last one that is kept.
  function automatic logic [4:0] bytes_of(input logic [15:0] keep);
    bytes_of = '0;
    for (int i = 0; i < 16; i++) if (keep[i]) bytes_of = 5'(i + 1);
  endfunction
  // The first ones of 16 bytes.
  function automatic logic [15:0] first_bytes(input logic [4:0] count);
    for (int i = 0; i < 16; i++) first_bytes[i] = 5'(i) < count;
  endfunction
  // Flags, the nonce, and a number in the bytes that it leaves (Appendix A.2.1 and A.3).
  function automatic logic [127:0] formatted(input logic [4:0] flags, input logic [103:0] nonce,
                                             input logic [3:0] bytes, input logic [31:0] number);
    formatted = {flags, 3'(4'd14 - bytes), 120'h0};
    for (int i = 1; i < 16; i++) begin
      if (4'(i) <= bytes) formatted[127-8*i-:8] = i < 14 ? nonce[8*(13-(i<14?i : 1))+:8] : 8'h00;
      else if (i >= 12) formatted[127-8*i-:8] = number[8*(15-(i>=12?i : 15))+:8];
    end
  endfunction

  // The packet of the stream: what its context says, and how much of its section is left.
  wire take = beat_valid && beat_stream == some_stream;
  logic fresh = 1'b1, in_aad, bad, decrypt, long;
  logic [103:0] nonce;
  logic [3:0] nonce_bytes;
  logic [31:0] aad_bytes, text_bytes, left;
  logic [4:0] tag_bytes;
  logic [1:0] window;
  wire [31:0] due = !beat_first ? left : beat_aad_bytes != '0 ? beat_aad_bytes : beat_text_bytes;
  wire due_aad = beat_first ? beat_aad_bytes != '0 : in_aad;
  wire due_tag = due == '0;
  wire ends = !due_tag && due <= 32'd16;
  wire [4:0] size = due_tag ? beat_tag_bytes : due < 32'd16 ? due[4:0] : 5'd16;
  wire bad_d = (bad && !beat_first) || beat_aad != due_aad || beat_last != due_tag
      || beat_keep != first_bytes(size);

  // Associated data begin with their length (Appendix A.2.2): the bytes that come before those of
  // the beat, its block, and what is left for the next.
  logic [47:0] rest;
  wire [47:0] earlier = !beat_first ? rest : beat_long ? {16'hfffe, beat_aad_bytes}
      : {32'h0, beat_aad_bytes[15:0]};
  wire [175:0] joined = {earlier, kept(beat_keep, beat_data)};
  wire [127:0] block_d = !beat_aad ? joined[127:0] : beat_long ? joined[175:48] : joined[143:16];
  wire [47:0] rest_d = beat_long ? joined[47:0] : {32'h0, joined[15:0]};
  wire over = beat_keep[beat_long?10 : 14];

  // The beat: its block is given to the core, is there, and comes back, for its first call and for
  // its second one; then it is done.
  localparam int unsigned Idle = 0, Given = 1, There = 2, Back = 3, Again = 4, GivenAgain = 5,
      ThereAgain = 6, BackAgain = 7, Done = 8, Rest = 9;
  logic [3:0] phase = Idle;
  logic late, first, last, aad, twice, end_q;
  logic [15:0] keep;
  logic [127:0] data, block, argument, chain, once, again;
  logic [27:0] number;
  wire mine = out_valid && out_stream == some_stream;
  wire text = !aad && !last;
  // The number of the counter block of the next beat of text.
  wire [27:0] next_number = number + 28'(text);
  // After the first call, and at the end: what the next beat begins with.
  wire [127:0] halfway = aad ? once ^ block : once;
  wire [127:0] other = data ^ kept(first_bytes(bytes_of(keep)), again);
  wire [127:0] chain_d = !aad ? once ^ (decrypt ? other : data)
      : !twice ? halfway : again ^ (long ? {rest, 80'h0} : {rest[15:0], 112'h0});
  wire [127:0] made = once ^ again;

  logic begun = 1'b0, hold_q = 1'b0, seen_over = 1'b0, seen_text = 1'b0;
  logic [StreamBits-1:0] head_q, some_q;
  always_ff @(posedge clk) begin
    begun <= 1'b1;
    {head_q, some_q, hold_q} <= {head_stream, some_stream, beat_hold && !rst};
    late <= phase == There;
    if (take) begin
      if (beat_first) begin
        {decrypt, long, nonce, nonce_bytes} <=
            {beat_decrypt, beat_long, beat_nonce, beat_nonce_bytes};
        {aad_bytes, text_bytes, tag_bytes, window} <=
            {beat_aad_bytes, beat_text_bytes, beat_tag_bytes, beat_window};
      end
      fresh <= beat_last;
      in_aad <= due_aad && !ends;
      left <= due_tag ? '0 : !ends ? due - 32'd16 : due_aad ? beat_text_bytes : '0;
      {bad, end_q} <= {bad_d, ends};
      {first, last, aad, keep} <= {beat_first, beat_last, beat_aad, beat_keep};
      {data, block, rest} <= {kept(beat_keep, beat_data), block_d, rest_d};
      twice <= !beat_aad || (over && ends);
      argument <= beat_first ? formatted(
          {1'b0, beat_aad_bytes != '0, 3'((beat_tag_bytes - 5'd2) >> 1)},
          beat_nonce,
          beat_nonce_bytes,
          beat_text_bytes
      ) : chain;
      number <= beat_first ? 28'd1 : next_number;
    end
    if (phase == There && mine) once <= out_block;
    if (phase == ThereAgain && mine) again <= out_block;
    if (phase == Done || (phase == Again && !twice)) chain <= chain_d;
    case (phase)
      Idle: phase <= take ? Given : Idle;
      There: phase <= mine ? Back : There;
      Again: phase <= twice ? GivenAgain : Rest;
      ThereAgain: phase <= mine ? BackAgain : ThereAgain;
      Rest: phase <= Idle;
      default: phase <= phase + 4'd1;
    endcase
    if (phase == Done && aad) seen_over <= 1'b1;
    if (phase == Done && text) seen_text <= 1'b1;
    if (rst) begin
      phase <= Idle;
      fresh <= 1'b1;
    end
  end

  // Registers of the module, connected by the script; the last stream first.
  (* keep *) logic [Streams*128-1:0] chains, waits;
  (* keep *) logic [Streams*11-1:0] infos;
  (* keep *) logic [Streams*2-1:0] windows, verdicts;
  (* keep *) logic [Streams*48-1:0] tails;
  (* keep *) logic [Streams*107-1:0] nonces;
  (* keep *) logic [Streams*28-1:0] counts;
  (* keep *) logic [Streams*34-1:0] states;
  wire [10:0] info = {
    phase == ThereAgain, keep[long?10 : 14], aad, last, decrypt, first, long,
    4'(bytes_of(keep) - 5'd1)
  };
  wire there = phase == There || phase == ThereAgain;
  wire still = phase == Idle || phase == Rest;

  always_comb begin
    assume (begun || rst);
    if (begun) assume (some_stream == some_q);
    assume (some_stream < Streams && beat_stream < Streams && out_stream < Streams);
    // The shell and the core, for any stream.
    if (beat_valid) assume (!hold_q && beat_stream == head_q);
    // Those of the stream that is followed: one beat at a time, as its packet has them. Of a packet
    // with an error the last beats may not come.
    if (take) begin
      assume (phase == Idle && (beat_first || !fresh));
      assume (beat_keep[0]);
      assume (beat_long == (beat_aad_bytes >= 32'd65280));
      assume (!beat_tag_bytes[0] && beat_tag_bytes >= 5'd4 && beat_tag_bytes <= 5'd16);
      if (beat_first) begin
        assume (beat_nonce_bytes >= 4'd7 && beat_nonce_bytes <= 4'd13);
        for (int i = 7; i < 13; i++) begin
          if (4'(i) >= beat_nonce_bytes) assume (beat_nonce[8*(12-i)+:8] == '0);
        end
        // The text has a length that is in the bytes for it.
        if (beat_nonce_bytes == 4'd13) assume (beat_text_bytes[31:16] == '0);
        if (beat_nonce_bytes == 4'd12) assume (beat_text_bytes[31:24] == '0);
      end else begin
        assume (beat_decrypt == decrypt && beat_window == window && beat_tag_bytes == tag_bytes);
        assume (beat_aad_bytes == aad_bytes && beat_text_bytes == text_bytes);
      end
    end
    if (mine) assume (there);
    if (Cover) begin
      assert (!(phase == Done && last && decrypt && !result_error && seen_over && seen_text));
    end else if (begun) begin
      // 1. The core is given the blocks of each beat, once each.
      assert ((core_valid && core_stream == some_stream)
          == (phase == Given || phase == GivenAgain));
      if (phase == Given || phase == GivenAgain) assert (core_window == window);
      if (phase == Given) assert (core_block == argument);
      if (phase == GivenAgain && !(aad && last)) begin
        if (aad) assert (core_block == halfway);
        else if (last) begin
          assert (core_block == formatted('0, nonce, nonce_bytes, '0));
        end else if (!bad) begin
          assert (core_block == formatted('0, nonce, nonce_bytes, 32'(number)));
        end
      end
      // 2. A place is kept free for the second block.
      if (phase == Back) assert (beat_hold == twice);
      // 3. Each beat leaves: associated data as they are, the other text, or the tag.
      assert ((result_valid && result_stream == some_stream)
          == (phase == Done || (phase == Again && !twice)));
      if (phase == Again && !twice) assert (result_data == data || last);
      if (phase == Done && !(aad && last)) begin
        assert (result_data == (aad ? data : text ? other : decrypt ? '0 : made));
      end
      // 4. Its error flag: a packet of other lengths, or another tag.
      if (phase == Done || (phase == Again && !twice)) begin
        assert (result_error
            == (bad || (last && decrypt && phase == Done && kept(keep, made) != data)));
      end
      if (Steps) begin
        // What is known of the beat here.
        assert (phase <= Rest);
        if (!fresh && in_aad) assert (left != '0);
        if (!still) begin
          assert (fresh == last && (bad || !aad || !last) && (!first || number == 28'd1));
          assert (twice == (!aad || (keep[long?10 : 14] && end_q)));
          assert (keep[0] && data == kept(keep, data));
          assert (bad || keep == first_bytes(bytes_of(keep)));
          assert (data == (!aad ? block : long ? {block[79:0], rest}
              : {block[111:0], rest[15:0]}));
        end
        // The number of a counter block is in the bytes that the nonce leaves.
        if (!fresh && !bad) begin
          if (in_aad) assert (next_number == 28'd1);
          else if (left != '0) begin
            assert ({4'd0, next_number - 28'd1, 4'd0} + {4'd0, left} == {4'd0, text_bytes});
          end
        end
        if (!still && text && !bad) begin
          assert ({number - 28'd1, 4'd0} < text_bytes);
        end
        if (!still || !fresh) begin
          assert (long == (aad_bytes >= 32'd65280));
          assert (text_bytes[31:16] == '0 || nonce_bytes <= 4'd12);
          assert (text_bytes[31:24] == '0 || nonce_bytes <= 4'd11);
          assert (nonce_bytes >= 4'd7 && nonce_bytes <= 4'd13);
          for (int i = 7; i < 13; i++) begin
            assert (4'(i) < nonce_bytes || nonce[8*(12-i)+:8] == '0);
          end
        end
        if (!fresh && still) begin
          assert (chains[some_stream*128+:128] == chain);
          assert (counts[some_stream*28+:28] == next_number);
        end
        if (!fresh || there) begin
          if (still || there) begin
            assert (nonces[some_stream*107+:107] == {3'(4'd14 - nonce_bytes), nonce});
            assert (tails[some_stream*48+:48] == (long ? rest : {rest[15:0], 32'h0}));
          end
          if (still || phase == ThereAgain || (phase == There && late)) begin
            assert (states[some_stream*34+:34] == {bad, in_aad, left});
          end
        end
        if (there) begin
          assert (infos[some_stream*11+:11] == info);
          assert (windows[some_stream*2+:2] == window);
          assert (waits[some_stream*128+:128] == block);
          if (late || phase == ThereAgain) assert (verdicts[some_stream*2+:2] == {end_q, bad});
          if (phase == ThereAgain) begin
            assert (twice && chains[some_stream*128+:128] == halfway);
            assert (counts[some_stream*28+:28] == next_number);
          end else if (!first) assert (counts[some_stream*28+:28] == number);
        end
      end
    end
  end
endmodule

`default_nettype wire
