# SPDX-License-Identifier: Apache-2.0
"""What a circuit with registers does over some cycles, as a graph without registers.

Nothing is assumed of a register unless the caller does: each has a start value of its own, an
input of the graph. What is known of clock, reset and control is carried forward first, cycle by
cycle, three-valued; then the graph is built backwards from what is asked, and stops at what is
known. So a graph only holds what an output depends on.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Container, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from aesforge.netlist.aig import FALSE, TRUE, Aig, Builder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Known = Mapping[int, bool]
"""Values by variable, an input or a register."""


AT_ONCE = 8
"""How many cases are looked at as fast as one: arrays of them have a byte where it has one, too."""


def packed(rows: Sequence[NDArray[np.bool_]]) -> NDArray[np.uint8]:
    """Return up to :data:`AT_ONCE` arrays of one size as one, with a bit for each."""
    import numpy as np

    result: NDArray[np.uint8] = np.packbits(rows, axis=0, bitorder="little")[0]
    return result


def one_of(rows: NDArray[np.uint8], number: int) -> NDArray[np.bool_]:
    """Return one of the arrays that :func:`packed` took."""
    return (rows & (1 << number)).astype(bool)


def leaves(aig: Aig, known: Known) -> NDArray[np.bool_]:
    """Return what each literal of the inputs and registers can be: known ones one value only."""
    import numpy as np

    can = np.ones(2 * aig.first_gate, dtype=bool)
    can[FALSE] = False
    for variable, value in known.items():
        can[2 * variable] = value
        can[2 * variable + 1] = not value
    return can


def next_known(aig: Aig, can: NDArray[np.bool_]) -> dict[int, bool]:
    """Return the registers whose next value is known, from what each literal can be."""
    import numpy as np

    can_rise, can_fall = can[aig.following], can[aig.following ^ 1]
    first = aig.first_register
    return {first + int(n): bool(can_rise[n]) for n in np.flatnonzero(can_rise != can_fall)}


def a_cycle_later(aig: Aig, known: Known) -> dict[int, bool]:
    """Return the registers known after a cycle in which some inputs and registers are."""
    return next_known(aig, aig.possible(leaves(aig, known)))


def joined(one: Known, other: Known) -> dict[int, bool]:
    """Return the values that are known in both cases."""
    return {v: value for v, value in one.items() if v in other and other[v] == value}


def invariant_registers(aig: Aig, state: Known, inputs: Known) -> dict[int, bool]:
    """Return the registers of a state that keep their values for ever while some inputs hold.

    Args:
        aig: the circuit.
        state: registers known at the start.
        inputs: inputs that keep a value.
    """
    held = dict(state)
    while True:
        fewer = joined(held, a_cycle_later(aig, {**held, **inputs}))
        if len(fewer) == len(held):
            return held
        held = fewer


def reached(circuit: Aig, can: NDArray[np.bool_], roots: list[int]) -> set[int]:
    """Return the inputs and registers that some literals depend on, over any number of cycles.

    Args:
        circuit: in which to look.
        can: what each literal can be; what can only be one thing depends on nothing.
        roots: the literals.
    """
    return {v for v in circuit.after(roots, can) if v < circuit.first_gate}


def propagate_taint(aig: Aig, can: NDArray[Any], trace: NDArray[Any]) -> NDArray[Any]:
    """Return the variables on which a trace of some comes through the gates of one cycle.

    Args:
        aig: the circuit.
        can: what each literal can be: a gate that can only have one value carries nothing on.
        trace: by variable, where it is.

    Both may be of several cases, as :func:`packed` gives them.
    """
    both = can[::2] & can[1::2]
    result: NDArray[Any] = trace & both
    for gate, a, b in aig.levels:
        result[gate] = (result[a >> 1] | result[b >> 1]) & both[gate]
    return result


def tainted_later(aig: Aig, can: NDArray[Any], trace: NDArray[Any]) -> NDArray[Any]:
    """Return by variable which registers have a trace a cycle later.

    Args:
        aig: the circuit.
        can: what each literal can be.
        trace: by variable, where it is now.

    Both may be of several cases, as :func:`packed` gives them.
    """
    import numpy as np

    fixed = can[aig.following] ^ can[aig.following ^ 1]
    result = np.zeros_like(trace)
    result[aig.first_register : aig.first_gate] = (
        propagate_taint(aig, can, trace)[aig.following >> 1] & ~fixed
    )
    return result


def carried_forward(
    aig: Aig,
    inputs: Sequence[Known],
    here: NDArray[Any],
    proved: Sequence[Known] = (),
) -> list[NDArray[Any]]:
    """Return for each cycle what each literal can be.

    Args:
        aig: the circuit.
        inputs: for each cycle the inputs that are known; others are free, each cycle anew.
        here: what :func:`leaves` gives of the registers known in cycle 0, of one state or of
            several, as :func:`packed` gives them.
        proved: for each cycle what is known of any variables besides.

    Returns:
        For each cycle what :meth:`Aig.possible` gives.
    """
    found = []
    for given, besides in zip(inputs, proved or itertools.repeat({}), strict=False):
        for variable, value in given.items():
            here[2 * variable + value] = False
        found.append(aig.possible(here, besides))
        here = next_leaves(aig, found[-1])
    return found


def carried_together(
    aig: Aig,
    inputs: Sequence[Known],
    states: Sequence[Known],
    proved: Sequence[Known] = (),
) -> Callable[[int], list[NDArray[np.bool_]]]:
    """Return a function that gives :func:`carried_forward` of one of several states, by its number.

    Some are carried forward at once: asked for in their order, they take little longer than one.
    """

    @lru_cache(maxsize=1)
    def together(number: int) -> list[NDArray[np.uint8]]:
        rows = [leaves(aig, state) for state in states[AT_ONCE * number :][:AT_ONCE]]
        return carried_forward(aig, inputs, packed(rows), proved)

    return lambda number: [one_of(can, number % AT_ONCE) for can in together(number // AT_ONCE)]


def next_leaves(aig: Aig, can: NDArray[Any]) -> NDArray[Any]:
    """Return what :func:`leaves` gives of what :func:`next_known` gives, without a dictionary."""
    import numpy as np

    # True, or ones: all ones in either.
    result = np.full(2 * aig.first_gate, ~can.dtype.type(0), dtype=can.dtype)
    result[FALSE] = False
    can_rise, can_fall = can[aig.following], can[aig.following ^ 1]
    registers = result[2 * aig.first_register :]
    # What seems to be neither is not known.
    registers[::2], registers[1::2] = can_rise | ~can_fall, can_fall | ~can_rise
    return result


class Unrolling:
    """A circuit over some cycles, counted from 0.

    Inputs and start values that turn out to be needed become inputs of the builder, unless it has
    them: `<input>@<when><cycle>` and `<register>@<when>start`.

    Args:
        aig: the circuit.
        inputs: for each cycle the inputs that are known; others are free, each cycle anew.
        state: registers known in cycle 0; others are free.
        builder: takes the gates.
        start: gives the builder's literal that a register starts with, None for a free one.
        when: tells the inputs of this unrolling from those of another one.
        can: what :func:`carried_forward` gives, when it is known already.
        still: registers that are known to keep what they start with: a graph of them does not go
            through the cycles one by one.
    """

    def __init__(
        self,
        aig: Aig,
        inputs: Sequence[Known],
        state: Known,
        builder: Builder,
        start: Callable[[int], int | None] = lambda _: None,
        when: str = "",
        can: list[NDArray[np.bool_]] | None = None,
        still: Container[int] = (),
    ) -> None:
        self.aig = aig
        self.builder = builder
        self.can = carried_forward(aig, inputs, leaves(aig, state)) if can is None else can
        # This is where a proof's own time goes by: single bits of a view are read faster.
        self._views = [can.data for can in self.can]
        self._start = start
        self._when = when
        self._still = still
        self._memo: list[dict[int, int]] = [{} for _ in inputs]

    def value(self, cycle: int, literal: int) -> int:
        """Return the builder's literal for a literal of the circuit in a cycle."""
        found = self._known(cycle, literal)
        if found is None:
            self._build(cycle, literal >> 1)
            found = self._memo[cycle][literal >> 1] ^ (literal & 1)
        return found

    def fixed_registers(self, cycle: int, tried: Container[int]) -> dict[int, bool]:
        """Return registers that hold one value in a cycle, whatever is free.

        Some are tried by graphs: three-valued, a look-up table that reads something known beside
        something unknown may seem unknown as well.
        """
        found = {}
        for variable in range(self.aig.first_register, self.aig.first_gate):
            value = self._known(cycle, 2 * variable)
            if value is None and variable in tried:
                value = self.value(cycle, 2 * variable)
            if value in (FALSE, TRUE):
                found[variable] = value == TRUE
        return found

    def _known(self, cycle: int, literal: int) -> int | None:
        can = self.can[cycle]
        if not can[literal]:
            return FALSE
        return None if can[literal ^ 1] else TRUE

    def _build(self, cycle: int, variable: int) -> None:
        aig, memo, conjunction = self.aig, self._memo, self.builder.conjunction
        first_register, first_gate, gates = aig.first_register, aig.first_gate, aig.gates
        views, still, choices = self._views, self._still, aig.by_data
        stack = [(cycle, variable)]
        read: tuple[int, ...]
        while stack:
            cycle, variable = stack[-1]
            here = memo[cycle]
            if variable in here:
                stack.pop()
                continue
            if variable >= first_gate:
                at, read = cycle, gates[variable - first_gate]
            elif variable >= first_register and cycle > 0 and variable not in still:
                at, read = cycle - 1, (aig.next_state[variable - first_register],)
            else:
                here[variable] = self._leaf(cycle, variable)
                continue
            can, there = views[at], memo[at]
            if variable in choices and can[choices[variable][0]] and can[choices[variable][0] ^ 1]:
                sides = []
                for literal in choices[variable][1:]:
                    if not (can[literal] and can[literal ^ 1]):
                        sides.append(TRUE if can[literal] else FALSE)
                    elif literal >> 1 in there:
                        sides.append(there[literal >> 1] ^ (literal & 1))
                    else:
                        stack.append((at, literal >> 1))
                        break
                if len(sides) < 2:
                    continue
                # Two equal inputs need no multiplexer: the logic of its select may be large.
                if sides[0] == sides[1]:
                    here[variable] = sides[0] ^ 1
                    continue
            value = TRUE
            for literal in read:
                # As in _known().
                if not can[literal]:
                    value = FALSE
                elif can[literal ^ 1]:
                    found = there.get(literal >> 1)
                    if found is None:
                        stack.append((at, literal >> 1))
                        break
                    value = conjunction(value, found ^ (literal & 1))
                # The other operand of a gate is not looked at then.
                if value == FALSE:
                    here[variable] = FALSE
                    break
            else:
                here[variable] = value

    def _leaf(self, cycle: int, variable: int) -> int:
        aig = self.aig
        if variable >= aig.first_register:
            carried = self._start(variable)
            if carried is not None:
                return carried
            name = f"{aig.registers[variable - aig.first_register]}@{self._when}start"
        else:
            name = f"{aig.inputs[variable - 1]}@{self._when}{cycle}"
        return self.builder.input_named(name)
