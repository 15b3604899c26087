# SPDX-License-Identifier: Apache-2.0
"""The timing diagram of docs/modes/gcm.md is what the engine does, cycle by cycle.

The core has one pipeline stage in each round, the fewest with stored keys: L is 11. With
AESFORGE_WRITE_WAVES=1 the diagram is written anew; `make docs` draws it.
"""

from __future__ import annotations

import json
import os
from typing import Any

from aesforge.reference import openssl
from aesforge.simulate.packets import (
    BEATS,
    CONTEXTS,
    Context,
    KeyLoad,
    SealedPacket,
    Traffic,
    engine_module,
    first_fault,
)
from aesforge.simulate.stream import StreamSimulator
from engines import SEALED
from project import REPO

PATH = REPO / "docs" / "modes" / "gcm.json"
KEY, IV = bytes(range(16)), bytes(range(16))
TITLE = "GCM, L = 11, M = 2: 20 bytes of AAD and 20 of text are encrypted; then a wrong tag"
GIVEN = ("aad 1", "aad 2", "text 1", "text 2", "-", "text 1", "tag")
COME = ("aad 1", "aad 2", "text 1", "text 2", "tag", "text 1", "0")


def packets() -> tuple[SealedPacket, SealedPacket]:
    text, aad = bytes(range(20)), bytes(20)
    cipher, tag = openssl.gcm(KEY, IV[:12], text[:16])
    wrong = tag[:15] + bytes([tag[15] ^ 1])
    return (
        SealedPacket(text, Context(0, False, IV), aad=aad),
        SealedPacket(cipher, Context(0, True, IV), tag=wrong),
    )


def wave(cycles: int, marks: dict[int, str], name: str) -> dict[str, Any]:
    """Return a signal of several bits: its value by cycle."""
    text = "".join(
        "=" if at in marks else "." if at and at - 1 not in marks else "x" for at in range(cycles)
    )
    return {"name": name, "wave": text, "data": [marks[at] for at in sorted(marks)]}


def level(cycles: int, high: set[int], name: str) -> dict[str, Any]:
    """Return a signal of one bit."""
    bits = [int(at in high) for at in range(cycles)]
    text = "".join(
        str(bit) if not at or bit != bits[at - 1] else "." for at, bit in enumerate(bits)
    )
    return {"name": name, "wave": text}


def test_the_diagram_of_gcm() -> None:
    with StreamSimulator(engine_module(SEALED, optimize="build"), optimize="build") as simulator:
        traffic = Traffic(simulator, SEALED)
        # The packet leaves when the key is ready.
        ready = SealedPacket(b"", Context(0, False, IV))
        transfers, due = traffic.transfers([KeyLoad(0, KEY), ready])
        simulator.run(transfers, wanted=len(due), tail_cycles=50)
        transfers, due = traffic.transfers(packets())
        result = simulator.run(transfers, wanted=len(due))
        assert first_fault(result.rows, due) is None
    # Cycles without an event are cut out.
    start = int(min(result.taken[BEATS][0], result.taken[CONTEXTS][0]))
    came = [int(cycle) - start for cycle in result.rows["cycle"]]
    given = [int(cycle) - start for cycle in result.taken[BEATS]]
    context = [int(cycle) - start for cycle in result.taken[CONTEXTS]]
    last_given, first_came = max(*given, *context) + 2, min(came) - 1
    cut = first_came - last_given - 1
    length = max(came) + 2

    def at(cycle: int) -> int:
        return cycle if cycle < last_given else cycle - cut

    shown = length - cut
    flags = [int(user) & 1 for user in result.rows["m_axis_tuser"]]
    marks = [1, 1, 0, 0, 0, 0, 0]
    signals = [
        {"name": "clk", "wave": "p".ljust(shown, ".")},
        wave(shown, dict(zip(map(at, context), ("1", "2"), strict=True)), "s_ctx"),
        wave(shown, dict(zip(map(at, given), GIVEN, strict=True)), "s_axis_tdata"),
        level(shown, {at(c) for c, m in zip(given, marks, strict=True) if m}, "s_axis_tuser[0]"),
        level(shown, {at(given[4]), at(given[6])}, "s_axis_tlast"),
        wave(shown, dict(zip(map(at, came), COME, strict=True)), "m_axis_tdata"),
        level(shown, {at(came[4]), at(came[6])}, "m_axis_tlast"),
        level(
            shown, {at(c) for c, flag in zip(came, flags, strict=True) if flag}, "m_axis_tuser[0]"
        ),
    ]
    for one in signals:
        # WaveDrom's gap, where cycles are left out.
        text = one["wave"]
        one["wave"] = text[:last_given] + "|" + text[last_given + 1 :]
    found = {"signal": signals, "head": {"text": f"{TITLE} ({cut + 1} cycles cut out)"}}
    if os.environ.get("AESFORGE_WRITE_WAVES"):
        lines = ",\n".join(f"    {json.dumps(line)}" for line in signals)
        head = json.dumps(found["head"])
        PATH.write_text(f'{{\n  "signal": [\n{lines}\n  ],\n  "head": {head}\n}}\n', "utf-8")
    assert json.loads(PATH.read_text(encoding="utf-8")) == found
    # The first packet has as many beats as the engine looks ahead, and one more.
    assert came[0] - given[0] == came[4] - given[4] == SEALED.latency_cycles
    assert "](gcm.svg)" in PATH.with_suffix(".md").read_text(encoding="utf-8")
