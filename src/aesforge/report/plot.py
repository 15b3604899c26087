# SPDX-License-Identifier: Apache-2.0
"""Throughput against look-up tables, drawn by Vega-Altair: for the page, and for papers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from aesforge.design import SBOX_STYLES
from aesforge.measure.record import Measurement
from aesforge.report.table import Row, rows

# Ten distinct hues, visible on white and on near-black; then another shape.
COLOURS = (
    *("#2f7fd6", "#d9622b", "#26976a", "#c2559d", "#8d7a12"),
    *("#7a6ae0", "#0f94a5", "#c94f4f", "#6b8f2a", "#8a7f78"),
)
SHAPES = ("circle", "square", "triangle-up", "diamond")

# A paper's picture, in units of the drawing.
_WIDTH, _HEIGHT, _FONT = 420, 280, 9

# Left, bottom, right and top of what stands in a drawing.
Box = tuple[float, float, float, float]

# What the pointer shows over a point: field of the page's data, and its name there.
TIPS = {
    "label": "title",  # the tooltip's own word for its heading
    "device": "device",
    "gbps_text": "throughput",
    "luts_text": "area",
    "clock_text": "clock",
    "choices_text": "design",
    "notes_text": "bear in mind",
}


@dataclass(frozen=True)
class Rate:
    """What stands against look-up tables.

    Args:
        field: of a row.
        kind: of the measurements that have it.
        axis: the axis' title.
        words: for the title of a picture.
    """

    field: str
    kind: str
    axis: str
    words: str


THROUGHPUT = Rate(
    "throughput_gbps", "placed", "throughput at the Fmax (Gbps)", "throughput against area"
)
# Where there is no clock.
LEVELS = Rate(
    *("bits_per_level", "synthesized", "bits per cycle and level of logic"),
    "bits per cycle and level against area, no clock",
)
RATES = (THROUGHPUT, LEVELS)


def is_charted(row: Row, rate: Rate = THROUGHPUT) -> bool:
    """Return whether a row has both coordinates, and both on a logarithmic axis."""
    return row["kind"] == rate.kind and bool(row[rate.field]) and bool(row["luts"])


def look(index: int) -> tuple[str, str]:
    """Return the colour and the shape of the device with this index."""
    return COLOURS[index % len(COLOURS)], SHAPES[index // len(COLOURS) % len(SHAPES)]


def _axes(
    luts: str, rate: Rate, domains: Sequence[Sequence[float]] | None = None
) -> dict[str, Any]:
    """Return both logarithmic axes; without given limits they span the data."""
    scales = [
        alt.Scale(type="log", nice=False, padding=22)
        if domains is None
        else alt.Scale(type="log", nice=False, domain=list(domains[i]))
        for i in range(2)
    ]
    # Between the powers of ten most ticks have no room for a label.
    sparse: dict[str, Any] = {"labelOverlap": "greedy", "labelSeparation": 9}
    return {
        "x": alt.X(
            "luts:Q",
            scale=scales[0],
            title=f"{luts} of the core",
            axis=alt.Axis(format="~s", **sparse),
        ),
        "y": alt.Y(
            f"{rate.field}:Q",
            scale=scales[1],
            title=rate.axis,
            axis=alt.Axis(format="~g", **sparse),
        ),
    }


def page_chart(devices: Sequence[str], luts: str, rate: Rate = THROUGHPUT) -> dict[str, Any]:
    """Return the Vega-Lite specification of a chart of the page.

    Its data come as `points`, and as `labels`: those of the points that have their names beside
    them, with the distance in pixels (`dx`, `dy`).

    Args:
        devices: all of them, in the order of their looks.
        luts: the name of the horizontal axis.
        rate: the vertical axis.
    """
    looks = [look(i) for i in range(len(devices))]
    base = alt.Chart(alt.NamedData("points")).encode(
        **_axes(luts, rate),
        color=alt.Color(
            "device:N",
            scale=alt.Scale(domain=list(devices), range=[colour for colour, _ in looks]),
            legend=None,
        ),
    )
    front = (
        base.transform_filter("datum.front")
        .mark_line(interpolate="step-after", strokeWidth=2, tooltip=None)
        .encode(
            order="luts:Q",
            detail="subject:N",
            strokeDash=alt.condition(
                "datum.subject === 'engine'", alt.value([5, 4]), alt.value([1, 0])
            ),
        )
    )
    points = base.mark_point(filled=True, size=90, strokeWidth=2, cursor="pointer").encode(
        shape=alt.Shape(
            "device:N",
            scale=alt.Scale(domain=list(devices), range=[shape for _, shape in looks]),
            legend=None,
        ),
        opacity=alt.condition("datum.front", alt.value(1.0), alt.value(0.6)),
        fillOpacity=alt.condition("datum.foreign", alt.value(0.0), alt.value(1.0)),
        size=alt.condition("datum.front", alt.value(130), alt.value(70)),
        tooltip=[alt.Tooltip(f"{field}:N", title=title) for field, title in TIPS.items()],
        description="description:N",
    )
    names = (
        alt.Chart(alt.NamedData("labels"))
        .mark_text(
            align="left",
            baseline="middle",
            fontSize=11,
            tooltip=None,
            dx=alt.ExprRef("datum.dx"),
            dy=alt.ExprRef("datum.dy"),
        )
        .encode(**_axes(luts, rate), text="label:N")
    )
    chart = (front + points + names).properties(width="container", height=430)
    spec: dict[str, Any] = (
        chart.configure(background="transparent", font="system-ui, sans-serif")
        .configure_axis(labelFontSize=12, titleFontSize=13, titleFontWeight=500, titlePadding=10)
        .to_dict()
    )
    del spec["$schema"]  # an address on the network, even if nothing would load it
    return spec


@dataclass(frozen=True)
class Plot:
    """A picture for a paper.

    Args:
        name: subject of the plot: a device, or a paper's table.
        svg: text of the drawing.
        png: the same in pixels, 300 to the inch at a width of 11 cm.
    """

    name: str
    svg: str
    png: bytes


def plots(measurements: Sequence[Measurement]) -> Iterator[Plot]:
    """Draw each device, black on white: by throughput where it has a clock, else by levels."""
    import vl_convert

    every = rows(measurements)
    for device in sorted({str(row["device"]) for row in every}):
        own = [row for row in every if row["device"] == device]
        charted = next(filter(None, ([r for r in own if is_charted(r, one)] for one in RATES)), [])
        if not charted:
            continue
        rate = THROUGHPUT if is_charted(charted[0]) else LEVELS
        spec = _paper_chart(device, charted, rate)
        yield Plot(
            device,
            vl_convert.vegalite_to_svg(spec),
            vl_convert.vegalite_to_png(spec, scale=3, ppi=100),
        )


def _paper_chart(device: str, points: Sequence[Row], rate: Rate) -> dict[str, Any]:
    """Return the specification of one device's picture; each core on a front has its name."""
    kept = ("name", "luts", rate.field, "pareto", "subject")
    values: list[dict[str, Any]] = [
        {**{name: row[name] for name in kept}, "sbox": row["sbox"] or "foreign core"}
        for row in points
    ]
    domains = [_span([value[axis] for value in values]) for axis in ("luts", rate.field)]
    luts = "LUT6" if any(row["lut6"] is not None for row in points) else "LUT4"
    kinds = sorted(
        {value["sbox"] for value in values},
        key=lambda kind: SBOX_STYLES.index(kind) if kind in SBOX_STYLES else len(SBOX_STYLES),
    )
    base = alt.Chart({"values": values}).encode(**_axes(luts, rate, domains))
    line = (
        base.transform_filter("datum.pareto")
        .mark_line(interpolate="step-after", color="#888888", strokeWidth=1)
        .encode(order="luts:Q", detail="subject:N")
    )
    marks = base.mark_point(size=45, strokeWidth=1.4).encode(
        color=alt.Color(
            "sbox:N", title="S-box", scale=alt.Scale(domain=kinds, range=list(COLOURS))
        ),
        shape=alt.Shape("sbox:N", title="S-box", scale=alt.Scale(domain=kinds)),
        opacity=alt.condition("datum.pareto", alt.value(1.0), alt.value(0.5)),
    )
    names = (
        alt.Chart({"values": _place_names(values, domains, rate.field)})
        .mark_text(align="left", baseline="middle", fontSize=_FONT)
        .encode(**_axes(luts, rate, domains), text="name:N")
    )
    chart = (line + marks + names).properties(
        width=_WIDTH, height=_HEIGHT, title=f"{device}: {rate.words}"
    )
    spec: dict[str, Any] = (
        chart.configure(background="white", font="sans-serif")
        .configure_axis(gridColor="#e6e6e6")
        .to_dict()
    )
    return spec


