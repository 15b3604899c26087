# SPDX-License-Identifier: Apache-2.0
"""aesforge_gcm_counter: the block of every beat, in order, and blocks of zeros in the gaps."""

from __future__ import annotations

import random
from collections import deque
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Mutation

M = "aesforge_gcm_counter"
SIDE, STAGES = 5, 4
MUTATIONS = {
    "the tag has a counter of its own": Mutation(M, "beat_first || beat_tag", "beat_first"),
    "packets count on": Mutation(M, "beat_first || beat_tag", "beat_tag"),
    "counts from zero": Mutation(M, ".in_value(32'd1)", ".in_value(32'd0)"),
    "associated data count": Mutation(M, "!beat_aad && !beat_tag", "!beat_tag"),
    "the tag counts": Mutation(M, "!beat_aad && !beat_tag", "!beat_aad"),
    "a placeholder is part of the tag": Mutation(M, "beat_tag && !beat_decrypt", "1'b0"),
    "no tag comes in": Mutation(M, "beat_tag && !beat_decrypt", "beat_tag"),
    "the IV of the next beat": Mutation(
        M, "{iv_q[Stages-1], counter}", "{iv_q[Stages-2], counter}"
    ),
    "the side bits of the next beat": Mutation(
        M, "counter_valid ? side_q[Stages-1]", "counter_valid ? side_q[Stages-2]"
    ),
    "zeros take the place of a beat": Mutation(M, "step && !counter_valid", "step"),
    "zeros never enter": Mutation(M, "counter_valid || zero_valid", "counter_valid"),
    "zeros are a counter block": Mutation(M, "counter} : '0", "counter} : {iv_q[0], counter}"),
    "zeros without side bits": Mutation(M, ": zero_side;", ": '0;"),
    "the core is never full": Mutation(M, "!Elastic || !core_valid", "1'b1 || !core_valid"),
    "the core waits while it has nothing": Mutation(
        M, "!Elastic || !core_valid || core_ready", "!Elastic || core_ready"
    ),
    "zeroization keeps IVs": Mutation(M, "{iv_q[i], side_q[i]} <= '0", "side_q[i] <= '0"),
    "zeroization keeps the block": Mutation(M, "      core_block <= '0;\n", ""),
    "zeroization keeps what is in the counter": Mutation(M, ".rst(rst || zeroize)", ".rst(rst)"),
    "a reset keeps a block": Mutation(
        M, "if (rst || zeroize) core_valid", "if (zeroize) core_valid"
    ),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1})
    probes = {f"iv_{i}": (f"iv_q[{i}]", 96) for i in range(STAGES)}
    probes |= {f"side_{i}": (f"side_q[{i}]", SIDE) for i in range(STAGES)}

    def add(name: str, elastic: int, mutation: Mutation | None = None) -> None:
        bench.add(
            name,
            M,
            {"SideBits": SIDE, "Elastic": elastic},
            inputs={
                **{"beat_valid": 1, "beat_first": 1, "beat_aad": 1, "beat_tag": 1},
                **{"beat_decrypt": 1, "beat_iv": 96, "beat_data": 128, "beat_side": SIDE},
                **{"zero_valid": 1, "zero_side": SIDE, "core_ready": 1},
            },
            outputs={
                **{"beat_ready": 1, "beat_xor": 128, "zero_ready": 1},
                **{"core_valid": 1, "core_block": 128, "core_side": SIDE},
            },
            probes=probes,
            mutation=mutation,
        )

    add("elastic", 1)
    add("no back-pressure", 0)
    for name, mutation in MUTATIONS.items():
        add(name, 1, mutation)
    return bench


