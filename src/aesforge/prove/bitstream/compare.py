# SPDX-License-Identifier: Apache-2.0
"""Compare what a bitstream configures with what a routed netlist needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aesforge.devices import Device
from aesforge.errors import UsageError
from aesforge.prove.bitstream import ecp5, gatemate, gowin, ice40
from aesforge.prove.bitstream.ecp5.readback import Reader as Ecp5Reader
from aesforge.prove.bitstream.gatemate.readback import Reader as GateMateReader
from aesforge.prove.bitstream.gowin.readback import Reader as GowinReader
from aesforge.prove.bitstream.ice40.readback import Reader as Ice40Reader
from aesforge.prove.bitstream.layout import Database, Layout, Settings
from aesforge.prove.bitstream.routed import Expected
from aesforge.toolchain import programs

_SHOWN = 20
_Files = tuple[Any, Any, Expected]
# The family -> what reads its files to a database, a bitstream and what is expected of it; what
# reads such a bitstream; the program whose database it takes.
_FAMILIES: dict[str, tuple[Callable[[Path, Path, Device], _Files], Callable[[Any], Any], str]] = {
    "ice40": (ice40.read_files, Ice40Reader, "nextpnr-ice40"),
    "ecp5": (ecp5.read_files, Ecp5Reader, "nextpnr-ecp5"),
    "gowin": (gowin.read_files, GowinReader, "nextpnr-himbaechel-gowin"),
    "gatemate": (gatemate.read_files, GateMateReader, "nextpnr-himbaechel-gatemate"),
}


@dataclass
class Comparison:
    """What a bitstream has beside what it must have.

    Args:
        cells: how many places were compared.
        nets: how many nets.
        wires: how many wires of these nets.
        pins: how many pins of cells lie on them.
        differences: a line for each setting or wire that is used and differs.
        unused: a line for each setting, wire or bit that is configured but has no bearing on a
            cell or net of the design.
        chip: the database that was used.
        tools: program to version.
    """

    cells: int = 0
    nets: int = 0
    wires: int = 0
    pins: int = 0
    differences: list[str] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)
    chip: str = ""
    tools: dict[str, str] = field(default_factory=dict)

    @property
    def same(self) -> bool:
        """Return whether no used cell or net differs."""
        return not self.differences

    def text(self) -> str:
        """Return the result for a person."""
        size = (
            f"{self.cells} places with {self.pins} pins, {self.nets} nets with {self.wires} wires"
        )
        if self.same:
            lines = [f"the bitstream configures the routed netlist: {size}, all equal"]
        else:
            lines = [
                f"the bitstream does not configure the routed netlist: {len(self.differences)} "
                f"differences in {size}",
                *(f"  {line}" for line in self.differences[:_SHOWN]),
            ]
            if len(self.differences) > _SHOWN:
                lines.append(f"  and {len(self.differences) - _SHOWN} more")
            if len(self.differences) > (self.cells + self.wires) // 2:
                lines.append("most of it differs: is it the bitstream of another design or seed?")
        lines.append(f"configured, but used by nothing of the design: {len(self.unused)} settings")
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """Return the result as data for JSON."""
        return {
            "result": "equal" if self.same else "different",
            "chip": self.chip,
            "cells": self.cells,
            "nets": self.nets,
            "wires": self.wires,
            "pins": self.pins,
            "differences": self.differences,
            "unused": self.unused,
            "tools": self.tools,
        }


def compare_files(bitstream: Path, routed: Path, device: Device) -> Comparison:
    """Compare a bitstream with a routed netlist.

    Args:
        bitstream: of the device, packed; for iCE40 unpacked too.
        routed: as nextpnr wrote it.
        device: that both are for.

    Raises:
        UsageError: a file is missing or of another form, or for another device; or the netlist has
            a cell that is not read back; or bitstreams of this device are not.
        ToolMissing: nextpnr for this family is not installed.
    """
    if device.family not in _FAMILIES:
        raise UsageError(
            "--bitstream reads iCE40, ECP5, Gowin and GateMate; the family of "
            f"{device.part.part} is {device.family}"
        )
    read_files, reader, program = _FAMILIES[device.family]
    chip, config, expected = read_files(bitstream, routed, device)
    found = compare(chip, reader(chip).layout(config), expected)
    found.tools = {program: programs.version(program)}
    return found


def compare(chip: Database, layout: Layout, expected: Expected) -> Comparison:
    """Compare what is configured with what must be."""
    found = Comparison(
        cells=len(expected.cells),
        nets=len(set(expected.nets.values())),
        wires=len(expected.nets),
        pins=expected.pins,
        chip=chip.name,
    )
    found.differences = [
        *_cells(chip, layout, expected),
        *_never_used(layout),
        *_unnamed(layout, expected, used=True),
        *_wires(chip, layout, expected),
    ]
    found.unused = [
        *(
            f"{place}: {_shown({name: value})}"
            for place, settings in sorted(layout.cells.items())
            if place not in layout.never
            for name, value in settings.items()
            if name not in expected.cells.get(place, {})
        ),
        *(
            f"wire {chip.wires[wire]} is driven by {_names(chip, sources)}"
            for wire, sources in sorted(layout.drivers.items())
            if wire not in expected.nets and not any(source in expected.nets for source in sources)
        ),
        *(
            f"wire {chip.wires[wire]} has a switch with bits that choose nothing"
            for wire in sorted(layout.invalid - expected.nets.keys())
        ),
        *_unnamed(layout, expected, used=False),
    ]
    return found


def _value(value: int | str) -> str:
    return value if isinstance(value, str) else f"{value:#x}"


def _shown(settings: Settings) -> str:
    return ", ".join(f"{name} = {_value(value)}" for name, value in settings.items())


def _names(chip: Database, wires: list[int]) -> str:
    return " and ".join(chip.wires[wire] for wire in wires) or "nothing"


def _cells(chip: Database, layout: Layout, expected: Expected) -> Iterator[str]:
    for place, settings in expected.cells.items():
        configured = layout.cells.get(place, {})
        for name, value in settings.items():
            got = configured[name] if name in configured else chip.erased(place, name)
            if isinstance(got, int):
                got &= ~expected.undefined.get((place, name), 0)
            if got != value:
                yield (
                    f"cell {expected.owners[place]} at {place}: {name} is {_value(got)}, "
                    f"must be {_value(value)}"
                )


def _never_used(layout: Layout) -> Iterator[str]:
    """Yield what changes pins or clocks, and what no design that is read back asks for."""
    for place, settings in layout.cells.items():
        if place in layout.never:
            yield f"{place}: {_shown(settings)}; no cell of the design asks for it"


def _unnamed(layout: Layout, expected: Expected, *, used: bool) -> Iterator[str]:
    """Yield the set bits without a name, of tiles of the design or of all others."""
    for tile, where in layout.unnamed:
        if (tile in expected.tiles) == used:
            yield f"{tile}: {where}, of which the database says nothing"


def _wires(chip: Database, layout: Layout, expected: Expected) -> Iterator[str]:
    for wire, source in expected.drivers.items():
        must = [] if source is None else [source]
        got = layout.drivers.get(wire, [])
        if not got and source is not None and chip.resting.get(wire) == source:
            got = must
        name = expected.nets[wire]
        if got != must:
            yield (
                f"net {name}: wire {chip.wires[wire]} is driven by {_names(chip, got)}, must be "
                f"by {_names(chip, must)}"
            )
        if wire in layout.invalid:
            yield f"net {name}: wire {chip.wires[wire]} has a switch with bits that choose nothing"
    for wire, sources in layout.drivers.items():
        if wire not in expected.nets:
            for source in sources:
                if source in expected.nets:
                    yield (
                        f"net {expected.nets[source]} drives the wire {chip.wires[wire]} too, "
                        "which is not one of its wires"
                    )
