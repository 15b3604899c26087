// SPDX-License-Identifier: Apache-2.0
// Runs NIST SP 800-38A, F.5.1 (CTR-AES128.Encrypt) through counter_mode.
`default_nettype none

module tb_counter_mode;
  logic clk = 1'b0, rst = 1'b1;
  logic key_valid = 1'b0, key_ready, start = 1'b0, in_valid = 1'b0, in_ready, out_valid;
  logic [127:0] in_data = '0, out_data;
  int sent = 0, received = 0;

  localparam logic [511:0] Plaintext = {
    128'h6bc1bee22e409f96e93d7e117393172a, 128'hae2d8a571e03ac9c9eb76fac45af8e51,
    128'h30c81c46a35ce411e5fbc1191a0a52ef, 128'hf69f2445df4f9b17ad2b417be66c3710
  };
  localparam logic [511:0] Ciphertext = {
    128'h874d6191b620e3261bef6864990db6ce, 128'h9806f66b7970fdff8617187bb9fffdff,
    128'h5ae4df3edbd5d35e5b4f09020db03eab, 128'h1e031dda2fbe03d1792170a0f3009cee
  };

  counter_mode u_dut (
      .clk,
      .rst,
      .key_valid,
      .key_ready,
      .key_slot(1'b1),
      .key(128'h2b7e151628aed2a6abf7158809cf4f3c),
      .start,
      .slot(1'b1),
      .first_counter(128'hf0f1f2f3f4f5f6f7f8f9fafbfcfdfeff),
      .in_valid,
      .in_ready,
      .in_data,
      .out_valid,
      .out_data
  );

  always #5 clk = !clk;

  initial begin
    repeat (2) @(negedge clk);
    rst = 1'b0;
    key_valid = 1'b1;
    start = 1'b1;
    @(negedge clk);
    key_valid = 1'b0;
    start = 1'b0;
    while (sent < 4) begin
      in_valid = 1'b1;
      in_data = Plaintext[511-128*sent-:128];
      #1 if (in_ready) sent++;
      @(negedge clk);
    end
    in_valid = 1'b0;
    repeat (1000) @(negedge clk);
    $display("FAIL: %0d of 4 blocks came out", received);
    $fatal;
  end

  always @(posedge clk) begin
    if (out_valid) begin
      if (out_data !== Ciphertext[511-128*received-:128]) begin
        $display("FAIL: block %0d is %h", received, out_data);
        $fatal;
      end
      received <= received + 1;
      if (received == 3) begin
        $display("PASS: 4 blocks");
        $finish;
      end
    end
  end
endmodule

`default_nettype wire
