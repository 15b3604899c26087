# SPDX-License-Identifier: Apache-2.0
"""The verb `papers`: a thin call of `aesforge.research.papers`."""

from __future__ import annotations

from pathlib import Path

import click

from aesforge.cli import completion
from aesforge.cli.common import database_option, json_option, once, print_json


@click.command()
@click.argument("key", metavar="[KEY]", required=False, shell_complete=completion.papers)
@database_option
@once(
    "--results",
    metavar="FILE",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Read our figures from FILE, which `make bench-papers` writes, instead of those that come "
    "with aesforge; your own database then counts only when --database names it.",
)
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV, a line for each figure.")
@click.option(
    "--security",
    is_flag=True,
    help="With liu2014: attack its key schemes, and hold the outcome to the paper's claims.",
)
@once("--seed", type=click.IntRange(min=0), metavar="N", help="Of the attacks' random choices.")
@click.option("--quick", is_flag=True, help="Attack for half a minute, on fewer and smaller keys.")
@once(
    *("-j", "--processes"),
    type=click.IntRange(min=1),
    metavar="N",
    help="How many attacks run at a time.",
)
@once(
    *("-o", "--output"),
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the attacks' result to FILE as JSON.",
)
def papers(
    key: str | None,
    database: Path | None,
    results: Path | None,
    as_json: bool,
    as_csv: bool,
    security: bool,
    seed: int | None,
    quick: bool,
    processes: int | None,
    output: Path | None,
) -> None:
    """Compare the figures of five papers with measurements of these cores.

    KEY is one of liu2014, rahman2010, sama, saggese2003, kiran; the default is all of them.
    Below each line of a paper's table is ours, with the device; brackets hold the ratio to another
    line, and ours over theirs. The verdict of a claim or ratio is reproduced, differs, or cannot be
    told; absolute figures of another device have none. A missing figure names the command for it.

    --security needs a C++ compiler. It runs every attack on the key schemes hu2009 and liu2014:
    the state of 64 bits, the seed key from one leaked round key, related keys, and the search
    for the key, in full on ciphers with smaller cells, where it is tried on the key schedule of
    FIPS 197 too. Exit status 1 when one has an unexpected result.
    """
    if security:
        _attack(key, as_csv, 1 if seed is None else seed, quick, processes or 1, output, as_json)
        return
    if seed is not None or quick or processes is not None or output is not None:
        raise click.UsageError("--seed, --quick, --processes and --output belong to --security")
    from aesforge.research.papers import show
    from aesforge.research.papers.compare import compare, known_results
    from aesforge.research.papers.published import papers as of

    if as_json and as_csv:
        raise click.UsageError("--json and --csv exclude each other")
    chosen = of(key)
    own = database is not None or results is None
    comparisons = compare(known_results(results, database, own=own), key)
    if as_json:
        print_json([one.as_dict() for one in comparisons])
    elif as_csv:
        click.echo(show.as_csv(comparisons), nl=False)
    else:
        for i, paper in enumerate(chosen):
            if i:
                click.echo()
            show.print_paper(paper, [one for one in comparisons if one.paper == paper.key])


def _attack(
    key: str | None,
    as_csv: bool,
    seed: int,
    quick: bool,
    processes: int,
    output: Path | None,
    as_json: bool,
) -> None:
    from aesforge.cli.security import attack

    if key != "liu2014":
        raise click.UsageError("--security is about the key schemes of liu2014: name that paper")
    if as_csv:
        raise click.UsageError("--security gives tables, or JSON with --json")
    attack(seed=seed, quick=quick, processes=processes, output=output, as_json=as_json)
