# SPDX-License-Identifier: Apache-2.0
"""The verb `suggest`: a thin call of `aesforge.explore.suggest`, and its output."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from aesforge.cli import completion
from aesforge.cli.common import once, print_json
from aesforge.cli.explore import drawn_progress, print_points, refuse_both, run_options

if TYPE_CHECKING:
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

    Exit status 1 when no core is found that reaches it; the message has the best throughput found.
    """
    from aesforge import devices
    from aesforge.explore import suggest as library
    from aesforge.measure import Database

    refuse_both(workers, cluster)
    with drawn_progress() as (progress, say):
        answer = library.suggest(
            devices.device(device),
            throughput,
            Database(database),
            key_bits=int(key_bits),
            decrypt=decrypt,
            agile=agile,
            block_ram=not no_block_ram,
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
