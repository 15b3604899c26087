// SPDX-License-Identifier: Apache-2.0
// Checks the beats of a packet of additional authenticated data, text and a tag: the order of the
// sections, full beats before the last of each, no holes in tkeep, and the length of the tag.
// Latency 1 cycle, one beat per cycle.
`default_nettype none

module aesforge_section_check #(
    parameter int unsigned Bytes = 16  // [16 or more] bytes of a beat
) (
    input  logic             clk,  // clock
    input  logic             rst,  // synchronous reset
    // a beat is present; otherwise its `tkeep` stays
    input  logic             s_valid,
    input  logic [Bytes-1:0] s_keep,  // its `tkeep`, bit 0 for byte 0
    input  logic             s_first,  // it is the first of its packet
    // the length of that packet's tag, a bit each: 4, 8, 12, 13, 14, 15, 16 bytes
    input  logic [      6:0] s_tag_length,
    input  logic             valid,  // the beat before leaves the check
    input  logic             aad,  // it is marked as additional authenticated data
    input  logic             last,  // it is the last of its packet: the tag
    output logic             error  // it is not legal
);
  // It has more bytes than the longest tag.
  logic longer;
  assign longer = Bytes > 16 && s_keep[16%Bytes];

  logic [6:0] length, tag_length_q;
  assign length = {
    s_keep[15:11] & ~{longer, s_keep[15:12]}, s_keep[7] && !s_keep[8], s_keep[3] && !s_keep[4]
  };

  logic bad_q, full_q, fits_q, text_q, part_q, part_aad_q;
  always_ff @(posedge clk) begin
    if (s_valid) begin
      bad_q  <= ((s_keep >> 1) & ~s_keep) != '0 || !s_keep[0];
      full_q <= s_keep[Bytes-1];
      fits_q <= (length & (s_first ? s_tag_length : tag_length_q)) != '0;
      if (s_first) tag_length_q <= s_tag_length;
    end
    if (valid) begin
      text_q <= !last && (text_q || !aad);
      part_q <= !last && !full_q;
      part_aad_q <= aad;
    end
    if (rst) {text_q, part_q} <= '0;
  end
  assign error = bad_q || (last ? aad || !fits_q
      : (aad && text_q) || (part_q && part_aad_q == aad));
endmodule

`default_nettype wire
