# SPDX-License-Identifier: Apache-2.0
"""aesforge_key_pipeline: a new key every cycle, each round key at its time, and zeroize."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
from fips197 import APPENDIX_A, round_keys, rounds
from rtl_bench import Bench, Driver, Faults, Mutation

# Key bits, S-box style, S-box stages, linear stages
SHAPES = (
    (128, 0, 1, 1),
    (128, 0, 0, 1),
    (192, 0, 1, 0),
    (192, 4, 1, 2),
    (256, 0, 0, 1),
    (256, 0, 0, 0),
)
SCHEMES = {"hu2009": (128, 0, 1, 1), "liu2014": (128, 0, 0, 1)}
M = "aesforge_key_pipeline"
MUTATIONS = {
    "step number one too low": Mutation(M, ".step(4'(r))", ".step(4'(r - 1))"),
    "valid a cycle early": Mutation(
        M, "valid_q[RoundStages*r];", "valid_q[Stages*r-1+(r==1?1:0)];"
    ),
    "zeroize forgets nothing": Mutation(M, "if (rst || zeroize)", "if (rst)"),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1, "in_valid": 1, "in_key": 256})

    def add(name: str, shape: tuple[int, int, int, int], mutation: Mutation | None = None) -> None:
        names = ("KeyBits", "SboxStyle", "SboxStages", "LinearStages")
        count = rounds(shape[0]) + 1
        bench.add(
            name,
            M,
            dict(zip(names, shape, strict=True)),
            shared={"rst": 1, "zeroize": 1, "in_valid": 1, "in_key": shape[0]},
            outputs={"out_valid": count, "out_round_keys": 128 * count},
            mutation=mutation,
        )

    for shape in SHAPES:
        add(f"KeyBits, SboxStyle, SboxStages, LinearStages = {shape}", shape)
    for scheme, shape in SCHEMES.items():
        add(scheme, shape, Mutation("aesforge_key_round", "", "", (M,), scheme))
    for name, mutation in MUTATIONS.items():
        add(name, SHAPES[0], mutation)
    return bench


@cocotb.test()
async def round_keys_leave_in_time(dut: Any) -> None:
    """Appendix A, then random keys: back-to-back, with gaps, with zeroization and a reset."""
    bench, draw, faults = make_bench(), random.Random(6), Faults()
    driver = Driver(dut, bench)
    for _ in range(3):
        await driver.cycle({"rst": 1})
    keys: list[int | None] = []  # what came in each cycle, None for nothing
    stimulus = [{"in_valid": 1, "in_key": key} for key, _ in APPENDIX_A.values()]
    stimulus += [{"in_valid": 1, "in_key": draw.getrandbits(256)} for _ in range(25)]
    for _ in range(3):
        for _ in range(16):
            stimulus.append({"in_valid": draw.randrange(2), "in_key": draw.getrandbits(256)})
        stimulus.append({"zeroize": 1, "in_key": draw.getrandbits(256)})
        for _ in range(16):
            stimulus.append({"in_valid": draw.randrange(2), "in_key": draw.getrandbits(256)})
        stimulus.append({"rst": 1, "in_key": draw.getrandbits(256)})
    stimulus += [{}] * 45
    for given in stimulus:
        now = len(keys)
        keys.append(given["in_key"] if given.get("in_valid") else None)
        outputs = await driver.cycle(given)
        for one in bench.instances:
            bits, stages = one["KeyBits"], one["SboxStages"] + one["LinearStages"]
            valid, values = outputs.of(one, "out_valid"), outputs.of(one, "out_round_keys")
            for r in range(rounds(bits) + 1):
                then = now - r * stages
                key = keys[then] if then >= 0 else None
                where = f"round key {r} in cycle {now}"
                faults.check(one, (valid >> r) & 1, int(key is not None), f"valid of {where}")
                if key is not None:
                    got = (values >> (128 * r)) % 2**128
                    expected = round_keys(key % 2**bits, bits, one.scheme)[r]
                    faults.check(one, got, expected, where)
        if given.get("zeroize") or given.get("rst"):
            keys[:] = [None] * len(keys)
    bench.judge(faults)


def test_aesforge_key_pipeline(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
