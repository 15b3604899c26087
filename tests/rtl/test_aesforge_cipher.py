# SPDX-License-Identifier: Apache-2.0
"""aesforge_cipher at its own ports: rings of several shapes, agile and stored, and zeroize."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
import pytest
from fips197 import round_keys, rounds
from rtl_bench import Bench, Driver, Faults, Mutation
from traffic import TAG_BITS, Traffic, run, slot_bits, stages

NAMES = (
    *("KeyBits", "Direction", "Unroll", "SboxStages", "LinearStages", "MixStyle"),
    *("KeySlots", "BlocksPerBeat", "DelayStyle", "Summed"),
)
SHAPES = (
    *((128, 0, 2, 0, 1, 0, 0, 1, 1, 0), (192, 2, 1, 1, 1, 2, 0, 1, 0, 0)),
    *((256, 1, 2, 1, 0, 1, 0, 1, 1, 0), (128, 0, 1, 1, 0, 0, 0, 2, 0, 0)),
    *((128, 2, 2, 0, 2, 0, 3, 1, 0, 0), (128, 1, 1, 1, 0, 1, 2, 1, 1, 0)),
    *((128, 0, 10, 0, 0, 0, 0, 1, 1, 0), (128, 1, 10, 0, 2, 2, 0, 1, 0, 1)),
    *((128, 0, 10, 1, 0, 0, 3, 2, 1, 0), (128, 2, 10, 0, 1, 1, 4, 1, 0, 0)),
    (128, 0, 10, 1, 1, 2, 2, 1, 0, 0),
)
M = "aesforge_cipher"
MUTATIONS = {
    "MixColumns in every pass": (
        0,
        Mutation(M, "last = pass[PassBits*u+:PassBits] == PassBits'(Passes - 1);", "last = 1'b0;"),
    ),
    "key schedule forwards only": (
        1,
        Mutation(M, ".step(decrypt ? 4'(Nr + 1) - round : round)", ".step(round)"),
    ),
    "round keys a cycle late": (4, Mutation(M, ".ReadDelay(Stages - 1)", ".ReadDelay(Stages)")),
    "first round key with a sum in it": (
        7,
        Mutation(M, "Summed ? 128'(in_window", "1'b0 ? 128'(in_window"),
    ),
    "round keys late": (
        8,
        Mutation(M, "store_key[u] <= store_key[u-1];", "store_key[u] <= store_key[u];"),
    ),
    "a store takes its neighbour's round key": (
        8,
        Mutation(M, "round_q[u-1] == 4'(u + 1)", "round_q[u-1] == 4'(u)"),
    ),
    "encrypts with the last round key": (
        9,
        Mutation(M, "decrypt ? gen_way[1].round_key", "1'b1 ? gen_way[1].round_key"),
    ),
    "tag of the newcomer": (0, Mutation(M, ": enter ? in_tag : tag_end", ": in_tag")),
}


def make_bench() -> Bench:
    write = {"write_valid": 1, "write_round": 4, "write_key": 128, "write_slot": 2}
    bench = Bench({"rst": 1, "zeroize": 1, "zeroize_address": 8, **write})

    def add(name: str, shape: tuple[int, ...], mutation: Mutation | None = None) -> None:
        parameters = dict(zip(NAMES, shape, strict=True)) | {"TagBits": TAG_BITS}
        slots, blocks_per_beat = slot_bits(parameters), parameters["BlocksPerBeat"]
        bench.add(
            name,
            M,
            parameters,
            shared={**bench.shared, "write_slot": slots},
            inputs={
                **{"in_valid": 1, "in_decrypt": 1, "in_slot": slots, "in_tag": TAG_BITS},
                **{"in_window": parameters["KeyBits"], "in_block": 128 * blocks_per_beat},
            },
            outputs={
                **{"in_ready": 1, "out_valid": 1, "out_block": 128 * blocks_per_beat},
                **{"out_tag": TAG_BITS},
            },
            mutation=mutation,
        )

    for shape in SHAPES:
        add(f"{', '.join(NAMES)} = {shape}", shape)
    for name, (index, mutation) in MUTATIONS.items():
        add(name, SHAPES[index], mutation)
    return bench


@cocotb.test()
async def blocks_go_through(dut: Any) -> None:
    """Random blocks, keys, tags and bubbles; zeroization in the middle; stored keys."""
    bench, draw, faults = make_bench(), random.Random(11), Faults()
    driver = Driver(dut, bench)
    traffics = [
        Traffic(one, rounds(one["KeyBits"]) * stages(one) + 1, one["BlocksPerBeat"])
        for one in bench.instances
    ]
    await driver.cycle({"rst": 1})

    async def load() -> None:
        keys = [draw.getrandbits(128) for _ in range(3)]
        for slot, key in enumerate(keys):
            for number, round_key in enumerate(round_keys(key, 128)):
                given = {"write_valid": 1, "write_round": number, "write_slot": slot}
                await driver.cycle(given | {"write_key": round_key})
        # A pipeline takes them a cycle later.
        await driver.cycle({})
        for slot, key in enumerate(keys):
            for traffic in traffics:
                # A narrower port takes the low bits.
                taken = slot % 2 ** slot_bits(traffic.one.parameters)
                if taken < traffic.one["KeySlots"]:
                    traffic.keys[taken] = key

    await load()
    await run(driver, traffics, draw, 1.0, 90, faults)
    await run(driver, traffics, draw, 0.5, 60, faults)
    # Zeroization long enough to overwrite rings and stores, then all keys anew.
    for traffic in traffics:
        traffic.keys.clear()
    address = iter(range(70))
    await run(
        *(driver, traffics, draw, 0.9, 70, faults),
        extra=lambda: {"zeroize": 1, "zeroize_address": next(address)},
    )
    await load()
    await run(driver, traffics, draw, 0.9, 60, faults)
    await run(driver, traffics, draw, 0.0, 60, faults)
    bench.judge(faults)
    assert all(not traffic.under_way and traffic.left > 8 for traffic in traffics)


@pytest.mark.usefixtures("mutants")
def test_aesforge_cipher(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
