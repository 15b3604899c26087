# SPDX-License-Identifier: Apache-2.0
"""Graphs of two vectors read as bilinear forms over GF(2): sums of products of a bit of each.

The outputs of a multiplier are such sums, whatever its structure. Each is worked out gate by gate,
without a solver and exactly: with the coefficients of a product, a graph is that product for all
inputs; with one that differs, it is another function.
"""

from __future__ import annotations

from aesforge.errors import AesforgeError
from aesforge.netlist.aig import Aig
from aesforge.prove.engines.anf import NormalForms


class NotBilinear(AesforgeError):
    """An output has other terms than products of both vectors, or a gate is of a higher degree."""


def coefficients(graph: Aig, left: int) -> list[int]:
    """Return the products in each output: bit ``i * right + j`` for that of left[i] and right[j].

    Args:
        graph: without registers; its inputs are those of the left vector, then of the right one.
        left: how many inputs the left vector has.

    Raises:
        NotBilinear: an output is no sum of such products, or is not made of such sums.
    """
    forms = _BilinearForms(left, len(graph.inputs) - left)
    found = []
    for name, form in zip(graph.outputs, forms.outputs(graph), strict=True):
        products, rest = divmod(form, 1 << forms.first_product)
        if rest:
            raise NotBilinear(f"{name} has terms that are no products of both vectors")
        found.append(products)
    return found


class _BilinearForms(NormalForms):
    """Normal forms whose products are those of an input of each vector, in a fixed order."""

    def __init__(self, left: int, right: int) -> None:
        super().__init__(left + right)
        self.first_product = 1 + left + right
        self._left, self._right = left, right

    def _product_of(self, a: int, b: int, total: int) -> int:
        if max(a, b) >> self.first_product:
            raise NotBilinear("a gate multiplies products")
        left = (1 << self._left) - 1
        a_left, b_left = a >> 1 & left, b >> 1 & left
        a_right, b_right = a >> (1 + self._left), b >> (1 + self._left)
        if (a_left and b_left) or (a_right and b_right):
            raise NotBilinear("a gate multiplies two bits of one vector")
        row, of = (a_right, b_left) if b_left else (b_right, a_left)
        products = 0
        for i in range(self._left):
            if of >> i & 1:
                products ^= row << i * self._right
        return products << self.first_product
