# SPDX-License-Identifier: Apache-2.0
"""aesforge_axis_queue: words in order, none lost, full rate, nothing left after zeroization."""

from __future__ import annotations

import random
from collections import deque
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Mutation, elaborate

M = "aesforge_axis_queue"
WIDTH = 24
DEPTHS = (2, 8, 16)
MUTATIONS = {
    "reads on while the RAM's register waits": Mutation(
        M, "first_take = !first_valid_q || second_take", "first_take = 1'b1"
    ),
    "reads on while the second register waits": Mutation(
        M, "second_take = !second_valid_q || slice_ready", "second_take = 1'b1"
    ),
    "a bubble after each word": Mutation(
        M, "first_take = !first_valid_q || second_take", "first_take = !first_valid_q"
    ),
    "sees a word late": Mutation(M, "some_q <= s_valid || (", "some_q <= ("),
    "reads a word that is not there": Mutation(
        M, "leave ? write_q != after_q : write_q != read_q", "write_q != read_q"
    ),
    "zeroization writes nothing": Mutation(M, ".write(1'b1)", ".write(s_valid)"),
    "zeroization keeps the first register": Mutation(
        M, ".first_step(first_take)", ".first_step(first_take && !zeroize)"
    ),
    "zeroization keeps the second register": Mutation(
        M, ".second_step(second_take)", ".second_step(second_take && !zeroize)"
    ),
    "zeroization ends with words inside": Mutation(
        M, "if (rst || zeroize || zeroize_q) begin", "if (rst) begin"
    ),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1, "s_data": WIDTH})

    def add(name: str, depth: int, mutation: Mutation | None = None, style: int = 0) -> None:
        words = {"second": ("second_q", WIDTH)}
        for bank in range(depth // 16 if style else 1):
            at = f"u_ram.gen_banks.gen_bank[{bank}]" if style else "u_ram.gen_block"
            words[f"first_{bank}"] = (f"{at}.first_q", WIDTH)
            for i in range(16 if style else depth):
                words[f"word_{bank}_{i}"] = (f"{at}.memory[{i}]", WIDTH)
        bench.add(
            name,
            M,
            {"Width": WIDTH, "Depth": depth, "Style": style},
            inputs={"s_valid": 1, "m_ready": 1},
            outputs={"leave": 1, "m_valid": 1, "m_data": WIDTH},
            probes=words,
            mutation=mutation,
        )

    for depth in DEPTHS:
        add(f"depth {depth}", depth)
    add("distributed", 32, style=1)
    for name, mutation in MUTATIONS.items():
        add(name, 8, mutation)
    return bench


@cocotb.test()
async def words_pass(dut: Any) -> None:
    """Any mix of coming and going; latency 4; a word per cycle; zeroizes in between."""
    bench, draw, faults = make_bench(), random.Random(1), Faults()
    driver = Driver(dut, bench)
    await driver.cycle({"rst": 1})
    held: dict[str, deque[tuple[int, int]]] = {one.name: deque() for one in bench.instances}
    stored = dict.fromkeys(held, 0)  # words in the RAM
    waits = dict.fromkeys(held, -1)  # first cycle in which the next word can be at the output
    # Shares of cycles with a word offered and taken, cycles.
    for push, pop, cycles in (
        *((1.0, 1.0, 60), (0.5, 0.5, 400), (1.0, 0.3, 300), (0.3, 1.0, 300), (1.0, 1.0, 60)),
    ):
        for _ in range(cycles):
            data, now = draw.getrandbits(WIDTH), driver.number
            own = {}
            for one in bench.instances:
                # As the shell does it: one place stays free.
                room = stored[one.name] < one["Depth"] - 1
                own[one.name] = {
                    "s_valid": int(room and draw.random() < push),
                    "m_ready": int(draw.random() < pop),
                }
            outputs = await driver.cycle({"s_data": data}, own)
            for one in bench.instances:
                queue, given = held[one.name], own[one.name]
                valid = bool(queue) and now >= max(queue[0][0] + 4, waits[one.name])
                faults.check(one, outputs.of(one, "m_valid"), int(valid), f"m_valid in {now}")
                if valid:
                    faults.check(one, outputs.of(one, "m_data"), queue[0][1], f"m_data in {now}")
                    if given["m_ready"]:
                        queue.popleft()
                        waits[one.name] = now + 1
                stored[one.name] += given["s_valid"] - outputs.of(one, "leave")
                if given["s_valid"]:
                    queue.append((now, data))
        # Zeroization: nothing leaves, and no word that was inside can be found.
        for step in range(32 + 5):
            outputs = await driver.cycle({"zeroize": 1, "s_data": 0x5A})
            for one in bench.instances:
                if step:
                    faults.check(one, outputs.of(one, "m_valid"), 0, "m_valid while zeroizing")
        outputs = await driver.cycle({}, probes=True)
        for one in bench.instances:
            held[one.name].clear()
            stored[one.name] = 0
            faults.check(one, outputs.of(one, "m_data"), 0, "m_data after zeroization")
            for word in one.probes:
                faults.check(one, outputs.of(one, word), 0x5A, f"{word} after zeroization")
    bench.judge(faults)


def test_aesforge_axis_queue(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


def test_depth_is_a_power_of_two() -> None:
    for depth in (1, 3, 12):
        legal, said = elaborate(M, {"Depth": depth})
        assert not legal
        assert "depth must be a power of two, at least 2" in said
    assert elaborate(M, {"Depth": 2})[0]
