# SPDX-License-Identifier: Apache-2.0
"""aesforge_sub_word: every byte keeps its place, in every style and direction."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cocotb
import pytest
from rtl_bench import Bench, Mutation, elaborate
from sbox_stream import BRAM, DIRECTIONS, STYLES, check_stream, deepest

M = "aesforge_sub_word"
# style, direction, stages, old, new
MUTATIONS = {
    "bytes change places": (0, 0, 0, ".y(y[8*i +: 8])", ".y(y[24-8*i +: 8])"),
    "pairs change places": (BRAM, 2, 1, ".y(sub[0][16*i +: 16])", ".y(sub[0][16-16*i +: 16])"),
    "a stage too few": (BRAM, 0, 4, "(d = 0; d < Delay;", "(d = 1; d < Delay;"),
}


def make_bench() -> Bench:
    bench = Bench({"inverse": 1, "x": 32})

    def add(
        name: str, style: int, direction: int, stages: int, mutation: Mutation | None = None
    ) -> None:
        parameters = {"Style": style, "Direction": direction, "Stages": stages}
        bench.add(name, M, parameters, outputs={"y": 32}, mutation=mutation)

    for style, called in enumerate(STYLES):
        lowest = int(style == BRAM)
        for direction, way in enumerate(DIRECTIONS):
            limit = deepest(style, direction)
            # Without stages, with one, and with plain delay after the last level.
            for stages in sorted({lowest, 1, limit + 2}):
                add(f"{called} {way} {stages}", style, direction, stages)
    for name, (style, direction, stages, old, new) in MUTATIONS.items():
        add(name, style, direction, stages, Mutation(M, old, new))
    return bench


@cocotb.test()
async def words_are_substituted(dut: Any) -> None:
    await check_stream(dut, make_bench())


@pytest.mark.usefixtures("mutants")
def test_aesforge_sub_word(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


def test_illegal_sets_are_refused() -> None:
    assert not elaborate(M, {"Style": BRAM, "Stages": 0})[0]
    assert not elaborate(M, {"Style": 5})[0]
