# SPDX-License-Identifier: Apache-2.0
"""Markdown that several pages use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]

Section = tuple[str, str, Callable[[], str]]
"""A page, the marker in it, and what makes the content between the markers."""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def one_of(values: Iterable[object]) -> str:
    """Return values as code, with commas."""
    return ", ".join(f"`{value}`" for value in values)
