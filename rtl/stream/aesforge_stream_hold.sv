// SPDX-License-Identifier: Apache-2.0
// Store and forward for interleaved streams: no beat of a packet leaves before its last beat has
// come without an error. A packet with an error, or one that is too long, becomes one beat of zeros
// with the error flag. Whole packets leave, one after another, in the order in which they ended.
// Latency 6 cycles from the last beat to the first one out; one beat per cycle, and of one stream
// every other cycle.
`default_nettype none

module aesforge_stream_hold #(
    parameter int unsigned DataBits = 8,  // [1 or more] bits of a beat that an error sets to zero
    parameter int unsigned SideBits = 1,  // [1 or more] bits of a beat that an error keeps
    parameter int unsigned Streams = 4,  // [1 to 256] streams that may have a packet open
    // [a power of two from 8 on] places of each stream in the RAM, which has 2^`StreamBits` times
    // as many: packets of up to `Depth` - 4 beats pass
    parameter int unsigned Depth = 128,
    localparam int unsigned StreamBits = Streams > 1 ? $clog2(Streams) : 1
) (
    input  logic                  clk,  // clock
    input  logic                  rst,  // synchronous reset; 2^`StreamBits` cycles later beats pass
    // high for at least 2^`StreamBits` x `Depth` + 5 cycles: accepts nothing, discards all beats
    // and overwrites them with zeros
    input  logic                  zeroize,
    input  logic                  s_valid,  // a beat is present
    // it is accepted; depends on `s_stream` in the same cycle
    output logic                  s_ready,
    input  logic [StreamBits-1:0] s_stream,  // its stream; all values are legal
    input  logic [  DataBits-1:0] s_data,  // beat in: what an error sets to zero
    input  logic [  SideBits-1:0] s_side,  // beat in: what is kept
    input  logic                  s_last,  // the packet ends with this beat
    input  logic                  s_error,  // in a last beat: the packet is an error
    output logic                  m_valid,  // a beat is at the output
    input  logic                  m_ready,  // it is accepted
    output logic [StreamBits-1:0] m_stream,  // its stream; all outputs stay until it is accepted
    output logic [  DataBits-1:0] m_data,  // beat out
    output logic [  SideBits-1:0] m_side,  // of the same beat; after an error, of the last beat
    output logic                  m_last,  // the packet ends with this beat
    output logic                  m_error  // the beat stands for a packet with an error
);
  localparam int unsigned PlaceBits = $clog2(Depth);
  localparam int unsigned AddressBits = StreamBits + PlaceBits;
  localparam int unsigned Width = DataBits + SideBits;
  // Packets that have ended and wait to leave.
  localparam int unsigned OrderBits = 4;

  if (Depth < 8 || 2 ** PlaceBits != Depth) begin : gen_bad_depth
    $error("depth must be a power of two, at least 8");
  end
  if (Streams == 0 || Streams > 256) begin : gen_bad_streams
    $error("streams must be 1 to 256");
  end

  // After a reset, and while zeroizing, the pointers of all streams become 0 in turn.
  logic walk, clean_q;
  logic [AddressBits-1:0] walk_q;
  assign walk = zeroize || !clean_q;
  always_ff @(posedge clk) begin
    if (walk) walk_q <= walk_q + 1'b1;
    if (walk && walk_q[StreamBits-1:0] == '1) clean_q <= 1'b1;
    if (rst) begin
      walk_q  <= '0;
      clean_q <= 1'b0;
    end
  end

  // The beats of a stream in the RAM are those from its read pointer up to commit, which may leave,
  // and those of the open packet, from there up to write. The pointers are looked up a cycle before
  // they are used: the next beat of the same stream waits for them. A beat that finds no place
  // looks again every other cycle; what holds its place is whole packets, which leave.
  logic take, go, full, again_q, put_q, last_q, error_q, long_q, orders_full;
  logic [StreamBits-1:0] stream_q, look;
  logic [DataBits-1:0] data_q;
  logic [SideBits-1:0] side_q;
  logic [PlaceBits-1:0] write_q, commit_q, read_q, used;
  logic [2*PlaceBits:0] states[0:2**StreamBits-1];
  logic [PlaceBits-1:0] reads[0:2**StreamBits-1];
  assign look = again_q ? stream_q : s_stream;
  assign used = write_q - read_q;
  assign full = used >= PlaceBits'(Depth - 4) || orders_full;
  assign go = put_q && !again_q && !full;
  assign s_ready = !walk && (!put_q || (go && s_stream != stream_q));
  assign take = s_valid && s_ready;
  always_ff @(posedge clk) begin
    put_q   <= take || (put_q && !go);
    again_q <= put_q && !again_q && full;
    if (take) begin
      {stream_q, last_q, error_q} <= {s_stream, s_last, s_last && s_error};
      {data_q, side_q} <= {s_data, s_side};
    end
    if (take || again_q) begin
      {write_q, commit_q, long_q} <= states[look];
      read_q <= reads[look];
    end
    if (zeroize) {data_q, side_q} <= '0;
    if (rst || zeroize) {put_q, again_q} <= '0;
  end

  // Where the beat goes. An error overwrites the first beat of its packet. Of a packet that is too
  // long, only the last beat is stored.
  logic bad, too_long;
  logic [PlaceBits-1:0] place, next, length;
  logic [2*PlaceBits:0] state;
  assign bad = error_q || long_q;
  assign place = bad ? commit_q : write_q;
  assign next = place + 1'b1;
  assign length = write_q - commit_q;
  assign too_long = long_q || length == PlaceBits'(Depth - 5);
  always_comb begin
    if (last_q) state = {next, next, 1'b0};
    else if (too_long) state = {commit_q, commit_q, 1'b1};
    else state = {next, commit_q, 1'b0};
  end
  logic store_q;
  logic [AddressBits-1:0] address_q;
  logic [Width-1:0] word_q;
  (* no_rw_check *)
  logic [Width-1:0] memory[0:2**AddressBits-1];
  always_ff @(posedge clk) begin
    if (walk || go) states[walk?walk_q[StreamBits-1:0] : stream_q] <= walk ? '0 : state;
    store_q   <= (go && (last_q || !long_q)) || zeroize;
    address_q <= zeroize ? walk_q : {stream_q, place};
    word_q    <= {data_q, side_q};
    if (bad) word_q[Width-1-:DataBits] <= '0;
    if (store_q) memory[address_q] <= word_q;
    if (rst) store_q <= 1'b0;
  end

  // Packets that have ended, in their order: stream, first place, place after the last one, and
  // whether the beat there stands for an error.
  localparam int unsigned OrderWidth = StreamBits + 2 * PlaceBits + 1;
  logic orders_some, load;
  logic [OrderBits-1:0] order_write_q, order_read_q, orders_used;
  logic [OrderWidth-1:0] orders[0:2**OrderBits-1];
  assign orders_used = order_write_q - order_read_q;
  assign orders_full = orders_used == '1;
  assign orders_some = orders_used != '0;
  always_ff @(posedge clk) begin
    if (go && last_q) begin
      orders[order_write_q] <= {stream_q, commit_q, next, bad};
      order_write_q <= order_write_q + 1'b1;
    end
    if (load) order_read_q <= order_read_q + 1'b1;
    if (rst || zeroize) {order_write_q, order_read_q} <= '0;
  end

  // Beats out. A word is in the RAM in the cycle in which its packet's first beat can be read.
  logic busy_q, leave, end_now, leave_error_q;
  logic [StreamBits-1:0] leave_stream_q;
  logic [PlaceBits-1:0] leave_place_q, leave_end_q, after;
  logic first_valid_q, second_valid_q, first_take, second_take, out_ready;
  logic [Width-1:0] first_q, second_q;
  logic [StreamBits+1:0] first_mark_q, second_mark_q;
  assign after = leave_place_q + 1'b1;
  assign end_now = after == leave_end_q;
  assign second_take = !second_valid_q || out_ready;
  assign first_take = !first_valid_q || second_take;
  assign leave = busy_q && first_take;
  assign load = orders_some && (!busy_q || (leave && end_now));
  always_ff @(posedge clk) begin
    if (leave) begin
      busy_q <= !end_now;
      leave_place_q <= after;
    end
    if (load) begin
      busy_q <= 1'b1;
      {leave_stream_q, leave_place_q, leave_end_q, leave_error_q} <= orders[order_read_q];
    end
    if (walk || leave) begin
      reads[walk?walk_q[StreamBits-1:0] : leave_stream_q] <= walk ? '0 : after;
    end
    // Without a beat the data are not used: while zeroizing, address 0 is read repeatedly.
    if (first_take) begin
      first_q <= memory[{leave_stream_q, leave_place_q}];
      first_mark_q <= {leave_stream_q, end_now, leave_error_q};
      first_valid_q <= busy_q;
    end
    if (second_take) begin
      second_q <= first_q;
      second_mark_q <= first_mark_q;
      second_valid_q <= first_valid_q;
    end
    if (rst || zeroize) begin
      {busy_q, first_valid_q, second_valid_q} <= '0;
      {leave_stream_q, leave_place_q} <= '0;
    end
  end

  aesforge_axis_slice #(
      .Width(Width + StreamBits + 2)
  ) u_out (
      .clk,
      .rst,
      .zeroize,
      .s_valid(second_valid_q),
      .s_ready(out_ready),
      .s_data({second_q, second_mark_q}),
      .m_valid,
      .m_ready,
      .m_data({m_data, m_side, m_stream, m_last, m_error})
  );
endmodule

`default_nettype wire
