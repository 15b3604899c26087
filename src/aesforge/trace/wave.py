# SPDX-License-Identifier: Apache-2.0
"""Read what a simulation wrote (VCD), and write a waveform with signals in groups."""

from __future__ import annotations

import io
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from aesforge.errors import AesforgeError
from aesforge.toolchain.files import write_whole

# What signals hold in a cycle, by path.
Cycle = Mapping[str, int]

_PERIOD_NS = 10


@dataclass(frozen=True)
class Signal:
    """A signal of a waveform.

    Args:
        group: in which it stands.
        name: of it.
        bits: its width.
        values: by cycle; unknown (x) in all others.
    """

    group: str
    name: str
    bits: int
    values: dict[int, int]


def read_wave(file: Path, clock: str, paths: Collection[str]) -> list[Cycle]:
    """Return the values of signals just before each rising edge of a clock.

    Args:
        file: VCD, with known values only.
        clock: path of the clock, without the simulator's own top.
        paths: of the signals wanted.

    Raises:
        AesforgeError: the file does not have one of them.
    """
    from vcd.reader import ScalarChange, TokenKind, VectorChange, tokenize

    scope: list[str] = []
    wanted: dict[str, str] = {}
    clock_id = None
    kept: set[str] = set()  # the identifiers that matter, of the many that a core has
    now: dict[str, int] = {}
    changes: dict[str, int] = {}
    found: list[Cycle] = []

    def step() -> None:
        """Take the changes of one time over."""
        if clock_id is not None and changes.get(clock_id) == 1 and now.get(clock_id) == 0:
            found.append({path: now[code] for path, code in wanted.items()})
        now.update(changes)
        changes.clear()

    with file.open("rb") as handle:
        for token in tokenize(handle):
            if token.kind is TokenKind.SCOPE:
                scope.append(token.scope.ident)
            elif token.kind is TokenKind.UPSCOPE:
                scope.pop()
            elif token.kind is TokenKind.VAR:
                path = ".".join([*scope[1:], token.var.reference])
                if path == clock:
                    clock_id = token.var.id_code
                    kept.add(clock_id)
                if path in paths:
                    wanted[path] = token.var.id_code
                    kept.add(wanted[path])
            elif token.kind is TokenKind.CHANGE_TIME:
                step()
            elif isinstance(token.data, ScalarChange | VectorChange) and token.data.id_code in kept:
                changes[token.data.id_code] = int(token.data.value)
    step()
    missing = sorted({*paths} - wanted.keys()) + [clock] * (clock_id is None)
    if missing:
        raise AesforgeError(f"the simulated core has no signal {', '.join(missing)}")
    return found


def write_wave(file: Path, signals: Sequence[Signal]) -> None:
    """Write signals as VCD, a cycle every 10 ns.

    Raises:
        OSError: the file cannot be written.
    """
    from vcd import VCDWriter

    text = io.StringIO()
    with VCDWriter(text, timescale="1 ns", date="", version="aesforge") as writer:
        clk = writer.register_var("ports", "clk", "wire", size=1, init=0)
        made = [
            (one, writer.register_var(one.group, one.name, "wire", size=one.bits))
            for one in signals
        ]
        last = max(cycle for one in signals for cycle in one.values)
        for cycle in range(last + 2):
            start = cycle * _PERIOD_NS
            for one, variable in made:
                writer.change(variable, start, one.values.get(cycle, "x" if one.bits > 1 else 0))
            writer.change(clk, start, 0)
            writer.change(clk, start + _PERIOD_NS // 2, 1)
    write_whole(file, text.getvalue())
