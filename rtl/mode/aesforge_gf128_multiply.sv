`default_nettype none
module aesforge_gf128_multiply #(parameter int unsigned Stages = 6) (input logic clk, input logic [127:0] a, input logic [127:0] b, output logic [127:0] product);
  logic [127:0] p, v; logic [127:0] q[0:Stages-1];
  always_comb begin
    p = '0; v = b;
    for (int i = 127; i >= 0; i--) begin
      if (a[i]) p = p ^ v;
      v = (v >> 1) ^ (v[0] ? {8'he1, 120'b0} : '0);
    end
  end
  always_ff @(posedge clk) begin q[0] <= p; for (int i = 1; i < Stages; i++) q[i] <= q[i-1]; end
  assign product = q[Stages-1];
endmodule
`default_nettype wire
