# SPDX-License-Identifier: Apache-2.0
"""Set our figures beside the published ones, and judge what the papers claim.

docs/papers/verdicts.md has the rules. A verdict is computed from the measurements.
bench/papers.toml only says why a figure differs: where it says so of a figure that does not, or
says nothing of one that does, file and measurements disagree (`Comparison.disagreement`), and a
test fails.
"""

from __future__ import annotations

import contextlib
import math
import re
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from aesforge.design import Design, load
from aesforge.devices import devices
from aesforge.devices.families import family
from aesforge.errors import AesforgeError
from aesforge.measure import recipe_label
from aesforge.measure.bench import Campaign, Core
from aesforge.measure.database import Database, default_path
from aesforge.measure.record import Measurement
from aesforge.research.papers.published import (
    Claim,
    Column,
    Paper,
    Row,
    Table,
    bench_dir,
    papers,
    published,
    results_file,
)
from aesforge.research.papers.quantities import (
    BY_DESIGN,
    BY_MODES,
    COMPUTED,
    QUANTITIES,
    at_each_clock,
    is_packed,
    rests_on,
)

Kind = Literal[
    "reproduced",
    "differs",
    "cannot be told",
    "not comparable",
    "not measured",
    "not here",
    "derived",
    "no figure",
]
# The order of the tables.
KINDS: tuple[Kind, ...] = get_args(Kind)
# Those that a measurement of ours decides, the worst first.
JUDGED: tuple[Kind, ...] = ("differs", "cannot be told", "reproduced")
# Of a claim against several, what stands.
_RANK: tuple[Kind, ...] = ("differs", "not measured", "cannot be told", "reproduced")
Known = Mapping[str, Measurement]
Range = tuple[float, float]

_DEFAULTS = Design().choices()

# A ratio this close to 1 says that there is no difference.
NEAR_ONE = 1.05
# How many times a ratio that a claim gives, and a change in percent, may be off.
RATIO_WITHIN, CHANGE_WITHIN = 1.25, 1.5
UNKNOWN_SPREAD = 1e6


@dataclass(frozen=True)
class Comparison:
    """One figure or claim of a paper, and ours.

    Args:
        paper: its key.
        table: its name in the paper; of a claim, the section.
        row: what it is about; of a claim, its words.
        column: the heading; of a claim, the quantity.
        device: the paper's, empty for a claim.
        unit: of the published figure.
        published: the figure; None where the paper gives none.
        bound: `at least` or `at most` where the figure is a bound, else empty.
        published_ratio: to the row `over`; of a claim, the least that the paper gives.
        published_ratio_to: of a claim, the largest that the paper gives; else the same.
        over: the row that the ratios are to, empty without one; of a claim, our rival core.
        claim: of a claim `higher`, `lower` or `not compared`, else empty.
        ours: our figure, None where there is none.
        ours_ratio: to ours of the row `over`, on the same device.
        ours_low: the lowest of the ratio over the placements, or of the figure without a ratio.
        ours_high: the highest.
        ours_over_theirs: our ratio over the published one.
        ours_unit: of our figure.
        core: what of ours was measured, by its name in the bench; empty without one.
        ours_device: where.
        seeds: placements that our clock is the median of, 0 without a clock.
        packed: whether our slices are packed perfectly, a lower bound.
        verdict: what follows.
        why: the rule, the reason, or how to measure it.
        rests_on: what was measured for it.
        base_core: what of ours the ratio is to, by its name in the bench.
        within: the factor of the rule; 1 for equality, None where there is no factor.
        reason_given: whether bench/papers.toml says why it differs.
        guess: whether our circuit rests on a guess about the paper's.
    """

    paper: str
    table: str
    row: str
    column: str
    device: str
    unit: str
    published: float | None
    bound: str
    published_ratio: float | None
    published_ratio_to: float | None
    over: str
    claim: str
    ours: float | None
    ours_ratio: float | None
    ours_low: float | None
    ours_high: float | None
    ours_over_theirs: float | None
    ours_unit: str
    core: str
    ours_device: str
    seeds: int
    packed: bool
    verdict: Kind
    why: str
    rests_on: tuple[str, ...] = field(default=())
    base_core: str = field(default="")
    within: float | None = field(default=None)
    reason_given: bool = field(default=False)
    guess: bool = field(default=False)

    @property
    def said(self) -> str:
        """The verdict in words, with what decides it."""
        return {
            "reproduced": f"reproduced: {self.why}",
            "differs": f"differs because {self.why}",
            "cannot be told": f"cannot be told: {self.why}",
            "not comparable": f"not comparable: {self.why}",
            "not measured": f"not yet measured: {self.why}",
            "not here": f"not reproducible here because {self.why}",
            "derived": f"derived: {self.why}",
            "no figure": "the paper gives no figure",
        }[self.verdict]

    @property
    def disagreement(self) -> str | None:
        """What bench/papers.toml and the measurements say differently, or None."""
        where = f"{self.paper}, {self.table}, {self.row} ({self.device}), {self.column}"
        if self.verdict == "differs" and not self.reason_given:
            return f"{where}: {self.why}; say why in `differs`"
        if self.verdict not in ("differs", "not measured") and self.reason_given:
            return f"{where}: `differs` says why it differs, and it is {self.said}"
        return None

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        from dataclasses import asdict

        data = asdict(self)
        for name in _INTERNAL:
            del data[name]
        return data


