# SPDX-License-Identifier: Apache-2.0
"""Flip bits of a core's bitstream, and count what `prove --bitstream` finds of them.

    python scripts/bench_bitstream_faults.py [--device DEV] [--used N] [--others N] [--seed S]

The core is synthesized, placed and packed as `aesforge measure` and the makefiles of boards do it.
Bits are chosen at random over the whole device, one at a time, until N of them matter to the design
(`aesforge.prove.bitstream.flips`). Ends with status 1 if one that matters was not found, or one
that does not was taken for a difference or not named.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from aesforge.design import load
from aesforge.devices import Device, device
from aesforge.errors import AesforgeError
from aesforge.measure import commit_or_version
from aesforge.prove.bitstream import ecp5, gatemate, gowin, ice40
from aesforge.prove.bitstream.ecp5.flips import Faults as Ecp5Faults
from aesforge.prove.bitstream.flips import Faults, campaign
from aesforge.prove.bitstream.gatemate.flips import Faults as GateMateFaults
from aesforge.prove.bitstream.gowin.flips import Faults as GowinFaults
from aesforge.prove.bitstream.ice40.flips import Faults as Ice40Faults
from aesforge.prove.implementation.make import Files, pack, placement
from aesforge.prove.synthesis import synthesis_of
from aesforge.toolchain import programs
from aesforge.toolchain.files import write_whole

REPO = Path(__file__).resolve().parent.parent
FILE = REPO / "bench" / "results" / "bitstream-faults.json"
PRESET = "compact"
# Which is not the default: nextpnr 0.11.1 crashes at this netlist on GateMate with its first seed.
RECIPES = {"gatemate": "stock"}


# The family -> what reads its files, and the bits of such a bitstream.
FAMILIES: dict[str, tuple[Callable[..., Any], Callable[..., Faults[Any]]]] = {
    "ecp5": (ecp5.read_files, Ecp5Faults),
    "gatemate": (gatemate.read_files, GateMateFaults),
    "gowin": (gowin.read_files, GowinFaults),
    "ice40": (ice40.read_files, Ice40Faults),
}


def opened(where: Device, made: Files) -> Faults[Any]:
    """Return the bits of a packed bitstream, beside its routed netlist."""
    read_files, faults = FAMILIES[where.family]
    return faults(*read_files(made.bitstream, made.routed, where))


def main() -> int:
    """Run the campaign and give the exit status."""
    parser = argparse.ArgumentParser(description="Flip bits of a bitstream.")
    parser.add_argument("--device", default="iCE40HX8K")
    parser.add_argument("--used", type=int, default=200, help="bits that matter to the design")
    parser.add_argument("--others", type=int, default=1000, help="at most, that do not matter")
    parser.add_argument("--seed", type=int, default=1, help="of the choice of bits")
    parser.add_argument("--output", type=Path, default=FILE, help="the file of the records")
    arguments = parser.parse_args()
    where = device(arguments.device)
    recipe = RECIPES.get(where.family, "area")
    synthesis = synthesis_of(load(PRESET), where.family, recipe)
    synthesis.run()
    commit = commit_or_version()
    program, options = synthesis.family.program, synthesis.recipe.place
    assert program is not None
    with tempfile.TemporaryDirectory(prefix="aesforge-bitstream-") as name:
        faults = opened(where, pack(synthesis.netlist, where, options, Path(name)))
    whole = faults.compare()
    print(whole.text())
    started = time.monotonic()

    def progress(done: int) -> None:
        if sys.stderr.isatty():
            print(f"\r{done} of {arguments.used}", end="", file=sys.stderr, flush=True)

    counts = campaign(
        faults,
        used=arguments.used,
        others=arguments.others,
        seed=arguments.seed,
        progress=progress,
    )
    record = {
        "design": PRESET,
        "device": where.name,
        "recipe": recipe,
        "bits": faults.bits,
        "places": whole.cells,
        "nets": whole.nets,
        "wires": whole.wires,
        "equal": whole.same,
        "used": counts.used,
        "found": counts.found,
        "unused": counts.unused,
        "named": counts.named,
        "unknown": counts.unknown,
        "told": counts.told,
        "wrong": counts.wrong,
        "seed": arguments.seed,
        "seconds": round(time.monotonic() - started, 1),
        "tools": {tool: programs.version(tool) for tool in ("yosys", program)},
        "place": programs.shown(program, placement(where, options)),
        "command": f"scripts/bench_bitstream_faults.py --device {where.name} "
        f"--used {arguments.used} --others {arguments.others} --seed {arguments.seed}",
        "commit": commit,
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }
    output = arguments.output
    known = json.loads(output.read_bytes()) if output.exists() else {}
    known[where.name] = record
    write_whole(output, json.dumps(known, indent=1, sort_keys=True) + "\n")
    print(
        f"{PRESET} on {where.name}: {counts.found} of {counts.used} bits that matter found; "
        f"{counts.named} of {counts.unused} others named as unused; {counts.told} of "
        f"{counts.unknown} without a name found in used tiles"
    )
    return 0 if whole.same and not counts.wrong else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except AesforgeError as error:
        sys.exit(f"bench_bitstream_faults: {error.message}")
