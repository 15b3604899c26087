# SPDX-License-Identifier: Apache-2.0
"""Proofs of engines: the claim, its induction, violations from a reset on, the certificate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from aesforge.cli.main import main
from aesforge.design import Engine, load_any
from aesforge.errors import ToolFailed, UsageError
from aesforge.prove import certificate, run, stream_circuit, streams, verify
from aesforge.prove.assumptions import ENGINE_ASSUMPTIONS, ENGINE_NOT_COVERED, of_proof
from aesforge.prove.engines import induction
from aesforge.toolchain import programs
from project import script

SCRIPT = script("prove_engines")


# --- What is claimed, and of what


@pytest.mark.parametrize(
    "option", [("--family", "ecp5"), ("--inverse-of", "line-rate"), ("-o", "x", "--evidence", "y")]
)
def test_options_of_cores_are_refused(
    option: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["prove", "ctr-stream", *option])
    assert done.exit_code == 2
    assert "'ctr-stream' is an engine" in done.output


def test_the_claim_says_when_a_packet_goes_on_without_a_context() -> None:
    engine = load_any("ctr-stream")
    forever = load_any("ctr-stream", ("context_timeout=0",))
    assert isinstance(engine, Engine)
    assert isinstance(forever, Engine)
    assert "only after it has waited for 1024 cycles is one accepted" in streams.claim_text(engine)
    assert "never is one accepted without" in streams.claim_text(forever)


def test_the_claim_says_how_long_a_beat_is() -> None:
    engine = SCRIPT.engine_of("ctr-stream --set tiles=2")
    assert "the beats of 32 bytes at m_axis" in streams.claim_text(engine)


def test_stored_keys_have_a_claim_and_an_assumption_of_their_own() -> None:
    stored, agile = SCRIPT.engine_of("stored-stream"), SCRIPT.engine_of("ctr-stream")
    said = "The key of a packet is the last one accepted at s_key for its slot"
    assert said in streams.claim_text(stored)
    assert said not in streams.claim_text(agile)
    for engine, told in ((stored, True), (agile, False)):
        found = of_proof(ENGINE_ASSUMPTIONS, engine.core, None, certificate.RECOGNIZE)
        assert ("later-keys" in {one["id"] for one in found}) == told


# --- The solver

COUNTER = """module claim (input logic clk, input logic go);
  logic [7:0] q = 8'd0;
  always_ff @(posedge clk) if (go) q <= {step};
  always_comb assert (q < 8'd100);
endmodule
"""


@pytest.mark.parametrize(
    ("step", "holds", "violated"),
    [
        ("q == 8'd99 ? 8'd0 : q + 8'd1", True, None),
        # It never gets there from 0, but from 99.
        ("q == 8'd98 ? 8'd0 : q + 8'd2", False, None),
        ("q + 8'd25", False, (0, 4)),
    ],
)
def test_a_step_and_a_search(
    step: str, holds: bool, violated: tuple[int, int] | None, tmp_path: Path
) -> None:
    (tmp_path / "claim.sv").write_text(COUNTER.format(step=step))
    lines = [
        "read_verilog -formal -sv claim.sv",
        "hierarchy -top claim",
        "proc",
        *stream_circuit.TO_AIGER,
    ]
    (tmp_path / "claim.ys").write_text("\n".join(lines) + "\n")
    programs.run("yosys", ["claim.ys"], tmp_path, tmp_path / "yosys.log")
    claim = induction.read(tmp_path / "claim.aig")
    assert claim.assertions == 1
    assert induction.is_inductive(claim, tmp_path, seconds=600, megabytes=8000).holds == holds
    assert induction.violation(tmp_path / "claim.aig", 6, seconds=600, megabytes=8000) == violated


@pytest.mark.parametrize("text", ["", "aag 1 1 0 0 0 1 0\n", "aig 1 1 0 0 0 0 0 1\n", "aig 1 1 9"])
def test_another_file_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "claim.aig").write_text(text)
    with pytest.raises(ToolFailed, match=r"'claim\.aig' is not an AIGER file with assertions"):
        induction.read(tmp_path / "claim.aig")


# --- The proof


@pytest.mark.parametrize(("depth", "style"), [(8, 0), (32, 1)])
def test_the_queue_ram_is_proved_and_a_broken_one_is_not(
    depth: int, style: int, tmp_path: Path
) -> None:
    old = "if (write) memory" if style == 0 else "== b) memory"
    broken = {"file": f"{stream_circuit.RAM}.sv", "old": old, "new": f"{old}[0] <= '0; else memory"}
    for changes, holds in (([], True), ([broken], False)):
        folder = tmp_path / str(holds)
        folder.mkdir()
        files = stream_circuit.ram_files_of(folder, changes)
        stream_circuit.read(folder, stream_circuit.ram_script_of(1, depth, style, files))
        claim = induction.read(folder / "claim.aig")
        assert claim.assertions == 2 + depth
        assert induction.is_inductive(claim, folder, seconds=600, megabytes=8000).holds == holds


def test_a_small_engine_is_proved_and_its_certificate_holds(tmp_path: Path) -> None:
    cert = tmp_path / "cert.json"
    options = [word for choice in SCRIPT.SMALL for word in ("--set", choice)]
    done = CliRunner().invoke(main, ["prove", "ctr-stream", *options, "-o", str(cert)])
    assert done.exit_code == 0, done.output
    for words in ("engine    RTL, sha256", "CTR of SP 800-38A", "result    proved"):
        assert words in done.output
    proof = certificate.read(cert)
    assert proof.steps[-1].cases > 300
    assert [one.result for one in proof.steps] == ["proved"] * len(proof.steps)
    assert proof.steps[0].name.startswith("core, ")
    assert {"engine", "core", "specification", "queue RAM"} <= proof.hashes.keys()
    for statements, found in (
        (ENGINE_ASSUMPTIONS, proof.assumptions),
        (ENGINE_NOT_COVERED, proof.not_covered),
    ):
        told = {one.id for one in statements if one.about == "engines"}
        assert told < {one["id"] for one in found}
    assert verify(cert).result == "proved"


def test_a_fault_is_not_proved_and_the_reason_is_seen_at_the_ports() -> None:
    """The core's own proof is left to the test above."""
    proof = streams.prove_stream(SCRIPT.small(), changes=[SCRIPT.MUTANTS["no error flag"]])
    assert proof.result == "not proved"
    assert proof.reason.endswith("assert (m_axis_tuser == {user, !good});")
    assert "cycles after a reset" in proof.reason


def test_what_is_not_seen_at_the_ports_refutes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "refute", lambda *_, **__: None)
    proof = streams.prove_stream(SCRIPT.small(), changes=[SCRIPT.MUTANTS["no error flag"]])
    assert proof.result == "not finished"
    assert proof.reason.startswith("an assertion about registers does not follow")


