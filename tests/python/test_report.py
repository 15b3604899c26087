# SPDX-License-Identifier: Apache-2.0
"""The report's library and command: what is gathered, exported, drawn, and refused."""

from __future__ import annotations

import csv
import html
import io
import itertools
import json
import os
import random
import re
import struct
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
from click.testing import CliRunner, Result

from aesforge.cli.main import main
from aesforge.design import Design
from aesforge.devices import device
from aesforge.errors import AesforgeError, UsageError
from aesforge.measure.database import Database
from aesforge.measure.record import Measurement
from aesforge.report.collect import collect
from aesforge.report.export import LATEX, as_csv, as_json, as_latex
from aesforge.report.page import TABLE, render
from aesforge.report.plot import plots
from aesforge.report.table import COLUMNS, doubts, pareto, rows, subject
from aesforge.research.papers.published import published
from aesforge.toolchain import install
from project import REPO
from report_records import DEVICES, HOSTILE, as_engine, record, records

CORES = REPO / "bench" / "results" / "cores.json"
PAPERS = REPO / "bench" / "results" / "papers.json"

RECORDS = records()
PLACED = [one for one in RECORDS if one.throughput_gbps is not None]


def store(path: Path, measurements: list[Measurement]) -> Path:
    database = Database(path)
    for one in measurements:
        database.put(one)
    return path


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["report", *map(str, arguments)])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder; the user's own database lies elsewhere and does not exist yet."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("AESFORGE_DATABASE", str(tmp_path / "own.sqlite"))
    return here


# --- The front -----------------------------------------------------------------------------------


def test_the_front_is_what_nothing_beats() -> None:
    """By the definition, one pair at a time: not smaller and as fast, nor faster and as small."""

    def beats(a: Measurement, b: Measurement) -> bool:
        x, y = (a.area.luts, -(a.throughput_gbps or 0)), (b.area.luts, -(b.throughput_gbps or 0))
        return a.device == b.device and x != y and x[0] <= y[0] and x[1] <= y[1]

    expected = {b.key for b in PLACED if not any(beats(a, b) for a in PLACED)}
    assert {one.key for one in PLACED} & pareto(RECORDS) == expected
    assert len(expected) > len({one.device for one in PLACED}), "too little to tell"


def test_without_a_clock_the_front_is_by_bits_and_levels() -> None:
    without = [one for one in RECORDS if one.kind == "synthesized"]

    def worth(one: Measurement) -> tuple[int, float]:
        assert one.subject.blocks_per_cycle is not None
        return one.area.luts, -128 * one.subject.blocks_per_cycle / max(s.depth for s in one.depth)

    def beats(a: Measurement, b: Measurement) -> bool:
        x, y = worth(a), worth(b)
        return x != y and x[0] <= y[0] and x[1] <= y[1]

    expected = {b.key for b in without if not any(beats(a, b) for a in without)}
    assert {one.key for one in without} & pareto(RECORDS) == expected
    assert 1 < len(expected) < len(without)
    assert [row["bits_per_level"] for row in rows(without)] == [-worth(one)[1] for one in without]


def test_engines_have_a_front_of_their_own() -> None:
    """An engine is larger than its core, and no faster: among cores it would never be seen."""
    core = PLACED[0]
    engine = as_engine(core)
    assert subject(engine) == "engine"
    assert pareto([core, engine]) == {core.key, engine.key}
    (row,) = rows([engine])
    assert (row["modes"], row["error_detection"], row["origin"]) == ("ctr", "none", "aesforge")
    other = msgspec.structs.replace(engine, subject=core.subject)
    assert pareto([core, other]) == {core.key}


def test_only_like_is_on_one_front() -> None:
    design = Design(name="test-keys", architecture="key_expand")
    expansion = record(random.Random(4), design, *DEVICES[0])
    assert subject(expansion) == "key expansion"
    assert rows([expansion])[0]["bits_per_level"] is None
    assert pareto([expansion]) == set()


# --- What is wrong, and what is only to be known -------------------------------------------------


