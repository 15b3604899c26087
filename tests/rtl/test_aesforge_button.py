# SPDX-License-Identifier: Apache-2.0
"""aesforge_button: one pulse for each press, however it bounces, and none for a release."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Mutation, elaborate

M = "aesforge_button"
CYCLES = (2, 5, 16)
MUTATIONS = {
    "bounces count": Mutation(M, "count_q <= '0;\n    if (pin_q", "if (pin_q"),
    "a release is a press": Mutation(M, "pressed <= pin_q[1];", "pressed <= 1'b1;"),
    "pressed for long": Mutation(M, "    pressed <= 1'b0;\n    count_q", "    count_q"),
    "a cycle early": Mutation(M, "Bits'(Cycles - 1)", "Bits'(Cycles - 2)"),
    "never released": Mutation(M, "down_q  <= pin_q[1];", "down_q  <= 1'b1;"),
    "not synchronized": Mutation(M, "{pin_q[0], pin}", "{pin, pin}"),
    "a reset keeps it down": Mutation(M, "      down_q  <= 1'b0;\n", ""),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "pin": 1})
    for cycles in CYCLES:
        bench.add(f"{cycles} cycles", M, {"Cycles": cycles}, outputs={"pressed": 1})
    for name, mutation in MUTATIONS.items():
        bench.add(name, M, {"Cycles": 5}, outputs={"pressed": 1}, mutation=mutation)
    return bench


class Button:
    """What a button does, cycle by cycle."""

    def __init__(self, cycles: int) -> None:
        self.cycles, self.line, self.down, self.count, self.pressed = cycles, [0, 0], 0, 0, 0

    def cycle(self, rst: int, pin: int) -> int:
        """Return `pressed` of a cycle with these inputs."""
        pressed, level = self.pressed, self.line[1]
        self.pressed = 0
        self.count = self.count + 1 if level != self.down else 0
        if self.count == self.cycles:
            self.down, self.pressed, self.count = level, level, 0
        self.line = [pin, self.line[0]]
        if rst:
            self.line, self.down, self.count, self.pressed = [0, 0], 0, 0, 0
        return pressed


@cocotb.test()
async def one_pulse_a_press(dut: Any) -> None:
    """Presses of all lengths, bounces between, and resets in the middle of some."""
    bench, draw, faults = make_bench(), random.Random(3), Faults()
    driver = Driver(dut, bench)
    await driver.cycle({"rst": 1})
    buttons = {one.name: Button(one["Cycles"]) for one in bench.instances}
    pin, left, pulses = 0, 0, 0
    for cycle in range(8000):
        if left == 0:
            pin, left = 1 - pin, draw.choice((1, 1, 2, 4, 5, 6, 30, 50))
        left -= 1
        inputs = {"rst": int(draw.random() < 0.002), "pin": pin}
        outputs = await driver.cycle(inputs)
        for one in bench.instances:
            due = buttons[one.name].cycle(**inputs)
            faults.check(one, outputs.of(one, "pressed"), due, f"pressed in cycle {cycle}")
            pulses += due
    assert pulses > 100
    bench.judge(faults)


def test_aesforge_button(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


def test_too_few_cycles_are_refused() -> None:
    legal, text = elaborate(M, {"Cycles": 1})
    assert not legal
    assert "Cycles must be 2 or more" in text
