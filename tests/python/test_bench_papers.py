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


@pytest.mark.parametrize("paper", papers(), ids=lambda paper: paper.key)
def test_a_paper_needs_its_rows_its_claims_and_their_other_ways(paper: Paper) -> None:
    names = {core.name for core in bench_papers.cores_of(paper.key)}
    assert {name for claim in paper.claim for name in claim.cores} <= names
    if paper.key == "kiran":
        assert {"kiran-pipelined-ecp5", "kiran-pipelined-output-register-ecp5"} <= names
        assert not any(name.startswith("liu2014") for name in names)


def test_a_way_that_is_the_best_is_to_have_as_many_placements() -> None:
    name = "saggese2003-iterative-ecp5"
    slower = {name: placed(100), "saggese2003-iterative-area-ecp5": placed(90)}
    assert bench_papers.faster_ways(slower) == []
    faster = slower | {"saggese2003-iterative-stock-ecp5": placed(110)}
    (line,) = bench_papers.faster_ways(faster)
    assert line == f"saggese2003-iterative-stock-ecp5 is the best way to build {name}: give it 5"
    # This one has five already.
    kiran = {"kiran-looped-ecp5": placed(1), "kiran-looped-output-register-ecp5": placed(2)}
    assert bench_papers.faster_ways(kiran) == []


def test_digests_are_written_and_nothing_is_measured() -> None:
    before = bench_papers.DIGESTS.read_bytes()
    results = Campaign.read(bench_papers.FILE)
    subprocess.run(
        [sys.executable, str(REPO / "scripts" / "bench_papers.py"), "--digests"], check=True
    )
    assert bench_papers.DIGESTS.read_bytes() == before
    assert Campaign.read(bench_papers.FILE) == results
