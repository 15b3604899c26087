# SPDX-License-Identifier: Apache-2.0
"""The papers' figures beside ours: the data are whole, and a verdict says what was measured."""

from __future__ import annotations

import copy
import csv
import dataclasses
import io
import itertools
import json
import math
import re
import statistics
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from aesforge.cli import main as cli
from aesforge.design import Design, load
from aesforge.design.presets import PRESETS
from aesforge.devices import device, devices
from aesforge.errors import UsageError
from aesforge.measure import Database, Measurement, Target
from aesforge.measure.bench import Campaign, Core, Run, run
from aesforge.research.papers import compare as comparing
from aesforge.research.papers import liu2014, show
from aesforge.research.papers.compare import (
    JUDGED,
    KINDS,
    UNKNOWN_SPREAD,
    Comparison,
    Kind,
    accepted,
    accepted_change,
    accepted_order,
    best_way,
    closeness,
    counts,
    disagreements,
    known_results,
    measurements,
    placement_spread,
    told,
    widest_spread,
)
from aesforge.research.papers.published import EVERY, digests, papers, published
from aesforge.research.papers.quantities import (
    BY_DESIGN,
    BY_MODES,
    COMPUTED,
    QUANTITIES,
    at_each_clock,
    is_packed,
    packed_slices,
    slices,
)
from project import REPO
from report_records import record

RESULTS = REPO / "bench" / "results" / "papers.json"
ALL = published()
CELLS = [(paper, *cell) for paper in ALL.paper for cell in ALL.cells(paper)]
CLAIMS = [(paper, claim) for paper in ALL.paper for claim in paper.claim]


def compare(
    known: Mapping[str, Measurement], key: str | None = None, spread: float | None = None
) -> list[Comparison]:
    """Compare made-up measurements, however few placements they have."""
    return comparing.compare(known, key, spread, asked={})


def one_of(found: list[Comparison], table: str, row: str, column: str, on: str = "") -> Comparison:
    """Return the one figure of that place."""
    (one,) = (
        one
        for one in found
        if (one.table, one.row, one.column) == (table, row, column) and on in one.device
    )
    return one


# --- The data ------------------------------------------------------------------------------------


def test_every_preset_that_is_cited_exists() -> None:
    cited = {core.design[0] for core in ALL.core if core.design}
    cited |= {row.preset for _, _, row, _ in CELLS if row.preset}
    assert cited <= PRESETS.keys()


def test_every_preset_of_a_paper_is_cited_or_deciphers() -> None:
    """A system that is built and nowhere set beside its paper would be forgotten."""
    keys = {paper.key for paper in ALL.paper}
    cited = {core.design[0] for core in ALL.core if core.design}
    cited |= {row.preset for _, _, row, _ in CELLS if row.preset}
    of_papers = {name for name in PRESETS if name.split("-")[0] in keys}
    rest = {name for name in of_papers - cited if not re.search(r"-(decrypt|192|256)$", name)}
    assert rest == set()


def test_cores_are_named_once_used_and_can_be_measured() -> None:
    names = [core.name for core in ALL.core]
    assert len(set(names)) == len(names)
    used = {name for _, _, row, _ in CELLS for name in row.cores}
    assert used == {core.name for core in ALL.core if not core.way_of}
    assert {name for _, claim in CLAIMS for name in claim.cores} <= used
    assert {core.way_of for core in ALL.core if core.way_of} <= used
    for core in ALL.core:
        assert core.seeds == 0 or devices()[core.device].part.flow == "place"
        assert (core.target.design is None) == bool(core.module)


@pytest.mark.parametrize("paper", ALL.paper, ids=lambda paper: paper.key)
def test_every_figure_has_something_beside_it_or_a_reason(paper: object) -> None:
    for owner, table, row, column in CELLS:
        if owner is not paper:
            continue
        where = f"{owner.key}, {table.name}, {row.name}, {column.key}"
        assert len(row.values) == len(table.columns), where
        table.base_of(row)
        if table.published(row, column) is None:
            continue
        quantity = row.quantities.get(column.key, column.quantity)
        excused = ALL.why(row.not_here, column) or ALL.why(table.not_here, column)
        if excused or row.base:
            continue
        assert quantity in QUANTITIES | BY_DESIGN | BY_MODES | COMPUTED, where
        assert row.cores or row.preset or row.modes or quantity in COMPUTED, where
        assert column.exact or column.within or not row.over, where


def test_columns_that_are_named_exist() -> None:
    for paper in ALL.paper:
        assert len({table.name for table in paper.table}) == len(paper.table)
        for table in paper.table:
            keys = {column.key for column in table.columns}
            named = [*table.charts, *table.headline, *table.not_here]
            for row in table.rows:
                named += [*row.quantities, *row.bounds, *row.derived, *row.differs, *row.not_here]
            assert set(named) <= keys | {EVERY}, table.name
            places = [(row.name, row.device) for row in table.rows]
            assert len(set(places)) == len(places) or table.name == "Table 4"


def test_reasons_are_sentences_or_names_of_them() -> None:
    used = set()
    for _, table, row, _ in CELLS:
        own = (*row.differs.values(), *row.not_here.values(), *filter(None, [row.conjecture]))
        for text in (*own, *table.not_here.values()):
            used.add(text)
            assert text in ALL.reason or len(text.split()) > 4, text
    for _, claim in CLAIMS:
        for text in filter(None, (claim.differs, claim.not_here)):
            used.add(text)
            assert text in ALL.reason or len(text.split()) > 4, text
    assert set(ALL.reason) <= used, "a reason that nothing names"


# --- The papers are quoted right ------------------------------------------------------------------

# What Table 3 of liu2014 prints in brackets, against what follows from its figures.
PRINTED = {
    ("two-stage", "XC7VX690T"): (19.22, 2.71, 5.58),
    ("five-stage", "XC7VX690T"): (22.07, 2.47, 4.96),
    ("two-stage", "XC6VLX240T"): (18.58, 1.99, 11.01),
    ("five-stage", "XC6VLX240T"): (21.27, 1.82, 10.71),
    ("two-stage", "XC5VSX240T"): (13.65, 1.29, 9.35),
    ("five-stage", "XC5VSX240T"): (17.24, 1.32, 8.95),
    ("two-stage", "XC4VLX60"): (17.75, 1.78, 4.11),
    ("eight-stage", "XC4VLX160"): (28.24, 1.45, 2.30),
}


def test_the_ratios_of_liu2014_are_those_it_prints() -> None:
    found = [one for one in compare({}, "liu2014") if one.table == "Table 3"]
    for (row, on), printed in PRINTED.items():
        for column, ratio in zip(("throughput", "per area", "per power"), printed, strict=True):
            one = one_of(found, "Table 3", row, column, on)
            assert one.published_ratio == pytest.approx(ratio, rel=0.01), (row, on, column)


def test_throughputs_follow_from_clocks() -> None:
    """A pipeline takes a block every cycle; figures mistyped here would not agree."""
    found = compare({}, "liu2014")
    for one in found:
        if one.table in ("Table 3", "Table 4") and "-stage" in one.row:
            if one.column != "Fmax":
                continue
            same = one_of(
                [other for other in found if other.device == one.device],
                one.table,
                one.row,
                "throughput",
            )
            assert same.published == pytest.approx(0.128 * (one.published or 0), rel=0.001)
    (kiran,) = papers("kiran")
    for row in kiran.table[0].rows:
        mhz, gbps, cycles, rate = row.values
        assert gbps == pytest.approx(0.128 * mhz, rel=0.001)
        assert rate == pytest.approx(mhz / (cycles if row.name == "looped" else 1), rel=0.001)


