# SPDX-License-Identifier: Apache-2.0
"""Measure the cores of bench/cores.toml on their devices, and hold them to their bars.

    python scripts/bench_cores.py [NAME ...] [--force]

Each result is added to bench/results/cores.json as soon as it is there; what is there from this
commit, or in the database of this machine, is not measured again. Exit status 1 when a bar is
missed or a measurement failed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from aesforge.devices import Record
from aesforge.explore.figures import parse_constraint, values_of
from aesforge.measure import Measurement
from aesforge.measure.bench import AnyCore, Campaign, Core, run

BENCH = Path(__file__).resolve().parent.parent / "bench"
RESULTS = BENCH / "results"
FILE = RESULTS / "cores.json"


class Held(Core, frozen=True, kw_only=True, dict=True):
    """A core that is held to bars.

    Args:
        bars: constraints, as a space for `aesforge explore` has them.
        over: name of the core that it is compared with: an engine with the core inside.
        clock_share: the least share of that core's Fmax.
        more_luts: the most look-up tables on top of that core's.
    """

    bars: list[str] = msgspec.field(default_factory=list)
    over: str = ""
    clock_share: float = 0.0
    more_luts: int | None = None


class Bench(Record, frozen=True, kw_only=True):
    """The file bench/cores.toml."""

    core: list[Held]


def cores() -> list[Held]:
    """Read what is to be measured."""
    return msgspec.toml.decode((BENCH / "cores.toml").read_bytes(), type=Bench).core


def judge(measurement: Measurement, bars: list[str]) -> tuple[bool, list[str]]:
    """Return whether each limit is met."""
    values = values_of(measurement)
    found = []
    for bar in map(parse_constraint, bars):
        value = values.get(bar.figure)
        shown = "none" if value is None else f"{value:,.4g}" if value < 1000 else f"{value:,.0f}"
        found.append((bar.met_by(values), f"{bar.figure} {shown} (bar {bar})"))
    return verdict(found)


def verdict(bars: Sequence[tuple[bool, str]]) -> tuple[bool, list[str]]:
    """Return whether all bars are met, and a line of each: whether it is, and its words."""
    lines = [f"  {words}{'' if good else '  MISSED'}" for good, words in bars]
    return all(good for good, _ in bars), lines


def compared(core: Held, measurement: Measurement) -> tuple[bool, list[str]]:
    """Return the comparison of a core with its reference core."""
    if not core.over:
        return True, []
    bare = Campaign.read(FILE).measurements.get(core.over)
    if bare is None:
        return False, [f"  {core.over} has not been measured: nothing to compare with"]
    found = []
    if measurement.clock is not None and bare.clock is not None:
        share = measurement.clock.fmax_mhz / bare.clock.fmax_mhz
        words = f"clock {share:.4g} of {core.over}'s (bar {core.clock_share:g})"
        found.append((share >= core.clock_share, words))
    if core.more_luts is not None:
        more = measurement.area.luts - bare.area.luts
        words = f"lut {more:,} more than {core.over} (bar {core.more_luts:,})"
        found.append((more <= core.more_luts, words))
    return verdict(found)


def chosen(
    parser: argparse.ArgumentParser, known: Sequence[AnyCore]
) -> tuple[list[AnyCore], argparse.Namespace]:
    """Read the command line; give the cores that it names, or all of them, and what it says."""
    parser.add_argument("names", nargs="*", help="only these")
    parser.add_argument("--force", action="store_true", help="measure again what is known")
    given = parser.parse_args()
    missing = set(given.names) - {core.name for core in known}
    if missing:
        parser.error(f"no such core: {', '.join(sorted(missing))}")
    return [core for core in known if not given.names or core.name in given.names], given


def measured(
    cores: Sequence[AnyCore],
    file: Path,
    *,
    force: bool,
    jobs: int = 1,
    count_slices: bool = False,
    timed: bool = False,
) -> Iterator[tuple[AnyCore, Measurement | None]]:
    """Measure cores, say what is done, and give each with its result, None where it failed."""

    def say(text: str) -> None:
        print(f"  {text}", file=sys.stderr, flush=True)

    options = {"force": force, "count_slices": count_slices, "timed": timed}
    for core, result in run(cores, file, jobs=jobs, say=say, **options):
        print(f"{core.name} on {core.device}", flush=True)
        if isinstance(result, Measurement):
            yield core, result
        else:
            print(f"  FAILED: {result.message}", flush=True)
            yield core, None


def main() -> int:
    """Measure, write, judge, and give the exit status."""
    which, given = chosen(
        argparse.ArgumentParser(description="Measure the cores of bench/cores.toml."), cores()
    )
    good = True
    for core, result in measured(which, FILE, force=given.force):
        if result is None:
            good = False
            continue
        kept, lines = judge(result, core.bars)
        beside, more = compared(core, result)
        good = good and kept and beside
        print("\n".join(lines + more), flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
