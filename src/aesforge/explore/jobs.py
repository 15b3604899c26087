# SPDX-License-Identifier: Apache-2.0
"""One piece of work, a synthesis or a whole measurement, and what came of it.

Jobs and outcomes travel between processes and machines: they hold plain data only.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from aesforge.design import Design
from aesforge.devices import Device
from aesforge.errors import AesforgeError, DoesNotFit
from aesforge.measure import Database, Target, estimate, measure
from aesforge.measure.record import Measurement


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
    """

    kind: Literal["estimate", "measure"]
    design: Design
    device: Device
    seeds: tuple[int, ...]
    database: Path | None
    force: bool = False


@dataclass(frozen=True)
class Outcome:
    """What came of a job.

    Args:
        status: `done`, `does not fit` or `failed`.
        record: the measurement as JSON, when done.
        message: why not, when not done.
        seconds: what it took.
    """

    status: Literal["done", "does not fit", "failed"]
    record: bytes = b""
    message: str = ""
    seconds: float = 0.0

    @property
    def measurement(self) -> Measurement:
        """The measurement of a job that is done."""
        return Measurement.from_json(self.record)


Work = Callable[[Job], Outcome]


def work(job: Job) -> Outcome:
    """Do a job in this process; whatever goes wrong with it is its outcome, not an exception."""
    start = time.monotonic()
    try:
        database = Database(job.database)
        target = Target.of_design(job.design)
        if job.kind == "estimate":
            result = estimate(target, job.device, database=database, force=job.force)
        else:
            result = measure(
                target, job.device, seeds=job.seeds, database=database, force=job.force
            )
        return Outcome("done", record=result.to_json(), seconds=time.monotonic() - start)
    except DoesNotFit as error:
        return Outcome("does not fit", message=error.message, seconds=time.monotonic() - start)
    except AesforgeError as error:
        return Outcome("failed", message=error.message, seconds=time.monotonic() - start)
    except Exception as error:
        # One point must not end the whole exploration, not even by a fault of ours.
        return Outcome(
            "failed",
            message=f"{type(error).__name__}: {error}",
            seconds=time.monotonic() - start,
        )
