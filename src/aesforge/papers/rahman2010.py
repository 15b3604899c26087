# SPDX-License-Identifier: Apache-2.0
"""Gates of MixColumns and InvMixColumns of a column, by the equations of Rahman et al., Appendix.

All counts are of two-input XOR gates. A product by 02 takes three: the carry is added to bits 1, 3
and 4, and falls into bit 0 by itself (FIPS 197 Sec. 4.2).
"""

from __future__ import annotations

from collections.abc import Sequence

from aesforge.model.field import multiply

_MIX = (0x02, 0x03, 0x01, 0x01)  # FIPS 197 Sec. 5.1.3
_INVERSE = (0x0E, 0x0B, 0x0D, 0x09)  # Sec. 5.3.3


def separate_xors() -> int:
    """Count the gates of the two circuits, each bit a sum of its own."""
    return _plain_xors(_MIX) + _plain_xors(_INVERSE)


def _plain_xors(row: Sequence[int]) -> int:
    """Count the gates of a circulant matrix, each bit the sum of all that it depends on."""
    total = 0
    for bit in range(8):
        terms = sum(multiply(factor, 1 << i) >> bit & 1 for factor in row for i in range(8))
        total += terms - 1
    return 4 * total


def merged_xors() -> int:
    """Count the gates of the merged circuit, step by step."""
    byte, double, quadruple = 8, 3, 6  # a sum of bytes, a product by 02, one by 02 twice
    forward = 4 * byte  # X_i
    forward += 4 * (double + 2 * byte)  # b_i = 02 X_i + X_j + a_k
    inverse = 2 * (byte + quadruple)  # Y_0, Y_1 = 04 (a_i + a_j)
    inverse += byte + double  # Y_2 = 02 (Y_1 + Y_0)
    inverse += 2 * byte  # Z_0, Z_1
    inverse += 4 * byte  # c_i = b_i + Z_j
    return forward + inverse
