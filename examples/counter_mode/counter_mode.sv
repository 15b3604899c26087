// SPDX-License-Identifier: Apache-2.0
// Counter mode (NIST SP 800-38A Sec. 6.5) around one small core with stored keys: the smallest
// whole use of `aesforge_core`. A block of data every 10 cycles.
`default_nettype none

module counter_mode (
    input  logic         clk,
    input  logic         rst,
    // key in; a key for the other slot may be loaded while data run
    input  logic         key_valid,
    output logic         key_ready,
    input  logic         key_slot,
    input  logic [127:0] key,
    // start of a message: its first counter block and the slot of its key
    input  logic         start,
    input  logic         slot,
    input  logic [127:0] first_counter,
    // data in, and, in the same order, out
    input  logic         in_valid,
    output logic         in_ready,
    input  logic [127:0] in_data,
    output logic         out_valid,
    output logic [127:0] out_data
);
  logic [127:0] counter_q, keystream, tag;
  logic slot_q, core_ready;

  always_ff @(posedge clk) begin
    if (in_valid && in_ready) counter_q <= counter_q + 1'b1;
    if (start) begin
      counter_q <= first_counter;
      slot_q <= slot;
    end
  end

  // The data travel beside their counter, as its tag.
  aesforge_core #(
      .Unroll(1),
      .SboxStages(0),
      .LinearStages(1),
      .KeySlots(2),
      .TagBits(128)
  ) u_core (
      .clk,
      .rst,
      .zeroize(1'b0),
      .in_valid(in_valid && !start),
      .in_ready(core_ready),
      .in_block(counter_q),
      .in_key('0),
      .in_slot(slot_q),
      .in_decrypt(1'b0),
      .in_tag(in_data),
      .key_valid,
      .key_ready,
      .key_slot,
      .key,
      .out_valid,
      .out_block(keystream),
      .out_tag(tag)
  );
  assign in_ready = core_ready && !start;
  assign out_data = tag ^ keystream;
endmodule

`default_nettype wire
