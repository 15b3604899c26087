# SPDX-License-Identifier: Apache-2.0
"""The timing diagrams of docs/modes/gcm.md and ccm.md are what the engines do, cycle by cycle.

GCM's core has one pipeline stage in each round, the fewest with stored keys: L is 11. CCM's has
none: L is 1. With AESFORGE_WRITE_WAVES=1 the diagrams are written anew; `make docs` draws them.
"""

from __future__ import annotations

from collections.abc import Sequence

from aesforge.design import Design
from aesforge.design.engine import Engine
from aesforge.reference import openssl
from aesforge.reference.ccm import ccm
from aesforge.simulate.engine import BEATS, CONTEXTS, engine_module
from aesforge.simulate.packets import Context, KeyLoad, SealedPacket
from aesforge.simulate.stream import StreamResult, StreamSimulator
from aesforge.simulate.traffic import Traffic, first_fault
from engines import SEALED
from project import REPO
from waves_of import Signal, compare

PAGES = REPO / "docs" / "modes"
KEY, IV = bytes(range(16)), bytes(range(16))
TITLE = "GCM, L = 11, M = 2: 20 bytes of AAD and 20 of text are encrypted; then a wrong tag"
GIVEN = ("aad 1", "aad 2", "text 1", "text 2", "-", "text 1", "tag")
COME = ("aad 1", "aad 2", "text 1", "text 2", "tag", "text 1", "0")

CCM = Engine(
    name="little-ccm",
    core=Design(sbox="table", sbox_stages=0, linear_stages=0),
    modes=("ccm",),
    streams=2,
    # The diagram shows the beats as they pass.
    release="flagged",
)
CCM_TITLE = "CCM, L = 1: 20 bytes of AAD and 20 of text in stream a; a wrong tag in stream b"


def packets() -> tuple[SealedPacket, SealedPacket]:
    text, aad = bytes(range(20)), bytes(20)
    cipher, tag = openssl.gcm(KEY, IV[:12], text[:16])
    wrong = tag[:15] + bytes([tag[15] ^ 1])
    return (
        SealedPacket(text, Context(0, False, IV), aad=aad),
        SealedPacket(cipher, Context(0, True, IV), tag=wrong),
    )


def written(
    page: str,
    title: str,
    result: StreamResult,
    given_names: Sequence[str],
    came_names: Sequence[str],
    marked: Sequence[int],
    ends: Sequence[int],
) -> None:
    """Compare the diagram of a page with a run, or write it anew.

    Args:
        page: of docs/modes.
        title: of the diagram.
        result: of the run.
        given_names: of the beats in.
        came_names: of the beats out, in the order of the bus.
        marked: numbers of the beats in that are associated data.
        ends: numbers of the beats in that are last of their packet.
    """
    start = int(min(result.taken[BEATS][0], result.taken[CONTEXTS][0]))
    came = [int(cycle) - start for cycle in result.rows["cycle"]]
    given = [int(cycle) - start for cycle in result.taken[BEATS]]
    context = [int(cycle) - start for cycle in result.taken[CONTEXTS]]
    lasts = {at for at, last in zip(came, result.rows["m_axis_tlast"], strict=True) if last}
    flags = [int(user) & 1 for user in result.rows["m_axis_tuser"]]
    signals: list[Signal] = [
        ("s_ctx", dict(zip(context, ("1", "2"), strict=True))),
        ("s_axis_tdata", dict(zip(given, given_names, strict=True))),
        ("s_axis_tuser[0]", {given[number] for number in marked}),
        ("s_axis_tlast", {given[number] for number in ends}),
        ("m_axis_tdata", dict(zip(came, came_names, strict=True))),
        ("m_axis_tlast", lasts),
        ("m_axis_tuser[0]", {at for at, flag in zip(came, flags, strict=True) if flag}),
    ]
    compare(PAGES / f"{page}.json", title, signals)
    assert f"]({page}.svg)" in (PAGES / f"{page}.md").read_text(encoding="utf-8")


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
    written("gcm", TITLE, result, GIVEN, COME, marked=(0, 1), ends=(4, 6))
    # The first packet has as many beats as the engine looks ahead, and one more.
    came, given = result.rows["cycle"], result.taken[BEATS]
    assert came[0] - given[0] == came[4] - given[4] == SEALED.latency_cycles


def test_the_diagram_of_ccm() -> None:
    text, aad, nonce = bytes(range(20)), bytes(20), IV[:13]
    cipher, tag = ccm(KEY, nonce, text[:16])
    sent = (
        SealedPacket(text, Context(0, False, nonce, KEY), aad=aad),
        SealedPacket(
            cipher, Context(0, True, nonce, KEY), id=1, tag=tag[:15] + bytes([tag[15] ^ 1])
        ),
    )
    with StreamSimulator(engine_module(CCM, optimize="build"), optimize="build") as simulator:
        traffic = Traffic(simulator, CCM)
        transfers, due = traffic.transfers(sent)
        result = simulator.run(transfers, wanted=len(due))
        order = traffic.streams_in_order
        assert first_fault(order(result.rows), order(due)) is None
    names = {0: iter("a" + n for n in ("1", "2", "3", "4", "5")), 1: iter(("b1", "b2"))}
    # As they go in: stream by stream, in turn.
    given = ("a1", "b1", "a2", "b2", "a3", "a4", "a5")
    came = [next(names[int(stream)]).upper() for stream in result.rows["m_axis_tid"]]
    written("ccm", CCM_TITLE, result, given, came, marked=(0, 2), ends=(3, 6))
    cycles = {name: int(cycle) for name, cycle in zip(came, result.rows["cycle"], strict=True)}
    latency = CCM.core.latency_cycles
    taken = int(result.taken[BEATS][0])
    assert cycles["A1"] - taken == latency + 11
