# SPDX-License-Identifier: Apache-2.0
"""The cases of the claim about a key expansion: its round keys, each with the key's tag."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from aesforge.errors import UsageError
from aesforge.netlist.aig import TRUE, Aig, Builder
from aesforge.prove.analysis.rings import Compare
from aesforge.prove.analysis.tables import MAX_INPUTS, cubes, every_case
from aesforge.prove.analysis.unroll import Unrolling, leaves, reached
from aesforge.prove.properties.case import Case
from aesforge.prove.properties.core import Core
from aesforge.prove.properties.counters import reachable_states
from aesforge.prove.properties.ready import ready_cases
from aesforge.prove.properties.setting import Setting


def round_key_cases(core: Core, say: Callable[[str], None], compare: Compare) -> Iterator[Case]:
    """Return every case of the claim about round keys, then of their tags; see `claim.cases`."""
    setting = Setting(core, 0, compare)
    found = ready_cases(setting, 0)
    if not core.design.is_unrolled:
        found = _idle_states(core)
        say(f"{len(found)} sets of states in which a key may be accepted")
    for ready in found:
        for port, name, width in (
            ("in_key", "words", 128),
            ("in_tag", "tag", core.design.tag_bits),
        ):
            yield from _round_keys(setting, ready, port, name, width)


def _idle_states(core: Core) -> list[dict[int, bool]]:
    """Return the states of control in which a key is accepted, of those that a reset leads to.

    All states are tried, from those after a reset on, with all that can come in.

    Raises:
        UsageError: control has too many registers, or depends on secrets.
    """
    import numpy as np

    circuit = core.aig
    ready_out = circuit.bits_out("in_ready")[0]
    roots = [ready_out, *circuit.bits_out("out_valid"), *circuit.bits_out("out_round")]
    can = circuit.possible(leaves(circuit, {core.rst: False}))
    variables = sorted(reached(circuit, can, roots))
    registers = [v for v in variables if v >= circuit.first_register]
    builder = Builder([])
    running = {core.rst: False}
    unrolling = Unrolling(circuit, [running, {}], {}, builder)
    outputs = [(str(v), unrolling.value(1, 2 * v)) for v in registers]
    outputs.append(("ready", unrolling.value(0, ready_out)))
    graph = builder.finish(outputs)
    names = [core.at_start[v] for v in registers]
    names += sorted(graph.used_inputs() - set(names))
    if len(names) > MAX_INPUTS:
        raise UsageError(f"{len(names)} registers and inputs have a bearing on control: too many")
    rows = every_case(graph, names)
    count = 1 << len(registers)
    # Row by input, column by state.
    bits = [row[: 1 << len(names)].reshape(-1, count) for row in rows]
    after = sum(bit.astype(np.int64) << n for n, bit in enumerate(bits[:-1]))
    known = core.after_reset
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
    setting: Setting, ready: dict[int, bool], port: str, name: str, width: int
) -> Iterator[Case]:
    core = setting.core
    design, circuit = core.design, core.aig
    first, later = setting.first(0), core.quiet
    state = {**setting.invariant, **ready}
    # A single output gives nothing else until the next key can come.
    last = design.latency_cycles + (0 if design.is_unrolled else design.stages)
    cycles = [first, *([later] * last)]
    given = tuple(f"{bit}@0" for bit in core.names(port))
    data = circuit.bits_out("out_round_keys" if name == "words" else "out_tag")
    valid_out, round_out = circuit.bits_out("out_valid"), circuit.bits_out("out_round")
    possible = circuit.possible(leaves(circuit, {**state, **later}))
    phases = reachable_states(
        core, reached(circuit, possible, [*data, *valid_out]), setting.invariant
    )
    for phase, counters in enumerate(phases):
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
        words += [core.register_label(ready)] if ready else []
        words += [f"counters at {phase} of {len(phases)}"] if len(phases) > 1 else []
        if name == "words":
            outputs = {f"words[{n}]": outputs[f"words[{n}]"] for n in range(len(outputs))}
        graph = builder.finish([*outputs.items(), ("valid", valid)])
        yield Case(", ".join(words), False, given, 0, name, partial(_same, graph))


def _same(graph: Aig) -> Aig:
    return graph
