# SPDX-License-Identifier: Apache-2.0
"""Measure a core: synthesis, placement and routing by open tools, in one common harness.

    target = Target.of(load("line-rate"))
    measurement = measure(target, device("LFE5U-85F-8"), database=Database())

A synthesis and each placement are kept in the database under the hash of all they depend on, so
that nothing is done twice and an interrupted measurement goes on where it stopped.
"""

from __future__ import annotations

import concurrent.futures
import datetime
import os
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from aesforge import __version__
from aesforge.devices import Device
from aesforge.devices.families import Family, Recipe, family
from aesforge.energy.model import Energy
from aesforge.errors import DoesNotFit, ToolFailed, UsageError
from aesforge.measure.database import Database
from aesforge.measure.placement import Placed, Placement, Watch, unwatched
from aesforge.measure.record import Clock, Measurement, Provenance, Run
from aesforge.measure.synthesis import Synthesis, Synthesized
from aesforge.measure.target import Target, rtl_argv
from aesforge.toolchain import cache, programs, signals

__all__ = [
    "SEEDS",
    "Database",
    "DoesNotFit",
    "Measurement",
    "Target",
    "ToolFailed",
    "estimate",
    "measure",
    "rtl_argv",
]

SEEDS = (1, 2, 3)

Say = Callable[[str], None]


def estimate(
    target: Target,
    device: Device,
    *,
    recipe: str | None = None,
    database: Database | None = None,
    force: bool = False,
    say: Say | None = None,
) -> Measurement:
    """Synthesize only: area and depth, no clock.

    Args:
        target: what to measure.
        device: for its family's cells, and its capacities.
        recipe: a recipe of the family, the default one for None.
        database: where known results are looked up and new ones kept; none for None.
        force: do it again even when it is known.
        say: told, in a line, what is begun.

    Raises:
        UsageError: there is no such recipe, or the core's ports are not as the target says.
        DoesNotFit: the core needs more than the device has.
        ToolFailed: synthesis ended with an error.
    """
    return _Job(target, device, recipe, database, force, say).estimate()


def measure(
    target: Target,
    device: Device,
    *,
    seeds: Sequence[int] = SEEDS,
    recipe: str | None = None,
    database: Database | None = None,
    force: bool = False,
    say: Say | None = None,
    parallel: int | None = None,
    floorplan: bool = False,
    count_slices: bool = False,
    energy: bool = False,
    routed_for: Device | None = None,
    watch: Callable[[int, int], Watch] | None = None,
) -> Measurement:
    """Synthesize, then place and route with each seed.

    Args:
        target: what to measure.
        device: where.
        seeds: of the placements; the clock is the median.
        recipe: a recipe of the family, the default one for None.
        database: where known results are looked up and new ones kept; none for None.
        force: do it again even when it is known.
        say: told, in a line, what is begun and what each seed gave.
        parallel: placements at a time, as many as there are processors for None.
        floorplan: whether each round's state registers get places in the order of the data flow.
        count_slices: whether to count the slices of each placement, on ECP5; what is known without
            them is placed again.
        energy: whether to simulate each routed core and count its transitions
            (`aesforge.energy`), on ECP5; what is known without them is placed again.
        routed_for: another grade of the part. What was placed and routed for it is timed on the
            device: only the silicon differs. On ECP5.
        watch: given the seed of a placement that begins and the look-up tables of the core, returns
            what watches its log.

    Raises:
        UsageError: there is no such recipe, the core's ports are not as the target says, no seed
            is given, the device is one of synthesis only, or what was routed for the other device
            cannot be timed on it.
        DoesNotFit: the core needs more than the device has; before anything is placed.
        ToolFailed: synthesis or placement ended with an error.
    """
    if device.part.flow == "synthesize":
        raise UsageError(
            f"{device.name} is for synthesis only: there is no open placement and routing whose "
            "timing can be trusted; ask for --synthesis-only"
        )
    if not seeds:
        raise UsageError("a measurement needs at least one seed")
    if floorplan and device.part.sites is None:
        raise UsageError(
            f"where the flip-flops of {device.part.part} stand is not known, so nothing can be "
            "laid out there; choose LFE5U-25F or LFE5U-85F, or leave --floorplan out"
        )
    if routed_for is not None:
        require_other_grade(device, routed_for)
        if energy:
            raise UsageError(
                "transitions depend on the placement, not on the grade it is timed at: count them "
                "on the device that it is routed for"
            )
    if energy:
        require_countable(target, device)
    job = _Job(target, device, recipe, database, force, say, floorplan, count_slices, energy)
    job.watch, job.routed_for = watch, routed_for
    return job.measure(tuple(dict.fromkeys(seeds)), parallel)