def test_only_what_may_be_wrong_is_a_doubt() -> None:
    one = msgspec.structs.replace(PLACED[0], warnings=[])
    (note,) = device("LFE5U-85F-8").part.timing.notes
    older = f"{note.partition(':')[0]}: as an older version ended it"
    noted = msgspec.structs.replace(one, warnings=[note, older])
    assert doubts(one) == doubts(noted) == []
    gowin = device("GW1N-9").part.timing.warnings
    assert doubts(msgspec.structs.replace(one, warnings=[note, *gowin])) == gowin
    sign = 'class="warn"'
    assert sign not in render([noted])
    assert note in html.unescape(render([noted]))
    doubted = render([msgspec.structs.replace(one, warnings=[note, *gowin])])
    assert doubted.count(sign) == 1
    assert "(1 to bear in mind)" in doubted


@pytest.mark.skipif(not CORES.is_file(), reason="no results yet")
def test_few_of_our_own_results_have_the_sign() -> None:
    found = collect(results=CORES)
    signed = [one for one in found if doubts(one)]
    # Gowin's and GateMate's clocks, caps that nobody read, and what is not AES.
    assert 0 < len(signed) < len(found) / 2
    for one in signed:
        assert one.family in ("gowin", "gatemate", "nexus") or any(
            "not verified" in warning or "not AES" in warning for warning in one.warnings
        )


# --- Cores that differ in one thing --------------------------------------------------------------


def alike() -> list[Measurement]:
    """Return a core, the same with a floorplan, and with either kind of error detection."""
    found = []
    kinds = (("none", "depth"), ("none", "depth, floorplan"), ("parity", "depth"))
    for number, (detection, recipe) in enumerate((*kinds, ("inverse", "depth"))):
        design = Design(name="test-core", sbox="table", error_detection=detection)
        one = record(random.Random(number), design, *DEVICES[0])
        found.append(
            msgspec.structs.replace(
                one,
                key=f"alike-{number}",
                provenance=msgspec.structs.replace(one.provenance, recipe=recipe),
            )
        )
    return found


def test_the_table_tells_floorplans_and_error_detection_apart() -> None:
    page = render(alike())
    shown = re.findall(r'<tr data-key="(alike-\d)">(.*?)</tr>', page, re.S)
    assert len(shown) == 4
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row, re.S) for _, row in shown]
    titles = [heading for _, heading, *_ in TABLE][1:]
    recipe, detection = titles.index("Recipe"), titles.index("Detection")
    assert [(row[recipe], row[detection]) for row in cells] == [
        ("depth", "none"),
        ("depth, floorplan", "none"),
        ("depth", "parity"),
        ("depth", "inverse"),
    ]
    # On a phone these columns are hidden, and one small line has it all.
    small = [re.search(r'<small class="choices">(.*?)</small>', row, re.S) for _, row in shown]
    lines = [" ".join(found[1].split()) for found in small if found]
    assert len(set(lines)) == 4
    assert "floorplan" in lines[1]
    assert "parity" in lines[2]
    assert "inverse" in lines[3]
    labels = [json.loads(f'"{found}"') for found in re.findall(r'"label": "([^"]*)"', page)]
    assert labels == [
        *("test-core", "test-core, floorplan", "test-core, parity", "test-core, inverse"),
    ]


def test_equal_points_are_all_on_the_front() -> None:
    one = PLACED[0]
    twin = msgspec.structs.replace(one, key="twin")
    assert pareto([twin, one]) == {one.key, "twin"}


# --- Exports -------------------------------------------------------------------------------------


def test_csv_has_the_documented_columns_and_the_measured_values() -> None:
    table = list(csv.DictReader(io.StringIO(as_csv(RECORDS))))
    assert len(table) == len(RECORDS)
    assert list(table[0]) == list(COLUMNS)
    for line, one in zip(table, RECORDS, strict=True):
        assert line["key"] == one.key
        assert int(line["luts"]) == one.area.luts
        assert line["throughput_gbps"] == (
            "" if one.throughput_gbps is None else repr(one.throughput_gbps)
        )
        assert line["origin"] == ("foreign" if one.subject.design is None else "aesforge")
        assert (line["sbox"] == "") == (one.subject.design is None)
        assert line["pareto"] == str(one.key in pareto(RECORDS)).lower()
        assert line["command"] == one.provenance.command
    assert any(line["name"] == HOSTILE for line in table)
    (foreign,) = (line for line in table if line["name"] == HOSTILE)
    assert foreign["stages"] == foreign["latency_cycles"] == ""


