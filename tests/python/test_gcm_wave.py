# SPDX-License-Identifier: Apache-2.0
"""The timing diagram of docs/modes/gcm.md is what the engine does, cycle by cycle.

The core has one pipeline stage in each round, the fewest with stored keys: L is 11. With
AESFORGE_WRITE_WAVES=1 the diagram is written anew; `make docs` draws it.
"""

from __future__ import annotations

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
from waves_of import Signal, compare

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
    start = int(min(result.taken[BEATS][0], result.taken[CONTEXTS][0]))
    came = [int(cycle) - start for cycle in result.rows["cycle"]]
    given = [int(cycle) - start for cycle in result.taken[BEATS]]
    context = [int(cycle) - start for cycle in result.taken[CONTEXTS]]
    flags = [int(user) & 1 for user in result.rows["m_axis_tuser"]]
    marks = [1, 1, 0, 0, 0, 0, 0]
    signals: list[Signal] = [
        ("s_ctx", dict(zip(context, ("1", "2"), strict=True))),
        ("s_axis_tdata", dict(zip(given, GIVEN, strict=True))),
        ("s_axis_tuser[0]", {at for at, mark in zip(given, marks, strict=True) if mark}),
        ("s_axis_tlast", {given[4], given[6]}),
        ("m_axis_tdata", dict(zip(came, COME, strict=True))),
        ("m_axis_tlast", {came[4], came[6]}),
        ("m_axis_tuser[0]", {at for at, flag in zip(came, flags, strict=True) if flag}),
    ]
    compare(PATH, TITLE, signals)
    # The first packet has as many beats as the engine looks ahead, and one more.
    assert came[0] - given[0] == came[4] - given[4] == SEALED.latency_cycles
    assert "](gcm.svg)" in PATH.with_suffix(".md").read_text(encoding="utf-8")
