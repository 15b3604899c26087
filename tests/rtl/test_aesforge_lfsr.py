# SPDX-License-Identifier: Apache-2.0
"""aesforge_lfsr: the values of the model in Python, step by step, and back to the seed."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Mutation, elaborate

from aesforge.board.signature import times_alpha

M = "aesforge_lfsr"
SEED = 0x5EED
MUTATIONS = {
    "another polynomial": Mutation(M, "'h87", "'h86"),
    "a rotation": Mutation(M, "times_alpha[Width-1] ? Polynomial : '0", "Width'(0)"),
    "restarts at zero": Mutation(M, "value <= Seed[Width-1:0];", "value <= '0;"),
    "steps always": Mutation(M, "else if (step)", "else"),
    "a step goes before a restart": Mutation(
        M, "if (restart) value", "if (restart && !step) value"
    ),
}


def make_bench() -> Bench:
    bench = Bench({"restart": 1, "step": 1})
    for width in (128, 192, 256):
        for steps in (1, 2, 8):
            parameters = {"Width": width, "Seed": SEED, "Steps": steps}
            bench.add(f"{width} bits by {steps}", M, parameters, outputs={"value": width})
    parameters = {"Width": 128, "Seed": SEED, "Steps": 2}
    for name, mutation in MUTATIONS.items():
        bench.add(name, M, parameters, outputs={"value": 128}, mutation=mutation)
    wide = Mutation(M, "'h425", "'h424")
    bench.add("another wide polynomial", M, {**parameters, "Width": 256}, outputs={"value": 256},
              mutation=wide)  # fmt: skip
    return bench


@cocotb.test()
async def values_follow(dut: Any) -> None:
    """Steps and restarts at random, for longer than a bit takes to come round."""
    bench, draw, faults = make_bench(), random.Random(9), Faults()
    driver = Driver(dut, bench)
    await driver.cycle({"restart": 1})
    due = {one.name: SEED for one in bench.instances}
    for cycle in range(3000):
        inputs = {"restart": int(draw.random() < 0.002), "step": int(draw.random() < 0.9)}
        outputs = await driver.cycle(inputs)
        for one in bench.instances:
            faults.check(one, outputs.of(one, "value"), due[one.name], f"value in cycle {cycle}")
            if inputs["restart"]:
                due[one.name] = SEED
            elif inputs["step"]:
                for _ in range(one["Steps"]):
                    due[one.name] = times_alpha(due[one.name], one["Width"])
    bench.judge(faults)


def test_aesforge_lfsr(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


def test_what_is_no_lfsr_is_refused() -> None:
    legal, text = elaborate(M, {"Width": 64})
    assert not legal
    assert "Width must be 128, 192 or 256" in text
    legal, text = elaborate(M, {"Seed": 0})
    assert not legal
    assert "Seed must not be 0" in text
