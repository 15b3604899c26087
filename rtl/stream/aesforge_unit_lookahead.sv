// SPDX-License-Identifier: Apache-2.0
// Delays the beats of a data unit until the next one is present, so that the last whole block is
// known before part of a block follows; checks how many blocks the unit has. Latency 2 cycles from
// the next beat, 1 more for the last; one beat per cycle.
`default_nettype none

module aesforge_unit_lookahead #(
    parameter int unsigned Width = 8,  // [1 or more] bits of a beat without `keep` and end mark
    parameter int unsigned Blocks = 1,  // [a power of two] blocks of a beat
    // [1 or more] a data unit has at most 2^UnitBits blocks, and those are whole beats
    parameter int unsigned UnitBits = 20,
    parameter bit Stealing = 1'b1  // [0, 1] 1: a data unit may end in part of a block
) (
    input  logic                 clk,  // clock
    input  logic                 rst,  // synchronous reset
    input  logic                 zeroize,  // discards both beats, which then read as zeros
    input  logic                 s_valid,  // a beat is present
    output logic                 s_ready,  // it is accepted
    input  logic [    Width-1:0] s_data,  // beat in
    input  logic [16*Blocks-1:0] s_keep,  // its `tkeep`, bit 0 for byte 0
    input  logic                 s_last,  // the data unit ends with this beat
    output logic                 m_valid,  // a beat is at the output
    input  logic                 m_ready,  // it is accepted
    output logic [    Width-1:0] m_data,  // beat out
    output logic [16*Blocks-1:0] m_keep,  // `s_keep` of the beat
    output logic                 m_last,  // `s_last` of the beat
    // the last beat follows, and its first block is part of one
    output logic                 m_steals,
    // the unit has less than a block, or these are blocks too many
    output logic                 m_error
);
  localparam int unsigned KeepBits = 16 * Blocks;
  localparam int unsigned CountBits = UnitBits - $clog2(Blocks);

  // The beat that comes next, and what its `tkeep` says of its first block. One with holes has no
  // part of a block: it is an error for aesforge_packet_check.
  logic next_valid, next_ready, next_last, next_full, next_part, next_over;
  logic [Width-1:0] next_data;
  logic [KeepBits-1:0] next_keep;
  aesforge_axis_slice #(
      .Width(Width + KeepBits + 3)
  ) u_slice (
      .clk,
      .rst,
      .zeroize,
      .s_valid,
      .s_ready,
      .s_data({
        s_data,
        s_keep,
        s_last,
        s_keep[15:0] == '1,
        s_last && s_keep[0] && !s_keep[15] && ((s_keep >> 1) & ~s_keep) == '0
      }),
      .m_valid(next_valid),
      .m_ready(next_ready),
      .m_data({next_data, next_keep, next_last, next_full, next_part})
  );

  // Beats of the unit before that one; none is counted after 2^UnitBits blocks.
  logic [CountBits:0] count_q;
  logic first_q, held_q, take;
  assign next_over = count_q[CountBits] && next_keep[0];
  assign m_valid = held_q && (m_last || next_valid);
  assign m_steals = Stealing && !m_last && next_part && !next_over;
  assign next_ready = !held_q || (m_valid && m_ready);
  assign take = next_valid && next_ready;
  always_ff @(posedge clk) begin
    if (next_ready) begin
      held_q <= next_valid;
      {m_data, m_keep, m_last} <= {next_data, next_keep, next_last};
      m_error <= next_over || (next_last && !next_full && first_q);
    end
    if (take) begin
      first_q <= next_last;
      count_q <= next_last ? '0 : count_q + (CountBits + 1)'(!count_q[CountBits]);
    end
    if (zeroize) m_data <= '0;
    if (rst || zeroize) begin
      held_q  <= 1'b0;
      count_q <= '0;
      first_q <= 1'b1;
    end
  end
endmodule

`default_nettype wire
