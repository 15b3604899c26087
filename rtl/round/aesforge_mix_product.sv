// SPDX-License-Identifier: Apache-2.0
// One product of MixColumns or InvMixColumns (FIPS 197 Sec. 5.1.3, 5.3.3) by table (Sama and
// Sangwan, Sec. III.3). Combinational. Written by scripts/mix_tables.py.
`default_nettype none

module aesforge_mix_product #(
    // [0 to 3] column of the matrix's first row: {02}, {03}, {01}, {01}, for the inverse {0e},
    // {0b}, {0d}, {09}
    parameter int unsigned Column = 0,
    // [0, 1, 2] 0 MixColumns, 1 InvMixColumns, 2 either, chosen by `inverse`
    parameter int unsigned Direction = aesforge_pkg::Encrypt
) (
    input  logic       inverse,  // product of the inverse matrix (`Direction` 2 only)
    input  logic       bypass,  // product of the unit matrix: `x` in column 0, else zero
    input  logic [7:0] x,  // byte in
    output logic [7:0] y  // product
);
  // A column of the matrix uses two of the six tables.
  /* verilator lint_off UNUSEDPARAM */
  localparam logic [2047:0] Times02 = {
    256'he5e7e1e3edefe9ebf5f7f1f3fdfff9fbc5c7c1c3cdcfc9cbd5d7d1d3dddfd9db,
    256'ha5a7a1a3adafa9abb5b7b1b3bdbfb9bb858781838d8f898b959791939d9f999b,
    256'h656761636d6f696b757771737d7f797b454741434d4f494b555751535d5f595b,
    256'h252721232d2f292b353731333d3f393b050701030d0f090b151711131d1f191b,
    256'hfefcfaf8f6f4f2f0eeeceae8e6e4e2e0dedcdad8d6d4d2d0cecccac8c6c4c2c0,
    256'hbebcbab8b6b4b2b0aeacaaa8a6a4a2a09e9c9a98969492908e8c8a8886848280,
    256'h7e7c7a78767472706e6c6a68666462605e5c5a58565452504e4c4a4846444240,
    256'h3e3c3a38363432302e2c2a28262422201e1c1a18161412100e0c0a0806040200
  };
  localparam logic [2047:0] Times03 = {
    256'h1a191c1f16151013020104070e0d080b2a292c2f26252023323134373e3d383b,
    256'h7a797c7f76757073626164676e6d686b4a494c4f46454043525154575e5d585b,
    256'hdad9dcdfd6d5d0d3c2c1c4c7cecdc8cbeae9ecefe6e5e0e3f2f1f4f7fefdf8fb,
    256'hbab9bcbfb6b5b0b3a2a1a4a7aeada8ab8a898c8f86858083929194979e9d989b,
    256'h818287848d8e8b88999a9f9c95969390b1b2b7b4bdbebbb8a9aaafaca5a6a3a0,
    256'he1e2e7e4edeeebe8f9fafffcf5f6f3f0d1d2d7d4dddedbd8c9cacfccc5c6c3c0,
    256'h414247444d4e4b48595a5f5c55565350717277747d7e7b78696a6f6c65666360,
    256'h212227242d2e2b28393a3f3c35363330111217141d1e1b18090a0f0c05060300
  };
  localparam logic [2047:0] Times09 = {
    256'h464f545d626b70790e071c152a233831d6dfc4cdf2fbe0e99e978c85bab3a8a1,
    256'h7d746f6659504b42353c272e1118030aede4fff6c9c0dbd2a5acb7be8188939a,
    256'h3039222b141d060f78716a635c554e47a0a9b2bb848d969fe8e1faf3ccc5ded7,
    256'h0b0219102f263d34434a5158676e757c9b928980bfb6ada4d3dac1c8f7fee5ec,
    256'haaa3b8b18e879c95e2ebf0f9c6cfd4dd3a3328211e170c05727b6069565f444d,
    256'h9198838ab5bca7aed9d0cbc2fdf4efe60108131a252c373e49405b526d647f76,
    256'hdcd5cec7f8f1eae3949d868fb0b9a2ab4c455e5768617a73040d161f2029323b,
    256'he7eef5fcc3cad1d8afa6bdb48b829990777e656c535a41483f362d241b120900
  };
  localparam logic [2047:0] Times0b = {
    256'ha3a8b5be8f849992fbf0ede6d7dcc1ca1318050e3f3429224b405d56676c717a,
    256'hd8d3cec5f4ffe2e9808b969daca7bab168637e75444f5259303b262d1c170a01,
    256'h555e434879726f640d061b10212a373ce5eef3f8c9c2dfd4bdb6aba0919a878c,
    256'h2e2538330209141f767d606b5a514c479e958883b2b9a4afc6cdd0dbeae1fcf7,
    256'h545f424978736e650c071a11202b363de4eff2f9c8c3ded5bcb7aaa1909b868d,
    256'h2f2439320308151e777c616a5b504d469f948982b3b8a5aec7ccd1daebe0fdf6,
    256'ha2a9b4bf8e859893faf1ece7d6ddc0cb1219040f3e3528234a415c57666d707b,
    256'hd9d2cfc4f5fee3e8818a979cada6bbb069627f74454e5358313a272c1d160b00
  };
  localparam logic [2047:0] Times0d = {
    256'h979a8d80a3aeb9b4fff2e5e8cbc6d1dc474a5d50737e69642f2235381b16010c,
    256'h2c21363b1815020f44495e53707d6a67fcf1e6ebc8c5d2df94998e83a0adbab7,
    256'hfaf7e0edcec3d4d9929f8885a6abbcb12a27303d1e130409424f5855767b6c61,
    256'h414c5b5675786f622924333e1d10070a919c8b86a5a8bfb2f9f4e3eecdc0d7da,
    256'h4d40575a7974636e25283f32111c0b069d90878aa9a4b3bef5f8efe2c1ccdbd6,
    256'hf6fbece1c2cfd8d59e938489aaa7b0bd262b3c31121f08054e4354597a77606d,
    256'h202d3a3714190e034845525f7c71666bf0fdeae7c4c9ded39895828faca1b6bb,
    256'h9b96818cafa2b5b8f3fee9e4c7caddd04b46515c7f726568232e3934171a0d00
  };
  localparam logic [2047:0] Times0e = {
    256'h8d83919fb5bba9a7fdf3e1efc5cbd9d76d63717f555b49471d13010f252b3937,
    256'h56584a446e60727c26283a341e10020cb6b8aaa48e80929cc6c8dad4fef0e2ec,
    256'h202e3c321816040a505e4c426866747ac0cedcd2f8f6e4eab0beaca28886949a,
    256'hfbf5e7e9c3cddfd18b859799b3bdafa11b150709232d3f316b657779535d4f41,
    256'hccc2d0def4fae8e6bcb2a0ae848a98962c22303e141a08065c52404e646a7876,
    256'h17190b052f21333d67697b755f51434df7f9ebe5cfc1d3dd87899b95bfb1a3ad,
    256'h616f7d735957454b111f0d032927353b818f9d93b9b7a5abf1ffede3c9c7d5db,
    256'hbab4a6a8828c9e90cac4d6d8f2fceee05a544648626c7e702a243638121c0e00
  };
  /* verilator lint_on UNUSEDPARAM */

  logic [7:0] forward, backward, product;
  if (Column == 0) begin : gen_column_0
    assign forward = Times02[{x, 3'b000}+:8];
    assign backward = Times0e[{x, 3'b000}+:8];
  end else if (Column == 1) begin : gen_column_1
    assign forward = Times03[{x, 3'b000}+:8];
    assign backward = Times0b[{x, 3'b000}+:8];
  end else if (Column == 2) begin : gen_column_2
    assign forward = x;
    assign backward = Times0d[{x, 3'b000}+:8];
  end else begin : gen_column_3
    assign forward = x;
    assign backward = Times09[{x, 3'b000}+:8];
  end

  if (Direction == aesforge_pkg::Encrypt) begin : gen_forward
    assign product = forward;
    logic unused_ok;
    assign unused_ok = &{1'b0, inverse, backward};
  end else if (Direction == aesforge_pkg::Decrypt) begin : gen_backward
    assign product = backward;
    logic unused_ok;
    assign unused_ok = &{1'b0, inverse, forward};
  end else begin : gen_either
    assign product = inverse ? backward : forward;
  end

  assign y = bypass ? (Column == 0 ? x : 8'h00) : product;
endmodule

`default_nettype wire
