# SPDX-License-Identifier: Apache-2.0
"""Print a security evaluation for people."""

from __future__ import annotations

from collections.abc import Iterator

from aesforge.research.security.experiments import Evaluation, SearchExperiment


def print_evaluation(evaluation: Evaluation) -> None:
    """Print an evaluation as a table on standard output."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    table = Table(
        title="the key schemes of Liu, Xu and Yuan (2014), Sec. 4, attacked",
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        show_edge=False,
    )
    for heading in ("experiment", "said or expected", "measured"):
        table.add_column(heading)
    for row in rows(evaluation):
        table.add_row(*map(Text, row))
    console.print(table)
    console.print()
    console.print(Text(conclusion(evaluation), style="bold"))
    console.print(Text(f"again: {evaluation.command}", style="dim"))


def rows(evaluation: Evaluation) -> Iterator[tuple[str, str, str]]:
    """Return (experiment, claim, measured result)."""
    for state in evaluation.state:
        yield (
            f"(a) {state.scheme}: words 2 and 3 follow from 0 and 1",
            "round keys 1 to 10; no such rule in FIPS 197",
            f"{state.follow:,} of {state.round_keys:,}; FIPS 197 {state.follow_fips197:,} of "
            f"{state.round_keys:,}",
        )
        yield (
            f"(a) {state.scheme}: other seed keys with the same round keys 1 to 10",
            f"2^{state.keys_per_state_log2} to one",
            f"constructed for {state.colliding_keys:,} of {state.keys:,} keys",
        )
    leak = evaluation.leak
    yield (
        f"(b) liu2014: seed key from round key {leak.round} and two known pairs",
        f"2^{leak.claimed_log2} guesses (equation 6)",
        f"{leak.recovered:,} of {leak.keys:,} keys, 2^{leak.operations_log2:.1f} byte operations "
        f"(most 2^{leak.most_operations_log2:.1f}), {leak.seconds:.3f} s a key",
    )
    yield (
        "(b) liu2014: states that no state leads to",
        "none, if the schedule could be run backwards",
        f"{leak.no_predecessor:.0%} of {leak.states:,}",
    )
    collision = evaluation.collision
    yield (
        "(c) liu2014: related seed keys with the same round keys 1 to 10",
        f"2^{collision.predicted_log2}",
        f"2^{collision.measured_log2:.2f} ({collision.collisions:,} of {collision.trials:,})",
    )
    for search in evaluation.search:
        yield (_search_name(search), _search_expected(search), _search_measured(search))
    whole = evaluation.extrapolation
    yield (
        "(d) liu2014: whole search, extrapolated",
        f"2^{whole.fips197_keys_log2} keys for FIPS 197",
        f"2^{whole.states_log2} trials, {whole.core_years:,.0f} core-years at most at "
        f"{whole.trials_per_second / 1e6:.1f} million a second",
    )


def _search_name(search: SearchExperiment) -> str:
    part = "all" if search.searched_bits == search.state_bits else f"2^{search.searched_bits} of"
    return f"(d) {search.scheme}, {search.cell_bits}-bit cells: {part} 2^{search.state_bits} states"


def _search_expected(search: SearchExperiment) -> str:
    return "finds nothing" if search.scheme == "fips197" else "finds the seed key"


def _search_measured(search: SearchExperiment) -> str:
    return (
        f"{search.found} of {search.keys} keys found, {search.seconds / search.keys:,.1f} s a key, "
        f"{search.trials_per_second / 1e6:.1f} million trials per second"
    )


def conclusion(evaluation: Evaluation) -> str:
    """Return the outcome in a line."""
    if not evaluation.passed:
        return "an experiment did not give the expected result: see above"
    return (
        "Do not use these schemes: they cut a 128-bit key to 64 bits. FIPS 197 resists each attack."
    )
