# SPDX-License-Identifier: Apache-2.0
"""Byte parity, as the tests of parity modules share it."""

from __future__ import annotations


def byte_parity(value: int, bits: int) -> int:
    """Return a bit for each byte of a value of that width: the top one is byte 0's parity."""
    return sum(((value >> 8 * i & 0xFF).bit_count() & 1) << i for i in range(bits // 8))
