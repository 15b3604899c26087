// SPDX-License-Identifier: Apache-2.0
// aesforge_gcm_iv under any contexts, and zeroized at any time: each packet that is encrypted has
// the fixed field of its slot and a number of its own, so no IV comes twice after a reset (SP
// 800-38D Sec. 8.2.1); when the numbers are spent, there is none.
`default_nettype none

module prove_gcm_iv #(
    parameter int unsigned CountBits = 64,
    // 1: also that from which all this follows; without, only what the outside sees
    parameter bit Steps = 1'b1,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0
) (
    input logic         clk,
    input logic         rst,
    input logic         zeroize,
    input logic [ 63:0] iv_fixed,
    input logic         s_ctx_tvalid,
    input logic         s_ctx_slot,
    input logic [127:0] s_ctx_iv,
    input logic [  1:0] s_ctx_iv_kind,
    input logic         s_ctx_decrypt,
    input logic [  4:0] s_ctx_tag_bytes,
    input logic         m_ctx_tready,
    input logic         m_iv_tready,
    // the context that comes is the one whose IV is followed
    input logic         mark
);
  logic s_ctx_tready, m_ctx_tvalid, m_ctx_slot, m_ctx_decrypt, m_iv_tvalid, m_iv_tuser;
  logic [127:0] m_ctx_iv;
  logic [1:0] m_ctx_iv_kind;
  logic [4:0] m_ctx_tag_bytes;
  logic [95:0] m_iv_tdata;
  aesforge_gcm_iv #(
      .KeySlots (2),
      .CountBits(CountBits)
  ) u_iv (
      .clk,
      .rst,
      .zeroize,
      .iv_fixed,
      .s_ctx_tvalid,
      .s_ctx_tready,
      .s_ctx_slot,
      .s_ctx_iv,
      .s_ctx_iv_kind,
      .s_ctx_decrypt,
      .s_ctx_tag_bytes,
      .m_ctx_tvalid,
      .m_ctx_tready,
      .m_ctx_slot,
      .m_ctx_iv,
      .m_ctx_iv_kind,
      .m_ctx_decrypt,
      .m_ctx_tag_bytes,
      .m_iv_tvalid,
      .m_iv_tready,
      .m_iv_tdata,
      .m_iv_tuser
  );
  wire accept = s_ctx_tvalid && s_ctx_tready;

  // IVs that were given since the reset.
  logic [CountBits:0] given = '0;
  wire none = given[CountBits] || s_ctx_iv_kind != 2'd0;
  // Byte 0 is in the low bits: the fixed field, then the number, its highest byte first.
  logic [95:0] iv;
  wire [63:0] number = 64'(given[CountBits-1:0]);
  always_comb begin
    iv = '0;
    iv[31:0] = s_ctx_slot ? iv_fixed[63:32] : iv_fixed[31:0];
    for (int i = 0; i < 8; i++) iv[32+8*i+:8] = number[8*(7-i)+:8];
  end

  // What waits at the outputs, and the IV that is followed.
  logic context_waits = 1'b0, iv_waits = 1'b0, marked = 1'b0, later, begun = 1'b0, seen = 1'b0;
  logic slot, decrypt, refused;
  logic [127:0] context_iv;
  logic [1:0] kind;
  logic [4:0] tag_bytes;
  logic [95:0] own_iv, some_iv;
  logic [CountBits:0] some_number;
  always_ff @(posedge clk) begin
    begun <= 1'b1;
    if (m_ctx_tready) context_waits <= 1'b0;
    if (m_iv_tready) iv_waits <= 1'b0;
    if (accept) begin
      {context_waits, iv_waits} <= {1'b1, !s_ctx_decrypt};
      {slot, decrypt, tag_bytes} <= {s_ctx_slot, s_ctx_decrypt, s_ctx_tag_bytes};
      context_iv <= s_ctx_decrypt ? s_ctx_iv : {32'd0, iv};
      kind <= s_ctx_decrypt ? s_ctx_iv_kind : none ? 2'd3 : 2'd0;
      refused <= none;
      own_iv <= none ? '0 : iv;
      later <= marked;
      if (!s_ctx_decrypt && !none) begin
        given <= given + 1'b1;
        if (mark && !marked) begin
          marked <= 1'b1;
          {some_iv, some_number} <= {iv, given};
        end
      end
    end
    if (zeroize) {context_waits, iv_waits} <= '0;
    if (m_iv_tvalid && m_iv_tuser && given[CountBits]) seen <= 1'b1;
    if (m_iv_tvalid && !m_iv_tuser && CountBits > 8) seen <= 1'b1;
    if (rst) begin
      {context_waits, iv_waits, marked} <= '0;
      given <= '0;
    end
  end

  // Registers of the module, connected by the script.
  (* keep *) logic spent_q;
  (* keep *) logic [CountBits-1:0] count_q;

  always_comb begin
    assume (begun || rst);
    if (Cover) begin
      assert (!seen);
    end else if (begun) begin
      // 1. Each context leaves once, and the IV of one that encrypts; none is accepted before.
      assert (m_ctx_tvalid == context_waits && m_iv_tvalid == iv_waits);
      assert (s_ctx_tready == (!context_waits && !iv_waits));
      if (context_waits) begin
        assert (m_ctx_slot == slot && m_ctx_decrypt == decrypt && m_ctx_tag_bytes == tag_bytes);
        // 2. The IV is the one that comes, or the next number; without one the context is an error.
        assert (m_ctx_iv == context_iv && m_ctx_iv_kind == kind);
      end
      if (iv_waits) assert (m_iv_tdata == own_iv && m_iv_tuser == refused);
      // 3. The IV that is followed comes no second time.
      if (iv_waits && !refused && later) assert (m_iv_tdata != some_iv);
      if (context_waits && !decrypt && kind == 2'd0 && later) begin
        assert (m_ctx_iv[95:0] != some_iv);
      end
      if (Steps) begin
        assert ({spent_q, count_q} == given);
        if (marked) assert (some_number < given && !some_number[CountBits]);
        for (int i = 0; i < 8; i++) begin
          if (marked) begin
            assert (some_iv[32+8*i+:8] == 8'(64'(some_number[CountBits-1:0]) >> (8 * (7 - i))));
          end
        end
      end
    end
  end
endmodule

`default_nettype wire
