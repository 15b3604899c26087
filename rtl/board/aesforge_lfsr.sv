// SPDX-License-Identifier: Apache-2.0
// A linear feedback shift register: its value is multiplied by alpha^Steps in GF(2^Width), with the
// polynomials of CMAC (SP 800-38B Sec. 5.3). Latency 1 cycle, one value per cycle.
`default_nettype none

module aesforge_lfsr #(
    parameter int unsigned Width = 128,  // [128, 192, 256] bits of the value
    parameter bit [255:0] Seed = 256'd1,  // [not 0] first value, in the low `Width` bits
    parameter int unsigned Steps = 1  // [1 or more] multiplications by alpha in a cycle
) (
    input  logic             clk,  // clock
    input  logic             restart,  // the value becomes `Seed`; goes before `step`
    input  logic             step,  // the value moves on
    output logic [Width-1:0] value  // value, a register
);
  if (Width != 128 && Width != 192 && Width != 256) begin : gen_bad_width
    $error("Width must be 128, 192 or 256");
  end
  if (Seed[Width-1:0] == '0 || Steps == 0) begin : gen_bad_seed
    $error("Seed must not be 0, Steps at least 1");
  end

  localparam logic [Width-1:0] Polynomial = Width'(Width == 256 ? 'h425 : 'h87);

  function automatic logic [Width-1:0] times_alpha(input logic [Width-1:0] x);
    times_alpha = x;
    for (int i = 0; i < Steps; i++) begin
      times_alpha = {times_alpha[Width-2:0], 1'b0} ^ (times_alpha[Width-1] ? Polynomial : '0);
    end
  endfunction

  always_ff @(posedge clk) begin
    if (restart) value <= Seed[Width-1:0];
    else if (step) value <= times_alpha(value);
  end
endmodule

`default_nettype wire
