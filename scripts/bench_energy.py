# SPDX-License-Identifier: Apache-2.0
"""Count what cores spend on a block on LFE5U-85F-8, each block under its own key, and under one.

    python scripts/bench_energy.py [NAME ...]

Each result is added to bench/results/energy.json as soon as it is there. Placements are kept in
the cache. Exit status 1 when a count failed.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import get_args

import msgspec

from aesforge.design import load
from aesforge.devices import Record, device
from aesforge.energy.model import Keys
from aesforge.energy.run import Spent, energy
from aesforge.errors import AesforgeError
from aesforge.toolchain.files import write_whole

FILE = Path(__file__).resolve().parent.parent / "bench" / "results" / "energy.json"
DEVICE = "LFE5U-85F-8"
# The three pipelines of Liu et al. (2014), Table 3, then two cores of ours.
BASE = "liu2014-original"
CORES = (BASE, "liu2014-two-stage", "liu2014-five-stage", "compact", "balanced")


class Results(Record, frozen=True, kw_only=True):
    """The file: by the name of the core, then by its keys."""

    cores: dict[str, dict[Keys, Spent]] = msgspec.field(default_factory=dict)


def results() -> Results:
    """Read the file; without one there are no results.

    Raises:
        msgspec.ValidationError: it is no such file.
    """
    return msgspec.json.decode(FILE.read_bytes(), type=Results) if FILE.exists() else Results()


def main() -> int:
    """Count, write, and give the exit status."""
    parser = argparse.ArgumentParser(description="Count what cores spend on a block.")
    parser.add_argument("names", nargs="*", help="only these")
    given = parser.parse_args()
    if missing := set(given.names) - set(CORES):
        parser.error(f"no such core: {', '.join(sorted(missing))}")

    def say(text: str) -> None:
        print(f"  {text}", file=sys.stderr, flush=True)

    good = True
    for name in (core for core in CORES if not given.names or core in given.names):
        for keys in get_args(Keys):
            try:
                spent = energy(load(name), device(DEVICE), keys=keys, say=say)
            except AesforgeError as error:
                print(f"{name}: FAILED: {error.message}", flush=True)
                good = False
                break
            known = results()
            known.cores.setdefault(name, {})[keys] = spent
            data = msgspec.to_builtins(known)
            data["cores"] = {one: data["cores"][one] for one in CORES if one in data["cores"]}
            text = msgspec.json.format(msgspec.json.encode(data), indent=1)
            write_whole(FILE, text + b"\n")
            print(f"{name}, keys {keys}: {spent.energy.per_block:,.0f} per block", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
