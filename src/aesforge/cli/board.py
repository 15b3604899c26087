# SPDX-License-Identifier: Apache-2.0
"""The verb `board`: a thin call of `aesforge.board`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from aesforge.cli import completion
from aesforge.cli.board_run import run
from aesforge.cli.common import (
    Number,
    folder_options,
    json_option,
    load_any,
    once,
    overrides_option,
    print_json,
)


class Boards(click.Group):
    """A group in which the name of a board stands for building it."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; what is none is the name of a board."""
        if args[0] in self.commands or args[0].startswith("-"):
            return super().resolve_command(ctx, args)
        return "build", self.commands["build"], args


@click.group(cls=Boards, invoke_without_command=True)
@click.pass_context
def board(ctx: click.Context) -> None:
    """Build the bitstream of a board, `aesforge board NAME -o DIR`, or use one.

    Without a name, the boards are listed. Nothing here ran on silicon: bitstreams are simulated,
    placed and routed.
    """
    if ctx.invoked_subcommand is None:
        _list(as_json=False)


@board.command("list")
@json_option
def list_boards(as_json: bool) -> None:
    """List the boards and their parts."""
    _list(as_json)


def _list(as_json: bool) -> None:
    from aesforge.board.data import boards

    if as_json:
        import msgspec

        print_json([msgspec.to_builtins(one) for one in boards().values()])
        return
    width = max(map(len, boards()))
    for name, one in boards().items():
        click.echo(f"{name:{width}}  {one.title}; self-test of {one.design}")


@board.command()
@click.argument("name", metavar="NAME", shell_complete=completion.boards)
@once(
    "--design",
    metavar="D",
    shell_complete=completion.designs,
    help="The core under test, or the engine of the service; board or application have a default.",
)
@overrides_option
@once(
    "--reference",
    metavar="D",
    shell_complete=completion.cores,
    help="The core that decrypts beside it; by default the same design, or the smallest where two "
    "do not fit.",
)
@once(
    "--app",
    "application",
    metavar="APP",
    default="selftest",
    shell_complete=completion.applications,
    help="What runs on the board.",
)
@once(
    "--mhz",
    type=Number(0, min_open=True),
    metavar="MHZ",
    help="The clock, or the next one below that the PLL makes; by default the highest that "
    "placement meets.",
)
@folder_options
@click.option("--sources-only", is_flag=True, help="Write the files and call no tool.")
@json_option
def build(
    name: str,
    design: str | None,
    overrides: tuple[str, ...],
    reference: str | None,
    application: str,
    mhz: float | None,
    output: Path,
    force: bool,
    sources_only: bool,
    as_json: bool,
) -> None:
    """Write a board's sources, constraints and script, and build its bitstream.

    The application selftest encrypts 2^32 blocks, decrypts them again and compares; LEDs and a UART
    tell the rate and the errors. The application uart is an engine that `aesforge board run` sends
    files through. `aesforge board NAME ...` is the same. NAME may be a .toml file like those in
    boards/. The exit status is 1 when the clock is not met.
    """
    from aesforge.board.build import build as build_board
    from aesforge.board.build import default_design, project
    from aesforge.board.data import board as find
    from aesforge.bundle.files import write_bundle

    one = find(name)
    chosen = load_any(design, overrides) if design else default_design(one, application, overrides)
    if reference is None and design is None and application == "selftest":
        reference = one.reference
    first = project(one, chosen, application, mhz=mhz, reference=reference)
    if sources_only:
        write_bundle(first.files, output, force=force)
        click.echo(str(output))
        return
    smaller = None
    if reference is None and application == "selftest" and first.cores.decrypt is not None:
        smaller = project(one, chosen, application, mhz=mhz, small=True)
    built = build_board(
        first,
        output,
        smaller=smaller,
        search=mhz is None,
        force=force,
        say=lambda text: click.echo(text, err=True),
    )
    load = built.project.load_command(output)
    if as_json:
        print_json(
            {
                "board": one.name,
                "bitstream": str(output / built.project.bitstream),
                "load": load,
                "clock_mhz": built.project.setting.mhz,
                **_figures(built),
            }
        )
        return
    click.echo(
        f"{one.title}: clock {built.project.setting.mhz:g} MHz, Fmax {built.fmax_mhz:.2f} MHz; "
        f"{built.luts:,} look-up tables, {built.ff:,} flip-flops, {built.block_ram:,} block RAM; "
        f"{built.seconds:.0f} s",
        err=True,
    )
    timing = one.on.part.timing
    for warning in timing.warnings + (timing.block_ram_warnings if built.block_ram else []):
        click.echo(f"aesforge: warning: {warning}", err=True)
    click.echo(f"load it: {load}", err=True)
    click.echo(str(output / built.project.bitstream))


def _figures(built: Any) -> dict[str, Any]:
    return {
        "fmax_mhz": round(built.fmax_mhz, 2),
        "luts": built.luts,
        "ff": built.ff,
        "block_ram": built.block_ram,
        "seconds": round(built.seconds, 1),
        "cpu_seconds": round(built.cpu_seconds, 1),
        "tools": built.tools,
    }


board.add_command(run)
