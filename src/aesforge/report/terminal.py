# SPDX-License-Identifier: Apache-2.0
"""Tables for people, all of one form, printed by rich."""

from __future__ import annotations

import sys

from rich import box
from rich.console import Console
from rich.table import Table


def console() -> Console:
    """Return a console on standard output; in a pipe, which has no width, nothing is cut off."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else 120)


def table(title: str, *columns: str) -> Table:
    """Return an empty table.

    Args:
        title: text above it.
        columns: their headings; one that begins with `>` is a column of numbers.
    """
    new = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    new.show_edge = False
    for name in columns:
        number = name.startswith(">")
        new.add_column(
            name.removeprefix(">"), justify="right" if number else "left", overflow="fold"
        )
    return new