def test_no_published_figure_drifts() -> None:
    """Each table was read against its paper twice; what changes has to be read there again."""
    held = json.loads((REPO / "bench" / "papers-digests.json").read_text(encoding="utf-8"))
    assert digests() == held, "read it in the paper, then: python scripts/bench_papers.py --digests"


@pytest.mark.parametrize("what", ["value", "unit", "device", "bound", "derived", "claim"])
def test_a_figure_that_drifts_is_found_out(what: str) -> None:
    (paper,) = copy.deepcopy(papers("liu2014"))
    (data,) = (one for one in paper.table if one.name == "Table 4")
    row = data.rows[1]
    if what == "value":
        row.values[1] = 593.13
    elif what == "bound":
        row.bounds["mhz"] = "at least"
    elif what == "derived":
        row.derived.append("mhz")
    elif what == "claim":
        next(claim for claim in paper.claim if claim.change).change[0] = 7.5
    elif what == "unit":
        data.columns[0] = msgspec.structs.replace(data.columns[0], unit="LUTs")
    else:
        data.rows[1] = msgspec.structs.replace(row, device="XC7VX690")
    held = digests(papers("liu2014"))
    changed = {name for name, digest in digests([paper]).items() if digest != held[name]}
    assert changed == {"liu2014, claims" if what == "claim" else "liu2014, Table 4"}


def test_equations_are_those_of_fig_2() -> None:
    (paper,) = papers("liu2014")
    (table,) = (table for table in paper.table if table.name.startswith("Equations"))
    (column,) = table.columns
    said = {row.name: table.published(row, column) for row in table.rows}
    for k in (4, 6):
        assert said[f"(1) SubBytes, K = {k}"] == liu2014.sub_bytes_depth(k)
        assert said[f"(2) MixColumns, K = {k}"] == liu2014.mix_columns_depth(k)
        second = next(name for name in said if name.startswith("second") and f"K = {k}" in name)
        assert said[second] == liu2014.second_stage_depth(k)
    assert [liu2014.sub_bytes_is_deepest(k) for k in (4, 5, 6, 8)] == [True, True, True, False]


# --- The rules ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("published", "ours", "within", "verdict"),
    [
        (2.0, 2.4, 1.25, "reproduced"),
        (2.0, 1.61, 1.25, "reproduced"),
        (2.0, 2.6, 1.25, "differs"),
        (2.0, 0.5, 1.25, "differs"),
        (1.97, 1.01, 2, "differs"),
        (1.12, 1.0, 1.25, "differs"),
        (1.0, 1.97, 2, "differs"),
        (1.0, 1.04, 1.25, "reproduced"),
        (1.0, 1.1, 1.25, "differs"),
        (1.2, 0.98, 1.25, "differs"),
        (0.85, 1.13, 1.5, "differs"),
        (0.85, 0.96, 1.5, "differs"),
        (0.5, 0.45, 1.25, "reproduced"),
        (0.5, 0.3, 1.25, "differs"),
        (10.0, 10.0, 1, "reproduced"),
        (10.0, 10.1, 1, "differs"),
    ],
)
def test_a_ratio_goes_the_same_way_and_lies_within_the_factor(
    published: float, ours: float, within: float, verdict: str
) -> None:
    assert told((ours, ours), accepted(published, within)) == verdict
    # Upside down it is the same figure: periods and clocks never have different verdicts.
    assert told((1 / ours, 1 / ours), accepted(1 / published, within)) == verdict


def test_a_ratio_near_1_stands_for_no_other_whatever_the_factor() -> None:
    ratios = [1.06**power for power in range(-40, 41)]
    for theirs, ours in itertools.product(ratios, ratios):
        near, way = (0.9524 < theirs < 1.05, 0.9524 < ours < 1.05), (theirs > 1, ours > 1)
        if near[0] != near[1] or (not near[0] and way[0] != way[1]):
            assert told((ours, ours), accepted(theirs, 1000)) == "differs", (theirs, ours)


@pytest.mark.parametrize(
    ("ours", "bound", "verdict"),
    [
        ((2.1, 2.2), "at least", "reproduced"),
        ((9.0, 9.0), "at least", "reproduced"),
        ((1.8, 1.9), "at least", "differs"),
        ((1.9, 2.1), "at least", "cannot be told"),
        ((1.8, 1.9), "at most", "reproduced"),
        ((2.1, 2.1), "at most", "differs"),
    ],
)
def test_a_bound_is_met_or_not(ours: tuple[float, float], bound: str, verdict: str) -> None:
    assert told(ours, accepted(2, 1.25, bound)) == verdict


@pytest.mark.parametrize(
    ("ours", "percent", "verdict"),
    [
        (1.3, (30, 30), "reproduced"),
        (1.5, (30, 30), "differs"),
        (1.15, (30, 30), "differs"),
        (0.7, (30, 30), "differs"),
        (0.87, (-15, -15), "reproduced"),
        (0.95, (-15, -15), "differs"),
        (0.7, (-15, -15), "differs"),
        (1.13, (-15, -15), "differs"),
        (1.04, (7.6, 7.6), "differs"),
        (1.03, (2, 2), "differs"),
        (1.2, (20, 60), "reproduced"),
        (1.8, (20, 60), "reproduced"),
        (2.0, (20, 60), "differs"),
        (1.1, (20, 60), "differs"),
        (0.5, (-60, -20), "reproduced"),
        (0.95, (-60, -20), "differs"),
    ],
)
def test_a_change_goes_the_same_way_by_about_as_much(
    ours: float, percent: tuple[float, float], verdict: str
) -> None:
    assert told((ours, ours), accepted_change(*percent)) == verdict


@pytest.mark.parametrize(
    ("ours", "way", "verdict"),
    [
        ((1.06, 1.2), "higher", "reproduced"),
        ((1.0, 1.04), "higher", "differs"),
        ((0.9, 1.2), "higher", "cannot be told"),
        ((1.02, 1.2), "higher", "cannot be told"),
        ((0.5, 0.6), "higher", "differs"),
        ((0.5, 0.6), "lower", "reproduced"),
        ((0.99, 1.01), "lower", "differs"),
        ((1.06, 1.2), "lower", "differs"),
    ],
)
def test_a_ranking_is_told_only_when_ranges_are_apart(
    ours: tuple[float, float], way: str, verdict: str
) -> None:
    assert told(ours, accepted_order(way)) == verdict


def test_the_spread_is_the_widest_of_several_placements() -> None:
    narrow = measured(Design(), "LFE5U-85F-8", mhz=(100, 104, 102))
    wide = measured(Design(), "LFE5U-85F-8", mhz=(80, 100))
    alone = measured(Design(), "LFE5U-85F-8", mhz=10)
    assert widest_spread([narrow, wide, alone]) == pytest.approx(1.25)
    assert widest_spread([alone]) == UNKNOWN_SPREAD
    result = Campaign.read(RESULTS.with_name("cores.json")).measurements["line-rate"]
    assert placement_spread() >= widest_spread([result]) > 1.05


def test_one_placement_may_be_as_far_off_as_the_spread() -> None:
    one = measured(Design(), "LFE5U-85F-8", mhz=100)
    clocks = [QUANTITIES["mhz"].of(alone) for alone in at_each_clock(one, 1.25)]
    assert clocks == [pytest.approx(80), pytest.approx(125)]
    several = measured(Design(), "LFE5U-85F-8", mhz=(90, 110, 100))
    paths = [QUANTITIES["path_ns"].of(alone) for alone in at_each_clock(several, 9)]
    middle = QUANTITIES["path_ns"].of(several)
    assert middle is not None
    assert paths == [pytest.approx(middle * 100 / mhz) for mhz in (90, 110, 100)]


# --- Verdicts -------------------------------------------------------------------------------------


