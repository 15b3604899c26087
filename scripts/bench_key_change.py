# SPDX-License-Identifier: Apache-2.0
"""Simulate what a new key costs: packets of some blocks, each under a key of its own.

    python scripts/bench_key_change.py

Saggese et al. (2003), Sec. 3, set a key with every block against stored keys. Each of their cores
takes packets back to back, once as it is and once with stored keys, where the next key is loaded
into another slot while a packet runs. Every block is compared with OpenSSL. Results go to
bench/results/key-change.json. Exit status 1 when a block is wrong.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np

from aesforge.design import Design, load
from aesforge.reference.openssl import ecb
from aesforge.simulate import BESIDE, BLOCK, LOAD, WAIT, Simulator
from aesforge.toolchain.files import write_whole

FILE = Path(__file__).resolve().parent.parent / "bench" / "results" / "key-change.json"
CORES = (
    "saggese2003-iterative",
    "saggese2003-iterative-five-stage",
    "saggese2003-unrolled",
    "saggese2003-unrolled-five-stage",
)
STORED = {"key_schedule": "stored"}
BLOCKS = (1, 4, 16, 64, 256)
# The first packets fill the core, the last ones empty it: neither counts.
PACKETS, FIRST, LAST = 45, 10, 40


def stored(preset: str) -> Design:
    """Return a core with stored keys: a slot for each block in flight, two at least."""
    agile = load(preset)
    slots = max(2, agile.stages if agile.unroll != "full" else 2)
    return load(preset, {**STORED, "key_slots": slots, "name": f"{preset}-stored"})


def cycles_per_packet(sim: Simulator, design: Design, blocks: int) -> float:
    """Return the cycles from the first block of a packet to that of the next, in the long run.

    Raises:
        SystemExit: a block differs from OpenSSL's.
    """
    draw = random.Random(blocks)
    slots = design.key_slots or 1
    keys = [draw.randbytes(16) for _ in range(PACKETS)]
    data = [draw.randbytes(16 * blocks) for _ in range(PACKETS)]
    ops: list[Any] = []

    def loading(packet: int) -> Any:
        one = sim.new_ops(1)
        one["op"], one["flags"], one["slot"] = LOAD, BESIDE, packet % slots
        one["key"][:, :16] = np.frombuffer(keys[packet], np.uint8)
        return one

    if not design.is_agile:
        ops.append(loading(0))
    for packet in range(PACKETS):
        if not design.is_agile and packet + 1 < PACKETS:
            ops.append(loading(packet + 1))
        part = sim.new_ops(blocks)
        part["op"] = BLOCK
        part["block"] = np.frombuffer(data[packet], np.uint8).reshape(blocks, 16)
        if design.is_agile:
            part["key"][:, :16] = np.frombuffer(keys[packet], np.uint8)
        else:
            part["slot"] = packet % slots
        ops.append(part)
    wait = sim.new_ops(1)
    wait["op"] = WAIT
    rows = np.sort(sim.run(np.concatenate([*ops, wait])).rows, order="in_cycle")
    expected = b"".join(ecb(key, text) for key, text in zip(keys, data, strict=True))
    if rows["block"].tobytes() != expected:
        raise SystemExit(f"{design.name}: a block differs from OpenSSL's")
    starts = rows["in_cycle"][::blocks]
    return float(starts[LAST] - starts[FIRST]) / (LAST - FIRST)


def main() -> int:
    """Simulate all cores, write the file, and return the exit status."""
    found = {}
    for preset in CORES:
        for kind, design in (("agile", load(preset)), ("stored", stored(preset))):
            with Simulator(design, optimize="build") as sim:
                cycles = {str(n): cycles_per_packet(sim, design, n) for n in BLOCKS}
            found[f"{preset} {kind}"] = {
                "load_cycles": 0 if design.is_agile else design.key_load_cycles,
                "slots": 0 if design.is_agile else design.key_slots,
                "cycles_per_packet": cycles,
            }
            print(f"{preset} {kind}: {cycles}", file=sys.stderr)
    write_whole(FILE, json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
