// SPDX-License-Identifier: Apache-2.0
// aesforge_xts_tweak under any contexts: the number of each data unit, those of a context in
// sequence, is what is encrypted for it, its byte 0 first, under its keys (IEEE Std 1619 Sec. 5.3).
`default_nettype none

module prove_xts_tweak #(
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
    input logic [127:0] s_number,
    input logic [ 15:0] s_more,
    input logic         next_stall,
    input logic         next_unknown,
    input logic         core_ready,
    input logic         out_valid,
    input logic [127:0] out_block,
    input logic         m_ready
);
  logic s_ready, next_valid, next_slot, begin_valid, core_valid, core_slot, m_valid;
  logic [127:0] core_block, m_tweak;
  logic [2:0] m_header;
  aesforge_xts_tweak #(
      .Slots(2)
  ) u_tweak (
      .clk,
      .rst,
      .zeroize(1'b0),
      .s_valid,
      .s_ready,
      .s_slot,
      .s_decrypt,
      .s_number,
      .s_more,
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
      .m_tweak
  );

  // What the cipher is given and gives, connected by the script.
  (* keep *) logic [127:0] given_block, got_block;
  (* keep *) logic [1:0] given_header, got_header;
  (* keep *) logic got_valid, got_error;

  // The context: the number of its next data unit, and those after that one.
  logic busy = 1'b0, slot, decrypt;
  logic [127:0] number;
  logic [15:0] more;
  logic [127:0] bytes;
  always_comb for (int i = 0; i < 16; i++) bytes[127-8*i-:8] = number[8*i+:8];
  logic begun = 1'b0, seen = 1'b0;
  always_ff @(posedge clk) begin
    begun <= 1'b1;
    if (begin_valid) begin
      busy   <= more != '0;
      more   <= more - 1'b1;
      number <= number + 1'b1;
      if (number[31:0] == 32'h1_0000) seen <= 1'b1;
    end
    if (s_valid && s_ready) begin
      busy <= 1'b1;
      {slot, decrypt, number, more} <= {s_slot, s_decrypt, s_number, s_more};
    end
    if (rst) busy <= 1'b0;
  end

  // Registers of the module, connected by the script.
  (* keep *) logic [3:0] words_q;
  (* keep *) logic [127:0] number_q;
  (* keep *) logic [15:0] more_q;
  (* keep *) logic decrypt_q, follows_q, go_q;

  always_comb begin
    assume (begun || rst);
    if (Cover) begin
      assert (!(seen && begin_valid));
    end else if (begun) begin
      // 1. A context has so many data units as it says.
      assert (next_valid == busy && s_ready == !busy);
      if (begin_valid) assert (busy);
      // 2. Each has its number encrypted, under the keys of its slot.
      if (busy) assert (next_slot == slot);
      if (begin_valid) assert (given_block == bytes && given_header == {slot, decrypt});
      // 3. Contexts leave as the cipher gives them.
      assert (m_valid == got_valid);
      assert (m_header == {got_header, got_error} && m_tweak == got_block);
      if (Steps) begin
        assert (words_q <= 4'd8);
        if (busy) begin
          assert (decrypt_q == decrypt && more_q == more);
          if (words_q == '0) assert (number_q == number);
        end
        if (go_q) assert (busy && words_q == '0 && follows_q == (more_q != '0));
      end
    end
  end
endmodule

`default_nettype wire
