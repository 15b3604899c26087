# SPDX-License-Identifier: Apache-2.0
"""The report's page in a real browser: it shows, filters, sorts, opens, and loads nothing.

Needs Chromium: `apt-get install --no-install-recommends chromium`. AESFORGE_CHROMIUM names another.
"""

from __future__ import annotations

import csv
import io
import itertools
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from aesforge.measure.record import Measurement
from aesforge.report.collect import _order, collect
from aesforge.report.export import as_csv, as_latex
from aesforge.report.page import render
from aesforge.report.table import pareto
from aesforge.research.papers.compare import compare, known_results
from aesforge.research.papers.published import papers
from project import REPO
from report_records import HOSTILE, as_engine, records

sync_api = pytest.importorskip("playwright.sync_api", reason="the wheel playwright is missing")

NAMES = ("chromium", "chromium-browser", "google-chrome")
BROWSER = os.environ.get("AESFORGE_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
pytestmark = pytest.mark.skipif(
    BROWSER is None,
    reason="no Chromium: apt-get install --no-install-recommends chromium, or AESFORGE_CHROMIUM",
)

RECORDS = records()
CHARTED = [one for one in RECORDS if one.throughput_gbps is not None]
POINTS = "#chart .mark-symbol path"
Open = Callable[..., Any]


def collected() -> list[Measurement]:
    """Return the records in the order of the page."""
    return sorted(RECORDS, key=_order)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    results = path.parent / "results"
    results.mkdir()
    (results / "all.json").write_bytes(msgspec.json.encode(RECORDS))
    path.write_text(render(collect(results=results)), encoding="utf-8")
    return path


@pytest.fixture
def show(browser: Any, file: Path) -> Iterator[Open]:
    """Open a page; at the end of the test nothing may have been said or fetched."""
    heard: list[str] = []
    fetched: list[str] = []
    contexts = []

    def show(
        width: int = 1280, height: int = 900, scheme: str = "light", path: Path = file, at: str = ""
    ) -> Any:
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            permissions=["clipboard-read", "clipboard-write"],
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", lambda message: heard.append(message.text))
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on("request", lambda request: fetched.append(request.url))
        page.goto(path.as_uri() + at)
        return page

    yield show
    for context in contexts:
        context.close()
    assert heard == []
    assert [url for url in fetched if not url.startswith(("file:", "data:"))] == []
    assert len([url for url in fetched if url.startswith("file:")]) == len(contexts)


def shown(page: Any) -> set[str]:
    """Return the keys in the table's visible rows."""
    return set(
        page.evaluate("rows.filter((one) => one.checkVisibility()).map((one) => one.dataset.key)")
    )


def points(page: Any) -> dict[str, str]:
    """Return the device of each point drawn, by its measurement's key, once the drawing is done."""
    return drawn(page, "chart")


def drawn(page: Any, place: str) -> dict[str, str]:
    found: dict[str, str] = page.evaluate(
        """async (place) => {
          const chart = await views[place];
          await chart.runAsync();
          const points = document.querySelectorAll(`#${place} .mark-symbol path`);
          const found = [...points].map((one) => one.__data__.datum);
          return Object.fromEntries(found.map((one) => [one.key, one.device]));
        }""",
        place,
    )
    return found


def choose(page: Any, value: str) -> None:
    page.locator(".chip", has=page.locator(f'input[value="{value}"]')).first.click()


# --- It shows ------------------------------------------------------------------------------------


def test_every_measurement_has_a_row_and_a_point_if_it_has_a_throughput(show: Open) -> None:
    page = show()
    page.wait_for_selector(POINTS)
    assert shown(page) == {one.key for one in RECORDS}
    assert set(points(page)) == {one.key for one in CHARTED}
    assert page.locator("#chart .role-axis-title").all_text_contents() == [
        "LUT4 of the core",
        "throughput at the Fmax (Gbps)",
    ]


def test_what_has_no_clock_has_a_chart_of_its_own(show: Open) -> None:
    page = show()
    page.wait_for_selector("#levels .mark-symbol path")
    without = {one.key for one in RECORDS if one.kind == "synthesized"}
    assert len(without) > 10
    assert set(drawn(page, "levels")) == without
    assert page.locator("#levels .role-axis-title").all_text_contents() == [
        "LUT6 of the core",
        "bits per cycle and level of logic",
    ]
    choose(page, "LFE5U-85F-8")
    assert page.locator("#levels-empty").is_visible()
    assert not page.locator("#levels").is_visible()


def test_script_and_library_agree_on_the_front(show: Open) -> None:
    page = show()
    front = {row.get_attribute("data-key") for row in page.locator("#table tr.front").all()}
    assert front == pareto(RECORDS)


def test_engines_have_fronts_of_their_own_in_the_page_too(show: Open, tmp_path: Path) -> None:
    cores = [one for one in CHARTED if one.device == "LFE5U-85F-8" and one.subject.design]
    engines = [as_engine(one) for one in cores]
    path = tmp_path / "engines.html"
    path.write_text(render([*cores, *engines]), encoding="utf-8")
    page = show(path=path)
    page.wait_for_selector(POINTS)
    points(page)
    front = {row.get_attribute("data-key") for row in page.locator("#table tr.front").all()}
    assert front == pareto([*cores, *engines])
    assert front & {one.key for one in engines}
    lines = page.locator("#chart .mark-line path").all()
    dashes = sorted(line.get_attribute("stroke-dasharray") for line in lines)
    assert dashes == ["1,0", "5,4"], "a whole line for cores, a dashed one for engines"
    page.locator('input[name="subject"][value="core"]').focus()
    page.keyboard.press("Space")
    assert shown(page) == {one.key for one in cores}


def test_a_hostile_name_is_only_text(show: Open) -> None:
    page = show()
    assert page.evaluate("window.hurt") is None
    page.locator("#table").get_by_role("button", name=HOSTILE).click()
    assert HOSTILE in page.locator("#dialog h2").text_content()
    assert page.evaluate("window.hurt") is None


def test_the_pointer_shows_the_design(show: Open) -> None:
    page = show()
    page.locator(POINTS).last.hover()
    tip = page.locator("#vg-tooltip-element.visible")
    tip.wait_for()
    key = page.evaluate(
        "(s) => [...document.querySelectorAll(s)].at(-1).__data__.datum.key", POINTS
    )
    one = next(one for one in RECORDS if one.key == key)
    text = tip.text_content()
    assert one.subject.name in text
    assert one.subject.summary in text
    assert one.device in text
    assert one.warnings[0] in text


def test_the_cores_on_a_front_have_their_names_where_there_is_room(show: Open) -> None:
    page = show()
    page.wait_for_selector(POINTS)
    points(page)
    boxes = page.evaluate(
        """[...document.querySelectorAll('#chart .role-mark.mark-text text')]
        .filter((t) => t.textContent)
        .map((t) => [t.textContent, ...Object.values(t.getBoundingClientRect().toJSON())])"""
    )
    front = {one.subject.name for one in CHARTED if one.key in pareto(RECORDS)}
    names = [name.removesuffix(" (foreign core)") for name, *_ in boxes]
    assert set(names) <= front
    assert len(names) > 5
    fastest = max(CHARTED, key=lambda one: one.throughput_gbps or 0)
    assert fastest.subject.name in names
    for one, other in itertools.combinations(boxes, 2):
        _, x, y, width, height, *_ = one
        _, u, v, wide, high, *_ = other
        apart = x + width <= u or u + wide <= x or y + height <= v or v + high <= y
        assert apart, (one[0], other[0])


# --- It goes by keyboard -------------------------------------------------------------------------


def test_points_are_reached_by_keyboard(show: Open) -> None:
    page = show()
    page.wait_for_selector(POINTS)
    points(page)
    stops = page.locator(f'{POINTS}[tabindex="0"]')
    assert stops.count() == 1, "Tab stops once in a chart"
    page.evaluate("byId('chart').scrollIntoView()")
    stops.focus()

    def now() -> dict[str, Any]:
        one: dict[str, Any] = page.evaluate("document.activeElement.__data__.datum")
        return one

    first = now()
    assert first["luts"] == min(one.area.luts for one in CHARTED)
    assert page.locator("#chart-focus").text_content() == first["description"]
    assert first["label"] in first["description"]
    seen = [first]
    for _ in range(3):
        page.keyboard.press("ArrowRight")
        seen.append(now())
    assert [one["luts"] for one in seen] == sorted(one["luts"] for one in seen)
    assert len({one["key"] for one in seen}) == 4
    page.keyboard.press("End")
    assert now()["luts"] == max(one.area.luts for one in CHARTED)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Home")
    assert now()["key"] == first["key"]
    assert stops.count() == 1
    ring = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert ring == "solid"
    page.keyboard.press("Enter")
    assert page.locator("#dialog[open] h2").is_visible()
    assert page.url.endswith(first["key"])
    page.keyboard.press("Escape")
    # A filter draws anew; the keyboard still has one way in.
    choose(page, "tower")
    points(page)
    assert stops.count() == 1


# --- It gives files ------------------------------------------------------------------------------


def saved(page: Any, name: str) -> str:
    with page.expect_download() as caught:
        page.get_by_role("button", name=name, exact=True).click()
    return Path(caught.value.path()).read_text(encoding="utf-8")


def test_the_rows_shown_are_saved_in_their_order(show: Open) -> None:
    page = show()
    by_key = {one.key: one for one in collected()}

    def order() -> list[Measurement]:
        keys = page.evaluate("rows.filter((one) => !one.hidden).map((one) => one.dataset.key)")
        return [by_key[key] for key in keys]

    assert len(order()) == len(RECORDS)
    choose(page, "iCE40HX8K")
    page.locator('thead [data-field="luts"]').click()
    chosen = order()
    assert 1 < len(chosen) < len(RECORDS)
    # All but the fronts, which are those of the whole page.
    lines = {line["key"]: line for line in csv.DictReader(io.StringIO(as_csv(collected())))}
    table = list(csv.DictReader(io.StringIO(saved(page, "CSV"))))
    assert table == [lines[one.key] for one in chosen]
    assert saved(page, "LaTeX") == as_latex(chosen)


# --- It filters ----------------------------------------------------------------------------------


def test_a_filter_changes_chart_table_and_front(show: Open) -> None:
    page = show()
    page.wait_for_selector(POINTS)
    choose(page, "bram")

    def style(one: Measurement) -> object:
        return (one.subject.design or {}).get("sbox")

    left = [one for one in RECORDS if style(one) == "bram"]
    assert 0 < len(left) < len(RECORDS)
    assert shown(page) == {one.key for one in left}
    assert set(points(page)) == {one.key for one in left if one in CHARTED}
    front = {row.get_attribute("data-key") for row in page.locator("#table tr.front:visible").all()}
    assert front == pareto(left)
    assert page.locator("#count").text_content() == f"{len(left)} of {len(RECORDS)} measurements"
    # A second value of the group adds; a value of another group takes away.
    choose(page, "tower")
    assert len(shown(page)) == sum(style(one) in ("bram", "tower") for one in RECORDS)
    choose(page, "iCE40HX8K")
    assert set(points(page).values()) == {"iCE40HX8K"}
    page.get_by_role("button", name="Clear all filters").click()
    page.wait_for_function(
        f"document.querySelector('#count').textContent.startsWith('{len(RECORDS)} of')"
    )
    assert set(points(page)) == {one.key for one in CHARTED}


def test_every_group_filters(show: Open) -> None:
    page = show()

    def belongs(one: Measurement, field: str, value: str) -> bool:
        if field == "device":
            return one.device == value
        design = one.subject.design
        if value == "foreign core" or design is None:
            return value == "foreign core" and design is None
        if field == "stages":
            return bool(design["sbox_stages"] + design["linear_stages"] == int(value))
        return str(design[field]) == value

    for field, value in (
        ("stages", "6"),
        ("key_schedule", "stored"),
        ("direction", "both"),
        ("key_bits", "256"),
        ("device", "LIFCL-40-9"),
        ("unroll", "1"),
        ("sbox", "foreign core"),
    ):
        page.locator(f'input[name="{field}"][value="{value}"]').focus()
        page.keyboard.press("Space")  # as a person without a mouse does
        left = {one.key for one in RECORDS if belongs(one, field, value)}
        assert 0 < len(left) < len(RECORDS)
        assert shown(page) == left, field
        page.keyboard.press("Space")


def test_bounds_leave_what_meets_them_or_say_that_nothing_does(show: Open) -> None:
    page = show()
    page.wait_for_selector(POINTS)
    page.locator("#least").fill("20")
    page.locator("#most").fill("14000")
    left = {one.key for one in CHARTED if (one.throughput_gbps or 0) >= 20}
    left &= {one.key for one in CHARTED if one.area.luts <= 14000}
    assert left
    assert shown(page) == left
    page.locator("#least").fill("100000")
    assert shown(page) == set()
    assert page.locator("#chart-empty").is_visible()
    assert not page.locator("#chart").is_visible()
    page.locator("#least").fill("")
    page.locator("#most").fill("")
    assert set(points(page)) == {one.key for one in CHARTED}


# --- It sorts ------------------------------------------------------------------------------------


def test_a_heading_sorts_both_ways_with_the_unknown_last(show: Open) -> None:
    page = show()

    def column(field: str) -> list[Any]:
        keys = page.evaluate("all('#table tbody tr').map((row) => row.dataset.key)")
        values = {
            one.key: {
                "luts": one.area.luts,
                "throughput_gbps": one.throughput_gbps,
                "fmax_mhz": one.clock and one.clock.fmax_mhz,
                "device": one.device,
                "name": one.subject.name,
            }[field]
            for one in RECORDS
        }
        return [values[key] for key in keys]

    orders: list[list[Any]] = []
    fields = ("luts", "throughput_gbps", "fmax_mhz", "device", "name")
    for field in [field for field in fields for _ in range(2)]:
        page.locator(f'thead [data-field="{field}"]').click()
        way = page.locator(f'th:has([data-field="{field}"])').get_attribute("aria-sort")
        assert page.locator("thead [aria-sort]").count() == 1
        found = column(field)
        known = [value for value in found if value is not None]
        assert found[: len(known)] == known, "what is not known stands last"
        if not isinstance(known[0], str):
            assert known == sorted(known, reverse=way == "descending")
        elif field == "device":
            assert known == sorted(known, key=str.lower, reverse=way == "descending")
        orders.append(found)
    assert all(one != other for one, other in zip(orders[::2], orders[1::2], strict=True))


# --- It opens ------------------------------------------------------------------------------------


def test_a_click_on_a_point_opens_the_whole_measurement(show: Open) -> None:
    page = show()
    page.locator(POINTS).last.click()
    dialog = page.locator("#dialog[open]")
    dialog.wait_for()
    key = re.sub(r".*#", "", page.url)
    one = next(one for one in RECORDS if one.key == key)
    assert one.clock is not None
    assert one.critical_path is not None
    text = dialog.text_content()
    expected = [one.subject.name, one.subject.summary, one.provenance.command, *one.warnings]
    expected += [f"{run.mhz:.1f}" for run in one.clock.runs] + [one.clock.limit]
    expected += [hop.where for hop in one.critical_path.hops]
    expected += [stage.stage for stage in one.depth] + list(one.provenance.tools)
    expected += [*one.provenance.commands, one.provenance.commit, one.subject.rtl, one.key]
    if one.clock.cap is not None:
        expected += [one.clock.cap.source]
        assert ("not verified" in text) == (not one.clock.cap.verified)
    for words in expected:
        assert words.strip() in text
    page.keyboard.press("Escape")
    page.wait_for_function("!byId('dialog').open && location.hash === ''")


def test_the_command_is_copied(show: Open) -> None:
    page = show()
    page.locator(".open").first.click()
    page.get_by_role("button", name="Copy").click()
    page.get_by_role("button", name="Copied").wait_for()
    command = page.locator("#dialog .command code").text_content()
    assert command.startswith("aesforge measure ")
    assert page.evaluate("navigator.clipboard.readText()") == command


def test_a_row_opens_by_keyboard(show: Open) -> None:
    page = show()
    page.locator(".open").nth(3).focus()
    page.keyboard.press("Enter")
    assert page.locator("#dialog[open] h2").is_visible()


def test_a_link_opens_its_measurement(show: Open) -> None:
    one = next(one for one in RECORDS if one.kind == "synthesized")
    page = show(at=f"#{one.key}")
    assert one.subject.name in page.locator("#dialog[open] h2").text_content()
    assert "synthesis only" in page.locator("#dialog").text_content()


# --- It is fit to look at ------------------------------------------------------------------------


def rgb(page: Any, selector: str, what: str) -> list[int]:
    value = page.evaluate(
        "([s, what]) => getComputedStyle(document.querySelector(s))[what]", [selector, what]
    )
    return [int(number) for number in re.findall(r"\d+", value)[:3]]


def luminance(colour: list[int]) -> float:
    """Return the relative luminance of sRGB, 0 to 1 (WCAG 2)."""
    parts = [c / 255 for c in colour]
    r, g, b = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_with_enough_contrast(show: Open, scheme: str) -> None:
    page = show(scheme=scheme)
    page.wait_for_selector(POINTS)
    for dark in (scheme == "dark", scheme != "dark"):  # the second after the button was pressed
        paper = luminance(rgb(page, "body", "backgroundColor"))
        assert (paper < 0.1) == dark
        for selector, what, least in (
            ("body", "color", 7.0),
            (".lead", "color", 4.5),
            (".open", "color", 4.5),
            (".warn", "color", 4.5),
            ("#chart .role-axis-label text", "fill", 4.5),
            *(
                (f"{POINTS}[aria-label^='{one.subject.name} on {one.device}']", "fill", 3.0)
                for one in _one_each()
            ),
        ):
            ink = luminance(rgb(page, selector, what))
            contrast = (max(ink, paper) + 0.05) / (min(ink, paper) + 0.05)
            assert contrast >= least, (selector, dark, contrast)
        page.locator("#theme").click()


def _one_each() -> list[Measurement]:
    """Return one of our cores for each device in the chart, under a name of its own."""
    return list({one.device: one for one in CHARTED if one.subject.design}.values())


def test_wide_things_scroll_on_a_phone(show: Open, tmp_path: Path) -> None:
    """At 390 px the page keeps its width, and what is wider scrolls, by keyboard as well."""
    results = collect(results=REPO / "bench" / "results")
    path = tmp_path / "papers.html"
    every = compare(known_results(REPO / "bench" / "results" / "papers.json", own=False))
    path.write_text(render(results, every), encoding="utf-8")
    page = show(width=390, height=844, path=path)
    page.wait_for_selector(".drawn svg")
    page.wait_for_selector(POINTS)
    points(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    scrolled: dict[str, int] = {}
    for selector in (".scroll", ".across", ".drawn"):
        for one in page.locator(selector).all():
            if one.evaluate("(e) => e.scrollWidth <= e.clientWidth"):
                continue
            scrolled[selector] = scrolled.get(selector, 0) + 1
            one.focus()
            page.keyboard.press("ArrowRight")
            page.wait_for_function("document.activeElement.scrollLeft > 0")
    assert set(scrolled) == {".scroll", ".across", ".drawn"}


def test_the_page_is_never_wider_than_the_screen(show: Open) -> None:
    page = show(width=1241, height=700)
    page.wait_for_selector(POINTS)
    wide = "document.documentElement.scrollWidth"
    for width in (1600, 1560, 1559, 1241, 1240, 800, 721, 390, 375, 320):
        page.set_viewport_size({"width": width, "height": 700})
        page.wait_for_function(f"{wide} <= {width}")  # the chart follows a moment later
        page.locator(".open", has_text=HOSTILE).click()
        assert page.evaluate(wide) <= width
        assert page.evaluate("byId('dialog').scrollWidth - byId('dialog').clientWidth") <= 0
        page.keyboard.press("Escape")


def test_a_phone_turns_and_the_chart_follows(show: Open) -> None:
    page = show(width=375, height=740)
    page.wait_for_selector(POINTS)
    assert not page.locator("#choices").is_visible(), "on a phone the filters are folded away"
    page.locator("#filters summary").click()
    choose(page, "tower")
    assert len(points(page)) < len(CHARTED)
    page.set_viewport_size({"width": 740, "height": 375})
    page.wait_for_function("document.querySelector('#chart svg').clientWidth > 600")
    assert page.evaluate("document.documentElement.scrollWidth") <= 740


# --- Odd sets ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kept",
    [
        CHARTED[:1],
        [one for one in RECORDS if one.kind == "synthesized"],
        [msgspec.structs.replace(CHARTED[0], device=f"DEVICE-{n}", key=str(n)) for n in range(23)],
    ],
    ids=["one", "no clock", "many devices"],
)
def test_odd_sets(show: Open, tmp_path: Path, kept: list[Measurement]) -> None:
    path = tmp_path / "odd.html"
    path.write_text(render(kept), encoding="utf-8")
    page = show(path=path)
    charted = [one for one in kept if one.throughput_gbps is not None]
    if charted:
        page.wait_for_selector(POINTS)
        assert len(points(page)) == len(charted)
    else:
        assert page.locator("#chart-empty").is_visible()
    assert len(shown(page)) == len(kept)


def test_the_papers_are_drawn_and_fit_on_a_phone(show: Open, tmp_path: Path) -> None:
    path = tmp_path / "papers.html"
    results = REPO / "bench" / "results" / "papers.json"
    comparisons = compare(known_results(results, own=False))
    path.write_text(render(RECORDS[:5], comparisons), encoding="utf-8")
    page = show(width=390, height=844, path=path)
    wanted = page.locator("[data-drawing]").count()
    charts = sum(len(table.charts) for paper in papers() for table in paper.table)
    assert wanted == 1 + charts, "the ratios of all papers, and each column that is drawn"
    page.wait_for_function(f"document.querySelectorAll('.drawn svg').length == {wanted}")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    section = page.locator("#paper-saggese2003")
    line = section.locator("tr", has_text="iterative").and_(
        section.locator("tr", has_text="XVE2000-8")
    )
    assert "446" in line.first.text_content()
    claims = [one for one in comparisons if "unrolling beats tiling" in one.row]
    assert len(claims) == 1
    claim = section.locator("tr", has_text="unrolling beats tiling")
    assert claims[0].said in claim.text_content()
    ours = section.locator("tr.ours", has_text="LFE5U-85F-8")
    assert ours.count() > 0
