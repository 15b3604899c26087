# SPDX-License-Identifier: Apache-2.0
"""aesforge_key_store: which round keys it takes, where it gives them, and the zeroization."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Instance, Mutation

NAMES = ("Nr", "First", "Stride", "Backward", "Slots", "ReadDelay", "OutputRegister")
SHAPES = (
    *((10, 1, 10, 0, 2, 0, 1), (10, 1, 1, 0, 2, 3, 1), (12, 2, 3, 1, 5, 1, 1)),
    *((14, 7, 7, 1, 16, 0, 1), (14, 1, 1, 0, 16, 2, 1), (12, 12, 12, 1, 3, 4, 1)),
    *((10, 0, 10, 0, 3, 0, 0), (14, 0, 14, 1, 8, 0, 0)),
)
M = "aesforge_key_store"
MUTATIONS = {
    "backwards one too high": (2, Mutation(M, "Backward ? Nr - (", "Backward ? Nr + 1 - (")),
    "address a cycle late": (1, Mutation(M, ".Depth(ReadDelay)", ".Depth(ReadDelay + 1)")),
    "writes what is not its own": (0, Mutation(M, "write_valid && mine", "write_valid")),
    "zeroize stores the key": (0, Mutation(M, "zeroize ? '0 : write_key", "write_key")),
}


def make_bench() -> Bench:
    inputs = {"write_valid": 1, "write_round": 4, "write_slot": 4, "write_key": 128}
    inputs |= {"zeroize": 1, "zeroize_address": 8, "slot": 4, "pass": 4}
    bench = Bench(inputs)

    def add(name: str, shape: tuple[int, ...], mutation: Mutation | None = None) -> None:
        parameters = dict(zip(NAMES, shape, strict=True))
        slot_bits = (parameters["Slots"] - 1).bit_length()
        narrow = {"write_slot": slot_bits, "slot": slot_bits, "pass": max(1, pass_bits(parameters))}
        bench.add(
            name,
            M,
            parameters,
            shared=inputs | narrow,
            outputs={"round_key": 128},
            mutation=mutation,
        )

    for shape in SHAPES:
        add(f"{', '.join(NAMES)} = {shape}", shape)
    for name, (index, mutation) in MUTATIONS.items():
        add(name, SHAPES[index], mutation)
    return bench


def pass_bits(parameters: Any) -> int:
    """Address bits that the pass takes."""
    return int(parameters["Nr"] // parameters["Stride"] - 1).bit_length()


class Model:
    """Round key by slot and pass."""

    def __init__(self, one: Instance) -> None:
        self.one = one
        self.bits = pass_bits(one.parameters)
        self.slots = 2 ** (one["Slots"] - 1).bit_length()
        self.memory: dict[int, int] = {}
        self.read: list[int] = []  # addresses, cycle by cycle
        self.answer: int | None = None

    def cycle(self, now: int, given: dict[str, int], got: int, faults: Faults) -> None:
        one = self.one
        if self.answer is not None:
            faults.check(one, got, self.answer, f"round key in cycle {now}")
        pass_number = given["pass"] % 2**self.bits
        self.read.append((given["slot"] % self.slots << self.bits) + pass_number)
        used = now - one["ReadDelay"]
        answer = self.memory.get(self.read[used]) if used >= 0 else None
        if one["OutputRegister"]:
            self.answer = answer
        elif answer is not None:
            faults.check(one, got, answer, f"round key in cycle {now}")
        if given["zeroize"]:
            self.memory[given["zeroize_address"] % (self.slots << self.bits)] = 0
        elif given["write_valid"]:
            for p in range(one["Nr"] // one["Stride"]):
                number = one["First"] + one["Stride"] * p
                if given["write_round"] == (one["Nr"] - number if one["Backward"] else number):
                    address = (given["write_slot"] % self.slots << self.bits) + p
                    self.memory[address] = given["write_key"]


@cocotb.test()
async def keys_are_stored(dut: Any) -> None:
    """Random writes and reads together; then zeroization: all places read zero."""
    bench, draw, faults = make_bench(), random.Random(8), Faults()
    driver = Driver(dut, bench)
    models = [Model(one) for one in bench.instances]

    async def cycle(**given: int) -> None:
        values = {port: draw.getrandbits(width) for port, width in bench.shared.items()} | given
        now = driver.number
        outputs = await driver.cycle(values)
        for model in models:
            model.cycle(now, values, outputs.of(model.one, "round_key"), faults)

    for _ in range(2):
        for _ in range(1200):
            await cycle(write_valid=draw.randrange(2), zeroize=0)
        for address in range(256):
            await cycle(zeroize=1, zeroize_address=address)
        for slot in range(16):
            for number in range(14):
                await cycle(write_valid=0, zeroize=0, slot=slot, **{"pass": number})
    bench.judge(faults)


def test_aesforge_key_store(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