def measured(
    design: Design,
    on: str,
    *,
    mhz: float | tuple[float, ...] | None,
    slices: int | None = None,
    commit: str = "one",
    **area: int,
) -> Measurement:
    """Return a made-up measurement, with a placement for each clock."""
    import random

    part = device(on)
    one = record(random.Random(1), Design(), on, part.family, 1.0, None, False)
    new = msgspec.structs.replace(
        one.area,
        **{
            "lut4": None if part.part.lut_inputs == 6 else area.get("lut", 100),
            "lut6": area.get("lut", 100) if part.part.lut_inputs == 6 else None,
            "ff": area.get("ff", 0),
            "block_ram": area.get("block_ram", 0),
        },
    )
    clock = None
    if mhz is not None:
        assert one.clock is not None
        clocks = mhz if isinstance(mhz, tuple) else (mhz,)
        run = msgspec.structs.replace(one.clock.runs[0], slices=slices)
        runs = [msgspec.structs.replace(run, mhz=clock) for clock in clocks]
        middle = statistics.median(clocks)
        clock = msgspec.structs.replace(
            one.clock, runs=runs, reported_mhz=middle, fmax_mhz=middle, cap=None
        )
    provenance = msgspec.structs.replace(one.provenance, recipe="depth", commit=commit)
    return msgspec.structs.replace(
        one,
        subject=Target.of(design).subject(),
        area=new,
        clock=clock,
        provenance=provenance,
        kind="placed" if mhz else "synthesized",
    )


def about(mhz: float) -> tuple[float, ...]:
    """Return the clocks of three placements that hardly differ."""
    return (0.995 * mhz, mhz, 1.005 * mhz)


def ecp5(preset: str, mhz: float | tuple[float, ...], **options: Any) -> dict[str, Measurement]:
    """Return a made-up measurement of a preset on ECP5, under the name of its core."""
    on = "LFE5U-85F-8"
    return {f"{preset}-ecp5": measured(PRESETS[preset], on, mhz=mhz, **options)}


def liu(name: str, *, mhz: float | tuple[float, ...] | None = None, lut: int = 1000) -> Measurement:
    on = "LFE5U-85F-8" if mhz else "XC7VX690T-2"
    return measured(PRESETS[f"liu2014-{name}"], on, mhz=mhz, lut=lut)


def test_another_way_to_build_a_core_counts_where_it_is_the_best() -> None:
    name, way = "liu2014-two-stage-ecp5", "liu2014-two-stage-area-ecp5"
    design, on = PRESETS["liu2014-two-stage"], "LFE5U-85F-8"
    known = {name: measured(design, on, mhz=about(100))}

    def shown() -> tuple[str, float | None]:
        one = one_of(compare(known, "liu2014"), "Table 3", "two-stage", "Fmax", "XC7VX690T")
        return one.core, one.ours

    known[way] = measured(design, on, mhz=about(90))
    assert shown() == (name, 100)
    known[way] = measured(design, on, mhz=about(110))
    assert shown() == (way, 110)
    # Fewer placements than the core has, 99.5 to 100.5 MHz: faster than all of them, or by luck.
    known[way] = measured(design, on, mhz=100.4)
    assert shown() == (name, 100)
    known[way] = measured(design, on, mhz=100.6)
    assert shown() == (way, 100.6)
    del known[name]
    assert shown() == ("", None), "the core itself was not measured"
    # Without clocks: fewer levels, then fewer look-up tables.
    small, large = (measured(design, "XC7VX690T-2", mhz=None, lut=lut) for lut in (10, 20))
    assert best_way({"sbox-table-xc7": large, "sbox-table-stock-xc7": small}, "sbox-table-xc7") == (
        "sbox-table-stock-xc7"
    )
    deep = msgspec.structs.replace(small.depth[0], depth=99)
    small = msgspec.structs.replace(small, depth=[deep])
    assert best_way({"sbox-table-xc7": large, "sbox-table-stock-xc7": small}, "sbox-table-xc7") == (
        "sbox-table-xc7"
    )


def test_fewer_placements_than_asked_for_are_shown_and_not_judged() -> None:
    known = ecp5("liu2014-original", about(100)) | ecp5("liu2014-eight-stage", about(220))

    def clock(asked: dict[str, int]) -> Comparison:
        found = comparing.compare(known, "liu2014", 1.1, asked)
        return one_of(found, "Table 3", "eight-stage", "Fmax")

    assert clock({"liu2014-eight-stage-ecp5": 3}).verdict == "reproduced"
    for name in ("liu2014-eight-stage-ecp5", "liu2014-original-ecp5"):
        short = clock({name: 4})
        assert (short.ours, short.verdict) == (220, "not measured")
        assert f"`make bench-papers CORES='{name}'` adds the others" in short.why
    luts = comparing.compare(known, "liu2014", 1.1, {"liu2014-original-ecp5": 4})
    assert all(one.why.count("placements") == 0 for one in luts if one.rests_on == ("lut",))


def test_stand_ins_for_other_teams_tell_nothing_and_do_not_count_as_near() -> None:
    known = ecp5("liu2014-original", about(100)) | ecp5("liu2014-five-stage", about(200))
    found = compare(known, "liu2014", 1.1)
    one = one_of(found, "Table 4", "[8], not pipelined", "Fmax")
    assert one.ours == 100
    assert (one.verdict, one.guess) == ("cannot be told", True)
    assert "stand-in" in one.why
    assert closeness([one]).ratios == 0
    assert closeness([dataclasses.replace(one, guess=False)]).ratios == 1


def claim_of(found: list[Comparison], words: str) -> Comparison:
    """Return the one claim that says so."""
    (one,) = (one for one in found if one.claim and words in one.row)
    return one


def table_3(original: float | tuple[float, ...], eight: float | tuple[float, ...]) -> Comparison:
    """Compare the clocks of the original and of the eight-stage pipeline."""
    known = ecp5("liu2014-original", original) | ecp5("liu2014-eight-stage", eight)
    return one_of(compare(known, "liu2014", 1.1), "Table 3", "eight-stage", "Fmax")


def test_reproduced_within_the_factor_at_every_placement() -> None:
    one = table_3(about(100), about(220))
    assert one.published_ratio == pytest.approx(454.55 / 192.68)
    assert one.ours == 220
    assert one.ours_ratio == pytest.approx(2.2)
    assert one.ours_over_theirs == pytest.approx(2.2 / (454.55 / 192.68))
    assert (one.verdict, one.ours_device, one.seeds) == ("reproduced", "LFE5U-85F-8", 3)
    assert "within a factor of 1.25" in one.said
    assert one.ours_low == pytest.approx(2.2 * 0.995 / 1.005)


def test_differs_at_every_placement() -> None:
    one = table_3(about(100), about(500))
    assert one.verdict == "differs"
    assert one.disagreement is not None
    assert "say why" in one.disagreement


def test_placements_on_both_sides_of_the_rule_cannot_tell() -> None:
    one = table_3((90, 100, 110), (160, 200, 260))
    assert (one.verdict, one.why) == (
        "cannot be told",
        "the range over the placements leaves it open",
    )


def test_one_placement_cannot_tell_what_the_spread_leaves_open() -> None:
    """A spread of 1.1 on one side: 2.9 may be 2.6 or 3.2, where 2.95 is the most."""
    one = table_3(about(100), 290)
    assert one.verdict == "cannot be told"
    assert "one placement, whose clock may be 1.10 times" in one.why
    assert table_3(about(100), 230).verdict == "reproduced"
    assert table_3(about(100), 500).verdict == "differs"
    known = ecp5("liu2014-original", about(100)) | ecp5("liu2014-eight-stage", 230)
    found = compare(known, "liu2014", UNKNOWN_SPREAD)
    assert one_of(found, "Table 3", "eight-stage", "Fmax").verdict == "cannot be told"


