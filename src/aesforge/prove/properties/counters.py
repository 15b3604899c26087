# SPDX-License-Identifier: Apache-2.0
"""The states of counters and of what keeps account of blocks, as a reset leads to them."""

from __future__ import annotations

import itertools

from aesforge.errors import UsageError
from aesforge.netlist.aig import Aig, Builder
from aesforge.prove.analysis import rings
from aesforge.prove.analysis.tables import image
from aesforge.prove.analysis.unroll import Known, Unrolling, a_cycle_later
from aesforge.prove.properties.core import Core

# A counter with more states than that is a sign that something else was taken for one.
_MAX_PHASES = 1024
_MAX_ACCOUNT_REGISTERS = 12


def reachable_states(core: Core, reached: set[int], invariant: Known) -> list[dict[int, bool]]:
    """Return the states through which counters among some variables go after a reset.

    Args:
        core: the core.
        reached: the variables; those that are no counters do not matter.
        invariant: registers that keep a value anyway.

    Raises:
        UsageError: there are too many states.
    """
    circuit = core.aig
    reset = {core.rst: False}
    counters = {v for v in reached if v in core.after_reset and v not in invariant}
    while counters:
        state = {v: core.after_reset[v] for v in counters}
        states: list[dict[int, bool]] = []
        while state not in states:
            states.append(state)
            if len(states) > _MAX_PHASES:
                raise UsageError(f"a counter has more than {_MAX_PHASES} states: no proof")
            known = {**core.invariant, **state, **reset}
            after = a_cycle_later(circuit, known)
            left = counters & after.keys()
            if left != counters:
                counters = left
                break
            state = {v: after[v] for v in counters}
        else:
            return states
    return [{}]


def account_states(core: Core, group: list[int]) -> set[tuple[int, ...]]:
    """Return the values that some registers can have together after a reset.

    They are followed in steps of a turn of the ring, after which each place of it holds the
    block it held, or another; everything else may be anything in every step. Values at the end
    of a turn follow from values at its beginning, so those of the first turn and what follows
    from them are all.

    Raises:
        UsageError: too much has a bearing on them.
    """
    if len(group) > _MAX_ACCOUNT_REGISTERS:
        raise UsageError(
            f"out_valid depends on {len(group)} registers that keep account of other blocks: "
            "too many for cases"
        )
    circuit = core.aig
    turn = core.design.unrolled_rounds * core.design.stages
    running = {core.rst: False}
    waiting: set[tuple[int, ...]] = set()
    state: Known = core.after_reset
    for _ in range(turn):
        choices = [(int(state[v]),) if v in state else (0, 1) for v in group]
        waiting.update(itertools.product(*choices))
        state = a_cycle_later(circuit, {**core.invariant, **state, **running})
    cycles = [running] * (turn + 1)

    def after(known: Known) -> Aig:
        builder = Builder([])
        unrolling = Unrolling(circuit, cycles, {**core.invariant, **known}, builder)
        return builder.finish((str(v), unrolling.value(turn, 2 * v)) for v in group)

    names = [core.at_start[v] for v in group]
    # Of other rings, whatever they do.
    alone = rings.without_foreign(after({}), names) if core.has_rings else None
    found: set[tuple[int, ...]] = set()
    while waiting:
        values = waiting.pop()
        found.add(values)
        bits = [bool(value) for value in values]
        if alone is None:
            graph = after(dict(zip(group, bits, strict=True)))
        else:
            graph = alone.fixed(dict(zip(names, bits, strict=True)))
        waiting |= image(graph) - found
    return found
