# SPDX-License-Identifier: Apache-2.0
"""From the bits of a Gowin device to its cells and the wires between them.

Nothing here knows a design: a bit is read by what the database says of it.
"""

from __future__ import annotations

from aesforge.prove.bitstream.gowin.chip import Bit, Chip, Place, place_name
from aesforge.prove.bitstream.gowin.config import Config
from aesforge.prove.bitstream.gowin.memory import Content
from aesforge.prove.bitstream.layout import Layout

HEADER = "header"
CONTENT = "content"


class Reader:
    """Reads bitstreams of one chip; what it read of a tile is kept.

    Args:
        chip: the chip.
    """

    def __init__(self, chip: Chip) -> None:
        self.chip = chip
        self._read: dict[tuple[Place, frozenset[Bit]], Layout] = {}
        self._content = Content(chip)

    def layout(self, config: Config) -> Layout:
        """Return what a bitstream configures."""
        whole = Layout()
        for place, ones in config.tiles.items():
            part = self._read.get((place, ones))
            if part is None:
                part = self._read[place, ones] = self._tile(place, ones)
            whole.join(part)
        for place, ones in config.memories.items():
            whole.join(self._memory(place, ones))
        whole.unnamed += [(CONTENT, f"bit R{row}C{column}") for row, column in config.stray]
        whole.cells[HEADER] = {
            f"command {number}": line.hex() for number, line in enumerate(config.header)
        }
        return whole

    def _memory(self, place: Place, ones: frozenset[Bit]) -> Layout:
        """Return the content of a block RAM."""
        part = Layout()
        name = place_name(place, CONTENT)
        rows: dict[str, int] = {}
        for row, column in sorted(ones):
            known = self._content.where.get((row, column))
            if known is None:
                part.unnamed.append((name, f"bit R{row}C{column}"))
            else:
                rows[known[0]] = rows.get(known[0], 0) | 1 << known[1]
        part.add(name, rows)
        return part

    def _tile(self, place: Place, ones: frozenset[Bit]) -> Layout:
        part = Layout()
        kind = self.chip.kind(place)
        wires: set[str] = set()
        settings: set[tuple[str, str]] = set()
        for row, column in ones:
            touched = kind.touched.get((row, column))
            if touched is None:
                part.unnamed.append((place_name(place, "tile"), f"bit R{row}C{column}"))
                continue
            wires.update(touched[0])
            settings.update(touched[1])
        part.unnamed.sort()
        for wire in sorted(wires):
            switch = kind.switches[wire]
            source = switch.sources.get(ones & switch.bits)
            number = self.chip.wire(place, wire)
            if source is None:
                part.invalid.add(number)
            else:
                part.drivers.setdefault(number, []).append(self.chip.wire(place, source))
        for bel, setting in sorted(settings):
            cell = part.cells.setdefault(place_name(place, bel), {})
            cell[setting] = kind.value(bel, setting, ones)
        return part
