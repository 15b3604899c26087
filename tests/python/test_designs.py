# SPDX-License-Identifier: Apache-2.0
"""Designs that hold every pair of choices, as `pairs.py` chose them, simulated against OpenSSL."""

from __future__ import annotations

import json
import zlib

import pytest

from aesforge.check.core import check
from aesforge.design import Design
from pairs import FIELDS, FILE, Choices, Pair, pairs_of, possible_pairs


def name_of(choices: Choices) -> str:
    """Return a design a name that says its shape, with a number that says the rest."""
    number = zlib.crc32(repr(sorted(choices.items(), key=repr)).encode()) % 10_000
    return (
        f"d-aes{choices['key_bits']}-{choices['direction'][:3]}-u{choices['unroll']}-"
        f"{choices['sbox']}-{choices['key_schedule']}-x{choices['tiles']}-{number:04}"
    )


DESIGNS = [
    Design(**{**choices, "name": name_of(choices)}) for choices in json.loads(FILE.read_bytes())
]


def test_every_possible_pair_is_in_some_design() -> None:
    covered: set[Pair] = set()
    for design in DESIGNS:
        # As written: a design spells some choices in its own way.
        choices = {name: getattr(design, name) for name in FIELDS}
        covered |= pairs_of(choices)
    unspelled = {("key_slots", None), ("shift_rows", None)}
    spelled = {pair for pair in possible_pairs() if not unspelled & {*pair}}
    assert not spelled - covered, "`python tests/python/pairs.py` chooses designs anew"
    # The space is not so narrow that few pairs would do.
    assert len(spelled) > 800


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_design(design: Design) -> None:
    """Random keys, blocks and pauses; latency, rate, tags and order as computed."""
    # Enough for each ring to run full twice back to back.
    blocks = max(600, 5 * design.blocks_in_flight * design.blocks_per_beat)
    report = check(
        design,
        seed=zlib.crc32(design.name.encode()),
        blocks=blocks,
        bubbles=0.3,
        vectors=False,
        optimize="build",
    )
    assert report.passed, report.text()
    assert report.latency_cycles_seen == (design.latency_cycles,) * 2
    assert report.blocks_per_cycle_seen == pytest.approx(design.blocks_per_cycle)
    assert (report.wrong_blocks, report.error_percent) == (0, 0.0)
