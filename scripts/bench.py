# SPDX-License-Identifier: Apache-2.0
"""Measure the tool on this machine: start-up, bundles, models, blocks per second, measurements.

    python scripts/bench.py [--json] [--quick]

Each figure stands beside what the project promises, and all are written to bench/results/tool.json.
Models and netlists are made in a cache and a database of their own, so "cold" is cold and nothing
of yours is lost; `--quick` takes a few of the figures and writes no file. Exit status 1 when a
promise is not kept, which a machine that is busy with something else may cause too.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

COMMAND = Path(sys.executable).with_name("aesforge")
RESULT = Path(__file__).resolve().parent.parent / "bench" / "results" / "tool.json"
MEGABYTES = 8  # the file that `crypt` is timed with: half a million blocks


def seconds_of(*arguments: str | Path, best_of: int = 1) -> float:
    """Return the shortest time of a few runs of the command, in seconds."""
    times = []
    for _ in range(best_of):
        start = time.monotonic()
        subprocess.run([COMMAND, *arguments], check=True, capture_output=True)
        times.append(time.monotonic() - start)
    return min(times)


def measure(folder: Path, quick: bool) -> Iterator[tuple[str, float, str, float | None, bool]]:
    """Return each figure: name, value, unit, bar, and whether less is better."""
    from aesforge.design.presets import of_group

    yield "aesforge --help", seconds_of("--help", best_of=3), "s", 0.3, True
    out = folder / "core"
    yield "build line-rate", seconds_of("build", "line-rate", "-o", out, best_of=3), "s", 1.0, True

    # The run-time library is built with the first model, and only then.
    for name in ("compact",) if quick else [design.name for design in of_group("general")]:
        start = time.monotonic()
        subprocess.run(
            [COMMAND, "check", name, "--blocks", "1", "--no-vectors"],
            check=True,
            capture_output=True,
        )
        yield f"first check of {name}", time.monotonic() - start, "s", 90.0, True

    source, target = folder / "in", folder / "out"
    key = folder / "key"
    source.write_bytes(os.urandom(MEGABYTES << 20))
    key.write_text(os.urandom(16).hex())
    runs: list[tuple[str, tuple[str, ...]]] = [
        ("compact", ()),
        ("balanced, table S-box", ("--set", "sbox=table")),
    ]
    for label, overrides in runs[: 1 if quick else 2]:
        design = label.partition(",")[0]
        line: list[str | Path] = [
            COMMAND,
            "crypt",
            design,
            *overrides,
            source,
            target,
            "--mode",
            "ecb",
            "--json",
        ]
        for _ in range(2):  # the first run builds the model
            done = subprocess.run(
                [*line, "--key-file", key], check=True, capture_output=True, text=True
            )
        report = json.loads(done.stdout)
        promised = 50_000.0 if overrides else None
        yield f"crypt, {label}", report["blocks_per_second"], "blocks/s", promised, False

    if quick:
        return
    for name, promised in (("compact", 60.0), ("line-rate", 360.0)):
        seconds = seconds_of("measure", name, "--device", "LFE5U-85F-8")
        yield f"measure {name}, three seeds", seconds, "s", promised, True
    yield "explore spaces/quick.toml", seconds_of("explore", "quick"), "s", 300.0, True


def main() -> int:
    """Measure, print, and give the exit status."""
    parser = argparse.ArgumentParser(description="Measure the tool on this machine.")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--quick", action="store_true", help="build one model only")
    chosen = parser.parse_args()

    kept = True
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        os.environ["AESFORGE_CACHE"] = str(Path(temporary) / "cache")
        os.environ["AESFORGE_DATABASE"] = str(Path(temporary) / "measurements.sqlite")
        for what, value, unit, promised, less in measure(Path(temporary), chosen.quick):
            good = promised is None or (value <= promised if less else value >= promised)
            kept = kept and good
            rows.append(
                {"what": what, "value": value, "unit": unit, "promised": promised, "kept": good}
            )
            if not chosen.json:
                amount = f"{value:,.2f}" if unit == "s" else f"{value:,.0f}"
                bound = "" if promised is None else f"at {'most' if less else 'least'} {promised:g}"
                print(f"{what:28}{amount:>12} {unit:9} {bound:18}{'' if good else 'MISSED'}")
    machine = {"processors": os.cpu_count(), "python": platform.python_version()}
    text = json.dumps({"machine": machine, "figures": rows}, indent=1) + "\n"
    if not chosen.quick:
        RESULT.write_text(text, encoding="utf-8")
    if chosen.json:
        print(text, end="")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
