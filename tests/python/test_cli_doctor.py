# SPDX-License-Identifier: Apache-2.0
"""The verb doctor: what it prints and exits with."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from test_cli import run


def test_doctor() -> None:
    done = run("doctor")
    assert done.exit_code == 0
    assert "verilator" in done.stdout
    assert {"name", "ok", "how_to_get"} < json.loads(run("doctor", "--json").stdout)[0].keys()


def test_doctor_lets_others_use_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that another process is building, or throws away, comes and goes."""
    monkeypatch.setenv("AESFORGE_CACHE", str(tmp_path))
    (tmp_path / "here").write_bytes(bytes(3_000_000))
    walk = os.walk

    def slow(folder: Path) -> Iterator[tuple[str, list[str], list[str]]]:
        for place, folders, names in walk(folder):
            yield place, folders, [*names, "was here a moment ago"]

    monkeypatch.setattr("os.walk", slow)
    done = run("doctor")
    assert done.exit_code == 0
    assert "0 models, 3 MB" in done.stdout


def test_doctor_fails_when_something_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    from aesforge.toolchain.doctor import Finding

    def doctor() -> list[Finding]:
        return [
            Finding("g++", False, "nothing", "10 or newer", "apt-get install g++"),
            Finding("pyosys", False, "nothing", "counts", "pip install pyosys", optional=True),
        ]

    monkeypatch.setattr("aesforge.toolchain.doctor.doctor", doctor)
    done = run("doctor")
    assert done.exit_code == 2
    assert "MISSING g++" in done.stdout
    assert "absent  pyosys" in done.stdout
    assert "apt-get install g++" in done.stdout
    assert "Traceback" not in done.output
