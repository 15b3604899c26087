# SPDX-License-Identifier: Apache-2.0
"""The papers' ratios against ours: what is drawn, where its name stands, and always the same."""

from __future__ import annotations

import dataclasses
import re

import pytest

from aesforge.report import ratios
from aesforge.report.plot import Box, free_place
from aesforge.research.papers.compare import Comparison, compare
from aesforge.research.papers.published import papers
from project import REPO

PUBLISHED = {
    (one.paper, one.table, one.row, one.device, one.column): one
    for one in compare({})
    if not one.claim
}


def drawn(key: str, table: str, row: str, column: str, on: str, off: float) -> Comparison:
    """Return a figure of a paper with a ratio of ours that is so many times theirs."""
    one = PUBLISHED[key, table, row, on, column]
    assert one.published_ratio is not None
    return dataclasses.replace(
        one,
        ours=1.0,
        ours_ratio=off * one.published_ratio,
        ours_over_theirs=off,
        verdict="reproduced" if 1 / 1.25 <= off <= 1.25 else "cannot be told",
        core="ours",
    )


def some() -> list[Comparison]:
    """Return one figure of each of three papers; one of them is far off."""
    return [
        drawn("liu2014", "Table 3", "eight-stage", "Fmax", "XC4VLX160", 1.1),
        drawn("sama", "Fig. 15", "modified", "clock", "XC6SLX25T-3", 3.0),
        drawn("kiran", "Table II", "pipelined", "slices", "XC4VFX40-11", 0.9),
    ]


def test_a_measurement_is_one_point() -> None:
    clock, rate = (
        drawn("liu2014", "Table 3", "eight-stage", column, "XC4VLX160", 1.1)
        for column in ("Fmax", "throughput")
    )
    for both in ([clock, rate], [rate, clock]):
        (point,) = ratios.points(both)
        assert point["what"] == "eight-stage: throughput", "the headline of the table"
    assert (point["told"], point["far"]) == (True, False)
    assert point["ours"] == pytest.approx(1.1 * point["theirs"])


def test_what_is_no_ratio_or_rests_on_a_guess_is_not_drawn() -> None:
    one = some()[0]
    assert len(ratios.points([one])) == 1
    for change in (
        {"claim": "higher"},
        {"packed": True},
        {"guess": True},
        {"within": 1.0},
        {"bound": "at least"},
        {"ours_over_theirs": None},
        {"verdict": "derived"},
    ):
        assert ratios.points([dataclasses.replace(one, **change)]) == [], change
    assert ratios.chart([]) is None


def test_each_paper_has_its_colour_and_only_the_outlier_its_name() -> None:
    text = ratios.svg(some())
    for paper in papers():
        assert f">{paper.key}<" in text
    assert ">modified: clock<" in text
    assert ">eight-stage: Fmax<" not in text
    fills = set(re.findall(r'aria-label="paper: (\w+)[^>]*(?:fill|stroke)="(#\w+)"', text))
    assert len({colour for _, colour in fills}) == len(fills)


def test_the_same_figures_are_the_same_bytes() -> None:
    assert ratios.svg(some()) == ratios.svg(some())


def test_a_name_stands_where_nothing_else_does() -> None:
    taken: list[Box] = []
    first = free_place(50, 50, "name", 10, (100, 100), taken)
    second = free_place(50, 50, "name", 10, (100, 100), taken)
    assert first != second
    assert None not in (first, second)
    assert free_place(50, 50, "a name that is far too long", 10, (100, 100), taken) is None
    assert len(taken) == 2


def test_the_drawing_opens_the_pages() -> None:
    for page, path in (("README.md", "docs/papers/"), ("docs/papers/README.md", "")):
        assert f"]({path}ratios.svg)" in (REPO / page).read_text(encoding="utf-8")
