# SPDX-License-Identifier: Apache-2.0
"""Block RAM of Gowin: which attributes a cell needs, and where each bit of its content lies.

A block RAM has three tiles beside each other. Its content lies in rows after those of the tiles,
256 for each row of block RAMs, in 72 of the columns of these tiles. Here it has 64 rows of 288
bits, as the parameters of a cell with parity bits have it; one without them has zeros there.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from aesforge.errors import UsageError
from aesforge.netlist.module import Cell
from aesforge.prove.bitstream.gowin.chip import Bit, Chip, Place

KINDS = ("DP", "SDP", "SP", "ROM")
TILES, ROWS, ROW_BITS, PLAIN_BITS = 3, 64, 288, 256
CONTENT_ROWS = 256
_GROUP = 18  # two bytes, a parity bit after each
_WIDTHS = {1: "1", 2: "2", 4: "4", 8: "9", 9: "9", 16: "16", 18: "16"}
_WIDEST = (32, 36)
_WRITE_MODES = {1: "WT", 2: "RBW"}
# The two bits of an address above the lowest four choose a quarter of the rows.
_QUARTERS = (0x00, 0x80, 0x40, 0xC0)


def row_name(row: int) -> str:
    """Return the parameter that has a row of the content."""
    return f"INIT_RAM_{row:02X}"


class Content:
    """Where the content of a chip's block RAMs lies.

    Args:
        chip: the chip.
    """

    def __init__(self, chip: Chip) -> None:
        self._chip = chip
        self.places = [place for place in chip.places if "BSRAM" in chip.kind(place).bels]

    @cached_property
    def order(self) -> list[Bit]:
        """For each bit, row after row, the lowest first: where it lies in a block RAM's rows."""
        columns: Any = self._chip.data.rev_logicinfo("BSRAM_INIT")
        found = []
        for row in range(ROWS):
            address = row * PLAIN_BITS - 1
            for index in range(ROW_BITS):
                line = index % _GROUP
                address += line % (_GROUP // 2) != _GROUP // 2 - 1
                down = _QUARTERS[address >> 4 & 3] + (address >> 6 & 0x3F)
                column = columns[line * 4 + (address >> 12)][0] - 1
                found.append((CONTENT_ROWS - 1 - down, column))
        return found

    @cached_property
    def where(self) -> dict[Bit, tuple[str, int]]:
        """The row of the content, by name, and the bit of it, at each place."""
        return {
            bit: (row_name(number // ROW_BITS), number % ROW_BITS)
            for number, bit in enumerate(self.order)
        }

    @cached_property
    def corners(self) -> dict[Place, Bit]:
        """The first row and column of each block RAM's content in the bitstream's rows."""
        data = self._chip.data
        tops = {row: number for number, row in enumerate(sorted(data.simplio_rows))}
        height = int(data.height)
        return {
            place: (height + CONTENT_ROWS * tops[place[0]], self._chip.corners[place][1])
            for place in self.places
        }

    @cached_property
    def width(self) -> int:
        """The width of the tiles of a block RAM, in columns."""
        row, column = self.places[0]
        return sum(self._chip.kind((row, column + n)).columns for n in range(TILES))


def content_of(name: str, cell: Cell) -> dict[str, tuple[int, int]] | None:
    """Return each row of a cell's content, and which bits of it the design leaves open.

    Args:
        name: of the cell, for messages.
        cell: the block RAM.

    Returns:
        None for a cell without content: none is written.

    Raises:
        UsageError: a row is not written in binary.
    """
    if row_name(0) not in cell.parameters:
        return None
    found = {}
    for row in range(ROWS):
        text = cell.parameters.get(row_name(row), "0" * PLAIN_BITS).strip()
        if not set(text) <= set("01xz") or len(text) not in (PLAIN_BITS, ROW_BITS):
            raise UsageError(f"{row_name(row)} of {name} is not written in binary")
        value, opened = 0, 0
        digits = iter(reversed(text))
        for index in range(ROW_BITS):
            is_parity = index % (_GROUP // 2) == _GROUP // 2 - 1
            if is_parity and len(text) == PLAIN_BITS:
                continue
            digit = next(digits)
            value |= (digit == "1") << index
            opened |= (digit in "xz") << index
        found[row_name(row)] = value, opened
    return found


def attributes_of(name: str, cell: Cell, constants: set[int]) -> dict[str, str]:
    """Return the attributes of a block RAM.

    Args:
        name: of the cell, for messages.
        cell: the block RAM, as nextpnr packs it.
        constants: the nets that are constant.

    Raises:
        UsageError: it has a width that is not read back.
    """
    kind = cell.kind
    found = {"MODE": "ENABLE", "GSR": "DISABLE"}
    if kind == "ROM":
        found["CEMUX_CEA"] = "INV"
        found |= {f"ROM{side}_{half}": "DISABLE" for side in "AB" for half in ("BEHB", "BELB")}
    for side, number in (("A", 0), ("B", 1)):

        def parameter(what: str, default: int = 0, *, number: int = number) -> int:
            names = (what, f"{what}{number}", f"{what}_{number}")
            text = next((cell.parameters[one] for one in names if one in cell.parameters), "")
            return int(text, 2) if text.strip() else default

        width = parameter("BIT_WIDTH")
        if width in _WIDEST:
            if kind != "SP":
                found[f"DBLW{side}"] = "X36"
        elif width in _WIDTHS:
            found[f"{kind}{side}_DATA_WIDTH"] = _WIDTHS[width]
        else:
            raise UsageError(f"memory {name} has the width {width}, which is not read back")
        found |= _byte_enables(cell, side, width, constants)
        selected = parameter("BLK_SEL", 7)
        found |= {f"CS{side}_{bit}": "SET" for bit in range(3) if not selected >> bit & 1}
        if parameter("READ_MODE") == 1:
            found[f"{kind}{side}_REGMODE"] = "OUTREG"
        if (mode := parameter("WRITE_MODE")) in _WRITE_MODES:
            found[f"{kind}{side}_MODE"] = _WRITE_MODES[mode]
    if cell.parameters.get("RESET_MODE", "").strip().upper() == "ASYNC":
        found["OUTREG_ASYNC"] = "RESET"
    return found


def _byte_enables(cell: Cell, side: str, width: int, constants: set[int]) -> dict[str, str]:
    """Return the byte enables: bits of the address, of the widths at which the packer sets them."""
    if cell.kind == "SP":
        lines = {16: 2, 18: 2, 32: 4, 36: 4}.get(width, 0)
        port, sides = "AD", "AB" if width in _WIDEST else "A"
    elif cell.kind == "SDP" and width in _WIDEST and side == "A":
        lines, port, sides = 4, "ADA", "AB"
    else:
        return {}
    nets = [cell.connections.get(f"{port}{line}", []) for line in range(lines)]
    fixed = bool(nets) and all(bits and bits[0] in constants for bits in nets)
    return {
        f"{cell.kind}{one}_{half}": "ENABLE" if fixed and one in sides else "DISABLE"
        for one in ("AB" if cell.kind == "SDP" else side)
        for half in ("BEHB", "BELB")
    }
