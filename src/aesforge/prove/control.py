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
    circuit = core.aig
    kept = core.holders
    # A counter on which no holder depends, as that of a RAM for tags, may stand anywhere.
    can = circuit.possible(leaves(circuit, core.invariant))
    orbit = core.orbit(reached(circuit, can, [2 * v for v in sorted(kept)]), core.invariant)
    if suspects := _suspects(core, orbit[0], kept):
        kept = kept - never_written(core, orbit, suspects)
    left: set[int] = set()
    for counters in orbit:
        suspects = _suspects(core, counters, kept)
        if suspects:
            left |= set(_with_trace(core, {**core.invariant, **counters}, suspects, kept))
    return [circuit.registers[variable - circuit.first_register] for variable in sorted(left)]


def _suspects(core: Core, counters: Known, kept: set[int]) -> list[int]:
    """Give those of the registers that may hold a secret to which a path leads from one.

    Args:
        core: the core.
        counters: where they stand when `clear` comes.
        kept: registers that may hold a secret then.
    """
    import numpy as np

    circuit = core.aig
    first, end = circuit.first_register, circuit.first_gate
    known: Known = {**core.invariant, **counters}
    trace = np.zeros(circuit.size, dtype=bool)
    trace[[*core.secrets, *kept]] = True
    for cycle in range(core.design.clear_cycles):
        given = {core.rst: False, core.clear: cycle == 0}
        can = circuit.possible(leaves(circuit, {**known, **given}))
        spread = spread_of(circuit, can, trace)
        trace[:] = False
        fixed = can[circuit.following] != can[circuit.following ^ 1]
        trace[first:end] = spread[circuit.following >> 1] & ~fixed
        known = next_known(circuit, can)
    return [v for v in sorted(kept) if trace[v]]


def never_written(core: Core, orbit: list[dict[int, bool]], suspects: list[int]) -> set[int]:
    """Give those of some registers that never get a secret, wherever counters come to stand.

    They are the places of a RAM behind the last one that its counter reaches: a cell of a family
    has more of them than the delay that was made of it.
    """
    import numpy as np

    circuit = core.aig
    following = circuit.following >> 1
    never = set(suspects)
    while never:
        trace = np.zeros(circuit.size, dtype=bool)
        trace[[*core.secrets, *(core.holders - never)]] = True
        written: set[int] = set()
        for counters in orbit:
            known = {**core.invariant, **counters, core.rst: False}
            spread = spread_of(circuit, circuit.possible(leaves(circuit, known)), trace)
            written |= {v for v in never if spread[following[v - circuit.first_register]]}
        if not written:
            break
        never -= written
    return never


def _with_trace(core: Core, state: Known, suspects: list[int], kept: set[int]) -> list[int]:
    """Give those of some registers that may hold a trace, by the graph of each of them.

    A trace is one of what came with `clear`, or of what registers that may hold a secret, `kept`,
    held then: where control stood tells nothing of a key or block.

    What is simplified in the graph does not count: in a netlist, look-up tables often read what
    cannot change their output.
    """
    quiet = {core.rst: False, core.clear: False}
    cycles = [{**quiet, core.clear: True}, *([quiet] * core.design.clear_cycles)]
    builder = Builder([])
    unrolling = Unrolling(core.aig, cycles, state, builder)
    old = {f"{name}@0" for port in SECRETS for name in core.names(port)}
    old |= {core.at_start[v] for v in kept}
    graph = builder.finish(
        (str(v), unrolling.value(core.design.clear_cycles, 2 * v)) for v in suspects
    )
    traced = [False, *(name in old for name in graph.inputs)]
    for a, b in graph.gates:
        traced.append(traced[a >> 1] or traced[b >> 1])
    return [v for v, lit in zip(suspects, graph.output, strict=True) if traced[lit >> 1]]
