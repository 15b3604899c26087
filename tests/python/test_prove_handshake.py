# SPDX-License-Identifier: Apache-2.0
"""`out_valid` is low when nothing is due, and `in_ready` is low only with a reason."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from aesforge.design import Design, load
from aesforge.design.presets import PRESETS
from aesforge.prove import circuit, prove
from aesforge.prove.engines.reach import reaches
from aesforge.prove.mutation import Change, changed_files
from aesforge.prove.properties import claim, handshake
from aesforge.toolchain.rtl import needed_by
from project import REPO
from proofs import EXPANSION, LITTLE, STORED, change

sys.path.insert(0, str(REPO / "scripts"))

import prove_mutants

MUTANTS = [one for one in prove_mutants.rtl_mutants() if one.kind == "handshake"]
PIPELINE = prove_mutants.DESIGNS["pipeline"]
TILED = load("saggese2003-tiled", {"name": "tiles"})
EXPANSIONS = load("kiran-pipelined", {"name": "expansions"})


def wrong(design: Design, folder: Path, *changes: Change) -> list[str]:
    """Return what is wrong of a core's handshakes."""
    files = changed_files(folder, needed_by(design.top), changes)
    core = claim.core_of(circuit.of_design(design, files, frozenset()).aig, design)
    questions = [handshake.idle(core), *handshake.ready(core)]
    return [question.words for question in questions if happens(question)]


def happens(question: handshake.Question) -> bool:
    """Return whether what a question is about happens in the core itself."""
    if reaches(question.machine, question.wrong, seconds=200, megabytes=4000).never:
        return False
    return question.exact is None or happens(question.exact())


@pytest.mark.parametrize(
    "design",
    [LITTLE, STORED, PIPELINE, TILED, EXPANSION, EXPANSIONS],
    ids=lambda design: design.name,
)
def test_handshakes_hold(design: Design, tmp_path: Path) -> None:
    assert wrong(design, tmp_path) == []


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.label)
def test_a_fault_in_a_handshake_is_seen(mutant: prove_mutants.Mutant, tmp_path: Path) -> None:
    """Faults that a proof of each accepted block does not see."""
    found = wrong(mutant.design, tmp_path, mutant.change)
    about = "in_ready" if "in_ready" in mutant.name else "out_valid"
    assert [words for words in found if words.startswith(about)]


@pytest.mark.parametrize("apart", [True, False])
def test_what_a_loader_cannot_hold_is_no_fault(apart: bool, tmp_path: Path) -> None:
    """Two registers of the loader that are never equal after a reset, and two that always are."""
    out_valid = "assign out_valid = !zeroizing_q && ring_valid_o != '0"
    pair = (
        "logic one_q, other_q;\n  always_ff @(posedge clk) begin\n"
        "    one_q <= one_q ^ key_valid;\n    other_q <= other_q ^ key_valid;\n"
        f"    if (rst) one_q <= 1'b0;\n    if (rst) other_q <= 1'b{apart:d};\n  end\n  "
    )
    wider = change("aesforge_core.sv", out_valid, f"{pair}{out_valid} || one_q == other_q")
    files = changed_files(tmp_path, needed_by(STORED.top), [wider])
    question = handshake.idle(claim.core_of(circuit.of_design(STORED, files).aig, STORED))
    assert not reaches(question.machine, question.wrong, seconds=200, megabytes=4000).never
    assert happens(question) == (not apart)


def test_a_round_key_with_another_number_is_seen(tmp_path: Path) -> None:
    late = change("aesforge_key_expand.sv", "assign out_round = pass;", "assign out_round = '0;")
    assert wrong(EXPANSION, tmp_path, late) == ["out_valid is high though nothing is due"]


def test_an_expansion_that_waits_longer_is_seen(tmp_path: Path) -> None:
    """It stays busy, though a key takes as many cycles as the design says."""
    waits = change(
        "aesforge_key_expand.sv",
        "    if (done || zeroize || rst) begin\n      busy_q <= 1'b0;\n",
        "    if (!in_valid && !busy_q || zeroize || rst) busy_q <= 1'b0;\n"
        "    if (done || zeroize || rst) begin\n",
    )
    assert wrong(EXPANSION, tmp_path, waits) == ["in_ready is low without a reason"]


def test_a_proof_says_what_is_wrong() -> None:
    mutant = next(one for one in MUTANTS if one.name == "out_valid in idle cycles")
    proof = prove(mutant.design, changes=[mutant.change], seconds=60)
    assert proof.result == "not proved"
    assert proof.reason == "out_valid is high though nothing is due, 1 cycles after a reset"
    assert [step.result for step in proof.steps][-2:] == ["not proved", "proved"]


@pytest.mark.parametrize("name", PRESETS)
def test_the_claimed_rate_is_the_design_s(name: str) -> None:
    """A block keeps others out for as many cycles as the published interval lets it."""
    design = load(name)
    kept = handshake.occupied(design)
    if design.tiles > 1 and not design.is_unrolled:
        assert "rate of several tiles is not claimed" in handshake.text(design)
    else:
        assert len(kept) + 1 == design.interval
        assert handshake.longest_wait(design) == len(kept) * kept.step
