# SPDX-License-Identifier: Apache-2.0
"""The energy model: weighted sums by hand, ratios and their bounds."""

from __future__ import annotations

import pytest

from aesforge.energy import model
from aesforge.energy.model import Energy, Tally, ratio


def spent(
    outputs: int, tiles: int, pins: int, clock: int, *, blocks: int = 1, settled: int = 0
) -> Energy:
    return Energy(
        keys="each",
        traffic_seed=1,
        blocks=blocks,
        cycles=10,
        transitions=Tally(outputs=outputs, tiles=tiles, pins=pins),
        settled=Tally(outputs=settled, tiles=settled, pins=settled),
        writes=0,
        clock=clock,
        nets=1,
        clock_pins=1,
    )


def test_energy_is_the_weighted_sum_per_block() -> None:
    one = spent(10, 40, 30, 20, blocks=2, settled=10)
    assert one.parts == {"wires": 35.0, "logic": 5.0, "clock": 10.0}
    assert one.per_block == 50.0
    assert one.per_bit == 50.0 / 128
    assert one.shares == {"wires": 0.7, "logic": 0.1, "clock": 0.2}
    # Without glitches 5 + 5 + 5 and the clock are left.
    assert one.glitch_share == pytest.approx(1 - 25 / 50)
    assert one.as_dict()["per_block"] == 50.0


def test_a_core_that_does_nothing_spends_nothing() -> None:
    nothing = spent(0, 0, 0, 0)
    assert nothing.per_block == 0.0
    assert set(nothing.shares.values()) == {0.0}
    assert nothing.glitch_share == 0.0


def test_writes_into_memories_are_logic() -> None:
    import msgspec

    one = msgspec.structs.replace(spent(1, 0, 0, 0), writes=3)
    assert one.parts["logic"] == 4.0
    assert one.raw["outputs"] == 4.0


@pytest.mark.parametrize("weights", [(1, 1, 1, 1), (9, 1, 1, 1), (1, 0, 7, 0), (0, 0, 0, 1)])
def test_no_weights_give_a_ratio_beyond_the_bounds(
    weights: tuple[float, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = spent(10, 50, 20, 8), spent(20, 40, 20, 2)
    bounds = ratio(ours, theirs)
    assert (bounds.low, bounds.high) == (0.5, 4.0)
    for name, weight in zip(("TILE", "PIN", "OUTPUT", "CLOCK"), weights, strict=True):
        monkeypatch.setattr(model, name, weight)
    found = ratio(ours, theirs)
    assert bounds.low <= found.energy <= bounds.high
    assert found.energy == ours.per_block / theirs.per_block
    assert (found.low, found.high) == (bounds.low, bounds.high)
