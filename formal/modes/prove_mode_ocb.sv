// SPDX-License-Identifier: Apache-2.0
// aesforge_mode_ocb between packets of any length and a core that gives any results: what the core
// is given and what leaves for each beat is OCB (RFC 7253 Sec. 4) of the packet.
`default_nettype none

module prove_mode_ocb #(
    parameter bit Decrypts = 1'b1,
    parameter int unsigned Latency = 4,
    // 1: also that from which all this follows; without, only what the outside sees
    parameter bit Steps = 1'b1,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0
) (
    input logic         clk,
    input logic         rst,
    input logic         beat_valid,
    input logic         beat_block,
    input logic         beat_aad,
    input logic         beat_last,
    input logic [ 15:0] beat_keep,
    input logic [127:0] beat_data,
    input logic         beat_decrypt,
    input logic [127:0] beat_offset,
    input logic [127:0] beat_word,
    input logic [  1:0] beat_side,
    input logic [127:0] out_block
);
  logic beat_ready, core_valid, core_decrypt, result_valid, beat_start;
  logic [127:0] beat_xor, core_block, result;
  logic [1:0] core_side;
  aesforge_mode_ocb #(
      .Decrypts(Decrypts),
      .SideBits(2),
      .Latency(Latency)
  ) u_mode (
      .clk,
      .rst,
      .zeroize(1'b0),
      .beat_valid,
      .beat_ready,
      .beat_block,
      .beat_aad,
      .beat_last,
      .beat_start,
      .beat_keep,
      .beat_data,
      .beat_decrypt,
      .beat_offset,
      .beat_word,
      .beat_side,
      .beat_xor,
      .core_valid,
      .core_decrypt,
      .core_block,
      .core_side,
      .out_block,
      .result_valid,
      .result
  );

  // The bytes that are kept, byte 0 at the top, then a one and zeros (Sec. 4.1).
  function automatic logic [127:0] kept(input logic [15:0] keep, input logic [127:0] data);
    for (int i = 0; i < 16; i++) kept[127-8*i-:8] = keep[i] ? data[127-8*i-:8] : 8'h00;
  endfunction
  function automatic logic [127:0] padded(input logic [15:0] keep, input logic [127:0] data);
    padded = kept(keep, data);
    for (int i = 0; i < 16; i++) begin
      if (!keep[i] && (i == 0 || keep[i>0?i-1 : 0])) padded[127-8*i] = 1'b1;
    end
  endfunction

  // The packet: whether it goes on, and had text; its offset, and the sum of its plaintext blocks,
  // of one that is decrypted what is not of a result. Nothing is claimed of a beat with an error
  // and those after it.
  wire take = beat_valid && beat_ready;
  wire text = !beat_aad && !beat_last;
  wire full = beat_keep[15];
  logic fresh = 1'b1, after_aad, broken, decrypt;
  logic [1:0] side;
  logic [127:0] offset, plain, known;
  wire start = fresh || (after_aad && !beat_aad);
  assign beat_start = start;
  wire [127:0] offset_d = (!start ? offset : beat_aad ? '0 : beat_offset) ^ beat_word;
  wire broken_d = !beat_block || (broken && !fresh);
  wire [127:0] plain_d = (fresh ? '0 : plain) ^ (text ? padded(beat_keep, beat_data) : '0);
  wire [127:0] known_d = (fresh ? '0 : known)
      ^ (!text ? '0 : full ? offset_d : padded(beat_keep, beat_data));
  // What the core is given for the beat; the tag of a packet that is decrypted comes later.
  wire later = Decrypts && beat_decrypt && beat_last;
  logic [127:0] argument;
  always_comb begin
    argument = padded(beat_keep, beat_data) ^ offset_d;
    if (text && !full) argument = offset_d;
    if (beat_last) argument = (fresh ? '0 : plain) ^ offset_d;
  end

  // Beats on their way: their results come at stage `Latency`, and leave at the last one.
  localparam int unsigned Depth = Decrypts ? 2 * Latency + 3 : Latency + 1;
  logic [Depth-1:0] way_valid = '0, way_aad, way_text, way_tag, way_full, way_later, way_clean,
      way_first;
  logic [127:0] way_argument[0:Latency];
  logic [127:0] way_offset[0:Latency];
  logic [127:0] way_data[0:Latency];
  logic [15:0] way_keep[0:Latency];
  logic [1:0] way_side[0:Latency];
  logic [Latency:0] way_decrypt;
  logic [127:0] way_result[0:Depth];
  // The sum of the plaintext up to the result at stage `Latency`, the argument of the tag that is
  // made of it, and the sum over associated data up to the last stage.
  logic [127:0] back_plain = '0, back_aad = '0;
  wire [127:0] got = way_full[Latency] ? out_block ^ way_offset[Latency]
      : padded(way_keep[Latency], out_block ^ way_data[Latency]);
  wire [127:0] back_plain_d = back_plain ^ (!way_text[Latency] ? '0
      : way_decrypt[Latency] ? got : padded(way_keep[Latency], way_data[Latency]));
  wire again = way_valid[Latency] && way_later[Latency];
  logic [2:0] again_q = '0, again_clean_q;
  logic [127:0] again_argument[0:1];
  logic [1:0] again_side[0:1];
  wire [127:0] own = way_later[Depth-1] ? out_block : Decrypts ? way_result[Depth-1] : out_block;

  // The state of the packet `Latency` + 1 cycles ago.
  localparam int unsigned Late = Latency + 1;
  logic [Late:1] late_fresh = '1, late_clean, late_decrypt;
  logic [127:0] late_known[1:Late];
  logic begun = 1'b0, stalled = 1'b0, seen_made = 1'b0, seen_compared = 1'b0;
  localparam int unsigned BeatBits = 1 + 1 + 1 + 16 + 128 + 1 + 128 + 128 + 2;
  logic [BeatBits-1:0] held;
  wire [BeatBits-1:0] beat = {
    beat_block,
    beat_aad,
    beat_last,
    beat_keep,
    beat_data,
    beat_decrypt,
    beat_offset,
    beat_word,
    beat_side
  };
  always_ff @(posedge clk) begin
    begun <= 1'b1;
    stalled <= beat_valid && !beat_ready && !rst;
    held <= beat;
    if (take) begin
      fresh <= beat_last;
      {after_aad, broken, decrypt, side} <= {beat_aad, broken_d, beat_decrypt, beat_side};
      {offset, plain, known} <= {offset_d, plain_d, known_d};
    end
    way_valid <= Depth'({way_valid, take});
    way_aad <= Depth'({way_aad, beat_aad});
    way_text <= Depth'({way_text, text});
    way_tag <= Depth'({way_tag, beat_last});
    way_full <= Depth'({way_full, full});
    way_later <= Depth'({way_later, later});
    way_clean <= Depth'({way_clean, !broken_d});
    way_first <= Depth'({way_first, fresh});
    way_decrypt <= (Latency + 1)'({way_decrypt, Decrypts && beat_decrypt});
    way_argument[0] <= argument;
    way_offset[0] <= offset_d;
    way_data[0] <= beat_data;
    way_keep[0] <= beat_keep;
    way_side[0] <= beat_side;
    for (int i = 1; i <= Latency; i++) begin
      way_argument[i] <= way_argument[i-1];
      way_offset[i] <= way_offset[i-1];
      way_data[i] <= way_data[i-1];
      way_keep[i] <= way_keep[i-1];
      way_side[i] <= way_side[i-1];
    end
    for (int i = 1; i <= Depth; i++) way_result[i] <= i == Late ? out_block : way_result[i-1];
    if (way_valid[Latency]) back_plain <= way_tag[Latency] ? '0 : back_plain_d;
    again_q <= 3'({again_q, again});
    again_clean_q <= 3'({again_clean_q, way_clean[Latency]});
    again_argument[0] <= back_plain_d ^ way_offset[Latency];
    again_argument[1] <= again_argument[0];
    again_side[0] <= way_side[Latency];
    again_side[1] <= again_side[0];
    if (way_valid[Depth-1]) begin
      back_aad <= way_tag[Depth-1] ? '0 : back_aad ^ (way_aad[Depth-1] ? own : '0);
    end
    late_fresh <= Late'({late_fresh, fresh});
    late_clean <= Late'({late_clean, !broken});
    late_decrypt <= Late'({late_decrypt, decrypt});
    late_known[1] <= known;
    for (int i = 2; i <= Late; i++) late_known[i] <= late_known[i-1];
    if (way_valid[Depth-1] && way_tag[Depth-1] && way_clean[Depth-1] && !way_first[Depth-1]) begin
      if (way_later[Depth-1]) seen_compared <= 1'b1;
      else seen_made <= 1'b1;
    end
    if (rst) begin
      {way_valid, again_q} <= '0;
      {back_plain, back_aad} <= '0;
      fresh <= 1'b1;
      late_fresh <= '1;
    end
  end

  // Registers of the module, connected by the script.
  (* keep *) logic [127:0] offset_q, checksum_q, sum_q, text_sum_q;
  localparam int unsigned KnownBits = $clog2(Latency - 1);
  localparam int unsigned ResultBits = $clog2(Latency + 1);
  (* keep *) logic [KnownBits-1:0] known_write_q, known_read_q;
  (* keep *) logic [ResultBits-1:0] result_write_q, result_read_q;

  always_comb begin
    assume (begun || rst);
    if (stalled) assume (beat_valid && beat == held);
    // Associated data, text and the tag, with bytes kept from the first on; part of a block ends
    // its section.
    if (beat_valid) begin
      if (!fresh) assume (beat_decrypt == decrypt && beat_side == side);
      if (!broken_d) begin
        assume (!beat_aad || !beat_last);
        if (!fresh && !after_aad) assume (!beat_aad);
        assume ((beat_keep & (beat_keep + 16'd1)) == '0 && beat_keep != '0);
        if (!Decrypts) assume (!beat_decrypt);
      end
    end
    if (Cover) begin
      assert (!(seen_made && (seen_compared || !Decrypts)));
    end else if (begun) begin
      // 1. The core is given the block of each beat; that of a tag to compare, when the text is
      // known.
      assert (!(way_valid[0] && again_q[1]) || !core_valid || way_later[0] || !way_clean[0]);
      if (way_valid[0] && way_clean[0] && !way_later[0]) begin
        assert (core_valid && core_block == way_argument[0] && core_side == way_side[0]);
        assert (core_decrypt == (way_decrypt[0] && way_text[0] && way_full[0]));
      end
      if (again_q[1] && again_clean_q[1]) begin
        assert (core_valid && !core_decrypt);
        assert (core_block == again_argument[1] && core_side == again_side[1]);
      end
      // 2. Results leave in order.
      assert (result_valid == way_valid[Depth-1]);
      if (way_valid[Depth-1] && way_clean[Depth-1]) begin
        // 3. The result of text as it is; nothing for associated data; the tag.
        if (way_text[Depth-1]) assert (result == own);
        if (way_aad[Depth-1]) assert (result == '0);
        if (way_tag[Depth-1]) assert (result == (own ^ back_aad));
      end
      // 4. What is added to it.
      if (take && !broken_d) begin
        assert (beat_xor == (text && full ? offset_d : beat_last && !later ? '0 : beat_data));
      end
      if (Steps) begin
        if (!fresh) assert (offset_q == offset);
        if (!broken || fresh) begin
          assert (checksum_q == (fresh ? '0 : Decrypts && decrypt ? known : plain));
        end
        assert (sum_q == back_aad);
        if (Decrypts) begin
          if (late_fresh[Late]) assert (text_sum_q == '0 && back_plain == '0);
          else if (late_clean[Late] && late_decrypt[Late]) begin
            assert (back_plain == (text_sum_q ^ late_known[Late]));
          end
          assert (known_write_q - known_read_q == KnownBits'(Latency - 2));
          assert (result_write_q - result_read_q == ResultBits'(Latency));
        end
      end
    end
  end
endmodule

`default_nettype wire
