// SPDX-License-Identifier: Apache-2.0
// Contexts wait here for their packets, two at a time: packets of one beat run back to back. The
// header of the next context stands at the output; payloads lie in RAM and are read by place.
// Latency 1 cycle, one context per cycle.
`default_nettype none

module aesforge_context_fifo #(
    // bits of a context that decide before its packet begins, and that only travel with its beats
    parameter int unsigned HeaderBits = 2,
    parameter int unsigned PayloadBits = 8
) (
    input  logic                   clk,
    input  logic                   rst,
    // forgets all contexts; held for 5 cycles or more, after which all places of the RAM are zero
    input  logic                   zeroize,
    // context in
    input  logic                   s_valid,
    output logic                   s_ready,
    input  logic [ HeaderBits-1:0] s_header,
    input  logic [PayloadBits-1:0] s_payload,
    // next context out, and the place of its payload
    output logic                   m_valid,
    input  logic                   m_ready,
    output logic [ HeaderBits-1:0] m_header,
    output logic [            1:0] m_place,
    // payload at a place: good from the cycle after its context left to that in which the next does
    input  logic [            1:0] place,
    output logic [PayloadBits-1:0] payload
);
  aesforge_axis_slice #(
      .Width(HeaderBits)
  ) u_slice (
      .clk,
      .rst,
      .zeroize,
      .s_valid,
      .s_ready,
      .s_data(s_header),
      .m_valid,
      .m_ready,
      .m_data(m_header)
  );

  // Written in every cycle, so that no enable has to reach all bits. Two contexts wait, one is in
  // use, and the fourth place is the next one's.
  (* no_rw_check *)
  logic [PayloadBits-1:0] payloads[0:3];
  logic [PayloadBits-1:0] payload_q;
  logic [1:0] write_delayed_q, write_q;
  assign payload = payloads[place];
  always_ff @(posedge clk) begin
    payload_q <= s_payload;
    write_delayed_q <= write_q;
    payloads[write_delayed_q] <= payload_q;
    if ((s_valid && s_ready) || zeroize) write_q <= write_q + 1'b1;
    if (m_ready && m_valid) m_place <= m_place + 1'b1;
    if (zeroize) begin
      payload_q <= '0;
      m_place   <= write_q + 1'b1;
    end
    if (rst) {write_q, m_place} <= '0;
  end
endmodule

`default_nettype wire
