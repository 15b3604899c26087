# SPDX-License-Identifier: Apache-2.0
"""SIGTERM and SIGHUP end a command as Ctrl-C does: what was begun is cleaned up first."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

_ENDING = tuple(
    number
    for name in ("SIGTERM", "SIGHUP")
    if (number := getattr(signal, name, None)) is not None  # Windows has no SIGHUP
)
Handlers = dict[int, Any]


class Terminated(KeyboardInterrupt):
    """A signal asks this process to end; raised in the main thread, wherever Ctrl-C would be.

    Args:
        number: of the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__()
        self.exit_code = 128 + number


def exit_status(interrupt: KeyboardInterrupt) -> int:
    """Return the exit status of an interrupted command: 130, or 128 and the signal's number."""
    return interrupt.exit_code if isinstance(interrupt, Terminated) else 128 + signal.SIGINT


def what_happened(interrupt: KeyboardInterrupt) -> str:
    """Return the word for a message: `interrupted` or `terminated`."""
    return "terminated" if isinstance(interrupt, Terminated) else "interrupted"


@contextlib.contextmanager
def as_interrupts() -> Iterator[None]:
    """Raise `Terminated` when a signal asks this process to end, for as long as the block runs.

    A signal that the caller ignores (nohup) stays ignored, as does a second one: it must not
    interrupt the cleaning up that the first has begun.
    """
    owner = os.getpid()

    def end(number: int, _frame: FrameType | None) -> None:
        for other in _ENDING:
            signal.signal(other, signal.SIG_DFL if os.getpid() != owner else signal.SIG_IGN)
        if os.getpid() != owner:  # a fork of this process, which has nothing to clean up
            os.kill(os.getpid(), number)
        raise Terminated(number)

    mine = [number for number in _ENDING if signal.getsignal(number) is signal.SIG_DFL]
    with _handlers(mine, end):
        yield


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Let Ctrl-C and the ending signals wait until the block is done."""
    came: list[int] = []
    numbers = (signal.SIGINT, *_ENDING)
    with _handlers(numbers, lambda number, _frame: came.append(number)):
        yield
    for number in came[:1]:
        signal.raise_signal(number)


@contextlib.contextmanager
def ignored() -> Iterator[None]:
    """Ignore Ctrl-C and the ending signals for as long as the block runs."""
    with _handlers((signal.SIGINT, *_ENDING), signal.SIG_IGN):
        yield


@contextlib.contextmanager
def _handlers(
    numbers: tuple[int, ...] | list[int], handler: Callable[[int, FrameType | None], Any] | Any
) -> Iterator[None]:
    before: Handlers = {}
    try:
        # In another thread, no signal arrives, and none may be set.
        with contextlib.suppress(ValueError):
            for number in numbers:
                before[number] = signal.signal(number, handler)
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)
