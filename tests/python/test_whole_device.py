# SPDX-License-Identifier: Apache-2.0
"""How many tiles fill a device: the sum, what binds, the clock for a throughput, the records."""

from __future__ import annotations

import re
import sys

import pytest

from aesforge.measure.bench import Campaign
from project import REPO

sys.path.insert(0, str(REPO / "scripts"))
import bench_whole_device as whole
from bench_whole_device import Area, Filled

RECORDED = Campaign.read(whole.FILE).measurements


def test_one_and_two_tiles_tell_what_is_shared() -> None:
    area = Area.of(one=130, two=230, capacity=500)
    assert (area.shared, area.tile) == (30, 100)
    assert [area.needed(tiles) for tiles in (1, 2, 5)] == [130, 230, 530]
    assert area.tiles == pytest.approx(4.7)


@pytest.mark.parametrize(
    ("luts", "ff", "tiles", "binds"),
    [
        (Area(30, 100, 500), Area(30, 200, 500), 2, "FF"),
        (Area(30, 100, 500), Area(30, 90, 500), 4, "LUT4"),
        # A device that is exactly full.
        (Area(100, 100, 500), Area(0, 100, 500), 4, "LUT4"),
    ],
)
def test_what_has_room_for_fewer_tiles_binds(luts: Area, ff: Area, tiles: int, binds: str) -> None:
    one = Filled(stages=(4, 2), depth=2, lut=luts, ff=ff)
    assert (one.tiles, one.binds) == (tiles, binds)


def test_clock_and_throughput_are_inverse() -> None:
    assert whole.clock_for(128, 1) == 1000
    assert whole.gbps_at(whole.clock_for(220, 5), 5) == pytest.approx(220)


@pytest.mark.parametrize("stages", whole.STAGES, ids=lambda one: "+".join(map(str, one)))
def test_the_sum_is_what_synthesis_gives(stages: tuple[int, int]) -> None:
    one = whole.filled(RECORDED, stages)
    # Beside as many tiles as fit there may be no room for the harness.
    tiles = whole.checked(RECORDED, stages)
    assert one.tiles - 1 <= tiles <= one.tiles
    assert tiles > 2
    assert one.agrees(tiles, RECORDED[whole.core(stages, tiles).name])
    assert one.lut.needed(one.tiles) <= one.lut.capacity
    assert one.ff.needed(one.tiles) <= one.ff.capacity
    assert max(one.lut.needed(one.tiles + 1), one.ff.needed(one.tiles + 1)) > one.lut.capacity


def test_the_sum_is_the_area_of_a_core_that_was_placed() -> None:
    placed = Campaign.read(REPO / "bench/results/cores.json").measurements["line-rate-five-tiles"]
    one = whole.filled(RECORDED, (4, 2))
    assert (one.lut.needed(5), one.ff.needed(5)) == (placed.area.luts, placed.area.ff)


def test_another_area_than_the_sum_is_noticed() -> None:
    one = whole.filled(RECORDED, (4, 2))
    assert one.agrees(2, RECORDED[whole.core((4, 2), 2).name])
    assert not one.agrees(3, RECORDED[whole.core((4, 2), 2).name])


def test_records_are_of_a_clean_commit() -> None:
    assert all(re.fullmatch("[0-9a-f]{12}", one.provenance.commit) for one in RECORDED.values())


def test_the_drawing_is_always_the_same() -> None:
    assert whole.svg(whole.every()) == whole.svg(whole.every())
