# SPDX-License-Identifier: Apache-2.0
"""The group of verbs `board`."""

from __future__ import annotations

import click

from aesforge.cli.board_run import run


@click.group()
def board() -> None:
    """Run designs on boards."""


board.add_command(run)
