# SPDX-License-Identifier: Apache-2.0
"""Write the S-box literals of FIPS 197 Sec. 5.1.1 and 5.3.2 into the SystemVerilog that holds them.

The values are computed from the definition (inverse in GF(2^8), then the affine map), so no table
is typed by hand anywhere. Only the text between the marker lines is replaced:

    // begin generated: scripts/make_sbox_tables.py
    // end generated

Usage: ``python scripts/make_sbox_tables.py`` writes, ``--check`` exits 1 when a file would change.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BEGIN = "  // begin generated: scripts/make_sbox_tables.py\n"
END = "  // end generated\n"


def multiply(a: int, b: int) -> int:
    """Product in GF(2^8) with the polynomial x^8 + x^4 + x^3 + x + 1 (FIPS 197 Sec. 4.2)."""
    product = 0
    for _ in range(8):
        if b & 1:
            product ^= a
        b >>= 1
        a = (a << 1) ^ (0x11B if a & 0x80 else 0)
    return product


def forward_table() -> list[int]:
    """Return the 256 values of SBOX(), FIPS 197 Sec. 5.1.1."""
    table = []
    for x in range(256):
        inverse = x
        for _ in range(6):  # x^254 = x^(2+4+...+128)
            inverse = multiply(multiply(inverse, inverse), x)
        inverse = multiply(inverse, inverse)
        y = 0x63
        for shift in range(5):
            y ^= ((inverse << shift) | (inverse >> (8 - shift))) & 0xFF
        table.append(y)
    return table


def inverse_table() -> list[int]:
    """Return the 256 values of INVSBOX(), FIPS 197 Sec. 5.3.2."""
    table = [0] * 256
    for x, y in enumerate(forward_table()):
        table[y] = x
    return table


def flat_literal(name: str, table: list[int]) -> str:
    """Return a 2048-bit localparam whose byte i, ``[8*i +: 8]``, is ``table[i]``.

    Yosys gives it the same area as a 256-way case; Verilator makes a look-up of it, where each
    instance of a case becomes a tree of conditions: 900,000 cycles/s for an unrolled core instead
    of 50,000, compiled in a tenth of the time.
    """
    lines = [f"  localparam logic [2047:0] {name} = {{"]
    for row in range(7, -1, -1):
        digits = "".join(f"{table[i]:02x}" for i in range(32 * row + 31, 32 * row - 1, -1))
        lines.append(f"      256'h{digits}" + ("," if row else "};"))
    return "\n".join(lines) + "\n"


def bit_literal(name: str, bits: list[int]) -> str:
    """Return a 256-bit localparam whose bit i is ``bits[i]``."""
    value = sum(bit << i for i, bit in enumerate(bits))
    return f"  localparam logic [255:0] {name} =\n      256'h{value:064x};\n"


def generated_blocks() -> dict[Path, str]:
    """File -> text between its markers."""
    parity = bit_literal("Parity", [y.bit_count() & 1 for y in forward_table()])
    top = bit_literal("Top", [y >> 7 for y in forward_table()])
    flat = flat_literal("Sbox", forward_table()) + flat_literal("InvSbox", inverse_table())
    folder = ROOT / "rtl" / "sbox"
    return {
        folder / "aesforge_sbox_table.sv": flat,
        folder / "aesforge_sbox_split.sv": flat,
        folder / "aesforge_sbox_bram.sv": flat,
        ROOT / "rtl" / "protect" / "aesforge_parity_sbox.sv": parity + top,
    }


def with_block(text: str, block: str) -> str:
    """``text`` with what stands between its markers replaced by ``block``."""
    head, rest = text.split(BEGIN)
    _, tail = rest.split(END)
    return head + BEGIN + block + END + tail


def main() -> int:
    """Write or check the files; 1 when ``--check`` finds a difference."""
    parser = argparse.ArgumentParser(description="Write the S-box literals into rtl/sbox/.")
    parser.add_argument(
        "--check", action="store_true", help="write nothing, exit 1 on a difference"
    )
    check = parser.parse_args().check
    stale = []
    for path, block in generated_blocks().items():
        old = path.read_text()
        new = with_block(old, block)
        if old != new:
            stale.append(path.relative_to(ROOT))
            if not check:
                path.write_text(new)
    for name in stale:
        print(f"{name}: {'differs' if check else 'written'}", file=sys.stderr)
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
