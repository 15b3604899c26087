# SPDX-License-Identifier: Apache-2.0
"""Measure the cores of bench/cores.toml on their devices, and hold them to their bars.

    python scripts/bench_cores.py [NAME ...] [--force]

Each result is written to bench/results as soon as it is there; what the database of this machine
knows is not measured again. Exit status 1 when a bar is missed or a measurement failed.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import msgspec

from aesforge.design import load
from aesforge.devices import Record, device
from aesforge.errors import AesforgeError
from aesforge.explore.figures import parse_constraint, values_of
from aesforge.measure import Database, Measurement, Target, estimate, measure

BENCH = Path(__file__).resolve().parent.parent / "bench"
RESULTS = BENCH / "results"


class Core(Record, frozen=True, kw_only=True):
    """One line of the bench.

    Args:
        name: of the result's file.
        design: what follows `aesforge measure`: D, then `--set` and overrides.
        device: part and speed grade.
        seeds: placements; 0 for synthesis only.
        recipe: of the family, the default one when left out.
        bars: constraints, as a space for `aesforge explore` has them.
    """

    name: str
    design: list[str]
    device: str
    seeds: int = 3
    recipe: str | None = None
    bars: list[str] = msgspec.field(default_factory=list)


class Bench(Record, frozen=True, kw_only=True):
    """The file bench/cores.toml."""

    core: list[Core]


def cores() -> list[Core]:
    """Read what is to be measured."""
    return msgspec.toml.decode((BENCH / "cores.toml").read_bytes(), type=Bench).core


def judge(measurement: Measurement, bars: list[str]) -> tuple[bool, list[str]]:
    """Say of each bar whether it is met."""
    values = values_of(measurement)
    kept, lines = True, []
    for bar in map(parse_constraint, bars):
        good = bar.met_by(values)
        kept = kept and good
        value = values.get(bar.figure)
        shown = "none" if value is None else f"{value:,.4g}" if value < 1000 else f"{value:,.0f}"
        lines.append(f"  {bar.figure} {shown} (bar {bar}){'' if good else '  MISSED'}")
    return kept, lines


def run(core: Core, database: Database, force: bool) -> Measurement:
    """Measure one core."""
    words = [word for word in core.design if word != "--set"]
    design = load(words[0], words[1:])
    target = Target.of_design(design, tuple(core.design))
    options: dict[str, Any] = {
        "recipe": core.recipe,
        "database": database,
        "force": force,
        "say": lambda text: print(f"  {text}", file=sys.stderr, flush=True),
    }
    if core.seeds == 0:
        return estimate(target, device(core.device), **options)
    return measure(target, device(core.device), seeds=range(1, core.seeds + 1), **options)


def main() -> int:
    """Measure, write, judge, and give the exit status."""
    parser = argparse.ArgumentParser(description="Measure the cores of bench/cores.toml.")
    parser.add_argument("names", nargs="*", help="only these")
    parser.add_argument("--force", action="store_true", help="measure again what is known")
    given = parser.parse_args()
    known = cores()
    missing = set(given.names) - {core.name for core in known}
    if missing:
        parser.error(f"no such core: {', '.join(sorted(missing))}")
    database = Database()
    RESULTS.mkdir(exist_ok=True)
    good = True
    for core in known:
        if given.names and core.name not in given.names:
            continue
        print(f"{core.name} on {core.device}", flush=True)
        try:
            result = run(core, database, given.force)
        except AesforgeError as error:
            print(f"  FAILED: {error.message}", flush=True)
            good = False
            continue
        text = msgspec.json.format(result.to_json(), indent=1)
        (RESULTS / f"{core.name}.json").write_bytes(text + b"\n")
        kept, lines = judge(result, core.bars)
        good = good and kept
        print("\n".join(lines), flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
