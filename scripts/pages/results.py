# SPDX-License-Identifier: Apache-2.0
"""Tables of measurements: cores, the whole device, peers, the tool itself."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import bench_peers
import bench_whole_device as whole
from bench import RESULT as TOOL_RESULT
from bench_cores import FILE as CORES_RESULT
from bench_cores import cores
from bench_explore import RESULT as PRUNING_RESULT
from bench_papers import FILE as BESIDE_PAPERS
from bench_whole_device import FILE as WHOLE_DEVICE
from bench_whole_device import Filled

from aesforge.devices.families import family
from aesforge.measure.bench import Campaign, Core
from aesforge.measure.record import Clock, Measurement
from aesforge.research.papers.published import published
from pages.markdown import Section, table

# What the README's first table shows, of bench/cores.toml: an engine of each family, then cores.
README_CORES = (
    "ctr-stream",
    "gcm-dual",
    "xts-dual",
    "ctr-stream-lifcl-40",
    "ctr-gw2a-18",
    "ecb-hx8k",
    "cbc-interleaved",
    "line-rate",
    "line-rate-five-tiles",
    "balanced-lifcl-40",
    "compact",
    "compact-hx8k",
)


def _limit(clock: Clock) -> str:
    doubt = "" if clock.cap is None or clock.cap.verified else " (cap not verified)"
    runs = ", ".join(f"{run.mhz:.1f}" for run in clock.runs)
    return f"{clock.limit}{doubt if clock.limit != 'logic and wires' else ''}; {runs}"


def _measured_as(core: Core, one: Measurement) -> str:
    """Return the arguments of `aesforge measure` that give a design and its recipe."""
    recipe = one.provenance.recipe.split(", ")[0]
    usual = family(one.family).recipe[0].name
    return " ".join([*core.design, *(["--recipe", recipe] if recipe != usual else [])])


def measured() -> str:
    """Return the table of what the bench measured on devices."""
    rows = []
    found = Campaign.read(CORES_RESULT).measurements
    for core in cores():
        if core.name not in found:
            continue
        one = found[core.name]
        area, clock = one.area, one.clock
        luts = f"{area.luts:,} LUT{4 if area.lut4 is not None else 6}"
        rows.append(
            (
                f"`{_measured_as(core, one)}`{', floorplan' if core.floorplan else ''}",
                one.device,
                "-" if one.throughput_gbps is None else f"{one.throughput_gbps:.2f}",
                "-" if clock is None else f"{clock.fmax_mhz:.1f}",
                "synthesis only" if clock is None else _limit(clock),
                luts + (f" + {area.wide_mux:,} wide muxes" if area.wide_mux else ""),
                f"{area.ff:,}",
                str(area.block_ram or "-"),
                "-" if one.mbps_per_lut is None else f"{one.mbps_per_lut:.2f}",
                str(one.logic_depth),
                f"`{one.provenance.commit[:8]}`",
            )
        )
    head = (
        "design",
        "device",
        "Gbps",
        "Fmax, MHz",
        "limited by; as reported each seed",
        "area",
        "FF",
        "block RAM",
        "Mbps per LUT",
        "logic depth",
        "commit",
    )
    return table(head, rows)


def measured_in_short() -> str:
    """Return the README's table: what a buyer asks of the engines and the bare cores."""
    known = {core.name: core for core in cores()}
    found = Campaign.read(CORES_RESULT).measurements
    rows = []
    for name in README_CORES:
        core, one = known[name], found[name]
        assert one.throughput_gbps is not None
        assert one.clock is not None
        rows.append(
            (
                f"`{_measured_as(core, one)}`",
                "core" if one.subject.engine is None else "engine",
                one.device,
                f"{one.throughput_gbps:.2f}",
                f"{one.clock.fmax_mhz:.0f}",
                str(len(one.clock.runs)),
                f"{one.area.luts:,}",
                f"{one.area.ff:,}",
                str(one.area.block_ram or "-"),
            )
        )
    head = ("design", "what", "device", "Gbps", "Fmax", "placements", "LUT4", "FF", "block RAM")
    return table(head, rows)


def placed_tiles(cores: Iterable[Measurement], one: Filled) -> list[tuple[int, float]]:
    """Return those of some cores that have these stages and were placed: tiles, Fmax in MHz."""
    known = []
    for found in cores:
        design, clock = found.subject.design, found.clock
        if design is None or clock is None or found.device != whole.DEVICE or "tiles" not in design:
            continue
        chosen = whole.core(one.stages, design["tiles"]).target.subject().design
        assert chosen is not None
        # Older records lack the newer choices.
        if {**chosen, **design, "name": ""} == {**chosen, "name": ""}:
            known.append((design["tiles"], clock.fmax_mhz))
    return sorted(known)


