# SPDX-License-Identifier: Apache-2.0
"""The input and the output of a command that reads one file and writes another."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from aesforge.errors import AesforgeError, UsageError
from aesforge.toolchain import files


def open_input(src: Path) -> IO[bytes]:
    """Open the input of a command, not buffered: see :func:`read_up_to`.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        return src.open("rb", buffering=0)
    except FileNotFoundError:
        raise UsageError(f"the input '{src}' does not exist") from None
    except IsADirectoryError:
        raise UsageError(f"the input '{src}' is a folder; give a file") from None
    except OSError as error:
        raise UsageError(f"cannot read the input '{src}': {error.strerror}") from None


def read_up_to(source: IO[bytes], size: int) -> bytes:
    """Return the next bytes of an input, fewer than asked only at its end.

    Python sees to a signal between the reads; a buffer's would go on, and wait for a pipe.

    Raises:
        OSError: it cannot be read.
    """
    parts: list[bytes] = []
    while size and (part := source.read(size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def known_size(source: IO[bytes]) -> int | None:
    """Return the length of a regular file; a pipe's shows only at its end."""
    status = os.fstat(source.fileno())
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def refuse_bad_output(source: IO[bytes], src: Path, dst: Path) -> Path:
    """Return the path to write, links followed.

    Raises:
        UsageError: it cannot be written, or is the input.
    """
    # A link is kept and its target replaced, as if it had been opened for writing.
    target = Path(os.path.realpath(dst))
    try:
        status = target.stat()
    except FileNotFoundError:
        status = None
    except OSError as error:
        raise UsageError(f"cannot write the output '{dst}': {error.strerror}") from None
    if status is not None:
        if os.path.samestat(status, os.fstat(source.fileno())):
            raise UsageError(
                f"the input '{src}' and the output '{dst}' are the same file; give the output "
                "another name"
            )
        if stat.S_ISDIR(status.st_mode):
            raise UsageError(f"the output '{dst}' is a folder; give the name of a file in it")
        if not stat.S_ISREG(status.st_mode):
            raise UsageError(
                f"the output '{dst}' is a device or a pipe; give the name of an ordinary file, "
                "since the output is put in its place only when it is complete"
            )
        if not os.access(target, os.W_OK):
            raise UsageError(f"the output '{dst}' exists and may not be written")
    if not target.parent.is_dir():
        raise UsageError(f"the folder of the output '{dst}' does not exist; make it first")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise UsageError(f"cannot write the output '{dst}': its folder may not be written")
    return target


@contextlib.contextmanager
def new_output(target: Path, shown: Path) -> Iterator[IO[bytes]]:
    """Open the output as `aesforge.toolchain.files.new_file` does, with a command's messages."""
    try:
        with files.new_file(target) as sink:
            yield sink
    except OSError as error:
        raise AesforgeError(
            f"cannot write the output '{shown}': {error.strerror or error}; nothing was left "
            "under that name that was not there before"
        ) from None
