# SPDX-License-Identifier: Apache-2.0
"""Print the papers' own tables with our figures beneath each line, and what follows of each."""

from __future__ import annotations

import csv
import io
import itertools
import textwrap
from collections.abc import Iterable, Sequence

from rich.text import Text

from aesforge.report.terminal import console, table
from aesforge.research.papers.compare import Comparison, Kind, counts
from aesforge.research.papers.published import Paper

_WIDTH = 100
_STYLES = {"reproduced": "green", "differs": "yellow"}


def number(value: float | None) -> str:
    """Give a number as people read it: thousands apart, three digits that count, `-` for none."""
    if value is None:
        return "-"
    size = abs(value)
    if value == int(value) and size < 1e9:
        return f"{value:,.0f}"
    digits = 0 if size >= 1000 else 1 if size >= 100 else 2 if size >= 1 else 3
    return f"{value:,.{digits}f}"


def times(ratio: float | None) -> str:
    """Give a ratio in brackets behind a figure, nothing for none."""
    if ratio is None:
        return ""
    return f" ({ratio:.3g}x)"


def published_text(one: Comparison) -> str:
    """Give the paper's figure as it says it: with its ratio, or only `higher` or `lower`."""
    if one.published is None:
        return one.claim or "-"
    exact = f"{one.published:,.10g}"
    return exact + times(one.published_ratio)


def ours_text(one: Comparison) -> str:
    """Give our figure with its ratio."""
    return number(one.ours) + times(one.ours_ratio)


def ours_where(one: Comparison) -> str:
    """Give what of ours it is of: the core of the bench, the device, and the placements."""
    if one.ours is None:
        return ""
    seeds = {0: "", 1: ", one seed"}.get(one.seeds, f", {one.seeds} seeds")
    return f"{one.core} on {one.ours_device}{seeds}" if one.ours_device else one.core or "counted"


def groups(comparisons: Iterable[Comparison]) -> list[tuple[str, list[list[Comparison]]]]:
    """Give the tables by name, each as its rows."""
    return [
        (name, [list(row) for _, row in itertools.groupby(of, lambda one: (one.row, one.device))])
        for name, of in itertools.groupby(comparisons, lambda one: one.table)
    ]


def print_paper(paper: Paper, comparisons: Sequence[Comparison]) -> None:
    """Print a paper's tables on standard output.

    Args:
        paper: what it is.
        comparisons: all of it, in the order of reading.
    """
    out = console()
    out.print(Text(f"{paper.key}: {paper.authors}: {paper.title}. {paper.venue}", style="bold"))
    titles = {one.name: one.title for one in paper.table}
    for name, rows in groups(comparisons):
        out.print()
        out.print(Text(f"{name}: {titles[name]}", style="bold"))
        new = table("", "", "device", *(f">{one.column}\n{one.unit}" for one in rows[0]))
        for row in rows:
            new.add_row(row[0].row, row[0].device, *map(published_text, row))
            for line in _ours_lines(row):
                new.add_row(*line)
        out.print(new)
        for text in verdict_lines(list(itertools.chain(*rows))):
            out.print(Text(text))
    out.print()
    out.print(Text(counts_text(comparisons), style="bold"))


def by_device(row: Sequence[Comparison]) -> list[tuple[str, list[Comparison]]]:
    """Give the figures of a row of which there is ours, by the device that it is from."""
    found: dict[str, list[Comparison]] = {}
    for one in row:
        if one.ours is not None:
            found.setdefault(one.ours_device, []).append(one)
    return list(found.items())


def _ours_lines(row: Sequence[Comparison]) -> list[list[Text]]:
    """Give a line for each device that our figures of a row are from."""
    return [
        [
            Text("  ours", style="cyan"),
            Text(device, style="cyan"),
            *(
                Text(ours_text(one), style=_STYLES.get(one.verdict, "cyan"))
                if one in cells
                else Text()
                for one in row
            ),
        ]
        for device, cells in by_device(row)
    ]


def verdicts(comparisons: Sequence[Comparison]) -> list[tuple[str, str]]:
    """Give the verdicts of a table, and of which figures each is.

    Args:
        comparisons: the whole table.
    """
    every = dict.fromkeys((one.row, one.device) for one in comparisons)
    found: dict[str, dict[tuple[str, str], list[str]]] = {}
    for one in comparisons:
        if one.verdict != "no figure":
            rows = found.setdefault(one.said, {})
            rows.setdefault((one.row, one.device), []).append(one.column)
    lines = []
    for said, rows in found.items():
        which = []
        # Rows of the same columns together, in the order of the table.
        for columns in dict.fromkeys(map(tuple, rows.values())):
            same = [row for row in rows if tuple(rows[row]) == columns]
            names = "; ".join(map(", ".join, same)) if len(same) < len(every) else "all"
            which.append(f"{', '.join(columns)} of {names}")
        lines.append((said, ". ".join(which)))
    return lines


def verdict_lines(comparisons: Sequence[Comparison]) -> list[str]:
    """Give the verdicts of a table in lines of a terminal."""
    return [
        line
        for said, which in verdicts(comparisons)
        for line in textwrap.wrap(
            f"{said} [{which}]", _WIDTH, initial_indent="- ", subsequent_indent="  "
        )
    ]


def counts_text(comparisons: Iterable[Comparison]) -> str:
    """Give how many figures have each verdict, in a line."""
    words: dict[Kind, str] = {
        "reproduced": "reproduced",
        "differs": "that differ",
        "not here": "not reproducible here",
        "not measured": "not yet measured",
    }
    found = counts(comparisons)
    return "figures: " + ", ".join(f"{found[kind]} {text}" for kind, text in words.items())


FIELDS = (
    *("paper", "table", "row", "column", "device", "unit", "published", "published_ratio", "over"),
    *("claim", "ours", "ours_ratio", "ours_unit", "core", "ours_device", "seeds"),
    *("verdict", "why", "derived"),
)


def as_csv(comparisons: Iterable[Comparison]) -> str:
    """Give CSV with the columns of `FIELDS`, a line for each figure; what is not known is empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, FIELDS, lineterminator="\n")
    writer.writeheader()
    for one in comparisons:
        writer.writerow(one.as_dict())
    return text.getvalue()
