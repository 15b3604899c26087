# SPDX-License-Identifier: Apache-2.0
"""Algebra says of two graphs that they are equal only if they are."""

from __future__ import annotations

import random
from collections import defaultdict

import pytest

from aesforge.netlist.aig import Aig, Builder
from aesforge.prove.analysis.tables import every_case
from aesforge.prove.engines import anf
from aesforge.prove.engines.anf import NormalForms

INPUTS = 6
CASES = (1 << (1 << INPUTS)) - 1


class Followed(NormalForms):
    """NormalForms with the value that each bit has in all 64 cases of six inputs."""

    def __init__(self) -> None:
        super().__init__(INPUTS)
        patterns = (sum(1 << case for case in range(64) if case >> n & 1) for n in range(INPUTS))
        self._bits = [CASES, *patterns]

    def value(self, form: int) -> int:
        """The value of a form, a bit for each case."""
        for least, second in list(self._products)[len(self._bits) - 1 - INPUTS :]:
            self._bits.append(self.value_of_known(least) & self.value_of_known(second))
        return self.value_of_known(form)

    def value_of_known(self, form: int) -> int:
        """The same for a form of bits whose values are known."""
        total = 0
        for bit, value in enumerate(self._bits):
            total ^= value if form >> bit & 1 else 0
        return total


@pytest.mark.parametrize("seed", range(20))
def test_a_product_has_the_value_of_its_factors(seed: int) -> None:
    """Factors with products in them, of the same factors again, and of what is left of them."""
    draw, followed = random.Random(seed), Followed()
    known = [1 << n for n in range(1 + INPUTS)]
    for _ in range(150):
        a, b = (sum({draw.choice(known) for _ in range(draw.randint(1, 4))}) for _ in range(2))
        b ^= draw.choice((0, 0, a, a ^ 1))
        product = followed.product(a, b)
        assert followed.value(product) == followed.value(a) & followed.value(b)
        assert product == followed.product(b, a)
        known += [product & -product] if product and product & -product not in known else []
        known.append(1 << max(1, product.bit_length() - 1))


def drawn(draw: random.Random) -> Aig:
    """A graph of six inputs, each gate an output."""
    builder = Builder([f"i{n}" for n in range(INPUTS)])
    literals = [builder.input_named(name) for name in builder.inputs]
    for _ in range(40):
        a, b = (draw.choice(literals) ^ draw.getrandbits(1) for _ in range(2))
        if draw.random() < 0.5:
            literals.append(builder.conjunction(a, b))
        else:
            either = builder.conjunction(a ^ 1, b ^ 1)
            literals.append(builder.conjunction(either ^ 1, builder.conjunction(a, b) ^ 1))
    return builder.finish((str(n), literal) for n, literal in enumerate(literals))


def test_what_has_one_form_has_one_value() -> None:
    """And most of what has one value has one form."""
    draw = random.Random(1)
    pairs = several = 0
    for _ in range(60):
        graph = drawn(draw)
        values = [bits.tobytes() for bits in every_case(graph, graph.inputs)]
        of_form: dict[int, set[bytes]] = defaultdict(set)
        of_value: dict[bytes, set[int]] = defaultdict(set)
        for form, value in zip(NormalForms(INPUTS).outputs(graph), values, strict=True):
            of_form[form].add(value)
            of_value[value].add(form)
        assert all(len(found) == 1 for found in of_form.values())
        pairs += len(of_value)
        several += sum(len(found) > 1 for found in of_value.values())
    assert pairs > 1000
    assert several < pairs / 4


def chosen(swapped: bool, wrong: bool = False) -> Aig:
    """A choice between two bits, its halves swapped, or between one of them and a third one."""
    builder = Builder(["s", "x", "y", "z"])
    s, x, y, z = (builder.input_named(name) for name in builder.inputs)
    if swapped:
        s, x, y = s ^ 1, y, z if wrong else x
    one, other = builder.conjunction(s, x), builder.conjunction(s ^ 1, y)
    return builder.finish([("y", builder.conjunction(one ^ 1, other ^ 1))])


def test_a_choice_is_the_same_the_other_way_round() -> None:
    assert anf.alike(chosen(swapped=False), chosen(swapped=True))
    assert not anf.alike(chosen(swapped=False), chosen(swapped=True, wrong=True))


def test_too_many_products_are_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = drawn(random.Random(2))
    assert anf.alike(graph, graph)
    monkeypatch.setattr(anf, "_MOST_PRODUCTS", 3)
    assert not anf.alike(graph, graph)
