# SPDX-License-Identifier: Apache-2.0
"""A bitstream of a Gowin device, unpacked: the bits of each tile.

The file is text, a line for each command and each row of bits. Apicula reads it, and checks the CRC
of each row.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from aesforge.errors import UsageError
from aesforge.prove.bitstream.gowin.chip import Bit, Chip, Place
from aesforge.prove.bitstream.gowin.memory import CONTENT_ROWS, Content

_ID, _CONFIGURATION, _KEYS, _ROWS = 0x06, 0x10, 0x51, 0x3B
_COMPRESSED = 1 << 13
_CHECKSUM = 0x0A


@dataclass
class Config:
    """What a bitstream holds.

    Args:
        tiles: the set bits of each tile; one without any is left out.
        header: the commands before the rows, without what depends on their number and compression.
        memories: the set bits of each block RAM's content, by the row and column of its own.
        stray: set bits of the rows of content that belong to no block RAM.
    """

    tiles: dict[Place, frozenset[Bit]]
    header: list[bytes]
    memories: dict[Place, frozenset[Bit]] = field(default_factory=dict)
    stray: list[Bit] = field(default_factory=list)

    def ones(self, place: Place) -> frozenset[Bit]:
        """Return the set bits of a tile."""
        return self.tiles.get(place, frozenset())


def read(path: Path, chip: Chip, device: str) -> Config:
    """Read a bitstream, compressed or not.

    Args:
        path: of the file, as `gowin_pack` writes it (`.fs`).
        chip: that it must be for.
        device: the device's name, for messages.

    Raises:
        UsageError: there is no such file, it is no bitstream of Gowin, is damaged, or is for
            another chip.
    """
    from apycula import bslib

    try:
        rows, header, footer, _ = bslib.read_bitstream(str(path))
    except OSError as error:
        raise UsageError(f"cannot read '{path}': {error.strerror or error}") from None
    except (ValueError, AssertionError, IndexError, UnboundLocalError, TypeError) as error:
        what = "the CRC of a row is wrong" if isinstance(error, AssertionError) else error
        raise UsageError(f"'{path}' is no intact Gowin bitstream: {what}") from None
    lines = [bytes(line) for line in header]
    own, needed = (
        next((line for line in some if line[:1] == bytes([_ID])), b"")
        for some in (lines, chip.header)
    )
    if own != needed:
        raise UsageError(
            f"'{path}' is for the chip with the code {own[-4:].hex()}; {device} has the chip "
            f"'{chip.name}', {needed[-4:].hex()}: name the device that it was built for"
        )
    height, width = int(chip.data.height), int(chip.data.width)
    if any(len(row) != width for row in rows) or len(rows) < height:
        raise UsageError(f"'{path}' is incomplete: it has not {height} rows of {width} bits")
    _check_sum(path, rows[:height], [bytes(line) for line in footer])
    found = Config(_tiles(chip, rows), [kept(line) for line in lines])
    _content(chip, rows, found)
    return found


def _check_sum(path: Path, rows: list[list[int]], footer: list[bytes]) -> None:
    """Check the sum of the tiles' rows as words of 16 bits, which the end of the file has."""
    found = next((line for line in footer if line[:1] == bytes([_CHECKSUM])), None)
    bits = "".join("".join(map(str, reversed(row))) for row in rows)
    bits += "0" * (-len(bits) % 16)
    total = sum(int(bits[at : at + 16], 2) for at in range(0, len(bits), 16)) & 0xFFFF
    if found is None or int.from_bytes(found[-2:], "big") != total:
        raise UsageError(f"'{path}' is no intact Gowin bitstream: the sum of its rows is wrong")


def _tiles(chip: Chip, rows: list[list[int]]) -> dict[Place, frozenset[Bit]]:
    found: dict[Place, frozenset[Bit]] = {}
    for place, (top, left) in chip.corners.items():
        kind = chip.kind(place)
        ones = frozenset(
            (y, x)
            for y in range(kind.rows)
            for x, bit in enumerate(rows[top + y][left : left + kind.columns])
            if bit
        )
        if ones:
            found[place] = ones
    return found


def _content(chip: Chip, rows: list[list[int]], found: Config) -> None:
    """Read the content of block RAM, in the rows after those of the tiles."""
    content = Content(chip)
    left = {
        (row, column)
        for row in range(int(chip.data.height), len(rows))
        for column, bit in enumerate(rows[row])
        if bit
    }
    if not left:
        return
    for place, (top, first) in content.corners.items():
        own = {
            (row - top, column - first)
            for row, column in left
            if 0 <= row - top < CONTENT_ROWS and 0 <= column - first < content.width
        }
        left -= {(row + top, column + first) for row, column in own}
        if own:
            found.memories[place] = frozenset(own)
    found.stray = sorted(left)


def kept(line: bytes) -> bytes:
    """Return a command of the header without what compression or the number of rows change."""
    value = int.from_bytes(line, "big")
    if line[:1] == bytes([_CONFIGURATION]):
        value &= ~_COMPRESSED
    elif line[:1] == bytes([_KEYS]):
        value |= 0xFFFFFF
    elif line[:1] == bytes([_ROWS]):
        value &= ~0xFFFF
    return value.to_bytes(len(line), "big")
