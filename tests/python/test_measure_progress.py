# SPDX-License-Identifier: Apache-2.0
"""What a placement's log tells, and how long a placement usually takes."""

from __future__ import annotations

import random
import time
from pathlib import Path

import msgspec
import pytest

from aesforge.measure import Measurement, progress
from aesforge.measure.progress import Step, step_of, usual_seconds, watched
from report_records import record

LOG = """\
Info: Packing IOs..
Info: Running Static placer...
Info: overlap: COMB=99.8%, FF=99.5%, RAM=0.0%, MUL=0.0%
Info: overlap: COMB=41.2%, FF=37.0%, RAM=0.0%, MUL=0.0%
Info: Running simulated annealing placer for refinement.
Info: Critical path report for clock 'clk' (posedge -> posedge):
Info: Routing..
Info: Setting up routing queue.
Info: Routing 2000 arcs.
Info:            |   (re-)routed arcs  |   delta    | remaining|       time spent     |
Info:       1000 |      102        897 |  102   897 |      1500|       2.03       2.03|
Info: Critical path report for clock 'clk' (posedge -> posedge):
"""


@pytest.mark.parametrize(
    ("lines", "step"),
    [
        (0, Step("reading")),
        (1, Step("packing")),
        (2, Step("placing")),
        (4, Step("placing", "41 % of cells overlap")),
        (5, Step("refining")),
        (7, Step("routing")),
        (11, Step("routing", "25 %")),
        (12, Step("timing")),
    ],
)
def test_steps(lines: int, step: Step) -> None:
    assert step_of("".join(LOG.splitlines(True)[:lines])) == step


def test_the_second_router_counts_wires() -> None:
    log = "Info: Running router2...\nInfo:     iter=1 wires=900 overused=4120 overuse=5000\n"
    assert step_of(log) == Step("routing", "4,120 wires overused")


def known(luts: int, seconds: float) -> Measurement:
    """Return a made-up measurement of three placements."""
    one = record(random.Random(1), None, "LFE5U-85F-8", "ecp5", 1.0, None, False)
    assert one.clock is not None
    runs = [msgspec.structs.replace(run, seconds=seconds) for run in one.clock.runs]
    return msgspec.structs.replace(
        one,
        area=msgspec.structs.replace(one.area, lut4=luts),
        clock=msgspec.structs.replace(one.clock, runs=runs),
    )


def test_the_usual_time_is_that_of_cores_of_like_size() -> None:
    assert usual_seconds([known(1000, 60), known(90_000, 9)], "ecp5", 1500) == pytest.approx(90)
    assert usual_seconds([known(1000, 60)], "ecp5", 5000) is None
    assert usual_seconds([known(1000, 60)], "ice40", 1000) is None
    assert usual_seconds([], "ecp5", 1000) is None


def test_a_log_is_watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "POLL_SECONDS", 0.01)
    log, told = tmp_path / "log", list[Step]()
    with watched(log, lambda step, _seconds: told.append(step)):
        time.sleep(0.05)  # there is no log yet
        log.write_text(LOG, encoding="utf-8")
        for _ in range(500):
            if told:
                break
            time.sleep(0.01)
    assert told[0] == Step("timing")
    count = len(told)
    time.sleep(0.05)
    assert len(told) == count