class Side:
    """One instance and what is inside it."""

    def __init__(self, one: Any, seed: int) -> None:
        self.one, self.draw = one, random.Random(seed)
        self.restart()

    def restart(self) -> None:
        self.stages: deque[tuple[int, int] | None] = deque([None] * STAGES)
        self.core: tuple[int, int] | None = None
        self.packet: list[dict[str, int]] = []
        self.beat: dict[str, int] | None = None
        self.zero: int | None = None
        self.count = 1

    def next_packet(self) -> None:
        draw = self.draw
        iv, decrypt = draw.getrandbits(96), draw.getrandbits(1)
        marks = [1] * draw.choice((0, 0, 1, 3)) + [0] * draw.choice((0, 1, 2, 5, 20)) + [-1]
        self.packet = [
            {
                **{"beat_first": int(i == 0), "beat_aad": int(mark == 1)},
                **{"beat_tag": int(mark < 0), "beat_decrypt": decrypt, "beat_iv": iv},
                **{"beat_data": draw.getrandbits(128), "beat_side": draw.getrandbits(SIDE)},
            }
            for i, mark in enumerate(marks)
        ]

    def offer(self, busy: float) -> dict[str, int]:
        """Beats, zeros and readiness at random; what is offered stays until it is taken."""
        draw = self.draw
        if self.beat is None and draw.random() < busy:
            if not self.packet:
                self.next_packet()
            self.beat = self.packet.pop(0)
        if self.zero is None and draw.random() < 0.1:
            self.zero = draw.getrandbits(SIDE)
        self.values = {"core_ready": int(draw.random() < 0.7)}
        # Without a beat its ports mean nothing.
        none = {"beat_iv": draw.getrandbits(96), "beat_tag": 1, "beat_side": 3}
        self.values |= {"beat_valid": 1, **self.beat} if self.beat else none
        if self.zero is not None:
            self.values |= {"zero_valid": 1, "zero_side": self.zero}
        return self.values

    def check(self, faults: Faults, outputs: Any, now: int) -> None:
        one, values = self.one, self.values
        step = not one["Elastic"] or self.core is None or values["core_ready"]
        room = step and self.stages[0] is None

        def check(port: str, value: int) -> None:
            faults.check(one, outputs.of(one, port), value, f"{port} in cycle {now}")

        check("beat_ready", int(step))
        # What is offered by chance while a beat needs the cycle is not taken.
        check("zero_ready", int(room))
        check("core_valid", int(self.core is not None))
        if self.core is not None:
            check("core_block", self.core[0])
            check("core_side", self.core[1])
        if self.beat:
            keeps = not self.beat["beat_tag"] or self.beat["beat_decrypt"]
            check("beat_xor", self.beat["beat_data"] if keeps else 0)
        if not step:
            return
        self.core = self.stages.popleft()
        if self.core is None and self.zero is not None:
            self.core, self.zero = (0, self.zero), None
        self.stages.append(self.enter(self.beat) if self.beat else None)
        self.beat = None

    def enter(self, beat: dict[str, int]) -> tuple[int, int]:
        """Return the block of a beat, and its side bits: J0 counts as 1 (SP 800-38D Sec. 7.1)."""
        if beat["beat_first"]:
            self.count = 1
        if not beat["beat_aad"] and not beat["beat_tag"]:
            self.count += 1
        count = 1 if beat["beat_tag"] else self.count
        return beat["beat_iv"] << 32 | count, beat["beat_side"]


@cocotb.test()
async def blocks_are_right(dut: Any) -> None:
    """Gaps, a core that waits, zeros at any time; reset and zeroization in flight."""
    bench, faults = make_bench(), Faults()
    driver = Driver(dut, bench)
    sides = [Side(one, 70 + i) for i, one in enumerate(bench.instances)]
    for restart, busy in (("rst", 1.0), ("zeroize", 0.8), ("rst", 0.3), ("zeroize", 0.95)):
        await driver.cycle({restart: 1}, {side.one.name: side.offer(1.0) for side in sides})
        outputs = await driver.cycle({}, probes=True)
        for side in sides:
            side.restart()
            faults.check(side.one, outputs.of(side.one, "core_valid"), 0, f"after {restart}")
            for port in ("core_block", *side.one.probes) if restart == "zeroize" else ():
                faults.check(side.one, outputs.of(side.one, port), 0, f"{port} is not zero")
        for _ in range(500):
            own = {side.one.name: side.offer(busy) for side in sides}
            now = driver.number
            outputs = await driver.cycle({}, own)
            for side in sides:
                side.check(faults, outputs, now)
    bench.judge(faults)


def test_aesforge_gcm_counter(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
