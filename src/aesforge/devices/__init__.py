# SPDX-License-Identifier: Apache-2.0
"""The devices that aesforge measures on: a data file each, with the source of every limit.

A device's name is its part and speed grade, `LFE5U-85F-8`; a part with one grade goes by its part.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import Literal

import msgspec

from aesforge.errors import UsageError, nearest

FAMILIES = ("ecp5", "ice40", "nexus", "gowin", "gatemate", "xc7")


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a data file or a measurement is made of: checked when it is read, then constant."""


class Cap(Record, frozen=True, kw_only=True):
    """A limit of the device that the timing tool does not know.

    Args:
        what: `clock tree`, `clock pulse`, `PLL output`, or `block RAM`, which binds only cores that
            use it.
        mhz: the highest Fmax.
        source: where the figure is from.
        verified: whether we read it there ourselves.
    """

    what: str
    mhz: float
    source: str
    verified: bool


class Capacity(Record, frozen=True, kw_only=True):
    """The resources of the part, and their source.

    Args:
        luts: look-up tables, of the family's size.
        ff: flip-flops.
        block_ram: block RAMs, in the unit that synthesis counts.
        source: where the figures are from.
    """

    luts: int
    ff: int
    block_ram: int
    source: str

    def short_of(self, *, luts: int, ff: int, block_ram: int) -> list[str]:
        """Return the resources that a core exceeds, and by how much; nothing if it fits."""
        return [
            f"{need:,} {what} of {have:,} ({need / have:.1f} times)"
            if have
            else f"{need:,} {what}, and there are none"
            for what, need, have in (
                ("look-up tables", luts, self.luts),
                ("flip-flops", ff, self.ff),
                ("block RAMs", block_ram, self.block_ram),
            )
            if need > have
        ]


class Grade(Record, frozen=True, kw_only=True):
    """One speed grade.

    Args:
        name: as in the device's name; empty for a part with one grade.
        options: what tells the placement tool.
        caps: the data-sheet limits of the clock.
    """

    name: str
    options: list[str]
    caps: list[Cap]


class Timing(Record, frozen=True, kw_only=True):
    """How far the timing tool is to be trusted here.

    Args:
        source: where its delays come from.
        notes: printed with every number: what to know; the numbers are right.
        warnings: printed with every number: unverified or wrong data.
        block_ram_warnings: the same, for cores with block RAM only.
    """

    source: str
    notes: list[str] = msgspec.field(default_factory=list)
    warnings: list[str]
    block_ram_warnings: list[str] = msgspec.field(default_factory=list)


class Sites(Record, frozen=True, kw_only=True):
    """Where a part has what a floorplan places, in the placement tool's coordinates.

    Args:
        columns: the first and the last with tiles of four slices.
        rows: the first and the last.
        without: rows between them that hold other things.
        block_rams: places of block RAMs in one row, side by side.
        source: how this was found.
    """

    columns: tuple[int, int]
    rows: tuple[int, int]
    without: list[int]
    block_rams: list[str] = msgspec.field(default_factory=list)
    source: str


class Part(Record, frozen=True, kw_only=True):
    """One data file.

    Args:
        part: the vendor's name.
        vendor: who makes it.
        family: one of `FAMILIES`.
        lut_inputs: 4 or 6.
        flow: `place`, or `synthesize` where no open placement can be trusted.
        options: the placement tool's options for the part.
        capacity: its resources.
        timing: how far to trust the tool.
        grades: slowest first.
        sites: None where nothing is laid out by us.
    """

    part: str
    vendor: str
    family: Literal["ecp5", "ice40", "nexus", "gowin", "gatemate", "xc7"]
    lut_inputs: Literal[4, 6]
    flow: Literal["place", "synthesize"]
    options: list[str]
    capacity: Capacity
    timing: Timing
    grades: list[Grade]
    sites: Sites | None = None


class Device(Record, frozen=True, kw_only=True):
    """A part with one of its grades."""

    part: Part
    grade: Grade

    @property
    def name(self) -> str:
        """As `--device` takes it."""
        return "-".join(filter(None, (self.part.part, self.grade.name)))

    @property
    def family(self) -> str:
        """One of `FAMILIES`."""
        return self.part.family

    @property
    def options(self) -> list[str]:
        """The placement tool's options for part and grade."""
        return self.part.options + self.grade.options

    def cap(self, *, block_ram: bool) -> Cap | None:
        """Return the lowest limit of the clock for a core with or without block RAM, or None."""
        caps = [cap for cap in self.grade.caps if block_ram or cap.what != "block RAM"]
        return min(caps, key=lambda cap: cap.mhz, default=None)


@cache
def parts() -> tuple[Part, ...]:
    """Read all data files, in the order of their names.

    Raises:
        msgspec.ValidationError: a file has a field too many, too few, or of the wrong type.
    """
    files = sorted(
        (file for file in resources.files(__name__).iterdir() if file.name.endswith(".toml")),
        key=lambda file: file.name,
    )
    return tuple(msgspec.toml.decode(file.read_bytes(), type=Part) for file in files)


@cache
def devices() -> dict[str, Device]:
    """Return all devices by name."""
    every = (Device(part=part, grade=grade) for part in parts() for grade in part.grades)
    return {device.name: device for device in every}


def device(name: str) -> Device:
    """Find a device by its name, in any case.

    Raises:
        UsageError: there is none of this name; the message gives the nearest, or the grades when
            only the grade is missing.
    """
    folded = {known.lower(): known for known in devices()}
    # HX8K is as good as iCE40HX8K.
    found = [known for known in folded if known.endswith(name.lower())] if len(name) > 3 else []
    if name.lower() in folded:
        return devices()[folded[name.lower()]]
    if len(found) == 1:
        return devices()[folded[found[0]]]
    for part in parts():
        if name.lower() == part.part.lower():
            grades = ", ".join(Device(part=part, grade=grade).name for grade in part.grades)
            raise UsageError(f"{part.part} has several speed grades; name one: {grades}")
    ordered = _of_order_number(name)
    hint = nearest(name, devices()) if ordered is None else f"; did you mean '{ordered.name}'?"
    raise UsageError(f"there is no device '{name}'{hint}\ndevices: {', '.join(devices())}")


def _of_order_number(name: str) -> Device | None:
    """Return the device of a vendor's whole order number, as LFE5U-25F-6BG381C, or None.

    Package and temperature follow the part; the speed grade stands on either side of them.
    """
    for part in sorted(parts(), key=lambda part: -len(part.part)):
        if name.lower().startswith(part.part.lower()):
            rest = name[len(part.part) :]
            for grade in part.grades:
                # -6BG381C, CSG324-2: no other digit stands beside the grade's.
                if not grade.name or re.match(rf".*?-{re.escape(grade.name)}(?!\d)", rest):
                    return Device(part=part, grade=grade)
    return None
