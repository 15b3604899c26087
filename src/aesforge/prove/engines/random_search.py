# SPDX-License-Identifier: Apache-2.0
"""A search for a violated assertion with random inputs, from the first cycle on.

Thousands of runs go side by side, as bits of words. What it finds is a violation; what it does not
find says nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aesforge.netlist.aig import value_of
from aesforge.prove.engines.induction import Claim

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Drawn = Callable[["np.random.Generator", int, int], "NDArray[np.bool_]"]
"""Values of an input in some runs: of a generator, the bits of the input and the runs."""

WORDS = 16
"""Words of 64 runs each."""


def search(
    claim: Claim,
    names: Path,
    cycles: int,
    drawn: Mapping[str, Drawn],
    *,
    seed: int = 1,
) -> tuple[int, int] | None:
    """Search for a violated assertion.

    Args:
        claim: the circuit; it assumes nothing.
        names: names of its inputs, as Yosys wrote them beside it.
        cycles: how many are tried.
        drawn: how to draw the inputs of these names; all others are even bits.
        seed: of the generator.

    Returns:
        The number of the assertion and the cycle, both counted from 0; None where none was found.
    """
    import numpy as np

    circuit, registers = claim.cycle, claim.registers
    inputs = len(circuit.inputs) - registers
    assert len(circuit.output) == registers + claim.assertions, "an assumption is left"
    runs = 64 * WORDS
    chance = np.random.default_rng(seed)
    known = json.loads(names.read_text(encoding="utf-8"))
    steady = _ports(known["inits"])
    moving = _ports(known["inputs"])

    def draw(ports: Mapping[str, Mapping[int, int]], into: NDArray[np.bool_]) -> None:
        for name, bits in ports.items():
            if name in drawn:
                got = drawn[name](chance, len(bits), runs)
                for bit, place in bits.items():
                    into[place] = got[bit]

    # What registers without a start value begin with is drawn once.
    begins = np.zeros((inputs, runs), dtype=np.bool_)
    draw(steady, begins)
    fixed = [place for bits in steady.values() for place in bits.values()]
    even = [place for name in steady.keys() - drawn.keys() for place in steady[name].values()]
    begins[even] = chance.integers(0, 2, (inputs, runs)).astype(np.bool_)[even]
    state = np.zeros((registers, WORDS), dtype=np.uint64)
    follows = np.array(circuit.output, dtype=np.int64)
    for cycle in range(cycles):
        free = chance.integers(0, 2, (inputs, runs)).astype(np.bool_)
        free[fixed] = begins[fixed]
        draw(moving, free)
        words = np.packbits(free, axis=1, bitorder="little").view(np.uint64)
        literals = value_of(circuit.simulate(np.concatenate([words, state])), follows)
        violated = np.flatnonzero(literals[registers:].any(axis=1))
        if violated.size:
            return int(violated[0]), cycle
        state = literals[:registers]
    return None


def _ports(said: list[dict[str, Any]]) -> dict[str, dict[int, int]]:
    """Return inputs by name: the place of each bit."""
    found: dict[str, dict[int, int]] = {}
    for one in said:
        name = ".".join(one["path"]).replace("\\", "")
        found.setdefault(name, {})[one["offset"]] = one["input"]
    return found
