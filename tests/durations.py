# SPDX-License-Identifier: Apache-2.0
"""Which tests are slow, and in which order to run them, from recorded CPU seconds.

`make durations` records the seconds in `durations.json`; `--record-durations some` records those of
a part of the tests. A test that is not listed is short, so a new test needs no entry.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

FILE = Path(__file__).with_suffix(".json")
# CPU seconds with an empty model cache. What takes less is not recorded.
RECORDED_SECONDS = 0.5
# What one test function may take in `make test`, over all its parameter sets.
QUICK_SECONDS = 2.0


def load() -> dict[str, float]:
    """Return the recorded CPU seconds by the test's name with its parameters, without its file."""
    recorded: dict[str, float] = json.loads(FILE.read_text(encoding="utf-8"))
    return recorded


def with_fixtures(
    seconds: Mapping[str, float],
    needs: Mapping[str, Collection[str]],
    fixtures: Mapping[str, float],
) -> dict[str, float]:
    """Return the CPU seconds of each test with every module fixture that it needs.

    pytest sets such a fixture up once, for the first test. If that test is left out, the next one
    takes the time: so each of them is as long.

    Args:
        seconds: of the tests alone, by node id.
        needs: names of the module fixtures by node id.
        fixtures: CPU seconds of the fixtures by name.
    """
    return {
        node: value + sum(fixtures.get(name, 0.0) for name in needs.get(node, ()))
        for node, value in seconds.items()
    }


def save(seconds: Mapping[str, float], file: Path = FILE, *, keep: bool = False) -> None:
    """Write the CPU seconds of tests; the keys are pytest's node ids.

    The file of a test is left out, so that a test may move. Of tests with the same name the
    longest counts. ``keep`` keeps what is recorded of tests that are not among these.
    """
    longest: dict[str, float] = {}
    if keep:
        names = {node.partition("::")[2] for node in seconds}
        recorded = json.loads(file.read_text(encoding="utf-8"))
        longest = {name: value for name, value in recorded.items() if name not in names}
    for node, value in seconds.items():
        name = node.partition("::")[2]
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


def slow(nodes: Iterable[str], seconds: Mapping[str, float]) -> set[str]:
    """Return the tests that `make test` leaves to `make test-all`.

    Each test function keeps its shortest parameter sets, as many as take `QUICK_SECONDS` together.
    The bench of an RTL module is never slow; its part `mutants` may be.

    Args:
        nodes: pytest's node ids.
        seconds: as `load` returns them.
    """
    functions: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for node in nodes:
        if not is_module_bench(node):
            taken = seconds.get(node.partition("::")[2], 0.0)
            functions[node.partition("[")[0]].append((taken, node))
    found = set()
    for tests in functions.values():
        total = 0.0
        for taken, node in sorted(tests):
            total += taken
            if taken and total > QUICK_SECONDS:
                found.add(node)
    return found


def in_order(nodes: Iterable[str], seconds: Mapping[str, float]) -> list[str]:
    """Return the tests so that each of two processes, given one half, begins with long ones."""
    given = {node: seconds.get(node.partition("::")[2], 0.0) for node in nodes}
    long = sorted((node for node in given if given[node]), key=lambda node: -given[node])
    short = [node for node in given if not given[node]]
    middle = (len(short) + len(long)) // 2 - len(long[::2])
    return [*long[::2], *short[:middle], *long[1::2], *short[middle:]]
