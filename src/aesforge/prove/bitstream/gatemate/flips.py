# SPDX-License-Identifier: Apache-2.0
"""The words of a GateMate bitstream, a bit of them flipped, and whether it matters to a design.

These are the words that the database or a cell has, at every place of the device. `gmunpack` tells
which bit of the file is which bit of a word, and is trusted in that.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from aesforge.prove.bitstream import flips
from aesforge.prove.bitstream.gatemate.chip import CELL, Chip, Place, Spot
from aesforge.prove.bitstream.gatemate.config import Config
from aesforge.prove.bitstream.gatemate.readback import Reader, cell_place
from aesforge.prove.bitstream.routed import Expected

# The bits of the words of a cell that are not those of switches.
_OF_CELLS = {
    **{f"INIT_L{table}": 4 for table in ("00", "01", "02", "03", "10", "11", "20", "30")},
    **{"C_FUNCTION": 3, "C_COMP": 2},
    **{f"C_I{number}": 1 for number in range(1, 5)},
    **{f"C_CPE_{role}": 2 for role in ("CLK", "EN", "RES", "SET")},
    **{f"C_RAM_{way}{number}": 1 for way in "IO" for number in (1, 2)},
    **{"C_EN_SR": 1, "C_CLKSEL": 1, "C_ENSEL": 1, "C_L_D": 1, "C_EN_CIN": 1},
}
# More bits than the words of any tile have.
_MOST = 512


@dataclass(frozen=True)
class Flip:
    """One bit of a word.

    Args:
        spot: of the word.
        word: its name there.
        bit: of the word.
        place: of the tile that it configures.
        name: the name that the database has for it there.
    """

    spot: Spot
    word: str
    bit: int
    place: Place
    name: str

    def apply(self, config: Config) -> Config:
        """Return a bitstream with this bit flipped; the one given stays as it is."""
        words = dict(config.spots.get(self.spot, {}))
        words[self.word] = words.get(self.word, 0) ^ 1 << self.bit
        words = {name: value for name, value in words.items() if value}
        return replace(config, spots=config.spots | {self.spot: words})

    def text(self) -> str:
        """Return where it is."""
        return f"{self.word} at {self.spot[0]} {self.spot[1]}, bit {self.bit}"


class Faults(flips.Faults[Flip]):
    """The bits of the words of a GateMate bitstream.

    Args:
        chip: its database.
        config: the bitstream.
        expected: of the design.
    """

    def __init__(self, chip: Chip, config: Config, expected: Expected) -> None:
        super().__init__(chip, expected, Reader(chip), config)
        self._chip = chip
        self._words: dict[int, list[tuple[str, int]]] = {}
        self._places = [(x, y) for y in range(chip.height) for x in range(chip.width)]
        self.bits = sum(bits for place in self._places for _, bits in self._of(place))

    def _of(self, place: Place) -> list[tuple[str, int]]:
        """Return the words that configure a tile, and how many bits each has."""
        kind = self._chip.tile(place).kind
        if kind not in self._words:
            words = self._chip.kind(place).words
            found = {name: ways[0].bits for name, ways in words.items() if not ways[0].of_device}
            if any(name.startswith(CELL) for name in found):
                found |= {CELL + name: bits for name, bits in _OF_CELLS.items()}
            self._words[kind] = sorted(found.items())
        return self._words[kind]

    def pick(self, chosen: random.Random) -> Flip:
        """Return a random bit."""
        while True:
            place = chosen.choice(self._places)
            words = self._of(place)
            number = chosen.randrange(_MOST)
            for name, bits in words:
                if number < bits:
                    spot, word = self._chip.word(place, name)
                    return Flip(spot, word, number, place, name)
                number -= bits

    def matters(self, flip: Flip) -> bool:
        """Return whether a bit configures something that the design uses."""
        if flip.name.startswith(CELL):
            settings = self.expected.cells.get(cell_place(flip.place), {})
            return flip.name.removeprefix(CELL) in settings
        nets = self.expected.nets
        ways = self._chip.kind(flip.place).words[flip.name]
        before = self._config.spots.get(flip.spot, {}).get(flip.word, 0)
        for way in ways:
            if self._chip.wire(flip.place, way.sink) in nets:
                return True
            # One that is not used, and is or would be driven by a net.
            chosen = {before, before ^ 1 << flip.bit} - {0}
            if way.value in chosen and self._chip.wire(flip.place, way.source) in nets:
                return True
        return False

    def is_open(self, flip: Flip) -> bool:
        """Return whether a bit is of a used memory, and the design leaves it open."""
        return False
