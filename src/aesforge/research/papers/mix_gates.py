# SPDX-License-Identifier: Apache-2.0
"""MixColumns and InvMixColumns of a column in XOR gates: merged into one circuit, and apart.

The merged circuit is that of Rahman et al., Appendix, who have it from Satoh et al. (ASIACRYPT
2001); it is built here gate by gate from the paper's equations, so that its gates and levels are
counted and its function can be compared with the standard's. No tool is run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aesforge.reference.field import multiply

_COLUMN_BITS = 32
# First rows of the matrices, FIPS 197 Sec. 5.1.3 and 5.3.3.
_MIX = (0x02, 0x03, 0x01, 0x01)
_INVERSE = (0x0E, 0x0B, 0x0D, 0x09)

# A byte of signals, bit 0 first.
Byte = tuple[int, ...]


class Gates:
    """A network of two-input XOR gates over the bits of a column.

    A signal is a number, the column's own bits first: bit i of byte j (row j) is 8 j + i. Each has
    its ``form``, the set of the column's bits whose sum it is, as a mask, and its ``level``.
    """

    def __init__(self) -> None:
        self.form = [1 << bit for bit in range(_COLUMN_BITS)]
        self.level = [0] * _COLUMN_BITS

    @property
    def column(self) -> list[Byte]:
        """The column's four bytes."""
        return [tuple(range(8 * j, 8 * j + 8)) for j in range(4)]

    def __len__(self) -> int:
        """Count the gates."""
        return len(self.form) - _COLUMN_BITS

    def xor(self, a: int, b: int) -> int:
        """Add a gate."""
        self.form.append(self.form[a] ^ self.form[b])
        self.level.append(1 + max(self.level[a], self.level[b]))
        return len(self.form) - 1

    def total(self, signals: Sequence[int]) -> int:
        """Add gates that sum signals, in as few levels as there can be."""
        row = list(signals)
        while len(row) > 1:
            pairs = [self.xor(a, b) for a, b in zip(row[::2], row[1::2], strict=False)]
            row = pairs + row[2 * len(pairs) :]
        return row[0]

    def add(self, a: Byte, b: Byte) -> Byte:
        """Add the gates of a sum of two bytes."""
        return tuple(self.xor(x, y) for x, y in zip(a, b, strict=True))

    def double(self, a: Byte) -> Byte:
        """Add the gates of a product by {02}: the carry falls on bits 0, 1, 3 and 4."""
        carry = a[7]
        return (
            *(carry, self.xor(a[0], carry), a[1], self.xor(a[2], carry), self.xor(a[3], carry)),
            *a[4:7],
        )

    def quadruple(self, a: Byte) -> Byte:
        """Add the gates of a product by {04} at once: both carries fall on bits 1 and 4."""
        low, high = a[6], a[7]
        both = self.xor(low, high)
        return (
            *(low, both, self.xor(a[0], high), self.xor(a[1], low), self.xor(a[2], both)),
            *(self.xor(a[3], high), a[4], a[5]),
        )


@dataclass(frozen=True)
class MixGates:
    """A circuit of MixColumns and InvMixColumns.

    Args:
        gates: all of it.
        mixed: the four bytes of MixColumns.
        unmixed: the four bytes of InvMixColumns.
    """

    gates: Gates
    mixed: tuple[Byte, ...]
    unmixed: tuple[Byte, ...]

    @property
    def xors(self) -> int:
        """Two-input XOR gates."""
        return len(self.gates)

    @property
    def levels(self) -> tuple[int, int]:
        """Gates one after the other in MixColumns and in InvMixColumns."""
        mixed, unmixed = (
            max(self.gates.level[bit] for byte in way for bit in byte)
            for way in (self.mixed, self.unmixed)
        )
        return mixed, unmixed


def merged(*, quadruple_at_once: bool = False) -> MixGates:
    """Build the merged circuit by the equations of the paper's Appendix.

    The paper's a3 is row 0. Its text counts 195 gates, its Table I 193: {04} times a byte is two
    products by {02}, or one in which the carries that meet share a gate.

    Args:
        quadruple_at_once: the latter.
    """
    gates = Gates()
    a3, a2, a1, a0 = gates.column
    add, double = gates.add, gates.double
    x3, x2, x1, x0 = add(a3, a2), add(a2, a1), add(a1, a0), add(a0, a3)
    b3 = add(add(double(x3), x1), a2)
    b2 = add(add(double(x2), x1), a3)
    b1 = add(add(double(x1), x3), a0)
    b0 = add(add(double(x0), x3), a1)

    def quadruple(byte: Byte) -> Byte:
        return gates.quadruple(byte) if quadruple_at_once else double(double(byte))

    y1, y0 = quadruple(add(a3, a1)), quadruple(add(a2, a0))
    y2 = double(add(y1, y0))
    z1, z0 = add(y2, y1), add(y2, y0)
    return MixGates(gates, (b3, b2, b1, b0), (add(b3, z1), add(b2, z0), add(b1, z1), add(b0, z0)))


def separate() -> MixGates:
    """Build the two circuits apart, each bit the sum of all bits that it depends on."""
    gates = Gates()
    return MixGates(gates, _sums(gates, _MIX), _sums(gates, _INVERSE))


def _sums(gates: Gates, first_row: Sequence[int]) -> tuple[Byte, ...]:
    """Add the gates of a circulant matrix, none shared."""
    return tuple(
        tuple(
            gates.total(
                [
                    8 * j + i
                    for j in range(4)
                    for i in range(8)
                    if multiply(first_row[(j - row) % 4], 1 << i) >> bit & 1
                ]
            )
            for bit in range(8)
        )
        for row in range(4)
    )
