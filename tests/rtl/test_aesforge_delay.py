# SPDX-License-Identifier: Apache-2.0
"""aesforge_delay: every depth from 0 to 20 in both styles, and resets at any time."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Mutation

WIDTH = 13
DEEPEST = 20
MUTATIONS = {
    "one place too few": Mutation("aesforge_delay", "PlaceBits'(Places - 1)", "PlaceBits'(Places)"),
    "reset to no place": Mutation(
        "aesforge_delay", "if (rst) place_q <= '0;", "if (rst) place_q <= LastPlace + 1'b1;"
    ),
    "one register too few": Mutation(
        "aesforge_delay", "assign q = stage_q[Depth-1];", "assign q = stage_q[Depth-2];"
    ),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "d": WIDTH})

    def add(name: str, style: int, depth: int, mutation: Mutation | None = None) -> None:
        parameters = {"Width": WIDTH, "Depth": depth, "Style": style}
        bench.add(name, "aesforge_delay", parameters, outputs={"q": WIDTH}, mutation=mutation)

    for style in (0, 1):
        for depth in range(DEEPEST + 1):
            add(f"style {style} depth {depth}", style, depth)
    add("one place too few", 1, 11, MUTATIONS["one place too few"])
    add("reset to no place", 1, 11, MUTATIONS["reset to no place"])
    add("one register too few", 0, 11, MUTATIONS["one register too few"])
    return bench


@cocotb.test()
async def words_arrive_after_depth_cycles(dut: Any) -> None:
    """What came since the last reset arrives unchanged, Depth cycles later."""
    bench, draw, faults = make_bench(), random.Random(1), Faults()
    driver = Driver(dut, bench)
    words: list[int] = []  # since the reset
    # A reset at every phase of every buffer: gaps of all lengths, then a long run.
    gaps = [*range(2 * DEEPEST + 2), *(draw.randrange(60) for _ in range(10)), 5 * DEEPEST]
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
    assert all(count > 400 for count in faults.compared.values())
    bench.judge(faults)


def test_aesforge_delay(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
