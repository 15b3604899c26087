# SPDX-License-Identifier: Apache-2.0
"""The states from which a core accepts a block."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from aesforge.errors import UsageError
from aesforge.netlist.aig import FALSE, TRUE, Aig, Builder
from aesforge.prove.analysis import rings
from aesforge.prove.analysis.rings import Account, Compare
from aesforge.prove.analysis.tables import MAX_INPUTS, cubes, truth_table
from aesforge.prove.analysis.unroll import Known, Unrolling, a_cycle_later, leaves, next_known
from aesforge.prove.properties.case import NotAccepted
from aesforge.prove.properties.counters import account_states
from aesforge.prove.properties.setting import Setting


@dataclass(frozen=True)
class Start:
    """A state from which a block is accepted."""

    registers: Known
    """Those that are known."""
    before: tuple[Known, ...] = ()
    """Inputs known in the cycles between the state and the block."""
    accounts: tuple[Account, ...] = ()
    """The states of parallel rings, one of which accepts the block."""
    label: str = ""
    """What sets it apart, where that is not the registers."""


def starts_of(setting: Setting, direction: int, compare: Compare) -> Iterator[Start]:
    """Return the states from which a block is accepted, :attr:`Setting.cycles_before` cycles later.

    Raises:
        CheckFailed: a core of several rings accepts a block though no ring is ready.
        NotAccepted: there is none.
        UsageError: there are too many.
    """
    if setting.core.has_rings:
        yield from _ring_starts(setting, direction, compare)
        return
    for start in _ways_in(setting, direction):
        for others in _account_cases(setting, direction, start):
            yield Start({**start.registers, **others}, start.before)


def _ring_starts(setting: Setting, direction: int, compare: Compare) -> Iterator[Start]:
    """Return the states from which one of several rings accepts a block."""
    core, ready = setting.core, ready_graph(setting, direction)
    used = {*ready.inputs, *_bearing_on_valid(setting, direction, Start({}))}
    groups: dict[int, list[int]] = {}
    for v, name in core.at_start.items():
        ring = rings.ring_of(name)
        # Synthesis names a register after any net that it drives: that of the count of
        # zeroization may bear the name of a ring's port. No block has a bearing on it.
        if name in used and ring >= 0 and v in core.fed:
            groups.setdefault(ring, []).append(v)
    accounts = [
        Account(tuple(groups[ring]), frozenset(account_states(core, groups[ring])))
        for ring in sorted(groups)
    ]
    for ring, known, held in rings.ways_in(ready, accounts, core.at_start, compare):
        fixed = {v: value for account in held for v, value in account.fixed.items()}
        words = " ".join(filter(None, [f"ring {ring}", core.register_label(known)]))
        yield Start({**known, **fixed}, accounts=tuple(held), label=words)


def _bearing_on_valid(setting: Setting, direction: int, start: Start) -> set[str]:
    """Return what `out_valid` depends on when the block is out, by the names of a graph."""
    circuit, cycles = setting.core.aig, setting.cycles(start.before, direction)
    builder = Builder([])
    unrolling = Unrolling(circuit, cycles, {**setting.invariant, **start.registers}, builder)
    valid = unrolling.value(len(cycles) - 1, circuit.bits_out("out_valid")[0])
    return builder.finish([("valid", valid)]).used_inputs()


def _account_cases(setting: Setting, direction: int, start: Start) -> list[dict[int, bool]]:
    """Split by the state of other blocks in the ring, where `out_valid` depends on it.

    Only states that are reachable after a reset make a case.
    """
    core, circuit = setting.core, setting.core.aig
    cycles = setting.cycles(start.before, direction)
    state = {**setting.invariant, **start.registers}
    valid_out = circuit.bits_out("out_valid")[0]
    used = _bearing_on_valid(setting, direction, start)
    group = sorted(v for v in core.at_start if core.at_start[v] in used)
    if not group:
        return [{}]

    def known_valid(account: Known) -> bool:
        known = {**state, **account}
        for given in cycles:
            can = circuit.possible(leaves(circuit, {**known, **given}))
            known = next_known(circuit, can)
        return not can[valid_out ^ 1]

    # Values that the output does not need stay free.
    found: list[dict[int, bool]] = []
    for values in sorted(account_states(core, group)):
        account = {v: bool(value) for v, value in zip(group, values, strict=True)}
        if any(account.items() >= other.items() for other in found):
            continue
        for v in group:
            fewer = {key: value for key, value in account.items() if key != v}
            if known_valid(fewer):
                account = fewer
        found.append(account)
    return found


def _ways_in(setting: Setting, direction: int) -> list[Start]:
    """Return the states from which a block is accepted, some cycles later."""
    cases = ready_cases(setting, direction)
    if not setting.cycles_before:
        return [Start(ready) for ready in cases]
    found = []
    for ready in cases:
        for values in itertools.product((False, True), repeat=len(ready)):
            registers = dict(zip(ready, values, strict=True))
            ways = _ways_to(setting, ready, {**setting.invariant, **registers})
            found += [Start(registers, given) for given in ways]
    return found


def _ways_to(
    setting: Setting, ready: Known, state: Known, given: tuple[Known, ...] = ()
) -> Iterator[tuple[Known, ...]]:
    """Return the inputs by which a state leads to another one in some cycles.

    What comes in is only fixed where it has a bearing on that.
    """
    if len(given) == setting.cycles_before:
        if ready.items() <= state.items():
            yield given
        return
    core, circuit, quiet = setting.core, setting.core.aig, setting.core.quiet
    after = a_cycle_later(circuit, {**state, **quiet})
    if ready.keys() <= after.keys():
        yield from _ways_to(setting, ready, after, (*given, quiet))
        return
    none = {**quiet, **core.constant("in_valid", 0)}
    for known in (none, *(setting.first(way) for way in core.directions)):
        after = a_cycle_later(circuit, {**state, **known})
        if not ready.keys() <= after.keys():
            raise UsageError("more than in_valid has a bearing on the account of columns")
        yield from _ways_to(setting, ready, after, (*given, known))


def ready_cases(setting: Setting, direction: int) -> list[dict[int, bool]]:
    """Return the register values with which the core accepts a block, one case each.

    Args:
        setting: the slot.
        direction: 0 for a block to be encrypted, 1 for one to be decrypted.

    Raises:
        NotAccepted: it never does.
        UsageError: there are too many.
    """
    graph = ready_graph(setting, direction)
    variables = [setting.core.register_at[name] for name in graph.inputs]
    if len(variables) > MAX_INPUTS:
        raise UsageError(f"in_ready depends on {len(variables)} registers: too many for cases")
    return [
        {variables[number]: value for number, value in cube.items()}
        for cube in cubes(truth_table(graph))
    ]


def ready_graph(setting: Setting, direction: int) -> Aig:
    """Return `in_ready` as a graph of what registers hold then.

    Args:
        setting: the slot.
        direction: 0 for a block to be encrypted, 1 for one to be decrypted.

    Raises:
        NotAccepted: it never is up.
    """
    core, circuit = setting.core, setting.core.aig
    known = setting.first(direction)
    builder = Builder([])
    unrolling = Unrolling(circuit, [known], setting.invariant, builder)
    ready = unrolling.value(0, circuit.bits_out("in_ready")[0])
    if ready == FALSE:
        raise NotAccepted("the core is never ready for a block after a reset", setting.number)
    graph = builder.finish([("ready", ready)])
    foreign = [name for name in graph.inputs if name not in core.register_at]
    if foreign:
        raise NotAccepted(
            f"in_ready depends on inputs of the same cycle: {', '.join(foreign[:4])}",
            setting.number,
        )
    # By a graph, as for what a reset fixes: look-up tables hide what is known.
    none = core.constant("in_valid", 0)
    cycles = [*({**given, **none} for given in setting.load.cycles), known]
    reached = Unrolling(circuit, cycles, core.after_reset, Builder([]))
    if reached.value(len(setting.load.cycles), circuit.bits_out("in_ready")[0]) != TRUE:
        # Of a core that accepts nothing, everything could be claimed.
        raise NotAccepted(
            "the core is not ready for a block after a reset and a key load", setting.number
        )
    return graph
