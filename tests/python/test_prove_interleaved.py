# SPDX-License-Identifier: Apache-2.0
"""Proofs of interleaved engines, which have the modes with feedback."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from aesforge.cli.main import main
from aesforge.errors import ToolFailed
from aesforge.prove import certificate, interleaved, stream_circuit, streams, verify
from aesforge.prove.engines import induction
from aesforge.prove.mutation import Change
from test_prove_streams import SCRIPT

EVERY_MODE = "cbc-encrypt,cfb,ofb,cfb8,cbc-mac,cmac"
FEEDBACK, SHELL = "aesforge_mode_feedback.sv", "aesforge_stream_shell.sv"


def holds(name: str, folder: Path, changes: list[Change] | None = None) -> bool:
    """Whether the assertions hold from each cycle to the next in a small engine; not its core."""
    engine = SCRIPT.small(name)
    files = stream_circuit.files_of(folder, changes or [], top=engine.top)
    stream_circuit.read(folder, stream_circuit.script_of(engine, files))
    claim = induction.read(folder / "claim.aig")
    assert claim.assertions > 150
    return induction.is_inductive(claim, folder, seconds=1800, megabytes=8000).holds


# --- What is claimed


def test_the_claim_names_streams_and_modes() -> None:
    said = streams.claim_text(SCRIPT.engine_of("cbc-interleaved"))
    for words in ("(tid, 26 of them)", "are CBC encryption of SP 800-38A", "with AES-128"):
        assert words in said
    assert "CMAC" not in said
    assert "s_key" not in said


def test_the_claim_about_a_mac_and_stored_keys() -> None:
    said = streams.claim_text(SCRIPT.engine_of("feedback-compact"))
    assert "Of a packet of CBC-MAC or CMAC one beat comes out" in said
    assert "any keys at s_key" in said


@pytest.mark.parametrize(
    ("name", "there", "missing"),
    [
        ("cmac-interleaved", "each-stream", "queue-width"),
        ("ctr-stream", "queue-width", "each-stream"),
    ],
)
def test_each_kind_of_engine_has_its_assumptions(name: str, there: str, missing: str) -> None:
    engine = SCRIPT.engine_of(name)
    found = {one["id"] for one in streams.assumed(engine, certificate.RECOGNIZE)}
    assert there in found
    assert missing not in found
    assert "core-model" in found


# --- The proof


def test_a_small_interleaved_engine_is_proved_and_its_certificate_holds(tmp_path: Path) -> None:
    cert = tmp_path / "cert.json"
    options = [word for choice in SCRIPT.SMALL_INTERLEAVED for word in ("--set", choice)]
    done = CliRunner().invoke(main, ["prove", "cbc-interleaved", *options, "-o", str(cert)])
    assert done.exit_code == 0, done.output
    assert "result    proved" in done.output
    proof = certificate.read(cert)
    assert [one.result for one in proof.steps] == ["proved"] * len(proof.steps)
    assert proof.steps[0].name.startswith("core, ")
    assert {"engine", "core", "specification"} == proof.hashes.keys()
    assert verify(cert).result == "proved"


@pytest.mark.parametrize(
    "name",
    [
        f"cbc-interleaved --set modes={EVERY_MODE}",
        "cbc-interleaved --set streams=3 --set depth=16 --set key_schedule=stored "
        "--set key_slots=3 --set linear_stages=1",
        "feedback-compact --set modes=cmac --set tiles=2 --set linear_stages=1",
        "cbc-interleaved --set unroll=1 --set modes=cfb --set streams=2 --set depth=16 "
        "--set user_bits=3 --set linear_stages=1",
    ],
)
def test_interleaved_engines_of_every_kind_are_proved(name: str, tmp_path: Path) -> None:
    """Without their cores."""
    assert holds(name, tmp_path)


# Faults that no mutant of the campaign has, each of a place of its own.
FAULTS = {
    "a byte of a partial block": (
        *("cfb", FEEDBACK, "beat_wait = cmac ? padded : beat_data"),
        "beat_wait = cmac ? padded : beat_keep[15] ? beat_data : beat_data & ~128'hff00",
    ),
    "the carry of the second subkey": (
        *("cmac", FEEDBACK, "double(double(back_block))"),
        "(double(back_block) << 1)",
    ),
    "the key of the stream after a beat": (
        *("cbc-encrypt", SHELL, "late_stream_q <= zeroize ? walk_q : beat_stream"),
        "late_stream_q <= zeroize ? walk_q : head_stream",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_another_place_is_not_proved(fault: str, tmp_path: Path) -> None:
    mode, file, old, new = FAULTS[fault]
    changes: list[Change] = [{"file": file, "old": old, "new": new}]
    assert not holds(f"cbc-interleaved --set modes={mode}", tmp_path, changes)


def test_a_net_of_the_claim_without_a_register_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = SCRIPT.small("cbc-interleaved")
    files = stream_circuit.files_of(tmp_path, top=engine.top)
    every = interleaved.connections(engine, steps=True)
    kept = {net: found for net, found in every.items() if net != "gen_steps.chains"}
    monkeypatch.setattr(interleaved, "connections", lambda *_, **__: kept)
    with pytest.raises(ToolFailed, match=r"nets without a driver: .*gen_steps\.chains"):
        stream_circuit.read(tmp_path, stream_circuit.script_of(engine, files))


@pytest.mark.parametrize(
    "mutant", ["CFB feeds the plaintext back", "the last block of CMAC has the other subkey"]
)
def test_a_mutant_with_feedback_is_refuted_from_a_reset_on(mutant: str) -> None:
    change, engine = SCRIPT.MUTANTS[mutant], SCRIPT.engine_of_mutant(mutant)
    assert SCRIPT.search(engine, [change]) is not None


def test_what_must_be_reachable_is_in_an_interleaved_engine() -> None:
    found = SCRIPT.search(SCRIPT.small("cbc-interleaved"), [], cover=True)
    assert found is not None
    assert found.claim == "assert (!seen_later);"
