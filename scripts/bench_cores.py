# SPDX-License-Identifier: Apache-2.0
"""Measure the cores of bench/cores.toml on their devices, and hold them to their bars.

    python scripts/bench_cores.py [NAME ...] [--force]

Each result is written to bench/results as soon as it is there; what the database of this machine
knows is not measured again. Exit status 1 when a bar is missed or a measurement failed.
"""

from __future__ import annotations

import argparse
import operator
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from aesforge.design import load
from aesforge.devices import Record, device
from aesforge.errors import AesforgeError
from aesforge.measure import Database, Measurement, Target, estimate, measure

BENCH = Path(__file__).resolve().parent.parent / "bench"
RESULTS = BENCH / "results"
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {">=": operator.ge, "<=": operator.le}


class Core(Record, frozen=True, kw_only=True):
    """One line of the bench.

    Args:
        name: of the result's file.
        design: what follows `aesforge measure`: D, then `--set` and overrides.
        device: part and speed grade.
        seeds: placements; 0 for synthesis only.
        recipe: of the family, the default one when left out.
        bars: figure to `>= number` or `<= number`.
    """

    name: str
    design: list[str]
    device: str
    seeds: int = 3
    recipe: str | None = None
    bars: dict[str, str] = msgspec.field(default_factory=dict)


class Bench(Record, frozen=True, kw_only=True):
    """The file bench/cores.toml."""

    core: list[Core]


def cores() -> list[Core]:
    """Read what is to be measured."""
    return msgspec.toml.decode((BENCH / "cores.toml").read_bytes(), type=Bench).core


def figure(measurement: Measurement, name: str) -> float | None:
    """Give a figure that a bar may be about."""
    clock = measurement.clock
    figures: dict[str, float | None] = {
        "throughput_gbps": measurement.throughput_gbps,
        "legal_mhz": None if clock is None else clock.legal_mhz,
        "luts": measurement.area.luts,
        "ff": measurement.area.ff,
        "block_ram": measurement.area.block_ram,
        "depth": max((stage.depth for stage in measurement.depth), default=0),
    }
    return figures[name]


def judge(measurement: Measurement, bars: dict[str, str]) -> tuple[bool, list[str]]:
    """Say of each bar whether it is met."""
    kept, lines = True, []
    for name, bar in bars.items():
        sign, _, bound = bar.partition(" ")
        value = figure(measurement, name)
        good = value is not None and _COMPARE[sign](value, float(bound))
        kept = kept and good
        shown = "none" if value is None else f"{value:,.4g}" if value < 1000 else f"{value:,.0f}"
        lines.append(f"  {name} {shown} (bar {bar}){'' if good else '  MISSED'}")
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
