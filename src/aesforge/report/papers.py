# SPDX-License-Identifier: Apache-2.0
"""The papers in the report: their tables with ours beneath, and their figures next to ours."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt

from aesforge.report import ratios
from aesforge.report.plot import COLOURS, Plot
from aesforge.research.papers import show
from aesforge.research.papers.compare import Comparison
from aesforge.research.papers.published import Paper, published

# Of each panel, in units of the drawing.
_WIDTH, _BAR = 270, 19
_LABELS = 230


def sections(comparisons: Sequence[Comparison]) -> list[dict[str, Any]]:
    """Return the template's data for each compared paper.

    Args:
        comparisons: of whole papers, in the order of reading.
    """
    keys = dict.fromkeys(one.paper for one in comparisons)
    every = {paper.key: paper for paper in published().paper}
    return [_section(every[key], [one for one in comparisons if one.paper == key]) for key in keys]


def _section(paper: Paper, comparisons: Sequence[Comparison]) -> dict[str, Any]:
    tables = []
    claims = [show.claim_row(one) for one in show.claims_of(comparisons)]
    for table, (_, rows) in zip(paper.table, show.groups(comparisons), strict=True):
        whole = [one for row in rows for one in row]
        tables.append(
            {
                "name": table.name,
                "title": table.title,
                "head": [(one.column, one.unit) for one in rows[0]],
                "rows": [_row(row) for row in rows],
                "verdicts": show.verdicts(whole),
                "charts": [name for name, _ in charts(paper, whole)],
            }
        )
    return {
        "key": paper.key,
        "title": paper.title,
        "source": f"{paper.authors}, {paper.venue}",
        "summary": show.summary_lines(comparisons),
        "claim_head": show.CLAIM_HEAD,
        "claims": claims,
        "tables": tables,
    }


def _row(row: Sequence[Comparison]) -> dict[str, Any]:
    return {
        "name": row[0].row,
        "device": row[0].device,
        "cells": [show.published_text(one) for one in row],
        "ours": [
            (
                device,
                [
                    (show.ours_text(one), one.verdict.replace(" ", "-"), show.ours_where(one))
                    if one in cells
                    else ("", "", "")
                    for one in row
                ],
            )
            for device, cells in show.by_device(row)
        ],
    }


def drawings(comparisons: Sequence[Comparison]) -> dict[str, dict[str, Any]]:
    """Return the Vega-Lite specification of each drawing by its name, for the page."""
    found = {}
    for name, chart in _every_chart(comparisons):
        spec = chart.configure(background="transparent", font="system-ui, sans-serif").to_dict()
        del spec["$schema"]  # an address on the network, even if nothing would load it
        found[name] = spec
    return found


def paper_plots(comparisons: Sequence[Comparison]) -> Iterator[Plot]:
    """Draw the same, black on white."""
    import vl_convert

    for name, chart in _every_chart(comparisons):
        spec = chart.configure(background="white", font="sans-serif").to_dict()
        yield Plot(
            name,
            vl_convert.vegalite_to_svg(spec),
            vl_convert.vegalite_to_png(spec, scale=3, ppi=100),
        )


def _every_chart(
    comparisons: Sequence[Comparison],
) -> Iterator[tuple[str, alt.HConcatChart | alt.LayerChart]]:
    scatter = ratios.chart(comparisons)
    if scatter is not None:
        yield ratios.NAME, scatter
    for paper in published().paper:
        own = [one for one in show.figures_of(comparisons) if one.paper == paper.key]
        for name, _ in show.groups(own):
            yield from charts(paper, [one for one in own if one.table == name])


def charts(
    paper: Paper, comparisons: Sequence[Comparison]
) -> Iterator[tuple[str, alt.HConcatChart]]:
    """Draw the plotted columns of a table: the paper's figures, with ours next to them.

    The scales are apart, since the devices are: what can be compared is the bars of one side.

    Args:
        paper: whose table it is.
        comparisons: the table.
    """
    (table,) = (one for one in paper.table if one.name == comparisons[0].table)
    for column in table.columns:
        if column.key not in table.charts:
            continue
        cells = [one for one in comparisons if one.column == column.label]
        words = re.sub(r"\W+", "-", f"{paper.key} {table.name} {column.key}".lower()).strip("-")
        yield words, _pair(f"{paper.key}, {table.name}: {column.label}", cells)


def _pair(title: str, cells: Sequence[Comparison]) -> alt.HConcatChart:
    order = [f"{one.row} ({one.device})" for one in cells]
    values = [
        {
            "row": row,
            "published": one.published,
            "published_text": "" if one.published is None else show.published_text(one),
            "ours": one.ours,
            "ours_text": "" if one.ours is None else show.ours_text(one),
            "where": show.ours_where(one),
            "said": one.said,
        }
        for row, one in zip(order, cells, strict=True)
    ]
    unit = cells[0].unit
    ours = sorted({one.ours_device for one in cells if one.ours is not None})
    ours_unit = next((one.ours_unit for one in cells if one.ours is not None), unit)
    left = _bars(values, order, "published", f"the paper ({unit})", COLOURS[9], labels=True)
    where = f" on {', '.join(ours)}" if ours else ", not yet measured"
    right = _bars(values, order, "ours", f"ours{where} ({ours_unit})", COLOURS[0], labels=False)
    pair: alt.HConcatChart = alt.hconcat(left, right, title=title).resolve_scale(x="independent")
    return pair


def _bars(
    values: Sequence[dict[str, Any]],
    order: Sequence[str],
    field: str,
    heading: str,
    colour: str,
    *,
    labels: bool,
) -> alt.LayerChart:
    known = [value[field] for value in values if value[field] is not None]
    base = alt.Chart({"values": list(values)}).encode(
        x=alt.X(
            f"{field}:Q",
            title=heading,
            # Room for the longest bar's own text.
            scale=alt.Scale(domain=[0, 1.45 * max(known, default=1.0)]),
            axis=alt.Axis(tickCount=4, format="~s" if max(known, default=1.0) >= 1000 else "~r"),
        ),
        y=alt.Y(
            "row:N",
            sort=list(order),
            title=None,
            axis=alt.Axis(labelLimit=_LABELS) if labels else None,
        ),
        tooltip=[
            alt.Tooltip("row:N", title="title"),
            alt.Tooltip(f"{field}_text:N", title=heading),
            *([] if labels else [alt.Tooltip("where:N", title="measured")]),
            alt.Tooltip("said:N", title="verdict"),
        ],
    )
    bars = base.mark_bar(color=colour)
    text = base.mark_text(align="left", dx=4, color="#808080").encode(text=f"{field}_text:N")
    drawn: alt.LayerChart = (bars + text).properties(width=_WIDTH, height=_BAR * len(order))
    return drawn
