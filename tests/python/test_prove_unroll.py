# SPDX-License-Identifier: Apache-2.0
"""Cycles of a circuit one after the other."""

from __future__ import annotations

import dataclasses

import numpy as np

from aesforge.netlist.aig import Aig, Builder
from aesforge.prove import circuit
from aesforge.prove.analysis.tables import cubes
from aesforge.prove.analysis.unroll import Unrolling, carried_forward, carried_together, leaves
from proofs import LITTLE


def test_what_chooses_between_two_alike_is_not_built() -> None:
    """NOT (block ? x AND x : x), the sides of which are the same once a graph is made of them."""
    circuit = Aig(
        inputs=["block", "x"], gates=[(4, 4), (2, 6), (3, 4), (9, 11)], by_data={6: (2, 6, 4)}
    )
    for by_data, inputs in ((circuit.by_data, ["x@0"]), ({}, ["block@0", "x@0"])):
        builder = Builder([])
        unrolling = Unrolling(dataclasses.replace(circuit, by_data=by_data), [{}], {}, builder)
        assert unrolling.value(0, 13) == builder.input_named("x@0")
        assert builder.inputs == inputs


def test_states_carried_forward_together_are_as_each_alone() -> None:
    """Nineteen, more than fit into one number, and back to the first once more."""
    aig = circuit.of_design(LITTLE).aig
    rng = np.random.default_rng(3)
    registers = range(aig.first_register, aig.first_gate)
    states = [{v: bool(rng.integers(2)) for v in registers if rng.integers(2)} for _ in range(19)]
    cycles = [{v: bool(rng.integers(2)) for v in rng.integers(1, 9, 3)} for _ in range(5)]
    proved = [{aig.first_gate + cycle: True} for cycle in range(5)]
    together = carried_together(aig, cycles, states, proved)
    for number in (*range(19), 0):
        alone = carried_forward(aig, cycles, leaves(aig, states[number]), proved)
        for one, other in zip(together(number), alone, strict=True):
            assert (one == other).all()


def test_cubes_are_disjoint_and_cover_what_is_true() -> None:
    rng = np.random.default_rng(7)
    table = rng.integers(0, 2, (2,) * 5).astype(bool)
    count = np.zeros_like(table, dtype=int)
    for cube in cubes(table):
        count[tuple(int(cube[v]) if v in cube else slice(None) for v in range(5))] += 1
    assert (count == table).all()
