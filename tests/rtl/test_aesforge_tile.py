# SPDX-License-Identifier: Apache-2.0
"""aesforge_tile at its own ports: with the key's forward run and without."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
import pytest
from fips197 import rounds
from rtl_bench import Bench, Driver, Faults, Mutation
from traffic import TAG_BITS, Traffic, run, stages

NAMES = (
    "KeyBits",
    "Direction",
    "Unroll",
    "SboxStages",
    "LinearStages",
    "BlocksPerBeat",
    "DelayStyle",
)
SHAPES = (
    *((128, 0, 1, 0, 2, 1, 1), (128, 2, 1, 1, 1, 1, 1), (192, 1, 2, 0, 1, 1, 0)),
    *((256, 1, 1, 1, 0, 2, 1), (128, 2, 10, 0, 0, 1, 1), (128, 1, 10, 0, 2, 1, 0)),
)
M = "aesforge_tile"
MUTATIONS = {
    "no forward run": (2, Mutation(M, "Direction != aesforge_pkg::Encrypt", "1'b0")),
    "direction of the newcomer": (
        1,
        Mutation(M, ".in_decrypt(cipher_decrypt)", ".in_decrypt(in_decrypt)"),
    ),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1})

    def add(name: str, shape: tuple[int, ...], mutation: Mutation | None = None) -> None:
        parameters = dict(zip(NAMES, shape, strict=True)) | {"TagBits": TAG_BITS}
        blocks_per_beat = parameters["BlocksPerBeat"]
        bench.add(
            name,
            M,
            parameters,
            inputs={
                **{"in_valid": 1, "in_decrypt": 1, "in_tag": TAG_BITS, "in_slot": 1},
                **{"in_key": parameters["KeyBits"], "in_block": 128 * blocks_per_beat},
                # Stores: none of these tiles has them.
                **{"zeroize_address": 8, "write_valid": 1, "write_round": 4, "write_slot": 1},
                "write_key": 128,
            },
            outputs={
                **{"in_ready": 1, "out_valid": 1, "out_block": 128 * blocks_per_beat},
                **{"out_tag": TAG_BITS},
            },
            mutation=mutation,
        )

    for shape in SHAPES:
        add(f"{', '.join(NAMES)} = {shape}", shape)
    for name, (index, mutation) in MUTATIONS.items():
        add(name, SHAPES[index], mutation)
    return bench


@cocotb.test()
async def blocks_go_through(dut: Any) -> None:
    """Random blocks, a key with each, tags and bubbles; zeroization in the middle."""
    bench, draw, faults = make_bench(), random.Random(12), Faults()
    driver = Driver(dut, bench)
    traffics = []
    for one in bench.instances:
        runs = 1 if one["Direction"] == 0 else 2
        latency = runs * rounds(one["KeyBits"]) * stages(one) + 1
        traffics.append(Traffic(one, latency, one["BlocksPerBeat"]))
    await driver.cycle({"rst": 1})
    await run(driver, traffics, draw, 1.0, 90, faults)
    await run(driver, traffics, draw, 0.5, 80, faults)
    await run(driver, traffics, draw, 0.9, 12, faults, extra=lambda: {"zeroize": 1})
    await run(driver, traffics, draw, 0.9, 70, faults)
    await run(driver, traffics, draw, 0.0, 60, faults)
    bench.judge(faults)
    assert all(not t.under_way and t.left > 10 for t in traffics if t.one.name not in bench.mutants)


@pytest.mark.usefixtures("mutants")
def test_aesforge_tile(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
