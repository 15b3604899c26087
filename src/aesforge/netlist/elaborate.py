# SPDX-License-Identifier: Apache-2.0
"""One graph of a hierarchy of modules, each of which Yosys has made into gates.

Yosys maps a module once, however often it is used; its copies are made here, where a net is a
number. Gates are shared and constants carried on while the graph is built. So are memories that are
only read made into gates here: of a block RAM that holds an S-box, only some places are ever read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import cast

from aesforge.errors import AesforgeError
from aesforge.netlist.aig import FALSE, TRUE, Aig, Builder
from aesforge.netlist.module import Bit, Cell, Module, nets_of

# A blackbox with one input: a condition under which a model of a cell says nothing.
UNMODELLED = "unmodelled"
CLOCK = "clk"

# Nets 0 and 1 are the constants. What drives another one: two nets by AND, or one of these.
_NOTHING, _INVERTER, _WIRE, _REGISTER, _INPUT = -1, -2, -3, -4, -5


class NoGraph(AesforgeError):
    """A hierarchy is no synchronous circuit with one clock, or a cell has no model."""


@dataclass(frozen=True)
class _Instance:
    name: str
    module: str
    # For each port the nets in the module around it.
    nets: dict[str, list[int]]


@dataclass
class _Module:
    """One module; nets by its own numbers."""

    inputs: dict[str, list[int]] = field(default_factory=dict)
    outputs: dict[str, list[int]] = field(default_factory=dict)
    ands: list[tuple[int, int, int]] = field(default_factory=list)
    inverters: list[tuple[int, int]] = field(default_factory=list)
    wires: list[tuple[int, int]] = field(default_factory=list)
    # What holds a register's value, its next one and its clock.
    registers: list[tuple[int, int, int]] = field(default_factory=list)
    instances: list[_Instance] = field(default_factory=list)
    # Names for nets that a register drives, here or inside.
    names: dict[int, str] = field(default_factory=dict)
    nets: int = 2

    def net(self) -> int:
        """Return a net that is new."""
        self.nets += 1
        return self.nets - 1


@dataclass(frozen=True)
class StandIn:
    """What does the same as a module."""

    graph: Aig
    """Of one byte, without registers, with the names of the module's ports."""
    stages: int
    """Pipeline stages before it."""


class StandIns:
    """What is put in place of what is found in a hierarchy; this one leaves all as it is."""

    def for_module(self, name: str, graph: Callable[[], Aig]) -> StandIn | None:
        """Return what a module is replaced by, if it is: by its name and what gives its graph."""
        return None

    def for_memory(self, contents: str) -> tuple[Aig, str] | None:
        """Return a graph, and its output, for a bit of a memory's words.

        Args:
            contents: the bit in each word, `0`, `1` or `x`. An address is a byte, bit 0 first, and
                maybe a bit more.
        """
        return None


def elaborate(modules: Mapping[str, Module], stand_ins: StandIns | None = None) -> Aig:
    """Return the graph of a hierarchy of modules.

    Its cells are AND gates, inverters, registers at the rising edge and memories only read; what
    nothing drives, each `$anyseq`, and what such a memory is not given is an input `undefined
    <number>`, a new value each cycle. Start values of registers are left out, as are registers on
    which no output depends.

    Args:
        modules: by name; one is the top.
        stand_ins: what is replaced.

    Raises:
        NoGraph: there are other cells, another clock, a loop without a register, two drivers of a
            net, or a use of a cell that its model does not cover.
    """
    (top,) = [name for name, given in modules.items() if int(given.attributes.get("top", "0"), 2)]
    return _Elaboration(modules, top, stand_ins or StandIns()).graph()


