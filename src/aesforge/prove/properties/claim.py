# SPDX-License-Identifier: Apache-2.0
"""What is claimed of a core, and the graphs in which it must show.

The claim: whenever a core after a reset accepts a block, and neither `rst` nor `zeroize` comes
before it is out, then at the computed cycle `out_valid` is up, `out_tag` is the block's tag and
`out_block` what FIPS 197 says of the block and its key, whatever else has come before, comes beside
it or comes after it.

It is shown for a core in any state whatever, but for what a reset fixes for ever:

- registers that keep one value after a reset, whatever comes in;
- counters that run by themselves after a reset: each of their states is a case;
- what must hold for the core to say `in_ready`: each way to meet it is a case;
- of several rings side by side, what each can hold in its account: see
  :mod:`aesforge.prove.analysis.rings`.

Registers that hold keys and blocks, and the account of other blocks in the ring, may hold anything.
With stored keys, a key is loaded first, as soon as the core takes one after a reset, and no other
key afterwards; what its slot then holds is carried over into the state in which a block meets it.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING

from aesforge.design import Design
from aesforge.errors import CheckFailed, UsageError
from aesforge.netlist.aig import ALL_ONES, FALSE, TRUE, Aig, Builder, Part, value_of
from aesforge.prove.analysis import rings
from aesforge.prove.analysis.rings import Account, Compare
from aesforge.prove.analysis.tables import MAX_INPUTS, cubes, every_case, image, truth_table
from aesforge.prove.analysis.unroll import (
    Known,
    Unrolling,
    a_cycle_later,
    carried_together,
    invariant_registers,
    leaves,
    next_known,
    propagate_taint,
    reached,
)
from aesforge.prove.engines.equal import compare

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# A counter with more states than that is a sign that something else was taken for one.
_MAX_PHASES = 1024
_MAX_ACCOUNT_REGISTERS = 12
# A core may wait until what was under way in it is out, before it takes a key, and a little longer.
_SLACK = 16
_WORDS = 2
SECRETS = ("in_block", "in_key", "key")
LOAD = "load "
"""Tells the cycles in which a key is loaded from those of the block."""


@dataclass(frozen=True)
class Sample:
    """Some random inputs of a case, 64 to a word, and what comes out for them."""

    inputs: NDArray[np.uint64]
    """(inputs of the case, words)."""
    outputs: NDArray[np.uint64]
    """(bits that come out, words)."""
    valid: NDArray[np.uint64]
    """(words)."""


@dataclass(frozen=True)
class Case:
    """One case of the claim."""

    label: str
    """What sets it apart."""
    inverse: bool
    """Whether the block is decrypted."""
    inputs: tuple[str, ...]
    """Key, block and tag by the names of the graph's inputs, each lowest bit first."""
    slot: int
    """Of the stored key, 0 where keys are agile."""
    about: str
    """`block`, `words` (the round keys) or `tag`."""
    build: Callable[[], Aig]
    """Returns :attr:`graph`."""
    sample: Callable[[int], Sample] | None = None
    """Returns what comes out for some random inputs, by a seed, where that is quickly said."""

    @cached_property
    def graph(self) -> Aig:
        """What comes out: `valid`, and `tag[...]`, `block[...]` or the round keys, `words[...]`."""
        return self.build()

    @property
    def has_block(self) -> bool:
        """Whether this is about blocks."""
        return self.about == "block"

    @property
    def has_round_keys(self) -> bool:
        """Whether this is about round keys."""
        return self.about == "words"

    @property
    def foreign(self) -> set[str]:
        """Other inputs that the outputs may depend on; seldom any."""
        return self.graph.used_inputs() - set(self.inputs)

    @cached_property
    def alone(self) -> Aig:
        """The graph, other inputs false: once it is proved that they have no bearing on it."""
        return self.graph.fixed(dict.fromkeys(self.foreign, False))

    @cached_property
    def digest(self) -> str:
        """A hash of the graph and the direction: cases alike need one proof.

        It does not depend on the order of the gates, which a case's known values change.
        """
        graph = self.graph
        text = repr((self.inverse, graph.inputs, graph.outputs, graph.structure))
        return hashlib.sha256(text.encode()).hexdigest()


class NotAccepted(CheckFailed):
    """A core accepts no key, or no block under it.

    Args:
        message: which of them, and when.
        slot: the slot of the key.
    """

    def __init__(self, message: str, slot: int) -> None:
        super().__init__(message)
        self.slot = slot


@dataclass(frozen=True)
class Start:
    """A state from which a block is accepted."""

    registers: Known
    """Those that are known."""
    before: tuple[Known, ...] = ()
    """Inputs known in the cycles between the state and the block."""
    accounts: tuple[Account, ...] = ()
    """What rings side by side can hold, of which one takes the block."""
    label: str = ""
    """What sets it apart, where that is not the registers."""


