# SPDX-License-Identifier: Apache-2.0
"""Move registers after block RAM into it: the step that Yosys's mapping to ECP5 lacks.

ECP5's block RAM, DP16KD, has a second register after the one that reading needs, with a clock
enable of its own. From it, data come out 0.72 ns after the clock, without it 4.26 ns (Project
Trellis's timing database, speed grade 8). Yosys leaves this register unused (its issue 5814).

This is a command of Yosys, which `aesforge.toolchain.programs` adds to it. :func:`merges` decides;
the rest reads and changes Yosys's netlist.
"""

from __future__ import annotations

import collections
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

COMMAND = "dp16kd_output_registers"
# Stands after the command in a recipe, and so in the key under which a netlist is kept: to be
# raised with every change of what this module does.
VERSION = "1"

_RAM = "\\DP16KD"
_WIDEST = 36
_BITS = 18
# Flip-flops without reset, and the value of the enable at which they take data.
_FLIP_FLOPS = {"$_DFF_P_": None, "$_DFFE_PP_": True, "$_DFFE_PN_": False}
_ZERO, _ONE = "0", "1"


@dataclass(frozen=True)
class Cell:
    """A cell, with the nets at its pins; a constant net is `0`, `1`, `x` or `z`."""

    kind: str
    pins: dict[str, list[Hashable]]
    parameters: dict[str, str]
    kept: bool


@dataclass
class Module:
    """What decides on a merge.

    Args:
        cells: by name.
        seen: nets of ports, and of wires that are to be kept.
        started: nets with an initial value.
    """

    cells: dict[str, Cell] = field(default_factory=dict)
    seen: set[Hashable] = field(default_factory=set)
    started: set[Hashable] = field(default_factory=set)


@dataclass(frozen=True)
class Merge:
    """Registers that become the output register of a block RAM.

    Args:
        ram: name of the block RAM.
        sides: `A`, `B`, or both: whose output register this is.
        clocked_by: the side whose clock and enable it has.
        flip_flops: by the data pin in front of each.
        enable: the value of their enable at which they take data; None without enable.
    """

    ram: str
    sides: str
    clocked_by: str
    flip_flops: dict[str, str]
    enable: bool | None


def merges(module: Module) -> list[Merge]:
    """Find the registers that block RAM can take over, in a module of generic flip-flops.

    Every bit that is read must go to a flip-flop and nowhere else, and these must all have the
    clock of the block RAM and one enable, no reset and no initial value.

    The semantics are those of Lattice's simulation model of the same block RAM in ECP3 (DP16KC.v
    of its library): the output register follows OCE alone, not CE; and when a word of 36 bits is
    read, its lower half comes out at port A, through a register with the clock and the enable of
    port B, which REGMODE_A selects.
    """
    places: dict[Hashable, list[tuple[str, str]]] = collections.defaultdict(list)
    for name, cell in module.cells.items():
        for pin, nets in cell.pins.items():
            for net in nets:
                places[net].append((name, pin))

    found = []
    for name, cell in module.cells.items():
        if cell.kind != _RAM or cell.kept:
            continue
        # Where port A writes words of 36 bits, all reading is by port B.
        whole = cell.parameters["DATA_WIDTH_A"] == str(_WIDEST)
        for sides, clocked_by in [("AB", "B")] if whole else [("A", "A"), ("B", "B")]:
            if not _is_free(cell, sides, clocked_by):
                continue
            after = _behind(module, name, sides, places)
            if after and _is_one_register(module, after, cell.pins[f"CLK{clocked_by}"]):
                kind = module.cells[next(iter(after.values()))].kind
                found.append(Merge(name, sides, clocked_by, after, _FLIP_FLOPS[kind]))
    return found


def _is_free(ram: Cell, sides: str, clocked_by: str) -> bool:
    """Say whether the output register of a block RAM can be put to use."""
    return (
        all(ram.parameters[f"REGMODE_{side}"] == "NOREG" for side in sides)
        and ram.parameters[f"CLK{clocked_by}MUX"] == f"CLK{clocked_by}"
        # A reset empties the output register as well.
        and ram.pins[f"RST{clocked_by}"] == [_ZERO]
        and ram.pins[f"OCE{clocked_by}"] == [_ONE]
    )


def _behind(
    module: Module, ram: str, sides: str, places: dict[Hashable, list[tuple[str, str]]]
) -> dict[str, str] | None:
    """Return the flip-flop after each data pin that is read; None if anything else is there."""
    after = {}
    for pin in (f"DO{side}{bit}" for side in sides for bit in range(_BITS)):
        for net in module.cells[ram].pins.get(pin, ()):
            users = [place for place in places[net] if place != (ram, pin)]
            if net in module.seen or len(users) > 1:
                return None
            for user, at in users:
                if at != "D" or module.cells[user].kind not in _FLIP_FLOPS:
                    return None
                after[pin] = user
    return after


