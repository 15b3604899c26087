# SPDX-License-Identifier: Apache-2.0
"""Measure what the comparison with the papers needs: the cores of bench/papers.toml.

    python scripts/bench_papers.py [NAME ...] [--paper KEY] [--jobs N] [--force]
    python scripts/bench_papers.py --digests

Each result is added to bench/results/papers.json as soon as it is there, with how long the run has
taken. What is there from this commit, or in the database of this machine, is not measured again,
placement by placement: the same line goes on where it was stopped, and adds to the time. Exit
status 1 when a core cannot be measured, or bench/papers.toml explains a difference that is none.

`--digests` measures nothing: it writes bench/papers-digests.json, which holds the published figures
fast, after a figure was changed on purpose and read in its paper again.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping

from bench_cores import BENCH, RESULTS, chosen, measured

from aesforge.measure.bench import Campaign, Core
from aesforge.measure.record import Measurement
from aesforge.research.papers.compare import (
    best_way,
    compare,
    counts,
    disagreements,
    known_results,
)
from aesforge.research.papers.published import digests, papers, published

FILE = RESULTS / "papers.json"
DIGESTS = BENCH / "papers-digests.json"
MORE_LUTS = 1.1


def cores_of(key: str) -> list[Core]:
    """Return the cores that stand beside a paper's figures."""
    (paper,) = papers(key)
    names = {name for table in paper.table for row in table.rows for name in row.cores}
    names |= {name for claim in paper.claim for name in claim.cores}
    return [core for core in published().core if {core.name, core.way_of} & names]


def faster_ways(known: Mapping[str, Measurement]) -> list[str]:
    """Return a line for each other way that is the best, and has fewer placements than asked for.

    Such a way stands beside the paper by fewer placements than its core would.
    """
    cores = published().cores()
    found = []
    for name, core in cores.items():
        if name in known and not core.way_of:
            best = cores[best_way(known, name)]
            if best.seeds < core.seeds:
                found.append(f"{best.name} is the best way to build {name}: give it {core.seeds}")
    return found


def unplaced_ways(known: Mapping[str, Measurement]) -> list[str]:
    """Return a line for each other recipe that was only synthesized, and may be the best way.

    Placing takes most of the time. A netlist with more levels of look-up tables than the core's, or
    with more than `MORE_LUTS` times the look-up tables of the core or of the fastest way to build
    it, need not be placed.
    """
    cores = published().cores()
    found = []
    for name, way in cores.items():
        if way.seeds or not {name, way.way_of} <= known.keys():
            continue
        one, own = known[name], known[way.way_of]
        if own.clock is None:
            continue
        fastest = known[best_way(known, way.way_of)]
        most = MORE_LUTS * min(own.area.luts, fastest.area.luts)
        if one.logic_depth <= own.logic_depth and one.area.luts <= most:
            found.append(f"{name} may be the best way to build {way.way_of}: give it 1")
    return found


def main() -> int:
    """Measure, write, say how the comparison stands, and give the exit status."""
    parser = argparse.ArgumentParser(description="Measure the cores of bench/papers.toml.")
    parser.add_argument("--paper", metavar="KEY", help="only what stands beside this paper")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="cores at a time (2 GB each)"
    )
    parser.add_argument(
        "--digests", action="store_true", help="write the digests of the published figures"
    )
    which, given = chosen(parser, published().core)
    if given.digests:
        DIGESTS.write_text(json.dumps(digests(), indent=1) + "\n", encoding="utf-8")
        return 0
    if given.paper:
        asked = cores_of(given.paper)
        which = [core for core in which if core in asked]
    options = {"force": given.force, "jobs": given.jobs}
    results = list(measured(which, FILE, **options, count_slices=True, timed=True))
    failed = [core.name for core, result in results if result is None]
    campaign = Campaign.read(FILE)
    if run := campaign.run:
        cores = len(campaign.at(run.commit))
        print(f"{cores} cores at {run.commit} in {run.seconds / 60:.0f} min, {run.parts} parts")
    known = known_results(FILE, own=False)
    comparisons = compare(known)
    print("\n".join(faster_ways(known) + unplaced_ways(known)))
    print(", ".join(f"{number} {kind}" for kind, number in counts(comparisons).items()))
    wrong = disagreements(comparisons)
    print("\n".join(wrong))
    if failed:
        print(f"failed: {', '.join(failed)}")
    return 1 if failed or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
