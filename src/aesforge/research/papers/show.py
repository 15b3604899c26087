# SPDX-License-Identifier: Apache-2.0
"""Print the papers' tables with our figures beneath each line, their claims, and the verdicts."""

from __future__ import annotations

import csv
import io
import itertools
import textwrap
from collections.abc import Iterable, Sequence

from rich.text import Text

from aesforge.report.terminal import console, table
from aesforge.research.papers.compare import Comparison, Kind, closeness, counts
from aesforge.research.papers.published import Paper, published

_WIDTH = 100
_STYLES = {"reproduced": "green", "differs": "yellow"}


def number(value: float | None) -> str:
    """Return a number as people read it: thousands apart, three digits that count, `-` for none."""
    if value is None:
        return "-"
    size = abs(value)
    if value == int(value) and size < 1e9:
        return f"{value:,.0f}"
    digits = 0 if size >= 1000 else 1 if size >= 100 else 2 if size >= 1 else 3
    return f"{value:,.{digits}f}"


def times(ratio: float | None) -> str:
    """Return a ratio in brackets after a figure, nothing for none."""
    if ratio is None:
        return ""
    return f" ({ratio:.3g}x)"


def published_text(one: Comparison) -> str:
    """Return the paper's figure as it says it, with its ratio; a derived one is marked."""
    if one.published is None:
        return "-"
    exact = f"{one.published:,.10g}" + times(one.published_ratio)
    bound = f"{one.bound} {exact}" if one.bound else exact
    return f"[{bound}]" if one.verdict == "derived" else bound


def ours_text(one: Comparison) -> str:
    """Return our figure with its ratio, and that ratio over the paper's; packed slices say so."""
    ratio = times(one.ours_ratio)
    if ratio and one.ours_over_theirs is not None and one.within != 1:
        ratio = f" ({one.ours_ratio:.3g}x, {one.ours_over_theirs:.2f} of theirs)"
    return number(one.ours) + ratio + (" packed" if one.packed and one.ours is not None else "")


def claim_theirs(one: Comparison) -> str:
    """Return what a claim says of the ratio: its range, or only `higher` or `lower`."""
    low, high = one.published_ratio, one.published_ratio_to
    if low is None or high is None:
        return one.claim
    return f"{low:.3g}x" if low == high else f"{low:.3g}x to {high:.3g}x"


def claim_ours(one: Comparison) -> str:
    """Return our ratio to the rival that decides a claim, with its range over the placements."""
    if one.ours_ratio is None or one.ours_low is None or one.ours_high is None:
        return "-"
    text = f"{one.ours_ratio:.3g}x"
    if one.ours_high > one.ours_low:
        text += f" ({one.ours_low:.3g}x to {one.ours_high:.3g}x)"
    return text + (" packed" if one.packed else "")


def figures_of(comparisons: Iterable[Comparison]) -> list[Comparison]:
    """Return the figures without the claims."""
    return [one for one in comparisons if not one.claim]


def claims_of(comparisons: Iterable[Comparison]) -> list[Comparison]:
    """Return the claims."""
    return [one for one in comparisons if one.claim]


# What stands above the columns of a table of claims.
CLAIM_HEAD = ("claim", "where", "theirs", "ours", "verdict")


def claim_row(one: Comparison) -> tuple[str, ...]:
    """Return the cells of a claim, under `CLAIM_HEAD`."""
    ours = claim_ours(one)
    if ours != "-":
        ours = f"{ours}, {one.core} over {one.over}"
    return one.row, one.table, claim_theirs(one), ours, one.said


def ours_where(one: Comparison) -> str:
    """Return what of ours it is of: the core of the bench, device, recipe, and the placements."""
    if one.ours is None:
        return ""
    known = published().cores()
    recipes = {known[name].recipe or "" for name in one.core.split(" and ") if name in known}
    recipe = "".join(f", recipe {name}" for name in sorted(recipes - {""}))
    seeds = {0: "", 1: ", one seed"}.get(one.seeds, f", {one.seeds} seeds")
    return (
        f"{one.core} on {one.ours_device}{recipe}{seeds}"
        if one.ours_device
        else one.core or "counted"
    )


