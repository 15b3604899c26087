# SPDX-License-Identifier: Apache-2.0
"""Toggle registers of mapped cores, one a run, and count what leaves wrong and what is detected.

    python scripts/fault_campaign.py [NAME ...] [--samples N] [--seed S]

Each of `CORES` is synthesized for ECP5 as `aesforge measure` does it; in its netlist, a random
sample of SEUs of flip-flops, and as many of bits of its RAM, are tried
(`aesforge.research.faults`). Ends with status 1 if a core that takes each result back let anything
wrong pass.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import time
from pathlib import Path
from typing import Any

from aesforge.design import Design, load
from aesforge.devices.families import family
from aesforge.errors import AesforgeError, UsageError, one_of
from aesforge.measure import commit_or_version
from aesforge.measure.harness import TOP
from aesforge.measure.synthesis import Synthesis
from aesforge.measure.target import Target
from aesforge.netlist.cells import Netlist
from aesforge.netlist.module import read_module
from aesforge.prove.circuit import of_netlist
from aesforge.research import faults
from aesforge.toolchain import programs

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
    """Synthesize one of `CORES`, try the SEUs, and give the record."""
    design = design_of(name)
    data = family(FAMILY)
    synthesis = Synthesis(Target.of(design), FAMILY, data, data.recipe_named(None))
    say(f"{name}: netlist")
    found = synthesis.examine()
    circuit = of_netlist(synthesis)
    started = time.monotonic()

    def progress(done: int, total: int) -> None:
        if sys.stderr.isatty():
            print(f"\r{name}: {done:,} of {total:,} SEUs", end="", file=sys.stderr, flush=True)

    counts = faults.campaign(design, circuit.aig, samples=samples, seed=seed, progress=progress)
    # A register of the graph is one of the netlist.
    registers = found.area.ff + read_registers(synthesis)
    if counts[0].population != registers:
        raise AesforgeError(
            f"{name}: {registers} registers in the netlist, {counts[0].population} found"
        )
    seconds = time.monotonic() - started
    say(f"\r{name}: {sum(one.seus for one in counts):,} SEUs in {seconds:.0f} s")
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
        "commit": commit_or_version(),
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


def read_registers(synthesis: Synthesis) -> int:
    """Count the bits that a netlist reads from block RAM: each stands in a register there."""
    module, kinds = read_module(synthesis.netlist, TOP), synthesis.family.cells
    cells = Netlist(module, kinds, "", synthesis.labels).cells
    out = {net for cell in cells if cell.kind in kinds.block_ram for net in cell.outputs}
    return len(out & {net for cell in cells for _, net in cell.inputs})


def say(text: str) -> None:
    """Print progress."""
    print(text, file=sys.stderr, flush=True)


def main() -> int:
    """Run the campaigns and give the exit status."""
    parser = argparse.ArgumentParser(description="Toggle registers of mapped cores.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(CORES)}")
    parser.add_argument("--samples", type=int, default=10_000, help="seus of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=FILE, help="the file of the records")
    arguments = parser.parse_args()
    passed = True
    for name in arguments.names or CORES:
        if name not in CORES:
            raise UsageError(f"there is no core '{name}' ({one_of(CORES)})")
        record = campaign(name, arguments.samples, arguments.seed)
        output = arguments.output
        known = json.loads(output.read_bytes()) if output.exists() else {}
        text = json.dumps(known | {name: record}, indent=1, sort_keys=True) + "\n"
        output.write_text(text, encoding="utf-8")
        for one in record["counts"]:
            print(
                f"{name}, {one['kind']}: {one['seus']:,} SEUs, {one['wrong_block']:,} wrong "
                f"blocks, {one['wrong_control']:,} wrong valid or tag, {one['harmless']:,} "
                f"harmless; {one['missed']:,} without an alarm, {one['false_alarm']:,} false alarms"
            )
            passed = passed and not (record["error_detection"] == "inverse" and one["missed"])
    return 0 if passed else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except AesforgeError as error:
        sys.exit(f"fault_campaign: {error.message}")
