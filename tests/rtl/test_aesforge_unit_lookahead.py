# SPDX-License-Identifier: Apache-2.0
"""aesforge_unit_lookahead: what is known of each beat, in units of every length."""

from __future__ import annotations

import random
from collections import deque
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, Outputs
from streams import Source

M, SLICE = "aesforge_unit_lookahead", "aesforge_axis_slice"
WIDTH = 9
FULL = 0xFFFF
# UnitBits, Stealing, Blocks
SHAPES = {
    "4 blocks": (2, 1, 1),
    "16 blocks": (4, 1, 1),
    "whole blocks": (2, 0, 1),
    "two in a beat": (3, 1, 2),
    "four in a beat": (4, 1, 4),
}
MUTATIONS = {
    "a beat leaves before the next": Mutation(M, "held_q && (m_last || next_valid)", "held_q"),
    "the last beat waits": Mutation(M, "(m_last || next_valid)", "next_valid"),
    "a beat is overwritten": Mutation(M, "!held_q || (m_valid && m_ready)", "1'b1"),
    "every last beat is part of a block": Mutation(M, "s_keep[0] && !s_keep[15]", "s_keep[0]"),
    "no bytes are part of a block": Mutation(M, "s_last && s_keep[0] &&", "s_last &&"),
    "holes are part of a block": Mutation(M, " && ((s_keep >> 1) & ~s_keep) == '0", ""),
    "part of a block within a unit": Mutation(M, "s_last && s_keep[0]", "s_keep[0]"),
    "the last beat steals": Mutation(
        M, "Stealing && !m_last && next_part", "Stealing && next_part"
    ),
    "stealing for a block too many": Mutation(M, "next_part && !next_over", "next_part"),
    "a block too many": Mutation(M, "m_error <= next_over ||", "m_error <="),
    "no bytes are a block": Mutation(M, "count_q[CountBits] && next_keep[0]", "count_q[CountBits]"),
    "less than a block": Mutation(M, "(next_last && !next_full && first_q)", "1'b0"),
    "a block too few": Mutation(
        M, "first_q <= next_last;", "first_q <= next_last || first_q && count_q == '0;"
    ),
    "the count goes round": Mutation(M, "(CountBits + 1)'(!count_q[CountBits])", "1'b1"),
    "units count on": Mutation(M, "next_last ? '0 : count_q", "count_q"),
    "a reset keeps the count": Mutation(M, "      count_q <= '0;\n      first", "      first"),
    "a reset keeps the unit": Mutation(M, "      first_q <= 1'b1;\n", ""),
}
SHAPED_MUTATIONS = {
    "stealing that is not built": Mutation(M, "m_steals = Stealing &&", "m_steals ="),
}
WIDE_MUTATIONS = {
    "a beat is one block": Mutation(M, "UnitBits - $clog2(Blocks)", "UnitBits"),
    "part of the last block": Mutation(M, "s_keep[0] && !s_keep[15]", "s_keep[0] && s_keep != '1"),
    "one block is less than a block": Mutation(M, "s_keep[15:0] == '1", "s_keep == '1"),
    "holes after the first block": Mutation(
        M, "((s_keep >> 1) & ~s_keep) == '0", "((s_keep[15:0] >> 1) & ~s_keep[15:0]) == '0"
    ),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1})

    def add(name: str, shape: tuple[int, int, int], mutation: Mutation | None = None) -> None:
        bench.add(
            name,
            M,
            {"Width": WIDTH, "UnitBits": shape[0], "Stealing": shape[1], "Blocks": shape[2]},
            inputs={
                **{"s_valid": 1, "s_data": WIDTH, "s_keep": 16 * shape[2], "s_last": 1},
                "m_ready": 1,
            },
            outputs={
                **{"s_ready": 1, "m_valid": 1, "m_data": WIDTH, "m_keep": 16 * shape[2]},
                "m_last": 1,
                **{"m_steals": 1, "m_error": 1},
            },
            mutation=mutation,
        )

    for name, shape in SHAPES.items():
        add(name, shape)
    for name, mutation in MUTATIONS.items():
        add(name, SHAPES["4 blocks"], mutation)
    for name, mutation in SHAPED_MUTATIONS.items():
        add(name, SHAPES["whole blocks"], mutation)
    for name, mutation in WIDE_MUTATIONS.items():
        add(name, SHAPES["two in a beat"], mutation)
    return bench