def test_a_part_of_a_cipher_is_not_called_foreign() -> None:
    foreign = next(one for one in RECORDS if one.subject.design is None)
    text = f"{foreign.provenance.command} --part"
    part = msgspec.structs.replace(
        foreign, provenance=msgspec.structs.replace(foreign.provenance, command=text)
    )
    assert rows([part])[0]["origin"] == "part"
    page, other = render([part]), render([foreign])
    badge = '<span class="badge">{}</span>'
    assert badge.format("part") in page
    assert "A part of a cipher, measured" in page
    assert "foreign core</span>" not in page
    assert badge.format("foreign core") in other


def test_csv_gives_each_seed_and_the_cap() -> None:
    capped = next(one for one in PLACED if one.clock and one.clock.limit == "clock tree")
    assert capped.clock is not None
    assert capped.clock.cap is not None
    (row,) = rows([capped])
    assert row["mhz_by_seed"] == " ".join(f"{r.seed}:{r.mhz:g}" for r in capped.clock.runs)
    assert row["cap_mhz"] == row["fmax_mhz"] == capped.clock.cap.mhz
    assert row["cap_source"] == capped.clock.cap.source


def test_no_column_stays_empty() -> None:
    """Each column is filled by some record: a name misspelled in between would show here."""
    expansion = record(
        random.Random(4), Design(name="test-keys", architecture="key_expand"), *DEVICES[0]
    )
    table = rows([*RECORDS, expansion, as_engine(PLACED[0])])
    assert {name for row in table for name, value in row.items() if value is not None} == set(
        COLUMNS
    )


def test_every_choice_of_a_design_has_a_column() -> None:
    from aesforge.design import FIELD_NAMES

    assert set(FIELD_NAMES) <= set(COLUMNS)


def test_json_is_read_back_as_the_same_records(tmp_path: Path) -> None:
    (tmp_path / "all.json").write_text(as_json(RECORDS), encoding="utf-8")
    again = collect(results=tmp_path)
    assert {one.key: one for one in again} == {one.key: one for one in RECORDS}
    record = json.loads(as_json(PLACED[:1]))["measurements"][0]
    assert record["throughput_gbps"] == PLACED[0].throughput_gbps
    assert record["pareto"] is True


def test_the_page_that_documents_the_columns_has_them_all() -> None:
    text = (REPO / "docs" / "report.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| `(\w+)` \| (.+) \|$", text, re.M)
    assert table == list(COLUMNS.items())


def test_latex_has_a_line_for_each_measurement_and_no_bare_special_letter() -> None:
    text = as_latex(RECORDS)
    lines = text.splitlines()
    assert lines[1] == r"\begin{tabular}{llllrrrrrrr}"
    assert lines[-2:] == [r"\hline", r"\end{tabular}"]
    body = lines[5:-2]
    assert len(body) == len(RECORDS)
    for line, one in zip(body, RECORDS, strict=True):
        assert line.endswith(r" \\")
        assert len(re.split(r"(?<!\\)&", line)) == len(LATEX)
        for letter in "#$%_":
            assert not re.search(rf"(?<!\\){re.escape(letter)}", line)
        assert not re.search(r"[<>|\"~^]", line)
        assert f"{one.area.luts:,}".replace(",", r"\,") in line
    (hostile,) = (line for line in body if "hurt" in line)
    assert hostile.startswith(r"\textless{}/script\textgreater{}")
    unclocked = next(one for one in RECORDS if one.clock is None)
    assert " & -- & -- & -- \\\\" in as_latex([unclocked])


# --- Gathering -----------------------------------------------------------------------------------


def test_the_order_depends_on_the_measurements_alone(tmp_path: Path) -> None:
    one = collect(store(tmp_path / "a.sqlite", RECORDS))
    other = collect(store(tmp_path / "b.sqlite", RECORDS[::-1]))
    assert one == other
    assert len(one) == len(RECORDS)