@pytest.mark.parametrize("mhz", [97.3, 94.4, 192.68, 20])
def test_an_absolute_figure_has_no_verdict(mhz: float) -> None:
    """Neither at 1.98 times the paper's nor at 2.04, nor at the very figure."""
    found = compare(ecp5("liu2014-original", about(mhz)), "liu2014", 1.1)
    one = one_of(found, "Table 3", "original", "Fmax", "XC4VLX60")
    assert (one.verdict, one.ours, one.ours_over_theirs) == ("not comparable", mhz, None)
    assert one.disagreement is None


def test_ratios_are_of_one_device() -> None:
    """Clocks of one device are never divided by those of another."""
    known = {
        "liu2014-original-xc7": liu("original", lut=1200),
        "liu2014-five-stage-xc7": liu("five-stage", lut=12000),
        "liu2014-five-stage-ecp5": liu("five-stage", mhz=200, lut=50000),
    }
    found = compare(known, "liu2014")
    area = one_of(found, "Table 3", "five-stage", "slices", "XC7VX690T")
    assert (area.ours, area.ours_ratio, area.ours_device) == (3000, 10, "XC7VX690T-2")
    clock = one_of(found, "Table 3", "five-stage", "Fmax", "XC7VX690T")
    assert (clock.ours, clock.ours_ratio, clock.verdict) == (200, None, "not measured")
    assert "aesforge measure liu2014-five-stage --device LFE5U-85F-8 --recipe" in clock.said
    del known["liu2014-five-stage-xc7"]
    area = one_of(compare(known, "liu2014"), "Table 3", "five-stage", "slices", "XC7VX690T")
    assert (area.ours, area.ours_ratio) == (25000, None)


def test_a_seven_series_part_never_gives_a_clock() -> None:
    known = {"liu2014-original-xc7": liu("original")}
    for one in compare(known, "liu2014"):
        if one.ours_device.startswith("XC7") and not one.claim:
            assert one.column in ("slices", "LUTs", "logic depth", "area"), one


def test_packed_slices_decide_nothing() -> None:
    def found(slices: int | None) -> Comparison:
        known = ecp5("saggese2003-iterative", about(100), lut=800, slices=slices)
        known |= ecp5("saggese2003-iterative-five-stage", about(180), lut=1100, slices=slices)
        return one_of(
            compare(known, "saggese2003", 1.1), "Fig. 5", "iterative, 5 stages", "per area"
        )

    packed, counted = found(None), found(600)
    assert (packed.packed, packed.verdict) == (True, "not measured")
    assert "packed perfectly, a lower bound" in packed.why
    assert "`make bench-papers CORES='saggese2003-iterative-five-stage-ecp5 " in packed.why
    assert show.ours_text(packed).endswith(" packed")
    assert (counted.packed, counted.verdict) == (False, "reproduced")
    assert counted.ours == pytest.approx(128 * 180 / 10 / 600)


def test_counted_slices_go_before_packed_ones_of_another_device() -> None:
    on = "XC7VX690T-2"
    rows = ("original", "five-stage")
    known = {
        f"liu2014-{row}-xc7": measured(PRESETS[f"liu2014-{row}"], on, mhz=None, lut=lut)
        for row, lut in zip(rows, (1000, 9000), strict=True)
    }

    def slices_of() -> Comparison:
        return one_of(compare(known, "liu2014"), "Table 3", "five-stage", "slices", "XC7VX690T")

    assert (slices_of().packed, slices_of().verdict) == (True, "cannot be told")
    known |= ecp5("liu2014-original", about(100), slices=1000)
    known |= ecp5("liu2014-five-stage", about(200), slices=9000)
    assert (slices_of().packed, slices_of().verdict) == (False, "reproduced")
    assert slices_of().ours_device == "LFE5U-85F-8"


def test_packed_slices_of_a_part_that_is_not_placed_cannot_be_told() -> None:
    known = {
        "liu2014-original-xc7": liu("original", lut=486),
        "liu2014-five-stage-xc7": liu("five-stage", lut=4339),
    }
    one = one_of(compare(known, "liu2014"), "Table 3", "five-stage", "slices", "XC7VX690T")
    assert one.ours_over_theirs == pytest.approx(1, rel=0.01)
    assert one.verdict == "cannot be told"


@pytest.mark.parametrize(
    ("commits", "rtl", "verdict", "why"),
    [
        (("one", "one"), "of that commit", "reproduced", ""),
        (("one", "two"), "of today", "reproduced", ""),
        (("one", "two"), "of that commit", "cannot be told", "different commits"),
        (("one+", "one+"), "of today", "cannot be told", "changes that were not committed"),
    ],
)
def test_figures_of_two_states_of_the_sources_are_not_compared(
    commits: tuple[str, str], rtl: str, verdict: str, why: str
) -> None:
    known = ecp5("liu2014-original", about(100), commit=commits[0])
    known |= ecp5("liu2014-eight-stage", about(220), commit=commits[1])
    if rtl != "of today":
        name = "liu2014-eight-stage-ecp5"
        old = msgspec.structs.replace(known[name].subject, rtl="0" * 32)
        known[name] = msgspec.structs.replace(known[name], subject=old)
    one = one_of(compare(known, "liu2014", 1.1), "Table 3", "eight-stage", "Fmax")
    assert one.verdict == verdict
    assert why in one.why


def test_the_same_rtl_and_tools_are_one_state_whatever_the_commit() -> None:
    design = PRESETS["saggese2003-iterative"]
    on = "LFE5U-85F-8"
    known = {
        "saggese2003-iterative-ecp5": measured(design, on, mhz=about(100), commit="one"),
        "saggese2003-iterative-floorplan-ecp5": measured(design, on, mhz=about(145), commit="two"),
    }

    def gain() -> Comparison:
        return claim_of(compare(known, "saggese2003", 1.1), "makes the iterative core 36")

    assert gain().verdict == "reproduced"
    name = "saggese2003-iterative-floorplan-ecp5"
    new = msgspec.structs.replace(known[name].provenance, tools={"yosys": "another"})
    known[name] = msgspec.structs.replace(known[name], provenance=new)
    assert gain().verdict == "cannot be told"
    assert "versions of the tools" in gain().why


def test_numbers_of_cycles_are_equal_or_not() -> None:
    found = compare({}, "liu2014")
    two = one_of(found, "Sec. 3.2 and 3.3", "two-stage, decrypting", "latency")
    assert (two.published, two.ours, two.verdict) == (41, 41, "reproduced")
    eight = one_of(found, "Sec. 3.2 and 3.3", "eight-stage", "latency")
    assert (eight.published, eight.ours, eight.verdict) == (79, 81, "differs")
    key = compare({}, "rahman2010")
    cycles = one_of(key, "Table II and Sec. III.E", "ROM", "all round keys")
    assert (cycles.ours, cycles.verdict) == (12, "reproduced")
    none = one_of(key, "Table II and Sec. III.E", "composite field", "256 x 8 ROMs")
    assert (none.published, none.ours, none.verdict) == (0, 0, "reproduced")
    rows = one_of(key, "Sec. III.B", "counter and two registers", "first column out after")
    assert (rows.published, rows.ours, rows.verdict) == (6, 5, "differs")
    gates = [one for one in key if one.table == "Table I" and one.column == "gates"]
    assert [(one.published, one.ours) for one in gates] == [(592, 592), (193, 193), (195, 195)]


