# SPDX-License-Identifier: Apache-2.0
"""How far a placement is, as nextpnr's log tells, and how long it may take."""

from __future__ import annotations

import contextlib
import re
import statistics
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from aesforge.measure.record import Measurement

# Of the log: what begins a phase, in the order of the phases.
_PHASES = (
    ("Packing ", "packing"),
    ("Running Static placer", "placing"),
    ("Creating initial analytic placement", "placing"),
    ("Running simulated annealing", "refining"),
    ("Routing..", "routing"),
    ("Running router2", "routing"),
    ("Critical path report for clock", "timing"),
)
# What each way to place or route prints for each step.
_OVERLAP = re.compile(r"overlap: (.+)$", re.M)
_SHARE = re.compile(r"=(\d+\.\d+)%")
_ARCS = re.compile(r"Routing (\d+) arcs\.")
_REMAINING = re.compile(r"^Info: +\d+ \|[^|]*\|[^|]*\| *(\d+)\|", re.M)
_OVERUSED = re.compile(r"overused=(\d+)")
POLL_SECONDS = 0.5
# Too few placements say nothing of another.
_LEAST_KNOWN = 3


@dataclass(frozen=True)
class Step:
    """Where a placement is.

    Args:
        phase: what it does.
        detail: how far that is; empty where the log does not tell.
    """

    phase: str
    detail: str = ""


def step_of(log: str) -> Step:
    """Return the step that a log has come to."""
    found = [(log.rfind(text), phase) for text, phase in _PHASES]
    at, phase = max(found)
    if at < 0:
        return Step("reading")
    rest = log[at:]
    if phase == "placing" and (overlaps := _OVERLAP.findall(rest)):
        most = max(map(float, _SHARE.findall(overlaps[-1])), default=0.0)
        return Step(phase, f"{most:.0f} % of cells overlap")
    if phase == "routing":
        if (arcs := _ARCS.search(rest)) and (remaining := _REMAINING.findall(rest)):
            return Step(phase, f"{100 - 100 * int(remaining[-1]) / int(arcs[1]):.0f} %")
        if overused := _OVERUSED.findall(rest):
            return Step(phase, f"{int(overused[-1]):,} wires overused")
    return Step(phase)


def usual_seconds(known: Iterable[Measurement], family: str, luts: int) -> float | None:
    """Return how long a placement of so many look-up tables usually took, or None: not known.

    Args:
        known: what was measured, on this machine.
        family: of the device.
        luts: of the core.
    """
    each = [
        run.seconds / one.area.luts
        for one in known
        # Where much is larger or smaller, the time is not in proportion.
        if one.family == family and one.clock is not None and luts / 2 < one.area.luts < luts * 2
        for run in one.clock.runs
        if run.seconds > 0
    ]
    return statistics.median(each) * luts if len(each) >= _LEAST_KNOWN else None


@contextlib.contextmanager
def watched(log: Path, tell: Callable[[Step, float], None]) -> Iterator[None]:
    """Tell of the steps of a placement while the body runs.

    Args:
        log: that the placement writes.
        tell: called twice a second, in a thread of its own, with the step and the seconds so far.
    """
    started, ended = time.monotonic(), threading.Event()

    def watch() -> None:
        while not ended.wait(POLL_SECONDS):
            with contextlib.suppress(OSError):
                text = log.read_text(encoding="utf-8", errors="replace")
                tell(step_of(text), time.monotonic() - started)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
