# SPDX-License-Identifier: Apache-2.0
"""How far beyond the reported clock a routed core still gives right results, by timed simulation.

    found = margin(load("compact"), device("LFE5U-25F-6"), random_traffic(300))

The experiment of Liu et al. (2014), Sec. 3.4 and 5.4, with the delays that nextpnr writes in place
of a board. These are the worst case of voltage, temperature and process. So this is not the margin
of silicon, which the paper found: it is the part of the way to the static bound that no data takes.
"""

from __future__ import annotations

import concurrent.futures
import datetime
import math
import os
import random
import shlex
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from aesforge.design import Design, argv_of
from aesforge.devices import Device, Record
from aesforge.errors import CheckFailed, UsageError
from aesforge.measure import commit_or_version
from aesforge.measure.record import Provenance
from aesforge.reference.openssl import ecb
from aesforge.simulate.timed.bench import (
    Bench,
    Traffic,
    bench_of,
    blocks_out,
    corrupt,
    traffic,
)
from aesforge.simulate.timed.simulator import Simulation, Timed
from aesforge.toolchain import programs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image

__all__ = ["Margin", "Payload", "Point", "margin", "picture_traffic", "random_traffic"]

# Liu et al., Fig. 9c: the error rate of the third picture, in percent.
PAPER_ERROR_PERCENT = 2.6
# The paper's picture is 128 pixels wide.
PICTURE_PIXELS = 128

# The search goes down in such steps from the period at which everything has settled.
_STEP = 0.005
# Beyond the first failing clock: steps that double, then as many between, evenly.
_FIRST_STEP, _DOUBLINGS, _BETWEEN = 0.001, 10, 8


class Point(Record, frozen=True, kw_only=True):
    """The core at one clock.

    Args:
        period_ps: of the clock.
        corrupt: blocks that differ from OpenSSL's in any bit, are not marked as valid, or have lost
            their tag.
        blocks: all that went through.
    """

    period_ps: int
    corrupt: int
    blocks: int

    @property
    def mhz(self) -> float:
        """The clock."""
        return 1e6 / self.period_ps

    @property
    def error_percent(self) -> float:
        """Corrupt blocks over blocks."""
        return 100.0 * self.corrupt / self.blocks


class Margin(Record, frozen=True, kw_only=True):
    """How a routed core behaves beyond its reported clock.

    Args:
        name: of the design.
        summary: the core in one line of words.
        device: as `--device` takes it.
        seed: of the placement.
        traffic: what went through the core, in words.
        cycles: of each run.
        reported_mhz: the clock that nextpnr reports, for the whole harness.
        static_mhz: what the same delays allow the simulated part, whatever the data.
        longest_ps: from a clock edge to the last change at a register that any block brought about,
            setup time included, at a clock slow enough for all to settle.
        longest: the register where that was, as labels.
        highest_mhz: the highest clock below which nothing failed.
        failing_mhz: the lowest at which a block was corrupt, one picosecond of the period above.
        curve: in the order of the clock; where everything settles in time, no run was needed.
        origin: how to repeat it.
    """

    name: str
    summary: str
    device: str
    seed: int
    traffic: str
    cycles: int
    reported_mhz: float
    static_mhz: float
    longest_ps: int
    longest: str
    highest_mhz: float
    failing_mhz: float
    curve: list[Point]
    origin: Provenance

    @property
    def margin_percent(self) -> float:
        """How far the highest clock without error lies above the reported one."""
        return 100.0 * (self.highest_mhz / self.reported_mhz - 1.0)

    def as_dict(self) -> dict[str, Any]:
        """Return plain data: the record, and the figures that follow from it."""
        data: dict[str, Any] = msgspec.to_builtins(self)
        data["margin_percent"] = self.margin_percent
        for point, row in zip(self.curve, data["curve"], strict=True):
            row["mhz"] = point.mhz
            row["error_percent"] = point.error_percent
        return data


@dataclass(frozen=True)
class Payload:
    """What goes through the core.

    Args:
        label: for people.
        options: for the command line that repeats it.
        blocks: count x 16 bytes.
        keys: one for all, or one each; 1 or count x 32 bytes, of which a shorter key is the first.
        picture: what the blocks show, None for random ones.
    """

    label: str
    options: tuple[str, ...]
    blocks: NDArray[np.uint8]
    keys: NDArray[np.uint8]
    picture: Image | None = None


