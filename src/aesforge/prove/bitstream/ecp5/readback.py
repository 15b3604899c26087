# SPDX-License-Identifier: Apache-2.0
"""From the bits of an ECP5 device to its cells and the wires between them.

Nothing here knows a design: a bit is read by what the database says of it.
"""

from __future__ import annotations

from aesforge.prove.bitstream.ecp5.chip import (
    CARRY_SETTINGS,
    Bit,
    Chip,
    Choice,
    Kind,
    Tile,
    place_of,
)
from aesforge.prove.bitstream.ecp5.config import MEMORY_BITS, Config
from aesforge.prove.bitstream.layout import Layout, Settings

MEMORY_ROWS, ROW_WORDS = 64, 32


class Reader:
    """Reads bitstreams of one chip; what it read of a tile is kept.

    Args:
        chip: the chip.
    """

    def __init__(self, chip: Chip) -> None:
        self.chip = chip
        self._read: dict[tuple[str, frozenset[Bit]], Layout] = {}

    def layout(self, config: Config) -> Layout:
        """Return what a bitstream configures."""
        whole = Layout()
        for tile in self.chip.tiles.values():
            if ones := config.ones(tile):
                key = tile.name, ones
                part = self._read.get(key)
                if part is None:
                    part = self._read[key] = self._tile(tile, ones)
                whole.join(part)
        for number, words in config.memories.items():
            whole.add(memory_place(number), memory_rows(words))
        return whole

    def _tile(self, tile: Tile, ones: frozenset[Bit]) -> Layout:
        part = Layout()
        kind = self.chip.kinds[tile.kind]
        wires: set[str] = set()
        settings: set[str] = set()
        for bit in ones:
            if bit not in kind.touched:
                part.unnamed.append((tile.name, f"bit F{bit[0]}B{bit[1]}"))
                continue
            wires.update(kind.touched[bit][0])
            settings.update(kind.touched[bit][1])
        part.unnamed.sort()
        carries = carry_slices(kind, ones)
        for wire in sorted(wires):
            switch = kind.switches[wire]
            at_switch = ones & switch.bits
            source = switch.by_bits.get(at_switch)
            if wire in _OUTPUTS and _OUTPUTS[wire] in carries:
                continue  # a carry's own bit
            number = self.chip.wire(tile.x, tile.y, wire)
            if source is not None:
                driver = self.chip.wire(tile.x, tile.y, source)
                part.drivers.setdefault(number, []).append(driver)
            elif not _holds(kind, wire, at_switch):
                part.invalid.add(number)
        for name in sorted(settings):
            if name.endswith(CARRY_SETTINGS) and name.split(".")[0] not in carries:
                continue  # the bit is the switch's at the output
            value = kind.value(name, ones)
            if value != kind.value(name, frozenset()):
                place, own = place_of(tile.name, name)
                part.cells.setdefault(place, {})[own] = value
        return part


# The output of a slice that its carry does not choose.
_OUTPUTS = {f"F{z}": f"SLICE{'ABCD'[z // 2]}" for z in range(8)}


def carry_slices(kind: Kind, ones: frozenset[Bit]) -> set[str]:
    """Return the slices of a tile that are carries."""
    return {
        name.split(".")[0]
        for name in (f"SLICE{letter}.MODE" for letter in "ABCD")
        if name in kind.settings and kind.value(name, ones) == "CCU2"
    }


def _holds(kind: Kind, wire: str, at_switch: frozenset[Bit]) -> bool:
    """Return whether a setting holds a wire at 0 or 1 by a pattern of its switch."""
    bits = kind.switches[wire].bits
    return any(
        option.on & bits == at_switch
        for name, beside in kind.beside.items()
        if beside == wire
        for choice in (kind.settings[name],)
        if isinstance(choice, Choice)
        for option in choice.options.values()
    )


def memory_place(number: int) -> str:
    """Return the place of the content of a block RAM, by its number in the bitstream."""
    return f"memory {number}"


def memory_rows(words: list[int]) -> Settings:
    """Return the content of a block RAM as 64 rows of 32 words of 9 bits."""
    return {
        f"INITVAL_{row:02X}": sum(
            word << MEMORY_BITS * index
            for index, word in enumerate(words[row * ROW_WORDS : (row + 1) * ROW_WORDS])
        )
        for row in range(MEMORY_ROWS)
    }
