# SPDX-License-Identifier: Apache-2.0
"""aesforge_sbox: every style, direction and depth in one model, all inputs, one byte per cycle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cocotb
import pytest
from rtl_bench import Bench, Mutation, elaborate
from sbox_stream import BRAM, DIRECTIONS, STYLES, check_stream, deepest

M = "aesforge_sbox"
# style, direction, stages, mutated module, old, new
MUTATIONS = {
    "a stage too few": (1, 0, 7, M, "(d = 0; d < Delay;", "(d = 1; d < Delay;"),
    "inverse is not passed on": (3, 2, 2, M, "", ""),
    "a wrong table entry": (0, 2, 1, "aesforge_sbox_table", "fc20ed00d153", "fc20ec00d153"),
}


def make_bench() -> Bench:
    bench = Bench({"inverse": 1, "x": 8})

    def add(
        name: str, style: int, direction: int, stages: int, mutation: Mutation | None = None
    ) -> None:
        parameters = {"Style": style, "Direction": direction, "Stages": stages}
        bench.add(name, M, parameters, outputs={"y": 8}, mutation=mutation)

    for style, called in enumerate(STYLES):
        for direction, way in enumerate(DIRECTIONS):
            # From the fewest stages to one more than the style has levels for.
            for stages in range(int(style == BRAM), deepest(style, direction) + 2):
                add(f"{called} {way} {stages}", style, direction, stages)
    tower = "aesforge_sbox_tower #(.Stages(InnerStages), .Direction(Direction)) u_sbox ("
    clock = "\n          .clk(clk), .inverse("
    for name, (style, direction, stages, module, old, new) in MUTATIONS.items():
        if not old:
            old = f"{tower}{clock}inverse)"
            new = f"{tower}{clock}1'b0)"
        through = () if module == M else (M,)
        add(name, style, direction, stages, Mutation(module, old, new, through))
    return bench


@cocotb.test()
async def bytes_are_substituted(dut: Any) -> None:
    await check_stream(dut, make_bench())


@pytest.mark.usefixtures("mutants")
def test_aesforge_sbox(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"Style": len(STYLES)}, "sbox must be the number of a style"),
        ({"Direction": 3}, "direction must be"),
        ({"Style": BRAM, "Stages": 0}, "bram needs sbox_stages of at least 1"),
    ],
    ids=str,
)
def test_illegal_sets_are_refused(parameters: dict[str, int], words: str) -> None:
    fine, said = elaborate(M, parameters)
    assert not fine
    assert words in said
