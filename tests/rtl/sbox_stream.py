# SPDX-License-Identifier: Apache-2.0
"""Streams of bytes for all S-box tests: what goes in, and what FIPS 197 says comes out.

Every stream holds each byte with each value of ``inverse``, in random order and a new one each
cycle: a complete proof for what is combinational, and with the latency one for the pipelines.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from rtl_bench import Bench, Driver, Faults, Instance, stream

from aesforge.design import SBOX_STYLES, sbox_stage_range
from aesforge.reference.sbox import INV_SBOX, SBOX

STYLES = SBOX_STYLES
DIRECTIONS = ("forward", "inverse", "both")
TOWER, BRAM = STYLES.index("tower"), STYLES.index("bram")


def deepest(style: int, direction: int) -> int:
    """Most stages that fall inside an S-box: the legal range of `sbox_stages`."""
    return sbox_stage_range(STYLES[style], ("encrypt", "decrypt", "both")[direction])[1]


def inputs(width: int = 8) -> list[dict[str, int]]:
    """Each byte with each direction twice: the direction first toggles, then changes at random.

    A wider ``x`` has the byte at the bottom and random ones above it.
    """
    draw = random.Random(197)
    chosen = []
    for turn in range(2):
        left = [draw.sample(range(256), 256) for _ in range(2)]
        for cycle in range(512):
            inverse = cycle % 2 if turn == 0 else draw.getrandbits(1)
            if not left[inverse]:
                inverse ^= 1
            high = draw.getrandbits(width - 8) << 8 if width > 8 else 0
            chosen.append({"x": high | left[inverse].pop(), "inverse": inverse})
    return chosen


def substituted(x: int, count: int, inverse: Sequence[int]) -> int:
    """``count`` bytes through the S-box, or its inverse where ``inverse`` is 1."""
    result = 0
    for i in range(count):
        table = INV_SBOX if inverse[i] else SBOX
        result |= table[x >> 8 * i & 0xFF] << 8 * i
    return result


async def check_stream(dut: Any, bench: Bench) -> None:
    """Stream all inputs through all instances and judge them."""
    width = bench.shared["x"]
    given, faults = inputs(width), Faults()

    def expected(one: Instance, number: int) -> dict[str, int]:
        now = given[number]
        inverse = (now["inverse"], 0, 1)[(one["Direction"] + 1) % 3]
        count = one.outputs["y"][1] // 8
        return {"y": substituted(now["x"], count, [inverse] * count)}

    await stream(Driver(dut, bench), given, lambda one: one["Stages"], expected, faults)
    for one in bench.instances:
        assert one.name in bench.mutants or faults.compared[one.name] == len(given)
    bench.judge(faults)
