# SPDX-License-Identifier: Apache-2.0
"""Write files atomically: a reader sees the old content or the new, never a part."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

from aesforge.errors import UsageError

_PREFIX = ".aesforge-"


@contextlib.contextmanager
def new_file(target: Path) -> Iterator[IO[bytes]]:
    """Open a file that replaces ``target`` when the block ends, and vanishes when it fails.

    An existing file keeps its permissions; a new one has those of any file that is opened to
    write. The stream is not buffered: see :func:`write_all`.

    Args:
        target: the path to write; a link is replaced, so follow it first where it is to stay.

    Raises:
        OSError: the file cannot be written.
    """
    # In the same folder, so that the last step is only a rename. The name reveals nothing.
    part = target.with_name(f"{_PREFIX}{secrets.token_hex(8)}.part")
    try:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with os.fdopen(handle, "wb", buffering=0) as sink:
            yield sink
            with contextlib.suppress(FileNotFoundError):
                os.fchmod(sink.fileno(), stat.S_IMODE(target.stat().st_mode))
            os.fsync(sink.fileno())
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def write_all(sink: IO[bytes], data: bytes | memoryview) -> None:
    """Write all of ``data`` to an unbuffered stream, however many calls that takes."""
    view = memoryview(data)
    while len(view):
        view = view[sink.write(view) :]


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file atomically; anything but a plain file (a pipe) is written directly.

    Args:
        path: the file; a link stays, and the file that it leads to is replaced.
        content: bytes, or text to be encoded as UTF-8, its line ends as they are.

    Raises:
        UsageError: the file cannot be written.
    """
    data = content.encode() if isinstance(content, str) else content
    require_writable(path)
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
            return
        with new_file(path.resolve()) as sink:
            write_all(sink, data)
    except OSError as error:
        raise UsageError(
            f"cannot write '{path}': {error.strerror or error}; name another file"
        ) from None


def require_writable(path: Path) -> None:
    """Refuse a file that cannot be written, before any work is done.

    Raises:
        UsageError: it is a folder, its folder does not exist, or it may not be written.
    """
    if path.is_dir():
        raise UsageError(f"cannot write '{path}': it is a folder; name a file in it")
    if not path.parent.is_dir():
        raise UsageError(
            f"cannot write '{path}': there is no folder '{path.parent}'; make it, or name another"
        )
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UsageError(f"cannot write '{path}': permission denied; name another file")


def require_folder(path: Path) -> None:
    """Refuse a folder that cannot be made or written into, before any work is done.

    Raises:
        UsageError: it or a part of its path is a file, or it may not be written.
    """
    # The nearest part of the path that exists; a file's name ends the search, too.
    there = next(one for one in (path, *path.parents) if one.exists() or one.is_symlink())
    if not there.is_dir():
        raise UsageError(
            f"cannot make the folder '{path}': '{there}' is a file; name another folder"
            if there != path
            else f"'{path}' is not a folder; name another"
        )
    if not os.access(there, os.W_OK | os.X_OK):
        raise UsageError(f"cannot write into '{there}': permission denied; name another folder")


def write_folder(out: Path, files: Mapping[str, str]) -> None:
    """Write the files of a folder aside, then move them into place.

    A folder that does not exist yet appears complete. In one that exists each file is replaced
    whole, and files of other names stay.

    Args:
        out: the folder.
        files: path inside the folder to text, line ends as they are.

    Raises:
        OSError: something cannot be written; nothing was moved unless moving itself failed.
    """
    parent = out.resolve().parent
    parent.mkdir(parents=True, exist_ok=True)
    # Beside the target, so that moving into place is a renaming.
    with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=parent) as temporary:
        staging = Path(temporary, "folder")
        staging.mkdir()
        for path, text in files.items():
            target = staging / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", newline="\n")
        if not out.exists():
            staging.rename(out)
            return
        for path in files:
            target = out / path
            target.parent.mkdir(parents=True, exist_ok=True)
            (staging / path).replace(target)
