# SPDX-License-Identifier: Apache-2.0
"""A description shows every choice and what follows from it, as a table and as data."""

from __future__ import annotations

import json

import pytest

from aesforge.describe.core import describe_core
from aesforge.design import FIELD_NAMES, Design, text_of
from aesforge.design.presets import PRESETS

DESIGNS = (
    *PRESETS.values(),
    Design(unroll=5, direction="both", sbox_stages=3, linear_stages=4, tiles=2),
    Design(unroll=2, key_schedule="stored", key_slots=3, direction="decrypt"),
    Design(key_bits=256, tiles=3, linear_stages=0),
    Design(direction="both", sbox_stages=0, linear_stages=0),
)


@pytest.mark.parametrize("design", DESIGNS, ids=lambda d: d.summary())
def test_data_hold_every_choice_and_agree_with_the_design(design: Design) -> None:
    data = describe_core(design).as_dict()
    assert json.loads(json.dumps(data)) == data
    assert {"name", *data["choices"]} == set(FIELD_NAMES)
    assert data["latency_cycles"] == design.latency_cycles
    assert data["interval_cycles"] == design.interval
    if design.is_key_expansion:
        assert data["schedules_per_cycle"] == 1 / design.interval
        assert data["round_keys_per_cycle"] == design.rounds / design.interval
        assert data["round_key_latency_cycles"][-1] == design.latency_cycles
    else:
        assert data["bits_per_cycle"] == 128 * design.blocks_per_cycle
    assert data["sboxes"]["total"] == design.sbox_count
    assert data["flip_flops_about"] == design.flip_flops_about


@pytest.mark.parametrize("design", DESIGNS, ids=lambda d: d.summary())
def test_tables_name_every_choice(design: Design) -> None:
    rows = describe_core(design).choice_rows()
    assert ["name", *(field for field, _, _ in rows)] == list(FIELD_NAMES)
    for field, value, _ in rows:
        expected = getattr(design, field)
        assert value == ("-" if expected is None else text_of(expected))
