# SPDX-License-Identifier: Apache-2.0
"""The bits of an iCE40 bitstream, one of them flipped, and whether it matters to a design."""

from __future__ import annotations

import random
from copy import copy
from dataclasses import dataclass

from aesforge.prove.bitstream import flips
from aesforge.prove.bitstream.ice40.chip import Bit, Chip, Place
from aesforge.prove.bitstream.ice40.config import Config
from aesforge.prove.bitstream.ice40.readback import Reader, value_of
from aesforge.prove.bitstream.routed import Expected

_ROW_BITS, _ROWS = 256, 16
_SHARED = {
    "IoCtrl.LVDS": "LVDS",
    "Icegate": "Icegate",
    **{f"IoCtrl.padeb_test_{index}": "test and alternate input" for index in range(2)},
    **{f"IpConfig.cbit2usealt_in_{index}": "test and alternate input" for index in range(2)},
    "IpConfig.SDA_input_delay": "test and alternate input",
    "IpConfig.SDA_output_delay": "test and alternate input",
}


@dataclass(frozen=True)
class Flip:
    """One bit of a bitstream.

    Args:
        place: of its tile, or of the lower tile of its block RAM.
        bit: row and column.
        memory: it is of a block RAM's content.
    """

    place: Place
    bit: Bit
    memory: bool = False

    def apply(self, config: Config) -> Config:
        """Return a bitstream with this bit flipped; the one given stays as it is."""
        row, column = self.bit
        changed = copy(config)
        if self.memory:
            rows = list(config.memories.get(self.place, [0] * _ROWS))
            rows[row] ^= 1 << column
            changed.memories = config.memories | {self.place: rows}
        else:
            lines = list(config.tiles[self.place])
            old = lines[row]
            lines[row] = f"{old[:column]}{'10'[int(old[column])]}{old[column + 1 :]}"
            changed.tiles = config.tiles | {self.place: lines}
        return changed

    def text(self) -> str:
        """Return where it is."""
        x, y = self.place
        row, column = self.bit
        return f"X{x}/Y{y}, {'memory ' if self.memory else ''}row {row}, bit {column}"


def every(chip: Chip) -> tuple[list[tuple[Place, bool, int, int]], int]:
    """Return the groups of a device's bits (place, memory, rows, columns), and how many bits."""
    groups = [
        (place, False, *chip.sizes[kind]) for place, kind in chip.tiles.items() if kind != "none"
    ]
    groups += [
        (place, True, _ROWS, _ROW_BITS) for place, kind in chip.tiles.items() if kind == "ramb"
    ]
    return groups, sum(rows * columns for *_, rows, columns in groups)


def matters(chip: Chip, config: Config, expected: Expected, flip: Flip) -> bool:
    """Return whether a bit configures something that the design uses."""
    x, y = flip.place
    if flip.memory:
        place, setting = f"X{x}/Y{y}/ram", f"INIT_{flip.bit[0]:X}"
        is_open = expected.undefined.get((place, setting), 0) >> flip.bit[1] & 1
        return place in expected.cells and not is_open
    kind = chip.tiles[flip.place]
    for name, bits in chip.entries[kind].items():
        if flip.bit in bits and _entry_matters(chip, expected, flip.place, kind, name):
            return True
    before, after = (_ones(one, flip.place) for one in (config, flip.apply(config)))
    for switch in chip.switches.get(flip.place, ()):
        if flip.bit not in switch.bits:
            continue
        if switch.wire in expected.nets:
            return True
        sources = {switch.sources.get(value_of(switch, ones), -1) for ones in (before, after)}
        if sources & expected.nets.keys():
            return True
    return False


def _ones(config: Config, place: Place) -> set[Bit]:
    lines = config.tiles[place]
    return {
        (row, at) for row, line in enumerate(lines) for at, bit in enumerate(line) if bit == "1"
    }


def _entry_matters(chip: Chip, expected: Expected, place: Place, kind: str, name: str) -> bool:
    x, y = place
    group, _, rest = name.partition(".")
    if group.startswith("LC_"):
        return f"X{x}/Y{y}/lc{group[3:]}" in expected.cells
    if group == "ColBufCtrl":
        return rest in expected.cells.get(f"X{x}/Y{y}/column buffers", {})
    if group == "PLL":
        return True
    if kind in ("ramb", "ramt"):
        lower = y if kind == "ramb" else y - 1
        return f"X{x}/Y{lower}/ram" in expected.cells
    if group.startswith("IOB_"):
        return f"X{x}/Y{y}/io{group[4:]}" in expected.cells
    shared = _SHARED.get(name, name)
    if shared in ("NegClk", "CarryInSet", *_SHARED.values()):
        return shared in expected.cells.get(f"X{x}/Y{y}/tile", {})
    if group == "IoCtrl":
        index = int(rest[-1]) if rest[:2] in ("IE", "RE") else int(int(rest[-2:]) < 36)
        return any(
            f"X{to_x}/Y{to_y}/io{to_z}" in expected.cells
            for (to_x, to_y, to_z), enable in chip.enables.items()
            if enable.tile == place and enable.index == index
        )
    return False


class Faults(flips.Faults[Flip]):
    """The bits of an iCE40 bitstream.

    Args:
        chip: its database.
        config: the bitstream.
        expected: of the design.
    """

    def __init__(self, chip: Chip, config: Config, expected: Expected) -> None:
        super().__init__(chip, expected, Reader(chip), config)
        self._chip = chip
        self._groups, self.bits = every(chip)
        self._weights = [rows * columns for *_, rows, columns in self._groups]

    def pick(self, chosen: random.Random) -> Flip:
        """Return a random bit."""
        ((place, memory, rows, columns),) = chosen.choices(self._groups, self._weights)
        return Flip(place, (chosen.randrange(rows), chosen.randrange(columns)), memory)

    def matters(self, flip: Flip) -> bool:
        """Return whether a bit configures something that the design uses."""
        return matters(self._chip, self._config, self.expected, flip)

    def is_open(self, flip: Flip) -> bool:
        """Return whether a bit is of a used memory, and the design leaves it open."""
        x, y = flip.place
        return flip.memory and f"X{x}/Y{y}/ram" in self.expected.cells
