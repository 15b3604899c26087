# SPDX-License-Identifier: Apache-2.0
"""The order of the tests, the mark `slow`, and the recording of how long each test takes.

Each of pytest's processes compiles models as on a machine with one processor.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import Any

import durations
import pytest

from aesforge.simulate import build

if "PYTEST_XDIST_WORKER" in os.environ:
    build.PROCESSORS = 1

# CPU seconds of tests without the fixtures of their modules, and of these.
_seconds: dict[str, float] = {}
_fixtures: dict[str, float] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--record-durations",
        choices=("all", "some"),
        help="if all pass, write their CPU seconds to durations.json, and with `some` keep what it"
        " says of other tests; start with an empty cache",
    )


# First of all hooks: `-m "not slow"` looks for the mark in a hook of the same name.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the slow tests, leave out those whose work another one does too, the long ones first."""
    seconds = durations.load()
    by_node = {item.nodeid: item for item in items}
    if not config.option.markexpr and not config.option.record_durations:
        repeated = [by_node.pop(node) for node in durations.repeated(by_node)]
        config.hook.pytest_deselected(items=repeated)
    needs = {node: getattr(item, "fixturenames", ()) for node, item in by_node.items()}
    for node in durations.slow(needs, seconds):
        by_node[node].add_marker(pytest.mark.slow)
    items[:] = [by_node[node] for node in durations.in_order(by_node, seconds)]


def _cpu_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Note the CPU seconds of a test with the processes that it started."""
    before, fixtures = _cpu_seconds(), sum(_fixtures.values())
    try:
        return (yield)
    finally:
        set_up = sum(_fixtures.values()) - fixtures
        _seconds[item.nodeid] = _cpu_seconds() - before - set_up


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> Generator[None, object, object]:
    """Note the CPU seconds of a module's fixture."""
    before = _cpu_seconds()
    try:
        return (yield)
    finally:
        if fixturedef.scope == "module":
            name = durations.fixture_key(request.node.nodeid, fixturedef.argname)
            _fixtures[name] = _fixtures.get(name, 0.0) + _cpu_seconds() - before


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Collect what a process of pytest-xdist noted."""
    output = getattr(node, "workeroutput", {})
    _seconds.update(output.get("seconds", {}))
    # A process that finds a fixture's results in the cache is short: the longest counts.
    for name, value in output.get("fixtures", {}).items():
        _fixtures[name] = max(value, _fixtures.get(name, 0.0))


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Hand the seconds to the process that writes them, or write them."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output |= {"seconds": _seconds, "fixtures": _fixtures}
    elif (how := session.config.getoption("--record-durations")) and exitstatus == 0:
        durations.save(_seconds, _fixtures, keep=how == "some")


@pytest.fixture(params=["rtl", "mutants"])
def mutants(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the bench of an RTL module twice: its true instances alone, and all with its mutants.

    Where no test is left out for being slow, the second makes the first needless.
    """
    from rtl_bench import WITHOUT_MUTANTS

    if request.param == "rtl":
        monkeypatch.setenv(WITHOUT_MUTANTS, "1")
