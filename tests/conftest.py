# SPDX-License-Identifier: Apache-2.0
"""The order of the tests, the mark `slow`, and the recording of how long each test takes."""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import Any

import durations
import pytest

_seconds: dict[str, float] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--record-durations",
        action="store_true",
        help="if all pass, write their CPU seconds to durations.json; start with an empty cache",
    )


# First of all hooks: `-m "not slow"` looks for the mark in a hook of the same name.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the slow tests, and put the long ones first."""
    seconds = durations.load()
    by_node = {item.nodeid: item for item in items}
    for node in durations.slow(by_node, seconds):
        by_node[node].add_marker(pytest.mark.slow)
    items[:] = [by_node[node] for node in durations.in_order(by_node, seconds)]


def _cpu_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Note the CPU seconds of a test with its fixtures and the processes that it started."""
    before = _cpu_seconds()
    try:
        return (yield)
    finally:
        _seconds[item.nodeid] = _cpu_seconds() - before


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Collect what a process of pytest-xdist noted."""
    _seconds.update(getattr(node, "workeroutput", {}).get("seconds", {}))


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Hand the seconds to the process that writes them, or write them."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["seconds"] = _seconds
    elif session.config.getoption("--record-durations") and exitstatus == 0:
        durations.save(_seconds)