def _is_one_register(module: Module, after: dict[str, str], clock: list[Hashable]) -> bool:
    """Say whether some flip-flops can be one register, with this clock."""
    flip_flops = [module.cells[name] for name in after.values()]
    first = flip_flops[0]
    return all(
        one.kind == first.kind
        and one.pins["C"] == clock
        and one.pins.get("E") == first.pins.get("E")
        and not one.kept
        and module.started.isdisjoint(one.pins["Q"])
        for one in flip_flops
    )


def added_to_yosys() -> object:
    """Add the command to the Yosys of this process; it is there as long as what this gives is."""
    from pyosys import libyosys as ys

    class OutputRegisters(ys.Pass):  # type: ignore[misc]  # the wheel carries no type information
        """The command."""

        def execute(self, arguments: Any, design: Any) -> None:
            if list(arguments[1:]) != [VERSION]:
                raise ValueError(f"{COMMAND}: this is version {VERSION}")
            for module in design.modules_.values():
                if any(cell.type.str() == _RAM for cell in module.cells_.values()):
                    for merge in merges(_read(module)):
                        _carry_out(module, merge)
                        ys.log(f"{merge.ram}: {len(merge.flip_flops)} registers merged\n")

    return OutputRegisters(COMMAND, "move registers after block RAM into it (aesforge)")


# Yosys could write all this as JSON, but puts its cells into another order with it: netlists in
# which there is nothing to merge would change.
def _read(module: Any) -> Module:
    """Describe a module of Yosys."""
    from pyosys import libyosys as ys

    other_name: dict[Hashable, Hashable] = {}

    def net(bit: Any) -> Hashable:
        if not bit.is_wire():
            return str(bit.data.name).removeprefix("S")
        found: Hashable = (bit.wire.name.str(), bit.offset)
        while found in other_name:
            found = other_name[found]
        return found

    def nets(signal: Any) -> list[Hashable]:
        return [net(bit) for bit in signal.to_sigbit_vector()]

    for left, right in module.connections():
        for one, other in zip(nets(left), nets(right), strict=True):
            if one != other:
                other_name[one] = other
    result = Module()
    for cell in module.cells_.values():
        kind = cell.type.str()
        pins = {pin.str()[1:]: nets(signal) for pin, signal in cell.connections_.items()}
        parameters = {}
        if kind == _RAM:
            for key, value in cell.parameters.items():
                name = key.str()[1:]
                if name.startswith(("REGMODE", "CLK")):
                    parameters[name] = value.decode_string()
                elif name.startswith("DATA_WIDTH"):
                    parameters[name] = str(value.as_int())
        result.cells[cell.name.str()] = Cell(kind, pins, parameters, cell.has_keep_attr())
    for wire in module.wires_.values():
        bits = nets(ys.SigSpec(wire))
        if wire.port_id or wire.get_bool_attribute(ys.IdString("\\keep")):
            result.seen.update(bits)
        if wire.has_attribute(ys.IdString("\\init")):
            values = wire.attributes[ys.IdString("\\init")].as_string()
            # Its digits begin with the highest bit.
            pairs = zip(bits, reversed(values), strict=True)
            result.started.update(bit for bit, value in pairs if value in "01")
    return result


def _carry_out(module: Any, merge: Merge) -> None:
    """Let a block RAM take over registers."""
    from pyosys import libyosys as ys

    def cell(name: str) -> Any:
        return module.cell(ys.IdString(name))

    ram = cell(merge.ram)
    if merge.enable is not None:
        taking = cell(next(iter(merge.flip_flops.values()))).getPort(ys.IdString("\\E"))
        if not merge.enable:
            name = f"{merge.ram}_OCE{merge.clocked_by}"
            inverted = ys.SigSpec(module.addWire(ys.IdString(name), 1))
            module.addNotGate(ys.IdString(f"{name}_INV"), taking.as_bit(), inverted.as_bit())
            taking = inverted
        ram.setPort(ys.IdString(f"\\OCE{merge.clocked_by}"), taking)
    for pin, name in merge.flip_flops.items():
        ram.setPort(ys.IdString(f"\\{pin}"), cell(name).getPort(ys.IdString("\\Q")))
        module.remove(cell(name))
    for side in merge.sides:
        ram.setParam(ys.IdString(f"\\REGMODE_{side}"), ys.Const("OUTREG"))
