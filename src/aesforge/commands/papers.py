# SPDX-License-Identifier: Apache-2.0
"""The verb `papers`: a thin call of `aesforge.papers`."""

from __future__ import annotations

from pathlib import Path

import click

from aesforge.commands.common import database_option, json_option, once, print_json


@click.command()
@click.argument("key", metavar="[KEY]", required=False)
@database_option
@once(
    "--results",
    metavar="DIR",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Read our figures from the JSON files in DIR instead of those that come with aesforge; "
    "your own database then counts only when --database names it.",
)
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV, a line for each figure.")
def papers(
    key: str | None, database: Path | None, results: Path | None, as_json: bool, as_csv: bool
) -> None:
    """Set what five papers publish beside what these cores measure.

    KEY is one of liu2014, rahman2010, sama, saggese2003, kiran; all of them without it. Beneath
    each line of a paper's table stands ours, with the device; a ratio to another line stands in
    brackets. Of each figure it says: reproduced, and by what rule; why it differs; or why it cannot
    be reproduced here. What is not measured yet says how to.
    """
    from aesforge.papers import show
    from aesforge.papers.compare import compare, known_results
    from aesforge.papers.published import papers as of

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
