# SPDX-License-Identifier: Apache-2.0
"""aesforge_key_expand: the round keys of FIPS 197, each at its time; interval; zeroize."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
import pytest
from fips197 import APPENDIX_A, round_keys, rounds
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, Outputs

# Key bits, S-box style, S-box stages, linear stages
SHAPES = (
    *((128, 0, 0, 1), (128, 0, 1, 0), (128, 4, 2, 3), (192, 0, 1, 1), (192, 0, 0, 1)),
    *((256, 0, 0, 1), (256, 0, 1, 2)),
)
SCHEMES = {"hu2009": (128, 0, 0, 1), "liu2014": (128, 0, 1, 1)}
M = "aesforge_key_expand"
MUTATIONS = {
    "step number one too low": Mutation(M, ".step(pass + 4'd1)", ".step(pass)"),
    "a pass too few": Mutation(M, "pass != 4'(Nr)", "pass != 4'(Nr - 1)"),
    "takes a key while it works": Mutation(M, "in_ready = !busy_q", "in_ready = 1'b1"),
    "busy for ever after zeroization": Mutation(M, "done || zeroize || rst", "done || rst"),
    "a key in progress outlives zeroization": Mutation(
        M, "if (zeroize || rst) ring_q", "if (rst) ring_q"
    ),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1, "in_valid": 1, "in_key": 256})

    def add(name: str, shape: tuple[int, int, int, int], mutation: Mutation | None = None) -> None:
        names = ("KeyBits", "SboxStyle", "SboxStages", "LinearStages")
        bench.add(
            name,
            M,
            dict(zip(names, shape, strict=True)),
            shared={"rst": 1, "zeroize": 1, "in_valid": 1, "in_key": shape[0]},
            outputs={"in_ready": 1, "out_valid": 1, "out_round": 4, "out_round_key": 128},
            mutation=mutation,
        )

    for shape in SHAPES:
        add(f"KeyBits, SboxStyle, SboxStages, LinearStages = {shape}", shape)
    for scheme, shape in SCHEMES.items():
        add(scheme, shape, Mutation("aesforge_key_round", "", "", (M,), scheme))
    for name, mutation in MUTATIONS.items():
        add(name, SHAPES[3], mutation)
    return bench


class Model:
    """What the page says: round key r leaves r x Stages cycles after its key came, and the next
    key may come after the last pass."""

    def __init__(self, one: Instance) -> None:
        self.one = one
        self.stages = one["SboxStages"] + one["LinearStages"]
        self.key = 0
        self.taken: int | None = None
        self.keys = 0

    def cycle(self, now: int, given: dict[str, int], outputs: Outputs, faults: Faults) -> None:
        one, bits = self.one, self.one["KeyBits"]
        nr = rounds(bits)
        if self.taken is not None and now - self.taken > (nr + 1) * self.stages:
            self.taken = None
        zeroize = given.get("zeroize", 0)
        ready = self.taken is None
        if not zeroize:
            faults.check(one, outputs.of(one, "in_ready"), int(ready), f"in_ready in cycle {now}")
        if given.get("in_valid") and ready:
            self.taken, self.key = now, given["in_key"] % 2**bits
            self.keys += 1
        r, rest = divmod(now - self.taken, self.stages) if self.taken is not None else (0, 1)
        valid = rest == 0 and r <= nr
        if not zeroize:
            faults.check(one, outputs.of(one, "out_valid"), int(valid), f"valid in cycle {now}")
            if valid:
                where = f"round key {r} in cycle {now}"
                faults.check(one, outputs.of(one, "out_round"), r, where)
                expected = round_keys(self.key, bits, one.scheme)[r]
                faults.check(one, outputs.of(one, "out_round_key"), expected, where)
        if zeroize or given.get("rst"):
            self.taken = None


@cocotb.test()
async def keys_are_expanded(dut: Any) -> None:
    """Appendix A, keys back-to-back, keys with gaps, zeroizes and resets in the middle."""
    bench, draw, faults = make_bench(), random.Random(7), Faults()
    driver = Driver(dut, bench)
    models = [Model(one) for one in bench.instances]
    await driver.cycle({"rst": 1})
    longest = max((rounds(m.one["KeyBits"]) + 1) * m.stages + 1 for m in models)
    stimulus: list[dict[str, int]] = []
    for key, _ in APPENDIX_A.values():
        stimulus += [{"in_valid": 1, "in_key": key}, *({} for _ in range(longest))]
    stimulus += [{"in_valid": 1, "in_key": draw.getrandbits(256)} for _ in range(4 * longest)]
    for _ in range(700):
        event = draw.choice(("zeroize", "rst")) if draw.random() < 0.02 else "in_valid"
        value = int(event != "in_valid" or draw.random() < 0.3)
        stimulus.append({event: value, "in_key": draw.getrandbits(256)})
    for given in stimulus:
        now = driver.number
        outputs = await driver.cycle(given)
        for model in models:
            model.cycle(now, given, outputs, faults)
    bench.judge(faults)
    assert min(model.keys for model in models) > 10


@pytest.mark.usefixtures("mutants")
def test_aesforge_key_expand(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
