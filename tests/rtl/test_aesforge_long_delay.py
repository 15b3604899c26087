# SPDX-License-Identifier: Apache-2.0
"""aesforge_long_delay: every depth from 4 to 40 in both styles, and resets at any time."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Mutation

M = "aesforge_long_delay"
WIDTH = 13
DEEPEST = 40
MUTATIONS = {
    "a word too late": Mutation(M, "PlaceBits - (Depth - 2)", "PlaceBits - (Depth - 1)"),
    "a reset keeps the place": Mutation(M, "      write_q <= '0;\n", ""),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "d": WIDTH})

    def add(name: str, style: int, depth: int, mutation: Mutation | None = None) -> None:
        parameters = {"Width": WIDTH, "Depth": depth, "Style": style}
        bench.add(name, M, parameters, outputs={"q": WIDTH}, mutation=mutation)

    for style in (0, 1):
        for depth in range(4, DEEPEST + 1):
            add(f"style {style} depth {depth}", style, depth)
    for name, mutation in MUTATIONS.items():
        add(name, 1, 21, mutation)
    return bench


@cocotb.test()
async def words_arrive_after_depth_cycles(dut: Any) -> None:
    """What came since the last reset arrives unchanged, Depth cycles later."""
    bench, draw, faults = make_bench(), random.Random(1), Faults()
    driver = Driver(dut, bench)
    words: list[int] = []  # since the reset
    gaps = [*range(DEEPEST), *(draw.randrange(100) for _ in range(10)), 5 * DEEPEST]
    for gap in gaps:
        await driver.cycle({"rst": 1, "d": draw.getrandbits(WIDTH)})
        words.clear()
        for _ in range(gap):
            words.append(draw.getrandbits(WIDTH))
            outputs = await driver.cycle({"rst": 0, "d": words[-1]})
            for one in bench.instances:
                if len(words) > one["Depth"]:
                    got = outputs.of(one, "q")
                    faults.check(one, got, words[-1 - one["Depth"]], f"cycle {driver.number}")
    assert all(count > 200 for count in faults.compared.values())
    bench.judge(faults)


def test_aesforge_long_delay(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
