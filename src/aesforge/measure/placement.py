# SPDX-License-Identifier: Apache-2.0
"""Place and route a netlist with nextpnr, and read what its report says."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from aesforge.devices import Device, Record
from aesforge.devices.families import Family, Recipe
from aesforge.energy.model import Energy
from aesforge.errors import AesforgeError
from aesforge.measure.floorplan import LAYOUT_VERSION, bels
from aesforge.measure.harness import INSTANCE, TOP
from aesforge.measure.record import CriticalPath, Hop
from aesforge.measure.synthesis import NETLIST, Synthesis
from aesforge.netlist.cells import Netlist
from aesforge.netlist.labels import Labels
from aesforge.netlist.module import read_module, with_attribute
from aesforge.toolchain import cache, programs

REPORT = "report.json"
ROUTED = "routed.json"
DELAYS = "delays.sdf"
SECONDS = "seconds"
# The families whose cells lie in slices, as nextpnr names their places.
_SLICED = ("ecp5",)
_CELL = re.compile(r' {8}"(.+)": \{$')
_SLICE = re.compile(r'"NEXTPNR_BEL": "(X\d+/Y\d+/SLICE[A-D])\.')
_KINDS = {"clk-to-q": "clock-to-out", "logic": "logic", "routing": "wire", "setup": "setup"}


class Placed(Record, frozen=True, kw_only=True):
    """What a placement and routing gave.

    Args:
        mhz: the clock as reported.
        path: what limits it.
        seconds: what it took.
        slices: that the core's cells lie in, None where they were not counted.
        energy: what the routed core spends, None where it was not simulated.
    """

    mhz: float
    path: CriticalPath
    seconds: float
    slices: int | None = None
    energy: Energy | None = None


Watch = Callable[[Path], contextlib.AbstractContextManager[None]]


def unwatched(_log: Path) -> contextlib.AbstractContextManager[None]:
    """Return a context in which nothing is watched."""
    return contextlib.nullcontext()


@dataclass(frozen=True)
class Placement:
    """One netlist on one device with one seed.

    Args:
        synthesis: the netlist.
        netlist: a hash of it.
        device: where.
        family: of the device.
        recipe: of the family.
        seed: of the placement.
        floorplan: whether state registers get places.
        count_slices: whether to count slices.
        keep_routed: whether to keep what a simulation with delays needs.
        routed_for: another grade of the part. What was placed and routed for it is timed on the
            device, and nothing is placed.
    """

    synthesis: Synthesis
    netlist: str
    device: Device
    family: Family
    recipe: Recipe
    seed: int
    floorplan: bool = False
    count_slices: bool = False
    keep_routed: bool = False
    routed_for: Device | None = None

    @cached_property
    def timed(self) -> Placement | None:
        """The placement for the other grade, which is timed on this one."""
        if self.routed_for is None:
            return None
        return replace(self, device=self.routed_for, routed_for=None, keep_routed=True)

    @property
    def counts(self) -> bool:
        """Return whether it counts slices: asked for, of the family, and not those of `timed`."""
        return self.count_slices and self.device.family in _SLICED and self.timed is None

    @cached_property
    def key(self) -> str:
        """Return a hash of all that has a bearing on the result."""
        # What is placed freely keeps the key that it had before there were floorplans.
        laid_out = [LAYOUT_VERSION, msgspec.to_builtins(self.device.part.sites)]
        return cache.key_of(
            *(self.netlist, self.arguments(), programs.version(self.program)),
            *(laid_out if self.floorplan else ()),
            *((self.timed.key,) if self.timed else ()),
        )

    @cached_property
    def places(self) -> dict[str, str]:
        """Where the floorplan puts which cell; empty without one.

        Raises:
            UsageError: this core cannot be laid out on this part.
        """
        if not self.floorplan:
            return {}
        module = read_module(self.synthesis.netlist, TOP)
        whole = Netlist(module, self.family.cells, f"{INSTANCE}.", self.synthesis.labels)
        return bels(module, whole.area(self.family.lut_inputs).luts, self.device.part)

    @property
    def program(self) -> str:
        """The placement tool."""
        assert self.family.program is not None
        return self.family.program

    @property
    def folder(self) -> Path:
        """Where report and log lie."""
        return cache.cache_dir() / "placements" / self.key

    def arguments(self) -> list[str]:
        """Return the call's arguments; files lie in the folder in which it runs."""
        if self.timed:
            given = ("--json", NETLIST, "--no-pack", "--no-place", "--report", REPORT)
            return [*self.device.options, *given, *_timing_only(self.recipe.place)]
        return [
            *self.device.options,
            *("--json", NETLIST, "--seed", str(self.seed), "--report", REPORT),
            *self.recipe.place,
        ]

    def commands(self) -> list[str]:
        """Return the lines that were run."""
        if self.keep_routed:
            return [self.routed_command()]
        before = self.timed.commands() if self.timed else []
        return [*before, programs.shown(self.program, self._arguments())]

    def _arguments(self) -> list[str]:
        return [*self.arguments(), *(("--write", ROUTED) if self.counts else ())]

    def run(self, watch: Watch = unwatched) -> Placed:
        """Place and route.

        Args:
            watch: given the log, returns a context in which the tool runs.

        Raises:
            ToolFailed: nextpnr ended with an error.
            AesforgeError: its report has no clock.
        """
        if self.keep_routed:
            folder = self.routed(watch)
            told = folder / SECONDS  # missing where an earlier version routed it
            seconds = float(told.read_text(encoding="ascii")) if told.exists() else 0.0
        else:
            folder = self.folder
            folder.mkdir(parents=True, exist_ok=True)
            seconds = self._place(folder, self._arguments(), watch)
        report = json.loads((folder / REPORT).read_bytes())
        slices = None
        if self.counts:
            routed = folder / ROUTED
            with routed.open(encoding="utf-8") as lines:
                slices = slices_of(lines)
            if not self.keep_routed:
                routed.unlink()  # hundreds of megabytes for a large core
        return Placed(
            mhz=clock_of(report),
            path=critical_path_of(report, self.synthesis.labels),
            seconds=seconds,
            slices=slices,
        )

    def routed(self, watch: Watch = unwatched) -> Path:
        """Place and route once, and keep what a simulation with delays needs.

        Args:
            watch: as of `run`.

        Returns:
            The folder with `REPORT`, the routed netlist `ROUTED`, its delays `DELAYS`, and
            `SECONDS`, what that took.

        Raises:
            ToolFailed: nextpnr ended with an error.
            AesforgeError: the cache cannot be written.
        """
        folder = cache.cache_dir() / "routed" / self.key

        def make(part: Path) -> None:
            seconds = self._place(part, self._routed_arguments(), watch)
            (part / SECONDS).write_text(f"{seconds:.1f}", encoding="ascii")

        if cache.publish_once(folder, make):
            cache.discard_unused(folder.parent)
        else:
            cache.mark_used(folder)
        return folder

    def routed_command(self) -> str:
        """Return the line that `routed` runs."""
        return programs.shown(self.program, self._routed_arguments())

    def _routed_arguments(self) -> list[str]:
        return [*self.arguments(), "--write", ROUTED, "--sdf", DELAYS]

    def _place(self, folder: Path, arguments: list[str], watch: Watch) -> float:
        """Run the tool on the netlist in a folder, and return the seconds it took."""
        if self.timed:
            given = self.timed.routed(watch) / ROUTED
        else:
            self.synthesis.run()
            given = self.synthesis.netlist
        # The WebAssembly tools see what lies in their folder, not everything elsewhere.
        netlist = folder / NETLIST
        netlist.unlink(missing_ok=True)
        if self.floorplan and not self.timed:
            # The attribute by which nextpnr takes a cell's place.
            placed = with_attribute(given, TOP, "BEL", self.places)
            netlist.write_text(placed, encoding="utf-8")
        else:
            try:
                netlist.hardlink_to(given)
            except OSError:
                shutil.copyfile(given, netlist)
        started = time.monotonic()
        try:
            with watch(folder / "log"):
                programs.run(self.program, arguments, folder, folder / "log")
            return time.monotonic() - started
        finally:
            netlist.unlink(missing_ok=True)


