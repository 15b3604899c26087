# SPDX-License-Identifier: Apache-2.0
"""The field of GHASH, and factors that a wrong multiplier cannot survive."""

from __future__ import annotations

import random

BITS = 128
R = 0xE1 << 120


def product(x: int, y: int) -> int:
    """Return the product of two blocks by Algorithm 1 of SP 800-38D; bit 127 is their first bit."""
    z, v = 0, y
    for i in range(BITS):
        if x >> (BITS - 1 - i) & 1:
            z ^= v
        v = (v >> 1) ^ (R if v & 1 else 0)
    return z


def factors(draw: random.Random, count: int) -> list[tuple[int, int]]:
    """Return pairs of blocks: zero, one, the last coefficients, and ``count`` random ones."""
    one, last = 1 << (BITS - 1), 1
    edges = [(0, 0), (one, one), (last, last), (2, last), (1 << 6, last), (2**BITS - 1, last)]
    return edges + [(draw.getrandbits(BITS), draw.getrandbits(BITS)) for _ in range(count)]
