// SPDX-License-Identifier: Apache-2.0
// aesforge_gcm_tag under packets of any length: the blocks that are hashed are those of SP 800-38D
// Sec. 7.1 step 5, and the tag is made or compared in the bytes that it has. hash_model.sv stands
// for GHASH, count_model.sv for the counters.
`default_nettype none

module prove_gcm_tag #(
    // 1: without beats ahead, with a digit-serial multiplier
    parameter int unsigned Ahead = 4,
    parameter int unsigned Stages = 2,
    parameter int unsigned Digit = 8,
    parameter int unsigned Blocks = 1,
    parameter int unsigned CountBits = 32,
    // 1: also that from which all this follows; without, only what the outside sees
    parameter bit Steps = 1'b1,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0,
    localparam int unsigned PowerBits = Ahead > 1 ? $clog2(Ahead * Blocks) : 1
) (
    input logic                  clk,
    input logic                  rst,
    input logic                  in_valid,
    input logic                  in_aad,
    input logic                  in_tag,
    input logic                  in_error,
    input logic                  in_decrypt,
    input logic                  in_iv,
    input logic                  in_slot,
    input logic [   PowerBits:0] in_left,
    input logic [128*Blocks-1:0] in_data,
    input logic [128*Blocks-1:0] in_xor,
    input logic [ 16*Blocks-1:0] in_keep,
    input logic [           1:0] in_side
);
  localparam int unsigned DataBits = 128 * Blocks;
  localparam int unsigned KeepBits = 16 * Blocks;
  logic iv_done, iv_error, out_valid, out_error;
  logic [127:0] iv_hash;
  logic [DataBits-1:0] out_data;
  logic [1:0] out_side;
  aesforge_gcm_tag #(
      .Slots(2),
      .Ahead(Ahead),
      .Stages(Stages),
      .Digit(Digit),
      .Blocks(Blocks),
      .CountBits(CountBits),
      .SideBits(2)
  ) u_tag (
      .clk,
      .rst,
      .zeroize(1'b0),
      .in_valid,
      .in_aad,
      .in_tag,
      .in_error,
      .in_decrypt,
      .in_iv,
      .in_slot,
      .in_left,
      .in_data,
      .in_xor,
      .in_keep,
      .in_side,
      .write_valid(1'b0),
      .write_slot(1'b0),
      .write_power('0),
      .write_value('0),
      .iv_done,
      .iv_error,
      .iv_hash,
      .out_valid,
      .out_error,
      .out_data,
      .out_side
  );

  // The bytes of a beat that are kept; bit 0 of `keep` is byte 0, which is at the top.
  function automatic logic [DataBits-1:0] kept(
      input logic [KeepBits-1:0] keep, input logic [DataBits-1:0] data);
    for (int i = 0; i < KeepBits; i++) begin
      kept[DataBits-1-8*i-:8] = keep[i] ? data[DataBits-1-8*i-:8] : 8'h00;
    end
  endfunction
  logic [60:0] bytes;
  always_comb begin
    bytes = '0;
    for (int i = 0; i < KeepBits; i++) bytes += 61'(in_keep[i]);
  end

  // The packet so far: bytes of associated data and of text, whether one of these sections has
  // ended in a beat that is not full, and whether an error came.
  logic fresh = 1'b1, some_text, short_aad, short_text, broken, decrypt, iv, slot;
  logic [60:0] aads, texts;
  wire text = !in_aad && !in_tag;
  wire full = &in_keep;
  wire [60:0] aads_d = (fresh ? '0 : aads) + (in_aad ? bytes : '0);
  wire [60:0] texts_d = (fresh ? '0 : texts) + (text ? bytes : '0);
  wire broken_d = in_error || (broken && !fresh);
  // Blocks of text, which the 32 bits of the counter hold but for two (Sec. 5.2.1.1).
  wire [60:0] blocks_d = (texts_d + 61'd15) >> 4;
  logic over;
  wire over_d = blocks_d > (61'd1 << CountBits) - 61'd2 || (over && !fresh);
  // What is hashed: associated data and ciphertext, filled up with zeros, then both lengths.
  logic [DataBits-1:0] block;
  always_comb begin
    block = in_aad || in_decrypt ? in_xor : in_data;
    if (in_tag) begin
      block = '0;
      block[DataBits-1-:128] = {aads_d, 3'b000, texts_d, 3'b000};
    end
  end
  // An IV needs text, nothing else, and not 12 bytes: those are J0 as they are.
  wire bare = aads_d != '0 || texts_d == '0 || texts_d == 61'd12;

  // Each beat on its way to the hash, and on.
  localparam bit Serial = Ahead == 1;
  localparam int unsigned ToHash = Serial ? 1 : 7;
  localparam int unsigned Hashed = ToHash + (Serial ? 128 / Digit + 1 : Stages + 4);
  localparam int unsigned Depth = Hashed + 2;
  // Without beats ahead, one comes in so many cycles.
  localparam int unsigned Interval = Serial ? 128 / Digit + 2 : 1;
  logic [$clog2(Interval+1)-1:0] since = '0;
  logic [Depth-1:0] way_valid = '0, way_tag, way_decrypt, way_iv, way_error, way_first, way_clean,
      way_over, way_bad;
  logic [Depth-1:0] way_slot;
  logic [DataBits-1:0] way_block[0:ToHash-1];
  logic [PowerBits:0] way_left[0:ToHash-1];
  logic [DataBits-1:0] way_data[0:Depth-1];
  logic [DataBits-1:0] way_xor[0:Depth-1];
  logic [15:0] way_keep[0:Depth-1];
  logic [1:0] way_side[0:Depth-1];
  // The state of the packet so many cycles ago.
  localparam int unsigned Late = ToHash + 1;
  logic [Late:1] late_fresh = '1, late_clean, late_over;
  logic [60:0] late_aads[1:Late];
  logic [60:0] late_texts[1:Late];
  // The hash that came for a beat, two cycles before the beat leaves.
  (* keep *) logic [127:0] hash_now;
  logic [127:0] hash[0:1];
  // What the counters hold.
  wire count_fresh = Serial ? fresh : late_fresh[1];
  wire count_clean = Serial ? !broken : late_clean[1];
  wire count_over = Serial ? over : late_over[1];
  wire [60:0] count_aads = Serial ? aads : late_aads[1];
  wire [60:0] count_texts = Serial ? texts : late_texts[1];
  logic begun = 1'b0, seen_made = 1'b0, seen_refused = 1'b0;
  always_ff @(posedge clk) begin
    begun <= 1'b1;
    if (in_valid) begin
      fresh <= in_tag;
      some_text <= text || (some_text && !fresh);
      short_aad <= (in_aad && !full) || (short_aad && !fresh);
      short_text <= (text && !full) || (short_text && !fresh);
      {aads, texts, broken, over} <= {aads_d, texts_d, broken_d, over_d};
      {decrypt, iv, slot} <= {in_decrypt, in_iv, in_slot};
    end
    if (in_valid && Serial) since <= 1'b1;
    else if (32'(since) == Interval - 1) since <= '0;
    else if (since != '0) since <= since + 1'b1;
    way_valid <= Depth'({way_valid, in_valid});
    way_tag <= Depth'({way_tag, in_tag});
    way_decrypt <= Depth'({way_decrypt, in_decrypt});
    way_iv <= Depth'({way_iv, in_iv});
    way_error <= Depth'({way_error, over_d || in_error || (in_iv && in_tag && bare)});
    way_first <= Depth'({way_first, fresh});
    way_clean <= Depth'({way_clean, !broken_d});
    way_over <= Depth'({way_over, over_d});
    way_bad <= Depth'({way_bad, in_error});
    way_slot <= Depth'({way_slot, in_slot});
    way_block[0] <= block;
    way_left[0] <= in_left;
    for (int i = 1; i < ToHash; i++) begin
      way_block[i] <= way_block[i-1];
      way_left[i] <= way_left[i-1];
    end
    way_data[0] <= in_data;
    way_xor[0] <= in_xor;
    way_keep[0] <= in_keep[15:0];
    way_side[0] <= in_side;
    for (int i = 1; i < Depth; i++) begin
      way_data[i] <= way_data[i-1];
      way_xor[i] <= way_xor[i-1];
      way_keep[i] <= way_keep[i-1];
      way_side[i] <= way_side[i-1];
    end
    late_fresh <= Late'({late_fresh, fresh});
    late_clean <= Late'({late_clean, !broken});
    late_over  <= Late'({late_over, over});
    late_aads[1] <= aads;
    late_texts[1] <= texts;
    for (int i = 2; i <= Late; i++) begin
      late_aads[i] <= late_aads[i-1];
      late_texts[i] <= late_texts[i-1];
    end
    hash[0] <= hash_now;
    hash[1] <= hash[0];
    seen_made <= seen_made
        || (out_valid && way_tag[Depth-1] && !out_error && !way_decrypt[Depth-1]);
    seen_refused <= seen_refused || (out_valid && way_tag[Depth-1] && way_clean[Depth-1]
        && !way_error[Depth-1] && out_error);
    if (rst) begin
      fresh <= 1'b1;
      since <= '0;
      late_fresh <= '1;
      way_valid <= '0;
    end
  end

  // What leaves: the tag that was made, nothing in place of one that was compared, or the beat.
  logic [DataBits-1:0] wanted, made, differs;
  always_comb begin
    made = '0;
    made[DataBits-1-:128] = way_data[Depth-1][DataBits-1-:128] ^ way_xor[Depth-1][DataBits-1-:128]
        ^ hash[1];
    made = kept(KeepBits'(way_keep[Depth-1]), made);
    differs = '0;
    differs[DataBits-1-:128] = way_data[Depth-1][DataBits-1-:128] ^ hash[1];
    differs = kept(KeepBits'(way_keep[Depth-1]), differs);
    wanted = way_data[Depth-1];
    if (way_tag[Depth-1]) wanted = way_decrypt[Depth-1] ? '0 : made;
    if (way_error[Depth-1]) wanted = '0;
  end
  wire refused = way_tag[Depth-1] && way_decrypt[Depth-1] && !way_iv[Depth-1] && differs != '0;

  // Nets of the module, connected by the script.
  localparam int unsigned ByteBits = $clog2(16 * Blocks);
  (* keep *) logic [DataBits-1:0] hash_block;
  (* keep *) logic hash_valid, hash_first, hash_slot, hash_begin, some_aad_q, over_q, first_q;
  (* keep *) logic [PowerBits:0] hash_left;
  (* keep *) logic [60-ByteBits:0] aad_count;
  (* keep *) logic [CountBits+3-ByteBits:0] text_count;
  (* keep *) logic [ByteBits-1:0] aad_bytes_q, text_bytes_q;
  (* keep *) logic [$clog2(Stages+10)-1:0] place_q;

  always_comb begin
    assume (begun || rst);
    // Of a packet without an error: associated data, then text, then the tag. Bytes are kept from
    // the first on, those of a section but in its last beat all; bytes that are not kept are zero.
    if (Serial && since != '0) assume (!in_valid);
    if (in_valid) begin
      assume (!in_iv || in_decrypt);
      if (!fresh) assume ({in_decrypt, in_iv, in_slot} == {decrypt, iv, slot});
      if (!broken_d) begin
        assume (!in_aad || !in_tag);
        assume ((in_keep & (in_keep + KeepBits'(1))) == '0);
        if (!fresh) begin
          assume (!(in_aad && (some_text || short_aad)));
          assume (!(text && short_text));
        end
        assume (in_keep[0]);
        if (in_tag && Blocks > 1) assume (in_keep[KeepBits-1:16%KeepBits] == '0);
      end
      // No packet has 2^60 bytes: an error comes long before.
      assume (!aads_d[60] && !texts_d[60]);
      assume (in_data == kept(in_keep, in_data) && in_xor == kept(in_keep, in_xor));
      // Where the core is bypassed, as for an IV and an error, its result is zero.
      if (in_iv && in_tag) assume (in_data == in_xor);
    end
    if (Cover) begin
      assert (!(seen_made && seen_refused));
    end else if (begun) begin
      // 1. Each block that is hashed, and the end of a packet: `ToHash` cycles after its beat.
      assert (hash_valid == way_valid[ToHash-1]);
      if (hash_valid) begin
        assert (hash_first == way_first[ToHash-1]);
        assert (hash_left == way_left[ToHash-1] && hash_slot == way_slot[ToHash-1]);
        if (way_clean[ToHash-1] && !(way_tag[ToHash-1] && way_over[ToHash-1])) begin
          assert (hash_block == way_block[ToHash-1]);
        end
      end
      // Without beats ahead a packet is announced before its first block, when no hash is due.
      if (Serial) begin
        assert (hash_begin == (in_valid && fresh));
        if (hash_begin) assert (way_valid[Hashed-2:0] == '0);
      end
      // 2. Beats leave in order, with their side bits.
      assert (out_valid == way_valid[Depth-1]);
      if (out_valid) assert (out_side == way_side[Depth-1]);
      // 3. The tag is made, or compared in all its bytes; the error flag.
      if (out_valid && way_clean[Depth-1]) begin
        assert (out_data == wanted);
        assert (out_error == (way_error[Depth-1] || refused));
      end
      if (out_valid && way_bad[Depth-1]) assert (out_error && out_data == '0);
      // 4. A hashed IV, one cycle before its last beat leaves.
      assert (iv_done == (way_valid[Depth-2] && way_tag[Depth-2] && way_iv[Depth-2]));
      if (iv_done) assert (iv_hash == hash[0]);
      if (iv_done && way_clean[Depth-2]) assert (iv_error == way_error[Depth-2]);
      if (Steps) begin
        assert (first_q == fresh);
        if (!Serial) assert (32'(place_q) < Stages + 10);
        assert (32'(since) < Interval);
        if (!count_fresh && count_clean) begin
          assert (aad_count == count_aads[60:ByteBits]);
          if (!count_over) assert (61'(text_count) == count_texts[60:ByteBits]);
        end
        if (!late_fresh[ToHash] && late_clean[ToHash]) begin
          assert (aad_bytes_q == late_aads[ToHash][ByteBits-1:0]);
          assert (text_bytes_q == late_texts[ToHash][ByteBits-1:0]);
          assert (some_aad_q == (late_aads[ToHash] != '0));
        end
        if (!late_fresh[Late] && late_clean[Late]) assert (over_q == late_over[Late]);
        // A section ends with its first beat that is not full.
        if (!fresh && !broken) begin
          assert (short_aad == (aads[ByteBits-1:0] != '0));
          assert (short_text == (texts[ByteBits-1:0] != '0));
          assert (some_text == (texts != '0));
          assert (!aads[60] && !texts[60] && (aads != '0 || texts != '0));
          assert (over == ((texts + 61'd15) >> 4 > (61'd1 << CountBits) - 61'd2));
        end
      end
    end
  end
endmodule

`default_nettype wire
