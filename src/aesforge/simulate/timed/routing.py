# SPDX-License-Identifier: Apache-2.0
"""How long the wires of a routed ECP5 netlist are, and which pins they drive."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from aesforge.netlist.module import Bit, Cell, Module

# General routing, as Project Trellis names it ("General Routing"): H or V, then how many tiles a
# wire spans: 1, 2 or 6, and 0 for one that does not leave its tile. A wire is charged as a whole,
# since it is driven as a whole, wherever it is tapped. The clock network has other names.
_SPAN = re.compile(r"/[HV](\d\d)[A-Z]\d+$")


@dataclass(frozen=True)
class Net:
    """What a transition of a net has to move.

    Args:
        tiles: that its wires span together.
        pins: inputs of cells that it drives.
    """

    tiles: int
    pins: int


def nets_of(module: Module) -> dict[Bit, Net]:
    """Return every net of a routed netlist by its number.

    Args:
        module: as nextpnr writes it: the attribute ROUTING of a net holds its wires, each followed
            by the switch that drives it and by that one's strength.
    """
    pins = Counter(
        bit
        for cell in module.cells.values()
        for port, bits in cell.connections.items()
        if cell.directions[port] == "input"
        for bit in bits
    )
    return {
        bit: Net(tiles_of(wire.attributes.get("ROUTING", "")), pins[bit])
        for wire in module.wires.values()
        for bit in wire.bits
    }


def tiles_of(routing: str) -> int:
    """Return how many tiles the wires of a net span together."""
    spans = (_SPAN.search(wire) for wire in routing.split(";")[::3])
    return sum(int(span[1]) for span in spans if span)


def clock_pins_of(cells: Mapping[str, Cell], prefix: str) -> int:
    """Return how many clock inputs of flip-flops and of memories' write ports there are.

    Args:
        cells: of the routed netlist, by name.
        prefix: of the names of those that count.
    """
    return sum(
        bool(cell.connections.get(port))
        for name, cell in cells.items()
        if name.startswith(prefix)
        for port in ("CLK", "WCK")
    )
