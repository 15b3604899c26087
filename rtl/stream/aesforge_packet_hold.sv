// SPDX-License-Identifier: Apache-2.0
// Store and forward: no beat of a packet leaves before its last beat has come without an error.
// A packet with an error, or one that is too long, becomes one beat of zeros with the error flag.
// Latency 6 cycles from the last beat to the first one out, one beat per cycle.
`default_nettype none

module aesforge_packet_hold #(
    parameter int unsigned DataBits = 8,  // [1 or more] bits of a beat that an error sets to zero
    parameter int unsigned SideBits = 1,  // [1 or more] bits of a beat that an error keeps
    // [a power of two from 8 on] places in the RAM: packets of up to `Depth` - 4 beats pass
    parameter int unsigned Depth = 256,
    // [a divisor of `DataBits`] parts of the RAM, each with a read port of its own: no net has to
    // reach all of it
    parameter int unsigned Parts = 1
) (
    input  logic                clk,  // clock
    input  logic                rst,  // synchronous reset
    // high for at least `Depth` + 5 cycles: accepts nothing from the next cycle on, discards all
    // beats and overwrites them with zeros
    input  logic                zeroize,
    input  logic                s_valid,  // a beat is present
    output logic                s_ready,  // it is accepted
    input  logic [DataBits-1:0] s_data,  // beat in: what an error sets to zero
    input  logic [SideBits-1:0] s_side,  // beat in: what is kept
    input  logic                s_last,  // the packet ends with this beat
    input  logic                s_error,  // in a last beat: the packet is an error
    output logic                m_valid,  // a beat is at the output
    input  logic                m_ready,  // it is accepted
    output logic [DataBits-1:0] m_data,  // beat out; all outputs stay until it is accepted
    output logic [SideBits-1:0] m_side,  // of the same beat; after an error, of the last beat
    output logic                m_last,  // the packet ends with this beat
    output logic                m_error  // the beat stands for a packet with an error
);
  localparam int unsigned PlaceBits = $clog2(Depth);
  localparam int unsigned Width = DataBits + SideBits + 2;

  if (Depth < 8 || 2 ** PlaceBits != Depth) begin : gen_bad_depth
    $error("depth must be a power of two, at least 8");
  end
  if (Parts == 0 || DataBits % Parts != 0) begin : gen_bad_parts
    $error("parts must divide the bits of data");
  end

  // The beats in the RAM are those from the read pointer up to commit_q, which may leave, and those
  // of the open packet, from there up to write_q.
  logic [PlaceBits-1:0] write_q, commit_q, used_q;
  logic zeroize_q;

  // Beats in. used_q lacks the beats of three cycles and of the one that s_ready
  // is for: one place stays free.
  logic put_q, last_q, error_q;
  logic [DataBits-1:0] data_q;
  logic [SideBits-1:0] side_q;
  always_ff @(posedge clk) begin
    put_q <= s_valid && s_ready;
    {data_q, side_q, last_q, error_q} <= {s_data, s_side, s_last, s_last && s_error};
    used_q <= write_q - gen_part[0].read_q;
    s_ready <= used_q < PlaceBits'(Depth - 4);
    if (zeroize) {data_q, side_q, last_q, error_q} <= '0;
    zeroize_q <= zeroize;
    if (rst || zeroize || zeroize_q) used_q <= '0;
    if (rst || zeroize) {put_q, s_ready} <= '0;
    if (rst) zeroize_q <= 1'b0;
  end

  // Where the beat goes. An error overwrites the first beat of its packet. length_q is 5 more than
  // the beats of the open packet before this one: its top bit says that only a last beat may come.
  logic bad, long_q;
  logic [PlaceBits:0] length_q;
  logic [PlaceBits-1:0] place, write_next, commit_next, next;
  // Of a packet that is too long, only the last beat is stored.
  assign bad = error_q || long_q;
  assign place = bad ? commit_q : write_q;
  // place + 1, with nothing before the carry chains.
  assign write_next = write_q + 1'b1;
  assign commit_next = commit_q + 1'b1;
  assign next = bad ? commit_next : write_next;
  // The write port.
  logic store_q;
  logic [PlaceBits-1:0] place_q;
  logic [Width-1:0] word_q;
  always_ff @(posedge clk) begin
    if (put_q && last_q) begin
      {write_q, commit_q} <= {next, next};
      length_q <= (PlaceBits + 1)'(5);
      long_q <= 1'b0;
    end else if (put_q && !long_q) begin
      write_q  <= length_q[PlaceBits] ? commit_q : write_next;
      length_q <= length_q + 1'b1;
      long_q   <= length_q[PlaceBits];
    end
    store_q <= (put_q && (last_q || !long_q)) || zeroize;
    place_q <= place;
    word_q  <= {data_q, side_q, last_q, bad};
    if (bad) word_q[Width-1-:DataBits] <= '0;
    if (zeroize) begin
      write_q <= write_q + 1'b1;
      word_q  <= '0;
    end
    // All pointers are 0 after zeroization.
    if (rst || (zeroize_q && !zeroize)) write_q <= '0;
    if (rst || zeroize) begin
      commit_q <= '0;
      length_q <= (PlaceBits + 1)'(5);
      long_q   <= 1'b0;
    end
    if (rst) store_q <= 1'b0;
  end

  // Beats out, as in aesforge_axis_queue. No read has the address of a write in the same cycle: a
  // word is in the RAM in the cycle in which some_q tells of it. The first part has the low bits of
  // the data and all else; all parts do the same in each cycle.
  localparam int unsigned PartBits = DataBits / Parts;
  localparam int unsigned FirstBits = Width - PartBits * (Parts - 1);
  for (genvar p = 0; p < Parts; p++) begin : gen_part
    localparam int unsigned Bits = p == 0 ? FirstBits : PartBits;
    localparam int unsigned Low = p == 0 ? 0 : FirstBits + PartBits * (p - 1);
    (* no_rw_check *)
    logic [Bits-1:0] memory[0:Depth-1];
    // after_q is the place after read_q.
    logic [PlaceBits-1:0] read_q, after_q;
    logic [Bits-1:0] first_q, second_q, out;
    logic some_q, first_valid_q, second_valid_q, first_take, second_take, slice_ready, leave;
    logic out_valid;
    assign second_take = !second_valid_q || slice_ready;
    assign first_take = !first_valid_q || second_take;
    assign leave = some_q && first_take;
    always_ff @(posedge clk) begin
      if (store_q) memory[place_q] <= word_q[Low+:Bits];
      // Without a word the data are not used: while zeroizing, address 0 is read repeatedly.
      if (first_take) first_q <= memory[read_q];
      if (second_take) second_q <= first_q;
      if (first_take) first_valid_q <= some_q;
      if (second_take) second_valid_q <= first_valid_q;
      if (leave) begin
        read_q  <= after_q;
        after_q <= after_q + 1'b1;
      end
      some_q <= leave ? commit_q != after_q : commit_q != read_q;
      if (rst || zeroize) begin
        {some_q, first_valid_q, second_valid_q} <= '0;
        read_q  <= '0;
        after_q <= PlaceBits'(1);
      end
    end

    aesforge_axis_slice #(
        .Width(Bits)
    ) u_slice (
        .clk,
        .rst,
        .zeroize,
        .s_valid(second_valid_q),
        .s_ready(slice_ready),
        .s_data(second_q),
        .m_valid(out_valid),
        .m_ready,
        .m_data(out)
    );
    if (p == 0) begin : gen_out
      assign m_valid = out_valid;
      assign {m_data[PartBits-1:0], m_side, m_last, m_error} = out;
    end else begin : gen_out
      assign m_data[PartBits*p+:PartBits] = out;
      logic unused_ok;
      assign unused_ok = &{1'b0, out_valid};
    end
  end
endmodule

`default_nettype wire
