# SPDX-License-Identifier: Apache-2.0
"""aesforge_serial_cipher on its native bus: blocks, new keys, resets, and the key expansion."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
import pytest
from columns import Core
from fips197 import round_keys
from rtl_bench import Bench, Driver, Faults, Mutation

NAMES = ("KeyBits", "Direction", "SboxStages", "LinearStages", "MixStyle", "ShiftStyle")
SHAPES = (
    *((128, 2, 0, 1, 2, 0), (192, 1, 1, 0, 0, 1), (256, 0, 0, 2, 1, 0), (128, 0, 1, 2, 2, 1)),
    *((192, 2, 0, 3, 2, 1), (256, 2, 2, 3, 2, 0), (128, 2, 0, 0, 2, 0), (128, 2, 0, 0, 2, 1)),
)
M = "aesforge_serial_cipher"
MUTATIONS = {
    "a key among blocks": Mutation(M, "key_ready = idle_q && !zeroize", "key_ready = !zeroize"),
    "encryption after the third cycle": Mutation(M, ": expanded[3];", ": expanded[2];"),
    "decryption without the last round key": Mutation(
        M, "in_decrypt ? expanded[Nr] :", "in_decrypt ? expanded[Nr-1] :"
    ),
    "a new key counts as expanded": Mutation(
        M, ".zeroize(zeroize || take_key)", ".zeroize(zeroize)"
    ),
    "a block while a key waits": Mutation(M, "ready && !key_valid &&", "ready &&"),
    "a block in a block": Mutation(M, "&& number_q == '0 && !zeroize", "&& !zeroize"),
    "a direction a column": Mutation(
        M, "decrypt_d = number_q == '0 ? in_decrypt : decrypt_q", "decrypt_d = in_decrypt"
    ),
    "what a reset forgets leaves": Mutation(M, "drop_q   <= 1'b1;", "drop_q   <= 1'b0;"),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1})

    def add(name: str, shape: tuple[int, ...], mutation: Mutation | None = None) -> None:
        parameters = dict(zip(NAMES, shape, strict=True)) | {"SboxStyle": 0, "KeySboxStyle": 0}
        bits = parameters["KeyBits"]
        bench.add(
            name,
            M,
            parameters,
            inputs={
                **{"key_valid": 1, "key": bits},
                **{"in_first": 1, "in_decrypt": 1, "in_column": 32},
            },
            outputs={
                **{"key_ready": 1, "in_ready": 1, "out_first": 1, "out_column": 32},
            },
            probes={"round_keys": ("round_keys", 128 * (bits // 32 + 7))},
            mutation=mutation,
        )

    for shape in SHAPES:
        add(f"{', '.join(NAMES)} = {shape}", shape)
    for name, mutation in MUTATIONS.items():
        add(name, SHAPES[0], mutation)
    return bench


@cocotb.test()
async def blocks_and_keys_go_through(dut: Any) -> None:
    """Blocks and keys at full rate, with gaps, and resets; each round key at its time."""
    bench, draw, faults = make_bench(), random.Random(23), Faults()
    driver = Driver(dut, bench)
    cores = [Core(one) for one in bench.instances]
    await driver.cycle({"rst": 1})
    for core in cores:
        core.forget(driver.number - 1)
    expanded = 0
    # Share of cycles with a block, with a key, with a reset; cycles.
    for share, keys, resets, cycles in (
        *((1.0, 0.0, 0.0, 100), (1.0, 0.01, 0.0, 600), (0.2, 0.01, 0.0, 400)),
        *((0.9, 0.3, 0.01, 600), (0.9, 0.02, 0.0, 400), (0.01, 0.05, 0.0, 600)),
        (0.0, 0.0, 0.0, 200),
    ):
        for _ in range(cycles):
            now, reset = driver.number, draw.random() < resets
            own = {core.one.name: core.offer(draw, share, keys) for core in cores}
            # Round key r stands r steps and a cycle after that of the key.
            ages = [
                -1 if core.loaded is None else (now - core.loaded - 1) / core.key_step
                for core in cores
            ]
            timely = [age in range(core.rounds + 1) for core, age in zip(cores, ages, strict=True)]
            outputs = await driver.cycle({"rst": int(reset)}, own, probes=any(timely))
            for core, age, expands in zip(cores, ages, timely, strict=True):
                one = core.one
                if expands:
                    r = int(age)
                    stands = outputs.of(one, "round_keys") >> 128 * r & (1 << 128) - 1
                    wanted = round_keys(core.key, one["KeyBits"])[r]
                    faults.check(one, stands, wanted, f"round key {r} in cycle {now}")
                    expanded += r == core.rounds
                core.cycle(now, outputs, faults, reset=reset)
    bench.judge(faults)
    assert expanded > 20
    for core in cores:
        if core.one.name not in bench.mutants:
            assert not core.results
            assert core.left > 40
            assert core.loads > 5


@pytest.mark.usefixtures("mutants")
def test_aesforge_serial_cipher(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
