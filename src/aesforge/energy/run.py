# SPDX-License-Identifier: Apache-2.0
"""Route a core, count its transitions, and say how to do it again: what `aesforge energy` does."""

from __future__ import annotations

import datetime
import shlex
import time
from collections.abc import Callable
from typing import Any

import msgspec

from aesforge.design import Design, argv_of
from aesforge.devices import Device, Record
from aesforge.energy.count import BLOCKS, SEED, spend
from aesforge.energy.model import Energy, Keys
from aesforge.measure import commit_or_version
from aesforge.measure.record import Provenance
from aesforge.simulate.timed.bench import bench_of
from aesforge.toolchain import programs


class Spent(Record, frozen=True, kw_only=True):
    """The energy of a core on a device, relative to that of others there.

    Args:
        name: of the design.
        summary: the core in one line of words.
        device: as `--device` takes it.
        seed: of the placement.
        reported_mhz: the clock that nextpnr reports. The energy does not depend on it.
        energy: what was counted.
        origin: how to repeat it.
    """

    name: str
    summary: str
    device: str
    seed: int
    reported_mhz: float
    energy: Energy
    origin: Provenance

    def as_dict(self) -> dict[str, Any]:
        """Return plain data: the record, and the figures that follow from it."""
        data: dict[str, Any] = msgspec.to_builtins(self)
        data["energy"] = self.energy.as_dict()
        return data


def energy(
    design: Design,
    device: Device,
    *,
    seed: int = 1,
    recipe: str | None = None,
    blocks: int = BLOCKS,
    keys: Keys = "each",
    traffic_seed: int = SEED,
    say: Callable[[str], None] = lambda _text: None,
) -> Spent:
    """Count what a routed core spends on random blocks.

    Args:
        design: the core.
        device: an ECP5.
        seed: of the placement.
        recipe: of the synthesis, the family's default one for None.
        blocks: to count.
        keys: whether `each` block has a key of its own or all have `one`.
        traffic_seed: of the random blocks and keys.
        say: told, in a line, what is begun.

    Raises:
        UsageError: the design, the device or a cell is not one that can be simulated.
        ToolFailed: synthesis or placement ended with an error.
        CheckFailed: a block differs from OpenSSL's.
    """
    started = time.monotonic()
    say(f"{design.name}: synthesis, placement and routing on {device.name}, seed {seed}")
    bench = bench_of(design, device, seed, recipe)
    say(f"{design.name}: simulation with the delays of {len(bench.circuit.target):,} connections")
    counted = spend(bench, blocks=blocks, keys=keys, seed=traffic_seed)
    placement = bench.placement
    argv = (
        *("aesforge", "energy", *argv_of(design), "--device", device.name, "--seed", str(seed)),
        *(("--recipe", recipe) if recipe else ()),
        *("--blocks", str(blocks), *(("--one-key",) if keys == "one" else ())),
        *(("--traffic-seed", str(traffic_seed)) if traffic_seed != SEED else ()),
    )
    return Spent(
        name=design.name,
        summary=design.summary(),
        device=device.name,
        seed=seed,
        reported_mhz=round(bench.reported_mhz, 3),
        energy=counted,
        origin=Provenance(
            command=shlex.join(argv),
            tools={name: programs.version(name) for name in ("yosys", placement.program)},
            recipe=placement.recipe.name,
            commands=[*placement.synthesis.commands(), placement.routed_command()],
            commit=commit_or_version(),
            date=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            seconds=round(time.monotonic() - started, 1),
        ),
    )
