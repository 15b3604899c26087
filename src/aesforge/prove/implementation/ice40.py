# SPDX-License-Identifier: Apache-2.0
"""The cells of iCE40: as Yosys maps them, and as nextpnr packs them.

An input that nothing is connected to has the value of Yosys's models of the cells
(`ice40/cells_sim.v`): 1 at a clock enable, 0 at any other.
"""

from __future__ import annotations

import re

from aesforge.errors import UsageError, one_of
from aesforge.netlist.module import REMARK, Bit, Cell, Module, nets_of
from aesforge.prove.implementation.contents import (
    MAJORITY,
    Contents,
    Contradiction,
    Element,
    Function,
    conjunction,
    flip_flop,
    number,
    only,
    wire,
)

# What nextpnr adds to the name of a net when it splits it at a pin or a global buffer.
SUFFIXES = ("$SB_IO_OUT", "$SB_IO_IN", "$SB_IO_IN_$glb_clk")
_FLIP_FLOP = re.compile(r"SB_DFF(N?)(E?)(SR|R|SS|S)?")
_MEMORY = re.compile(r"SB_RAM40_4K(NR)?(NW)?")
_ROWS = tuple(f"INIT_{row:X}" for row in range(16))
_SIMPLE_INPUT, _SIMPLE_OUTPUT, _NO_OUTPUT = 0b01, 0b0110, 0b0000
_REGISTERED = ("D_IN_1", "D_OUT_1", "OUTPUT_ENABLE", "LATCH_INPUT_VALUE")


def synthesized(module: Module) -> Contents:
    """Return what a netlist of Yosys holds.

    Raises:
        UsageError: it has a cell that is not compared.
        Contradiction: it is none.
    """
    found = Contents.of(module)
    for name, cell in module.cells.items():
        if cell.kind == REMARK:
            continue
        found.cells += 1
        if match := _FLIP_FLOP.fullmatch(cell.kind):
            falling, _, kind = match.groups()
            sets = kind in ("SS", "S")
            settings = _flip_flop(bool(falling), sets, kind in ("R", "S"))
            q = nets_of(cell.connections.get("Q", []))
            settings["value after configuration"] = found.initial.get(q[0], "0") if q else "0"
            inputs = {
                "clock": wire(only(cell, "C", "0")),
                "D": wire(only(cell, "D", "0")),
                "enable": wire(only(cell, "E", "1")),
                "set or reset": wire(only(cell, "S" if sets else "R", "0")),
            }
            found.store(flip_flop(name, q, settings, inputs))
        elif match := _MEMORY.fullmatch(cell.kind):
            edges = {"NEG_CLK_R": bool(match[1]), "NEG_CLK_W": bool(match[2])}
            clocks = ("RCLKN" if match[1] else "RCLK", "WCLKN" if match[2] else "WCLK")
            found.store(_memory(name, _by_bit(cell), edges, clocks))
        elif cell.kind == "SB_LUT4":
            lines = tuple(only(cell, f"I{k}", "0") for k in range(4))
            found.drive(cell.connections.get("O", []), Function(lines, number(cell, "LUT_INIT")))
        elif cell.kind == "SB_CARRY":
            carried = tuple(only(cell, port, "0") for port in ("I0", "I1", "CI"))
            found.drive(cell.connections.get("CO", []), Function(carried, MAJORITY))
        else:
            _pin_or_buffer(found, name, cell, ("SB_LUT4", "SB_CARRY", "SB_DFF*", "SB_RAM40_4K*"))
    return found


def routed(module: Module) -> Contents:
    """Return what a netlist holds that nextpnr packed, placed and routed.

    Raises:
        UsageError: it has a cell that is not compared.
        Contradiction: it is none.
    """
    found = Contents.of(module)
    for name, cell in module.cells.items():
        found.cells += 1
        if cell.kind == "ICESTORM_LC":
            _logic_cell(found, name, cell)
        elif cell.kind == "ICESTORM_RAM":
            edges = {edge: bool(number(cell, edge)) for edge in ("NEG_CLK_R", "NEG_CLK_W")}
            found.store(_memory(name, cell, edges, ("RCLK", "WCLK")))
        else:
            _pin_or_buffer(found, name, cell, ("ICESTORM_LC", "ICESTORM_RAM"))
    return found


def _flip_flop(falling: bool, sets: bool, asynchronous: bool) -> dict[str, str]:
    return {
        "clock edge": "falling" if falling else "rising",
        "set or reset": "set" if sets else "reset",
        "timing of the set or reset": "asynchronous" if asynchronous else "synchronous",
    }


