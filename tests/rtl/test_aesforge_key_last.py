# SPDX-License-Identifier: Apache-2.0
"""aesforge_key_last: the last window and what waits beside it, after Nr x Stages cycles."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
import pytest
from fips197 import last_window, rounds, step_forward, summed
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, Outputs

SIDE_BITS = 20
NAMES = ("KeyBits", "Direction", "Unroll", "SboxStages", "LinearStages", "DelayStyle", "Summed")
SHAPES = (
    *((128, 1, 10, 1, 0, 1, 0), (128, 2, 1, 0, 1, 0, 0), (192, 2, 3, 1, 2, 1, 0)),
    *((192, 1, 2, 0, 1, 0, 0), (256, 1, 2, 0, 2, 0, 0), (256, 2, 7, 1, 1, 1, 0)),
    *((192, 2, 12, 0, 0, 0, 0), (128, 1, 10, 0, 1, 0, 1), (128, 1, 10, 1, 3, 1, 1)),
)
M = "aesforge_key_last"
MUTATIONS = {
    "never holds": (1, Mutation(M, "Direction == aesforge_pkg::Both && !decrypt[u]", "1'b0")),
    "step number one too low": (3, Mutation(M, "4'(u + 1)", "4'(u)")),
    "side of the newcomer": (1, Mutation(M, "enter ? in_side : out_side", "in_side")),
    "no sum": (7, Mutation(M, "window_end ^ KeyBits'(window_end[63:32])", "window_end")),
    "zeroize lets windows out": (8, Mutation(M, "out_window <= zeroize ? '0 :", "out_window <=")),
    "zeroize lets keys in": (1, Mutation(M, "window_entry = zeroize ? '0 :", "window_entry =")),
}


def make_bench() -> Bench:
    inputs = {"rst": 1, "zeroize": 1, "in_valid": 1, "in_decrypt": 1, "in_key": 256}
    bench = Bench(inputs | {"in_side": SIDE_BITS})

    def add(name: str, shape: tuple[int, ...], mutation: Mutation | None = None) -> None:
        parameters = dict(zip(NAMES, shape, strict=True)) | {"SideBits": SIDE_BITS}
        bits = parameters["KeyBits"]
        bench.add(
            name,
            M,
            parameters,
            shared={**bench.shared, "in_key": bits},
            outputs={
                **{"in_ready": 1, "out_valid": 1, "out_decrypt": 1},
                **{"out_window": bits, "out_side": SIDE_BITS},
            },
            mutation=mutation,
        )

    for shape in SHAPES:
        add(f"{', '.join(NAMES)} = {shape}", shape)
    for name, (index, mutation) in MUTATIONS.items():
        add(name, SHAPES[index], mutation)
    return bench


class Model:
    """Keys by the cycle in which they came; and what zeroization fed in, by cycle."""

    def __init__(self, one: Instance) -> None:
        self.one = one
        stages = one["SboxStages"] + one["LinearStages"]
        self.places = one["Unroll"] * stages
        self.life = rounds(one["KeyBits"]) * stages
        self.keys: dict[int, dict[str, int]] = {}
        self.zeroized: dict[int, int] = {}
        self.left = 0

    def cycle(self, now: int, given: dict[str, int], outputs: Outputs, faults: Faults) -> None:
        one, bits, zeroize = self.one, self.one["KeyBits"], given["zeroize"]

        def check(port: str, value: int) -> None:
            faults.check(one, outputs.of(one, port), value, f"{port} in cycle {now}")

        again = any(
            now - then < self.life and (now - then) % self.places == 0 for then in self.keys
        )
        ready = not again and not zeroize
        check("in_ready", int(ready))
        if self.life == 0:
            # Without a register a key leaves in the cycle in which it comes, and so do zeros.
            self.keys = {now: given} if given["in_valid"] and ready else {}
            self.zeroized = {now: given["in_decrypt"]} if zeroize else {}
        leaving = self.keys.pop(now - self.life, None)
        check("out_valid", int(leaving is not None and not zeroize))
        if leaving is not None and not zeroize:
            key = leaving["in_key"] % 2**bits
            held = one["Direction"] == 2 and not leaving["in_decrypt"]
            window = key if held else last_window(key, bits)
            check("out_window", summed(window) if one["Summed"] else window)
            check("out_side", leaving["in_side"])
            check("out_decrypt", int(one["Direction"] == 1 or leaving["in_decrypt"]))
            self.left += 1
        # What zeroization fed in has made its way: a window of zeros after Unroll steps.
        if now - self.places in self.zeroized:
            held = one["Direction"] == 2 and not self.zeroized[now - self.places]
            window = 0
            for step in range(1, 1 + (0 if held else one["Unroll"])):
                window, _ = step_forward(window, bits, step)
            if one["Summed"]:
                # It leaves as zeros the cycle after zeroization anyway.
                window = 0 if now - 1 in self.zeroized else summed(window)
            check("out_window", window)
            check("out_side", 0)
        elif one["Summed"] and now - 1 in self.zeroized:
            check("out_window", 0)
        if given["in_valid"] and ready and self.life:
            self.keys[now] = given
        if zeroize or given["rst"]:
            self.keys.clear()
        if zeroize:
            self.zeroized[now] = given["in_decrypt"]


@cocotb.test()
async def windows_are_last(dut: Any) -> None:
    """Full load, sparse load, zeroizes and resets in the middle."""
    bench, draw, faults = make_bench(), random.Random(9), Faults()
    driver = Driver(dut, bench)
    models = [Model(one) for one in bench.instances]
    await driver.cycle({"rst": 1})
    # Share of cycles with a key, with zeroization, with a reset; cycles.
    for share, zeroizes, resets, cycles in (
        *((1.0, 0, 0, 200), (0.2, 0, 0, 150)),
        *((0.9, 0.02, 0, 250), (0.9, 0, 0.02, 200), (1.0, 0, 0, 100)),
    ):
        zeroize = 0
        for _ in range(cycles):
            if zeroize == 0 and draw.random() < zeroizes:
                zeroize = draw.choice((1, 20))
            given = {
                "rst": int(draw.random() < resets),
                "zeroize": int(zeroize > 0),
                "in_valid": int(draw.random() < share),
                "in_decrypt": draw.randrange(2),
                "in_key": draw.getrandbits(256),
                "in_side": draw.getrandbits(SIDE_BITS),
            }
            zeroize = max(0, zeroize - 1)
            now = driver.number
            outputs = await driver.cycle(given)
            for model in models:
                model.cycle(now, given, outputs, faults)
    bench.judge(faults)
    assert min(model.left for model in models if model.one.name not in bench.mutants) > 20


@pytest.mark.usefixtures("mutants")
def test_aesforge_key_last(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
