# SPDX-License-Identifier: Apache-2.0
"""What holds of a core's control, whatever the cipher: no secret in it, and no secret left behind.

Both follow from what depends on what in the circuit; no solver has to search for anything.
"""

from __future__ import annotations

from aesforge.prove.aig import Builder
from aesforge.prove.claim import SECRETS, Core
from aesforge.prove.unroll import Known, Unrolling, leaves, next_known, reached, spread_of

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
    first, end = circuit.first_register, circuit.first_gate
    trace = np.zeros(circuit.size, dtype=bool)
    kept = sorted(core.holders)
    left: set[int] = set()
    quiet = {core.rst: False, core.clear: False}
    # A counter on which no holder depends, as that of a RAM for tags, may stand anywhere.
    can = circuit.possible(leaves(circuit, core.invariant))
    for counters in core.orbit(reached(circuit, can, [2 * v for v in kept]), core.invariant):
        known: dict[int, bool] = {**core.invariant, **counters}
        trace[:] = False
        trace[[*core.secrets, *kept]] = True
        for cycle in range(design.clear_cycles):
            given = {core.rst: False, core.clear: True} if cycle == 0 else quiet
            can = circuit.possible(leaves(circuit, {**known, **given}))
            spread = spread_of(circuit, can, trace)
            trace[:] = False
            fixed = can[circuit.following] != can[circuit.following ^ 1]
            trace[first:end] = spread[circuit.following >> 1] & ~fixed
            known = next_known(circuit, can)
        suspects = [v for v in kept if trace[v]]
        if suspects:
            state = {**core.invariant, **counters}
            left |= set(_with_trace(core, state, suspects))
    return [circuit.registers[variable - first] for variable in sorted(left)]


def _with_trace(core: Core, state: Known, suspects: list[int]) -> list[int]:
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
    old |= {core.at_start[v] for v in core.holders}
    graph = builder.finish(
        (str(v), unrolling.value(core.design.clear_cycles, 2 * v)) for v in suspects
    )
    traced = [False, *(name in old for name in graph.inputs)]
    for a, b in graph.gates:
        traced.append(traced[a >> 1] or traced[b >> 1])
    return [v for v, lit in zip(suspects, graph.output, strict=True) if traced[lit >> 1]]
