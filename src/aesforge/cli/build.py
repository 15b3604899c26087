# SPDX-License-Identifier: Apache-2.0
"""The verb `build`: a thin call of `aesforge.bundle`."""

from __future__ import annotations

from pathlib import Path

import click

from aesforge.cli.common import (
    design_argument,
    folder_options,
    json_option,
    load_any,
    once,
    print_json,
    warn,
)


@click.command()
@design_argument
@folder_options
@once(
    "--single-file",
    type=click.Choice(["verilog"]),
    help="Write the whole core as one file of plain Verilog too, for tools without SystemVerilog.",
)
@json_option
def build(
    design: str,
    overrides: tuple[str, ...],
    output: Path,
    force: bool,
    single_file: str | None,
    as_json: bool,
) -> None:
    """Write a core or an engine as a bundle that drops into a project.

    The bundle holds the RTL with its file list in order, a wrapper with the design's parameters
    fixed, a self-checking test bench, a README with the ports and a worked vector, VHDL, IP-XACT,
    files for FuseSoC, Bender, LiteX and Amaranth, and scripts for Yosys, Vivado, Quartus, Radiant
    and Diamond. The wrapper of an engine has AXI4-Stream ports; with contexts = csr there are
    drivers in C and Python.
    """
    from aesforge.bundle import build

    chosen = load_any(design, overrides)
    paths = build(chosen, output, force=force, single_file=single_file is not None)
    warn(chosen)
    if as_json:
        print_json(
            {"design": chosen.name, "directory": str(output), "files": list(map(str, paths))}
        )
        return
    click.echo(f"{chosen.name}: {chosen.summary()}", err=True)
    click.echo(f"wrote {len(paths)} files; start with {output / 'README.md'}", err=True)
    click.echo(str(output))
