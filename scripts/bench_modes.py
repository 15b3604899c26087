# SPDX-License-Identifier: Apache-2.0
"""Measure what each mode of operation costs: the engines of bench/modes.toml and their bare cores.

    python scripts/bench_modes.py [NAME ...] [--force]

Results go to bench/results/modes.json; what the database of this machine knows is not measured
again. Exit status 1 when a measurement failed.
"""

from __future__ import annotations

import argparse
import sys

import msgspec
from bench_cores import BENCH, RESULTS, chosen, measured

from aesforge.devices import Record
from aesforge.measure.bench import Core

FILE = RESULTS / "modes.json"


class InEngine(Core, frozen=True, kw_only=True, dict=True):
    """A core by itself, or an engine.

    Args:
        bare: name of the core inside, of an engine.
    """

    bare: str = ""


class Bench(Record, frozen=True, kw_only=True):
    """The file bench/modes.toml."""

    core: list[InEngine]


def cores() -> list[InEngine]:
    """Read what is to be measured."""
    return msgspec.toml.decode((BENCH / "modes.toml").read_bytes(), type=Bench).core


def main() -> int:
    """Measure, write, and give the exit status."""
    which, given = chosen(
        argparse.ArgumentParser(description="Measure what each mode of operation costs."), cores()
    )
    good = True
    for _, result in measured(which, FILE, force=given.force):
        good = good and result is not None
        if result is not None:
            print(f"  {result.area.luts:,} LUT, {result.area.ff:,} FF", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
