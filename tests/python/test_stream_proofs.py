# SPDX-License-Identifier: Apache-2.0
"""The proofs of the handshakes; `make prove` runs their covers and mutants too."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from project import REPO, script

PROVE = script("prove_streams")


@pytest.mark.parametrize("name", ["slice", "queue"])
def test_quick_proofs_hold(name: str) -> None:
    assert PROVE.prove(name, PROVE.PROOFS[name]) == []


@pytest.mark.parametrize(
    "name", ["hold", "shell", "late", "streams", "keys", "contexts", "slots", "slots-late"]
)
def test_an_induction_holds(name: str, tmp_path: Path) -> None:
    """Without the cover and the mutants, which `make prove` runs."""
    assert PROVE.answers(PROVE.FORMAL / f"{name}.sby", tmp_path, "prove") == {"prove": "PASS"}


@pytest.mark.parametrize("net", ["used_q", "queue_first_q", "memory"])
def test_a_net_without_a_driver_is_refused(net: str, tmp_path: Path) -> None:
    """Such a net is anything, and an assertion about it says nothing of the RTL."""
    proof = PROVE.PROOFS["streams"]
    inside = {name: register for name, register in proof.inside.items() if name != net}
    text = PROVE.sby(dataclasses.replace(proof, inside=inside))
    text = text.replace("../../rtl/", f"{REPO / 'rtl'}/")
    file = tmp_path / "streams.sby"
    file.write_text(text.replace(f"\n{proof.top}.sv", f"\n{PROVE.FORMAL / proof.top}.sv"))
    with pytest.raises(RuntimeError, match="check -assert"):
        PROVE.answers(file, tmp_path, "prove")


def test_a_proof_that_proves_nothing_is_noticed() -> None:
    """A mutant that changes nothing, and so must be reported as one that passes."""
    proof = PROVE.PROOFS["slice"]
    mutant = PROVE.Mutant(PROVE.SLICE, "m_valid <= 1'b0;", "m_valid <= !1'b1;")
    changed = PROVE.Proof(proof.top, {"no change": mutant})
    assert PROVE.prove("slice", changed) == ["slice: the mutant 'no change' passes"]


def test_what_a_mutant_changes_stands_once_in_its_module() -> None:
    texts = {path.stem: path.read_text(encoding="utf-8") for path in PROVE.modules()}
    for name, proof in PROVE.PROOFS.items():
        for fault, mutant in proof.mutants.items():
            assert texts[mutant.module].count(mutant.old) == 1, (name, fault)


def test_the_files_for_symbiyosys_are_current() -> None:
    written = {path.stem: path.read_text(encoding="utf-8") for path in PROVE.FORMAL.glob("*.sby")}
    assert written == {name: PROVE.sby(proof) for name, proof in PROVE.PROOFS.items()}
