# SPDX-License-Identifier: Apache-2.0
"""aesforge_parity_sbox for every byte."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Mutation

from aesforge import reference

M = "aesforge_parity_sbox"
MUTATIONS = {
    "parity for the top bit": Mutation(M, "top = Top[x]", "top = Parity[x]"),
    "parity of the byte before": Mutation(M, "parity = Parity[x]", "parity = ^x"),
}


def make_bench() -> Bench:
    bench = Bench({"x": 8}, clocked=False)
    for name, mutation in {"true": None, **MUTATIONS}.items():
        bench.add(name, M, {}, outputs={"parity": 1, "top": 1}, mutation=mutation)
    return bench


@cocotb.test()
async def all_bytes(dut: Any) -> None:
    """Parity and top bit of SBOX(x)."""
    bench, faults = make_bench(), Faults()
    driver = Driver(dut, bench)
    for x in range(256):
        y = reference.SBOX[x]
        outputs = await driver.settle({"x": x})
        for one in bench.instances:
            faults.check(one, outputs.of(one, "parity"), y.bit_count() & 1, f"parity of {x}")
            faults.check(one, outputs.of(one, "top"), y >> 7, f"top bit of {x}")
    bench.judge(faults)


def test_aesforge_parity_sbox(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
