# SPDX-License-Identifier: Apache-2.0
"""All 2,138 ECB records in both directions, for each key size through each S-box style, and through
unrolled, looped, tiled and stored-key cores."""

from __future__ import annotations

import pytest

from aesforge.check.core import check
from aesforge.design import Design
from aesforge.reference import vectors

# For each S-box style another architecture, at a depth that splits the style's logic.
SHAPES: dict[str, dict[str, object]] = {
    "table": {"unroll": 1, "sbox_stages": 0, "linear_stages": 1},
    "split4": {"unroll": 1, "sbox_stages": 6, "key_schedule": "stored", "mix_columns": "shared"},
    "split6": {"unroll": 1, "sbox_stages": 2, "tiles": 2, "mix_columns": "table"},
    "tower": {"unroll": 2, "sbox_stages": 3, "linear_stages": 3},
    "bram": {"unroll": "full", "sbox_stages": 1, "linear_stages": 1},
}


# Hardware of one direction is not half of that for both; blocks share one key schedule.
ONE_WAY: dict[str, dict[str, object]] = {
    "encrypt-ring": {"key_bits": 128, "direction": "encrypt", "sbox": "tower", "unroll": 1},
    "decrypt-ring": {"key_bits": 256, "direction": "decrypt", "sbox": "tower", "unroll": 1},
    "decrypt-stored": {
        "key_bits": 192,
        "direction": "decrypt",
        "sbox": "split4",
        "unroll": 1,
        "key_schedule": "stored",
    },
    "encrypt-blocks": {"key_bits": 256, "direction": "encrypt", "sbox": "bram", "tiles": 2},
    "decrypt-unrolled": {"key_bits": 128, "direction": "decrypt", "sbox": "table"},
}


@pytest.mark.parametrize("key_bits", vectors.KEY_BITS)
@pytest.mark.parametrize("sbox", SHAPES)
def test_every_record(sbox: str, key_bits: int) -> None:
    choices = {"key_bits": key_bits, "direction": "both", "sbox": sbox, **SHAPES[sbox]}
    design = Design(**choices)  # type: ignore[arg-type]
    report = check(design, seed=1, blocks=2 * design.blocks_in_flight, optimize="build")
    assert report.passed, report.text()
    blocks = sum(len(record.plaintext) // 16 for record in vectors.records(key_bits))
    assert report.vector_blocks == 2 * blocks


@pytest.mark.parametrize("name", ONE_WAY)
def test_every_record_one_way(name: str) -> None:
    design = Design(name=name, **ONE_WAY[name])  # type: ignore[arg-type]
    report = check(design, seed=1, blocks=0, optimize="build")
    assert report.passed, report.text()
    blocks = sum(len(record.plaintext) // 16 for record in vectors.records(design.key_bits))
    assert report.vector_blocks == blocks * design.blocks_per_beat
