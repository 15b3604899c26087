# SPDX-License-Identifier: Apache-2.0
"""The bits of a Gowin bitstream, one of them flipped, and whether it matters to a design."""

from __future__ import annotations

import random
from dataclasses import dataclass

from aesforge.prove.bitstream import flips
from aesforge.prove.bitstream.gowin.chip import Bit, Chip, Place, place_name
from aesforge.prove.bitstream.gowin.config import Config
from aesforge.prove.bitstream.gowin.readback import Reader
from aesforge.prove.bitstream.layout import Layout
from aesforge.prove.bitstream.routed import Expected


@dataclass(frozen=True)
class Flip:
    """One bit of a bitstream.

    Args:
        place: its tile.
        bit: in the tile.
    """

    place: Place
    bit: Bit

    def apply(self, config: Config) -> Config:
        """Return a bitstream with this bit flipped; the one given stays as it is."""
        ones = config.ones(self.place) ^ {self.bit}
        return Config(config.tiles | {self.place: ones}, config.header)

    def text(self) -> str:
        """Return where it is."""
        return f"{place_name(self.place, 'tile')}, row {self.bit[0]}, column {self.bit[1]}"


class Faults(flips.Faults[Flip]):
    """The bits of the tiles of a Gowin bitstream.

    Args:
        chip: its database.
        config: the bitstream.
        expected: of the design.
    """

    def __init__(self, chip: Chip, config: Config, expected: Expected) -> None:
        super().__init__(chip, expected)
        self._chip, self._config = chip, config
        self._reader = Reader(chip)
        self._sizes = [
            (place, kind.rows * kind.columns)
            for place in chip.places
            for kind in (chip.kind(place),)
        ]
        self.bits = sum(size for _, size in self._sizes)

    def pick(self, chosen: random.Random) -> Flip:
        """Return a random bit."""
        number = chosen.randrange(self.bits)
        for place, size in self._sizes:
            if number < size:
                return Flip(place, divmod(number, self._chip.kind(place).columns))
            number -= size
        raise AssertionError

    def layout(self, flip: Flip | None) -> Layout:
        """Return what the bitstream configures, with a bit flipped or as it is."""
        return self._reader.layout(flip.apply(self._config) if flip else self._config)

    def matters(self, flip: Flip) -> bool:
        """Return whether a bit configures something that the design uses."""
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
        """Return whether the design leaves a bit open: it asks for each that it uses."""
        return False

    def is_unknown(self, flip: Flip) -> bool:
        """Return whether the database does not name a bit, and its tile is one of the design."""
        return (
            flip.bit not in self._chip.kind(flip.place).touched
            and place_name(flip.place, "tile") in self.expected.tiles
        )
