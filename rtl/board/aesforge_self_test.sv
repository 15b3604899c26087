// SPDX-License-Identifier: Apache-2.0
// Self-test of an encryption core by a decryption core: blocks and keys from LFSRs, each result
// compared with its plaintext, and a signature over all ciphertexts compared with an expected one.
// Blocks as fast as the cores take them.
//
// A pass is 2^PassBits blocks under as many keys; it is repeated. The first block is the example of
// FIPS 197 Appendix C. Both cores keep the order of blocks, so an LFSR at each end of them makes
// the same values, and nothing has to be stored.
`default_nettype none

module aesforge_self_test #(
    parameter int unsigned KeyBits = 128,  // [128, 192, 256] key size
    parameter int unsigned PassBits = 16,  // [2 to 18] logarithm of the blocks of a pass
    parameter int unsigned Passes = 65536,  // [1 to 2^24 - 1] passes to make
    // [0 to PassBits - 1] the decryption core takes every block (0), or one of 2^SampleBits
    parameter int unsigned SampleBits = 0,
    parameter bit [127:0] Signature = '0,  // [any] expected signature of a pass
    parameter int unsigned SecondCycles = 1000000  // [4 or more] clock cycles between reports
) (
    input  logic               clk,  // clock
    input  logic               rst,  // synchronous reset: starts again from the first pass
    input  logic               fault,  // pulse: a bit of the next ciphertext is inverted

    // encryption core
    output logic               encrypt_valid,  // a plaintext is present
    input  logic               encrypt_ready,  // it is accepted
    output logic [      127:0] plaintext,  // plaintext
    output logic [KeyBits-1:0] encrypt_key,  // key of the plaintext
    input  logic               ciphertext_valid,  // a ciphertext has come
    input  logic [      127:0] ciphertext,  // ciphertext

    // decryption core
    output logic               decrypt_valid,  // a ciphertext is present
    input  logic               decrypt_ready,  // it is accepted
    output logic [      127:0] decrypt_block,  // ciphertext
    output logic [KeyBits-1:0] decrypt_key,  // key of the ciphertext
    input  logic               decrypted_valid,  // a result has come
    input  logic [      127:0] decrypted,  // result

    // results
    output logic               second,  // for one cycle: `rate` is that of the last `SecondCycles`
    output logic [       39:0] blocks,  // blocks encrypted
    output logic [       31:0] rate,  // blocks encrypted in the last `SecondCycles`
    output logic [       63:0] errors,  // results that were not their plaintext, or got lost
    output logic [       23:0] passes,  // passes ended
    output logic [       23:0] mismatches,  // passes with another signature than expected
    output logic               failed,  // there was an error or a mismatch
    output logic               done  // all passes have ended
);
  // FIPS 197 Appendix C: its plaintext and its keys.
  localparam logic [255:0] PlaintextSeed = 256'h00112233445566778899aabbccddeeff;
  localparam logic [255:0] KeySeed =
      256'h000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f >> (256 - KeyBits);
  localparam logic [127:0] SignaturePolynomial = 128'h87;
  localparam int unsigned SecondBits = $clog2(SecondCycles);
  localparam int unsigned SampleWidth = SampleBits == 0 ? 1 : SampleBits;

  if (PassBits < 2 || PassBits > 18 || SampleBits >= PassBits) begin : gen_bad_pass
    $error("PassBits must be 2 to 18, SampleBits less");
  end
  if (Passes == 0 || Passes > 16777215 || SecondCycles < 4) begin : gen_bad_counts
    $error("Passes must be 1 to 2^24 - 1, SecondCycles at least 4");
  end

  // Plaintexts and their keys.
  logic [PassBits-1:0] sent_q;
  logic [23:0] sent_passes_q;
  logic running_q, encrypt_accept, encrypt_last;
  assign encrypt_valid  = running_q;
  assign encrypt_accept = running_q && encrypt_ready;
  assign encrypt_last   = &sent_q;
  always_ff @(posedge clk) begin
    if (encrypt_accept) begin
      sent_q <= sent_q + 1'b1;
      if (encrypt_last) begin
        sent_passes_q <= sent_passes_q + 1'b1;
        running_q <= sent_passes_q != 24'(Passes - 1);
      end
    end
    if (rst) begin
      sent_q <= '0;
      sent_passes_q <= '0;
      running_q <= 1'b1;
    end
  end
  aesforge_lfsr #(
      .Width(128),
      .Seed (PlaintextSeed)
  ) u_plaintext (
      .clk(clk),
      .restart(rst || (encrypt_accept && encrypt_last)),
      .step(encrypt_accept),
      .value(plaintext)
  );
  aesforge_lfsr #(
      .Width(KeyBits),
      .Seed (KeySeed)
  ) u_encrypt_key (
      .clk(clk),
      .restart(rst || (encrypt_accept && encrypt_last)),
      .step(encrypt_accept),
      .value(encrypt_key)
  );

  // Ciphertexts: a register, the signature, and the pass that they end.
  logic cipher_valid_q, fault_q;
  logic [127:0] cipher_q, signature_q, signature;
  logic [PassBits-1:0] cipher_count_q;
  logic pass_end_q, mismatch_q;
  logic [7:0] differs_q;
  assign signature = {signature_q[126:0], 1'b0} ^ (signature_q[127] ? SignaturePolynomial : '0)
      ^ cipher_q;
  always_ff @(posedge clk) begin
    cipher_valid_q <= ciphertext_valid;
    cipher_q <= {ciphertext[127:1], ciphertext[0] ^ fault_q};
    if (ciphertext_valid) fault_q <= 1'b0;
    if (fault) fault_q <= 1'b1;
    pass_end_q <= 1'b0;
    if (cipher_valid_q) begin
      cipher_count_q <= cipher_count_q + 1'b1;
      signature_q <= signature;
      if (&cipher_count_q) begin
        signature_q <= '0;
        pass_end_q  <= 1'b1;
      end
      for (int i = 0; i < 8; i++) differs_q[i] <= signature[16*i+:16] != Signature[16*i+:16];
    end
    mismatch_q <= pass_end_q && |differs_q;
    if (rst) begin
      cipher_valid_q <= 1'b0;
      fault_q <= 1'b0;
      cipher_count_q <= '0;
      signature_q <= '0;
      pass_end_q <= 1'b0;
      mismatch_q <= 1'b0;
    end
  end

  // One of 2^SampleBits goes on to the decryption core; it waits in a register.
  logic sampled, sample_last, lost_q;
  logic [PassBits-SampleBits-1:0] sample_count_q;
  logic [SampleWidth-1:0] skip;
  assign skip = SampleBits == 0 ? '0 : cipher_count_q[SampleWidth-1:0];
  assign sampled = cipher_valid_q && skip == '0;
  assign sample_last = &sample_count_q;
  always_ff @(posedge clk) begin
    lost_q <= sampled && decrypt_valid && !decrypt_ready;
    if (decrypt_ready) decrypt_valid <= 1'b0;
    if (sampled) begin
      decrypt_valid <= 1'b1;
      decrypt_block <= cipher_q;
    end
    if (decrypt_valid && decrypt_ready) sample_count_q <= sample_count_q + 1'b1;
    if (rst) begin
      lost_q <= 1'b0;
      decrypt_valid <= 1'b0;
      sample_count_q <= '0;
    end
  end
  aesforge_lfsr #(
      .Width(KeyBits),
      .Seed (KeySeed),
      .Steps(2 ** SampleBits)
  ) u_decrypt_key (
      .clk(clk),
      .restart(rst || (decrypt_valid && decrypt_ready && sample_last)),
      .step(decrypt_valid && decrypt_ready),
      .value(decrypt_key)
  );

  // Results, compared in two steps.
  logic [127:0] expected;
  logic [PassBits-SampleBits-1:0] result_count_q;
  logic [7:0] wrong_q;
  logic error_q;
  aesforge_lfsr #(
      .Width(128),
      .Seed (PlaintextSeed),
      .Steps(2 ** SampleBits)
  ) u_expected (
      .clk(clk),
      .restart(rst || (decrypted_valid && &result_count_q)),
      .step(decrypted_valid),
      .value(expected)
  );
  always_ff @(posedge clk) begin
    for (int i = 0; i < 8; i++) begin
      wrong_q[i] <= decrypted_valid && decrypted[16*i+:16] != expected[16*i+:16];
    end
    error_q <= |wrong_q || lost_q;
    if (decrypted_valid) result_count_q <= result_count_q + 1'b1;
    if (rst) begin
      wrong_q <= '0;
      error_q <= 1'b0;
      result_count_q <= '0;
    end
  end

  // Counters.
  logic [SecondBits-1:0] cycle_q;
  logic [31:0] rate_q;
  always_ff @(posedge clk) begin
    if (cipher_valid_q) blocks <= blocks + 1'b1;
    if (error_q) errors <= errors + 1'b1;
    if (pass_end_q) passes <= passes + 1'b1;
    if (mismatch_q) mismatches <= mismatches + 1'b1;
    if (error_q || mismatch_q) failed <= 1'b1;
    if (passes == 24'(Passes)) done <= 1'b1;
    cycle_q <= cycle_q + 1'b1;
    rate_q  <= rate_q + 32'(cipher_valid_q);
    second  <= 1'b0;
    if (cycle_q == SecondBits'(SecondCycles - 1)) begin
      cycle_q <= '0;
      second  <= 1'b1;
      rate    <= rate_q;
      rate_q  <= 32'(cipher_valid_q);
    end
    if (rst) begin
      {blocks, errors, passes, mismatches, failed, done} <= '0;
      {cycle_q, rate_q, rate, second} <= '0;
    end
  end
endmodule

`default_nettype wire