def random_traffic(count: int) -> Payload:
    """Return random blocks, always the same ones, each under a key of its own."""
    import numpy as np

    if count < 1:
        raise UsageError("the error rate needs at least one block")
    data = np.frombuffer(random.Random(197).randbytes(48 * count), np.uint8).reshape(count, 48)
    words = f"{count:,} random blocks, each under a key of its own"
    return Payload(words, ("--blocks", str(count)), data[:, :16].copy(), data[:, 16:].copy())


def picture_traffic(path: Path) -> Payload:
    """Return a picture as RGB, block by block under the example key of FIPS 197.

    A picture wider than `PICTURE_PIXELS` is first reduced to that width, bicubically.

    Raises:
        UsageError: it cannot be read.
        ToolMissing: Pillow is not installed.
    """
    import numpy as np

    from aesforge.research.pictures import EXAMPLE_KEY, read_picture

    image = read_picture(path)
    if image.width > PICTURE_PIXELS:
        high = max(1, round(image.height * PICTURE_PIXELS / image.width))
        image = image.resize((PICTURE_PIXELS, high))
    pixels = image.tobytes()
    data = np.frombuffer(pixels + bytes(-len(pixels) % 16), np.uint8).reshape(-1, 16)
    key = np.frombuffer(EXAMPLE_KEY, np.uint8).reshape(1, 32)
    words = (
        f"{path.name} at {image.width} x {image.height} pixels, RGB: {len(data):,} blocks under "
        "one key"
    )
    return Payload(words, ("--picture", str(path)), data, key, image)


@dataclass(frozen=True)
class Outcome:
    """What `margin` found, and what came out of the core at each clock it ran at.

    Args:
        margin: the record.
        payload: what went in.
        outputs: by period in ps, blocks x 16 bytes.
        key_bytes: how much of each key the design takes.
    """

    margin: Margin
    payload: Payload
    outputs: dict[int, NDArray[np.uint8]]
    key_bytes: int

    def nearest(self, error_percent: float) -> Point:
        """Return the failing point whose error rate is nearest."""
        failing = (point for point in self.margin.curve if point.corrupt)
        return min(failing, key=lambda point: abs(point.error_percent - error_percent))

    def plain(self, period_ps: int) -> bytes:
        """Return what OpenSSL makes of the output at a clock, under the payload's one key."""
        key = self.payload.keys[0, : self.key_bytes].tobytes()
        return ecb(key, self.outputs[period_ps].tobytes(), decrypt=True)


