# SPDX-License-Identifier: Apache-2.0
"""aesforge_key_pair_check: which slot has two equal keys, whatever single bit they differ in."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Mutation

M = "aesforge_key_pair_check"
BITS, PART = 12, 4
SLOTS = (5, 8)
MUTATIONS = {
    "a part is not compared": Mutation(M, "&equal_q", "&equal_q[1:0]"),
    "a part of the other key": Mutation(M, "key[KeyBits+PartBits*i+:", "key[KeyBits+:"),
    "compared a cycle early": Mutation(M, "<= compare_q", "<= accept"),
    "another slot": Mutation(M, "refused_q[key_slot] <=", "refused_q[slot] <="),
    "equal once": Mutation(M, "<= &equal_q", "<= refused_q[key_slot] || &equal_q"),
    "a reset keeps the comparison": Mutation(M, "if (rst || zeroize)", "if (zeroize)"),
    "zeroize keeps the comparison": Mutation(M, "if (rst || zeroize)", "if (rst)"),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1, "accept": 1, "key_slot": 3, "slot": 3, "key": 2 * BITS})
    for slots in SLOTS:
        parameters = {"KeyBits": BITS, "PartBits": PART, "Slots": slots}
        bench.add(f"{slots} slots", M, parameters, outputs={"equal": 1})
    for name, mutation in MUTATIONS.items():
        parameters = {"KeyBits": BITS, "PartBits": PART, "Slots": 5}
        bench.add(name, M, parameters, outputs={"equal": 1}, mutation=mutation)
    return bench


@cocotb.test()
async def pairs_are_judged(dut: Any) -> None:
    """Equal keys, keys that differ in each bit, and comparisons that are discarded."""
    bench, draw, faults = make_bench(), random.Random(9), Faults()
    driver = Driver(dut, bench)
    await driver.cycle({"rst": 1})
    equal: dict[int, bool] = {}  # slot -> what is known of its pair

    async def look(values: dict[str, int]) -> None:
        slot = draw.choice([*equal]) if equal else 0
        outputs = await driver.cycle({**values, "slot": slot})
        for one in bench.instances:
            if slot in equal:
                faults.check(one, outputs.of(one, "equal"), int(equal[slot]), f"slot {slot}")

    for number in range(600):
        slot, key = draw.randrange(5), draw.getrandbits(BITS)
        other = key ^ (1 << number % BITS if draw.random() < 0.6 else 0)
        await look({"accept": 1, "key_slot": draw.getrandbits(3)})
        stands = {"key_slot": slot, "key": other << BITS | key}
        cut = draw.choice(("", "", "", "rst", "zeroize"))
        await look(stands | ({cut: 1} if cut else {}))
        await look({"key_slot": slot, "key": draw.getrandbits(2 * BITS)})
        if not cut:
            equal[slot] = other == key
        await look({"key_slot": draw.getrandbits(3), "key": draw.getrandbits(2 * BITS)})
        for _ in range(draw.randrange(3)):
            await look({"key": draw.getrandbits(2 * BITS)})
    bench.judge(faults)


def test_aesforge_key_pair_check(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
