# SPDX-License-Identifier: Apache-2.0
"""The compiled part of the attacks: `attack.cpp`, compiled once and kept by content."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from aesforge.errors import AesforgeError
from aesforge.simulate.verilator import compiled

_SOURCE = Path(__file__).with_name("attack.cpp")
_OPTIONS = ("-O3", "-std=c++17")


def call(*words: str) -> dict[str, Any]:
    """Run the program once and return its answer; `attack.cpp` documents its input."""
    return call_all([words])[0]


def call_all(
    calls: Sequence[Sequence[str]],
    processes: int = 1,
    done: Callable[[], None] = lambda: None,
) -> list[dict[str, Any]]:
    """Run the program many times.

    Args:
        calls: the words of each call.
        processes: how many run at a time.
        done: called when one has ended.

    Returns:
        The answers, in the order of the calls.

    Raises:
        ToolMissing: there is no C++ compiler.
        AesforgeError: it does not compile, or a call failed; the others are stopped.
    """
    path = str(compiled(_SOURCE, _OPTIONS))
    answers: list[dict[str, Any]] = [{} for _ in calls]
    waiting = list(range(len(calls)))[::-1]
    running: dict[int, subprocess.Popen[bytes]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < processes:
                number = waiting.pop()
                running[number] = subprocess.Popen(
                    [path, *calls[number]], stdout=subprocess.PIPE, stderr=subprocess.PIPE
                )
            for number, process in list(running.items()):
                with contextlib.suppress(subprocess.TimeoutExpired):
                    # Short, since any of them may be the first to end.
                    out, err = process.communicate(timeout=0.02 if len(running) > 1 else None)
                    del running[number]
                    if process.returncode != 0:
                        raise AesforgeError(
                            f"attack {' '.join(calls[number])} failed: {err.decode().strip()}"
                        )
                    answers[number] = msgspec.json.decode(out)
                    done()
    finally:
        for process in running.values():
            process.kill()
        for process in running.values():
            process.wait()
    return answers
