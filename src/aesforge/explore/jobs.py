# SPDX-License-Identifier: Apache-2.0
"""One piece of work, a synthesis or a whole measurement, and its outcome.

Jobs and outcomes travel between processes and machines: they hold plain data only.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec

from aesforge.design import Design
from aesforge.devices import Device
from aesforge.devices.families import family
from aesforge.errors import AesforgeError, DoesNotFit
from aesforge.measure import Database, Target, estimate, measure
from aesforge.measure.placement import Placed, Placement
from aesforge.measure.record import Measurement
from aesforge.measure.synthesis import Synthesis, Synthesized

Kind = Literal["estimate", "measure"]


@dataclass(frozen=True)
class Job:
    """What to do.

    Args:
        kind: `estimate` (synthesis) or `measure` (placement and routing as well).
        design: the core.
        device: where.
        seeds: of the placements.
        database: keeps the steps that are done; None for the worker's own.
        force: do it again even when the result is known.
        parallel: placements at a time.
        energy: whether the routed core's transitions are counted too.
    """

    kind: Kind
    design: Design
    device: Device
    seeds: tuple[int, ...]
    database: Path | None
    force: bool = False
    parallel: int = 1
    energy: bool = False


@dataclass(frozen=True)
class Outcome:
    """What came of a job.

    Args:
        status: `done`, `does not fit` or `failed`.
        record: the measurement as JSON, when done.
        message: why not, when not done.
        seconds: its duration.
        steps: what the worker's database has of it, by key, so that another one knows it too.
    """

    status: Literal["done", "does not fit", "failed"]
    record: bytes = b""
    message: str = ""
    seconds: float = 0.0
    steps: tuple[tuple[str, str], ...] = ()

    @property
    def measurement(self) -> Measurement:
        """The measurement of a job that is done."""
        return Measurement.from_json(self.record)


Work = Callable[[Job], Outcome]
Known = Callable[[Job, Database], Outcome | None]


@dataclass(frozen=True)
class Flow:
    """How results come about.

    Args:
        work: does a job; importable on the workers.
        known: gives what a database has of a job, without running a tool, or None.
        known_seeds: gives those of a job's seeds that a database has.
    """

    work: Work
    known: Known
    known_seeds: Callable[[Job, Database], tuple[int, ...]]


def work(job: Job) -> Outcome:
    """Do a job in this process; whatever goes wrong with it is its outcome, not an exception."""
    start = time.monotonic()
    try:
        database = Database(job.database)
        outcome = _run(job, database)
        steps = () if job.database else tuple(_steps(job, database))
        return replace(outcome, seconds=time.monotonic() - start, steps=steps)
    except AesforgeError as error:
        message = error.message
    except Exception as error:
        # One point must not end the whole exploration, not even by a fault of ours.
        message = f"{type(error).__name__}: {error}"
    return Outcome("failed", message=message, seconds=time.monotonic() - start)


def _run(job: Job, database: Database) -> Outcome:
    target = Target.of(job.design)
    try:
        if job.kind == "estimate":
            result = estimate(target, job.device, database=database, force=job.force)
        else:
            result = measure(
                target,
                job.device,
                seeds=job.seeds,
                database=database,
                force=job.force,
                parallel=job.parallel,
                energy=job.energy,
            )
    except DoesNotFit as error:
        return Outcome("does not fit", message=error.message)
    return Outcome("done", record=result.to_json())


def known(job: Job, database: Database) -> Outcome | None:
    """Return what a database has of a job; None when a tool would have to run.

    Raises:
        ToolMissing: a tool is not installed, so that nothing could be measured either.
    """
    steps = list(_steps(job, database))
    wanted = 1 if job.kind == "estimate" else 1 + len(job.seeds)
    # Without a tool this takes no time: all that it needs is there. What does not fit is known to
    # be so after synthesis, whatever was asked.
    if len(steps) == wanted:
        return _run(job, database)
    if steps:
        outcome = _run(replace(job, kind="estimate"), database)
        return outcome if outcome.status == "does not fit" else None
    return None


def known_seeds(job: Job, database: Database) -> tuple[int, ...]:
    """Return those of a job's seeds whose placements a database has."""
    synthesis = _synthesis(job.design, job.device.family)
    text = database.step(synthesis.key)
    if text is None:
        return ()
    placements = _placements(job, synthesis, text)
    return tuple(one.seed for one in placements if _placed(job, one, database) is not None)


@lru_cache(maxsize=4096)
def _synthesis(design: Design, family_name: str) -> Synthesis:
    chosen = family(family_name)
    return Synthesis(Target.of(design), family_name, chosen, chosen.recipe_named(None))


def _placements(job: Job, synthesis: Synthesis, synthesized: str) -> list[Placement]:
    netlist = msgspec.json.decode(synthesized, type=Synthesized).netlist
    return [
        Placement(synthesis, netlist, job.device, synthesis.family, synthesis.recipe, seed)
        for seed in job.seeds
    ]


def _steps(job: Job, database: Database) -> Iterator[tuple[str, str]]:
    """Return the steps of a job that a database has: the synthesis, then the placements."""
    synthesis = _synthesis(job.design, job.device.family)
    text = database.step(synthesis.key)
    if text is None:
        return
    yield synthesis.key, text
    if job.kind == "estimate":
        return
    for placement in _placements(job, synthesis, text):
        placed = _placed(job, placement, database)
        if placed is not None:
            yield placement.key, placed


def _placed(job: Job, placement: Placement, database: Database) -> str | None:
    """Return a finished placement with all that the job asks for, or None."""
    text = database.step(placement.key)
    if text is not None and job.energy:
        return None if msgspec.json.decode(text, type=Placed).energy is None else text
    return text


FLOW = Flow(work, known, known_seeds)
