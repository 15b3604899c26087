# SPDX-License-Identifier: Apache-2.0
"""Published ratios against ours, a point each: for the report's page, the README and the papers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import altair as alt

from aesforge.report.plot import COLOURS, Box, free_place
from aesforge.research.papers import show
from aesforge.research.papers.compare import Comparison, is_drawn
from aesforge.research.papers.published import published

NAME = "papers-ratios"
TITLE = "Ratios that the papers publish, and ours"
# One side of the square, and the size of the labels, in units of the drawing.
_SIDE, _FONT = 400, 10
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross")
# What the pointer shows over a point: field of `points`, and its name there.
_TIPS = {
    "what": "title",  # the tooltip's own word for its heading
    "where": "where",
    "off": "ours",
    "measured": "measured",
    "said": "verdict",
}
# Of a ratio over another: the band around the diagonal, and beyond what a point has its name.
_BAND, _FAR = 1.25, 2.0


def points(comparisons: Sequence[Comparison]) -> list[dict[str, Any]]:
    """Return the ratios to draw, in the order of reading.

    Clock, period and throughput of one row are one point: the table's headline, or its first.
    Bounds are left out.

    Args:
        comparisons: of whole papers.
    """
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    headlines = {
        (paper.key, table.name, column.label)
        for paper in published().paper
        for table in paper.table
        for column in table.columns
        if column.key in table.headline
    }
    for one in comparisons:
        if not is_drawn(one) or one.bound:
            continue
        key = (one.paper, one.row, one.device, one.base_core, *one.rests_on)
        if key in found and (one.paper, one.table, one.column) not in headlines:
            continue
        off = one.ours_over_theirs or 1.0
        found[key] = {
            "paper": one.paper,
            "what": f"{one.row}: {one.column}",
            "where": f"{one.table}, {one.device}",
            "theirs": one.published_ratio,
            "ours": one.ours_ratio,
            "off": f"{off:.2f} of theirs",
            "measured": show.ours_where(one),
            "said": one.said,
            "told": one.verdict in ("reproduced", "differs"),
            "far": not 1 / _FAR <= off <= _FAR,
        }
    return list(found.values())


def chart(comparisons: Sequence[Comparison]) -> alt.LayerChart | None:
    """Return the drawing: logarithmic axes of one scale, with the diagonal where both are equal.

    The band is within 1.25 times, the dashed lines are 2 times. A hollow point has no verdict.

    Args:
        comparisons: of whole papers.

    Returns:
        None when there is no ratio to draw.
    """
    values = points(comparisons)
    if not values:
        return None
    every = [value[axis] for value in values for axis in ("theirs", "ours")]
    low, high = min(*every, 0.8) / 1.35, max(*every, 1.25) * 1.35
    keys = [paper.key for paper in published().paper]
    scale = alt.Scale(type="log", nice=False, domain=[low, high])
    axis = alt.Axis(values=_ticks(low, high), format="~g")
    x = alt.X("theirs:Q", scale=scale, title="the paper's ratio, in times", axis=axis)
    y = alt.Y("ours:Q", scale=scale, title="ours, in times", axis=axis)
    # Cut off at the edges by hand: a clip's name in the SVG would change from drawing to drawing.
    corners = (low, low * _BAND, high / _BAND, high)
    band = (
        alt.Chart(
            {
                "values": [
                    {"theirs": at, "ours": max(low, at / _BAND), "to": min(high, at * _BAND)}
                    for at in corners
                ]
            }
        )
        .mark_area(color="#888888", opacity=0.16)
        .encode(x=x, y=y, y2="to:Q")
    )
    lines = (
        alt.Chart(
            {
                "values": [
                    {"theirs": at, "ours": at * times, "line": line}
                    for line, times in (("half", 1 / _FAR), ("equal", 1.0), ("twice", _FAR))
                    for at in (max(low, low / times), min(high, high / times))
                ]
            }
        )
        .mark_line(color="#888888", strokeWidth=1)
        .encode(
            x=x,
            y=y,
            detail="line:N",
            strokeDash=alt.condition(
                "datum.line === 'equal'", alt.value([1, 0]), alt.value([4, 4])
            ),
        )
    )
    base = alt.Chart({"values": values}).encode(
        x=x,
        y=y,
        color=alt.Color(
            "paper:N", title=None, scale=alt.Scale(domain=keys, range=list(COLOURS[: len(keys)]))
        ),
        shape=alt.Shape("paper:N", title=None, scale=alt.Scale(domain=keys, range=list(_SHAPES))),
        tooltip=[alt.Tooltip(f"{field}:N", title=title) for field, title in _TIPS.items()],
    )
    hollow = base.transform_filter("!datum.told").mark_point(size=60, strokeWidth=1.6)
    full = base.transform_filter("datum.told").mark_point(size=70, filled=True)
    names = (
        alt.Chart({"values": _names(values, low, high)})
        .mark_text(align="left", baseline="middle", fontSize=_FONT, color="#808080")
        .encode(x=x, y=y, text="what:N")
    )
    drawn: alt.LayerChart = (band + lines + hollow + full + names).properties(
        width=_SIDE,
        height=_SIDE,
        title=alt.TitleParams(
            TITLE,
            subtitle="band: within 1.25 times; dashed: 2 times; hollow: no verdict yet",
            subtitleColor="#808080",
        ),
    )
    return drawn


def svg(comparisons: Sequence[Comparison]) -> str:
    """Return the drawing as SVG, black on white; the same figures always give the same text.

    Args:
        comparisons: of whole papers, with a ratio to draw.
    """
    import vl_convert

    drawn = chart(comparisons)
    assert drawn is not None, "there is no ratio to draw"
    spec = drawn.configure(background="white", font="sans-serif").to_dict()
    text: str = vl_convert.vegalite_to_svg(spec)
    return text


def _ticks(low: float, high: float) -> list[float]:
    """Return 1, 2 and 5 of each power of ten that lies within."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    every = [float(f"{digit}e{power}") for power in powers for digit in (1, 2, 5)]
    return [tick for tick in every if low <= tick <= high]


def _names(values: Sequence[dict[str, Any]], low: float, high: float) -> list[dict[str, Any]]:
    """Put the name of each point beyond the dashed lines beside it, where there is room."""
    scale = _SIDE / math.log(high / low)

    def at(value: float) -> float:
        return math.log(value / low) * scale

    places = [(at(value["theirs"]), at(value["ours"])) for value in values]
    taken: list[Box] = [(x - 5, y - 5, x + 5, y + 5) for x, y in places]
    placed = []
    for (x, y), value in zip(places, values, strict=True):
        if not value["far"]:
            continue
        place = free_place(x, y, value["what"], _FONT, (_SIDE, _SIDE), taken)
        if place is not None:
            left, middle = place
            placed.append(
                {
                    "what": value["what"],
                    "theirs": low * math.exp(left / scale),
                    "ours": low * math.exp(middle / scale),
                }
            )
    return placed
