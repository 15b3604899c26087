# SPDX-License-Identifier: Apache-2.0
"""Cores are proved, wrong ones are not, and certificates hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from aesforge.cli import main as cli
from aesforge.errors import CheckFailed, UsageError
from aesforge.prove import prove, verify
from aesforge.prove.engines import anf
from proofs import EXPANSION, LITTLE, READY, change


def test_key_expansion_is_proved_alone_and_its_certificate_holds(tmp_path: Path) -> None:
    """Each round key at its cycle, whatever other keys come; and all of it once more."""
    proof = prove(EXPANSION, seconds=100)
    assert proof.result == "proved", proof.text()
    assert "KEYEXPANSION" in proof.commands
    path = tmp_path / "certificate.json"
    proof.write(path)
    assert verify(path).result == "proved"
    data = json.loads(path.read_text(encoding="utf-8"))
    data["hashes"]["core"] = data["hashes"]["core"][::-1]
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(CheckFailed, match="another core"):
        verify(path)
    data["result"] = "not proved"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(UsageError, match="does not say that anything was proved"):
        verify(path)


def test_a_core_that_accepts_nothing_is_not_proved() -> None:
    proof = prove(
        LITTLE, changes=[change("aesforge_core.sv", f"{READY};", f"{READY} && zeroizing_q;")]
    )
    assert proof.result == "not proved"
    assert "ready for a block" in proof.reason


def test_an_iterative_core_is_proved(tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    done = CliRunner().invoke(cli.main, ["prove", "compact", "-o", str(path)])
    assert done.exit_code == 0, done.output
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["result"] == "proved"
    assert [step["result"] for step in data["steps"]] == ["proved"] * 6
    assert data["steps"][0]["name"].startswith("S-boxes: 1 found")
    assert data["steps"][1]["proofs"] == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["name a design D"]),
        (["compact", "--family", "ecp4"], ["no family", "did you mean 'ecp5'"]),
        (["compact", "--recipe", "area"], ["--recipe goes with --family"]),
        (["compact", "--verify", "x.json"], ["takes everything from the certificate"]),
        (["--verify", "no.json"], ["cannot read"]),
        (["compakt"], ["did you mean 'compact'"]),
        (["liu2014-two-stage-hu2009"], ["nothing to prove", "not AES", "aesforge check"]),
        (["liu2014-five-stage", "--timeout", "0.02"], ["reading the core", "nothing is proved"]),
    ],
)
def test_bad_input_is_refused(arguments: list[str], words: list[str]) -> None:
    done = CliRunner().invoke(cli.main, ["prove", *arguments])
    assert done.exit_code == 2, done.output
    for word in words:
        assert word in done.stderr
    assert done.stdout == ""


def test_a_proof_without_time_is_not_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(anf, "alike", lambda *_: False)
    proof = prove(LITTLE, seconds=0.05)
    assert proof.result == "not finished"
    assert "it took more than 0.05 s" in proof.reason
    assert [step.result for step in proof.steps] == ["proved", "not finished"]
    path = tmp_path / "certificate.json"
    proof.write(path)
    with pytest.raises(UsageError, match="does not say that anything was proved: not finished"):
        verify(path)


def test_a_file_that_is_no_certificate_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    for text in ("", "[]", '{"steps": []}'):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(UsageError, match="not a certificate"):
            verify(path)
