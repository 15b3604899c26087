# SPDX-License-Identifier: Apache-2.0
"""Many cores measured in one run: what a bench file lists, and how its results are kept.

The results of a bench are one JSON file, in the order of their names. A result is added as soon as
it is there. What the file has from this commit, or the database knows, is not measured again: an
interrupted bench goes on where it stopped.
"""

from __future__ import annotations

import concurrent.futures
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from aesforge.design import load_any
from aesforge.devices import Record, device
from aesforge.devices.families import family
from aesforge.errors import AesforgeError
from aesforge.measure import (
    Database,
    Measurement,
    Target,
    commit_or_version,
    estimate,
    measure,
    rtl_argv,
)
from aesforge.toolchain import programs
from aesforge.toolchain.files import write_whole
from aesforge.toolchain.rtl import needed_by, rtl_dir

Say = Callable[[str], None]
Outcome = Measurement | AesforgeError
AnyCore = TypeVar("AnyCore", bound="Core")


class Core(Record, frozen=True, kw_only=True, dict=True):
    """One line of a bench: a core and where it is measured.

    Args:
        name: of its result.
        device: part and speed grade.
        design: what follows `aesforge measure`: D, then `--set` and overrides.
        module: a module of our RTL that is measured by itself, in place of a design.
        parameters: of the module.
        ports: of the module, by role.
        ties: inputs of the module that stay constant.
        scheme: a research key scheme whose key expansion the module has; empty is FIPS 197.
        seeds: placements; 0 for synthesis only.
        recipe: of the family, the default one when left out.
        floorplan: whether state registers get places in the order of the data flow.
        routed_for: another grade of the device's part: what was routed for it is timed.
    """

    name: str
    device: str
    design: list[str] = msgspec.field(default_factory=list)
    module: str = ""
    parameters: dict[str, int] = msgspec.field(default_factory=dict)
    ports: dict[str, str] = msgspec.field(default_factory=dict)
    ties: dict[str, int] = msgspec.field(default_factory=dict)
    scheme: str = ""
    seeds: int = 3
    recipe: str | None = None
    floorplan: bool = False
    routed_for: str | None = None

    def __post_init__(self) -> None:
        if bool(self.design) == bool(self.module):
            raise ValueError(f"core {self.name}: give a design or a module, one of them")
        if self.floorplan and not self.seeds:
            raise ValueError(f"core {self.name}: a floorplan is for a core that is placed")
        if self.routed_for and not self.seeds:
            raise ValueError(f"core {self.name}: nothing is routed, so nothing can be timed")

    @cached_property
    def target(self) -> Target:
        """What is measured.

        Raises:
            UsageError: there is no such design or module.
        """
        if self.design:
            argv = [argument for argument in self.design if argument != "--set"]
            return Target.of(load_any(argv[0], argv[1:]), tuple(self.design))
        files = needed_by(self.module, scheme=self.scheme or None)
        root = rtl_dir()
        shown = tuple(Path("rtl") / path.relative_to(root) for path in files)
        return Target.of_rtl(
            tuple(files),
            self.module,
            self.ports,
            parameters=self.parameters,
            ties=self.ties,
            command=rtl_argv(
                shown,
                self.module,
                self.ports,
                parameters=self.parameters,
                ties=self.ties,
                is_cipher=False,
            ),
            is_cipher=False,
        )

    @property
    def command(self) -> str:
        """The line for the `aesforge` command that measures it."""
        import shlex

        argv = ["aesforge", "measure", *self.target.command, "--device", self.device]
        if self.recipe not in (None, family(device(self.device).family).recipe[0].name):
            argv += ["--recipe", self.recipe]
        argv += ["--floorplan"] if self.floorplan else []
        argv += ["--routed-for", self.routed_for] if self.routed_for else []
        argv += ["--seeds", str(self.seeds)] if self.seeds else ["--synthesis-only"]
        return shlex.join(argv)

    def measure(
        self,
        database: Database,
        *,
        parallel: int | None = None,
        count_slices: bool = False,
        **options: Any,
    ) -> Outcome:
        """Measure it, or give what the database knows, or the error that stood in the way.

        Args:
            database: where results are kept.
            parallel: placements at a time, as many as there are processors for None.
            count_slices: as of `aesforge.measure.measure`.
            options: `force` and `say`, as of `aesforge.measure.measure`.
        """
        options |= {"recipe": self.recipe, "database": database}
        try:
            if self.seeds == 0:
                return estimate(self.target, device(self.device), **options)
            seeds = range(1, self.seeds + 1)
            where = device(self.device)
            options |= {"parallel": parallel, "floorplan": self.floorplan}
            options |= {"count_slices": count_slices}
            options |= {"routed_for": device(self.routed_for) if self.routed_for else None}
            return measure(self.target, where, seeds=seeds, **options)
        except AesforgeError as error:
            return error