class Core:
    """A core's circuit, with what is known of its control.

    Args:
        circuit: with the ports of `aesforge_core`.
        design: which fixes the latency, and what the ports are for.

    Raises:
        UsageError: the design is of a kind that the claim does not cover yet.
    """

    def __init__(self, circuit: Aig, design: Design) -> None:
        widths = self._widths(design)
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
        # Clears may have come since the reset, other than those that the claim excludes.
        self.invariant = invariant_registers(self.aig, after_reset, {self.rst: False})
        self.aig = self._control_first()
        self._parts: dict[tuple[int, ...], Part] = {}

    @staticmethod
    def _widths(design: Design) -> dict[str, int]:
        """Return the ports whose widths follow from the design."""
        block = 128 * design.blocks_per_beat
        return {
            "in_block": block,
            "in_tag": design.tag_bits,
            "in_key": design.key_bits,
            "out_block": block,
            "out_tag": design.tag_bits,
            "out_valid": 1,
        }

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
        import numpy as np

        circuit = self.aig
        can = circuit.possible(leaves(circuit, self.invariant))
        trace = np.zeros(circuit.size, dtype=bool)
        trace[self.secrets] = True
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
    def quiet(self) -> dict[int, bool]:
        """Inputs known while a block is under way."""
        known = {self.rst: False, self.zeroize: False}
        if not self.design.is_agile:
            known[self._input("key_valid")] = False
        return known

    # --- Counters

    def reachable_states(self, reached: set[int], invariant: Known) -> list[dict[int, bool]]:
        """Return the states through which counters among some variables go after a reset.

        Args:
            reached: the variables; those that are no counters do not matter.
            invariant: registers that keep a value anyway.

        Raises:
            UsageError: there are too many states.
        """
        circuit = self.aig
        reset = {self.rst: False}
        counters = {v for v in reached if v in self.after_reset and v not in invariant}
        while counters:
            state = {v: self.after_reset[v] for v in counters}
            states: list[dict[int, bool]] = []
            while state not in states:
                states.append(state)
                if len(states) > _MAX_PHASES:
                    raise UsageError(f"a counter has more than {_MAX_PHASES} states: no proof")
                known = {**self.invariant, **state, **reset}
                after = a_cycle_later(circuit, known)
                left = counters & after.keys()
                if left != counters:
                    counters = left
                    break
                state = {v: after[v] for v in counters}
            else:
                return states
        return [{}]

    # --- Cases

    def cases(
        self, say: Callable[[str], None] = lambda _: None, compare: Compare = compare
    ) -> Iterator[Case]:
        """Return every case of the claim, one after the other.

        Args:
            say: called with what was found out on the way.
            compare: decides what has to be proved of control first.

        Raises:
            CheckFailed: it does not hold.
            UsageError: there are too many cases.
        """
        slots = range(self.design.key_slots or 1)
        for slot in slots:
            setting = _Setting(self, slot, compare)
            for line in setting.findings:
                say(line)
            for direction in self.directions:
                if self.has_rings:
                    starts = self._ring_starts(setting, direction, compare)
                else:
                    starts = self._starts(setting, direction)
                for start in starts:
                    yield from self._cases(setting, direction, start, compare)

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

    def _starts(self, setting: _Setting, direction: int) -> Iterator[Start]:
        """Return the states from which one ring or a pipeline accepts a block."""
        for start in setting.starts(direction):
            for others in self._account_cases(setting, direction, start):
                yield Start({**start.registers, **others}, start.before)

    def _ring_starts(self, setting: _Setting, direction: int, compare: Compare) -> Iterator[Start]:
        """Return the states from which one of several rings accepts a block."""
        ready = setting.ready_graph(direction)
        used = {*ready.inputs, *self._bearing_on_valid(setting, direction, Start({}))}
        groups: dict[int, list[int]] = {}
        for v, name in self.at_start.items():
            ring = rings.ring_of(name)
            if name in used and ring >= 0:
                groups.setdefault(ring, []).append(v)
        accounts = [
            Account(tuple(groups[ring]), frozenset(self._reachable(groups[ring])))
            for ring in sorted(groups)
        ]
        for ring, known, held in rings.ways_in(ready, accounts, self.at_start, compare):
            fixed = {v: value for account in held for v, value in account.fixed.items()}
            words = " ".join(filter(None, [f"ring {ring}", self._register_label(known)]))
            yield Start({**known, **fixed}, accounts=tuple(held), label=words)

    @property
    def directions(self) -> tuple[int, ...]:
        """What a block may ask for: 0 to be encrypted, 1 to be decrypted."""
        return {"encrypt": (0,), "decrypt": (1,), "both": (0, 1)}[self.design.direction]

    def first(self, setting: _Setting, direction: int) -> dict[int, bool]:
        """Return the inputs known in the cycle in which the block is accepted."""
        first = {**self.quiet, **setting.slot, **self.constant("in_valid", 1)}
        if self.design.direction == "both":
            first |= self.constant("in_decrypt", direction)
        return first

    def _bearing_on_valid(self, setting: _Setting, direction: int, start: Start) -> set[str]:
        """Return what `out_valid` depends on when the block is out, by the names of a graph."""
        cycles = self._cycles(setting, direction, start)
        builder = Builder([])
        unrolling = Unrolling(self.aig, cycles, {**setting.invariant, **start.registers}, builder)
        valid = unrolling.value(len(cycles) - 1, self.aig.bits_out("out_valid")[0])
        return builder.finish([("valid", valid)]).used_inputs()

    def _account_cases(
        self, setting: _Setting, direction: int, start: Start
    ) -> list[dict[int, bool]]:
        """Split by what stands in the account of other blocks, where `out_valid` depends on it.

        Only what can stand there after a reset makes a case.
        """
        circuit = self.aig
        cycles = self._cycles(setting, direction, start)
        state = {**setting.invariant, **start.registers}
        valid_out = circuit.bits_out("out_valid")[0]
        used = self._bearing_on_valid(setting, direction, start)
        group = sorted(v for v in self.at_start if self.at_start[v] in used)
        if not group:
            return [{}]

        def known_valid(account: Known) -> bool:
            known = {**state, **account}
            for given in cycles:
                can = circuit.possible(leaves(circuit, {**known, **given}))
                known = next_known(circuit, can)
            return not can[valid_out ^ 1]

        # What need not be fixed for the block to come out is left free.
        found: list[dict[int, bool]] = []
        for values in sorted(self._reachable(group)):
            account = {v: bool(value) for v, value in zip(group, values, strict=True)}
            if any(account.items() >= other.items() for other in found):
                continue
            for v in group:
                fewer = {key: value for key, value in account.items() if key != v}
                if known_valid(fewer):
                    account = fewer
            found.append(account)
        return found

    def _cycles(self, setting: _Setting, direction: int, start: Start) -> list[Known]:
        """Return the inputs known from a state on until the block is out."""
        later = [self.quiet] * self.design.latency_cycles
        return [*start.before, self.first(setting, direction), *later]

    @cached_property
    def at_start(self) -> dict[int, str]:
        """The name under which a register's start value is an input of a graph."""
        first = self.aig.first_register
        return {first + n: f"{name}@start" for n, name in enumerate(self.aig.registers)}

    @cached_property
    def register_at(self) -> dict[str, int]:
        """The register whose start value an input of a graph is."""
        return {name: v for v, name in self.at_start.items()}

    def _reachable(self, group: list[int]) -> set[tuple[int, ...]]:
        """Return the values that some registers can have together after a reset.

        They are followed in steps of a turn of the ring, after which each place of it holds the
        block it held, or another; everything else may be anything in every step. Values at the end
        of a turn follow from values at its beginning, so those of the first turn and what follows
        from them are all.

        Raises:
            UsageError: too much has a bearing on them.
        """
        if len(group) > _MAX_ACCOUNT_REGISTERS:
            raise UsageError(
                f"out_valid depends on {len(group)} registers that keep account of other blocks: "
                "too many for cases"
            )
        circuit = self.aig
        turn = self.design.unrolled_rounds * self.design.stages
        running = {self.rst: False}
        waiting: set[tuple[int, ...]] = set()
        state: Known = self.after_reset
        for _ in range(turn):
            choices = [(int(state[v]),) if v in state else (0, 1) for v in group]
            waiting.update(itertools.product(*choices))
            state = a_cycle_later(circuit, {**self.invariant, **state, **running})
        cycles = [running] * (turn + 1)

        def after(known: Known) -> Aig:
            builder = Builder([])
            unrolling = Unrolling(circuit, cycles, {**self.invariant, **known}, builder)
            return builder.finish((str(v), unrolling.value(turn, 2 * v)) for v in group)

        names = [self.at_start[v] for v in group]
        # Of other rings, whatever they do.
        alone = rings.without_foreign(after({}), names) if self.has_rings else None
        found: set[tuple[int, ...]] = set()
        while waiting:
            values = waiting.pop()
            found.add(values)
            bits = [bool(value) for value in values]
            if alone is None:
                graph = after(dict(zip(group, bits, strict=True)))
            else:
                graph = alone.fixed(dict(zip(names, bits, strict=True)))
            waiting |= image(graph) - found
        return found

    def _cases(
        self, setting: _Setting, direction: int, begin: Start, compare: Compare
    ) -> Iterator[Case]:
        design, circuit = self.design, self.aig
        later, ready = self.quiet, begin.registers
        state = {**setting.invariant, **ready}
        invariant_state = invariant_registers(
            circuit, {**self.invariant, **ready, **setting.invariant}, later
        )
        possible = circuit.possible(leaves(circuit, {**invariant_state, **later}))
        blocks = [
            circuit.bits_out("out_block")[128 * block_index : 128 * block_index + 128]
            for block_index in range(design.blocks_per_beat)
        ]
        tag_out, valid_out = circuit.bits_out("out_tag"), circuit.bits_out("out_valid")
        # Block and tag apart: a delay line in RAM has a counter, which most often only serves tags.
        parts = [("tag", tag_out, None)] + [
            (
                f"block of block {block_index}" if design.blocks_per_beat > 1 else "block",
                block,
                block_index,
            )
            for block_index, block in enumerate(blocks)
        ]
        cycles = self._cycles(setting, direction, begin)
        proved: list[dict[int, bool]] = []
        if begin.accounts:
            proved = rings.constants(
                circuit, cycles, state, begin.accounts, self.control, self.at_start, compare
            )
        for what, wanted, block_index in parts:
            roots = [*wanted, *valid_out]
            reachable_states = self.reachable_states(
                reached(circuit, possible, roots), setting.invariant
            )
            states = [{**state, **counters} for counters in reachable_states]
            graph = self._graphs(setting, cycles, states, proved, roots, block_index)
            for phase, start in enumerate(states):
                words = [what]
                if design.direction == "both":
                    words.append("decrypting" if direction else "encrypting")
                if not design.is_agile:
                    words.append(f"slot {setting.number}")
                apart = begin.label or self._register_label(ready)
                words += [apart] if apart else []
                words += [f"{len(begin.before)} cycles later"] if begin.before else []
                words += (
                    [f"counters at {phase} of {len(reachable_states)}"]
                    if len(reachable_states) > 1
                    else []
                )
                yield Case(
                    ", ".join(words),
                    block_index is not None and direction == 1,
                    tuple(self.inputs(setting, block_index)),
                    setting.number,
                    "tag" if block_index is None else "block",
                    partial(graph, phase),
                    partial(
                        self._sample, setting, cycles, start, begin.accounts, roots, block_index
                    ),
                )

    def _graphs(
        self,
        setting: _Setting,
        cycles: Sequence[Known],
        states: Sequence[Known],
        proved: Sequence[Known],
        roots: list[int],
        block_index: int | None,
    ) -> Callable[[int], Aig]:
        """Return a function that gives what comes out of some roots, from a state by its number."""
        # A tag depends on little, which is looked at in as many cases as a counter has states.
        if tuple(roots) not in self._parts:
            self._parts[tuple(roots)] = self.aig.part(roots)
        part = self._parts[tuple(roots)]
        inputs = [part.known(known) for known in cycles]
        carried_from = carried_together(
            part.aig,
            inputs,
            [part.known(state) for state in states],
            [part.known(known) for known in proved],
        )
        registers = range(part.aig.first_register, part.aig.first_gate)
        still = {v for v in registers if part.of[v] in setting.kept}
        name = "tag" if block_index is None else "block"
        outputs = [f"{name}[{bit}]" for bit in range(len(roots) - 1)] + ["valid"]

        def graph(number: int) -> Aig:
            shared = setting.shared(block_index)
            unrolling = Unrolling(
                part.aig,
                inputs,
                {},
                shared.builder,
                lambda v: shared.carried(part.of[v]),
                can=carried_from(number),
                still=still,
            )
            at = [unrolling.value(len(cycles) - 1, part.literal(literal)) for literal in roots]
            return shared.graph(tuple(zip(outputs, at, strict=True)))

        return graph

    def _sample(
        self,
        setting: _Setting,
        cycles: Sequence[Known],
        start: Known,
        accounts: Sequence[Account],
        roots: list[int],
        block_index: int | None,
        seed: int,
    ) -> Sample:
        """Return the same for some random inputs, cycle by cycle, without a graph."""
        import numpy as np

        circuit = self.aig
        rng = np.random.default_rng(seed)
        given: dict[str, NDArray[np.uint64]] = {}
        registers = rng.integers(0, 1 << 64, (len(circuit.registers), _WORDS), dtype=np.uint64)
        if setting.load:
            loaded = registers.copy()
            _hold(loaded, self.after_reset, circuit.first_register)
            for cycle, known in enumerate(setting.load):
                at, loaded = _cycle(circuit, known, loaded, rng)
                if cycle == setting.load_cycle:
                    given |= {f"{n}@{LOAD}{cycle}": at[b >> 1] for n, b in self._named("key")}
            kept = [v - circuit.first_register for v in setting.kept]
            registers[kept] = loaded[kept]
        for account in accounts:
            for v, values in rings.drawn(account, rng, _WORDS):
                registers[v - circuit.first_register] = values
        _hold(registers, start, circuit.first_register)
        for cycle, inputs_known in enumerate(cycles):
            at, registers = _cycle(circuit, inputs_known, registers, rng)
            if cycle == setting.cycles_before:
                for port in ("in_key", "in_block", "in_tag"):
                    given |= {f"{name}@{cycle}": at[bit >> 1] for name, bit in self._named(port)}
        found = value_of(at, roots)
        inputs = np.array([given[name] for name in self.inputs(setting, block_index)])
        return Sample(inputs, found[:-1], found[-1])

    def _named(self, port: str) -> Iterator[tuple[str, int]]:
        return zip(self.names(port), self.aig.bits_in(port), strict=True)

    def inputs(self, setting: _Setting, block_index: int | None) -> list[str]:
        """Name the inputs that the specification takes: key and block, or the tag alone."""
        at = setting.cycles_before
        if block_index is None:
            return [f"{name}@{at}" for name in self.names("in_tag")]
        key = (
            [f"{name}@{at}" for name in self.names("in_key")]
            if self.design.is_agile
            else [f"{name}@{LOAD}{setting.load_cycle}" for name in self.names("key")]
        )
        block = self.names("in_block")[128 * block_index : 128 * block_index + 128]
        return key + [f"{name}@{at}" for name in block]

    def _register_label(self, known: Known) -> str:
        return " ".join(
            f"{self.aig.registers[v - self.aig.first_register].rpartition('.')[2]}={value:d}"
            for v, value in known.items()
        )


