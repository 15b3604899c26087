# SPDX-License-Identifier: Apache-2.0
"""The cases of the claim about blocks: from each state that accepts one until it is out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from aesforge.netlist.aig import Aig
from aesforge.prove.analysis import rings
from aesforge.prove.analysis.rings import Compare
from aesforge.prove.analysis.unroll import (
    Known,
    Unrolling,
    carried_together,
    invariant_registers,
    leaves,
    reached,
)
from aesforge.prove.properties.case import Case
from aesforge.prove.properties.core import Core
from aesforge.prove.properties.counters import reachable_states
from aesforge.prove.properties.ready import Start, starts_of
from aesforge.prove.properties.sampling import sample
from aesforge.prove.properties.setting import Setting


def block_cases(core: Core, say: Callable[[str], None], compare: Compare) -> Iterator[Case]:
    """Return every case of the claim about blocks, one after the other; see `claim.cases`."""
    for slot in range(core.design.key_slots or 1):
        setting = Setting(core, slot, compare)
        if setting.load.cycles:
            say(f"slot {slot}: {len(setting.kept)} registers keep their values after the load")
        for direction in core.directions:
            for start in starts_of(setting, direction, compare):
                yield from _cases(setting, direction, start, compare)


def _cases(setting: Setting, direction: int, begin: Start, compare: Compare) -> Iterator[Case]:
    core = setting.core
    design, circuit = core.design, core.aig
    later, ready = core.in_flight, begin.registers
    state = {**setting.invariant, **ready}
    invariant_state = invariant_registers(
        circuit, {**core.invariant, **ready, **setting.invariant}, later
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
    cycles = setting.cycles(begin.before, direction)
    proved: list[dict[int, bool]] = []
    if begin.accounts:
        proved = rings.constants(
            circuit, cycles, state, begin.accounts, core.control, core.at_start, compare
        )
    if setting.while_kept is not None:
        kept = setting.while_kept.known(cycles, state)
        before: list[dict[int, bool]] = proved or [{} for _ in cycles]
        proved = [{**one, **other} for one, other in zip(before, kept, strict=True)]
    for what, wanted, block_index in parts:
        roots = [*wanted, *valid_out]
        phases = reachable_states(core, reached(circuit, possible, roots), setting.invariant)
        states = [{**state, **counters} for counters in phases]
        graph = _graphs(setting, cycles, states, proved, roots, block_index)
        for phase, start in enumerate(states):
            words = [what]
            if design.direction == "both":
                words.append("decrypting" if direction else "encrypting")
            if not design.is_agile:
                words.append(f"slot {setting.number}")
            apart = begin.label or core.register_label(ready)
            words += [apart] if apart else []
            words += [f"{len(begin.before)} cycles later"] if begin.before else []
            words += [f"counters at {phase} of {len(phases)}"] if len(phases) > 1 else []
            yield Case(
                ", ".join(words),
                block_index is not None and direction == 1,
                tuple(setting.inputs(block_index)),
                setting.number,
                "tag" if block_index is None else "block",
                partial(graph, phase),
                partial(sample, setting, cycles, start, begin.accounts, proved, roots, block_index),
                start,
            )


def _graphs(
    setting: Setting,
    cycles: Sequence[Known],
    states: Sequence[Known],
    proved: Sequence[Known],
    roots: list[int],
    block_index: int | None,
) -> Callable[[int], Aig]:
    """Return a function that returns the values of some roots, from a state by its number."""
    # A tag depends on little, which is looked at in as many cases as a counter has states.
    part = setting.core.part(tuple(roots))
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
