# SPDX-License-Identifier: Apache-2.0
"""What a bitstream configures, in a form that all families share: cells by place, and wires."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

Settings = dict[str, int | str]
"""What is configured at a place, by name."""


class Database(Protocol):
    """What the comparison asks of a chip's database."""

    @property
    def name(self) -> str:
        """The chip."""

    @property
    def wires(self) -> Sequence[str]:
        """The name of each wire, by its number."""

    @property
    def resting(self) -> Mapping[int, int]:
        """What drives a wire, by its number, while no bit of its switch is set."""

    def erased(self, place: str, setting: str) -> int | str:
        """Return the value of a setting none of whose bits is set."""


@dataclass
class Layout:
    """A configured device.

    Args:
        cells: the settings of each place, by its name; one none of whose bits is set is left out.
        drivers: the wires that are switched onto each wire by set bits.
        unnamed: set bits of which the database says nothing: the tile, and where in it.
        invalid: wires with a switch whose bits choose no source.
        never: places of what no design that is read back uses; nothing may be configured there.
    """

    cells: dict[str, Settings] = field(default_factory=dict)
    drivers: dict[int, list[int]] = field(default_factory=dict)
    unnamed: list[tuple[str, str]] = field(default_factory=list)
    invalid: set[int] = field(default_factory=set)
    never: set[str] = field(default_factory=set)

    def add(self, place: str, settings: Mapping[str, int | str]) -> None:
        """Add settings of a place; zeros are left out."""
        if kept := {name: value for name, value in settings.items() if value}:
            self.cells.setdefault(place, {}).update(kept)

    def join(self, part: Layout) -> None:
        """Add what a part of the device configures."""
        for place, settings in part.cells.items():
            self.cells.setdefault(place, {}).update(settings)
        for wire, sources in part.drivers.items():
            self.drivers.setdefault(wire, []).extend(sources)
        self.unnamed += part.unnamed
        self.invalid |= part.invalid
        self.never |= part.never
