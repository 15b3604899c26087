# SPDX-License-Identifier: Apache-2.0
"""What every description has: a name, plain data for JSON, and tables for people."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Sequence
from typing import Any


@dataclasses.dataclass(frozen=True)
class Table:
    """A table for people.

    Args:
        title: text above it.
        columns: their headings; one that begins with `>` is a column of numbers.
        groups: rows, between which a line is drawn.
    """

    title: str
    columns: tuple[str, ...]
    groups: tuple[Sequence[Sequence[str]], ...]


class Description(abc.ABC):
    """A design in numbers; all of it follows from the design alone, no tool is run."""

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """The design's name."""

    @property
    @abc.abstractmethod
    def warning(self) -> str | None:
        """Why the design must protect nothing; None if it is AES."""

    @abc.abstractmethod
    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data, for JSON; numbers carry their units in their names."""

    @abc.abstractmethod
    def tables(self) -> list[Table]:
        """Return the tables for people."""

    def print_tables(self) -> None:
        """Print the description as tables on standard output."""
        from aesforge.report.terminal import console, table

        out = console()
        if self.warning is not None:
            out.print(f"[bold red]{self.name}: {self.warning}[/]\n")
        for number, one in enumerate(self.tables()):
            if number:
                out.print()
            shown = table(one.title, *one.columns)
            for place, group in enumerate(one.groups):
                if place:
                    shown.add_section()
                for row in group:
                    shown.add_row(*row)
            out.print(shown)


CHOICES = "choice", "value", ""
"""Columns of every description's table of choices."""
NUMBERS = "times and sizes", ("what", "number", "")
"""Title and columns of every description's table of numbers."""
