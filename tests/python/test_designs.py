# SPDX-License-Identifier: Apache-2.0
"""Designs that hold every pair of choices, each simulated against OpenSSL.

Pair by pair, of some random legal designs with a pair that is missing yet, the one is taken that
brings most new pairs for what it costs to compile. (The library ``allpairspy`` gives fewer designs,
but leaves out pairs where choices exclude each other, and cannot prefer small cores: its set took
half as long again to simulate.)
"""

from __future__ import annotations

import itertools
import random
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from aesforge.check import check
from aesforge.design import _RULES, CHOICES, Design, why_illegal

# What is not AES has tests of its own, test_research.py, and so have checked cores (test_check.py,
# test_faults.py), of which each is as big as two.
FIELDS = tuple(name for name in CHOICES if name not in ("scheme", "research", "check"))
# Those that exclude each other first: a dead end then shows at once.
_BOUND = (
    *("core", "datapath_bits", "shift_rows", "unroll", "tiles"),
    *("direction", "sbox", "sbox_stages", "linear_stages", "key_schedule", "key_slots"),
)
FILLED_IN = (*_BOUND, *(name for name in FIELDS if name not in _BOUND))
# `why_illegal` asks all rules about everything, which takes minutes here.
RULES_OF = {
    name: [(frozenset(names), names, rule) for names, rule in _RULES if name in names]
    for name in FIELDS
}
Pair = tuple[tuple[str, Any], tuple[str, Any]]
Choices = dict[str, Any]


def pairs_of(choices: Choices) -> set[Pair]:
    return set(itertools.combinations([(name, choices[name]) for name in FIELDS], 2))


def completions(partial: Choices, rng: random.Random) -> Iterator[Choices]:
    """Give legal designs that hold ``partial``, in random order."""
    name = next((name for name in FILLED_IN if name not in partial), None)
    if name is None:
        yield dict(partial)
        return
    for value in rng.sample(CHOICES[name], len(CHOICES[name])):
        extended = {**partial, name: value}
        if not clashes(extended, name):
            yield from completions(extended, rng)


def clashes(choices: Choices, new: str) -> bool:
    """Say whether a choice, legal by itself, clashes with the others, which do not clash."""
    return any(
        fields.issubset(choices) and rule(*(choices[name] for name in names))
        for fields, names, rule in RULES_OF[new]
    )


def cost(choices: Choices) -> int:
    """Give what a design's compilation costs, about, in hundredths of a second of one processor."""
    sboxes = Design(**choices).sbox_count
    return 250 + sboxes * (4 if choices["sbox"] in ("bram", "table") else 7)


def possible_pairs() -> set[Pair]:
    """Give every pair of choices that some legal design holds."""
    rng = random.Random(0)
    found: set[Pair] = set()
    for one, other in itertools.combinations(FIELDS, 2):
        for values in itertools.product(CHOICES[one], CHOICES[other]):
            pair = ((one, values[0]), (other, values[1]))
            if pair not in found and why_illegal(dict(pair)) is None:
                found |= next((pairs_of(c) for c in completions(dict(pair), rng)), set())
    return found


def chosen() -> list[Choices]:
    """Give the designs to simulate: few, cheap, and all pairs in them."""
    rng = random.Random(1)
    missing = possible_pairs()
    designs = []
    while missing:
        # Of some designs with the first missing pair, the one that brings most for its cost.
        pair = min(missing, key=repr)
        several = itertools.islice(_some(dict(pair), rng), 100)
        best = max(several, key=lambda c: len(pairs_of(c) & missing) / cost(c))
        designs.append(best)
        missing -= pairs_of(best)
    return designs


def _some(partial: Choices, rng: random.Random) -> Iterator[Choices]:
    while True:
        yield next(completions(partial, rng))


def name_of(choices: Choices) -> str:
    """Give a design a name that says its shape, with a number that says the rest."""
    number = zlib.crc32(repr(sorted(choices.items(), key=repr)).encode()) % 10_000
    return (
        f"aes{choices['key_bits']}-{choices['direction'][:3]}-u{choices['unroll']}-"
        f"{choices['sbox']}-{choices['key_schedule']}-x{choices['tiles']}-{number:04}"
    )


def in_order_of_cost(designs: Iterable[Choices]) -> list[Design]:
    """Give the costly ones first, so that two processes end at about the same time."""
    ordered = sorted(designs, key=cost, reverse=True)
    return [Design(**{**choices, "name": f"d-{name_of(choices)}"}) for choices in ordered]


DESIGNS = in_order_of_cost(chosen())


def test_every_possible_pair_is_in_some_design() -> None:
    covered: set[Pair] = set()
    for design in DESIGNS:
        # As written: a design spells some choices in its own way.
        choices = {name: getattr(design, name) for name in FIELDS}
        covered |= pairs_of(choices)
    unspelled = {("key_slots", None), ("shift_rows", None)}
    spelled = {pair for pair in possible_pairs() if not unspelled & {*pair}}
    assert not spelled - covered
    # The space is not so narrow that few pairs would do.
    assert len(spelled) > 800


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_design(design: Design) -> None:
    """Random keys, blocks and pauses; latency, rate, tags and order as computed."""
    # Enough for each ring to run full twice back to back.
    blocks = max(600, 5 * design.blocks_in_flight * design.lanes)
    report = check(
        design,
        seed=zlib.crc32(design.name.encode()),
        blocks=blocks,
        bubbles=0.3,
        vectors=False,
        optimize="build",
    )
    assert report.passed, report.text()
    assert report.latency_cycles_seen == (design.latency_cycles,) * 2
    assert report.blocks_per_cycle_seen == pytest.approx(design.blocks_per_cycle)
    assert (report.wrong_blocks, report.error_percent) == (0, 0.0)
