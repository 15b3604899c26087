# SPDX-License-Identifier: Apache-2.0
"""Graphs of gates: read, put together, simulated."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from aesforge.errors import AesforgeError
from aesforge.netlist.aig import Aig, Builder, read
from aesforge.prove import circuit
from aesforge.prove.analysis.unroll import leaves


@pytest.mark.parametrize("known", [{}, {0: True}, {0: False}])
@pytest.mark.parametrize("values", [(0, 0), (0, 1), (1, 0), (1, 1), (None, 1), (0, None)])
def test_a_choice_between_two_alike_is_known(
    values: tuple[int | None, int | None], known: dict[int, bool]
) -> None:
    """s ? x : y, three-valued, as an inverted output and not."""
    graph = Aig(
        inputs=["s", "x", "y"],
        gates=[(2 * 1, 2 * 2 + 1), (2 * 1 + 1, 2 * 3 + 1), (2 * 4 + 1, 2 * 5 + 1)],
    )
    sides = {2 + n: bool(value) for n, value in enumerate(values) if value is not None}
    given = {1 + n: value for n, value in known.items()} | sides
    can = graph.possible(leaves(graph, given))
    chosen = [values[1 - s] for s in (0, 1) if known.get(0, s) == s]
    for value in (0, 1):
        assert can[2 * 6 + 1 - value] == any(side in (value, None) for side in chosen)


def test_what_is_subsumed_is_the_same_and_known_sooner() -> None:
    """NOT (s AND w) AND w, in each order and with each sign, among random gates."""
    rng = np.random.default_rng(5)
    graph = Aig(inputs=[f"x{n}" for n in range(6)])
    for _ in range(200):
        s, w = (int(literal) for literal in rng.choice(np.arange(2, 2 * graph.size), 2, False))
        graph.gates.append((s, w))
        pair = 2 * (graph.size - 1) + 1, (s, w)[rng.integers(2)]
        graph.gates.append(pair if rng.integers(2) else pair[::-1])
    graph.outputs = [str(v) for v in range(graph.first_gate, graph.size)]
    graph.output = [2 * v for v in range(graph.first_gate, graph.size)]
    fewer = graph.subsumed()
    assert fewer.gates != graph.gates
    every = np.array([[sum(1 << n for n in range(64) if n >> bit & 1)] for bit in range(6)])
    given = every.astype(np.uint64)
    assert (graph.simulate(given) == fewer.simulate(given)).all()
    little = Aig(inputs=["s", "w"], gates=[(2, 4), (7, 4)])
    known = {1: True}
    assert little.possible(leaves(little, known))[8]
    assert not little.subsumed().possible(leaves(little, known))[8]


def test_a_structure_is_the_same_in_any_order() -> None:
    """a and not b, c and d; and what differs from it by an inversion, an input, an output."""

    def made(order: str, pairs: dict[str, str], outputs: str = "yz") -> list[bytes]:
        builder = Builder(list("abcd"))
        inputs = {name: builder.input_named(name) for name in "abcd"}
        at = {}
        for name in order:
            one, other = (inputs[letter.lower()] ^ letter.isupper() for letter in pairs[name])
            at[name] = builder.conjunction(one, other)
        return builder.finish([(name, at[name] ^ 1) for name in outputs]).structure

    pairs = {"y": "aB", "z": "cd"}
    first = made("yz", pairs)
    assert made("zy", pairs) == first
    assert made("zy", {"y": "Ba", "z": "dc"}) == first
    for other in ({"y": "ab"}, {"z": "Cd"}, {"y": "cB"}):
        assert made("zy", pairs | other) != first
    assert made("yz", pairs, "zy") == first[::-1] != first


def test_a_part_of_a_circuit_holds_what_it_depends_on_over_all_cycles() -> None:
    """Two registers, one after the other and each after a gate, beside one that stands apart."""
    whole = Aig(
        inputs=["a", "b", "c"],
        registers=["apart", "first", "second"],
        next_state=[2 * 2, 2 * 7, 2 * 8 + 1],
        gates=[(2 * 1, 2 * 3), (2 * 5 + 1, 2 * 1), (2 * 4, 2 * 2)],
    )
    part = whole.part([2 * 6 + 1])
    assert part.aig == Aig(
        inputs=["a", "c"],
        registers=["first", "second"],
        next_state=[2 * 5, 2 * 6 + 1],
        gates=[(2 * 1, 2 * 2), (2 * 3 + 1, 2 * 1)],
    )
    assert part.of == [0, 1, 3, 5, 6, 7, 8]
    assert part.known({1: True, 2: True, 4: False, 6: False}) == {1: True, 4: False}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("assign y = y ^ x;", "depends on itself"),
        ("assign y = x; and u (y, x, clk);", "two drivers"),
        ("always_latch if (clk) y = x;", "_FF_"),
        ("logic c; assign c = clk & x; always_ff @(posedge c) y <= x;", "another clock"),
        ("unmodelled u (.condition(x)); assign y = x;", "u: the model of its cell does not cover"),
    ],
)
def test_what_is_no_graph_is_refused(body: str, words: str, tmp_path: Path) -> None:
    source = tmp_path / "bad.sv"
    source.write_text(
        "(* blackbox, keep *) module unmodelled (input wire condition); endmodule\n"
        f"module bad (input logic clk, x, output logic y); {body} endmodule\n",
        encoding="utf-8",
    )
    with pytest.raises(AesforgeError, match=words):
        circuit.of_module("bad", {}, [source])


def test_two_things_of_one_name_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.aig"
    text = "aig 2 0 2 0 0\n0\n0\nl0 a[0] b\nl1 {}\n"
    path.write_text(text.format("a[1] c"), encoding="utf-8")
    assert read(path).registers == ["a[0]", "a[1]"]
    path.write_text(text.format("a[0]"), encoding="utf-8")
    with pytest.raises(AesforgeError, match="one name"):
        read(path)
