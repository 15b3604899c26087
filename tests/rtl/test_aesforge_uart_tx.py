# SPDX-License-Identifier: Apache-2.0
"""aesforge_uart_tx: every byte bit by bit, at several dividers, with and without gaps."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Mutation, elaborate

M = "aesforge_uart_tx"
DIVIDERS = (4, 5, 16, 217)
MUTATIONS = {
    "a bit is a cycle long": Mutation(M, "CountBits'(Divider - 1)", "CountBits'(Divider - 2)"),
    "no stop bit": Mutation(M, "4'd10", "4'd9"),
    "two stop bits": Mutation(M, "4'd10", "4'd11"),
    "highest bit first": Mutation(
        M,
        "{data, 1'b0}",
        "{data[0], data[1], data[2], data[3], data[4], data[5], data[6], data[7], 1'b0}",
    ),
    "no start bit": Mutation(M, "{data, 1'b0}", "{data, 1'b1}"),
    "the line idles low": Mutation(M, "{1'b1, shift_q[8:1]}", "{1'b0, shift_q[8:1]}"),
    "ready within the stop bit": Mutation(M, "ready = left_q == '0", "ready = left_q <= 4'd1"),
    "the first bit is short": Mutation(M, "count_q <= '0;\n      if (valid)", "if (valid)"),
    "a reset leaves the line": Mutation(M, "      shift_q <= '1;\n", ""),
    "a reset does not end a byte": Mutation(M, "      left_q <= '0;\n", ""),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "valid": 1, "data": 8})
    outputs = {"ready": 1, "txd": 1}
    for divider in DIVIDERS:
        bench.add(f"{divider} cycles", M, {"Divider": divider}, outputs=outputs)
    for name, mutation in MUTATIONS.items():
        bench.add(name, M, {"Divider": 5}, outputs=outputs, mutation=mutation)
    return bench


class Line:
    """What the line shows, cycle by cycle."""

    def __init__(self, divider: int) -> None:
        self.divider = divider
        self.levels: list[int] = []  # of this byte, the next cycle's last
        self.level = 1

    def cycle(self, rst: int, valid: int, data: int) -> tuple[int, int]:
        """Return `ready` and `txd` of a cycle with these inputs."""
        ready = int(not self.levels)
        level = self.levels.pop() if self.levels else 1
        if rst:
            self.levels = []
        elif ready and valid:
            bits = [0, *(data >> index & 1 for index in range(8)), 1]
            self.levels = [bit for bit in reversed(bits) for _ in range(self.divider)]
        return ready, level


@cocotb.test()
async def every_byte_leaves(dut: Any) -> None:
    """All bytes, back to back and with gaps, and resets in the middle of some."""
    bench, draw, faults = make_bench(), random.Random(6), Faults()
    driver = Driver(dut, bench)
    lines = {one.name: Line(one.parameters["Divider"]) for one in bench.instances}
    await driver.cycle({"rst": 1})
    valid, number = 1, 0
    for cycle in range(40_000):
        if cycle % 53 == 0:
            valid = int(draw.random() < 0.7)
            number += 1
        inputs = {"rst": int(draw.random() < 0.001), "valid": valid, "data": 77 * number % 256}
        outputs = await driver.cycle(inputs)
        for one in bench.instances:
            due = lines[one.name].cycle(**inputs)
            got = outputs.of(one, "ready"), outputs.of(one, "txd")
            faults.check(one, got, due, f"ready and txd in cycle {cycle}")
    bench.judge(faults)


def test_aesforge_uart_tx(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


def test_a_divider_that_is_too_small_is_refused() -> None:
    legal, text = elaborate(M, {"Divider": 3})
    assert not legal
    assert "Divider must be 4 or more" in text