def test_slices_are_counted_in_the_placements_or_packed() -> None:
    small = measured(Design(), "LFE5U-85F-8", mhz=100, lut=101, ff=90)
    assert (slices(small), is_packed(small)) == (51, True)
    assert packed_slices(msgspec.structs.replace(small.area, ff=300)) == 150
    large = measured(Design(), "XC7VX690T-2", mhz=None, lut=101, ff=900)
    assert (slices(large), is_packed(large)) == (math.ceil(900 / 8), True)
    placed = measured(Design(), "LFE5U-85F-8", mhz=(100, 110, 120), lut=101, slices=77)
    assert (slices(placed), is_packed(placed)) == (77, False)
    assert placed.clock is not None
    runs = [msgspec.structs.replace(placed.clock.runs[0], slices=None), *placed.clock.runs[1:]]
    clock = msgspec.structs.replace(placed.clock, runs=runs)
    assert is_packed(msgspec.structs.replace(placed, clock=clock))


def test_a_reason_for_what_does_not_differ_is_a_disagreement() -> None:
    one = table_3(about(100), about(220))
    assert one.disagreement is None
    pending = dataclasses.replace(one, verdict="not measured", reason_given=True)
    assert pending.disagreement is None, "the reason waits for the measurement"
    for kind in set(KINDS) - {"differs", "not measured"}:
        stale = dataclasses.replace(one, verdict=kind, reason_given=True)
        assert stale.disagreement is not None
        assert "`differs` says why" in stale.disagreement


def test_a_bound_is_said_and_judged_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    found = compare({}, "liu2014")
    two = one_of(
        found, "Sec. 5.2", "two five-stage pipelines (our area: twice that of one)", "throughput"
    )
    assert show.published_text(two).startswith("at least 100")
    (paper,) = papers("liu2014")
    (data,) = (one for one in paper.table if one.name == "Table 3")
    row = next(row for row in data.rows if row.name == "eight-stage")
    monkeypatch.setitem(row.bounds, "mhz", "at least")
    assert table_3(about(100), about(900)).verdict == "reproduced"
    assert table_3(about(100), about(230)).verdict == "differs"


def test_modes_are_what_our_engines_build_and_count_once() -> None:
    found = [one for one in compare({}, "saggese2003") if one.table == "Fig. 2"]
    assert {one.verdict for one in found} == {"reproduced"}
    assert one_of(found, "Fig. 2", "OCB", "receiver decrypts with the inverse cipher").ours == 1
    assert one_of(found, "Fig. 2", "CFB", "receiver decrypts with the inverse cipher").ours == 0
    assert one_of(found, "Fig. 2", "CFB", "sender has feedback").ours == 1
    assert one_of(found, "Fig. 2", "CTR", "sender has feedback").ours == 0
    assert counts(found)["reproduced"] == 2, "a column each"


# --- Claims ---------------------------------------------------------------------------------------


def test_claims_are_whole() -> None:
    for paper, claim in CLAIMS:
        where = f"{paper.key}: {claim.says}"
        if claim.not_here:
            assert not claim.quantity, where
            continue
        assert claim.quantity in QUANTITIES | BY_DESIGN, where
        assert claim.core, where
        assert claim.than, where
        assert not (claim.gain and claim.change), where
        assert len(claim.change) in (0, 1, 2), where
        assert claim.change == sorted(claim.change), where
        assert len({ALL.cores()[name].device for name in claim.cores}) == 1, where
        assert all((ratio > 1) == (claim.way == "higher") for ratio in claim.ratios or ()), where
    for paper in ALL.paper:
        says = [claim.says for claim in paper.claim]
        assert len(set(says)) == len(says)


def rivals(clocks: dict[str, tuple[float, ...]]) -> Comparison:
    known: dict[str, Measurement] = {}
    for name, mhz in clocks.items():
        known |= ecp5(f"liu2014-two-stage{name}", mhz)
    return claim_of(compare(known, "liu2014", 1.1), "the new key expansion makes")


@pytest.mark.parametrize(
    ("ours", "first", "second", "verdict", "over"),
    [
        (about(200), about(150), about(120), "reproduced", "liu2014-two-stage-ecp5"),
        (about(200), about(120), about(150), "reproduced", "liu2014-two-stage-hu2009-ecp5"),
        (about(200), about(198), about(120), "differs", "liu2014-two-stage-ecp5"),
        (about(200), about(120), about(300), "differs", "liu2014-two-stage-hu2009-ecp5"),
        ((180, 200, 220), (150, 200, 210), about(100), "cannot be told", "liu2014-two-stage-ecp5"),
        ((200,), about(180), about(100), "cannot be told", "liu2014-two-stage-ecp5"),
    ],
)
def test_a_ranking_leads_every_rival(
    ours: tuple[float, ...],
    first: tuple[float, ...],
    second: tuple[float, ...],
    verdict: str,
    over: str,
) -> None:
    """One of two that is not beaten decides, and is named."""
    one = rivals({"-liu2014": ours, "": first, "-hu2009": second})
    assert (one.verdict, one.over) == (verdict, over)


def test_a_ranking_needs_every_rival() -> None:
    one = rivals({"-liu2014": about(200), "": about(150)})
    assert (one.verdict, one.ours_ratio) == ("not measured", None)
    assert "liu2014-two-stage-hu2009" in one.why


def gain(mhz: tuple[float, ...]) -> Kind:
    design, on = PRESETS["saggese2003-iterative"], "LFE5U-85F-8"
    known = {
        "saggese2003-iterative-ecp5": measured(design, on, mhz=about(100)),
        "saggese2003-iterative-floorplan-ecp5": measured(design, on, mhz=mhz),
    }
    return claim_of(compare(known, "saggese2003", 1.1), "makes the iterative core 36").verdict


def test_a_change_is_held_to_its_percentage() -> None:
    """36 to 55 %: 24 to 82 %."""
    assert {gain(about(mhz)) for mhz in (126, 145, 178)} == {"reproduced"}
    assert {gain(about(mhz)) for mhz in (119, 112, 103, 90, 190, 300)} == {"differs"}
    assert gain((100, 150, 150)) == "cannot be told"


def test_circuits_that_stand_side_by_side_add_up() -> None:
    """The areas of two circuits add up, and the slower counts."""

    def part(name: str, mhz: float, lut: int) -> dict[str, Measurement]:
        return {f"mix-{name}-ecp5": measured(Design(), "LFE5U-85F-8", mhz=about(mhz), lut=lut)}

    known = part("forward", 360, 72) | part("inverse", 200, 60) | part("merged", 170, 100)
    found = compare(known, "rahman2010", 1.1)
    area, delay = (claim_of(found, f"as two circuits {words}") for words in ("take 30", "have 15"))
    assert (area.ours, area.verdict) == (132, "reproduced")
    assert area.ours_ratio == pytest.approx(1.32)
    path = known["mix-inverse-ecp5"].critical_path
    assert path is not None
    assert delay.ours == pytest.approx(path.ns)


def test_circuits_side_by_side_are_compared_while_their_rtl_is_here() -> None:
    """Of two commits, as two lines of the bench measure them."""
    known = {}
    for commit, (part, mhz) in zip(
        ("one", "one", "two"), (("forward", 360), ("inverse", 200), ("merged", 170)), strict=True
    ):
        name = f"mix-{part}-ecp5"
        one = measured(Design(), "LFE5U-85F-8", mhz=about(mhz), lut=100, commit=commit)
        rtl = msgspec.structs.replace(one.subject, rtl=ALL.cores()[name].target.digest)
        known[name] = msgspec.structs.replace(one, subject=rtl)

    def delay() -> Comparison:
        return claim_of(compare(known, "rahman2010", 1.1), "as two circuits have 15")

    assert "commits" not in delay().why
    old = msgspec.structs.replace(known["mix-inverse-ecp5"].subject, rtl="0" * 32)
    known["mix-inverse-ecp5"] = msgspec.structs.replace(known["mix-inverse-ecp5"], subject=old)
    assert (delay().verdict, delay().why) == ("cannot be told", "measured at different commits")


