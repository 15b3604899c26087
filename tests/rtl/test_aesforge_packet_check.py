# SPDX-License-Identifier: Apache-2.0
"""aesforge_packet_check: every tkeep, first, last and partial; one block a beat and several."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
import pytest
from rtl_bench import Bench, Driver, Faults, Mutation, elaborate

M = "aesforge_packet_check"
# Bytes, BlockBytes, Stages
SHAPES = {
    "one block": (8, 8, 1),
    "one block, two stages": (8, 8, 2),
    "two blocks": (8, 4, 1),
    "four blocks, two stages": (8, 2, 2),
    "one byte": (1, 1, 1),
}
MUTATIONS = {
    "holes pass": (Mutation(M, "error = beat_hole || (", "error = ("), "one block"),
    "any byte may be the first": (
        Mutation(M, "((s_keep >> 1) & ~s_keep)", "((s_keep >> 1) & ~s_keep & ~1)"),
        "one block",
    ),
    "a beat before the last may be empty": (
        Mutation(M, "(!last || (", "((!last && first_keep) || ("),
        "one block",
    ),
    "parts of blocks pass": (Mutation(M, "&& !partial", "&& 1'b0"), "one block"),
    "no part of a block passes": (Mutation(M, "&& !partial", "&& 1'b1"), "one block"),
    "an empty last beat is wrong": (Mutation(M, "? first_keep :", "? 1'b1 :"), "one block"),
    "only the first block counts": (
        Mutation(M, "(Bytes == BlockBytes ? first_keep : beat_part)", "first_keep"),
        "two blocks",
    ),
    "the last block does not count": (
        Mutation(M, "i < Bytes; i +=", "i < Bytes - BlockBytes; i +="),
        "two blocks",
    ),
    "whole blocks are not enough": (Mutation(M, "part = 1'b0;", "part = 1'b1;"), "two blocks"),
    "a beat that did not come": (Mutation(M, "if (s_valid) {hole_q", "{hole_q"), "one block"),
    "a stage is left out": (Mutation(M, "Stages == 1", "Stages != 0"), "four blocks, two stages"),
}


def make_bench() -> Bench:
    bench = Bench({"s_valid": 1, "last": 1, "partial": 1})

    def add(name: str, shape: tuple[int, int, int], mutation: Mutation | None = None) -> None:
        bench.add(
            name,
            M,
            dict(zip(("Bytes", "BlockBytes", "Stages"), shape, strict=True)),
            inputs={"s_keep": shape[0], "first_keep": 1},
            outputs={"error": 1},
            mutation=mutation,
        )

    for name, shape in SHAPES.items():
        add(name, shape)
    for name, (mutation, shape_name) in MUTATIONS.items():
        add(name, SHAPES[shape_name], mutation)
    return bench


def is_wrong(keep: int, last: bool, partial: bool, size: int, block: int) -> bool:
    """Whether a beat of ``size`` bytes may not have this tkeep."""
    kept = keep.bit_count()
    if keep != 2**kept - 1:
        return True
    return kept < size and (not last or (kept % block != 0 and not partial))


@cocotb.test()
async def every_keep(dut: Any) -> None:
    """All values of tkeep, four times each, with pauses; most are no legal ones, so those more."""
    bench, draw, faults = make_bench(), random.Random(7), Faults()
    driver = Driver(dut, bench)
    keeps = [*range(256), *((1 << n) - 1 for n in range(9) for _ in range(20))] * 4
    draw.shuffle(keeps)
    stages: dict[str, list[int | None]] = {one.name: [None, None] for one in bench.instances}
    for keep in keeps:
        valid, last, partial = (draw.random() < share for share in (0.8, 0.5, 0.5))
        own = {}
        for one in bench.instances:
            held = stages[one.name][one.parameters["Stages"] - 1]
            own[one.name] = {
                "s_keep": keep % 2 ** one.parameters["Bytes"],
                "first_keep": (held or 0) & 1,
            }
        shared = {"s_valid": int(valid), "last": int(last), "partial": int(partial)}
        outputs = await driver.cycle(shared, own)
        for one in bench.instances:
            size, block, depth = one.parameters.values()
            first, second = stages[one.name]
            held = first if depth == 1 else second
            if held is not None:
                wrong = is_wrong(held, last, partial, size, block)
                where = f"tkeep {held:#b}, last {last}, partial {partial}"
                faults.check(one, outputs.of(one, "error"), int(wrong), where)
            stages[one.name] = [own[one.name]["s_keep"] if valid else first, first]
    bench.judge(faults)


def test_aesforge_packet_check(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ({"Bytes": 16, "BlockBytes": 12}, "a beat must hold whole blocks"),
        ({"Stages": 0}, "stages must be 1 or 2"),
        ({"Stages": 3}, "stages must be 1 or 2"),
    ],
)
def test_illegal_sets_are_refused(parameters: dict[str, int], why: str) -> None:
    fine, said = elaborate(M, parameters)
    assert not fine
    assert why in said
