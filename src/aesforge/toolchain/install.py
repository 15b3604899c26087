# SPDX-License-Identifier: Apache-2.0
"""What to type to install what is missing, into the Python environment in use.

aesforge itself is not on the package index, where its name may be another's: its extras are named
by a checkout, or package by package.
"""

from __future__ import annotations

import re
import shlex
import sys
from importlib import metadata
from pathlib import Path


def command(*packages: str) -> str:
    """Return the line that installs packages by their own names."""
    return shlex.join([sys.executable, "-m", "pip", "install", *packages])


def extra_command(extra: str) -> str:
    """Return the line that installs all that an extra of aesforge needs.

    Args:
        extra: `measure` or `pictures`.
    """
    if (folder := checkout()) is not None:
        return command("--editable", f"{folder}[{extra}]")
    wanted = re.compile(rf"""extra\s*==\s*["']{extra}["']""")
    lines = (line.partition(";") for line in metadata.requires("aesforge") or ())
    return command(*(name.strip() for name, _, marker in lines if wanted.search(marker)))


def checkout() -> Path | None:
    """Return the folder of the checkout that this package runs from, or None if it is installed."""
    folder = Path(__file__).resolve().parents[3]
    project = folder / "pyproject.toml"
    if project.is_file() and 'name = "aesforge"' in project.read_text(encoding="utf-8"):
        return folder
    return None
