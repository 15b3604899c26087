# SPDX-License-Identifier: Apache-2.0
"""aesforge_engine_interleaved: packets of several streams through every mode, whatever either side
does; what a packet may not be; rate and latency.

Each instance has its own traffic. Mutants of the engine and its parts run beside the true ones;
those that cost only time are caught by the test of the shell.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cocotb
import pytest
from engine_ports import judge, reset, step, traffic
from interleaved import ALL_MODES, MODULE, InterleavedEngine, StreamPacket, add, core_latency
from rtl_bench import Bench, Driver, Instance, Mutation, elaborate
from streams import CBC, CFB_BYTES, CMAC128, Context, cut

# As many streams as the loop is long: a beat per cycle.
FAST = (128, 10, 0, 1, 0, 1, ALL_MODES, 16, 32)
SHAPES = {
    "all modes": (128, 2, 0, 1, 0, 1, ALL_MODES, 5, 16),
    "all modes, stored": (128, 5, 0, 1, 3, 1, ALL_MODES, 4, 8),
    "cfb, stored, unrolled": (128, 10, 0, 1, 2, 1, 8 + 32, 3, 8),
    "one stream": (128, 2, 0, 1, 0, 1, 4 + 16, 1, 8),
    "all modes, unrolled": FAST,
}
SHELL, INTERLOCK, M = "aesforge_stream_shell", "aesforge_stream_key_interlock", MODULE
CORE = "aesforge_stream_core"
# name -> shape, mutation
MUTATIONS = {
    "keys in the midst of a packet": (
        "all modes, stored",
        Mutation(INTERLOCK, "used[s_key_slot] || ", "", (CORE, M)),
    ),
    "modes it has not": (
        "one stream",
        Mutation(M, "next_unbuilt = (Modes >> next_mode) % 2 == 0\n      ||", "next_unbuilt ="),
    ),
    "the context of the stream before": (
        "all modes",
        Mutation(SHELL, "beat_header <= headers[head_stream]", "beat_header <= beat_header", (M,)),
    ),
    "an error of the stream before": (
        "one stream",
        Mutation(
            SHELL,
            "states[beat_stream] <= {known_q, beat_error,",
            "states[beat_stream] <= {known_q, 1'b0,",
            (M,),
        ),
    ),
    "tids beyond the streams": (
        "all modes",
        Mutation(SHELL, "if (head_beyond_q) {known_q, broken_q, digest_q} <= 3'b010;", "", (M,)),
    ),
}


def make_bench() -> Bench:
    bench = Bench({"zeroize": 1})
    for name, shape in SHAPES.items():
        add(bench, name, shape)
    for name, (shape_name, mutation) in MUTATIONS.items():
        add(bench, name, SHAPES[shape_name], mutation)
    return bench


def true_and(mutations: dict[str, Any]) -> list[Instance]:
    """The true instances and some of the mutants."""
    wanted = {*SHAPES, *mutations}
    return [one for one in make_bench().instances if one.name in wanted]


@cocotb.test()
async def packets_go_through(dut: Any) -> None:
    """Idle x back-pressure x reset or zeroize in flight x key change between packets x lengths."""
    driver = Driver(dut, make_bench())
    engines = [
        InterleavedEngine(one, 100 + i, faulty=0.25) for i, one in enumerate(true_and(MUTATIONS))
    ]
    await traffic(driver, engines, cycles=490, left=60)
    judge(engines, MUTATIONS)
    packets = 0
    for engine in engines:
        if engine.one.mutation is None:
            packets += engine.packets
            assert engine.errors > 5, (engine.one.name, engine.errors)
            assert engine.interleaved > 50 or engine.streams == 1, engine.one.name
    assert packets > 900, packets


@cocotb.test()
async def rate_and_latency(dut: Any) -> None:
    """As many streams as the loop is long: a beat per cycle, one-beat packets; one stream: a beat
    for each time round; the latency and the time of a second call are the page's.
    """
    driver = Driver(dut, make_bench())
    wanted = {"all modes, unrolled", "all modes"}
    ones = [one for one in make_bench().instances if one.name in wanted]
    engines = [InterleavedEngine(one, 300 + i, faulty=0) for i, one in enumerate(ones)]

    async def leave(length: int, mode: int, streams: int, cycles: int) -> dict[str, list[int]]:
        """Offer packets of a mode and length to some streams in turn; give when beats came out."""
        await reset(driver, engines, 2)
        for engine in engines:
            while len(engine.beats.queue) < cycles:
                for stream in range(min(streams, engine.streams)):
                    context = Context(mode, 0, bytes(16), engine.draw.randbytes(16))
                    data = engine.draw.randbytes(length)
                    engine.queue(stream, StreamPacket(cut(data, stream), context))
        found: dict[str, list[int]] = {engine.one.name: [] for engine in engines}
        begin = driver.number
        for _ in range(cycles):
            left = [engine.board.left for engine in engines]
            await step(driver, engines, 1.0, 1.0)
            for engine, before in zip(engines, left, strict=True):
                if engine.board.left > before:
                    found[engine.one.name].append(driver.number - 1 - begin)
        return found

    def want(engine: InterleavedEngine, got: list[int], due: list[int]) -> None:
        if engine.board.fault is None and got != due:
            engine.board.fault = f"beats out in {got[:20]}, not {due[:20]}"

    for length in (16, 16 * 7):
        found = await leave(length, CBC, 16, 150)
        for engine in engines:
            latency = core_latency(engine.one)
            if engine.one["Unroll"] == 10:
                want(engine, found[engine.one.name], list(range(latency + 11, 150)))
            elif engine.board.fault is None:
                # A ring of two rounds has two places: it takes two blocks in ten cycles.
                got = found[engine.one.name]
                assert len(got) >= (150 - latency - 15) // 5 - 1, got
    for length, mode, calls in ((160, CBC, 1), (16, CFB_BYTES, 16), (16, CMAC128, 2)):
        found = await leave(length, mode, 1, 500)
        for engine in engines:
            latency = core_latency(engine.one)
            if engine.one["Unroll"] == 10 and engine.one.mutation is None:
                # A beat, or a byte of CFB8, for each time round.
                once = (calls - 1) * (latency + 3)
                due = list(range(latency + 11 + once, 500, latency + 5 + once))
                want(engine, found[engine.one.name], due)
    judge(engines, {})


@pytest.mark.usefixtures("mutants")
def test_aesforge_engine_interleaved(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


SMALL = {"SboxStyle": 0, "KeySboxStyle": 0, "Unroll": 1}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"Unroll": 10, "Tiles": 2}, "tiles must be 1 where unroll is full"),
        ({"Modes": 2}, "modes must be a sum of"),
        ({"Modes": 256}, "modes must be a sum of"),
        ({"Streams": 300}, "streams must be 1 to 256"),
        ({"Depth": 12}, "depth must be a power of two"),
    ],
    ids=str,
)
def test_illegal_sets_are_refused(parameters: dict[str, int], message: str) -> None:
    legal, said = elaborate(M, SMALL | parameters)
    assert not legal
    assert message in said


def test_small_engine_is_legal() -> None:
    legal, said = elaborate(M, SMALL)
    assert legal, said
