# SPDX-License-Identifier: Apache-2.0
"""Flip bits of a bitstream, and see whether the comparison finds those that matter.

Which bits matter is told from the design, by other steps than the comparison takes: those that
configure a place with a cell of it, or a switch of a wire of it.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from aesforge.prove.bitstream.compare import Comparison, compare
from aesforge.prove.bitstream.layout import Database, Layout
from aesforge.prove.bitstream.routed import Expected


class Bit(Protocol):
    """One bit of a bitstream."""

    def apply(self, config: Any) -> Any:
        """Return a bitstream of its family with this bit flipped; the one given stays as it is."""

    def text(self) -> str:
        """Return where it is."""


_Bit = TypeVar("_Bit", bound=Bit)


@dataclass
class Counts:
    """What became of flipped bits.

    Args:
        used: that matter to a cell or net of the design.
        found: of these, how many the comparison found.
        unused: that do not matter.
        named: of these, how many the comparison took as equal, and named as used by nothing or
            left open by the design.
        unknown: of which the database says nothing, in tiles of the design that must have none.
        told: of these, how many the comparison found.
        wrong: a line for each that went wrong.
    """

    used: int = 0
    found: int = 0
    unused: int = 0
    named: int = 0
    unknown: int = 0
    told: int = 0
    wrong: list[str] = field(default_factory=list)


class Reader(Protocol):
    """Reads bitstreams of one chip."""

    def layout(self, config: Any) -> Layout:
        """Return what a bitstream configures."""


class Faults(ABC, Generic[_Bit]):
    """The bits of one bitstream.

    Args:
        chip: the database.
        expected: of the design.
        reader: of the chip's bitstreams.
        config: the bitstream.

    Attributes:
        bits: how many there are.
    """

    bits: int

    def __init__(self, chip: Database, expected: Expected, reader: Reader, config: Any) -> None:
        self.chip, self.expected = chip, expected
        self._reader, self._config = reader, config

    @abstractmethod
    def pick(self, chosen: random.Random) -> _Bit:
        """Return a random bit."""

    def layout(self, flip: _Bit | None) -> Layout:
        """Return what the bitstream configures, with a bit flipped or as it is."""
        return self._reader.layout(flip.apply(self._config) if flip else self._config)

    @abstractmethod
    def matters(self, flip: _Bit) -> bool:
        """Return whether a bit configures something that the design uses."""

    @abstractmethod
    def is_open(self, flip: _Bit) -> bool:
        """Return whether a bit is of a used memory, and the design leaves it open."""

    def is_unknown(self, flip: _Bit) -> bool:
        """Return whether the database does not name a bit, and its tile must have none such."""
        return False

    def compare(self, flip: _Bit | None = None) -> Comparison:
        """Compare the bitstream with the design, with a bit flipped or as it is."""
        return compare(self.chip, self.layout(flip), self.expected)


def campaign(
    faults: Faults[Any],
    *,
    used: int,
    others: int,
    seed: int,
    progress: Callable[[int], None] = lambda _done: None,
) -> Counts:
    """Flip random bits of the whole device, one at a time, until enough of them matter.

    Args:
        faults: the bits of a bitstream, which must configure the design.
        used: how many bits that matter.
        others: at most how many that do not; further ones are passed over.
        seed: of the choice.
        progress: told how many of them are done.
    """
    chosen = random.Random(seed)
    whole = faults.compare()
    counts = Counts()
    while counts.used < used:
        flip = faults.pick(chosen)
        if faults.matters(flip):
            counts.used += 1
            good = not faults.compare(flip).same
            counts.found += good
            progress(counts.used)
        elif faults.is_unknown(flip):
            counts.unknown += 1
            good = not faults.compare(flip).same
            counts.told += good
        elif counts.unused < others:
            counts.unused += 1
            result = faults.compare(flip)
            good = result.same and (faults.is_open(flip) or whole.unused != result.unused)
            counts.named += good
        else:
            continue
        if not good:
            counts.wrong.append(flip.text())
    return counts
