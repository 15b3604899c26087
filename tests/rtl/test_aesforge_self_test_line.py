# SPDX-License-Identifier: Apache-2.0
"""aesforge_self_test_line: the line of any values, with a reader that stalls."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Mutation

M = "aesforge_self_test_line"
WIDTHS = {"blocks": 40, "rate": 32, "errors": 64, "passes": 24, "mismatches": 24}
MUTATIONS = {
    "letters are one too high": Mutation(M, "digit - 4'd9", "digit - 4'd8"),
    "ten is no letter": Mutation(M, "digit < 4'd10", "digit <= 4'd10"),
    "values change on the way": Mutation(M, "value_q << 4", "value_q + 1"),
    "the word does not move": Mutation(M, "word_q <= word_q << 8;", "word_q <= word_q;"),
    "good before the first pass": Mutation(M, 'passes != \'0 ? "good" : "run "', '"good"'),
    "done though it failed": Mutation(
        M, 'failed ? "FAIL" : done ? "done"', 'done ? "done" : failed ? "FAIL"'
    ),
    "a byte is lost in a stall": Mutation(M, "end else if (ready) begin", "end else begin"),
    "no line feed": Mutation(M, "8'h0d, 8'h0a", "8'h0d, 8'h0d"),
    "the last byte is left out": Mutation(M, "left_q == '0) valid", "left_q == 1) valid"),
    "a reset does not end the line": Mutation(M, "    if (rst) valid <= 1'b0;\n", ""),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "send": 1, "ready": 1, "failed": 1, "done": 1, **WIDTHS})
    for name, mutation in {"true": None, **MUTATIONS}.items():
        bench.add(name, M, {}, outputs={"valid": 1, "data": 8}, mutation=mutation)
    return bench


def text_of(values: dict[str, int], word: str) -> bytes:
    """Return the line of some values."""
    parts = [f"{name} {values[name]:0{bits // 4}x}" for name, bits in WIDTHS.items()]
    return f"{' '.join(parts)} {word}\r\n".encode()


@cocotb.test()
async def lines_are_whole(dut: Any) -> None:
    """Random values, which go on changing while the line is sent; a line ends in a reset."""
    bench, draw, faults = make_bench(), random.Random(8), Faults()
    driver = Driver(dut, bench)
    await driver.cycle({"rst": 1})
    for number in range(40):
        values = {name: draw.getrandbits(bits) for name, bits in WIDTHS.items()}
        failed, done = number & 1, number >> 1 & 1
        if number % 3 == 0:
            values["passes"] = 0
        word = "FAIL" if failed else "done" if done else "good" if values["passes"] else "run "
        due = text_of(values, word)
        await driver.cycle({"send": 1, "failed": failed, "done": done, **values})
        got: dict[str, bytes] = {one.name: b"" for one in bench.instances}
        for _ in range(3 * len(due)):
            others = {name: draw.getrandbits(bits) for name, bits in WIDTHS.items()}
            ready = int(draw.random() < 0.7)
            # What comes while a line is sent does not start another one.
            send = int(len(got["true"]) < len(due) - 1)
            outputs = await driver.cycle({"ready": ready, "send": send, **others})
            for one in bench.instances:
                if ready and outputs.of(one, "valid"):
                    got[one.name] += bytes([outputs.of(one, "data")])
        for one in bench.instances:
            faults.check(one, got[one.name], due, f"line {number}")
        # A line that a reset ends.
        await driver.cycle({"send": 1, **values})
        await driver.cycle({"rst": 1})
        outputs = await driver.cycle({})
        for one in bench.instances:
            faults.check(one, outputs.of(one, "valid"), 0, f"valid after reset {number}")
        await driver.cycle({"rst": 1})
    bench.judge(faults)


def test_aesforge_self_test_line(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
