# SPDX-License-Identifier: Apache-2.0
"""The verb `energy`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from aesforge.energy.run import Spent


@click.command()
@design_argument
@once(
    "--device",
    metavar="DEV",
    shell_complete=completion.ecp5_devices,
    help="An ECP5 with its speed grade, as LFE5U-85F-8.",
)
@once(
    "--against",
    metavar="D2",
    shell_complete=completion.cores,
    help="Give the ratio to another core on the same device.",
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
    default=200,
    metavar="N",
    help="Count N blocks.",
)
@click.option("--one-key", is_flag=True, help="All blocks under one key, not each under its own.")
@once(
    "--traffic-seed",
    type=click.IntRange(min=0),
    default=197,
    metavar="N",
    help="Of the random blocks and keys.",
)
@json_option
def energy(
    design: str,
    overrides: tuple[str, ...],
    device: str | None,
    against: str | None,
    seed: int,
    recipe: str | None,
    blocks: int,
    one_key: bool,
    traffic_seed: int,
    as_json: bool,
) -> None:
    """Count the transitions in a routed core per block, weighted by wires and fan-out.

    The core is placed and routed as `aesforge measure` does it, and simulated with nextpnr's
    delays while random blocks go through at its full rate; glitches count. The result is relative:
    weighted transitions per block, to be set beside another core's on the same device. It is not
    in watts, and has no part for leakage.
    """
    from aesforge import devices
    from aesforge.energy.model import ratio
    from aesforge.energy.run import energy as count
    from aesforge.errors import UsageError
    from aesforge.simulate.timed.bench import require_supported

    if device is None:
        names = (name for name, one in devices.devices().items() if one.family == "ecp5")
        raise UsageError(f"on which device? Say so with --device\ndevices: {', '.join(names)}")
    where = devices.device(device)
    cores = [load_core(design, overrides, "energy")]
    if against is not None:
        cores.append(load_core(against, (), "energy"))
    for core in cores:
        require_supported(core, where)
    found = [
        count(
            core,
            where,
            seed=seed,
            recipe=recipe,
            blocks=blocks,
            keys="one" if one_key else "each",
            traffic_seed=traffic_seed,
            say=lambda text: click.echo(text, err=True),
        )
        for core in cores
    ]
    over = ratio(found[0].energy, found[1].energy) if len(found) > 1 else None
    if as_json:
        data: dict[str, Any] = found[0].as_dict()
        if over is not None:
            import msgspec

            data["against"] = found[1].as_dict()
            data["ratio"] = msgspec.to_builtins(over)
        print_json(data)
        return
    for number, one in enumerate(found):
        if number:
            click.echo()
        _print(one)
    if over is not None:
        click.echo(
            f"\n{found[0].name} spends {over.energy:.3g} times what {found[1].name} spends on a "
            f"block; with any other weights {over.low:.3g} to {over.high:.3g} times"
        )


def _print(one: Spent) -> None:
    spent, raw = one.energy, one.energy.raw
    keys = "each under a key of its own" if spent.keys == "each" else "under one key"
    shares = ", ".join(f"{name} {share:.1%}" for name, share in spent.shares.items())
    rows = [
        ("design", f"{one.name}: {one.summary}"),
        ("device", f"{one.device}, placement seed {one.seed}"),
        ("traffic", f"{spent.blocks:,} random blocks, {keys}; {spent.cycles:,} cycles"),
        (
            "energy",
            f"{spent.per_block:,.0f} weighted transitions per block, {spent.per_bit:,.1f} per bit",
        ),
        ("shares", shares),
        ("glitches", f"{spent.glitch_share:.1%} of it"),
        (
            "raw counts",
            f"per block {raw['outputs']:,.0f} at outputs of cells, {raw['tiles']:,.0f} x tiles of "
            f"wire, {raw['pins']:,.0f} x pins driven, {raw['clock']:,.0f} at clock pins",
        ),
        ("of", f"{spent.nets:,} nets and {spent.clock_pins:,} clock pins"),
    ]
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        click.echo(f"{name:{width}}  {value}")
