# SPDX-License-Identifier: Apache-2.0
"""Timing diagrams of engines, made of the cycles of a simulation and compared with those shown."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

# A name, and the value by cycle, or the cycles in which one bit is high.
Signal = tuple[str, Mapping[int, str] | set[int]]


def _line(name: str, events: Mapping[int, str] | set[int], cycles: int) -> dict[str, Any]:
    if isinstance(events, set):
        bits = [int(at in events) for at in range(cycles)]
        text = "".join(
            str(bit) if not at or bit != bits[at - 1] else "." for at, bit in enumerate(bits)
        )
        return {"name": name, "wave": text}
    text = "".join(
        "=" if at in events else "." if at and at - 1 not in events else "x" for at in range(cycles)
    )
    return {"name": name, "wave": text, "data": [events[at] for at in sorted(events)]}


def compare(path: Path, title: str, signals: Sequence[Signal]) -> None:
    """Want a diagram to be what was simulated; with AESFORGE_WRITE_WAVES=1, write it.

    The longest stretch of cycles in which nothing happens is cut out.

    Args:
        path: of the diagram.
        title: of it.
        signals: after the clock.
    """
    events = sorted({at for _, one in signals for at in one})
    cycles = events[-1] + 2
    length, before = max((b - a, a) for a, b in itertools.pairwise(events))
    # A cycle is left on either side, and one for the mark.
    cut, where = max(0, length - 4), before + 2

    def at(cycle: int) -> int:
        return cycle if cycle <= before else cycle - cut

    lines = [{"name": "clk", "wave": "p".ljust(cycles - cut, ".")}]
    for name, one in signals:
        moved = {at(c) for c in one} if isinstance(one, set) else {at(c): one[c] for c in one}
        lines.append(_line(name, moved, cycles - cut))
    if cut:
        title += f" ({cut + 1} cycles cut out)"
        for line in lines:
            line["wave"] = line["wave"][:where] + "|" + line["wave"][where + 1 :]
    found = {"signal": lines, "head": {"text": title}}
    if os.environ.get("AESFORGE_WRITE_WAVES"):
        rows = ",\n".join(f"    {json.dumps(line)}" for line in lines)
        head = json.dumps(found["head"])
        path.write_text(f'{{\n  "signal": [\n{rows}\n  ],\n  "head": {head}\n}}\n', "utf-8")
    assert json.loads(path.read_text(encoding="utf-8")) == found