def whole_device() -> str:
    """Return how many tiles fill a device, what binds, and the clock that they need."""
    found = Campaign.read(WHOLE_DEVICE).measurements
    every, limit = whole.every(), whole.clock_limit()
    cores = Campaign.read(CORES_RESULT).measurements.values()
    placed = [placed_tiles(cores, one) for one in every]
    rows = []
    for one, of_stages in zip(every, placed, strict=True):
        used = (area.needed(one.tiles) / area.capacity for area in (one.lut, one.ff))
        mhz = whole.clock_for(whole.GOAL_GBPS, one.tiles)
        rows.append(
            (
                one.words,
                str(one.depth),
                f"{one.lut.shared:,} + {one.lut.tile:,}",
                f"{one.ff.shared:,} + {one.ff.tile:,}",
                str(one.tiles),
                one.binds,
                ", ".join(f"{share:.0%}" for share in used),
                str(whole.checked(found, one.stages)),
                f"{whole.gbps_at(limit, one.tiles):.0f}",
                f"{mhz:.0f}{'' if mhz <= limit else ', above the limit'}",
                "; ".join(
                    f"{tiles}: {fmax:.0f} MHz, {whole.gbps_at(fmax, tiles):.0f} Gbps"
                    for tiles, fmax in of_stages
                )
                or "-",
            )
        )
    head = (
        "stages per round",
        "logic depth",
        "LUT4, shared + each tile",
        "FF, shared + each tile",
        "tiles",
        "binds",
        "LUT4, FF used",
        "sum checked with tiles",
        f"Gbps at {limit:.0f} MHz",
        f"MHz for {whole.GOAL_GBPS} Gbps",
        "placed, by tiles",
    )
    within = next(one for one in every if whole.clock_for(whole.GOAL_GBPS, one.tiles) <= limit)
    gbps, tiles, fmax, words = max(
        (whole.gbps_at(fmax, tiles), tiles, fmax, one.words)
        for one, of_stages in zip(every, placed, strict=True)
        for tiles, fmax in of_stages
    )
    return (
        f"{table(head, rows)}\n\n"
        f"Up to {limit:.0f} MHz, {whole.GOAL_GBPS} Gbps takes {within.tiles} tiles at least, which "
        f"fit with {within.words} stages per round or fewer. The fastest placed so far: {tiles} "
        f"tiles with {words} stages, {fmax:.0f} MHz, {gbps:.0f} Gbps."
    )


def peers() -> str:
    """Return the table of other people's cores, the fastest first, with some of ours."""
    bench, known = bench_peers.bench(), bench_peers.results()
    found = Campaign.read(CORES_RESULT).measurements
    rows = [
        (known[peer.name].best, peer.name, peer.keys, peer.lacks, str(known[peer.name].blocks))
        for peer in bench.peer
        if peer.name in known
    ]
    rows += [(found[name], f"**`{name}`**, ours", "", "", "proved") for name in bench.ours]
    rows.sort(key=lambda row: -(row[0].throughput_gbps or 0))

    def line(one: Measurement, name: str, keys: str, lacks: str, vectors: str) -> tuple[str, ...]:
        assert one.clock is not None
        clocks = ", ".join(f"{run.mhz:.1f}" for run in one.clock.runs)
        muxes = f" + {one.area.wide_mux:,} wide muxes" if one.area.wide_mux else ""
        return (
            name,
            f"{one.throughput_gbps:.2f}",
            f"{one.clock.fmax_mhz:.1f} ({clocks})",
            f"{one.area.luts:,}{muxes}",
            f"{one.area.ff:,}",
            str(one.area.block_ram or "-"),
            f"{one.mbps_per_lut:.2f}",
            f"{one.subject.interval_cycles:g}",
            one.provenance.recipe,
            vectors,
            keys,
            lacks,
        )

    head = (
        *("core", "Gbps", "Fmax, MHz (as reported)", "LUT4", "FF", "block RAM", "Mbps per LUT"),
        *("interval", "recipe", "blocks right", "does", "lacks"),
    )
    return table(head, [line(*row) for row in rows])


