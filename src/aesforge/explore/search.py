# SPDX-License-Identifier: Apache-2.0
"""Explore a space: leave out what cannot be the answer, measure the rest, keep what nothing beats.

A point is a design on a device. It is pruned as soon as the best it can still be breaks a
constraint or is beaten by a measured point: first by its choices alone, then after synthesis, and
again just before it would be placed.
"""

from __future__ import annotations

import math
import shlex
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Literal

from aesforge.design import Design, argv_of
from aesforge.devices import Device
from aesforge.errors import AesforgeError
from aesforge.explore import figures
from aesforge.explore.figures import Clocks
from aesforge.explore.jobs import FLOW, Flow, Job, Kind, Outcome
from aesforge.explore.space import Space, has_clock, named
from aesforge.jobs import Failed, Pool, Workers
from aesforge.measure import Database
from aesforge.measure.record import Measurement
from aesforge.toolchain import signals

State = Literal["open", "measured", "pruned", "does not fit", "failed", "not tried"]


class Interrupted(AesforgeError):
    """Ctrl-C, or a signal to end: finished results are kept (exit 130 or 143)."""

    def __init__(self, message: str, exit_code: int = 130) -> None:
        super().__init__(message)
        self.exit_code = exit_code


@dataclass(eq=False)
class Point:
    """One design on one device, and its known figures.

    Args:
        design: the core.
        device: where.
        state: what became of it.
        reason: why it was not measured, in one line or a few.
        estimate: what synthesis gave.
        measurement: the result; on a device without placement it is the synthesis.
        from_database: whether it was known before.
    """

    design: Design
    device: Device
    state: State = "open"
    reason: str = ""
    estimate: Measurement | None = None
    measurement: Measurement | None = None
    from_database: bool = False

    @property
    def values(self) -> dict[str, float]:
        """All figures of the measurement."""
        return {} if self.measurement is None else figures.values_of(self.measurement)

    @property
    def command(self) -> str:
        """The line that measures it, again or for the first time."""
        if self.measurement is not None:
            return self.measurement.provenance.command
        argv = ("aesforge", "measure", *argv_of(self.design), "--device", self.device.name)
        return shlex.join(argv)

    @cached_property
    def first_outlook(self) -> dict[str, figures.Range]:
        """What the choices alone say of its figures."""
        return figures.outlook_of_design(self.design, self.device)

    def drop(self, state: State, reason: str) -> None:
        """Settle it without a result."""
        self.state, self.reason = state, reason

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "design": self.design.choices(),
            "command": self.command,
            "device": self.device.name,
            "state": self.state,
            "reason": self.reason,
            "from_database": self.from_database,
            "figures": self.values,
            "measurement": None if self.measurement is None else self.measurement.as_dict(),
        }


@dataclass(frozen=True)
class Progress:
    """How far an exploration is: jobs done and jobs in all, which pruning makes fewer."""

    estimated: int
    to_estimate: int
    measured: int
    to_measure: int
    pruned: int
    failed: int


@dataclass
class Exploration:
    """What came of exploring a space.

    Args:
        space: the explored space.
        points: all designs that can be built on all devices.
        illegal: combinations that cannot be built, by reason.
        repeated: combinations that mean a design which is there already.
    """

    space: Space
    points: list[Point]
    illegal: Counter[str] = field(default_factory=Counter)
    repeated: int = 0

    def counts(self) -> dict[str, int]:
        """Return how many points came to what."""
        states = Counter(point.state for point in self.points)
        known = sum(point.from_database for point in self.points)
        return {
            "points": len(self.points),
            "measured": states["measured"] - known,
            "from_database": known,
            "pruned": states["pruned"],
            "does_not_fit": states["does not fit"],
            "failed": states["failed"],
            "not_tried": states["not tried"] + states["open"],
            "illegal": self.illegal.total(),
            "repeated": self.repeated,
        }

    def feasible(self) -> list[Point]:
        """Return the measured points that meet all constraints."""
        return [
            point
            for point in self.points
            if point.state == "measured"
            and all(constraint.met_by(point.values) for constraint in self.space.constraints)
        ]

    def fronts(self) -> dict[tuple[Any, ...], list[Point]]:
        """Return the Pareto front for each device and each function of a core."""
        groups: dict[tuple[Any, ...], list[Point]] = {}
        for point in self.feasible():
            groups.setdefault(self.space.group(point.design, point.device), []).append(point)
        fronts = {}
        for group, points in groups.items():
            objectives = self.space.objectives_on(points[0].device)
            best = figures.front(points, lambda point: point.values, objectives)
            fronts[group] = sorted(best, key=partial(_rank, objectives=objectives))
        return fronts

    def why_pruned(self) -> Counter[str]:
        """Return how many points were pruned for each kind of reason, without the figures."""
        return Counter(
            point.reason.split(":")[0] for point in self.points if point.state == "pruned"
        )

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        space = self.space
        return {
            "space": space.name,
            "devices": [device.name for device in space.devices],
            "seeds": list(space.seeds),
            "constraints": list(map(str, space.constraints)),
            "counts": self.counts(),
            "illegal": dict(self.illegal.most_common()),
            "pareto": [
                {
                    "device": group[0],
                    **dict(zip(space.service, group[1:], strict=True)),
                    "objectives": list(space.objectives_on(points[0].device)),
                    "points": [point.as_dict() for point in points],
                }
                for group, points in self.fronts().items()
            ],
            "points": [point.as_dict() for point in self.points],
        }


