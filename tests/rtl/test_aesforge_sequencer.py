# SPDX-License-Identifier: Apache-2.0
"""aesforge_sequencer against a model that knows nothing but each block's age."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
import pytest
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, Outputs

SIDE_BITS = 9
# The side bits that are carried in rings of two rounds.
SOME = 0b1_0110_1100
# Unroll, Stages, Passes
SHAPES = (
    *((10, 2, 1), (12, 4, 1), (14, 1, 1), (1, 1, 1), (1, 7, 1)),
    *((1, 1, 10), (1, 3, 12), (1, 2, 14), (1, 11, 10)),
    *((2, 1, 5), (5, 2, 2), (3, 3, 4), (7, 1, 2), (4, 2, 3)),
    (10, 0, 1),
)
M = "aesforge_sequencer"
MUTATIONS = {
    "a pass too few": Mutation(M, "PassBits'(Passes - 1);\n  assign enter", "PassBits'(Passes - 2)"
                               ";\n  assign enter"),
    "zeroize forgets nothing": Mutation(M, "{Unroll{rst || zeroize}}", "{Unroll{rst}}"),
    "side of the newcomer": Mutation(M, "enter ? in_side : done_side", "in_side"),
    "no place kept": Mutation(M, ": !again && !zeroize;", ": !zeroize;"),
    "passes are not counted": Mutation(M, "Passes > 1 ? pass_q[i-1]", "Passes > 5 ? pass_q[i-1]"),
    "the wrong side bits": Mutation(M, "SideUsed[b] ?", "!SideUsed[b] ?"),
}  # fmt: skip
# In a pipeline, which is emptied by a wave.
WAVE_MUTATIONS = {
    "what leaves before the wave": Mutation(M, "begin_q || hold_q[Unroll-1]", "begin_q"),
    "held for ever": Mutation(M, "hold_q <= hold_q << 1", "hold_q <= hold_q"),
    "zeroization starts no wave": Mutation(M, "{wave_q, rst || zeroize}", "{wave_q, rst}"),
}  # fmt: skip
# Without a register.
STRAIGHT_MUTATIONS = {
    "lets it through": Mutation(M, "Straight ? in_valid && !zeroize", "Straight ? in_valid"),
    "side of the one before": Mutation(M, "Straight ? in_side : side_q[RoundStages*u-1]",
                                       "side_q[RoundStages*u-1]"),
}  # fmt: skip


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1, "in_valid": 1, "in_side": SIDE_BITS})

    def add(name: str, shape: tuple[int, int, int], mutation: Mutation | None = None) -> None:
        unroll, stages, passes = shape
        pass_bits = max(1, (passes - 1).bit_length())
        bench.add(
            name,
            M,
            {"Unroll": unroll, "Stages": stages, "Passes": passes, "SideBits": SIDE_BITS}
            | ({"SideUsed": SOME} if unroll == 2 else {}),
            outputs={
                **{"in_ready": 1, "enter": 1, "done": 1, "done_side": SIDE_BITS},
                **{"pass": unroll * pass_bits, "side": unroll * SIDE_BITS},
            },
            mutation=mutation,
        )

    for shape in SHAPES:
        add(f"Unroll, Stages, Passes = {shape}", shape)
    for name, mutation in MUTATIONS.items():
        add(name, (2, 2, 5), mutation)
    for name, mutation in WAVE_MUTATIONS.items():
        add(name, (10, 3, 1), mutation)
    for name, mutation in STRAIGHT_MUTATIONS.items():
        add(name, (10, 0, 1), mutation)
    return bench


class Model:
    """The blocks in one ring: when each entered, and its side bits."""

    def __init__(self, one: Instance) -> None:
        self.one = one
        self.places = one["Unroll"] * one["Stages"]
        self.life = self.places * one["Passes"]
        self.used = SOME if one["Unroll"] == 2 else 2**SIDE_BITS - 1
        self.blocks: list[tuple[int, int]] = []
        self.left = 0
        self.fullest = 0

    def cycle(self, now: int, given: dict[str, int], outputs: Outputs, faults: Faults) -> None:
        """Compare a cycle's outputs with what the blocks' ages say, and move on."""
        one, where = self.one, f"cycle {now}"

        def check(port: str, value: int) -> None:
            faults.check(one, outputs.of(one, port), value, f"{port} in {where}")

        if self.places == 0:
            # It leaves in the cycle in which it enters, and stands at all rounds' entries in it.
            ready = not given["zeroize"]
            check("in_ready", int(ready))
            check("enter", 1)
            check("done", int(given["in_valid"] and ready))
            check("done_side", given["in_side"])
            check("side", sum(given["in_side"] << SIDE_BITS * u for u in range(one["Unroll"])))
            check("pass", 0)
            self.left += given["in_valid"] and ready
            return
        ages = {now - entered: side for entered, side in self.blocks}
        again = any(age % self.places == 0 and age < self.life for age in ages)
        ready = not again and not given["zeroize"]
        check("in_ready", int(ready))
        check("enter", int(not again or given["zeroize"]))
        check("done", int(self.life in ages and not given["zeroize"]))
        if self.life in ages and not given["zeroize"]:
            seen = outputs.of(one, "done_side") & self.used
            faults.check(one, seen, ages[self.life] & self.used, f"done_side in {where}")
            self.left += 1
        if given["in_valid"] and ready:
            ages[0] = given["in_side"]
            self.blocks.append((now, given["in_side"]))
        if not given["zeroize"]:
            pass_bits = one.outputs["pass"][1] // one["Unroll"]
            passes, sides = outputs.of(one, "pass"), outputs.of(one, "side")
            for age, side in ages.items():
                u, rest = divmod(age % self.places, one["Stages"])
                if rest == 0 and age < self.life:
                    seen = (passes >> (pass_bits * u)) % 2**pass_bits
                    faults.check(one, seen, age // self.places, f"pass at round {u} in {where}")
                    seen = (sides >> (SIDE_BITS * u)) % 2**SIDE_BITS
                    used = self.used if age else 2**SIDE_BITS - 1
                    faults.check(one, seen & used, side & used, f"side at round {u} in {where}")
        self.blocks = [b for b in self.blocks if now - b[0] < self.life]
        self.fullest = max(self.fullest, len(self.blocks))
        if given["zeroize"] or given["rst"]:
            self.blocks.clear()


@cocotb.test()
async def blocks_hold_their_places(dut: Any) -> None:
    """Back-to-back, sparse and random traffic, with zeroizes and resets in the middle."""
    bench, draw, faults = make_bench(), random.Random(2), Faults()
    driver = Driver(dut, bench)
    models = [Model(one) for one in bench.instances]
    await driver.cycle({"rst": 1})
    # Share of cycles with a block, with zeroization, with a reset; cycles.
    phases = (
        *((1.0, 0, 0, 260), (0.02, 0, 0, 200), (0.5, 0, 0, 260), (0.9, 0, 0, 260)),
        *((1.0, 0.02, 0, 300), (0.6, 0.02, 0, 200), (0.8, 0, 0.02, 300), (1.0, 0, 0, 230)),
    )
    zeroize = 0
    for share, zeroizes, resets, cycles in phases:
        for _ in range(cycles):
            if zeroize == 0 and draw.random() < zeroizes:
                zeroize = draw.choice((1, 1, 2, 30))
            given = {
                "rst": int(draw.random() < resets),
                "zeroize": int(zeroize > 0),
                "in_valid": int(draw.random() < share),
                "in_side": draw.getrandbits(SIDE_BITS),
            }
            zeroize = max(0, zeroize - 1)
            now = driver.number
            outputs = await driver.cycle(given)
            for model in models:
                model.cycle(now, given, outputs, faults)
    bench.judge(faults)
    for model in models:
        if model.one.name not in bench.mutants:
            assert model.left > 20, model.one.name
            # Never more blocks than places, and all places used.
            assert model.fullest == model.places, model.one.name


@pytest.mark.usefixtures("mutants")
def test_aesforge_sequencer(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