_INTERNAL = ("rests_on", "base_core", "within", "reason_given", "guess")
# What depends on the placement.
_PLACED = {"clock", "slices"}

# --- What was measured --------------------------------------------------------------------------


def known_results(
    results: Path | None = None, database: Path | None = None, *, own: bool = True
) -> dict[str, Measurement]:
    """Return the measurement of each core of the bench that was measured, by the core's name.

    What was measured of another design, or by another recipe, than the bench asks for today is left
    out. Of the results file, a measurement with fewer placements is not: `compare` shows it, and
    does not judge it.

    Args:
        results: the file of the bench's results; None for the one that comes with aesforge.
        database: where else to look; None for the user's own. The newer of two counts.
        own: whether to look into a database at all.

    Raises:
        AesforgeError: a result or the database cannot be read.
    """
    there = Campaign.read(results if results is not None else results_file())
    cores = published().cores()
    found = {
        name: one
        for name, one in there.measurements.items()
        if name in cores and one.device == cores[name].device and _is_of(one, cores[name])
    }
    path = database or default_path()
    if own and path.exists():
        measured = Database(path).all()
        for core in cores.values():
            for one in measured:
                known = found.get(core.name)
                newer = known is None or one.provenance.date > known.provenance.date
                whole = _placements(one) >= core.seeds
                if newer and whole and one.device == core.device and _is_of(one, core):
                    found[core.name] = one
    return found


def _placements(one: Measurement) -> int:
    """Return of how many placements a measurement is, 0 for a synthesis."""
    return 0 if one.clock is None else len(one.clock.runs)


def _is_of(one: Measurement, core: Core) -> bool:
    """Say whether a measurement is of a core of the bench, with however many placements."""
    try:
        target = core.target
    except AesforgeError:  # a design that cannot be built here
        return False
    if bool(core.seeds) and one.clock is None:
        return False
    recipe = family(one.family).recipe_named(core.recipe)
    if recipe_label(recipe, core.floorplan) != one.provenance.recipe:
        return False
    if target.design is None:
        # Files may have moved since; module, parameters and research scheme say what it is.
        files, _, words = one.provenance.command.partition("--top ")
        asked = " ".join(target.command).partition("--top ")[2]
        other = re.search(r"research/(\w+)/", files)
        return words.startswith(f"{asked} ") and (other[1] if other else "") == core.scheme
    # A choice that was added since had its default then.
    choices = _DEFAULTS | (one.subject.design or {}) | {"name": target.name}
    return one.subject.design is not None and choices == target.design.choices()


@cache
def placement_spread() -> float:
    """Return by how many times a clock of one placement may be off.

    That is the fastest over the slowest placement of one core, the widest among the results that
    come with aesforge.
    """
    files = (bench_dir() / "results" / "cores.json", results_file())
    return widest_spread(one for path in files for one in Campaign.read(path).measurements.values())


def widest_spread(measurements: Iterable[Measurement]) -> float:
    """Return the widest ratio of the fastest to the slowest placement of one core.

    That is `UNKNOWN_SPREAD`, with which nothing can be told, where no core has two placements.
    """
    runs = [[run.mhz for run in one.clock.runs] for one in measurements if one.clock is not None]
    return max((max(mhz) / min(mhz) for mhz in runs if len(mhz) > 1), default=UNKNOWN_SPREAD)


