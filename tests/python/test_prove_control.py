# SPDX-License-Identifier: Apache-2.0
"""Secrets in control, and after zeroization, are seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from aesforge.design import load
from aesforge.prove import prove
from aesforge.prove.certificate import Proof, Step
from aesforge.prove.circuit import of_design
from aesforge.prove.mutation import changed_files
from aesforge.prove.run import prove_circuit
from aesforge.toolchain.rtl import needed_by
from proofs import LITTLE, READY, change


def test_a_secret_in_control_is_seen() -> None:
    """A core that takes a cycle more for some keys."""
    wrong = change("aesforge_core.sv", f"{READY};", f"{READY} && in_key[3:0] != 4'h9;")
    proof = prove(LITTLE, changes=[wrong], seconds=60)
    assert proof.result == "not proved"
    assert "in_key" in proof.reason


def zeroize_of(proof: Proof) -> Step:
    return next(step for step in proof.steps if step.name.startswith("zeroize"))


@pytest.mark.parametrize("family", [None, "xc7"])
def test_a_zeroize_that_clears_nothing_is_seen(tmp_path: Path, family: str | None) -> None:
    """Of a netlist with shift registers too, which has more cycles."""
    wrong = change(
        "aesforge_cipher.sv",
        "if (Passes > 1 && zeroize) out_block",
        "if (Passes > 99) out_block",
    )
    files = changed_files(tmp_path, needed_by(LITTLE.top), [wrong])
    proof = prove_circuit(LITTLE, of_design(LITTLE, files), family=family, seconds=60)
    assert zeroize_of(proof).result == "not proved"
    assert proof.result == "not proved"


def test_shift_registers_in_look_up_tables_take_longer_to_zeroize() -> None:
    """Their places after the one that is read keep what has passed it."""
    design = load("line-rate")
    proof = prove(design, family="xc7", seconds=60)
    assert zeroize_of(proof).name.endswith(
        f"after {design.zeroize_cycles + 31} cycles, 31 of them for shift registers"
    )
    assert proof.result == "proved"
