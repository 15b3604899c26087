# SPDX-License-Identifier: Apache-2.0
"""An S-box is told by what it does, and what stands for it does the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from aesforge.design import SBOX_STYLES
from aesforge.netlist.aig import Aig, value_of
from aesforge.prove import circuit
from aesforge.prove.analysis import sboxes
from aesforge.prove.analysis.sboxes import EITHER, INVSBOX, SBOX, Sbox
from aesforge.toolchain import rtl

CYCLES = 9


def run(graph: Aig, given: np.ndarray) -> np.ndarray:
    """The output y, (bits, words), in each cycle; registers start with anything.

    Args:
        graph: with inputs `clk`, `inverse` and `x`.
        given: (cycles, inputs, words), in the order of the names.
    """
    rng = np.random.default_rng(5)
    words = given.shape[2]
    registers = rng.integers(0, 1 << 64, (len(graph.registers), words), dtype=np.uint64)
    order = np.argsort(np.argsort(graph.inputs))
    found = []
    for inputs in given:
        values = graph.simulate(np.concatenate([inputs[order], registers]))
        found.append(value_of(values, graph.bits_out("y")))
        registers = value_of(values, graph.following)
    return np.array(found)


def of_word(
    style: str, stages: int, function: int, files: list[Path] | None = None
) -> circuit.Circuit:
    parameters = {"Style": SBOX_STYLES.index(style), "Stages": stages, "Direction": function}
    return circuit.of_module("aesforge_sub_word", parameters, files, sboxes.KINDS)


@pytest.mark.parametrize("function", [SBOX, INVSBOX, EITHER])
@pytest.mark.parametrize(
    ("style", "stages"),
    [
        ("table", 0),
        ("table", 1),
        ("split4", 3),
        ("split6", 2),
        ("tower", 7),
        ("bram", 1),
        ("bram", 3),
    ],
)
def test_every_s_box_is_found_and_replaced(style: str, stages: int, function: int) -> None:
    word = of_word(style, stages, function)
    # Further stages only delay, outside of the module.
    inside = min(stages, 2) if style == "bram" else stages
    assert word.sboxes == (Sbox(sboxes.kind_of_style(style), function, inside),)
    assert word.cut is not None
    assert sorted(word.cut.inputs) == sorted(word.aig.inputs)
    rng = np.random.default_rng(4)
    given = rng.integers(0, 1 << 64, (CYCLES, len(word.aig.inputs), 8), dtype=np.uint64)
    one, other = run(word.aig, given), run(word.cut, given)
    assert (one[stages:] == other[stages:]).all()
    # It is not that both do nothing.
    assert len(np.unique(one[stages:])) > 100


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        # A bit of the table; a bit with a memory; an output that is a cycle late for one bit.
        ("aesforge_sbox_table.sv", "256'h16bb54b0", "256'h17bb54b0"),
        ("aesforge_sbox_table.sv", "y_q <= y_d;", "y_q <= {y_d[7:1], y_d[0] & y_q[0]};"),
        ("aesforge_sbox_table.sv", "assign y = y_q;", "assign y = {y_q[7:1], y_d[0]};"),
    ],
)
def test_what_is_no_s_box_is_left_as_it_is(file: str, old: str, new: str, tmp_path: Path) -> None:
    sources = []
    for path in rtl.needed_by("aesforge_sub_word"):
        text = path.read_text(encoding="utf-8")
        if path.name == file:
            assert old in text
            text = text.replace(old, new, 1)
        sources.append(tmp_path / path.name)
        sources[-1].write_text(text, encoding="utf-8")
    word = of_word("table", 1, SBOX, sources)
    assert word.sboxes == ()
    assert word.cut is None


def test_only_the_kinds_that_are_asked_for_are_replaced() -> None:
    parameters = {"Style": SBOX_STYLES.index("tower"), "Stages": 0, "Direction": SBOX}
    word = circuit.of_module("aesforge_sub_word", parameters, kinds={"table", "bram"})
    assert word.cut is None
