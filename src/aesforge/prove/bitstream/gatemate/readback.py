# SPDX-License-Identifier: Apache-2.0
"""From the words of a GateMate bitstream to its cells and the wires between them.

Nothing here knows a design: a word is read by what the database says of it.
"""

from __future__ import annotations

import re

from aesforge.prove.bitstream.gatemate.chip import Chip, Place, Spot
from aesforge.prove.bitstream.gatemate.config import Config, Words
from aesforge.prove.bitstream.layout import Layout

DEVICE = "device"
_CELL = re.compile(r"(CPE)(\d)\.(\w+)")
_PIN = re.compile(r"GPIO\.(\w+)")


def cell_place(place: Place) -> str:
    """Return the name of what a tile configures besides its switches."""
    return f"X{place[0]}Y{place[1]}"


def words_place(spot: Spot) -> str:
    """Return the name of a block of words, for those that are known by no name."""
    return f"words at {spot[0]} {spot[1]}"


def pins_place(spot: Spot) -> str:
    """Return the name of the pins of a block of words."""
    return f"pins at {spot[0]} {spot[1]}"


class Reader:
    """Reads bitstreams of one device; what it read of a block of words is kept.

    Args:
        chip: the device.
    """

    def __init__(self, chip: Chip) -> None:
        self.chip = chip
        self._read: dict[tuple[Spot, frozenset[tuple[str, int]]], Layout] = {}

    def layout(self, config: Config) -> Layout:
        """Return what a bitstream configures."""
        whole = Layout()
        for spot, words in config.spots.items():
            key = spot, frozenset(words.items())
            if key not in self._read:
                self._read[key] = self._spot(spot, words)
            whole.join(self._read[key])
        words = dict(config.device)
        self._switches(whole, self.chip.device_words, words)
        whole.add(DEVICE, words)
        for title, words in config.others.items():
            whole.add(title, words)
            whole.never.add(title)
        return whole

    def _switches(self, part: Layout, known: dict[str, tuple[Place, str]], words: Words) -> None:
        """Close the switches of some words, and take these words out."""
        for word in known.keys() & words.keys():
            place, name = known[word]
            value = words.pop(word)
            ways = self.chip.kind(place).words[name]
            sinks = {self.chip.wire(place, way.sink) for way in ways}
            closed = [way for way in ways if way.value == value]
            for way in closed:
                sink = self.chip.wire(place, way.sink)
                part.drivers.setdefault(sink, []).append(self.chip.wire(place, way.source))
            if not closed:
                part.invalid |= sinks

    def _spot(self, spot: Spot, words: Words) -> Layout:
        part = Layout()
        rest = dict(words)
        self._switches(part, self.chip.words(spot), rest)
        tiles = {self.chip.tile(place).number: place for place in self.chip.tiles_at(spot)}
        for word, value in rest.items():
            if (match := _CELL.fullmatch(word)) and int(match[2]) in tiles:
                part.add(cell_place(tiles[int(match[2])]), {match[3]: value})
            elif match := _PIN.fullmatch(word):
                part.add(pins_place(spot), {match[1]: value})
            else:
                part.unnamed.append((words_place(spot), f"{word} = {value}"))
        return part
