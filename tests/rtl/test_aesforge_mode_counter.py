# SPDX-License-Identifier: Apache-2.0
"""aesforge_mode_counter: counting across each 16 bits, with gaps and waits."""

from __future__ import annotations

import random
from collections import deque
from pathlib import Path
from typing import Any

import cocotb
import pytest
from rtl_bench import Bench, Driver, Faults, Mutation

M = "aesforge_mode_counter"
SIDE = 12
STAGE, BITS = 8, 16
WIDTHS = {"in_valid": 1, "in_load": 1, "in_count": 1, "in_value": 128, "in_side": SIDE}
MUTATIONS = {
    "32 bits count": Mutation(M, "(carry[i] &&", "(carry[i] && i < 2 &&"),
    "64 bits count": Mutation(M, "(carry[i] &&", "(carry[i] && i < 4 &&"),
    "96 bits count": Mutation(M, "(carry[i] &&", "(carry[i] && i < 6 &&"),
    "fours count by themselves": Mutation(M, "&(full | {Bits / 4{1'b1}} << (k / 4))", "1'b1"),
    "a new value counts": Mutation(M, "assign load[i+1] = load_q;", "assign load[i+1] = 1'b0;"),
    "loads count": Mutation(M, "load[i] ? value :", "load[i] ? value + 1 :"),
    "a start takes the carry": Mutation(M, "carry[0] = !load[0]", "carry[0] = 1'b1"),
    "a start keeps ones": Mutation(M, "(load[i] ? '0 : late_q[0]) ^ turn", "late_q[0] ^ turn"),
    "gaps count": Mutation(M, "if (valid[i]) late_q[0]", "late_q[0]"),
    "the side does not wait": Mutation(
        M,
        "    if (rst || zeroize) valid_q",
        "    if (!step) side_q[0] <= in_side;\n    if (rst || zeroize) valid_q",
    ),
    "zeroization forgets the words": Mutation(M, "in_valid || zeroize", "in_valid"),
    "zeroization counts on": Mutation(M, "in_load || zeroize", "in_load"),
    "zeroization keeps beats": Mutation(M, "if (rst || zeroize) valid_q", "if (rst) valid_q"),
    "a reset keeps blocks": Mutation(M, "if (rst || zeroize) valid_q", "if (zeroize) valid_q"),
}


def make_bench() -> Bench:
    shared = {"rst": 1, "zeroize": 1, "step": 1, **WIDTHS}
    bench = Bench(shared)
    inner = {f"side_{k}": (f"side_q[{k}]", SIDE) for k in range(STAGE)}
    for i in range(STAGE):
        for k in range(i):
            inner[f"early_{i}_{k}"] = (f"gen_word[{i}].early_q[{k}]", BITS)
        for k in range(STAGE - i):
            inner[f"late_{i}_{k}"] = (f"gen_word[{i}].late_q[{k}]", BITS)
    for name, mutation in {"true": None, **MUTATIONS}.items():
        bench.add(
            name,
            M,
            {"SideBits": SIDE},
            outputs={"out_valid": 1, "out_value": 128, "out_side": SIDE},
            probes=inner,
            mutation=mutation,
        )
    return bench


@cocotb.test()
async def counts(dut: Any) -> None:
    """Values close to the edges, runs of all lengths; latency 8 steps."""
    bench, draw, faults = make_bench(), random.Random(3), Faults()
    driver = Driver(dut, bench)
    for restart in ("rst", "zeroize", "rst"):
        await driver.cycle({restart: 1, "step": 1, "in_valid": int(restart == "rst")})
        if restart == "zeroize":
            for _ in range(STAGE):
                outputs = await driver.cycle({restart: 1, "step": 1})
                for one in bench.instances:
                    faults.check(one, outputs.of(one, "out_valid"), 0, "beat while zeroizing")
        outputs = await driver.cycle({}, probes=True)
        if restart == "zeroize":
            for one in bench.instances:
                for probe in one.probes:
                    faults.check(one, outputs.of(one, probe), 0, f"{probe} after zeroization")
        stages: deque[tuple[int, int] | None] = deque([None] * STAGE)
        value, left = 0, 0
        for _ in range(900):
            now = driver.number
            given = {
                "step": int(draw.random() < 0.8),
                "in_valid": int(draw.random() < 0.8),
                "in_load": int(left == 0),
                # One block has none to count from.
                "in_count": draw.getrandbits(1),
                "in_value": draw.getrandbits(128),
                "in_side": draw.getrandbits(SIDE),
            }
            if left == 0:
                edge = BITS * draw.randrange(1, STAGE + 1)
                given["in_value"] |= 2**edge - 1
                given["in_value"] -= draw.randrange(4)
            outputs = await driver.cycle(given)
            for one in bench.instances:
                due = stages[0]
                faults.check(one, outputs.of(one, "out_valid"), int(due is not None), f"{now}")
                if due is not None:
                    faults.check(one, outputs.of(one, "out_value"), due[0], f"value in {now}")
                    faults.check(one, outputs.of(one, "out_side"), due[1], f"side in {now}")
            if given["step"]:
                stages.popleft()
                if given["in_valid"]:
                    value = given["in_value"] if left == 0 else (value + 1) % 2**128
                    left = left - 1 if left else draw.randrange(7)
                    stages.append((value, given["in_side"]))
                else:
                    stages.append(None)
    bench.judge(faults)


@pytest.mark.usefixtures("mutants")
def test_aesforge_mode_counter(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