class Run(Record, frozen=True, kw_only=True):
    """How long a bench took at one commit; of one that was stopped and went on, all parts.

    Args:
        commit: of the checkout, as in the provenance of what was measured then.
        seconds: of all parts, by the clock, each up to its end or to where it was stopped.
        parts: how often it was begun.
        processors: cores measured at a time.
    """

    commit: str
    seconds: int = 0
    parts: int = 0
    processors: int


class Campaign(Record, frozen=True, kw_only=True):
    """The results of a bench, as its file holds them.

    Args:
        run: how long the last run took; None where that is not kept.
        measurements: by name of the core.
    """

    run: Run | None = None
    measurements: dict[str, Measurement] = msgspec.field(default_factory=dict)

    def at(self, commit: str) -> dict[str, Measurement]:
        """Return what was measured at a commit, by name of the core; nothing for changed files."""
        return {
            name: one
            for name, one in self.measurements.items()
            if one.provenance.commit == commit and not commit.endswith("+")
        }

    @property
    def whole_run(self) -> Run | None:
        """The run, if all that the file has was measured in it."""
        whole = self.run and len(self.at(self.run.commit)) == len(self.measurements)
        return self.run if whole else None

    @classmethod
    def read(cls, path: Path) -> Campaign:
        """Read the file; without one there are no results.

        Raises:
            msgspec.ValidationError: it is no such file.
        """
        return msgspec.json.decode(path.read_bytes(), type=cls) if path.exists() else cls()

    def write(self, path: Path) -> None:
        """Write the file, whole or not at all; its folder is made when it does not exist."""
        path.parent.mkdir(parents=True, exist_ok=True)
        data = msgspec.to_builtins(self)
        data["measurements"] = dict(sorted(data["measurements"].items()))
        if self.run is None:
            del data["run"]
        write_whole(path, msgspec.json.format(msgspec.json.encode(data), indent=1) + b"\n")


def run(
    cores: Sequence[AnyCore],
    results: Path,
    *,
    force: bool = False,
    jobs: int = 1,
    count_slices: bool = False,
    timed: bool = False,
    say: Say | None = None,
) -> Iterator[tuple[AnyCore, Outcome]]:
    """Measure cores and add each result to a file; a core that fails stops no other.

    Args:
        cores: what to measure.
        results: the file, see `Campaign`.
        force: measure again what is known.
        jobs: cores at a time. With more than one, the order of what is given is that of finishing.
        count_slices: as of `aesforge.measure.measure`.
        timed: keep in the file how long it took, see `Run`.
        say: told, in a line, what is begun.
    """
    database = Database()
    writing = threading.Lock()
    commit = commit_or_version()
    before = Campaign.read(results)
    known = {} if force else before.at(commit)
    clock = Run(commit=commit, processors=jobs)
    if known and before.run and (before.run.commit, before.run.processors) == (commit, jobs):
        clock = before.run
    began = time.monotonic()

    def keep(name: str = "", result: Measurement | None = None) -> None:
        with writing:
            there = Campaign.read(results)
            if result is not None:
                there.measurements[name] = result
            if timed:
                seconds = clock.seconds + round(time.monotonic() - began)
                now = msgspec.structs.replace(clock, seconds=seconds, parts=clock.parts + 1)
                there = msgspec.structs.replace(there, run=now)
            there.write(results)

    def one(core: Core) -> Outcome:
        there = known.get(core.name)
        # The bench may ask for more placements than there are.
        if there is not None and there.provenance.command == core.command:
            return there
        parallel = 1 if jobs > 1 else None
        result = core.measure(
            database, parallel=parallel, count_slices=count_slices, force=force, say=say
        )
        if isinstance(result, Measurement):
            keep(core.name, result)
        return result

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = {pool.submit(one, core): core for core in cores}
        try:
            for future in concurrent.futures.as_completed(futures):
                yield futures[future], future.result()
        except BaseException:
            programs.stop_all(futures)
            keep()
            raise
