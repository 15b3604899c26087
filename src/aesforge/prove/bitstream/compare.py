# SPDX-License-Identifier: Apache-2.0
"""Compare what a bitstream configures with what a routed netlist needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aesforge.devices import Device
from aesforge.errors import UsageError, one_of
from aesforge.prove.bitstream import config as bitstreams
from aesforge.prove.bitstream.chip import Chip
from aesforge.prove.bitstream.readback import OUTSIDE, PLL, Layout, Reader, Settings
from aesforge.prove.bitstream.routed import CHIPS, Expected, read_routed
from aesforge.toolchain import programs

_SHOWN = 20
# nextpnr's option for a device -> the database that it takes.
_CHIP_OF = {"--hx8k": "8k", "--lp8k": "8k", "--up5k": "5k"}


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


def chip_of(device: Device) -> str:
    """Return the name of a device's chip in the database.

    Raises:
        UsageError: bitstreams of this device are not read back.
    """
    if device.family == "ice40":
        for option in device.options:
            if option in _CHIP_OF:
                return _CHIP_OF[option]
    raise UsageError(
        f"--bitstream reads iCE40 devices with the chip {one_of(CHIPS)}; the family of "
        f"{device.part.part} is {device.family}"
    )


def compare_files(bitstream: Path, routed: Path, device: Device) -> Comparison:
    """Compare a bitstream with a routed netlist.

    Args:
        bitstream: packed or unpacked.
        routed: as nextpnr wrote it.
        device: that both are for.

    Raises:
        UsageError: a file is missing or of another form, or for another device; or the netlist has
            a cell that is not read back.
        ToolMissing: nextpnr for iCE40 is not installed.
    """
    chip = Chip(chip_of(device))
    config = bitstreams.read(bitstream, chip, device.part.part)
    expected = read_routed(routed, chip)
    found = compare(chip, Reader(chip).layout(config), expected)
    found.tools = {"nextpnr-ice40": programs.version("nextpnr-ice40")}
    return found


def compare(chip: Chip, layout: Layout, expected: Expected) -> Comparison:
    """Compare what is configured with what must be."""
    found = Comparison(
        cells=len(expected.cells),
        nets=len(set(expected.nets.values())),
        wires=len(expected.nets),
        pins=expected.pins,
        chip=chip.name,
    )
    found.differences = [
        *_cells(layout, expected),
        *_never_used(layout),
        *_wires(chip, layout, expected),
    ]
    found.unused = [
        *(
            f"{place}: {_shown({name: value})}"
            for place, settings in sorted(layout.cells.items())
            if not _is_never_used(place)
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
        *(
            f"X{x}/Y{y}: bit {column} of row {row}, of which the database says nothing"
            for (x, y), (row, column) in layout.unnamed
        ),
    ]
    return found


def _shown(settings: Settings) -> str:
    return ", ".join(f"{name} = {value:#x}" for name, value in settings.items())


def _names(chip: Chip, wires: list[int]) -> str:
    return " and ".join(chip.wires[wire] for wire in wires) or "nothing"


def _cells(layout: Layout, expected: Expected) -> Iterator[str]:
    for place, settings in expected.cells.items():
        configured = layout.cells.get(place, {})
        for name, value in settings.items():
            got = configured.get(name, 0) & ~expected.undefined.get((place, name), 0)
            if got != value:
                yield (
                    f"cell {expected.owners[place]} at {place}: {name} is {got:#x}, "
                    f"must be {value:#x}"
                )


def _is_never_used(place: str) -> bool:
    return place == OUTSIDE or place.endswith(f"/{PLL}")


def _never_used(layout: Layout) -> Iterator[str]:
    """Yield what changes pins or clocks, and what no design that is read back asks for."""
    for place, settings in layout.cells.items():
        if _is_never_used(place):
            yield f"{place}: {_shown(settings)}; no cell of the design asks for it"


def _wires(chip: Chip, layout: Layout, expected: Expected) -> Iterator[str]:
    for wire, source in expected.drivers.items():
        must = [] if source is None else [source]
        got = layout.drivers.get(wire, [])
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
