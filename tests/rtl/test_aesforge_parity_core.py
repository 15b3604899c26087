# SPDX-License-Identifier: Apache-2.0
"""aesforge_parity_core: right blocks without an alarm, and none wrong without one."""

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

NAMES = ("KeyBits", "Unroll", "SboxStyle", "KeySboxStyle", "SboxStages", "LinearStages", "Tiles")
SHAPES = ((128, 1, 0, 0, 0, 1, 1), (192, 1, 0, 4, 1, 2, 1))
M = "aesforge_parity_core"
# A single bit that is wrong for some blocks. Index of the shape, mutation.
FAULTS = {
    "a bit of the state": (
        0,
        Mutation(
            "aesforge_parity_round",
            ".d  ({last, !last, parity_i, state_i}),",
            ".d  ({last, !last, parity_i, state_i ^ 128'(state_i[90:88] == 3'd5)}),",
            (M,),
        ),
    ),
    "a bit of the key": (
        0,
        Mutation(
            "aesforge_key_round",
            "window_pre_d = hold_q ? unchanged : stepped;",
            "window_pre_d = stepped ^ KeyBits'(stepped[70:68] == 3'd5);",
            ("aesforge_parity_key", M),
        ),
    ),
    "a bit of the result": (
        0,
        Mutation(
            M,
            "out_block[128*block_index+:128] <= state_end;",
            "out_block[128*block_index+:128] <= state_end ^ 128'(state_end[70:68] == 3'd5);",
        ),
    ),
    "a bit of the tag": (0, Mutation(M, "out_tag <= tag_end;", "out_tag <= tag_end ^ 1;")),
    "blocks that are lost": (
        0,
        Mutation(M, "valid_q <= done;", "valid_q <= done && in_tag[0];"),
    ),
    "blocks that nobody sent": (
        0,
        Mutation(M, "valid_q <= done;", "valid_q <= done || in_tag[2:0] == 3'd1;"),
    ),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1})

    def add(name: str, shape: tuple[int, ...], mutation: Mutation | None = None) -> None:
        parameters = dict(zip(NAMES, shape, strict=True))
        add_checked(bench, M, name, parameters, parameters["Tiles"], mutation)

    for shape in SHAPES:
        add(f"{', '.join(NAMES)} = {shape}", shape)
    for name, (index, mutation) in FAULTS.items():
        add(name, SHAPES[index], mutation)
    return bench


@cocotb.test()
async def blocks_go_through(dut: Any) -> None:
    """Random blocks, a key with each, tags and bubbles."""
    bench, draw, faults = make_bench(), random.Random(13), Faults()
    driver = Driver(dut, bench)
    traffics = [
        CheckedTraffic(one, rounds(one["KeyBits"]) * stages(one) + 1, one["Tiles"])
        for one in bench.instances
    ]
    for _ in range(4):
        await driver.cycle({"rst": 1})
    plain = [*traffics]
    await run(driver, plain, draw, 1.0, 90, faults)
    await run(driver, plain, draw, 0.4, 60, faults)
    await run(driver, plain, draw, 0.0, 40, faults)
    judge(bench, traffics, faults)


@pytest.mark.usefixtures("mutants")
def test_aesforge_parity_core(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
