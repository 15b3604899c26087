# SPDX-License-Identifier: Apache-2.0
"""Suggestions from made-up measurements: the smallest core that is fast enough, or why none is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

import explored
from aesforge.design import Design, load
from aesforge.devices import device
from aesforge.errors import UsageError
from aesforge.explore.jobs import Job, Outcome, _synthesis
from aesforge.explore.suggest import Suggestion, candidates, suggest
from aesforge.measure import Database
from aesforge.measure.synthesis import Synthesized

ECP5 = device("LFE5U-85F-8")
SMALL = device("iCE40HX8K")


@pytest.fixture
def database(tmp_path: Path) -> explored.Forgetful:
    return explored.Forgetful(tmp_path / "measurements.sqlite")


def ask(
    database: explored.Forgetful, throughput: float, device: Any = ECP5, **options: Any
) -> tuple[Suggestion, list[Job]]:
    pool = explored.Inline(explored.fake, options.pop("capacity", 2))
    answer = suggest(device, throughput, database, pool=pool, flow=explored.FLOW, **options)
    return answer, pool.jobs


def smallest(throughput: float, device: Any, **options: Any) -> int | None:
    """Find the answer the long way: measure every candidate."""
    sizes = []
    for design in candidates(device, throughput, **options).designs().legal:
        made = explored.made_up(design, device, (1, 2, 3), placed=True)
        fits = made.area.luts <= device.part.capacity.luts
        fits = fits and made.area.ff <= device.part.capacity.ff
        fits = fits and made.area.block_ram <= device.part.capacity.block_ram
        assert made.throughput_gbps is not None
        lacks = options.get("block_ram") is False and made.area.block_ram
        if fits and made.throughput_gbps >= throughput and not lacks:
            sizes.append(made.area.luts)
    return min(sizes, default=None)


@pytest.mark.parametrize("throughput", [0.3, 2, 9, 25, 40, 90])
@pytest.mark.parametrize("options", [{}, {"agile": True, "block_ram": False}], ids=["any", "agile"])
def test_it_is_the_smallest_of_all_candidates(
    database: explored.Forgetful, throughput: float, options: dict[str, Any]
) -> None:
    answer, jobs = ask(database, throughput, limit=None, **options)
    found = smallest(throughput, ECP5, **options)
    assert found is not None
    assert answer.best is not None
    # What to synthesize is chosen by a rough guess of sizes: a few LUTs may be missed.
    assert found <= answer.best.values["lut"] <= 1.005 * found
    assert answer.best.values["throughput_gbps"] >= throughput
    # It did not measure everything to find out.
    placed = [job for job in jobs if job.kind == "measure"]
    assert len(placed) < 0.2 * len(answer.exploration.points)
    ranked = [point.values["lut"] for point in answer.ranked()]
    assert ranked == sorted(ranked)


def test_it_asks_for_what_is_wanted(database: explored.Forgetful) -> None:
    answer, _ = ask(database, 20, key_bits=256, decrypt=True, agile=True, block_ram=False)
    assert answer.best is not None
    design = answer.best.design
    assert (design.key_bits, design.direction, design.is_agile) == (256, "decrypt", True)
    assert answer.best.values["block_ram"] == 0
    # What it prints says exactly this design.
    line = answer.commands()[1].split()
    overrides = [line[i + 1] for i, word in enumerate(line) if word == "--set"]
    assert load(line[2], overrides) == design


def test_the_second_time_it_answers_at_once(database: explored.Forgetful) -> None:
    first, jobs = ask(database, 20)
    assert jobs
    for measure in (True, False):
        again, more = ask(database, 20, measure=measure)
        assert [job for job in more if job.kind == "measure"] == []
        assert again.best is not None
        assert first.best is not None
        assert again.best.design == first.best.design


def test_without_measuring_it_runs_no_tool(database: explored.Forgetful) -> None:
    answer, jobs = ask(database, 20, measure=False)
    assert jobs == []
    assert answer.best is None
    assert "leave --no-measure out" in answer.why_not


def test_without_measuring_the_database_stays_as_it_is(tmp_path: Path) -> None:
    """A synthesis that is known counts for all devices of its family, none of them measured."""
    database = Database(tmp_path / "measurements.sqlite")
    design = candidates(ECP5, 0.5).designs().legal[0]
    made = explored.made_up(design, ECP5, (1,), placed=False)
    known = Synthesized(
        area=made.area, harness_luts=9, harness_ff=9, depth=made.depth, netlist="n", seconds=1.0
    )
    synthesis = _synthesis(design, ECP5.family)
    database.put_step(synthesis.key, msgspec.json.encode(known).decode())
    before = database.path.read_bytes()
    for name in ("LFE5U-25F-6", "LFE5U-45F-7"):
        answer = suggest(device(name), 0.5, database, measure=False)
        assert any(point.estimate is not None for point in answer.exploration.points)
    assert database.all() == []
    assert database.path.read_bytes() == before


def test_a_design_of_the_users_own_that_is_measured_counts(database: explored.Forgetful) -> None:
    own = Design(name="own", unroll="full", sbox="split6", sbox_stages=2, linear_stages=4)
    made = explored.made_up(own, ECP5, (1, 2), placed=True)
    database.put(made)
    assert made.throughput_gbps is not None
    answer, jobs = ask(database, made.throughput_gbps, measure=False)
    assert jobs == []
    assert answer.best is not None
    assert answer.best.measurement is not None
    assert answer.best.measurement.key == made.key
    assert answer.best.from_database


def test_the_limit_is_kept_and_said(database: explored.Forgetful) -> None:
    answer, jobs = ask(database, 3, limit=1)
    assert sum(job.kind == "measure" for job in jobs) == 1
    assert answer.exploration.counts()["not_tried"] > 0


def test_beyond_the_clock_it_says_how_far_one_gets(database: explored.Forgetful) -> None:
    answer, jobs = ask(database, 5000)
    assert answer.best is None
    assert jobs == []  # it needs no tool to tell
    cap = ECP5.cap(block_ram=False)
    assert cap is not None
    assert f"{cap.mhz:g} MHz at most ({cap.what}" in answer.why_not
    assert "blocks per cycle" in answer.why_not
    assert "Gbit/s at best" in answer.why_not


def test_beyond_the_room_it_says_what_is_needed(database: explored.Forgetful) -> None:
    answer, _ = ask(database, 30, device=SMALL, limit=None)
    assert answer.best is None
    assert "do not fit" in answer.why_not
    assert "and iCE40HX8K has" in answer.why_not


def test_what_was_too_slow_is_told(database: explored.Forgetful) -> None:
    found, _ = ask(database, 0.5, device=SMALL, limit=None)
    fastest = max(
        point.values["throughput_gbps"]
        for point in found.exploration.points
        if point.measurement is not None
    )
    answer, _ = ask(database, 6.9, device=SMALL, measure=False)
    if answer.best is None:
        assert f"the fastest measured is {fastest:.3g}" in answer.why_not or (
            "the fastest measured is" in answer.why_not
        )


def test_failures_are_told(database: explored.Forgetful) -> None:
    pool = explored.Inline(lambda job: Outcome("failed", message="no yosys"), 2)
    lines: list[str] = []
    answer = suggest(ECP5, 40, database, pool=pool, flow=explored.FLOW, say=lines.append)
    assert answer.best is None
    assert lines
    assert "no yosys" in answer.why_not


@pytest.mark.parametrize("throughput", [0.0, -1.0, float("nan"), float("inf")])
def test_a_throughput_that_makes_no_sense(database: explored.Forgetful, throughput: float) -> None:
    with pytest.raises(UsageError, match="more than 0"):
        ask(database, throughput)


def test_a_device_without_a_clock(database: explored.Forgetful) -> None:
    with pytest.raises(UsageError, match="synthesis only"):
        ask(database, 40, device=device("XC7A100T-1"))
