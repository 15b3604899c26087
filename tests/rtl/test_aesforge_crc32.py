# SPDX-License-Identifier: Apache-2.0
"""aesforge_crc32 against zlib, with pauses and restarts at any time."""

from __future__ import annotations

import random
import zlib
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Mutation

M = "aesforge_crc32"
MUTATIONS = {
    "another polynomial": Mutation(M, "hedb88320", "hedb88321"),
    "highest bit first": Mutation(M, "{24'd0, value}", "{value, 24'd0}"),
    "begins with zeros": Mutation(M, "state_q <= '1;", "state_q <= '0;"),
    "not complemented": Mutation(M, "crc = ~state_q", "crc = state_q"),
    "seven bits": Mutation(M, "i < 8", "i < 7"),
    "steps without a byte": Mutation(M, "if (step)", "if (1'b1)"),
    "never begins again": Mutation(M, "if (start) state_q", "if (1'b0) state_q"),
}


def make_bench() -> Bench:
    bench = Bench({"start": 1, "step": 1, "data": 8})
    bench.add("crc", M, {}, outputs={"crc": 32})
    for name, mutation in MUTATIONS.items():
        bench.add(name, M, {}, outputs={"crc": 32}, mutation=mutation)
    return bench


@cocotb.test()
async def it_is_that_of_zlib(dut: Any) -> None:
    """The check value of the catalogue of CRCs, and random texts."""
    bench, draw, faults = make_bench(), random.Random(9), Faults()
    driver = Driver(dut, bench)
    for number in range(60):
        text = b"123456789" if number == 0 else draw.randbytes(draw.choice((0, 1, 5, 40)))
        await driver.cycle({"start": 1, "step": draw.randrange(2), "data": draw.randrange(256)})
        for at, byte in enumerate(text):
            while draw.random() < 0.2:
                await driver.cycle({"data": draw.randrange(256)})
            outputs = await driver.cycle({"step": 1, "data": byte})
            for one in bench.instances:
                due = zlib.crc32(text[:at])
                faults.check(one, outputs.of(one, "crc"), due, f"after {at} bytes of {text!r}")
        outputs = await driver.settle()
        for one in bench.instances:
            due = 0xCBF43926 if number == 0 else zlib.crc32(text)
            faults.check(one, outputs.of(one, "crc"), due, f"of {text!r}")
    bench.judge(faults)


def test_aesforge_crc32(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
