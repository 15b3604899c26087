# SPDX-License-Identifier: Apache-2.0
"""The timing diagram of docs/modes/xts.md is what the engine does, cycle by cycle.

The core has one pipeline stage in each round: L is 11. With AESFORGE_WRITE_WAVES=1 the diagram is
written anew; `make docs` draws it.
"""

from __future__ import annotations

from aesforge.simulate.engine import BEATS, CONTEXTS, engine_module
from aesforge.simulate.packets import Context, KeyLoad, Packet
from aesforge.simulate.stream import StreamSimulator
from aesforge.simulate.traffic import Traffic, first_fault
from engines import UNITS
from project import REPO
from waves_of import Signal, compare

PATH = REPO / "docs" / "modes" / "xts.json"
KEY, NUMBER = bytes(range(32)), bytes(16)
TITLE = "XTS, L = 11: one context for two data units, of 32 and 20 bytes, encrypted"
NAMES = ("1a", "1b", "2a", "2b")


def test_the_diagram_of_xts() -> None:
    first = Context(0, False, NUMBER, more=1)
    second = Context(0, False, bytes([1]) + NUMBER[1:], follows=True)
    packets = (Packet(bytes(32), first), Packet(bytes(20), second))
    with StreamSimulator(engine_module(UNITS, optimize="build"), optimize="build") as simulator:
        traffic = Traffic(simulator, UNITS)
        ready = Packet(bytes(16), Context(0, False, NUMBER))
        transfers, due = traffic.transfers([KeyLoad(0, KEY), ready])
        simulator.run(transfers, wanted=len(due), tail_cycles=50)
        transfers, due = traffic.transfers(packets)
        result = simulator.run(transfers, wanted=len(due))
        assert first_fault(result.rows, due) is None
    start = int(min(result.taken[BEATS][0], result.taken[CONTEXTS][0]))
    came = [int(cycle) - start for cycle in result.rows["cycle"]]
    given = [int(cycle) - start for cycle in result.taken[BEATS]]
    context = [int(cycle) - start for cycle in result.taken[CONTEXTS]]
    signals: list[Signal] = [
        ("s_ctx", dict(zip(context, ("0, 1 more",), strict=True))),
        ("s_axis_tdata", dict(zip(given, NAMES, strict=True))),
        ("s_axis_tlast", {given[1], given[3]}),
        ("m_axis_tdata", dict(zip(came, (name.upper() for name in NAMES), strict=True))),
        ("m_axis_tlast", {came[1], came[3]}),
    ]
    compare(PATH, TITLE, signals)
    assert "](xts.svg)" in PATH.with_suffix(".md").read_text(encoding="utf-8")
