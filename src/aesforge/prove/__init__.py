# SPDX-License-Identifier: Apache-2.0
"""Prove that a core, as RTL or as a netlist, computes FIPS 197, and an engine its mode.

    proof = prove(load("compact"), family="ecp5")
    assert proof.result == "proved"

The claim is in :mod:`aesforge.prove.properties.claim`, that of engines in
:mod:`aesforge.prove.streams`, the argument in docs/proof.md.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from aesforge.design import Design, Engine
from aesforge.errors import UsageError
from aesforge.prove.certificate import Proof
from aesforge.prove.run import prove, prove_circuit
from aesforge.prove.streams import prove_stream
from aesforge.prove.synthesis import synthesis_of
from aesforge.prove.verify import verify

__all__ = [
    "Proof",
    "prove",
    "prove_any",
    "prove_circuit",
    "prove_stream",
    "synthesis_of",
    "verify",
]


@singledispatch
def prove_any(design: Design | Engine, **_options: Any) -> Proof:
    """Prove a core or an engine; see :func:`prove` and :func:`prove_stream` for the options.

    Raises:
        ToolMissing: a tool is not installed.
        ToolFailed: the RTL could not be read, or not in time.
        UsageError: the proof does not cover this kind of design, or an option is of cores.
    """
    raise TypeError(f"neither a core nor an engine: {design!r}")


@prove_any.register
def _(design: Design, **options: Any) -> Proof:
    return prove(design, **options)


@prove_any.register
def _(
    design: Engine, *, family: str | None = None, recipe: str | None = None, **options: Any
) -> Proof:
    if family is not None or recipe is not None:
        raise UsageError(
            f"'{design.name}' is an engine, of which the RTL is proved: leave --family out"
        )
    return prove_stream(design, **options)
