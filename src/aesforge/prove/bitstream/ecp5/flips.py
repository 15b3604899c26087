# SPDX-License-Identifier: Apache-2.0
"""The bits of an ECP5 bitstream, one of them flipped, and whether it matters to a design."""

from __future__ import annotations

import random
from dataclasses import dataclass

from aesforge.prove.bitstream import flips
from aesforge.prove.bitstream.ecp5.chip import Chip, Tile, place_of
from aesforge.prove.bitstream.ecp5.config import MEMORY_BITS, MEMORY_WORDS, Config
from aesforge.prove.bitstream.ecp5.readback import ROW_WORDS, Reader, memory_place
from aesforge.prove.bitstream.routed import Expected


@dataclass(frozen=True)
class Flip:
    """One bit of a bitstream.

    Args:
        row: its frame, or its word in a memory.
        bit: of that.
        memory: the number of its block RAM; None for a bit of a frame.
    """

    row: int
    bit: int
    memory: int | None = None

    def apply(self, config: Config) -> Config:
        """Return a bitstream with this bit flipped; the one given stays as it is."""
        if self.memory is None:
            frames = list(config.frames)
            frames[self.row] ^= 1 << self.bit
            return Config(frames, config.memories)
        words = list(config.memories[self.memory])
        words[self.row] ^= 1 << self.bit
        return Config(config.frames, config.memories | {self.memory: words})

    def text(self) -> str:
        """Return where it is."""
        if self.memory is None:
            return f"frame {self.row}, bit {self.bit}"
        return f"memory {self.memory}, word {self.row}, bit {self.bit}"


class Faults(flips.Faults[Flip]):
    """The bits of an ECP5 bitstream: of its frames, and of the memories that it has content for.

    Args:
        chip: its database.
        config: the bitstream.
        expected: of the design.
    """

    def __init__(self, chip: Chip, config: Config, expected: Expected) -> None:
        super().__init__(chip, expected, Reader(chip), config)
        self._chip = chip
        self._in_frames = chip.frames * chip.frame_bits
        self._in_memory = MEMORY_WORDS * MEMORY_BITS
        self.bits = self._in_frames + self._in_memory * len(config.memories)
        self._tiles: dict[int, list[Tile]] = {}
        for tile in chip.tiles.values():
            for frame in range(tile.frame, tile.frame + tile.frames):
                self._tiles.setdefault(frame, []).append(tile)

    def pick(self, chosen: random.Random) -> Flip:
        """Return a random bit."""
        number = chosen.randrange(self.bits)
        if number < self._in_frames:
            return Flip(*divmod(number, self._chip.frame_bits))
        index, rest = divmod(number - self._in_frames, self._in_memory)
        return Flip(*divmod(rest, MEMORY_BITS), memory=sorted(self._config.memories)[index])

    def tile(self, flip: Flip) -> Tile:
        """Return the tile of a bit of a frame."""
        return next(
            tile for tile in self._tiles[flip.row] if tile.bit <= flip.bit < tile.bit + tile.bits
        )

    def matters(self, flip: Flip) -> bool:
        """Return whether a bit configures something that the design uses."""
        if flip.memory is not None:
            return memory_place(flip.memory) in self.expected.cells and not self.is_open(flip)
        tile, touched = self._touched(flip)
        kind = self._chip.kinds[tile.kind]
        wires, settings = touched
        # A setting that holds a wire at a constant does it with any bit of the wire's switch.
        settings = settings + [name for name, wire in kind.beside.items() if wire in wires]
        for setting in settings:
            place, name = place_of(tile.name, setting)
            if name in self.expected.cells.get(place, {}):
                return True
        nets = self.expected.nets
        for wire in wires:
            switch = kind.switches[wire]
            ends = [wire]
            for config in (self._config, flip.apply(self._config)):
                pattern = config.ones(tile) & switch.bits
                if pattern in switch.by_bits and pattern:
                    ends.append(switch.by_bits[pattern])
            if any(self._chip.wire(tile.x, tile.y, end) in nets for end in ends):
                return True
        return False

    def is_unknown(self, flip: Flip) -> bool:
        """Return whether the database does not name a bit, and its tile is one of the design."""
        if flip.memory is not None:
            return False
        tile, touched = self._touched(flip)
        return touched == ([], []) and tile.name in self.expected.tiles

    def _touched(self, flip: Flip) -> tuple[Tile, tuple[list[str], list[str]]]:
        """Return the tile of a bit, and the switches and settings there that have it."""
        tile = self.tile(flip)
        bit = flip.row - tile.frame, flip.bit - tile.bit
        return tile, self._chip.kinds[tile.kind].touched.get(bit, ([], []))

    def is_open(self, flip: Flip) -> bool:
        """Return whether a bit is of a used memory, and the design leaves it open."""
        if flip.memory is None:
            return False
        row, word = divmod(flip.row, ROW_WORDS)
        setting = memory_place(flip.memory), f"INITVAL_{row:02X}"
        return bool(self.expected.undefined.get(setting, 0) >> (word * MEMORY_BITS + flip.bit) & 1)
