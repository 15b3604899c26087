# SPDX-License-Identifier: Apache-2.0
"""aesforge_gf128_multiply: every number of stages, a product in every cycle."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
import gf128
import pytest
from rtl_bench import Bench, Driver, Faults, Mutation, elaborate, stream

from aesforge.reference import block_product

M = "aesforge_gf128_multiply"
DEFAULT = 5
MUTATIONS = {
    "the first bit is not x^0": Mutation(M, "{a[127-i], b[127-i]}", "{a[i], b[i]}"),
    "the product's first bit is not x^0": Mutation(M, "product[127-i] <=", "product[i] <="),
    "a sum lacks a quarter": Mutation(M, "4'b1111, 4'b1010", "4'b0111, 4'b1010"),
    "sums of the bytes of another word": Mutation(M, "a_1_q[32*(n/9)+", "a_1_q[32*(n/27)+"),
    "a bit of a byte is left out": Mutation(M, "(a_2_q[2*n+1] ?", "(1'b0 ?"),
    "pairs at the wrong place": Mutation(
        M, "{4'h0, pair_q[36*n+9+:9], 2'h0}", "15'(pair_q[36*n+9+:9])"
    ),
    "bytes join without a product": Mutation(M, "{8'h0, low ^ high ^ both", "{8'h0, low ^ both"),
    "words join without a product": Mutation(M, "{32'h0, low ^ high ^", "{32'h0, high ^"),
    "halves join at the wrong place": Mutation(
        M, "{64'h0, low ^ high ^ both, 64'h0}", "{63'h0, low ^ high ^ both, 65'h0}"
    ),
    "x^6 for x^7": Mutation(M, "^ {high, 7'h0}", "^ {1'b0, high, 6'h0}"),
    "no x^2": Mutation(M, " ^ {5'h0, high, 2'h0}", ""),
    "what goes over is lost": Mutation(M, " ^ {115'h0, twice_q}", ""),
    "what goes over twice lacks x": Mutation(M, " ^ {6'h0, over, 1'b0}", ""),
    "a stage is left out": Mutation(M, "Stages == 5 ? 10'b10_1010", "Stages == 5 ? 10'b10_1000"),
}


def make_bench() -> Bench:
    bench = Bench({"a": gf128.BITS, "b": gf128.BITS})
    for stages in range(1, 11):
        bench.add(f"{stages} stages", M, {"Stages": stages}, outputs={"product": gf128.BITS})
    for name, mutation in MUTATIONS.items():
        bench.add(name, M, {"Stages": DEFAULT}, outputs={"product": gf128.BITS}, mutation=mutation)
    return bench


@cocotb.test()
async def products_are_right(dut: Any) -> None:
    """Other factors in each cycle."""
    bench, faults = make_bench(), Faults()
    given = gf128.factors(random.Random(38), 200)
    products = [block_product(a, b) for a, b in given]
    await stream(
        Driver(dut, bench),
        [{"a": a, "b": b} for a, b in given],
        lambda one: one["Stages"],
        lambda one, number: {"product": products[number]},
        faults,
    )
    bench.judge(faults)


@pytest.mark.usefixtures("mutants")
def test_aesforge_gf128_multiply(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


@pytest.mark.parametrize("stages", [0, 11])
def test_illegal_stages_are_refused(stages: int) -> None:
    fine, said = elaborate(M, {"Stages": stages})
    assert not fine
    assert "stages must be 1 to 10" in said
