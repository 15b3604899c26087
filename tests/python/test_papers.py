# SPDX-License-Identifier: Apache-2.0
"""The papers' figures beside ours: the data are whole, and a verdict says what was measured."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import math
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from aesforge.cli import main as cli
from aesforge.design import Design, load
from aesforge.design.presets import PRESETS
from aesforge.devices import device, devices
from aesforge.errors import UsageError
from aesforge.measure import Database, Measurement, Target
from aesforge.measure.bench import Core, read_results, run
from aesforge.research.papers import liu2014, show
from aesforge.research.papers.compare import (
    Comparison,
    compare,
    counts,
    disagreements,
    known_results,
)
from aesforge.research.papers.published import EVERY, papers, published
from aesforge.research.papers.quantities import BY_DESIGN, COMPUTED, QUANTITIES, slices
from project import REPO
from report_records import record

RESULTS = REPO / "bench" / "results" / "papers"
ALL = published()
CELLS = [(paper, *cell) for paper in ALL.paper for cell in ALL.cells(paper)]


def one_of(found: list[Comparison], table: str, row: str, column: str, on: str = "") -> Comparison:
    """Give the one figure of that place."""
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
    assert used == set(names)
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
        if table.published(row, column) is None and column.key not in row.claims:
            continue
        quantity = row.quantities.get(column.key, column.quantity)
        excused = ALL.why(row.not_here, column) or ALL.why(table.not_here, column)
        if excused or row.base:
            continue
        assert quantity in QUANTITIES | BY_DESIGN | COMPUTED, where
        assert row.cores or row.preset or quantity in COMPUTED, where
        assert column.exact or column.within or column.key in row.claims, where


def test_columns_that_are_named_exist() -> None:
    for paper in ALL.paper:
        assert len({table.name for table in paper.table}) == len(paper.table)
        for table in paper.table:
            keys = {column.key for column in table.columns}
            named = [*table.charts, *table.headline, *table.not_here]
            for row in table.rows:
                named += [*row.quantities, *row.claims, *row.differs, *row.not_here]
            assert set(named) <= keys | {EVERY}, table.name
            places = [(row.name, row.device) for row in table.rows]
            assert len(set(places)) == len(places) or table.name == "Table 4"


def test_reasons_are_sentences_or_names_of_them() -> None:
    used = set()
    for _, table, row, _ in CELLS:
        for text in (*row.differs.values(), *row.not_here.values(), *table.not_here.values()):
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


# --- Verdicts -------------------------------------------------------------------------------------


def measured(design: Design, on: str, *, mhz: float | None, **area: int) -> Measurement:
    """Give a made-up measurement, one seed."""
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
        runs = [msgspec.structs.replace(one.clock.runs[0], mhz=mhz)]
        clock = msgspec.structs.replace(
            one.clock, runs=runs, reported_mhz=mhz, legal_mhz=mhz, cap=None
        )
    provenance = msgspec.structs.replace(one.provenance, recipe="depth")
    return msgspec.structs.replace(
        one,
        subject=Target.of_design(design).subject(),
        area=new,
        clock=clock,
        provenance=provenance,
        kind="placed" if mhz else "synthesized",
    )


def liu(name: str, *, mhz: float | None = None, lut: int = 1000) -> Measurement:
    on = "LFE5U-85F-8" if mhz else "XC7VX690T-2"
    return measured(PRESETS[f"liu2014-{name}"], on, mhz=mhz, lut=lut)


def table_3(original: float, eight: float) -> list[Comparison]:
    """Compare with the clocks of the original and of the eight-stage pipeline as given."""
    known = {
        "liu2014-original-ecp5": liu("original", mhz=original),
        "liu2014-eight-stage-ecp5": liu("eight-stage", mhz=eight),
    }
    return compare(known, "liu2014")


def test_a_ratio_within_the_factor_is_reproduced() -> None:
    one = one_of(table_3(100, 200), "Table 3", "eight-stage", "Fmax")
    assert one.published_ratio == pytest.approx(454.55 / 192.68)
    assert (one.ours, one.ours_ratio) == (200, 2)
    assert (one.verdict, one.ours_device) == ("reproduced", "LFE5U-85F-8")
    assert "within a factor of 2" in one.said


def test_a_ratio_too_far_off_differs() -> None:
    one = one_of(table_3(100, 500), "Table 3", "eight-stage", "Fmax")
    assert one.verdict == "differs"
    assert one.disagreement is not None
    assert "say why" in one.disagreement


@pytest.mark.parametrize(
    ("luts", "verdict"), [(1100, "reproduced"), (900, "differs"), (1010, "reproduced")]
)
def test_a_ratio_that_goes_the_other_way_differs(luts: int, verdict: str) -> None:
    """However near it is; 1.01 has no direction."""
    names = ("iterative", "iterative-five-stage")
    known = {
        f"saggese2003-{name}-ecp5": measured(
            PRESETS[f"saggese2003-{name}"], "LFE5U-85F-8", mhz=100, lut=size
        )
        for name, size in zip(names, (1000, luts), strict=True)
    }
    one = one_of(compare(known, "saggese2003"), "Fig. 5", "iterative, 5 stages", "slices")
    assert one.published_ratio == pytest.approx(648 / 446)
    assert one.verdict == verdict


def test_a_row_without_a_ratio_is_compared_as_it_stands() -> None:
    near, far = (
        one_of(table_3(mhz, 200), "Table 3", "original", "Fmax", "XC4VLX60") for mhz in (100, 90)
    )
    assert (near.verdict, far.verdict) == ("reproduced", "differs")


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
    assert "aesforge measure liu2014-five-stage --device LFE5U-85F-8 --seeds 1" in clock.said
    del known["liu2014-five-stage-xc7"]
    area = one_of(compare(known, "liu2014"), "Table 3", "five-stage", "slices", "XC7VX690T")
    assert (area.ours, area.ours_ratio) == (25000, None)


def test_a_seven_series_part_never_gives_a_clock() -> None:
    known = {name: liu("original") for name in ("liu2014-original-xc7",)}
    for one in compare(known, "liu2014"):
        if one.ours_device.startswith("XC7"):
            assert one.column in ("slices", "LUTs", "logic depth", "area"), one


def test_what_the_paper_only_says_is_held_to_it() -> None:
    def said(slices_of_distributed: int) -> str:
        known = {
            f"saggese2003-iterative{kind}-ecp5": measured(
                PRESETS[f"saggese2003-iterative{kind}"], "LFE5U-85F-8", mhz=100, lut=lut
            )
            for kind, lut in (("", 800), ("-distributed", slices_of_distributed))
        }
        found = compare(known, "saggese2003")
        return one_of(found, "Sec. 3", "iterative, S-boxes in LUTs", "slices").verdict

    assert (said(5000), said(700)) == ("reproduced", "differs")


def test_numbers_of_cycles_are_equal_or_not() -> None:
    found = compare({}, "liu2014")
    two = one_of(found, "Sec. 3.2 and 3.3", "two-stage, decrypting", "latency")
    assert (two.published, two.ours, two.verdict) == (41, 41, "reproduced")
    eight = one_of(found, "Sec. 3.2 and 3.3", "eight-stage", "latency")
    assert (eight.published, eight.ours, eight.verdict) == (79, 81, "differs")
    key = compare({}, "rahman2010")
    cycles = one_of(key, "Table II and Sec. III.E", "ROM", "all round keys")
    assert (cycles.ours, cycles.verdict) == (12, "reproduced")
    gates = [one for one in key if one.table == "Table I" and one.column == "gates"]
    assert [(one.published, one.ours) for one in gates] == [(592, 592), (193, 193), (195, 195)]


def test_slices_are_full_of_tables_or_of_flip_flops() -> None:
    small = measured(Design(), "LFE5U-85F-8", mhz=100, lut=101, ff=90).area
    assert slices(small) == 51
    assert slices(msgspec.structs.replace(small, ff=300)) == 150
    large = measured(Design(), "XC7VX690T-2", mhz=None, lut=101, ff=900).area
    assert slices(large) == math.ceil(900 / 8)


def test_a_reason_for_what_is_reproduced_is_a_disagreement() -> None:
    one = one_of(table_3(100, 200), "Table 3", "eight-stage", "Fmax")
    assert one.disagreement is None
    stale = dataclasses.replace(one, reason_given=True)
    assert stale.disagreement is not None
    assert "`differs` says why" in stale.disagreement


# --- The results that come with aesforge ----------------------------------------------------------


def test_file_and_results_agree() -> None:
    """Each figure that differs has its reason, and none that is reproduced has one."""
    assert disagreements(compare(known_results(RESULTS, own=False))) == []


def test_results_are_of_the_cores_they_are_named_after() -> None:
    cores = ALL.cores()
    for name, one in read_results(RESULTS).items():
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
    folder = tmp_path / "results"
    shutil.copytree(RESULTS, folder)
    path = folder / "liu2014-two-stage-xc7.json"
    one = Measurement.from_json(path.read_bytes())
    larger = msgspec.structs.replace(one.area, lut6=5 * (one.area.lut6 or 0))
    path.write_bytes(msgspec.structs.replace(one, area=larger).to_json())
    found = disagreements(compare(known_results(folder, own=False)))
    assert any("Table 3, two-stage (XC7VX690T), slices" in text for text in found)


def test_the_database_is_read_by_design_seeds_and_recipe(tmp_path: Path) -> None:
    database = Database(tmp_path / "database")
    empty = tmp_path / "empty"
    empty.mkdir()

    def found() -> set[str]:
        return set(known_results(empty, database.path))

    # `compact-bram` has the very choices of the paper's iterative core.
    one = measured(load("compact-bram"), "LFE5U-85F-8", mhz=100, lut=800)
    database.put(one)
    assert found() == set(), "one seed where three are asked for"
    assert one.clock is not None
    three = msgspec.structs.replace(one.clock, runs=one.clock.runs * 3)
    placed = msgspec.structs.replace(one, clock=three, key="three")
    stock = msgspec.structs.replace(placed.provenance, recipe="stock")
    database.put(msgspec.structs.replace(placed, provenance=stock))
    assert found() == set(), "another recipe"
    database.put(placed)
    assert found() == {"saggese2003-iterative-ecp5"}


def test_the_newer_of_two_counts(tmp_path: Path) -> None:
    name = "saggese2003-iterative-ecp5"
    database = Database(tmp_path / "database")
    there = read_results(RESULTS)[name]
    for date, luts in (("2000-01-01T00:00:00+00:00", 1), ("2999-01-01T00:00:00+00:00", 2)):
        area = msgspec.structs.replace(there.area, lut4=luts)
        provenance = msgspec.structs.replace(there.provenance, date=date)
        database.put(
            msgspec.structs.replace(there, area=area, provenance=provenance, key=str(luts))
        )
        known = known_results(RESULTS, database.path)
        assert known[name].area.luts == (2 if luts == 2 else there.area.luts)


# --- The bench ------------------------------------------------------------------------------------


def test_a_module_is_a_target_with_the_line_that_repeats_it() -> None:
    core = ALL.cores()["sbox-tower-xc7"]
    assert core.target.top == "aesforge_sbox"
    assert core.target.parameters == {"Style": 3, "Stages": 0, "Direction": 0}
    assert not core.target.is_cipher
    assert core.command.startswith("aesforge measure --rtl rtl/sbox/aesforge_sbox_table.sv ")
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
    outcome = {core.name: result for core, result in run(cores, tmp_path / "results", jobs=2)}
    assert isinstance(outcome["compact"], UsageError)
    assert list(read_results(tmp_path / "results")) == ["balanced"]


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


def test_nothing_measured_says_how(aesforge: Callable[..., Result], tmp_path: Path) -> None:
    folder = tmp_path / "nothing"
    folder.mkdir()
    shown = " ".join(aesforge("kiran", "--results", str(folder)).stdout.split())
    assert "`aesforge measure kiran-looped --device LFE5U-85F-8 --seeds 3`" in shown
    assert "LFE5U-85F-8 " not in shown.replace("--device LFE5U-85F-8", "")
    shown = " ".join(aesforge("liu2014", "--results", str(folder)).stdout.split())
    assert "not yet measured: `make bench-papers CORES=sbox-tower-ecp5`" in shown


def test_json_and_csv_hold_the_same_figures(aesforge: Callable[..., Result]) -> None:
    data = json.loads(aesforge("saggese2003", "--json").stdout)
    rows = list(csv.DictReader(io.StringIO(aesforge("saggese2003", "--csv").stdout)))
    assert len(data) == len(rows) == sum(paper.key == "saggese2003" for paper, *_ in CELLS)
    assert list(rows[0]) == list(show.FIELDS) == list(data[0])
    for one, row in zip(data, rows, strict=True):
        assert row["published"] == ("" if one["published"] is None else str(one["published"]))
        assert row["verdict"] == one["verdict"]


def test_what_is_asked_wrongly(aesforge: Callable[..., Result]) -> None:
    wrong = aesforge("liu2015")
    assert wrong.exit_code == 2
    assert "did you mean 'liu2014'?" in wrong.output
    assert aesforge("liu2014", "--json", "--csv").exit_code == 2


def test_every_verdict_is_counted_and_said() -> None:
    found = compare(known_results(RESULTS, own=False))
    assert sum(counts(found).values()) == len(found) == len(CELLS)
    for one in found:
        assert one.verdict == "no figure" or len(one.said.split()) > 2


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
