# SPDX-License-Identifier: Apache-2.0
"""A core's circuit, and the known facts about its control after a reset."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from aesforge.design import Design
from aesforge.errors import UsageError
from aesforge.netlist.aig import Aig, Builder, Part
from aesforge.prove.analysis.unroll import (
    Known,
    Unrolling,
    invariant_registers,
    leaves,
    propagate_taint,
    reached,
)

if TYPE_CHECKING:
    from aesforge.prove.properties.key_load import KeyLoad

SECRETS = ("in_block", "in_key", "key")


class Core:
    """A core's circuit, and the known facts about its control.

    Args:
        circuit: with the ports of `aesforge_core`.
        design: which fixes the latency, and what the ports are for.

    Raises:
        UsageError: the design is of a kind that the claim does not cover yet.
    """

    def __init__(self, circuit: Aig, design: Design) -> None:
        widths = _widths(design)
        if any(
            len(circuit.bits_out(port) if port.startswith("out_") else circuit.bits_in(port))
            != width
            for port, width in widths.items()
        ):
            raise UsageError(f"the circuit has not the ports of the design {design.name}")
        self.aig = circuit.subsumed()
        self.design = design
        self.rst = self._input("rst")
        self.zeroize = self._input("zeroize")
        self.after_reset = after_reset = self._after_reset()
        # Zeroizations may have come since the reset, other than those that the claim excludes.
        self.invariant = invariant_registers(self.aig, after_reset, {self.rst: False})
        self.aig = self._control_first()
        self._parts: dict[tuple[int, ...], Part] = {}
        self.key_loads: dict[int, KeyLoad] = {}
        """By slot, as `key_load.load_key` finds them."""

    def _after_reset(self) -> dict[int, bool]:
        """Return the registers that a cycle of `rst` fixes, whatever they held before."""
        circuit = self.aig
        unrolling = Unrolling(circuit, [{self.rst: True}, {}], {}, Builder([]))
        return unrolling.fixed_registers(1, range(circuit.first_register, circuit.first_gate))

    def _input(self, port: str) -> int:
        return self.aig.bits_in(port)[0] >> 1

    @cached_property
    def secrets(self) -> list[int]:
        """The inputs that are secret."""
        return [literal >> 1 for port in SECRETS for literal in self.aig.bits_in(port)]

    @cached_property
    def tainted(self) -> set[int]:
        """Registers that may ever hold a secret that came after a reset."""
        return self._reached_from(self.secrets)

    @cached_property
    def fed(self) -> set[int]:
        """Registers that depend on `in_valid`, over any number of cycles."""
        return self.fed_by("in_valid")

    def fed_by(self, *ports: str) -> set[int]:
        """Return the registers that depend on some inputs, over any number of cycles."""
        return self._reached_from([bit >> 1 for port in ports for bit in self.aig.bits_in(port)])

    def _reached_from(self, inputs: list[int]) -> set[int]:
        """Return the registers that depend on some inputs, over any number of cycles."""
        import numpy as np

        circuit = self.aig
        can = circuit.possible(leaves(circuit, self.invariant))
        trace = np.zeros(circuit.size, dtype=bool)
        trace[inputs] = True
        first, end = circuit.first_register, circuit.first_gate
        while True:
            spread = propagate_taint(circuit, can, trace)
            grown = trace[first:end] | spread[circuit.following >> 1]
            if (grown == trace[first:end]).all():
                return {first + int(n) for n in np.flatnonzero(grown)}
            trace[first:end] = grown

    def _control_first(self) -> Aig:
        """Return the circuit, of each gate the operand first through which no secret comes.

        A register that is not written, a word that is not chosen: most of what a core holds goes
        no further than such a gate, and a graph that is built backwards need not either. Nor need
        it go by what chooses between two that are the same, if a secret comes through that: a
        look-up table often reads what cannot change its output, and that first.
        """
        import numpy as np

        circuit = self.aig
        secret = np.zeros(circuit.size, dtype=bool)
        secret[[*self.secrets, *self.tainted]] = True
        secret |= propagate_taint(circuit, np.ones(2 * circuit.size, dtype=bool), secret)
        last = secret.data
        gates = [(b, a) if last[a >> 1] and not last[b >> 1] else (a, b) for a, b in circuit.gates]
        by_data = {
            int(gate): (int(s), int(x), int(y))
            for level in circuit.choices
            for gate, s, x, y in zip(*level, strict=True)
            if last[s >> 1]
        }
        result = replace(circuit, gates=gates, by_data=by_data)
        result.levels, result.choices = circuit.levels, circuit.choices
        return result

    def part(self, roots: tuple[int, ...]) -> Part:
        """Return the part of the circuit on which some literals depend, each once."""
        if roots not in self._parts:
            self._parts[roots] = self.aig.part(list(roots))
        return self._parts[roots]

    def constant(self, port: str, value: int) -> dict[int, bool]:
        """Return an input port's bits the values of a number."""
        return {
            literal >> 1: bool(value >> bit & 1)
            for bit, literal in enumerate(self.aig.bits_in(port))
        }

    def names(self, port: str) -> list[str]:
        """Return the names of an input port's bits, lowest first."""
        return [self.aig.inputs[(literal >> 1) - 1] for literal in self.aig.bits_in(port)]

    @property
    def running(self) -> dict[int, bool]:
        """Inputs known while nothing is reset or zeroized."""
        return {self.rst: False, self.zeroize: False}

    @property
    def quiet(self) -> dict[int, bool]:
        """Inputs known while no key comes either."""
        known = self.running
        if not self.design.is_agile:
            known[self._input("key_valid")] = False
        return known

    @property
    def in_flight(self) -> dict[int, bool]:
        """Inputs known while a block is in flight: keys may come where there are several slots."""
        return self.running if self.has_slots else self.quiet

    @cached_property
    def control(self) -> set[int]:
        """The inputs and registers on which control outputs depend, over any number of cycles."""
        circuit = self.aig
        can = circuit.possible(leaves(circuit, {**self.invariant, self.rst: False}))
        ports = [*circuit.bits_out("in_ready"), *circuit.bits_out("out_valid")]
        return reached(circuit, can, ports)

    @property
    def has_rings(self) -> bool:
        """Whether several rings side by side take the blocks."""
        return self.design.tiles > 1 and not self.design.is_unrolled

    @property
    def has_slots(self) -> bool:
        """Whether there are several slots for keys."""
        return not self.design.is_agile and not self.design.is_serial

    @property
    def directions(self) -> tuple[int, ...]:
        """What a block may ask for: 0 to be encrypted, 1 to be decrypted."""
        return {"encrypt": (0,), "decrypt": (1,), "both": (0, 1)}[self.design.direction]

    @cached_property
    def at_start(self) -> dict[int, str]:
        """The name under which a register's start value is an input of a graph."""
        first = self.aig.first_register
        return {first + n: f"{name}@start" for n, name in enumerate(self.aig.registers)}

    @cached_property
    def register_at(self) -> dict[str, int]:
        """The register whose start value an input of a graph is."""
        return {name: v for v, name in self.at_start.items()}

    def named(self, port: str) -> Iterator[tuple[str, int]]:
        """Return the name and the literal of an input port's bits, lowest first."""
        return zip(self.names(port), self.aig.bits_in(port), strict=True)

    def register_label(self, known: Known) -> str:
        """Return the known values of registers, as a text."""
        return " ".join(
            f"{self.aig.registers[v - self.aig.first_register].rpartition('.')[2]}={value:d}"
            for v, value in known.items()
        )


def _widths(design: Design) -> dict[str, int]:
    """Return the ports whose widths follow from the design."""
    if design.is_key_expansion:
        outputs = design.rounds + 1 if design.is_unrolled else 1
        return {
            "in_tag": design.tag_bits,
            "in_key": design.key_bits,
            "out_round_keys": 128 * outputs,
            "out_tag": design.tag_bits * outputs,
            "out_valid": outputs,
            "out_round": 4,
        }
    block = 128 * design.blocks_per_beat
    return {
        "in_block": block,
        "in_tag": design.tag_bits,
        "in_key": design.key_bits,
        "out_block": block,
        "out_tag": design.tag_bits,
        "out_valid": 1,
    }
