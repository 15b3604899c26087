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
SIDE = 5
# Stages, Elastic, Blocks
SHAPES = {
    "elastic": (6, 1, 1),
    "no back-pressure": (6, 0, 1),
    "one stage": (1, 1, 1),
    "two blocks": (6, 0, 2),
    "four blocks": (5, 1, 4),
}
MUTATIONS = {
    "the tag has a counter of its own": Mutation(M, "beat_first || beat_tag", "beat_first"),
    "packets count on": Mutation(M, "beat_first || beat_tag", "beat_tag"),
    "counts from zero": Mutation(M, "{beat_iv, 32'd1}", "{beat_iv, 32'd0}"),
    "associated data count": Mutation(M, "!beat_aad && !beat_tag", "!beat_tag"),
    "J0 is always an IV and 1": Mutation(M, "beat_hashed ? hashed_iv", "1'b0 ? hashed_iv"),
    "a hashed IV counts from 1": Mutation(M, ".in_value(j0[31:LowBits])", ".in_value(32'd1)"),
    "the tag counts": Mutation(M, "!beat_aad && !beat_tag", "!beat_aad"),
    "the IV of the next beat": Mutation(
        M, "{iv_q[Stages-1], counter[b]}", "{iv_q[Stages-2], counter[b]}"
    ),
    "the side bits of the next beat": Mutation(
        M, "counter_valid[0] ? side_q[Stages-1]", "counter_valid[0] ? side_q[Stages-2]"
    ),
    "zeros take the place of a beat": Mutation(M, "step && !counter_valid[0]", "step"),
    "zeros never enter": Mutation(M, "counter_valid[0] || zero_valid", "counter_valid[0]"),
    "zeros are a counter block": Mutation(M, "zeroize || zero_ready", "zeroize"),
    "zeros without side bits": Mutation(M, ": zero_side;", ": '0;"),
    "the core is never full": Mutation(M, "!Elastic || !core_valid", "1'b1 || !core_valid"),
    "the core waits while it has nothing": Mutation(
        M, "!Elastic || !core_valid || core_ready", "!Elastic || core_ready"
    ),
    "zeroization keeps IVs": Mutation(M, "{iv_q[i], side_q[i]} <= '0", "side_q[i] <= '0"),
    "zeroization keeps the block": Mutation(M, "zeroize || zero_ready", "zero_ready"),
    "zeroization keeps what is in the counter": Mutation(M, ".rst(rst || zeroize)", ".rst(rst)"),
    "a reset keeps a block": Mutation(
        M, "if (rst || zeroize) core_valid", "if (zeroize) core_valid"
    ),
}

WIDE_MUTATIONS = {
    "all blocks have the counter of the first": Mutation(
        M, "+ (LowBits + 1)'(b + 1)", "+ (LowBits + 1)'(1)"
    ),
    "the first beat of text always adds": Mutation(M, "(text_q || first[LowBits])", "1'b1"),
    "only a carry is added": Mutation(M, "(text_q || first[LowBits])", "first[LowBits]"),
    "the tag counts as text": Mutation(M, "beat_tag ? j0[LowBits-1:0] : first", "first"),
    "text of the packet before": Mutation(
        M, "if (step && beat_valid) text_q <= text;", "if (text) text_q <= 1'b1;"
    ),
    "a reset keeps the text": Mutation(M, "if (rst || zeroize) text_q <= 1'b0;", ""),
    "low bits of the beat before": Mutation(M, "beats, low_q[Stages-1]}", "beats, low_q[0]}"),
    "the blocks change places": Mutation(M, "[128*(Blocks-1-b)+:128] <=", "[128*b+:128] <="),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1})

    def add(name: str, shape: tuple[int, int, int], mutation: Mutation | None = None) -> None:
        stages, elastic, blocks = shape
        probes = {f"iv_{i}": (f"iv_q[{i}]", 96) for i in range(stages)}
        probes |= {f"side_{i}": (f"side_q[{i}]", SIDE) for i in range(stages)}
        bench.add(
            name,
            M,
            {"SideBits": SIDE, "Stages": stages, "Elastic": elastic, "Blocks": blocks},
            inputs={
                **{"beat_valid": 1, "beat_first": 1, "beat_aad": 1, "beat_tag": 1},
                **{"beat_iv": 96, "beat_side": SIDE},
                **{"beat_hashed": 1, "hashed_iv": 128},
                **{"zero_valid": 1, "zero_side": SIDE, "core_ready": 1},
            },
            outputs={
                **{"beat_ready": 1, "zero_ready": 1},
                **{"core_valid": 1, "core_block": 128 * blocks, "core_side": SIDE},
            },
            probes=probes,
            mutation=mutation,
        )

    for name, shape in SHAPES.items():
        add(name, shape)
    for name, mutation in MUTATIONS.items():
        add(name, SHAPES["elastic"], mutation)
    for name, mutation in WIDE_MUTATIONS.items():
        add(name, SHAPES["two blocks"], mutation)
    return bench


class Side:
    """One instance and what is inside it."""

    def __init__(self, one: Any, seed: int) -> None:
        self.one, self.draw = one, random.Random(seed)
        self.restart()

    def restart(self) -> None:
        self.stages: deque[tuple[int, int] | None] = deque([None] * self.one["Stages"])
        self.core: tuple[int, int] | None = None
        self.packet: list[dict[str, int]] = []
        self.beat: dict[str, int] | None = None
        self.zero: int | None = None
        self.counts = [1] * self.one["Blocks"]
        self.text = False

    def next_packet(self) -> None:
        draw = self.draw
        iv = draw.getrandbits(96)
        hashed = {"beat_hashed": draw.getrandbits(1), "hashed_iv": draw.getrandbits(128)}
        if draw.getrandbits(1):
            # Only 32 bits count.
            hashed["hashed_iv"] |= 2**32 - 1 - draw.randrange(4)
        marks = [1] * draw.choice((0, 0, 1, 3)) + [0] * draw.choice((0, 1, 2, 5, 20)) + [-1]
        self.packet = [
            {
                **{"beat_first": int(i == 0), "beat_aad": int(mark == 1)},
                **{"beat_tag": int(mark < 0), "beat_iv": iv},
                "beat_side": draw.getrandbits(SIDE),
                **hashed,
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
        none["hashed_iv"] = draw.getrandbits(128)
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
        if not step:
            return
        self.core = self.stages.popleft()
        if self.core is None and self.zero is not None:
            self.core, self.zero = (0, self.zero), None
        self.stages.append(self.enter(self.beat) if self.beat else None)
        self.beat = None

    def enter(self, beat: dict[str, int]) -> tuple[int, int]:
        """Return the blocks of a beat (SP 800-38D Sec. 7.1 and 7.2), and its side bits.

        Those of associated data, and of a tag after the first, are not used: of the former, the
        upper bits are those of J0.
        """
        j0 = beat["hashed_iv"] if beat["beat_hashed"] else beat["beat_iv"] << 32 | 1
        size = self.one["Blocks"]
        if beat["beat_first"]:
            lows = [(j0 + 1 + number) % size for number in range(size)]
            self.counts = [j0 - j0 % size + low for low in lows]
            self.text = False
        if not beat["beat_aad"] and not beat["beat_tag"]:
            if self.text:
                self.counts = [count + size for count in self.counts]
            else:
                self.counts = [j0 + 1 + number for number in range(size)]
            self.text = True
        blocks = 0
        for count in [j0] * size if beat["beat_tag"] else self.counts:
            blocks = blocks << 128 | j0 >> 32 << 32 | count % 2**32
        return blocks, beat["beat_side"]


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
