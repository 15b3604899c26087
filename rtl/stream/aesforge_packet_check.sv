// SPDX-License-Identifier: Apache-2.0
// Checks tkeep: no holes, all ones before the last beat, and whole blocks in the last beat unless
// the mode allows any length.
// Latency 1 or 2 cycles, one beat per cycle.
`default_nettype none

module aesforge_packet_check #(
    parameter int unsigned Bytes = 16,  // [1 or more] bytes of a beat
    parameter int unsigned BlockBytes = 16,  // [a divisor of `Bytes`] bytes of a block
    parameter int unsigned Stages = 1  // [1, 2] flip-flops between `s_keep` and `error`
) (
    input  logic             clk,  // clock
    // a beat is present; otherwise the first stage keeps the one before
    input  logic             s_valid,
    input  logic [Bytes-1:0] s_keep,  // its `tkeep`, bit 0 for byte 0
    // the same beat, `Stages` cycles later: its first byte is kept
    input  logic             first_keep,
    input  logic             last,  // the same beat: it is the last of its packet
    input  logic             partial,  // the same beat: its packet may end in part of a block
    output logic             error  // the beat's `tkeep` is not legal
);
  if (Bytes % BlockBytes != 0) begin : gen_bad_bytes
    $error("a beat must hold whole blocks");
  end
  if (Stages < 1 || Stages > 2) begin : gen_bad_stages
    $error("stages must be 1 or 2");
  end

  logic hole, full, part;
  always_comb begin
    hole = ((s_keep >> 1) & ~s_keep) != '0;
    full = s_keep == '1;
    part = 1'b0;
    for (int i = 0; i < Bytes; i += BlockBytes) begin
      if (s_keep[i] != s_keep[i+BlockBytes-1]) part = 1'b1;
    end
  end

  logic hole_q, full_q, part_q, beat_hole, beat_full, beat_part;
  always_ff @(posedge clk) if (s_valid) {hole_q, full_q, part_q} <= {hole, full, part};
  if (Stages == 1) begin : gen_one
    assign {beat_hole, beat_full, beat_part} = {hole_q, full_q, part_q};
  end else begin : gen_two
    always_ff @(posedge clk) {beat_hole, beat_full, beat_part} <= {hole_q, full_q, part_q};
  end

  // A beat of one block is partial if it is not full and its first byte is valid.
  assign error = beat_hole || (!beat_full
      && (!last || ((Bytes == BlockBytes ? first_keep : beat_part) && !partial)));
endmodule

`default_nettype wire
