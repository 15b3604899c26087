# SPDX-License-Identifier: Apache-2.0
"""What has to be the same on all workers, so that their results are those of one machine."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from aesforge import __version__
from aesforge.errors import ToolMissing
from aesforge.toolchain import programs, rtl

# Of the package, what decides a result; the RTL and formal/ lie elsewhere in a checkout.
_SUFFIXES = {".cpp", ".h", ".j2", ".py", ".toml", ".v"}
_PACKAGE = Path(__file__).resolve().parents[1]


@cache
def identity() -> Mapping[str, str]:
    """Return what must agree, by name: versions, and a hash of the sources in place of a commit.

    The hash is that of the files in use, so that uncommitted changes count, and that a checkout
    agrees with a wheel built from it. Tools that are not installed are left out.
    """
    # Functions of scripts travel as bytecode, which is that of a minor version.
    python = ".".join(platform.python_version_tuple()[:2])
    found = {"aesforge": __version__, "sources": _sources(), "Python": python}
    for program in programs.PROGRAMS:
        try:
            found[program] = programs.version(program)
        except ToolMissing:
            continue
    return found


def _sources() -> str:
    from aesforge.prove.circuit import formal_dir

    package = [
        path
        for path in _PACKAGE.rglob("*")
        if path.suffix in _SUFFIXES
        # Folders that only a wheel has begin with an underscore, as do those of compiled files.
        and not any(part.startswith("_") for part in path.relative_to(_PACKAGE).parts[:-1])
    ]
    of_rtl, specification = rtl.rtl_dir().rglob("*.sv"), formal_dir().glob("*.sv")
    files = [*sorted(package), *sorted(of_rtl), *sorted(specification)]
    return rtl.hashed(files).hexdigest()[:12]


def differences(theirs: Mapping[str, str], mine: Mapping[str, str]) -> Iterator[str]:
    """Yield, for each point in which a worker differs, its name and both values.

    A tool that only the worker has makes no difference.
    """
    for name, value in mine.items():
        if (other := theirs.get(name, "none")) != value:
            yield f"{name} {other} there, {value} here"
