# SPDX-License-Identifier: Apache-2.0
"""From a design to the bitstream of a board, at the highest clock that placement meets.

The search begins with the `start_mhz` of the board or of its application. Each placement says what
clock it could reach; the next one is made for the PLL's fastest clock below that, until one meets
its own clock and the PLL has none that is faster by more than what another placement would change.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from aesforge.board.applications import APPLICATIONS, Application, Sizes
from aesforge.board.data import Board
from aesforge.board.files import NETLIST, REPORT, Project
from aesforge.board.pll import setting_below, settings
from aesforge.bundle.files import write_bundle
from aesforge.design import Design, load_any
from aesforge.design.engine import Engine
from aesforge.errors import AesforgeError, CheckFailed, DoesNotFit, ToolFailed, UsageError, nearest
from aesforge.netlist.cells import Area, Netlist
from aesforge.netlist.labels import Labels
from aesforge.netlist.module import read_module
from aesforge.toolchain import cache, programs
from aesforge.toolchain.files import write_whole

Say = Callable[[str], None]
_MOST_PLACEMENTS = 6
# Placements with two seeds differ by about as much.
_WORTH_ANOTHER = 1.03


@dataclass(frozen=True)
class Built:
    """A bitstream and what was found on the way to it.

    Args:
        project: at its last clock.
        folder: of its files.
        fmax_mhz: what placement and the data sheet allow, in MHz.
        luts: look-up tables.
        ff: flip-flops.
        block_ram: block RAMs.
        seconds: of all tools together, by the clock on the wall.
        cpu_seconds: of all tools together, of a processor.
        tools: program to version.
    """

    project: Project
    folder: Path
    fmax_mhz: float
    luts: int
    ff: int
    block_ram: int
    seconds: float
    cpu_seconds: float
    tools: dict[str, str]


@dataclass(frozen=True)
class _Placed:
    project: Project
    fmax_mhz: float
    area: Area
    folder: Path

    @property
    def met(self) -> bool:
        return self.fmax_mhz >= self.project.setting.mhz


def project(
    board: Board,
    design: Design | Engine,
    application: str = "selftest",
    *,
    mhz: float | None = None,
    reference: str | None = None,
    small: bool = False,
    sizes: Sizes | None = None,
) -> Project:
    """Return what is to be built.

    Args:
        board: where.
        design: the core under test.
        application: of `APPLICATIONS`.
        mhz: the clock, or the PLL's next one below; None for the one to begin a search with.
        reference: the design that decrypts; None for the same as encrypts.
        small: take the smallest reference.
        sizes: how long things take.

    Raises:
        UsageError: no such application, it cannot use the design, the board lacks a pin, or the
            PLL makes no such clock.
    """
    cores = application_named(application).cores(design, reference, small)
    start = application_named(application).default(board).start_mhz or board.start_mhz
    setting = setting_below(board, start if mhz is None else mhz)
    found = Project(board, application, cores, setting, sizes or Sizes())
    found.require_pins()
    return found


def default_design(
    board: Board, application: str = "selftest", overrides: Sequence[str] = ()
) -> Design | Engine:
    """Return the design that an application has on a board, unless another one is asked for.

    Args:
        board: where.
        application: of `APPLICATIONS`.
        overrides: further choices, as `--set` takes them; they take the place of the board's.

    Raises:
        UsageError: no such application, or a choice is not allowed.
    """
    default = application_named(application).default(board)
    asked = {text.partition("=")[0].strip() for text in overrides}
    kept = [text for text in default.overrides if text.partition("=")[0] not in asked]
    return load_any(default.design, (*kept, *overrides))


def application_named(name: str) -> Application:
    """Find an application.

    Raises:
        UsageError: there is none of this name; the message gives the nearest.
    """
    if name not in APPLICATIONS:
        raise UsageError(
            f"there is no application '{name}'{nearest(name, APPLICATIONS)}\n"
            f"applications: {', '.join(APPLICATIONS)}"
        )
    return APPLICATIONS[name]


def build(
    first: Project,
    out: Path,
    *,
    smaller: Project | None = None,
    search: bool = True,
    force: bool = False,
    say: Say | None = None,
) -> Built:
    """Write a board's folder and build its bitstream.

    Args:
        first: what to build, at the clock to begin with.
        out: the folder, by the rules of `write_bundle`.
        smaller: what to build instead where that does not fit.
        search: for the highest clock; else the first one is kept.
        force: write among other things.
        say: told, in a line, what is begun and what came of it.

    Raises:
        UsageError: the folder holds other things.
        DoesNotFit: the part is too small, with how much is missing.
        CheckFailed: the clock is not met.
        ToolFailed: a tool ended with an error.
    """
    tell: Say = say or (lambda _text: None)
    started, processor = time.monotonic(), programs.ended_cpu_seconds()
    write_bundle(first.files, out, force=force)
    with tempfile.TemporaryDirectory(prefix="aesforge-board-") as temporary:
        work = _Work(Path(temporary), tell)
        try:
            best = work.place(first)
        except DoesNotFit as error:
            if smaller is None:
                raise
            tell(f"{error.message}\nso the smaller reference is taken")
            best = work.place(smaller)
        if search:
            best = work.search(best)
        if not best.met:
            write_bundle(best.project.files, out, force=force)
            raise CheckFailed(
                f"{first.board.title}: the clock of {best.project.setting.mhz:g} MHz is not met; "
                f"placement reaches {best.fmax_mhz:.2f} MHz. Its files are in '{out}'"
            )
        bitstream = work.pack(best)
        write_bundle(best.project.files, out, force=force)
        target = out / best.project.bitstream
        target.parent.mkdir(exist_ok=True)
        write_whole(target, bitstream)
    names = ("yosys", str(first.family.program), first.pack_program)
    return Built(
        project=best.project,
        folder=out,
        fmax_mhz=best.fmax_mhz,
        luts=best.area.luts,
        ff=best.area.ff,
        block_ram=best.area.block_ram,
        seconds=time.monotonic() - started,
        cpu_seconds=programs.ended_cpu_seconds() - processor,
        tools={name: programs.version(name) for name in names},
    )


class _Work:
    """The calls of the tools, each project in a folder of its own below one."""

    def __init__(self, folder: Path, say: Say) -> None:
        self.folder = folder
        self.say = say
        self.count = 0

    def place(self, one: Project) -> _Placed:
        self.count += 1
        folder = self.folder / str(self.count)
        for path, text in one.files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", newline="\n")
        (folder / "build").mkdir()
        title = one.board.title
        self.say(f"{title}: synthesis")
        self._run("yosys", ["yosys.ys"], folder)
        netlist = Netlist(read_module(folder / NETLIST, "top"), one.family.cells, "", Labels())
        area = netlist.area(one.family.lut_inputs)
        short = one.board.on.part.capacity.short_of(
            luts=area.luts, ff=area.ff, block_ram=area.block_ram
        )
        if short:
            raise _does_not_fit(one, short)
        self.say(
            f"{title}: {area.luts:,} look-up tables, {area.ff:,} flip-flops; placement and routing "
            f"for {one.setting.mhz:g} MHz"
        )
        # The report is wanted whether or not the clock is met.
        arguments = [*one.place_arguments(), "--timing-allow-fail"]
        try:
            self._run(str(one.family.program), arguments, folder)
        except ToolFailed:
            # A logic cell that holds a LUT and a flip-flop often holds one of them only.
            if short := over_full(_log(folder, str(one.family.program)).read_text("utf-8")):
                raise _does_not_fit(one, short) from None
            raise
        report = json.loads((folder / REPORT).read_bytes())
        reached = clock_of(report, one.setting.mhz)
        cap = one.board.on.cap(block_ram=area.block_ram > 0)
        fmax = min(reached, cap.mhz if cap else reached)
        self.say(f"{title}: placement reaches {reached:.2f} MHz")
        return _Placed(one, fmax, area, folder)

    def search(self, start: _Placed) -> _Placed:
        """Return the placement with the highest clock that is met, or the last one."""
        board, last = start.project.board, start
        best = start if start.met else None
        tried = {start.project.setting.mhz}
        while self.count < _MOST_PLACEMENTS:
            clocks = [one for one in settings(board) if one.mhz <= last.fmax_mhz]
            # Above what is met, and below what is not.
            if best is not None:
                least = best.project.setting.mhz * _WORTH_ANOTHER
                clocks = [one for one in clocks if one.mhz > least]
            failed = [mhz for mhz in tried if best is None or mhz > best.project.setting.mhz]
            if failed:
                clocks = [one for one in clocks if one.mhz < min(failed)]
            if not clocks:
                break
            try:
                last = self.place(replace(start.project, setting=clocks[-1]))
            except ToolFailed as error:
                # A tool that fails here ends the search, and what was placed before stays.
                if best is None:
                    raise
                why = error.message.splitlines()[0]
                self.say(f"{board.title}: not {clocks[-1].mhz:g} MHz: {why}")
                break
            tried.add(clocks[-1].mhz)
            if last.met:
                best = last
        return best or last

    def pack(self, placed: _Placed) -> bytes:
        one = placed.project
        self._run(one.pack_program, one.pack_arguments(), placed.folder)
        return (placed.folder / one.bitstream).read_bytes()

    def _run(self, program: str, arguments: list[str], folder: Path) -> None:
        log = _log(folder, program)
        try:
            programs.run(program, arguments, folder, log)
        except AesforgeError as error:
            # The folder goes away with the error: keep the log where the message can point to.
            if not log.exists():
                raise
            kept = cache.cache_dir() / "logs" / f"board-{program}.log"
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(log, kept)
            raise type(error)(error.message.replace(str(log), str(kept))) from None


def _log(folder: Path, program: str) -> Path:
    return folder / "build" / f"{program}.log"


def _does_not_fit(one: Project, short: Sequence[str]) -> DoesNotFit:
    """Return the error.

    Args:
        one: what was to be built.
        short: what is needed of what there is, as text.
    """
    names = " and ".join(core.name for core in one.cores.all)
    does = "do" if len(one.cores.all) > 1 else "does"
    they = "they need" if len(one.cores.all) > 1 else "it needs"
    return DoesNotFit(
        f"{names} {does} not fit on {one.board.title}: with the application {they} "
        f"{'; '.join(short)}; choose a smaller design, or a larger board"
    )


def over_full(log: str) -> list[str]:
    """Return of what a part has too few, as text, by nextpnr's log; empty: of nothing.

    Args:
        log: with a line for each kind of cell, such as `Info: ICESTORM_LC: 6153/ 5280 116%`.
    """
    found = re.findall(r"^Info:\s+(\w+):\s+(\d+)/\s*(\d+)\s+\d+%$", log, re.MULTILINE)
    return [
        f"{int(need):,} {kind} of {int(has):,} ({int(need) / int(has):.1f} times)"
        for kind, need, has in found
        if int(need) > int(has)
    ]


def clock_of(report: dict[str, Any], mhz: float) -> float:
    """Return what the design's clock can reach, in MHz, by a placement's report.

    Args:
        report: of nextpnr.
        mhz: the clock that was asked for; it is the one with the constraint nearest to it.

    Raises:
        AesforgeError: the report has no clock, or none with this constraint.
    """
    clocks: dict[str, dict[str, float]] = report["fmax"]
    near = sorted(clocks.values(), key=lambda one: abs(one["constraint"] - mhz))
    if not near or abs(near[0]["constraint"] - mhz) > 0.01 * mhz:
        raise AesforgeError(
            f"the placement's report has no clock of {mhz:g} MHz: "
            + (", ".join(f"{k} {v['constraint']:g} MHz" for k, v in clocks.items()) or "none")
        )
    return float(near[0]["achieved"])