def _logic_cell(found: Contents, name: str, cell: Cell) -> None:
    """Add a packed logic cell: a look-up table, a carry and a flip-flop."""
    inputs = tuple(only(cell, f"I{k}", "0") for k in range(4))
    table = Function(inputs, number(cell, "LUT_INIT"))
    found.drive(cell.connections.get("LO", []), table)
    if number(cell, "CARRY_ENABLE"):
        found.drive(
            cell.connections.get("COUT", []),
            Function((inputs[1], inputs[2], _carry_in(name, cell)), MAJORITY),
        )
    elif cell.connections.get("COUT"):
        raise Contradiction(f"cell {name} has a carry out, but no carry")
    q = cell.connections.get("O", [])
    if not number(cell, "DFF_ENABLE"):
        found.drive(q, table)
        return
    settings = _flip_flop(
        bool(number(cell, "NEG_CLK")),
        bool(number(cell, "SET_NORESET")),
        bool(number(cell, "ASYNC_SR")),
    )
    # There is no setting for it.
    settings["value after configuration"] = "0"
    of_flip_flop = {
        "clock": wire(only(cell, "CLK", "0")),
        "D": table,
        "enable": wire(only(cell, "CEN", "1")),
        "set or reset": wire(only(cell, "SR", "0")),
    }
    found.store(flip_flop(name, nets_of(q), settings, of_flip_flop))


def _carry_in(name: str, cell: Cell) -> Bit:
    # Only the lowest cell of a tile can have a constant, or nothing: any other one has the carry of
    # the cell below, where nothing is connected.
    is_lowest = cell.attributes.get("NEXTPNR_BEL", "").endswith("/lc0")
    if cell.connections.get("CIN"):
        if number(cell, "CIN_CONST"):
            raise Contradiction(f"the carry {name} has a net and a constant as its carry in")
        return only(cell, "CIN", "0")
    if not is_lowest:
        raise Contradiction(f"the carry {name} has no carry in, and is not the lowest of its tile")
    return "1" if number(cell, "CIN_CONST") and number(cell, "CIN_SET") else "0"


def _by_bit(cell: Cell) -> Cell:
    """Return a memory with a port for each bit, as nextpnr has it."""
    connections: dict[str, list[Bit]] = {}
    for port, bits in cell.connections.items():
        if port in ("RDATA", "RADDR", "WADDR", "MASK", "WDATA"):
            connections |= {f"{port}_{place}": [bit] for place, bit in enumerate(bits)}
        else:
            connections[port] = bits
    directions = {port: "output" if port[:5] == "RDATA" else "input" for port in connections}
    return Cell(cell.kind, connections, directions, cell.parameters, cell.attributes)


def _memory(name: str, cell: Cell, edges: dict[str, bool], clocks: tuple[str, str]) -> Element:
    settings = {row: cell.parameters.get(row, "0").strip().rjust(256, "0") for row in _ROWS}
    settings |= {
        "READ_MODE": str(number(cell, "READ_MODE")),
        "WRITE_MODE": str(number(cell, "WRITE_MODE")),
        "read edge": "falling" if edges["NEG_CLK_R"] else "rising",
        "write edge": "falling" if edges["NEG_CLK_W"] else "rising",
    }
    inputs = {
        "read clock": wire(only(cell, clocks[0], "0")),
        "write clock": wire(only(cell, clocks[1], "0")),
        # Each of the two must be high.
        "read enable": conjunction(only(cell, "RE", "0"), only(cell, "RCLKE", "1")),
        "write enable": conjunction(only(cell, "WE", "0"), only(cell, "WCLKE", "1")),
    }
    for port, width in (("RADDR", 11), ("WADDR", 11), ("MASK", 16), ("WDATA", 16)):
        for place in range(width):
            inputs[f"{port}[{place}]"] = wire(only(cell, f"{port}_{place}", "0"))
    outputs = {
        f"RDATA[{place}]": bit
        for place in range(16)
        for bit in cell.connections.get(f"RDATA_{place}", [])
        if isinstance(bit, int)
    }
    return Element(name, "block RAM", settings, inputs, outputs, list(outputs.values()))


def _pin_or_buffer(found: Contents, name: str, cell: Cell, others: tuple[str, ...]) -> None:
    """Add what a netlist of either kind may have."""
    if cell.kind == "SB_GB":
        into = only(cell, "USER_SIGNAL_TO_GLOBAL_BUFFER", "0")
        found.drive(cell.connections.get("GLOBAL_BUFFER_OUTPUT", []), wire(into))
        return
    if cell.kind != "SB_IO":
        raise UsageError(
            f"cell {name} is a {cell.kind}, which is not compared; "
            f"{one_of((*others, 'SB_IO', 'SB_GB'))} are"
        )
    kind = number(cell, "PIN_TYPE")
    registered = [port for port in _REGISTERED if cell.connections.get(port)]
    if kind >> 2 not in (_SIMPLE_OUTPUT, _NO_OUTPUT) or registered:
        raise UsageError(
            f"pin {name} is of the type {kind:06b}{' with ' if registered else ''}"
            f"{', '.join(registered)}; only plain inputs and outputs are compared"
        )
    pad = cell.connections.get("PACKAGE_PIN", [])
    if kind >> 2 == _SIMPLE_OUTPUT:
        found.drive(pad, wire(only(cell, "D_OUT_0", "0")))
    elif cell.connections.get("D_OUT_0"):
        raise UsageError(f"pin {name} has an output, but is none")
    if read := cell.connections.get("D_IN_0"):
        if kind & 3 != _SIMPLE_INPUT or not pad:
            raise UsageError(f"pin {name} is read, but is no plain input")
        found.drive(read, wire(pad[0]))
