# SPDX-License-Identifier: Apache-2.0
"""aesforge_context_timeout: in its cycle, at any length of the wait."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Mutation

M = "aesforge_context_timeout"
CYCLES = (0, 1, 2, 5, 8)
MUTATIONS = {
    "a cycle late": Mutation(M, "CountBits'(Cycles - 2)", "CountBits'(Cycles - 1)"),
    "a cycle early": Mutation(M, "CountBits'(Cycles - 2)", "CountBits'(Cycles - 3)"),
    "the end of the wait before": Mutation(M, "        end_q   <= Cycles == 1;\n", ""),
    "counts while nothing waits": Mutation(M, "if (!waiting) count_q <= '0;", "if (1'b0) ;"),
    "counts two waits as one": Mutation(M, "count = restart_q ? '0 : count_q", "count = count_q"),
    "the count of the next wait is short": Mutation(
        M, "count_q <= count + 1", "count_q <= count_q + 1"
    ),
    "gives up for one cycle": Mutation(M, "missing <= missing ||", "missing <="),
    "the next packet does not wait": Mutation(M, "        missing <= 1'b0;\n", ""),
    "only a reset clears": Mutation(M, "if (rst || restart)", "if (rst)"),
    "a reset does not clear": Mutation(M, "if (rst || restart)", "if (restart)"),
    "waits for ever": Mutation(M, "Cycles > 0", "Cycles > 5"),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "waiting": 1, "restart": 1})
    for cycles in CYCLES:
        bench.add(f"{cycles} cycles", M, {"Cycles": cycles}, outputs={"missing": 1})
    for name, mutation in MUTATIONS.items():
        bench.add(name, M, {"Cycles": 5}, outputs={"missing": 1}, mutation=mutation)
    bench.add(
        "an end without a wait",
        M,
        {"Cycles": 2},
        outputs={"missing": 1},
        mutation=Mutation(M, "(waiting && count ==", "(count =="),
    )
    return bench


@cocotb.test()
async def a_wait_ends(dut: Any) -> None:
    """After its cycles; waits of all lengths, with and without cycles between them."""
    bench, draw, faults = make_bench(), random.Random(6), Faults()
    driver = Driver(dut, bench)
    await driver.cycle({"rst": 1})
    for wait in [*range(12), *(draw.randrange(12) for _ in range(200))]:
        # The packet waits, and goes on in the last of these cycles.
        for cycle in range(wait + 1):
            last = cycle == wait
            by_reset = last and draw.random() < 0.3
            values = {"waiting": 1, "restart": int(last and not by_reset), "rst": int(by_reset)}
            outputs = await driver.cycle(values)
            for one in bench.instances:
                cycles = one.parameters["Cycles"]
                # Of one cycle: it may stand before the packet comes.
                if cycles != 1 or cycle:
                    due = int(0 < cycles <= cycle)
                    faults.check(one, outputs.of(one, "missing"), due, f"{cycle} of {wait} cycles")
        for _ in range(draw.choice((0, 1, 3, 9))):
            outputs = await driver.cycle({"waiting": 0})
            for one in bench.instances:
                if one.parameters["Cycles"] != 1:
                    faults.check(one, outputs.of(one, "missing"), 0, "no packet waits")
    bench.judge(faults)


def test_aesforge_context_timeout(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
