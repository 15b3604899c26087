# SPDX-License-Identifier: Apache-2.0
"""aesforge_staged_counter: counts across every word, with start values, gaps and waits."""

from __future__ import annotations

import random
from collections import deque
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Mutation

M = "aesforge_staged_counter"
WIDEST = 57
# Bits, Stages; the fourth has a word without a bit
SHAPES = {
    "four words": (32, 4),
    "a shorter word": (57, 4),
    "one word": (16, 1),
    "an empty word": (5, 4),
    "three words": (7, 3),
}
MUTATIONS = {
    "the carry is lost": (Mutation(M, "carry_q <= sum[Size];", "carry_q <= 1'b0;"), "four words"),
    "the carry comes too early": (
        Mutation(M, "(Size + 1)'(carry[i])", "(Size + 1)'(carry[0])"),
        "four words",
    ),
    "nothing is added to a start value": (
        Mutation(M, "'(carry[i]);", "'(carry[i] && !load[i]);"),
        "four words",
    ),
    "a start value for the lowest word only": (
        Mutation(M, "{load_q, valid_q} <= {load[i],", "{load_q, valid_q} <= {1'b0,"),
        "four words",
    ),
    "the start value comes too early": (
        Mutation(M, "load[i] ? early[i]", "load[i] ? early[0]"),
        "four words",
    ),
    "the start value is another one": (
        Mutation(M, "in_value[Low+:Size]", "in_value[0+:Size]"),
        "a shorter word",
    ),
    "words leave when they are counted": (
        Mutation(M, "late_q[Stages-1-i]", "late_q[0]"),
        "four words",
    ),
    "gaps count": (Mutation(M, "if (valid[i]) late_q[0]", "late_q[0]"), "a shorter word"),
    "start values do not wait": (
        Mutation(M, "if (step) early[k]", "early[k]"),
        "three words",
    ),
    "beats do not wait": (
        Mutation(M, "if (step) {load_q, valid_q}", "{load_q, valid_q}"),
        "one word",
    ),
    "a reset keeps beats": (Mutation(M, "if (rst) valid_q <= 1'b0;", ""), "an empty word"),
}


def make_bench() -> Bench:
    bench = Bench(
        {"rst": 1, "step": 1, "in_valid": 1, "in_load": 1, "in_add": 1, "in_value": WIDEST}
    )

    def add(name: str, shape: tuple[int, int], mutation: Mutation | None = None) -> None:
        bench.add(
            name,
            M,
            {"Bits": shape[0], "Stages": shape[1]},
            shared={**bench.shared, "in_value": shape[0]},
            outputs={"out_valid": 1, "out_value": shape[0]},
            mutation=mutation,
        )

    for name, shape in SHAPES.items():
        add(name, shape)
    for name, (mutation, shape_name) in MUTATIONS.items():
        add(name, SHAPES[shape_name], mutation)
    return bench


@cocotb.test()
async def counts(dut: Any) -> None:
    """Start values just below each power of two, runs of all lengths; latency in steps."""
    bench, draw, faults = make_bench(), random.Random(31), Faults()
    driver = Driver(dut, bench)
    for _ in range(3):
        # What is inside goes; the reset needs no step.
        await driver.cycle({"rst": 1, "in_valid": 1, "step": draw.getrandbits(1)})
        stages: dict[str, deque[int | None]] = {
            one.name: deque([None] * one["Stages"]) for one in bench.instances
        }
        values: dict[str, int] = {}
        left = 0
        for _ in range(900):
            now = driver.number
            near = 2 ** draw.randrange(1, WIDEST + 1) - draw.randrange(1, 4)
            given = {
                "step": int(draw.random() < 0.8),
                "in_valid": int(draw.random() < 0.7),
                "in_load": int(left == 0),
                "in_add": int(draw.random() < 0.8),
                "in_value": draw.choice((draw.getrandbits(WIDEST), max(near, 0))),
            }
            outputs = await driver.cycle(given)
            moves = given["step"] and given["in_valid"]
            for one in bench.instances:
                held = stages[one.name]
                faults.check(one, outputs.of(one, "out_valid"), int(held[0] is not None), f"{now}")
                if held[0] is not None:
                    faults.check(one, outputs.of(one, "out_value"), held[0], f"value in {now}")
                if not given["step"]:
                    continue
                held.popleft()
                if moves:
                    base = given["in_value"] if left == 0 else values[one.name]
                    values[one.name] = (base + given["in_add"]) % 2 ** one["Bits"]
                held.append(values[one.name] if moves else None)
            if moves:
                left = left - 1 if left else draw.randrange(7)
    bench.judge(faults)


def test_aesforge_staged_counter(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