def _span(values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of a logarithmic axis, a little wider than the values."""
    low, high = math.log(min(values)), math.log(max(values))
    margin = max(0.1, 0.08 * (high - low))
    return math.exp(low - margin), math.exp(high + margin)


def _place_names(
    values: Sequence[dict[str, Any]], domains: Sequence[tuple[float, float]], rate: str
) -> list[dict[str, Any]]:
    """Put the name of each core on the front next to its point, where no other name is.

    Widths are guessed from the number of characters. Where no place is free, the name is left
    out: the export and the page have it.
    """
    (left, right), (bottom, top) = domains
    across, up = _WIDTH / math.log(right / left), _HEIGHT / math.log(top / bottom)
    front = [value for value in values if value["pareto"]]
    points = [(math.log(v["luts"] / left) * across, math.log(v[rate] / bottom) * up) for v in front]
    taken: list[Box] = [(x - 4, y - 4, x + 4, y + 4) for x, y in points]
    placed = []
    for (x, y), value in zip(points, front, strict=True):
        place = free_place(x, y, value["name"], _FONT, (_WIDTH, _HEIGHT), taken)
        if place is not None:
            placed.append(
                {
                    "name": value["name"],
                    "luts": left * math.exp(place[0] / across),
                    rate: bottom * math.exp(place[1] / up),
                }
            )
    return placed


def free_place(
    x: float, y: float, name: str, font: float, size: tuple[float, float], taken: list[Box]
) -> tuple[float, float] | None:
    """Return where a point's name can stand: its left end, and the middle of its height.

    Args:
        x: of the point, in units of the drawing from its lower left corner; `y` likewise.
        y: see `x`.
        name: its width is guessed from the number of characters.
        font: the size of its letters.
        size: width and height of the drawing.
        taken: what stands there already; the name is added.

    Returns:
        None when no place beside the point is free.
    """
    width = 0.52 * font * len(name)
    for dx, dy in ((7, -9), (7, 9), (-7 - width, 9), (-7 - width, -9), (7, -20), (7, 20)):
        box = (x + dx, y + dy - font / 2, x + dx + width, y + dy + font / 2)
        inside = box[0] > 0 and box[1] > 0 and box[2] < size[0] and box[3] < size[1]
        if inside and not any(
            box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in taken
        ):
            taken.append(box)
            return x + dx, y + dy
    return None