def _read_only(
    module: _Module,
    name: str,
    cell: Cell,
    nets: dict[str, list[int]],
    stand_ins: StandIns,
) -> None:
    """Put the gates of a memory in that is only read.

    Raises:
        NoGraph: it is written, or read by a clock.
    """
    numbers = {
        key: int(cell.parameters[key], 2)
        for key in ("ABITS", "OFFSET", "RD_CLK_ENABLE", "RD_PORTS", "SIZE", "WIDTH", "WR_PORTS")
    }
    if numbers["WR_PORTS"] or numbers["RD_CLK_ENABLE"]:
        raise NoGraph(f"{name}: a memory that is written, or read by a clock, has no place here")
    width, bits, first = numbers["WIDTH"], numbers["ABITS"], numbers["OFFSET"]
    contents = cell.parameters["INIT"][::-1]

    def both(a: int, b: int) -> int:
        module.ands.append((module.net(), a, b))
        return module.ands[-1][0]

    def inverse(a: int) -> int:
        module.inverters.append((module.net(), a))
        return module.inverters[-1][0]

    def known(bit: int, place: int) -> str:
        at = place - first
        return contents[width * at + bit] if 0 <= at < numbers["SIZE"] else "x"

    for port in range(numbers["RD_PORTS"]):
        # The places that can be read, and the lines of the address that say which it is.
        places, lines = [0], []
        for number, line in enumerate(nets["RD_ADDR"][bits * port :][:bits]):
            if line == 1:
                places = [place | 1 << number for place in places]
            elif line:
                places += [place | 1 << number for place in places]
                lines.append((line, inverse(line)))
        put_in: dict[int, dict[str, int]] = {}
        for bit in range(width):
            column = "".join(known(bit, place) for place in places)
            result = nets["RD_DATA"][width * port + bit]
            by = stand_ins.for_memory(column)
            if by is not None:
                graph, output = by
                if id(graph) not in put_in:
                    given = [_bit_of(name, [line for line, _ in lines]) for name in graph.inputs]
                    put_in[id(graph)] = _put_in(module, graph, given)
                module.wires.append((result, put_in[id(graph)][output]))
                continue
            values = [int(one) if one in "01" else module.net() for one in column]
            # The lowest line chooses first: of two places each time.
            for line, inverted in lines:
                chosen = {(0, 0): 0, (1, 1): 1, (0, 1): line, (1, 0): inverted}
                pairs = list(zip(values[::2], values[1::2], strict=True))
                for low, high in pairs:
                    if (low, high) not in chosen:
                        neither = inverse(both(inverted, low)), inverse(both(line, high))
                        chosen[low, high] = inverse(both(*neither))
                values = [chosen[pair] for pair in pairs]
            module.wires.append((result, values[0]))


def _bit_of(name: str, address: list[int]) -> int:
    """Return the net for an input of an S-box: a bit of `x` (the address), then `inverse`."""
    port, _, place = name.removesuffix("]").partition("[")
    if port == CLOCK:
        return 0
    return address[int(place)] if port == "x" else (address[8:] or [0])[0]


def _put_in(module: _Module, graph: Aig, inputs: list[int]) -> dict[str, int]:
    """Put the gates of a graph without registers in a module, and give the nets of its outputs."""
    # Of each variable; and of each literal that is inverted.
    at = [0, *inputs]
    inverse = {1: 1}

    def net_of(literal: int) -> int:
        if not literal & 1:
            return at[literal >> 1]
        if literal not in inverse:
            inverse[literal] = module.net()
            module.inverters.append((inverse[literal], at[literal >> 1]))
        return inverse[literal]

    for a, b in graph.gates:
        ends = net_of(a), net_of(b)
        at.append(module.net())
        module.ands.append((at[-1], *ends))
    return {name: net_of(literal) for name, literal in graph.output_at.items()}