# --- The rules ----------------------------------------------------------------------------------


def accepted(ratio: float, within: float, bound: str = "") -> Range:
    """Return which ratios of ours stand for a published one.

    They go the same way, and lie within the factor. A ratio near 1, which says that there is no
    difference, stands only for another one near 1.

    Args:
        ratio: the published one.
        within: the factor; 1 for equality.
        bound: `at least` or `at most` where the published one is a bound.
    """
    if bound:
        return (ratio, math.inf) if bound == "at least" else (-math.inf, ratio)
    if within == 1:
        return ratio * (1 - 1e-9), ratio * (1 + 1e-9)
    if 1 / NEAR_ONE <= ratio <= NEAR_ONE:
        return 1 / NEAR_ONE, NEAR_ONE
    if ratio > 1:
        return max(NEAR_ONE, ratio / within), ratio * within
    return ratio / within, min(1 / NEAR_ONE, ratio * within)


def accepted_change(least: float, largest: float) -> Range:
    """Return which ratios of ours stand for a published change.

    Ours goes the same way, and the change itself lies within `CHANGE_WITHIN`: 50 % more does not
    stand for 30 % more, as it would if 1.5 were held to 1.3.

    Args:
        least: in percent, below 0 for less.
        largest: the same, or the other end where the paper gives two.
    """
    if least > 0:
        low, high = least / 100 / CHANGE_WITHIN, largest / 100 * CHANGE_WITHIN
        return max(NEAR_ONE, 1 + low), 1 + high
    low, high = least / 100 * CHANGE_WITHIN, largest / 100 / CHANGE_WITHIN
    return 1 + low, min(1 / NEAR_ONE, 1 + high)


def accepted_order(way: str) -> Range:
    """Return which ratios of ours say that one is higher, or lower, than another."""
    return (NEAR_ONE, math.inf) if way == "higher" else (-math.inf, 1 / NEAR_ONE)


def told(ours: Range, accepts: Range) -> Kind:
    """Return the verdict on a range of ours: all of it is accepted, none of it, or a part."""
    if accepts[0] <= ours[0] and ours[1] <= accepts[1]:
        return "reproduced"
    if ours[1] < accepts[0] or accepts[1] < ours[0]:
        return "differs"
    return "cannot be told"


# --- Judging ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Ours:
    """A figure of ours, its range over the placements, and what it is of."""

    value: float
    low: float
    high: float
    core: str = ""
    device: str = ""
    measured: tuple[Measurement, ...] = ()
    packed: bool = False
    # The cores with fewer placements than the bench asks for.
    short: tuple[str, ...] = ()

    @property
    def seeds(self) -> int:
        clocks = [one.clock for one in self.measured]
        return min((0 if clock is None else len(clock.runs) for clock in clocks), default=0)

    def over(self, base: _Ours) -> tuple[float, Range]:
        """Return the ratio to another figure, and its range."""
        return self.value / base.value, (self.low / base.high, self.high / base.low)


def best_way(known: Known, name: str) -> str:
    """Return the best of the ways in which a core was built and measured, by its name.

    That is the one with the highest clock; without clocks, the one with the fewest levels of
    look-up tables, then the fewest look-up tables. A way with fewer placements than the core itself
    is no better unless it is faster than the fastest of them: one placement may be a lucky one.

    Args:
        known: measurements by name of the core.
        name: of the core, which was measured itself.
    """

    def merit(way: str) -> tuple[float, float, float]:
        one = known[way]
        mhz = 0.0 if one.clock is None else one.clock.fmax_mhz
        return mhz, -one.logic_depth, -one.area.luts

    own = known[name]
    fastest = max((run.mhz for run in own.clock.runs), default=0.0) if own.clock is not None else 0
    if own.clock is not None and own.clock.cap is not None:
        fastest = min(fastest, own.clock.cap.mhz)
    ways = [
        way
        for way in published().ways(name)
        if way in known and (_placements(known[way]) >= _placements(own) or merit(way)[0] > fastest)
    ]
    # The core itself first, which stands where another way is no better.
    return max((name, *ways), key=merit)