def require_countable(target: Target, device: Device) -> None:
    """Refuse a core whose transitions cannot be counted, before anything is placed.

    Raises:
        UsageError: it is no core of ours, or no timed simulation can be made of it.
    """
    if target.design is None or target.engine is not None:
        raise UsageError(
            f"{target.name}: the energy of a core D can be counted, not that of an engine or of a "
            "foreign core, whose traffic is not known here"
        )
    from aesforge.simulate.timed.bench import require_supported

    require_supported(target.design, device)


def require_other_grade(device: Device, routed_for: Device) -> None:
    """Refuse to time on a device what was routed for one that is no other grade of its part.

    Raises:
        UsageError: it is another part, the same device, or not an ECP5.
    """
    if device.family != "ecp5":
        raise UsageError(
            f"what was routed for one grade can be timed on another on ECP5, not on {device.name}"
        )
    if device.part != routed_for.part or device == routed_for:
        raise UsageError(
            f"{routed_for.name} is no other speed grade of {device.part.part}: what is routed for "
            f"it cannot be timed as {device.name}"
        )


def energy_of(target: Target, placement: Placement) -> Energy:
    """Return what a placed core spends, by the traffic that `aesforge.energy` has as its default.

    Raises:
        UsageError: a cell is not one that can be simulated.
        CheckFailed: a block differs from OpenSSL's.
    """
    from aesforge.energy.count import spend
    from aesforge.simulate.timed.bench import bench_at

    assert target.design is not None
    return spend(bench_at(target.design, placement))


def _says_all_of(known: Measurement, results: Sequence[Placed]) -> bool:
    """Say whether a measurement lacks nothing that was counted in its runs."""
    runs = [] if known.clock is None else known.clock.runs
    return all(
        result.slices in (None, run.slices) and result.energy in (None, run.energy)
        for run, result in zip(runs, results, strict=False)
    )


def recipe_label(recipe: Recipe, floorplan: bool) -> str:
    """Return what a measurement's provenance calls its recipe."""
    return f"{recipe.name}, floorplan" if floorplan else recipe.name


