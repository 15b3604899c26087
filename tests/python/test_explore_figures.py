# SPDX-License-Identifier: Apache-2.0
"""What is known of a point before it is placed never promises less than it turns out to be."""

from __future__ import annotations

import math
import random

import pytest

import explored
from aesforge.design import Design
from aesforge.devices import device
from aesforge.errors import UsageError
from aesforge.explore import figures
from aesforge.explore.figures import FIGURES, Clocks, parse_constraint
from aesforge.explore.space import read_space

ECP5 = device("LFE5U-85F-8")
DESIGNS = [d for d in read_space("full").designs().legal if d.key_bits == 128]


@pytest.mark.parametrize("design", DESIGNS[::7], ids=lambda design: design.name)
def test_a_measurement_lies_in_the_ranges_that_were_told(design: Design) -> None:
    """Whatever was said before, by the choices and after synthesis, holds in the end."""
    placed = explored.made_up(design, ECP5, (1,), placed=True)
    early = figures.outlook_of_design(design, ECP5)
    later = figures.outlook_of_estimate(
        explored.made_up(design, ECP5, (1,), placed=False), design, ECP5, Clocks()
    )
    values = figures.values_of(placed)
    assert set(values) == set(FIGURES) == set(early) == set(later)
    for name, value in values.items():
        for outlook in (early, later):
            low, high = outlook[name]
            assert low <= value <= high, name
        # Synthesis knows more than the choices.
        assert early[name][0] <= later[name][0]
        assert later[name][1] <= early[name][1]
    for name in ("lut", "ff", "block_ram", "depth", "latency_cycles"):
        assert later[name] == (values[name], values[name])


def test_the_clock_limit_is_slack_and_needs_several_cores() -> None:
    """It applies to cores no deeper than those seen, with a margin below the best of them."""
    clocks = Clocks()
    shallow = Design(sbox_stages=4, linear_stages=2)
    deep = Design(unroll=1, sbox_stages=0)
    by_depth = {
        design: explored.made_up(design, ECP5, (1,), placed=False) for design in (shallow, deep)
    }
    depths = {design: m.logic_depth for design, m in by_depth.items()}
    assert 1 < depths[shallow] < depths[deep]
    seen = [
        explored.made_up(Design(unroll=u, sbox_stages=0), ECP5, (1,), placed=True)
        for u in (1, 2, 5)
    ]
    for number, measurement in enumerate(seen):
        assert clocks.limit(by_depth[deep]) == math.inf, number
        clocks.see(measurement)
        clocks.see(measurement)  # the same core is no second witness
    best = max(m.clock.reported_mhz for m in seen if m.clock)
    assert clocks.limit(by_depth[deep]) == pytest.approx(best / figures.CLOCK_MARGIN)
    # A core of fewer levels may be faster in proportion.
    assert clocks.limit(by_depth[shallow]) == pytest.approx(
        best / figures.CLOCK_MARGIN * (depths[deep] + 1) / (depths[shallow] + 1)
    )
    # Nothing is told of a core that is deeper than all that were seen.
    few = Clocks()
    for u in (1, 2, 5):
        few.see(
            explored.made_up(
                Design(unroll=u, sbox_stages=4, linear_stages=2), ECP5, (1,), placed=True
            )
        )
    assert few.limit(by_depth[deep]) == math.inf


def test_constraints_are_judged_by_ranges() -> None:
    outlook = {"lut": (100.0, 100.0), "throughput_gbps": (0.0, 47.36)}
    lost = {
        "lut <= 99": "at least 100",
        "lut < 100": "at least 100",
        "lut > 100": "at most 100",
        "lut == 101": "at most 100",
        "lut == 99": "at least 100",
        "throughput_gbps >= 47.4": "at most 47.36",
    }
    for text, words in lost.items():
        why = parse_constraint(text).why_lost(outlook)
        assert why is not None, text
        assert words in why
        assert why.startswith(f"{text} cannot be met:")
    for text in ("lut <= 100", "lut >= 100", "lut == 1e2", "throughput_gbps > 47", "lut < 100.5"):
        assert parse_constraint(text).why_lost(outlook) is None, text
        if "lut" in text:
            assert parse_constraint(text).met_by({"lut": 100.0})
    assert not parse_constraint("mhz >= 0").met_by({"lut": 100.0})


def test_a_range_is_lost_only_when_every_value_in_it_is() -> None:
    dice = random.Random(1)
    for _ in range(2000):
        low, high = sorted(dice.uniform(0, 10) for _ in range(2))
        constraint = parse_constraint(
            f"lut {dice.choice(['>=', '<=', '<', '>'])} {dice.uniform(0, 10):.3f}"
        )
        lost = constraint.why_lost({"lut": (low, high)}) is not None
        met = [constraint.met_by({"lut": low + (high - low) * i / 50}) for i in range(51)]
        assert lost == (not any(met))


def test_nothing_on_the_front_is_beaten_and_everything_off_it_is() -> None:
    dice = random.Random(2)
    items = [
        {"throughput_gbps": float(dice.randrange(8)), "lut": float(dice.randrange(8))}
        for _ in range(60)
    ]
    names = ("throughput_gbps", "lut")
    front = figures.front(items, lambda item: item, names)
    exactly = [{name: (item[name], item[name]) for name in names} for item in items]
    beaten = [any(figures.dominates(other, one, names) for other in items) for one in exactly]
    assert front == [item for item, lost in zip(items, beaten, strict=True) if not lost]
    for item, lost in zip(items, beaten, strict=True):
        better = [
            other
            for other in items
            if other["throughput_gbps"] >= item["throughput_gbps"]
            and other["lut"] <= item["lut"]
            and other != item
        ]
        assert lost == bool(better)
    # Equals do not beat each other: one of them alone would be lost otherwise.
    twins = [dict(items[0]), dict(items[0])]
    assert figures.front(twins, lambda item: item, names) == twins


def test_a_core_with_more_s_boxes_than_the_device_can_hold_does_not_fit() -> None:
    many = Design(key_bits=256, tiles=16)
    why = figures.cannot_fit(many, ECP5)
    assert why is not None
    assert "83,640" in why
    assert figures.cannot_fit(Design(), ECP5) is None
    assert "208" in (figures.cannot_fit(Design(key_bits=256, sbox="bram", tiles=4), ECP5) or "")
    assert figures.cannot_fit(Design(sbox="bram", tiles=2), ECP5) is None


def test_unknown_figures_are_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean 'throughput_gbps'"):
        parse_constraint("thruput_gbps >= 3")
