# SPDX-License-Identifier: Apache-2.0
"""Exploring with the real tools, and pruning judged by what they once gave."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

import explored
from aesforge.design import Design
from aesforge.devices import device
from aesforge.explore import Space, explore, read_space
from aesforge.explore.figures import parse_constraint
from aesforge.explore.jobs import Flow, Job, Outcome
from aesforge.measure import Database
from aesforge.measure.record import Measurement

RECORDED = [
    msgspec.convert(entry, Measurement)
    for entry in msgspec.json.decode((Path(__file__).parent / "explored.json").read_bytes())
]


def placed(job: Job) -> Measurement:
    """Return what was recorded of a job's core."""
    return next(
        entry
        for entry in RECORDED
        if entry.subject.design is not None
        # Choices that came later have their defaults.
        and Design(**{**entry.subject.design, "name": job.design.name}) == job.design
        and entry.device == job.device.name
    )


def replay(job: Job) -> Outcome:
    """Do a job by giving what was recorded; a synthesis is a placement without its clock."""
    result = placed(job)
    if job.kind == "estimate":
        result = msgspec.structs.replace(result, kind="synthesized", clock=None)
    return Outcome("done", record=result.to_json())


def fronts(found: object) -> dict[object, set[Design]]:
    from aesforge.explore import Exploration

    assert isinstance(found, Exploration)
    return {group: {p.design for p in points} for group, points in found.fronts().items()}


@pytest.mark.parametrize(
    ("constraints", "objectives"),
    list(
        itertools.product(
            [[], ["throughput_gbps >= 0.8"], ["lut <= 1600"], ["mhz >= 70", "block_ram <= 0"]],
            [("throughput_gbps", "lut", "block_ram"), ("throughput_gbps", "lut"), ("lut",)],
        )
    ),
)
@pytest.mark.parametrize("order", ["promise", 1, 2, 3])
def test_pruning_loses_no_point_among_real_measurements(
    tmp_path: Path, constraints: list[str], objectives: tuple[str, ...], order: str | int
) -> None:
    """Cores on an iCE40HX8K as the tools once measured them; the RTL may have changed since."""
    designs = [Design(**entry.subject.design) for entry in RECORDED if entry.subject.design]
    space = Space(
        name="recorded",
        blocks=tuple(
            {name: (value,) for name, value in design.choices().items() if value is not None}
            for design in designs
        ),
        devices=(device("iCE40HX8K"),),
        seeds=(1,),
        constraints=tuple(map(parse_constraint, constraints)),
        objectives=objectives,
    )
    dice = random.Random(order)
    flow = Flow(replay, lambda job, database: None, lambda job, database: ())
    results = [
        explore(
            space,
            explored.Forgetful(tmp_path / "none"),
            exhaustive=exhaustive,
            order=None if order == "promise" else (lambda search, point: (dice.random(),)),
            pool=explored.Inline(replay, 2),
            flow=flow,
        )
        for exhaustive in (False, True)
    ]
    assert fronts(results[0]) == fronts(results[1])
    assert fronts(results[1])
    assert results[1].counts()["measured"] == len(RECORDED) >= 10
    if any("lut" in text or "block_ram" in text for text in constraints):
        assert results[0].counts()["pruned"] > 0


def test_a_real_space_is_explored_and_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Synthesis, placement and routing of a small core, by worker processes."""
    monkeypatch.setenv("AESFORGE_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "small.toml"
    path.write_text(
        'devices = ["iCE40HX8K"]\nseeds = 1\nbase = "compact-bram"\n'
        'constraints = ["latency_cycles <= 30", "lut <= 2000"]\n'
        "[choices]\nlinear_stages = [0, 1, 2]\n"
    )
    space = read_space(str(path))
    database = Database(tmp_path / "measurements.sqlite")
    # One is placed; what the limit leaves is not tried.
    found = explore(space, database, workers=1, limit=1)
    counts = found.counts()
    assert counts["points"] == 3
    assert counts["pruned"] == 1  # by its latency, before any tool ran
    assert counts["measured"] == 1
    assert counts["not_tried"] == 1
    (point,) = found.feasible()
    values = point.values
    assert 0 < values["lut"] <= 2000
    assert values["mhz"] > 20
    assert values["throughput_gbps"] == pytest.approx(0.0128 * values["mhz"])
    again = explore(space, database, limit=0)
    assert again.counts()["from_database"] == 1
    assert again.feasible()[0].measurement == point.measurement
    # Other seeds would have to be placed; the synthesis is known.
    more = explore(replace(space, seeds=(1, 2)), database, limit=0)
    assert more.counts()["from_database"] == 0
    assert sum(point.estimate is not None for point in more.points) >= 1
