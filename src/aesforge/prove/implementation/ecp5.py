# SPDX-License-Identifier: Apache-2.0
"""The cells of ECP5: as Yosys maps them, and as nextpnr packs them.

What the cells compute is as in Yosys's models (`lattice/common_sim.vh`,
`lattice/ccu2c_sim.vh`). An input that nothing is connected to is 1, as in the silicon, but 0 at the
set or reset of a flip-flop. nextpnr puts constants into look-up tables: there such an input must
not count.
"""

from __future__ import annotations

from collections.abc import Sequence

from aesforge.errors import UsageError, one_of
from aesforge.netlist.module import REMARK, Bit, Cell, Module, nets_of
from aesforge.prove.implementation.contents import (
    MULTIPLEXER,
    OPEN,
    Contents,
    Contradiction,
    Element,
    Function,
    WritePort,
    constant,
    depends_on,
    flip_flop,
    inverse,
    number,
    only,
    wire,
)

# What nextpnr adds to the name of a net when it splits it at a pin or a global buffer.
SUFFIXES = ("$TRELLIS_IO_OUT", "$TRELLIS_IO_IN")
_LUT_INPUTS = ("A", "B", "C", "D")
# Which input of a logic cell is which line of the read address, when it is a RAM.
_READ_ADDRESS = ("D", "B", "C", "A")
# Which input of the write port's cell goes through to which output of it.
_WRITE_PORT = {
    **{"WDO0": "C1", "WDO1": "A1", "WDO2": "D1", "WDO3": "B1"},
    **{"WADO0": "D0", "WADO1": "B0", "WADO2": "C0", "WADO3": "A0"},
}
_FLIP_FLOP = {
    "REGSET": "RESET",
    "SRMODE": "LSR_OVER_CE",
    "GSR": "ENABLED",
    "LSRMODE": "LSR",
}
_BLOCK_RAM = {
    "REGMODE_A": "NOREG",
    "REGMODE_B": "NOREG",
    "RESETMODE": "SYNC",
    "ASYNC_RESET_RELEASE": "SYNC",
    "CSDECODE_A": "0b000",
    "CSDECODE_B": "0b000",
    "WRITEMODE_A": "NORMAL",
    "WRITEMODE_B": "NORMAL",
    "GSR": "ENABLED",
}
_BLOCK_RAM_INPUTS = tuple(
    f"{port}{side}{place}"
    for side in "AB"
    for port, count in (("DI", 18), ("AD", 14), ("CS", 3))
    for place in range(count)
) + tuple(f"{port}{side}" for side in "AB" for port in ("CE", "OCE", "CLK", "WE", "RST"))
_ROWS = tuple(f"INITVAL_{row:02X}" for row in range(64))
_ROW_BITS = 320


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
        at = cell.connections
        if cell.kind == "LUT4":
            inputs = tuple(only(cell, port, "x") for port in _LUT_INPUTS)
            found.drive(at.get("Z", []), Function(inputs, number(cell, "INIT")))
        elif cell.kind == "PFUMX":
            found.drive(at.get("Z", []), _choice(cell, "BLUT", "ALUT", "C0"))
        elif cell.kind == "L6MUX21":
            found.drive(at.get("Z", []), _choice(cell, "D0", "D1", "SD"))
        elif cell.kind == "CCU2C":
            carry = found.net()
            for half, entering, leaving in (
                (0, only(cell, "CIN", "x"), [carry]),
                (1, carry, at.get("COUT", [])),
            ):
                inputs = tuple(only(cell, f"{port}{half}", "x") for port in _LUT_INPUTS)
                tables = _carry(
                    number(cell, f"INIT{half}"),
                    cell.parameters.get(f"INJECT1_{half}", "YES") == "YES",
                )
                found.drive(at.get(f"S{half}", []), Function((*inputs, entering), tables[0]))
                found.drive(leaving, Function((*inputs, entering), tables[1]))
        elif cell.kind == "TRELLIS_FF":
            found.store(_flip_flop(name, cell, only(cell, "DI", "x")))
        elif cell.kind == "DP16KD":
            found.store(_block_ram(name, cell, "x"))
        elif cell.kind == "TRELLIS_DPR16X4":
            content = cell.parameters.get("INITVAL", "").strip().rjust(64, "0")[::-1]
            for place, bit in enumerate(at.get("DO", [])):
                data = at.get("DI", [])
                found.store_bits(
                    f"{name}.{place}",
                    name,
                    content[place::4][::-1],
                    _write_port(cell, _four(at.get("WAD", []))),
                    wire(data[place]) if place < len(data) else OPEN,
                    _four(at.get("RAD", [])),
                    [bit],
                )
        else:
            kinds = ("LUT4", "PFUMX", "L6MUX21", "CCU2C", "TRELLIS_FF", "TRELLIS_DPR16X4")
            _pin_or_buffer(found, name, cell, kinds)
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
        if cell.kind == "TRELLIS_COMB":
            _logic_cell(found, name, cell)
        elif cell.kind == "TRELLIS_FF":
            port = {"0": "M", "1": "DI"}.get(_text(cell, "SD", "1"))
            if port is None:
                raise Contradiction(f"the flip-flop {name} has neither DI nor M as its data")
            found.store(_flip_flop(name, cell, only(cell, port, "1")))
        elif cell.kind == "TRELLIS_RAMW":
            for leaving, entering in _WRITE_PORT.items():
                found.drive(cell.connections.get(leaving, []), wire(only(cell, entering, "1")))
        elif cell.kind == "DP16KD":
            found.store(_block_ram(name, cell, "1"))
        else:
            _pin_or_buffer(found, name, cell, ("TRELLIS_COMB", "TRELLIS_FF", "TRELLIS_RAMW"))
    return found


