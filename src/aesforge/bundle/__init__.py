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
def render(design: Design | Engine) -> dict[str, str]:
    """Return the bundle's files: path inside the bundle to text."""
    raise TypeError(f"neither a core nor an engine: {design!r}")


@render.register
def _(design: Design) -> dict[str, str]:
    from aesforge.bundle import core

    return core.render(design)


@render.register
def _(design: Engine) -> dict[str, str]:
    from aesforge.bundle import engine

    return engine.render(design)


def build(
    design: Design | Engine, out_dir: str | os.PathLike[str], *, force: bool = False
) -> list[Path]:
    """Write the bundle of a design into a folder and return the files' paths.

    A folder that holds an earlier bundle is brought up to date; files that others put there stay.

    Args:
        design: what to build.
        out_dir: made when it does not exist.
        force: write into a folder that holds other things, over files of the same names.

    Raises:
        UsageError: the folder holds other things or an edited bundle, or cannot be written;
            nothing has been written then.
    """
    from aesforge.bundle.files import write_bundle

    return write_bundle(render(design), out_dir, force=force)
