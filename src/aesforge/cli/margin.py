# SPDX-License-Identifier: Apache-2.0
"""The verb `margin`."""

from __future__ import annotations

from pathlib import Path

import click

from aesforge.cli import completion
from aesforge.cli.common import (
    MOST_BLOCKS,
    MOST_SEED,
    design_argument,
    json_option,
    load_core,
    once,
    print_json,
)

_DEFAULT_BLOCKS = 640


@click.command()
@design_argument
@once(
    "--device",
    metavar="DEV",
    shell_complete=completion.ecp5_devices,
    help="An ECP5 with its speed grade, as LFE5U-25F-6.",
)
@once("--seed", type=click.IntRange(0, MOST_SEED), default=1, metavar="N", help="Of the placement.")
@once(
    "--recipe",
    metavar="NAME",
    shell_complete=completion.recipes,
    help="A synthesis recipe of the family.",
)
@once(
    "--blocks",
    type=click.IntRange(1, MOST_BLOCKS),
    metavar="N",
    help=f"Send N random blocks, each under its own key.  [default: {_DEFAULT_BLOCKS}]",
)
@once(
    "--picture",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Send a picture instead, at most 128 pixels wide, under one key.",
)
@once("--jobs", type=click.IntRange(min=1), metavar="N", help="Simulations at a time.")
@once(
    "-o",
    "--output",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Draw the curve, and the pictures if there are any, into DIR.",
)
@json_option
def margin(
    design: str,
    overrides: tuple[str, ...],
    device: str | None,
    seed: int,
    recipe: str | None,
    blocks: int | None,
    picture: Path | None,
    jobs: int | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Raise the clock of a routed core, simulated with its delays, until blocks go wrong.

    The core is placed and routed as in `aesforge measure`. The delays are nextpnr's worst case, so
    the result is the slack between the exercised paths and static timing. A real device at room
    temperature has more margin, which this simulation cannot show.
    """
    from aesforge import devices
    from aesforge.errors import UsageError
    from aesforge.research.margin import margin as raise_clock
    from aesforge.research.margin import picture_traffic, random_traffic
    from aesforge.toolchain.files import require_folder

    if device is None:
        names = (name for name, one in devices.devices().items() if one.family == "ecp5")
        raise UsageError(f"name a device with --device\ndevices: {', '.join(names)}")
    if blocks is not None and picture is not None:
        raise UsageError("--blocks and --picture exclude each other: random blocks, or a picture's")
    payload = (
        random_traffic(blocks or _DEFAULT_BLOCKS) if picture is None else picture_traffic(picture)
    )
    if output is not None:
        require_folder(output)
    outcome = raise_clock(
        load_core(design, overrides, "margin"),
        devices.device(device),
        payload,
        seed=seed,
        recipe=recipe,
        jobs=jobs,
        say=lambda text: click.echo(text, err=True),
    )
    if output is not None:
        from aesforge.research.margin.sheet import write

        for path in write(outcome, output):
            click.echo(f"wrote {path}", err=True)
    found = outcome.margin
    if as_json:
        print_json(found.as_dict())
        return
    rows = [
        ("design", f"{found.name}: {found.summary}"),
        ("device", f"{found.device}, placement seed {found.seed}"),
        ("traffic", f"{found.traffic}; {found.cycles:,} cycles a run"),
        ("reported", f"{found.reported_mhz:.2f} MHz"),
        ("longest path", f"{found.longest_ps / 1000:.3f} ns, to {found.longest}"),
        ("without error", f"up to {found.highest_mhz:.3f} MHz ({found.margin_percent:+.1f} %)"),
        ("first error", f"{found.failing_mhz:.3f} MHz"),
    ]
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        click.echo(f"{name:{width}}  {value}")
    click.echo(f"\n{'MHz':>8}  corrupt blocks")
    for point in found.curve:
        click.echo(f"{point.mhz:8.2f}  {point.corrupt:,} ({point.error_percent:.2f} %)")
