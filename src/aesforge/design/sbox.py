# SPDX-License-Identifier: Apache-2.0
"""The S-box styles: one entry for each, in the order of the numbers that the RTL gives them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from aesforge.design.sbox_levels import TOWER_LEVELS, TOWER_REGISTER_BITS


@dataclass(frozen=True)
class SboxStyle:
    """What the tool knows of an S-box style.

    Args:
        ranks: the fewest and the most register ranks it can hold, by `Design.direction`.
        flip_flops: bits of one S-box, of 1 or more ranks and a direction.
        ram: register bits inside the block RAM itself.
    """

    ranks: Callable[[str], tuple[int, int]]
    flip_flops: Callable[[int, str], int]
    ram: int = 0


def _split_register_bits(table_bits: int, ranks: int, direction: str) -> int:
    """Count a split S-box: the bytes and select bits that cross each rank."""
    both = direction == "both"
    select_bits = (9 if both else 8) - table_bits
    used_up = 1 if table_bits == 4 else 2  # select bits that a multiplexer level uses
    levels = 1 + -(-select_bits // used_up)
    inside = min(ranks, levels)
    bits = 8 * (ranks - inside)
    for level in range(levels):
        if (level + 1) * inside // levels > level * inside // levels:
            left = max(select_bits - used_up * level, 0)
            # The topmost select bit of a combined S-box is the direction.
            bits += 8 * 2**left + left - (1 if both and left else 0)
    return bits


def _tower_register_bits(ranks: int, direction: str) -> int:
    inside = min(ranks, TOWER_LEVELS[direction])
    return TOWER_REGISTER_BITS[direction][inside] + 8 * (ranks - inside)


_STYLES: dict[str, SboxStyle] = {
    "table": SboxStyle(lambda way: (0, 1), lambda ranks, way: 8 * ranks),
    "split4": SboxStyle(
        lambda way: (0, 6 if way == "both" else 5),
        lambda ranks, way: _split_register_bits(4, ranks, way),
    ),
    "split6": SboxStyle(
        lambda way: (0, 3 if way == "both" else 2),
        lambda ranks, way: _split_register_bits(6, ranks, way),
    ),
    "tower": SboxStyle(lambda way: (0, TOWER_LEVELS[way]), _tower_register_bits),
    "bram": SboxStyle(lambda way: (1, 2), lambda ranks, way: 8 * (ranks - 1), ram=8),
}

SBOX_STYLES: tuple[str, ...] = tuple(_STYLES)


def sbox_stage_range(sbox: str, direction: str) -> tuple[int, int]:
    """Return the fewest and the most register ranks that an S-box style can hold.

    Args:
        sbox: one of `SBOX_STYLES`.
        direction: `encrypt`, `decrypt` or `both`; a combined S-box can be a level deeper.
    """
    return _STYLES[sbox].ranks(direction)


def sbox_register_bits(style: str, ranks: int, direction: str) -> tuple[int, int]:
    """Return the register bits of one S-box: in flip-flops, and in the block RAM itself.

    Args:
        style: one of `SBOX_STYLES`.
        ranks: register ranks; those beyond the style's levels delay the result.
        direction: as `Design.direction`.
    """
    if ranks == 0:
        return 0, 0
    return _STYLES[style].flip_flops(ranks, direction), _STYLES[style].ram
