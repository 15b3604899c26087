# SPDX-License-Identifier: Apache-2.0
"""Draw timing diagrams: WaveJSON, as WaveDrom reads it, to SVG.

Of WaveJSON this knows what our diagrams use: `signal` with `name`, `wave` and `data`, and `head`
with `text`; of a wave `p` (clock), `0`, `1`, `=` (a value), `x` (none), `.` (as before) and `|` (as
before, and cycles are left out here).
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from itertools import groupby
from typing import Any

# Pixels: a cycle, a line, height of a wave in it, the names, how steep an edge is.
CYCLE, LINE, WAVE, NAMES, EDGE = 40, 30, 18, 120, 4
STYLE = (
    "text{font:12px sans-serif;fill:#222}.n{text-anchor:end}.v{text-anchor:middle}"
    "path{fill:none;stroke:#222}.d{fill:#dbe9f6}.x{fill:#eee;stroke:#bbb}.g{stroke:#ddd}"
)


def runs(wave: str) -> list[tuple[str, int, int]]:
    """Return the stretches of a wave: what it is, its first cycle, how many cycles."""
    found: list[tuple[str, int, int]] = []
    for index, what in enumerate(wave):
        # A value begins anew wherever it is named; the same level goes on.
        if found and (what in ".|" or (what == found[-1][0] and what != "=")):
            kind, begin, length = found[-1]
            found[-1] = kind, begin, length + 1
        else:
            found.append((what, index, 1))
    return found


def clock(cycles: int, top: int) -> str:
    """Return the path of a clock that rises with each cycle."""
    steps = f"v{-WAVE}h{CYCLE // 2}v{WAVE}h{CYCLE // 2}" * cycles
    return f'<path d="M{NAMES} {top + WAVE}{steps}"/>'


def levels(wave: str, top: int) -> str:
    """Return the path of a signal of one bit."""
    merged = [(key, len(list(group))) for key, group in groupby(_spread(wave))]
    height = {"0": top + WAVE, "1": top}
    x, path = NAMES, f"M{NAMES} {height[merged[0][0]]}"
    for index, (level, cycles) in enumerate(merged):
        if index:
            path += f"L{x + EDGE} {height[level]}"
        x += CYCLE * cycles
        path += f"H{x}"
    return f'<path d="{path}"/>'


def _spread(wave: str) -> str:
    out = ""
    for what in wave:
        out += out[-1] if what in ".|" else what
    return out


def values(wave: str, data: list[str], top: int) -> str:
    """Return the boxes of a signal of several bits."""
    parts, number, bottom, middle = [], 0, top + WAVE, top + WAVE // 2
    for what, begin, length in runs(wave):
        left, right = NAMES + CYCLE * begin, NAMES + CYCLE * (begin + length)
        box = f"M{left} {middle}L{left + EDGE} {top}H{right - EDGE}L{right} {middle}"
        box += f"L{right - EDGE} {bottom}H{left + EDGE}Z"
        parts.append(f'<path class="{"d" if what == "=" else "x"}" d="{box}"/>')
        if what == "=":
            x = (left + right) // 2
            parts.append(f'<text class="v" x="{x}" y="{bottom - 5}">{escape(data[number])}</text>')
            number += 1
    return "".join(parts)


def svg(diagram: Mapping[str, Any]) -> str:
    """Draw a diagram."""
    signals = diagram["signal"]
    cycles = max(len(signal["wave"]) for signal in signals)
    head = LINE
    height, width = head + LINE * len(signals), NAMES + CYCLE * cycles + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}"><style>{STYLE}</style>',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text x="{NAMES}" y="18">{escape(diagram["head"]["text"])}</text>',
    ]
    for cycle in range(cycles + 1):
        x = NAMES + CYCLE * cycle
        parts.append(f'<path class="g" d="M{x} {head}V{height - 6}"/>')
    for number, signal in enumerate(signals):
        top, wave = head + LINE * number, signal["wave"]
        parts.append(
            f'<text class="n" x="{NAMES - 8}" y="{top + 13}">{escape(signal["name"])}</text>'
        )
        if wave[0] == "p":
            parts.append(clock(len(wave), top))
        elif wave[0] in "01":
            parts.append(levels(wave, top))
        else:
            parts.append(values(wave, signal.get("data", []), top))
    for at, what in enumerate(signals[0]["wave"]):
        if what == "|":
            x = NAMES + CYCLE * at + CYCLE // 2
            path = f"M{x - 3} {head}V{height - 6}M{x + 3} {head}V{height - 6}"
            parts.append(f'<rect x="{x - 3}" y="{head}" width="6" height="{height}" fill="#fff"/>')
            parts.append(f'<path d="{path}"/>')
    return "\n".join([*parts, "</svg>", ""])
