# SPDX-License-Identifier: Apache-2.0
"""The verb `devices`: what a core can be measured on."""

from __future__ import annotations

import click

from aesforge.cli.common import json_option, print_json


@click.command()
@json_option
def devices(as_json: bool) -> None:
    """List the devices a core can be measured on, with their Fmax caps."""
    import msgspec

    from aesforge.devices import devices as known

    if as_json:
        print_json([{"name": name, **msgspec.to_builtins(d)} for name, d in known().items()])
        return
    width = max(map(len, known()))
    for name, one in known().items():
        room = one.part.capacity
        caps = ", ".join(
            f"{cap.what} {cap.mhz:g} MHz{'' if cap.verified else ' (not verified)'}"
            for cap in one.grade.caps
        )
        flow = "" if one.part.flow == "place" else "synthesis only; "
        click.echo(
            f"{name:{width}}  {one.part.vendor}; {flow}{room.luts:,} LUT{one.part.lut_inputs}, "
            f"{room.block_ram:,} block RAM; {caps or 'no data-sheet cap known'}"
        )
