# SPDX-License-Identifier: Apache-2.0
"""Set our figures beside the published ones, and say of each whether it is reproduced.

A verdict is computed from the measurements. bench/papers.toml only says why a figure differs: where
it says so of a figure that is reproduced, or says nothing of one that is not, file and measurements
disagree (`Comparison.disagreement`), and a test fails.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from aesforge.design import Design, load
from aesforge.devices.families import family
from aesforge.errors import AesforgeError
from aesforge.measure import recipe_words
from aesforge.measure.bench import Core, read_results
from aesforge.measure.database import Database, default_path
from aesforge.measure.record import Measurement
from aesforge.research.papers.published import (
    Column,
    Paper,
    Row,
    Table,
    papers,
    published,
    results_dir,
)
from aesforge.research.papers.quantities import BY_DESIGN, COMPUTED, QUANTITIES

Kind = Literal["reproduced", "differs", "not here", "not measured", "no figure"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Known = Mapping[str, Measurement]

_DEFAULTS = Design().choices()

# Ratios this close to 1 have no direction.
_EVEN = 0.03


@dataclass(frozen=True)
class Comparison:
    """One figure of a paper, and ours.

    Args:
        paper: its key.
        table: its name in the paper.
        row: what it is about.
        column: the heading.
        device: the paper's.
        unit: of the published figure.
        published: the figure; None where the paper only says more or less, or nothing.
        published_ratio: to the row `over`; None without one.
        over: the row that the ratios are to, empty without one.
        claim: `higher` or `lower` where the paper gives no figure but says so.
        ours: our figure, None where there is none.
        ours_ratio: to ours of the row `over`, on the same device.
        ours_unit: of our figure.
        core: what of ours was measured, by its name in the bench; empty without one.
        ours_device: where.
        seeds: placements that our clock is the median of, 0 without a clock.
        verdict: what follows.
        why: the rule that was kept, the reason, or how to measure it.
        derived: whether the published figure follows from others and does not stand there.
        reason_given: whether bench/papers.toml says why it differs.
    """

    paper: str
    table: str
    row: str
    column: str
    device: str
    unit: str
    published: float | None
    published_ratio: float | None
    over: str
    claim: str
    ours: float | None
    ours_ratio: float | None
    ours_unit: str
    core: str
    ours_device: str
    seeds: int
    verdict: Kind
    why: str
    derived: bool = field(default=False)
    reason_given: bool = field(default=False)

    @property
    def said(self) -> str:
        """The verdict in words, with what decides it."""
        return {
            "reproduced": f"reproduced: {self.why}",
            "differs": f"differs because {self.why}",
            "not here": f"not reproducible here because {self.why}",
            "not measured": f"not yet measured: {self.why}",
            "no figure": "the paper gives no figure",
        }[self.verdict]

    @property
    def disagreement(self) -> str | None:
        """What bench/papers.toml and the measurements say differently, or None."""
        where = f"{self.paper}, {self.table}, {self.row} ({self.device}), {self.column}"
        if self.verdict == "differs" and not self.reason_given:
            return f"{where}: {self.why}; say why in `differs`"
        if self.verdict == "reproduced" and self.reason_given:
            return f"{where}: `differs` says why it differs, and it is {self.said}"
        return None

    def as_dict(self) -> dict[str, Any]:
        """Give plain data."""
        from dataclasses import asdict

        data = asdict(self)
        del data["reason_given"]
        return data


# --- What was measured --------------------------------------------------------------------------


def known_results(
    results: Path | None = None, database: Path | None = None, *, own: bool = True
) -> dict[str, Measurement]:
    """Give the measurement of each core of the bench that was measured, by the core's name.

    Args:
        results: the folder of the bench's results; None for those that come with aesforge.
        database: where else to look; None for the user's own. The newer of two counts.
        own: whether to look into a database at all.

    Raises:
        AesforgeError: a result or the database cannot be read.
    """
    folder = results if results is not None else results_dir()
    cores = published().cores()
    found = {name: one for name, one in read_results(folder).items() if name in cores}
    path = database or default_path()
    if own and path.exists():
        measured = Database(path).all()
        for core in cores.values():
            for one in measured:
                there = found.get(core.name)
                newer = there is None or one.provenance.date > there.provenance.date
                if newer and one.device == core.device and _is_of(one, core):
                    found[core.name] = one
    return found


def _is_of(one: Measurement, core: Core) -> bool:
    """Say whether a measurement is of a core of the bench, with at least as many placements."""
    try:
        target = core.target
    except AesforgeError:  # a design that cannot be built here
        return False
    if (0 if one.clock is None else len(one.clock.runs)) < core.seeds:
        return False
    recipe = family(one.family).recipe_named(core.recipe)
    if recipe_words(recipe, core.floorplan) != one.provenance.recipe:
        return False
    if target.design is None:
        line = one.provenance.command
        return line.startswith(" ".join(("aesforge measure", *target.command, "")))
    # A choice that was added since had its default then.
    choices = _DEFAULTS | (one.subject.design or {}) | {"name": target.name}
    return one.subject.design is not None and choices == target.design.choices()


# --- Judging ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Ours:
    value: float
    core: str = ""
    device: str = ""
    seeds: int = 0


def compare(known: Known, key: str | None = None) -> list[Comparison]:
    """Give every figure of a paper, or of all, in the order of reading.

    Args:
        known: measurements by name of the core.
        key: of the paper.

    Raises:
        UsageError: there is no such paper.
    """
    return [
        _compare(known, paper, table, row, column)
        for paper in papers(key)
        for table, row, column in published().cells(paper)
    ]


def _ours(known: Known, row: Row, column: Column) -> list[_Ours]:
    """Give our figures of a row, the one that counts first."""
    name = row.quantities.get(column.key, column.quantity)
    if name in COMPUTED:
        return [_Ours(float(COMPUTED[name]()))]
    if name in BY_DESIGN:
        values = ((design, BY_DESIGN[name](design)) for design in _designs(row))
        return [_Ours(float(value), design.name) for design, value in values if value is not None]
    found = []
    for core in row.cores if name else ():
        one = known.get(core)
        value = None if one is None else QUANTITIES[name].of(one)
        if one is not None and value is not None:
            seeds = 0 if one.clock is None else len(one.clock.runs)
            found.append(_Ours(value, core, one.device, seeds))
    return found


def _designs(row: Row) -> Iterator[Design]:
    """Give those of our designs that can be built."""
    cores = published().cores()
    for words in [
        *(cores[name].design for name in row.cores if cores[name].design),
        *([[row.preset]] * bool(row.preset)),
    ]:
        with contextlib.suppress(AesforgeError):
            yield load(words[0], [word for word in words[1:] if word != "--set"])


def _unit(row: Row, column: Column) -> str:
    """Give the unit of our figure: the published one's, unless it is another quantity."""
    quantity = QUANTITIES.get(row.quantities.get(column.key, column.quantity))
    return column.unit if quantity is None else quantity.unit