def compare(
    known: Known,
    key: str | None = None,
    spread: float | None = None,
    asked: Mapping[str, int] | None = None,
) -> list[Comparison]:
    """Return every figure of a paper, or of all, in the order of reading, then its claims.

    Args:
        known: measurements by name of the core.
        key: of the paper.
        spread: by how many times a clock of one placement may be off; `placement_spread()` for
            None.
        asked: how many placements a core must have to be judged, by its name; those of the bench
            for None.

    Raises:
        UsageError: there is no such paper.
    """
    if asked is None:
        asked = {core.name: core.seeds for core in published().core}
    judge = _Judge(known, placement_spread() if spread is None else spread, asked)
    found = []
    for paper in papers(key):
        found += [judge.figure(paper, *cell) for cell in published().cells(paper)]
        found += [judge.claim(paper, claim) for claim in paper.claim]
    return found


@dataclass(frozen=True)
class _Judge:
    known: Known
    spread: float
    asked: Mapping[str, int]

    # --- Figures of ours

    def _measured(self, name: str, quantity: str) -> _Ours | None:
        """Return a quantity of a core of the bench, built in its best way; None without one."""
        if name not in self.known:
            return None
        name = best_way(self.known, name)
        one = self.known[name]
        value = QUANTITIES[quantity].of(one)
        if value is None:
            return None
        every = [QUANTITIES[quantity].of(alone) for alone in at_each_clock(one, self.spread)]
        values = [other for other in every if other is not None]
        packed = "slices" in rests_on(quantity) and is_packed(one)
        placed = _PLACED & set(rests_on(quantity)) and _placements(one) < self.asked.get(name, 0)
        return _Ours(
            value,
            *(min(values), max(values), name, one.device, (one,), packed),
            (name,) if placed else (),
        )

    def _of_row(self, row: Row, column: Column) -> list[_Ours]:
        """Return our figures of a row, the one that counts first."""
        name = row.quantities.get(column.key, column.quantity)
        if name in COMPUTED:
            value = float(COMPUTED[name]())
            return [_Ours(value, value, value)]
        if name in BY_MODES and row.modes:
            value = float(BY_MODES[name](*row.modes))
            return [_Ours(value, value, value)]
        if name in BY_DESIGN:
            return [one for design in _designs(row) if (one := _by_design(design, name))]
        found = [self._measured(core, name) for core in row.cores] if name else []
        return [one for one in found if one is not None]

    def _of_claim(self, claim: Claim, name: str) -> _Ours | None:
        """Return what a claim says of a core, with those that belong to it."""
        together = [name, *(claim.beside if name == claim.core else [])]
        if claim.quantity in BY_DESIGN:
            with contextlib.suppress(AesforgeError):
                design = published().cores()[name].target.design
                return None if design is None else _by_design(design, claim.quantity)
            return None
        parts = [self._measured(one, claim.quantity) for one in together]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        join = max if "clock" in rests_on(claim.quantity) else sum
        return _Ours(
            join(part.value for part in known),
            join(part.low for part in known),
            join(part.high for part in known),
            " and ".join(part.core for part in known),
            known[0].device,
            tuple(one for part in known for one in part.measured),
            any(part.packed for part in known),
            tuple(name for part in known for name in part.short),
        )

    # --- Verdicts

    def _ratio(self, ours: _Ours, base: _Ours, accepts: Range, rule: str) -> tuple[Kind, str]:
        """Return the verdict on our ratio, and what decides it."""
        _, reach = ours.over(base)
        verdict = told(reach, accepts)
        if verdict != "cannot be told":
            return verdict, rule
        if 1 in (ours.seeds, base.seeds):
            return verdict, (
                f"one placement, whose clock may be {self.spread:.2f} times as fast or as slow"
            )
        return verdict, "the range over the placements leaves it open"

    def figure(self, paper: Paper, table: Table, row: Row, column: Column) -> Comparison:
        """Return one cell of a paper's table, with ours."""
        stated = published()
        figure, base_row = table.published(row, column), table.base_of(row)
        below = None if base_row is None else table.published(base_row, column)
        theirs = figure / below if figure is not None and below else None
        ours, base = self._pair(row, base_row, column)
        by_ratio = base_row is not None and not column.exact
        excuse = stated.why(row.not_here, column) or stated.why(table.not_here, column)
        verdict: Kind
        if figure is None or row.base:
            verdict, why = "no figure", ""
        elif column.key in row.derived:
            verdict, why = "derived", "it follows from other figures and is not printed"
        elif excuse:
            verdict, why = "not here", excuse
        elif ours is None or (by_ratio and base is None):
            verdict, why = _not_measured(row)
        else:
            verdict, why = self._cell(row, column, figure, theirs, ours, base)
        reason = stated.why(row.differs, column)
        if verdict == "differs":
            why = reason or f"of no known reason: it is not {why}"
        ratio, reach = (None, None) if ours is None or base is None else ours.over(base)
        if reach is None and ours is not None:
            reach = ours.low, ours.high
        name = row.quantities.get(column.key, column.quantity)
        quantity = QUANTITIES.get(name)
        return Comparison(
            paper=paper.key,
            table=table.name,
            row=row.name,
            column=column.label,
            device=row.device,
            unit=column.unit,
            published=figure,
            bound=row.bounds.get(column.key, ""),
            published_ratio=theirs,
            published_ratio_to=theirs,
            over=row.over,
            claim="",
            ours=None if ours is None else ours.value,
            ours_ratio=ratio,
            ours_low=None if reach is None else reach[0],
            ours_high=None if reach is None else reach[1],
            ours_over_theirs=ratio / theirs if ratio is not None and theirs else None,
            ours_unit="" if ours is None else column.unit if quantity is None else quantity.unit,
            core="" if ours is None else ours.core,
            ours_device="" if ours is None else ours.device,
            seeds=0 if ours is None else ours.seeds,
            packed=ours is not None and ours.packed,
            verdict=verdict,
            why=why,
            rests_on=rests_on(name),
            base_core="" if base is None or column.exact else base.core,
            within=1 if column.exact else column.within,
            reason_given=bool(reason),
            guess=bool(row.conjecture),
        )

    def _pair(
        self, row: Row, base_row: Row | None, column: Column
    ) -> tuple[_Ours | None, _Ours | None]:
        """Return our figure of a row, and that of the row it is a ratio to on the same device.

        Slices that were counted go before those packed perfectly, on whatever device.
        """
        found = self._of_row(row, column)
        bases = [] if base_row is None else self._of_row(base_row, column)
        pairs = [
            (one, base)
            for one in found
            for base in bases
            if base.device == one.device and base.low > 0
        ]
        if pairs:
            return min(pairs, key=lambda pair: pair[0].packed or pair[1].packed)
        return min(found, key=lambda one: one.packed, default=None), None

    def _cell(
        self,
        row: Row,
        column: Column,
        figure: float,
        theirs: float | None,
        ours: _Ours,
        base: _Ours | None,
    ) -> tuple[Kind, str]:
        """Return the verdict on a published figure of which there is ours."""
        if row.conjecture:
            return "cannot be told", published().reason_for(row.conjecture)
        if column.exact:
            return ("reproduced" if ours.value == figure else "differs"), "the same number"
        if base is None:
            return "not comparable", "an absolute figure, of another device"
        assert theirs is not None, f"{row.name}, {column.key}: a ratio without a figure"
        assert column.within is not None, f"{row.name}, {column.key}: no rule"
        none = _why_none(ours, base)
        if none is not None:
            return none
        bound = row.bounds.get(column.key, "")
        rule = f"the ratio to {row.over}, the same way and within a factor of {column.within:g}"
        if column.within == 1:
            rule = f"the same ratio to {row.over}"
        if bound:
            rule = f"the ratio to {row.over}, {bound} the paper's"
        return self._ratio(ours, base, accepted(theirs, column.within, bound), rule)

    def claim(self, paper: Paper, claim: Claim) -> Comparison:
        """Return a claim, with ours: of several rivals, the one that decides."""
        stated = published()
        ours = self._of_claim(claim, claim.core) if claim.quantity else None
        bases = [self._of_claim(claim, name) for name in claim.than] if claim.quantity else []
        accepts, rule = (
            accepted_order(claim.way),
            f"{claim.way}, by more than {100 * (NEAR_ONE - 1):.0f} %",
        )
        theirs = claim.ratios
        if claim.gain:
            accepts = accepted(claim.gain, RATIO_WITHIN)
            rule = f"the ratio, the same way and within a factor of {RATIO_WITHIN:g}"
        if claim.change:
            accepts = accepted_change(claim.change[0], claim.change[-1])
            rule = f"the change, the same way and within a factor of {CHANGE_WITHIN:g}"
        verdict, why = self._claim_not_measured(claim)
        base, ratio, reach = None, None, None
        rivals = [one for one in bases if one is not None]
        if ours is not None and rivals and len(rivals) == len(bases):
            none = _why_none(ours, *rivals)
            judged = [(none or self._ratio(ours, one, accepts, rule), one) for one in rivals]
            # The worst counts; of several as bad, the rival that comes nearest.
            (verdict, why), base = min(
                judged, key=lambda one: (_RANK.index(one[0][0]), _lead(claim, ours, one[1]))
            )
            ratio, reach = ours.over(base)
        excuse = stated.reason_for(claim.not_here)
        if excuse:
            verdict, why = "not here", excuse
        reason = stated.reason_for(claim.differs)
        if verdict == "differs":
            why = reason or f"of no known reason: it is not {why}"
        quantity = QUANTITIES.get(claim.quantity)
        nearest = None
        if theirs is not None and ratio is not None:
            nearest = min(max(ratio, theirs[0]), theirs[1])
        return Comparison(
            paper=paper.key,
            table=claim.where,
            row=claim.says,
            column=claim.quantity if quantity is None else quantity.label,
            device="",
            unit="times",
            published=None,
            bound="",
            published_ratio=None if theirs is None else theirs[0],
            published_ratio_to=None if theirs is None else theirs[1],
            over="" if base is None else base.core,
            claim=claim.way if claim.quantity else "not compared",
            ours=None if ours is None else ours.value,
            ours_ratio=ratio,
            ours_low=None if reach is None else reach[0],
            ours_high=None if reach is None else reach[1],
            ours_over_theirs=None if nearest is None or ratio is None else ratio / nearest,
            ours_unit="" if quantity is None else quantity.unit,
            core="" if ours is None else ours.core,
            ours_device="" if ours is None else ours.device,
            seeds=0 if ours is None else ours.seeds,
            packed=any(one is not None and one.packed for one in (ours, base)),
            verdict=verdict,
            why=why,
            rests_on=rests_on(claim.quantity),
            base_core="" if base is None else base.core,
            reason_given=bool(reason),
        )

    def _claim_not_measured(self, claim: Claim) -> tuple[Kind, str]:
        """Return how to get what is missing of a claim."""
        missing = [name for name in claim.cores if name not in self.known]
        return "not measured", _bench(missing)