def _text(cell: Cell, name: str, default: str) -> str:
    # nextpnr adds a blank to a text that could be a number.
    return cell.parameters.get(name, default).strip()


def _four(bits: Sequence[Bit]) -> tuple[Bit, ...]:
    missing: list[Bit] = ["x"] * (4 - len(bits))
    return (*bits, *missing)


def _choice(cell: Cell, low: str, high: str, chooser: str) -> Function:
    return Function(tuple(only(cell, port, "x") for port in (low, high, chooser)), MULTIPLEXER)


def _carry(table: int, inject: bool) -> tuple[int, int]:
    """Return the tables of sum and carry of half a carry cell, of A, B, C, D and the carry in."""
    total = out = 0
    for case in range(32):
        carry_in, low = case >> 4, table >> (case & 15) & 1
        pair = 0 if inject else table >> (case & 3) & 1
        total |= (low ^ (0 if inject else carry_in)) << case
        out |= (carry_in if low else pair) << case
    return total, out


def _logic_cell(found: Contents, name: str, cell: Cell) -> None:
    """Add a packed logic cell: a look-up table, a wide multiplexer, half a carry or a RAM."""
    mode, at = _text(cell, "MODE", "LOGIC"), cell.connections
    if mode == "RAMW_BLOCK":
        # Its place is taken by the write port.
        if any(at.values()):
            raise Contradiction(f"cell {name} is taken by a write port, and is connected")
    elif mode == "LOGIC":
        inputs = tuple(only(cell, port, "x") for port in _LUT_INPUTS)
        logic = Function(inputs, number(cell, "INITVAL"))
        found.drive(at.get("F", []), logic)
        is_used = at.get("F") or at.get("F1")
        if is_used and any(depends_on(logic, place) for place in range(4) if inputs[place] == "x"):
            raise Contradiction(f"the table of cell {name} depends on an input without a net")
        if at.get("FXA") or at.get("FXB"):
            found.drive(at.get("OFX", []), _choice(cell, "FXA", "FXB", "M"))
        elif at.get("F1"):
            low = at.get("F", [])
            if not low:
                low = [found.net()]
                found.drive(low, logic)
            chosen = (low[0], only(cell, "F1", "x"), only(cell, "M", "x"))
            found.drive(at.get("OFX", []), Function(chosen, MULTIPLEXER))
        elif at.get("OFX"):
            raise Contradiction(f"cell {name} has the output of a multiplexer, but no inputs of it")
        if any(at.get(port) for port in ("FCI", "FCO", "WD", "WRE", "WCK")):
            raise Contradiction(f"cell {name} is no carry and no RAM, but is connected as one")
    elif mode == "CCU2":
        inputs = tuple(only(cell, port, "1") for port in _LUT_INPUTS)
        injected = _text(cell, "CCU2_INJECT1", "NO") == "YES"
        tables = _carry(number(cell, "INITVAL"), injected)
        for port, table in zip(("F", "FCO"), tables, strict=True):
            result = Function((*inputs, only(cell, "FCI", "x")), table)
            if at.get(port) and "x" in result.inputs and depends_on(result, 4):
                raise Contradiction(f"the carry {name} depends on a carry in without a net")
            found.drive(at.get(port, []), result)
        if at.get("OFX"):
            raise Contradiction(f"cell {name} is a carry, but has the output of a multiplexer")
    elif mode == "DPRAM":
        found.store_bits(
            name,
            name,
            cell.parameters.get("INITVAL", "").strip().rjust(16, "0"),
            _write_port(cell, tuple(only(cell, f"WAD{place}", "1") for place in range(4))),
            wire(only(cell, "WD", "1")),
            tuple(only(cell, port, "1") for port in _READ_ADDRESS),
            at.get("F", []),
        )
    else:
        raise UsageError(f"cell {name} has the mode {mode}, which is not compared")


