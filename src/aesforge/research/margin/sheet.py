# SPDX-License-Identifier: Apache-2.0
"""Draw what was found: the curve of errors against the clock, and the pictures at three clocks."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import altair as alt
import vl_convert

from aesforge.errors import UsageError
from aesforge.report.plot import COLOURS
from aesforge.research.margin import PAPER_ERROR_PERCENT, Margin, Outcome
from aesforge.research.pictures import as_picture, draw_sheet
from aesforge.toolchain.files import write_whole

CURVE, SHEET = "curve", "sheet.png"
# Of a paper's picture, and of the cell on the sheet, in units of the drawing.
_WIDTH, _HEIGHT = 420, 280
_PIXEL = 4  # a pixel of the picture on the sheet


def curve(found: Margin, size: tuple[int, int] = (_WIDTH, _HEIGHT)) -> dict[str, Any]:
    """Return the Vega-Lite specification of the error rate against the clock.

    Args:
        found: what to draw.
        size: width and height, with axes and title.
    """
    values = [{"mhz": point.mhz, "error_percent": point.error_percent} for point in found.curve]
    marks: list[dict[str, Any]] = [
        {"mhz": found.reported_mhz, "label": "reported by nextpnr"},
        {"mhz": found.failing_mhz, "label": "first corrupt block"},
    ]
    clock = alt.X("mhz:Q", title="clock (MHz)", scale=alt.Scale(zero=False, nice=False, padding=12))
    base = alt.Chart({"values": values}).encode(
        x=clock,
        y=alt.Y("error_percent:Q", title="corrupt blocks (%)", scale=alt.Scale(domain=[0, 100])),
    )
    rules = (
        alt.Chart({"values": marks})
        .mark_rule(strokeDash=[4, 3], strokeWidth=1.4)
        .encode(
            x=clock,
            color=alt.Color(
                "label:N",
                title=None,
                scale=alt.Scale(domain=[m["label"] for m in marks], range=[COLOURS[2], COLOURS[1]]),
                legend=alt.Legend(orient="bottom", symbolType="stroke"),
            ),
        )
    )
    line = base.mark_line(color=COLOURS[0], strokeWidth=1.6)
    points = base.mark_point(color=COLOURS[0], filled=True, size=26)
    chart = (rules + line + points).properties(
        width=size[0],
        height=size[1],
        autosize=alt.AutoSizeParams(type="fit", contains="padding"),
        title=f"{found.name} on {found.device}",
    )
    spec: dict[str, Any] = (
        chart.configure(background="white", font="sans-serif")
        .configure_axis(gridColor="#e6e6e6")
        .to_dict()
    )
    return spec


def write(outcome: Outcome, folder: Path) -> list[Path]:
    """Write the curve as SVG and PNG, and the sheet if a picture went through the core.

    Raises:
        UsageError: the folder cannot be written.
    """
    spec = curve(outcome.margin)
    files: dict[str, bytes] = {
        f"{CURVE}.svg": vl_convert.vegalite_to_svg(spec).encode(),
        f"{CURVE}.png": vl_convert.vegalite_to_png(spec, scale=3, ppi=100),
    }
    if outcome.payload.picture is not None:
        files[SHEET] = _sheet(outcome)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            write_whole(folder / name, data)
    except OSError as error:
        raise UsageError(f"cannot write into '{folder}': {error.strerror or error}") from None
    return [folder / name for name in files]


def _sheet(outcome: Outcome) -> bytes:
    """Return the pictures of Liu et al., Fig. 9, and the curve, as a PNG."""
    from PIL import Image

    found, picture = outcome.margin, outcome.payload.picture
    assert picture is not None
    size = (picture.width * _PIXEL, picture.height * _PIXEL)
    good = max((p for p in found.curve if not p.corrupt), key=lambda point: point.mhz)
    beyond = outcome.nearest(PAPER_ERROR_PERCENT)
    data = [outcome.payload.blocks.tobytes()]
    data += [outcome.plain(point.period_ps) for point in (good, beyond)]
    images = [as_picture(one, picture.size).resize(size, Image.Resampling.NEAREST) for one in data]
    chart = vl_convert.vegalite_to_png(curve(found, size), scale=1)
    with Image.open(io.BytesIO(chart)) as drawn:
        images.append(drawn.convert("RGB").resize(size))

    def errors(corrupt: int) -> str:
        share = 100.0 * corrupt / len(outcome.payload.blocks)
        return f"{corrupt:,} of {len(outcome.payload.blocks):,} blocks corrupt, {share:.1f} %"

    captions = (
        ("Original", found.traffic),
        (f"{good.mhz:.2f} MHz", f"The highest without error: {errors(good.corrupt)}"),
        (f"{beyond.mhz:.2f} MHz", errors(beyond.corrupt)),
        ("Error rate", f"Reported: {found.reported_mhz:.2f} MHz"),
    )
    foot = "Encrypted by the routed core, simulated with its delays; decrypted by OpenSSL"
    out = io.BytesIO()
    draw_sheet(images, captions, f"{found.name} on {found.device}: {found.summary}", foot).save(
        out, format="PNG", optimize=True
    )
    return out.getvalue()
