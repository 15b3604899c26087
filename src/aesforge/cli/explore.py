# SPDX-License-Identifier: Apache-2.0
"""The verb `explore`: a thin call of `aesforge.explore`, and its output."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aesforge.cli import completion
from aesforge.cli.common import database_option, json_option, once, print_json

if TYPE_CHECKING:
    from aesforge.explore.search import Exploration, Point, Progress


def run_options(function: Any) -> Any:
    """Add what says where results lie and who works."""
    options = (
        database_option,
        once(
            "--workers",
            metavar="N",
            type=click.IntRange(1, 1024),
            help="Processes on this machine; otherwise one for each core, fewer where memory is "
            "short (a large core takes 2 GB).",
        ),
        once(
            "--cluster",
            metavar="tcp://HOST:PORT",
            help="Work on a Dask cluster whose workers have this aesforge.",
        ),
        json_option,
    )
    for option in reversed(options):
        function = option(function)
    return function


@click.command()
@click.argument("space", metavar="SPACE", shell_complete=completion.spaces)
@click.option(
    "--exhaustive", is_flag=True, help="Place every point, also those that cannot be the answer."
)
@click.option("--force", is_flag=True, help="Measure again what the database has.")
@run_options
def explore(
    space: str,
    exhaustive: bool,
    force: bool,
    database: Path | None,
    workers: int | None,
    cluster: str | None,
    as_json: bool,
) -> None:
    """Measure many designs, and show the Pareto front.

    SPACE is a TOML file with values for each choice, devices and constraints, or the name of a
    shipped one: quick, full. A failed point is reported, and the rest continues. After an
    interrupt the same command continues where it stopped.

    Exit status 1 when no point meets the constraints.
    """
    from aesforge.explore import search
    from aesforge.explore.space import read_space
    from aesforge.measure import Database

    refuse_both(workers, cluster)
    asked = read_space(space)
    with drawn_progress() as (progress, say):
        found = search.explore(
            asked,
            Database(database),
            workers=workers,
            cluster=cluster,
            exhaustive=exhaustive,
            force=force,
            say=say,
            progress=progress,
        )
    if as_json:
        print_json(found.as_dict())
    else:
        _print_exploration(found)
    if not found.feasible():
        sys.exit(1)


def refuse_both(workers: int | None, cluster: str | None) -> None:
    """Refuse workers of this machine and a cluster at a time."""
    if workers is not None and cluster is not None:
        raise click.UsageError(
            "--workers and --cluster exclude each other: the cluster has its own"
        )


# --- While it runs ------------------------------------------------------------------------------


@contextlib.contextmanager
def drawn_progress() -> Iterator[tuple[Callable[[Progress], None] | None, Callable[[str], None]]]:
    """Return a function that draws how far an exploration is, and one that prints a line."""
    if not sys.stderr.isatty():
        yield None, lambda line: click.echo(f"aesforge: {line}", err=True)
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    # Jobs take minutes: estimate the time left from all of them, not the last half minute.
    bars = Bars(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
        TextColumn("{task.fields[note]}"),
        console=Console(stderr=True),
        speed_estimate_period=7 * 24 * 3600.0,
        transient=True,
    )
    with bars:
        synthesis = bars.add_task("synthesize", total=None, note="start the workers")
        placement = bars.add_task("place and route", total=None, note="", visible=False)

        def update(state: Progress) -> None:
            notes = [f"{state.pruned} pruned"] if state.pruned else []
            notes += [f"{state.failed} failed"] if state.failed else []
            bars.update(
                synthesis,
                completed=state.estimated,
                total=state.to_estimate,
                visible=state.to_estimate > 0,
                note="",
            )
            bars.update(
                placement,
                completed=state.measured,
                total=state.to_measure,
                visible=state.to_measure > 0,
                note=", ".join(notes),
            )

        yield update, lambda line: bars.console.print(escape(line), highlight=False)


# --- What came of it ----------------------------------------------------------------------------


_COLUMNS = ("Gbit/s", "MHz", "LUT", "FF", "block RAM", "depth", "cycles", "Mbit/s per LUT")
# Only where it was counted.
_ENERGY = "energy per block"


def _row(point: Point) -> list[str]:
    values = point.values

    def number(name: str, form: str) -> str:
        return format(values[name], form) if name in values else "-"

    return [
        point.design.name,
        number("throughput_gbps", ".4g"),
        number("mhz", ".1f"),
        number("lut", ",.0f"),
        number("ff", ",.0f"),
        number("block_ram", ",.0f"),
        number("depth", ".0f"),
        number("latency_cycles", ".0f"),
        number("mbps_per_lut", ".3g"),
    ]


def _warnings(points: list[Point]) -> list[str]:
    """Return the notes on the numbers, each once."""
    found = [
        warning
        for point in points
        if point.measurement is not None
        for warning in point.measurement.warnings
    ]
    return list(dict.fromkeys(found))


def print_points(title: str, points: list[Point]) -> None:
    """Print points as a table, with notes on the numbers."""
    from aesforge.explore.figures import ENERGY
    from aesforge.report.terminal import console, table

    spent = [point.values.get(ENERGY) for point in points]
    columns = _COLUMNS if spent.count(None) == len(spent) else (*_COLUMNS, _ENERGY)
    new = table(title, "design", *(f">{name}" for name in columns))
    for point, energy in zip(points, spent, strict=True):
        shown = "-" if energy is None else f"{energy:,.0f}"
        new.add_row(*[*_row(point), shown][: 1 + len(columns)])
    console().print(new)
    for warning in _warnings(points):
        click.echo(f"note: {warning}")


def _print_exploration(found: Exploration) -> None:
    from aesforge.explore.figures import FIGURES

    for points in found.fronts().values():
        first = points[0]
        keys = (
            "a key with every block"
            if first.design.is_agile
            else (f"{first.design.key_slots} stored keys")
        )
        print_points(
            f"{first.device.name}: AES-{first.design.key_bits} {first.design.direction}, {keys}",
            points,
        )
        for point in points:
            click.echo(f"{point.design.name}: {point.command}")
        click.echo()
    objectives = ", ".join(
        f"{FIGURES[name].better}est {name}".replace("lowest", "least").replace("highest", "most")
        for name in found.space.objectives
    )
    if found.feasible():
        click.echo(f"shown: the Pareto front in {objectives}")
    else:
        met = "; ".join(map(str, found.space.constraints))
        click.echo(f"no point meets the constraints{': ' + met if met else ''}")
    for line in _count_lines(found):
        click.echo(line)


def _count_lines(found: Exploration) -> list[str]:
    counts = found.counts()
    names = {
        "measured": "measured now",
        "from_database": "from the database",
        "pruned": "pruned",
        "does_not_fit": "do not fit",
        "failed": "failed",
        "not_tried": "not tried",
    }
    shown = ", ".join(f"{counts[key]:,} {words}" for key, words in names.items() if counts[key])
    lines = [f"{counts['points']:,} points: {shown}"]
    if counts["illegal"]:
        lines.append(f"{counts['illegal']:,} combinations cannot be built:")
        lines += [f"  {times:,} times: {why}" for why, times in found.illegal.most_common(3)]
        more = len(found.illegal) - 3
        lines += [f"  and for {more} more reasons (--json has all)"] if more > 0 else []
    if counts["pruned"]:
        lines.append("pruned without placement:")
        lines += [f"  {times:,} times: {why}" for why, times in found.why_pruned().most_common()]
    failed = [point for point in found.points if point.state == "failed"]
    for point in failed:
        lines.append(f"failed: {point.design.name} on {point.device.name}: {point.reason}")
    return lines