def _compare(known: Known, paper: Paper, table: Table, row: Row, column: Column) -> Comparison:
    figure, base = table.published(row, column), table.base_of(row)
    below = None if base is None else table.published(base, column)
    ratio = figure / below if figure is not None and below else None
    ours, ours_ratio = None, None
    found = _ours(known, row, column)
    if found:
        ours = found[0]
    if base is not None:
        bases = _ours(known, base, column)
        for one in found:
            same = [other for other in bases if other.device == one.device and other.value]
            if same:
                ours, ours_ratio = one, one.value / same[0].value
                break
    claim = row.claims.get(column.key, "")
    reason = published().why(row.differs, column)
    verdict, why = _judge(
        table, row, column, figure, ratio, claim, None if ours is None else ours.value, ours_ratio
    )
    return Comparison(
        paper=paper.key,
        table=table.name,
        row=row.name,
        column=column.words,
        device=row.device,
        unit=column.unit,
        published=figure,
        published_ratio=ratio,
        over=row.over,
        claim=claim,
        ours=None if ours is None else ours.value,
        ours_ratio=ours_ratio,
        ours_unit="" if ours is None else _unit(row, column),
        core="" if ours is None else ours.core,
        ours_device="" if ours is None else ours.device,
        seeds=0 if ours is None else ours.seeds,
        verdict=verdict,
        why=(reason or f"of no known reason: it is not {why}") if verdict == "differs" else why,
        derived=row.derived,
        reason_given=bool(reason),
    )


