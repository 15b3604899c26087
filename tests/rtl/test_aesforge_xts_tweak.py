# SPDX-License-Identifier: Apache-2.0
"""aesforge_xts_tweak: the number of each data unit through the core, and back to its context."""

from __future__ import annotations

import random
from collections import deque
from pathlib import Path
from typing import Any

import cocotb
import pytest
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, Outputs
from streams import Source, Stall

M = "aesforge_xts_tweak"
SHAPES = {"3 slots": (3, 16), "2 slots, few places": (2, 8)}
MUTATIONS = {
    "numbers do not count": Mutation(M, "carry_q <= 1'b1", "carry_q <= 1'b0"),
    "numbers count in 16 bits": Mutation(M, "carry_q  <= sum[16]", "carry_q  <= 1'b0"),
    "a number that still counts": Mutation(M, "next_valid && words_q[3:1] == '0", "next_valid"),
    "the bytes of a number": Mutation(
        M, "128'(aesforge_pkg::byte_swap(256'(number_q), 16))", "number_q"
    ),
    "a context serves one unit": Mutation(M, "waits = follows_q", "waits = 1'b0"),
    "a context serves a unit too many": Mutation(M, "waits = follows_q", "waits = 1'b1"),
    "the key is not waited for": Mutation(M, ".s_stall(next_stall)", ".s_stall(1'b0)"),
    "an empty slot uses the core": Mutation(M, ".s_error(next_unknown)", ".s_error(1'b0)"),
    "the direction of the next": Mutation(
        M, ".s_header({next_slot, decrypt_q})", ".s_header({next_slot, s_decrypt})"
    ),
    "a reset keeps a context": Mutation(M, "if (rst || zeroize) waits", "if (zeroize) waits"),
    "a number from the context before": Mutation(M, "      words_q <= '0;\n", ""),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1})

    def add(name: str, shape: tuple[int, int], mutation: Mutation | None = None) -> None:
        slot = (shape[0] - 1).bit_length()
        bench.add(
            name,
            M,
            {"Slots": shape[0], "Depth": shape[1]},
            inputs={
                **{"s_valid": 1, "s_slot": slot, "s_decrypt": 1, "s_number": 128, "s_more": 16},
                **{"next_stall": 1, "next_unknown": 1, "core_ready": 1},
                **{"out_valid": 1, "out_block": 128, "m_ready": 1},
            },
            outputs={
                **{"s_ready": 1, "next_valid": 1, "next_slot": slot, "begin_valid": 1},
                **{"core_valid": 1, "core_block": 128, "core_slot": slot},
                **{"m_valid": 1, "m_header": slot + 2, "m_tweak": 128},
            },
            mutation=mutation,
        )

    for name, shape in SHAPES.items():
        add(name, shape)
    for name, mutation in MUTATIONS.items():
        add(name, SHAPES["3 slots"], mutation)
    return bench


def tweak_of(number: int) -> int:
    """What stands for the core; byte 0 at the top."""
    return int.from_bytes((number % 2**128).to_bytes(16, "little"), "big") ^ (2**128 - 1) // 3


