# SPDX-License-Identifier: Apache-2.0
"""What the papers publish, table by table, and what of ours is set beside each figure.

The data stand in bench/papers.toml and are checked when they are read. A figure that a paper does
not give is `nan` there.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Literal

import msgspec

from aesforge.devices import Record
from aesforge.errors import AesforgeError, UsageError, nearest
from aesforge.measure.bench import Core

EVERY = "*"


class Way(Core, frozen=True, kw_only=True, dict=True):
    """A core of the bench, built in one way.

    Args:
        way_of: the core that this one is another way to build; empty for one by itself. The best
            way stands beside a paper (`compare.best_way`).
    """

    way_of: str = ""


class Column(Record, frozen=True, kw_only=True):
    """A column of a table.

    Args:
        key: by which rows name it.
        label: the heading.
        unit: of the published figures.
        quantity: what of ours is set beside it, a name of `quantities.QUANTITIES`; empty: nothing.
        within: how many times our ratio to the row that `over` names may be larger or smaller than
            the paper's; 1: the ratios must be equal.
        exact: the figure is the same on any device, such as cycles or gates, and must be equal.
    """

    key: str
    label: str
    unit: str
    quantity: str = ""
    within: float | None = None
    exact: bool = False


class Row(Record, frozen=True, kw_only=True):
    """A row of a table. What names a column may name `EVERY` of them.

    Args:
        name: what the row is about.
        device: the paper's.
        values: the published figures in the order of the columns; nan where there is none.
        over: the row of the same table that the figures are a ratio to: its name, and its device
            after a comma when it is another.
        cores: ours, by name; the first that has the quantity counts.
        preset: ours, where a figure follows from the design and nothing is measured.
        modes: of operation that ours is about, the sender's and the receiver's.
        quantities: quantity by column, where it is another than the column's.
        bounds: `at least` or `at most` by column, where the paper gives a bound.
        differs: why ours is another figure, by column: a text or the name of a reason.
        not_here: why there is nothing of ours, by column: a text or the name of a reason.
        base: the row is the unit of the others; its figure says nothing by itself.
        derived: the columns whose figure follows from the paper's others and is not printed there.
        conjecture: what of our circuit the paper does not say, so that nothing can be told: a text
            or the name of a reason.
        headline: whether the README shows the row.
    """

    name: str
    device: str
    values: list[float] = msgspec.field(default_factory=list)
    over: str = ""
    cores: list[str] = msgspec.field(default_factory=list)
    preset: str = ""
    modes: list[str] = msgspec.field(default_factory=list)
    quantities: dict[str, str] = msgspec.field(default_factory=dict)
    bounds: dict[str, Literal["at least", "at most"]] = msgspec.field(default_factory=dict)
    differs: dict[str, str] = msgspec.field(default_factory=dict)
    not_here: dict[str, str] = msgspec.field(default_factory=dict)
    base: bool = False
    derived: list[str] = msgspec.field(default_factory=list)
    conjecture: str = ""
    headline: bool = False


class Table(Record, frozen=True, kw_only=True):
    """A table or figure of a paper.

    Args:
        name: as in the paper.
        title: what it shows.
        columns: in order.
        rows: in order.
        not_here: why there is nothing of ours, by column, for all rows.
        charts: the columns that are drawn.
        headline: the columns that the README shows.
    """

    name: str
    title: str
    columns: list[Column]
    rows: list[Row]
    not_here: dict[str, str] = msgspec.field(default_factory=dict)
    charts: list[str] = msgspec.field(default_factory=list)
    headline: list[str] = msgspec.field(default_factory=list)

    def published(self, row: Row, column: Column) -> float | None:
        """Return the figure, None where the paper gives none."""
        value = row.values[self.columns.index(column)]
        return None if math.isnan(value) else value

    def base_of(self, row: Row) -> Row | None:
        """Return the row that another one is a ratio to.

        Raises:
            AesforgeError: there is no such row, or several.
        """
        if not row.over:
            return None
        # A name may hold commas itself: what is after the last one counts if it is a device.
        exact = [one for one in self.rows if f"{one.name}, {one.device}" == row.over]
        found = exact or [
            one for one in self.rows if one.name == row.over and one.device == row.device
        ]
        if len(found) != 1:
            raise AesforgeError(
                f"bench/papers.toml, {self.name}: {row.name} is a ratio to '{row.over}', of which "
                f"there are {len(found)}"
            )
        return found[0]


class Claim(Record, frozen=True, kw_only=True):
    """What a paper concludes from its figures: which core is best, or by how much.

    Args:
        says: the claim in a line.
        where: section, table or figure.
        way: whether the quantity of `core` is higher or lower than that of each of `than`.
        quantity: a name of `quantities.QUANTITIES` or `BY_DESIGN`; empty: nothing of ours.
        core: ours that the claim is about, by name.
        beside: cores that belong to it: areas add up, the slowest counts.
        than: ours that it is set against.
        gain: the ratio that the paper gives, 0 where it gives none.
        change: the change that it gives instead, in percent; two where it gives the least and the
            largest.
        differs: why ours is otherwise: a text or the name of a reason.
        not_here: why nothing of ours tells: a text or the name of a reason.
        headline: whether the README shows it.
    """

    says: str
    where: str
    way: Literal["higher", "lower"] = "higher"
    quantity: str = ""
    core: str = ""
    beside: list[str] = msgspec.field(default_factory=list)
    than: list[str] = msgspec.field(default_factory=list)
    gain: float = 0
    change: list[float] = msgspec.field(default_factory=list)
    differs: str = ""
    not_here: str = ""
    headline: bool = False

    @property
    def ratios(self) -> tuple[float, float] | None:
        """The least and the largest ratio that the paper gives, None where it gives none."""
        found = [1 + percent / 100 for percent in self.change] or [self.gain] * bool(self.gain)
        return (found[0], found[-1]) if found else None

    @property
    def cores(self) -> list[str]:
        """All cores that it needs, by name."""
        return [name for name in (self.core, *self.beside, *self.than) if name]


class Paper(Record, frozen=True, kw_only=True):
    """A paper.

    Args:
        key: as `aesforge papers` takes it.
        authors: with initials.
        title: of the paper.
        venue: where and when.
        table: in the order of the paper.
        claim: in the order of the paper.
    """

    key: str
    authors: str
    title: str
    venue: str
    table: list[Table]
    claim: list[Claim] = msgspec.field(default_factory=list)


class Published(Record, frozen=True, kw_only=True, dict=True):
    """The whole file.

    Args:
        core: what is measured, in the order of the bench.
        reason: text by name.
        paper: in the order of their keys in the issue.
    """

    core: list[Way]
    reason: dict[str, str]
    paper: list[Paper]

    def cores(self) -> dict[str, Way]:
        """Return the cores by name."""
        return {core.name: core for core in self.core}

    def ways(self, name: str) -> list[str]:
        """Return the names of the other ways to build a core."""
        return self._ways.get(name, [])

    @cached_property
    def _ways(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for core in self.core:
            if core.way_of:
                found.setdefault(core.way_of, []).append(core.name)
        return found

    def why(self, reasons: dict[str, str], column: Column) -> str:
        """Return the reason for a column, spelled out; empty when there is none."""
        text = reasons.get(column.key, reasons.get(EVERY, ""))
        return self.reason.get(text, text)

    def reason_for(self, text: str) -> str:
        """Return a reason spelled out: of its name, or the text itself."""
        return self.reason.get(text, text)

    def cells(self, paper: Paper) -> Iterator[tuple[Table, Row, Column]]:
        """Return every figure of a paper in the order of reading."""
        for table in paper.table:
            for row in table.rows:
                for column in table.columns:
                    yield table, row, column


def digests(of: Iterable[Paper] | None = None) -> dict[str, str]:
    """Return a SHA-256 digest, 16 digits of it, of the published figures of each table.

    It covers names, devices, columns, units, figures, bounds and what is derived; of a paper's
    claims, their words and figures. What of ours stands beside them is not in it.

    Args:
        of: papers, all of them for None.
    """
    found = {}
    for paper in published().paper if of is None else of:
        for table in paper.table:
            found[f"{paper.key}, {table.name}"] = _digest(
                f"{row.name}|{row.device}|{column.label}|{column.unit}|{value!r}|"
                f"{row.bounds.get(column.key, '')}|{column.key in row.derived}"
                for row in table.rows
                for column, value in zip(table.columns, row.values, strict=True)
            )
        found[f"{paper.key}, claims"] = _digest(
            f"{claim.says}|{claim.where}|{claim.way}|{claim.gain!r}|{claim.change!r}"
            for claim in paper.claim
        )
    return found


def _digest(lines: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def bench_dir() -> Path:
    """Return the folder of papers.toml and its results: of an installed package, or of a checkout.

    Raises:
        AesforgeError: neither exists; the installation is broken.
    """
    package = Path(__file__).resolve().parents[2]
    for folder in (package / "_bench", package.parent.parent / "bench"):
        if (folder / "papers.toml").is_file():
            return folder
    raise AesforgeError(
        "the papers' figures are missing; install aesforge again, or run it from a full checkout"
    )


def results_file() -> Path:
    """Return the file of the results that come with aesforge; it may not exist."""
    return bench_dir() / "results" / "papers.json"


@cache
def published() -> Published:
    """Read the file.

    Raises:
        msgspec.ValidationError: a field too many, too few, or of the wrong type.
    """
    return msgspec.toml.decode((bench_dir() / "papers.toml").read_bytes(), type=Published)


def papers(key: str | None = None) -> list[Paper]:
    """Return one paper, or all of them for None.

    Raises:
        UsageError: there is none of this key.
    """
    known = {paper.key: paper for paper in published().paper}
    if key is None:
        return list(known.values())
    if key not in known:
        raise UsageError(
            f"there is no paper '{key}'{nearest(key, known)}\npapers: {', '.join(known)}"
        )
    return [known[key]]
