# SPDX-License-Identifier: Apache-2.0
"""Made-up measurements for tests of exploring: plausible, quick, and the same every time.

Nothing here is a result. Workers import this module by name, so it must be on their path.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import signal
import time
from dataclasses import replace
from pathlib import Path

from aesforge.design import Design
from aesforge.devices import Device
from aesforge.explore.jobs import Flow, Job, Outcome, Work
from aesforge.measure import Database, Target
from aesforge.measure.record import Clock, Measurement, Provenance, Run
from aesforge.netlist.cells import Area, StageDepth
from made_up_energy import energy_of

LUTS = {"tower": 50, "table": 130, "split4": 200, "split6": 70, "bram": 0}
LEVELS = {"tower": 8, "table": 3, "split4": 5, "split6": 4, "bram": 0}


_MADE: dict[tuple[Design, str, tuple[int, ...], bool], Measurement] = {}


def made_up(design: Design, device: Device, seeds: tuple[int, ...], *, placed: bool) -> Measurement:
    """Return a measurement that follows from the choices: deeper is slower, more is larger."""
    what = design, device.name, seeds, placed
    if what not in _MADE:
        _MADE[what] = _make_up(design, device, seeds, placed=placed)
    return _MADE[what]


def _make_up(
    design: Design, device: Device, seeds: tuple[int, ...], *, placed: bool
) -> Measurement:
    target = Target.of(design)
    noise = int(hashlib.sha256(f"{design.choices()}{device.name}".encode()).hexdigest()[:8], 16)
    jitter = noise / 0xFFFFFFFF  # 0 to 1, of this design alone
    mixes = 16 * design.unrolled_rounds * design.tiles
    lut = int(design.sbox_count * LUTS[design.sbox] + mixes * 24 + 300 + 40 * jitter)
    ram = design.sbox_count // 2 if design.sbox == "bram" else 0
    depth = (
        max(
            -(-LEVELS[design.sbox] // (design.sbox_stages + 1)),
            -(-4 // (design.linear_stages + 1)),
        )
        + (design.linear_stages == 0)
        + (not design.is_unrolled)
    )
    cap = device.cap(block_ram=ram > 0)
    clock = None
    if placed:
        spread = (1.0 + 0.25 * jitter) * (1 + lut / 200_000)
        reported = 1000 / ((depth + 1) * 0.55 * spread)
        legal = min(reported, cap.mhz) if cap else reported
        clocked = 130 * design.blocks_in_flight
        clock = Clock(
            runs=[
                Run(seed=seed, mhz=reported, seconds=0.1, energy=energy_of(lut, clocked))
                for seed in seeds
            ],
            reported_mhz=reported,
            cap=cap,
            fmax_mhz=legal,
            limit=cap.what if cap and legal < reported else "logic and wires",
        )
    kind = "placed" if placed else "synthesized"
    name = f"{target.digest}{device.name}{kind}{seeds if placed else ''}"
    return Measurement(
        key=hashlib.sha256(name.encode()).hexdigest(),
        kind="placed" if placed else "synthesized",
        subject=target.subject(),
        device=device.name,
        family=device.family,
        area=Area(
            lut4=lut if device.part.lut_inputs == 4 else None,
            lut6=lut if device.part.lut_inputs == 6 else None,
            wide_mux=0,
            ff=130 * design.blocks_in_flight,
            block_ram=ram,
            lut_ram=0,
            cells={},
        ),
        depth=[StageDepth(stage="round / state", depth=depth, registers=128)],
        clock=clock,
        critical_path=None,
        warnings=["made up"],
        provenance=Provenance(
            command=shlex.join(("aesforge", "measure", *target.command, "--device", device.name)),
            tools={},
            recipe="none",
            commands=[],
            commit="none",
            date="2026-01-01T00:00:00Z",
            seconds=0.0,
        ),
    )


class Forgetful(Database):
    """A database that ends with the test, and writes nothing to the disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._steps: dict[str, str] = {}
        self._measurements: dict[str, Measurement] = {}

    def step(self, key: str) -> str | None:
        return self._steps.get(key)

    def put_step(self, key: str, text: str) -> None:
        self._steps[key] = text

    def get(self, key: str) -> Measurement | None:
        return self._measurements.get(key)

    def put(self, measurement: Measurement) -> None:
        self._measurements[measurement.key] = measurement

    def all(self, *, device: str | None = None, kind: str | None = None) -> list[Measurement]:
        return [
            self._measurements[key]
            for key in sorted(self._measurements)
            if device in (None, self._measurements[key].device)
            and kind in (None, self._measurements[key].kind)
        ]


