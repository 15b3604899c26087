# SPDX-License-Identifier: Apache-2.0
"""The systems of Rahman et al.: right in both directions, and built as the paper says."""

from __future__ import annotations

import dataclasses

import pytest

from aesforge.check.core import check
from aesforge.design import Design
from aesforge.design.presets import PRESETS, of_group
from aesforge.reference import vectors
from aesforge.simulate import BLOCK, LOAD, LOADED, WAIT, Simulator

ALL = of_group("rahman2010")
ROM = PRESETS["rahman2010-rom"]


@pytest.mark.parametrize("design", ALL, ids=lambda design: design.name)
def test_every_record_in_both_directions(design: Design) -> None:
    report = check(design, seed=1, blocks=400)
    assert report.passed, report.text()
    blocks = sum(len(record.plaintext) // 16 for record in vectors.records(128))
    assert report.vector_blocks == 2 * blocks
    assert report.latency_cycles_seen == (design.latency_cycles,) * 2
    # Sec. III: a bus of 32 bits, so a block every four cycles.
    assert report.blocks_per_cycle_seen == 1 / 4


@pytest.mark.parametrize("key_bits", [192, 256])
def test_longer_keys_than_the_papers(key_bits: int) -> None:
    design = dataclasses.replace(ROM, key_bits=key_bits, direction="both", key_sbox="table")
    report = check(design, seed=2, blocks=100, optimize="build")
    assert report.passed, report.text()


def test_the_presets_are_the_papers_table() -> None:
    """Table III: data path and key expansion by composite field or ROM; the fifth sub-pipelined.

    Sec. III.A: sub-pipelining inserts four registers, two of them inside SubBytes.
    """
    found = {
        design.name.removeprefix("rahman2010-"): (
            design.sbox,
            design.sbox if design.key_sbox == "same" else design.key_sbox,
            (design.sbox_stages, design.linear_stages),
            design.shift_rows,
        )
        for design in ALL
    }
    assert found == {
        "composite": ("tower", "tower", (0, 0), "shift_register"),
        "composite-key": ("table", "tower", (0, 0), "shift_register"),
        "composite-data": ("tower", "table", (0, 0), "shift_register"),
        "rom": ("table", "table", (0, 0), "shift_register"),
        "sub-pipelined": ("tower", "table", (2, 2), "shift_register"),
        "addressed": ("tower", "table", (2, 2), "addressed"),
    }


@pytest.mark.parametrize("design", ALL, ids=lambda design: design.name)
def test_the_structure_is_the_papers(design: Design) -> None:
    # Table II: 40 S-boxes in the key expansion; Fig. 2: four in each round.
    assert design.key_sbox_count == 40
    assert design.data_sbox_count == 40
    # Sec. III-E: twelve cycles; a step of the sub-pipelined core has two stages in SubWord as well.
    assert design.key_expansion_cycles == 10 * (design.sbox_stages + 1) + 2
    assert (design.direction, design.mix_columns) == ("both", "shared")


def first_accepted(design: Design, *, decrypt: bool) -> list[int]:
    """Return the cycles from a key's acceptance to that of each of the first four blocks."""
    with Simulator(design, optimize="build") as simulator:
        ops = simulator.new_ops(6)
        ops["op"] = LOAD, BLOCK, BLOCK, BLOCK, BLOCK, WAIT
        ops["decrypt"] = decrypt
        result = simulator.run(ops)
    (loaded,) = result.of(LOADED)["cycle"]
    return [int(cycle - loaded) for cycle in result.rows["in_cycle"]]


def test_encryption_starts_after_the_fourth_cycle_of_the_key_expansion() -> None:
    """Sec. III-E. The cycle in which the key is accepted, 0 here, is the first."""
    assert first_accepted(ROM, decrypt=False) == [4, 8, 12, 16]


def test_decryption_starts_in_the_twelfth_when_the_last_round_key_stands() -> None:
    assert first_accepted(ROM, decrypt=True) == [11, 15, 19, 23]
