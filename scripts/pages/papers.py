# SPDX-License-Identifier: Apache-2.0
"""Tables that set the papers beside ours."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from bench_cores import FILE as CORES_RESULT
from bench_key_change import FILE as KEY_CHANGES
from bench_papers import FILE as BESIDE_PAPERS

from aesforge.design import load_any
from aesforge.design.engine import Engine
from aesforge.devices import device
from aesforge.measure.bench import Campaign
from aesforge.measure.record import Measurement
from aesforge.research.papers import show
from aesforge.research.papers.compare import (
    Closeness,
    Comparison,
    best_way,
    closeness,
    compare,
    counts,
    known_results,
    placement_spread,
)
from aesforge.research.papers.published import Paper, published
from aesforge.research.papers.quantities import rests_on
from aesforge.research.security import Evaluation
from aesforge.research.security.show import rows as security_rows
from pages.markdown import REPO, Section, table


def liu2014_security() -> str:
    """Return the table of what the attacks on the research key schemes measured."""
    path = REPO / "bench" / "results" / "liu2014-security.json"
    if not path.exists():
        return "not measured yet"
    evaluation = msgspec.json.decode(path.read_bytes(), type=Evaluation)
    made = f"Measured on {evaluation.date[:10]}, one core of {evaluation.processor}: "
    return f"{made}`{evaluation.command}`\n\n" + table(
        ("experiment", "said or expected", "measured"), security_rows(evaluation)
    )


@functools.cache
def comparisons() -> list[Comparison]:
    """Set the papers beside the results in bench/results/papers.json, and nothing else."""
    return compare(known_beside_papers())


@functools.cache
def known_beside_papers() -> dict[str, Measurement]:
    """Return what bench/results/papers.json holds of the bench as it is today."""
    return known_results(BESIDE_PAPERS, own=False)


def of_paper(paper: Paper) -> list[Comparison]:
    """Return a paper's figures."""
    return [one for one in comparisons() if one.paper == paper.key]


def comparison(paper: Paper) -> str:
    """Return a paper's claims, its tables with ours beneath each line, and the verdicts."""
    titles = {one.name: one.title for one in paper.table}
    parts = ["\n".join(f"- {line.capitalize()}." for line in show.summary_lines(of_paper(paper)))]
    claims = show.claims_of(of_paper(paper))
    if claims:
        parts += ["### What it claims", table(show.CLAIM_HEAD, map(show.claim_row, claims))]
    for name, rows in show.groups(of_paper(paper)):
        head = ("", "device", *(f"{one.column} ({one.unit})" for one in rows[0]))
        lines = []
        for row in rows:
            lines.append((row[0].row, row[0].device, *map(show.published_text, row)))
            for on, cells in show.by_device(row):
                ours = (f"**{show.ours_text(one)}**" if one in cells else "" for one in row)
                lines.append(("**ours**", f"**{on}**" if on else "", *ours))
        verdicts = show.verdicts([one for row in rows for one in row])
        parts += [f"### {name}: {titles[name]}", table(head, lines)]
        parts.append("\n".join(f"- {said} ({which})" for said, which in verdicts))
    parts += [*bounds(paper), *on_devices(paper), *measured_for(paper)]
    return "\n\n".join(filter(None, parts))


def bounds(paper: Paper) -> list[str]:
    """Return the table of what the clock tree allows where we only synthesize, beside the paper."""
    known = known_beside_papers()
    lines = {}
    for data in paper.table:
        clocks = [column for column in data.columns if column.quantity == "mhz"]
        for row in data.rows:
            for name in row.cores:
                one = known.get(name)
                if not clocks or one is None or one.clock is not None:
                    continue
                # Only where the paper has our very part.
                where = device(one.device)
                theirs = data.published(row, clocks[0])
                cap = where.cap(block_ram=one.area.block_ram > 0)
                if row.device != where.part.part or theirs is None or cap is None:
                    continue
                levels = one.logic_depth
                mark = "" if cap.verified else ", not verified"
                lines[row.name] = (
                    *(row.name, one.device, str(levels), f"{theirs:.2f}"),
                    f"{cap.mhz:g} ({cap.what}{mark})",
                    f"{100 * theirs / cap.mhz:.0f} %",
                )
    if not lines:
        return []
    head = ("", "device", "logic depth", "the paper's clock (MHz)", "upper bound (MHz)", "share")
    return [
        "### Upper bound of the clock, without logic and wires; no clock of ours, and not judged",
        table(head, lines.values()),
        "No source that we could read gives the delays of the family's look-up tables and "
        "flip-flops, so the logic depth adds no bound of its own. The speed grade is our choice: "
        "the paper names none.",
    ]


