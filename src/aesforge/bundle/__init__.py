# SPDX-License-Identifier: Apache-2.0
"""Write a design as a bundle: the RTL, a wrapper, a test bench and what a project needs around it.

Everything is a function of the design and of the library's version: the same design gives the
same bytes. Nothing is written unless everything can be. `core` and `engine` have what is theirs
alone.
"""

from __future__ import annotations

import functools
import os
from pathlib import Path

from aesforge.design import Design
from aesforge.design.engine import Engine


@functools.singledispatch
def render(design: Design | Engine, *, single_file: bool = False) -> dict[str, str]:
    """Return the bundle's files: path inside the bundle to text.

    Args:
        design: what to build.
        single_file: with the whole core as one file of plain Verilog, which Yosys writes.
    """
    raise TypeError(f"neither a core nor an engine: {design!r}")


@render.register
def _(design: Design, *, single_file: bool = False) -> dict[str, str]:
    from aesforge.bundle import core

    return core.render(design, single_file=single_file)


@render.register
def _(design: Engine, *, single_file: bool = False) -> dict[str, str]:
    from aesforge.bundle import engine

    return engine.render(design, single_file=single_file)


def build(
    design: Design | Engine,
    out_dir: str | os.PathLike[str],
    *,
    force: bool = False,
    single_file: bool = False,
) -> list[Path]:
    """Write the bundle of a design into a folder and return the files' paths.

    A folder that holds an earlier bundle is brought up to date; files that others put there stay.

    Args:
        design: what to build.
        out_dir: made when it does not exist.
        force: write into a folder that holds other things, over files of the same names.
        single_file: as of `render`.

    Raises:
        ToolMissing: a single file is asked for, and pyosys is not installed.
        UsageError: the folder holds other things or an edited bundle, or cannot be written;
            nothing has been written then.
    """
    from aesforge.bundle.files import write_bundle

    return write_bundle(render(design, single_file=single_file), out_dir, force=force)
