# SPDX-License-Identifier: Apache-2.0
"""aesforge_tag_compare: every bit of a difference is an error, and none of any other beat."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Mutation

M = "aesforge_tag_compare"
SIDE = 6
MUTATIONS = {
    "a part is not compared": Mutation(M, "differs_q != '0)", "differs_q[6:0] != '0)"),
    "a bit is not compared": Mutation(M, "in_data[16*i+:16] != '0", "in_data[16*i+:15] != '0"),
    "every beat is compared": Mutation(M, "(compare_q && differs_q", "(differs_q"),
    "an error passes": Mutation(M, "error_q || (", "("),
    "the difference leaves": Mutation(M, "compare_q ? '0 : data_q", "data_q"),
    "nothing leaves": Mutation(M, "compare_q ? '0 : data_q", "'0"),
    "the side of another beat": Mutation(M, "out_side  <= side_q", "out_side  <= in_side"),
    "a reset keeps a beat": Mutation(M, "if (rst || zeroize) {valid_q", "if (zeroize) {valid_q"),
}


def make_bench() -> Bench:
    ports = {"in_valid": 1, "in_compare": 1, "in_error": 1, "in_data": 128, "in_side": SIDE}
    bench = Bench({"rst": 1, "zeroize": 1, **ports})

    def add(name: str, mutation: Mutation | None = None) -> None:
        outputs = {"out_valid": 1, "out_error": 1, "out_data": 128, "out_side": SIDE}
        bench.add(name, M, {"SideBits": SIDE}, outputs=outputs, mutation=mutation)

    add("compare")
    for name, mutation in MUTATIONS.items():
        add(name, mutation)
    return bench


@cocotb.test()
async def differences_are_errors(dut: Any) -> None:
    """Each single bit, none, and any data; restarts between them."""
    bench, draw, faults = make_bench(), random.Random(3), Faults()
    driver = Driver(dut, bench)
    await driver.cycle({"rst": 1})
    queue: list[tuple[int, ...]] = [(0, 0, 0, 0)] * 2
    for number in range(1600):
        restart = draw.choice(("rst", "zeroize")) if number % 97 == 50 else None
        data = 1 << number % 128 if number < 256 else draw.choice((0, 0, draw.getrandbits(128)))
        given = {
            **{"in_valid": draw.randrange(2), "in_compare": draw.randrange(2)},
            **{"in_error": int(draw.random() < 0.1), "in_data": data},
            "in_side": draw.getrandbits(SIDE),
        }
        outputs = await driver.cycle(given | ({restart: 1} if restart else {}))
        valid, error, out, side = queue.pop(0)
        for one in bench.instances:
            where = f"cycle {driver.number}"
            faults.check(one, outputs.of(one, "out_valid"), valid, where)
            if valid:
                found = tuple(outputs.of(one, f"out_{name}") for name in ("error", "data", "side"))
                faults.check(one, int(found == (error, out, side)), 1, where)
        wrong = given["in_error"] or (given["in_compare"] and data != 0)
        kept = 0 if given["in_compare"] else data
        queue.append((given["in_valid"], int(bool(wrong)), kept, given["in_side"]))
        if restart:
            queue = [(0, 0, 0, 0)] * 2
    bench.judge(faults)


def test_aesforge_tag_compare(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