def test_a_database_and_a_folder_together_give_each_measurement_once(tmp_path: Path) -> None:
    results = tmp_path / "results"
    results.mkdir()
    (results / "one.json").write_bytes(RECORDS[0].to_json())
    (results / "list.json").write_bytes(msgspec.json.encode(RECORDS[:4]))
    (results / "speed.json").write_text('{"figures": [{"what": "start-up", "value": 0.1}]}')
    assert len(collect(results=results)) == 4
    assert len(collect(store(tmp_path / "a.sqlite", RECORDS[2:6]), results)) == 6


@pytest.mark.usefixtures("folder")
def test_an_estimate_gives_way_to_a_placement_of_the_same_core() -> None:
    placed = PLACED[0]
    estimate = msgspec.structs.replace(
        placed,
        key="estimate",
        kind="synthesized",
        clock=None,
        critical_path=None,
        provenance=msgspec.structs.replace(placed.provenance, command="aesforge measure x"),
    )
    other = msgspec.structs.replace(estimate, key="other", device="elsewhere")
    found = collect(store(Path("db"), [placed, estimate, other]))
    assert {one.key for one in found} == {placed.key, "other"}


def test_of_several_answers_to_one_command_the_newest_counts(tmp_path: Path) -> None:
    one = PLACED[0]
    dates = ("2026-02-02T00:00:00+00:00", "2026-02-03T00:00:00+00:00", "2026-01-01T00:00:00+00:00")
    answers = [
        msgspec.structs.replace(
            one, key=date, provenance=msgspec.structs.replace(one.provenance, date=date)
        )
        for date in dates
    ]
    assert [found.key for found in collect(store(tmp_path / "db", answers))] == [dates[1]]


def test_only_the_devices_asked_for(tmp_path: Path) -> None:
    path = store(tmp_path / "a.sqlite", RECORDS)
    found = collect(path, devices=["lfe5u-85f-8", "iCE40HX8K"])
    assert {one.device for one in found} == {"LFE5U-85F-8", "iCE40HX8K"}
    with pytest.raises(UsageError, match="did you mean 'LFE5U-85F-8'") as caught:
        collect(path, devices=["LFE5U-85-8"])
    assert "XC7A100T-2" in caught.value.message


def test_a_record_of_another_version_is_named(tmp_path: Path) -> None:
    path = store(tmp_path / "a.sqlite", RECORDS[:1])
    with Database(path)._connect() as connection:
        connection.execute("UPDATE measurement SET json = replace(json, '\"kind\"', '\"sort\"')")
    with pytest.raises(AesforgeError, match="cannot read") as caught:
        collect(path)
    assert "a.sqlite" in caught.value.message


# --- The page ------------------------------------------------------------------------------------


def test_the_page_is_the_same_for_the_same_measurements() -> None:
    assert render(RECORDS[:20]) == render(RECORDS[:20])


def test_the_page_loads_nothing_and_escapes_all() -> None:
    page = render(RECORDS)
    library_at = page.index("<script>(function () {")
    own = page[:library_at] + page[page.index("})();</script>") :]
    assert set(re.findall(r"""\b(?:src|href|action)=["']?([^"'> ]*)""", own)) == {"data:,"}
    assert not re.search(r"https?:|@import|url\(", own)
    assert "<script>window.hurt" not in page
    assert "&lt;script&gt;window.hurt" in page


def test_the_page_says_what_the_chart_leaves_out() -> None:
    synthesized = sum(one.kind == "synthesized" for one in RECORDS)
    page = render(RECORDS)
    assert f"{synthesized} measurements are\n      synthesis only" in page
    assert 'id="levels"' in page
    assert 'id="levels"' not in render(PLACED)
    assert "1 placed core has no point in the chart" in page
    assert "synthesis only:" not in render(PLACED)


# --- Plots ---------------------------------------------------------------------------------------