class KeyCore(Core):
    """The circuit of a key expansion, which gives round keys, each with the key's tag."""

    @staticmethod
    def _widths(design: Design) -> dict[str, int]:
        outputs = design.rounds + 1 if design.is_unrolled else 1
        return {
            "in_tag": design.tag_bits,
            "in_key": design.key_bits,
            "out_round_keys": 128 * outputs,
            "out_tag": design.tag_bits * outputs,
            "out_valid": outputs,
            "out_round": 4,
        }

    def cases(
        self, say: Callable[[str], None] = lambda _: None, compare: Compare = compare
    ) -> Iterator[Case]:
        """Return every case of the claim: the round keys, then their tags."""
        setting = _Setting(self, 0, compare)
        found = setting.ready_cases(0)
        if not self.design.is_unrolled:
            found = self._idle_states()
            say(f"{len(found)} sets of states in which a key may be accepted")
        for ready in found:
            for port, name, width in (
                ("in_key", "words", 128),
                ("in_tag", "tag", self.design.tag_bits),
            ):
                yield from self._round_keys(setting, ready, port, name, width)

    def _idle_states(self) -> list[dict[int, bool]]:
        """Return the states of control in which a key is accepted, of those that a reset leads to.

        All states are tried, from those after a reset on, with all that can come in.

        Raises:
            UsageError: control has too many registers, or depends on secrets.
        """
        import numpy as np

        circuit = self.aig
        ready_out = circuit.bits_out("in_ready")[0]
        roots = [ready_out, *circuit.bits_out("out_valid"), *circuit.bits_out("out_round")]
        can = circuit.possible(leaves(circuit, {self.rst: False}))
        variables = sorted(reached(circuit, can, roots))
        registers = [v for v in variables if v >= circuit.first_register]
        builder = Builder([])
        running = {self.rst: False}
        unrolling = Unrolling(circuit, [running, {}], {}, builder)
        outputs = [(str(v), unrolling.value(1, 2 * v)) for v in registers]
        outputs.append(("ready", unrolling.value(0, ready_out)))
        graph = builder.finish(outputs)
        names = [self.at_start[v] for v in registers]
        names += sorted(graph.used_inputs() - set(names))
        if len(names) > MAX_INPUTS:
            raise UsageError(
                f"{len(names)} registers and inputs have a bearing on control: too many"
            )
        rows = every_case(graph, names)
        count = 1 << len(registers)
        # Row by input, column by state.
        bits = [row[: 1 << len(names)].reshape(-1, count) for row in rows]
        after = sum(bit.astype(np.int64) << n for n, bit in enumerate(bits[:-1]))
        known = self.after_reset
        states = np.arange(count)
        seen = np.ones(count, dtype=bool)
        for n, v in enumerate(registers):
            if v in known:
                seen &= (states >> n & 1) == known[v]
        while True:
            grown = seen.copy()
            grown[np.unique(np.asarray(after)[:, seen])] = True
            if (grown == seen).all():
                break
            seen = grown
        idle = seen & bits[-1].any(axis=0)
        table = idle.reshape((2,) * len(registers), order="F")
        return [{registers[n]: value for n, value in cube.items()} for cube in cubes(table)]

    def _round_keys(
        self, setting: _Setting, ready: dict[int, bool], port: str, name: str, width: int
    ) -> Iterator[Case]:
        design, circuit = self.design, self.aig
        first, later = self.first(setting, 0), self.quiet
        state = {**setting.invariant, **ready}
        # A single output gives nothing else until the next key can come.
        last = design.latency_cycles + (0 if design.is_unrolled else design.stages)
        cycles = [first, *([later] * last)]
        given = tuple(f"{bit}@0" for bit in self.names(port))
        data = circuit.bits_out("out_round_keys" if name == "words" else "out_tag")
        valid_out, round_out = circuit.bits_out("out_valid"), circuit.bits_out("out_round")
        possible = circuit.possible(leaves(circuit, {**state, **later}))
        reachable_states = self.reachable_states(
            reached(circuit, possible, [*data, *valid_out]), setting.invariant
        )
        for phase, counters in enumerate(reachable_states):
            builder = Builder(given)
            unrolling = Unrolling(circuit, cycles, {**state, **counters}, builder)
            valid, outputs = TRUE, {}
            for cycle in () if design.is_unrolled else range(last + 1):
                if cycle % design.stages or cycle > design.latency_cycles:
                    silent = unrolling.value(cycle, valid_out[0]) ^ 1
                    valid = builder.conjunction(valid, silent)
            for number in range(design.rounds + 1):
                cycle = number * design.stages
                place = number if design.is_unrolled else 0
                valid = builder.conjunction(valid, unrolling.value(cycle, valid_out[place]))
                for bit, literal in enumerate([] if design.is_unrolled else round_out):
                    wrong = unrolling.value(cycle, literal) ^ (number >> bit & 1)
                    valid = builder.conjunction(valid, wrong ^ 1)
                for bit in range(width):
                    # The first round key is at the top of the specification's words.
                    at = 128 * (design.rounds - number) + bit
                    label = f"words[{at}]" if name == "words" else f"tag[{bit}] of {number}"
                    outputs[label] = unrolling.value(cycle, data[width * place + bit])
            words = ["round keys" if name == "words" else "their tags"]
            words += [self._register_label(ready)] if ready else []
            words += (
                [f"counters at {phase} of {len(reachable_states)}"]
                if len(reachable_states) > 1
                else []
            )
            if name == "words":
                outputs = {f"words[{n}]": outputs[f"words[{n}]"] for n in range(len(outputs))}
            graph = builder.finish([*outputs.items(), ("valid", valid)])
            yield Case(", ".join(words), False, given, 0, name, partial(_same, graph))


