# SPDX-License-Identifier: Apache-2.0
"""aesforge_counted_delay: words arrive after every depth, and a counter gone astray is told."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Mutation

WIDTH = 13
# Places that are a power of two or not: a counter hit by an SEU may leave its range and come back.
DEPTHS = (1, 7, 8, 9, 14, 25, 33)
M = "aesforge_counted_delay"
# A word with these low bits turns a bit of a counter over. None of this may pass undetected.
SEUS = {
    "first counter": Mutation(
        M, "place_q <= place;", "place_q <= place ^ PlaceBits'((d % 64) == 3 ? d >> 6 : 0);"
    ),
    "second counter": Mutation(
        M, "again_q <= ~again;", "again_q <= ~again ^ PlaceBits'((d % 64) == 3 ? d >> 6 : 0);"
    ),
}
MUTATIONS = {
    "one place too few": Mutation(M, "PlaceBits'(Places - 1)", "PlaceBits'(Places)"),
    "always astray": Mutation(M, "differ = place_q != ~again_q;", "differ = place_q != again_q;"),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "d": WIDTH})

    def add(name: str, style: int, depth: int, mutation: Mutation | None = None) -> None:
        parameters = {"Width": WIDTH, "Depth": depth, "Style": style}
        bench.add(name, M, parameters, outputs={"q": WIDTH, "astray": 1}, mutation=mutation)

    for style in (0, 1):
        for depth in DEPTHS:
            add(f"style {style} depth {depth}", style, depth)
    for depth in DEPTHS[2:]:
        for name, mutation in SEUS.items():
            add(f"seu: {name}, depth {depth}", 1, depth, mutation)
    for name, mutation in MUTATIONS.items():
        add(name, 1, 11, mutation)
    return bench


@cocotb.test()
async def words_arrive_and_seus_are_told(dut: Any) -> None:
    """Words arrive Depth cycles later without `astray`; with an SEU, none is wrong without it."""
    bench, draw, faults = make_bench(), random.Random(1), Faults()
    driver = Driver(dut, bench)
    wrong: dict[str, int] = {}
    for gap in [*range(2, 20), *(200 for _ in range(6))]:
        await driver.cycle({"rst": 1})
        words: list[int] = []
        for _ in range(gap):
            words.append(draw.getrandbits(WIDTH))
            outputs = await driver.cycle({"rst": 0, "d": words[-1]})
            for one in bench.instances:
                if len(words) <= one["Depth"]:
                    continue
                got, astray = outputs.of(one, "q"), outputs.of(one, "astray")
                right = got == words[-1 - one["Depth"]]
                faults.check(one, (right, astray), (True, 0), f"cycle {driver.number}")
                if one.name.startswith("seu") and not right:
                    wrong[one.name] = wrong.get(one.name, 0) + 1
                    assert astray, f"{one.name}: a wrong word without a word"
    # The data come from the memory of the first counter: only its SEUs make them wrong.
    assert {name for name, n in wrong.items() if n > 20} == {
        one.name for one in bench.instances if "first counter" in one.name
    }
    bench.judge(faults)


def test_aesforge_counted_delay(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
