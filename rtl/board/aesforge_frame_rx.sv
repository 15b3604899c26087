// SPDX-License-Identifier: Apache-2.0
// Finds frames in the bytes of a UART and checks them (docs/boards/uart.md). Takes a byte in any
// cycle. Latency 1 cycle from a frame's last byte.
`default_nettype none

module aesforge_frame_rx #(
    parameter int unsigned MostBytes = 1024,  // [2 to 65535] most bytes of a payload
    // [2 or more] cycles without a byte after which a frame is cut off, or an error is over
    parameter int unsigned TimeoutCycles = 2_500_000,
    localparam int unsigned IndexBits = $clog2(MostBytes)
) (
    input  logic                 clk,  // clock
    input  logic                 rst,  // synchronous reset
    input  logic                 listen,  // a frame may begin; if low, its bytes are dropped
    input  logic                 byte_valid,  // a byte has come
    input  logic                 byte_error,  // or one without a stop bit
    input  logic [          7:0] byte_data,  // the byte
    output logic                 payload_valid,  // it is one of a payload
    output logic [IndexBits-1:0] payload_index,  // its number there
    output logic                 done,  // for one cycle: a frame is over, whole or not
    // with `done`: 0 good, 1 wrong CRC, 2 too long, 4 cut off, 5 no stop bit
    output logic [          2:0] error,
    output logic [          7:0] command,  // of this frame; stays until the next begins
    output logic [          7:0] number,  // its sequence number, or 0 if it was cut off before
    output logic [         15:0] length  // bytes of its payload
);
  localparam logic [7:0] StartByte = 8'ha5;
  localparam logic [2:0] Good = 3'd0, WrongCrc = 3'd1, WrongLength = 3'd2, CutOff = 3'd4;
  localparam logic [2:0] NoStopBit = 3'd5;

  localparam int unsigned CountBits = $clog2(TimeoutCycles + 1);
  logic [CountBits-1:0] silence_q;  // cycles since the last byte, up to the limit
  logic silent;
  assign silent = silence_q == CountBits'(TimeoutCycles);

  // After an error nothing tells where the next frame begins, until the line has been silent.
  localparam logic [2:0] Hunt = 3'd0, Command = 3'd1, Number = 3'd2, LengthLow = 3'd3;
  localparam logic [2:0] LengthHigh = 3'd4, Payload = 3'd5, Crc = 3'd6, Drain = 3'd7;
  logic [2:0] state_q;
  logic [IndexBits-1:0] index_q;  // bytes of the payload so far
  logic [1:0] crc_index_q;
  logic crc_wrong_q;

  logic in_frame, accept, end_good, end_wrong;
  logic [2:0] code;
  logic [15:0] whole_length;
  logic [7:0] crc_byte;
  logic [31:0] crc;
  assign in_frame = state_q != Hunt && state_q != Drain;
  assign accept = in_frame && byte_valid && !silent;
  assign whole_length = {byte_data, length[7:0]};
  assign crc_byte = crc[8*crc_index_q+:8];
  aesforge_crc32 u_crc (
      .clk,
      .start(state_q == Hunt),
      .step(accept && state_q != Crc),
      .data(byte_data),
      .crc
  );

  assign payload_valid = accept && state_q == Payload;
  assign payload_index = index_q;

  // How a frame ends.
  always_comb begin
    code = Good;
    if (in_frame && silent) code = CutOff;
    else if (in_frame && byte_error) code = NoStopBit;
    else if (accept && state_q == LengthHigh && 32'(whole_length) > MostBytes) code = WrongLength;
    else if (accept && state_q == Crc && crc_index_q == 2'd3) begin
      if (crc_wrong_q || byte_data != crc_byte) code = WrongCrc;
    end
  end
  assign end_wrong = code != Good;
  assign end_good = accept && state_q == Crc && crc_index_q == 2'd3 && !end_wrong;

  always_ff @(posedge clk) begin
    if (byte_valid || byte_error) silence_q <= '0;
    else if (!silent) silence_q <= silence_q + 1'b1;

    done <= end_good || end_wrong;
    error <= code;
    if (state_q == Hunt) begin
      if (listen && byte_valid && byte_data == StartByte) begin
        state_q <= Command;
        number <= '0;
        length <= '0;
        index_q <= '0;
        crc_index_q <= '0;
        crc_wrong_q <= 1'b0;
      end
    end else if (state_q == Drain) begin
      if (silent) state_q <= Hunt;
    end else if (accept) begin
      case (state_q)
        Command: begin
          command <= byte_data;
          state_q <= Number;
        end
        Number: begin
          number <= byte_data;
          state_q <= LengthLow;
        end
        LengthLow: begin
          length[7:0] <= byte_data;
          state_q <= LengthHigh;
        end
        LengthHigh: begin
          length[15:8] <= byte_data;
          state_q <= whole_length == '0 ? Crc : Payload;
        end
        Payload: begin
          index_q <= index_q + 1'b1;
          if (16'(index_q) == length - 16'd1) state_q <= Crc;
        end
        default: begin
          crc_index_q <= crc_index_q + 1'b1;
          crc_wrong_q <= crc_wrong_q || byte_data != crc_byte;
        end
      endcase
    end
    if (end_good) state_q <= Hunt;
    if (end_wrong) state_q <= Drain;
    if (rst) begin
      // As after an error: the reset may have come in the middle of a frame.
      state_q <= Drain;
      silence_q <= '0;
      done <= 1'b0;
    end
  end
endmodule

`default_nettype wire
