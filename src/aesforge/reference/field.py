# SPDX-License-Identifier: Apache-2.0
"""The finite field GF(2^8) of FIPS 197 Section 4.

A byte {b7 b6 ... b0} is the polynomial b7 x^7 + ... + b0; it is held in an ``int`` 0..255.
"""

from __future__ import annotations

# A word is four bytes [a0, a1, a2, a3] held in `bytes` of length 4 (FIPS 197 Sec. 3.5).
Word = bytes

IRREDUCIBLE = 0x11B
"""m(x) = x^8 + x^4 + x^3 + x + 1, FIPS 197 Eq. 4.2."""


def xtimes(b: int) -> int:
    """Product of the byte ``b`` and {02} (FIPS 197 Sec. 4.2, Eq. 4.5)."""
    doubled = b << 1
    return doubled ^ IRREDUCIBLE if doubled & 0x100 else doubled


def multiply(a: int, b: int) -> int:
    """Product of the bytes ``a`` and ``b`` modulo m(x) (FIPS 197 Sec. 4.2)."""
    product = 0
    for bit in range(8):
        if (b >> bit) & 1:
            product ^= a
        a = xtimes(a)
    return product


def inverse(b: int) -> int:
    """Multiplicative inverse of the byte ``b`` as b^254 (FIPS 197 Sec. 4.4); {00} gives {00}."""
    power = 1
    for _ in range(254):
        power = multiply(power, b)
    return power
