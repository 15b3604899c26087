# SPDX-License-Identifier: Apache-2.0
"""The bits of a Gowin bitstream, one of them flipped, and whether it matters to a design."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from aesforge.prove.bitstream import flips
from aesforge.prove.bitstream.gowin.chip import Bit, Chip, Place, place_name
from aesforge.prove.bitstream.gowin.config import Config
from aesforge.prove.bitstream.gowin.memory import Content
from aesforge.prove.bitstream.gowin.readback import CONTENT, Reader
from aesforge.prove.bitstream.routed import Expected


@dataclass(frozen=True)
class Flip:
    """One bit of a bitstream.

    Args:
        place: its tile, or that of its block RAM.
        bit: in the tile, or in the content of the block RAM.
        memory: whether it is of the content.
    """

    place: Place
    bit: Bit
    memory: bool = False

    def apply(self, config: Config) -> Config:
        """Return a bitstream with this bit flipped; the one given stays as it is."""
        if self.memory:
            content = config.memories.get(self.place, frozenset()) ^ {self.bit}
            return replace(config, memories=config.memories | {self.place: content})
        ones = config.ones(self.place) ^ {self.bit}
        return replace(config, tiles=config.tiles | {self.place: ones})

    def text(self) -> str:
        """Return where it is."""
        what = CONTENT if self.memory else "tile"
        return f"{place_name(self.place, what)}, row {self.bit[0]}, column {self.bit[1]}"


class Faults(flips.Faults[Flip]):
    """The bits of the tiles of a Gowin bitstream.

    Args:
        chip: its database.
        config: the bitstream.
        expected: of the design.
    """

    def __init__(self, chip: Chip, config: Config, expected: Expected) -> None:
        super().__init__(chip, expected, Reader(chip), config)
        self._chip = chip
        self._sizes = [
            (place, kind.rows * kind.columns)
            for place in chip.places
            for kind in (chip.kind(place),)
        ]
        # Without content of any block RAM the file has no rows for it.
        self._content = Content(chip)
        self._memories = self._content.places if config.memories else []
        self._in_memory = len(self._content.order)
        self._in_tiles = sum(size for _, size in self._sizes)
        self.bits = self._in_tiles + self._in_memory * len(self._memories)

    def pick(self, chosen: random.Random) -> Flip:
        """Return a random bit."""
        number = chosen.randrange(self.bits)
        if number >= self._in_tiles:
            index, number = divmod(number - self._in_tiles, self._in_memory)
            return Flip(self._memories[index], self._content.order[number], memory=True)
        for place, size in self._sizes:
            if number < size:
                return Flip(place, divmod(number, self._chip.kind(place).columns))
            number -= size
        raise AssertionError

    def matters(self, flip: Flip) -> bool:
        """Return whether a bit configures something that the design uses."""
        if flip.memory:
            row, _ = self._content.where[flip.bit]
            place = place_name(flip.place, CONTENT)
            return row in self.expected.cells.get(place, {}) and not self.is_open(flip)
        kind = self._chip.kind(flip.place)
        wires, settings = kind.touched.get(flip.bit, ([], []))
        for bel, setting in settings:
            if setting in self.expected.cells.get(place_name(flip.place, bel), {}):
                return True
        for wire in wires:
            switch = kind.switches[wire]
            ends = [wire]
            for config in (self._config, flip.apply(self._config)):
                pattern = config.ones(flip.place) & switch.bits
                if pattern and pattern in switch.sources:
                    ends.append(switch.sources[pattern])
            if any(self._chip.wire(flip.place, end) in self.expected.nets for end in ends):
                return True
        return False

    def is_open(self, flip: Flip) -> bool:
        """Return whether a bit is of a used memory, and the design leaves it open."""
        if not flip.memory:
            return False
        row, bit = self._content.where[flip.bit]
        opened = self.expected.undefined.get((place_name(flip.place, CONTENT), row), 0)
        return bool(opened >> bit & 1)

    def is_unknown(self, flip: Flip) -> bool:
        """Return whether the database does not name a bit, and its tile is one of the design."""
        return not flip.memory and (
            flip.bit not in self._chip.kind(flip.place).touched
            and place_name(flip.place, "tile") in self.expected.tiles
        )
