# SPDX-License-Identifier: Apache-2.0
"""`aesforge papers liu2014 --security`: the research key schemes attacked."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from aesforge.cli.common import print_json, progress_bar
from aesforge.toolchain.files import require_writable, write_whole

QUICK_KEYS = 10


def attack(*, seed: int, quick: bool, processes: int, output: Path | None, as_json: bool) -> None:
    """Attack the key schemes hu2009 and liu2014, and print the results.

    Exit status 1 when an experiment has an unexpected result.

    Args:
        seed: of all random choices.
        quick: fewer keys, and only the smallest cipher is searched whole.
        processes: how many searches run at a time.
        output: written as JSON as well.
        as_json: print JSON in place of tables.
    """
    import msgspec

    from aesforge.research.security import evaluate, print_evaluation

    if output is not None:
        require_writable(output)
    argv = ["aesforge", "papers", "liu2014", "--security", "--seed", str(seed)]
    options: dict[str, int] = {}
    if quick:
        argv.append("--quick")
        options["keys"] = QUICK_KEYS
    if output is not None:
        argv += ["-o", str(output)]
    with progress_bar("search", "states") as progress:
        evaluation = evaluate(
            seed=seed,
            searches={3: 1} if quick else {3: 5, 4: 1},
            processes=processes,
            progress=progress,
            command=shlex.join(argv),
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
