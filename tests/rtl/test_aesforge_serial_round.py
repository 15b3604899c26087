# SPDX-License-Identifier: Apache-2.0
"""aesforge_serial_round against the functions of FIPS 197, for all directions, stages, buffers."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any

import cocotb
import pytest
from columns import column, inputs, on_state, random_stream
from rtl_bench import Bench, Driver, Faults, Instance, Mutation

from aesforge import reference

NAMES = ("SboxStyle", "SboxStages", "LinearStages", "MixStyle", "ShiftStyle", "Last")
# The S-boxes have a test of their own; here they are the ones that compile fast.
SHAPES = (
    *((0, 0, 0, 0, 0, 0), (0, 1, 0, 1, 1, 0), (0, 0, 1, 2, 1, 0), (4, 2, 2, 2, 0, 0)),
    *((0, 0, 3, 2, 0, 0), (0, 1, 4, 0, 1, 0), (0, 0, 4, 2, 0, 1), (0, 3, 1, 0, 1, 1)),
)
M = "aesforge_serial_round"
PRE = "Direction == aesforge_pkg::Decrypt || next_decrypt"
# Direction, index of the shape, mutation
MUTATIONS = {
    "pre key of the column that leaves": (
        *(1, 2),
        Mutation(M, "round_key_pre[{~next_number,", "round_key_pre[{~(next_number - 2'd1),"),
    ),
    "pre key when it encrypts": (2, 4, Mutation(M, PRE, "1'b1")),
    "post key when it decrypts": (
        *(2, 4),
        Mutation(M, "Direction == aesforge_pkg::Both && undo ?", "1'b0 ?"),
    ),
    "post key a stage early": (
        *(0, 5),
        Mutation(M, ".Depth(ShiftStage + InnerStages)", ".Depth(InnerStages)"),
    ),
    "MixColumns in the last round": (0, 6, Mutation(M, ".bypass(Last)", ".bypass(1'b0)")),
    "mark a stage early": (
        *(2, 3),
        Mutation(M, ".Depth(InnerStages)\n  ) u_mark_out", ".Depth(MixedStage)\n  ) u_mark_out"),
    ),
}


def make_bench() -> Bench:
    keys = {"round_key_pre": 128, "round_key_post": 128}
    bench = Bench({"zeroize": 1, "first_i": 1, "decrypt_i": 1, "column_i": 32, **keys})

    def add(
        name: str, direction: int, shape: tuple[int, ...], mutation: Mutation | None = None
    ) -> None:
        parameters = {"Direction": direction, **dict(zip(NAMES, shape, strict=True))}
        outputs = {"first_o": 1, "decrypt_o": 1, "column_o": 32}
        bench.add(name, M, parameters, outputs=outputs, mutation=mutation)

    for direction in range(3):
        for shape in SHAPES:
            add(f"direction {direction} shape {shape}", direction, shape)
    for name, (direction, index, mutation) in MUTATIONS.items():
        add(name, direction, SHAPES[index], mutation)
    return bench


@cache
def forward(state: int, round_key: int, last: int) -> int:
    """A round of CIPHER()."""
    state = on_state(lambda s: reference.shift_rows(reference.sub_bytes(s)), state)
    return (state if last else on_state(reference.mix_columns, state)) ^ round_key


@cache
def backward(state: int, round_key: int, last: int) -> int:
    """A round of INVCIPHER()."""
    state = (
        on_state(lambda s: reference.inv_sub_bytes(reference.inv_shift_rows(s)), state) ^ round_key
    )
    return state if last else on_state(reference.inv_mix_columns, state)


def latency(one: Instance) -> int:
    return one["SboxStages"] + one["LinearStages"] + (4 if one["ShiftStyle"] else 5)


@cocotb.test()
async def rounds_are_right(dut: Any) -> None:
    """States at any distance in either direction, new round keys once all have left."""
    bench, draw, faults = make_bench(), random.Random(22), Faults()
    driver = Driver(dut, bench)
    depth = max(map(latency, bench.instances))
    for _ in range(3):
        given = random_stream(draw, 40)
        starts = {one.start: one for one in given}
        keys = {name: draw.getrandbits(128) for name in ("round_key_pre", "round_key_post")}
        for now, values in enumerate(inputs(draw, given, depth)):
            outputs = await driver.cycle(values | keys)
            for one in bench.instances:
                leaves = now - latency(one)
                if leaves >= 0:
                    first = outputs.of(one, "first_o")
                    faults.check(one, first, int(leaves in starts), f"mark in cycle {now}")
                for number in range(4):
                    state = starts.get(leaves - number)
                    if state is None:
                        continue
                    decrypt = one["Direction"] == 1 or (one["Direction"] == 2 and state.decrypt)
                    if decrypt:
                        wanted = backward(state.state, keys["round_key_pre"], one["Last"])
                    else:
                        wanted = forward(state.state, keys["round_key_post"], one["Last"])
                    got = outputs.of(one, "column_o")
                    faults.check(one, got, column(wanted, number), f"column {number} in {now}")
                    got = outputs.of(one, "decrypt_o")
                    faults.check(one, got, state.decrypt, f"direction in cycle {now}")
    bench.judge(faults)
    assert min(faults.compared.values()) > 1000


@pytest.mark.usefixtures("mutants")
def test_aesforge_serial_round(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
