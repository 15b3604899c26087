# SPDX-License-Identifier: Apache-2.0
"""Load a stored key after a reset, and find the registers that keep it.

With several slots, they keep it whatever is loaded into other slots, and through a load into the
same slot until each block under the old key is out: :func:`changed` asks whether that holds. With
one slot, no key is accepted while a block is in the core: :func:`accepted_too_soon`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aesforge.design import Design
from aesforge.errors import UsageError
from aesforge.netlist.aig import Builder, value_of
from aesforge.prove.analysis.rings import Compare
from aesforge.prove.analysis.unroll import (
    Known,
    Unrolling,
    a_cycle_later,
    invariant_registers,
    leaves,
    tainted_later,
)
from aesforge.prove.properties.case import NotAccepted
from aesforge.prove.properties.changes import Changes
from aesforge.prove.properties.core import Core
from aesforge.prove.properties.handshake import Question, Watched

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# A core may wait until its blocks have left before it accepts a key, and a little longer.
_SLACK = 16


@dataclass(frozen=True)
class KeyLoad:
    """What a load of a key leaves; nothing, where keys are agile."""

    invariant: Known
    """Registers that keep a value after it."""
    cycles: list[dict[int, bool]] = field(default_factory=list)
    """What is known of the inputs, from a reset until the key is at rest."""
    taken: int = 0
    """The cycle in which the key is accepted."""
    can: list[NDArray[np.bool_]] = field(default_factory=list)
    """What each literal can be in those cycles."""
    kept: set[int] = field(default_factory=set)
    """Registers that keep their values after the load."""
    held: set[int] = field(default_factory=set)
    """Those of them that hold a part of the key, one by one, and do not follow others."""
    start: Known = field(default_factory=dict)
    """Registers that hold one value when the load is over."""


def ready_after(design: Design) -> int:
    """Return the cycles from accepting a stored key to the first block that is looked at.

    A few more than the key takes, in which the loader comes to rest; and where blocks are accepted
    before the last round key stands, until it does.
    """
    assert design.key_load_cycles is not None
    # From the first store to the last.
    expanding = design.rounds if design.is_unrolled else 0
    if design.is_serial:
        # Two more for each round of a longer key: tried, not derived. `load_key` refuses too few.
        expanding += 2 * (design.rounds - 10)
    return design.key_load_cycles + expanding + 2 * design.stages + 3


def load_key(core: Core, slot: int, compare: Compare) -> KeyLoad:
    """Load a key into a slot, as soon as the core takes one after a reset.

    Raises:
        NotAccepted: it takes none.
        UsageError: the key does not come to rest in time.
    """
    circuit, quiet = core.aig, core.quiet
    first = {**quiet, **core.constant("key_valid", 1), **core.constant("key_slot", slot)}
    rest = ready_after(core.design)
    # The cycles between a reset and the first key.
    state, taken = core.after_reset, 0
    while not _takes_key(core, state, first):
        taken += 1
        if taken > core.design.latency_cycles + _SLACK:
            raise NotAccepted("the core is not ready for a key after a reset", slot)
        state = a_cycle_later(circuit, {**state, **quiet})
    cycles = [*([quiet] * taken), first, *([quiet] * (rest - 1))]
    end = len(cycles)
    load = Unrolling(circuit, [*cycles, quiet, quiet], core.after_reset, Builder([]))
    # Not where a key may be: the graphs of round keys are large, and nothing in them is fixed.
    control = set(range(circuit.first_register, circuit.first_gate)) - core.tainted
    start = load.fixed_registers(end, control)
    invariant = resting = invariant_registers(circuit, start, quiet)
    # Registers that keep their value as long as no key comes.
    kept: set[int] = set()
    two = Unrolling(circuit, [quiet, quiet], resting, Builder([]))
    for variable in range(circuit.first_register, circuit.first_gate):
        if variable not in resting:
            before, after = two.value(0, 2 * variable), two.value(1, 2 * variable)
            if before == after:
                kept.add(variable)
    if core.has_slots:
        # Keys for other slots change the loader, and what other slots hold.
        invariant = invariant_registers(circuit, start, core.running)
        kept &= _holding(core, load.can[taken:end], "key")
    # After them, as the round keys after a key that stands, registers follow, one cycle after
    # the other: what they hold stays as well, once it has come to rest.
    held = set(kept)
    while more := _following(core, invariant, kept) - kept or _really_following(
        core, invariant, kept, compare
    ):
        kept |= more
    for variable in kept - held:
        if load.value(end, 2 * variable) != load.value(end + 1, 2 * variable):
            raise UsageError("the key takes longer than its design says to come to rest")
    found = KeyLoad(invariant, cycles, taken, load.can, kept, held, start)
    core.key_loads[slot] = found
    return found


def _holding(core: Core, can: Sequence[NDArray[np.bool_]], port: str) -> set[int]:
    """Return the registers that may hold a part of what came in through a port.

    Args:
        core: the core.
        can: what each literal can be, from the cycle in which it came.
        port: the port.
    """
    import numpy as np

    circuit = core.aig
    trace = np.zeros(circuit.size, dtype=bool)
    trace[[literal >> 1 for literal in circuit.bits_in(port)]] = True
    for possible in can:
        trace = tainted_later(circuit, possible, trace)
    return {int(v) for v in np.flatnonzero(trace)}


def _following(core: Core, invariant: Known, kept: set[int]) -> set[int]:
    """Return the registers whose next value depends only on those that keep theirs."""
    circuit = core.aig
    can = circuit.possible(leaves(circuit, {**invariant, **core.in_flight}))
    fixed = [not (can[2 * v] and can[2 * v + 1]) for v in range(len(can) // 2)]
    for v in kept:
        fixed[v] = True
    for v, (a, b) in enumerate(circuit.gates, circuit.first_gate):
        fixed[v] = fixed[v] or (fixed[a >> 1] and fixed[b >> 1])
    return {
        v
        for v, literal in enumerate(circuit.next_state, circuit.first_register)
        if fixed[literal >> 1] and v not in invariant
    }


def _really_following(core: Core, invariant: Known, kept: set[int], compare: Compare) -> set[int]:
    """Return more of them, whose logic reads others too but does not depend on what these hold.

    Look-up tables often do. Some inputs tell for which registers it is worth while to prove it.
    """
    import numpy as np

    found = sorted(core.tainted - kept - invariant.keys())
    if not found:
        return set()
    cycle = Unrolling(core.aig, [core.in_flight, {}], invariant, Builder([]))
    values = [(str(v), cycle.value(1, 2 * v)) for v in found]
    graph = cycle.builder.finish(values)
    held = {core.at_start[v] for v in kept}
    free = np.array([name not in held for name in graph.inputs], dtype=bool)
    rng = np.random.default_rng(1)
    one, other = rng.integers(0, 1 << 64, (2, len(free), 16), dtype=np.uint64)
    other[~free] = one[~free]
    came, comes = (value_of(graph.simulate(given), graph.output) for given in (one, other))
    alike = np.flatnonzero((came == comes).all(axis=1))
    if not len(alike):
        return set()
    others = [name if name in held else f"other {name}" for name in graph.inputs]
    copies = []
    for names in (graph.inputs, others):
        builder = Builder(list(dict.fromkeys([*graph.inputs, *others])))
        at = builder.copy(graph, [builder.input_named(name) for name in names])
        copies.append(builder.finish((graph.outputs[n], at[n]) for n in alike))
    return {found[n] for n in alike} if compare(*copies).equal else set()


def _takes_key(core: Core, state: Known, first: Known) -> bool:
    """Return whether the core takes a key for certain."""
    circuit = core.aig
    can = circuit.possible(leaves(circuit, {**state, **first}))
    return not can[circuit.bits_out("key_ready")[0] ^ 1]


# --- Other loads


def changed(core: Core, slot: int, load: KeyLoad) -> Question:
    """Ask whether a register that holds a part of a slot's key can change too soon.

    From the end of the load on, with `rst` and `zeroize` low: before a key for the slot is
    accepted, and in the `latency_cycles` - 1 cycles after that, in which a block that was accepted
    with it is in the core, and each earlier one leaves. What the data path holds may be anything in
    each cycle.
    """
    data = core.tainted | load.held
    watched = Watched(core, data, load.start, core.running)
    machine = watched.machine
    differs = Changes(core, machine, watched.bits, data).of(load.held)
    named = machine.equals(watched.bits(core.aig.bits_in("key_slot")), slot)
    loads = machine.all_of(watched.key_taken(), named)
    replaced = machine.register("replaced")
    machine.follows("replaced", machine.any_of(replaced, loads))
    came = [machine.all_of(loads, replaced ^ 1)]
    for cycle in range(1, core.design.latency_cycles):
        came.append(machine.delayed(f"new key {cycle} before", came[-1]))
    needed = machine.any_of(replaced ^ 1, *came)
    change = machine.any_of(*sorted(differs))
    words = f"another key load changes the key of slot {slot} too soon"
    return watched.question(machine.all_of(needed, change), words)


def accepted_too_soon(core: Core) -> Question:
    """Ask whether a core for one key can accept another one while a block is in it."""
    watched = Watched(core)
    inside = watched.accepted(core.design.latency_cycles - 1)[1:]
    wrong = watched.machine.all_of(watched.output("key_ready"), watched.machine.any_of(*inside))
    return watched.question(wrong, "key_ready is high while a block is in the core")