# --- Contradictions that were once called reproduced ----------------------------------------------


def rahman(clocks: dict[str, float]) -> list[Comparison]:
    known: dict[str, Measurement] = {}
    for name, mhz in clocks.items():
        known |= ecp5(f"rahman2010-{name}", about(mhz))
    return compare(known, "rahman2010", 1.35)


def test_no_effect_is_not_doubling() -> None:
    found = rahman({"composite": 107.6, "rom": 108.3, "composite-key": 121.0})
    for row, ratio in (("ROM for both", 1.97), ("composite keys, ROM data", 2.09)):
        one = one_of(found, "Table III and Fig. 6", row, "throughput")
        assert one.published_ratio == pytest.approx(ratio, rel=0.01)
        assert one.verdict == "differs"


def test_what_we_derived_is_no_published_figure() -> None:
    known = ecp5("kiran-looped", about(151.4)) | ecp5("kiran-pipelined", about(165.5))
    found = compare(known, "kiran", 1.35)
    ours = one_of(found, "Table I", "pipelined", "key schedules")
    assert ours.published_ratio == pytest.approx(49.6, rel=0.01)
    assert (ours.verdict, show.published_text(ours)[0]) == ("derived", "[")
    assert one_of(found, "Table I", "pipelined", "clock").verdict == "differs"
    assert claim_of(found, "2.48 times the clock").verdict == "differs"


def test_nothing_derived_heads_the_readme() -> None:
    for paper in ALL.paper:
        for data in paper.table:
            for row in data.rows:
                assert not (row.headline and set(row.derived) & set(data.headline))


def test_the_new_key_expansion_is_not_the_fastest_where_another_is() -> None:
    one = rivals({"-liu2014": about(163.3), "": about(167.7), "-hu2009": about(150.9)})
    assert (one.verdict, one.over) == ("differs", "liu2014-two-stage-ecp5")
    one = rivals({"-liu2014": (163.3,), "": (167.7,), "-hu2009": (150.9,)})
    assert one.verdict == "cannot be told"


def test_two_stages_are_not_the_best_where_others_are() -> None:
    """0.93 Gbps a slice against 1.10 and 0.99."""
    known = ecp5("liu2014-two-stage", about(167.7), slices=23006)
    known |= ecp5("liu2014-original", about(103), slices=1199)
    known |= ecp5("liu2014-eight-stage", about(233.5), slices=30180)
    one = claim_of(compare(known, "liu2014", 1.1), "than the eight-stage one")
    assert one.ours == pytest.approx(0.933, rel=0.01)
    assert one.verdict == "differs"


def saggese(slices: dict[str, int]) -> list[Comparison]:
    clocks = {"iterative": 110.9, "iterative-five-stage": 232.7, "unrolled": 83.6}
    clocks["unrolled-five-stage"] = 182.5
    known: dict[str, Measurement] = {}
    for name, mhz in clocks.items():
        number = slices.get(name)
        known |= ecp5(f"saggese2003-{name}", about(mhz), slices=number, block_ram=10)
    return compare(known, "saggese2003", 1.1)


def test_the_unrolled_five_stage_core_is_not_the_most_efficient_where_others_are() -> None:
    counted = {"iterative": 382, "iterative-five-stage": 721}
    counted |= {"unrolled": 2172, "unrolled-five-stage": 6027}
    words = "the unrolled five-stage core gives the most throughput per slice"
    assert claim_of(saggese(counted), words).verdict == "differs"
    assert claim_of(saggese({}), words).verdict == "not measured"


def test_unrolling_is_held_against_tiles_of_as_many_stages() -> None:
    known = ecp5("saggese2003-unrolled-five-stage", about(182.5), slices=6027)
    known |= ecp5("saggese2003-tiled", about(75.7), slices=4262)
    one = claim_of(compare(known, "saggese2003", 1.1), "unrolling beats tiling")
    assert one.verdict == "not measured"
    assert one.why == "`make bench-papers CORES='saggese2003-tiled-five-stage-ecp5'`"


def test_placement_gains_what_the_paper_says_or_it_differs() -> None:
    """The paper has 36 to 55 %; "lower" is not enough."""
    assert gain(about(99.5)) == "differs"
    assert gain(about(104)) == "differs"
    design, on = PRESETS["saggese2003-unrolled-five-stage"], "LFE5U-85F-8"
    known = {
        "saggese2003-unrolled-five-stage-ecp5": measured(design, on, mhz=182.5),
        "saggese2003-unrolled-five-stage-floorplan-ecp5": measured(design, on, mhz=216.8),
    }
    one = claim_of(compare(known, "saggese2003", 1.35), "makes the unrolled five-stage core 36")
    assert one.verdict == "cannot be told"


def test_a_conjecture_of_ours_reproduces_nothing() -> None:
    known = ecp5("sama-standard", about(9.82)) | ecp5("sama-key-input", about(13.73))
    found = compare(known, "sama", 1.1)
    one = one_of(found, "Timing summaries", "modified", "input arrival")
    assert one.verdict == "cannot be told"
    assert "our guess" in one.why
    both = [other for other in found if other.column == "clock with the input path"]
    assert [other.verdict for other in both] == ["derived", "derived"]


def test_depth_is_counted_alike_for_both_sizes_of_tables() -> None:
    """In look-up tables, without wide multiplexers."""
    (paper,) = papers("liu2014")
    (data,) = (one for one in paper.table if one.name.startswith("Equations"))
    assert {one.quantity for one in data.columns} == {"depth"}
    rows = {row.name: row for row in data.rows}
    names = ("(1) SubBytes, K = 4", "(1) SubBytes, K = 6")
    assert [rows[name].quantities for name in names] == [{}, {}]
    cores = [ALL.cores()[rows[name].cores[0]] for name in names]
    assert [core.parameters["Style"] for core in cores] == [1, 2]
    known = Campaign.read(RESULTS).measurements
    assert all(known[core.name].area.wide_mux == 0 for core in cores)
    found = compare(known, "liu2014")
    assert one_of(found, data.name, names[1], "logic depth").verdict == "differs"


CONTRADICTIONS = (
    ("rahman2010", "ROM for both", "throughput"),
    ("rahman2010", "composite keys, ROM data", "throughput"),
    ("kiran", "pipelined", "key schedules"),
    ("kiran", "pipelined", "clock"),
    ("liu2014", "the new key expansion makes the two-stage", ""),
    ("liu2014", "the two-stage pipeline gives more throughput per slice than the five", ""),
    ("saggese2003", "the unrolled five-stage core gives the most", ""),
    ("saggese2003", "the same with block RAM counted as slices", ""),
    ("saggese2003", "placement along the data flow", ""),
    ("liu2014", "original", "Fmax"),
    ("saggese2003", "iterative", "clock"),
    ("sama", "modified", "input arrival"),
    ("sama", "modified", "clock with the input path"),
    ("liu2014", "(1) SubBytes, K = 6", "logic depth"),
)


@pytest.mark.parametrize(("key", "row", "column"), CONTRADICTIONS)
def test_no_contradiction_is_reproduced_by_the_results(key: str, row: str, column: str) -> None:
    found = [
        one
        for one in compare(known_results(RESULTS, own=False), key)
        if (one.row == row and one.column == column) or (one.claim and one.row.startswith(row))
    ]
    assert found
    assert all(one.verdict != "reproduced" for one in found)


# --- Sums -----------------------------------------------------------------------------------------


