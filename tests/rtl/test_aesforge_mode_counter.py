# SPDX-License-Identifier: Apache-2.0
"""aesforge_mode_counter: counting across each 16 bits, one block or more in a beat, with gaps."""

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
BLOCKS = (1, 3, 4)  # of a beat; an instance takes as many from the low end of `in_value`
WIDTHS = {
    **{"in_valid": 1, "in_load": 1, "in_count": 1},
    **{"in_value": 128 * max(BLOCKS), "in_side": SIDE},
}
MUTATIONS = {
    "32 bits count": Mutation(M, "(late_q[0], carry[i])", "(late_q[0], carry[i] && i < 2)"),
    "64 bits count": Mutation(M, "(late_q[0], carry[i])", "(late_q[0], carry[i] && i < 4)"),
    "96 bits count": Mutation(M, "(late_q[0], carry[i])", "(late_q[0], carry[i] && i < 6)"),
    "fours count by themselves": Mutation(M, "&(full | {Bits / 4{1'b1}} << (k / 4))", "1'b1"),
    "a new value counts": Mutation(M, "assign load[i+1] = load_q;", "assign load[i+1] = 1'b0;"),
    "loads count": Mutation(M, "load[i] ? value :", "load[i] ? value + 1 :"),
    "a start keeps ones": Mutation(M, "? value : stepped", "? value | stepped : stepped"),
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
# Of beats of four blocks.
BEAT_MUTATIONS = {
    "the counter steps by one": Mutation(M, "4'(Blocks)", "4'd1"),
    "the step stays in four bits": Mutation(M, ", low[4])", ", 1'b0)"),
    "all blocks have one value": Mutation(M, "count_q[i] ? 4'(b) : 4'd0", "4'd0"),
    "a block's number stays in four bits": Mutation(
        M, "carry_on(base_q, more_q)", "{1'b0, base_q}"
    ),
    "a block's own value counts": Mutation(M, "count_q[i] ? 4'(b) : 4'd0", "4'(b)"),
    "blocks have no value of their own": Mutation(M, "b == 0 || count_q[i] ?", "1'b1 ?"),
    "a block's carry stops at 16 bits": Mutation(M, "over[i][b])", "1'b0)"),
    "a block's carry stops at 112 bits": Mutation(M, "over[i][b])", "over[i][b] && i < 7)"),
    "the last block swaps with the first": Mutation(
        M, "out_value[128*(Blocks-1-b)+Bits*i+:Bits]", "out_value[128*b+Bits*i+:Bits]"
    ),
    "zeroization counts": Mutation(M, "in_count && !zeroize", "in_count"),
}


def latency(blocks: int) -> int:
    return STAGE if blocks == 1 else STAGE + 2


def registers(blocks: int) -> dict[str, tuple[str, int]]:
    found = {f"side_{k}": (f"side_q[{k}]", SIDE) for k in range(latency(blocks))}
    for i in range(STAGE):
        word = f"gen_word[{i}]"
        for k in range(i):
            found[f"early_{i}_{k}"] = (f"{word}.early_q[{k}]", BITS)
        for k in range(STAGE - i if blocks == 1 else 1):
            found[f"late_{i}_{k}"] = (f"{word}.late_q[{k}]", BITS)
    return found


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1, "step": 1, **WIDTHS})
    mutants: dict[int, dict[str, Mutation]] = {1: MUTATIONS, max(BLOCKS): BEAT_MUTATIONS}
    for blocks in BLOCKS:
        for name, mutation in {"true": None, **mutants.get(blocks, {})}.items():
            bench.add(
                f"{blocks}, {name}",
                M,
                {"Blocks": blocks, "SideBits": SIDE},
                outputs={"out_valid": 1, "out_value": 128 * blocks, "out_side": SIDE},
                shared={**bench.shared, "in_value": 128 * blocks},
                probes=registers(blocks),
                mutation=mutation,
            )
    return bench


class Model:
    """What leaves a counter of beats of so many blocks."""

    def __init__(self, blocks: int) -> None:
        self.blocks = blocks
        self.first = 0
        self.stages: deque[tuple[int, int] | None] = deque([None] * latency(blocks))

    @property
    def due(self) -> tuple[int, int] | None:
        return self.stages[0]

    def step(self, given: dict[str, int]) -> None:
        self.stages.popleft()
        if not given["in_valid"]:
            self.stages.append(None)
            return
        own = [given["in_value"] >> 128 * b & 2**128 - 1 for b in reversed(range(self.blocks))]
        self.first = own[0] if given["in_load"] else (self.first + self.blocks) % 2**128
        beat = self.first
        for b in range(1, self.blocks):
            value = (self.first + b) % 2**128 if given["in_count"] else own[b]
            beat = beat << 128 | value
        self.stages.append((beat, given["in_side"]))


@cocotb.test()
async def counts(dut: Any) -> None:
    """Values close to the edges, runs of all lengths; latency 8 steps, 10 with several blocks."""
    bench, draw, faults = make_bench(), random.Random(3), Faults()
    driver = Driver(dut, bench)
    for restart in ("rst", "zeroize", "rst"):
        # After a zeroization nothing of what came with it may be left.
        given = {"in_valid": int(restart == "rst"), "in_count": 1}
        await driver.cycle({restart: 1, "step": 1, **given})
        if restart == "zeroize":
            for _ in range(max(map(latency, BLOCKS))):
                outputs = await driver.cycle({restart: 1, "step": 1, "in_count": 1})
                for one in bench.instances:
                    faults.check(one, outputs.of(one, "out_valid"), 0, "beat while zeroizing")
        outputs = await driver.cycle({}, probes=True)
        if restart == "zeroize":
            for one in bench.instances:
                for probe in one.probes:
                    faults.check(one, outputs.of(one, probe), 0, f"{probe} after zeroization")
            # What the blocks of a beat still hold leaves now.
            for _ in range(max(map(latency, BLOCKS))):
                outputs = await driver.cycle({"step": 1})
                for one in bench.instances:
                    faults.check(one, outputs.of(one, "out_value"), 0, "a value is left")
        models = {blocks: Model(blocks) for blocks in BLOCKS}
        left = 0
        for _ in range(900):
            now = driver.number
            given = {
                "step": int(draw.random() < 0.8),
                "in_valid": int(draw.random() < 0.8),
                "in_load": int(left == 0),
                "in_count": draw.getrandbits(1),
                "in_value": draw.getrandbits(WIDTHS["in_value"]),
                "in_side": draw.getrandbits(SIDE),
            }
            if left == 0:
                edge = BITS * draw.randrange(1, STAGE + 1)
                for b in range(max(BLOCKS)):
                    given["in_value"] |= (2**edge - 1) << 128 * b
                    given["in_value"] -= draw.randrange(10) << 128 * b
            outputs = await driver.cycle(given)
            for one in bench.instances:
                due = models[one.parameters["Blocks"]].due
                faults.check(one, outputs.of(one, "out_valid"), int(due is not None), f"{now}")
                if due is not None:
                    faults.check(one, outputs.of(one, "out_value"), due[0], f"value in {now}")
                    faults.check(one, outputs.of(one, "out_side"), due[1], f"side in {now}")
            if given["step"]:
                for model in models.values():
                    model.step(given)
                if given["in_valid"]:
                    left = left - 1 if left else draw.randrange(7)
    bench.judge(faults)


@pytest.mark.usefixtures("mutants")
def test_aesforge_mode_counter(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
