# SPDX-License-Identifier: Apache-2.0
"""The verb `trace`: a thin call of `aesforge.trace`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from aesforge.cli.common import (
    design_argument,
    json_option,
    key_options,
    load_core,
    once,
    print_json,
    warn,
)

if TYPE_CHECKING:
    from aesforge.trace import Trace


@click.command()
@design_argument
@key_options
@once("--block", metavar="HEX", help="The block in hex, 32 digits.")
@click.option("--decrypt", is_flag=True, help="Decrypt the block.")
@once(
    "--vcd",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write a waveform for GTKWave or Surfer, signals grouped by round.",
)
@json_option
def trace(
    design: str,
    overrides: tuple[str, ...],
    key: str | None,
    key_file: str | None,
    block: str | None,
    decrypt: bool,
    vcd: Path | None,
    as_json: bool,
) -> None:
    """Show every round of a block in the simulated core, beside FIPS 197.

    The values have the names of FIPS 197 Appendix C. Without a key and a block these are the
    appendix's own. Exit status 1 when the core differs; the first difference is named.
    """
    from aesforge.bundle.vectors import VECTORS
    from aesforge.crypt.keys import choose_key, parse_block
    from aesforge.trace import require_traceable, trace_block

    chosen = load_core(design, overrides, "trace")
    require_traceable(chosen)  # before a key is asked for
    example = VECTORS[chosen.key_bits][0]
    if key is None and key_file is None:
        key = example.key
    if block is None:
        block = example.ciphertext if decrypt else example.plaintext
    key_bytes, data = choose_key(key, key_file, chosen.key_bits), parse_block(block)
    warn(chosen)
    found = trace_block(chosen, key_bytes, data, decrypt=decrypt, wave=vcd)
    if vcd is not None:
        click.echo(f"wrote {vcd}", err=True)
    if as_json:
        print_json(found.as_dict())
    else:
        _print(found)
    if found.first_wrong is not None:
        sys.exit(1)


def _print(found: Trace) -> None:
    click.echo(f"{'round':>5}  {'value':7}  {'cycle':>5}  {'core':32}  FIPS 197")
    before = 0
    for value in found.values:
        if value.round != before:
            click.echo()
        before = value.round
        reference = "the same" if value.is_right else f"{value.reference.hex()}  <- differs"
        click.echo(
            f"{value.round:5}  {value.name:7}  {value.cycle:5}  {value.core.hex()}  {reference}"
        )
    wrong = found.first_wrong
    click.echo()
    if wrong is None:
        click.echo("all values are those of FIPS 197")
    else:
        click.echo(f"the first difference: round {wrong.round}, {wrong.name}, cycle {wrong.cycle}")
