# SPDX-License-Identifier: Apache-2.0
"""Print a measurement for people."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from aesforge.measure.record import Clock, CriticalPath, Measurement
from aesforge.netlist.cells import Area
from aesforge.report.terminal import console, table


def print_measurement(measurement: Measurement) -> None:
    """Print a measurement as tables on standard output."""
    out = console()
    subject = measurement.subject
    out.print(Text(f"{subject.name} on {measurement.device}", style="bold"))
    out.print(Text(subject.summary))
    out.print()
    figures = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    figures.add_column(style="dim", no_wrap=True)
    figures.add_column()
    for name, text in _figures(measurement):
        figures.add_row(name, Text(text))
    out.print(figures)
    if measurement.critical_path is not None:
        out.print()
        out.print(_path_table(measurement.critical_path))
    out.print()
    out.print(_depth_table(measurement))
    for warning in measurement.warnings:
        out.print(Text(f"note: {warning}", style="yellow"))
    out.print(Text(f"again: {measurement.provenance.command}", style="dim"))


def short_text(measurement: Measurement) -> str:
    """Return size and speed of a core in a few words."""
    area, clock = measurement.area, measurement.clock
    words = f"{area.luts:,} LUT, {area.ff:,} FF"
    if clock is not None:
        words += f", {clock.fmax_mhz:.1f} MHz"
    if measurement.throughput_gbps is not None:
        words += f", {measurement.throughput_gbps:.2f} Gbps"
    return words


def _figures(measurement: Measurement) -> Iterator[tuple[str, str]]:
    subject, clock = measurement.subject, measurement.clock
    schedules, round_keys = measurement.schedules_per_second, measurement.round_keys_per_second
    if clock is not None and schedules is not None and round_keys is not None:
        yield (
            "rate",
            f"{schedules / 1e6:.2f} million key schedules per second at the Fmax, "
            f"{round_keys / 1e6:.1f} million round keys",
        )
        yield (
            "as the paper",
            f"{measurement.kiran_gbps:.2f} Gbps, 128 bits x the reported clock: what Kiran and "
            "Kanavi call throughput, no rate of data",
        )
        yield "clock", clock_text(clock)
    elif clock is not None:
        gbps, density = measurement.throughput_gbps, measurement.mbps_per_lut
        if gbps is None or density is None:
            yield "throughput", "not known: say how often the core takes a block (--interval)"
        else:
            yield "throughput", f"{gbps:.2f} Gbps at the Fmax, {density:.2f} Mbps per LUT"
        yield "clock", clock_text(clock)
    if subject.latency_cycles is not None:
        interval = subject.interval_cycles
        what = "key" if subject.is_key_expansion else "block"
        every = f", a {what} every {interval:.4g} cycles" if interval else ""
        if interval is not None and interval <= 1:
            count = f"{1 / interval:.4g}"
            every = f", {count} {what}{'s' if count != '1' else ''} every cycle"
        yield "latency", f"{subject.latency_cycles} cycles{every}"
    yield "area", area_text(measurement.area)
    if clock is not None and measurement.energy_per_block is not None:
        yield "energy", energy_text(measurement.energy_per_block, clock)
    tools = ", ".join(f"{name} {version}" for name, version in measurement.provenance.tools.items())
    provenance = measurement.provenance
    yield "made by", f"{tools}; recipe {provenance.recipe}; aesforge {provenance.commit}"
    yield "took", f"{provenance.seconds:.0f} s of tool time, {provenance.date}"


def clock_text(clock: Clock) -> str:
    """Return a clock in a line: legal, reported, the cap with its source, and which limits."""
    runs = ", ".join(f"{run.mhz:.1f}" for run in clock.runs)
    seeds = f"median of {len(clock.runs)} seeds: {runs}" if len(clock.runs) > 1 else "one seed"
    if clock.cap is None:
        cap = "no data-sheet cap known"
    else:
        doubt = "" if clock.cap.verified else ", not verified"
        cap = f"cap {clock.cap.mhz:g} MHz ({clock.cap.what}: {clock.cap.source}{doubt})"
    return (
        f"{clock.fmax_mhz:.1f} MHz legal; reported {clock.reported_mhz:.1f} MHz ({seeds}); "
        f"{cap}; limited by {clock.limit}"
    )


def energy_text(per_block: float, clock: Clock) -> str:
    """Return an energy in a line: relative, with its shares in the first run."""
    runs = [run.energy for run in clock.runs if run.energy is not None]
    each = ", ".join(f"{one.per_block:,.0f}" for one in runs)
    seeds = f" (median of {len(runs)} seeds: {each})" if len(runs) > 1 else ""
    shares = ", ".join(f"{name} {share:.0%}" for name, share in runs[0].shares.items())
    return (
        f"{per_block:,.0f} weighted transitions per block{seeds}: {shares}; "
        f"glitches {runs[0].glitch_share:.0%} of it"
    )


def area_text(area: Area) -> str:
    """Return an area in a line."""
    parts = []
    if area.lut4 is not None:
        parts.append(f"{area.lut4:,} LUT4")
    if area.lut6 is not None:
        parts.append(f"{area.lut6:,} LUT6")
    for number, name in (
        (area.lut_ram, "of them as RAM"),
        (area.wide_mux, "wide muxes"),
        (area.ff, "FF"),
        (area.block_ram, "block RAM"),
    ):
        if number:
            parts.append(f"{number:,} {name}")
    return ", ".join(parts)


def _path_table(path: CriticalPath) -> Table:
    new = table(
        f"critical path: {path.ns:.2f} ns, {path.wire_share:.0%} wires",
        "where",
        ">LUTs",
        ">logic ns",
        ">wires ns",
    )
    for where, group in itertools.groupby(path.hops, key=lambda hop: hop.where):
        hops = list(group)
        wires = sum(hop.ns for hop in hops if hop.kind == "wire")
        new.add_row(
            where,
            str(sum(hop.kind == "logic" for hop in hops)),
            f"{sum(hop.ns for hop in hops) - wires:.2f}",
            f"{wires:.2f}",
        )
    return new


def _depth_table(measurement: Measurement) -> Table:
    new = table(
        "levels of look-up tables, by the register they end in",
        "register",
        ">depth",
        ">flip-flops",
    )
    for stage in measurement.depth:
        new.add_row(stage.stage, str(stage.depth), f"{stage.registers:,}")
    return new
