# SPDX-License-Identifier: Apache-2.0
"""The gates of MixColumns are those of Rahman et al., Table I, and compute what FIPS 197 says."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from aesforge.reference import State, inv_mix_columns, mix_columns
from aesforge.research.papers.mix_gates import Byte, MixGates, merged, separate

CIRCUITS = {
    "merged": merged(),
    "merged, {04} at once": merged(quadruple_at_once=True),
    "separate": separate(),
}


def computed(circuit: MixGates, outputs: tuple[Byte, ...], column: bytes) -> bytes:
    """Return what a circuit makes of a column: of each output the parity of the bits it sums."""
    word = int.from_bytes(column, "little")  # byte j from bit 8 j on
    form = circuit.gates.form
    return bytes(
        sum(((form[signal] & word).bit_count() & 1) << i for i, signal in enumerate(byte))
        for byte in outputs
    )


def by_the_model(function: Callable[[State], State], column: bytes) -> bytes:
    return bytes(row[0] for row in function([[byte, 0, 0, 0] for byte in column]))


@pytest.mark.parametrize("name", CIRCUITS)
def test_circuits_compute_both_matrices(name: str) -> None:
    circuit = CIRCUITS[name]
    # Sums of bits are linear: the columns of one bit are enough.
    for bit in range(32):
        column = (1 << bit).to_bytes(4, "big")
        assert computed(circuit, circuit.mixed, column) == by_the_model(mix_columns, column)
        assert computed(circuit, circuit.unmixed, column) == by_the_model(inv_mix_columns, column)


def test_the_counts_are_the_papers() -> None:
    """Sec. III-C has 592 and 195, Table I 592 and 193: the merged one is a third."""
    assert separate().xors == 592
    assert merged().xors == 195
    assert merged(quadruple_at_once=True).xors == 193


def test_what_merging_costs_in_levels() -> None:
    """Sec. III-C has two levels more. That is InvMixColumns after MixColumns inside the merged
    circuit; beside circuits apart, with sums as flat as can be, it is one.
    """
    assert merged().levels == merged(quadruple_at_once=True).levels == (4, 6)
    assert separate().levels == (3, 5)
