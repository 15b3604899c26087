# SPDX-License-Identifier: Apache-2.0
"""Functions of few inputs, tried for every value of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aesforge.errors import UsageError
from aesforge.netlist.aig import ALL_ONES, Aig, value_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_INPUTS = 24
"""With more, there are too many cases."""


def image(graph: Aig) -> set[tuple[int, ...]]:
    """Return all that a graph's outputs can be together.

    Raises:
        UsageError: they depend on too many inputs to try all.
    """
    import numpy as np

    used = graph.used_inputs()
    if len(used) > MAX_INPUTS:
        raise UsageError(f"{len(used)} inputs have a bearing on control: too many for cases")
    codes = np.zeros(1 << max(6, len(used)), dtype=np.int64)
    for number, bits in enumerate(every_case(graph, sorted(used))):
        codes |= bits.astype(np.int64) << number
    width = len(graph.output)
    return {tuple(int(code) >> n & 1 for n in range(width)) for code in np.unique(codes)}


def every_case(graph: Aig, names: list[str]) -> list[NDArray[np.uint8]]:
    """Return each output of a graph for every value of some inputs, the others false.

    The first of the inputs changes fastest; with less than six, cases come more than once.
    """
    import numpy as np

    words = 1 << max(0, len(names) - 6)
    number = np.arange(words, dtype=np.uint64)
    rows = {}
    for place, name in enumerate(names):
        if place < 6:
            pattern = sum(1 << bit for bit in range(64) if bit >> place & 1)
            rows[name] = np.full(words, pattern, dtype=np.uint64)
        else:
            rows[name] = (number >> np.uint64(place - 6) & np.uint64(1)) * np.uint64(ALL_ONES)
    none = np.zeros(words, dtype=np.uint64)
    given = np.array([rows.get(name, none) for name in graph.inputs], dtype=np.uint64)
    values = graph.simulate(given.reshape(len(graph.inputs), words))
    return [
        np.unpackbits(row.view(np.uint8), bitorder="little")
        for row in value_of(values, graph.output)
    ]


def truth_table(graph: Aig) -> NDArray[np.bool_]:
    """Return a graph's one output for every value of its inputs, an axis each."""
    import numpy as np

    count = len(graph.inputs)
    # Axis 0 is the first input, which changes fastest.
    bits = every_case(graph, graph.inputs)[0][: 1 << count].astype(bool)
    return np.asarray(bits.reshape((2,) * count, order="F"))


def cubes(table: NDArray[np.bool_]) -> list[dict[int, bool]]:
    """Split the cases in which a function is true into few disjoint sets.

    Args:
        table: an axis for each variable.

    Returns:
        For each set the variables that are fixed in it, by axis.
    """

    def split(fixed: dict[int, bool]) -> list[dict[int, bool]]:
        part = table[tuple(int(fixed[v]) if v in fixed else slice(None) for v in range(table.ndim))]
        if part.all():
            return [fixed]
        if not part.any():
            return []
        free = [v for v in range(table.ndim) if v not in fixed]

        def mixed(axis: int) -> int:
            halves = (part.take(value, axis) for value in (0, 1))
            return sum(bool(half.any()) and not bool(half.all()) for half in halves)

        axis = min(range(len(free)), key=mixed)
        return [cube for value in (False, True) for cube in split({**fixed, free[axis]: value})]

    return split({})
