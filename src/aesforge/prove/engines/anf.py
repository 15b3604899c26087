# SPDX-License-Identifier: Apache-2.0
"""Graphs compared by algebra: each value as a sum over GF(2) of inputs and of products.

Of AES, all but the S-boxes is linear, and the least of an S-box is a product. So the same value is
the same sum, in whatever order and by whatever steps it was worked out, and two graphs that have
their S-boxes in common are compared in a second. It is exact: equal normal_forms are equal
functions. But some equal functions have several normal_forms: that normal_forms differ says
nothing.

A form is an integer: bit 0 is the constant one, then there is a bit for each input and for each
product of two normal_forms, in the order in which they are met. Of two normal_forms a and b without
a constant, the product is that of any two of a, b and a + b, but for a term of the first degree;
the two that are least as numbers stand for it. A product that holds a factor already is not
multiplied by it again, and by its two factors' sum it is zero.
"""

from __future__ import annotations

from aesforge.netlist.aig import Aig

ONE = 1
# Graphs of table S-boxes have more: of those the normal_forms grow too long.
_MOST_PRODUCTS = 30_000


class _TooMany(Exception):
    """There are more products than it is worth while to follow."""


def alike(one: Aig, other: Aig) -> bool:
    """Return whether two graphs have the same outputs for certain; that they have not is no answer.

    Args:
        one: the first graph, without registers.
        other: the second one, with the same inputs in the same order, and as many outputs.
    """
    normal_forms = NormalForms(len(one.inputs))
    try:
        return normal_forms.outputs(one) == normal_forms.outputs(other)
    except _TooMany:
        return False


class NormalForms:
    """NormalForms of graphs that have their inputs in common.

    Args:
        inputs: how many there are.
    """

    def __init__(self, inputs: int) -> None:
        self._inputs = inputs
        # By its two factors.
        self._products: dict[tuple[int, int], int] = {}
        # By form, as sums: the products that it leaves as they are, and those that it makes zero.
        self._effects: dict[int, tuple[int, int]] = {}

    def product(self, a: int, b: int) -> int:
        """Return the form of the product of two normal_forms."""
        # (a + 1) b is a b + b, and so on.
        found = a & b & ONE
        if b & ONE:
            found ^= a & ~ONE
        if a & ONE:
            found ^= b & ~ONE
        a, b = a & ~ONE, b & ~ONE
        while a and b and a != b:
            # Of what is in two of a, b and a + b, the third one may have been a factor before. Then
            # it can be left out: of a b with b = c + a d, as a b = a c + a d.
            total = a ^ b
            for factor, other in ((a, b), (b, a), (total, a)):
                kept, ended = self._effects.get(factor, (0, 0))
                if other & (kept | ended):
                    # Where it is the sum: a b = a + a (a + b).
                    found ^= (other & kept) ^ (a if factor == total else 0)
                    a, b = factor, other & ~(kept | ended)
                    break
            else:
                return found ^ self._product_of(a, b, total)
        return found ^ a if a == b else found

    def _product_of(self, a: int, b: int, total: int) -> int:
        """Return the normal form of the product of two forms of which only the sum is known."""
        least, second, most = sorted((a, b, total))
        product = self._products.get((least, second))
        if product is None:
            if len(self._products) == _MOST_PRODUCTS:
                raise _TooMany
            product = 2 << (self._inputs + len(self._products))
            self._products[least, second] = product
            for factor, keeps in ((least, True), (second, True), (most, False)):
                kept, ended = self._effects.get(factor, (0, 0))
                self._effects[factor] = (
                    (kept | product, ended) if keeps else (kept, ended | product)
                )
        if most == total:
            return product
        # a (a + b) is a + a b.
        return product ^ (least if least != total else second)

    def outputs(self, graph: Aig) -> list[int]:
        """Return the form of each output of a graph without registers."""
        assert not graph.registers
        assert len(graph.inputs) == self._inputs
        first, gates = graph.first_gate, graph.gates
        normal_forms = {0: 0} | {1 + n: 2 << n for n in range(self._inputs)}
        choices: dict[int, tuple[int, ...] | None] = {}
        stack = [literal >> 1 for literal in graph.output]
        while stack:
            gate = stack[-1]
            if gate in normal_forms:
                stack.pop()
                continue
            if gate not in choices:
                choices[gate] = graph.choice(gates[gate - first], first)
            choice = choices[gate]
            needed = choice or gates[gate - first]
            missing = [literal >> 1 for literal in needed if literal >> 1 not in normal_forms]
            if missing:
                stack += missing
                continue
            stack.pop()
            operands = [normal_forms[literal >> 1] ^ (literal & 1) for literal in needed]
            if choice:
                # NOT (s ? x : y) is y + s (x + y) + 1, of an exclusive or x + y = 1.
                s, x, y = operands
                normal_forms[gate] = ONE ^ y ^ self.product(s, x ^ y)
            else:
                normal_forms[gate] = self.product(*operands)
        return [normal_forms[literal >> 1] ^ (literal & 1) for literal in graph.output]