def _judge(
    table: Table,
    row: Row,
    column: Column,
    figure: float | None,
    ratio: float | None,
    claim: str,
    ours: float | None,
    ours_ratio: float | None,
) -> tuple[Kind, str]:
    """Give the verdict, and the rule, the reason or what to do."""
    if (figure is None and not claim) or row.base:
        return "no figure", ""
    stated = published()
    excuse = stated.why(row.not_here, column) or stated.why(table.not_here, column)
    if excuse:
        return "not here", excuse
    by_ratio = bool(row.over) and not column.exact
    if (ours_ratio if by_ratio else ours) is None:
        return "not measured", _how(row)
    if claim:
        assert ours_ratio is not None
        good = ours_ratio > 1 if claim == "higher" else ours_ratio < 1
        return ("reproduced" if good else "differs"), f"{claim} than {row.over}"
    assert figure is not None
    if column.exact:
        return ("reproduced" if ours == figure else "differs"), "the same number"
    assert column.within is not None, f"{table.name}, {column.key}: no rule"
    if not by_ratio:
        assert ours is not None
        good = _factor(figure, ours) <= column.within
        rule = "the same number" if column.within == 1 else f"within a factor of {column.within:g}"
        return ("reproduced" if good else "differs"), rule
    assert ratio is not None
    assert ours_ratio is not None
    good = _factor(ratio, ours_ratio) <= column.within and _same_way(ratio, ours_ratio)
    rule = f"the ratio to {row.over}, the same way and within a factor of {column.within:g}"
    if column.within == 1:
        rule = f"the same ratio to {row.over}"
    return ("reproduced" if good else "differs"), rule


def _factor(one: float, other: float) -> float:
    """Give how many times the larger of two figures is the smaller; 1 where both are 0."""
    low, high = sorted((one, other))
    return 1.0 if low == high else math.inf if low <= 0 else round(high / low, 9)


def _same_way(one: float, other: float) -> bool:
    even = abs(one - 1) <= _EVEN or abs(other - 1) <= _EVEN
    return even or (one > 1) == (other > 1)


def _how(row: Row) -> str:
    """Say how to get what is missing."""
    cores = published().cores()
    missing = []
    for name in row.cores:
        try:
            core = cores[name]
            in_bench = f"`make bench-papers CORES={name}`"
            missing.append(in_bench if core.module else f"`{core.command}`")
        except AesforgeError as error:
            return f"it cannot be built here: {error.message.splitlines()[0]}"
    if not missing:
        try:
            load(row.preset)
        except AesforgeError as error:
            return f"it cannot be built here: {error.message.splitlines()[0]}"
    return " and ".join(missing) or "nothing of ours is named"


def disagreements(comparisons: Iterable[Comparison]) -> list[str]:
    """Give a line for each figure of which file and measurements say different things."""
    return [text for one in comparisons if (text := one.disagreement)]


def counts(comparisons: Iterable[Comparison]) -> dict[Kind, int]:
    """Give how many figures have each verdict."""
    found = dict.fromkeys(KINDS, 0)
    for one in comparisons:
        found[one.verdict] += 1
    return found
