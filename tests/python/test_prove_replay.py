# SPDX-License-Identifier: Apache-2.0
"""Counterexamples happen again in simulation."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from aesforge.cli import main as cli
from aesforge.errors import ToolMissing
from aesforge.prove import Proof, prove, run
from aesforge.prove.certificate import read
from proofs import LITTLE, STORED, change, mutant

OUT_BLOCK = "assign out_block = ring_block[0]"


def with_a_pair(reset: int) -> Proof:
    """Try to prove a core with two more registers, which flip together: equal, they spoil a block.

    Args:
        reset: what the second is after a reset; the first is 0.
    """
    pair = (
        "logic one_q, other_q;\n  always_ff @(posedge clk) begin\n"
        "    one_q <= one_q ^ in_block[0];\n    other_q <= other_q ^ in_block[0];\n"
        f"    if (rst) one_q <= 1'b0;\n    if (rst) other_q <= 1'b{reset};\n  end\n  "
    )
    spoiled = f"{pair}{OUT_BLOCK} ^ 128'(one_q == other_q)"
    return prove(LITTLE, changes=[change("aesforge_core.sv", OUT_BLOCK, spoiled)], seconds=60)


def test_a_counterexample_is_repeated_in_simulation(tmp_path: Path) -> None:
    wrong = mutant("ShiftRows", "agile")
    proof = prove(wrong.design, changes=[wrong.change], seconds=60)
    path = tmp_path / "certificate.json"
    proof.write(path)
    done = CliRunner().invoke(cli.main, ["check", "--replay", str(path)])
    assert done.exit_code == 1, done.output
    assert proof.counterexample is not None
    assert f"expected  {proof.counterexample.wanted}" in done.stdout
    assert f"got       {proof.counterexample.got}" in done.stdout
    # The core that is right gives what is wanted.
    proof.changes = []
    proof.write(path)
    done = CliRunner().invoke(cli.main, ["check", "--replay", str(path)])
    assert done.exit_code == 0, done.output
    assert "no fault is reproduced" in done.stdout


def test_a_counterexample_from_a_state_that_no_reset_leads_to_decides_nothing(
    tmp_path: Path,
) -> None:
    proof = with_a_pair(reset=1)
    assert proof.result == "not finished", proof.text()
    assert "a state that a reset may never lead to" in proof.reason
    assert {step.result for step in proof.steps} == {"proved", "not finished"}
    assert proof.counterexample is not None
    assert proof.counterexample.simulated == "right"
    assert "simulated from a reset: right" in proof.text()
    path = tmp_path / "certificate.json"
    proof.write(path)
    assert read(path) == proof


def test_the_same_counterexample_after_a_reset_refutes_a_core() -> None:
    proof = with_a_pair(reset=0)
    assert proof.result == "not proved", proof.text()
    assert proof.reason.endswith("it differs from the specification")
    assert proof.counterexample is not None
    assert proof.counterexample.simulated == "wrong, alone after a reset"


def test_a_counterexample_that_cannot_be_simulated_decides_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(*_: object) -> None:
        raise ToolMissing("verilator is not installed\nget it")

    monkeypatch.setattr(run, "replay_of", missing)
    wrong = mutant("ShiftRows", "agile")
    proof = prove(wrong.design, changes=[wrong.change], seconds=60)
    assert proof.result == "not finished"
    assert proof.reason.endswith("was not simulated: verilator is not installed")
    assert proof.counterexample is not None
    assert proof.counterexample.simulated == ""


def test_a_fault_beside_a_key_load_is_repeated() -> None:
    """It only shows while a round key is written for another slot."""
    mixed = change(
        "aesforge_cipher.sv",
        "(decrypt ? first_backward[s][b] : first_forward[s][b])",
        "(first_forward[s][b] ^ (write_valid && b == 0))",
    )
    proof = prove(STORED, changes=[mixed], seconds=60)
    assert proof.result == "not proved", proof.text()
    assert proof.counterexample is not None
    assert proof.counterexample.simulated.startswith("wrong, among other blocks")


def test_a_fault_that_other_blocks_show_is_repeated() -> None:
    """Every block gets the key of the slot that the core began with, which is this block's own."""
    stale = change("aesforge_sequencer.sv", ": enter ? in_side : done_side;", ": done_side;")
    proof = prove(STORED, changes=[stale], seconds=60)
    assert proof.result == "not proved", proof.text()
    assert proof.counterexample is not None
    assert proof.counterexample.simulated.startswith("wrong, among other blocks")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--replay", "no.json"], "cannot read"),
        (["compact", "--replay", "no.json"], "takes the design from the certificate"),
        ([], "name a design D"),
    ],
)
def test_a_replay_of_nothing_is_refused(arguments: list[str], words: str) -> None:
    done = CliRunner().invoke(cli.main, ["check", *arguments])
    assert done.exit_code == 2
    assert words in done.stderr
