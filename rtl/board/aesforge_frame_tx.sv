// SPDX-License-Identifier: Apache-2.0
// Sends a frame as bytes (docs/boards/uart.md), its payload read byte by byte. A byte per cycle in
// which the UART is ready. Latency 1 cycle.
`default_nettype none

module aesforge_frame_tx (
    input  logic        clk,  // clock
    input  logic        rst,  // synchronous reset: the rest of the frame is lost
    input  logic        start,  // a frame begins; ignored while `busy`
    output logic        busy,  // a frame is being sent; from the cycle after `start`
    input  logic [ 7:0] kind,  // of the frame; it, `number` and `length` stay until it is sent
    input  logic [ 7:0] number,  // sequence number
    input  logic [15:0] length,  // bytes of the payload
    output logic [15:0] index,  // number of the byte of the payload that is needed
    input  logic [ 7:0] payload,  // that byte, from the second cycle of `index` on
    output logic        byte_valid,  // a byte is present
    input  logic        byte_ready,  // it is accepted; at most every third cycle
    output logic [ 7:0] byte_data  // the byte
);
  localparam logic [7:0] StartByte = 8'ha5;
  localparam logic [2:0] Idle = 3'd0, Start = 3'd1, Kind = 3'd2, Number = 3'd3, LengthLow = 3'd4;
  localparam logic [2:0] LengthHigh = 3'd5, Payload = 3'd6, Crc = 3'd7;
  logic [2:0] state_q;
  logic accept;
  logic [31:0] crc;
  assign busy = state_q != Idle;
  assign byte_valid = busy;
  assign accept = byte_valid && byte_ready;

  aesforge_crc32 u_crc (
      .clk,
      .start(state_q == Start),
      .step(accept && state_q != Crc),
      .data(byte_data),
      .crc
  );

  always_comb begin
    case (state_q)
      Kind: byte_data = kind;
      Number: byte_data = number;
      LengthLow: byte_data = length[7:0];
      LengthHigh: byte_data = length[15:8];
      Payload: byte_data = payload;
      Crc: byte_data = crc[8*index[1:0]+:8];
      default: byte_data = StartByte;
    endcase
  end

  always_ff @(posedge clk) begin
    if (state_q == Idle) begin
      if (start) state_q <= Start;
    end else if (accept) begin
      index <= '0;
      case (state_q)
        LengthHigh: state_q <= length == '0 ? Crc : Payload;
        Payload: begin
          if (index == length - 16'd1) state_q <= Crc;
          else index <= index + 1'b1;
        end
        Crc: begin
          if (index == 16'd3) state_q <= Idle;
          else index <= index + 1'b1;
        end
        default: state_q <= state_q + 1'b1;
      endcase
    end
    if (rst) state_q <= Idle;
  end
endmodule

`default_nettype wire