def _through(cell: Cell, port: str, default: Bit) -> Function:
    """Return the function at a pin that may be inverted or constant."""
    chosen = _text(cell, f"{port}MUX", port)
    if chosen in ("0", "1"):
        return constant(int(chosen))
    bit = only(cell, port, default)
    if chosen == "INV":
        return OPEN if bit == "x" else inverse(bit)
    if chosen != port:
        raise Contradiction(f"{port}MUX of a {cell.kind} is {chosen!r}")
    return wire(bit)


def _flip_flop(name: str, cell: Cell, data: Bit) -> Element:
    settings = {setting: _text(cell, setting, usual) for setting, usual in _FLIP_FLOP.items()}
    if settings["LSRMODE"] != "LSR":
        raise UsageError(f"flip-flop {name} loads M by its set or reset, which is not compared")
    return flip_flop(
        name,
        nets_of(cell.connections.get("Q", [])),
        settings | {"clock edge": _edge(cell, "CLKMUX", "CLK")},
        {
            "clock": wire(only(cell, "CLK", "0")),
            "D": wire(data),
            "enable": _through(cell, "CE", "1"),
            "set or reset": _through(cell, "LSR", "0"),
        },
    )


def _edge(cell: Cell, name: str, port: str) -> str:
    chosen = _text(cell, name, port)
    if chosen not in (port, "INV"):
        raise UsageError(f"{name} of a {cell.kind} is {chosen}, which is not compared")
    return "falling" if chosen == "INV" else "rising"


def _block_ram(name: str, cell: Cell, default: Bit) -> Element:
    settings = {setting: _text(cell, setting, usual) for setting, usual in _BLOCK_RAM.items()}
    for side in "AB":
        width = cell.parameters.get(f"DATA_WIDTH_{side}", f"{18:b}").strip()
        settings[f"DATA_WIDTH_{side}"] = width.lstrip("0")
        settings[f"edge {side}"] = _edge(cell, f"CLK{side}MUX", f"CLK{side}")
    settings |= {row: cell.parameters.get(row, "0").strip().rjust(_ROW_BITS, "0") for row in _ROWS}
    inputs: dict[str, Function] = {}
    for port in _BLOCK_RAM_INPUTS:
        if port.startswith("CLK"):
            inputs[f"clock {port[-1]}"] = wire(only(cell, port, "0"))
        else:
            inputs[port] = _through(cell, port, default)
    outputs = {
        port: net
        for port, bits in cell.connections.items()
        if cell.directions[port] == "output"
        for net in nets_of(bits)
    }
    return Element(name, "block RAM", settings, inputs, outputs, list(outputs.values()))


def _write_port(cell: Cell, address: Sequence[Bit]) -> WritePort:
    """Return the write port of a RAM in look-up tables."""
    clock, enable = wire(only(cell, "WCK", "0")), _through(cell, "WRE", "1")
    return WritePort(clock, _edge(cell, "WCKMUX", "WCK"), enable, address)


def _pin_or_buffer(found: Contents, name: str, cell: Cell, others: tuple[str, ...]) -> None:
    """Add what a netlist of either kind may have."""
    at = cell.connections
    if cell.kind == "DCCA":
        if at.get("CE"):
            raise UsageError(f"the global buffer {name} has an enable, which is not compared")
        found.drive(at.get("CLKO", []), wire(only(cell, "CLKI", "1")))
        return
    if cell.kind != "TRELLIS_IO":
        raise UsageError(
            f"cell {name} is a {cell.kind}, which is not compared; "
            f"{one_of((*others, 'DP16KD', 'TRELLIS_IO', 'DCCA'))} are"
        )
    direction, pad = _text(cell, "DIR", "INPUT"), at.get("B", [])
    if direction not in ("INPUT", "OUTPUT") or any(at.get(one) for one in ("T", "IOLDO", "IOLTO")):
        raise UsageError(f"pin {name} is no plain input or output, which alone are compared")
    if direction == "OUTPUT":
        found.drive(pad, wire(only(cell, "I", "1")))
    elif at.get("I"):
        raise UsageError(f"pin {name} has an output, but is an input")
    if at.get("O"):
        if not pad:
            raise UsageError(f"pin {name} is read, but has no pad")
        found.drive(at["O"], wire(pad[0]))
