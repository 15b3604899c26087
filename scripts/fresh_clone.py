# SPDX-License-Identifier: Apache-2.0
"""Time the bitstream of a board from a fresh clone, by one command: `make board BOARD=NAME`.

    python scripts/fresh_clone.py [NAME]

Clones this checkout's commit into a temporary folder, sets up its environment, and builds the
bitstream of ulx3s, or of another board. The result goes to bench/results/boards.json, from which
`make docs` writes a line of docs/boards/building.md. Exit status 2 with uncommitted changes, 1 when
the command fails.
"""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from aesforge.board.data import board
from aesforge.errors import AesforgeError, UsageError
from aesforge.measure import commit_or_version
from aesforge.toolchain.files import write_whole
from aesforge.toolchain.programs import ended_cpu_seconds

REPO = Path(__file__).resolve().parent.parent
FILE = REPO / "bench" / "results" / "boards.json"


def main(names: list[str]) -> int:
    """Time one board, and return the exit status."""
    name = board(names[0] if names else "ulx3s").name
    commit = commit_or_version()
    if commit.endswith("+"):
        raise UsageError("there are uncommitted changes, and a clone has none: commit them first")
    command = ["make", "board", f"BOARD={name}"]
    load, started = os.getloadavg()[0], time.monotonic()
    processor = ended_cpu_seconds()
    with tempfile.TemporaryDirectory(prefix="aesforge-clone-") as folder:
        clone = Path(folder) / "aesforge"
        subprocess.run(["git", "clone", "--quiet", str(REPO), str(clone)], check=True)
        # Nothing of this environment, and no model of an earlier run.
        clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        clean["AESFORGE_CACHE"] = str(Path(folder) / "cache")
        done = subprocess.run(command, cwd=clone, env=clean, check=False)
        if done.returncode != 0:
            print(f"fresh_clone: {' '.join(command)} failed", file=sys.stderr)
            return 1
        bitstreams = [path.stat().st_size for path in (clone / "build" / name / "build").iterdir()]
    found = json.loads(FILE.read_bytes())
    found["fresh_clone"] = {
        "board": name,
        "command": " ".join(command),
        "bytes": max(bitstreams),
        "seconds": round(time.monotonic() - started),
        "cpu_seconds": round(ended_cpu_seconds() - processor),
        "processors": os.cpu_count(),
        "load": round((load + os.getloadavg()[0]) / 2, 1),
        "commit": commit,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }
    write_whole(FILE, json.dumps(found, indent=2) + "\n")
    print(json.dumps(found["fresh_clone"], indent=2))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except AesforgeError as error:
        print(f"fresh_clone: {error.message}", file=sys.stderr)
        sys.exit(2)
