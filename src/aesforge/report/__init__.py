# SPDX-License-Identifier: Apache-2.0
"""Show measurements: a page that needs no network, tables for programs, plots for papers."""

from __future__ import annotations

from aesforge.report.collect import collect
from aesforge.report.export import as_csv, as_json
from aesforge.report.page import render
from aesforge.report.plot import Plot, plots
from aesforge.report.table import COLUMNS, pareto, rows

__all__ = ["COLUMNS", "Plot", "as_csv", "as_json", "collect", "pareto", "plots", "render", "rows"]