def _by_design(design: Design, name: str) -> _Ours | None:
    value = BY_DESIGN[name](design)
    return None if value is None else _Ours(float(value), value, value, design.name)


def _lead(claim: Claim, ours: _Ours, base: _Ours) -> float:
    """Return how far ours leads, the way that a claim says."""
    return ours.value - base.value if claim.way == "higher" else base.value - ours.value


@cache
def _rtl_here() -> frozenset[str]:
    """Return the digest of each core of the bench, of the RTL that is here."""
    return frozenset(core.target.digest for core in published().core)


def _why_none(*figures: _Ours) -> tuple[Kind, str] | None:
    """Return why the ratios of some figures are not judged, or None."""
    short = [name for one in figures for name in one.short]
    if short:
        return "not measured", f"fewer placements than asked for; {_bench(short)} adds the others"
    packed = [one for one in figures if one.packed]
    if packed:
        why = "our slices are packed perfectly, a lower bound"
        if any(devices()[one.device].part.flow != "place" for one in packed):
            return "cannot be told", why
        return "not measured", f"{why}; {_bench(one.core for one in packed)} counts them"
    every = [one for figure in figures for one in figure.measured]
    tools = {tuple(sorted(one.provenance.tools.items())) for one in every}
    commits = {one.provenance.commit for one in every}
    sources = {one.subject.rtl for one in every}
    if len(tools) > 1:
        return "cannot be told", "measured with different versions of the tools"
    if len(sources) > 1 and len(commits) > 1 and not sources <= _rtl_here():
        return "cannot be told", "measured at different commits"
    if len(sources) > 1 and any(commit.endswith("+") for commit in commits):
        return "cannot be told", "measured with changes that were not committed"
    return None


