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
        stages: the fewest and the most pipeline stages it can hold, by `Design.direction`.
        flip_flops: bits of one S-box, of 1 or more stages and a direction.
    """

    stages: Callable[[str], tuple[int, int]]
    flip_flops: Callable[[int, str], int]


def _split_flip_flops(table_bits: int, stages: int, direction: str) -> int:
    """Count a split S-box: the bytes and select bits that cross each stage."""
    both = direction == "both"
    select_bits = (9 if both else 8) - table_bits
    used_up = 1 if table_bits == 4 else 2  # select bits that a multiplexer level uses
    levels = 1 + -(-select_bits // used_up)
    inside = min(stages, levels)
    bits = 8 * (stages - inside)
    for level in range(levels):
        if (level + 1) * inside // levels > level * inside // levels:
            left = max(select_bits - used_up * level, 0)
            # The topmost select bit of a combined S-box is the direction.
            bits += 8 * 2**left + left - (1 if both and left else 0)
    return bits


def _tower_flip_flops(stages: int, direction: str) -> int:
    inside = min(stages, TOWER_LEVELS[direction])
    return TOWER_REGISTER_BITS[direction][inside] + 8 * (stages - inside)


_STYLES: dict[str, SboxStyle] = {
    "table": SboxStyle(lambda way: (0, 1), lambda stages, way: 8 * stages),
    "split4": SboxStyle(
        lambda way: (0, 6 if way == "both" else 5),
        lambda stages, way: _split_flip_flops(4, stages, way),
    ),
    "split6": SboxStyle(
        lambda way: (0, 3 if way == "both" else 2),
        lambda stages, way: _split_flip_flops(6, stages, way),
    ),
    "tower": SboxStyle(lambda way: (0, TOWER_LEVELS[way]), _tower_flip_flops),
    "bram": SboxStyle(lambda way: (1, 2), lambda stages, way: 8 * (stages - 1)),
}

SBOX_STYLES: tuple[str, ...] = tuple(_STYLES)


def sbox_stage_range(sbox: str, direction: str) -> tuple[int, int]:
    """Return the fewest and the most pipeline stages that an S-box style can hold.

    Args:
        sbox: one of `SBOX_STYLES`.
        direction: `encrypt`, `decrypt` or `both`; a combined S-box can be a level deeper.
    """
    return _STYLES[sbox].stages(direction)


def sbox_flip_flops(style: str, stages: int, direction: str) -> int:
    """Return the flip-flops of one S-box; the first stage of a block RAM lies inside it.

    Args:
        style: one of `SBOX_STYLES`.
        stages: pipeline stages; those beyond the style's levels delay the result.
        direction: as `Design.direction`.
    """
    return _STYLES[style].flip_flops(stages, direction) if stages else 0
