# SPDX-License-Identifier: Apache-2.0
"""A design in simulation against published vectors and an independent implementation."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from aesforge.check.report import Progress, Report
from aesforge.design import Design, Engine
from aesforge.errors import UsageError


@functools.singledispatch
def check(
    design: Design | Engine,
    *,
    seed: int | None = None,
    blocks: int = 1000,
    bubbles: float = 0.2,
    random_keys: bool = True,
    vectors: bool = True,
    progress: Progress | None = None,
    wave: Path | None = None,
    command: str | None = None,
) -> Report:
    """Simulate a core or an engine and compare all of its outputs.

    Args:
        design: see `aesforge.check.core.check` and `aesforge.check.engine.check_engine`.
        seed: fixes every random choice; drawn and reported when left out.
        blocks: how many random blocks, or keys, to send.
        bubbles: how often the input of a core, and either side of an engine, pauses.
        random_keys: a new random key, or slot, with every block or packet, or one for all.
        vectors: send the published vectors.
        progress: called with blocks done and blocks in all.
        wave: a file for the values of all signals, as VCD; not of an engine.
        command: what a user types for a check of this design.

    Raises:
        UsageError: a waveform is asked for that cannot be written.
        ToolMissing: something to simulate with is not installed.
        AesforgeError: the model does not compile.
    """
    raise TypeError(f"neither a core nor an engine: {design!r}")


@check.register
def _(design: Design, **options: Any) -> Report:
    from aesforge.check import core

    return core.check(design, **options)


@check.register
def _(design: Engine, *, bubbles: float = 0.2, wave: Path | None = None, **options: Any) -> Report:
    from aesforge.check import engine

    if wave is not None:
        raise UsageError(
            f"waveforms are of cores, and '{design.name}' is an engine: its bundle's bench writes "
            "one with +wave"
        )
    return engine.check_engine(design, stall=bubbles, **options)