def _designs(row: Row) -> Iterator[Design]:
    """Return those of our designs that can be built."""
    cores = published().cores()
    for words in [
        *(cores[name].design for name in row.cores if cores[name].design),
        *([[row.preset]] * bool(row.preset)),
    ]:
        with contextlib.suppress(AesforgeError):
            yield load(words[0], [word for word in words[1:] if word != "--set"])


def _command(name: str) -> str:
    """Return the line that measures a core of the bench, in backticks.

    Raises:
        AesforgeError: the design cannot be built here.
    """
    core = published().cores()[name]
    return f"`make bench-papers CORES={name}`" if core.module else f"`{core.command}`"


def _not_measured(row: Row) -> tuple[Kind, str]:
    """Return how to get what is missing of a row."""
    try:
        missing = [_command(name) for name in row.cores]
        if not missing and row.preset:
            load(row.preset)
    except AesforgeError as error:
        return "not measured", f"it cannot be built here: {error.message.splitlines()[0]}"
    return "not measured", " and ".join(missing) or "nothing of ours is named"


def _bench(names: Iterable[str]) -> str:
    """Return the line that measures cores of the bench with their slices, in backticks."""
    return f"`make bench-papers CORES='{' '.join(dict.fromkeys(names))}'`"


# --- Sums ---------------------------------------------------------------------------------------


