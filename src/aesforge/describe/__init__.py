# SPDX-License-Identifier: Apache-2.0
"""A design in tables and as a block diagram; no tool is run for them."""

from __future__ import annotations

import functools

from aesforge.describe import diagram, drawing
from aesforge.describe.core import describe_core
from aesforge.describe.drawing import Drawing
from aesforge.describe.engine import describe_engine
from aesforge.describe.tables import Description
from aesforge.design import Design, Engine


@functools.singledispatch
def describe(design: Design | Engine) -> Description:
    """Return a core or an engine in numbers."""
    raise TypeError(f"neither a core nor an engine: {design!r}")


describe.register(Design, describe_core)
describe.register(Engine, describe_engine)


def diagram_text(design: Design | Engine) -> str:
    """Return a block diagram of a design in Unicode characters, lines ended by newlines."""
    return drawing.text(_draw(design))


def diagram_svg(design: Design | Engine) -> str:
    """Return a block diagram of a design as the text of an SVG file."""
    return drawing.svg(_draw(design), f"{design.name}: {design.summary()}")


@functools.singledispatch
def _draw(design: Design | Engine) -> Drawing:
    raise TypeError(f"neither a core nor an engine: {design!r}")


_draw.register(Design, diagram.draw_core)
_draw.register(Engine, diagram.draw_engine)
