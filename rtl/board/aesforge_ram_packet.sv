// SPDX-License-Identifier: Apache-2.0
// Sends bytes of a RAM through an engine as one packet of up to three sections, and writes the
// result over them. A beat takes 18 cycles in, and 16 out.
`default_nettype none

module aesforge_ram_packet #(
    parameter int unsigned Bytes = 1024,  // [a power of two from 32 on] bytes of the RAM
    localparam int unsigned IndexBits = $clog2(Bytes)
) (
    input  logic                 clk,  // clock
    input  logic                 rst,  // synchronous reset: the packet is given up
    input  logic                 zeroize,  // likewise; its beat then reads as zeros
    input  logic                 start,  // a packet begins; ignored while `busy`
    input  logic [IndexBits-1:0] first,  // address of its first byte
    // bytes of additional authenticated data, which are not written back; 0 to have none
    input  logic [         15:0] aad_length,
    input  logic [         15:0] text_length,  // bytes of text before the last section; 0: none
    // bytes of the last section, 0 or more: a tag, or the data of a packet without sections
    input  logic [         15:0] length,
    input  logic                 keep_last,  // the last section is written back
    output logic                 busy,  // until its result has been written
    output logic [         15:0] result_length,  // bytes written, from address 0 on
    output logic                 result_error,  // the engine set its error flag in a beat
    output logic                 moved,  // a beat was accepted, in or out
    output logic [IndexBits-1:0] read_index,  // address to read
    input  logic [          7:0] read_data,  // the byte, one cycle later
    output logic                 write,  // a byte is written
    output logic [IndexBits-1:0] write_index,  // its address, below those still to be read
    output logic [          7:0] write_data,  // the byte
    output logic                 s_axis_tvalid,  // to the engine: a beat is present
    input  logic                 s_axis_tready,  // it is accepted
    output logic [        127:0] s_axis_tdata,  // its bytes, byte 0 in bits 7 to 0
    output logic [         15:0] s_axis_tkeep,  // a bit for each byte
    output logic                 s_axis_tlast,  // the packet ends with this beat
    output logic                 s_axis_tuser,  // it is additional authenticated data
    input  logic                 m_axis_tvalid,  // of the engine: a beat is present
    output logic                 m_axis_tready,  // it is accepted
    input  logic [        127:0] m_axis_tdata,  // its bytes
    input  logic [         15:0] m_axis_tkeep,  // a bit for each byte
    input  logic                 m_axis_tlast,  // the packet ends with this beat
    // bits 1 and 0 of the engine's: additional authenticated data, and error
    input  logic [          1:0] m_axis_tuser
);
  if (Bytes < 32 || 1 << IndexBits != Bytes) begin : gen_bad_bytes
    $error("Bytes must be a power of two from 32 on");
  end

  // In: step i asks for byte i of the beat, and the next step takes it. Bytes after the section's
  // last one are zeros. Sections without bytes are left out, except the last.
  localparam logic [1:0] Aad = 2'd0, Text = 2'd1, End = 2'd2;
  logic sending_q, taking, kept_q;
  logic [4:0] step_q;
  logic [1:0] section_q;
  logic [15:0] left_q;  // bytes of the section not yet asked for
  logic [IndexBits-1:0] at_q;
  assign taking = step_q >= 5'd1 && step_q <= 5'd16;
  assign read_index = at_q;
  assign s_axis_tvalid = sending_q && step_q == 5'd17;
  assign s_axis_tlast = section_q == End && left_q == '0;
  assign s_axis_tuser = section_q == Aad;

  // Out: a byte per cycle, and the beat is accepted with its last.
  logic [3:0] out_step_q;
  logic out_last, out_kept;
  assign m_axis_tready = busy && m_axis_tvalid && out_step_q == 4'd15;
  assign out_last = m_axis_tready && m_axis_tlast;
  assign out_kept = m_axis_tlast ? keep_last : !m_axis_tuser[1];
  assign write = busy && m_axis_tvalid && m_axis_tkeep[out_step_q] && out_kept;
  assign write_index = IndexBits'(result_length);
  assign write_data = m_axis_tdata[8*out_step_q+:8];
  assign moved = (s_axis_tvalid && s_axis_tready) || m_axis_tready;

  always_ff @(posedge clk) begin
    if (step_q < 5'd16) begin
      kept_q <= left_q != '0;
      if (left_q != '0) begin
        left_q <= left_q - 1'b1;
        at_q <= at_q + 1'b1;
      end
    end
    if (taking) begin
      s_axis_tdata <= {kept_q ? read_data : 8'd0, s_axis_tdata[127:8]};
      s_axis_tkeep <= {kept_q, s_axis_tkeep[15:1]};
    end
    if (step_q != 5'd17) step_q <= step_q + 1'b1;
    else if (s_axis_tready) begin
      step_q <= '0;
      if (s_axis_tlast) sending_q <= 1'b0;
      else if (left_q == '0 && section_q == Aad && text_length != '0) begin
        section_q <= Text;
        left_q <= text_length;
      end else if (left_q == '0) begin
        section_q <= End;
        left_q <= length;
      end
    end
    if (write) result_length <= result_length + 1'b1;
    if (busy && m_axis_tvalid) begin
      out_step_q <= out_step_q + 1'b1;
      result_error <= result_error || m_axis_tuser[0];
    end
    if (out_last) busy <= 1'b0;
    if (!busy) begin
      busy <= start;
      sending_q <= start;
      step_q <= '0;
      section_q <= aad_length != '0 ? Aad : text_length != '0 ? Text : End;
      left_q <= aad_length != '0 ? aad_length : text_length != '0 ? text_length : length;
      at_q <= first;
      out_step_q <= '0;
      if (start) begin
        result_length <= '0;
        result_error <= 1'b0;
      end
    end
    if (rst || zeroize) begin
      busy <= 1'b0;
      sending_q <= 1'b0;
    end
    if (zeroize) begin
      s_axis_tdata <= '0;
      s_axis_tkeep <= '0;
    end
  end
endmodule

`default_nettype wire
