# SPDX-License-Identifier: Apache-2.0
"""Measurements for programs: CSV with one flat row each, JSON with the whole records."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence

from aesforge.measure.record import Measurement
from aesforge.report.table import COLUMNS, Value, pareto, rows


def as_csv(measurements: Sequence[Measurement]) -> str:
    """Return CSV (RFC 4180, but lines end in a newline alone) with the columns of `COLUMNS`.

    Unknown values are empty; booleans are `true` or `false`; numbers are not rounded.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows(measurements):
        writer.writerow([_cell(value) for value in row.values()])
    return text.getvalue()


def _cell(value: Value) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def as_json(measurements: Sequence[Measurement]) -> str:
    """Return the records and derived values, as `collect` reads them back."""
    front = pareto(measurements)
    records = [{**one.as_dict(), "pareto": one.key in front} for one in measurements]
    return json.dumps({"measurements": records}, indent=1, ensure_ascii=False) + "\n"
