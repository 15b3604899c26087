# SPDX-License-Identifier: Apache-2.0
"""Load a stored key after a reset, and find the registers that keep it.

With several slots, they keep it whatever is loaded into other slots, and through a load into the
same slot until each block under the old key is out: :func:`changed` asks whether that holds. With
one slot, no key is accepted while a block is in the core: :func:`accepted_too_soon`.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aesforge.design import Design
from aesforge.errors import UsageError
from aesforge.netlist.aig import TRUE, Builder, value_of
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
from aesforge.prove.properties.core import SECRETS, Core
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
    differs = _Changes(watched, data).of(load.held)
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


class _Changes:
    """Whether registers can take another value than they hold, as literals of control.

    Each literal of the circuit has two of the machine: it may be high, and it may be low. Data may
    be both at any time, so logic that only computes data needs no gate.

    Args:
        watched: takes the gates.
        data: registers that may hold anything.
    """

    def __init__(self, watched: Watched, data: AbstractSet[int]) -> None:
        self._watched = watched
        circuit = watched.core.aig
        secrets = {literal >> 1 for port in SECRETS for literal in circuit.bits_in(port)}
        # What is undefined is free as well, mostly in modules of data.
        free = {v for v, name in enumerate(circuit.inputs, 1) if name.startswith("undefined ")}
        self._any = data | secrets | free
        self._of: dict[int, tuple[int, int]] = {}
        self._readers: dict[int, list[int]] = {}
        for gate, literals in enumerate(circuit.gates, circuit.first_gate):
            for literal in literals:
                self._readers.setdefault(literal >> 1, []).append(gate)

    def of(self, registers: AbstractSet[int]) -> set[int]:
        """Return a literal for each register, those that are equal once."""
        circuit = self._watched.core.aig
        found = set()
        for v in sorted(registers):
            after = circuit.next_state[v - circuit.first_register]
            self._add(after >> 1)
            between = self._between(v, after >> 1)
            for high in (False, True):
                may = self._with(after >> 1, between, {v: (high, not high)})
                found.add(_side(may, after)[high])
        return found

    def _between(self, variable: int, root: int) -> set[int]:
        """Return the gates up to a root that read a variable, directly or not."""
        found: set[int] = set()
        stack = [variable]
        while stack:
            for gate in self._readers.get(stack.pop(), ()):
                if gate <= root and gate not in found:
                    found.add(gate)
                    stack.append(gate)
        return found

    def _leaf(self, variable: int) -> tuple[int, int]:
        if variable in self._any:
            return TRUE, TRUE
        value = self._watched.bits([2 * variable])[0]
        return value, value ^ 1

    def _and(self, one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
        machine = self._watched.machine
        return machine.all_of(one[0], other[0]), machine.any_of(one[1], other[1])

    def _add(self, root: int) -> None:
        """Work out what a variable, and each that it is made of, may be."""
        circuit = self._watched.core.aig
        stack = [root]
        while stack:
            variable = stack[-1]
            if variable in self._of:
                stack.pop()
            elif variable < circuit.first_gate:
                self._of[variable] = self._leaf(variable)
            else:
                gate = circuit.gates[variable - circuit.first_gate]
                missing = [lit >> 1 for lit in gate if lit >> 1 not in self._of]
                stack += missing
                if not missing:
                    self._of[variable] = self._and(*(_side(self._of[x >> 1], x) for x in gate))

    def _with(
        self, variable: int, between: AbstractSet[int], known: dict[int, tuple[int, int]]
    ) -> tuple[int, int]:
        """Return what a variable may be if a register holds a value.

        Args:
            variable: the variable.
            between: the gates that depend on the register.
            known: what that and other variables may be then.
        """
        if variable in known:
            return known[variable]
        if variable not in between:
            return self._of[variable]
        circuit = self._watched.core.aig
        gate = circuit.gates[variable - circuit.first_gate]
        sides = (_side(self._with(x >> 1, between, known), x) for x in gate)
        known[variable] = self._and(*sides)
        return known[variable]


def _side(may: tuple[int, int], literal: int) -> tuple[int, int]:
    return (may[1], may[0]) if literal & 1 else may


def accepted_too_soon(core: Core) -> Question:
    """Ask whether a core for one key can accept another one while a block is in it."""
    watched = Watched(core)
    inside = watched.accepted(core.design.latency_cycles - 1)[1:]
    wrong = watched.machine.all_of(watched.output("key_ready"), watched.machine.any_of(*inside))
    return watched.question(wrong, "key_ready is high while a block is in the core")
