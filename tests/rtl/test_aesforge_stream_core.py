# SPDX-License-Identifier: Apache-2.0
"""aesforge_stream_core: each stream's block comes back encrypted, under its key or slot.

Key updates among packets, and what `zeroize` leaves, are tested through the engines around it.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
import pytest
from fips197 import encrypt, rounds
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, elaborate, zeroizes_the_cores_alone

M = "aesforge_stream_core"
NAMES = ("KeyBits", "Unroll", "KeySlots", "Tiles", "Streams", "Depth")
SHAPES = {
    "unrolled": (128, 10, 0, 1, 7, 8),
    "a ring": (128, 2, 0, 1, 5, 8),
    "two rings, stored": (192, 4, 3, 2, 6, 4),
    "stored": (256, 14, 2, 1, 1, 4),
}
MUTATIONS = {
    "no queue": ("a ring", Mutation(M, ".m_valid(core_valid)", ".m_valid()")),
    "another stream": ("a ring", Mutation(M, ".in_tag(core_stream)", ".in_tag(in_stream)")),
    "slot 0": ("two rings, stored", Mutation(M, "core_slot = core_window", "core_slot = '0")),
    "keys in reverse": (
        "two rings, stored",
        Mutation(M, ".s_key_tdata(swapped_key)", ".s_key_tdata(s_key_tdata)"),
    ),
    "zeroization ends at once": (
        "unrolled",
        zeroizes_the_cores_alone(M),
    ),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1})

    def add(name: str, shape: tuple[int, ...], mutation: Mutation | None = None) -> None:
        given = dict(zip(NAMES, shape, strict=True))
        slots = given["KeySlots"]
        slot = (slots - 1).bit_length() if slots else 1
        stream = max(1, (given["Streams"] - 1).bit_length())
        bench.add(
            name,
            M,
            {
                **given,
                **{"SboxStyle": 0, "KeySboxStyle": 0, "SboxStages": 0, "LinearStages": 1},
            },
            inputs={
                **{"s_key_tvalid": 1, "s_key_slot": slot, "s_key_tdata": given["KeyBits"]},
                **{"next_valid": 1, "next_slot": slot, "begin_valid": 1, "begin_stream": stream},
                **{"end_valid": 1, "end_stream": stream},
                **{"in_valid": 1, "in_stream": stream, "in_block": 128},
                "in_window": slot if slots else given["KeyBits"],
            },
            outputs={
                **{"zeroizing": 1, "s_key_tready": 1, "next_stall": 1, "next_unknown": 1},
                **{"out_valid": 1, "out_stream": stream, "out_block": 128},
            },
            mutation=mutation,
        )

    for name, shape in SHAPES.items():
        add(name, shape)
    for name, (shape_name, mutation) in MUTATIONS.items():
        add(name, SHAPES[shape_name], mutation)
    return bench


class State:
    """What is inside, and the keys of the slots."""

    def __init__(self, one: Instance) -> None:
        self.one = one
        self.busy: dict[int, int] = {}  # stream -> its result
        self.keys: dict[int, int] = {}

    def load(self, draw: random.Random, slot: int) -> dict[str, int]:
        size = self.one["KeyBits"] // 8
        key = draw.randbytes(size)
        self.keys[slot] = int.from_bytes(key, "big")
        return {"s_key_tvalid": 1, "s_key_slot": slot, "s_key_tdata": int.from_bytes(key, "little")}

    def offer(self, draw: random.Random, share: float) -> dict[str, int]:
        stream = draw.randrange(self.one["Streams"])
        if stream in self.busy or draw.random() >= share:
            return {}
        bits, block = self.one["KeyBits"], draw.getrandbits(128)
        window = draw.choice([*self.keys]) if self.keys else draw.getrandbits(bits)
        self.busy[stream] = encrypt(block, self.keys[window] if self.keys else window, bits)
        return {"in_valid": 1, "in_stream": stream, "in_window": window, "in_block": block}


@cocotb.test()
async def blocks_come_back(dut: Any) -> None:
    bench, draw, faults = make_bench(), random.Random(3), Faults()
    driver = Driver(dut, bench)
    await driver.cycle({"rst": 1})
    for _ in range(2):
        states = [State(one) for one in bench.instances]
        for slot in range(max(one["KeySlots"] for one in bench.instances)):
            own = {s.one.name: s.load(draw, slot) for s in states if slot < s.one["KeySlots"]}
            waiting = {s.one.name: s for s in states if s.one.name in own}
            for _ in range(60):
                outputs = await driver.cycle({}, {name: own[name] for name in waiting})
                taken = [n for n, s in waiting.items() if outputs.of(s.one, "s_key_tready")]
                for name in taken:
                    del waiting[name]
            assert not waiting, waiting
        for at in range(700):
            share = 0.0 if at > 500 else 0.9 if at > 200 else 0.3
            own = {s.one.name: s.offer(draw, share) for s in states}
            outputs = await driver.cycle({}, own)
            for s in states:
                if outputs.of(s.one, "out_valid"):
                    stream = outputs.of(s.one, "out_stream")
                    due = s.busy.pop(stream, None)
                    where = f"stream {stream}, cycle {driver.number}"
                    faults.check(s.one, outputs.of(s.one, "out_block"), due, where)
        for s in states:
            faults.check(s.one, s.busy, {}, "blocks that never came back")
        # `zeroizing` lasts until the core is open and the places around it are overwritten.
        outputs = await driver.cycle({"zeroize": 1})
        lasts = dict.fromkeys([s.one.name for s in states], 0)
        for _ in range(150):
            outputs = await driver.cycle({})
            for s in states:
                lasts[s.one.name] += outputs.of(s.one, "zeroizing")
        for s in states:
            places = max(s.one["Depth"], 1 << (s.one["Streams"] - 1).bit_length())
            enough = rounds(s.one["KeyBits"]) + places < lasts[s.one.name] < 150
            faults.check(s.one, enough, True, f"zeroizing for {lasts[s.one.name]} cycles")
    bench.judge(faults)


@pytest.mark.usefixtures("mutants")
def test_aesforge_stream_core(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


def test_tiles_of_an_unrolled_core_are_refused() -> None:
    legal, said = elaborate(M, {"SboxStyle": 0, "KeySboxStyle": 0, "Tiles": 2})
    assert not legal
    assert "tiles must be 1 where unroll is full" in said