def on_devices(paper: Paper) -> list[str]:
    """Return the table of clocks and their ratios on each of our devices, where there are several.

    What changes from device to device is the device's; what stays is the circuit's.
    """
    known = known_beside_papers()
    found: dict[tuple[str, str], dict[str, str]] = {}
    for data in paper.table:
        if not any("clock" in rests_on(column.quantity) for column in data.columns):
            continue
        for row in data.rows:
            base = data.base_of(row)
            clocks = clocks_of(known, row.cores)
            below = {} if base is None else clocks_of(known, base.cores)
            if len(clocks) > 1 and not row.conjecture:
                found.setdefault(
                    (row.name, row.over.partition(",")[0]),
                    {
                        on: f"{mhz:.1f}" + (show.times(mhz / below[on]) if on in below else "")
                        for on, mhz in clocks.items()
                    },
                )
    if not found:
        return []
    names = list(dict.fromkeys(on for cells in found.values() for on in cells))
    lines = [
        (f"{row} over {over}" if over else row, *(cells.get(on, "") for on in names))
        for (row, over), cells in found.items()
    ]
    return [
        "### What the device accounts for: our clocks in MHz, and the ratios",
        table(("", *names), lines),
    ]


def clocks_of(known: Mapping[str, Measurement], names: Iterable[str]) -> dict[str, float]:
    """Return the clocks of some cores by their device, each built in its best way."""
    found: dict[str, float] = {}
    for name in names:
        if name in known:
            one = known[best_way(known, name)]
            if one.clock is not None:
                found.setdefault(one.device, one.clock.fmax_mhz)
    return found


def measured_for(paper: Paper) -> list[str]:
    """Return the table of what was measured for a paper, each core in every way it was built."""
    known = known_beside_papers()
    every = published()
    names = [name for data in paper.table for row in data.rows for name in row.cores]
    lines = []
    for name in dict.fromkeys(names):
        if name not in known:
            continue
        best = best_way(known, name)
        ways = [name, *(other for other in every.ways(name) if other in known)]
        for way in ways:
            one = known[way]
            runs = [] if one.clock is None else sorted(run.mhz for run in one.clock.runs)
            clock = "" if one.clock is None else f"{one.clock.fmax_mhz:.1f}"
            if len(runs) > 1:
                clock += f" ({runs[0]:.1f} to {runs[-1]:.1f})"
            asked = every.cores()[way].seeds
            lines.append(
                (
                    f"**{way}**" if way == best and len(ways) > 1 else way,
                    one.device,
                    one.provenance.recipe,
                    f"{len(runs)} of {asked}" if len(runs) < asked else str(len(runs)),
                    clock,
                    f"{one.area.luts:,}",
                    str(one.logic_depth),
                )
            )
    head = ("core", "device", "recipe", "placements", "clock (MHz)", "LUTs", "logic depth")
    return (
        [
            "### What was measured; of several ways to build a core, the best in bold",
            table(head, lines),
        ]
        if lines
        else []
    )


def papers_headlines() -> str:
    """Return what the papers are known for with our verdicts, and how close our ratios come."""
    shown = []
    for paper in published().paper:
        wanted = {
            (data.name, row.name, row.device, column.label)
            for data in paper.table
            for row in data.rows
            for column in data.columns
            if row.headline and column.key in data.headline
        }
        link = f"[{paper.key}]({paper.key}.md)"
        for one in show.figures_of(of_paper(paper)):
            if (one.table, one.row, one.device, one.column) in wanted:
                what = f"{one.row} over {one.over}: {one.column} ({one.table})"
                reach = show.claim_ours(one)
                shown.append((link, what, show.times(one.published_ratio).strip(" ()"), reach, one))
        claims = {claim.says for claim in paper.claim if claim.headline}
        for one in show.claims_of(of_paper(paper)):
            if one.row in claims:
                what = f"{one.row} ({one.table})"
                shown.append((link, what, show.claim_theirs(one), show.claim_ours(one), one))
    figures = table(
        ("paper", "what it says", "theirs", "ours", "verdict"),
        ((link, what, theirs, ours, verdict(one)) for link, what, theirs, ours, one in shown),
    )
    close = [(paper, closeness(of_paper(paper))) for paper in published().paper]
    near = table(
        ("ratios of", "there are", "within 10 %", "within 25 %", "within 2 times", "median"),
        (
            (paper.key, *map(str, (one.ratios, one.tenth, one.quarter, one.twice)), times(one))
            for paper, one in close
        ),
    )
    return f"{figures}\n\n{near}"


def papers_totals() -> str:
    """Return the README's table: how many claims and figures of each paper have which verdict."""
    kinds = show.WORDS
    return table(
        ("", *kinds.values()),
        (
            (
                f"[{paper.key}](docs/papers/{paper.key}.md), {name}",
                *(str(counts(of(of_paper(paper)))[kind]) for kind in kinds),
            )
            for paper in published().paper
            for name, of in (("claims", show.claims_of), ("figures", show.figures_of))
            if of(of_paper(paper))
        ),
    )


def spread() -> str:
    """Return by how much a single placement may be off, for the rules."""
    return f"The spread is {placement_spread():.2f} times."


def verdict(one: Comparison) -> str:
    """Return the verdict of the README: commands are in the paper's page."""
    return show.WORDS[one.verdict] if one.verdict == "not measured" else one.said


