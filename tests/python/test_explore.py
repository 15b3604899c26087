# SPDX-License-Identifier: Apache-2.0
"""Explorations with made-up measurements: what is pruned, lost, kept, resumed and reported."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

import explored
from aesforge.design import Design
from aesforge.devices import device
from aesforge.errors import UsageError
from aesforge.explore import Exploration, Progress, Space, explore, read_space
from aesforge.explore import jobs as work
from aesforge.explore.figures import parse_constraint
from aesforge.explore.jobs import Job, Outcome, known_seeds
from aesforge.explore.search import Interrupted
from aesforge.measure import Database
from aesforge.measure.placement import Placed
from aesforge.measure.record import CriticalPath
from aesforge.measure.synthesis import Synthesized
from aesforge.netlist.cells import Area
from made_up_energy import energy_of

SPACE = """
devices = ["LFE5U-85F-8", "iCE40HX8K"]
[choices]
unroll = [1, 2, "full"]
sbox = ["table", "tower", "bram"]
sbox_stages = [0, 1, 4]
linear_stages = [0, 1]
"""


@pytest.fixture
def space(tmp_path: Path) -> Space:
    path = tmp_path / "space.toml"
    path.write_text(SPACE)
    return read_space(str(path))


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return explored.Forgetful(tmp_path / "measurements.sqlite")


def run(
    space: Space,
    database: Database,
    work: Callable[[Job], Outcome] = explored.fake,
    capacity: int = 2,
    **options: Any,
) -> tuple[Exploration, list[Job]]:
    pool = explored.Inline(work, capacity)
    return explore(space, database, pool=pool, flow=explored.FLOW, **options), pool.jobs


def fitting(jobs: list[Job]) -> list[Job]:
    """Return the jobs that have a result; of the others the made-up database has no memory."""
    return [job for job in jobs if explored.fake(job).status == "done"]


def fronts(found: Exploration) -> dict[tuple[Any, ...], set[Design]]:
    return {group: {point.design for point in points} for group, points in found.fronts().items()}


# --- Pruning ------------------------------------------------------------------------------------

CONSTRAINTS = [
    [],
    ["throughput_gbps >= 5"],
    ["lut <= 6000", "block_ram <= 0"],
    ["throughput_gbps >= 1", "ff <= 2000", "latency_cycles <= 40"],
    ["mbps_per_lut >= 2", "mhz >= 150"],
    ["latency_ns <= 150", "reported_mhz > 100"],
]


@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=lambda texts: ", ".join(texts) or "none")
@pytest.mark.parametrize("objectives", [("throughput_gbps", "lut", "block_ram"), ("lut",)])
def test_pruning_loses_no_point_of_the_front(
    space: Space, tmp_path: Path, constraints: list[str], objectives: tuple[str, ...]
) -> None:
    space = replace(
        space, constraints=tuple(map(parse_constraint, constraints)), objectives=objectives
    )
    pruned, jobs = run(space, explored.Forgetful(tmp_path / "pruned.sqlite"))
    every, all_jobs = run(space, explored.Forgetful(tmp_path / "every.sqlite"), exhaustive=True)
    assert fronts(pruned) == fronts(every)
    assert fronts(every)
    assert every.counts()["pruned"] == 0

    def placed(jobs: list[Job]) -> int:
        return sum(job.kind == "measure" for job in jobs)

    # It is worth the while, and what was left out is counted.
    assert placed(jobs) < 0.7 * placed(all_jobs)
    counts = pruned.counts()
    assert counts["pruned"] == sum(pruned.why_pruned().values()) > 0
    assert placed(jobs) == counts["measured"]


@pytest.mark.parametrize("seed", range(8))
def test_pruning_loses_nothing_in_whatever_order_results_come(
    space: Space, tmp_path: Path, seed: int
) -> None:
    dice = random.Random(seed)

    class Shuffled(explored.Inline):
        def next(self) -> tuple[int, Outcome]:
            return self._outcomes.pop(dice.randrange(len(self._outcomes)))

    pool = Shuffled(explored.fake, capacity=5)
    found = explore(
        space,
        explored.Forgetful(tmp_path / "one.sqlite"),
        pool=pool,
        flow=explored.FLOW,
        order=lambda search, point: (dice.random(),),
    )
    every, _ = run(space, explored.Forgetful(tmp_path / "two.sqlite"), exhaustive=True)
    assert fronts(found) == fronts(every)


def test_a_rule_that_is_too_sharp_would_be_noticed(
    space: Space, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tests above can fail: a clock limit without its margin, and lower still, loses points."""
    monkeypatch.setattr("aesforge.explore.figures.CLOCK_MARGIN", 2.5)
    monkeypatch.setattr("aesforge.explore.figures.CORES_FOR_A_LIMIT", 1)
    sharp, _ = run(space, explored.Forgetful(tmp_path / "sharp.sqlite"))
    every, _ = run(space, explored.Forgetful(tmp_path / "every.sqlite"), exhaustive=True)
    assert fronts(sharp) != fronts(every)