def is_part(keep: int) -> bool:
    """Return whether the first block of a beat is part of one; a beat with holes has none."""
    return 0 < keep < FULL and not keep & (keep + 1)


class Model:
    """Units in, and what must be known of their beats."""

    def __init__(self, one: Instance, seed: int) -> None:
        self.one, self.draw = one, random.Random(seed)
        self.source = Source()
        self.stolen = self.errors = self.left = 0
        self.reset()

    def reset(self) -> None:
        self.source.drop()
        self.expected: deque[tuple[int, ...]] = deque()

    def fill(self) -> None:
        draw, one = self.draw, self.one
        size = 16 * one["Blocks"]
        full = 2**size - 1
        most = 2 ** one["UnitBits"] // one["Blocks"]
        while len(self.source.queue) < 6:
            count = draw.choice((1, 1, 2, 2, 3, most, most + 1, most + 2, 2 * most + 3))
            keeps = [full] * count
            if draw.random() < 0.6:
                keeps[-1] = 2 ** draw.randrange(draw.choice((16, size))) - 1
            if draw.random() < 0.2:
                holes = draw.getrandbits(size), draw.getrandbits(size) | FULL
                odd = draw.choice((*holes, 0xF | draw.getrandbits(size) & ~FULL))
                keeps[draw.randrange(count)] = draw.choice((odd, 2 ** draw.randrange(size) - 1))
            for index, keep in enumerate(keeps):
                last = index == count - 1
                over = index >= most and keep & 1
                following = index + 2 == count and is_part(keeps[-1])
                steals = one["Stealing"] and following and index + 1 < most
                error = over or (count == 1 and keep & FULL != FULL)
                word = (draw.getrandbits(WIDTH), keep, int(last))
                self.source.queue.append((*word, int(steals), int(bool(error))))

    def offer(self, share: float, ready: float) -> dict[str, int]:
        self.ready = int(self.draw.random() < ready)
        values = {"m_ready": self.ready}
        if self.source.offer(self.draw, share):
            word = self.source.queue[0]
            values |= {"s_valid": 1, "s_data": word[0], "s_keep": word[1], "s_last": word[2]}
        return values

    def after(self, now: int, outputs: Outputs, faults: Faults) -> None:
        def got(port: str) -> int:
            return outputs.of(self.one, port)

        word = self.source.after(got("s_ready"))
        if word is not None:
            self.expected.append(word)
        if not (got("m_valid") and self.ready):
            return
        found = tuple(got(f"m_{name}") for name in ("data", "keep", "last", "steals", "error"))
        due = self.expected.popleft() if self.expected else None
        # A beat that is not the last leaves when the next is in.
        early = due is not None and not due[2] and not self.expected
        if found != due or early:
            faults.first.setdefault(self.one.name, f"cycle {now}: {found}, expected {due}")
        self.left += 1
        self.stolen += found[3]
        self.errors += found[4]


@cocotb.test()
async def beats_are_known(dut: Any) -> None:
    """Idle x back-pressure x a restart with beats inside."""
    bench, faults = make_bench(), Faults()
    driver = Driver(dut, bench)
    models = [Model(one, 50 + i) for i, one in enumerate(bench.instances)]

    async def step(share: float, ready: float) -> None:
        own = {model.one.name: model.offer(share, ready) for model in models}
        now = driver.number
        outputs = await driver.cycle({}, own)
        for model in models:
            model.after(now, outputs, faults)

    for restart in ("rst", "zeroize"):
        for share in (1.0, 0.5, 0.2):
            for ready in (1.0, 0.5, 0.2):
                await driver.cycle({restart: 1})
                for model in models:
                    model.reset()
                await driver.cycle({})
                for _ in range(300):
                    for model in models:
                        model.fill()
                    await step(share, ready)
                left = {model.one.name: len(model.source.queue) for model in models}
                for _ in range(200):
                    await step(1.0, 1.0)
                for model in models:
                    if model.expected or model.source.queue:
                        text = f"{len(model.expected)} beats of {left[model.one.name]} stay inside"
                        faults.first.setdefault(model.one.name, text)
                for _ in range(20):
                    for model in models:
                        model.fill()
                    await step(1.0, 0.3)
    bench.judge(faults)
    for model in models:
        if model.one.mutation is None:
            assert model.left > 1000, model.one.name
            assert model.errors > 50, model.one.name
            assert model.stolen > 50 or not model.one["Stealing"], model.one.name


def test_aesforge_unit_lookahead(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
