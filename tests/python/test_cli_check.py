# SPDX-License-Identifier: Apache-2.0
"""The verb check: what it hands on, prints and exits with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aesforge.check.run import CheckReport
from test_cli import run


def report(passed: bool) -> CheckReport:
    failures = [] if passed else ["block 3 gave 00"]
    return CheckReport(
        design="compact",
        summary="words",
        choices={},
        seed=7,
        command="aesforge check",
        passed=passed,
        failures=failures,
    )


@pytest.mark.parametrize("passed", [True, False])
def test_check_hands_its_options_on(monkeypatch: pytest.MonkeyPatch, passed: bool) -> None:
    asked: dict[str, Any] = {}

    def check(design: Any, **options: Any) -> CheckReport:
        asked.update(options, design=design)
        return report(passed)

    monkeypatch.setattr("aesforge.check.core.check", check)
    options = ["--seed", "7", "--blocks", "5", "--bubbles", "0", "--one-key", "--no-vectors"]
    done = run("check", "compact", "--set", "tiles=2", *options)
    assert done.exit_code == (0 if passed else 1)
    assert "passed" in done.stdout if passed else "WRONG: block 3" in done.stdout
    assert asked.pop("design").tiles == 2
    assert asked == {
        "seed": 7,
        "blocks": 5,
        "bubbles": 0.0,
        "random_keys": False,
        "vectors": False,
        "progress": None,
        "wave": None,
        "command": "aesforge check compact --set tiles=2",
    }
    done = run("check", "compact", "--json")
    assert done.exit_code == (0 if passed else 1)
    assert json.loads(done.stdout)["passed"] is passed


def test_check_writes_a_waveform(tmp_path: Path) -> None:
    file = tmp_path / "check.vcd"
    done = run("check", "compact", "--blocks", "2", "--no-vectors", "--vcd", str(file))
    assert done.exit_code == 0, done.output
    text = file.read_text()
    assert " state_i " in text
    assert text.count("\n#") > 20


@pytest.mark.parametrize(
    ("design", "file", "words"),
    [
        ("ctr-stream", "check.vcd", "'ctr-stream' is an engine"),
        ("kiran-looped", "check.vcd", "'kiran-looped' is a key expansion"),
        ("compact", "none/check.vcd", "there is no folder"),
    ],
)
def test_waveforms_that_cannot_be_written(
    design: str, file: str, words: str, tmp_path: Path
) -> None:
    done = run("check", design, "--vcd", str(tmp_path / file))
    assert done.exit_code == 2
    assert words in done.stderr
