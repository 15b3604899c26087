# SPDX-License-Identifier: Apache-2.0
"""aesforge_credit_counter: credit three cycles late, at any rates of taking and giving back."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Mutation

M = "aesforge_credit_counter"
SHAPES = {"8 places": (8, 3), "4 places": (4, 2), "64 places": (64, 2), "128 places": (128, 3)}
MUTATIONS = {
    "one place too many": Mutation(M, "Depth - 1 - Latency", "Depth - Latency"),
    "one place too few": Mutation(M, "Depth - 1 - Latency", "Depth - 2 - Latency"),
    "a take beside a give does not count": Mutation(M, "2'(take) -", "2'(take && give == '0) -"),
    "one place of two": Mutation(M, "take) - give", "take) - 2'(give != '0)"),
    "no sign": Mutation(M, "(LowBits + 2)'($signed(delta_q))", "(LowBits + 2)'(delta_q)"),
    "zeroization keeps places": Mutation(M, "if (rst || zeroize) {delta_q", "if (rst) {delta_q"),
    "a reset keeps places": Mutation(M, "if (rst || zeroize) {delta_q", "if (zeroize) {delta_q"),
    "a cycle early": Mutation(M, "|| used_q <", "|| used_q + 3'(delta_q) <"),
}
# With a second digit.
HIGH_MUTATIONS = {
    "no carry": Mutation(M, "carry_q <= sum[LowBits+:2]", "carry_q <= '0"),
    "a carry has no sign": Mutation(
        M, "(CountBits - LowBits)'($signed(carry_q))", "(CountBits - LowBits)'(carry_q)"
    ),
    "a count waits for its carry": Mutation(M, "carry_q[1] || used_q", "used_q"),
    "zeroization keeps the high digit": Mutation(
        M, "if (rst || zeroize) {carry_q", "if (rst) {carry_q"
    ),
    "a reset keeps the high digit": Mutation(
        M, "if (rst || zeroize) {carry_q", "if (zeroize) {carry_q"
    ),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1})

    def add(name: str, shape: tuple[int, int], mutation: Mutation | None = None) -> None:
        bench.add(
            name,
            M,
            {"Depth": shape[0], "Latency": shape[1]},
            inputs={"take": 1, "give": 2},
            outputs={"credit": 1},
            mutation=mutation,
        )

    for name, shape in SHAPES.items():
        add(name, shape)
    for name, mutation in MUTATIONS.items():
        add(name, SHAPES["8 places"], mutation)
    for name, mutation in HIGH_MUTATIONS.items():
        add(name, SHAPES["128 places"], mutation)
    return bench


@cocotb.test()
async def credit_follows_the_places(dut: Any) -> None:
    """In each cycle it is what the places of three cycles ago allow; they fill up and empty."""
    bench, draw, faults = make_bench(), random.Random(8), Faults()
    driver = Driver(dut, bench)
    seen = {one.name: [0, 0] for one in bench.instances}
    for restart in ("rst", "zeroize", "rst"):
        await driver.cycle({restart: 1}, {one.name: {} for one in bench.instances})
        used = {one.name: 0 for one in bench.instances}
        allowed = {one.name: [0, 1, 1] for one in bench.instances}
        for now in range(1800):
            # Mostly takes, then mostly gives.
            rate = 0.8 if now // 225 % 2 else 0.3
            own = {}
            for one in bench.instances:
                depth, latency = one.parameters["Depth"], one.parameters["Latency"]
                take = int(used[one.name] < depth - 1 and draw.random() < rate)
                give = min(used[one.name], draw.choice((0, 1, 2)) if draw.random() > rate else 0)
                own[one.name] = {"take": take, "give": give}
                used[one.name] += take - give
                allowed[one.name].append(int(used[one.name] < depth - 1 - latency))
            outputs = await driver.cycle({}, own)
            for one in bench.instances:
                due = allowed[one.name].pop(0)
                seen[one.name][due] += 1
                faults.check(one, outputs.of(one, "credit"), due, f"cycle {now}")
    bench.judge(faults)
    assert all(min(counts) > 100 for counts in seen.values()), seen


def test_aesforge_credit_counter(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
