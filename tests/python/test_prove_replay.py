# SPDX-License-Identifier: Apache-2.0
"""Counterexamples happen again in simulation."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from aesforge.cli import main as cli
from aesforge.prove import prove
from proofs import mutant


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
