# SPDX-License-Identifier: Apache-2.0
"""Secrets in control, and after zeroization, are seen."""

from __future__ import annotations

from aesforge.prove import prove
from proofs import LITTLE, READY, change


def test_a_secret_in_control_is_seen() -> None:
    """A core that takes a cycle more for some keys."""
    wrong = change("aesforge_core.sv", f"{READY};", f"{READY} && in_key[3:0] != 4'h9;")
    proof = prove(LITTLE, changes=[wrong], seconds=60)
    assert proof.result == "not proved"
    assert "in_key" in proof.reason


def test_a_zeroize_that_clears_nothing_is_seen() -> None:
    wrong = change(
        "aesforge_cipher.sv",
        "if (Passes > 1 && zeroize) out_block",
        "if (Passes > 99) out_block",
    )
    proof = prove(LITTLE, changes=[wrong], seconds=60)
    zeroize = next(step for step in proof.steps if step.name.startswith("zeroize"))
    assert zeroize.result == "not proved"
    assert proof.result == "not proved"
