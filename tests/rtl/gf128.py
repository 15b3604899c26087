# SPDX-License-Identifier: Apache-2.0
"""Factors for the multipliers of GF(2^128)."""

from __future__ import annotations

import random

BITS = 128


def factors(draw: random.Random, count: int) -> list[tuple[int, int]]:
    """Return pairs of blocks: zero, one, the last coefficients, and ``count`` random ones."""
    one, last = 1 << (BITS - 1), 1
    edges = [(0, 0), (one, one), (last, last), (2, last), (1 << 6, last), (2**BITS - 1, last)]
    return edges + [(draw.getrandbits(BITS), draw.getrandbits(BITS)) for _ in range(count)]
