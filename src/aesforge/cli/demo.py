# SPDX-License-Identifier: Apache-2.0
"""The verb `demo`: a thin call of `aesforge.research.demo`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from aesforge.cli import completion
from aesforge.cli.common import load_core, once, overrides_option


@click.command()
@click.argument("design", metavar="[D]", default="line-rate", shell_complete=completion.designs)
@overrides_option
@once(
    "--picture",
    metavar="FILE",
    type=click.Path(path_type=Path),
    default=Path("examples/picture/lake.png"),
    help="The picture.",
)
@once(
    "-o",
    "--output",
    metavar="DIR",
    type=click.Path(path_type=Path),
    default=Path("build/demo"),
    help="Write pictures, ciphertext and the cores' sources to DIR.",
)
def demo(design: str, overrides: tuple[str, ...], picture: Path, output: Path) -> None:
    """Send a picture through simulated cores and compare every block with OpenSSL.

    D is the encrypting core, line-rate if none is named. The picture is encrypted in ECB, which
    shows its outlines, and in CTR, and decrypted by a second core. Then a GCM engine gets its
    ciphertext with one bit changed, and has to refuse it. Exit status 1 when a block is wrong, or
    nothing was refused.
    """
    from aesforge.research.demo import demo as run

    def say(line: str) -> None:
        click.echo(line, err=True)

    report = run(load_core(design, overrides, "demo"), picture, output, say=say)
    say("")
    click.echo(report.text())
    for passage in report.passages:
        if passage.first_wrong:
            say(f"aesforge: {passage.first_wrong}")
    if report.wrong or not report.refused:
        sys.exit(1)
