# SPDX-License-Identifier: Apache-2.0
"""From nextpnr's routed netlist to the cells and wires that a bitstream must configure.

Each cell has its place in the attribute `NEXTPNR_BEL`; each net has its wires, and what drives each
of them, in the attribute `ROUTING`. The netlist is checked first: each pin of a net must lie on the
net's wires, which all must lead back to the pin that drives it. What a cell or a switch configures
depends on the family: a subclass of `Routed`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from aesforge.errors import AesforgeError, UsageError, one_of
from aesforge.netlist.module import Cell, Module, read_modules
from aesforge.prove.bitstream.layout import Settings

Wires = dict[int, int | None]
"""The wires of a net: what drives each; None at the net's own driver."""


@dataclass
class Expected:
    """What a bitstream must configure.

    Args:
        cells: the settings of each place that is used, by its name.
        owners: the name of the cell at each place.
        drivers: the wire that is switched onto each wire of a net; None where no switch is set.
        nets: the name of the net of each wire.
        pins: how many pins of cells lie on nets.
        undefined: bits of a memory's row that the design leaves open, by place and setting.
        tiles: those in which a set bit without a name is a difference.
    """

    cells: dict[str, Settings] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)
    drivers: Wires = field(default_factory=dict)
    nets: dict[int, str] = field(default_factory=dict)
    pins: int = 0
    undefined: dict[tuple[str, str], int] = field(default_factory=dict)
    tiles: set[str] = field(default_factory=set)

    def need(self, place: str, owner: str, settings: Mapping[str, int | str]) -> None:
        """Add settings of a place."""
        self.cells.setdefault(place, {}).update(settings)
        self.owners.setdefault(place, owner)


def placed_module(path: Path, program: str) -> Module:
    """Return the one module of a netlist whose cells are placed.

    Args:
        path: of the file.
        program: that wrote it, for messages.

    Raises:
        UsageError: there is no such file, or it is not routed.
        AesforgeError: it is no netlist.
    """
    try:
        modules = read_modules(path)
    except OSError as error:
        raise UsageError(f"cannot read '{path}': {error.strerror or error}") from None
    placed = [
        module
        for module in modules.values()
        if any("NEXTPNR_BEL" in cell.attributes for cell in module.cells.values())
    ]
    if len(placed) != 1:
        raise UsageError(
            f"'{path}' is no routed netlist: {len(placed)} of its modules have placed cells, one "
            f"must; write it with `{program} --write`"
        )
    return placed[0]