def _same(graph: Aig) -> Aig:
    return graph


def core_of(circuit: Aig, design: Design) -> Core:
    """Return the core that a circuit is.

    Raises:
        UsageError: the claim does not cover designs of this kind.
    """
    require_supported(design)
    return (KeyCore if design.is_key_expansion else Core)(circuit, design)


def require_supported(design: Design) -> None:
    """See that there is a claim for a design.

    Raises:
        UsageError: there is none, with the reason.
    """
    if not design.is_standard:
        raise UsageError(
            f"there is nothing to prove of {design.name}: {design.warning}. FIPS 197 does not say "
            "what it should compute; `aesforge check` compares it with our model of the scheme"
        )


def _hold(registers: NDArray[np.uint64], known: Known, first: int) -> None:
    """Return registers the values that are known of them."""
    for variable, value in known.items():
        registers[variable - first] = ALL_ONES if value else 0


def _cycle(
    circuit: Aig, known: Known, registers: NDArray[np.uint64], rng: np.random.Generator
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return each variable's value in a cycle with random inputs, and the registers after."""
    import numpy as np

    inputs = rng.integers(0, 1 << 64, (len(circuit.inputs), _WORDS), dtype=np.uint64)
    _hold(inputs, known, 1)
    values = circuit.simulate(np.concatenate([inputs, registers]))
    return values, value_of(values, circuit.next_state)


def ready_after(design: Design) -> int:
    """Return the cycles from accepting a stored key to the first block that is looked at.

    A few more than the key takes, in which the loader comes to rest; and where blocks are accepted
    before the last round key stands, until it does.
    """
    assert design.key_load_cycles is not None
    expanding = design.rounds if design.is_serial else 0
    return design.key_load_cycles + expanding + 2 * design.stages + 2


class _Shared:
    """What the graphs of per block's cases are built of: most of it is in all of them.

    Args:
        builder: takes the gates.
        carried: what a register starts with if it holds a part of the loaded key.
    """

    def __init__(self, builder: Builder, carried: Callable[[int], int | None]) -> None:
        self.builder = builder
        self.carried = carried
        # The same object for the same graph: what is worked out of it is not worked out again.
        self.graph = lru_cache(maxsize=None)(builder.finish)


class _Setting:
    """What is known when a block may be accepted, for one key slot."""

    def __init__(self, core: Core, slot: int, compare: Compare) -> None:
        self.core = core
        self.number = slot
        self.invariant = core.invariant
        self.slot: dict[int, bool] = {}
        self.findings: list[str] = []
        self.kept: set[int] = set()
        # Cycles from a reset until the key is at rest, and the one in which it is taken.
        self.load: list[dict[int, bool]] = []
        self.load_cycle = 0
        self._load_can: list[NDArray[np.bool_]] = []
        # Cycles between the state that the proof starts from and the block. In a data path of
        # columns the block before takes four, of which only the count of its columns knows.
        self.cycles_before = 4 if core.design.is_serial else 0
        # Graphs are large: those of tags and of one block at a time.
        self.shared = lru_cache(maxsize=2)(self._shared)
        if not core.design.is_agile:
            self._load_key(compare)

    # --- Stored keys

    def _load_key(self, compare: Compare) -> None:
        core, circuit, design = self.core, self.core.aig, self.core.design
        self.slot = core.constant("in_slot", self.number)
        quiet = core.quiet
        first = {**quiet, **core.constant("key_valid", 1), **core.constant("key_slot", self.number)}
        rest = ready_after(design)
        # What stands between a reset and the first key.
        state = core.after_reset
        while not self._takes_key(state, first):
            self.load_cycle += 1
            if self.load_cycle > design.latency_cycles + _SLACK:
                raise NotAccepted("the core is not ready for a key after a reset", self.number)
            state = a_cycle_later(circuit, {**state, **quiet})
        self.load = [*([quiet] * self.load_cycle), first, *([quiet] * (rest - 1))]
        end = len(self.load)
        load = Unrolling(circuit, [*self.load, quiet, quiet], core.after_reset, Builder([]))
        self._load_can = load.can
        # Not where a key may be: the graphs of round keys are large, and nothing in them is fixed.
        control = set(range(circuit.first_register, circuit.first_gate)) - core.tainted
        self.invariant = invariant_registers(circuit, load.fixed_registers(end, control), quiet)
        # Registers that hold what they hold as long as no key comes.
        builder = Builder([])
        two = Unrolling(circuit, [quiet, quiet], self.invariant, builder)
        for variable in range(circuit.first_register, circuit.first_gate):
            if variable not in self.invariant:
                before, after = two.value(0, 2 * variable), two.value(1, 2 * variable)
                if before == after:
                    self.kept.add(variable)
        # After them, as the round keys after a key that stands, registers follow, one cycle after
        # the other: what they hold stays as well, once it has come to rest.
        held = set(self.kept)
        while more := self._following() - self.kept or self._really_following(compare):
            self.kept |= more
        for variable in self.kept - held:
            if load.value(end, 2 * variable) != load.value(end + 1, 2 * variable):
                raise UsageError("the key takes longer than its design says to come to rest")
        self.findings.append(
            f"slot {self.number}: {len(self.kept)} registers keep what the load left in them"
        )

    def _following(self) -> set[int]:
        """Return the registers whose next value hangs on those that keep theirs alone."""
        circuit = self.core.aig
        can = circuit.possible(leaves(circuit, {**self.invariant, **self.core.quiet}))
        fixed = [not (can[2 * v] and can[2 * v + 1]) for v in range(len(can) // 2)]
        for v in self.kept:
            fixed[v] = True
        for v, (a, b) in enumerate(circuit.gates, circuit.first_gate):
            fixed[v] = fixed[v] or (fixed[a >> 1] and fixed[b >> 1])
        return {
            v
            for v, literal in enumerate(circuit.next_state, circuit.first_register)
            if fixed[literal >> 1] and v not in self.invariant
        }

    def _really_following(self, compare: Compare) -> set[int]:
        """Return more of them, whose logic reads others too but does not depend on what these hold.

        Look-up tables often do. Some inputs tell for which registers it is worth while to prove it.
        """
        import numpy as np

        core = self.core
        found = sorted(core.tainted - self.kept - self.invariant.keys())
        if not found:
            return set()
        cycle = Unrolling(core.aig, [core.quiet, {}], self.invariant, Builder([]))
        values = [(str(v), cycle.value(1, 2 * v)) for v in found]
        graph = cycle.builder.finish(values)
        held = {core.at_start[v] for v in self.kept}
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

    def _takes_key(self, state: Known, first: Known) -> bool:
        """Say whether the core takes a key for certain."""
        circuit = self.core.aig
        can = circuit.possible(leaves(circuit, {**state, **first}))
        return not can[circuit.bits_out("key_ready")[0] ^ 1]

    def _shared(self, block_index: int | None) -> _Shared:
        """Return what the graphs of per block's cases, or of tags, are built of."""
        builder = Builder(self.core.inputs(self, block_index))
        return _Shared(builder, self._carried(builder))

    def _carried(self, builder: Builder) -> Callable[[int], int | None]:
        """Return what a register starts with if it holds a part of the loaded key, in a builder."""
        if not self.kept:
            return lambda _: None
        core = self.core
        cycles = [*self.load, core.quiet]
        load = Unrolling(core.aig, cycles, core.after_reset, builder, when=LOAD, can=self._load_can)
        return lambda v: load.value(len(self.load), 2 * v) if v in self.kept else None

    # --- Ways to be ready

    def starts(self, direction: int) -> list[Start]:
        """Return the states from which a block is accepted, :attr:`cycles_before` cycles later."""
        cases = self.ready_cases(direction)
        if not self.cycles_before:
            return [Start(ready) for ready in cases]
        found = []
        for ready in cases:
            for values in itertools.product((False, True), repeat=len(ready)):
                registers = dict(zip(ready, values, strict=True))
                ways = self._ways_to(ready, {**self.invariant, **registers})
                found += [Start(registers, given) for given in ways]
        return found

    def _ways_to(
        self, ready: Known, state: Known, given: tuple[Known, ...] = ()
    ) -> Iterator[tuple[Known, ...]]:
        """Return the inputs by which a state leads to another one in :attr:`cycles_before` cycles.

        What comes in is only fixed where it has a bearing on that.
        """
        if len(given) == self.cycles_before:
            if ready.items() <= state.items():
                yield given
            return
        circuit, quiet = self.core.aig, self.core.quiet
        after = a_cycle_later(circuit, {**state, **quiet})
        if ready.keys() <= after.keys():
            yield from self._ways_to(ready, after, (*given, quiet))
            return
        none = {**quiet, **self.core.constant("in_valid", 0)}
        for known in (none, *(self.core.first(self, way) for way in self.core.directions)):
            after = a_cycle_later(circuit, {**state, **known})
            if not ready.keys() <= after.keys():
                raise UsageError("more than in_valid has a bearing on the account of columns")
            yield from self._ways_to(ready, after, (*given, known))

    def ready_cases(self, direction: int) -> list[dict[int, bool]]:
        """Return the ways in which registers let the core accept a block, each a case of its own.

        Args:
            direction: 0 for a block to be encrypted, 1 for one to be decrypted.

        Raises:
            NotAccepted: it never does.
            UsageError: there are too many.
        """
        graph = self.ready_graph(direction)
        variables = [self.core.register_at[name] for name in graph.inputs]
        if len(variables) > MAX_INPUTS:
            raise UsageError(f"in_ready depends on {len(variables)} registers: too many for cases")
        return [
            {variables[number]: value for number, value in cube.items()}
            for cube in cubes(truth_table(graph))
        ]

    def ready_graph(self, direction: int) -> Aig:
        """Return `in_ready` as a graph of what registers hold then.

        Args:
            direction: 0 for a block to be encrypted, 1 for one to be decrypted.

        Raises:
            NotAccepted: it never is up.
        """
        core, circuit = self.core, self.core.aig
        known = core.first(self, direction)
        builder = Builder([])
        unrolling = Unrolling(circuit, [known], self.invariant, builder)
        ready = unrolling.value(0, circuit.bits_out("in_ready")[0])
        if ready == FALSE:
            raise NotAccepted("the core is never ready for a block after a reset", self.number)
        graph = builder.finish([("ready", ready)])
        foreign = [name for name in graph.inputs if name not in core.register_at]
        if foreign:
            raise NotAccepted(
                f"in_ready depends on inputs of the same cycle: {', '.join(foreign[:4])}",
                self.number,
            )
        # By a graph, as for what a reset fixes: look-up tables hide what is known.
        none = core.constant("in_valid", 0)
        cycles = [*({**given, **none} for given in self.load), known]
        reached = Unrolling(circuit, cycles, core.after_reset, Builder([]))
        if reached.value(len(self.load), circuit.bits_out("in_ready")[0]) != TRUE:
            # Of a core that accepts nothing, everything could be claimed.
            raise NotAccepted(
                "the core is not ready for a block after a reset and a key load", self.number
            )
        return graph
