# SPDX-License-Identifier: Apache-2.0
"""A limit to the time that a proof may take."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

from aesforge.errors import AesforgeError


class OutOfTime(AesforgeError):
    """More time has gone by than a proof may take."""


@contextlib.contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise :class:`OutOfTime` when the body takes longer; a running tool is ended.

    Only in the main thread, where a signal can interrupt; elsewhere there is no limit.
    """
    if seconds is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(_signal: int, _frame: FrameType | None) -> None:
        raise OutOfTime(f"it took more than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