def disagreements(comparisons: Iterable[Comparison]) -> list[str]:
    """Return a line for each figure of which file and measurements say different things."""
    return [text for one in comparisons if (text := one.disagreement)]


def measurements(comparisons: Iterable[Comparison]) -> list[list[Comparison]]:
    """Return the judged figures by the measurement of ours that decides them.

    Clock, period and throughput of one core over another are one measurement, whatever device of
    the paper it is held to. What rests on several, as throughput per area does, goes with the
    first. Claims are left out.
    """
    found: dict[tuple[str, ...], list[Comparison]] = {}
    for one in comparisons:
        if one.verdict in JUDGED and not one.claim:
            key = (one.paper, one.core, one.base_core, one.rests_on[0])
            found.setdefault(key, []).append(one)
    return list(found.values())


def counts(comparisons: Iterable[Comparison]) -> dict[Kind, int]:
    """Return how many figures or claims have each verdict.

    Figures that are judged count once for each measurement of ours, with the worst verdict among
    them. Claims, and figures that are not judged, count one by one.
    """
    every = list(comparisons)
    found = dict.fromkeys(KINDS, 0)
    for together in measurements(every):
        found[min((one.verdict for one in together), key=JUDGED.index)] += 1
    for one in every:
        if one.claim or one.verdict not in JUDGED:
            found[one.verdict] += 1
    return found


@dataclass(frozen=True)
class Closeness:
    """How far our ratios are from the published ones, the farther of the two over the other.

    Args:
        ratios: how many there are.
        tenth: how many are within 10 %.
        quarter: how many are within 25 %.
        twice: how many are within 2 times.
        median: of all, in times; None where there are none.
    """

    ratios: int
    tenth: int
    quarter: int
    twice: int
    median: float | None


def is_drawn(one: Comparison) -> bool:
    """Say whether a figure's ratio can be set beside the published one as a number.

    Not so a claim, packed slices, a ratio that must be equal, and a circuit that rests on a guess.
    """
    if one.claim or one.packed or one.guess or one.within == 1 or not one.ours_over_theirs:
        return False
    return one.verdict in (*JUDGED, "not measured")


def closeness(comparisons: Iterable[Comparison]) -> Closeness:
    """Return how close our ratios come: one for each measurement, the farthest that it is held to.

    Ratios that must be equal, slices that are packed perfectly, circuits that rest on a guess and
    claims are left out.
    """
    found: dict[tuple[str, ...], float] = {}
    for one in comparisons:
        ratio = one.ours_over_theirs
        if ratio is not None and is_drawn(one):
            key = (one.paper, one.core, one.base_core, one.rests_on[0])
            found[key] = max(found.get(key, 1.0), ratio, 1 / ratio)
    times: Sequence[float] = list(found.values())
    tenth, quarter, twice = (sum(one <= limit for one in times) for limit in (1.1, 1.25, 2))
    return Closeness(len(times), tenth, quarter, twice, statistics.median(times) if times else None)