@pytest.mark.parametrize(
    "name",
    [
        "ctr-stream --set tiles=3",
        "modes-stream --set tiles=2",
        "stored-stream --set linear_stages=1",
        "stored-stream --set key_slots=3 --set modes=ecb --set linear_stages=1",
        "compact-stream --set key_schedule=stored --set tiles=2 --set linear_stages=1",
    ],
)
def test_engines_of_every_kind_are_proved(name: str, tmp_path: Path) -> None:
    """Without their cores."""
    files = stream_circuit.files_of(tmp_path)
    stream_circuit.read(tmp_path, stream_circuit.script_of(SCRIPT.small(name), files))
    claim = induction.read(tmp_path / "claim.aig")
    assert claim.assertions > 200
    assert induction.is_inductive(claim, tmp_path, seconds=1800, megabytes=8000).holds


def test_four_modes_in_one_engine_are_proved() -> None:
    proof = streams.prove_stream(SCRIPT.small("modes-stream"))
    assert proof.result == "proved", proof.reason


def test_a_change_that_does_not_fit_is_refused() -> None:
    change = SCRIPT.MUTANTS["no error flag"] | {"old": "no such text"}
    with pytest.raises(UsageError, match="0 times, not once"):
        streams.prove_stream(SCRIPT.small(), changes=[change])


def test_an_engine_around_a_wrong_core_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*_: object, **__: object) -> certificate.Proof:
        step = certificate.Step("every block", "not proved")
        return certificate.Proof(
            *({}, "", None, None, "", {"core": "0"}, {}, {}, "not proved", "it differs", [step])
        )

    monkeypatch.setattr(run, "prove", wrong)
    proof = streams.prove_stream(SCRIPT.small())
    assert (proof.result, proof.reason) == ("not proved", "core: it differs")
    assert "queue RAM" not in proof.hashes


@pytest.mark.parametrize(
    "mutant",
    [
        *("a byte of tkeep is ignored", "a context is taken twice", "a stale IV"),
        *("the blocks of a beat are swapped", "a packet passes the key that waits"),
        "a held beat is stored again",
    ],
)
def test_a_mutant_is_refuted_from_a_reset_on(mutant: str) -> None:
    change, engine = SCRIPT.MUTANTS[mutant], SCRIPT.engine_of_mutant(mutant)
    assert SCRIPT.search(engine, [change]) is not None


@pytest.mark.parametrize(
    "name",
    [
        "ctr-stream",
        "ecb-stream --set key_schedule=stored --set linear_stages=1",
        "compact-stream --set linear_stages=1",
    ],
)
def test_what_must_be_reachable_is(name: str) -> None:
    found = SCRIPT.search(SCRIPT.small(name), [], cover=True)
    assert found is not None
    assert found.claim == "assert (!seen_later);"


# --- The campaign


def test_every_mutant_is_one_place_of_the_rtl(tmp_path: Path) -> None:
    assert len(SCRIPT.MUTANTS) >= 20
    for name, mutant in SCRIPT.MUTANTS.items():
        top = SCRIPT.engine_of_mutant(name).top
        stream_circuit.files_of(tmp_path, [mutant], steps=False, top=top)


def test_every_proof_and_every_mutant_is_recorded() -> None:
    said = json.loads(SCRIPT.OUTPUT.read_text(encoding="utf-8"))
    assert {one["result"] for one in said["proofs"]} == {"proved"}
    assert {one["mutant"]: one["result"] for one in said["mutants"]} == dict.fromkeys(
        SCRIPT.MUTANTS, "refuted"
    )
    assert [one["engine"] for one in said["proofs"]] == list(SCRIPT.ENGINES)
    for one in said["mutants"]:
        assert one["engine"] == SCRIPT.ENGINE_OF[one["mutant"]]
        change = SCRIPT.MUTANTS[one["mutant"]]
        assert {name: one[name] for name in change} == change