class Routed(ABC):
    """A routed netlist on its way to what it needs.

    Args:
        path: of its file, for messages.
        module: that is placed.
        chip: that it must have been routed for, for messages.
        names: of the chip's wires.
    """

    kinds: ClassVar[tuple[str, ...]]
    """The kinds of cells that are read back."""

    def __init__(self, path: Path, module: Module, chip: str, names: Sequence[str]) -> None:
        self.path, self.module, self.names = path, module, names
        self._chip = chip
        self.found = Expected()
        # The wires of each net, by its number, and its name.
        self.wires: dict[int, Wires] = {}
        self.net_names: dict[int, str] = {}

    def wrong(self, what: str) -> AesforgeError:
        """Return the error of a netlist that contradicts itself."""
        return AesforgeError(f"the routed netlist '{self.path}' contradicts itself: {what}")

    def other_chip(self, what: str) -> UsageError:
        """Return the error of a netlist that was routed for another chip."""
        return UsageError(f"'{self.path}' was not routed for the {self._chip}: {what}")

    def expected(self) -> Expected:
        """Return what a bitstream must configure.

        Raises:
            UsageError: it is for another chip, or has a cell that is not read back.
            AesforgeError: it contradicts itself.
        """
        for name, wire in self.module.wires.items():
            routing = wire.attributes.get("ROUTING", "").strip()
            if routing and isinstance(wire.bits[0], int):
                self._route(name, wire.bits[0], routing)
        for name, cell in self.module.cells.items():
            if cell.kind not in self.kinds:
                raise UsageError(
                    f"cell {name} is a {cell.kind}, which is not read back; "
                    f"{one_of(self.kinds)} are"
                )
            try:
                self.place(name, cell, cell.attributes.get("NEXTPNR_BEL", ""))
            except ValueError as error:
                raise self.wrong(f"a value of cell {name} is no number: {error}") from None
        self.end()
        return self.found

    @abstractmethod
    def wire(self, name: str) -> int:
        """Return the number of a wire.

        Raises:
            UsageError: the chip has none of this name.
        """

    def is_branch(self, name: str, pip: str) -> bool:
        """Return whether a wire without a switch is another name of one that has its own entry."""
        return False

    def part(self, own: Wires) -> None:  # noqa: B027
        """Let what a cell drives be the beginning of a net, where a switch is listed there too."""

    @abstractmethod
    def pip(self, net: str, wire: int, text: str) -> int:
        """Return the wire from which a switch drives a net's wire, which its name tells.

        Raises:
            AesforgeError: it is no switch of this wire.
        """

    @abstractmethod
    def keep(self, net: str, own: Wires, wire: int) -> None:
        """Add a wire of a net, and its switch, to what is expected."""

    @abstractmethod
    def place(self, name: str, cell: Cell, place: str) -> None:
        """Add the settings of a cell to what is expected, and check that its pins are reached."""

    @abstractmethod
    def end(self) -> None:
        """Add what only all cells and nets together tell."""

    def _route(self, name: str, net: int, routing: str) -> None:
        parts = routing.split(";")
        if len(parts) % 3:
            raise self.wrong(f"the ROUTING of net {name} is no list of wire, pip and strength")
        own = self.wires.setdefault(net, {})
        self.net_names[net] = name
        for wire_name, pip in zip(parts[::3], parts[1::3], strict=True):
            if self.is_branch(wire_name, pip):
                continue
            wire = self.wire(wire_name)
            if wire in own:
                raise self.wrong(f"net {name} has the wire {wire_name} twice")
            own[wire] = self.pip(name, wire, pip) if pip else None
        self.part(own)
        roots = [wire for wire, source in own.items() if source is None]
        if len(roots) != 1:
            raise self.wrong(f"net {name} has {len(roots)} wires that nothing drives")
        if missing := {source for source in own.values() if source is not None} - own.keys():
            wire_name = self.names[min(missing)]
            raise self.wrong(f"net {name} is driven by {wire_name}, which is not one of its wires")
        for start in own:
            passed: set[int] = set()
            at: int | None = start
            while at is not None:
                if at in passed:
                    raise self.wrong(f"net {name} drives itself at {self.names[start]}")
                passed.add(at)
                at = own[at]
        for wire in own:
            self.keep(name, own, wire)

    def add_wire(self, net: str, wire: int, source: int | None) -> None:
        """Add a wire of a net and what is switched onto it; one wire belongs to one net."""
        if wire in self.found.nets:
            other = self.found.nets[wire]
            raise self.wrong(f"nets {other} and {net} share the wire {self.names[wire]}")
        self.found.nets[wire] = net
        self.found.drivers[wire] = source

    def is_reached(self, net: int, wire: int, *, at_driver: bool) -> bool:
        """Return whether a pin lies on its net: at its driver, or at one of its other wires."""
        own = self.wires[net]
        return wire in own and at_driver == (own[wire] is None)

    def share(self, place: str, name: str, own: Mapping[str, int | str]) -> None:
        """Add settings that several cells share; they must agree.

        Raises:
            AesforgeError: another cell needs another value.
        """
        known = self.found.cells.get(place, {})
        for setting, value in own.items():
            if known.get(setting, value) != value:
                owner = self.found.owners[place]
                raise self.wrong(f"cells {owner} and {name} need {setting} both ways")
        if own:
            self.found.need(place, name, own)
