# SPDX-License-Identifier: Apache-2.0
"""Write rtl/round/aesforge_mix_product.sv: products in GF(2^8) (FIPS 197 Sec. 4.2) as tables.

Run by hand: ``python scripts/mix_tables.py``; a test compares the file with what this prints.
"""

from pathlib import Path

from aesforge.reference.field import multiply

TARGET = Path(__file__).parents[1] / "rtl" / "round" / "aesforge_mix_product.sv"

HEAD = """\
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
"""

TAIL = """\

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
"""


def table(factor: int) -> str:
    """Return the literal of one table: 256 products by ``factor``, product 0 in the low byte."""
    digits = "".join(f"{multiply(factor, x):02x}" for x in reversed(range(256)))
    lines = [f"    256'h{digits[64 * i : 64 * (i + 1)]}" for i in range(8)]
    name = f"Times{factor:02x}"
    return f"  localparam logic [2047:0] {name} = {{\n" + ",\n".join(lines) + "\n  };\n"


def text() -> str:
    """Return the whole file."""
    waiver = (
        "  // A column of the matrix uses two of the six tables.\n"
        "  /* verilator lint_off UNUSEDPARAM */\n"
    )
    tables = "".join(table(factor) for factor in (0x02, 0x03, 0x09, 0x0B, 0x0D, 0x0E))
    return HEAD + waiver + tables + "  /* verilator lint_on UNUSEDPARAM */\n" + TAIL


if __name__ == "__main__":
    TARGET.write_text(text())