def test_what_the_choices_alone_rule_out_is_not_even_synthesized(
    space: Space, database: Database
) -> None:
    space = replace(space, constraints=(parse_constraint("throughput_gbps >= 40"),))
    found, jobs = run(space, database)
    assert {job.design.unroll for job in jobs} == {"full"}
    assert {job.device.name for job in jobs} == {"LFE5U-85F-8"}
    reasons = found.why_pruned()
    assert reasons["throughput_gbps >= 40 cannot be met"] > 0
    # Nothing fits that is larger than the device, by whichever rule it is told.
    small = [point for point in found.points if point.device.name == "iCE40HX8K"]
    assert {point.state for point in small} <= {"pruned", "does not fit"}


def test_cores_are_compared_with_those_that_do_the_same(tmp_path: Path, database: Database) -> None:
    path = tmp_path / "two.toml"
    path.write_text(SPACE + "key_bits = [128, 256]")
    space = read_space(str(path))
    found, _ = run(space, database)
    groups = found.fronts()
    key_bits = 1 + space.service.index("key_bits")
    assert {(group[0], group[key_bits]) for group in groups} == set(
        itertools.product(("LFE5U-85F-8", "iCE40HX8K"), (128, 256))
    )
    for group, points in groups.items():
        assert {point.design.key_bits for point in points} == {group[key_bits]}


# --- Resuming, repeating ------------------------------------------------------------------------


def test_what_is_known_is_not_measured_again(space: Space, database: Database) -> None:
    first, jobs = run(space, database)
    second, again = run(space, database)
    assert jobs
    assert fitting(again) == []
    assert fronts(second) == fronts(first)
    assert second.counts()["measured"] == 0
    assert second.counts()["from_database"] == first.counts()["measured"]
    assert second.counts()["pruned"] == first.counts()["pruned"]
    forced, repeated = run(space, database, force=True)
    # Maybe fewer jobs: the clocks that are known prune better from the start.
    assert forced.counts()["measured"] > 0
    assert forced.counts()["from_database"] == 0
    assert all(job.force for job in repeated)
    assert fronts(forced) == fronts(first)


ENERGIES = """
devices = ["LFE5U-85F-8"]
objectives = [OBJECTIVES]
[choices]
unroll = [1, "full"]
sbox = ["table", "tower"]
"""


@pytest.mark.parametrize(
    ("objectives", "counted"), [("'throughput_gbps', 'energy_per_block'", True), ("'lut'", False)]
)
def test_energy_is_counted_where_the_space_asks_for_it(
    objectives: str, counted: bool, tmp_path: Path, database: Database
) -> None:
    """In measurements, not in estimates; the front then has the core that spends least."""
    path = tmp_path / "energies.toml"
    path.write_text(ENERGIES.replace("OBJECTIVES", objectives))
    found, jobs = run(read_space(str(path)), database)
    assert {job.energy for job in jobs if job.kind == "estimate"} == {False}
    assert {job.energy for job in jobs if job.kind == "measure"} == {counted}
    if counted:
        measured = [point for point in found.points if "energy_per_block" in point.values]
        least = min(measured, key=lambda point: point.values["energy_per_block"])
        assert any(least in front for front in found.fronts().values())


def test_a_placement_without_energy_is_not_what_a_job_for_energy_needs(database: Database) -> None:
    job = Job("measure", Design(), device("LFE5U-85F-8"), (1, 2), None)
    wants = replace(job, energy=True)
    area = Area(lut4=1, lut6=None, wide_mux=0, ff=1, block_ram=0, lut_ram=0, cells={})
    synthesized = Synthesized(
        area=area, harness_luts=1, harness_ff=1, depth=[], netlist="made up", seconds=1.0
    )
    synthesis = work._synthesis(job.design, "ecp5")
    text = msgspec.json.encode(synthesized).decode()
    database.put_step(synthesis.key, text)
    path = CriticalPath(start="a", end="b", ns=1.0, wire_share=0.0, hops=[])
    for placement, energy in zip(
        work._placements(job, synthesis, text), (None, energy_of(1, 1)), strict=True
    ):
        placed = Placed(mhz=100.0, path=path, seconds=1.0, energy=energy)
        database.put_step(placement.key, msgspec.json.encode(placed).decode())
    assert known_seeds(job, database) == (1, 2)
    assert known_seeds(wants, database) == (2,)


