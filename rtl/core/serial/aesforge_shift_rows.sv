// SPDX-License-Identifier: Apache-2.0
// ShiftRows() and InvShiftRows() (FIPS 197 Sec. 5.1.2 and 5.3.1) of a state with one column per
// cycle: the two buffers of Rahman et al., Sec. III-B.
// Latency 5 (Style 0) or 4 (Style 1), one column per cycle.
`default_nettype none

module aesforge_shift_rows #(
    // [0, 1, 2] 0 ShiftRows, 1 InvShiftRows, 2 either, chosen by `inverse_i`
    parameter int unsigned Direction = aesforge_pkg::Encrypt,
    // [0, 1] 0: two registers of a whole state; 1: an addressed shift register for each row
    parameter int unsigned Style = aesforge_pkg::ShiftRegister
) (
    input  logic        clk,  // clock
    input  logic        zeroize,  // accepts any input, which overwrites the buffer
    // the first column of a state is present; the other three must follow at once
    input  logic        first_i,
    // with each column: InvShiftRows (`Direction` 2 only, else ignored)
    input  logic        inverse_i,
    input  logic [31:0] column_i,  // column in, row 0 in the top byte
    output logic        first_o,  // the first column of a state is at the output
    output logic        inverse_o,  // with each column: its `inverse_i`
    output logic [31:0] column_o,  // column out
    output logic [ 1:0] next_number,  // number, 0 to 3, of the column that leaves in the next cycle
    output logic        next_inverse  // direction of that column
);
  localparam int unsigned Latency = Style == aesforge_pkg::ShiftRegister ? 5 : 4;

  // The state is complete a cycle before its first column leaves.
  logic complete;
  aesforge_delay #(
      .Width(2),
      .Depth(Latency - 1)
  ) u_complete (
      .clk,
      .rst(1'b0),
      .d  ({first_i, inverse_i}),
      .q  ({complete, next_inverse})
  );
  aesforge_delay #(
      .Width(2),
      .Depth(1)
  ) u_mark (
      .clk,
      .rst(1'b0),
      .d  ({complete, next_inverse}),
      .q  ({first_o, inverse_o})
  );

  logic [1:0] number_q;
  assign next_number = complete ? 2'd0 : number_q + 2'd1;
  always_ff @(posedge clk) number_q <= next_number;

  if (Style == aesforge_pkg::ShiftRegister) begin : gen_registers
    logic [127:0] in_q, out_q, shifted;
    logic load_q, load_d;
    // Computed a cycle ahead because of its fan-out as an enable.
    aesforge_delay #(
        .Width(1),
        .Depth(Latency - 2)
    ) u_load (
        .clk,
        .rst(1'b0),
        .d  (first_i),
        .q  (load_d)
    );
    if (Direction == aesforge_pkg::Encrypt) begin : gen_shift
      assign shifted = aesforge_pkg::shift_rows(in_q);
    end else if (Direction == aesforge_pkg::Decrypt) begin : gen_shift
      assign shifted = aesforge_pkg::inv_shift_rows(in_q);
    end else begin : gen_shift
      assign shifted =
          next_inverse ? aesforge_pkg::inv_shift_rows(in_q) : aesforge_pkg::shift_rows(in_q);
    end
    always_ff @(posedge clk) begin
      load_q <= load_d || zeroize;
      in_q   <= {in_q[95:0], column_i};
      if (load_q) out_q <= shifted;
    end
    assign column_o = out_q[{~number_q, 5'd0}+:32];
  end else begin : gen_addressed
    // While column c leaves, column j stands at place c + 3 - j of its row's register.
    for (genvar r = 0; r < 4; r++) begin : gen_row
      localparam int unsigned Forward = r == 0 ? 3 : 7 - r;
      localparam int unsigned Backward = r + 3;
      localparam int unsigned Last = Direction == aesforge_pkg::Encrypt ? Forward
          : Direction == aesforge_pkg::Decrypt || Backward > Forward ? Backward : Forward;
      localparam int unsigned AddressBits = r == 0 ? 2 : 3;
      logic [AddressBits-1:0] address;
      if (r == 0) begin : gen_address
        assign address = 2'd3;
      end else begin : gen_address
        logic [2:0] forward, backward;
        assign forward = number_q > 2'(3 - r) ? 3'(7 - r) : 3'(3 - r);
        assign backward = number_q < 2'(r) ? 3'(r - 1) : 3'(r + 3);
        if (Direction == aesforge_pkg::Encrypt) begin : gen_way
          assign address = forward;
          logic unused_ok;
          assign unused_ok = &{1'b0, backward};
        end else if (Direction == aesforge_pkg::Decrypt) begin : gen_way
          assign address = backward;
          logic unused_ok;
          assign unused_ok = &{1'b0, forward};
        end else begin : gen_way
          assign address = inverse_o ? backward : forward;
        end
      end
      // Bit by bit, as tools want it for a LUT that is a shift register with an address.
      for (genvar b = 0; b < 8; b++) begin : gen_bit
        logic [Last:0] place_q;
        always_ff @(posedge clk) place_q <= {place_q[Last-1:0], column_i[31-8*r-b]};
        assign column_o[31-8*r-b] = place_q[address];
      end
    end
    logic unused_ok;
    assign unused_ok = &{1'b0, zeroize};
  end
endmodule

`default_nettype wire
