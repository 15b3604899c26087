# SPDX-License-Identifier: Apache-2.0
"""The tower S-box from the algebra to the text of the RTL: every step checked on all its inputs."""

from __future__ import annotations

import copy
import itertools
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from aesforge.design.sbox_levels import TOWER_LEVELS, TOWER_REGISTER_BITS

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import make_sbox_tables  # noqa: E402  (scripts, not a package)
import tower_sbox  # noqa: E402

DESIGN_WORDS = {"forward": "encrypt", "inverse": "decrypt", "both": "both"}
ENTRIES = tower_sbox.load()

each_direction = pytest.mark.parametrize("direction", tower_sbox.DIRECTIONS)


def unequal_pairs(tower: Any) -> int:
    """Count the pairs of bytes whose sum or product the map into the tower does not keep."""
    of, product = tower.of, tower.multiply
    return sum(
        of[make_sbox_tables.multiply(a, b)] != product(of[a], of[b]) or of[a ^ b] != of[a] ^ of[b]
        for a in range(256)
        for b in range(a, 256)
    )


@each_direction
def test_coordinates_are_an_isomorphism(direction: str) -> None:
    tower = tower_sbox.Tower(ENTRIES[direction].representation)
    assert sorted(tower.of) == list(range(256))
    assert unequal_pairs(tower) == 0
    # The mutant: two images exchanged.
    tower.of[3], tower.of[5] = tower.of[5], tower.of[3]
    assert unequal_pairs(tower) > 0


@each_direction
def test_norm_form_is_the_norm(direction: str) -> None:
    rep = ENTRIES[direction].representation
    alpha, delta, beta = rep.norm_form()
    mul = tower_sbox.MUL
    for x in range(256):
        h, low = rep.coordinates(x)
        norm = mul[alpha][mul[h][h]] ^ mul[delta][mul[h][low]] ^ mul[beta][mul[low][low]]
        assert norm == tower_sbox.power(x, 17)


@each_direction
def test_circuit_is_the_sbox(direction: str) -> None:
    circuit = ENTRIES[direction].circuit
    assert circuit.is_sbox(direction)
    # Mutants: no LUT may be any constant.
    for index, (fanin, _) in enumerate(circuit.luts):
        for constant in (0, (1 << 2 ** len(fanin)) - 1):
            mutant = copy.deepcopy(circuit)
            mutant.luts[index] = (fanin, constant)
            assert not mutant.is_sbox(direction)


@each_direction
def test_every_wire_is_what_the_algebra_says(direction: str) -> None:
    circuit = ENTRIES[direction].circuit
    values = circuit.simulate()
    size = 1 << circuit.inputs
    ones = (1 << size) - 1
    norms = [tower_sbox.NORM[tower_sbox.element_of(m, direction)] for m in range(size)]

    def functionals(of: list[int]) -> dict[int, int]:
        """Truth table of trace(c of(input)) -> c."""
        return {
            sum(
                tower_sbox.trace_16(tower_sbox.MUL[c][of[norm]]) << m
                for m, norm in enumerate(norms)
            ): c
            for c in tower_sbox.UNITS16
        }

    # d: four independent bits of N; e: bits of 1/N. Each may be complemented.
    of_norm = functionals(list(range(256)))
    of_norm |= {table ^ ones: c for table, c in of_norm.items()}
    scales = [of_norm[values[wire]] for wire in circuit.norm]
    assert all(tower_sbox.solve(scales, a) is not None for a in tower_sbox.GF16)
    of_inverse = functionals(tower_sbox.RECIPROCAL)
    kinds = tower_sbox.wire_kinds(circuit, direction)
    for wire, kind in enumerate(kinds, start=circuit.inputs):
        assert kind in "uqdep"
        if kind == "e":
            assert {values[wire], values[wire] ^ ones} & set(of_inverse)
            assert set(circuit.luts[wire - circuit.inputs][0]) <= set(circuit.norm)
    # The products: each p wire is a sum of (bit of X) * (bit of 1/N); wire_kinds has shown it.
    assert kinds.count("d") == 4
    assert {"u", "q", "e", "p"} <= set(kinds)
    # The mutant: a wire that is none of these is detected.
    mutant = copy.deepcopy(circuit)
    index = kinds.index("p")
    fanin, table = mutant.luts[index]
    mutant.luts[index] = (fanin, table ^ 1)
    assert "?" in tower_sbox.wire_kinds(mutant, direction)


@each_direction
def test_levels_and_registers(direction: str) -> None:
    entry = ENTRIES[direction]
    for i, (fanin, _) in enumerate(entry.circuit.luts):
        assert 1 <= len(fanin) <= 4
        wire = entry.circuit.inputs + i
        assert entry.levels[wire] > max(entry.levels[f] for f in fanin)
    word = DESIGN_WORDS[direction]
    assert max(entry.levels) == TOWER_LEVELS[word]
    counts = tower_sbox.register_counts(entry.circuit, entry.levels)
    assert tuple(counts) == TOWER_REGISTER_BITS[word]


@each_direction
def test_longest_stage_is_as_short_as_can_be(direction: str) -> None:
    entry = ENTRIES[direction]
    widths = tower_sbox.cut_widths(entry.circuit, entry.levels)
    for stages in range(2, len(widths) + 1):
        ends = (0, *tower_sbox.stage_positions(widths, stages))
        assert ends[-1] == len(widths)
        gaps = [b - a for a, b in itertools.pairwise(ends)]
        assert len(gaps) == stages
        assert max(gaps) == -(-len(widths) // stages)
    # A single stage has the linear part of the round after it.
    (end,) = tower_sbox.stage_positions(widths, 1)
    after = len(widths) - end + tower_sbox.LINEAR_LEVELS
    assert abs(end - after) <= 1


@pytest.mark.parametrize("script", ["tower_sbox.py emit", "make_sbox_tables.py"])
def test_files_are_what_the_scripts_write(script: str) -> None:
    name, *words = script.split()
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / name), *words, "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
