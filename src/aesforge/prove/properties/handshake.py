# SPDX-License-Identifier: Apache-2.0
"""When `out_valid` may be high and `in_ready` must be: the handshakes of a core, from a reset on.

A monitor beside the core's control counts accepted blocks. ABC then searches all states that a
reset leads to, whatever comes in, `rst` and `zeroize` too: :mod:`aesforge.prove.engines.reach`.
The data path is not looked at; few registers have a bearing on these outputs.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from aesforge.design import Design
from aesforge.errors import UsageError
from aesforge.netlist.aig import FALSE, TRUE, Builder
from aesforge.prove.analysis.unroll import Known, Unrolling
from aesforge.prove.engines.reach import Machine
from aesforge.prove.properties.core import Core

# `in_ready` is looked at with each value of the registers that loading a key has no bearing on.
_MAX_OTHERS = 10


@dataclass(frozen=True)
class Question:
    """A literal of a machine that must never be high."""

    machine: Machine
    wrong: int
    words: str
    """What is wrong when it is."""
    exact: Callable[[], Question] | None = None
    """Returns the same question of the core alone, where registers may hold anything in this one:
    only what is wrong of that is wrong of the core."""


class Watched:
    """One cycle of a core's control, beside which a monitor is built.

    Args:
        core: the core.
        freed: registers that may hold anything in each cycle.
        start: registers known in the first cycle; None for those that a reset fixes.
        inputs: inputs that keep a value.
    """

    def __init__(
        self,
        core: Core,
        freed: AbstractSet[int] = frozenset(),
        start: Known | None = None,
        inputs: Known | None = None,
    ) -> None:
        self.core = core
        self.machine = Machine()
        self._freed = freed
        self._start = core.after_reset if start is None else start
        self._current: dict[int, int] = {}
        self._open: list[int] = []
        self._cycle = Unrolling(
            core.aig, [inputs or {}, {}], core.invariant, self.machine.builder, self._register
        )
        self.rst = self.input("rst")
        self.zeroize = self.input("zeroize")
        self.calm = self.machine.none_of(self.rst, self.zeroize)
        self.taken = self.machine.all_of(self.input("in_valid"), self.output("in_ready"))

    def _register(self, variable: int) -> int:
        if variable not in self._current:
            name = self.core.at_start[variable]
            if variable in self._freed:
                self._current[variable] = self.machine.builder.input_named(f"{name} freed")
            else:
                start = self._start.get(variable)
                self._current[variable] = self.machine.register(name, start)
                self._open.append(variable)
        return self._current[variable]

    def question(self, wrong: int, words: str) -> Question:
        """Return a question about this core, after all of the monitor is built."""
        while self._open:
            variable = self._open.pop()
            after = self._cycle.value(1, 2 * variable)
            self.machine.follows(self.core.at_start[variable], after)
        return Question(self.machine, wrong, words)

    def bits(self, literals: Iterable[int]) -> list[int]:
        """Return the values of some literals of the core."""
        return [self._cycle.value(0, literal) for literal in literals]

    def input(self, port: str) -> int:
        """Return the value of an input of one bit."""
        return self.bits(self.core.aig.bits_in(port))[0]

    def output(self, port: str) -> int:
        """Return the value of an output of one bit."""
        return self.bits(self.core.aig.bits_out(port))[0]

    def key_taken(self) -> int:
        """Return whether a key is accepted."""
        return self.machine.all_of(self.input("key_valid"), self.output("key_ready"))

    def accepted(self, cycles: int) -> list[int]:
        """Return whether a block was accepted n cycles before, for n from 0 on.

        It does not count any more after `rst` or `zeroize`, with it or later.
        """
        found = [self.taken]
        for cycle in range(1, cycles + 1):
            still = self.machine.all_of(found[-1], self.calm)
            found.append(self.machine.delayed(f"accepted {cycle} before", still))
        return found

    def zeroized(self) -> int:
        """Return whether `zeroize` is high, or was in one of the last `zeroize_cycles` cycles."""
        found = [self.zeroize]
        for cycle in range(1, self.core.design.zeroize_cycles + 1):
            found.append(self.machine.delayed(f"zeroize {cycle} before", found[-1]))
        return self.machine.any_of(*found)


def _loader(core: Core) -> set[int] | None:
    """Return the registers that only key loads have a bearing on; None without several slots."""
    if not core.has_slots:
        return None
    # A key load waits for no block: it counts cycles.
    return core.fed_by("key_valid", "key_slot") - core.fed


# --- out_valid


def idle(core: Core) -> Question:
    """Ask whether `out_valid` can be high in a cycle in which no block or round key is due.

    With several key slots, the registers of the key loader may hold anything in each cycle: which
    slots hold a key says which blocks are accepted, not when they come out.
    """
    loader = _loader(core)
    if loader is None:
        return _idle(core)
    return replace(_idle(core, loader), exact=lambda: _idle(core))


def _idle(core: Core, freed: AbstractSet[int] = frozenset()) -> Question:
    """Ask it, with registers that may hold anything in each cycle."""
    watched, design = Watched(core, freed), core.design
    machine = watched.machine
    accepted = watched.accepted(design.latency_cycles)
    valid = watched.bits(core.aig.bits_out("out_valid"))
    if not design.is_key_expansion:
        wrong = machine.all_of(valid[0], accepted[-1] ^ 1)
    else:
        due = accepted[:: design.stages] if design.stages else [accepted[0]] * (design.rounds + 1)
        if not design.is_unrolled:
            # One output: the round key that is due says which one it is.
            number = watched.bits(core.aig.bits_out("out_round"))
            due = [
                machine.all_of(at, machine.equals(number, round_)) for round_, at in enumerate(due)
            ]
            due = [machine.any_of(*due)]
        wrong = machine.any_of(
            *(machine.all_of(bit, at ^ 1) for bit, at in zip(valid, due, strict=True))
        )
    return watched.question(wrong, "out_valid is high though nothing is due")


# --- in_ready


def occupied(design: Design) -> range:
    """Return after how many cycles a block that was accepted keeps another one out."""
    if design.is_key_expansion:
        return range(1, int(design.interval))
    if design.is_serial:
        return range(1, 4)
    if design.is_unrolled:
        return range(0)
    ring = design.unrolled_rounds * design.stages
    return range(ring, ring * design.passes, ring)


def longest_wait(design: Design) -> int:
    """Return the most cycles in a row in which `in_ready` is low because of other blocks."""
    kept = occupied(design)
    # Each place of a ring can hold a block that was accepted a cycle after the one before.
    return len(kept) * kept.step if kept else 0


def ready(core: Core) -> Iterator[Question]:
    """Ask whether `in_ready` can be low for another reason than those that :func:`text` gives.

    With several key slots, in two questions, as the registers of a ring and those that a key load
    has a bearing on have little to do with each other: does a slot that holds a key let blocks in,
    as far as it depends on the loader; and does the ring, if the loader lets blocks in.
    """
    loader = _loader(core)
    if loader is None:
        yield _ring_ready(core)
        return
    yield replace(_ring_ready(core, loader, loader), exact=lambda: _ring_ready(core, loader))
    yield _slot_ready(core, core.design.key_slots or 1, loader)


def _ring_ready(
    core: Core, loader: AbstractSet[int] | None = None, freed: AbstractSet[int] = frozenset()
) -> Question:
    """Ask whether `in_ready` can be low though the key loader lets blocks in.

    Args:
        core: the core.
        loader: the registers of the key loader; None without several slots.
        freed: registers that may hold anything in each cycle.
    """
    design = core.design
    watched = Watched(core, freed)
    machine = watched.machine
    kept = occupied(design)
    accepted = watched.accepted(max(kept, default=0))
    excused = [watched.rst, watched.zeroized(), *(accepted[cycle] for cycle in kept)]
    if not design.is_agile and loader is None:
        excused.append(watched.input("key_valid"))
        excused.append(_without_key(watched))
    low = watched.output("in_ready") ^ 1
    if loader is not None:
        low = machine.all_of(low, _lets_in(watched, loader))
    wrong = machine.all_of(low, machine.none_of(*excused))
    return watched.question(wrong, "in_ready is low without a reason")


def _without_key(watched: Watched) -> int:
    """Return whether a core for one key holds none, or has not expanded it yet."""
    machine, design = watched.machine, watched.core.design
    taken = watched.key_taken()
    held = machine.register("holds a key")
    machine.follows("holds a key", machine.all_of(watched.calm, machine.any_of(held, taken)))
    found = [taken]
    for cycle in range(1, design.key_expansion_cycles or 1):
        found.append(machine.delayed(f"key {cycle} before", found[-1]))
    return machine.any_of(held ^ 1, *found)


def _slot_ready(core: Core, slots: int, loader: AbstractSet[int]) -> Question:
    """Ask whether a slot that holds a key can keep blocks out.

    It holds one from the load on, whatever is loaded into other slots meanwhile.
    """
    watched = Watched(core)
    machine = watched.machine
    # Any slot, the same for ever.
    width = len(core.aig.bits_in("key_slot"))
    slot = [machine.register(f"slot bit {bit}", None) for bit in range(width)]
    for bit, literal in enumerate(slot):
        machine.follows(f"slot bit {bit}", literal)
    is_slot = machine.any_of(*(machine.equals(slot, number) for number in range(slots)))
    asked = machine.same(watched.bits(core.aig.bits_in("in_slot")), slot)
    named = machine.same(watched.bits(core.aig.bits_in("key_slot")), slot)
    taken = watched.key_taken()
    held = machine.register("holds a key")
    came = machine.any_of(held, machine.all_of(taken, named))
    machine.follows("holds a key", machine.all_of(watched.calm, came))
    last = machine.register("the last key is its")
    machine.follows("the last key is its", machine.choice(taken, named, last))
    loading = machine.all_of(watched.output("key_ready") ^ 1, last)
    excused = machine.any_of(watched.rst, watched.zeroize, held ^ 1, loading)
    wrong = machine.all_of(is_slot, asked, excused ^ 1, _lets_in(watched, loader) ^ 1)
    return watched.question(wrong, "in_ready is low though the slot holds a key")


def _lets_in(watched: Watched, loader: AbstractSet[int]) -> int:
    """Return whether `in_ready` is high with some values of all registers but the loader's.

    Raises:
        UsageError: there are too many of them.
    """
    core, machine = watched.core, watched.machine
    ready_out = core.aig.bits_out("in_ready")[0]
    builder = Builder([])
    cycle = Unrolling(core.aig, [{core.zeroize: False}], core.invariant, builder)
    graph = builder.finish([("ready", cycle.value(0, ready_out))])
    others = [
        name
        for name in graph.inputs
        if name in core.register_at and core.register_at[name] not in loader
    ]
    if len(others) > _MAX_OTHERS:
        raise UsageError(f"in_ready depends on {len(others)} registers: too many for cases")
    given = {
        name: watched.bits([2 * core.register_at[name]])[0]
        for name in graph.inputs
        if name in core.register_at and name not in others
    }
    for number, name in enumerate(core.aig.inputs):
        if f"{name}@0" in graph.inputs:
            given[f"{name}@0"] = watched.bits([2 * (1 + number)])[0]
    found = FALSE
    for values in itertools.product((FALSE, TRUE), repeat=len(others)):
        at = {**given, **dict(zip(others, values, strict=True))}
        found = machine.any_of(
            found, *machine.builder.copy(graph, [at[name] for name in graph.inputs])
        )
    return found


# --- The claim


def round_key_output(design: Design) -> str:
    """Return which output of a key expansion has round key r, as the certificate states it."""
    return "its output r" if design.is_unrolled else "the output, with out_round = r,"


def text(design: Design) -> str:
    """Return both claims for a design, as the certificate states them."""
    what = "key" if design.is_key_expansion else "block"
    accepted = f"a {what} was accepted in t, and rst and zeroize were low from t to"
    if not design.is_key_expansion:
        due = (
            f"out_valid is high in a cycle t + {design.latency_cycles} only if {accepted} "
            f"t + {design.latency_cycles - 1}."
        )
    else:
        due = (
            f"out_valid of {round_key_output(design)} is high in a cycle t + {design.stages} r "
            f"only if {accepted} t + {design.stages} r - 1."
        )
    why = ["rst is high", *_reasons(design, what)]
    return (
        f"{due} in_ready is low in a cycle only if {'; or '.join(why)}. So other {what}s keep it "
        f"low for at most {longest_wait(design)} cycles in a row{_rate_text(design, what)}"
    )


def _reasons(design: Design, what: str) -> list[str]:
    """Return why `in_ready` may be low, apart from a reset."""
    found = [f"zeroize is high, or was in one of the {design.zeroize_cycles} cycles before"]
    kept = occupied(design)
    if len(kept) > 0:
        ages = [*map(str, kept)] if len(kept) < 4 else [*map(str, kept[:2]), "...", str(kept[-1])]
        found.append(
            f"a {what} was accepted {', '.join(ages)} cycles before (any of these), with no rst "
            "and no zeroize since"
        )
    if design.is_serial:
        found.append(
            "key_valid is high, or no key was accepted since the last rst and zeroize, or one was "
            f"in the last {design.key_expansion_cycles} cycles, this one included"
        )
    elif not design.is_agile and not design.is_key_expansion:
        found.append(
            "no key was accepted for in_slot since the last rst and zeroize, or key_ready is low "
            "and the last key accepted is the one for in_slot"
        )
    return found


def _rate_text(design: Design, what: str) -> str:
    if design.tiles > 1 and not design.is_unrolled and not design.is_key_expansion:
        return "; the rate of several tiles is not claimed."
    every = "in every cycle" if design.interval == 1 else f"every {design.interval:g} cycles"
    return f", and with in_valid held high a {what} is accepted {every} on average."
