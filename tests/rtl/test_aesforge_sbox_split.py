# SPDX-License-Identifier: Apache-2.0
"""aesforge_sbox_split: both table sizes, all directions and depths, all inputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Mutation, elaborate
from sbox_stream import DIRECTIONS, check_stream, deepest

M = "aesforge_sbox_split"
# K, direction, stages, old, new
MUTATIONS = {
    "2:1 multiplexer turned": (4, 0, 0, "select_q[0] ?", "select_q[0] == 0 ?"),
    "select bits late": (4, 2, 6, "select_q <= select_d", "select_q <= select_q"),
    "4:1 multiplexer takes its neighbour": (6, 1, 2, "+ 32*t +: 8", "+ 32*t + 8 +: 8"),
    "a stage too few": (6, 0, 2, "(l * Stages) / Levels)", "(l * Stages) / Levels + l)"),
}


def make_bench() -> Bench:
    bench = Bench({"inverse": 1, "x": 8})
    for k, style in ((4, 1), (6, 2)):
        for direction, way in enumerate(DIRECTIONS):
            for stages in range(deepest(style, direction) + 1):
                parameters = {"K": k, "Direction": direction, "Stages": stages}
                bench.add(f"K {k} {way} {stages}", M, parameters, outputs={"y": 8})
    for name, (k, direction, stages, old, new) in MUTATIONS.items():
        parameters = {"K": k, "Direction": direction, "Stages": stages}
        bench.add(name, M, parameters, outputs={"y": 8}, mutation=Mutation(M, old, new))
    return bench


@cocotb.test()
async def bytes_are_substituted(dut: Any) -> None:
    await check_stream(dut, make_bench())


def test_aesforge_sbox_split(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


def test_illegal_sets_are_refused() -> None:
    assert not elaborate(M, {"K": 5})[0]
    assert not elaborate(M, {"K": 4, "Stages": 6})[0]
    assert elaborate(M, {"K": 4, "Stages": 6, "Direction": 2})[0]
