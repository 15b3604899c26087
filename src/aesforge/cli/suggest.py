# SPDX-License-Identifier: Apache-2.0
"""The verb `suggest`: a thin call of `aesforge.explore.suggest`, and its output."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aesforge.cli import completion
from aesforge.cli.common import once, print_json
from aesforge.cli.explore import drawn_progress, print_points, refuse_both, run_options

if TYPE_CHECKING:
    from aesforge.devices import Device
    from aesforge.explore.needed import Needed
    from aesforge.explore.suggest import Suggestion


@click.command()
@once(
    "--device",
    metavar="DEV",
    shell_complete=completion.devices,
    required=True,
    help="Part and speed grade.",
)
@once("--throughput", metavar="GBPS", type=float, required=True, help="Gbit/s at the Fmax.")
@once("--key-bits", type=click.Choice(["128", "192", "256"]), default="128", help="Of the key.")
@click.option("--decrypt", is_flag=True, help="A core that decrypts; otherwise it encrypts.")
@click.option("--agile", is_flag=True, help="Any block may bring its own key.")
@click.option("--no-block-ram", is_flag=True, help="The core may not use block RAM.")
@once("--seeds", metavar="N", type=click.IntRange(1, 99), help="Placements of each core.")
@once(
    "--limit",
    metavar="N",
    type=click.IntRange(1, 10_000),
    default=6,
    help="Place at most N cores.",
)
@click.option("--no-measure", is_flag=True, help="Run no tool: answer from the database alone.")
@run_options
def suggest(
    device: str,
    throughput: float,
    key_bits: str,
    decrypt: bool,
    agile: bool,
    no_block_ram: bool,
    seeds: int | None,
    limit: int,
    no_measure: bool,
    database: Path | None,
    workers: int | None,
    cluster: str | None,
    as_json: bool,
) -> None:
    """Find the smallest core that reaches a throughput on a device.

    It answers from the database and measures missing candidates, the smallest candidates first.

    On a device without a clock (synthesis only) it says which clock the throughput needs, beside
    the device's limit.

    Exit status 1 when no core is found that reaches it; the message has the best throughput found.
    """
    from aesforge import devices
    from aesforge.explore import suggest as library
    from aesforge.explore.needed import needed_clocks
    from aesforge.explore.space import has_clock
    from aesforge.measure import Database

    refuse_both(workers, cluster)
    where = devices.device(device)
    wanted: dict[str, Any] = {
        "key_bits": int(key_bits),
        "decrypt": decrypt,
        "agile": agile,
        "block_ram": not no_block_ram,
    }
    if not has_clock(where):
        found = needed_clocks(where, throughput, **wanted)
        if as_json:
            print_json([one.as_dict() for one in found])
        else:
            _print_needed(where, throughput, found)
        if not found[0].is_legal:
            sys.exit(1)
        return
    with drawn_progress() as (progress, say):
        answer = library.suggest(
            where,
            throughput,
            Database(database),
            **wanted,
            seeds=None if seeds is None else tuple(range(1, seeds + 1)),
            measure=not no_measure,
            limit=limit,
            workers=workers,
            cluster=cluster,
            say=say,
            progress=progress,
        )
    if as_json:
        print_json(answer.as_dict())
    else:
        _print_suggestion(answer)
    if answer.best is None:
        sys.exit(1)


# More blocks per cycle than this need no more rows: the clock is no question then.
_MOST_NEEDED = 12
# Of the device's limit: a clock that a core with a few levels of logic may reach.
_EASY_SHARE = 0.25


def _print_needed(device: Device, throughput_gbps: float, found: list[Needed]) -> None:
    """Print the clocks that a throughput needs, as far as the device's limit allows them."""
    import shlex

    from aesforge.design import argv_of
    from aesforge.report.terminal import console, table

    rows = table(
        f"{throughput_gbps:g} Gbit/s on {device.name}: the clock that it needs",
        *(">blocks per cycle", ">MHz needed", "of the limit", "design, probably the smallest"),
    )
    legal = [one for one in found if one.is_legal]
    for one in legal[-_MOST_NEEDED:] or found[:1]:
        share = "not known" if one.share is None else f"{100 * one.share:.0f} %"
        limit = "" if one.cap is None else f" of {one.cap.mhz:g} MHz, {one.cap.what}"
        rows.add_row(
            f"{one.blocks_per_cycle:.3g}",
            f"{one.mhz:.1f}",
            share + limit,
            shlex.join(argv_of(one.design)),
        )
    console().print(rows)
    click.echo(
        f"{device.name} is synthesis only: no open tool tells the clock that a core reaches there"
    )
    if not legal:
        click.echo("none of these clocks is legal: build several cores side by side")
        return
    click.echo("what a design takes, and how many levels of logic it has between registers:")
    easy = [one for one in legal if one.share is None or one.share <= _EASY_SHARE]
    best = shlex.join(argv_of((easy or legal)[-1].design))
    click.echo(f"aesforge measure {best} --device {device.name} --synthesis-only")


def _print_suggestion(answer: Suggestion) -> None:
    ranked = answer.ranked()
    if not ranked:
        click.echo(answer.why_not)
        return
    best = ranked[0]
    click.echo(best.design.summary())
    click.echo()
    print_points(
        f"{answer.throughput_gbps:g} Gbit/s on {answer.device.name}, smallest first", ranked[:6]
    )
    clock = best.measurement.clock if best.measurement else None
    if clock is not None:
        runs = ", ".join(f"{run.mhz:.1f}" for run in clock.runs)
        click.echo(
            f"clock: {clock.fmax_mhz:.1f} MHz, limited by {clock.limit}; placements: {runs} MHz"
        )
    counts = answer.exploration.counts()
    if counts["not_tried"]:
        click.echo(
            f"{counts['not_tried']} of {counts['points']} candidates were not tried; they are "
            "expected to be larger, or a higher --limit tries them"
        )
    click.echo()
    for line in answer.commands():
        click.echo(line)
    click.echo()
    click.echo("the design as a file:")
    click.echo(best.design.to_toml(), nl=False)
