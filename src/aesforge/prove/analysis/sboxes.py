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


_FUNCTIONS = {SBOX: "SBOX", INVSBOX: "INVSBOX"}


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
    found = _tabulated(graph)
    if found is None:
        return None
    stages, values = found
    functions = {_function(of_byte, tables) for of_byte in values}
    (function, *others) = functions
    return None if others or function is None else Sbox(kind, function, stages)


def difference(graph: Aig, tables: Sequence[bytes]) -> str:
    """Say for which byte a module is no S-box; empty if it is one, or no function of a byte.

    What it should be is the function that differs from it in the fewest bits.

    Args:
        graph: of the module.
        tables: the values of SBOX() and of INVSBOX().
    """
    found = _tabulated(graph)
    for values in found[1] if found else ():
        if values is None or _function(values, tables) is not None:
            continue
        function, wanted = min(
            ((of, _repeated(table, len(values))) for of, table in _values(tables).items()),
            key=lambda pair: sum(
                (one ^ other).bit_count() for one, other in zip(values, pair[1], strict=True)
            ),
        )
        wrong = [n for n, value in enumerate(values) if value != wanted[n]]
        first = wrong[0]
        if function == EITHER:
            function = INVSBOX if first >= 256 else SBOX
        bytes_wrong = len({n % 256 for n in wrong})
        return (
            f"{_FUNCTIONS[function]}({{{first % 256:02x}}}) is {{{values[first]:02x}}}, and "
            f"should be {{{wanted[first]:02x}}}; {bytes_wrong} of 256 bytes are wrong"
        )
    return ""


def _tabulated(graph: Aig) -> tuple[int, list[bytes | None]] | None:
    """Tabulate a module of bytes x.

    Returns:
        The cycles from x to y, and for each byte of y its value for every value of the byte of x
        and of its direction bit, if there is one; None for a byte that depends on more. None
        without such ports, or when no byte of y ever depends on its byte of x alone.
    """
    x, y, inverse = graph.bits_in("x"), graph.bits_out("y"), graph.bits_in("inverse")
    count = len(x) // 8
    ports = [*x, *inverse, *graph.bits_in("clk")]
    if not count or len(x) != 8 * count or len(y) != len(x) or len(ports) != len(graph.inputs):
        return None
    for stages in range(_MAX_STAGES + 1):
        # Whatever the registers held, and whatever came before and comes after.
        unrolling = Unrolling(graph, [{}] * (stages + 1), {}, Builder([]))
        values: list[bytes | None] = []
        for byte in range(count):
            given = [*x[8 * byte :][:8], *(inverse if len(inverse) < 2 else inverse[byte:][:1])]
            names = [f"{graph.inputs[(literal >> 1) - 1]}@0" for literal in given]
            results = [unrolling.value(stages, literal) for literal in y[8 * byte :][:8]]
            after = unrolling.builder.finish((str(n), bit) for n, bit in enumerate(results))
            alone = after.used_inputs() <= {*names}
            values.append(_table(after, names) if alone else None)
        if any(of_byte is not None for of_byte in values):
            return stages, values
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


def _table(graph: Aig, names: list[str]) -> bytes:
    """Return a byte for every value of some inputs, the first of which changes fastest."""
    bits = every_case(graph, names)
    return bytes(
        sum(int(bit[case]) << n for n, bit in enumerate(bits)) for case in range(1 << len(names))
    )


def _repeated(values: bytes, size: int) -> bytes:
    """Return a function's values with and without a direction bit, on which it may not depend."""
    return (values * 2)[:size]


def _function(found: bytes | None, tables: Sequence[bytes]) -> int | None:
    """Return the kind of S-box that has some values."""
    if found is None:
        return None
    every = _values(tables).items()
    return next((what for what, values in every if _repeated(values, len(found)) == found), None)
