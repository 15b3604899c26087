# SPDX-License-Identifier: Apache-2.0
"""And-inverter graphs: read, written, simulated, and walked through.

A literal is twice a variable, plus one when it is inverted, as in the AIGER format; literal 0 is
false, 1 true. Variables stand in this order: the constant, inputs, registers, AND gates.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aesforge.errors import AesforgeError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FALSE, TRUE = 0, 1
ALL_ONES = 0xFFFF_FFFF_FFFF_FFFF
"""A word of 64 cases, true in each."""
Levels = list[tuple[Any, Any, Any]]
"""Gates level by level: variables, first and second literals, as arrays."""


@dataclass
class Aig:
    """One graph.

    Args:
        inputs: name of each input.
        registers: name of each register.
        next_state: literal that each register takes.
        outputs: name of each output.
        output: its literal.
        gates: the two literals of each AND gate, which only name variables before it.
        by_data: of gates that choose, those whose choice is to be looked at last: :attr:`choices`.
    """

    inputs: list[str] = field(default_factory=list)
    registers: list[str] = field(default_factory=list)
    next_state: list[int] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    output: list[int] = field(default_factory=list)
    gates: list[tuple[int, int]] = field(default_factory=list)
    by_data: dict[int, tuple[int, int, int]] = field(default_factory=dict)

    @property
    def first_register(self) -> int:
        """The first register's variable."""
        return 1 + len(self.inputs)

    @property
    def first_gate(self) -> int:
        """The first gate's variable."""
        return self.first_register + len(self.registers)

    @property
    def size(self) -> int:
        """How many variables there are."""
        return self.first_gate + len(self.gates)

    @cached_property
    def following(self) -> NDArray[np.int64]:
        """The literal that each register takes."""
        import numpy as np

        return np.array(self.next_state, dtype=np.int64)

    @cached_property
    def input_at(self) -> dict[str, int]:
        """The literal of each input."""
        return {name: 2 * (1 + number) for number, name in enumerate(self.inputs)}

    @cached_property
    def output_at(self) -> dict[str, int]:
        """The literal of each output."""
        return dict(zip(self.outputs, self.output, strict=True))

    def bits_in(self, port: str) -> list[int]:
        """Return the literals of an input port, lowest bit first; empty when there is none."""
        return _port(port, self.input_at)

    def bits_out(self, port: str) -> list[int]:
        """Return the literals of an output port, lowest bit first; empty when there is none."""
        return _port(port, self.output_at)

    def used_inputs(self) -> set[str]:
        """Return the names of the inputs that an output of a graph without registers depends on."""
        used = bytearray(self.size)
        for literal in self.output:
            used[literal >> 1] = 1
        for gate in range(self.size - 1, self.first_gate - 1, -1):
            if used[gate]:
                for literal in self.gates[gate - self.first_gate]:
                    used[literal >> 1] = 1
        return {name for number, name in enumerate(self.inputs) if used[1 + number]}

    @cached_property
    def structure(self) -> list[bytes]:
        """A hash for each output: equal only where gates and inputs are, in whatever order."""
        # Of each literal.
        found = [b"0", b"1"]
        for name in [*self.inputs, *self.registers]:
            found += [name.encode() + b"=0", name.encode() + b"=1"]
        for a, b in self.gates:
            one, other = sorted((found[a], found[b]))
            digest = hashlib.blake2b(one + b"&" + other, digest_size=16).digest()
            found += [digest + b"+", digest + b"-"]
        return [found[literal] for literal in self.output]

    def fixed(self, values: Mapping[str, bool]) -> Aig:
        """Return the graph with some inputs held at a value; they are no inputs any more."""
        kept = [name for name in self.inputs if name not in values]
        result = Aig(kept, self.registers, outputs=self.outputs)
        at = [FALSE]
        place = 1
        for name in self.inputs:
            at.append(int(values[name]) if name in values else 2 * place)
            place += name not in values
        at += [2 * (result.first_register + n) for n in range(len(self.registers))]
        for a, b in self.gates:
            one, other = at[a >> 1] ^ (a & 1), at[b >> 1] ^ (b & 1)
            if FALSE in (one, other) or one == other ^ 1:
                at.append(FALSE)
            elif TRUE in (one, other) or one == other:
                at.append(other if one == TRUE else one)
            else:
                result.gates.append((one, other))
                at.append(2 * (result.size - 1))
        result.next_state = [at[literal >> 1] ^ (literal & 1) for literal in self.next_state]
        result.output = [at[literal >> 1] ^ (literal & 1) for literal in self.output]
        return result

    def subsumed(self) -> Aig:
        """Return the graph with NOT s AND w for each NOT (s AND w) AND w: then w does not matter.

        Three-valued, the one is known to be false when s is true, the other is not.
        """
        first = self.first_gate
        gates = []
        for a, b in self.gates:
            for one, other in ((a, b), (b, a)):
                if one & 1 and one >> 1 >= first:
                    s, w = self.gates[(one >> 1) - first]
                    if other in (s, w):
                        a, b = (w if other == s else s) ^ 1, other
                        break
            gates.append((a, b))
        return replace(self, gates=gates)

    @cached_property
    def levels(self) -> Levels:
        """All gates, level by level."""
        import numpy as np

        level = [0] * self.size
        first = self.first_gate
        for number, (a, b) in enumerate(self.gates):
            level[first + number] = 1 + max(level[a >> 1], level[b >> 1])
        if not self.gates:
            return []
        at = np.array(level[first:])
        pairs = np.array(self.gates, dtype=np.int64)
        order = np.argsort(at, kind="stable")
        ends = np.searchsorted(at[order], np.arange(1, at.max() + 2))
        groups = [order[ends[i] : ends[i + 1]] for i in range(len(ends) - 1)]
        return [(group + first, pairs[group, 0], pairs[group, 1]) for group in groups]

    def choice(self, gate: tuple[int, int], first: int) -> tuple[int, int, int] | None:
        """Return the literals s, x and y of a gate that is NOT (s ? x : y).

        Args:
            gate: its two literals.
            first: the first gate's variable.
        """
        a, b = gate
        if a & b & 1 and min(a, b) >= 2 * first:
            one, other = self.gates[(a >> 1) - first], self.gates[(b >> 1) - first]
            for s, x in (one, one[::-1]):
                if s ^ 1 in other:
                    return s, x, other[other[0] == s ^ 1]
        return None

    @cached_property
    def choices(self) -> list[tuple[Any, ...]]:
        """Level by level, gates that choose: variables, the literals of s, x and y.

        Such a gate is NOT x if s is true and NOT y if it is false: those of look-up tables are.
        """
        import numpy as np

        first = self.first_gate
        found = []
        for number, gate in enumerate(self.gates):
            choice = self.choice(gate, first)
            # Of an exclusive or, no more would be known.
            if choice and choice[1] != choice[2] ^ 1:
                found.append((first + number, *choice))
        rows = np.array(found, dtype=np.int64).reshape(-1, 4)
        level = np.zeros(self.size, dtype=np.int64)
        for number, (gate, _, _) in enumerate(self.levels):
            level[gate] = number
        at = level[rows[:, 0]]
        return [tuple(rows[at == number].T) for number in range(len(self.levels))]

    def after(self, literals: Iterable[int], can: NDArray[np.bool_] | None = None) -> set[int]:
        """Return the variables on which some literals depend, over any number of cycles.

        Args:
            literals: the literals.
            can: what each literal can be, where that is known: what can only be one thing depends
                on nothing.
        """
        first_register, first_gate = self.first_register, self.first_gate
        seen: set[int] = set()
        stack = [literal >> 1 for literal in literals]
        while stack:
            variable = stack.pop()
            if variable in seen:
                continue
            if can is not None and not (can[2 * variable] and can[2 * variable + 1]):
                continue
            seen.add(variable)
            if variable >= first_gate:
                stack += [literal >> 1 for literal in self.gates[variable - first_gate]]
            elif variable >= first_register:
                stack.append(self.next_state[variable - first_register] >> 1)
        return seen

    def part(self, literals: Iterable[int]) -> Part:
        """Return the circuit on which some literals depend, over any number of cycles."""
        first_register, first_gate = self.first_register, self.first_gate
        of = sorted({0} | self.after(literals))
        at = {variable: place for place, variable in enumerate(of)}

        def moved(literal: int) -> int:
            return 2 * at[literal >> 1] + (literal & 1)

        registers = [v for v in of if first_register <= v < first_gate]
        aig = Aig(
            inputs=[self.inputs[v - 1] for v in of if 0 < v < first_register],
            registers=[self.registers[v - first_register] for v in registers],
            next_state=[moved(self.next_state[v - first_register]) for v in registers],
            gates=[
                (moved(a), moved(b))
                for a, b in (self.gates[v - first_gate] for v in of if v >= first_gate)
            ],
            by_data={
                at[v]: (moved(s), moved(x), moved(y))
                for v, (s, x, y) in self.by_data.items()
                if v in at
            },
        )
        return Part(aig, at, of)

    # --- Three-valued: what is known when some things are not

    def possible(
        self,
        leaves: NDArray[Any],
        known: Mapping[int, bool] | None = None,
    ) -> NDArray[Any]:
        """Say for each literal whether it can be true, from what its leaves can be.

        Args:
            leaves: one value for each literal of the constant, the inputs and the registers, true
                or false, or of several cases at once a number with a bit for each.
            known: values of variables, gates or not, that are known besides.

        Returns:
            One value for each literal. A literal that cannot be true is false in every case that
            the leaves allow; of one that can, nothing is known.
        """
        import numpy as np

        can = np.zeros(2 * self.size, dtype=leaves.dtype)
        can[: len(leaves)] = leaves
        excluded = [2 * v + value for v, value in known.items()] if known else []
        can[excluded] = False
        for (gate, a, b), (chooser, s, x, y) in zip(self.levels, self.choices, strict=True):
            can[2 * gate] = can[a] & can[b]
            can[2 * gate + 1] = can[a ^ 1] | can[b ^ 1]
            # What both sides are, it is, whatever s is.
            can[2 * chooser] &= (can[s] & can[x ^ 1]) | (can[s ^ 1] & can[y ^ 1])
            if excluded:
                can[excluded] = False
        return can

    # --- Two-valued: 64 cases at a time

    def simulate(self, leaves: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return the value of each variable in 64 cases per word.

        Args:
            leaves: (inputs and registers, words), in the order of their variables.

        Returns:
            (variables, words).
        """
        import numpy as np

        words = leaves.shape[1]
        values = np.zeros((self.size, words), dtype=np.uint64)
        values[1 : self.first_gate] = leaves
        for gate, a, b in self.levels:
            values[gate] = value_of(values, a) & value_of(values, b)
        return values

    # --- Files

    def write(self, path: Path) -> None:
        """Write a binary AIGER file with names."""
        lines = [
            f"aig {self.size - 1} {len(self.inputs)} {len(self.registers)} {len(self.output)} "
            f"{len(self.gates)}",
            *map(str, self.next_state),
            *map(str, self.output),
        ]
        data = bytearray(("\n".join(lines) + "\n").encode())
        for number, pair in enumerate(self.gates):
            high, low = max(pair), min(pair)
            for delta in (2 * (self.first_gate + number) - high, high - low):
                while delta >= 0x80:
                    data.append(delta & 0x7F | 0x80)
                    delta >>= 7
                data.append(delta)
        for label, names in (("i", self.inputs), ("l", self.registers), ("o", self.outputs)):
            data += "".join(f"{label}{n} {name}\n" for n, name in enumerate(names)).encode()
        path.write_bytes(bytes(data))


@dataclass(frozen=True)
class Part:
    """A part of a circuit, without outputs, in which variables have other numbers."""

    aig: Aig
    at: dict[int, int]
    """The number here of a variable of the whole."""
    of: list[int]
    """The number in the whole of each variable here."""

    def known(self, known: Mapping[int, bool]) -> dict[int, bool]:
        """Return those of some values by variable that are of this part."""
        at = self.at
        return {at[v]: value for v, value in known.items() if v in at}

    def literal(self, literal: int) -> int:
        """Return a literal of the whole as one of this part."""
        return 2 * self.at[literal >> 1] + (literal & 1)


def value_of(values: NDArray[np.uint64], literals: Any) -> NDArray[np.uint64]:
    """Return the values of literals from those of variables (:meth:`Aig.simulate`)."""
    import numpy as np

    literals = np.asarray(literals)
    flip = np.where(literals & 1, np.uint64(ALL_ONES), np.uint64(0))
    result: NDArray[np.uint64] = values[literals >> 1] ^ flip[..., None]
    return result


def _port(port: str, known: dict[str, int]) -> list[int]:
    if port in known:
        return [known[port]]
    bits: list[int] = []
    while (name := f"{port}[{len(bits)}]") in known:
        bits.append(known[name])
    return bits


def read(path: Path) -> Aig:
    """Read a binary AIGER file with names, as :meth:`Aig.write` does. Start values are left out.

    Raises:
        AesforgeError: the file is no such thing.
    """
    data = path.read_bytes()
    try:
        return _parse(data)
    except (ValueError, IndexError, KeyError) as error:
        raise AesforgeError(f"'{path.name}' is not an AIGER file with names: {error}") from error


@dataclass(frozen=True)
class Binary:
    """What stands in a binary AIGER file."""

    header: list[int]
    """M I L O A of the header, and B C where there are bad states and constraints."""
    rows: list[int]
    """The literal that begins each line after it: next states, outputs, B and C."""
    gates: list[tuple[int, int]]
    """The literals of each gate, the higher first."""
    rest: bytes
    """Names and comments."""


def parse_binary(data: bytes) -> Binary:
    """Read a binary AIGER file.

    Raises:
        ValueError: it has another header, or liveness properties.
        IndexError: it ends too early.
    """
    end = data.index(b"\n")
    kind, *words = data[:end].decode().split()
    if kind != "aig" or not 5 <= len(words) <= 9 or any(int(word) for word in words[7:]):
        raise ValueError("it has another header")
    header = [int(word) for word in words[:7]]
    _, inputs, registers, outputs, gate_count = header[:5]
    position = end + 1
    rows = []
    for _ in range(registers + outputs + sum(header[5:])):
        end = data.index(b"\n", position)
        rows.append(int(data[position:end].split()[0]))
        position = end + 1

    def number() -> int:
        nonlocal position
        shift = value = 0
        while True:
            byte = data[position]
            position += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    gates = []
    for gate in range(gate_count):
        high = 2 * (1 + inputs + registers + gate) - number()
        gates.append((high, high - number()))
    return Binary(header, rows, gates, data[position:])


def _parse(data: bytes) -> Aig:
    found = parse_binary(data)
    if len(found.header) != 5:
        raise ValueError("it has another header")
    _, inputs, registers, outputs, _ = found.header
    aig = Aig(next_state=found.rows[:registers], output=found.rows[registers:], gates=found.gates)
    names: dict[str, str] = {}
    for line in found.rest.decode(errors="replace").splitlines():
        if line == "c":
            break
        label, _, name = line.partition(" ")
        names[label] = name
    # What Yosys leaves undefined has no name.
    aig.inputs = [names.get(f"i{i}", f"undefined {i}") for i in range(inputs)]
    aig.outputs = [names[f"o{i}"] for i in range(outputs)]
    # Of the names of a register, which stand with blanks between them, one will do.
    aig.registers = [names.get(f"l{i}", f"register_{i}").split()[0] for i in range(registers)]
    # Names stand for inputs of graphs: one name for two things would make them equal.
    for group in (aig.inputs, aig.registers, aig.outputs):
        if len(set(group)) != len(group):
            raise ValueError("two of its inputs, registers or outputs have one name")
    return aig


class Builder:
    """Builds a graph without registers, each gate once.

    Args:
        inputs: names of the first inputs; more may be added at any time.
    """

    def __init__(self, inputs: Sequence[str]) -> None:
        self.inputs: list[str] = []
        # How many inputs there are is only known in the end: until then they count down from -1,
        # and gates up from 1.
        self._inputs: dict[str, int] = {}
        self._gates: list[tuple[int, int]] = []
        self._known: dict[tuple[int, int], int] = {}
        for name in inputs:
            self.input_named(name)
        self._given = len(self.inputs)

    def input_named(self, name: str) -> int:
        """Return the literal of an input, which is added when there is none of this name."""
        found = self._inputs.get(name)
        if found is None:
            self.inputs.append(name)
            found = self._inputs[name] = -2 * len(self.inputs)
        return found

    def conjunction(self, a: int, b: int) -> int:
        """Return the literal of a AND b."""
        if a > b:
            a, b = b, a
        if a in (FALSE, TRUE) or b in (FALSE, TRUE):
            if FALSE in (a, b):
                return FALSE
            return b if a == TRUE else a
        if a == b:
            return a
        if a ^ 1 == b:
            return FALSE
        found = self._known.get((a, b))
        if found is None and a & b & 1 and a > 1:
            # NOT(s AND x) AND NOT(NOT s AND x) is NOT x: a multiplexer between two equal things.
            one, other = self._gates[(a >> 1) - 1], self._gates[(b >> 1) - 1]
            for x, s in (one, one[::-1]):
                if x in other and s ^ 1 in other:
                    found = self._known[a, b] = x ^ 1
        if found is None:
            self._gates.append((a, b))
            found = 2 * len(self._gates)
            self._known[a, b] = found
        return found

    def copy(self, aig: Aig, inputs: Sequence[int]) -> list[int]:
        """Put a graph without registers in and give the literals of its outputs."""
        assert not aig.registers
        at = [FALSE, *inputs]
        for a, b in aig.gates:
            at.append(self.conjunction(at[a >> 1] ^ (a & 1), at[b >> 1] ^ (b & 1)))
        return [at[literal >> 1] ^ (literal & 1) for literal in aig.output]

    def finish(self, outputs: Iterable[tuple[str, int]]) -> Aig:
        """Return the graph of some outputs, without gates and added inputs that none needs."""
        wanted = list(outputs)
        used = bytearray(len(self._gates) + 1)
        read = bytearray(len(self.inputs))
        read[: self._given] = b"\1" * self._given

        def mark(literal: int) -> None:
            if literal > 1:
                used[literal >> 1] = 1
            elif literal < 0:
                read[-(literal >> 1) - 1] = 1

        for _, literal in wanted:
            mark(literal)
        for gate in range(len(self._gates), 0, -1):
            if used[gate]:
                for literal in self._gates[gate - 1]:
                    mark(literal)
        at = {0: 0}
        aig = Aig()
        for number, name in enumerate(self.inputs):
            if read[number]:
                aig.inputs.append(name)
                at[-(1 + number)] = len(aig.inputs)

        def final(literal: int) -> int:
            return 2 * at[literal >> 1] + (literal & 1)

        variable = 1 + len(aig.inputs)
        for gate in range(1, len(self._gates) + 1):
            if used[gate]:
                a, b = self._gates[gate - 1]
                aig.gates.append((final(a), final(b)))
                at[gate] = variable
                variable += 1
        for name, literal in wanted:
            aig.outputs.append(name)
            aig.output.append(final(literal))
        return aig
