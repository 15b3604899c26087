# SPDX-License-Identifier: Apache-2.0
"""aesforge_sbox_tower: all directions and depths, all inputs; tests/python has its algebra."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import cocotb
import pytest
from rtl_bench import Bench, Mutation, elaborate
from sbox_stream import DIRECTIONS, TOWER, check_stream, deepest

from aesforge.toolchain import rtl

M = "aesforge_sbox_tower"


def mutations() -> dict[str, tuple[int, int, str, str]]:
    """Name -> direction, stages, old, new; found in the file, whatever circuit it holds."""
    text = rtl.file_of(M).read_text()

    def once(pattern: str) -> str:
        lines: list[str] = re.findall(pattern, text)
        return next(line for line in lines if text.count(line) == 1)

    form = once(r"assign u\d = x\[\d\] \^ .*;")
    inverse = once(r"localparam logic \[15:0\] E\d = 16'h[0-9a-f]{4};")
    digit = int(inverse[-2], 16)  # entry 0 stands for x = 0 alone, whose products are 0
    stages = once(r"\(Stages == \d\) \? 7'b1[01]{6} :")
    way = int(text.index(stages) > text.index("gen_inverse"))
    both = "logic [9:0] StageMask"
    assert text.count(both) == 1
    return {
        "a form without its first bit": (0, 0, form, re.sub(r"= x\[\d\] \^ ", "= ", form)),
        "a wrong bit of 1/N": (0, 7, inverse, f"{inverse[:-2]}{digit ^ 2:x};"),
        "a stage missing": (way, int(stages[11]), stages, stages.replace("7'b1", "7'b0")),
        "no stages in the combined one": (2, 5, both, "logic [9:0] StageMask = '0, NotStageMask"),
    }


def make_bench() -> Bench:
    bench = Bench({"inverse": 1, "x": 8})
    for direction, way in enumerate(DIRECTIONS):
        for stages in range(deepest(TOWER, direction) + 1):
            parameters = {"Direction": direction, "Stages": stages}
            bench.add(f"{way} {stages}", M, parameters, outputs={"y": 8})
    for name, (direction, stages, old, new) in mutations().items():
        parameters = {"Direction": direction, "Stages": stages}
        bench.add(name, M, parameters, outputs={"y": 8}, mutation=Mutation(M, old, new))
    return bench


@cocotb.test()
async def bytes_are_substituted(dut: Any) -> None:
    await check_stream(dut, make_bench())


@pytest.mark.usefixtures("mutants")
def test_aesforge_sbox_tower(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


def test_illegal_sets_are_refused() -> None:
    for direction in range(3):
        limit = deepest(TOWER, direction)
        assert elaborate(M, {"Direction": direction, "Stages": limit})[0]
        assert not elaborate(M, {"Direction": direction, "Stages": limit + 1})[0]
    assert not elaborate(M, {"Direction": 3})[0]
