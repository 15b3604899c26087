# SPDX-License-Identifier: Apache-2.0
"""Prove the multipliers of GF(2^128) for all factors, their RTL and their ECP5 netlists.

    python scripts/prove_multiplier.py [--write]

Every number of stages and every digit; --write records the results in
bench/results/proof/multiplier.json. Exit status 1 when one is not proved.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from aesforge.prove.multiplier import PIPELINED, SERIAL, Multiplier, prove
from aesforge.toolchain import programs, rtl
from aesforge.toolchain.files import write_whole

OUTPUT = Path(__file__).resolve().parent.parent / "bench" / "results" / "proof" / "multiplier.json"
FAMILY = "ecp5"
MULTIPLIERS = (
    *(Multiplier(PIPELINED, stages) for stages in range(1, 11)),
    *(Multiplier(SERIAL, digit) for digit in (1, 2, 4, 8, 16, 32)),
)


def main() -> int:
    """Prove all of them, and print or write what was found."""
    parser = argparse.ArgumentParser(description="Prove the multipliers of GF(2^128).")
    parser.add_argument("--write", action="store_true", help=f"record the results in {OUTPUT.name}")
    given = parser.parse_args()
    records = []
    for one in MULTIPLIERS:
        proof = prove(one, FAMILY)
        records.append({**asdict(one), "family": FAMILY, **asdict(proof)})
        print(f"{one.module} {one.parameters}: {proof.result} {proof.reason}".strip(), flush=True)
    if given.write:
        sources = rtl.hashed(rtl.needed_by(PIPELINED, SERIAL)).hexdigest()
        versions = {name: programs.version(name) for name in ("yosys", "abc")}
        record = {"sources": sources, "versions": versions, "proofs": records}
        write_whole(OUTPUT, json.dumps(record, indent=1) + "\n")
    return int(any(record["result"] != "proved" for record in records))


if __name__ == "__main__":
    sys.exit(main())
