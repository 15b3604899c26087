# SPDX-License-Identifier: Apache-2.0
"""The finite field GF(2^128) of SP 800-38D Section 6.3, in which GHASH multiplies.

A block is held in an ``int`` of 128 bits, x0, its first bit, at the top.
"""

from __future__ import annotations

R = 0b11100001 << 120
"""R of Sec. 6.3, 11100001 followed by 120 zeros: what replaces the bit that leaves a block."""


def block_product(x: int, y: int) -> int:
    """Product of the blocks ``x`` and ``y`` (SP 800-38D Sec. 6.3, Algorithm 1)."""
    z, v = 0, y
    for i in range(128):
        if (x >> (127 - i)) & 1:
            z ^= v
        v = (v >> 1) ^ R if v & 1 else v >> 1
    return z
