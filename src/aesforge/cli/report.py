# SPDX-License-Identifier: Apache-2.0
"""The verb `report`: a thin call of `aesforge.report`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from aesforge.cli import completion
from aesforge.cli.common import database_option, once
from aesforge.errors import ToolMissing
from aesforge.toolchain import install
from aesforge.toolchain.files import require_folder, require_writable, write_whole

if TYPE_CHECKING:
    from aesforge.report.plot import Plot
    from aesforge.research.papers.compare import Comparison


@click.command()
@once(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path),
    default=Path("report.html"),
    help="The page to write.",
)
@database_option
@once(
    "--results",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="Read PATH, a JSON file or a folder of them, such as bench/results; your own database "
    "then counts only when --database names it.",
)
@click.option(
    "--device",
    "devices",
    metavar="DEV",
    shell_complete=completion.devices,
    multiple=True,
    help="Show this device only. May be repeated.",
)
@once(
    "--csv",
    "csv_file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write a table for programs as well, one row each.",
)
@once(
    "--latex",
    "latex_file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write a LaTeX table as well, for papers.",
)
@once(
    "--json",
    "json_file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the whole records as well; --results reads them back.",
)
@once(
    "--plots",
    "plot_folder",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Draw each device's Pareto fronts as SVG and PNG into DIR, made when it does not exist.",
)
@click.option(
    "--papers",
    "with_papers",
    is_flag=True,
    help="Show and draw the papers' tables and figures with ours next to them.",
)
def report(
    output: Path,
    database: Path | None,
    results: Path | None,
    devices: tuple[str, ...],
    csv_file: Path | None,
    latex_file: Path | None,
    json_file: Path | None,
    plot_folder: Path | None,
    with_papers: bool,
) -> None:
    """Show all measurements on one page, which opens in any browser without a network.

    The page draws throughput against look-up tables for each device, with the Pareto fronts of
    cores and of engines, and contains every measurement, with the command that repeats it.
    """
    try:
        from aesforge.measure.database import default_path
        from aesforge.report.collect import collect
        from aesforge.report.export import as_csv, as_json, as_latex
        from aesforge.report.page import render
        from aesforge.report.papers import paper_plots
        from aesforge.report.plot import plots
        from aesforge.research.papers.published import results_file
    except ModuleNotFoundError as error:
        raise ToolMissing(
            f"the report needs the package {error.name}; install all that measuring needs with "
            f"`{install.extra_command('measure')}`"
        ) from None

    comparisons: list[Comparison] = []
    if with_papers:
        comparisons = _comparisons(database, results)
        if results is None:  # include the results in the package
            results = results_file()
            database = database or (default_path() if default_path().exists() else None)
    measurements = collect(database, results, devices)
    for path in filter(None, (output, csv_file, latex_file, json_file)):
        require_writable(path)
    if plot_folder is not None:
        require_folder(plot_folder)
        plot_folder.mkdir(parents=True, exist_ok=True)
    write_whole(output, render(measurements, comparisons))
    if csv_file is not None:
        write_whole(csv_file, as_csv(measurements))
    if latex_file is not None:
        write_whole(latex_file, as_latex(measurements))
    if json_file is not None:
        write_whole(json_file, as_json(measurements))
    if plot_folder is not None:
        drawn = 0
        for plot in plots(measurements):
            _draw(plot_folder, "pareto", plot)
            drawn += 1
        if not drawn:
            click.echo(
                "no plots: none of these measurements has a throughput or a logic depth", err=True
            )
        for plot in paper_plots(comparisons):
            _draw(plot_folder, "paper", plot)
    placed = sum(one.kind == "placed" for one in measurements)
    found = len({one.device for one in measurements})
    click.echo(
        f"{len(measurements)} measurement{'s' * (len(measurements) != 1)} on {found} "
        f"device{'s' * (found != 1)}, {placed} of them placed and routed",
        err=True,
    )
    click.echo(str(output))


def _comparisons(database: Path | None, results: Path | None) -> list[Comparison]:
    """Compare the papers with these measurements, as `aesforge papers` does."""
    from aesforge.research.papers.compare import compare, known_results

    folder = results / "papers" if results is not None and (results / "papers").is_dir() else None
    own = database is not None or results is None
    return compare(known_results(folder or results, database, own=own))


def _draw(folder: Path, kind: str, plot: Plot) -> None:
    """Write a picture in both formats."""
    write_whole(folder / f"{kind}-{plot.name}.svg", plot.svg)
    write_whole(folder / f"{kind}-{plot.name}.png", plot.png)
