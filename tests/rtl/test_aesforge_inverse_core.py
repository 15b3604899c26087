# SPDX-License-Identifier: Apache-2.0
"""aesforge_inverse_core: right blocks without an alarm, and none wrong without one."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
import pytest
from checked import CheckedTraffic, add_checked, judge
from fips197 import rounds
from rtl_bench import Bench, Driver, Faults, Mutation
from traffic import run, stages

NAMES = ("KeyBits", "Direction", "Unroll", "SboxStages", "LinearStages", "Tiles", "DelayStyle")
SHAPES = ((128, 0, 1, 0, 1, 1, 1), (128, 2, 1, 0, 1, 2, 0))
M = "aesforge_inverse_core"
# What an SEU may do, for some blocks. Index of the shape, mutation.
FAULTS = {
    "a bit of the result": (
        0,
        Mutation(M, "      .d(result),", "      .d(result ^ Bits'(result[68])),"),
    ),
    "a bit of the key, on one side": (
        0,
        Mutation(M, ".d(~in_key),", ".d(~in_key ^ KeyBits'(in_key[68])),"),
    ),
    "a bit of the tag": (0, Mutation(M, "out_tag <= back_tag_q;", "out_tag <= back_tag_q ^ 4;")),
    "the inverse of another block": (
        0,
        Mutation(M, ".in_block(result),", ".in_block(result_tag[1] ? result : '0),"),
    ),
    "blocks that are lost": (
        0,
        Mutation(M, ".in_valid(result_valid),", ".in_valid(result_valid && result_tag[0]),"),
    ),
    "blocks that nobody sent": (
        0,
        Mutation(M, ".in_valid(result_valid),", ".in_valid(result_valid || result_tag[0]),"),
    ),
    "a direction on one side": (1, Mutation(M, ".d(~in_decrypt),", ".d(in_decrypt && in_tag[0]),")),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1})

    def add(name: str, shape: tuple[int, ...], mutation: Mutation | None = None) -> None:
        table = {"SboxStyle": 0, "KeySboxStyle": 0}
        parameters = dict(zip(NAMES, shape, strict=True)) | table
        blocks_per_beat = parameters["Tiles"] if parameters["Unroll"] > 2 else 1
        add_checked(bench, M, name, parameters, blocks_per_beat, mutation)

    for shape in SHAPES:
        add(f"{', '.join(NAMES)} = {shape}", shape)
    for name, (index, mutation) in FAULTS.items():
        add(name, SHAPES[index], mutation)
    return bench


@cocotb.test()
async def blocks_go_through(dut: Any) -> None:
    """Random blocks, a key with each, tags and bubbles."""
    bench, draw, faults = make_bench(), random.Random(14), Faults()
    driver = Driver(dut, bench)
    traffics = []
    for one in bench.instances:
        run_cycles = rounds(one["KeyBits"]) * stages(one)
        runs = {0: 1 + 2, 1: 2 + 1, 2: 2 + 2}[one["Direction"]]
        blocks_per_beat = one["Tiles"] if one["Unroll"] > 2 else 1
        rings = one["Tiles"] // blocks_per_beat
        traffics.append(CheckedTraffic(one, runs * run_cycles + 2 + 2, blocks_per_beat, rings))
    for _ in range(4):
        await driver.cycle({"rst": 1})
    plain = [*traffics]
    await run(driver, plain, draw, 1.0, 110, faults)
    await run(driver, plain, draw, 0.4, 40, faults)
    await run(driver, plain, draw, 0.0, 50, faults)
    judge(bench, traffics, faults)


@pytest.mark.usefixtures("mutants")
def test_aesforge_inverse_core(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
