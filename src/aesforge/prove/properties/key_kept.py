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
_MAX_UNKNOWN = 14


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
        self._changes = [(n, depends[n]) for n in range(len(changes))]
        every = 0
        for _, mask in self._changes:
            every |= mask
        self._asked = [
            (n, v, depends[n]) for n, v in enumerate(asked, len(changes)) if depends[n] & every
        ]
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
        known, unknown = {}, 0
        for n, v in enumerate(self._inputs):
            if can[2 * v] and can[2 * v + 1]:
                unknown |= 1 << n
            else:
                known[self._graph.inputs[n]] = bool(can[2 * v])
        open_ = [
            (n, v, mask & unknown)
            for n, v, mask in self._asked
            if mask & unknown and can[2 * v] and can[2 * v + 1]
        ]
        found: dict[int, bool] = {}
        for number, mask in self._changes:
            free = mask & unknown
            some = [(n, v) for n, v, needs in open_ if not needs & ~free and v not in found]
            if some and free.bit_count() <= _MAX_UNKNOWN:
                found |= self._consequences(number, some, known, free)
        return found

    def _consequences(
        self, change: int, some: list[tuple[int, int]], known: dict[str, bool], free: int
    ) -> dict[int, bool]:
        """Return those of some variables that have one value wherever a register cannot change."""
        graph = Aig(
            self._graph.inputs,
            gates=self._graph.gates,
            output=[self._graph.output[n] for n in (change, *(n for n, _ in some))],
            outputs=["change", *(str(v) for _, v in some)],
        )
        names = [name for n, name in enumerate(graph.inputs) if free >> n & 1]
        first, *rows = every_case(graph.fixed(known), names)
        stays = first == 0
        if not stays.any():
            return {}
        found = {}
        for (_, v), row in zip(some, rows, strict=True):
            values = row[stays]
            if values.min() == values.max():
                found[v] = bool(values[0])
        return found


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