def test_each_device_is_drawn() -> None:
    drawn = {plot.name: plot for plot in plots(RECORDS)}
    assert set(drawn) == {one.device for one in RECORDS}
    for name, plot in drawn.items():
        clocked = any(one.device == name for one in PLACED)
        assert ("bits per cycle and level of logic" in plot.svg) == (not clocked)
        assert ("throughput at the Fmax" in plot.svg) == clocked
    plot = drawn["LFE5U-85F-8"]
    words = ["".join(t.itertext()) for t in ElementTree.fromstring(plot.svg).iter() if t.text]
    front = {one.subject.name for one in PLACED if one.device == plot.name} & set(words)
    best = max(
        (one for one in PLACED if one.device == plot.name), key=lambda m: m.throughput_gbps or 0
    )
    assert best.subject.name in front, "the front's cores have their names"
    assert "LUT4 of the core" in words
    assert plot.png.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", plot.png[16:24])
    assert width > 1200 < 2 * height


def test_names_in_a_plot_do_not_overlap() -> None:
    """The boxes that the names take, as wide as the font can make them."""
    for plot in plots(RECORDS):
        texts = re.findall(
            r'<text[^>]*transform="translate\(([\d.]+),([\d.]+)\)"[^>]*>(test[^<]*)<', plot.svg
        )
        assert texts, plot.name
        for (x, y, name), (u, v, other) in itertools.combinations(texts, 2):
            left, right = sorted([(float(x), name), (float(u), other)])
            apart = left[0] + 4.7 * len(left[1]) < right[0] or abs(float(y) - float(v)) >= 9
            assert apart, (plot.name, name, other)


# --- The command ---------------------------------------------------------------------------------


def test_everything_at_once(folder: Path) -> None:
    store(Path("db"), RECORDS)
    tables = ("--csv", "t.csv", "--latex", "t.tex", "--json", "t.json")
    done = run("--database", "db", *tables, "--plots", "a/plots")
    assert done.exit_code == 0, done.output
    assert done.stdout == "report.html\n"
    placed = sum(one.kind == "placed" for one in RECORDS)
    assert f"{len(RECORDS)} measurements on 6 devices, {placed} of them placed" in done.stderr
    ordered = collect(Path("db"))
    assert Path("report.html").read_text(encoding="utf-8") == render(ordered)
    assert Path("t.csv").read_text(encoding="utf-8") == as_csv(ordered)
    assert Path("t.tex").read_text(encoding="utf-8") == as_latex(ordered)
    assert Path("t.json").read_text(encoding="utf-8") == as_json(ordered)
    pictures = sorted(path.name for path in Path("a/plots").iterdir())
    assert len(pictures) == 12
    assert pictures[0] == "pareto-CCGM1A1.png"
    expected = {"db", "report.html", "t.csv", "t.tex", "t.json", "a"}
    assert {path.name for path in folder.iterdir()} == expected, "nothing else is left"


def test_papers_are_shown_and_drawn(folder: Path) -> None:
    done = run("--papers", "--plots", "plots", "--results", str(PAPERS))
    assert done.exit_code == 0, done.output
    page = Path("report.html").read_text(encoding="utf-8")
    for paper in published().paper:
        assert f'id="paper-{paper.key}"' in page
    drawn = {path.name for path in Path("plots").glob("paper-*")}
    # Fig. 6 of rahman2010, Fig. 8 and Table 3 of liu2014, and the figures of the other three.
    for name in (
        *("rahman2010-table-iii-and-fig-6-mbps_per_slice", "liu2014-fig-8-gbps"),
        *("liu2014-table-3-gbps", "saggese2003-fig-5-gbps", "sama-fig-15-mhz"),
        *("kiran-table-i-rate", "kiran-table-ii-slices", "papers-ratios"),
    ):
        assert {f"paper-{name}.svg", f"paper-{name}.png"} <= drawn
    fig_6 = Path("plots/paper-rahman2010-table-iii-and-fig-6-mbps_per_slice.svg").read_text()
    assert "sub-pipelined (XC3S1000)" in fig_6
    assert "0.4842105 (2.27x)" in fig_6
    plain = run("-o", "plain.html", "--results", str(PAPERS))
    assert plain.exit_code == 0
    assert 'id="paper-' not in Path("plain.html").read_text(encoding="utf-8")


def test_papers_need_no_measurement_of_yours(folder: Path) -> None:
    done = run("--papers", "-o", "x.html")
    assert done.exit_code == 0, done.output


