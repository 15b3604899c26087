# SPDX-License-Identifier: Apache-2.0
"""The verb `describe`: a thin call of `aesforge.describe`."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import click

from aesforge.cli.common import design_argument, json_option, load_any, once, print_json
from aesforge.toolchain.files import write_whole


@click.command()
@design_argument
@json_option
@click.option("--diagram/--no-diagram", default=True, help="Draw the core under the table.")
@once("--svg", metavar="FILE", type=click.Path(path_type=Path), help="Draw the core to FILE.")
def describe(
    design: str, overrides: tuple[str, ...], as_json: bool, diagram: bool, svg: Path | None
) -> None:
    """Show a design's choices, times, sizes and a block diagram.

    D may be an engine; its core alone shows more. Latency counts the cycles from the acceptance of
    a block or beat to its output. Registers are counted bit by bit from the structure, before any
    tool optimizes them.
    """
    from aesforge.describe import describe, diagram_svg, diagram_text

    chosen = load_any(design, overrides)
    description = describe(chosen)
    if svg is not None:
        write_whole(svg, diagram_svg(chosen))
        click.echo(f"wrote {svg}", err=True)
    if as_json:
        print_json(description.as_dict())
        return
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # an old terminal may lack the box characters
    description.print_tables()
    if diagram:
        click.echo()
        click.echo(diagram_text(chosen), nl=False)
