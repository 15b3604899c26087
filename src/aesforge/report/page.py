# SPDX-License-Identifier: Apache-2.0
"""Render the report: one HTML file with data, styles and the charting library inside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from aesforge.design import ALLOWED
from aesforge.measure.record import Measurement
from aesforge.report import ratios
from aesforge.report.export import csv_lines, latex_lines
from aesforge.report.papers import drawings, sections
from aesforge.report.plot import LEVELS, RATES, Rate, is_charted, look, page_chart
from aesforge.report.table import Row, doubts, rows
from aesforge.research.papers.compare import Comparison

_FOLDER = Path(__file__).parent

DASH = "\N{EN DASH}"
# What a row's origin is called that is not a design of ours.
ORIGINS = {"foreign": "foreign core", "part": "part"}
# In place of a choice.
UNNAMED = (*ORIGINS.values(), "not given")

# What one can filter by: field of the row, heading, words around a value.
FACETS = (
    ("device", "Device", "{}"),
    ("sbox", "S-box", "{}"),
    ("stages", "Pipeline stages per round", "{}"),
    ("key_schedule", "Key schedule", "{}"),
    ("direction", "Direction", "{}"),
    ("key_bits", "Key size", "AES-{}"),
    ("unroll", "Rounds in hardware", "{}"),
    ("error_detection", "Error detection", "{}"),
    ("subject", "What it is", "{}"),
    ("recipe", "Recipe", "{}"),
)

# The table: field of the row, heading, what the heading's tooltip says, whether a number, and on
# what screens it is seen (all; not on phones; only on wide ones).
TABLE = (
    ("name", "Core", "the design's name, or the foreign core's top module", False, "all"),
    ("device", "Device", "part and speed grade", False, "all"),
    ("subject", "What", "a core, an engine, a key expansion, or part of a cipher", False, "wide"),
    ("key_bits", "Key", "key size in bits", True, "wide"),
    ("direction", "Direction", "encrypt, decrypt, or both", False, "wide"),
    ("unroll", "Rounds", "rounds in hardware", True, "wide"),
    ("sbox", "S-box", "how the S-box is built", False, "wide"),
    ("stages", "Stages", "pipeline stages per round: in SubBytes + in the rest", True, "wide"),
    ("key_schedule", "Keys", "a key with every block (agile), or kept in slots", False, "wide"),
    ("error_detection", "Detection", "how errors are detected", False, "wide"),
    ("recipe", "Recipe", "of the synthesis, and whether a floorplan was used", False, "wide"),
    ("luts", "LUTs", "look-up tables of the core, after synthesis", True, "all"),
    ("ff", "FF", "flip-flops", True, "some"),
    ("block_ram", "RAM", "block RAMs", True, "some"),
    ("depth", "Depth", "look-up tables in the longest chain", True, "some"),
    ("fmax_mhz", "MHz", "median clock, clipped to the device's data-sheet cap", True, "some"),
    ("seeds", "Seeds", "placements that were run; the clock is their median", True, "wide"),
    ("throughput_gbps", "Gbps", "128 bits x blocks per cycle x the Fmax", True, "all"),
    ("mbps_per_lut", "Mbps/LUT", "throughput over look-up tables", True, "some"),
    (
        "energy_per_block",
        "Energy",
        "weighted transitions per block, to compare on one device (docs/energy.md)",
        True,
        "wide",
    ),
)


def render(measurements: Sequence[Measurement], comparisons: Sequence[Comparison] = ()) -> str:
    """Return the page's text; the same measurements always give the same page.

    Args:
        measurements: one or more, in the order in which the details are kept.
        comparisons: with the papers' figures, which then have a part of the page.
    """
    import jinja2

    table = rows(measurements)
    devices = sorted({one.device for one in measurements})
    looks = {device: look(i) for i, device in enumerate(devices)}
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(number=number, percent=lambda share: f"{share:.0%}")
    return environment.get_template("page.html.j2").render(
        entries=list(zip(measurements, table, strict=True)),
        facets=[facet for facet in map(_facet(table), FACETS) if len(facet["values"]) > 1],
        columns=TABLE,
        looks=looks,
        origins=ORIGINS,
        charted={rate.field: _charted(table, rate) for rate in RATES},
        doubts={one.key: doubts(one) for one in measurements},
        labels={str(row["key"]): _label(row) for row in table},
        luts=_lut_name(table),
        counts=_counts(table, devices),
        data=[_point(row) for row in table],
        papers=sections(comparisons),
        drawings=drawings(comparisons),
        ratios=ratios.NAME,
        specs={rate.field: _spec(table, devices, rate) for rate in RATES},
        exports=_exports(measurements),
        css=(_FOLDER / "page.css").read_text(encoding="utf-8"),
        script=(_FOLDER / "page.js").read_text(encoding="utf-8"),
        library=_library(),
        dash=DASH,
    )


@cache
def _library() -> str:
    """Return the charting library (Vega, Vega-Lite, Vega-Embed) as one script; takes 2 s."""
    import vl_convert

    library: str = vl_convert.javascript_bundle()  # type: ignore[call-arg]  # has a default
    if "</script" in library.lower() or "<!--" in library:  # it would end its element early
        raise RuntimeError("the charting library cannot be embedded in a page")
    return library


def number(value: float | None, digits: int | None = None) -> str:
    """Return a number as people read it: thousands apart, three digits that count, a dash for none.

    Args:
        value: the number.
        digits: after the point; None for as many as three significant digits need.
    """
    if value is None:
        return DASH
    if digits is None:
        size = abs(value)
        digits = 0 if isinstance(value, int) or size >= 1000 else 1 if size >= 10 else 2
    return f"{value:,.{digits}f}"


def _lut_name(table: Iterable[Row]) -> str:
    sizes = {"LUT6" if row["lut6"] is not None else "LUT4" for row in table}
    return sizes.pop() if len(sizes) == 1 else "LUTs"


def _charted(table: Iterable[Row], rate: Rate) -> list[str]:
    """Return the devices in a chart."""
    return sorted({str(row["device"]) for row in table if is_charted(row, rate)})


def _spec(table: Sequence[Row], devices: Sequence[str], rate: Rate) -> dict[str, Any]:
    luts = _lut_name(row for row in table if is_charted(row, rate))
    return page_chart(devices, luts, rate)


def _counts(table: Sequence[Row], devices: Sequence[str]) -> dict[str, int]:
    clocked = [row for row in table if row["kind"] == "placed"]
    return {
        "all": len(table),
        "devices": len(devices),
        "synthesized": len(table) - len(clocked),
        "no_rate": sum(not is_charted(row) for row in clocked),
        "no_level": sum(
            row["kind"] == "synthesized" and not is_charted(row, LEVELS) for row in table
        ),
        "foreign": sum(row["origin"] == "foreign" for row in table),
    }


def _choice(row: Row, field: str) -> str:
    """Return the value by which a row is filtered."""
    value = row[field]
    if value is None:
        return ORIGINS.get(str(row["origin"]), "not given")
    return str(value)


def _facet(table: Sequence[Row]) -> Any:
    def facet(which: tuple[str, str, str]) -> dict[str, Any]:
        field, heading, words = which
        values = sorted({_choice(row, field) for row in table}, key=_facet_order)
        named = [(v, v if v in UNNAMED else words.format(v)) for v in values]
        return {"field": field, "heading": heading, "values": named}

    return facet


def _facet_order(value: str) -> tuple[bool, int, int, str]:
    """Order numbers by size, words as the design does, and unknown values last."""
    known = next((words.index(value) for words in ALLOWED.values() if value in words), -1)
    return value in UNNAMED, known, int(value) if value.isdigit() else -1, value


def _point(row: Row) -> dict[str, Any]:
    """Return the script's data for a row: numbers to draw and sort by, words to show."""
    clock, gbps = row["fmax_mhz"], row["throughput_gbps"]
    sizes = [f"{number(_int(row['luts']))} {'LUT6' if row['lut6'] is not None else 'LUT4'}"]
    sizes.append(f"{number(_int(row['ff']))} FF")
    if row["block_ram"]:
        sizes.append(f"{row['block_ram']} block RAM")
    gbps_text = f"{number(gbps)} Gbps" if isinstance(gbps, float) else DASH
    return {
        **{field: row[field] for field, *_ in TABLE},
        "bits_per_level": row["bits_per_level"],
        "key": str(row["key"]),
        "kind": row["kind"],
        "foreign": row["origin"] == "foreign",
        "chart": next((one.field for one in RATES if is_charted(row, one)), None),
        "facets": {field: _choice(row, field) for field, *_ in FACETS},
        "label": _label(row),
        "description": f"{_label(row)} on {row['device']}: "
        + (gbps_text if gbps is not None else f"logic depth {row['depth']}, no clock")
        + f", {sizes[0]}",
        "choices_text": row["summary"],
        "luts_text": ", ".join(sizes),
        "gbps_text": gbps_text,
        "clock_text": f"{number(clock)} MHz, limited by {row['limit']}"
        if isinstance(clock, float)
        else f"none; logic depth {row['depth']}",
        "notes_text": str(row["warnings"]).replace(" | ", "; ") or "nothing noted",
    }


def _label(row: Row) -> str:
    """Return a name that tells a core from its like: with a floorplan, or with error detection."""
    more = [str(row["error_detection"])] if row["error_detection"] in ("parity", "inverse") else []
    if str(row["recipe"]).endswith("floorplan"):
        more.append("floorplan")
    origin = ORIGINS.get(str(row["origin"]))
    return ", ".join([str(row["name"]), *more]) + (f" ({origin})" if origin else "")


def _exports(measurements: Sequence[Measurement]) -> dict[str, Any]:
    """Return the tables that the page offers: first lines, a line for each key, last lines."""
    keys = [one.key for one in measurements]
    found = {}
    for name, lines in (("csv", csv_lines(measurements)), ("tex", latex_lines(measurements))):
        head, body, tail = lines
        found[name] = {"head": head, "lines": dict(zip(keys, body, strict=True)), "tail": tail}
    return found


def _int(value: Any) -> int | None:
    return value if isinstance(value, int) else None
