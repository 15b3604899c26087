# SPDX-License-Identifier: Apache-2.0
"""The S-box of FIPS 197 Section 5.1.1 and its inverse, from their algebraic definition.

``SBOX[b]`` and ``INV_SBOX[b]`` are 256-byte tables filled by the two functions below when the
module is read, so that the rest of the model may say SBOX() as the standard does.
"""

from __future__ import annotations

from aesforge.reference.field import inverse


def affine(b: int) -> int:
    """Apply the affine transformation over GF(2) to a byte (FIPS 197 Sec. 5.1.1, Eq. 5.3)."""
    c = 0b0110_0011
    result = 0
    for i in range(8):
        bit = (
            (b >> i)
            ^ (b >> ((i + 4) % 8))
            ^ (b >> ((i + 5) % 8))
            ^ (b >> ((i + 6) % 8))
            ^ (b >> ((i + 7) % 8))
            ^ (c >> i)
        ) & 1
        result |= bit << i
    return result


def sbox(b: int) -> int:
    """SBOX(b): the multiplicative inverse, then the affine transformation (Sec. 5.1.1)."""
    return affine(inverse(b))


SBOX = bytes(sbox(b) for b in range(256))
INV_SBOX = bytes(SBOX.index(b) for b in range(256))
"""INVSBOX(), the inverse of SBOX() as a mapping (FIPS 197 Sec. 5.3.2)."""
