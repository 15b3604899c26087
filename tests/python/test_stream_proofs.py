# SPDX-License-Identifier: Apache-2.0
"""The quick ones of the handshake proofs; `make prove` runs all."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

import pytest

from project import REPO


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "prove_streams", REPO / "scripts" / "prove_streams.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


PROVE = load()


@pytest.mark.parametrize("name", ["slice", "queue"])
def test_quick_proofs_hold(name: str) -> None:
    assert PROVE.prove(name, PROVE.PROOFS[name]) == []


def test_a_proof_that_proves_nothing_is_noticed() -> None:
    """A mutant that changes nothing, and so must be reported as one that passes."""
    proof = PROVE.PROOFS["slice"]
    mutant = PROVE.Mutant(PROVE.SLICE, "m_valid <= 1'b0;", "m_valid <= !1'b1;")
    changed = PROVE.Proof(proof.top, {"no change": mutant})
    assert PROVE.prove("slice", changed) == ["slice: the mutant 'no change' passes"]


def test_the_files_for_symbiyosys_are_current() -> None:
    written = {path.stem: path.read_text(encoding="utf-8") for path in PROVE.FORMAL.glob("*.sby")}
    assert written == {name: PROVE.sby(proof) for name, proof in PROVE.PROOFS.items()}
