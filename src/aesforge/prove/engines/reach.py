# SPDX-License-Identifier: Apache-2.0
"""A circuit with registers whose output must never be high, and ABC's answer whether it can be.

ABC's property-directed reachability (`pdr`) searches for an inductive invariant, or finds the
cycle in which the output is high. All registers that it is given start low: a register with
another start value is stored inverted, one with any start value takes an input in the first cycle.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from aesforge.errors import ToolFailed
from aesforge.netlist.aig import FALSE, TRUE, Aig, Builder
from aesforge.prove.engines.equal import Command
from aesforge.toolchain import programs

REACH = Command("read machine.aig; pdr")
_NEVER = re.compile(r"^Property proved\.", re.M)
_REACHED = re.compile(r"^Output 0 .*was asserted in frame (\d+)\.", re.M)
_STARTED = "started"


@dataclass(frozen=True)
class Answer:
    """What ABC says of an output."""

    never: bool
    """It is low in every cycle, for all inputs."""
    cycle: int = 0
    """Else a cycle in which it can be high, counted from 0."""
    seconds: float = 0.0
    megabytes: float = 0.0


class Machine:
    """A circuit with registers, built as one cycle of it.

    The builder takes the gates of the cycle. Every input of it that is no register is free, each
    cycle anew.
    """

    def __init__(self) -> None:
        self.builder = Builder([])
        self._next: dict[str, int] = {}
        self._inverted: set[str] = set()
        self._started = self.register(_STARTED)
        self.follows(_STARTED, TRUE)

    def register(self, name: str, start: bool | None = False) -> int:
        """Add a register and return its value in the cycle.

        Args:
            name: which no other register or input has.
            start: its value in the first cycle; None for any.
        """
        assert name not in self._next
        self._next[name] = FALSE
        stored = self.builder.input_named(name)
        if start is None:
            return self.choice(self._started, stored, self.builder.input_named(f"{name} at first"))
        if start:
            self._inverted.add(name)
        return stored ^ start

    def follows(self, name: str, literal: int) -> None:
        """Set the value of a register in the next cycle."""
        self._next[name] = literal

    def delayed(self, name: str, literal: int, start: bool = False) -> int:
        """Return what a literal was in the cycle before; ``start`` in the first cycle."""
        found = self.register(name, start)
        self.follows(name, literal)
        return found

    # --- Gates

    def all_of(self, *literals: int) -> int:
        """Return the conjunction of some literals."""
        found = TRUE
        for literal in literals:
            found = self.builder.conjunction(found, literal)
        return found

    def any_of(self, *literals: int) -> int:
        """Return the disjunction of some literals."""
        return self.all_of(*(literal ^ TRUE for literal in literals)) ^ TRUE

    def none_of(self, *literals: int) -> int:
        """Return the conjunction of some literals, each inverted."""
        return self.any_of(*literals) ^ 1

    def equals(self, bits: Sequence[int], number: int) -> int:
        """Return whether some bits, lowest first, are those of a number."""
        return self.all_of(*(bit ^ 1 ^ (number >> n & 1) for n, bit in enumerate(bits)))

    def same(self, one: Sequence[int], other: Sequence[int]) -> int:
        """Return whether two numbers of equal width are equal."""
        pairs = zip(one, other, strict=True)
        return self.all_of(*(self.choice(a, b, b ^ 1) for a, b in pairs))

    def choice(self, select: int, one: int, other: int) -> int:
        """Return ``one`` where ``select`` is high, else ``other``."""
        return self.any_of(self.all_of(select, one), self.all_of(select ^ 1, other))

    # --- The circuit

    def circuit(self, output: int) -> Aig:
        """Return the circuit with one output, `wrong`; all its registers start low."""
        names = list(self._next)
        values = [self._next[name] ^ (name in self._inverted) for name in names]
        graph = self.builder.finish([*zip(names, values, strict=True), ("wrong", output)])
        free = [name for name in graph.inputs if name not in self._next]
        kept = [name for name in graph.inputs if name in self._next]
        result = Aig(inputs=free, registers=kept, outputs=["wrong"])
        place = {name: 1 + n for n, name in enumerate([*free, *kept])}
        at = [0, *(place[name] for name in graph.inputs)]
        at += range(len(at), graph.size)

        def moved(literal: int) -> int:
            return 2 * at[literal >> 1] + (literal & 1)

        result.gates = [(moved(a), moved(b)) for a, b in graph.gates]
        result.next_state = [moved(graph.output_at[name]) for name in kept]
        result.output = [moved(graph.output[-1])]
        return result


def reaches(machine: Machine, wrong: int, *, seconds: float, megabytes: int) -> Answer:
    """Ask ABC whether a literal of a machine is high in some cycle.

    Args:
        machine: the machine.
        wrong: the literal.
        seconds: the longest that ABC may take.
        megabytes: the most memory that it may address.

    Raises:
        ToolMissing: ABC is not installed.
        ToolFailed: it ended with an error, gave up, or needed more time or memory than it may.
    """
    if wrong == FALSE:
        return Answer(True)
    circuit = machine.circuit(wrong)
    # ABC makes one bus of some names, and cuts others short.
    circuit.inputs = [f"i{n}" for n in range(len(circuit.inputs))]
    circuit.registers = [f"l{n}" for n in range(len(circuit.registers))]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        circuit.write(folder / "machine.aig")
        log = folder / "abc.log"
        used = programs.run(
            "abc", ["-c", REACH.text], folder, log, seconds=seconds, megabytes=megabytes
        )
        text = log.read_text(encoding="utf-8", errors="replace")
    never, reached = _NEVER.search(text), _REACHED.search(text)
    if bool(never) == bool(reached):
        raise ToolFailed(f"abc gave no answer on the control of the core:\n{text[-1000:]}")
    cycle = int(reached[1]) if reached else 0
    return Answer(bool(never), cycle, used.seconds, used.megabytes)
