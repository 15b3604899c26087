// SPDX-License-Identifier: Apache-2.0
// aesforge_ocb_nonce under any contexts: what is encrypted for each is its nonce as RFC 7253 Sec.
// 4.2 formats it, and the offset is what that section takes of the result.
`default_nettype none

module prove_ocb_nonce #(
    // 1: also that from which all this follows; without, only what the outside sees
    parameter bit Steps = 1'b1,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0
) (
    input logic         clk,
    input logic         rst,
    input logic         s_valid,
    input logic         s_slot,
    input logic         s_decrypt,
    input logic [  4:0] s_tag_bytes,
    input logic [119:0] s_nonce,
    input logic [  3:0] s_nonce_bytes,
    input logic         next_stall,
    input logic         next_unknown,
    input logic         core_ready,
    input logic         out_valid,
    input logic [127:0] out_block,
    input logic         m_ready
);
  logic s_ready, next_valid, next_slot, begin_valid, core_valid, core_slot, m_valid;
  logic [127:0] core_block, m_offset;
  logic [7:0] m_header;
  aesforge_ocb_nonce #(
      .Slots(2)
  ) u_nonce (
      .clk,
      .rst,
      .zeroize(1'b0),
      .s_valid,
      .s_ready,
      .s_slot,
      .s_decrypt,
      .s_tag_bytes,
      .s_nonce,
      .s_nonce_bytes,
      .next_valid,
      .next_slot,
      .next_stall,
      .next_unknown,
      .begin_valid,
      .core_valid,
      .core_ready,
      .core_block,
      .core_slot,
      .out_valid,
      .out_block,
      .m_valid,
      .m_ready,
      .m_header,
      .m_offset
  );

  // What the cipher is given and gives, connected by the script.
  (* keep *) logic [127:0] given_block, got_block;
  (* keep *) logic [12:0] given_header, got_header;
  (* keep *) logic given_error, got_valid, got_error, got_ready;

  // The context, and its nonce: the length of the tag in bits modulo 128, zeros, a one, and its
  // bytes.
  logic busy = 1'b0, slot, decrypt;
  logic [4:0] tag_bytes;
  logic [119:0] bytes;
  logic [3:0] nonce_bytes;
  logic [127:0] nonce;
  always_comb begin
    nonce = 128'(bytes >> {4'd15 - nonce_bytes, 3'd0});
    for (int i = 0; i < 16; i++) if (nonce_bytes == 4'(i)) nonce[8*i] = 1'b1;
    nonce[127:121] = 7'(8'(tag_bytes) << 3);
  end

  // The offset that is on its way in each of three stages, and what it was made of.
  logic [2:0] way_valid = '0;
  logic [127:0] way_block[0:2];
  logic [13:0] way_header[0:2];
  function automatic logic [191:0] stretched(input logic [127:0] block);
    stretched = {block, 64'h0};
    for (int i = 0; i < 64; i++) stretched[i] = block[64+i] ^ block[56+i];
  endfunction
  // From this bit of it on, the highest being 0.
  function automatic logic [127:0] part(input logic [127:0] block, input logic [5:0] bit_number);
    part = 128'((stretched(block) << bit_number) >> 64);
  endfunction
  logic begun = 1'b0, waits = 1'b0, seen = 1'b0;
  logic [135:0] held;
  wire step = !way_valid[2] || m_ready;
  always_ff @(posedge clk) begin
    begun <= 1'b1;
    waits <= m_valid && !m_ready && !rst;
    held  <= {m_header, m_offset};
    if (begin_valid) busy <= 1'b0;
    if (s_valid && s_ready) begin
      busy <= 1'b1;
      {slot, decrypt, tag_bytes} <= {s_slot, s_decrypt, s_tag_bytes};
      {bytes, nonce_bytes} <= {s_nonce, s_nonce_bytes};
    end
    if (step) begin
      way_valid <= {way_valid[1:0], got_valid};
      way_block[0] <= got_block;
      way_header[0] <= {got_header, got_error};
      for (int i = 1; i < 3; i++) begin
        way_block[i] <= way_block[i-1];
        way_header[i] <= way_header[i-1];
      end
    end
    if (begin_valid && nonce_bytes == 4'd12) seen <= 1'b1;
    if (rst) begin
      busy <= 1'b0;
      way_valid <= '0;
    end
  end

  // Registers of the module, connected by the script.
  (* keep *) logic [3:0] shifts_q;
  (* keep *) logic [127:0] nonce_q;
  (* keep *) logic [4:0] tag_bytes_q;
  (* keep *) logic decrypt_q, none_q, go_q, first_valid_q, second_valid_q;
  (* keep *) logic [142:0] first_q;
  (* keep *) logic [130:0] second_q;
  (* keep *) logic [7:0] first_header_q, second_header_q;
  (* keep *) logic [3:0] first_bottom_q;
  (* keep *) logic [1:0] second_bottom_q;
  wire [5:0] first_bottom = way_header[0][6:1], second_bottom = way_header[1][6:1];

  always_comb begin
    assume (begun || rst);
    if (Cover) begin
      assert (!(seen && way_valid[2]));
    end else if (begun) begin
      // 1. Each context has its nonce encrypted, without the low six bits.
      assert (next_valid == busy && s_ready == !busy);
      if (begin_valid) assert (busy && next_slot == slot);
      if (begin_valid && nonce_bytes != '0) begin
        assert (given_block == {nonce[127:6], 6'd0});
        assert (given_header == {slot, decrypt, tag_bytes, nonce[5:0]});
      end
      // 2. No bytes are an error.
      if (busy) assert (given_error == (next_unknown || nonce_bytes == '0));
      // 3. Each result gives 128 of its bits, from the one on that these six say.
      assert (got_ready == step && m_valid == way_valid[2]);
      if (waits) assert (m_valid && {m_header, m_offset} == held);
      if (m_valid) begin
        assert (m_header == {way_header[2][13:7], way_header[2][0]});
        assert (m_offset == part(way_block[2], way_header[2][6:1]));
      end
      if (Steps) begin
        if (busy) begin
          assert (decrypt_q == decrypt && tag_bytes_q == tag_bytes && next_slot == slot);
          assert (none_q == (nonce_bytes == '0) && shifts_q <= 4'd15 - nonce_bytes);
          if (nonce_bytes != '0) assert (121'(nonce_q >> {shifts_q, 3'd0}) == nonce[120:0]);
        end
        if (go_q) assert (busy && shifts_q == '0);
        assert ({second_valid_q, first_valid_q} == way_valid[1:0]);
        if (way_valid[0]) begin
          assert (first_header_q == {way_header[0][13:7], way_header[0][0]});
          assert (first_bottom_q == first_bottom[3:0]);
          assert (first_q == 143'((stretched(way_block[0]) << {first_bottom[5:4], 4'd0}) >> 49));
        end
        if (way_valid[1]) begin
          assert (second_header_q == {way_header[1][13:7], way_header[1][0]});
          assert (second_bottom_q == second_bottom[1:0]);
          assert (second_q == 131'((stretched(way_block[1]) << {second_bottom[5:2], 2'd0}) >> 61));
        end
      end
    end
  end
endmodule

`default_nettype wire