def margin(
    design: Design,
    device: Device,
    payload: Payload,
    *,
    seed: int = 1,
    recipe: str | None = None,
    jobs: int | None = None,
    say: Callable[[str], None] = lambda _text: None,
) -> Outcome:
    """Find the first clock at which a routed core fails, and the error rate beyond it.

    Args:
        design: the core.
        device: an ECP5.
        payload: what goes through it.
        seed: of the placement.
        recipe: of the synthesis, the family's default one for None.
        jobs: simulations at a time, as many as there are processors for None.
        say: told, in a line, what is begun and what was found.

    Raises:
        UsageError: the design, the device or a cell is not one that can be simulated.
        ToolFailed: synthesis or placement ended with an error.
        CheckFailed: the netlist is wrong even at a slow clock.
    """
    started = time.monotonic()
    if payload.picture is not None and design.direction == "decrypt":
        raise UsageError("a picture is encrypted first: choose a design that encrypts")
    say(f"{design.name}: synthesis, placement and routing on {device.name}, seed {seed}")
    bench = bench_of(design, device, seed, recipe)
    sent = traffic(bench, payload.blocks, payload.keys[:, : design.key_bits // 8])
    with Simulation(bench.circuit, sent.stimulus) as simulation:
        sweep = _Sweep(bench, sent, simulation, jobs or os.cpu_count() or 1, say)
        sweep.run()
    return Outcome(
        _record(bench, device, seed, recipe, payload, sweep, time.monotonic() - started),
        payload,
        sweep.outputs,
        design.key_bits // 8,
    )


class _Sweep:
    """The runs of one circuit with one stimulus."""

    def __init__(
        self,
        bench: Bench,
        sent: Traffic,
        simulation: Simulation,
        jobs: int,
        say: Callable[[str], None],
    ) -> None:
        self.bench = bench
        self.sent = sent
        self.simulation = simulation
        self.jobs = jobs
        self.say = say
        self.static_ps = bench.circuit.static_ps()
        self.points: dict[int, Point] = {}
        self.outputs: dict[int, NDArray[np.uint8]] = {}

    def run(self) -> None:
        """Find the first failing clock, then the curve beyond it."""
        count = len(self.sent.blocks)
        self.slow = self._simulate(2 * self.static_ps)
        if self.points[2 * self.static_ps].corrupt:
            raise CheckFailed(
                f"{self.bench.design.name}: {self.points[2 * self.static_ps].corrupt} of {count} "
                "blocks differ from OpenSSL's even at half the clock: the netlist, or the timed "
                "simulation of it, is wrong"
            )
        settled = self.slow.latest_ps
        self.say(
            f"the longest way that data take is {settled / 1000:.3f} ns, the static bound "
            f"{self.static_ps / 1000:.3f} ns, reported {1000 / self.bench.reported_mhz:.3f} ns"
        )
        # Where all has settled before the edge, every cycle goes as it does at a slow clock.
        reported = math.ceil(1e6 / self.bench.reported_mhz)
        for period in (settled, reported):
            if period >= settled:
                self.points[period] = Point(period_ps=period, corrupt=0, blocks=count)
                self.outputs[period] = self.outputs[2 * self.static_ps]
        self.good, self.bad = settled, settled
        while self._errors(self.bad) == 0:
            self.good = self.bad
            self.bad = min(self.bad - 1, int(self.bad * (1 - _STEP)))
        while self.good - self.bad > 1:
            middle = (self.good + self.bad) // 2
            if self._errors(middle):
                self.bad = middle
            else:
                self.good = middle
        self.say(
            f"first corrupt block at {1e6 / self.bad:.2f} MHz, reported "
            f"{self.bench.reported_mhz:.2f} MHz"
        )
        last = self.bad
        for k in range(_DOUBLINGS):
            last = int(self.bad / (1 + _FIRST_STEP * 2**k))
            if self._errors(last) == count:
                break
        between = [
            int(self.bad / (1 + (self.bad / last - 1) * k / (_BETWEEN + 1)))
            for k in range(1, _BETWEEN + 1)
        ]
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(self._errors, between))
        del self.points[2 * self.static_ps]

    def _errors(self, period_ps: int) -> int:
        if period_ps not in self.points:
            self._simulate(period_ps)
        return self.points[period_ps].corrupt

    def _simulate(self, period_ps: int) -> Timed:
        timed = self.simulation.run(period_ps)
        wrong = int(corrupt(self.bench, self.sent, timed.values).sum())
        self.points[period_ps] = Point(
            period_ps=period_ps, corrupt=wrong, blocks=len(self.sent.blocks)
        )
        self.outputs[period_ps] = blocks_out(self.bench, self.sent, timed.values)
        return timed


def _record(
    bench: Bench,
    device: Device,
    seed: int,
    recipe: str | None,
    payload: Payload,
    sweep: _Sweep,
    seconds: float,
) -> Margin:
    placement = bench.placement
    words: Sequence[str] = (
        *("aesforge", "margin", *argv_of(bench.design), "--device", device.name),
        *("--seed", str(seed)),
        *(("--recipe", recipe) if recipe else ()),
        *payload.options,
    )
    return Margin(
        name=bench.design.name,
        summary=bench.design.summary(),
        device=device.name,
        seed=seed,
        traffic=payload.label,
        cycles=len(sweep.sent.stimulus),
        reported_mhz=round(bench.reported_mhz, 3),
        static_mhz=round(1e6 / sweep.static_ps, 3),
        longest_ps=sweep.slow.latest_ps,
        longest=placement.synthesis.labels.place(sweep.slow.latest),
        highest_mhz=round(1e6 / sweep.good, 3),
        failing_mhz=round(1e6 / sweep.bad, 3),
        curve=sorted(sweep.points.values(), key=lambda point: -point.period_ps),
        origin=Provenance(
            command=shlex.join(words),
            tools={name: programs.version(name) for name in ("yosys", placement.program)},
            recipe=placement.recipe.name,
            commands=[*placement.synthesis.commands(), placement.routed_command()],
            commit=commit_or_version(),
            date=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            seconds=round(seconds, 1),
        ),
    )