class Inline:
    """Workers that do every job at once, in this process, as if they were on another machine.

    Args:
        work: does one job.
        capacity: how many jobs are taken before the first one's outcome is given.
    """

    remote = True

    def __init__(self, work: Work, capacity: int = 1) -> None:
        self._work = work
        self._outcomes: list[tuple[int, Outcome]] = []
        self.capacity = capacity
        self.jobs: list[Job] = []

    def submit(self, number: int, job: Job) -> None:
        self.jobs.append(job)
        self._outcomes.append((number, self._work(job)))

    def next(self) -> tuple[int, Outcome]:
        return self._outcomes.pop(0)


def known(job: Job, database: Database) -> Outcome | None:
    """Return what the database has of a made-up job."""
    result = made_up(job.design, job.device, job.seeds, placed=job.kind == "measure")
    found = database.get(result.key)
    return None if found is None else Outcome("done", record=found.to_json())


def fake(job: Job) -> Outcome:
    """Do a job by making its result up."""
    result = made_up(job.design, job.device, job.seeds, placed=job.kind == "measure")
    area = result.area
    short = job.device.part.capacity.short_of(luts=area.luts, ff=area.ff, block_ram=area.block_ram)
    if short:
        return Outcome("does not fit", message=f"it needs {'; '.join(short)}")
    if job.database is not None:
        Database(job.database).put(result)
    return Outcome("done", record=result.to_json())


def slow(job: Job) -> Outcome:
    """Take some time for it, and leave a trace of who did it."""
    folder = Path(os.environ["AESFORGE_TEST_FOLDER"])
    (folder / f"{job.kind}-{job.design.name}-{os.getpid()}").touch()
    time.sleep(float(os.environ.get("AESFORGE_TEST_SECONDS", "0.3")))
    return fake(job)


def fragile(job: Job) -> Outcome:
    """Die the first time, as when the machine runs out of memory."""
    trace = Path(os.environ["AESFORGE_TEST_FOLDER"]) / f"died-{job.kind}-{job.design.name}"
    if job.kind == "measure" and job.design.sbox == "table" and not trace.exists():
        trace.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return fake(job)


def deadly(job: Job) -> Outcome:
    """Die of one design every time."""
    if job.kind == "measure" and job.design.sbox == "table":
        os.kill(os.getpid(), signal.SIGKILL)
    return fake(job)


def faulty(job: Job) -> Outcome:
    """Fail at one design, by a tool, and at another by a fault of ours."""
    if job.design.sbox == "split4":
        return Outcome("failed", message="placement failed: exit status 1")
    if job.design.sbox == "split6" and job.kind == "measure":
        raise ZeroDivisionError("division by zero")
    return fake(job)


def known_seeds(job: Job, database: Database) -> tuple[int, ...]:
    """Return the first seeds of a made-up job that a database has, when it has any."""
    for count in range(len(job.seeds), 0, -1):
        if known(replace(job, seeds=job.seeds[:count]), database):
            return job.seeds[:count]
    return ()


FLOW = Flow(fake, known, known_seeds)
SLOW = replace(FLOW, work=slow)
FRAGILE = replace(FLOW, work=fragile)
FAULTY = replace(FLOW, work=faulty)
