# SPDX-License-Identifier: Apache-2.0
"""Toggle registers of mapped cores, one a run, and count what leaves wrong and what is detected.

    python scripts/fault_campaign.py [NAME ...] [--samples N] [--seed S]
                                     [--jobs N | --cluster tcp://HOST:PORT]

Each of `CORES` is synthesized for ECP5 as `aesforge measure` does it; in its netlist, a random
sample of SEUs of flip-flops, and as many of bits of its RAM, are tried
(`aesforge.research.faults`), several cores at a time, here or on a Dask cluster. Ends with status 1
if a core that takes each result back let anything wrong pass.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

from aesforge.design import Design, load
from aesforge.devices.families import family
from aesforge.errors import AesforgeError, UsageError, one_of
from aesforge.jobs import Failed
from aesforge.jobs import script as jobs
from aesforge.measure import commit_or_version
from aesforge.measure.harness import TOP
from aesforge.measure.synthesis import Synthesis
from aesforge.measure.target import Target
from aesforge.netlist.cells import Netlist
from aesforge.netlist.module import read_module
from aesforge.prove.circuit import of_netlist
from aesforge.research import faults
from aesforge.toolchain import programs
from aesforge.toolchain.files import write_whole

REPO = Path(__file__).resolve().parent.parent
FILE = REPO / "bench" / "results" / "faults.json"
FAMILY = "ecp5"

CORES: dict[str, tuple[str, ...]] = {
    "balanced": ("balanced",),
    "compact": ("compact",),
    "compact-parity": ("compact", "error_detection=parity"),
    "compact-inverse": ("compact", "error_detection=inverse"),
    "balanced-parity": ("balanced", "error_detection=parity"),
    "balanced-inverse": ("balanced", "error_detection=inverse"),
}


def design_of(name: str) -> Design:
    """Return one of `CORES`."""
    preset, *overrides = CORES[name]
    return load(preset, overrides)


def campaign(name: str, samples: int, seed: int) -> dict[str, Any]:
    """Synthesize one of `CORES`, try the SEUs, and give the record.

    It has no commit, which a worker of a cluster may not know.
    """
    design = design_of(name)
    data = family(FAMILY)
    synthesis = Synthesis(Target.of(design), FAMILY, data, data.recipe_named(None))
    found = synthesis.examine()
    circuit = of_netlist(synthesis)
    started = time.monotonic()

    counts = faults.campaign(design, circuit.aig, samples=samples, seed=seed)
    # A register of the graph is one of the netlist.
    registers = found.area.ff + read_registers(synthesis)
    if counts[0].population != registers:
        raise AesforgeError(
            f"{name}: {registers} registers in the netlist, {counts[0].population} found"
        )
    seconds = time.monotonic() - started
    words = [CORES[name][0], *(word for over in CORES[name][1:] for word in ("--set", over))]
    return {
        "name": name,
        "design": words,
        "error_detection": design.error_detection,
        "summary": design.summary(),
        "family": FAMILY,
        "recipe": synthesis.recipe.name,
        "latency_cycles": design.latency_cycles,
        "luts": found.area.luts,
        "ff": found.area.ff,
        "netlist": found.netlist,
        "seed": seed,
        "counts": faults.as_dict(counts),
        "seconds": round(seconds, 1),
        "yosys": programs.version("yosys"),
        "command": f"scripts/fault_campaign.py {name} --samples {samples} --seed {seed}",
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


def read_registers(synthesis: Synthesis) -> int:
    """Count the bits that a netlist reads from block RAM: each stands in a register there."""
    module, kinds = read_module(synthesis.netlist, TOP), synthesis.family.cells
    cells = Netlist(module, kinds, "", synthesis.labels).cells
    out = {net for cell in cells if cell.kind in kinds.block_ram for net in cell.outputs}
    return len(out & {net for cell in cells for _, net in cell.inputs})


def main() -> int:
    """Run the campaigns and give the exit status."""
    parser = argparse.ArgumentParser(description="Toggle registers of mapped cores.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(CORES)}")
    parser.add_argument("--samples", type=int, default=10_000, help="seus of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=FILE, help="the file of the records")
    jobs.add_options(parser)
    arguments = parser.parse_args()
    names = list(dict.fromkeys(arguments.names or CORES))
    for name in names:
        if name not in CORES:
            raise UsageError(f"there is no core '{name}' ({one_of(CORES)})")
    passed = True
    work = partial(campaign, samples=arguments.samples, seed=arguments.seed)
    with jobs.pool(work, arguments) as pool:
        for name, record in pool.run(names):
            if isinstance(record, Failed):
                print(f"{name}: FAILED: {record.message}", file=sys.stderr, flush=True)
                passed = False
                continue
            keep(arguments.output, {**record, "commit": commit_or_version()})
            passed = told(record) and passed
    return 0 if passed else 1


def keep(output: Path, record: dict[str, Any]) -> None:
    """Add a record to the file, or replace the one of the same name."""
    known = json.loads(output.read_bytes()) if output.exists() else {}
    known[record["name"]] = record
    write_whole(output, json.dumps(known, indent=1, sort_keys=True) + "\n")


def told(record: dict[str, Any]) -> bool:
    """Print what a campaign found, and return whether the core detects what it must."""
    passed = True
    for one in record["counts"]:
        print(
            f"{record['name']}, {one['kind']}: {one['seus']:,} SEUs, {one['wrong_block']:,} wrong "
            f"blocks, {one['wrong_control']:,} wrong valid or tag, {one['harmless']:,} "
            f"harmless; {one['missed']:,} without an alarm, {one['false_alarm']:,} false alarms",
            flush=True,
        )
        passed = passed and not (record["error_detection"] == "inverse" and one["missed"])
    return passed


if __name__ == "__main__":
    sys.exit(jobs.status(main))