def _timing_only(place: Sequence[str]) -> list[str]:
    """Return a recipe's arguments without those that choose a placer or a router."""
    chooses = [word in ("--placer", "--router") for word in place]
    after = [False, *chooses]
    return [word for at, word in enumerate(place) if not (chooses[at] or after[at])]


def clock_of(report: dict[str, Any]) -> float:
    """Return the clock that a report says can be reached, in MHz.

    Raises:
        AesforgeError: it names no clock, or several.
    """
    clocks = report["fmax"]
    if len(clocks) != 1:
        raise AesforgeError(
            f"the placement's report names {len(clocks)} clocks ({', '.join(clocks) or 'none'}), "
            "the harness has one"
        )
    return float(next(iter(clocks.values()))["achieved"])


def slices_of(lines: Iterable[str]) -> int:
    """Return how many slices hold a cell of the core; the harness may share them.

    Args:
        lines: of nextpnr's routed netlist, which is too large to be read as a whole: a name or an
            attribute a line, cells indented by eight.

    Raises:
        AesforgeError: no cell of the core lies in a slice.
    """
    found = set()
    name = ""
    for line in lines:
        if cell := _CELL.match(line):
            name = cell[1]
        elif name.startswith(f"{INSTANCE}.") and (place := _SLICE.search(line)):
            found.add(place[1])
    if not found:
        raise AesforgeError("the routed netlist has no cell of the core in a slice")
    return len(found)


def critical_path_of(report: dict[str, Any], labels: Labels) -> CriticalPath:
    """Return the register-to-register path that limits the clock, as labels.

    Raises:
        AesforgeError: the report has none.
    """
    for path in report["critical_paths"]:
        if "<async>" in (path["from"], path["to"]) or not path["path"]:
            continue
        steps = [step for step in path["path"] if step["type"] in _KINDS]
        hops = [
            Hop(
                kind=_KINDS[step["type"]],  # type: ignore[arg-type]
                where=labels.place(step["to"]["cell"]),
                ns=round(float(step["delay"]), 3),
            )
            for step in steps
        ]
        total = sum(hop.ns for hop in hops)
        wires = sum(hop.ns for hop in hops if hop.kind == "wire")
        return CriticalPath(
            start=labels.place(steps[0]["from"]["cell"]),
            end=labels.place(steps[-1]["to"]["cell"]),
            ns=round(total, 3),
            wire_share=round(wires / total, 3) if total else 0.0,
            hops=hops,
        )
    raise AesforgeError("the placement's report has no path from register to register")
