# SPDX-License-Identifier: Apache-2.0
"""aesforge_key_pipeline: each round key at its time, of a key a cycle or of one that is held."""

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
    (128, 0, 1, 1),
    (128, 0, 0, 1),
    (192, 0, 1, 0),
    (192, 4, 1, 2),
    (256, 0, 0, 1),
    (256, 0, 0, 0),
)
# With `Held`: the key stays, and nothing waits for SubWord.
HELD = ((128, 3, 2, 1), (192, 0, 2, 1), (256, 4, 1, 1))
SCHEMES = {"hu2009": (128, 0, 1, 1), "liu2014": (128, 0, 0, 1)}
M = "aesforge_key_pipeline"
MUTATIONS = {
    "step number one too low": Mutation(M, ".step(4'(r))", ".step(4'(r - 1))"),
    "valid a cycle early": Mutation(
        M, "valid_q[RoundStages*r];", "valid_q[Stages*r-1+(r==1?1:0)];"
    ),
    "a window that waits for nothing": Mutation(M, ".Held(Held)", ".Held(1'b1)"),
    "zeroize forgets nothing": Mutation(M, "if (rst || zeroize)", "if (rst)"),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1, "in_valid": 1, "in_key": 256})

    def add(
        name: str,
        shape: tuple[int, int, int, int],
        mutation: Mutation | None = None,
        held: int = 0,
    ) -> None:
        names = ("KeyBits", "SboxStyle", "SboxStages", "LinearStages")
        count = rounds(shape[0]) + 1
        bench.add(
            name,
            M,
            {**dict(zip(names, shape, strict=True)), "Held": held},
            shared={"rst": 1, "zeroize": 1, "in_valid": 1, "in_key": shape[0]},
            outputs={"out_valid": count, "out_round_keys": 128 * count},
            mutation=mutation,
        )

    for shape in SHAPES:
        add(f"KeyBits, SboxStyle, SboxStages, LinearStages = {shape}", shape)
    for shape in HELD:
        add(f"held, {shape}", shape, held=1)
    for scheme, shape in SCHEMES.items():
        add(scheme, shape, Mutation("aesforge_key_round", "", "", (M,), scheme))
    for name, mutation in MUTATIONS.items():
        add(name, SHAPES[0], mutation)
    return bench


def judge_round_keys(
    one: Instance, outputs: Outputs, keys: list[int | None], now: int, faults: Faults
) -> None:
    """Compare each round key, and whether it is valid, with the key that came in for it."""
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
            if not one["Held"]:
                judge_round_keys(one, outputs, keys, now, faults)
        if given.get("zeroize") or given.get("rst"):
            keys[:] = [None] * len(keys)
    bench.judge(faults)


@cocotb.test()
async def round_keys_of_a_held_key_leave_in_time(dut: Any) -> None:
    """Each key stays until its last round key has left; a reset discards the one before."""
    bench, draw, faults = make_bench(), random.Random(7), Faults()
    driver = Driver(dut, bench)
    held = [one for one in bench.instances if one["Held"]]
    for key in [
        *(key for key, _ in APPENDIX_A.values()),
        *(draw.getrandbits(256) for _ in range(3)),
    ]:
        await driver.cycle({"rst": 1, "in_key": key})
        keys: list[int | None] = []
        for now in range(50):
            keys.append(key)
            outputs = await driver.cycle({"in_valid": 1, "in_key": key})
            for one in held:
                judge_round_keys(one, outputs, keys, now, faults)
    assert min(faults.compared[one.name] for one in held) > 1000
    assert not faults.first


@pytest.mark.usefixtures("mutants")
def test_aesforge_key_pipeline(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
