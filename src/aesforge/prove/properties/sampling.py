# SPDX-License-Identifier: Apache-2.0
"""Simulate a case of the claim for random inputs: most faults show at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from aesforge.netlist.aig import ALL_ONES, Aig, value_of
from aesforge.prove.analysis import rings
from aesforge.prove.analysis.rings import Account
from aesforge.prove.analysis.unroll import Known
from aesforge.prove.properties.case import Sample
from aesforge.prove.properties.setting import LOAD, Setting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_WORDS = 2


def sample(
    setting: Setting,
    cycles: Sequence[Known],
    start: Known,
    accounts: Sequence[Account],
    proved: Sequence[Known],
    roots: list[int],
    block_index: int | None,
    seed: int,
) -> Sample:
    """Return the values of some roots for random inputs, cycle by cycle, without a graph.

    Args:
        setting: the slot.
        cycles: the inputs known, from the state on.
        start: known values of the state.
        accounts: what rings side by side can hold in it.
        proved: for each cycle what is known of any variables besides; inputs with which it is
            otherwise come from a state that is not reached, and their outputs do not count.
        roots: the outputs; the last is `out_valid`.
        block_index: which block of the beat, None for the tag.
        seed: of the random inputs.
    """
    import numpy as np

    core, circuit = setting.core, setting.core.aig
    rng = np.random.default_rng(seed)
    given: dict[str, NDArray[np.uint64]] = {}
    registers = rng.integers(0, 1 << 64, (len(circuit.registers), _WORDS), dtype=np.uint64)
    if setting.load.cycles:
        loaded = registers.copy()
        _hold(loaded, core.after_reset, circuit.first_register)
        for cycle, known in enumerate(setting.load.cycles):
            at, loaded = _cycle(circuit, known, loaded, rng)
            if cycle == setting.load.taken:
                given |= {f"{n}@{LOAD}{cycle}": at[b >> 1] for n, b in core.named("key")}
        kept = [v - circuit.first_register for v in setting.kept]
        registers[kept] = loaded[kept]
    for account in accounts:
        for v, values in rings.drawn(account, rng, _WORDS):
            registers[v - circuit.first_register] = values
    _hold(registers, start, circuit.first_register)
    reached = np.full(_WORDS, ALL_ONES, dtype=np.uint64)
    for cycle, inputs_known in enumerate(cycles):
        at, registers = _cycle(circuit, inputs_known, registers, rng)
        for v, value in (proved[cycle] if proved else {}).items():
            reached &= at[v] if value else ~at[v]
        if setting.load.cycles:
            # Key loads from a random state would be for any slot: proved not to be apart.
            registers[kept] = loaded[kept]
        if cycle == setting.cycles_before:
            for port in ("in_key", "in_block", "in_tag"):
                given |= {f"{name}@{cycle}": at[bit >> 1] for name, bit in core.named(port)}
    found = value_of(at, roots)
    inputs = np.array([given[name] for name in setting.inputs(block_index)])
    return Sample(inputs, found[:-1], found[-1], reached)


def _hold(registers: NDArray[np.uint64], known: Known, first: int) -> None:
    """Set registers to the values that are known of them."""
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
