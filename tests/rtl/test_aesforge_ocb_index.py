# SPDX-License-Identifier: Apache-2.0
"""aesforge_ocb_index: the word of the table for each beat, in sections of every length."""

from __future__ import annotations

import random
from collections import deque
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, Outputs
from streams import Source

M = "aesforge_ocb_index"
WIDTH = 9
# CountBits
SHAPES = {"64 blocks": 6, "16,384 blocks": 14}
MUTATIONS = {
    "every block takes L_0": Mutation(M, "s_full ? block_index", "s_full ? IndexBits'(2)"),
    "the second block": Mutation(M, "!low[1] ? IndexBits'(3)", "!low[1] ? IndexBits'(2)"),
    "the fourth block": Mutation(M, "!low[2] ? IndexBits'(4)", "!low[2] ? IndexBits'(5)"),
    "the eighth block": Mutation(M, "!low[3] ? IndexBits'(5)", "!low[3] ? IndexBits'(6)"),
    "the sixteenth block": Mutation(M, "IndexBits'(6) + high_ones", "IndexBits'(5) + high_ones"),
    "the thirty-second block": Mutation(M, "IndexBits'(6) + high_ones", "IndexBits'(6)"),
    "text goes on from associated data": Mutation(M, "first_q || (aad_q && !s_aad)", "first_q"),
    "a packet goes on from the one before": Mutation(M, "first_q || (aad_q", "(aad_q"),
    "a block too many": Mutation(M, "at_end && s_full && !s_last", "1'b0"),
    "the tag is a block too many": Mutation(M, "at_end && s_full && !s_last", "at_end && s_full"),
    "blocks of all sections count": Mutation(M, "if (start) high_q <= '0;\n      else if", "if"),
    "the tag's word": Mutation(M, "s_last ? IndexBits'(1)", "s_last ? IndexBits'(0)"),
    "a word without a beat": Mutation(M, "if (s_valid && s_ready) begin", "if (s_ready) begin"),
    "a reset keeps the section": Mutation(M, "if (rst || zeroize) first_q", "if (zeroize) first_q"),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1})

    def add(name: str, count_bits: int, mutation: Mutation | None = None) -> None:
        bench.add(
            name,
            M,
            {"Width": WIDTH, "CountBits": count_bits},
            inputs={
                **{"s_valid": 1, "s_data": WIDTH, "s_full": 1, "s_aad": 1, "s_last": 1},
                "m_ready": 1,
            },
            outputs={
                **{"s_ready": 1, "m_valid": 1, "m_data": WIDTH, "m_aad": 1, "m_last": 1},
                **{"m_full": 1, "m_index": 4, "m_start": 1, "m_over": 1},
            },
            mutation=mutation,
        )

    for name, count_bits in SHAPES.items():
        add(name, count_bits)
    for name, mutation in MUTATIONS.items():
        add(name, 6, mutation)
    return bench


class Model:
    """Packets in, and what must be known of their beats."""

    def __init__(self, one: Instance, seed: int) -> None:
        self.one, self.draw = one, random.Random(seed)
        self.source = Source()
        self.left = self.over = self.most = 0
        self.reset()

    def reset(self) -> None:
        self.source.drop()
        self.expected: deque[tuple[int, ...]] = deque()

    def fill(self) -> None:
        draw = self.draw
        while len(self.source.queue) < 6:
            sections = [
                (1, draw.choice((0, 0, 1, 2, 5, 18))),
                (0, draw.choice((0, 1, 3, 9, 34, 63, 70))),
            ]
            first = True
            before = 0
            for aad, count in sections:
                blocks, start = 0, True
                for number in range(count):
                    full = int(number < count - 1 or draw.random() < 0.5)
                    blocks += full
                    index = 1 + (blocks & -blocks).bit_length() if full else 0
                    most = 2 ** self.one["CountBits"] - 1
                    over = int(full and blocks == most + 1)
                    # What a block too many has, and those after it, does not matter.
                    known = int(blocks <= most)
                    flags = (aad, 0, full, int(start))
                    word = (draw.getrandbits(WIDTH), *flags, index * known, over, known)
                    self.source.queue.append(word)
                    first, start, before = False, False, aad
            start = first or before == 1
            full = draw.randrange(2)
            self.source.queue.append((draw.getrandbits(WIDTH), 0, 1, full, int(start), 1, 0, 1))

    def offer(self, share: float, ready: float) -> dict[str, int]:
        self.ready = int(self.draw.random() < ready)
        values = {"m_ready": self.ready}
        if self.source.offer(self.draw, share):
            data, aad, last, full, *_ = self.source.queue[0]
            values |= {"s_valid": 1, "s_data": data, "s_aad": aad, "s_last": last, "s_full": full}
        return values

    def after(self, now: int, outputs: Outputs, faults: Faults) -> None:
        def got(port: str) -> int:
            return outputs.of(self.one, port)

        word = self.source.after(got("s_ready"))
        if word is not None:
            self.expected.append(word)
        if not (got("m_valid") and self.ready):
            return
        names = ("data", "aad", "last", "full", "start", "index", "over")
        found = tuple(got(f"m_{name}") for name in names)
        due = self.expected.popleft() if self.expected else None
        self.left += 1
        self.most = max(self.most, found[5])
        self.over += found[6]
        same = due is not None and found[:5] == due[:5]
        if same and due is not None:
            same = (not due[7] or found[5:] == due[5:7]) and (not due[6] or bool(found[6]))
        if not same:
            faults.first.setdefault(self.one.name, f"cycle {now}: {found}, expected {due}")


@cocotb.test()
async def beats_have_their_words(dut: Any) -> None:
    """Idle x back-pressure x a restart with beats inside."""
    bench, faults = make_bench(), Faults()
    driver = Driver(dut, bench)
    models = [Model(one, 50 + i) for i, one in enumerate(bench.instances)]
    for restart in ("rst", "zeroize"):
        for share in (1.0, 0.5):
            for ready in (1.0, 0.5):
                await driver.cycle({restart: 1})
                for model in models:
                    model.reset()
                await driver.cycle({})
                for _ in range(700):
                    own = {}
                    for model in models:
                        model.fill()
                        own[model.one.name] = model.offer(share, ready)
                    now = driver.number
                    outputs = await driver.cycle({}, own)
                    for model in models:
                        model.after(now, outputs, faults)
    bench.judge(faults)
    for model in models:
        if model.one.mutation is None:
            assert model.left > 1000, model.one.name
            assert model.most == {6: 7, 14: 8}[model.one["CountBits"]], model.one.name
            assert model.over > 5 or model.one["CountBits"] > 6, model.one.name


def test_aesforge_ocb_index(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
