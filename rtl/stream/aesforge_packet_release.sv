// SPDX-License-Identifier: Apache-2.0
// Text of a packet leaves an engine that checks tags at once, marked by the error flag, or is
// withheld until its tag has been made or found right.
`default_nettype none

module aesforge_packet_release #(
    parameter int unsigned DataBits = 128,  // [1 or more] bits of a beat that an error sets to zero
    parameter int unsigned SideBits = 1,  // [1 or more] bits of a beat that an error keeps
    // [0, or a power of two from 8 on] 0: beats leave at once; else places of withheld beats
    parameter int unsigned HoldBeats = 0,
    parameter int unsigned Parts = 1  // [a divisor of `DataBits`] see aesforge_packet_hold
) (
    input  logic                clk,  // clock
    input  logic                rst,  // synchronous reset
    // high for at least `HoldBeats` + 5 cycles: discards all beats and overwrites them with zeros
    input  logic                zeroize,
    input  logic                s_valid,  // a beat is present
    output logic                s_ready,  // it is accepted
    input  logic [DataBits-1:0] s_data,  // beat in: what an error sets to zero
    input  logic [SideBits-1:0] s_side,  // beat in: what is kept
    input  logic                s_last,  // the packet ends with this beat
    input  logic                s_error,  // the packet is an error; if withheld: in a last beat
    output logic                m_valid,  // a beat is at the output
    input  logic                m_ready,  // it is accepted
    output logic [DataBits-1:0] m_data,  // beat out
    output logic [SideBits-1:0] m_side,  // of the same beat
    output logic                m_last,  // the packet ends with this beat
    output logic                m_error  // the error flag
);
  if (HoldBeats == 0) begin : gen_flagged
    assign s_ready = m_ready;
    assign m_valid = s_valid;
    assign m_data  = s_data;
    assign m_side  = s_side;
    assign m_last = s_last;
    assign m_error = s_error;

    logic unused_ok;
    assign unused_ok = &{1'b0, clk, rst, zeroize};
  end else begin : gen_withheld
    // A copy beside the buffer: `zeroize` comes from afar.
    logic zeroize_q;
    always_ff @(posedge clk) zeroize_q <= zeroize && !rst;
    aesforge_packet_hold #(
        .DataBits(DataBits),
        .SideBits(SideBits),
        .Depth(HoldBeats),
        .Parts(Parts)
    ) u_hold (
        .clk,
        .rst,
        .zeroize(zeroize_q),
        .s_valid,
        .s_ready,
        .s_data,
        .s_side,
        .s_last,
        .s_error,
        .m_valid,
        .m_ready,
        .m_data,
        .m_side,
        .m_last,
        .m_error
    );
  end
endmodule

`default_nettype wire
