# SPDX-License-Identifier: Apache-2.0
"""What a netlist of mapped cells holds: look-up tables, and the cells that store.

Each cell without storage becomes a truth table for each of its outputs. Each flip-flop and each
memory is an element: its settings, and a function for each of its inputs. A family's module says
which cells these are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from aesforge.errors import AesforgeError, UsageError
from aesforge.netlist.aig import FALSE, TRUE, Builder
from aesforge.netlist.module import Bit, Cell, Module, Net, Port, Wire, nets_of, read_modules

MAJORITY = 0b11101000
MULTIPLEXER = 0b11001010  # of low, high and chooser


class Contradiction(AesforgeError):
    """A netlist is none: a net with two drivers, or one that depends on itself (exit 2)."""


@dataclass(frozen=True)
class Function:
    """A truth table of some bits.

    Args:
        inputs: the bits.
        table: bit n is the value where input k has the value of bit k of n.
    """

    inputs: tuple[Bit, ...]
    table: int


def wire(bit: Bit) -> Function:
    """Return the function that is a bit."""
    return Function((bit,), 0b10)


OPEN = wire("x")
"""What a netlist leaves open: a proof of the netlist holds for any value, a new one each cycle."""


def inverse(bit: Bit) -> Function:
    """Return the function that is not a bit."""
    return Function((bit,), 0b01)


def constant(value: int) -> Function:
    """Return the function that is 0 or 1."""
    return Function((), value)


def conjunction(a: Bit, b: Bit) -> Function:
    """Return the function that is a AND b."""
    return Function((a, b), 0b1000)


def depends_on(function: Function, place: int) -> bool:
    """Return whether a function depends on one of its inputs, constants at the others known."""
    fixed = {
        at: int(bit) for at, bit in enumerate(function.inputs) if bit in ("0", "1") and at != place
    }
    return any(
        function.table >> case & 1 != function.table >> (case ^ 1 << place) & 1
        for case in range(1 << len(function.inputs))
        if all(case >> at & 1 == value for at, value in fixed.items())
    )


@dataclass(frozen=True)
class WritePort:
    """How a RAM in a look-up table is written.

    Args:
        clock: the function at its clock.
        edge: `rising` or `falling`.
        enable: the function at its write enable.
        address: the bits of the address.
    """

    clock: Function
    edge: str
    enable: Function
    address: Sequence[Bit]


@dataclass(frozen=True)
class Element:
    """A cell that stores.

    Args:
        name: of the cell, or a name of its own.
        kind: in words, for a message.
        settings: what must be the same; in a text of digits `x` is a digit left open.
        inputs: the function at each input.
        outputs: the net at each output, or of each bit that is stored.
        named_by: the nets by whose names it is known.
        cell: the cell that it is part of; None when it is a cell of its own.
    """

    name: str
    kind: str
    settings: Mapping[str, str]
    inputs: Mapping[str, Function]
    outputs: Mapping[str, Net]
    named_by: Sequence[Net]
    cell: str | None = None


def flip_flop(
    name: str, output: Sequence[Net], settings: Mapping[str, str], inputs: Mapping[str, Function]
) -> Element:
    """Return the element that a flip-flop is, given the net at its output, if there is one."""
    return Element(
        name, "flip-flop", settings, inputs, dict(zip("Q", output, strict=False)), output
    )


@dataclass
class Contents:
    """What a module holds.

    Args:
        names: the net of each name of a single wire.
        functions: what drives each net that no element and no pin drives.
        elements: by the name of the cell.
        inputs: the net of each input pin.
        outputs: the bit at each output pin.
        cells: how many cells there are.
    """

    names: dict[str, Net] = field(default_factory=dict)
    functions: dict[Net, Function] = field(default_factory=dict)
    elements: dict[str, Element] = field(default_factory=dict)
    inputs: dict[str, Net] = field(default_factory=dict)
    outputs: dict[str, Bit] = field(default_factory=dict)
    cells: int = 0
    initial: dict[Net, str] = field(default_factory=dict)
    """The value after configuration of each net that has one by its attribute `init`."""
    faults: list[str] = field(default_factory=list)
    """A line for each cell that does not do on the device what it stands for."""
    _driven: set[Net] = field(default_factory=set)
    _unnamed: Net = 0

    @classmethod
    def of(cls, module: Module) -> Contents:
        """Return the pins and names of a module, as yet without its cells."""
        found = cls()
        for name, one in module.wires.items():
            init = one.attributes.get("init", "")[::-1]
            for bit, text in zip(one.bits, bit_names(name, one), strict=True):
                if isinstance(bit, int):
                    found.names[text] = bit
            for bit, value in zip(one.bits, init, strict=False):
                if isinstance(bit, int) and value in "01":
                    found.initial[bit] = value
        for name, port in module.ports.items():
            for bit, text in zip(port.bits, bit_names(name, port), strict=True):
                if port.direction != "input":
                    found.outputs[text] = bit
                elif isinstance(bit, int):
                    found._require_free(bit)
                    found.inputs[text] = bit
        return found

    def net(self) -> Net:
        """Return a net of no wire."""
        self._unnamed -= 1
        return self._unnamed

    def drive(self, bits: Sequence[Bit], function: Function) -> None:
        """Let a function drive the net at an output, if there is one."""
        for bit in bits:
            if isinstance(bit, int):
                self._require_free(bit)
                self.functions[bit] = function

    def store(self, element: Element) -> None:
        """Add a cell that stores."""
        for net in element.outputs.values():
            self._require_free(net)
        self.elements[element.name] = element

    def store_bits(
        self,
        name: str,
        owner: str,
        content: str,
        write: WritePort,
        data: Function,
        read_address: Sequence[Bit],
        output: Sequence[Bit],
    ) -> None:
        """Add a RAM of 16 bits in a look-up table: written at an edge, read without a clock.

        Args:
            name: of the element.
            owner: the cell that it is part of.
            content: its 16 bits after configuration, the highest first.
            write: its write port.
            data: what is written.
            read_address: the bits of the read address.
            output: the net at its output, if there is one.
        """
        words: dict[str, Net] = {f"word {word}": self.net() for word in range(16)}
        inputs: Mapping[str, Function] = {
            "clock": write.clock,
            "write enable": write.enable,
            "data": data,
            **{f"write address {place}": wire(bit) for place, bit in enumerate(write.address)},
        }
        settings = {"content": content, "clock edge": write.edge}
        named_by = nets_of(output)
        kind = "RAM in a look-up table"
        self.store(Element(name, kind, settings, inputs, words, named_by, owner))
        chosen = list(words.values())
        for bit in read_address:
            following = []
            for low, high in zip(chosen[::2], chosen[1::2], strict=True):
                following.append(self.net())
                self.drive([following[-1]], Function((low, high, bit), MULTIPLEXER))
            chosen = following
        self.drive(output, wire(chosen[0]))

    def name_of(self, net: Net) -> str:
        """Return a name of a net for a message."""
        return next((name for name, one in self.names.items() if one == net), str(net))

    def _require_free(self, net: Net) -> None:
        if net in self._driven:
            raise Contradiction(f"the net {self.name_of(net)} has two drivers")
        self._driven.add(net)


def bit_names(name: str, of: Wire | Port) -> list[str]:
    """Return the name of each bit of a wire or a port, as nextpnr makes one of it."""
    width = len(of.bits)
    if width == 1 and of.offset == 0 and not of.upto:
        return [name]
    names = [f"{name}[{index}]" for index in range(of.offset, of.offset + width)]
    return names[::-1] if of.upto else names


def read_top(path: Path) -> Module:
    """Return the top of a netlist as Yosys wrote it.

    Args:
        path: of the file.

    Raises:
        UsageError: there is no such file, or not one top module with cells in it.
        AesforgeError: it is no netlist in JSON.
    """
    tops = [
        module
        for module in _modules(path)
        if _is_set(module.attributes.get("top", "0")) and module.cells
    ]
    if len(tops) != 1:
        raise UsageError(
            f"'{path}' is no netlist of one design: {len(tops)} of its modules are a top with "
            "cells in it, one must be; write it with `write_json` of Yosys"
        )
    return tops[0]


def read_placed(path: Path) -> Module:
    """Return the one module of a routed netlist, as nextpnr wrote it.

    Args:
        path: of the file.

    Raises:
        UsageError: there is no such file, or not one module with placed cells.
        AesforgeError: it is no netlist in JSON.
    """
    placed = [
        module
        for module in _modules(path)
        if any("NEXTPNR_BEL" in cell.attributes for cell in module.cells.values())
    ]
    if len(placed) != 1:
        raise UsageError(
            f"'{path}' is no routed netlist: {len(placed)} of its modules have placed cells, one "
            "must; write it with `--write` of nextpnr"
        )
    return placed[0]


def _modules(path: Path) -> list[Module]:
    try:
        return list(read_modules(path).values())
    except OSError as error:
        raise UsageError(f"cannot read '{path}': {error.strerror or error}") from None


def _is_set(text: str) -> bool:
    return set(text.strip()) <= {"0", "1"} and int(text.strip() or "0", 2) != 0


def number(cell: Cell, name: str) -> int:
    """Return a parameter that is a number; one that is left out, or bits left open, are 0."""
    text = cell.parameters.get(name, "0").strip().replace("x", "0").replace("z", "0")
    if not text or not set(text) <= {"0", "1"}:
        raise Contradiction(f"the parameter {name} of a {cell.kind} is {text!r}, no number")
    return int(text, 2)


def only(cell: Cell, port: str, default: Bit) -> Bit:
    """Return the one bit at a port, `x` for one left open, or a default if nothing is connected."""
    bits = cell.connections.get(port, [])
    if len(bits) > 1:
        raise Contradiction(f"port {port} of a {cell.kind} has {len(bits)} bits, not one")
    if not bits:
        return default
    return "x" if bits[0] == "z" else bits[0]


class Logic:
    """The functions of a netlist as literals of a graph that two netlists share.

    Args:
        contents: the netlist.
        builder: of the graph.
        leaves: the literal of each net that a pin or an element drives.
        whole: whether each net that is read must have a driver; else one without is 0.
    """

    def __init__(
        self,
        contents: Contents,
        builder: Builder,
        leaves: Mapping[Net, int],
        *,
        whole: bool = False,
    ) -> None:
        self._contents = contents
        self._builder = builder
        self._literals: dict[Net, int] = dict(leaves)
        self._whole = whole

    def bit(self, bit: Bit) -> int:
        """Return the literal of a bit; of a value left open, 0.

        Raises:
            Contradiction: it depends on itself, or on a net without a driver where each must have
                one.
        """
        if not isinstance(bit, int):
            return TRUE if bit == "1" else FALSE
        found = self._literals.get(bit)
        return self._follow(bit) if found is None else found

    def function(self, function: Function) -> int:
        """Return the literal of a function."""
        return table_literal(
            self._builder, [self.bit(bit) for bit in function.inputs], function.table
        )

    def _follow(self, net: Net) -> int:
        literals, functions = self._literals, self._contents.functions
        begun: set[Net] = set()
        stack = [net]
        while stack:
            at = stack[-1]
            if at in literals:
                stack.pop()
                continue
            function = functions.get(at)
            if function is None:
                if self._whole:
                    raise Contradiction(f"nothing drives the net {self._contents.name_of(at)}")
                literals[at] = FALSE
                continue
            missing = [
                bit for bit in function.inputs if isinstance(bit, int) and bit not in literals
            ]
            if not missing:
                literals[at] = self.function(function)
                continue
            if at in begun:
                raise Contradiction(
                    f"the net {self._contents.name_of(at)} depends on itself without a register "
                    "between"
                )
            begun.add(at)
            stack += missing
        return literals[net]


def table_literal(builder: Builder, inputs: Sequence[int], table: int) -> int:
    """Return the literal of a truth table of literals.

    It is the same for the same function of the same literals, in whatever order they come.
    """
    # Each variable once, not inverted, in a fixed order.
    variables = sorted({literal & ~1 for literal in inputs} - {FALSE})
    rows = []
    for case in range(1 << len(variables)):
        values = {variable: case >> place & 1 for place, variable in enumerate(variables)}
        values[FALSE] = 0
        index = sum(
            (values[literal & ~1] ^ (literal & 1)) << place for place, literal in enumerate(inputs)
        )
        rows.append(table >> index & 1)
    parts = rows
    for variable in variables:
        parts = [
            _choice(builder, variable, high, low)
            for low, high in zip(parts[::2], parts[1::2], strict=True)
        ]
    return parts[0]


def _choice(builder: Builder, chooser: int, high: int, low: int) -> int:
    if high == low:
        return high
    if high == low ^ 1 and low in (FALSE, TRUE):
        return chooser ^ low
    first = builder.conjunction(chooser, high)
    second = builder.conjunction(chooser ^ 1, low)
    return builder.conjunction(first ^ 1, second ^ 1) ^ 1
