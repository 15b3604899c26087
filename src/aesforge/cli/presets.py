# SPDX-License-Identifier: Apache-2.0
"""The verb `presets`: the ready-made designs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from aesforge.cli.common import json_option, print_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aesforge.design import Design
    from aesforge.design.engine import Engine


@click.command()
@json_option
def presets(as_json: bool) -> None:
    """List the ready-made designs: our own, engines, then the systems of each paper."""
    from aesforge.design.presets import (
        ENGINE_SUMMARIES,
        ENGINES,
        GROUP_OF,
        GROUPS,
        PRESETS,
        SUMMARIES,
    )

    if as_json:
        from aesforge.describe import describe

        every: list[Design | Engine] = [*PRESETS.values(), *ENGINES.values()]
        print_json([describe(one).as_dict() for one in every])
        return

    def show(title: str, found: Mapping[str, Design | Engine], words: Mapping[str, str]) -> None:
        click.echo(f"{title}:")
        for name, one in found.items():
            click.echo(f"  {name}: {words[name]}")
            click.echo(f"    {one.summary()}")

    for group in GROUPS:
        cores = {name: one for name, one in PRESETS.items() if GROUP_OF[name] == group}
        show(group, cores, SUMMARIES)
        if group == GROUPS[0]:
            show(
                "engines, cores with modes of operation with AXI4-Stream interfaces",
                ENGINES,
                ENGINE_SUMMARIES,
            )
