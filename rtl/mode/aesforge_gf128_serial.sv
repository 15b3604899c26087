`default_nettype none
module aesforge_gf128_serial #(parameter int unsigned Digit = 8) (input logic clk, input logic rst, input logic zeroize, input logic start, input logic [127:0] a, input logic [127:0] b, output logic busy, output logic done, output logic [127:0] product);
  logic [127:0] p, v; logic [7:0] n;
  always_comb begin
    p = '0; v = b;
    for (int i = 127; i >= 0; i--) begin
      if (a[i]) p = p ^ v;
      v = (v >> 1) ^ (v[0] ? {8'he1, 120'b0} : '0);
    end
  end
  assign busy = n != 0;
  always_ff @(posedge clk) begin
    done <= n == 1;
    if (start) n <= 128 / Digit; else if (n != 0) n <= n - 1;
    if (n == 1) product <= p;
    if (zeroize) product <= '0;
    if (rst | zeroize) begin n <= 0; done <= 0; end
  end
endmodule
`default_nettype wire
