# SPDX-License-Identifier: Apache-2.0
"""Several rings side by side: which of them takes a block, and that it alone gives one back then.

A ring keeps account of its blocks in a few registers. What these can hold after a reset is found
ring by ring, with everything else free. A block goes into the first ring that is ready, so each
ring makes a case, in which the rings before it hold what makes them not ready. That there are no
other cases is proved; so is, case by case, which signals of control are constant in a cycle, as
that no other ring has a block at its end when this one has. With these known, a graph of the block
holds one ring alone.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aesforge.errors import CheckFailed, UsageError
from aesforge.netlist.aig import ALL_ONES, FALSE, TRUE, Aig, Builder, value_of
from aesforge.prove.analysis.tables import MAX_INPUTS, cubes
from aesforge.prove.analysis.unroll import Known, Unrolling
from aesforge.prove.engines.equal import OF_CONTROL, Comparison

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Compare = Callable[..., Comparison]
"""Returns whether two graphs are equal, with an optional method: `equal.compare`."""

_RING = re.compile(r"gen_tile\[(\d+)\]")
_WORDS = 16


@dataclass(frozen=True)
class Account:
    """What the registers in which a ring keeps account of a block can hold together."""

    registers: tuple[int, ...]
    values: frozenset[tuple[int, ...]]

    @property
    def fixed(self) -> dict[int, bool]:
        """The registers that hold one value in all cases."""
        columns = zip(self.registers, zip(*self.values, strict=True), strict=True)
        return {v: bool(column[0]) for v, column in columns if len(set(column)) == 1}

    def only(self, values: Iterable[tuple[int, ...]]) -> Account:
        """Return the account of some of the values."""
        return Account(self.registers, self.values & frozenset(values))

    def matching(self, known: Known) -> Account:
        """Return the account of the values in which some registers hold what is known."""
        at = {v: place for place, v in enumerate(self.registers)}
        return self.only(
            values
            for values in self.values
            if all(values[at[v]] == value for v, value in known.items() if v in at)
        )

    def cubes_of(self, values: Iterable[tuple[int, ...]]) -> list[dict[int, bool]]:
        """Return disjoint sets that hold some values and, for the rest, what never stands there."""
        wanted = _table(values, len(self.registers))
        never = ~_table(self.values, len(self.registers))
        found = self._cubes(wanted | never)
        return [cube for cube in found if self.matching(cube).values]

    def _cubes(self, table: NDArray[np.bool_]) -> list[dict[int, bool]]:
        return [{self.registers[n]: bit for n, bit in cube.items()} for cube in cubes(table)]

    def holds(self, builder: Builder, literal: Mapping[int, int]) -> int:
        """Return the literal that says whether the registers hold one of the values."""
        none = TRUE
        for cube in self._cubes(_table(self.values, len(self.registers))):
            every = TRUE
            for v, value in cube.items():
                every = builder.conjunction(every, literal[v] ^ (not value))
            none = builder.conjunction(none, every ^ 1)
        return none ^ 1


def _table(values: Iterable[tuple[int, ...]], axes: int) -> NDArray[np.bool_]:
    import numpy as np

    table = np.zeros((2,) * axes, dtype=bool)
    for place in values:
        table[place] = True
    return table


def ring_of(register: str) -> int:
    """Return the number of the ring that a register belongs to, by its name; -1 for none."""
    found = _RING.match(register)
    return int(found[1]) if found else -1


def ways_in(
    ready: Aig, accounts: Sequence[Account], names: Mapping[int, str], compare: Compare
) -> Iterator[tuple[int, dict[int, bool], list[Account]]]:
    """Return the cases in which a block is taken.

    Args:
        ready: a graph with one output, whether one is.
        accounts: those of the rings, in the order in which they take blocks.
        names: under which what registers hold is an input of a graph.
        compare: decides whether these are all the cases.

    Yields:
        The ring, the registers known outside the rings and in it, and the accounts of all rings.

    Raises:
        CheckFailed: there are more ways in.
        UsageError: there are too many to try.
    """
    variables = {name: v for v, name in names.items()}
    inside = {v for account in accounts for v in account.registers}
    shared = [v for v in map(variables.__getitem__, ready.inputs) if v not in inside]
    if len(shared) > MAX_INPUTS // 2:
        raise UsageError(
            f"in_ready depends on {len(shared)} registers outside the rings: too many for cases"
        )
    builder = Builder([])

    def with_known(known: Known) -> int:
        literals = [
            int(known[v]) if v in known else builder.input_named(names[v])
            for v in (variables[name] for name in ready.inputs)
        ]
        return builder.copy(ready, literals)[0]

    # Outside the rings, as after zeroization, only what makes a difference.
    ways: dict[int, list[tuple[int, ...]]] = {}
    for values in itertools.product((0, 1), repeat=len(shared)):
        ways.setdefault(with_known(_values(shared, values)), []).append(values)
    for way, alike in ways.items():
        if way == FALSE:
            continue
        outside = _values(shared, alike[0])
        before: list[Account] = []
        cases: list[tuple[int, dict[int, bool], list[Account]]] = []
        for number, account in enumerate(accounts):
            taking = [
                values
                for values in account.values
                if with_known({**outside, **_values(account.registers, values)}) == TRUE
            ]
            for mine in account.cubes_of(taking) if taking else []:
                rings = [*before, account.matching(mine), *accounts[number + 1 :]]
                cases.append((number, mine, rings))
            before.append(account.only(account.values.difference(taking)))
            if not before[-1].values:
                break
        else:
            # In the other states none may be ready.
            literal = {v: builder.input_named(names[v]) for v in inside}
            still = with_known(outside)
            for account in before:
                still = builder.conjunction(still, account.holds(builder, literal))
            if _difference(builder, still, compare) is not None:
                raise CheckFailed("in_ready is up though no ring is ready for certain")
        for cube in cubes(_table(alike, len(shared))):
            for number, mine, rings in cases:
                yield number, {**{shared[n]: bit for n, bit in cube.items()}, **mine}, rings


def constants(
    circuit: Aig,
    cycles: Sequence[Known],
    state: Known,
    accounts: Sequence[Account],
    control: set[int],
    names: Mapping[int, str],
    compare: Compare,
) -> list[dict[int, bool]]:
    """Give, for each cycle, the variables with one value among those by which control rules data.

    Args:
        circuit: the core's.
        cycles: for each cycle the inputs that are known.
        state: registers known in cycle 0.
        accounts: what others can hold in cycle 0.
        control: the registers and inputs that control depends on.
        names: under which what registers start with is an input of a graph.
        compare: proves that they are constant.
    """
    import numpy as np

    builder = Builder([])
    unrolling = Unrolling(circuit, cycles, state, builder)
    border = _border(circuit, control)
    asked = [
        (cycle, int(v))
        for cycle, can in enumerate(unrolling.can)
        for v in border[can[2 * border] & can[2 * border + 1]]
    ]
    literals = [unrolling.value(cycle, 2 * v) for cycle, v in asked]
    registers = {v for account in accounts for v in account.registers if v not in state}
    literal = {v: builder.input_named(names[v]) for v in registers}
    literal |= {v: int(state[v]) for account in accounts for v in account.registers if v in state}
    allowed = TRUE
    for account in accounts:
        allowed = builder.conjunction(allowed, account.holds(builder, literal))
    graph = builder.finish([(str(n), at) for n, at in enumerate(literals)])
    rng = np.random.default_rng(1)
    place = {name: n for n, name in enumerate(graph.inputs)}
    rows = [
        (account, [(v, place[names[v]]) for v in account.registers if names[v] in place])
        for account in accounts
    ]

    def near(inputs: Mapping[str, bool], often: int) -> NDArray[np.uint64]:
        """Return inputs that differ from some in one bit of 2 ** often, and in every other ring."""
        shape = (often, len(graph.inputs), _WORDS)
        bits = np.array([-int(inputs.get(name, False)) for name in graph.inputs]).astype(np.uint64)
        flips = np.bitwise_and.reduce(rng.integers(0, 1 << 64, shape, dtype=np.uint64), axis=0)
        flips[:, 0] = 0
        leaves: NDArray[np.uint64] = bits[:, None] ^ flips
        for account, places in rows:
            values = dict(drawn(account, rng, _WORDS))
            kept = rng.integers(0, 1 << 64 if inputs else 1, _WORDS, dtype=np.uint64)
            kept[0] = ALL_ONES if inputs else 0
            for v, at in places:
                leaves[at] = values[v] & ~kept | bits[at] & kept
        return leaves

    found = _steady(graph, near({}, 1))
    while True:
        right = TRUE
        for n, value in found.items():
            right = builder.conjunction(right, literals[n] ^ (not value))
        wrong = builder.conjunction(allowed, right ^ 1)
        difference = _difference(builder, wrong, compare)
        if difference is None:
            break
        fewer = _steady(graph, near(difference, 3))
        still = {n: value for n, value in found.items() if fewer.get(n) == value}
        if len(still) == len(found):
            raise CheckFailed("the states of control beside a block could not be computed")
        found = still
    result: list[dict[int, bool]] = [{} for _ in cycles]
    for n, value in found.items():
        cycle, v = asked[n]
        result[cycle][v] = value
    return result


def _steady(graph: Aig, leaves: NDArray[np.uint64]) -> dict[int, bool]:
    """Return the outputs that are the same for all of some inputs, by number."""
    rows = value_of(graph.simulate(leaves), graph.output)
    low, high = rows.min(axis=1), rows.max(axis=1)
    return {
        n: bool(low[n]) for n in range(len(rows)) if low[n] == high[n] and low[n] in (0, ALL_ONES)
    }


def drawn(
    account: Account, rng: np.random.Generator, words: int
) -> Iterator[tuple[int, NDArray[np.uint64]]]:
    """Return random reachable values of each register of an account, 64 to a word."""
    import numpy as np

    values = np.array(sorted(account.values), dtype=np.uint8)
    chosen = values[rng.integers(0, len(values), 64 * words)]
    for n, v in enumerate(account.registers):
        yield v, np.packbits(chosen[:, n], bitorder="little").view(np.uint64)


def without_foreign(graph: Aig, own: Sequence[str]) -> Aig:
    """Return a graph that may do more: what does not depend on some inputs is free in it."""
    depends = [False, *(name in own for name in graph.inputs)]
    builder = Builder(own)
    at = [FALSE, *(builder.input_named(name) if name in own else FALSE for name in graph.inputs)]

    def leaf(literal: int) -> int:
        v = literal >> 1
        if v and not depends[v]:
            return builder.input_named(f"free {v}") ^ (literal & 1)
        return at[v] ^ (literal & 1)

    for a, b in graph.gates:
        depends.append(depends[a >> 1] or depends[b >> 1])
        at.append(builder.conjunction(leaf(a), leaf(b)) if depends[-1] else FALSE)
    outputs = [(name, leaf(at)) for name, at in zip(graph.outputs, graph.output, strict=True)]
    return builder.finish(outputs)


def _values(registers: Sequence[int], values: Sequence[int]) -> dict[int, bool]:
    return {v: bool(value) for v, value in zip(registers, values, strict=True)}


def _border(circuit: Aig, control: set[int]) -> NDArray[np.int64]:
    """Return the variables that depend on control alone, and on which something else depends."""
    import numpy as np

    alone = np.zeros(circuit.size, dtype=bool)
    alone[[0, *control]] = True
    border = np.zeros(circuit.size, dtype=bool)
    for gate, a, b in circuit.levels:
        alone[gate] = alone[a >> 1] & alone[b >> 1]
        mixed = ~alone[gate]
        border[a[mixed] >> 1] = border[b[mixed] >> 1] = True
    border[np.array(circuit.output) >> 1] = True
    border[0] = False
    return np.flatnonzero(border & alone)


def _difference(builder: Builder, literal: int, compare: Compare) -> dict[str, bool] | None:
    """Return an input for which a literal is true, None when it never is.

    Raises:
        CheckFailed: the checker does not know.
    """
    if literal == FALSE:
        return None
    graph = builder.finish([("wrong", literal)])
    found = compare(graph, Builder(graph.inputs).finish([("wrong", FALSE)]), OF_CONTROL)
    if found.equal:
        return None
    if found.difference is None:
        raise CheckFailed("the checker gave up on the states of control beside a block")
    return found.difference
