# SPDX-License-Identifier: Apache-2.0
"""aesforge_parity_round: the parity that leaves is the state's; one that does not fit is told."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any

import cocotb
import pytest
from fips197 import to_bytes, to_int
from parity import byte_parity
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, stream

from aesforge import reference

# S-box style, S-box stages, linear stages, MixColumns style
SHAPES = ((0, 0, 1, 0), (0, 1, 0, 1), (4, 2, 3, 0), (0, 0, 4, 2), (0, 1, 1, 0))
M = "aesforge_parity_round"
# Index of the shape, mutation
MUTATIONS = {
    "MixColumns in the last round": (0, Mutation(M, "^ (sub_last_n &&", "^ (1'b1 &&")),
    "rows shifted the other way": (4, Mutation(M, "((c + r) % 4)", "((c + 4 - r) % 4)")),
    "a byte is not looked at": (
        2,
        Mutation(M, "wrong = differ != '0", "wrong = differ[15:1] != '0"),
    ),
    "a fault of the data path": (
        1,
        Mutation(
            "aesforge_round", "assign state_o = mixed ^", "assign state_o = 1 ^ mixed ^", (M,)
        ),
    ),
}


def make_bench() -> Bench:
    bench = Bench({"last": 1, "state_i": 128, "parity_i": 16, "round_key": 128, "key_parity": 16})

    def add(name: str, shape: tuple[int, ...], mutation: Mutation | None = None) -> None:
        names = ("SboxStyle", "SboxStages", "LinearStages", "MixStyle")
        outputs = {"state_o": 128, "parity_o": 16, "wrong": 1}
        parameters = dict(zip(names, shape, strict=True))
        bench.add(name, M, parameters, outputs=outputs, mutation=mutation)

    for shape in SHAPES:
        add(f"shape {shape}", shape)
    for name, (index, mutation) in MUTATIONS.items():
        add(name, SHAPES[index], mutation)
    return bench


@cache
def unkeyed(state: int, last: int) -> int:
    """A round of CIPHER() without its AddRoundKey()."""
    rows = reference.shift_rows(reference.sub_bytes(reference.state_of(to_bytes(state, 128))))
    return to_int(reference.block_of(rows if last else reference.mix_columns(rows)))


def latency(one: Instance) -> int:
    return one["SboxStages"] + one["LinearStages"]


@cocotb.test()
async def parity_is_right(dut: Any) -> None:
    """A new state each cycle; every third has a parity bit that does not fit."""
    bench, draw, faults = make_bench(), random.Random(6), Faults()
    stimulus, flips = [], []
    for number in range(150):
        state, key = draw.getrandbits(128), draw.getrandbits(128)
        flips.append(1 << number // 3 % 16 if number % 3 == 0 else 0)
        stimulus.append(
            {
                "last": draw.randrange(2),
                "state_i": state,
                "parity_i": byte_parity(state, 128) ^ flips[-1],
                "round_key": key,
                "key_parity": byte_parity(key, 128),
            }
        )

    def expected(one: Instance, number: int) -> dict[str, int]:
        if number + latency(one) >= len(stimulus):
            return {}
        given = stimulus[number]
        key = stimulus[number + latency(one)]["round_key"]
        state = unkeyed(given["state_i"], given["last"]) ^ key
        return {"state_o": state, "parity_o": byte_parity(state, 128)}

    driver = Driver(dut, bench)
    await stream(driver, stimulus, latency, expected, faults)
    await stream(
        driver,
        stimulus,
        lambda one: min(one["LinearStages"], 1),
        lambda _, number: {"wrong": int(flips[number] != 0)},
        faults,
    )
    bench.judge(faults)


@pytest.mark.usefixtures("mutants")
def test_aesforge_parity_round(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
