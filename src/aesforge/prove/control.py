# SPDX-License-Identifier: Apache-2.0
"""What holds of a core's control, whatever the cipher: no secret in it, and no secret left behind.

Both follow from what depends on what in the circuit; no solver has to search for anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aesforge.prove.aig import Builder
from aesforge.prove.claim import Core
from aesforge.prove.unroll import Known, Unrolling, leaves, next_known, reached

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SECRETS = ("in_block", "in_key", "key")
CONTROL = ("in_ready", "out_valid", "out_round", "key_ready")


def secrets_in_control(core: Core) -> list[str]:
    """Give the secret inputs on which some control output depends, over any number of cycles.

    The core may be in any state, and anything may come in: an empty list means that two runs that
    differ in keys and blocks only have the same `in_ready`, `out_valid` and `key_ready`, always.
    """
    circuit = core.aig
    can = circuit.possible(leaves(circuit, {}))
    roots = [literal for port in CONTROL for literal in circuit.bits_out(port)]
    seen = reached(circuit, can, roots)
    return [
        name
        for port in SECRETS
        for name, literal in zip(core.names(port), circuit.bits_in(port), strict=True)
        if literal >> 1 in seen
    ]


def secrets_behind_clear(core: Core) -> list[str]:
    """Give the registers that may hold a trace of a key or block after `clear` and its bound.

    `clear` is up in one cycle. From then on new inputs may come; what was in the core, and what
    came with `clear`, must be gone after `Design.clear_cycles` cycles. The core may be in any
    state in which a reset and whatever came after it can have left it.
    """
    import numpy as np

    circuit, design = core.aig, core.design
    secret_bits = [literal >> 1 for port in SECRETS for literal in circuit.bits_in(port)]
    # Registers that may ever hold a secret that came behind a reset.
    can = circuit.possible(leaves(circuit, core.invariant))
    trace = np.zeros(circuit.size, dtype=bool)
    trace[secret_bits] = True
    following = np.array(circuit.next_state, dtype=np.int64)
    first, end = circuit.first_register, circuit.first_gate
    while True:
        spread = _spread(core, can, trace)
        grown = trace[first:end] | spread[following >> 1]
        if (grown == trace[first:end]).all():
            break
        trace[first:end] = grown
    holders = trace[first:end].copy()
    left: set[int] = set()
    quiet = {core.rst: False, core.clear: False}
    # A counter on which no holder depends, as that of a RAM for tags, may stand anywhere.
    roots = [2 * (first + int(n)) for n in np.flatnonzero(holders)]
    for counters in core.orbit(reached(circuit, can, roots), core.invariant):
        known: dict[int, bool] = {**core.invariant, **counters}
        trace[:] = False
        trace[secret_bits] = True
        trace[first:end] = holders
        for cycle in range(design.clear_cycles):
            given = {core.rst: False, core.clear: True} if cycle == 0 else quiet
            can = circuit.possible(leaves(circuit, {**known, **given}))
            spread = _spread(core, can, trace)
            trace[:] = False
            fixed = can[following] != can[following ^ 1]
            trace[first:end] = spread[following >> 1] & ~fixed
            known = next_known(circuit, can)
        suspects = [first + int(n) for n in np.flatnonzero(trace[first:end] & holders)]
        if suspects:
            state = {**core.invariant, **counters}
            left |= set(_with_trace(core, state, suspects, np.flatnonzero(holders) + first))
    return [circuit.registers[variable - first] for variable in sorted(left)]


def _with_trace(
    core: Core, state: Known, suspects: list[int], holders: NDArray[np.int64]
) -> list[int]:
    """Give those of some registers that may hold a trace, by the graph of each of them.

    A trace is one of what came with `clear`, or of what the registers that may ever hold a secret
    held then: where control stood tells nothing of a key or block.

    What is simplified in the graph does not count: in a netlist, look-up tables often read what
    cannot change their output.
    """
    quiet = {core.rst: False, core.clear: False}
    cycles = [{**quiet, core.clear: True}, *([quiet] * core.design.clear_cycles)]
    builder = Builder([])
    unrolling = Unrolling(core.aig, cycles, state, builder)
    old = {f"{name}@0" for port in SECRETS for name in core.names(port)}
    old |= {core.at_start[int(v)] for v in holders}
    graph = builder.finish(
        (str(v), unrolling.value(core.design.clear_cycles, 2 * v)) for v in suspects
    )
    traced = [False, *(name in old for name in graph.inputs)]
    for a, b in graph.gates:
        traced.append(traced[a >> 1] or traced[b >> 1])
    return [v for v, lit in zip(suspects, graph.output, strict=True) if traced[lit >> 1]]


def _spread(core: Core, can: NDArray[np.bool_], trace: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Give the variables on which a trace comes through the gates of one cycle."""
    both = can[::2] & can[1::2]
    result: NDArray[np.bool_] = trace & both
    for gate, a, b in core.aig.levels:
        # A gate that can only have one value carries nothing on.
        result[gate] = (result[a >> 1] | result[b >> 1]) & both[gate]
    return result
