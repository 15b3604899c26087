# SPDX-License-Identifier: Apache-2.0
"""The cells of Gowin: as Yosys maps them, and as nextpnr packs them.

What the cells compute is as in Yosys's models (`gowin/cells_sim.v`). nextpnr keeps their kinds, but
a carry: it becomes a look-up table whose lowest four entries are the carry, and those with a high
third input say whether the carry before goes on. An input that nothing is connected to must not
count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from aesforge.errors import UsageError, one_of
from aesforge.netlist.module import REMARK, Bit, Cell, Module, nets_of
from aesforge.prove.bitstream.gowin.memory import ROW_BITS, ROWS, row_name
from aesforge.prove.bitstream.gowin.routed import FLIP_FLOP, RESET_PORTS
from aesforge.prove.implementation.contents import (
    MULTIPLEXER,
    OPEN,
    Contents,
    Element,
    Function,
    WritePort,
    conjunction,
    constant,
    depends_on,
    flip_flop,
    number,
    only,
    wire,
)

# nextpnr keeps the names of nets.
SUFFIXES = ()
_MEMORY = re.compile(r"RAM16SDP[124]")
_TABLE = re.compile(r"LUT[1-4]")
_MULTIPLEXERS = ("MUX2", "MUX2_LUT5", "MUX2_LUT6", "MUX2_LUT7", "MUX2_LUT8")
# A block RAM with parity and two ports, as Yosys calls it, and as nextpnr does. Others are wired
# anew by nextpnr. OCE enables the output registers, without which alone one is compared.
_BLOCK_RAM = ("DPX9B", "DP")
_BLOCK_RAM_INPUTS = tuple(
    f"{port}{side}{place}"
    for side in "AB"
    for port, count in (("AD", 14), ("DI", 18), ("BLKSEL", 3))
    for place in range(count)
) + tuple(f"{port}{side}" for side in "AB" for port in ("CLK", "CE", "RESET", "WRE"))
_COMPARED = (
    "LUT1 to LUT4",
    "MUX2_LUT5 to MUX2_LUT8",
    "DFF*",
    "ALU",
    "RAM16SDP*",
    "DPX9B",
    "IBUF",
    "OBUF",
)
# The kinds of arithmetic cells, by Yosys's number: for both values of I3 what I0 and I1 must be for
# the carry before to go on, bit n for I0 + 2 * I1 = n; and the carry where it does not.
_MODES = {
    0: (0b0110, 0b0110, 0b1010),
    1: (0b1001, 0b1001, 0b1010),
    2: (0b1001, 0b0110, 0b1010),
    3: (0b1001, 0b1001, 0b1111),
    4: (0b1001, 0b1001, 0b1010),
    5: (0b1001, 0b1001, 0b1100),
    6: (0b1010, 0b1010, 0b0000),
    7: (0b0101, 0b0101, 0b1111),
    8: (0b0101, 0b1010, 0b1010),
    9: (0b1000, 0b0111, 0b1000),
}
# The carries that nextpnr adds at the ends of a chain, by its names; the sum is the carry in.
_ENDS = {"C2L": 0b0000, "ONE2C": 0b1111}


def synthesized(module: Module) -> Contents:
    """Return what a netlist of Yosys holds.

    Raises:
        UsageError: it has a cell that is not compared.
        Contradiction: it is none.
    """
    return _contents(module, _mapped_carry, "VCC", "GND")


def routed(module: Module) -> Contents:
    """Return what a netlist holds that nextpnr packed, placed and routed.

    Raises:
        UsageError: it has a cell that is not compared.
        Contradiction: it is none.
    """
    return _contents(module, _packed_carry, "GOWIN_VCC", "GOWIN_GND")


def _contents(
    module: Module, carry: Callable[[Contents, str, Cell], None], high: str, low: str
) -> Contents:
    found = Contents.of(module)
    for cell in module.cells.values():
        if cell.kind == high:
            found.drive(cell.connections.get("V", []), constant(1))
        elif cell.kind == low:
            found.drive(cell.connections.get("G", []), constant(0))
    for name, cell in module.cells.items():
        at = cell.connections
        if cell.kind == REMARK:
            continue
        found.cells += 1
        if cell.kind in (high, low):
            continue
        if _TABLE.fullmatch(cell.kind):
            lines = tuple(only(cell, f"I{k}", "x") for k in range(int(cell.kind[3])))
            _drive(found, name, at.get("F", []), Function(lines, number(cell, "INIT")))
        elif match := FLIP_FLOP.fullmatch(cell.kind):
            found.store(_flip_flop(found, name, cell, match, packed=high != "VCC"))
        elif cell.kind == "ALU":
            carry(found, name, cell)
        elif cell.kind in _MULTIPLEXERS:
            lines = tuple(only(cell, port, "x") for port in ("I0", "I1", "S0"))
            _drive(found, name, at.get("O", []), Function(lines, MULTIPLEXER))
        elif cell.kind == _BLOCK_RAM[0] or (cell.kind == _BLOCK_RAM[1] and _has_parity(cell)):
            found.store(_block_ram(name, cell))
        elif _MEMORY.fullmatch(cell.kind):
            _memory(found, name, cell)
        elif cell.kind in ("IBUF", "OBUF"):
            found.drive(at.get("O", []), wire(only(cell, "I", "x")))
        elif cell.kind == "BUFG" and not at.get("O"):
            continue  # nextpnr routes the clock's own net through it
        elif cell.kind == "GSR":
            # nextpnr adds the global set and reset, which is active low.
            if not _is_high(found, only(cell, "GSRI", "x")):
                raise UsageError("the global set and reset is used, which is not compared")
        else:
            raise UsageError(
                f"cell {name} is a {cell.kind}, which is not compared; {one_of(_COMPARED)} are"
            )
    return found


def _is_high(found: Contents, bit: Bit) -> bool:
    return bit == "1" or (isinstance(bit, int) and found.functions.get(bit) == constant(1))


def _drive(found: Contents, name: str, output: Sequence[Bit], function: Function) -> None:
    """Let a function drive a net; it must not depend on an input that nothing is connected to."""
    if nets_of(output) and any(
        bit == "x" and depends_on(function, place) for place, bit in enumerate(function.inputs)
    ):
        raise UsageError(
            f"cell {name} depends on an input that nothing is connected to, which is not compared"
        )
    found.drive(output, function)


def _flip_flop(
    found: Contents, name: str, cell: Cell, match: re.Match[str], *, packed: bool
) -> Element:
    falling, kind, _ = match.groups()
    if number(cell, "LATCH") or int(cell.attributes.get("LATCH", "0"), 2):
        raise UsageError(f"cell {name} is a latch, which is not compared")
    q = nets_of(cell.connections.get("Q", []))
    sets = kind in ("S", "P")
    # No setting but the kind of set or reset says with which value a flip-flop starts.
    start = str(int(sets))
    if not packed:
        start = cell.parameters.get("INIT", start).strip()
        start = found.initial.get(q[0], start) if q else start
    settings = {
        "clock edge": "falling" if falling else "rising",
        "set or reset": "set" if sets else "reset",
        "timing of the set or reset": "asynchronous" if kind in ("P", "C") else "synchronous",
        "value after configuration": start,
    }
    inputs = {
        "clock": wire(only(cell, "CLK", "0")),
        "D": wire(only(cell, "D", "x")),
        "enable": wire(only(cell, "CE", "1")),
        "set or reset": wire(only(cell, RESET_PORTS.get(kind, ""), "0")),
    }
    return flip_flop(name, q, settings, inputs)


def _memory(found: Contents, name: str, cell: Cell) -> None:
    at = cell.connections
    enable = conjunction(only(cell, "WRE", "0"), only(cell, "CE", "1"))
    write = WritePort(wire(only(cell, "CLK", "0")), "rising", enable, at["WAD"])
    for place, bit in enumerate(at.get("DO", [])):
        data = at.get("DI", [])
        found.store_bits(
            f"{name}.{place}",
            name,
            cell.parameters.get(f"INIT_{place}", "").strip().rjust(16, "0"),
            write,
            wire(data[place]) if place < len(data) else OPEN,
            at["RAD"],
            [bit],
        )


def _has_parity(cell: Cell) -> bool:
    return cell.attributes.get("BSRAM_SUBTYPE", "").strip() == "X9"


def _block_ram(name: str, cell: Cell) -> Element:
    at = {
        f"{port}{place}" if len(bits) > 1 else port: bit
        for port, bits in cell.connections.items()
        for place, bit in enumerate(bits)
    }
    outputs = {pin: bit for pin, bit in at.items() if pin[:2] == "DO" and isinstance(bit, int)}
    settings = {
        row: cell.parameters.get(row, "0").strip().rjust(ROW_BITS, "0")
        for row in map(row_name, range(ROWS))
    }
    for side in (0, 1):
        names = (f"READ_MODE{side}", f"WRITE_MODE{side}", f"BIT_WIDTH_{side}", f"BLK_SEL_{side}")
        settings |= {one: str(number(cell, one)) for one in names}
        if settings[f"READ_MODE{side}"] != "0":
            raise UsageError(
                f"block RAM {name} has output registers, which nextpnr replaces; that is not "
                "compared"
            )
    settings["RESET_MODE"] = cell.parameters.get("RESET_MODE", "SYNC").strip()
    inputs = {
        f"clock {pin[-1]}" if pin.startswith("CLK") else pin: wire(at.get(pin, "x"))
        for pin in _BLOCK_RAM_INPUTS
    }
    return Element(name, "block RAM", settings, inputs, outputs, list(outputs.values()))


def _mapped_carry(found: Contents, name: str, cell: Cell) -> None:
    """Add an arithmetic cell as Yosys maps it."""
    mode = number(cell, "ALU_MODE")
    if mode not in _MODES:
        raise UsageError(f"cell {name} has the mode {mode}, which is not compared")
    low, high, carries = _MODES[mode]
    _arithmetic(found, name, cell, high << 4 | low, carries)


def _packed_carry(found: Contents, name: str, cell: Cell) -> None:
    """Add an arithmetic cell as nextpnr packs it."""
    mode = cell.parameters.get("ALU_MODE", "").strip()
    if mode in _ENDS:
        _arithmetic(found, name, cell, 0, _ENDS[mode])
    elif "RAW_ALU_LUT" in cell.parameters:
        if not _is_high(found, only(cell, "I2", "x")):
            raise UsageError(f"the third input of the carry {name} is not tied high")
        at = cell.connections
        table = number(cell, "RAW_ALU_LUT")
        goes_on = (table >> 12 & 0xF) << 4 | table >> 4 & 0xF
        if goes_on and at.get("COUT") and not at.get("CIN"):
            found.faults.append(
                f"carry {name} depends on the carry of its neighbour, which is none of its chain: "
                "nextpnr up to 0.11.1 begins a chain so whose carry in comes from logic (its issue "
                "1799)"
            )
            goes_on = 0  # what is meant
        _arithmetic(found, name, cell, goes_on, table & 0xF)
    else:
        _mapped_carry(found, name, cell)


def _arithmetic(found: Contents, name: str, cell: Cell, goes_on: int, carries: int) -> None:
    """Add a carry and its sum.

    Args:
        found: where.
        name: of the cell.
        cell: the cell.
        goes_on: the table of I0, I1 and I3 that is 1 where the carry before goes on.
        carries: the table of I0 and I1 that is the carry where it does not.
    """
    lines = tuple(only(cell, port, "x") for port in ("I0", "I1", "I3", "CIN"))
    total = carry = 0
    for case in range(16):
        on, entering = goes_on >> (case & 7) & 1, case >> 3
        total |= (on ^ entering) << case
        carry |= (entering if on else carries >> (case & 3) & 1) << case
    _drive(found, name, cell.connections.get("SUM", []), Function(lines, total))
    _drive(found, name, cell.connections.get("COUT", []), Function(lines, carry))