def test_your_own_database_is_the_default(folder: Path) -> None:
    store(folder.parent / "own.sqlite", RECORDS[:3])
    done = run("-o", "x.html", "--device", RECORDS[0].device)
    assert done.exit_code == 0, done.output
    assert [path.name for path in folder.iterdir()] == ["x.html"]


def test_no_throughput_is_no_failure(folder: Path) -> None:
    bare = [one for one in RECORDS if one.kind == "synthesized"]
    store(Path("db"), [msgspec.structs.replace(one, depth=[]) for one in bare])
    done = run("--database", "db", "--plots", "plots")
    assert done.exit_code == 0, done.output
    assert "no plots" in done.stderr


REFUSALS: list[tuple[tuple[str, ...], tuple[str, ...]]] = [
    ((), ("no measurements", "own.sqlite", "aesforge measure", "aesforge explore")),
    (("--database", "absent"), ("no database 'absent'", "aesforge measure")),
    (("--database", "text"), ("text", "not a database")),
    (("--database", "."), ("is a folder", "--results")),
    (("--results", "absent"), ("no file or folder 'absent'",)),
    (("--results", "empty"), ("no measurements", "'empty'", "aesforge measure")),
    (("--results", "broken"), ("broken", "half.json", "not a JSON file")),
    (("--results", "wrong"), ("wrong", "field.json", "`kind`")),
    (("--database", "db", "--device", "LFE5U-85F-9"), ("did you mean 'LFE5U-85F-8'",)),
    (("--database", "db", "-o", "empty"), ("cannot write 'empty'", "is a folder")),
    (("--database", "db", "-o", "no/x.html"), ("cannot write", "no folder 'no'")),
    (("--database", "db", "--csv", "no/x.csv"), ("cannot write", "no folder 'no'")),
    (("--database", "db", "--json", "empty"), ("cannot write 'empty'",)),
    (("--database", "db", "--latex", "empty"), ("cannot write 'empty'",)),
    (("--database", "db", "--plots", "text"), ("'text' is not a folder",)),
    (("--database", "db", "--plots", "text/x"), ("cannot make", "'text' is a file")),
    (("--database", "db", "--csvv", "x"), ("No such option '--csvv'", "--csv")),
]


@pytest.mark.parametrize(("arguments", "words"), REFUSALS, ids=lambda v: " ".join(v)[:60])
def test_refusals(folder: Path, arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    store(Path("db"), RECORDS[:2])
    Path("text").write_text("no database at all, only text that is long enough to be read as one")
    for name in ("empty", "broken", "wrong"):
        Path(name).mkdir()
    Path("broken/half.json").write_bytes(RECORDS[0].to_json()[:200])
    changed = msgspec.to_builtins(RECORDS[0])
    del changed["kind"]
    Path("wrong/field.json").write_bytes(msgspec.json.encode(changed))
    before = sorted(folder.rglob("*"))
    done = run(*arguments)
    assert done.exit_code == 2, done.output
    for word in words:
        assert word in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.output
    assert sorted(folder.rglob("*")) == before, "nothing was written"


def test_a_missing_package_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("aesforge.report")]:
        if name != "aesforge.cli.report":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "altair", None)
    done = run("--database", "db")
    assert done.exit_code == 2, done.output
    assert "altair" in done.stderr
    assert install.extra_command("measure") in done.stderr


def test_a_pipe_is_written_to_and_a_link_stays(folder: Path) -> None:
    store(Path("db"), RECORDS[:2])
    Path("real.html").touch()
    Path("link.html").symlink_to("real.html")
    assert run("--database", "db", "-o", "link.html", "--csv", "/dev/null").exit_code == 0
    assert Path("link.html").is_symlink()
    assert Path("real.html").stat().st_size > 100_000
    assert Path("/dev/null").is_char_device()


def test_the_command_is_light() -> None:
    """Its `--help` must not wait for charts."""
    code = (
        "import sys, aesforge.cli.report; "
        "print([name for name in ('altair', 'vl_convert', 'msgspec', 'jinja2') "
        "if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stdout == "[]\n"
