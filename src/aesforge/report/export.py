# SPDX-License-Identifier: Apache-2.0
"""Measurements for programs and papers: CSV and LaTeX with one row each, JSON with the records."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence

from aesforge.measure.record import Measurement
from aesforge.report.table import COLUMNS, Value, pareto, rows

# First lines, a line for each measurement, last lines; each with its line end.
Lines = tuple[str, list[str], str]

# The columns of the LaTeX table: field of the row, heading, whether it is text.
LATEX = (
    ("name", "core", True),
    ("device", "device", True),
    ("recipe", "recipe", True),
    ("error_detection", "error detection", True),
    ("luts", "LUT", False),
    ("ff", "FF", False),
    ("block_ram", "block RAM", False),
    ("depth", "depth", False),
    ("fmax_mhz", "MHz", False),
    ("throughput_gbps", "Gbit/s", False),
    ("mbps_per_lut", "Mbit/s per LUT", False),
)
_LATEX_ESCAPES = {
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
}


def as_csv(measurements: Sequence[Measurement]) -> str:
    """Return CSV (RFC 4180, but lines end in a newline alone) with the columns of `COLUMNS`.

    Unknown values are empty; booleans are `true` or `false`; numbers are not rounded.
    """
    return _joined(csv_lines(measurements))


def csv_lines(measurements: Sequence[Measurement]) -> Lines:
    """Return the CSV in parts; a cell may have line ends, so that a "line" may be several."""
    body = [_csv([_cell(value) for value in row.values()]) for row in rows(measurements)]
    return _csv(COLUMNS), body, ""


def _csv(cells: Iterable[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()


def as_latex(measurements: Sequence[Measurement]) -> str:
    """Return a LaTeX `tabular` with the columns of `LATEX`; it needs no package.

    Unknown values are a dash. Numbers have three significant digits, and thin spaces between
    thousands.
    """
    return _joined(latex_lines(measurements))


def latex_lines(measurements: Sequence[Measurement]) -> Lines:
    """Return the LaTeX table in parts."""
    columns = "".join("l" if text else "r" for _, _, text in LATEX)
    titles = " & ".join(title for _, title, _ in LATEX)
    head = (
        "% written by aesforge report; every figure with its provenance: --csv and --json\n"
        f"\\begin{{tabular}}{{{columns}}}\n\\hline\n{titles} \\\\\n\\hline\n"
    )
    body = [
        " & ".join(_latex(row[field], text) for field, _, text in LATEX) + " \\\\\n"
        for row in rows(measurements)
    ]
    return head, body, "\\hline\n\\end{tabular}\n"


def _latex(value: Value, text: bool) -> str:
    if value is None:
        return "--"
    if text or isinstance(value, str):
        return "".join(_LATEX_ESCAPES.get(letter, letter) for letter in str(value))
    digits = 0 if isinstance(value, int) or value >= 1000 else 1 if value >= 10 else 2
    return f"{value:,.{digits}f}".replace(",", "\\,")


def _joined(lines: Lines) -> str:
    head, body, tail = lines
    return "".join([head, *body, tail])


def _cell(value: Value) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def as_json(measurements: Sequence[Measurement]) -> str:
    """Return the records and derived values, as `collect` reads them back."""
    front = pareto(measurements)
    records = [{**one.as_dict(), "pareto": one.key in front} for one in measurements]
    return json.dumps({"measurements": records}, indent=1, ensure_ascii=False) + "\n"
