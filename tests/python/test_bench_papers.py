# SPDX-License-Identifier: Apache-2.0
"""What `make bench-papers` measures of one paper, and which ways it asks to measure better."""

from __future__ import annotations

import random
import subprocess
import sys

import msgspec
import pytest

from aesforge.design import Design
from aesforge.measure import Measurement
from aesforge.measure.bench import Campaign
from aesforge.netlist.cells import StageDepth
from aesforge.research.papers.published import Paper, papers
from project import REPO
from report_records import record

sys.path.insert(0, str(REPO / "scripts"))
import bench_papers


def placed(mhz: float) -> Measurement:
    """Return a made-up measurement."""
    one = record(random.Random(1), Design(), "LFE5U-85F-8", "ecp5", 1.0, None, False)
    assert one.clock is not None
    return msgspec.structs.replace(one, clock=msgspec.structs.replace(one.clock, fmax_mhz=mhz))


def with_netlist(one: Measurement, levels: int, luts: int) -> Measurement:
    """Return a measurement with another netlist."""
    area = msgspec.structs.replace(one.area, lut4=luts)
    stage = StageDepth(stage="round / state", depth=levels, registers=128)
    return msgspec.structs.replace(one, area=area, depth=[stage])


@pytest.mark.parametrize("paper", papers(), ids=lambda paper: paper.key)
def test_a_paper_needs_its_rows_its_claims_and_their_other_ways(paper: Paper) -> None:
    names = {core.name for core in bench_papers.cores_of(paper.key)}
    assert {name for claim in paper.claim for name in claim.cores} <= names
    if paper.key == "kiran":
        assert {"kiran-pipelined-ecp5", "kiran-pipelined-output-register-ecp5"} <= names
        assert not any(name.startswith("liu2014") for name in names)


def test_a_way_that_is_the_best_is_to_have_as_many_placements() -> None:
    name = "liu2014-two-stage-ecp5"
    slower = {name: placed(100), "liu2014-two-stage-area-ecp5": placed(90)}
    assert bench_papers.faster_ways(slower) == []
    faster = slower | {"liu2014-two-stage-speed-ecp5": placed(110)}
    (line,) = bench_papers.faster_ways(faster)
    assert line == f"liu2014-two-stage-speed-ecp5 is the best way to build {name}: give it 3"
    # This one has five already.
    kiran = {"kiran-looped-ecp5": placed(1), "kiran-looped-output-register-ecp5": placed(2)}
    assert bench_papers.faster_ways(kiran) == []


@pytest.mark.parametrize(
    ("levels", "luts", "asked"), [(3, 100, 1), (3, 111, 0), (4, 100, 0), (2, 110, 1)]
)
def test_a_recipe_that_may_be_the_best_is_to_be_placed(levels: int, luts: int, asked: int) -> None:
    name, way = "saggese2003-unrolled-stored-ecp5", "saggese2003-unrolled-stored-area-ecp5"
    own = with_netlist(placed(100), 3, 100)
    found = {name: own, way: with_netlist(own, levels, luts)}
    assert len(bench_papers.unplaced_ways(found)) == asked
    # Neither beside the core's own netlist nor beside that of its fastest way is it much larger.
    smaller = {"saggese2003-unrolled-stored-stock-ecp5": with_netlist(placed(120), 3, 80)}
    assert bench_papers.unplaced_ways(found | smaller) == []


def test_the_bench_places_each_recipe_that_may_be_the_best() -> None:
    known = Campaign.read(bench_papers.FILE).measurements
    assert bench_papers.faster_ways(known) == []
    assert bench_papers.unplaced_ways(known) == []


def test_digests_are_written_and_nothing_is_measured() -> None:
    before = bench_papers.DIGESTS.read_bytes()
    results = Campaign.read(bench_papers.FILE)
    subprocess.run(
        [sys.executable, str(REPO / "scripts" / "bench_papers.py"), "--digests"], check=True
    )
    assert bench_papers.DIGESTS.read_bytes() == before
    assert Campaign.read(bench_papers.FILE) == results
