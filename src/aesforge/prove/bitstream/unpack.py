# SPDX-License-Identifier: Apache-2.0
"""Unpack a bitstream with the program of its family."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from aesforge.errors import ToolFailed, UsageError
from aesforge.toolchain import programs


def unpacked(program: str, path: Path, family: str) -> bytes:
    """Return what a program writes of a bitstream.

    Args:
        program: the unpacker: it takes the file and the one that it writes.
        path: of the bitstream.
        family: its name, for messages.

    Raises:
        UsageError: there is no such file, or the program does not read it.
        ToolMissing: the program is not installed.
    """
    with tempfile.TemporaryDirectory(prefix="aesforge-bitstream-") as name:
        folder = Path(name)
        try:
            shutil.copyfile(path, folder / "packed")
        except OSError as error:
            raise UsageError(f"cannot read '{path}': {error.strerror or error}") from None
        try:
            programs.run(program, ["packed", "unpacked"], folder, folder / "log")
            return (folder / "unpacked").read_bytes()
        except (ToolFailed, FileNotFoundError):
            text = (folder / "log").read_text(encoding="utf-8", errors="replace")
            last = [line for line in text.splitlines() if line.strip()][-1:]
            raise UsageError(
                f"'{path}' is no intact {family} bitstream; {program} says: {''.join(last)}"
            ) from None
