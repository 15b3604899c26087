# SPDX-License-Identifier: Apache-2.0
"""aesforge_sbox_table: both depths, all directions, all inputs; a wrong entry is detected."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Mutation, elaborate
from sbox_stream import DIRECTIONS, check_stream

M = "aesforge_sbox_table"
# direction, stages, old, new: bytes 55 to 50 of a table, one bit changed
MUTATIONS = {
    "SBOX(0x53) is wrong": (0, 0, "fc20ed00d153", "fc20ec00d153"),
    "INVSBOX(0x53) is wrong": (1, 1, "edfd5048706c", "edfd5148706c"),
    "directions exchanged": (2, 1, "inverse ?", "!inverse ?"),
}


def make_bench() -> Bench:
    bench = Bench({"inverse": 1, "x": 8})
    for direction, way in enumerate(DIRECTIONS):
        for stages in (0, 1):
            parameters = {"Direction": direction, "Stages": stages}
            bench.add(f"{way} {stages}", M, parameters, outputs={"y": 8})
    for name, (direction, stages, old, new) in MUTATIONS.items():
        parameters = {"Direction": direction, "Stages": stages}
        bench.add(name, M, parameters, outputs={"y": 8}, mutation=Mutation(M, old, new))
    return bench


@cocotb.test()
async def bytes_are_substituted(dut: Any) -> None:
    await check_stream(dut, make_bench())


def test_aesforge_sbox_table(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


def test_illegal_sets_are_refused() -> None:
    assert not elaborate(M, {"Stages": 2})[0]
    assert not elaborate(M, {"Direction": 3})[0]