def test_figures_that_follow_from_one_measurement_count_once() -> None:
    """Clock and throughput of the two-stage pipeline, on four devices of the paper: one."""
    known = ecp5("liu2014-original", about(100), slices=1000)
    known |= ecp5("liu2014-two-stage", about(155), slices=10000)
    found = compare(known, "liu2014", 1.1)
    clock = [one for one in found if one.table == "Table 3" and one.rests_on[0] == "clock"]
    judged = [one for one in clock if one.verdict in JUDGED]
    assert len(judged) == 12
    assert {one.verdict for one in judged} == {"reproduced", "differs", "cannot be told"}
    (together,) = (group for group in measurements(found) if judged[0] in group)
    assert len(together) == 12
    only = counts(together)
    assert only["differs"] == 1, "the worst counts"
    assert sum(only.values()) == 1
    apart = closeness(judged)
    farthest = [max(r, 1 / r) for one in judged if (r := one.ours_over_theirs)]
    assert (apart.ratios, apart.median) == (1, max(farthest))


def test_every_figure_is_counted_or_goes_with_another() -> None:
    found = compare(known_results(RESULTS, own=False))
    assert len(found) == len(CELLS) + len(CLAIMS)
    groups = measurements(found)
    inside = {id(one) for group in groups for one in group}
    assert len(inside) == sum(map(len, groups))
    outside = [one for one in found if id(one) not in inside]
    assert sum(counts(found).values()) == len(groups) + len(outside)
    assert all(one.claim or one.verdict not in JUDGED for one in outside)
    for one in found:
        assert one.verdict == "no figure" or len(one.said.split()) > 2


def test_closeness_counts_either_way_alike() -> None:
    def found(*ratios: float) -> list[Comparison]:
        one = table_3(about(100), about(220))
        return [
            dataclasses.replace(one, ours_over_theirs=ratio, core=str(i))
            for i, ratio in enumerate(ratios)
        ]

    near = closeness(found(1.05, 1 / 1.2, 1.9, 1 / 3))
    assert (near.ratios, near.tenth, near.quarter, near.twice) == (4, 1, 2, 3)
    assert near.median == pytest.approx((1.2 + 1.9) / 2)
    assert closeness([]).median is None
    packed = [dataclasses.replace(one, packed=True) for one in found(1.0)]
    equal = [dataclasses.replace(one, within=1) for one in found(1.0)]
    assert closeness(packed + equal).ratios == 0


# --- The results that come with aesforge ----------------------------------------------------------


def test_file_and_results_agree() -> None:
    """Each figure that differs has its reason, and none that is reproduced has one."""
    assert disagreements(compare(known_results(RESULTS, own=False))) == []


def test_results_are_of_the_cores_they_are_named_after() -> None:
    cores = ALL.cores()
    for name, one in Campaign.read(RESULTS).measurements.items():
        assert name in cores
        assert one.device == cores[name].device
        design = cores[name].target.design
        if design is None:
            assert one.subject.name == cores[name].module
        else:
            assert one.subject.design is not None
            for field, value in one.subject.design.items():
                assert field == "name" or design.choices()[field] == value, (name, field)


def test_a_changed_result_is_found_out(tmp_path: Path) -> None:
    """A core that turned out twice as large would no longer be what the pages say."""
    path = tmp_path / "results.json"
    campaign = Campaign.read(RESULTS)
    for name in ("sbox-table-xc7", *ALL.ways("sbox-table-xc7")):
        one = campaign.measurements[name]
        larger = msgspec.structs.replace(one.area, lut6=2 * (one.area.lut6 or 0))
        campaign.measurements[name] = msgspec.structs.replace(one, area=larger)
    campaign.write(path)
    found = disagreements(compare(known_results(path, own=False)))
    assert any("Table 2, LUT (XC6VLX240T), LUTs" in text for text in found)


def test_the_database_is_read_by_design_seeds_and_recipe(tmp_path: Path) -> None:
    database = Database(tmp_path / "database")

    def found() -> set[str]:
        return set(known_results(tmp_path / "none.json", database.path))

    # `compact-bram` has the very choices of the paper's iterative core.
    one = measured(load("compact-bram"), "LFE5U-85F-8", mhz=100, lut=800)
    database.put(one)
    assert found() == set(), "one seed where five are asked for"
    assert one.clock is not None
    five = msgspec.structs.replace(one.clock, runs=one.clock.runs * 5)
    placed = msgspec.structs.replace(one, clock=five, key="five")
    stock = msgspec.structs.replace(placed.provenance, recipe="stock")
    database.put(msgspec.structs.replace(placed, provenance=stock))
    assert found() == set(), "by another recipe"
    database.put(msgspec.structs.replace(placed, key="as asked for"))
    assert found() == {"saggese2003-iterative-ecp5"}


def test_a_result_of_another_recipe_design_or_scheme_stands_beside_nothing(tmp_path: Path) -> None:
    """What the bench asked for once, and does not today."""
    path = tmp_path / "results.json"
    name = "saggese2003-iterative-ecp5"

    def counts_as(core: str, one: Measurement) -> bool:
        Campaign(measurements={core: one}).write(path)
        return core in known_results(path, own=False)

    one = measured(load("compact-bram"), "LFE5U-85F-8", mhz=100)
    assert counts_as(name, one), "one placement of five is shown"
    recipe = msgspec.structs.replace(one.provenance, recipe="wide")
    assert not counts_as(name, msgspec.structs.replace(one, provenance=recipe))
    assert not counts_as(name, msgspec.structs.replace(one, device="LFE5U-85F-6"))
    assert not counts_as(name, measured(load("compact"), "LFE5U-85F-8", mhz=100))
    assert not counts_as(name, msgspec.structs.replace(one, clock=None))

    def step(words: str, core: str = "liu2014-key-step-liu2014-xc7") -> bool:
        line = msgspec.structs.replace(one.provenance, command=words)
        part = measured(Design(), "XC7VX690T-2", mhz=None)
        return counts_as(core, msgspec.structs.replace(part, provenance=line))

    command = ALL.cores()["liu2014-key-step-liu2014-xc7"].command
    assert step(command)
    assert step(command.replace("rtl/common/", "rtl/elsewhere/")), "a file that moved"
    assert not step(command.replace("research/liu2014/", "key/")), "the standard's key expansion"
    assert not step(command, "liu2014-key-step-fips197-xc7")
    assert not step(command.replace("LinearStages=1", "LinearStages=2"))


def test_the_newer_of_two_counts(tmp_path: Path) -> None:
    name = "saggese2003-iterative-ecp5"
    database = Database(tmp_path / "database")
    there = measured(load("compact-bram"), "LFE5U-85F-8", mhz=(100,) * 5, lut=800)
    results = tmp_path / "results.json"
    Campaign(measurements={name: there}).write(results)
    for date, luts in (("2000-01-01T00:00:00+00:00", 1), ("2999-01-01T00:00:00+00:00", 2)):
        area = msgspec.structs.replace(there.area, lut4=luts)
        provenance = msgspec.structs.replace(there.provenance, date=date)
        database.put(
            msgspec.structs.replace(there, area=area, provenance=provenance, key=str(luts))
        )
        known = known_results(results, database.path)
        assert known[name].area.luts == (2 if luts == 2 else there.area.luts)


# --- The bench ------------------------------------------------------------------------------------


def test_a_module_is_a_target_with_the_line_that_repeats_it() -> None:
    core = ALL.cores()["sbox-tower-xc7"]
    assert core.target.top == "aesforge_sbox"
    assert core.target.parameters == {"Style": 3, "Stages": 0, "Direction": 0}
    assert not core.target.is_cipher
    first = "--rtl rtl/aesforge_pkg.sv --rtl rtl/sbox/aesforge_sbox_bram.sv "
    assert core.command.startswith(f"aesforge measure {first}")
    assert core.command.endswith(
        "--top aesforge_sbox --ports clock=clk,block=x,result=y --parameter Style=3 --parameter "
        "Stages=0 --parameter Direction=0 --tie inverse=0 --part --device XC7VX690T-2 "
        "--synthesis-only"
    )
    wrong = Core(name="x", device="iCE40HX8K", module="aesforge_sbx")
    with pytest.raises(UsageError, match="no module 'aesforge_sbx'"):
        _ = wrong.target


