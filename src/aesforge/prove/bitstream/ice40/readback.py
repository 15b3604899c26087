# SPDX-License-Identifier: Apache-2.0
"""From the bits of an iCE40 device to its cells and the wires between them.

Nothing here knows a design: a bit is read by what the database says of it.
"""

from __future__ import annotations

from collections.abc import Callable

from aesforge.prove.bitstream.ice40.chip import Bit, Chip, Place, Switch
from aesforge.prove.bitstream.ice40.config import Config
from aesforge.prove.bitstream.layout import Layout, Settings

# In which of the 20 bits of a logic cell each entry of its look-up table lies, and the others.
TABLE = (4, 14, 15, 5, 6, 16, 17, 7, 3, 13, 12, 2, 1, 11, 10, 0)
CARRY, FLIP_FLOP, SET, ASYNCHRONOUS = 8, 9, 18, 19
CELLS_PER_TILE = 8
# Places of what no design that is read back uses.
PLL, OUTSIDE = "PLL", "outside the tiles"


class Reader:
    """Reads bitstreams of one chip; what it read of a tile is kept.

    Args:
        chip: the chip.
    """

    def __init__(self, chip: Chip) -> None:
        self.chip = chip
        self._read: dict[tuple[Place, str], Layout] = {}
        self._named: dict[Place, set[Bit]] = {}

    def layout(self, config: Config) -> Layout:
        """Return what a bitstream configures."""
        whole = Layout()
        for place in self.chip.tiles:
            rows = config.tiles[place]
            key = (place, "".join(rows))
            part = self._read.get(key)
            if part is None:
                part = self._read[key] = self._tile(place, rows)
            whole.join(part)
        for (x, y), memory in config.memories.items():
            whole.add(f"X{x}/Y{y}/ram", {f"INIT_{row:X}": word for row, word in enumerate(memory)})
        for bank, x, y in config.extra:
            whole.add(OUTSIDE, {f"bit {bank} {x} {y}": 1})
            whole.never.add(OUTSIDE)
        return whole

    def _tile(self, place: Place, rows: list[str]) -> Layout:
        part = Layout()
        ones = {
            (row, at) for row, line in enumerate(rows) for at, bit in enumerate(line) if bit == "1"
        }
        if not ones:
            return part
        for switch in self.chip.switches.get(place, ()):
            value = value_of(switch, ones)
            if not value:
                continue
            source = switch.sources.get(value)
            if source is None:
                part.invalid.add(switch.wire)
            else:
                part.drivers.setdefault(switch.wire, []).append(source)
        kind = self.chip.tiles[place]
        entries = self.chip.entries[kind]

        def entry(name: str) -> int:
            bits = entries.get(name, ())
            return sum((bit in ones) << index for index, bit in enumerate(bits))

        x, y = place
        if kind in _KINDS:
            _KINDS[kind](self.chip, part, place, entry)
        else:  # the cells of these tiles are not read back: no design may have one
            part.add(f"X{x}/Y{y}/{kind}", {name: entry(name) for name in entries})
        part.add(
            f"X{x}/Y{y}/column buffers",
            {f"glb_netwk_{n}": entry(f"ColBufCtrl.glb_netwk_{n}") for n in range(8)},
        )
        part.unnamed = [
            (f"X{x}/Y{y}", f"bit {column} of row {row}")
            for row, column in sorted(ones - self._named_bits(place))
        ]
        return part

    def _named_bits(self, place: Place) -> set[Bit]:
        if place not in self._named:
            entries = self.chip.entries[self.chip.tiles[place]]
            self._named[place] = {bit for bits in entries.values() for bit in bits} | {
                bit for switch in self.chip.switches.get(place, ()) for bit in switch.bits
            }
        return self._named[place]


def value_of(switch: Switch, ones: set[Bit]) -> int:
    """Return the value of a switch's bits."""
    value = 0
    for bit in switch.bits:
        value = value << 1 | (bit in ones)
    return value


_Entry = Callable[[str], int]


def _logic(_chip: Chip, part: Layout, place: Place, entry: _Entry) -> None:
    x, y = place
    part.add(f"X{x}/Y{y}/tile", {"NegClk": entry("NegClk"), "CarryInSet": entry("CarryInSet")})
    for z in range(CELLS_PER_TILE):
        part.add(f"X{x}/Y{y}/lc{z}", logic_settings(entry(f"LC_{z}")))


