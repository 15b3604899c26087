# SPDX-License-Identifier: Apache-2.0
"""What holds of a core's control, whatever the cipher: no secret in it, and no secret left.

Both follow from what depends on what in the circuit; no solver has to search for anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aesforge.netlist.aig import Aig, Builder
from aesforge.prove.analysis.unroll import (
    AT_ONCE,
    Known,
    Unrolling,
    a_cycle_later,
    carried_forward,
    leaves,
    next_known,
    one_of,
    packed,
    reached,
    tainted_later,
)
from aesforge.prove.properties.core import SECRETS, Core
from aesforge.prove.properties.counters import reachable_states

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CONTROL = ("in_ready", "out_valid", "out_round", "key_ready")


def secrets_in_control(core: Core) -> list[str]:
    """Return the secret inputs on which some control output depends, over any number of cycles.

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


@dataclass(frozen=True)
class Moment:
    """A cycle after a reset, or one of many of which the same is known."""

    known: Known
    """Registers whose values are known then."""
    tainted: set[int]
    """Registers that may hold a secret that came after the reset."""


def secrets_after_zeroize(core: Core, cycles: int) -> list[str]:
    """Return the registers that may hold a trace of a key or block some cycles after `zeroize`.

    `zeroize` is high in one cycle. From then on new inputs may come; what was in the core, and what
    came with `zeroize`, must be gone. The core may be in any state in which a reset and whatever
    came after it can have left it.

    Args:
        core: the core.
        cycles: after `zeroize`.
    """
    circuit = core.aig
    # A counter on which no tainted depends, as that of a RAM for tags, may stand anywhere.
    can = circuit.possible(leaves(circuit, core.invariant))
    counters = reached(circuit, can, [2 * v for v in sorted(core.tainted)])
    every = moments(core, reachable_states(core, counters, core.invariant))
    never: set[int] = set()
    for suspects in _suspects(core, every[-1:], cycles, never):
        never = never_written(core, every, suspects)
    left: set[int] = set()
    for moment, suspects in zip(every, _suspects(core, every, cycles, never), strict=True):
        if suspects:
            left |= set(_with_trace(core, moment.known, cycles, suspects, moment.tainted - never))
    return [circuit.registers[variable - circuit.first_register] for variable in sorted(left)]


def moments(core: Core, phases: list[dict[int, bool]]) -> list[Moment]:
    """Return all that can be the case in some cycle after a reset.

    What follows a counter a cycle later, as a register in front of the address of a RAM, is known
    as well once that has gone round: of any cycle from then on, by where the counter stands. The
    cycles before stand first, one by one: little that came after the reset has got far in them.

    Args:
        core: the core.
        phases: the states of its counters, :func:`reachable_states`.
    """
    circuit, running = core.aig, {core.rst: False}
    known: Known = phases[0]
    later: list[Moment] = []
    for _ in range(2 * len(phases)):
        later.append(Moment({**core.invariant, **known}, core.tainted))
        known = a_cycle_later(circuit, {**later[-1].known, **running})
    later = later[len(phases) :]
    first = [Moment(core.after_reset, set())]
    while not later[(len(first) - 1) % len(phases)].known.items() <= first[-1].known.items():
        here = first[-1]
        can = circuit.possible(leaves(circuit, {**here.known, **running}))
        trace = tainted_later(circuit, can, _marked(circuit, [*core.secrets, *here.tainted]))
        first.append(Moment(next_known(circuit, can), _places(trace)))
    return first[:-1] + later


def _marked(circuit: Aig, variables: list[int]) -> NDArray[np.bool_]:
    import numpy as np

    trace = np.zeros(circuit.size, dtype=bool)
    trace[variables] = True
    return trace


def _places(trace: NDArray[np.bool_]) -> set[int]:
    import numpy as np

    return set(map(int, np.flatnonzero(trace)))


def _suspects(
    core: Core, every: Sequence[Moment], length: int, never: set[int]
) -> Iterator[list[int]]:
    """Return the registers to which a path leads from what may hold a secret when `zeroize` comes.

    Args:
        core: the core.
        every: when it may come: each has registers of its own.
        length: cycles from then on.
        never: registers that never hold a secret.
    """
    circuit = core.aig
    cycles = [{core.rst: False, core.zeroize: cycle == 0} for cycle in range(length)]
    for first in range(0, len(every), AT_ONCE):
        some = every[first : first + AT_ONCE]
        here = packed([leaves(circuit, moment.known) for moment in some])
        tainted = [[*core.secrets, *(moment.tainted - never)] for moment in some]
        trace = packed([_marked(circuit, variables) for variables in tainted])
        for can in carried_forward(circuit, cycles, here):
            trace = tainted_later(circuit, can, trace)
        for number in range(len(some)):
            yield sorted(_places(one_of(trace, number)) - never)


def never_written(core: Core, every: list[Moment], suspects: list[int]) -> set[int]:
    """Return those of some registers that never get a secret, wherever counters come to stand.

    They are the places of a RAM after the last one that its counter reaches: a cell of a family
    has more of them than the delay that was made of it.
    """
    circuit = core.aig
    can = [circuit.possible(leaves(circuit, {**at.known, core.rst: False})) for at in every]
    never = set(suspects)
    while never:
        written: set[int] = set()
        for moment, possible in zip(every, can, strict=True):
            trace = _marked(circuit, [*core.secrets, *(moment.tainted - never)])
            written |= never & _places(tainted_later(circuit, possible, trace))
        if not written:
            break
        never -= written
    return never


def _with_trace(
    core: Core, state: Known, length: int, suspects: list[int], kept: set[int]
) -> list[int]:
    """Return those of some registers that may hold a trace, by the graph of each of them.

    A trace is one of what came with `zeroize`, or of what registers that may hold a secret, `kept`,
    held then: where control stood tells nothing of a key or block.

    What is simplified in the graph does not count: in a netlist, look-up tables often read what
    cannot change their output.
    """
    quiet = {core.rst: False, core.zeroize: False}
    cycles = [{**quiet, core.zeroize: True}, *([quiet] * length)]
    builder = Builder([])
    unrolling = Unrolling(core.aig, cycles, state, builder)
    old = {f"{name}@0" for port in SECRETS for name in core.names(port)}
    old |= {core.at_start[v] for v in kept}
    graph = builder.finish((str(v), unrolling.value(length, 2 * v)) for v in suspects)
    traced = [False, *(name in old for name in graph.inputs)]
    for a, b in graph.gates:
        traced.append(traced[a >> 1] or traced[b >> 1])
    return [v for v, lit in zip(suspects, graph.output, strict=True) if traced[lit >> 1]]
