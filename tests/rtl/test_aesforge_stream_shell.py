# SPDX-License-Identifier: Apache-2.0
"""aesforge_stream_shell: rate, latency, and how long a packet waits for its context.

That no beat is lost, whatever either side does, is proved (formal/handshake), and seen with whole
engines. The modes are a delay here, and give what they get.
"""

from __future__ import annotations

import random
from collections import deque
from pathlib import Path
from typing import Any

import cocotb
import pytest
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, elaborate

M = "aesforge_stream_shell"
DELAY, WAIT, BYTES = 5, 9, 2
# Streams, Depth: what full rate needs; a stream too few; too few credits; one stream.
SHAPES = {
    "full rate": (DELAY + 2, 16),
    "a stream too few": (DELAY + 1, 16),
    "half the credits": (DELAY + 2, 8),
    "one stream": (1, 16),
}
# With sections: a beat may be short anywhere, and a result may say that its beat is an error.
SECTIONS: dict[str, Mutation | None] = {
    "sections": None,
    "sections of full beats": Mutation(M, "bad_keep = !beat_keep[0]", "bad_keep = beat_keep != '1"),
    "empty beats in sections": Mutation(M, "bad_keep = !beat_keep[0]", "bad_keep = 1'b0"),
    "an error of a result is lost": Mutation(M, "out_error || out_wrong_q}", "out_error}"),
    "data of a wrong result": Mutation(M, "&& !out_wrong_q && out_keep", "&& out_keep"),
    "tuser of the beat before": Mutation(
        M, "assign beat_user = beat_user_q;", "assign beat_user = '0;"
    ),
}
MUTATIONS = {
    "free a cycle late": Mutation(
        M, "(!busy_q[s_axis_tid] || (done && done_stream == s_axis_tid))", "!busy_q[s_axis_tid]"
    ),
    "an empty head between beats": Mutation(M, "(!head_q || go)", "!head_q"),
    "too few credits": Mutation(M, ".Latency(2)", ".Latency(Depth - 1 - Depth / 4)"),
    "of two beats that pass the modes by, the second is lost": Mutation(
        M, "skip_q <= skip || skip_spare_q ||", "skip_q <= skip ||"
    ),
    "a beat that passes the modes by is lost": Mutation(
        M, "skip || skip_spare_q || (skip_q && result_valid)", "skip || skip_spare_q"
    ),
    "beats that pass the modes by change places": Mutation(
        M, "skip_spare_q ? skip_spare_stream_q : beat_stream", "beat_stream"
    ),
    "waits too long": Mutation(M, ".Cycles(ContextTimeout)", ".Cycles(ContextTimeout + 1)"),
    "waits too short": Mutation(M, ".Cycles(ContextTimeout)", ".Cycles(ContextTimeout - 1)"),
    "bytes in reverse": Mutation(
        M, "DataBits'(aesforge_pkg::byte_swap(256'(s_axis_tdata), Bytes))", "s_axis_tdata"
    ),
    "data of an error": Mutation(M, "out_block && !out_wrong_q && out_keep[i] ?", "out_keep[i] ?"),
    "a reset keeps the packets": Mutation(M, "      inside_q <= '0;\n", ""),
    "a reset keeps the streams busy": Mutation(M, "      busy_q <= '0;\n", ""),
    "zeroization keeps a context": Mutation(
        M, "if (zeroize || (beat_q && !beat_beyond_q)) begin", "if (beat_q && !beat_beyond_q) begin"
    ),
}
CONTEXT = 5


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1})

    def add(
        name: str, shape: tuple[int, int], mutation: Mutation | None = None, sections: int = 0
    ) -> None:
        stream = max(1, (shape[0] - 1).bit_length())
        bench.add(
            name,
            M,
            {"Bytes": BYTES, "Streams": shape[0], "StartBits": 1, "PayloadBits": CONTEXT}
            | {"HeaderBits": 1, "Depth": shape[1], "ContextTimeout": WAIT, "Sections": sections},
            inputs={
                **{"s_axis_tvalid": 1, "s_axis_tdata": 8 * BYTES, "s_axis_tkeep": BYTES},
                **{"s_axis_tlast": 1, "s_axis_tid": stream, "s_ctx_tvalid": 1},
                **{"s_ctx_payload": CONTEXT, "s_ctx_header": 1, "s_ctx_start": 1},
                **{"s_axis_tuser": 1, "m_axis_tready": 1},
                **{"next_stall": 1, "next_error": 1, "next_partial": 1, "next_digest": 1},
                **{"next_empty": 1, "beat_hold": 1},
                **{"result_valid": 1, "result_stream": stream, "result_data": 8 * BYTES},
                "result_error": 1,
            },
            outputs={
                **{"s_axis_tready": 1, "s_ctx_tready": 1, "m_axis_tvalid": 1, "m_axis_tid": stream},
                **{"m_axis_tdata": 8 * BYTES, "m_axis_tkeep": BYTES, "m_axis_tuser": 2},
                **{"beat_valid": 1, "beat_stream": stream, "beat_data": 8 * BYTES},
                **{"beat_payload": CONTEXT, "beat_start": 1, "beat_header": 1},
                "beat_user": 1,
            },
            probes={
                "kept": ("payloads[0]", CONTEXT),
                "header": ("headers[0]", 1),
                "payload": ("payload_q", CONTEXT),
                **{f"waiting_{i}": (f"u_contexts.payloads[{i}]", CONTEXT + 1) for i in range(4)},
            },
            mutation=mutation,
        )

    for name, shape in SHAPES.items():
        add(name, shape)
    for name, mutation in MUTATIONS.items():
        add(name, SHAPES["full rate"], mutation)
    for name, change in SECTIONS.items():
        add(name, SHAPES["full rate"], change, sections=1)
    return bench


