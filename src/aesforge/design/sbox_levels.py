# SPDX-License-Identifier: Apache-2.0
"""Levels and registers of the tower S-box. Written by scripts/tower_sbox.py; do not edit."""

from __future__ import annotations

TOWER_LEVELS = {"encrypt": 7, "decrypt": 7, "both": 10}
"""Direction -> LUT levels of the tower S-box, the most pipeline stages that fall inside it."""

TOWER_REGISTER_BITS: dict[str, tuple[int, ...]] = {
    "encrypt": (0, 12, 24, 34, 51, 61, 79, 100),
    "decrypt": (0, 12, 23, 35, 48, 60, 78, 97),
    "both": (0, 12, 24, 34, 44, 67, 70, 82, 95, 113, 133),
}
"""Direction -> register bits of one tower S-box for 0, 1, 2, ... stages.

The copies of the direction that a combined S-box delays are not counted: all S-boxes of a round
share them.
"""
