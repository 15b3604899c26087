# SPDX-License-Identifier: Apache-2.0
"""aesforge_gf128_serial: every digit; starts at any time, resets and zeroization."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
import gf128
import pytest
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, elaborate

from aesforge.reference import block_product

M = "aesforge_gf128_serial"
DIGITS = (1, 2, 4, 8, 16, 32)
INNER = {"a_q": ("a_q", 128), "b_q": ("b_q", 128)}
MUTATIONS = {
    "a wrong tap": Mutation(M, "128'he1 << 120", "128'he3 << 120"),
    "no reduction": Mutation(M, "if (sum[Digit-1-i])", "if (1'b0)"),
    "the digit's other end first": Mutation(M, "= a_q[i] ?", "= a_q[Digit-1-i] ?"),
    "one cycle too few": Mutation(M, "CountBits'(Cycles - 1)", "CountBits'(Cycles - 2)"),
    "done every time the count is over": Mutation(M, "done <= busy && last", "done <= last"),
    "a start in the last cycle is forgotten": Mutation(
        M, "if (start) begin\n      busy <=", "if (start && !(busy && last)) begin\n      busy <="
    ),
    "a lost product is done": Mutation(M, "last && !start;", "last;"),
    "a start while busy is ignored": Mutation(M, "if (start) begin", "if (start && !busy) begin"),
    "the count goes on": Mutation(M, "count_q <= '0;", ""),
    "the product is not new": Mutation(M, "      product <= '0;\n", ""),
    "the product moves on": Mutation(M, "if (busy) begin", "begin"),
    "a is held": Mutation(M, "a_q <= a_q >> Digit;", ""),
    "a stays": Mutation(M, "{a_q, b_q, product} <= '0", "{b_q, product} <= '0"),
    "b stays": Mutation(M, "{a_q, b_q, product} <= '0", "{a_q, product} <= '0"),
    "the product stays": Mutation(M, "{a_q, b_q, product} <= '0", "{a_q, b_q} <= '0"),
    "zeroization lets it go on": Mutation(M, "if (rst || zeroize)", "if (rst)"),
    "a reset lets it go on": Mutation(M, "if (rst || zeroize)", "if (zeroize)"),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1, "start": 1, "a": gf128.BITS, "b": gf128.BITS})

    def add(name: str, digit: int, mutation: Mutation | None = None) -> None:
        bench.add(
            name,
            M,
            {"Digit": digit},
            outputs={"busy": 1, "done": 1, "product": gf128.BITS},
            probes=INNER,
            mutation=mutation,
        )

    for digit in DIGITS:
        add(f"digit {digit}", digit)
    for name, mutation in MUTATIONS.items():
        add(name, 8, mutation)
    return bench


class Model:
    """What one instance must show."""

    def __init__(self, one: Instance) -> None:
        self.one = one
        self.left = 0  # cycles until the product is there
        self.done = False
        self.due = 0
        self.product: int | None = None  # none where nothing is promised
        self.is_zero = False

    def check(self, faults: Faults, outputs: Any, where: str) -> None:
        got = {port: outputs.of(self.one, port) for port in ("busy", "done", "product")}
        faults.check(self.one, got["busy"], int(self.left > 0), f"busy, {where}")
        faults.check(self.one, got["done"], int(self.done), f"done, {where}")
        if self.product is not None:
            faults.check(self.one, got["product"], self.product, f"product, {where}")
        if self.is_zero:
            for name in INNER:
                faults.check(self.one, outputs.of(self.one, name), 0, f"{name}, {where}")

    def clock(self, given: dict[str, int], due: int) -> None:
        self.done = False
        if self.left:
            self.left -= 1
            if self.left == 0:
                self.done, self.product = not given["start"], self.due
        if given["start"]:
            self.left, self.due, self.product = 128 // self.one["Digit"], due, None
            self.is_zero = False
        if given["zeroize"]:
            self.product, self.is_zero = 0, True
        elif given["rst"] and self.left:
            self.product = None
        if given["rst"] or given["zeroize"]:
            self.left, self.done = 0, False


@cocotb.test()
async def products_are_right(dut: Any) -> None:
    """Long and short pauses between starts; a reset or a zeroization now and then."""
    bench, draw, faults = make_bench(), random.Random(38), Faults()
    driver = Driver(dut, bench)
    models = [Model(one) for one in bench.instances]
    await driver.cycle({"rst": 1, "zeroize": 1})
    for model in models:
        model.clock({"rst": 1, "zeroize": 1, "start": 0}, 0)
    for a, b in gf128.factors(draw, 120):
        pause = draw.choice(
            (0, 1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 18, 33, 64, 65, 127, 128, 129, 130)
        )
        wipe = draw.choice(("", "", "", "rst", "zeroize"))
        at = draw.randrange(pause + 1) if wipe else -1
        for cycle in range(pause + 1):
            given = {
                "start": int(cycle == 0),
                "rst": int(wipe == "rst" and cycle == at),
                "zeroize": int(wipe == "zeroize" and cycle == at),
            }
            if cycle == 0:
                given |= {"a": a, "b": b}
            else:
                given |= {"a": draw.getrandbits(128), "b": draw.getrandbits(128)}
            outputs = await driver.cycle(given, probes=True)
            for model in models:
                model.check(faults, outputs, f"cycle {driver.number}")
                model.clock(given, block_product(a, b) if cycle == 0 else 0)
    bench.judge(faults)


@pytest.mark.usefixtures("mutants")
def test_aesforge_gf128_serial(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


@pytest.mark.parametrize("digit", [0, 3, 64])
def test_illegal_digits_are_refused(digit: int) -> None:
    fine, said = elaborate(M, {"Digit": digit})
    assert not fine
    assert "digit must be 1, 2, 4, 8, 16 or 32" in said
