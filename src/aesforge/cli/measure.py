# SPDX-License-Identifier: Apache-2.0
"""The verb `measure`: a thin call of `aesforge.measure`."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aesforge.cli import completion
from aesforge.cli.common import (
    MOST_SEED,
    Number,
    database_option,
    json_option,
    key_value_pairs,
    load_any,
    once,
    overrides_option,
    print_json,
)

if TYPE_CHECKING:
    from aesforge.measure import Database
    from aesforge.measure.placement import Watch


Say = Callable[[str], None]


@contextlib.contextmanager
def placement_progress(
    database: Database, family: str
) -> Iterator[tuple[Say, Callable[[int, int], Watch] | None]]:
    """Return how to say a line, and what watches a placement: a line for each, where someone looks.

    Args:
        database: of earlier measurements, for the time that one usually takes.
        family: of the device.
    """
    if not sys.stderr.isatty():
        yield (lambda text: click.echo(text, err=True)), None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn

    from aesforge.measure.progress import Step, usual_seconds, watched

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=Console(stderr=True), transient=True) as lines:

        def watch(seed: int, luts: int) -> Watch:
            usual = usual_seconds(database.all(), family, luts)
            about = "" if usual is None else f", usually {minutes(usual)}"

            @contextlib.contextmanager
            def watching(log: Path) -> Iterator[None]:
                task = lines.add_task(f"seed {seed}")

                def tell(step: Step, seconds: float) -> None:
                    detail = f" ({step.detail})" if step.detail else ""
                    text = f"seed {seed}: {step.phase}{detail}, {minutes(seconds)} so far{about}"
                    lines.update(task, description=text)

                try:
                    with watched(log, tell):
                        yield
                finally:
                    lines.remove_task(task)

            return watching

        yield (lambda text: lines.console.print(text, markup=False, highlight=False)), watch


def minutes(seconds: float) -> str:
    """Return a time as minutes and seconds."""
    whole = round(seconds)
    return f"{whole // 60}:{whole % 60:02} min"


@click.command()
@click.argument("design", metavar="[D]", required=False, shell_complete=completion.designs)
@overrides_option
@once(
    "--device",
    metavar="DEV",
    shell_complete=completion.devices,
    help="Part and speed grade; `aesforge devices` lists them.",
)
@once(
    "--seeds",
    type=click.IntRange(1, 99),
    metavar="N",
    help="Place with the seeds 1 to N; the clock is the median.  [default: 3]",
)
@click.option(
    "--seed",
    "chosen_seeds",
    type=click.IntRange(0, MOST_SEED),
    multiple=True,
    help="Place with this seed.",
)
@once(
    "--recipe",
    metavar="NAME",
    shell_complete=completion.recipes,
    help="A synthesis recipe of the family.",
)
@click.option(
    "--floorplan",
    is_flag=True,
    help="Place each round's state registers along the data flow (ECP5).",
)
@click.option(
    "--energy",
    is_flag=True,
    help="Simulate each routed core, and count weighted transitions per block (ECP5).",
)
@once(
    "--routed-for",
    metavar="DEV",
    shell_complete=completion.devices,
    help="Time what was placed and routed for DEV, another grade of the part (ECP5).",
)
@click.option("--synthesis-only", is_flag=True, help="Area and depth only; no clock.")
@once("--jobs", type=click.IntRange(min=1), metavar="N", help="Placements at a time.")
@click.option("--force", is_flag=True, help="Measure again what the database has.")
@database_option
@click.option(
    "--rtl",
    metavar="FILE",
    type=click.Path(path_type=Path),
    multiple=True,
    help="Measure a foreign core instead: a source, in order; may be repeated.",
)
@once("--top", metavar="MODULE", help="The foreign core's module.")
@click.option(
    "--ports",
    metavar="ROLE=PORT,...",
    multiple=True,
    help="The foreign core's ports: clock, block, key and result; for --vectors also reset or "
    "reset_n, start and done, load and ready.",
)
@click.option("--tie", "ties", metavar="PORT=VALUE", multiple=True, help="Keep an input constant.")
@click.option(
    "--parameter", "parameters", metavar="NAME=VALUE", multiple=True, help="Of the foreign core."
)
@once("--latency", type=click.IntRange(min=0), metavar="CYCLES", help="The foreign core's latency.")
@once(
    "--interval",
    type=Number(0, min_open=True),
    metavar="CYCLES",
    help="Cycles from block to block in the foreign core.",
)
@once(
    "--vectors",
    type=click.Choice(["128", "192", "256"]),
    metavar="BITS",
    help="First send the published vectors for keys of BITS through the foreign core, in "
    "simulation.",
)
@click.option(
    "--drive",
    "drives",
    metavar="PORT=VALUE",
    multiple=True,
    help="With --vectors: an input of the simulated core that is not 0.",
)
@click.option(
    "--part",
    is_flag=True,
    help="It is part of a cipher: a bit of the result need not depend on a whole block.",
)
@json_option
def measure(
    design: str | None,
    overrides: tuple[str, ...],
    device: str | None,
    seeds: int | None,
    chosen_seeds: tuple[int, ...],
    recipe: str | None,
    floorplan: bool,
    energy: bool,
    routed_for: str | None,
    synthesis_only: bool,
    jobs: int | None,
    force: bool,
    database: Path | None,
    rtl: tuple[Path, ...],
    top: str | None,
    ports: tuple[str, ...],
    ties: tuple[str, ...],
    parameters: tuple[str, ...],
    latency: int | None,
    interval: float | None,
    vectors: str | None,
    drives: tuple[str, ...],
    part: bool,
    as_json: bool,
) -> None:
    """Place and route a core or an engine on a device: LUTs, flip-flops, Fmax, throughput.

    A harness of shift registers surrounds it, so that no pin limits the clock. The output has the
    tool's reported clock, and the Fmax, which is capped by the data sheet. The database keeps
    results: nothing is measured twice, and an interrupted run continues where it stopped.

    A foreign core is measured in the same way: --rtl core.v --top core --ports
    clock=clk,block=state,key=key,result=out. Without --recipe it is measured by every recipe of the
    family, and the best is shown. With --vectors it is not measured if a block is wrong.
    """
    from aesforge import devices
    from aesforge.errors import UsageError
    from aesforge.measure import SEEDS, Database, Target, estimate
    from aesforge.measure import measure as place_and_route
    from aesforge.measure.show import short_text

    if device is None:
        raise UsageError(f"name a device with --device\ndevices: {', '.join(devices.devices())}")
    where = devices.device(device)
    foreign_only = {
        "--top": top,
        "--ports": ports,
        "--tie": ties,
        "--parameter": parameters,
        "--latency": latency,
        "--interval": interval,
        "--vectors": vectors,
        "--drive": drives,
        "--part": part,
    }
    if rtl:
        if floorplan:
            raise UsageError("--floorplan knows the rounds of our cores only: leave it out")
        if design is not None or overrides:
            raise UsageError("name a design D or a foreign core with --rtl, not both")
        if top is None:
            raise UsageError("which module is the foreign core? Say so with --top")
        target = Target.of_rtl(
            rtl,
            top,
            key_value_pairs("--ports", ports, numbers=False),
            parameters=key_value_pairs("--parameter", parameters, numbers=True),
            ties=key_value_pairs("--tie", ties, numbers=True),
            latency_cycles=latency,
            blocks_per_cycle=None if interval is None else 1 / interval,
            is_cipher=not part,
        )
    else:
        for option, value in foreign_only.items():
            if value:
                raise UsageError(f"{option} is for a foreign core: it goes with --rtl")
        if design is None:
            raise UsageError("name a design D (see `aesforge presets`), or a foreign core: --rtl")
        target = Target.of(load_any(design, overrides))
    if seeds is not None and chosen_seeds:
        raise UsageError("--seeds N and --seed S exclude each other: how many, or which")
    if synthesis_only and (seeds is not None or chosen_seeds):
        raise UsageError("--synthesis-only places nothing: leave --seeds and --seed out")
    if synthesis_only and floorplan:
        raise UsageError("--synthesis-only places nothing: leave --floorplan out")
    if synthesis_only and energy:
        raise UsageError("--synthesis-only routes nothing to simulate: leave --energy out")
    if synthesis_only and routed_for:
        raise UsageError("--synthesis-only routes nothing to time: leave --routed-for out")
    numbers = chosen_seeds or (tuple(range(1, seeds + 1)) if seeds else SEEDS)

    if drives and not vectors:
        raise UsageError("--drive is for the simulation: it goes with --vectors")
    driven = key_value_pairs("--drive", drives, numbers=True)
    known = Database(database)
    with placement_progress(known, where.family) as (say, watch):
        common: dict[str, Any] = {"database": known, "force": force, "say": say}
        placed: dict[str, Any] = {"floorplan": floorplan, "parallel": jobs, "watch": watch}
        placed["routed_for"] = devices.device(routed_for) if routed_for else None
        if vectors:
            from aesforge.measure.vectors import check_vectors

            checked = check_vectors(target, where, int(vectors), driven)
            low = ", byte 0 in bits 7 to 0" if checked.byte_0_low else ""
            say(f"{target.name}: {checked.blocks:,} blocks of the published vectors are right{low}")
        if rtl and recipe is None:
            from aesforge.measure.recipes import by_every_recipe

            common |= {"seeds": ()} if synthesis_only else {"seeds": numbers} | placed
            (result, *others), failed = by_every_recipe(target, where, **common)
            for one in (result, *others):
                say(f"{target.name}: recipe {one.provenance.recipe}: {short_text(one)}")
            for name, why in failed.items():
                say(f"{target.name}: recipe {name}: {why}")
        elif synthesis_only:
            result = estimate(target, where, recipe=recipe, **common)
        else:
            common |= placed | {"recipe": recipe, "energy": energy}
            result = place_and_route(target, where, seeds=numbers, **common)
    if as_json:
        print_json(result.as_dict())
        return
    from aesforge.measure.show import print_measurement

    print_measurement(result)
