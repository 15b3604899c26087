# SPDX-License-Identifier: Apache-2.0
"""aesforge_queue_ram: words read at any place, with both registers held at random."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Mutation

M = "aesforge_queue_ram"
WIDTH, DEPTH = 9, 64
BLOCK, DISTRIBUTED = 0, 1
# Style, mutation
MUTATIONS = {
    "writes always": (BLOCK, Mutation(M, "if (write) memory", "memory")),
    "the first register never waits": (BLOCK, Mutation(M, "if (first_step) first_q", "first_q")),
    "the second register never waits": (
        BLOCK,
        Mutation(M, "if (second_step) second_q <= first_q", "second_q <= first_q"),
    ),
    "all banks are written": (
        DISTRIBUTED,
        Mutation(M, "write && 32'(write_place[PlaceBits-1:4]) == b", "write"),
    ),
    "all banks are read": (DISTRIBUTED, Mutation(M, "first_q & {Width{selected_q[b]}}", "first_q")),
    "the bank does not wait": (
        DISTRIBUTED,
        Mutation(
            M,
            "if (first_step) begin",
            "selected_q[b] <= read_place[PlaceBits-1:4] == b; if (first_step) begin",
        ),
    ),
    "the last register never waits": (
        DISTRIBUTED,
        Mutation(M, "if (second_step) second_q <= word", "second_q <= word"),
    ),
}


def make_bench() -> Bench:
    place_bits = DEPTH.bit_length() - 1
    bench = Bench(
        {
            **{"write": 1, "write_place": place_bits, "write_data": WIDTH},
            **{"read_place": place_bits, "first_step": 1, "second_step": 1},
        }
    )
    shapes: dict[str, tuple[int, Mutation | None]] = {
        "block": (BLOCK, None),
        "distributed": (DISTRIBUTED, None),
        **MUTATIONS,
    }
    for name, (style, mutation) in shapes.items():
        bench.add(
            name,
            M,
            {"Width": WIDTH, "Depth": DEPTH, "Style": style},
            outputs={"second_q": WIDTH},
            mutation=mutation,
        )
    return bench


@cocotb.test()
async def words_are_read(dut: Any) -> None:
    bench, draw, faults = make_bench(), random.Random(5), Faults()
    driver = Driver(dut, bench)
    words: list[int | None] = [None] * DEPTH
    first = second = None
    for _ in range(3000):
        write, place = draw.random() < 0.6, draw.randrange(DEPTH)
        read = draw.choice([p for p in range(DEPTH) if not (write and p == place)])
        data, steps = draw.getrandbits(WIDTH), [draw.random() < 0.7 for _ in range(2)]
        given = {
            **{"write": int(write), "write_place": place, "write_data": data},
            **{"read_place": read, "first_step": int(steps[0]), "second_step": int(steps[1])},
        }
        outputs = await driver.cycle(given)
        if second is not None:
            for one in bench.instances:
                faults.check(one, outputs.of(one, "second_q"), second, f"cycle {driver.number}")
        if steps[1]:
            second = first
        if steps[0]:
            first = words[read]
        if write:
            words[place] = data
    bench.judge(faults)


def test_aesforge_queue_ram(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
