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


def slow(nodes: list[str], seconds: dict[str, float], *fixtures: str) -> set[str]:
    """Return what is slow of tests that all need these fixtures."""
    return durations.slow(dict.fromkeys(nodes, fixtures), seconds)


def test_a_function_keeps_its_shortest_parameter_sets() -> None:
    seconds = recorded(a=1.2, b=0.3, c=2.5, d=0.5)
    assert slow([BENCH, *FEW, ONE, NEW], seconds) == {FEW[2], ONE}
    assert slow(FEW, recorded(a=2.5)) == set()
    assert slow([f"{BENCH}[{part}]" for part in "ab"], {"test_aesforge_core[a]": 9.0}) == set()
    both = [f"{BENCH}[{part}]" for part in ("rtl", "mutants", "rtl-x", "mutants-x")]
    long = {node.partition("::")[2]: 9.0 for node in both}
    assert slow(both, long) == {*both[1::2]}
    assert slow(FEW, recorded(a=9.0, b=9.0, c=9.0, d=9.0)) == {*FEW}


def test_a_test_is_as_slow_as_the_fixture_of_its_module() -> None:
    """A short fixture counts once for all tests of its module, so it makes none of them slow."""
    quick = {"test_a.py::routed": 2.4, "test_b.py::placed": 9.0}
    assert slow([ONE, NEW], quick, "routed", "placed") == set()
    assert slow([ONE, NEW, BENCH], {"test_a.py::routed": 3.1}, "tmp_path", "routed") == {ONE, NEW}
    assert slow([ONE, NEW], {"test_a.py::routed": 3.1}, "tmp_path") == set()


def test_each_of_two_processes_begins_with_long_tests() -> None:
    short = [f"tests/python/test_b.py::test_{n}" for n in range(7)]
    order = durations.in_order([*short, ONE, BENCH, FEW[0]], recorded(a=3.0))
    assert sorted(order) == sorted([*short, ONE, BENCH, FEW[0]])
    assert order[0] == BENCH
    assert order[len(order) // 2 :][:2] == [ONE, FEW[0]]
    fixture = {"test_b.py::routed": 90.0} | recorded()
    assert durations.in_order([*short, BENCH], fixture)[: len(short) // 2] == short[:3]


def test_a_bench_with_mutants_makes_the_same_without_them_needless() -> None:
    rtl, mutants = (
        [f"{BENCH}[{part}{more}]" for more in ("", "-x")] for part in ("rtl", "mutants")
    )
    assert durations.repeated([*rtl, ONE, *FEW]) == set()
    assert durations.repeated([*rtl, mutants[1], ONE]) == {rtl[1]}
    assert durations.repeated([*rtl, *mutants]) == {*rtl}


def test_a_test_is_recorded_without_its_file(tmp_path: Path) -> None:
    file = tmp_path / "seconds.json"
    durations.save({BENCH: 61.23, ONE: 0.1, f"tests/other.py::{FEW[0]}": 2.0}, {}, file)
    text = file.read_text(encoding="utf-8")
    assert json.loads(text)["test_aesforge_core"] == 61.2
    assert "test_one" not in text


def test_a_part_of_the_tests_is_recorded_beside_the_others(tmp_path: Path) -> None:
    file = tmp_path / "seconds.json"
    routed, placed = durations.fixture_key("tests/x/test_a.py", "routed"), "test_a.py::placed"
    assert routed == "test_a.py::routed"
    durations.save({BENCH: 60.0, ONE: 7.0, FEW[0]: 2.0}, {routed: 4.0, placed: 5.0}, file)
    durations.save({ONE: 8.0, FEW[0]: 0.1}, {routed: 0.1}, file, keep=True)
    assert json.loads(file.read_text()) == {"test_aesforge_core": 60.0, "test_one": 8.0, placed: 5}
    durations.save({ONE: 8.0}, {routed: 4.0}, file)
    assert json.loads(file.read_text()) == {"test_one": 8.0, routed: 4.0}


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
    assert sorted(found) == ["test_alone", "test_suite.py::long"]
    assert max(found.values()) < 1.1, "a fixture counted twice"


def test_what_is_recorded_has_both_kinds(request: pytest.FixtureRequest) -> None:
    """The file is not empty, and this very test is quick."""
    seconds = durations.load()
    assert max(seconds.values()) > durations.QUICK_SECONDS > min(seconds.values()) > 0
    assert request.node.get_closest_marker("slow") is None