def groups(comparisons: Iterable[Comparison]) -> list[tuple[str, list[list[Comparison]]]]:
    """Return the tables by name, each as its rows; claims are in none of them."""
    return [
        (name, [list(row) for _, row in itertools.groupby(of, lambda one: (one.row, one.device))])
        for name, of in itertools.groupby(figures_of(comparisons), lambda one: one.table)
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
    claims = claims_of(comparisons)
    if claims:
        out.print()
        out.print(Text("What the paper claims", style="bold"))
        for one in claims:
            says, where, theirs, ours, said = claim_row(one)
            out.print(Text(f"- {says} ({where})"))
            out.print(Text(f"  theirs: {theirs}; ours: {ours}"))
            out.print(Text(f"  {said}", style=_STYLES.get(one.verdict, "")))
    out.print()
    for text in summary_lines(comparisons):
        out.print(Text(text, style="bold"))


def by_device(row: Sequence[Comparison]) -> list[tuple[str, list[Comparison]]]:
    """Return the figures of a row of which there is ours, by the device that it is from."""
    found: dict[str, list[Comparison]] = {}
    for one in row:
        if one.ours is not None:
            found.setdefault(one.ours_device, []).append(one)
    return list(found.items())


def _ours_lines(row: Sequence[Comparison]) -> list[list[Text]]:
    """Return a line for each device that our figures of a row are from."""
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
    """Return the verdicts of a table, and of which figures each is.

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
    """Return the verdicts of a table in lines of a terminal."""
    return [
        line
        for said, which in verdicts(comparisons)
        for line in textwrap.wrap(
            f"{said} [{which}]", _WIDTH, initial_indent="- ", subsequent_indent="  "
        )
    ]


WORDS: dict[Kind, str] = {
    "reproduced": "reproduced",
    "differs": "differ",
    "cannot be told": "cannot be told",
    "not measured": "not yet measured",
    "not comparable": "not comparable",
    "not here": "not reproducible here",
}


def counts_text(comparisons: Iterable[Comparison]) -> str:
    """Return how many have each verdict, in a line, without those that none has."""
    found = counts(comparisons)
    return ", ".join(f"{found[kind]} {text}" for kind, text in WORDS.items() if found[kind])


def closeness_text(comparisons: Iterable[Comparison]) -> str:
    """Return how close our ratios come to the published ones, in a line; empty without ratios."""
    found = closeness(comparisons)
    if found.median is None:
        return ""
    return (
        f"{found.tenth} of {found.ratios} within 10 %, {found.quarter} within 25 %, {found.twice} "
        f"within 2 times, median {found.median:.2f} times"
    )


def summary_lines(comparisons: Sequence[Comparison]) -> list[str]:
    """Return the counts of claims and figures, and how close the ratios come, a line each."""
    lines = [
        ("claims", counts_text(claims_of(comparisons))),
        ("figures", counts_text(figures_of(comparisons))),
        ("our ratios over theirs", closeness_text(comparisons)),
    ]
    return [f"{what}: {text}" for what, text in lines if text]


FIELDS = (
    *("paper", "table", "row", "column", "device", "unit", "published", "bound"),
    *("published_ratio", "published_ratio_to", "over", "claim", "ours", "ours_ratio"),
    *("ours_low", "ours_high", "ours_over_theirs", "ours_unit", "core", "ours_device", "seeds"),
    *("packed", "verdict", "why"),
)


def as_csv(comparisons: Iterable[Comparison]) -> str:
    """Return CSV with the columns of `FIELDS`, a line for each figure; an unknown is empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, FIELDS, lineterminator="\n")
    writer.writeheader()
    for one in comparisons:
        writer.writerow(one.as_dict())
    return text.getvalue()
