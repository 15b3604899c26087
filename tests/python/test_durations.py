# SPDX-License-Identifier: Apache-2.0
"""What `make test` leaves to `make test-all`, and in which order two processes run the rest."""

from __future__ import annotations

import json
from pathlib import Path

import durations
import pytest

BENCH = "tests/rtl/test_aesforge_core.py::test_aesforge_core"
FEW = [f"tests/python/test_a.py::test_few[{key}]" for key in "abcd"]
ONE = "tests/python/test_a.py::test_one"
NEW = "tests/python/test_a.py::test_new"


def recorded(**seconds: float) -> dict[str, float]:
    return {"test_aesforge_core": 60.0, "test_one": 7.0} | {
        f"test_few[{key}]": value for key, value in seconds.items()
    }


def test_a_function_keeps_its_shortest_parameter_sets() -> None:
    seconds = recorded(a=1.5, b=0.5, c=2.0, d=0.7)
    assert durations.slow([BENCH, *FEW, ONE, NEW], seconds) == {FEW[2], ONE}
    assert durations.slow(FEW, recorded(a=3.0)) == set()
    assert durations.slow(FEW, recorded(a=9.0, b=9.0, c=9.0, d=9.0)) == {*FEW}


def test_each_of_two_processes_begins_with_long_tests() -> None:
    short = [f"tests/python/test_b.py::test_{n}" for n in range(7)]
    order = durations.in_order([*short, ONE, BENCH, FEW[0]], recorded(a=3.0))
    assert sorted(order) == sorted([*short, ONE, BENCH, FEW[0]])
    assert order[:2] == [BENCH, FEW[0]]
    assert order[len(order) // 2] == ONE


def test_a_test_is_recorded_without_its_file(tmp_path: Path) -> None:
    file = tmp_path / "seconds.json"
    durations.save({BENCH: 61.23, ONE: 0.1, f"tests/other.py::{FEW[0]}": 2.0}, file)
    text = file.read_text(encoding="utf-8")
    assert json.loads(text)["test_aesforge_core"] == 61.2
    assert "test_one" not in text


def test_what_is_recorded_has_both_kinds(request: pytest.FixtureRequest) -> None:
    """The file is not empty, and this very test is quick."""
    seconds = durations.load()
    assert max(seconds.values()) > durations.QUICK_SECONDS > min(seconds.values()) > 0
    assert request.node.get_closest_marker("slow") is None