class Model:
    """Contexts in, and a core behind that answers in order some cycles later."""

    def __init__(self, one: Instance, seed: int) -> None:
        self.one, self.draw = one, random.Random(seed)
        self.source = Source()
        self.left = self.unknowns = 0
        self.unknown = False
        self.reset()

    def reset(self) -> None:
        self.source.drop()
        self.begun: deque[tuple[int, int, int, int | None]] = deque()  # units that have begun
        self.units: deque[tuple[int, int, int]] = deque()  # those that have not
        self.keys = Stall()
        self.waiting: deque[tuple[int, int]] = deque()  # slot and number, on the way to the core
        self.core: deque[tuple[int, int]] = deque()  # when due, tweak
        self.quiet = 0

    def fill(self) -> None:
        draw = self.draw
        while len(self.source.queue) < 3:
            number = draw.getrandbits(128)
            if draw.random() < 0.5:
                low = draw.choice((16, 32, 64, 112, 128))
                number |= 2**low - 1
                number -= draw.randrange(3)
            slot = draw.randrange(self.one["Slots"])
            self.source.queue.append(
                (slot, draw.randrange(2), number, draw.choice((0, 0, 0, 1, 5)))
            )

    def offer(self, share: float, ready: float, now: int) -> dict[str, int]:
        draw = self.draw
        self.ready = int(draw.random() < ready)
        # Some slots are empty, others have no key for some cycles; the core is busy now and then.
        if self.keys.step(draw, self.units[0] if self.units else None):
            self.unknown = draw.random() < 0.2
        values = {
            **{"m_ready": self.ready, "core_ready": int(draw.random() < 0.5)},
            **{"next_stall": int(self.keys.stall), "next_unknown": int(self.unknown)},
        }
        self.core_ready = values["core_ready"]
        if self.source.offer(draw, share):
            slot, way, number, more = self.source.queue[0]
            values |= {"s_valid": 1, "s_slot": slot, "s_decrypt": way}
            values |= {"s_number": number, "s_more": more}
        if self.core and self.core[0][0] <= now:
            values |= {"out_valid": 1, "out_block": self.core.popleft()[1]}
        return values

    def after(self, now: int, outputs: Outputs, faults: Faults) -> None:
        def got(port: str) -> int:
            return outputs.of(self.one, port)

        def wrong(text: str) -> None:
            faults.first.setdefault(self.one.name, f"cycle {now}: {text}")

        self.quiet += 1
        if got("begin_valid"):
            self.quiet = 0
            if not self.units:
                wrong("a unit too many begins")
                return
            if not self.keys.free:
                wrong("a unit begins before its key")
            slot, way, number = self.units.popleft()
            if got("next_slot") != slot:
                wrong("the slot of another unit")
            if not self.unknown:
                self.waiting.append((slot, number))
            tweak = None if self.unknown else tweak_of(number)
            self.begun.append((slot, way, int(self.unknown), tweak))
        if got("core_valid") and self.core_ready:
            if not self.waiting:
                wrong("a number that has not begun, or an empty slot, uses the core")
                return
            slot, number = self.waiting.popleft()
            if got("core_block") != tweak_of(number) ^ (2**128 - 1) // 3:
                wrong("the number of another unit")
            if got("core_slot") != slot:
                wrong("the core has the slot of another unit")
            self.core.append((now + 7, tweak_of(number)))
        context = self.source.after(got("s_ready"))
        if context is not None:
            slot, way, number, more = context
            self.units.extend((slot, way, number + i) for i in range(more + 1))
        if got("m_valid") and self.ready:
            self.quiet = 0
            if not self.begun:
                wrong("a context too many")
                return
            slot, way, unknown, tweak = self.begun.popleft()
            if got("m_header") != slot << 2 | way << 1 | unknown:
                wrong("another header")
            if tweak is not None and got("m_tweak") != tweak:
                wrong("another tweak")
            self.left += 1
            self.unknowns += unknown
        if len(self.begun) > self.one["Depth"] - 1:
            wrong("more tweaks than places")


@cocotb.test()
async def numbers_become_tweaks(dut: Any) -> None:
    """Idle x back-pressure x a restart with contexts inside."""
    bench, faults = make_bench(), Faults()
    driver = Driver(dut, bench)
    models = [Model(one, 70 + i) for i, one in enumerate(bench.instances)]

    async def step(share: float, ready: float) -> None:
        now = driver.number
        own = {model.one.name: model.offer(share, ready, now) for model in models}
        outputs = await driver.cycle({}, own)
        for model in models:
            model.after(now, outputs, faults)

    for restart in ("rst", "zeroize"):
        for share in (1.0, 0.3):
            for ready in (1.0, 0.4, 0.05):
                for _ in range(24 if restart == "zeroize" else 1):
                    await driver.cycle({restart: 1})
                for model in models:
                    model.reset()
                await driver.cycle({})
                for _ in range(600):
                    for model in models:
                        model.fill()
                    await step(share, ready)
                for _ in range(900):
                    await step(1.0, 1.0)
                for model in models:
                    if model.source.queue or model.units or model.begun:
                        faults.first.setdefault(model.one.name, "a context stays inside")
                for _ in range(25):
                    for model in models:
                        model.fill()
                    await step(share, 0.2)
    bench.judge(faults)
    for model in models:
        if model.one.mutation is None:
            assert min(model.left / 2, 2 * model.unknowns) > 100, (model.one.name, model.left)


@pytest.mark.usefixtures("mutants")
def test_aesforge_xts_tweak(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
