// SPDX-License-Identifier: Apache-2.0
// Checks the beats of interleaved packets of additional authenticated data, text and a tag against
// the lengths that their contexts give. Latency 3 cycles; one beat per cycle.
`default_nettype none

module aesforge_length_check #(
    // [1 to 256] streams that may have a packet open: `tid` 0 to `Streams` - 1
    parameter int unsigned Streams = 16,
    localparam int unsigned StreamBits = Streams > 1 ? $clog2(Streams) : 1
) (
    input  logic                  clk,  // clock
    // stream of the beat that may be present in the next cycle
    input  logic [StreamBits-1:0] head_stream,
    input  logic                  beat_valid,  // a beat is present; its first byte is kept
    // its stream; that stream's next beat comes 4 cycles later at the earliest
    input  logic [StreamBits-1:0] beat_stream,
    input  logic                  beat_first,  // first beat of its packet
    input  logic                  beat_last,  // last beat of its packet: the tag
    input  logic                  beat_aad,  // it is marked as additional authenticated data
    input  logic [          15:0] beat_keep,  // a bit for each byte, bit 0 for byte 0
    input  logic [          31:0] beat_aad_bytes,  // length of the associated data
    input  logic [          31:0] beat_text_bytes,  // length of the text
    input  logic [           4:0] beat_tag_bytes,  // length of the tag
    // the stream asked about, 2 cycles after its beat or later
    input  logic [StreamBits-1:0] look_stream,
    output logic                  look_end,  // its last beat ended a section; a cycle later
    // its last beat, or one before it in the packet, is not what the lengths say; a cycle later
    output logic                  look_error
);
  // What must follow in each stream's packet: whole blocks and bytes of the section, and whether an
  // error came before.
  localparam int unsigned StateBits = 2 + 32;
  logic [StateBits-1:0] states[0:Streams-1];
  logic [StateBits-1:0] state_q, due;
  assign due = !beat_first ? state_q : beat_aad_bytes != '0 ? {2'b01, beat_aad_bytes}
      : {2'b00, beat_text_bytes};

  logic due_valid_q, due_bad_q, due_aad_q, due_last_q, due_mark_q;
  logic [StreamBits-1:0] due_stream_q;
  logic [27:0] due_blocks_q;
  logic [3:0] due_bytes_q;
  logic [15:0] due_keep_q;
  logic [31:0] due_text_q;
  logic [4:0] due_tag_q;
  always_ff @(posedge clk) begin
    state_q <= states[head_stream];
    due_valid_q <= beat_valid;
    due_stream_q <= beat_stream;
    {due_bad_q, due_aad_q, due_blocks_q, due_bytes_q} <= due;
    {due_last_q, due_mark_q, due_keep_q} <= {beat_last, beat_aad, beat_keep};
    {due_text_q, due_tag_q} <= {beat_text_bytes, beat_tag_bytes};
  end

  // The beat due: a full one, the end of its section, or the tag.
  logic full, tag;
  assign full = due_blocks_q != '0;
  assign tag  = !full && due_bytes_q == '0;

  logic valid_q, bad_q, aad_q, end_q, tag_q, other_q;
  logic [StreamBits-1:0] stream_q;
  logic [4:0] size_q;
  logic [15:0] keep_q;
  logic [27:0] blocks_q;
  logic [3:0] bytes_q;
  logic [31:0] text_q;
  always_ff @(posedge clk) begin
    {valid_q, stream_q, bad_q, aad_q} <= {due_valid_q, due_stream_q, due_bad_q, due_aad_q};
    tag_q <= tag;
    end_q <= !tag && (!full || (due_blocks_q == 28'd1 && due_bytes_q == '0));
    // Another section, or an end of the packet before or after its tag.
    other_q <= due_mark_q != due_aad_q || due_last_q != tag;
    size_q <= tag ? due_tag_q : full ? 5'd16 : {1'b0, due_bytes_q};
    blocks_q <= due_blocks_q - 28'd1;
    {keep_q, bytes_q, text_q} <= {due_keep_q, due_bytes_q, due_text_q};
  end

  logic [15:0] due_keep;
  logic bad;
  always_comb for (int i = 0; i < 16; i++) due_keep[i] = size_q > 5'(i);
  assign bad = bad_q || other_q || keep_q != due_keep;

  logic [1:0] verdicts[0:Streams-1];
  always_ff @(posedge clk) begin
    if (valid_q) begin
      states[stream_q] <= {
        bad,
        aad_q && !end_q,
        !end_q && !tag_q ? {blocks_q, bytes_q} : end_q && aad_q ? text_q : 32'd0
      };
      verdicts[stream_q] <= {end_q, bad};
    end
    {look_end, look_error} <= valid_q && stream_q == look_stream ? {end_q, bad}
        : verdicts[look_stream];
  end
endmodule

`default_nettype wire
