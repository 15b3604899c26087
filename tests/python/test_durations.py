# SPDX-License-Identifier: Apache-2.0
"""What `make test` leaves to `make test-all`, and in which order two processes run the rest."""

from __future__ import annotations

import json
import os
import subprocess
import sys
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
    seconds = recorded(a=1.2, b=0.3, c=1.5, d=0.5)
    assert durations.slow([BENCH, *FEW, ONE, NEW], seconds) == {FEW[2], ONE}
    assert durations.slow(FEW, recorded(a=2.0)) == set()
    assert (
        durations.slow([f"{BENCH}[{part}]" for part in "ab"], {"test_aesforge_core[a]": 9.0})
        == set()
    )
    both = [f"{BENCH}[{part}]" for part in ("rtl", "mutants", "rtl-x", "mutants-x")]
    long = {node.partition("::")[2]: 9.0 for node in both}
    assert durations.slow(both, long) == {*both[1::2]}
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


def test_a_part_of_the_tests_is_recorded_beside_the_others(tmp_path: Path) -> None:
    file = tmp_path / "seconds.json"
    durations.save({BENCH: 60.0, ONE: 7.0, FEW[0]: 2.0}, file)
    durations.save({ONE: 8.0, FEW[0]: 0.1}, file, keep=True)
    assert json.loads(file.read_text()) == {"test_aesforge_core": 60.0, "test_one": 8.0}
    durations.save({ONE: 8.0}, file)
    assert json.loads(file.read_text()) == {"test_one": 8.0}


def test_a_fixture_counts_for_each_test_that_needs_it() -> None:
    seconds = {ONE: 0.5, NEW: 0.25, BENCH: 60.0}
    needs = {ONE: ["a.py::routed", "a.py::tmp_path"], NEW: ["a.py::routed"]}
    found = durations.with_fixtures(seconds, needs, {"a.py::routed": 30.0, "b.py::other": 9.0})
    assert found == {ONE: 30.5, NEW: 30.25, BENCH: 60.0}


# Which of two processes makes the fixture's folder takes the time, as with the model cache.
SUITE = """
import pathlib
import time
import pytest

def burn() -> None:
    end = time.process_time() + 0.6
    while time.process_time() < end:
        pass

@pytest.fixture(scope="module")
def long() -> None:
    try:
        pathlib.Path("made").mkdir()
    except FileExistsError:
        return
    burn()

def test_first(long): pass
def test_alone(): burn()
def test_second(long): pass
def test_short(): pass
"""


@pytest.mark.parametrize("options", [[], ["-n", "2"]], ids=["one process", "two"])
def test_recording_some_tests_notes_their_fixtures(tmp_path: Path, options: list[str]) -> None:
    """A run of pytest on a suite of its own, with copies of these two files."""
    here = Path(durations.__file__).parent
    for name in ("durations.py", "conftest.py"):
        (tmp_path / name).write_text((here / name).read_text())
    file = tmp_path / "durations.json"
    file.write_text(json.dumps({"test_elsewhere": 5.0, "test_short": 4.0}))
    (tmp_path / "test_suite.py").write_text(SUITE)
    command = [sys.executable, "-m", "pytest", "-q", "--record-durations", "some", *options]
    # In the folder of the suite, so that `import durations` finds the copy.
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    subprocess.run([*command, "."], cwd=tmp_path, env=environment, check=True)
    found = json.loads(file.read_text())
    assert found.pop("test_elsewhere") == 5.0
    assert sorted(found) == ["test_alone", "test_first", "test_second"]
    assert max(found.values()) < 1.1, "a fixture counted twice"


def test_what_is_recorded_has_both_kinds(request: pytest.FixtureRequest) -> None:
    """The file is not empty, and this very test is quick."""
    seconds = durations.load()
    assert max(seconds.values()) > durations.QUICK_SECONDS > min(seconds.values()) > 0
    assert request.node.get_closest_marker("slow") is None
