# SPDX-License-Identifier: Apache-2.0
"""aesforge_context_cipher: a block of each context through the core, and back to its header."""

from __future__ import annotations

import random
from collections import deque
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, Outputs
from streams import Source, Stall

M = "aesforge_context_cipher"
HEADER = 5
SHAPES = {"16 places": 16, "8 places": 8}
MUTATIONS = {
    "an error uses the core": Mutation(M, "(s_ready && !error_q)", "s_ready"),
    "an error waits for a result": Mutation(M, "(m_error || block_valid)", "block_valid"),
    "an error takes a result": Mutation(M, "(leave && !m_error)", "(leave)"),
    "a busy core": Mutation(M, "(held_q && !core_ready)", "1'b0"),
    "a context without a place": Mutation(M, "!held_q && credit", "!held_q"),
    "a credit never comes back": Mutation(M, ".give({1'b0, leave})", ".give(2'd0)"),
    "credits too many": Mutation(M, ".give({1'b0, leave})", ".give({1'b0, header_leave || leave})"),
    "a context does not wait for its key": Mutation(M, "s_valid && !s_stall &&", "s_valid &&"),
    "a context is accepted twice": Mutation(M, " && !s_ready;", ";"),
    "a context does not wait for the one before": Mutation(M, "go_q && !held_q", "go_q "),
    "the context before is overwritten": Mutation(M, "if (!held_q) {core", "{core"),
    "a context goes to the core twice": Mutation(M, "(held_q && !core_ready)", "held_q"),
    "a reset keeps a context": Mutation(M, "if (rst || zeroize) {go_q", "if (zeroize) {go_q"),
    "a context leaves by itself": Mutation(M, "leave = m_valid && m_ready", "leave = m_valid"),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1})

    def add(name: str, depth: int, mutation: Mutation | None = None) -> None:
        bench.add(
            name,
            M,
            {"HeaderBits": HEADER, "Depth": depth},
            inputs={
                **{"s_valid": 1, "s_stall": 1, "s_error": 1, "s_header": HEADER, "s_block": 128},
                **{"core_ready": 1, "out_valid": 1, "out_block": 128, "m_ready": 1},
            },
            outputs={
                **{"s_ready": 1, "core_valid": 1, "core_block": 128, "core_header": HEADER},
                **{"m_valid": 1, "m_header": HEADER, "m_error": 1, "m_block": 128},
            },
            mutation=mutation,
        )

    for name, depth in SHAPES.items():
        add(name, depth)
    for name, mutation in MUTATIONS.items():
        add(name, 8, mutation)
    return bench


def result_of(block: int) -> int:
    """What stands for the core."""
    return block ^ (2**128 - 1) // 3


class Model:
    """Contexts in, and a core behind that answers in order some cycles later."""

    def __init__(self, one: Instance, seed: int) -> None:
        self.one, self.draw = one, random.Random(seed)
        self.source = Source()
        self.left = self.errors = 0
        self.reset()

    def reset(self) -> None:
        self.source.drop()
        self.keys = Stall()
        self.waiting: deque[tuple[int, int]] = deque()  # header and block, on the way to the core
        self.inside: deque[tuple[int, int, int]] = deque()
        self.core: deque[tuple[int, int]] = deque()  # when due, result

    def offer(self, share: float, ready: float, now: int) -> dict[str, int]:
        draw = self.draw
        while len(self.source.queue) < 2:
            error = int(draw.random() < 0.2)
            self.source.queue.append((draw.getrandbits(HEADER), draw.getrandbits(128), error))
        self.ready, self.core_ready = int(draw.random() < ready), int(draw.random() < 0.6)
        values = {"m_ready": self.ready, "core_ready": self.core_ready}
        head = self.source.queue[0] if self.source.offer(draw, share) else None
        self.keys.step(draw, head)
        if head is not None:
            header, block, error = head
            values |= {"s_valid": 1, "s_header": header, "s_block": block}
            # What is known of a key before it is ready may be anything.
            error = draw.randrange(2) if self.keys.stall else error
            values |= {"s_stall": int(self.keys.stall), "s_error": error}
        if self.core and self.core[0][0] <= now:
            values |= {"out_valid": 1, "out_block": self.core.popleft()[1]}
        return values

    def after(self, now: int, outputs: Outputs, faults: Faults) -> None:
        def got(port: str) -> int:
            return outputs.of(self.one, port)

        def wrong(text: str) -> None:
            faults.first.setdefault(self.one.name, f"cycle {now}: {text}")

        if got("s_ready") and not self.source.offered:
            wrong("it accepts a context that is not there")
        taken = self.source.after(got("s_ready"))
        if taken is not None:
            if not self.keys.free:
                wrong("a context is accepted before its key")
            self.inside.append(taken)
            if not taken[2]:
                self.waiting.append(taken[:2])
        if got("core_valid") and self.core_ready:
            if not self.waiting:
                wrong("the core takes a block too many")
                return
            if (got("core_header"), got("core_block")) != self.waiting.popleft():
                wrong("another block for the core")
            self.core.append((now + 9, result_of(got("core_block"))))
        if got("m_valid") and self.ready:
            if not self.inside:
                wrong("a context too many")
                return
            header, block, error = self.inside.popleft()
            if (got("m_header"), got("m_error")) != (header, error):
                wrong("another header")
            if not error and got("m_block") != result_of(block):
                wrong("another result")
            self.left += 1
            self.errors += error
        if len(self.inside) > self.one["Depth"] - 1:
            wrong("more contexts than places")


@cocotb.test()
async def blocks_come_back(dut: Any) -> None:
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
                for _ in range(400):
                    await step(share, ready)
                for _ in range(300):
                    await step(0.0, 1.0)
                for model in models:
                    if len(model.inside) > 0:
                        faults.first.setdefault(model.one.name, "a context stays inside")
                before = {model.one.name: model.left for model in models}
                for _ in range(150):
                    await step(1.0, 1.0)
                for model in models:
                    if model.left < before[model.one.name] + 10:
                        faults.first.setdefault(model.one.name, "it has stopped")
    bench.judge(faults)
    for model in models:
        if model.one.mutation is None:
            assert min(model.left / 2, 2 * model.errors) > 100, (model.one.name, model.left)


def test_aesforge_context_cipher(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
