# SPDX-License-Identifier: Apache-2.0
"""The figures that constraints and comparisons are about, and what can be known of them early.

Before a core is placed, its figures are known as ranges: its area exactly, its clock by limits.
A constraint that no value of the range meets is lost, whatever placement would give; a point whose
best values are all beaten by another's measured ones is lost as well.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from aesforge.design import Design
from aesforge.devices import Device
from aesforge.errors import UsageError, nearest, one_of
from aesforge.measure.record import BLOCK_BITS, Measurement

Range = tuple[float, float]
Outlook = Mapping[str, Range]
T = TypeVar("T")

# Fewer 4- or 6-input look-up tables than this take no S-box that is public (the smallest one here
# takes 46, and 32 where wide multiplexers after 6-input tables take the rest).
LUTS_PER_SBOX_AT_LEAST = 30
# A block RAM has two ports; some families count pairs of them as one.
SBOXES_PER_BLOCK_RAM_AT_MOST = 4

# How much faster than the best core seen so far a core of the same depth may still turn out.
CLOCK_MARGIN = 0.8
# So many measured cores make a limit; fewer may be outliers.
CORES_FOR_A_LIMIT = 3


@dataclass(frozen=True)
class Figure:
    """One figure of a measurement.

    Args:
        name: as constraints spell it; it carries the unit.
        label: its name for people.
        better: `high` or `low`, empty where neither is.
        needs_clock: whether only placement gives it.
    """

    name: str
    label: str
    better: str
    needs_clock: bool = False


ENERGY = "energy_per_block"

FIGURES: dict[str, Figure] = {
    figure.name: figure
    for figure in (
        Figure("throughput_gbps", "Gbit/s at the Fmax", "high", True),
        Figure("mhz", "Fmax", "high", True),
        Figure("reported_mhz", "clock as the tool reports it", "high", True),
        Figure("mbps_per_lut", "throughput over look-up tables", "high", True),
        Figure(ENERGY, "weighted transitions per block, relative", "low", True),
        Figure("latency_ns", "latency at the Fmax", "low", True),
        Figure("lut", "look-up tables of the family's size", "low"),
        Figure("ff", "flip-flops", "low"),
        Figure("block_ram", "block RAMs", "low"),
        Figure("lut_ram", "look-up tables used as memory, contained in lut", "low"),
        Figure("wide_mux", "multiplexers after look-up tables", "low"),
        Figure("depth", "look-up tables in the longest chain", "low"),
        Figure("latency_cycles", "cycles from a block in to the same block out", "low"),
        Figure("interval_cycles", "cycles between blocks at full load", "low"),
        Figure("blocks_per_cycle", "blocks each cycle at full load", "high"),
        Figure("bits_per_cycle", "128 x blocks_per_cycle", "high"),
    )
}


def figure_named(name: str, where: str) -> Figure:
    """Find a figure.

    Raises:
        UsageError: there is none of this name; the message gives the nearest.
    """
    if name not in FIGURES:
        raise UsageError(
            f"{where}: there is no figure '{name}'{nearest(name, FIGURES)}\n"
            f"figures: {', '.join(FIGURES)}"
        )
    return FIGURES[name]


# --- Ranges -------------------------------------------------------------------------------------


def _exactly(value: float) -> Range:
    return value, value


@cache
def _rate_figures(design: Design) -> dict[str, Range]:
    return {
        "latency_cycles": _exactly(design.latency_cycles),
        "interval_cycles": _exactly(1 / design.blocks_per_cycle),
        "blocks_per_cycle": _exactly(design.blocks_per_cycle),
        "bits_per_cycle": _exactly(BLOCK_BITS * design.blocks_per_cycle),
    }


def _clock_figures(design: Design, mhz: Range, reported: Range, lut: Range) -> dict[str, Range]:
    bits = BLOCK_BITS * design.blocks_per_cycle
    gbps = (bits * mhz[0] / 1000, bits * mhz[1] / 1000)
    return {
        "mhz": mhz,
        "reported_mhz": reported,
        "throughput_gbps": gbps,
        "mbps_per_lut": (
            1000 * gbps[0] / lut[1] if lut[1] < math.inf else 0.0,
            1000 * gbps[1] / lut[0] if lut[0] else math.inf,
        ),
        "latency_ns": (
            1000 * design.latency_cycles / mhz[1] if mhz[1] < math.inf else 0.0,
            1000 * design.latency_cycles / mhz[0] if mhz[0] else math.inf,
        ),
    }


@cache
def logic_sboxes(design: Design) -> int:
    """Return how many S-boxes of a design are made of logic."""
    key_sbox = design.key_sbox_style
    return design.data_sbox_count * (design.sbox != "bram") + design.key_sbox_count * (
        key_sbox != "bram"
    )


@cache
def _block_rams_at_least(design: Design) -> int:
    return -(-(design.sbox_count - logic_sboxes(design)) // SBOXES_PER_BLOCK_RAM_AT_MOST)


def outlook_of_design(design: Design, device: Device) -> dict[str, Range]:
    """Return bounds of all figures from the choices alone; no tool is run."""
    cap = device.cap(block_ram=False)
    clock = (0.0, math.inf if cap is None else cap.mhz)
    lut = (float(LUTS_PER_SBOX_AT_LEAST * logic_sboxes(design)), math.inf)
    anything = (0.0, math.inf)
    return {
        **_rate_figures(design),
        **_clock_figures(design, clock, anything, lut),
        ENERGY: anything,
        "lut": lut,
        "block_ram": (float(_block_rams_at_least(design)), math.inf),
        **dict.fromkeys(("ff", "lut_ram", "wide_mux", "depth"), anything),
    }


def outlook_of_estimate(
    estimate: Measurement, design: Design, device: Device, clocks: Clocks
) -> dict[str, Range]:
    """Return what synthesis, the Fmax and the cores measured so far say of all figures."""
    cap = device.cap(block_ram=estimate.area.block_ram > 0)
    fastest = clocks.limit(estimate)
    legal = fastest if cap is None else min(fastest, cap.mhz)
    area = _area_figures(estimate)
    clock = _clock_figures(design, (0.0, legal), (0.0, fastest), area["lut"])
    return {**_rate_figures(design), **clock, **area, ENERGY: (0.0, math.inf)}


def values_of(measurement: Measurement) -> dict[str, float]:
    """Return all figures that a measurement has."""
    subject, clock = measurement.subject, measurement.clock
    values: dict[str, float | None] = {
        name: low for name, (low, _) in _area_figures(measurement).items()
    }
    rate = subject.blocks_per_cycle
    values["latency_cycles"] = subject.latency_cycles
    values["interval_cycles"] = subject.interval_cycles
    values["blocks_per_cycle"] = rate
    values["bits_per_cycle"] = None if rate is None else BLOCK_BITS * rate
    values["throughput_gbps"] = measurement.throughput_gbps
    values["mbps_per_lut"] = measurement.mbps_per_lut
    values[ENERGY] = measurement.energy_per_block
    if clock is not None:
        values["mhz"] = clock.fmax_mhz
        values["reported_mhz"] = clock.reported_mhz
        if subject.latency_cycles is not None:
            values["latency_ns"] = 1000 * subject.latency_cycles / clock.fmax_mhz
    return {name: value for name, value in values.items() if value is not None}


def _area_figures(measurement: Measurement) -> dict[str, Range]:
    area = measurement.area
    return {
        "lut": _exactly(area.luts),
        "ff": _exactly(area.ff),
        "block_ram": _exactly(area.block_ram),
        "lut_ram": _exactly(area.lut_ram),
        "wide_mux": _exactly(area.wide_mux),
        "depth": _exactly(measurement.logic_depth),
    }


class Clocks:
    """How fast cores of a device ran, by depth: a limit and a guess for those not placed yet.

    A level is a look-up table in the longest chain, and one more for what is around the chain.
    The limit takes a core's levels to cost at least `CLOCK_MARGIN` of what they cost in the best
    core that is as deep or deeper: fixed costs and long wires weigh less in a longer chain.
    """

    def __init__(self) -> None:
        self._seen: dict[str, tuple[int, float]] = {}

    def see(self, measurement: Measurement) -> None:
        """Take a placed core into account."""
        depth = measurement.logic_depth
        if measurement.clock is not None and depth:
            self._seen[measurement.key] = depth, 1000 / measurement.clock.reported_mhz

    def limit(self, estimate: Measurement) -> float:
        """Return a bound on a core's clock in MHz, infinite while too few are measured."""
        levels = estimate.logic_depth + 1
        costs = [
            period / (depth + 1) for depth, period in self._seen.values() if depth + 1 >= levels
        ]
        if levels == 1 or len(costs) < CORES_FOR_A_LIMIT:
            return math.inf
        return 1000 / (CLOCK_MARGIN * levels * min(costs))

    def guess(self, estimate: Measurement) -> float | None:
        """Return the median clock in MHz of measured cores as deep; None without any."""
        costs = sorted(period / (depth + 1) for depth, period in self._seen.values())
        if not costs:
            return None
        return 1000 / ((estimate.logic_depth + 1) * costs[len(costs) // 2])


# --- Constraints --------------------------------------------------------------------------------

_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "==": operator.eq,
}


@dataclass(frozen=True)
class Constraint:
    """`figure comparison bound`, such as `throughput_gbps >= 40`."""

    figure: str
    comparison: str
    bound: float

    def __str__(self) -> str:
        return f"{self.figure} {self.comparison} {self.bound:g}"

    def met_by(self, values: Mapping[str, float]) -> bool:
        """Whether a measurement meets it; one that lacks the figure does not."""
        value = values.get(self.figure)
        return value is not None and _COMPARISONS[self.comparison](value, self.bound)

    def why_lost(self, outlook: Outlook) -> str | None:
        """Return why no value of the range meets it, or None if one may."""
        low, high = outlook[self.figure]
        if self.comparison == "==":
            if low <= self.bound <= high:
                return None
            reach = f"at least {_short(low)}" if self.bound < low else f"at most {_short(high)}"
        elif self.comparison in (">=", ">"):
            if _COMPARISONS[self.comparison](high, self.bound):
                return None
            reach = f"at most {_short(high)}"
        else:
            if _COMPARISONS[self.comparison](low, self.bound):
                return None
            reach = f"at least {_short(low)}"
        return f"{self} cannot be met: it is {reach}"


def _short(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:.4g}"


def parse_constraint(text: object) -> Constraint:
    """Read one constraint.

    Raises:
        UsageError: it is not of the form, or there is no such figure.
    """
    example = "'throughput_gbps >= 40' or 'lut <= 20000'"
    if not isinstance(text, str):
        raise UsageError(f"constraint {text!r}: write it as a text such as {example}")
    form = r"\s*(\w+)\s*(>=|<=|==|>|<)\s*([+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*"
    found = re.fullmatch(form, text)
    if not found:
        raise UsageError(
            f"constraint '{text}': write a figure, {one_of(_COMPARISONS)}, and a number, "
            f"such as {example}\nfigures: {', '.join(FIGURES)}"
        )
    name, comparison, bound = found.groups()
    figure_named(name, f"constraint '{text}'")
    return Constraint(name, comparison, float(bound))


# --- Comparisons --------------------------------------------------------------------------------


def dominates(values: Mapping[str, float], outlook: Outlook, objectives: Sequence[str]) -> bool:
    """Whether a measured core beats the best that another can be.

    It does when it is at least as good in all objectives and better in one, so that equals stay.
    """
    better = False
    for name in objectives:
        low, high = outlook[name]
        if name not in values:
            return False
        # Turned so that more is better.
        ours = values[name] if FIGURES[name].better == "high" else -values[name]
        theirs = high if FIGURES[name].better == "high" else -low
        if ours < theirs:
            return False
        better = better or ours > theirs
    return better


def front(
    items: Iterable[T], values: Callable[[T], Mapping[str, float]], objectives: Sequence[str]
) -> list[T]:
    """Return the items that no other one beats (the Pareto front), in their order."""
    every = list(items)
    kept = []
    for item in every:
        mine = values(item)
        # A figure that an item lacks counts as the worst.
        ranges = {
            name: _exactly(mine[name])
            if name in mine
            else ((-math.inf, -math.inf) if FIGURES[name].better == "high" else (math.inf,) * 2)
            for name in objectives
        }
        if not any(dominates(values(other), ranges, objectives) for other in every):
            kept.append(item)
    return kept


def cannot_fit(design: Design, device: Device) -> str | None:
    """Return, before synthesis, why a design cannot fit; None if it may."""
    sboxes = logic_sboxes(design)
    if LUTS_PER_SBOX_AT_LEAST * sboxes > device.part.capacity.luts:
        return (
            f"its {sboxes:,} S-boxes need more than {LUTS_PER_SBOX_AT_LEAST * sboxes:,} look-up "
            f"tables, and {device.part.part} has {device.part.capacity.luts:,}"
        )
    if _block_rams_at_least(design) > device.part.capacity.block_ram:
        return (
            f"its {design.sbox_count - sboxes:,} S-boxes in block RAM need at least "
            f"{_block_rams_at_least(design):,}, and {device.part.part} has "
            f"{device.part.capacity.block_ram:,}"
        )
    return None
