# SPDX-License-Identifier: Apache-2.0
"""What a bundle's README says of simulators is what was recorded."""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from aesforge.bundle import render, simulators
from aesforge.bundle.simulators import Run, recorded, runs_of
from aesforge.design import Design
from aesforge.design.engine import Engine
from aesforge.design.presets import ENGINES, PRESETS
from project import REPO

sys.path.insert(0, str(REPO / "scripts"))
import bench_simulators


def test_every_preset_passed_in_some_simulator() -> None:
    for run in recorded():
        assert run.said.keys() <= PRESETS.keys() | ENGINES.keys()
        assert re.fullmatch(r"[0-9a-f]{12}", run.commit), "recorded with uncommitted changes"
    for name in (*PRESETS, *ENGINES):
        assert any(run.said.get(name, "").startswith("PASS") for run in recorded()), name


@pytest.mark.parametrize("name", ["compact", "kiran-looped", "ctr-stream"])
def test_a_readme_has_the_runs_of_its_preset(name: str) -> None:
    design = PRESETS.get(name) or ENGINES[name]
    readme = render(design)["README.md"]
    runs = runs_of(design)
    assert runs
    for run in runs:
        assert f"| {run.tool} {run.version} | " in readme
        assert f"`{run.said[name]}`" in readme
    # Another design of this name has none.
    other: Design | Engine
    if isinstance(design, Engine):
        other = dataclasses.replace(design, user_bits=3)
    else:
        other = dataclasses.replace(design, tag_bits=3)
    assert runs_of(other) == []
    text = render(other)["README.md"]
    assert "The bench of this very design has no recorded run." in text
    assert f"{recorded()[0].passed} of {len(recorded()[0].said)} presets' benches passed" in text


def test_what_did_not_pass_is_not_in_a_readme(monkeypatch: pytest.MonkeyPatch) -> None:
    run = recorded()[0]
    bad = msgspec.structs.replace(run, tool="Other", said={"compact": "FAIL: cycle 1: wrong"})
    monkeypatch.setattr(simulators, "recorded", lambda: (run, bad))
    assert [one.tool for one in runs_of(PRESETS["compact"])] == [run.tool]
    assert bad.passed == 0


@pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus Verilog (iverilog) is missing")
def test_the_script_records_beside_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = tmp_path / "simulators.json"
    kept = Run(
        tool="Other", version="1", files="files.f", command="-", date="-", commit="-", said={}
    )
    result.write_bytes(msgspec.json.encode([kept]))
    monkeypatch.setattr(bench_simulators, "RESULT", result)
    for name in ("compact-bram", "kiran-looped"):
        monkeypatch.setattr(sys, "argv", ["bench_simulators.py", "--tool", "icarus-single", name])
        assert bench_simulators.main() == 0
    runs = msgspec.json.decode(result.read_bytes(), type=list[Run])
    assert [one.tool for one in runs] == ["Icarus Verilog", "Other"]
    assert runs[0].said == {
        "compact-bram": "PASS: 18 blocks",
        "kiran-looped": "PASS: 265 round keys",
    }
    assert runs[0].files == "single file"
    assert runs[0].version[0].isdigit()


def test_the_script_refuses_what_it_does_not_know() -> None:
    command = [sys.executable, str(REPO / "scripts" / "bench_simulators.py")]
    for words, said in (
        (["nothing"], "no such preset: nothing"),
        (["--tool", "icarus", "--icarus", "/nowhere", "compact"], "install Icarus Verilog"),
    ):
        done = subprocess.run([*command, *words], capture_output=True, text=True, check=False)
        assert said in done.stderr
        assert done.returncode == 2
