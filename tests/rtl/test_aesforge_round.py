# SPDX-License-Identifier: Apache-2.0
"""aesforge_round against the functions of FIPS 197, for all directions and places of its stages."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import cocotb
import pytest
from fips197 import to_bytes, to_int
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, stream

from aesforge import reference
from aesforge.reference import State

# S-box style, S-box stages, linear stages, MixColumns style. The S-boxes have a test of their own;
# here they are the ones that compile fast, and stages beyond what they hold are plain delay.
SHAPES = (
    *((0, 1, 0, 0), (0, 0, 1, 1), (0, 1, 2, 2), (0, 0, 3, 0), (0, 1, 4, 1)),
    *((0, 3, 1, 2), (4, 2, 0, 1), (4, 1, 3, 2)),
)
M = "aesforge_round"
ROW = "s[127-8*(r+4*((c+r)%4))-:8];"
INV_ROW = "inv_shift_rows[127-8*(r+4*((c+r)%4))-:8]"
ADD, BYPASS = "state_o = decrypt_add ? mixed", ".bypass(control_mix[0])"
# Direction, index of the shape, mutation
MUTATIONS = {
    "ShiftRows moves row 1 by 3": (
        *(0, 1),
        Mutation("aesforge_pkg", ROW, ROW.replace("c+r", "c+(r == 1 ? 3 : r)"), (M,)),
    ),
    "InvShiftRows leaves row 3": (
        *(1, 2),
        Mutation("aesforge_pkg", INV_ROW, INV_ROW.replace("c+r", "c+r%3"), (M,)),
    ),
    "key added where it was": (2, 4, Mutation(M, ADD, ADD.replace("decrypt", "!decrypt"))),
    "bypass a cycle early": (0, 4, Mutation(M, BYPASS, BYPASS.replace("mix", "shift"))),
}


def make_bench() -> Bench:
    keys = {"round_key_pre": 128, "round_key_post": 128}
    bench = Bench({"decrypt": 1, "last": 1, "state_i": 128, **keys})

    def add(
        name: str, direction: int, shape: tuple[int, ...], mutation: Mutation | None = None
    ) -> None:
        names = ("SboxStyle", "SboxStages", "LinearStages", "MixStyle")
        parameters = {"Direction": direction, **dict(zip(names, shape, strict=True))}
        bench.add(name, M, parameters, outputs={"state_o": 128}, mutation=mutation)

    for direction in range(3):
        for shape in SHAPES:
            add(f"direction {direction} shape {shape}", direction, shape)
    for name, (direction, index, mutation) in MUTATIONS.items():
        add(name, direction, SHAPES[index], mutation)
    return bench


def on_block(function: Callable[[State], State], block: int) -> int:
    return to_int(reference.block_of(function(reference.state_of(to_bytes(block, 128)))))


@cache
def forward_part(state: int, last: int) -> int:
    """A round of CIPHER() without its AddRoundKey()."""
    shifted = on_block(lambda s: reference.shift_rows(reference.sub_bytes(s)), state)
    return shifted if last else on_block(reference.mix_columns, shifted)


@cache
def backward_part(state: int) -> int:
    """A round of INVCIPHER() as far as AddRoundKey()."""
    return on_block(lambda s: reference.inv_sub_bytes(reference.inv_shift_rows(s)), state)


def pre_delay(one: Instance) -> int:
    """Cycles from the state to the round key that is added before InvMixColumns()."""
    return one["SboxStages"] + min(one["LinearStages"], 1)


def post_delay(one: Instance) -> int:
    """Cycles from the state to the round key that is added after MixColumns()."""
    return one["SboxStages"] + one["LinearStages"]


@cocotb.test()
async def rounds_are_right(dut: Any) -> None:
    """New states, keys and controls every cycle; the keys of a state come when the page says."""
    bench, draw, faults = make_bench(), random.Random(4), Faults()
    stimulus = []
    for number in range(160):
        # All four controls follow each other in every order.
        control = draw.randrange(4) if number >= 16 else (number * (1 + number // 4)) % 4
        stimulus.append(
            {
                "decrypt": control & 1,
                "last": control >> 1,
                "state_i": draw.getrandbits(128),
                "round_key_pre": draw.getrandbits(128),
                "round_key_post": draw.getrandbits(128),
            }
        )

    @cache
    def behind_mixing(number: int, delay: int) -> int:
        state = backward_part(stimulus[number]["state_i"])
        state ^= stimulus[number + delay]["round_key_pre"]
        return state if stimulus[number]["last"] else on_block(reference.inv_mix_columns, state)

    def expected(one: Instance, number: int) -> dict[str, int]:
        given = stimulus[number]
        if number + post_delay(one) >= len(stimulus):
            return {}
        if one["Direction"] == 1 or (one["Direction"] == 2 and given["decrypt"]):
            return {"state_o": behind_mixing(number, pre_delay(one))}
        state = forward_part(given["state_i"], given["last"])
        return {"state_o": state ^ stimulus[number + post_delay(one)]["round_key_post"]}

    await stream(Driver(dut, bench), stimulus, post_delay, expected, faults)
    assert min(faults.compared.values()) > 140
    bench.judge(faults)


@pytest.mark.usefixtures("mutants")
def test_aesforge_round(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