def test_other_seeds_are_another_measurement(space: Space, database: Database) -> None:
    run(space, database)
    _, jobs = run(replace(space, seeds=(4, 5)), database)
    assert {job.kind for job in fitting(jobs)} == {"measure"}  # the syntheses are known


def test_an_interrupt_keeps_what_is_done(space: Space, database: Database) -> None:
    done = 0

    def work(job: Job) -> Outcome:
        nonlocal done
        if job.kind == "measure":
            done += 1
            if done > 3:
                raise KeyboardInterrupt
        return explored.fake(job)

    with pytest.raises(Interrupted) as stop:
        run(space, database, work, capacity=1)
    assert stop.value.exit_code == 130
    assert "the same command continues from there" in stop.value.message
    assert str(database.path) in stop.value.message
    assert len(database.all(kind="placed")) == 3
    resumed, jobs = run(space, database)
    assert {job.kind for job in fitting(jobs)} == {"measure"}
    assert resumed.counts()["from_database"] == 3
    every, _ = run(space, database, exhaustive=True)
    assert fronts(resumed) == fronts(every)


# --- Failures -----------------------------------------------------------------------------------


def test_a_failed_point_is_reported_and_the_rest_goes_on(space: Space, database: Database) -> None:
    lines: list[str] = []

    def work(job: Job) -> Outcome:
        if job.kind == "measure" and job.design.sbox == "tower":
            return Outcome("failed", message="placement failed: exit status 1")
        return explored.fake(job)

    found, _ = run(space, database, work, say=lines.append)
    failed = [point for point in found.points if point.state == "failed"]
    assert failed
    assert len(lines) == len(failed) == found.counts()["failed"]
    for point, line in zip(failed, sorted(lines), strict=False):
        assert point.reason == "placement failed: exit status 1"
        assert line.startswith("failed: ")
    assert found.feasible()


def test_a_space_where_everything_fails_ends_all_the_same(space: Space, database: Database) -> None:
    found, _ = run(space, database, lambda job: Outcome("failed", message="no"))
    counts = found.counts()
    assert counts["failed"] + counts["does_not_fit"] == counts["points"]
    assert not found.feasible()


def test_every_point_comes_to_something(space: Space, database: Database) -> None:
    space = replace(space, constraints=(parse_constraint("lut <= 9000"),))
    found, _ = run(space, database, limit=4)
    counts = found.counts()
    kinds = ("measured", "from_database", "pruned", "does_not_fit", "failed", "not_tried")
    assert sum(counts[kind] for kind in kinds) == counts["points"] == len(found.points)
    assert counts["measured"] == 4
    assert counts["not_tried"] > 0
    data = found.as_dict()
    assert data["counts"] == counts
    assert len(data["points"]) == counts["points"]
    assert all(point["reason"] for point in data["points"] if point["state"] != "measured")


# --- Without a clock ----------------------------------------------------------------------------


def test_a_device_without_placement_is_compared_by_size_and_depth(
    space: Space, database: Database
) -> None:
    ecp5 = device("LFE5U-85F-8")
    part = replace_record(ecp5.part, flow="synthesize")
    space = replace(space, devices=(replace_record(ecp5, part=part),))
    found, jobs = run(space, database)
    assert {job.kind for job in jobs} == {"estimate"}
    assert len(jobs) == found.counts()["measured"]
    for points in found.fronts().values():
        for point in points:
            assert "throughput_gbps" not in point.values
            assert point.measurement is not None
            assert point.measurement.kind == "synthesized"
    again, more = run(space, database)
    assert more == []
    assert fronts(again) == fronts(found)


def replace_record(record: Any, **changes: Any) -> Any:
    import msgspec

    return msgspec.structs.replace(record, **changes)


# --- Progress -----------------------------------------------------------------------------------


def test_progress_ends_at_its_goal_and_never_goes_back(space: Space, database: Database) -> None:
    states: list[Progress] = []
    found, jobs = run(space, database, progress=states.append)
    assert states[0].estimated == states[0].measured == 0
    for before, after in itertools.pairwise(states):
        assert before.estimated <= after.estimated <= after.to_estimate
        assert before.measured <= after.measured <= after.to_measure
        assert after.to_measure <= before.to_measure
    last = states[-1]
    assert last.estimated == last.to_estimate == sum(job.kind == "estimate" for job in jobs)
    assert last.measured == last.to_measure == found.counts()["measured"]


def test_an_empty_space_is_refused(tmp_path: Path, database: Database) -> None:
    path = tmp_path / "empty.toml"
    path.write_text('devices = ["LFE5U-85F-8"]\n[choices]\nsbox = "bram"\nsbox_stages = 0\n')
    with pytest.raises(UsageError, match="is empty"):
        explore(read_space(str(path)), database)
