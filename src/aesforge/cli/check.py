# SPDX-License-Identifier: Apache-2.0
"""The verb `check`: a thin call of `aesforge.check`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from aesforge.cli import completion
from aesforge.cli.common import (
    MOST_BLOCKS,
    Number,
    json_option,
    load_any,
    once,
    overrides_option,
    print_json,
    progress_bar,
)


@click.command()
@click.argument("design", metavar="[D]", required=False, shell_complete=completion.designs)
@overrides_option
@once("--seed", type=click.IntRange(min=0), metavar="N", help="Replay the run of this seed.")
@once(
    "--replay",
    metavar="CERT",
    type=click.Path(path_type=Path),
    help="Repeat the counterexample that `prove -o CERT` wrote, on the core that it is about.",
)
@once(
    "--blocks",
    type=click.IntRange(0, MOST_BLOCKS),
    default=1000,
    metavar="N",
    help="How many random blocks to send.",
)
@once(
    "--bubbles",
    type=Number(0, 1, max_open=True),
    default=0.2,
    metavar="P",
    help="How often the input pauses, 0 (back to back) to below 1; both sides of an engine.",
)
@click.option(
    "--random-keys/--one-key",
    default=True,
    show_default=True,
    help="A new key with every block (a new slot, if keys are stored), or one for all.",
)
@click.option(
    "--vectors/--no-vectors",
    default=True,
    show_default=True,
    help="Send the published known-answer vectors too.",
)
@once(
    "--vcd",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write all signals of a core to FILE: about 10 MB for 1000 cycles of a small one.",
)
@json_option
def check(
    design: str | None,
    overrides: tuple[str, ...],
    seed: int | None,
    replay: Path | None,
    blocks: int,
    bubbles: float,
    random_keys: bool,
    vectors: bool,
    vcd: Path | None,
    as_json: bool,
) -> None:
    """Simulate a core or an engine against the published vectors and OpenSSL.

    An engine gets packets, some of them with each kind of error that it must flag. A core that is
    not AES (a research scheme) is compared with aesforge's own model. Every output block and its
    latency are checked. The seed is printed; --seed replays a run exactly. Exit status 1 when a
    block is wrong, with --replay when the block of the counterexample is.
    """
    import shlex

    from aesforge.errors import UsageError

    if replay is not None:
        if design or overrides:
            raise UsageError("--replay CERT takes the design from the certificate: name no other")
        from aesforge.prove.replay import replay_file

        found = replay_file(replay)
        if as_json:
            print_json(found.as_dict())
        else:
            click.echo(found.text())
        if found.reproduced:
            sys.exit(1)
        return
    if design is None:
        raise UsageError("name a design D (see `aesforge presets`), or --replay CERT")

    from aesforge.check import check

    chosen = load_any(design, overrides)
    sets = (word for override in overrides for word in ("--set", override))
    with progress_bar(f"check {chosen.name}", "blocks") as progress:
        report = check(
            chosen,
            seed=seed,
            blocks=blocks,
            bubbles=bubbles,
            random_keys=random_keys,
            vectors=vectors,
            progress=progress,
            wave=vcd,
            command=shlex.join(["aesforge", "check", design, *sets]),
        )
    if as_json:
        print_json(report.as_dict())
    else:
        click.echo(report.text())
    if not report.passed:
        sys.exit(1)
