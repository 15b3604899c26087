# SPDX-License-Identifier: Apache-2.0
"""aesforge_axis_slice: words in order, full rate, no path between its sides."""

from __future__ import annotations

import random
from collections import deque
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Mutation

M = "aesforge_axis_slice"
WIDTH = 16
MUTATIONS = {
    "a bubble after each word": Mutation(
        M, "assign s_ready = !stall_q", "assign s_ready = !m_valid"
    ),
    "a path through": Mutation(M, "s_ready = !stall_q", "s_ready = (!stall_q || m_ready)"),
    "the spare word is overwritten": Mutation(M, "if (!stall_q) spare_q", "spare_q"),
    "the spare word is forgotten": Mutation(
        M, "m_valid <= stall_q ? m_valid : s_valid;", "m_valid <= s_valid;"
    ),
    "the spare word comes second": Mutation(
        M, "stall_q ? spare_q : s_data;", "s_valid ? s_data : spare_q;"
    ),
    "takes a word while zeroizing": Mutation(M, "stall_q  <= zeroize;", "stall_q  <= 1'b0;"),
    "zeroization brings a word": Mutation(
        M, "m_valid <= stall_q ? m_valid : s_valid;", "m_valid <= stall_q || s_valid;"
    ),
    "zeroization keeps the output": Mutation(M, "      m_data  <= '0;\n", ""),
    "zeroization keeps the spare word": Mutation(M, "      spare_q <= '0;\n", ""),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1, "s_data": WIDTH})
    for name, mutation in {"true": None, **MUTATIONS}.items():
        bench.add(
            name,
            M,
            {"Width": WIDTH},
            inputs={"s_valid": 1, "m_ready": 1},
            outputs={"s_ready": 1, "m_valid": 1, "m_data": WIDTH},
            probes={"spare_q": ("spare_q", WIDTH)},
            mutation=mutation,
        )
    return bench


@cocotb.test()
async def words_pass(dut: Any) -> None:
    """Two places: ready while one is free, whatever m_ready is; what waits stays."""
    bench, draw, faults = make_bench(), random.Random(2), Faults()
    driver = Driver(dut, bench)
    await driver.cycle({"rst": 1})
    held: dict[str, deque[int]] = {one.name: deque() for one in bench.instances}
    for push, pop, cycles in ((1.0, 1.0, 50), (0.5, 0.5, 300), (1.0, 0.3, 200), (0.3, 1.0, 200)):
        for _ in range(cycles):
            data, now = draw.getrandbits(WIDTH), driver.number
            own = {
                one.name: {
                    "s_valid": int(draw.random() < push),
                    "m_ready": int(draw.random() < pop),
                }
                for one in bench.instances
            }
            outputs = await driver.cycle({"s_data": data}, own)
            for one in bench.instances:
                queue, given = held[one.name], own[one.name]
                ready = len(queue) < 2
                faults.check(one, outputs.of(one, "s_ready"), int(ready), f"s_ready in {now}")
                faults.check(one, outputs.of(one, "m_valid"), int(bool(queue)), f"valid in {now}")
                if queue:
                    faults.check(one, outputs.of(one, "m_data"), queue[0], f"m_data in {now}")
                if queue and given["m_ready"]:
                    queue.popleft()
                if given["s_valid"] and ready:
                    queue.append(data)
        # A word may be taken in the first cycle of zeroization; it is gone, as the others are. None
        # is taken in the cycle after, in which both places read as zeros.
        full = {one.name: {"s_valid": 1} for one in bench.instances}
        await driver.cycle({"zeroize": 1, "s_data": 0xABC}, full)
        outputs = await driver.cycle({"s_data": 0xABC}, full, probes=True)
        for one in bench.instances:
            held[one.name].clear()
            faults.check(one, outputs.of(one, "s_ready"), 0, "s_ready after zeroization")
            for word in ("m_data", "spare_q"):
                faults.check(one, outputs.of(one, word), 0, f"{word} after zeroization")
    bench.judge(faults)


def test_aesforge_axis_slice(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
