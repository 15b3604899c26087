# SPDX-License-Identifier: Apache-2.0
"""aesforge_mix_column: all styles, directions and depths.

For fixed controls the column passes through XOR gates and product tables only (the tables are
checked for all inputs in test_aesforge_mix_product.py), so y is linear in x over GF(2): zero, the
32 basis vectors and the sums of random ones determine it completely. The random columns show that
nothing else, such as a register that the control does not follow, breaks in a mixed stream.
"""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, stream

from aesforge.reference import inv_mix_columns, mix_columns

STYLES = ("xtime", "table", "shared")
M = "aesforge_mix_column"
# style, direction, stages, mutation
MUTATIONS = {
    "xtime: a wrong pair": (0, 0, 1, "^ level[63-8*((i+2)%4)-:8]", "^ level[63-8*((i+1)%4)-:8]"),
    "xtime: no {04}": (0, 1, 2, "(aesforge_pkg::xtimes(a[1] ^ a[3])) : 8'h00", "(8'h00) : 8'h00"),
    "xtime: late bypass": (0, 2, 2, "assign skip_pair = skip_1;", "assign skip_pair = bypass;"),
    "table: transposed": (1, 0, 0, ".Column((j - i + 4) % 4)", ".Column((i - j + 4) % 4)"),
    "shared: even is odd": (2, 2, 1, "{even, odd} = level", "{odd, even} = level"),
    "shared: a term of the wrong rows": (
        2,
        1,
        2,
        "rows[i][3] ^ rows[1-i][7]",
        "rows[i][3] ^ rows[i][7]",
    ),
    "shared: a term of every row": (2, 1, 0, "total[3:1] ^ total[7:5]", "total[3:1] ^ total[6:4]"),
    "shared: undo when bypassed": (2, 2, 2, "unmix = undo_1 && !skip_1", "unmix = undo_1"),
}


def make_bench() -> Bench:
    bench = Bench({"inverse": 1, "bypass": 1, "x": 32})

    def add(
        name: str, style: int, direction: int, stages: int, mutation: Mutation | None = None
    ) -> None:
        parameters = {"Direction": direction, "Style": style, "Stages": stages}
        bench.add(name, M, parameters, outputs={"y": 32}, mutation=mutation)

    for style, called in enumerate(STYLES):
        for direction in range(3):
            for stages in range(2 if direction == 0 else 3):
                add(f"{called} direction {direction} stages {stages}", style, direction, stages)
    for name, (style, direction, stages, old, new) in MUTATIONS.items():
        add(name, style, direction, stages, Mutation(M, old, new))
    return bench


@cache
def mixed(x: int, undo: bool) -> int:
    """The column after MixColumns() or InvMixColumns()."""
    state = [[byte, 0, 0, 0] for byte in x.to_bytes(4, "big")]
    state = inv_mix_columns(state) if undo else mix_columns(state)
    return int.from_bytes(bytes(row[0] for row in state), "big")


@cocotb.test()
async def columns_are_mixed(dut: Any) -> None:
    """Every basis vector under every control, in random order, the controls changing each cycle."""
    bench, draw, faults = make_bench(), random.Random(3), Faults()
    columns = [0, *(1 << bit for bit in range(32)), *(draw.getrandbits(32) for _ in range(60))]
    # Each control follows the other three in turn, so that it changes in every cycle.
    controls = [(i, b) for i in (0, 1) for b in (0, 1)]
    queues = {control: draw.sample(columns, len(columns)) for control in controls}
    stimulus = []
    for turn in range(len(columns)):
        for inverse, bypass in (controls, controls[::-1])[turn % 2]:
            x = queues[inverse, bypass][turn]
            stimulus.append({"x": x, "inverse": inverse, "bypass": bypass})

    def expected(one: Instance, number: int) -> dict[str, int]:
        given = stimulus[number]
        undo = one["Direction"] == 1 or (one["Direction"] == 2 and given["inverse"] == 1)
        return {"y": given["x"] if given["bypass"] else mixed(given["x"], undo)}

    await stream(Driver(dut, bench), stimulus, lambda one: one["Stages"], expected, faults)
    bench.judge(faults)


def test_aesforge_mix_column(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
