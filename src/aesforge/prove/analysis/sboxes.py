# SPDX-License-Identifier: Apache-2.0
"""The S-boxes of a core, recognized by their function in any implementation.

A core holds up to several hundred, of a few modules. What a module does is tried for every byte,
once; then one form without registers stands for all of them, after as many stages. So two circuits
that are compared have their S-boxes in common, which are most of what they consist of.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from aesforge.netlist.aig import Aig, Builder
from aesforge.prove.analysis.tables import every_case
from aesforge.prove.analysis.unroll import Unrolling

KINDS = frozenset({"table", "split", "tower", "bram"})
"""Modules are `aesforge_sbox_<kind>`."""
SBOX, INVSBOX, EITHER = range(3)
"""What one does; EITHER is INVSBOX() where `inverse` is up. As aesforge_sbox counts it."""
# More stages than any form of the S-box has.
_MAX_STAGES = 16
_KIND = re.compile(r"\baesforge_sbox_([a-z]+)\b")


@dataclass(frozen=True)
class Sbox:
    """What a module is."""

    kind: str
    """One of :data:`KINDS`."""
    function: int
    """:data:`SBOX`, :data:`INVSBOX` or :data:`EITHER`."""
    stages: int
    """Cycles from a byte to its result."""


def kind_of(module: str) -> str:
    """Return the kind of S-box that a module of this name may be; empty for any other module."""
    found = _KIND.search(module)
    return found[1] if found and found[1] in KINDS else ""


def kind_of_style(style: str) -> str:
    """Return the kind of S-box of a design's style."""
    return style.rstrip("46")


def recognized(graph: Aig, tables: Sequence[bytes], kind: str) -> Sbox | None:
    """Say what a module does, if it is an S-box for each byte of its port x.

    Args:
        graph: of the module.
        tables: the values of SBOX() and of INVSBOX().
        kind: of the module.
    """
    x, y, inverse = graph.bits_in("x"), graph.bits_out("y"), graph.bits_in("inverse")
    count = len(x) // 8
    ports = [*x, *inverse, *graph.bits_in("clk")]
    if not count or len(x) != 8 * count or len(y) != len(x) or len(ports) != len(graph.inputs):
        return None
    for stages in range(_MAX_STAGES + 1):
        # Whatever the registers held, and whatever came before and comes after.
        unrolling = Unrolling(graph, [{}] * (stages + 1), {}, Builder([]))
        functions = set()
        for byte in range(count):
            given = [*x[8 * byte :][:8], *(inverse if len(inverse) < 2 else inverse[byte:][:1])]
            names = [f"{graph.inputs[(literal >> 1) - 1]}@0" for literal in given]
            results = [unrolling.value(stages, literal) for literal in y[8 * byte :][:8]]
            after = unrolling.builder.finish((str(n), bit) for n, bit in enumerate(results))
            alone = after.used_inputs() <= {*names}
            functions.add(_function(after, names, tables) if alone else None)
        if functions != {None}:
            (function, *others) = functions
            return None if others or function is None else Sbox(kind, function, stages)
    return None


def columns(tables: Sequence[bytes]) -> dict[str, tuple[int, int]]:
    """Return what a bit does that a memory holds for each byte: the function, and which bit of it.

    Args:
        tables: the values of SBOX() and of INVSBOX().
    """
    return {
        "".join(str(value >> bit & 1) for value in values): (function, bit)
        for function, values in _values(tables).items()
        for bit in range(8)
    }


def _values(tables: Sequence[bytes]) -> dict[int, bytes]:
    """Return each function's values for all bytes; for EITHER without, then with `inverse`."""
    return {SBOX: tables[0], INVSBOX: tables[1], EITHER: tables[0] + tables[1]}


def _function(graph: Aig, names: list[str], tables: Sequence[bytes]) -> int | None:
    """Return the kind of S-box that a graph of a byte, and perhaps a direction bit, computes."""
    bits = every_case(graph, names)
    sizes = 1 << len(names)
    found = bytes(sum(int(bit[case]) << n for n, bit in enumerate(bits)) for case in range(sizes))
    every = _values(tables).items()
    return next((what for what, values in every if (values * 2)[:sizes] == found), None)