def _rank(point: Point, objectives: Sequence[str]) -> list[float]:
    """Return a sort key that puts the best in the first objective first."""
    values = point.values
    return [
        -values.get(name, 0.0) if figures.FIGURES[name].better == "high" else values.get(name, 0.0)
        for name in objectives
    ]


# The open point with the least key is next; one with words instead is not worth trying, for that
# reason.
Order = Callable[["Search", Point], Sequence[float] | str]


class Search:
    """An exploration in progress.

    Args:
        exploration: what to explore; its points are settled one by one.
        database: what is known, and where results go.
        exhaustive: measure every point, without pruning.
        force: measure again what is known.
        limit: settle with so many new measurements; the rest is not tried. None for all.
        order: which point is next.
        seeds_up_to: take a measurement with any of the seeds up to this one, where the database has
            it, for one with the space's.
        flow: how results come about.
        say: takes lines for a person.
        progress: takes how far it is.
    """

    def __init__(
        self,
        exploration: Exploration,
        database: Database,
        *,
        exhaustive: bool = False,
        force: bool = False,
        limit: int | None = None,
        order: Order | None = None,
        seeds_up_to: int | None = None,
        flow: Flow = FLOW,
        say: Callable[[str], None] | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> None:
        self.exploration = exploration
        self.database = database
        self.exhaustive = exhaustive
        self.force = force
        self.limit = limit
        self.order = order or by_promise
        self.seeds_up_to = seeds_up_to
        self.flow = flow
        self.say = say or (lambda line: None)
        self.progress = progress or (lambda state: None)
        self.clocks: dict[str, Clocks] = {
            device.name: Clocks() for device in exploration.space.devices
        }
        self._running: dict[int, tuple[Point, Kind]] = {}
        self._next_number = 0
        self._started = Counter[str]()
        self._ended = Counter[str]()
        # The best so far, by what they are compared with; it only grows.
        self._feasible: dict[tuple[Any, ...], list[dict[str, float]]] = {}

    # --- What is known before any tool runs

    def recall(self) -> None:
        """Settle the points whose measurement is in the database, and prune by choices alone."""
        for device in self.exploration.space.devices:
            for known in self.database.all(device=device.name):
                self.clocks[device.name].see(known)
        for point in self.exploration.points:
            if not self.force:
                self._recall(point)
        if not self.exhaustive:
            for point in self._open():
                self._prune(point)

    def _recall(self, point: Point) -> None:
        job = self._job(point, "measure" if has_clock(point.device) else "estimate")
        if self.seeds_up_to is not None:
            every = replace(job, seeds=tuple(range(1, self.seeds_up_to + 1)))
            job = replace(job, seeds=self.flow.known_seeds(every, self.database) or job.seeds)
        outcome = self.flow.known(job, self.database)
        if outcome is not None:
            point.from_database = outcome.status == "done"
            self._take(point, job.kind, outcome)
        elif job.kind == "measure":
            estimate = self.flow.known(replace(job, kind="estimate"), self.database)
            if estimate is not None:
                self._take(point, "estimate", estimate)

    def _job(self, point: Point, kind: Kind, parallel: int = 1) -> Job:
        space, path = self.exploration.space, self.database.path
        return Job(
            *(kind, point.design, point.device, space.seeds, path, self.force, parallel),
            energy=kind == "measure" and space.wants_energy,
        )

    @property
    def smallest(self) -> float:
        """Look-up tables of the smallest core so far that meets all constraints."""
        return min(
            (values["lut"] for group in self._feasible.values() for values in group),
            default=math.inf,
        )

    # --- Decisions

    def _open(self) -> list[Point]:
        busy = {id(point) for point, _ in self._running.values()}
        return [
            point
            for point in self.exploration.points
            if point.state == "open" and id(point) not in busy
        ]

    def outlook(self, point: Point) -> dict[str, figures.Range]:
        """Return the known figures of a point."""
        if point.estimate is None:
            return point.first_outlook
        clocks = self.clocks[point.device.name]
        return figures.outlook_of_estimate(point.estimate, point.design, point.device, clocks)

    def _prune(self, point: Point) -> bool:
        """Drop a point that does not fit, is lost, or is beaten; say whether it is dropped."""
        if point.estimate is None and (why := figures.cannot_fit(point.design, point.device)):
            point.drop("does not fit", why)
            return True
        outlook = self.outlook(point)
        for constraint in self.exploration.space.constraints:
            if why := constraint.why_lost(outlook):
                point.drop("pruned", why)
                return True
        objectives = self.exploration.space.objectives_on(point.device)
        group = self.exploration.space.group(point.design, point.device)
        for best in self._feasible.get(group, ()):
            if figures.dominates(best, outlook, objectives):
                point.drop(
                    "pruned", f"at best beaten in {' and '.join(objectives)} by a measured one"
                )
                return True
        return False

    def _choose(self) -> tuple[Point, Kind] | None:
        """Take the next job, pruning on the way; None when nothing is left to start."""
        ranked = []
        for point in self._open():
            key = self.order(self, point)
            if isinstance(key, str):
                point.drop("not tried", key)
            else:
                ranked.append((key, point))
        for _, point in sorted(ranked, key=lambda entry: tuple(entry[0])):
            if not self.exhaustive and self._prune(point):
                continue
            if self._wants_estimate(point):
                return point, "estimate"
            if self.limit is None or self._started["measure"] < self.limit:
                return point, "measure"
            point.drop("not tried", f"the limit of {self.limit} measurements was reached")
        return None

    def _wants_estimate(self, point: Point) -> bool:
        if not has_clock(point.device):
            return True
        return point.estimate is None and not self.exhaustive

    # --- Work

    def run(self, pool: Workers[Job, Outcome]) -> None:
        """Settle all points.

        Raises:
            Interrupted: by Ctrl-C or a signal to end.
            AesforgeError: the cluster is lost.
        """
        self._report()
        while True:
            while len(self._running) < pool.capacity and (chosen := self._choose()):
                self._start(pool, *chosen)
            self._report()
            if not self._running:
                return
            number, result = pool.next()
            if isinstance(result, Failed):
                outcome = Outcome("failed", message=result.message)
            else:
                outcome = result
            point, kind = self._running.pop(number)
            self._ended[kind] += 1
            if pool.remote:
                self._keep(outcome)
            self._take(point, kind, outcome)

    def _start(self, pool: Workers[Job, Outcome], point: Point, kind: Kind) -> None:
        # Where there are more workers than points, a point may use several.
        rivals = len(self._running) + len(self._open())
        job = self._job(point, kind, 1 if pool.remote else max(1, pool.capacity // rivals))
        self._next_number += 1
        self._running[self._next_number] = point, kind
        self._started[kind] += 1
        # A worker on another machine has a database of its own; results come back as records.
        pool.submit(self._next_number, replace(job, database=None) if pool.remote else job)

    def _keep(self, outcome: Outcome) -> None:
        """Store the results of a worker on another machine."""
        for key, text in outcome.steps:
            self.database.put_step(key, text)
        if outcome.status == "done":
            self.database.put(outcome.measurement)

    def _take(self, point: Point, kind: Kind, outcome: Outcome) -> None:
        if outcome.status != "done":
            unfit = outcome.status == "does not fit"
            point.drop("does not fit" if unfit else "failed", outcome.message)
            if not unfit:
                self.say(f"failed: {point.design.name} on {point.device.name}: {outcome.message}")
            return
        result = outcome.measurement
        if kind == "measure" or not has_clock(point.device):
            self._settle(point, result)
        else:
            point.estimate = result

    def _settle(self, point: Point, result: Measurement) -> None:
        point.state, point.measurement = "measured", result
        self.clocks[point.device.name].see(result)
        values = point.values
        if all(constraint.met_by(values) for constraint in self.exploration.space.constraints):
            group = self.exploration.space.group(point.design, point.device)
            self._feasible.setdefault(group, []).append(values)

    def _report(self) -> None:
        still = self._open()
        to_estimate = sum(self._wants_estimate(point) for point in still)
        # A point without a clock is done with its synthesis; the others are placed as well.
        to_place = sum(has_clock(point.device) for point in still) + sum(
            kind == "estimate" and has_clock(point.device) for point, kind in self._running.values()
        )
        if self.limit is not None:
            to_place = min(to_place, max(0, self.limit - self._started["measure"]))
        states = Counter(point.state for point in self.exploration.points)
        self.progress(
            Progress(
                estimated=self._ended["estimate"],
                to_estimate=self._started["estimate"] + to_estimate,
                measured=self._ended["measure"],
                to_measure=self._started["measure"] + to_place,
                pruned=states["pruned"] + states["does not fit"],
                failed=states["failed"],
            )
        )


def by_promise(search: Search, point: Point) -> Sequence[float]:
    """Order: synthesize all points first, then place those that promise most for their size.

    A point that is good in throughput and size, measured early, prunes the most others.
    """
    if point.estimate is None:
        return 0.0, float(figures.logic_sboxes(point.design))
    return 1.0, -search.outlook(point)["mbps_per_lut"][1] * _speed(search, point)


def _speed(search: Search, point: Point) -> float:
    """Return how much of its greatest clock a synthesized point may reach, 0 to 1, as a guess."""
    assert point.estimate is not None
    guess = search.clocks[point.device.name].guess(point.estimate)
    most = search.outlook(point)["mhz"][1]
    if guess is None:  # nothing is measured yet: short chains are faster
        return 1 / (1 + point.estimate.logic_depth)
    return min(1.0, guess / most)


def explore(
    space: Space,
    database: Database,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    exhaustive: bool = False,
    force: bool = False,
    limit: int | None = None,
    order: Order | None = None,
    only_known: bool = False,
    seeds_up_to: int | None = None,
    also: Sequence[Design] = (),
    say: Callable[[str], None] | None = None,
    progress: Callable[[Progress], None] | None = None,
    flow: Flow = FLOW,
    pool: Workers[Job, Outcome] | None = None,
) -> Exploration:
    """Explore a space, and give all of its points with what became of them.

    What is in the database already is not measured again, so that an interrupted exploration goes
    on where it stopped when it is started again.

    Args:
        space: what to explore.
        database: what is known, and where results go.
        workers: processes to start; None for one each core, fewer where memory is short.
        cluster: address of a Dask scheduler to use instead.
        exhaustive: measure every point, without pruning.
        force: measure again what is known.
        limit: stop after so many new measurements; None for all.
        order: which point is next; None for `by_promise`.
        only_known: run no tool; points that are not in the database are not tried.
        seeds_up_to: take a measurement with any of the seeds up to this one, where the database has
            it, for one with the space's.
        also: more designs, in addition to the space's own.
        say: takes lines for a person: which point failed and why.
        progress: takes how far it is, after every step.
        flow: how results come about.
        pool: workers that run already; `workers` and `cluster` are not used then.

    Raises:
        UsageError: the space is empty, or the cluster cannot be used.
        Interrupted: by Ctrl-C or a signal to end; what is done is in the database.
        AesforgeError: the cluster is lost.
    """
    designs = space.designs()
    exploration = Exploration(
        space,
        [
            Point(design, device)
            for device in space.devices
            for design in dict.fromkeys((*designs.legal, *map(named, also)))
        ],
        designs.illegal,
        designs.repeated,
    )
    search = Search(
        exploration,
        # What is known of a core on one device gives its figures on others of the family, too:
        # nobody asked for these, and nothing was measured there.
        database.read_only() if only_known else database,
        exhaustive=exhaustive,
        force=force,
        limit=limit,
        order=order,
        seeds_up_to=seeds_up_to,
        flow=flow,
        say=say,
        progress=progress,
    )
    try:
        search.recall()
        left = [point for point in exploration.points if point.state == "open"]
        if only_known:
            for point in left:
                point.drop("not tried", "it is not in the database")
        elif left and pool is not None:
            search.run(pool)
        elif left:
            with Pool(flow.work, workers=workers, cluster=cluster) as started:
                search.run(started)
    except KeyboardInterrupt as interrupt:
        counts = exploration.counts()
        done = counts["points"] - counts["not_tried"]
        raise Interrupted(
            f"{signals.what_happened(interrupt)}: {done:,} of {counts['points']:,} points are "
            f"done and kept in {database.path}; the same command continues from there",
            signals.exit_status(interrupt),
        ) from None
    return exploration