def logic_settings(bits: int) -> Settings:
    """Return the settings of a logic cell, of its 20 bits."""
    return {
        "LUT_INIT": sum((bits >> at & 1) << index for index, at in enumerate(TABLE)),
        "CARRY_ENABLE": bits >> CARRY & 1,
        "DFF_ENABLE": bits >> FLIP_FLOP & 1,
        "SET_NORESET": bits >> SET & 1,
        "ASYNC_SR": bits >> ASYNCHRONOUS & 1,
    }


def _io(chip: Chip, part: Layout, place: Place, entry: _Entry) -> None:
    x, y = place
    part.add(f"X{x}/Y{y}/tile", {"NegClk": entry("NegClk")})
    for z in range(2):
        kinds = (entry(f"IOB_{z}.PINTYPE_{index}") << index for index in range(6))
        part.add(f"X{x}/Y{y}/io{z}", {"PIN_TYPE": sum(kinds)})
    for (to_x, to_y, to_z), enable in chip.enables.items():
        if enable.tile == place:
            part.add(
                f"X{to_x}/Y{to_y}/io{to_z}",
                {
                    "input enable": entry(f"IoCtrl.IE_{enable.index}"),
                    "no pull-up": entry(f"IoCtrl.REN_{enable.index}"),
                    "pull-up resistor": sum(
                        entry(f"IoCtrl.cf_bit_{36 - 4 * enable.index + bit}") << bit
                        for bit in range(4)
                    ),
                },
            )
    known = {enable.index for enable in chip.enables.values() if enable.tile == place}
    for index in {0, 1} - known:
        part.add(
            f"X{x}/Y{y}/no pin",
            {f"{name}{index}": entry(f"IoCtrl.{name}{index}") for name in ("IE_", "REN_")}
            | {
                name: entry(f"IoCtrl.{name}")
                for name in (f"cf_bit_{36 - 4 * index + bit}" for bit in range(4))
            },
        )
    others = [
        *(f"IoCtrl.padeb_test_{index}" for index in range(2)),
        *(f"IpConfig.cbit2usealt_in_{index}" for index in range(2)),
        *("IpConfig.SDA_input_delay", "IpConfig.SDA_output_delay"),
    ]
    part.add(
        f"X{x}/Y{y}/tile",
        {
            "LVDS": entry("IoCtrl.LVDS"),
            "Icegate": entry("Icegate"),
            "test and alternate input": sum(entry(name) << at for at, name in enumerate(others)),
        },
    )
    part.never.add(f"X{x}/Y{y}/{PLL}")
    part.add(
        f"X{x}/Y{y}/{PLL}",
        {f"PLLCONFIG_{index}": entry(f"PLL.PLLCONFIG_{index}") for index in range(1, 10)},
    )


def _lower(_chip: Chip, part: Layout, place: Place, entry: _Entry) -> None:
    x, y = place
    part.add(
        f"X{x}/Y{y}/ram",
        {"NEG_CLK_R": entry("NegClk"), "power": entry("RamConfig.PowerUp")},
    )
    _cascade(part, f"X{x}/Y{y}/ram", "lower", entry)


def _upper(_chip: Chip, part: Layout, place: Place, entry: _Entry) -> None:
    x, y = place
    part.add(
        f"X{x}/Y{y - 1}/ram",
        {
            "NEG_CLK_W": entry("NegClk"),
            "WRITE_MODE": entry("RamConfig.CBIT_0") | entry("RamConfig.CBIT_1") << 1,
            "READ_MODE": entry("RamConfig.CBIT_2") | entry("RamConfig.CBIT_3") << 1,
        },
    )
    _cascade(part, f"X{x}/Y{y - 1}/ram", "upper", entry)


def _cascade(part: Layout, place: str, half: str, entry: _Entry) -> None:
    for index in range(4, 8):
        part.add(place, {f"{half} cascade {index}": entry(f"RamCascade.CBIT_{index}")})


_KINDS = {"logic": _logic, "io": _io, "ramb": _lower, "ramt": _upper}
