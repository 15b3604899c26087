# SPDX-License-Identifier: Apache-2.0
"""Lay the state registers of each round out on the device in the order in which data flow.

Saggese et al. (2003) placed their data path by attributes in the source. Here the synthesized
netlist gets them: `BEL` on the registers at the end of each round, which nextpnr keeps; all else it
places as ever. The rounds stand in squares side by side, each row of squares running back, so that
data go from neighbour to neighbour; in a square the state's bytes stand as FIPS 197 writes them,
four by four, a byte a tile. State in block RAM is laid out in a row of block RAMs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from aesforge.devices import Part, Sites
from aesforge.errors import UsageError
from aesforge.measure.record import BLOCK_BITS
from aesforge.netlist.module import Module

LAYOUT_VERSION = 1  # to be raised when the same core would be laid out in another way
# What stands at the end of a round, by the wires of `aesforge_round`.
_ENDS = ("state_q", "substituted")
_WIRE = re.compile(r"\.gen_block\[0\]\.gen_round\[(\d+)\]\.u_round\.(\w+)$")
_LUTS_PER_TILE = 8
# How full a round's square is to be, and how full it may be: denser, and nextpnr finds no way.
_FILL, _FULL = 0.5, 0.9


def stages(module: Module) -> list[list[str]]:
    """Give, for each round in hardware, the cells that hold the state at its end, bit 0 first.

    Args:
        module: the synthesized harness, flat.

    Raises:
        UsageError: there is no such register in every round.
    """
    driver = {
        bit: name
        for name, cell in module.cells.items()
        if cell.kind in ("TRELLIS_FF", "DP16KD")
        for bit in cell.outputs()
    }
    wires: dict[tuple[int, str], list[str]] = {}
    rounds = 0
    for name, wire in module.wires.items():
        if found := _WIRE.search(name):
            number = int(found[1])
            rounds = max(rounds, number + 1)
            if len(wire.bits) == BLOCK_BITS and all(bit in driver for bit in wire.bits):
                wires[number, found[2]] = [driver[bit] for bit in wire.bits]
    for end in _ENDS:
        if rounds and all((number, end) in wires for number in range(rounds)):
            return [wires[number, end] for number in range(rounds)]
    raise UsageError(
        "a floorplan lays out the registers at the end of each round, and this core has none in "
        "one pipeline of ours: choose a design with linear_stages at least 1, or one whose "
        "S-boxes end in registers; or leave --floorplan out"
    )


def bels(module: Module, luts: int, part: Part) -> dict[str, str]:
    """Return the place of each cell that is to have one.

    Args:
        module: the synthesized harness, flat.
        luts: of the core, from which follows how much room a round needs.
        part: where; its sites are known.

    Raises:
        UsageError: the core has nothing to lay out, or does not fit on the part's known sites.
    """
    assert part.sites is not None  # refused before
    state = stages(module)
    if module.cells[state[0][0]].kind == "DP16KD":
        return _in_block_rams(state, part.sites, part.part)
    places = _in_squares(state, luts, part.sites, part.part)
    return places | _tables_before(module, places)


def _tables_before(module: Module, places: Mapping[str, str]) -> dict[str, str]:
    """Return each look-up table that feeds a register the place in front of it.

    nextpnr joins the two; its refinement breaks off when only the register's place is fixed.
    """
    driver = {
        cell.connections["Z"][0]: name for name, cell in module.cells.items() if cell.kind == "LUT4"
    }
    found = {}
    for register, bel in places.items():
        for data in module.cells[register].connections.get("DI", ()):
            if data in driver:
                found[driver[data]] = bel.replace(".FF", ".K")
    return found


def _in_squares(state: list[list[str]], luts: int, sites: Sites, name: str) -> dict[str, str]:
    columns = range(sites.columns[0], sites.columns[1] + 1)
    rows = [y for y in range(sites.rows[0], sites.rows[1] + 1) if y not in sites.without]
    across = math.ceil(math.sqrt(len(state)))
    down = math.ceil(len(state) / across)
    tiles = luts / _LUTS_PER_TILE / len(state)
    side = min(
        max(4, math.ceil(math.sqrt(tiles / _FILL))), len(columns) // across, len(rows) // down
    )
    if side < 4 or tiles > _FULL * side * side:
        raise UsageError(
            f"laid out, each of {len(state)} rounds has {side} x {side} tiles of {name}, and needs "
            f"{tiles / _FULL:.0f}; leave --floorplan out"
        )
    left, top = (len(columns) - across * side) // 2, (len(rows) - down * side) // 2
    places: dict[str, str] = {}
    for number, cells in enumerate(state):
        row, column = divmod(number, across)
        if row % 2:
            column = across - 1 - column
        for bit, cell in enumerate(cells):
            byte = BLOCK_BITS // 8 - 1 - bit // 8  # bit 127 is the first bit of byte 0
            x = columns[left + column * side + (2 * (byte // 4) + 1) * side // 8]
            y = rows[top + row * side + (2 * (byte % 4) + 1) * side // 8]
            places[cell] = f"X{x}/Y{y}/SLICE{'ABCD'[bit % 8 // 2]}.FF{bit % 2}"
    return places


def _in_block_rams(state: list[list[str]], sites: Sites, name: str) -> dict[str, str]:
    # A memory holds two bytes, so it comes up more than once; byte 0 first.
    cells = list(dict.fromkeys(cell for stage in state for cell in reversed(stage)))
    if len(cells) > len(sites.block_rams):
        raise UsageError(
            f"laid out, the state takes {len(cells)} block RAMs in one row, and of those of {name} "
            f"{len(sites.block_rams)} are known; leave --floorplan out"
        )
    first = (len(sites.block_rams) - len(cells)) // 2
    return dict(zip(cells, sites.block_rams[first:], strict=False))
