# SPDX-License-Identifier: Apache-2.0
"""The project's own files, for tests that read them all."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType

REPO = Path(__file__).resolve().parents[2]


def files() -> list[Path]:
    """Return all files that are the project's, new ones included, those git ignores left out."""
    done = subprocess.run(
        # A checkout that someone else owns, as in a container, is still to be tested.
        ["git", "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard"],
        cwd=REPO,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        found = [REPO / name for name in done.stdout.splitlines()]
    else:  # an unpacked archive
        found = [
            path
            for path in REPO.rglob("*")
            if not {".venv", "build", "dist", "__pycache__"} & set(path.relative_to(REPO).parts)
            and not any(part.endswith("_cache") for part in path.relative_to(REPO).parts)
        ]
    return sorted(path for path in found if path.is_file())


def script(name: str) -> ModuleType:
    """Return a file of `scripts` as a module; it finds the others there."""
    folder = str(REPO / "scripts")
    if folder not in sys.path:
        sys.path.append(folder)
    return importlib.import_module(name)
