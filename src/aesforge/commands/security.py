# SPDX-License-Identifier: Apache-2.0
"""The verb that attacks the research key schemes."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from aesforge.commands.common import json_option, once, print_json, progress_bar
from aesforge.commands.report import must_be_writable, write_whole

QUICK_KEYS = 10


@click.command()
@once("--seed", type=click.IntRange(min=0), default=1, metavar="N", help="Of all random choices.")
@click.option(
    "--quick",
    is_flag=True,
    help="Half a minute: fewer keys, and only the smallest cipher is searched whole.",
)
@once(
    "-j",
    "--processes",
    type=click.IntRange(min=1),
    default=1,
    metavar="N",
    help="How many searches run at a time.",
)
@once(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the result to FILE as JSON.",
)
@json_option
def security(seed: int, quick: bool, processes: int, output: Path | None, as_json: bool) -> None:
    """Attack the key schemes hu2009 and liu2014, and show what they are worth.

    Liu, Xu and Yuan (2014) say that their key expansion makes a key up to 2^361 times harder to
    find. Every attack is carried out: the state of 64 bits, the seed key from one leaked round
    key, related keys, and the search for the key, in full on ciphers with smaller cells, where it
    is tried on the key schedule of FIPS 197 too. A C++ compiler is needed. Exit status 1 when an
    experiment does not come out as expected.
    """
    import msgspec

    from aesforge.security import evaluate, print_evaluation

    if output is not None:
        must_be_writable(output)
    words = ["aesforge", "security", "--seed", str(seed)]
    options: dict[str, int] = {}
    if quick:
        words.append("--quick")
        options["keys"] = QUICK_KEYS
    if output is not None:
        words += ["-o", str(output)]
    with progress_bar("search", "states") as progress:
        evaluation = evaluate(
            seed=seed,
            searches={3: 1} if quick else {3: 5, 4: 1},
            processes=processes,
            progress=progress,
            command=shlex.join(words),
            **options,
        )
    if output is not None:
        text = msgspec.json.format(msgspec.json.encode(evaluation), indent=1)
        write_whole(output, text + b"\n")
        click.echo(f"wrote {output}", err=True)
    if as_json:
        print_json(msgspec.to_builtins(evaluation))
    else:
        print_evaluation(evaluation)
    if not evaluation.passed:
        sys.exit(1)
