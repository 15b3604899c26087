# SPDX-License-Identifier: Apache-2.0
"""Find the core that was proved in the netlist that nextpnr was given.

Synthesis writes the mapped core, which `prove` reads, then joins it with the harness in one flat
netlist. Each cell of the core must be in that netlist: of the same kind, with the same parameters,
at the same ports connected to the cells that correspond. From the core's outputs all of it is
walked through; names of cells do not count. What is left of the netlist must be the harness: its
flip-flops have the next values that `aesforge.measure.harness` says, each input of the core is a
register of it, and each output is read by one.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aesforge.errors import UsageError
from aesforge.measure.harness import CORE, INSTANCE, shifted_in, shifted_out
from aesforge.measure.synthesis import MAPPED, PORTS, Synthesis, read_mapped
from aesforge.measure.target import Target
from aesforge.netlist.aig import FALSE, TRUE, Builder
from aesforge.netlist.module import REMARK, Bit, Cell, Module, Net, Port, read_module, read_modules
from aesforge.prove.circuit import models_of
from aesforge.prove.implementation.checks import Checks
from aesforge.prove.implementation.contents import Contents, Contradiction, Logic, table_literal
from aesforge.toolchain import programs

_GATES = "core.json"
# Of a wrong netlist, every cell before the first wrong one may differ too.
_MOST = 1000


@dataclass
class Found:
    """A core in a netlist.

    Args:
        cells: how many cells of the core have their counterpart.
        unread: how many cells of the core have none, because no output depends on them: `prove`
            leaves them out too.
        harness: how many flip-flops of the harness were compared.
        checks: the functions of the harness that were compared, and the differences.
    """

    cells: int
    unread: int
    harness: int
    checks: Checks


@dataclass
class Flat:
    """Cells without hierarchy.

    Args:
        cells: by name; the bits at their ports are those of the whole.
        drivers: for each net the cell, the port and the place in it that drive it.
    """

    cells: dict[str, Cell] = field(default_factory=dict)
    drivers: dict[Net, tuple[str, str, int]] = field(default_factory=dict)

    def read(self, names: Iterable[str]) -> set[Bit]:
        """Return the bits that some cells read."""
        cells = [self.cells[name] for name in names]
        return {
            bit
            for cell in cells
            for port, bits in cell.connections.items()
            if cell.directions[port] == "input"
            for bit in bits
        }

    def add(self, name: str, cell: Cell) -> None:
        """Add a cell.

        Raises:
            Contradiction: there is one of this name, or one that drives the same net.
        """
        if name in self.cells:
            raise Contradiction(f"two cells have the name {name}")
        self.cells[name] = cell
        for port, bits in cell.connections.items():
            if cell.directions[port] == "input":
                continue
            for place, bit in enumerate(bits):
                if isinstance(bit, int):
                    if bit in self.drivers:
                        raise Contradiction(f"{self.drivers[bit][0]} and {name} drive one net")
                    self.drivers[bit] = name, port, place


def mapped_core(synthesis: Synthesis) -> dict[str, Module]:
    """Return the mapped core that `prove` reads, with the modules that were mapped alone.

    Raises:
        ToolFailed: the core cannot be synthesized.
    """
    synthesis.run()
    script = [
        *read_mapped(Path(MAPPED)),
        "setattr -mod -set mapped 1 *",
        # So that Yosys knows which ports of the family's cells are outputs.
        f"read_verilog -lib -sv {' '.join(synthesis.family.read_back)}",
        *(f"read_verilog -lib -sv -overwrite {model}" for model in models_of(synthesis)),
        "select A:mapped",
        f"write_json -selected {_GATES}",
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / MAPPED).write_bytes((synthesis.folder / MAPPED).read_bytes())
        (folder / "core.ys").write_text("\n".join(script) + "\n", encoding="utf-8")
        programs.run("yosys", ["core.ys"], folder, folder / "core.log")
        return read_modules(folder / _GATES)


def flat_core(modules: Mapping[str, Module]) -> tuple[Flat, dict[str, list[Bit]]]:
    """Return the cells of a mapped core without hierarchy, and the bits of its ports."""
    found = Flat()
    same: dict[Net, Bit] = {}
    nets = 2
    cells: list[tuple[str, Cell]] = []

    def end(bit: Bit) -> Bit:
        while isinstance(bit, int) and bit in same:
            bit = same[bit]
        return bit

    def copy(module: Module, path: str, given: Mapping[str, list[Bit]]) -> dict[str, list[Bit]]:
        """Add a copy of a module, given the bits at its ports; return those of all its ports."""
        nonlocal nets
        at: dict[Net, Bit] = {}

        def bit_of(bit: Bit) -> Bit:
            nonlocal nets
            if not isinstance(bit, int):
                return bit
            if bit not in at:
                at[bit] = nets
                nets += 1
            return at[bit]

        for name, port in module.ports.items():
            if port.direction == "input" and given.get(name):
                for inner, outer in zip(port.bits, given[name], strict=True):
                    if isinstance(inner, int):
                        at[inner] = outer
        for name, cell in module.cells.items():
            if cell.kind == REMARK:
                continue
            connections = {
                port: [bit_of(bit) for bit in bits] for port, bits in cell.connections.items()
            }
            inner_module = modules.get(cell.kind)
            if inner_module is not None:
                copy(inner_module, f"{path}{name}.", connections)
            else:
                made = Cell(cell.kind, connections, cell.directions, cell.parameters)
                cells.append((path + name, made))
        ports = {name: [bit_of(bit) for bit in port.bits] for name, port in module.ports.items()}
        for name, port in module.ports.items():
            if port.direction == "output" and given.get(name):
                for inner, outer in zip(ports[name], given[name], strict=True):
                    if isinstance(outer, int) and end(outer) != end(inner):
                        if outer in same:
                            raise Contradiction(f"{path}{name} and another module drive one net")
                        same[outer] = inner
        return ports

    ports = copy(modules[CORE], "", {})
    for name, cell in cells:
        connections = {port: [end(bit) for bit in bits] for port, bits in cell.connections.items()}
        found.add(name, Cell(cell.kind, connections, cell.directions, cell.parameters))
    return found, {name: [end(bit) for bit in bits] for name, bits in ports.items()}


def find_core(
    module: Module, given: Contents, synthesis: Synthesis, modules: Mapping[str, Module]
) -> Found:
    """Find a core in the netlist of its harness.

    Args:
        module: the netlist's top.
        given: what it holds.
        synthesis: of the core.
        modules: the mapped core, of :func:`mapped_core`.

    Raises:
        UsageError: the netlist has no such core.
        Contradiction: the netlist is none.
    """
    ports = read_module(synthesis.folder / PORTS, CORE).ports
    core, inner = flat_core(modules)
    outer = {name: _port_bits(module, name, port) for name, port in ports.items()}
    whole = Flat()
    for name, cell in module.cells.items():
        if cell.kind != REMARK:
            whole.add(name, cell)
    checks = Checks(Builder([]))
    image, differences = walk(core, whole, modules[CORE].ports, inner, outer)
    checks.differences += differences
    count = 0
    if not differences:
        # Yosys leaves out what only leads to an input that no output depends on.
        read = core.read(image) | {
            bit for name, port in ports.items() if port.direction == "output" for bit in inner[name]
        }
        used = {name: [bit in read for bit in bits] for name, bits in inner.items()}
        count = _harness(given, synthesis.target, ports, outer, used, set(image.values()), checks)
    return Found(len(image), len(core.cells) - len(image), count, checks)


def _port_bits(module: Module, name: str, port: Port) -> list[Bit]:
    """Return the bits at a port of the core; Yosys may have dropped one that the core ignores."""
    found = module.wires.get(f"{INSTANCE}.{name}")
    if found is None and port.direction == "input":
        return ["x"] * port.width
    if found is None or len(found.bits) != port.width:
        raise UsageError(
            f"the netlist has no core {INSTANCE} with a port {name} of {port.width} "
            f"bit{'s' if port.width > 1 else ''}: it is not the netlist of this design in the "
            "harness of `measure`"
        )
    return found.bits


def walk(
    core: Flat,
    whole: Flat,
    ports: Mapping[str, Port],
    inner: Mapping[str, list[Bit]],
    outer: Mapping[str, list[Bit]],
) -> tuple[dict[str, str], list[str]]:
    """Walk through a core and a netlist from the core's outputs backwards, at the same time.

    Args:
        core: the core's cells.
        whole: the netlist's.
        ports: of the core.
        inner: the bits of its ports in the core.
        outer: their bits in the netlist.

    Returns:
        For each cell of the core its counterpart in the netlist; and the differences.
    """
    at: dict[Net, Bit] = {}
    image: dict[str, str] = {}
    taken: dict[str, str] = {}
    differences: list[str] = []
    stack: list[tuple[Bit, Bit, str]] = []
    for name, port in ports.items():
        pairs = zip(inner[name], outer[name], strict=True)
        if port.direction == "input":
            for place, (one, other) in enumerate(pairs):
                # Two bits of a port may be one net of the core only where they are outputs.
                if isinstance(one, int) and at.setdefault(one, other) != other:
                    differences.append(f"input {name}[{place}] of the core is another one's")
        else:
            stack += [
                (one, other, f"output {name}[{place}]") for place, (one, other) in enumerate(pairs)
            ]
    while stack and len(differences) < _MOST:
        one, other, where = stack.pop()
        if not isinstance(one, int):
            # A value left open may be anything.
            if one in ("0", "1") and other != one:
                differences.append(f"{where} of the core is {one}, in the netlist it is not")
            continue
        if one in at:
            if at[one] != other:
                differences.append(f"{where} of the core is on another net in the netlist")
            continue
        if one not in core.drivers:
            continue  # nothing drives it: it may be anything
        at[one] = other
        name, port_name, place = core.drivers[one]
        driver = whole.drivers.get(other) if isinstance(other, int) else None
        if driver is None or driver[1:] != (port_name, place):
            differences.append(f"{where} of the core has another driver in the netlist")
            continue
        if name in image or driver[0] in taken:
            if image.get(name) != driver[0]:
                differences.append(f"{where} of the core has another driver in the netlist")
            continue
        image[name], taken[driver[0]] = driver[0], name
        differences += _unequal(name, core.cells[name], whole.cells[driver[0]])
        stack += _inputs(name, core.cells[name], whole.cells[driver[0]])
    return image, differences


def _unequal(name: str, one: Cell, other: Cell) -> Iterator[str]:
    if one.kind != other.kind:
        yield f"cell {name} of the core is a {one.kind}, in the netlist a {other.kind}"
        return
    for parameter in sorted(one.parameters.keys() | other.parameters.keys()):
        if one.parameters.get(parameter) != other.parameters.get(parameter):
            yield f"cell {name} of the core has another {parameter} in the netlist"
    widths = [{port: len(bits) for port, bits in cell.connections.items()} for cell in (one, other)]
    if widths[0] != widths[1]:
        yield f"cell {name} of the core has other ports in the netlist"


def _inputs(name: str, one: Cell, other: Cell) -> Iterator[tuple[Bit, Bit, str]]:
    for port, bits in one.connections.items():
        if one.directions[port] == "input":
            for bit, there in zip(bits, other.connections.get(port, []), strict=False):
                yield bit, there, f"port {port} of the cell {name}"


def _harness(
    given: Contents,
    target: Target,
    ports: Mapping[str, Port],
    outer: Mapping[str, list[Bit]],
    used: Mapping[str, list[bool]],
    taken: set[str],
    checks: Checks,
) -> int:
    """Compare what is not the core with the harness; return how many flip-flops there are."""
    free = checks.builder.input_named
    leaves = {
        net: free(f"{element.name}.{port}")
        for element in given.elements.values()
        for port, net in element.outputs.items()
    }
    leaves |= {net: free(f"pin {name}") for name, net in given.inputs.items()}
    logic = Logic(given, checks.builder, leaves)
    inputs, outputs = shifted_in(target, ports), shifted_out(ports)
    width_in, width_out = sum(inputs.values()), sum(outputs.values())
    out = [logic.bit(bit) for name in outputs for bit in outer[name]]
    drivers = {net: name for name, one in given.elements.items() for net in one.named_by}

    def register(name: str, width: int) -> list[int]:
        """Return the literals of a register of the harness.

        Of a flip-flop that is not there, it is one to which no other is equal.
        """
        bits = [f"{name}[{place}]" if width > 1 else name for place in range(width)]
        return [
            logic.bit(given.names[bit])
            if given.names.get(bit) in drivers
            else free(f"missing flip-flop {bit}")
            for bit in bits
        ]

    shift, held = register("shift_q", width_in), register("in_q", width_in)
    result, fold = register("out_q", width_out), register("fold_q", width_out)
    pins = {"inputs": ["clk", "din"], "outputs": ["dout"]}
    if sorted(given.inputs) != pins["inputs"] or sorted(given.outputs) != pins["outputs"]:
        checks.differences.append("the netlist has other pins than the harness: clk, din, dout")
        return 0
    clock, din = (logic.bit(given.inputs[name]) for name in pins["inputs"])

    # shift_q <= {shift_q, din} ^ {shift_q, din, 1'b0}; fold_q <= (fold_q << 1) ^ out_q;
    before = [FALSE, din, *shift]
    following = {
        "shift_q": [_sum(checks.builder, *before[place : place + 2]) for place in range(width_in)],
        "in_q": shift,
        "out_q": out,
        "fold_q": [
            _sum(checks.builder, a, b) for a, b in zip([FALSE, *fold], result, strict=False)
        ],
    }
    of_harness = set()
    for name, literals in following.items():
        for place, must in enumerate(literals):
            text = f"{name}[{place}]" if len(literals) > 1 else name
            if given.names.get(text) not in drivers:
                continue  # what needs it differs
            element = given.elements[drivers[given.names[text]]]
            of_harness.add(element.name)
            if element.kind != "flip-flop" or element.settings["clock edge"] != "rising":
                checks.differences.append(f"harness: {text} is no flip-flop at the rising edge")
                continue
            wanted = {"clock": clock, "D": must, "enable": TRUE, "set or reset": FALSE}
            for port, literal in wanted.items():
                checks.require(
                    f"harness: {text}: {port}", literal, logic.function(element.inputs[port])
                )
    checks.require("harness: pin dout", fold[-1], logic.bit(given.outputs["dout"]))
    entering = iter(held)
    for name in ports:
        for place, bit in enumerate(outer[name]):
            where = f"harness: input {name}[{place}] of the core"
            if name in inputs:
                literal = next(entering)
            elif name == target.roles["clock"]:
                literal = clock
            else:
                literal = target.ties.get(name, 0) >> place & 1
            if ports[name].direction == "input" and used[name][place]:
                checks.require(where, literal, logic.bit(bit))
    checks.differences += [
        f"{element.kind} {element.name} belongs neither to the core nor to the harness"
        for element in given.elements.values()
        if (element.cell or element.name) not in taken and element.name not in of_harness
    ]
    checks.differences += [
        f"flip-flop {name} belongs to the core and to the harness" for name in of_harness & taken
    ]
    return len(of_harness)


def _sum(builder: Builder, a: int, b: int) -> int:
    """Return the literal of a XOR b."""
    return table_literal(builder, [a, b], 0b0110)
