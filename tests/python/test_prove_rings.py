# SPDX-License-Identifier: Apache-2.0
"""Several rings side by side."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from aesforge.design import load
from aesforge.errors import CheckFailed
from aesforge.netlist.aig import Builder
from aesforge.prove import circuit, prove_circuit
from aesforge.prove.analysis import rings
from aesforge.prove.counterexample import find_mismatch
from aesforge.prove.engines import equal
from aesforge.prove.mutation import changed_files
from aesforge.prove.properties.claim import cases, core_of
from aesforge.prove.properties.counters import account_states
from aesforge.toolchain import rtl
from proofs import LITTLE, change, specified

TWO_RINGS = load("compact", {"tiles": 2})


def test_each_ring_takes_blocks_that_come_out_alone() -> None:
    core = core_of(circuit.of_design(TWO_RINGS).aig, TWO_RINGS)
    every = list(cases(core))
    assert [case.label.partition(" zeroizing")[0] for case in every] == [
        f"{what}, ring {ring}" for ring in (0, 0, 1, 1) for what in ("tag", "block")
    ]
    of_blocks = [case for case in every if case.has_block]
    # What the other ring holds has no bearing on them.
    assert not any(case.foreign for case in every)
    assert len({case.digest for case in of_blocks}) == 1
    alone = core_of(circuit.of_design(LITTLE).aig, LITTLE)
    (one, _) = (case for case in cases(alone) if case.has_block)
    assert len(of_blocks[0].graph.gates) == len(one.graph.gates)
    for case in of_blocks:
        assert case.sample is not None
        assert find_mismatch(case, case.sample(1), specified(128, False)) is None


def test_a_name_alone_makes_no_register_one_of_a_ring() -> None:
    """Flattened, the count of zeroization may be called after the port of a tile that it drives."""
    aig = circuit.of_design(TWO_RINGS).aig
    named = [re.sub(r"^zeroiz", "gen_tile[0].u_tile.zeroiz", name) for name in aig.registers]
    assert sum(one != other for one, other in zip(named, aig.registers, strict=True)) == 11
    every, expected = (
        [case.label for case in cases(core_of(replace(aig, registers=names), TWO_RINGS))]
        for names in (named, aig.registers)
    )
    assert every == expected


def test_what_a_ring_keeps_account_of_never_passes_its_last_pass() -> None:
    core = core_of(circuit.of_design(TWO_RINGS).aig, TWO_RINGS)
    first = core.aig.first_register
    group = [
        first + n
        for n, name in enumerate(core.aig.registers)
        if name.startswith("gen_tile[1].") and re.search(r"\.(valid|pass)_end\b", name)
    ]
    names = [core.aig.registers[v - first].rpartition(".")[2] for v in group]
    assert len(group) == 5
    held = [dict(zip(names, values, strict=True)) for values in account_states(core, group)]
    passes = [sum(at[f"pass_end[{bit}]"] << bit for bit in range(4)) for at in held]
    assert {number for number, at in zip(passes, held, strict=True) if at["valid_end"]} == set(
        range(10)
    )


@pytest.mark.parametrize(
    ("name", "text", "other"),
    [
        # It takes blocks for which no ring has a place.
        ("aesforge_core.sv", "&& ring_ready != '0;", ";"),
        # A ring shows what it holds once on the way: with one ring, nobody would have to look.
        (
            "aesforge_sequencer.sv",
            "valid_end && !again && !zeroize && !hold",
            "valid_end && (!again || pass_end == PassBits'(3)) && !zeroize && !hold",
        ),
        # What stands at the end of the second ring comes out, whichever ring is through.
        ("aesforge_core.sv", "if (ring_valid_o[i]) begin", "if (ring_valid_o[i] || i == 1) begin"),
        # A block passes through the ring twice.
        ("aesforge_sequencer.sv", "pass_end != PassBits'(Passes - 1)", "pass_end != '1"),
    ],
)
def test_a_fault_in_one_of_several_rings_is_refuted(
    name: str, text: str, other: str, tmp_path: Path
) -> None:
    files = changed_files(tmp_path, rtl.needed_by(TWO_RINGS.top), [change(name, text, other)])
    proof = prove_circuit(TWO_RINGS, circuit.of_design(TWO_RINGS, files))
    assert proof.result == "not proved", proof.text()


def test_ways_into_rings_are_all_there_are() -> None:
    """Two rings of one register each, and what says that one is ready."""
    names = {1: "one", 2: "other"}
    accounts = [rings.Account((v,), frozenset({(0,), (1,)})) for v in names]

    def ways(busy: Callable[[Builder, int, int], int]) -> list[tuple[int, dict[int, bool]]]:
        builder = Builder(list(names.values()))
        both = busy(builder, *map(builder.input_named, names.values()))
        graph = builder.finish([("ready", both ^ 1)])
        found = rings.ways_in(graph, accounts, names, equal.compare)
        return [(ring, known) for ring, known, _ in found]

    assert ways(Builder.conjunction) == [(0, {1: False}), (1, {2: False})]
    with pytest.raises(CheckFailed, match="though no ring is ready"):
        # If just one of them is busy, neither is ready for certain.
        ways(
            lambda b, x, y: b.conjunction(b.conjunction(x, y ^ 1) ^ 1, b.conjunction(x ^ 1, y) ^ 1)
        )