class Run:
    """One shell; beats of 2 bytes go round the streams, each a packet of so many beats."""

    def __init__(self, one: Instance, seed: int) -> None:
        self.one = one
        self.draw = random.Random(seed)
        self.start(1, contexts=True)

    def start(self, length: int, *, contexts: bool, streams: int = 256, empty: float = 0.0) -> None:
        self.length, self.contexts, self.empty = length, contexts, empty
        self.keep = 3
        self.streams = min(self.one["Streams"], streams)
        self.delay: deque[tuple[int, int, int] | None] = deque([None] * DELAY)
        self.sent = 0
        # Data and bytes kept of the beats that are to come.
        self.due: dict[int, deque[tuple[int, int]]] = {
            stream: deque() for stream in range(self.streams)
        }
        self.out: list[int] = []  # cycles in which a beat left
        self.word = self.draw.getrandbits(16)
        self.first_in: int | None = None

    def given(self) -> dict[str, int]:
        beat = self.delay.popleft()
        return {
            "s_axis_tvalid": 1,
            "s_axis_tdata": self.word,
            "s_axis_tkeep": self.keep,
            "s_axis_tlast": int(self.sent // self.streams % self.length == self.length - 1),
            "s_axis_tid": self.sent % self.streams,
            "s_ctx_tvalid": int(self.contexts),
            "s_ctx_payload": 1 + self.sent % 31,
            "s_ctx_header": 1,
            "s_ctx_start": 1,
            "m_axis_tready": 1,
            **(
                {"result_valid": 1, "result_stream": beat[0], "result_data": beat[1] ^ 0x1234}
                if beat
                else {"result_data": self.draw.getrandbits(16)}
            ),
        }

    def after(self, now: int, got: dict[str, int], faults: Faults) -> None:
        self.delay.append(
            (got["beat_stream"], got["beat_data"], now) if got["beat_valid"] else None
        )
        if got["s_axis_tready"]:
            # The modes turn a bit of each byte, and see byte 0 at the top.
            value = self.word ^ 0x3412
            value = value if self.contexts and self.keep else 0
            self.due[self.sent % self.streams].append((value, self.keep))
            self.sent += 1
            self.keep = 0 if self.draw.random() < self.empty else 3
            self.word = self.draw.getrandbits(16)
            self.first_in = now if self.first_in is None else self.first_in
        if got["m_axis_tvalid"]:
            stream = self.due.get(got["m_axis_tid"])
            beat = (got["m_axis_tuser"], (got["m_axis_tdata"], got["m_axis_tkeep"]))
            due = (int(not self.contexts), stream.popleft() if stream else None)
            faults.check(self.one, beat, due, f"beat in cycle {now}")
            self.out.append(now)


class SectionRun:
    """One shell; beats of 0 to 2 bytes go round the streams in packets of three; of those with
    tuser 1 the modes say of some that they are errors.
    """

    def __init__(self, one: Instance) -> None:
        self.one = one
        self.draw = random.Random(8)
        self.delay: deque[dict[str, int]] = deque([{}] * DELAY)
        self.broken = [False] * one["Streams"]
        self.due: list[deque[tuple[int, ...]]] = [deque() for _ in self.broken]
        self.sent = self.left = 0
        self.next()

    def next(self) -> None:
        draw = self.draw
        self.beat = (draw.getrandbits(16), draw.choice((3, 3, 1, 1, 0)), draw.getrandbits(1))
        self.stream = self.sent % len(self.broken)
        self.place = self.sent // len(self.broken) % 3

    def given(self) -> dict[str, int]:
        data, keep, user = self.beat
        return {
            **{"s_axis_tvalid": 1, "s_axis_tdata": data, "s_axis_tkeep": keep},
            **{"s_axis_tlast": int(self.place == 2), "s_axis_tid": self.stream},
            **{"s_axis_tuser": user, "s_ctx_tvalid": 1, "m_axis_tready": 1},
            **self.delay.popleft(),
        }

    def after(self, got: dict[str, int], faults: Faults) -> None:
        answer = {"result_error": 1}  # of no result
        if got["beat_valid"]:
            data = got["beat_data"]
            answer = {"result_valid": 1, "result_stream": got["beat_stream"], "result_data": data}
            answer["result_error"] = got["beat_user"] & data >> 11
        self.delay.append(answer)
        if got["m_axis_tvalid"]:
            line = self.due[got["m_axis_tid"]]
            beat = got["m_axis_tdata"], got["m_axis_tkeep"], got["m_axis_tuser"]
            due = line.popleft() if line else None
            faults.check(self.one, beat, due, f"beat {self.left}")
            self.left += 1
        if got["s_axis_tready"]:
            data, keep, user = self.beat
            broken = keep == 0 or (self.broken[self.stream] and self.place > 0)
            self.broken[self.stream] = broken
            # Byte 0 is at the top of what the modes see.
            error = broken or (user and data >> 3 & 1)
            value = 0 if error else data & (0xFFFF if keep == 3 else 0xFF)
            self.due[self.stream].append((value, keep, user << 1 | int(error)))
            self.sent += 1
            self.next()


@cocotb.test()
async def sections(dut: Any) -> None:
    """Without the check of `tkeep`, but for empty beats; with errors that come with results."""
    bench, faults = make_bench(), Faults()
    driver = Driver(dut, bench)
    runs = [SectionRun(one) for one in bench.instances if one["Sections"]]
    for _ in range(2):
        await driver.cycle({"rst": 1})
    for _ in range(900):
        outputs = await driver.cycle({}, {run.one.name: run.given() for run in runs})
        for run in runs:
            run.after({port: outputs.of(run.one, port) for port in run.one.outputs}, faults)
    assert runs[0].left > 500, runs[0].left
    bench.judge(faults, [run.one for run in runs])


async def play(driver: Driver, runs: list[Run], faults: Faults, cycles: int) -> None:
    for _ in range(cycles):
        now = driver.number
        outputs = await driver.cycle({}, {run.one.name: run.given() for run in runs})
        for run in runs:
            run.after(now, {port: outputs.of(run.one, port) for port in run.one.outputs}, faults)


@cocotb.test()
async def rate_latency_and_waits(dut: Any) -> None:
    bench, faults = make_bench(), Faults()
    driver = Driver(dut, bench)
    ones = [one for one in bench.instances if not one["Sections"]]
    runs = [Run(one, 40 + i) for i, one in enumerate(ones)]
    # Every other beat has no bytes, and passes the modes by, from which results come meanwhile.
    await driver.cycle({"rst": 1})
    await driver.cycle({"rst": 1})
    for run in runs:
        run.start(1, contexts=True, empty=0.5)
    await play(driver, runs, faults, 400)
    for run in runs:
        least = 50 if run.streams == 1 else 100
        faults.check(run.one, len(run.out) > least, True, "beats, half of them without bytes")
    for length, streams in ((1, 256), (4, 256), (3, 1)):
        await driver.cycle({"rst": 1})
        await driver.cycle({"rst": 1})
        for run in runs:
            run.start(length, contexts=True, streams=streams)
        await play(driver, runs, faults, 120)
        for run in runs:
            begin = run.first_in or 0
            got = [cycle - begin for cycle in run.out]
            # Two cycles to the modes, five after them; a stream's beats are 2 more than they take.
            full = run.streams >= DELAY + 2
            depth = run.one["Depth"]
            latency = DELAY + 8
            if full and depth >= DELAY + 6:
                due = list(range(latency, 120))[: len(got)]
                faults.check(run.one, got, due, "cycles of beats out")
                faults.check(run.one, len(got) >= 120 - latency - 2, True, "beats in 120 cycles")
            elif run.streams == 1:
                due = list(range(latency, 130, DELAY + 2))[: len(got)]
                faults.check(run.one, got, due, "cycles of beats out, one stream")
                faults.check(run.one, len(got) > 100 // (DELAY + 2), True, "beats, one stream")
            else:
                faults.check(run.one, len(got) < 108, True, "fewer beats than cycles")
    # Without a context: a packet goes by when it has waited for so long, with the error flag.
    await driver.cycle({"rst": 1})
    await driver.cycle({"rst": 1})
    for run in runs:
        run.start(1, contexts=False)
    await play(driver, runs, faults, 60)
    for run in runs:
        # It passes the modes by, where it waits for a cycle.
        first = (run.out or [0])[0] - (run.first_in or 0)
        faults.check(run.one, first, WAIT + 9, "first beat without a context")
    # Zeroization forgets what the streams hold.
    for _ in range(20):
        await driver.cycle({"zeroize": 1})
    outputs = await driver.cycle({}, probes=True)
    for run in runs:
        for port in (*run.one.probes, "beat_payload", "beat_header", "beat_data", "m_axis_tdata"):
            faults.check(run.one, outputs.of(run.one, port), 0, f"{port} after zeroization")
    bench.judge(faults, ones)


@pytest.mark.usefixtures("mutants")
def test_aesforge_stream_shell(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


def test_illegal_streams_are_refused() -> None:
    for streams in (0, 257):
        legal, said = elaborate(M, {"Streams": streams})
        assert not legal
        assert "streams must be 1 to 256" in said
