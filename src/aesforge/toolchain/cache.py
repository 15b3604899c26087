# SPDX-License-Identifier: Apache-2.0
"""The folder in which models, netlists and logs are kept, and how processes share it safely."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from aesforge.errors import AesforgeError


def cache_dir() -> Path:
    """Return the cache folder: ``AESFORGE_CACHE``, else the user's cache folder of this system."""
    chosen = os.environ.get("AESFORGE_CACHE")
    if chosen:
        return Path(chosen).expanduser().absolute()
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("aesforge"))


def key_of(*parts: object) -> str:
    """Return a hash of plain data, as a name for what depends on all of it."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on the file ``path``; the system drops it if this process dies."""
    import fcntl

    with path.open("wb") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def publish_once(folder: Path, build: Callable[[Path], None]) -> bool:
    """Make ``folder`` by ``build(part)`` unless it exists; it appears only when complete.

    ``build`` fills an empty folder next to it, which is renamed at the end, so that an error or an
    interrupt leaves nothing half-built; a second process that wants the same folder waits for the
    first instead of building it twice. ``build`` must not write paths of ``part`` into files.

    Returns:
        True when this call built it.

    Raises:
        AesforgeError: the cache folder cannot be written.
    """
    if folder.is_dir():
        return False
    part = folder.with_name(folder.name + ".part")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        locks = folder.parent / ".locks"
        locks.mkdir(exist_ok=True)
        with _lock(locks / folder.name):
            if folder.is_dir():
                return False
            if part.exists():  # left by a process that was killed: the lock is ours, so is this
                shutil.rmtree(part)
            part.mkdir()
            try:
                build(part)
                part.rename(folder)
            finally:
                shutil.rmtree(part, ignore_errors=True)
    except OSError as error:
        raise AesforgeError(
            f"cannot write the cache, {folder.parent}: "
            f"{error.strerror or error}; free some space, or set AESFORGE_CACHE to another folder"
        ) from error
    return True


def discard_unused(parent: Path, keep_days: float = 30.0) -> None:
    """Delete the folders in ``parent`` that were last marked used more than ``keep_days`` ago."""
    import time

    oldest = time.time() - keep_days * 86_400
    for folder in parent.iterdir():
        try:
            if (
                not folder.name.startswith(".")
                and folder.suffix != ".part"
                and folder.stat().st_mtime < oldest
            ):
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue  # another process was faster


def mark_used(folder: Path) -> None:
    """Renew the time by which :func:`discard_unused` judges ``folder``."""
    with contextlib.suppress(OSError):  # a cache that may only be read works all the same
        os.utime(folder)
