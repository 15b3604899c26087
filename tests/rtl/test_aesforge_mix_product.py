# SPDX-License-Identifier: Apache-2.0
"""aesforge_mix_product: all bytes, both controls; and the script that writes it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Mutation

from aesforge.reference import multiply
from aesforge.toolchain import rtl

ROOT = Path(__file__).resolve().parents[2]
FORWARD = (0x02, 0x03, 0x01, 0x01)  # first row of the matrix of Sec. 5.1.3
BACKWARD = (0x0E, 0x0B, 0x0D, 0x09)  # of Sec. 5.3.3
M = "aesforge_mix_product"
MUTATIONS = (
    ("a bit of {02}", Mutation(M, "256'he5e7e1e3", "256'he4e7e1e3"), 0, 0),
    ("a bit of {09}", Mutation(M, "256'h464f545d", "256'h474f545d"), 3, 1),
    ("bypass of column 1", Mutation(M, "(Column == 0 ? x : 8'h00)", "x"), 1, 2),
)


def make_bench() -> Bench:
    bench = Bench({"inverse": 1, "bypass": 1, "x": 8}, clocked=False)

    def add(name: str, column: int, direction: int, mutation: Mutation | None = None) -> None:
        parameters = {"Column": column, "Direction": direction}
        bench.add(name, M, parameters, outputs={"y": 8}, mutation=mutation)

    for column in range(4):
        for direction in range(3):
            add(f"column {column} direction {direction}", column, direction)
    for name, mutation, column, direction in MUTATIONS:
        add(name, column, direction, mutation)
    return bench


@cocotb.test()
async def products_are_right(dut: Any) -> None:
    """Every byte times every constant, for every value of the controls."""
    bench, faults = make_bench(), Faults()
    driver = Driver(dut, bench)
    for x in range(256):
        for inverse in (0, 1):
            for bypass in (0, 1):
                given = {"x": x, "inverse": inverse, "bypass": bypass}
                outputs = await driver.settle(given)
                for one in bench.instances:
                    undo = one["Direction"] == 1 or (one["Direction"] == 2 and inverse)
                    factor = (BACKWARD if undo else FORWARD)[one["Column"]]
                    if bypass:
                        factor = int(one["Column"] == 0)
                    faults.check(one, outputs.of(one, "y"), multiply(factor, x), str(given))
    bench.judge(faults)


def test_aesforge_mix_product(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


def test_script_writes_this_file() -> None:
    """scripts/mix_tables.py gives the file byte for byte."""
    code = "import mix_tables, sys; sys.stdout.write(mix_tables.text())"
    script = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT / "scripts",
        env={"PYTHONPATH": f"{ROOT / 'src'}"},
        capture_output=True,
        check=True,
    )
    written = rtl.file_of("aesforge_mix_product")
    assert script.stdout == written.read_bytes()
