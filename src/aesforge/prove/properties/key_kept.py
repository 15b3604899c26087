# SPDX-License-Identifier: Apache-2.0
"""What else is known of control while no register changes that holds a part of a slot's key.

`key_load.changed` proves that none does while a block under the key is in the core. A netlist may
read a store past a register that a pending write goes to: where RTL reads the old value, it
compares the two addresses. In a cycle with a known read address, the comparison is false unless
the write changes the key. Such consequences are found here, cycle by cycle, each by trying every
value of what it depends on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from aesforge.netlist.aig import Aig
from aesforge.prove.analysis.tables import every_case
from aesforge.prove.analysis.unroll import Known, Unrolling, carried_forward, leaves, next_leaves
from aesforge.prove.engines.reach import Machine
from aesforge.prove.properties.changes import Changes, free_inputs
from aesforge.prove.properties.core import Core

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from aesforge.prove.properties.key_load import KeyLoad

# A condition for a change that depends on more unknown values is not used.
_MAX_UNKNOWN = 16


class WhileKept:
    """The consequences of a slot's key staying as it is.

    Args:
        core: the core, with several slots.
        load: of the slot's key.
    """

    def __init__(self, core: Core, load: KeyLoad) -> None:
        self._circuit = circuit = core.aig
        data = core.tainted | load.held
        machine = Machine()
        cycle = Unrolling(circuit, [core.running], core.invariant, machine.builder)
        changes = Changes(
            core, machine, lambda bits: [cycle.value(0, bit) for bit in bits], data
        ).of(load.held)
        asked = _ruling(core, data | free_inputs(core), load.kept)
        values = [*sorted(changes), *(cycle.value(0, 2 * v) for v in asked)]
        graph = machine.builder.finish((str(n), literal) for n, literal in enumerate(values))
        # The circuit's variable of each input of the graph.
        at = {f"{name}@0": v for v, name in enumerate(circuit.inputs, 1)} | core.register_at
        self._inputs = [at[name] for name in graph.inputs]
        depends = _dependences(graph)
        self._changes = len(changes)
        every = reduce(or_, depends[: len(changes)], 0)
        # What has no input in common with any of them cannot follow from them.
        numbered = enumerate(asked, len(changes))
        self._asked = [(n, v) for n, v in numbered if depends[n] & every]
        self._graph = graph

    def known(self, cycles: Sequence[Known], state: Known) -> list[dict[int, bool]]:
        """Return for each cycle of a block the variables that have one value while the key stays.

        Args:
            cycles: the inputs known, from accepting the block until it is out. In the last cycle
                the key may have been replaced: nothing is known then.
            state: the registers known when it is accepted.
        """
        circuit = self._circuit
        found: list[dict[int, bool]] = []
        here = leaves(circuit, state)
        for given in cycles[:-1]:
            can = carried_forward(circuit, [given], here)[0]
            found.append(self._in_cycle(can))
            if found[-1]:
                can = carried_forward(circuit, [given], here, found[-1:])[0]
            here = next_leaves(circuit, can)
        return [*found, {}]

    def _in_cycle(self, can: NDArray[np.bool_]) -> dict[int, bool]:
        """Return what is known besides in a cycle, from what each literal can be in it."""
        unknown = [can[2 * v] and can[2 * v + 1] for v in self._inputs]
        graph = self._graph.fixed(
            {
                name: bool(can[2 * v])
                for name, v, free in zip(self._graph.inputs, self._inputs, unknown, strict=True)
                if not free
            }
        )
        needs = _dependences(graph)
        open_ = [(n, v) for n, v in self._asked if needs[n] and can[2 * v] and can[2 * v + 1]]
        found: dict[int, bool] = {}
        for change in range(self._changes):
            some = [(n, v) for n, v in open_ if not needs[n] & ~needs[change] and v not in found]
            if some and needs[change].bit_count() <= _MAX_UNKNOWN:
                names = [name for n, name in enumerate(graph.inputs) if needs[change] >> n & 1]
                found |= _consequences(graph, change, some, names)
        return found


def _consequences(
    graph: Aig, change: int, some: list[tuple[int, int]], names: list[str]
) -> dict[int, bool]:
    """Return those of some variables that have one value wherever a register cannot change.

    Args:
        graph: in which all are outputs.
        change: the number of the one that says whether the register can change.
        some: the number and the variable of each of the others.
        names: the inputs on which they depend.
    """
    outputs = [graph.output[n] for n in (change, *(n for n, _ in some))]
    first, *rows = every_case(replace(graph, output=outputs), names)
    stays = first == 0
    if not stays.any():
        return {}
    values = {v: row[stays] for (_, v), row in zip(some, rows, strict=True)}
    return {v: bool(row[0]) for v, row in values.items() if row.min() == row.max()}


def _dependences(graph: Aig) -> list[int]:
    """Return for each output of a graph the inputs that it is made of, as bits of a number."""
    masks = [0, *(1 << n for n in range(len(graph.inputs)))]
    for a, b in graph.gates:
        masks.append(masks[a >> 1] | masks[b >> 1])
    return [masks[literal >> 1] for literal in graph.output]


def _ruling(core: Core, data: set[int], kept: set[int]) -> list[int]:
    """Return the variables of control alone by which others go, but for what only rules the key.

    Args:
        core: the core.
        data: inputs and registers that are no control.
        kept: registers that keep their values, the next value of which nobody asks for.
    """
    import numpy as np

    circuit = core.aig
    alone = np.ones(circuit.size, dtype=bool)
    alone[list(data)] = False
    for gate, a, b in circuit.levels:
        alone[gate] = alone[a >> 1] & alone[b >> 1]
    first = circuit.first_register
    roots = [lit >> 1 for v, lit in enumerate(circuit.next_state, first) if v not in kept]
    roots += [literal >> 1 for literal in circuit.output]
    used = np.zeros(circuit.size, dtype=bool)
    used[roots] = True
    ruling = used & alone
    for gate, a, b in reversed(circuit.levels):
        # Below a variable of control alone there is nothing to ask for.
        open_ = used[gate] & ~alone[gate]
        for literal in (a, b):
            used[literal[open_] >> 1] = True
            ruling[literal[open_] >> 1] |= alone[literal[open_] >> 1]
    ruling[0] = False
    return [int(v) for v in np.flatnonzero(ruling)]
