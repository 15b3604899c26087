# SPDX-License-Identifier: Apache-2.0
"""Designs that hold every pair of choices, and how to choose few and cheap ones.

    PYTHONPATH=src python tests/python/pairs.py

writes `data/designs.json` anew, in two minutes; the same choices give the same file. Of many
random legal designs, a set that covers all pairs is taken by what each brings for its cost; then,
for as long as that makes it cheaper, a part of it is given up and chosen anew. (The library
``allpairspy`` gives fewer designs, but leaves out pairs where choices exclude each other, and
cannot prefer small cores.)
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from aesforge.design import CHOICES, Design, why_illegal
from aesforge.design.rules import RULES

FILE = Path(__file__).parent / "data" / "designs.json"
# What is not AES has tests of its own, test_research.py, and so have checked cores
# (test_check_core.py, test_faults.py), of which each is as big as two.
FIELDS = tuple(name for name in CHOICES if name not in ("scheme", "research", "error_detection"))
# Those that exclude each other first: a dead end then shows at once.
_BOUND = (
    *("architecture", "shift_rows", "unroll", "tiles"),
    *("direction", "sbox", "sbox_stages", "linear_stages", "key_schedule", "key_slots"),
)
FILLED_IN = (*_BOUND, *(name for name in FIELDS if name not in _BOUND))
# `why_illegal` asks all rules about everything, which takes minutes here.
RULES_OF = {
    name: [(frozenset(names), names, rule) for names, rule in RULES if name in names]
    for name in FIELDS
}
# Random designs with a pair, and how often a part of the set is chosen anew.
PER_PAIR, ROUNDS = 25, 800

Pair = tuple[tuple[str, Any], tuple[str, Any]]
Choices = dict[str, Any]


def pairs_of(choices: Choices) -> set[Pair]:
    return set(itertools.combinations([(name, choices[name]) for name in FIELDS], 2))


def completions(partial: Choices, rng: random.Random) -> Iterator[Choices]:
    """Return legal designs that hold ``partial``, in random order."""
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
    """Return what a design costs to compile and run, about, in hundredths of a CPU second."""
    sboxes = Design(**choices).sbox_count
    return 150 + sboxes * (2 if choices["sbox"] in ("bram", "table") else 3)


def possible_pairs() -> set[Pair]:
    """Return every pair of choices that some legal design holds."""
    rng = random.Random(0)
    found: set[Pair] = set()
    for one, other in itertools.combinations(FIELDS, 2):
        for values in itertools.product(CHOICES[one], CHOICES[other]):
            pair = ((one, values[0]), (other, values[1]))
            if pair not in found and why_illegal(dict(pair)) is None:
                found |= next((pairs_of(c) for c in completions(dict(pair), rng)), set())
    return found


def choose() -> list[Choices]:
    """Choose the designs, the costly ones first, so that two processes end at about one time."""
    rng = random.Random(1)
    pairs = sorted(possible_pairs(), key=repr)
    bit = {pair: 1 << number for number, pair in enumerate(pairs)}
    several = [next(completions(dict(pair), rng)) for pair in pairs for _ in range(PER_PAIR)]
    held = [sum(bit[pair] for pair in pairs_of(design)) for design in several]
    costs = [cost(design) for design in several]

    def cover(kept: list[int]) -> list[int]:
        """Complete a set, and leave out what the rest of it covers."""
        chosen, missing = list(kept), (1 << len(pairs)) - 1
        for number in kept:
            missing &= ~held[number]
        # Within a few steps a design brings about what it brought before: look at the best of then.
        while missing:
            gains = [
                (mask & missing).bit_count() / price
                for mask, price in zip(held, costs, strict=True)
            ]
            best = max(range(len(several)), key=lambda n: gains[n] * rng.uniform(0.9, 1.0))
            chosen.append(best)
            missing &= ~held[best]
        for number in sorted(chosen, key=lambda n: -costs[n]):
            rest = 0
            for other in chosen:
                rest |= held[other] if other != number else 0
            if rest.bit_count() == len(pairs):
                chosen.remove(number)
        return chosen

    best = cover([])
    for _ in range(ROUNDS):
        other = cover(rng.sample(best, len(best) - 6))
        if sum(costs[n] for n in other) <= sum(costs[n] for n in best):
            best = other
    return [several[n] for n in sorted(best, key=lambda n: (-costs[n], n))]


if __name__ == "__main__":
    lines = [json.dumps(choices) for choices in choose()]
    FILE.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
