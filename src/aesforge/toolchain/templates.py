# SPDX-License-Identifier: Apache-2.0
"""What fills templates in, the same way for all files that are written."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


# Compiling the templates of a bundle takes ten times as long as filling them in.
@cache
def environment(folder: Path) -> Environment:
    """Return what fills the templates of a folder in; a variable that is missing is an error.

    It is the same each time, and compiles a template once.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(folder),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # SystemVerilog and Markdown, not HTML
    )
