# SPDX-License-Identifier: Apache-2.0
"""The errors that a user can see: one base class, and the exit status of each.

A message says what was asked, what is allowed, and what to do next. The command line prints it
unchanged, without a traceback.
"""

from __future__ import annotations

from collections.abc import Iterable


class AesforgeError(Exception):
    """An error whose message is meant for the user.

    Args:
        message: one or a few lines of plain text, without a final full stop's newline.
    """

    exit_code: int = 2

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class UsageError(AesforgeError):
    """The request is impossible: a wrong name, value, file or combination (exit 2)."""


class ToolMissing(AesforgeError):
    """A program or package that the job needs is not installed (exit 2)."""


class DoesNotFit(AesforgeError):
    """A core needs more than the device has; raised before placement (exit 2)."""


class ToolFailed(AesforgeError):
    """A synthesis or placement tool ended with an error (exit 2).

    The message has the end of the tool's log and the path of the whole log.
    """


class CheckFailed(AesforgeError):
    """The job ran, and the core gave a wrong answer (exit 1)."""

    exit_code = 1


class NotAuthentic(AesforgeError):
    """A message does not fit its tag (exit 1)."""

    exit_code = 1


def nearest(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean 'x'?` for the known name closest to `name`, or an empty string."""
    import difflib

    folded = {word.lower(): word for word in known}
    close = difflib.get_close_matches(name.lower(), list(folded), n=1, cutoff=0.5)
    return f"; did you mean '{folded[close[0]]}'?" if close else ""


def one_of(values: Iterable[object]) -> str:
    """Join values for a message: `a, b or c`."""
    words = [str(value) for value in values]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]
