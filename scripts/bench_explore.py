# SPDX-License-Identifier: Apache-2.0
"""Explore spaces with and without pruning, and compare what comes out: pruning must lose nothing.

    python scripts/bench_explore.py

Every measurement is made here, in an empty database: first those that pruning lets through, then
(`--exhaustive`) all others. What was pruned and what it would have been goes to
bench/results/pruning.json. Exit status 1 when a point of a front was lost.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench import COMMAND

REPO = Path(__file__).resolve().parent.parent
SPACES = (REPO / "spaces" / "quick.toml", REPO / "bench" / "pruning.toml")
RESULT = REPO / "bench" / "results" / "pruning.json"


def explored(space: Path, *options: str | Path) -> dict[str, Any]:
    """Run `aesforge explore` and give what it prints as JSON."""
    done = subprocess.run(
        [COMMAND, "explore", space, "--json", *options], check=True, stdout=subprocess.PIPE
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def front(found: dict[str, Any]) -> set[str]:
    """Return the points that no other beats, each as one text."""
    return {
        json.dumps([point["device"], point["design"]], sort_keys=True)
        for group in found["pareto"]
        for point in group["points"]
    }


def main() -> int:
    """Explore both ways, write, and give the exit status."""
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        for space in SPACES:
            database = Path(temporary) / f"{space.stem}.sqlite"
            pruned = explored(space, "--database", database)
            whole = explored(space, "--database", database, "--exhaustive")
            lost = front(whole) - front(pruned)
            rows.append(
                {
                    "space": str(space.relative_to(REPO)),
                    "constraints": whole["constraints"],
                    "points": whole["counts"]["points"],
                    "measured": pruned["counts"]["measured"],
                    "pruned": pruned["counts"]["pruned"],
                    "measured_afterwards": whole["counts"]["measured"],
                    "front": len(front(whole)),
                    "lost": sorted(lost),
                }
            )
            print(f"{space.name}: {rows[-1]}", flush=True)
            RESULT.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 1 if any(row["lost"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
