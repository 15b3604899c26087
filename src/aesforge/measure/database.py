# SPDX-License-Identifier: Apache-2.0
"""The measurements of this machine, in one SQLite file.

Every entry is written in a transaction of its own, so that an interrupt or a crash leaves either
the old state or the new one; several processes may share the file.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from aesforge.errors import AesforgeError
from aesforge.measure.record import Measurement

_SCHEMA = """
CREATE TABLE IF NOT EXISTS step (key TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS measurement (
  key TEXT PRIMARY KEY, device TEXT NOT NULL, kind TEXT NOT NULL, json TEXT NOT NULL
) WITHOUT ROWID;
"""
_VERSION = 1


def default_path() -> Path:
    """Return the database's file: ``AESFORGE_DATABASE``, else one in the user's data folder."""
    chosen = os.environ.get("AESFORGE_DATABASE")
    if chosen:
        return Path(chosen).expanduser().absolute()
    from platformdirs import user_data_dir

    return Path(user_data_dir("aesforge")) / "measurements.sqlite"


class Database:
    """Measurements by key, and the finished steps (a synthesis, a placement) they are made of.

    Args:
        path: the file; made with its folder when it does not exist. None for `default_path`.

    Raises:
        AesforgeError: the file cannot be opened, or is not such a database.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or default_path()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self._connect() as connection:
                version = connection.execute("PRAGMA user_version").fetchone()[0]
                if version not in (0, _VERSION):
                    raise AesforgeError(
                        f"{self.path} was written by another version of aesforge (layout "
                        f"{version}, this one knows {_VERSION}); name another file with --database"
                    )
                connection.executescript(_SCHEMA)
                connection.execute(f"PRAGMA user_version = {_VERSION}")
        except OSError as error:
            raise AesforgeError(
                f"cannot make the folder of {self.path}: {error.strerror or error}; name another "
                "file with --database"
            ) from error

    @contextmanager
    def _connect(self) -> Iterator[sqlite3.Connection]:
        """Open the file for one transaction: nothing is held, so that a fork or a kill is safe."""
        try:
            connection = sqlite3.connect(self.path, timeout=60.0)
        except sqlite3.Error as error:
            raise self._unusable(error) from error
        try:
            with connection:
                yield connection
        except sqlite3.Error as error:
            raise self._unusable(error) from error
        finally:
            connection.close()

    def _unusable(self, error: sqlite3.Error) -> AesforgeError:
        return AesforgeError(
            f"cannot use the database {self.path}: {error}; name another file with --database or "
            "the variable AESFORGE_DATABASE"
        )

    def step(self, key: str) -> str | None:
        """Return the JSON text of a finished step, or None."""
        with self._connect() as connection:
            row = connection.execute("SELECT json FROM step WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def put_step(self, key: str, text: str) -> None:
        """Keep the JSON text of a finished step; one of the same key is replaced."""
        with self._connect() as connection:
            connection.execute("INSERT OR REPLACE INTO step VALUES (?, ?)", (key, text))

    def get(self, key: str) -> Measurement | None:
        """Return the measurement of this key, or None."""
        with self._connect() as connection:
            row = connection.execute(
                "SELECT json FROM measurement WHERE key = ?", (key,)
            ).fetchone()
        return None if row is None else Measurement.from_json(row[0])

    def put(self, measurement: Measurement) -> None:
        """Keep a measurement; one of the same key is replaced."""
        with self._connect() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO measurement VALUES (?, ?, ?, ?)",
                (
                    measurement.key,
                    measurement.device,
                    measurement.kind,
                    measurement.to_json().decode(),
                ),
            )

    def read_only(self) -> Database:
        """Return a view of the same file that takes nothing new."""
        return _ReadOnly(self)

    def all(self, *, device: str | None = None, kind: str | None = None) -> list[Measurement]:
        """Return the measurements, of one device or kind when asked for, in the order of keys."""
        with self._connect() as connection:
            rows = connection.execute(
                "SELECT json FROM measurement WHERE device = coalesce(?, device) "
                "AND kind = coalesce(?, kind) ORDER BY key",
                (device, kind),
            ).fetchall()
        return [Measurement.from_json(row[0]) for row in rows]


class _ReadOnly(Database):
    """Answers as another database does; what it is given to keep, it drops."""

    def __init__(self, database: Database) -> None:
        self.path = database.path
        self._database = database

    def step(self, key: str) -> str | None:
        return self._database.step(key)

    def put_step(self, key: str, text: str) -> None:
        pass

    def get(self, key: str) -> Measurement | None:
        return self._database.get(key)

    def put(self, measurement: Measurement) -> None:
        pass

    def all(self, *, device: str | None = None, kind: str | None = None) -> list[Measurement]:
        return self._database.all(device=device, kind=kind)
