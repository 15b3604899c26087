// SPDX-License-Identifier: Apache-2.0
// Holds two contexts for the next packets: enough for back-to-back packets of one beat. The header
// of the next context is at the output; payloads are in RAM and are read by their place.
// Latency 1 cycle, one context per cycle.
`default_nettype none

module aesforge_context_fifo #(
    // [1 or more] bits of the header, which decides before the packet begins
    parameter int unsigned HeaderBits = 2,
    // [1 or more] bits of the payload, which only travels with the beats
    parameter int unsigned PayloadBits = 8
) (
    input  logic                   clk,  // clock
    input  logic                   rst,  // synchronous reset
    // high for at least 5 cycles and one for every 32 bits of payload: discards all contexts; then
    // all places of the RAM are zero
    input  logic                   zeroize,
    input  logic                   s_valid,  // a context is present
    output logic                   s_ready,  // it is accepted
    input  logic [ HeaderBits-1:0] s_header,  // header of the context
    input  logic [PayloadBits-1:0] s_payload,  // payload of the context
    output logic                   m_valid,  // a context is at the output
    input  logic                   m_ready,  // the context at the output leaves, if there is one
    output logic [ HeaderBits-1:0] m_header,  // header of the context
    output logic [            1:0] m_place,  // the place of its payload
    input  logic [            1:0] place,  // the place to read
    // payload at `place`: valid from the cycle after its context left until the next one leaves
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

  // Written in every cycle, which saves the fan-out of an enable. Two contexts wait, one is in use,
  // and the fourth place is free for the next.
  (* no_rw_check *)
  logic [PayloadBits-1:0] payloads[0:3];
  logic [PayloadBits-1:0] payload_q;
  logic [1:0] write_delayed_q, write_q;
  // A flip-flop for each 32 bits, as placement spreads them over the device: no net has to reach
  // all of a payload. They rise one after another, so that synthesis cannot merge them. `zeroize`
  // is ANDed into their data: where it selects, it becomes their reset, through two look-up tables.
  localparam int unsigned Groups = (PayloadBits + 31) / 32;
  logic [Groups-1:0] zeroize_q;
  assign payload = payloads[place];
  always_ff @(posedge clk) begin
    zeroize_q <= {Groups{zeroize}} & Groups'({zeroize_q, 1'b1});
    payload_q <= s_payload;
    write_delayed_q <= write_q;
    payloads[write_delayed_q] <= payload_q;
    if ((s_valid && s_ready) || zeroize) write_q <= write_q + 1'b1;
    if (m_ready && m_valid) m_place <= m_place + 1'b1;
    // The slice accepts nothing in the cycle after `zeroize`.
    for (int i = 0; i < PayloadBits; i++) if (zeroize_q[i/32]) payload_q[i] <= 1'b0;
    if (zeroize) m_place <= write_q + 1'b1;
    if (rst) {write_q, m_place, zeroize_q} <= '0;
  end
endmodule

`default_nettype wire