def times(one: Closeness) -> str:
    """Return the median, in times."""
    return "-" if one.median is None else f"{one.median:.2f} times"


def key_changes() -> str:
    """Return the table of what a new key costs with a key per block and with stored keys."""
    found = json.loads(KEY_CHANGES.read_bytes())
    clocks = Campaign.read(BESIDE_PAPERS).measurements
    sizes = list(next(iter(found.values()))["cycles_per_packet"])
    rows = []
    for name, one in found.items():
        preset, kind = name.split()
        core = f"{preset}-stored-ecp5" if kind == "stored" else f"{preset}-ecp5"
        clock = clocks[core].clock if core in clocks else None
        mhz = clock.fmax_mhz if clock else None
        cells = []
        for size in sizes:
            cycles = one["cycles_per_packet"][size]
            gbps = f", {128 * int(size) * mhz / cycles / 1000:.2f} Gbps" if mhz else ""
            cells.append(f"{cycles:g}{gbps}")
        keys = f"stored, {one['slots']} slots" if kind == "stored" else "with every block"
        rows.append((f"`{preset}`", keys, f"{mhz:.1f}" if mhz else "not placed", *cells))
    heads = ("1 block" if size == "1" else f"{size} blocks" for size in sizes)
    return table(("core", "keys", "MHz", *heads), rows)


# The modes of Fig. 2 of Saggese et al., the preset of an engine for each, and what differs from it.
FIG_2: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("ECB", "ecb-stream", {}),
    ("CBC encryption", "cbc-interleaved", {}),
    ("CBC decryption", "cbc-decrypt-stream", {}),
    ("CBC-MAC", "cbc-interleaved", {"modes": ["cbc-mac"]}),
    ("CFB encryption", "cbc-interleaved", {"modes": ["cfb"]}),
    ("CFB decryption", "cfb-decrypt-stream", {}),
    ("OFB", "cbc-interleaved", {"modes": ["ofb"]}),
    ("OCB", "ocb-stream", {}),
    ("CTR", "ctr-stream", {}),
)


def engine_rates() -> str:
    """Return what an engine reaches in each mode of Fig. 2, with one stream and with many."""
    measured = Campaign.read(CORES_RESULT).measurements
    rows = []
    for mode, preset, changes in FIG_2:
        engine = load_any(preset, changes)
        assert isinstance(engine, Engine)
        streams = engine.full_rate_streams if engine.is_interleaved else 1
        alone = 1 / engine.loop_cycles if engine.is_interleaved else engine.blocks_per_cycle
        clock = measured[preset].clock if preset in measured and not changes else None
        cells = [
            f"1 in {round(1 / alone)} cycles" if alone < 1 else f"{alone:g} per cycle",
            f"{engine.blocks_per_cycle:g} per cycle, {streams} streams"
            if streams > 1
            else "the same",
        ]
        for rate in (alone, engine.blocks_per_cycle):
            cells.append(f"{128 * rate * clock.fmax_mhz / 1000:.2f}" if clock else "not placed")
        setting = "".join(f" --set {name}={value[0]}" for name, value in changes.items())
        rows.append((mode, f"`{preset}{setting}`", *cells))
    head = (
        "mode",
        "engine",
        "blocks, one stream",
        "blocks, many streams",
        "Gbps, one",
        "Gbps, many",
    )
    return table(head, rows)


def margins() -> str:
    """Return the table of what `aesforge margin` found, from its records."""
    rows = []
    for path in sorted((REPO / "bench" / "results").glob("margin-*.json")):
        found = json.loads(path.read_bytes())
        share = {
            percent: next(
                (f"{p['mhz']:.1f}" for p in found["curve"] if p["error_percent"] >= percent), ""
            )
            for percent in (1, 10, 50, 100)
        }
        rows.append(
            (
                f"`{found['name']}`, `{found['device']}`",
                found["traffic"],
                f"{found['reported_mhz']:.2f}",
                f"{found['highest_mhz']:.3f} ({round(found['margin_percent'], 1) + 0.0:+.1f} %)",
                f"{found['failing_mhz']:.3f}",
                *share.values(),
            )
        )
    shares = ("1 %", "10 %", "50 %", "all")
    return table(
        (
            *("core, device", "traffic", "reported MHz", "highest without error", "first error"),
            *(f"{share} corrupt" for share in shares),
        ),
        rows,
    )


SECTIONS: tuple[Section, ...] = (
    ("README.md", "papers", papers_totals),
    ("docs/papers/verdicts.md", "headlines", papers_headlines),
    *(
        (f"docs/papers/{paper.key}.md", "comparison", functools.partial(comparison, paper))
        for paper in published().paper
    ),
    ("docs/papers/saggese2003.md", "key changes", key_changes),
    ("docs/papers/saggese2003.md", "engine rates", engine_rates),
    ("docs/papers/verdicts.md", "spread", spread),
    ("docs/papers/liu2014-security.md", "liu2014 security", liu2014_security),
    ("docs/margin.md", "margins", margins),
)
