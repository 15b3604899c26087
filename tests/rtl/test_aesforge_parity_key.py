# SPDX-License-Identifier: Apache-2.0
"""aesforge_parity_key: the parity of every step of every key size, and of one that does not fit."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
from fips197 import rounds, step_forward
from parity import byte_parity
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, stream

KEY_BITS = (128, 192, 256)
# S-box style, S-box stages, linear stages
SHAPES = ((0, 0, 1), (0, 1, 0), (4, 2, 3))
M = "aesforge_parity_key"
# Key bits, mutation
MUTATIONS = {
    "no RotWord": (128, Mutation(M, "kind_sub[2] ? {sub[2:0], sub[3]} : sub", "sub")),
    "Rcon of even parity": (
        128,
        Mutation(M, "kind[3] = ^aesforge_pkg::rcon(", "kind[3] = &aesforge_pkg::rcon("),
    ),
    "RotWord in every step": (256, Mutation(M, "KeyBits != 256 || step[0]", "1'b1")),
    "round key of the other words": (192, Mutation(M, "!late_n ?", "late_n ?")),
    "a byte is not looked at": (
        128,
        Mutation(M, "wrong = differ != '0", "wrong = differ[4*Nk-1:1] != '0"),
    ),
}


def make_bench() -> Bench:
    bench = Bench({"step": 4, "window_i": 256, "parity_i": 32})

    def add(
        name: str, key_bits: int, shape: tuple[int, int, int], mutation: Mutation | None = None
    ) -> None:
        names = ("SboxStyle", "SboxStages", "LinearStages")
        bench.add(
            name,
            M,
            {"KeyBits": key_bits, **dict(zip(names, shape, strict=True))},
            shared={"step": 4, "window_i": key_bits, "parity_i": key_bits // 8},
            outputs={
                **{"round_key": 128, "key_parity": 16},
                **{"window_o": key_bits, "parity_o": key_bits // 8, "wrong": 1},
            },
            mutation=mutation,
        )

    for key_bits in KEY_BITS:
        for shape in SHAPES:
            add(f"{key_bits} bits shape {shape}", key_bits, shape)
    for name, (key_bits, mutation) in MUTATIONS.items():
        add(name, key_bits, SHAPES[2], mutation)
    return bench


@cocotb.test()
async def parity_is_right(dut: Any) -> None:
    """Every step, a new window each cycle; every fourth has a parity bit that does not fit."""
    bench, draw, faults = make_bench(), random.Random(7), Faults()
    stimulus, flips = [], []
    for number in range(140):
        window = draw.getrandbits(256)
        flips.append(1 << number // 4 % 16 if number % 4 == 0 else 0)
        stimulus.append(
            {
                "step": number % 14 + 1,
                "window_i": window,
                "parity_i": byte_parity(window, 256) ^ flips[-1],
            }
        )

    def expected(one: Instance, number: int) -> dict[str, int]:
        bits, given = one["KeyBits"], stimulus[number]
        if given["step"] > rounds(bits):
            return {}
        window, key = step_forward(given["window_i"] % 2**bits, bits, given["step"])
        values = {"window_o": window, "round_key": key}
        if not flips[number]:
            values |= {"parity_o": byte_parity(window, bits), "key_parity": byte_parity(key, 128)}
        return values

    driver = Driver(dut, bench)
    await stream(
        driver, stimulus, lambda one: one["SboxStages"] + one["LinearStages"], expected, faults
    )
    await stream(
        driver,
        stimulus,
        lambda one: int(one["LinearStages"] >= 2),
        lambda _, number: {"wrong": int(flips[number] != 0)},
        faults,
    )
    bench.judge(faults)


def test_aesforge_parity_key(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