def _stood_in(module: _Module, by: StandIn) -> _Module:
    """Return a module with the ports of another one that does the same, a byte beside the other."""
    found = _Module()
    for ports, new in ((module.inputs, found.inputs), (module.outputs, found.outputs)):
        new.update({port: [found.net() for _ in bits] for port, bits in ports.items()})
    (clock,) = found.inputs[CLOCK]
    delayed = {port: list(nets) for port, nets in found.inputs.items()}
    for port, nets in delayed.items():
        for stage in range(by.stages if port != CLOCK else 0):
            for place, before in enumerate(nets):
                nets[place] = found.net()
                found.registers.append((nets[place], before, clock))
                found.names[nets[place]] = f"{port}_{stage}[{place}]"
    for byte in range(len(found.inputs["x"]) // 8):
        address = [*delayed["x"][8 * byte :][:8], *delayed["inverse"][byte:][:1]]
        results = _put_in(found, by.graph, [_bit_of(name, address) for name in by.graph.inputs])
        for bit in range(8):
            found.wires.append((found.outputs["y"][8 * byte + bit], results[f"y[{bit}]"]))
    return found


class _Elaboration:
    """All nets of a hierarchy, and what drives them."""

    def __init__(self, given: Mapping[str, Module], top: str, stand_ins: StandIns) -> None:
        self._given = given
        self._stand_ins = stand_ins
        self._modules: dict[str, _Module] = {}
        # By net: what drives it, or the first of two nets; and the second or the only net.
        self._one = [_NOTHING, _NOTHING]
        self._other = [0, 0]
        self._names: dict[int, str] = {}
        # By the net of each register: its next value and its clock.
        self._registers: dict[int, tuple[int, int]] = {}
        self._conditions: list[tuple[str, int]] = []
        module = self._read(top, stand_ins)
        nets = self._add_nets(module.nets)
        for bits in module.inputs.values():
            for bit in bits:
                self._drive(nets[bit], _INPUT, 0, "")
        self._copy(module, nets, "")
        self._top, self._nets = module, nets

    # --- Modules

    def _module(self, name: str) -> _Module:
        found = self._modules.get(name)
        if found is None:
            by = self._stand_ins.for_module(name, partial(self._graph_of, name))
            found = self._read(name, StandIns() if by else self._stand_ins)
            found = self._modules[name] = _stood_in(found, by) if by else found
        return found

    def _graph_of(self, name: str) -> Aig:
        return _Elaboration(self._given, name, StandIns()).graph()

    def _read(self, name: str, stand_ins: StandIns) -> _Module:
        given = self._given[name]
        module = _Module()
        every = (bit for wire in given.wires.values() for bit in wire.bits)
        module.nets = 1 + max((bit for bit in every if isinstance(bit, int)), default=1)

        def numbers_of(bits: Iterable[Bit]) -> list[int]:
            found = []
            for bit in bits:
                if isinstance(bit, str):
                    # A value that is not defined is a net that nothing drives.
                    bit = int(bit) if bit in "01" else module.nets
                    module.nets = max(module.nets, bit + 1)
                found.append(bit)
            return found

        for port, about in given.ports.items():
            if about.direction == "inout":
                raise NoGraph(f"{name}: port {port} is neither an input nor an output")
            ports = module.inputs if about.direction == "input" else module.outputs
            ports[port] = numbers_of(about.bits)
        named: set[int] = set()
        for instance, cell in given.cells.items():
            nets = {port: numbers_of(bits) for port, bits in cell.connections.items()}
            kind = cell.kind
            if kind == "$_AND_":
                module.ands.append((nets["Y"][0], nets["A"][0], nets["B"][0]))
            elif kind == "$_NOT_":
                module.inverters.append((nets["Y"][0], nets["A"][0]))
            elif kind == "$_DFF_P_":
                module.registers.append((nets["Q"][0], nets["D"][0], nets["C"][0]))
                named.add(nets["Q"][0])
            elif kind == UNMODELLED or not kind.startswith("$") or kind in self._given:
                module.instances.append(_Instance(instance, kind, nets))
                named.update(nets_of(cell.outputs()))
            elif kind == "$mem_v2":
                _read_only(module, f"{name}: {instance}", cell, nets, stand_ins)
            elif kind not in ("$anyseq", "$scopeinfo"):
                raise NoGraph(
                    f"{name}: a cell of the kind {kind} ({instance}) has no place in a graph"
                )
        # Names that someone gave go before those that Yosys made up.
        for net, wire in sorted(given.wires.items(), key=lambda item: item[1].hidden):
            for place, bit in enumerate(wire.bits, wire.offset):
                if bit in named and bit not in module.names:
                    module.names[bit] = f"{net}[{place}]" if len(wire.bits) > 1 else net
        return module

    # --- Copies

    def _add_nets(self, count: int) -> list[int]:
        """Return a module's copy nets of its own; constants are the same everywhere."""
        base = len(self._one) - 2
        self._one += [_NOTHING] * (count - 2)
        self._other += [0] * (count - 2)
        return [0, 1, *range(base + 2, base + count)]

    def _drive(self, net: int, one: int, other: int, path: str) -> None:
        if self._one[net] != _NOTHING or net < 2:
            raise NoGraph(f"{path}a net has two drivers")
        self._one[net], self._other[net] = one, other

    def _copy(self, module: _Module, nets: list[int], path: str) -> None:
        """Put a copy of a module in.

        Args:
            module: the module.
            nets: for each of its nets the one that stands for it.
            path: what stands before its names.
        """
        drive = self._drive
        for net, name in module.names.items():
            self._names.setdefault(nets[net], path + name)
        for y, a, b in module.ands:
            drive(nets[y], nets[a], nets[b], path)
        for y, a in module.inverters:
            drive(nets[y], _INVERTER, nets[a], path)
        for y, a in module.wires:
            drive(nets[y], _WIRE, nets[a], path)
        for q, d, c in module.registers:
            drive(nets[q], _REGISTER, 0, path)
            self._registers[nets[q]] = nets[d], nets[c]
        for instance in module.instances:
            given = {port: [nets[net] for net in bits] for port, bits in instance.nets.items()}
            inner = f"{path}{instance.name}."
            if instance.module == UNMODELLED:
                self._conditions += [(inner, net) for net in given["condition"]]
                continue
            self._instantiate(self._module(instance.module), given, inner)

    def _instantiate(self, module: _Module, given: dict[str, list[int]], path: str) -> None:
        nets = self._add_nets(module.nets)
        # A port that nothing is connected to may be missing, or empty.
        connected = {port for port, bits in given.items() if bits}
        for port in module.inputs.keys() & connected:
            for bit, net in zip(module.inputs[port], given[port], strict=True):
                nets[bit] = net
        taken = {bit for bits in module.inputs.values() for bit in bits} | {0, 1}
        for port in sorted(module.outputs.keys() & connected):
            for bit, net in zip(module.outputs[port], given[port], strict=True):
                if bit in taken:
                    self._drive(net, _WIRE, nets[bit], path)
                else:
                    nets[bit] = net
                    taken.add(bit)
        self._copy(module, nets, path)

    # --- The graph

    def graph(self) -> Aig:
        """Return the graph of what the outputs depend on."""
        outputs = self._ports(self._top.outputs)
        reached = self._reached([*outputs.values(), *(net for _, net in self._conditions)])
        registers = [net for net in reached if self._one[net] == _REGISTER]
        self._require_one_clock(registers)
        undefined = [net for net in reached if net > 1 and self._one[net] == _NOTHING]
        leaves = {net: name for name, net in self._ports(self._top.inputs).items()}
        leaves |= {net: f"undefined {number}" for number, net in enumerate(undefined)}
        inputs = len(leaves)
        leaves |= {net: self._names[net] for net in registers}
        names = list(leaves.values())
        if len(set(names)) != len(names):
            raise NoGraph("two inputs or registers have one name")
        builder = Builder(names)
        literals: list[int | None] = [None] * len(self._one)
        literals[:2] = FALSE, TRUE
        for net, name in leaves.items():
            literals[net] = builder.input_named(name)
        following = [self._registers[net][0] for net in registers]
        conditions = [net for _, net in self._conditions]
        self._build(builder, literals, [*outputs.values(), *following, *conditions])
        at = cast("list[int]", literals)
        for path, net in self._conditions:
            if at[net] != FALSE:
                raise NoGraph(f"{path[:-1]}: the model of its cell does not cover how it is used")
        found = builder.finish((str(net), at[net]) for net in [*outputs.values(), *following])
        return Aig(
            inputs=found.inputs[:inputs],
            registers=found.inputs[inputs:],
            next_state=found.output[len(outputs) :],
            outputs=list(outputs),
            output=found.output[: len(outputs)],
            gates=found.gates,
        )

    def _ports(self, ports: dict[str, list[int]]) -> dict[str, int]:
        """Return the net of each bit of some ports of the top module, by its name."""
        return {
            f"{port}[{place}]" if len(bits) > 1 else port: self._nets[bit]
            for port, bits in ports.items()
            for place, bit in enumerate(bits)
        }

    def _reached(self, roots: list[int]) -> list[int]:
        """Return the nets on which some depend, over any number of cycles."""
        seen = bytearray(len(self._one))
        stack = list(roots)
        while stack:
            net = stack.pop()
            if seen[net]:
                continue
            seen[net] = 1
            kind = self._one[net]
            if kind == _REGISTER:
                stack.append(self._registers[net][0])
            elif kind >= 0:
                stack += (kind, self._other[net])
            elif kind in (_INVERTER, _WIRE):
                stack.append(self._other[net])
        return [net for net, found in enumerate(seen) if found]

    def _require_one_clock(self, registers: list[int]) -> None:
        clock = self._ports(self._top.inputs).get(CLOCK)
        for net in registers:
            source = self._registers[net][1]
            while self._one[source] == _WIRE:
                source = self._other[source]
            if source != clock:
                raise NoGraph(f"{self._names[net]} has another clock than {CLOCK}")

    def _build(self, builder: Builder, literals: list[int | None], roots: list[int]) -> None:
        """Work out the literals of some nets and of all that they depend on.

        Raises:
            NoGraph: one depends on itself.
        """
        ones, others = self._one, self._other
        begun = bytearray(len(ones))
        stack = list(roots)
        while stack:
            net = stack[-1]
            if literals[net] is not None:
                stack.pop()
                continue
            one, other = ones[net], others[net]
            b = literals[other]
            a = literals[one] if one >= 0 else b
            if a is not None and b is not None:
                if one >= 0:
                    literals[net] = builder.conjunction(a, b)
                else:
                    literals[net] = b ^ 1 if one == _INVERTER else b
                stack.pop()
                continue
            if begun[net]:
                raise NoGraph("a net depends on itself without a register between")
            begun[net] = 1
            if a is None and one >= 0:
                stack.append(one)
            if b is None:
                stack.append(other)