class _Job:
    """One core on one device by one recipe."""

    def __init__(
        self,
        target: Target,
        device: Device,
        recipe: str | None,
        database: Database | None,
        force: bool,
        say: Say | None,
        floorplan: bool = False,
        count_slices: bool = False,
        energy: bool = False,
    ) -> None:
        self.floorplan = floorplan
        self.count_slices = count_slices
        self.energy = energy
        self.routed_for: Device | None = None
        self.watch: Callable[[int, int], Watch] | None = None
        self.luts = 0
        self.target = target
        self.device = device
        self.family: Family = family(device.family)
        self.recipe: Recipe = self.family.recipe_named(recipe)
        self.database = database
        self.force = force
        self.say: Say = say or (lambda _text: None)
        self.synthesis = Synthesis(target, device.family, self.family, self.recipe)

    # --- Steps

    def _known(self, key: str) -> str | None:
        return None if self.database is None or self.force else self.database.step(key)

    def _keep(self, key: str, record: msgspec.Struct) -> None:
        if self.database is not None:
            self.database.put_step(key, msgspec.json.encode(record).decode())

    def synthesized(self) -> Synthesized:
        known = self._known(self.synthesis.key)
        if known is not None:
            return msgspec.json.decode(known, type=Synthesized)
        self.say(f"{self.target.name}: synthesis for {self.device.family}")
        if self.force:
            self.synthesis.discard()
        result = self.synthesis.examine()
        self._keep(self.synthesis.key, result)
        return result

    def check_fits(self, synthesized: Synthesized) -> None:
        short = self.device.part.capacity.short_of(
            luts=synthesized.area.luts + synthesized.harness_luts,
            ff=synthesized.area.ff + synthesized.harness_ff,
            block_ram=synthesized.area.block_ram,
        )
        if short:
            raise DoesNotFit(
                f"{self.target.name} does not fit on {self.device.part.part}: it needs "
                f"{'; '.join(short)}, the harness included"
            )

    def _any_placed(self, placement: Placement) -> Placed | None:
        known = self._known(placement.key)
        return None if known is None else msgspec.json.decode(known, type=Placed)

    def _known_placed(self, placement: Placement) -> Placed | None:
        placed = self._any_placed(placement)
        counts = (placement.timed or placement).counts
        if placed is None or (counts and placed.slices is None):
            return None
        return None if self.energy and placed.energy is None else placed

    def placed(self, placement: Placement) -> Placed:
        known = self._known_placed(placement)
        if known is not None:
            return known
        before = self._any_placed(placement)
        routed = None if placement.timed is None else self.placed(placement.timed)
        doing = "placement and routing" if routed is None else "timing"
        self.say(f"{self.target.name}: {doing} on {placement.device.name}, seed {placement.seed}")
        watch = unwatched if self.watch is None else self.watch(placement.seed, self.luts)
        result = placement.run(watch)
        if routed is not None:
            result = msgspec.structs.replace(result, slices=routed.slices)
        if self.energy:
            self.say(f"{self.target.name}: simulation of seed {placement.seed}, for its energy")
            result = msgspec.structs.replace(result, energy=energy_of(self.target, placement))
        if before is not None:
            result = msgspec.structs.replace(
                result,
                slices=before.slices if result.slices is None else result.slices,
                energy=result.energy or before.energy,
            )
        self._keep(placement.key, result)
        self.say(
            f"{self.target.name}: seed {placement.seed} gives {result.mhz:.1f} MHz "
            f"({result.seconds:.0f} s)"
        )
        return result

    # --- Measurements

    def estimate(self) -> Measurement:
        started = time.monotonic()
        synthesized = self.synthesized()
        self.check_fits(synthesized)
        return self._finish(synthesized, (), (), time.monotonic() - started)

    def measure(self, seeds: tuple[int, ...], parallel: int | None) -> Measurement:
        started = time.monotonic()
        synthesized = self.synthesized()
        self.check_fits(synthesized)
        self.luts = synthesized.area.luts
        if self.energy and synthesized.area.block_ram:
            from aesforge.simulate.timed.ecp5 import no_block_ram

            raise no_block_ram()
        placements = [
            Placement(
                *(self.synthesis, synthesized.netlist, self.device, self.family, self.recipe),
                seed=seed,
                floorplan=self.floorplan,
                count_slices=self.count_slices,
                keep_routed=self.energy,
                routed_for=self.routed_for,
            )
            for seed in seeds
        ]
        if any(self._known_placed(placement) is None for placement in placements):
            self.synthesis.run()  # once, before several placements ask for the netlist
            if placements[0].places:
                self.say(f"{self.target.name}: {len(placements[0].places)} cells laid out")
        workers = min(len(seeds), parallel or os.cpu_count() or 1)
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            futures: list[concurrent.futures.Future[Placed]] = []
            try:
                with signals.held():  # a thread that is just being started could not be ended
                    futures += [pool.submit(self.placed, placement) for placement in placements]
                results = [future.result() for future in futures]
            except BaseException:
                programs.stop_all(futures)
                raise
        return self._finish(synthesized, placements, results, time.monotonic() - started)

    def _finish(
        self,
        synthesized: Synthesized,
        placements: Sequence[Placement],
        results: Sequence[Placed],
        seconds: float,
    ) -> Measurement:
        key = cache.key_of(self.synthesis.key, self.device.name, *(one.key for one in placements))
        known = None if self.database is None or self.force else self.database.get(key)
        subject = self.target.subject()
        if known is not None and _says_all_of(known, results):
            # The key is the core's; its name may be another today.
            return msgspec.structs.replace(known, subject=subject)
        commands = self.synthesis.commands()
        tools = {"yosys": programs.version("yosys")}
        for placement in placements:
            commands += placement.commands()
            tools[placement.program] = programs.version(placement.program)
        clock = self._clock(synthesized, placements, results) if results else None
        path = None
        if clock is not None:
            # The run whose clock is the median, or the lower neighbour of it.
            ordered = sorted(results, key=lambda one: one.mhz)
            path = ordered[(len(ordered) - 1) // 2].path
        spent = synthesized.seconds + sum(result.seconds for result in results)
        measurement = Measurement(
            key=key,
            kind="placed" if results else "synthesized",
            subject=subject,
            device=self.device.name,
            family=self.device.family,
            area=synthesized.area,
            depth=synthesized.depth,
            clock=clock,
            critical_path=path,
            warnings=self._warnings(clock, block_ram=synthesized.area.block_ram > 0),
            provenance=Provenance(
                command=self._command([placement.seed for placement in placements]),
                tools=tools,
                recipe=recipe_label(self.recipe, self.floorplan),
                commands=commands,
                commit=commit_or_version(),
                date=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
                seconds=round(spent, 1),
            ),
        )
        if self.database is not None:
            self.database.put(measurement)
        return measurement

    def _clock(
        self,
        synthesized: Synthesized,
        placements: Sequence[Placement],
        results: Sequence[Placed],
    ) -> Clock:
        runs = [
            Run(
                seed=placement.seed,
                mhz=round(result.mhz, 2),
                seconds=round(result.seconds, 1),
                slices=result.slices,
                energy=result.energy,
            )
            for placement, result in zip(placements, results, strict=True)
        ]
        reported = statistics.median(run.mhz for run in runs)
        cap = self.device.cap(block_ram=synthesized.area.block_ram > 0)
        capped = cap is not None and cap.mhz < reported
        return Clock(
            runs=runs,
            reported_mhz=reported,
            cap=cap,
            fmax_mhz=cap.mhz if cap is not None and capped else reported,
            limit=cap.what if cap is not None and capped else "logic and wires",
        )

    def _warnings(self, clock: Clock | None, *, block_ram: bool) -> list[str]:
        warnings = []
        design = self.target.design
        if design is not None and design.warning is not None:
            warnings.append(design.warning)
        if self.routed_for is not None:
            warnings.append(f"placed and routed for {self.routed_for.name}, and timed here")
        if clock is not None:
            timing = self.device.part.timing
            warnings += timing.notes + timing.warnings
            warnings += timing.block_ram_warnings if block_ram else []
            if clock.cap is None:
                warnings.append("no data-sheet cap of the clock is known: the clock is as reported")
            elif not clock.cap.verified:
                warnings.append(
                    f"the cap of {clock.cap.mhz:g} MHz ({clock.cap.what}) is not verified: "
                    f"{clock.cap.source}"
                )
        return warnings

    def _command(self, seeds: Sequence[int]) -> str:
        import shlex

        argv = ["aesforge", "measure", *self.target.command, "--device", self.device.name]
        if self.recipe is not self.family.recipe[0]:
            argv += ["--recipe", self.recipe.name]
        if self.floorplan:
            argv.append("--floorplan")
        if self.energy:
            argv.append("--energy")
        if self.routed_for is not None:
            argv += ["--routed-for", self.routed_for.name]
        if not seeds:
            argv.append("--synthesis-only")
        elif tuple(seeds) == tuple(range(1, len(seeds) + 1)):
            argv += ["--seeds", str(len(seeds))]
        else:
            argv += [argument for seed in seeds for argument in ("--seed", str(seed))]
        return shlex.join(argv)


def commit_or_version() -> str:
    """Return the checkout's commit, with `+` when it has changes, or the installed version."""
    root = Path(__file__).resolve().parents[3]
    if not (root / ".git").exists():
        return __version__

    def git(*argv: str) -> str:
        return subprocess.run(
            ["git", "-C", str(root), *argv], capture_output=True, text=True, check=True
        ).stdout.strip()

    try:
        changed = git("status", "--porcelain", "--untracked-files=no", "--", "rtl", "src")
        return git("rev-parse", "--short=12", "HEAD") + ("+" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return __version__
