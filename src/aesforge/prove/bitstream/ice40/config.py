# SPDX-License-Identifier: Apache-2.0
"""A bitstream of an iCE40 device, unpacked: the bits of each tile and of each memory."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from aesforge.errors import UsageError
from aesforge.prove.bitstream.ice40.chip import Chip, Place
from aesforge.prove.bitstream.unpack import unpacked

_TILE = re.compile(r"\.(logic|io|ramb|ramt|dsp[0-3]|ipcon)_tile (\d+) (\d+)")
_MEMORY_ROWS = 16
_MEMORY_DIGITS = 64


@dataclass
class Config:
    """What a bitstream holds.

    Args:
        chip: of the device, as in `.device`.
        tiles: the bits of each tile: a text of `0` and `1` for each row.
        memories: the 16 rows of 256 bits of each block RAM, by the lower of its tiles; one that is
            left out holds zeros.
        extra: bits outside the tiles: bank, x and y.
    """

    chip: str
    tiles: dict[Place, list[str]] = field(default_factory=dict)
    memories: dict[Place, list[int]] = field(default_factory=dict)
    extra: set[tuple[int, int, int]] = field(default_factory=set)


def read(path: Path, chip: Chip, device: str) -> Config:
    """Read a bitstream, packed (`.bin`) or unpacked (`.asc`).

    Args:
        path: of the file.
        chip: that it must be for.
        device: the device's name, for messages.

    Raises:
        UsageError: there is no such file, it is no bitstream of iCE40, is damaged, or is for
            another chip.
        ToolMissing: `iceunpack` is not installed.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read '{path}': {error.strerror or error}") from None
    if not data.lstrip().startswith((b".comment", b".device")):
        data = unpacked("iceunpack", path, "iCE40")
    try:
        config = parse(data.decode("ascii"))
    except (UnicodeDecodeError, ValueError) as error:
        raise UsageError(f"'{path}' is no iCE40 bitstream: {error}") from None
    if config.chip != chip.name:
        raise UsageError(
            f"'{path}' is for the iCE40 chip '{config.chip}'; {device} has the chip '{chip.name}': "
            "name the device that it was built for"
        )
    for place, kind in chip.tiles.items():
        rows, columns = chip.sizes[kind]
        found = config.tiles.get(place, [])
        if [len(row) for row in found] != [columns] * rows:
            raise UsageError(
                f"'{path}' is incomplete: the tile at X{place[0]}/Y{place[1]} has not "
                f"{rows} rows of {columns} bits"
            )
    return config


def parse(text: str) -> Config:
    """Return an unpacked bitstream.

    Raises:
        ValueError: it is none; the message says what is wrong.
    """
    config = Config("")
    rows: list[str] | None = None
    memory: list[int] | None = None
    for line in text.splitlines():
        if line.startswith("."):
            rows = memory = None
            words = line.split()
            if tile := _TILE.fullmatch(line.strip()):
                rows = config.tiles.setdefault((int(tile[2]), int(tile[3])), [])
            elif words[0] == ".device" and len(words) == 2:
                config.chip = words[1]
            elif words[0] == ".ram_data" and len(words) == 3:
                memory = config.memories.setdefault((int(words[1]), int(words[2])), [])
            elif words[0] == ".extra_bit" and len(words) == 4:
                bank, x, y = map(int, words[1:])
                config.extra.add((bank, x, y))
            elif words[0] not in (".comment", ".sym", ".warmboot"):
                raise ValueError(f"unknown line '{line[:40]}'")
        elif rows is not None and line.strip():
            if set(line) > {"0", "1"}:
                raise ValueError(f"a row of bits is '{line[:40]}'")
            rows.append(line)
        elif memory is not None and line.strip():
            memory.append(int(line, 16))
    if not config.chip:
        raise ValueError("it has no line .device")
    for place, words_of in config.memories.items():
        if len(words_of) != _MEMORY_ROWS or max(words_of) >> (4 * _MEMORY_DIGITS):
            raise ValueError(f"the memory at X{place[0]}/Y{place[1]} has not 16 rows of 256 bits")
    return config
