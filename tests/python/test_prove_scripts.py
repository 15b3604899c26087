# SPDX-License-Identifier: Apache-2.0
"""The scripts that repeat all proofs, without the hours that they take."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from aesforge.prove.certificate import ABC
from aesforge.toolchain import rtl
from project import REPO

sys.path.insert(0, str(REPO / "scripts"))

from prove_all import CLAIMS, Task, about


def run(script: str, output: Path, *words: str) -> str:
    """Run a script whose WORDs select proofs, and return its messages."""
    found = subprocess.run(
        [sys.executable, REPO / "scripts" / script, *words, "--output", output],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    return found.stderr


@pytest.mark.parametrize("script", ["prove_all.py", "prove_mutants.py"])
def test_words_that_name_no_proof_select_none(script: str, tmp_path: Path) -> None:
    run(script, tmp_path / "all.json", "no-such")
    assert not list(tmp_path.iterdir())


def test_one_proof_is_recorded_and_not_repeated(tmp_path: Path) -> None:
    wanted = ("compact-bram", "AES-128", "RTL")
    said = [run("prove_all.py", tmp_path / "all.json", *wanted) for _ in range(2)]
    assert "proved" in said[0]
    assert "1 proofs in" in said[0]
    assert said[1] == "0 proofs in 0 min\n"


def test_a_proof_stands_while_the_circuit_is_the_same(tmp_path: Path) -> None:
    wanted = ("compact-bram", "AES-128", "RTL")
    output = tmp_path / "all.json"
    task = Task("compact-bram", 128, None)
    record = {"design": task.preset, "key_bits": 128, "family": None, "result": "proved"}
    record["claims"] = CLAIMS

    def recorded(circuit: str) -> None:
        proofs = [{**record, "sources": "of another day", "circuit": circuit}]
        output.write_text(json.dumps({"versions": {}, "proofs": proofs}), encoding="utf-8")

    recorded(task.circuit())
    assert "1 proofs stand" in run("prove_all.py", output, *wanted)
    (kept,) = json.loads(output.read_text(encoding="utf-8"))["proofs"]
    assert kept == {**record, "sources": task.sources(), "circuit": task.circuit()}
    recorded("of another circuit")
    assert "1 proofs in" in run("prove_all.py", output, *wanted)
    record["claims"] = CLAIMS - 1
    recorded(task.circuit())
    assert "1 proofs in" in run("prove_all.py", output, *wanted)


@pytest.mark.parametrize("other", ["proved", "not proved"])
def test_routes_that_disagree_fail(other: str, tmp_path: Path) -> None:
    output = tmp_path / "all.json"
    proofs = [
        {**about(task), "sources": task.sources(), "claims": CLAIMS}
        | {"result": result, "reason": "of a test"}
        for task, result in (
            (Task("compact", 128, None), other),
            (Task("compact", 128, None, ABC), "proved"),
        )
    ]
    # A record of a file before there were routes.
    del proofs[0]["route"]
    output.write_text(json.dumps({"versions": {}, "proofs": proofs}), encoding="utf-8")
    command: list[str | Path] = [
        sys.executable,
        REPO / "scripts" / "prove_all.py",
        "--route",
        "abc",
    ]
    command += ["compact AES-128 RTL", "--output", output]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == (other != "proved"), found.stderr
    assert ("the routes disagree: compact AES-128 RTL" in found.stderr) == (other != "proved")
    assert json.loads(output.read_text(encoding="utf-8"))["proofs"] == proofs


def test_another_parameter_or_key_scheme_makes_a_proof_old() -> None:
    def sources(preset: str) -> str:
        return Task(preset, 128, None).sources()

    # Of the same files, with other numbers of stages.
    assert sources("liu2014-two-stage") != sources("liu2014-five-stage")
    assert sources("liu2014-two-stage-hu2009") != sources("liu2014-two-stage-liu2014")


def test_a_comment_makes_no_proof_old(tmp_path: Path) -> None:
    def code(text: str) -> str:
        file = tmp_path / "module.sv"
        file.write_text(text, encoding="utf-8")
        return rtl.hashed_code([file]).hexdigest()

    assert code("assign a = b; // why\n  assign c = d;\n") == code("assign a = b;\nassign c = d;")
    assert code("assign a = b;") != code("assign a = !b;")


def test_no_string_of_the_rtl_holds_what_begins_a_comment() -> None:
    for path in rtl.filelist():
        for line in path.read_text(encoding="utf-8").splitlines():
            code, _, comment = line.partition("//")
            assert code.count('"') % 2 == 0, f"{path}: {comment}"
