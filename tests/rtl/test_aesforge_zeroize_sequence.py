# SPDX-License-Identifier: Apache-2.0
"""aesforge_zeroize_sequence: how long the cores and the rest are zeroized, whatever they do."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Instance, Mutation

M = "aesforge_zeroize_sequence"
CYCLES = (1, 7, 8, 71)
MUTATIONS = {
    "no order": Mutation(
        M,
        "zeroizing <= zeroize || (zeroizing && (core_zeroize || !end_q))",
        "zeroizing <= zeroize",
    ),
    "it never ends": Mutation(M, "(core_zeroize || !end_q)", "1'b1"),
    "a pulse in the last cycle is lost": Mutation(M, "(core_zeroize || !end_q)", "!end_q"),
    "the cores are not waited for": Mutation(M, "&& cores_ready && !end_q", "&& !end_q"),
    "the cores' first cycle counts": Mutation(
        M, "zeroizing && !core_zeroize && cores", "zeroizing && cores"
    ),
    "the count goes on when the cores stop": Mutation(
        M, "rest_q + 1'b1 : '0", "rest_q + 1'b1 : rest_q"
    ),
    "a cycle too few": Mutation(
        M, "rest_q == RestBits'(Cycles - 1)", "rest_q == RestBits'(Cycles - 2)"
    ),
    "a reset goes on": Mutation(M, "      zeroizing <= 1'b0;\n", ""),
    "a reset reaches the cores late": Mutation(M, "      core_zeroize <= 1'b0;\n", ""),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1, "cores_ready": 1})

    def add(name: str, cycles: int, mutation: Mutation | None = None) -> None:
        outputs = {"core_zeroize": 1, "zeroizing": 1}
        bench.add(name, M, {"Cycles": cycles}, outputs=outputs, mutation=mutation)

    for cycles in CYCLES:
        add(f"{cycles} cycles", cycles)
    for name, mutation in MUTATIONS.items():
        add(name, 7, mutation)
    return bench


class Model:
    """Whether it zeroizes, and for how many cycles in a row the cores have been ready."""

    def __init__(self, one: Instance) -> None:
        self.cycles = one["Cycles"]
        self.core = self.on = self.count = 0

    def step(self, rst: int, zeroize: int, ready: int) -> None:
        end = self.count == self.cycles
        counts = self.on and not self.core and ready and not end
        self.count = self.count + 1 if counts else 0
        self.on = int(zeroize or (self.on and (self.core or not end)))
        self.core = zeroize
        if rst:
            self.core = self.on = 0


@cocotb.test()
async def the_cores_first(dut: Any) -> None:
    """Cores that take any time, and stop again; pulses in the middle of another; resets."""
    bench, draw, faults = make_bench(), random.Random(6), Faults()
    driver = Driver(dut, bench)
    models = {one.name: Model(one) for one in bench.instances}
    await driver.cycle({"rst": 1})
    await driver.cycle({"rst": 1})
    finished = dict.fromkeys(models, 0)
    for number in range(6000):
        rst = draw.random() < 0.003
        ends = models["7 cycles"].count > 5
        given = {
            "rst": int(rst),
            "zeroize": int(draw.random() < (0.5 if rst else 0.1 if ends else 0.006)),
            # Often ready for long, and now and then not.
            "cores_ready": int(draw.random() < (0.999 if number // 300 % 2 else 0.8)),
        }
        outputs = await driver.cycle(given)
        for one in bench.instances:
            model = models[one.name]
            where = f"cycle {driver.number}"
            faults.check(one, outputs.of(one, "core_zeroize"), model.core, where)
            faults.check(one, outputs.of(one, "zeroizing"), model.on, where)
            was = model.on
            model.step(given["rst"], given["zeroize"], given["cores_ready"])
            finished[one.name] += was and not model.on and not given["rst"]
    bench.judge(faults)
    assert all(finished[f"{cycles} cycles"] > 5 for cycles in CYCLES)


def test_aesforge_zeroize_sequence(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
