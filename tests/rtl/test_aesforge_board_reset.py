# SPDX-License-Identifier: Apache-2.0
"""aesforge_board_reset: high from the start, low a while after the lock, high when it is lost."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Mutation

M = "aesforge_board_reset"
MUTATIONS = {
    "does not wait": Mutation(M, "(ready_q || &count_q)", "1'b1"),
    "waits for one cycle of a lock": Mutation(
        M, "locked_q[1] ? count_q + 1'b1 : '0", "count_q + 1'b1"
    ),
    "a lost lock does not count": Mutation(
        M, "locked_q[1] && (ready_q || &count_q)", "ready_q || (locked_q[1] && &count_q)"
    ),
    "not synchronized": Mutation(M, "{locked_q[0], locked}", "{locked, locked}"),
    "starts without a reset": Mutation(M, "    ready_q  = 1'b0;", "    ready_q  = 1'b1;"),
    "starts locked": Mutation(M, "    locked_q = '0;", "    locked_q = '1;"),
}


def make_bench() -> Bench:
    bench = Bench({"locked": 1})
    for bits in (1, 3, 5):
        bench.add(f"{bits} bits", M, {"Bits": bits}, outputs={"rst": 1})
    for name, mutation in MUTATIONS.items():
        bench.add(name, M, {"Bits": 3}, outputs={"rst": 1}, mutation=mutation)
    return bench


@cocotb.test()
async def resets_until_the_lock_lasts(dut: Any) -> None:
    """From the first cycle on, with a lock that comes and goes."""
    bench, draw, faults = make_bench(), random.Random(4), Faults()
    driver = Driver(dut, bench)
    line = [0, 0]
    count = {one.name: 0 for one in bench.instances}
    ready = {one.name: False for one in bench.instances}
    # The first lock comes early: what a register starts with must not shorten the reset.
    locked, left, releases = 1, 60, 0
    for cycle in range(4000):
        if left == 0:
            locked, left = 1 - locked, draw.choice((1, 2, 5, 9, 20, 60))
        left -= 1
        outputs = await driver.cycle({"locked": locked})
        for one in bench.instances:
            name = one.name
            faults.check(one, outputs.of(one, "rst"), int(not ready[name]), f"rst in cycle {cycle}")
            full = count[name] == 2 ** one["Bits"] - 1
            was = ready[name]
            ready[name] = bool(line[1]) and (was or full)
            releases += ready[name] and not was
            count[name] = (count[name] + 1) % 2 ** one["Bits"] if line[1] else 0
        line = [locked, line[0]]
    assert releases > 100
    bench.judge(faults)


def test_aesforge_board_reset(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