def unmeasured_peers() -> str:
    """Return the table of cores that are not measured, and why."""
    rows = [(one.repository, one.why) for one in bench_peers.bench().unmeasured]
    return table(("core", "why"), rows)


def papers_run() -> str:
    """Return how long the measurements for the comparison with the papers took."""
    campaign = Campaign.read(BESIDE_PAPERS)
    if run := campaign.whole_run:
        parts = "" if run.parts == 1 else f" in {run.parts} parts"
        return (
            f"The last run from an empty cache: {len(campaign.measurements)} cores in "
            f"{run.seconds / 60:.0f} minutes{parts}, {run.processors} at a time."
        )
    every = campaign.measurements.values()
    placements = sum(len(one.clock.runs) for one in every if one.clock is not None)
    hours = sum(one.provenance.seconds for one in every) / 3600
    return f"{len(every)} cores in {placements} placements took {hours:.1f} hours of tool time."


def tool_speed() -> str:
    """Return the table of how fast the tool itself is, as `make bench` last found it."""
    if not TOOL_RESULT.exists():
        return "not measured yet"
    result = json.loads(TOOL_RESULT.read_text(encoding="utf-8"))
    machine = result["machine"]

    def row(figure: dict[str, Any]) -> tuple[str, str, str]:
        unit = figure["unit"]
        digits = 2 if unit == "s" and figure["value"] < 10 else 0
        bound = "at most" if unit == "s" else "at least"
        promised = figure["promised"]
        return (
            figure["what"],
            f"{figure['value']:,.{digits}f} {unit}",
            "-" if promised is None else f"{bound} {promised:,g} {unit}",
        )

    on = f"on {machine['processors']} processors, Python {machine['python']}"
    return table((on, "measured", "promised"), map(row, result["figures"]))


def pruning() -> str:
    """Return the table of spaces that `make bench` explored with and without pruning."""
    if not PRUNING_RESULT.exists():
        return "not measured yet"
    rows = [
        (
            f"`{row['space']}`",
            *(str(row[name]) for name in ("points", "measured", "pruned", "front")),
            str(len(row["lost"])),
        )
        for row in json.loads(PRUNING_RESULT.read_text(encoding="utf-8"))
    ]
    head = ("space", "points", "measured", "pruned", "on the fronts", "of these lost by pruning")
    return table(head, rows)


def floorplans() -> str:
    """Return the table of cores that the benches measured with and without a floorplan."""

    def runs(clock: Clock) -> str:
        clocks = [f"{run.mhz:.1f}" for run in clock.runs]
        of = f" ({', '.join(clocks)})" if len(clocks) > 1 else ""
        return f"{clock.reported_mhz:.1f}{of}"

    found = {
        **Campaign.read(BESIDE_PAPERS).measurements,
        **Campaign.read(CORES_RESULT).measurements,
    }
    listed = [*cores(), *published().core]
    rows = []
    for core in listed:
        if not core.floorplan or core.name not in found:
            continue
        free_core = next(
            one
            for one in listed
            if not one.floorplan
            and (one.design, one.device, one.recipe) == (core.design, core.device, core.recipe)
        )
        free, laid = found[free_core.name], found[core.name]
        assert free.clock is not None
        assert laid.clock is not None
        change = laid.clock.reported_mhz / free.clock.reported_mhz - 1
        rows.append(
            (
                f"`{_measured_as(core, laid)}`, `{core.device}`",
                *(
                    f"{one.area.luts:,} / {one.area.ff:,} / {one.area.block_ram}"
                    for one in (free, laid)
                ),
                runs(free.clock),
                runs(laid.clock),
                f"{100 * change:+.1f} %",
            )
        )
    area = "LUT4 / FF / block RAM"
    return table(
        (
            *("core, device", f"{area}, free", f"{area}, laid out"),
            *("MHz, free: median (seeds)", "MHz, laid out", "clock"),
        ),
        rows,
    )


SECTIONS: tuple[Section, ...] = (
    ("README.md", "measured", measured_in_short),
    ("docs/results.md", "all measured", measured),
    ("docs/whole-device.md", "whole device", whole_device),
    ("docs/peers.md", "peers", peers),
    ("docs/peers.md", "unmeasured peers", unmeasured_peers),
    ("docs/measuring.md", "papers run", papers_run),
    ("docs/measuring.md", "tool speed", tool_speed),
    ("docs/measuring.md", "floorplans", floorplans),
    ("docs/exploring.md", "pruning", pruning),
)
