# SPDX-License-Identifier: Apache-2.0
"""A bitstream of a GateMate device, unpacked: the words of each block of tiles and of the device.

`gmunpack` writes each word that is not zero by its name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from aesforge.errors import UsageError
from aesforge.prove.bitstream.gatemate.chip import Chip, Spot
from aesforge.prove.bitstream.unpack import unpacked

Words = dict[str, int]
"""The value of each word that is not zero, by its name."""


@dataclass
class Config:
    """What a bitstream holds.

    Args:
        spots: the words of each block of tiles.
        device: those of the device.
        others: those of what no design that is read back has (block RAM, SERDES), by the line that
            begins them.
    """

    spots: dict[Spot, Words] = field(default_factory=dict)
    device: Words = field(default_factory=dict)
    others: dict[str, Words] = field(default_factory=dict)


def read(path: Path, chip: Chip) -> Config:
    """Read a bitstream.

    Args:
        path: of the file, as `gmpack` writes it.
        chip: that it must be for.

    Raises:
        UsageError: there is no such file, it is no bitstream of GateMate, or it is for another one.
        ToolMissing: `gmunpack` is not installed.
    """
    text = unpacked("gmunpack", path, "GateMate").decode("utf-8")
    return parse(text, path, chip)


def parse(text: str, path: Path, chip: Chip) -> Config:
    """Read what `gmunpack` writes.

    Raises:
        UsageError: it is for another device.
    """
    found = Config()
    words: Words = {}
    for line in text.splitlines():
        kind, *values = line.split() or [""]
        if kind == ".device":
            if values != [chip.name]:
                raise UsageError(f"'{path}' is for {' '.join(values)}, not for {chip.name}")
        elif kind == ".config" and values == ["0"]:
            words = found.device
        elif kind == ".tile" and values[0] == "0":
            words = found.spots.setdefault((int(values[1]), int(values[2])), {})
        elif kind.startswith("."):
            words = found.others.setdefault(line, {})
        elif len(values) == 1 and set(values[0]) <= {"0", "1"}:
            words[kind] = int(values[0], 2)
        elif kind:
            # A row of a memory's content.
            words[line] = 1
    return found
