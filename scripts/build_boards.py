# SPDX-License-Identifier: Apache-2.0
"""Build the bitstreams of the boards, with the clock of each found by placement.

    python scripts/build_boards.py [NAME...]

The folders are build/boards/NAME. What was found goes to bench/results/boards.json, from which
`make docs` writes the table of docs/boards/building.md. Exit status 1 when a clock is not met.
"""

from __future__ import annotations

import datetime
import json
import sys
from pathlib import Path
from typing import Any

from aesforge.board.build import Built, build, default_design, project
from aesforge.board.data import board, boards
from aesforge.errors import AesforgeError, CheckFailed
from aesforge.measure import commit_or_version
from aesforge.toolchain.files import write_whole

REPO = Path(__file__).resolve().parent.parent
FILE = REPO / "bench" / "results" / "boards.json"


def row(built: Built) -> dict[str, Any]:
    """Return what is kept of a bitstream."""
    one = built.project
    design = " --set ".join((one.board.design, *one.board.overrides))
    reference = "itself" if one.cores.decrypt is None else one.board.reference or design
    return {
        "device": one.board.device,
        "package": one.board.package,
        "application": one.application_name,
        "design": design,
        "reference": reference,
        "sampled": 2**one.cores.sample_bits,
        "clock_mhz": round(one.setting.mhz, 4),
        "fmax_mhz": round(built.fmax_mhz, 2),
        "luts": built.luts,
        "ff": built.ff,
        "block_ram": built.block_ram,
        "seconds": round(built.seconds),
        "tools": built.tools,
        "command": f"aesforge board {one.board.name} -o build/boards/{one.board.name}",
        "commit": commit_or_version(),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }


def main(names: list[str]) -> int:
    """Build some boards, or all, and give the exit status."""
    failed = 0
    for name in names or list(boards()):
        one = board(name)
        first = project(one, default_design(one), reference=one.reference)
        try:
            built = build(
                first,
                REPO / "build" / "boards" / name,
                force=True,
                say=lambda text: print(text, file=sys.stderr),
            )
        except CheckFailed as error:
            print(f"build_boards: {error.message}", file=sys.stderr)
            failed = 1
            continue
        found = json.loads(FILE.read_bytes()) if FILE.exists() else {"boards": {}}
        found["boards"][name] = row(built)
        found["boards"] = dict(sorted(found["boards"].items()))
        write_whole(FILE, json.dumps(found, indent=2) + "\n")
        print(f"{name}: {built.project.setting.mhz:g} MHz, Fmax {built.fmax_mhz:.2f} MHz")
    return failed


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except AesforgeError as error:
        sys.exit(f"build_boards: {error.message}")
