# SPDX-License-Identifier: Apache-2.0
"""Which tests are slow, and in which order to run them, from recorded CPU seconds.

`make durations` records the seconds in `durations.json`; `--record-durations some` records those of
a part of the tests. A test that is not listed is short, so a new test needs no entry. The fixture
of a module has an entry of its own, `FILE::FIXTURE`: pytest sets it up once for all of its tests.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

FILE = Path(__file__).with_suffix(".json")
# CPU seconds with an empty model cache. What takes less is not recorded.
RECORDED_SECONDS = 0.5
# What one test function may take in `make test`, over all its parameter sets, and what the fixture
# of a module may.
QUICK_SECONDS = 2.5


def load() -> dict[str, float]:
    """Return the recorded CPU seconds by the test's name with its parameters, without its file.

    The key of a module's fixture is `FILE::FIXTURE`.
    """
    recorded: dict[str, float] = json.loads(FILE.read_text(encoding="utf-8"))
    return recorded


def fixture_key(file: str, name: str) -> str:
    """Return the key of a module's fixture in `durations.json`."""
    return f"{Path(file).name}::{name}"


def save(
    seconds: Mapping[str, float],
    fixtures: Mapping[str, float],
    file: Path = FILE,
    *,
    keep: bool = False,
) -> None:
    """Write CPU seconds.

    The file of a test is left out, so that a test may move. Of tests with the same name the
    longest counts.

    Args:
        seconds: of the tests without the fixtures of their modules, by pytest's node id.
        fixtures: of the fixtures, by `fixture_key`.
        file: to write.
        keep: keep what is recorded of tests and fixtures that are not among these.
    """
    named = [(node.partition("::")[2], value) for node, value in seconds.items()]
    named += fixtures.items()
    longest: dict[str, float] = {}
    if keep:
        names = {name for name, _ in named}
        recorded = json.loads(file.read_text(encoding="utf-8"))
        longest = {name: value for name, value in recorded.items() if name not in names}
    for name, value in named:
        if value >= RECORDED_SECONDS:
            longest[name] = max(round(value, 1), longest.get(name, 0.0))
    file.write_text(json.dumps(longest, indent=0, sort_keys=True) + "\n", encoding="utf-8")


def is_module_bench(node: str) -> bool:
    """Whether this is the bench of an RTL module: `test_MODULE` in `tests/rtl/test_MODULE.py`.

    The part `mutants` of a bench is not: it shows that the bench can fail.
    """
    file, _, name = node.partition("::")
    function, _, part = name.partition("[")
    return (
        "/rtl/" in f"/{file}"
        and Path(file).stem == function
        and function.startswith("test_aesforge_")
        and part.partition("-")[0].rstrip("]") != "mutants"
    )


def slow(nodes: Mapping[str, Collection[str]], seconds: Mapping[str, float]) -> set[str]:
    """Return the tests that `make test` leaves to `make test-all`.

    Each test function keeps its shortest parameter sets, as many as take `QUICK_SECONDS` together.
    A test whose module has a fixture for it that takes more than that is slow.
    The bench of an RTL module is never slow; its part `mutants` may be.

    Args:
        nodes: for each of pytest's node ids, the names of the fixtures that the test needs.
        seconds: as `load` returns them.
    """
    functions: dict[str, list[tuple[float, str]]] = defaultdict(list)
    found = set()
    for node, fixtures in nodes.items():
        file, _, name = node.partition("::")
        if is_module_bench(node):
            continue
        keys = (fixture_key(file, fixture) for fixture in fixtures)
        if any(seconds.get(key, 0.0) > QUICK_SECONDS for key in keys):
            found.add(node)
        else:
            functions[node.partition("[")[0]].append((seconds.get(name, 0.0), node))
    for tests in functions.values():
        total = 0.0
        for taken, node in sorted(tests):
            total += taken
            if taken and total > QUICK_SECONDS:
                found.add(node)
    return found


def repeated(nodes: Iterable[str]) -> set[str]:
    """Return the benches of true instances that a bench among these has too, beside mutants."""
    all_nodes = {*nodes}
    rtl, mutants = "[rtl", "[mutants"
    return {node for node in all_nodes if rtl in node and node.replace(rtl, mutants) in all_nodes}


def in_order(nodes: Iterable[str], seconds: Mapping[str, float]) -> list[str]:
    """Return the tests so that each of two processes, given one half, begins with long ones.

    The tests of a file stay together, if one of them is long: neither process makes the file's
    fixtures again, nor waits until the other has made them.
    """
    given = {node: seconds.get(node.partition("::")[2], 0.0) for node in nodes}
    files: dict[str, list[str]] = defaultdict(list)
    for node in given:
        files[node.partition("::")[0]].append(node)
    fixtures: dict[str, float] = defaultdict(float)
    for key, value in seconds.items():
        if "::" in key:
            fixtures[key.partition("::")[0]] += value
    totals = {
        file: fixtures[Path(file).name] + sum(given[node] for node in tests)
        for file, tests in files.items()
    }
    halves: tuple[list[str], list[str]] = [], []
    loads = [0.0, 0.0]
    short: list[str] = []
    for file in sorted(files, key=lambda file: -totals[file]):
        if totals[file]:
            half = loads.index(min(loads))
            halves[half].extend(files[file])
            loads[half] += totals[file]
        else:
            short += files[file]
    middle = max(0, len(given) // 2 - len(halves[0]))
    return [*halves[0], *short[:middle], *halves[1], *short[middle:]]
