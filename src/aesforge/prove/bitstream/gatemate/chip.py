# SPDX-License-Identifier: Apache-2.0
"""The database of a GateMate device: its wires, its switches, and the words that configure them.

It is the file that comes with nextpnr for GateMate: a table for each kind of tile, with the wires,
the switches, and of each switch the word and the value that choose it. nextpnr's `chipdb.h` and
`extra_data.h` say how it is laid out. A number is little-endian, a pointer counts from its place.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources

from aesforge.errors import AesforgeError, ToolMissing
from aesforge.toolchain import install

_PACKAGE = "yowasp-nextpnr-himbaechel-gatemate"
_MAGIC, _VERSION = 0x00CA7CA7, 6
_TYPE, _WIRE, _PIP, _TILE, _NODE_REF, _SHAPE, _PAD = 40, 48, 24, 16, 6, 12, 28
BANKS = ("N1", "N2", "E1", "E2", "W1", "W2", "S1", "S2", "CFG")
"""The banks of pins, in the order of the database."""
# Where a wire is its own: from here on it is no place of another.
_TILE_WIRE = 0x7000
# What a switch's flags say.
_INVERTS, _VISIBLE, _OF_DEVICE = 1, 2, 4
# The number of a tile's wires is less.
_WIRES = 1 << 12
_NUMBERED = re.compile(r"(IM|OM|CPE|IOES|LES|BES|RES|TES)\.")
_DRIVE = re.compile(r"(SB_DRIVE\.P\d\d\.D)(\d)(.*)")
# A driver of some switch boxes has its word two spots on, with another number.
_OPPOSITE = {"3": (-2, 0, "1"), "4": (0, -2, "2"), "1": (2, 0, "3"), "2": (0, 2, "4")}

CELL = "CPE."
"""What the words of a cell begin with."""
Place = tuple[int, int]
"""The column and the row of a tile."""
Spot = tuple[int, int]
"""The column and the row of a block of words; two by two tiles share one."""


@dataclass(frozen=True)
class Switch:
    """One way to drive a wire.

    Args:
        source: the name of the wire that drives.
        sink: that of the wire that is driven.
        word: that chooses it; empty for one that is always closed, or that follows from a cell.
        bits: of the word.
        value: of the word.
        inverts: whether what is driven is inverted.
        of_device: whether the word is one of the device, not of a tile.
    """

    source: str
    sink: str
    word: str
    bits: int
    value: int
    inverts: bool
    of_device: bool


class Kind:
    """A kind of tile.

    Args:
        wires: their names.
        switches: all of them.
    """

    def __init__(self, wires: Sequence[str], switches: Sequence[Switch]) -> None:
        self.wires = wires
        self.number = {name: number for number, name in enumerate(wires)}
        self.into: dict[str, list[Switch]] = {}
        self.words: dict[str, list[Switch]] = {}
        for switch in switches:
            self.into.setdefault(switch.sink, []).append(switch)
            if switch.word:
                self.words.setdefault(switch.word, []).append(switch)


@dataclass(frozen=True)
class Tile:
    """A tile of the device.

    Args:
        kind: its kind.
        shape: where the wires are that its own are parts of.
        spot: of its words.
        place: in the block of its spot.
        number: in the words of its spot.
    """

    kind: int
    shape: int
    spot: Spot
    inside: Place
    number: int


class _Names(Sequence[str]):
    """The name of each wire, by its number."""

    def __init__(self, chip: Chip) -> None:
        self._chip = chip

    def __len__(self) -> int:
        return self._chip.width * self._chip.height * _WIRES

    def __getitem__(self, number: int) -> str:  # type: ignore[override]
        at, wire = divmod(number, _WIRES)
        y, x = divmod(at, self._chip.width)
        return f"X{x}Y{y}/{self._chip.kind((x, y)).wires[wire]}"


class Chip:
    """The database of one device.

    Args:
        name: of the device, as CCGM1A1.

    Raises:
        ToolMissing: nextpnr for GateMate is not installed.
        AesforgeError: its database is of another form.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        try:
            folder = resources.files(_PACKAGE.replace("-", "_"))
            self._data: bytes = (
                folder / f"share/himbaechel/gatemate/chipdb-{name}.bin"
            ).read_bytes()
        except (ModuleNotFoundError, OSError):
            raise ToolMissing(
                "the database of GateMate devices comes with nextpnr; install it with "
                f"`{install.command(_PACKAGE)}`"
            ) from None
        head = self._pointer(0)
        magic, version = self._int(head), self._int(head + 4)
        self.width, self.height = self._int(head + 8), self._int(head + 12)
        if (magic, version) != (_MAGIC, _VERSION):
            raise AesforgeError(f"the database of {name} has the form {version}, not {_VERSION}")
        self._kinds, _ = self._slice(head + 28)
        self._tiles, _ = self._slice(head + 36)
        self._shapes, _ = self._slice(head + 52)
        self._packages, _ = self._slice(head + 60)
        names = self._pointer(head + 76)
        self._first_name = self._int(names)
        self._names, _ = self._slice(names + 4)
        self.wires = _Names(self)
        # Filled with the switches of a design's nets: those of the whole device are too many.
        self.resting: dict[int, int] = {}

    def _int(self, at: int) -> int:
        return int.from_bytes(self._data[at : at + 4], "little", signed=True)

    def _pointer(self, at: int) -> int:
        return at + self._int(at)

    def _slice(self, at: int) -> tuple[int, int]:
        """Return where a list begins, and how many elements it has."""
        return self._pointer(at), self._int(at + 4)

    @cache  # noqa: B019
    def _name(self, number: int) -> str:
        """Return a name; names that nextpnr itself knows are not in the file."""
        if number < self._first_name:
            return ""
        start = self._pointer(self._names + 4 * (number - self._first_name))
        return self._data[start : self._data.index(b"\0", start)].decode("ascii")

    @cache  # noqa: B019
    def _kind(self, number: int) -> Kind:
        at = self._kinds + _TYPE * number
        first, count = self._slice(at + 12)
        wires = [self._name(self._int(first + _WIRE * n)) for n in range(count)]
        first, count = self._slice(at + 20)
        switches = []
        for start in range(first, first + _PIP * count, _PIP):
            source, sink = struct.unpack_from("<2i", self._data, start)
            extra = self._pointer(start + 20)
            name, bits, value, flags = struct.unpack_from("<i3B", self._data, extra)
            word = self._name(name) if flags & _VISIBLE else ""
            inverts, of_device = bool(flags & _INVERTS), bool(flags & _OF_DEVICE)
            ends = wires[source], wires[sink]
            switches.append(Switch(*ends, word, bits, value, inverts, of_device))
        return Kind(wires, switches)

    def has(self, place: Place) -> bool:
        """Return whether there is a tile at a place."""
        return 0 <= place[0] < self.width and 0 <= place[1] < self.height

    @cache  # noqa: B019
    def tile(self, place: Place) -> Tile:
        """Return the tile at a place."""
        at = self._tiles + _TILE * (place[1] * self.width + place[0])
        kind, shape = struct.unpack_from("<2i", self._data, at + 4)
        extra = self._pointer(at + 12)
        _, x, y, inside_x, inside_y, number = struct.unpack_from("<6B", self._data, extra)
        return Tile(kind, shape, (x, y), (inside_x, inside_y), number)

    def kind(self, place: Place) -> Kind:
        """Return the kind of the tile at a place."""
        return self._kind(self.tile(place).kind)

    def wire(self, place: Place, name: str) -> int:
        """Return the number of a wire, the same for all its names.

        Raises:
            KeyError: the tile has no wire of this name.
        """
        x, y = place
        own = self.kind(place).number[name]
        first, count = self._slice(self._shapes + _SHAPE * self.tile(place).shape)
        if own < count:
            mode, dy, root = struct.unpack_from("<2hH", self._data, first + _NODE_REF * own)
            if mode < _TILE_WIRE:
                x, y, own = x + mode, y + dy, root
        return (y * self.width + x) * _WIRES + own

    @cached_property
    def _at(self) -> dict[Spot, list[Place]]:
        """The tiles of each spot."""
        found: dict[Spot, list[Place]] = {}
        for y in range(self.height):
            for x in range(self.width):
                found.setdefault(self.tile((x, y)).spot, []).append((x, y))
        return found

    def word(self, place: Place, name: str) -> tuple[Spot, str]:
        """Return where the word of a tile's switch is, and its name there."""
        tile = self.tile(place)
        match = _DRIVE.fullmatch(name)
        if match and "CPE.IN1" in self.kind(place).number:
            dx, dy, other = _OPPOSITE[match[2]]
            inside = tile.inside[0] if dx else tile.inside[1]
            if inside >= 4 if dx + dy < 0 else inside <= 3:
                spot = tile.spot[0] + dx, tile.spot[1] + dy
                return spot, match[1] + other + match[3]
        return tile.spot, _NUMBERED.sub(rf"\g<1>{tile.number}.", name)

    @cache  # noqa: B019
    def words(self, spot: Spot) -> dict[str, tuple[Place, str]]:
        """Return the tile of each word of a switch at a spot, and its name there."""
        found: dict[str, tuple[Place, str]] = {}
        for dx, dy in ((0, 0), (2, 0), (-2, 0), (0, 2), (0, -2)):
            for place in self._at.get((spot[0] + dx, spot[1] + dy), []):
                for name, ways in self.kind(place).words.items():
                    if ways[0].of_device or name.startswith(CELL):
                        continue
                    if dx == dy == 0 or _DRIVE.fullmatch(name):
                        where, word = self.word(place, name)
                        if where == spot:
                            found[word] = place, name
        return found

    @cached_property
    def device_words(self) -> dict[str, tuple[Place, str]]:
        """The tile of each word of a switch that is one of the device, and its name there."""
        return {
            name: (place, name)
            for places in self._at.values()
            for place in places
            for name, ways in self.kind(place).words.items()
            if ways[0].of_device
        }

    def tiles_at(self, spot: Spot) -> Iterator[Place]:
        """Return the tiles of a spot."""
        yield from self._at.get(spot, [])

    @cached_property
    def bank_of(self) -> dict[Place, str]:
        """The bank of each tile with a pin."""
        first, count = self._slice(self._packages + 4)
        found = {}
        for at in range(first, first + _PAD * count, _PAD):
            x, y = re.findall(r"\d+", self._name(self._int(at + 4)))
            found[int(x), int(y)] = BANKS[self._int(at + 16)]
        return found

    def erased(self, place: str, setting: str) -> int | str:
        """Return the value of a setting none of whose bits is set."""
        return 0
