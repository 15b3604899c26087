# SPDX-License-Identifier: Apache-2.0
"""Which conditions of control let a register change."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet

from aesforge.netlist.aig import TRUE
from aesforge.prove.engines.reach import Machine
from aesforge.prove.properties.core import SECRETS, Core


def free_inputs(core: Core) -> set[int]:
    """Return the inputs that are no control: secrets, and what is undefined."""
    circuit = core.aig
    secrets = {literal >> 1 for port in SECRETS for literal in circuit.bits_in(port)}
    # What is undefined is free as well, mostly in modules of data.
    free = {v for v, name in enumerate(circuit.inputs, 1) if name.startswith("undefined ")}
    return secrets | free


class Changes:
    """Whether registers can take another value than they hold, as literals of control.

    Each literal of the circuit has two of the machine: it may be high, and it may be low. Data may
    be both at any time, so logic that only computes data needs no gate.

    Args:
        core: the core.
        machine: takes the gates.
        bits: returns the machine's values of some literals of the core's control.
        data: registers that may hold anything.
    """

    def __init__(
        self,
        core: Core,
        machine: Machine,
        bits: Callable[[list[int]], list[int]],
        data: AbstractSet[int],
    ) -> None:
        self._circuit = circuit = core.aig
        self._machine, self._bits = machine, bits
        self._any = data | free_inputs(core)
        self._of: dict[int, tuple[int, int]] = {}
        self._readers: dict[int, list[int]] = {}
        for gate, literals in enumerate(circuit.gates, circuit.first_gate):
            for literal in literals:
                self._readers.setdefault(literal >> 1, []).append(gate)

    def of(self, registers: AbstractSet[int]) -> set[int]:
        """Return a literal for each register, those that are equal once."""
        circuit = self._circuit
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
        value = self._bits([2 * variable])[0]
        return value, value ^ 1

    def _and(self, one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
        machine = self._machine
        return machine.all_of(one[0], other[0]), machine.any_of(one[1], other[1])

    def _add(self, root: int) -> None:
        """Work out what a variable, and each that it is made of, may be."""
        circuit = self._circuit
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
        circuit = self._circuit
        gate = circuit.gates[variable - circuit.first_gate]
        sides = (_side(self._with(x >> 1, between, known), x) for x in gate)
        known[variable] = self._and(*sides)
        return known[variable]


def _side(may: tuple[int, int], literal: int) -> tuple[int, int]:
    return (may[1], may[0]) if literal & 1 else may
