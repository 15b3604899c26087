// SPDX-License-Identifier: Apache-2.0
// Parity prediction through SBOX() and MIXCOLUMNS() (FIPS 197 Sec. 5.1.1 and 5.1.3): the parity of
// the S-box's result, and its top bit, which a multiplication by {02} adds to the parity. Both are
// functions of the byte before the S-box and share no logic with the S-box.
`default_nettype none

module aesforge_parity_sbox (
    input  logic [7:0] x,  // byte before the S-box
    output logic       parity,  // parity of SBOX(x)
    output logic       top  // top bit of SBOX(x)
);
  /* verilator no_inline_module */

  // begin generated: scripts/make_sbox_tables.py
  localparam logic [255:0] Parity =
      256'hb0bf99a6bd878815ec2e9b13612cfb2d177d8d9b72907f2e8507cd4a2500d632;
  localparam logic [255:0] Top =
      256'h52379de7b844e3e14cb3770196ca0329e7bac28f866aac825caa2ec7bf977090;
  // end generated

  assign parity = Parity[x];
  assign top = Top[x];
endmodule

`default_nettype wire