@pytest.mark.parametrize("given", [{}, {"design": ["compact"], "module": "aesforge_sbox"}])
def test_a_core_is_a_design_or_a_module(given: dict[str, object]) -> None:
    with pytest.raises((ValueError, TypeError), match="a design or a module"):
        Core(name="x", device="iCE40HX8K", **given)  # type: ignore[arg-type]


def test_a_core_that_fails_stops_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def estimate(target: Target, place: object, **_: object) -> Measurement:
        if target.name == "compact":
            raise UsageError("broken")
        return measured(load(target.name), "XC7VX690T-2", mhz=None)

    monkeypatch.setenv("AESFORGE_DATABASE", str(tmp_path / "database"))
    monkeypatch.setattr("aesforge.measure.bench.estimate", estimate)
    cores = [
        Core(name=name, design=[name], device="XC7VX690T-2", seeds=0)
        for name in ("compact", "balanced")
    ]
    outcome = {core.name: result for core, result in run(cores, tmp_path / "r.json", jobs=2)}
    assert isinstance(outcome["compact"], UsageError)
    assert list(Campaign.read(tmp_path / "r.json").measurements) == ["balanced"]


def test_a_run_that_was_stopped_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    began: list[str] = []
    commit = "0123456789ab"

    def estimate(target: Target, place: object, **_: object) -> Measurement:
        began.append(target.name)
        one = measured(load(target.name), "XC7VX690T-2", mhz=None)
        command = f"aesforge measure {target.name} --device XC7VX690T-2 --synthesis-only"
        provenance = msgspec.structs.replace(one.provenance, commit=commit, command=command)
        return msgspec.structs.replace(one, provenance=provenance)

    def part(*names: str, recipe: str | None = None) -> Campaign:
        """Measure with a database of its own, in an hour."""
        hours = itertools.count()
        monkeypatch.setattr("time.monotonic", lambda: 3600 * next(hours))
        monkeypatch.setenv("AESFORGE_DATABASE", str(tmp_path / f"{len(began)}.sqlite"))
        cores = [
            Core(name=name, design=[name], device="XC7VX690T-2", recipe=recipe, seeds=0)
            for name in names
        ]
        for _ in run(cores, tmp_path / "r.json", timed=True):
            pass
        return Campaign.read(tmp_path / "r.json")

    monkeypatch.setattr("aesforge.measure.bench.estimate", estimate)
    monkeypatch.setattr("aesforge.measure.bench.commit_or_version", lambda: commit)
    for commit, times in (("0123456789ab", 1), ("ba9876543210", 1), ("0123456789ab+", 2)):
        began.clear()
        first = part("compact")
        assert first.run == Run(commit=commit, seconds=3600, parts=1, processors=1)
        both = part("compact", "balanced")
        assert began == ["compact"] * times + ["balanced"]
        if times == 1:
            assert both.whole_run == Run(commit=commit, seconds=7200, parts=2, processors=1)
        else:
            assert both.whole_run is None
    # What is older than the run is no part of it.
    commit = "111111111111"
    assert part("compact").whole_run is None
    # What is asked for in another way is measured.
    began.clear()
    part("compact", recipe="stock")
    part("compact", recipe="depth")
    assert began == ["compact"]


# --- What is printed ------------------------------------------------------------------------------


@pytest.fixture
def aesforge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run the verb with a database of nobody's."""
    monkeypatch.setenv("AESFORGE_DATABASE", str(tmp_path / "none"))
    return lambda *words: CliRunner().invoke(cli.main, ["papers", *words])


def test_each_paper_is_printed_whole(aesforge: Callable[..., Result]) -> None:
    shown = aesforge()
    assert shown.exit_code == 0
    for paper in ALL.paper:
        assert paper.key in shown.stdout
        for table in paper.table:
            assert f"{table.name}: " in shown.stdout
    assert shown.stdout.count("figures: ") == len(ALL.paper)


def test_ours_stands_beneath_the_papers_line(aesforge: Callable[..., Result]) -> None:
    lines = aesforge("liu2014").stdout.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith(" composite   XC6VLX240T"))
    assert re.match(r" +ours +XC7VX690T-2 +\d+ ", lines[at + 1])


def test_the_recipe_of_a_core_is_named_where_it_is_not_the_usual_one() -> None:
    known = ecp5("liu2014-original", about(100)) | ecp5("liu2014-eight-stage", about(220))
    found = compare(known, "liu2014")
    original, eight = (
        show.ours_where(one_of(found, "Table 3", row, "Fmax", "XC4V"))
        for row in ("original", "eight-stage")
    )
    assert original == "liu2014-original-ecp5 on LFE5U-85F-8, recipe wide, 3 seeds"
    assert eight == "liu2014-eight-stage-ecp5 on LFE5U-85F-8, 3 seeds"


def test_nothing_measured_says_how(aesforge: Callable[..., Result], tmp_path: Path) -> None:
    nothing = tmp_path / "nothing.json"
    Campaign().write(nothing)
    shown = " ".join(aesforge("kiran", "--results", str(nothing)).stdout.split())
    assert "`aesforge measure kiran-looped --device LFE5U-85F-8 --seeds 5`" in shown
    assert "LFE5U-85F-8 " not in shown.replace("--device LFE5U-85F-8", "")
    shown = " ".join(aesforge("liu2014", "--results", str(nothing)).stdout.split())
    assert "not yet measured: `make bench-papers CORES=sbox-tower-ecp5`" in shown


def test_json_and_csv_hold_the_same_figures(aesforge: Callable[..., Result]) -> None:
    data = json.loads(aesforge("saggese2003", "--json").stdout)
    rows = list(csv.DictReader(io.StringIO(aesforge("saggese2003", "--csv").stdout)))
    of_cells = sum(paper.key == "saggese2003" for paper, *_ in CELLS)
    of_claims = sum(paper.key == "saggese2003" for paper, _ in CLAIMS)
    assert len(data) == len(rows) == of_cells + of_claims
    assert list(rows[0]) == list(show.FIELDS) == list(data[0])
    for one, row in zip(data, rows, strict=True):
        assert row["published"] == ("" if one["published"] is None else str(one["published"]))
        assert row["verdict"] == one["verdict"]


def test_what_is_asked_wrongly(aesforge: Callable[..., Result]) -> None:
    wrong = aesforge("liu2015")
    assert wrong.exit_code == 2
    assert "did you mean 'liu2014'?" in wrong.output
    assert aesforge("liu2014", "--json", "--csv").exit_code == 2


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "-"), (0.5260, "0.526"), (1.318, "1.32"), (102.99, "103.0"), (12.0, "12")],
)
def test_numbers_read_well(value: float | None, text: str) -> None:
    assert show.number(value) == text


# --- Pages ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("paper", ALL.paper, ids=lambda paper: paper.key)
def test_each_paper_has_its_page(paper: object) -> None:
    key = getattr(paper, "key")  # noqa: B009
    text = (REPO / "docs" / "papers" / f"{key}.md").read_text(encoding="utf-8")
    for heading in ("What it built", "What it claims", "What we built", "Choices where", "slips"):
        assert heading in text, heading
    names = set(re.findall(r"`([a-z]+20\d\d-[a-z0-9-]+)`", text))
    assert {name for name in names if name.startswith(key)} <= PRESETS.keys()
