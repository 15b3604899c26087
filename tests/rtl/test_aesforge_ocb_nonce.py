# SPDX-License-Identifier: Apache-2.0
"""aesforge_ocb_nonce: nonces of every length and every shift, and those that are none."""

from __future__ import annotations

import random
from collections import deque
from pathlib import Path
from typing import Any

import cocotb
import pytest
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, Outputs
from streams import Source, Stall

M = "aesforge_ocb_nonce"
SHAPES = {"3 slots": (3, 16), "2 slots": (2, 8)}
MUTATIONS = {
    "the nonce does not move": Mutation(M, "shifts_q <= 4'd15 - s_nonce_bytes", "shifts_q <= '0"),
    "a nonce that still moves": Mutation(M, "next_valid && shifts_q[3:1] == '0", "next_valid"),
    "no one before the nonce": Mutation(M, "{8'h01, s_nonce}", "{8'h00, s_nonce}"),
    "the length of the tag is left out": Mutation(
        M, "{tag_bytes_q[3:0], 3'b0, nonce_q", "{7'b0, nonce_q"
    ),
    "the bottom is encrypted": Mutation(M, "{block[127:6], 6'b0}", "block"),
    "the stretch": Mutation(M, "top[127:64] ^ top[119:56]", "top[127:64] ^ top[120:57]"),
    "shifts by 16": Mutation(M, "8'd49 - {2'b0, top_header[5:4], 4'b0}", "8'd49"),
    "shifts by 4": Mutation(M, "4'd12 - {first_bottom_q[3:2], 2'b0}", "4'd12"),
    "shifts by 1": Mutation(M, "2'd3 - second_bottom_q", "2'd3"),
    "the bottom of another nonce": Mutation(
        M, "first_bottom_q <= top_header[3:0]", "first_bottom_q <= block[3:0]"
    ),
    "the header of another packet": Mutation(
        M,
        "{m_header, second_header_q} <= {second_header_q, first_header_q}",
        "{m_header, second_header_q} <= {first_header_q, first_header_q}",
    ),
    "a stage moves on": Mutation(M, "step = !m_valid || m_ready", "step = 1'b1"),
    "a nonce of no bytes": Mutation(M, "next_unknown || none_q", "next_unknown"),
    "an empty slot": Mutation(M, "next_unknown || none_q", "none_q"),
    "the key is not waited for": Mutation(M, ".s_stall(next_stall)", ".s_stall(1'b0)"),
    "a reset keeps a nonce": Mutation(
        M, "if (rst || zeroize) {next_valid, shifts_q}", "if (zeroize) {next_valid, shifts_q}"
    ),
    "a reset keeps an offset": Mutation(
        M, "if (rst || zeroize) {m_valid,", "if (zeroize) {m_valid,"
    ),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1})

    def add(name: str, shape: tuple[int, int], mutation: Mutation | None = None) -> None:
        slot = (shape[0] - 1).bit_length()
        bench.add(
            name,
            M,
            {"Slots": shape[0], "Depth": shape[1]},
            inputs={
                **{"s_valid": 1, "s_slot": slot, "s_decrypt": 1, "s_tag_bytes": 5, "s_nonce": 120},
                **{"s_nonce_bytes": 4, "next_stall": 1, "next_unknown": 1, "core_ready": 1},
                **{"out_valid": 1, "out_block": 128, "m_ready": 1},
            },
            outputs={
                **{"s_ready": 1, "next_valid": 1, "next_slot": slot, "begin_valid": 1},
                **{"core_valid": 1, "core_block": 128, "core_slot": slot},
                **{"m_valid": 1, "m_header": slot + 7, "m_offset": 128},
            },
            mutation=mutation,
        )

    for name, shape in SHAPES.items():
        add(name, shape)
    for name, mutation in MUTATIONS.items():
        add(name, SHAPES["3 slots"], mutation)
    return bench


def turn(block: int) -> int:
    """What stands for the cipher."""
    return block * 0x9E3779B97F4A7C15F39CC0605CEDC835 % 2**128 ^ block >> 64


def offset_of(nonce: bytes, tag_bytes: int) -> tuple[int, int]:
    """RFC 7253 Sec. 4.2: what is encrypted, and the offset."""
    number = (8 * tag_bytes % 128) << 121 | 1 << 8 * len(nonce) | int.from_bytes(nonce, "big")
    bottom = number % 64
    top = turn(number - bottom)
    stretch = top << 64 | (top >> 64 ^ top >> 56) % 2**64
    return number - bottom, stretch >> 64 - bottom & 2**128 - 1


class Model:
    """Contexts in, and a core behind that answers in order some cycles later."""

    def __init__(self, one: Instance, seed: int) -> None:
        self.one, self.draw = one, random.Random(seed)
        self.source = Source()
        self.left = self.errors = 0
        self.unknown = False
        self.reset()

    def reset(self) -> None:
        self.source.drop()
        self.waiting: deque[tuple[int, int, int, bytes]] = deque()
        self.keys = Stall()
        self.blocks: deque[tuple[int, int]] = deque()  # slot and block, on the way to the core
        self.begun: deque[tuple[int, int | None]] = deque()  # header, offset
        self.core: deque[tuple[int, int]] = deque()

    def offer(self, share: float, ready: float, now: int) -> dict[str, int]:
        draw = self.draw
        while share and len(self.source.queue) < 2:
            nonce = draw.randbytes(draw.randrange(16))
            slot = draw.randrange(self.one["Slots"])
            tag = draw.choice((4, 8, 12, 16))
            self.source.queue.append((slot, draw.randrange(2), tag, nonce))
        self.ready, self.core_ready = int(draw.random() < ready), int(draw.random() < 0.6)
        # Some slots are empty, others have no key for some cycles.
        if self.keys.step(draw, self.waiting[0] if self.waiting else None):
            self.unknown = draw.random() < 0.15
        values = {
            **{"m_ready": self.ready, "core_ready": self.core_ready},
            **{"next_stall": int(self.keys.stall), "next_unknown": int(self.unknown)},
        }
        if self.source.offer(draw, share):
            slot, way, tag, nonce = self.source.queue[0]
            # What is beyond the nonce may be anything.
            junk = draw.getrandbits(120) >> 8 * len(nonce)
            number = int.from_bytes(nonce, "big") << 8 * (15 - len(nonce)) | junk
            values |= {"s_valid": 1, "s_slot": slot, "s_decrypt": way, "s_tag_bytes": tag}
            values |= {"s_nonce": number, "s_nonce_bytes": len(nonce)}
        if self.core and self.core[0][0] <= now:
            values |= {"out_valid": 1, "out_block": self.core.popleft()[1]}
        return values

    def after(self, now: int, outputs: Outputs, faults: Faults) -> None:
        def got(port: str) -> int:
            return outputs.of(self.one, port)

        def wrong(text: str) -> None:
            faults.first.setdefault(self.one.name, f"cycle {now}: {text}")

        if got("begin_valid"):
            if not self.waiting:
                wrong("a packet too many begins")
                return
            slot, way, tag, nonce = self.waiting.popleft()
            if not self.keys.free:
                wrong("a packet begins before its key")
            if got("next_slot") != slot:
                wrong("the slot of another packet")
            error = self.unknown or not nonce
            offset = None
            if not error:
                block, offset = offset_of(nonce, tag)
                self.blocks.append((slot, block))
            header = ((slot << 1 | way) << 5 | tag) << 1 | error
            self.begun.append((header, offset))
        if got("core_valid") and self.core_ready:
            if not self.blocks:
                wrong("a nonce that has not begun, or an error, uses the core")
                return
            if (got("core_slot"), got("core_block")) != (entered := self.blocks.popleft()):
                wrong("another block for the core, or another slot")
            self.core.append((now + 7, turn(entered[1])))
        taken = self.source.after(got("s_ready"))
        if taken is not None:
            self.waiting.append(taken)
        if got("m_valid") and self.ready:
            if not self.begun:
                wrong("a context too many")
                return
            header, offset = self.begun.popleft()
            if got("m_header") != header:
                wrong("another header")
            if offset is not None and got("m_offset") != offset:
                wrong(f"{got('m_offset'):032x}, expected {offset:032x}")
            self.left += 1
            self.errors += header & 1


@cocotb.test()
async def nonces_become_offsets(dut: Any) -> None:
    """Idle x back-pressure x a restart with contexts inside."""
    bench, faults = make_bench(), Faults()
    driver = Driver(dut, bench)
    models = [Model(one, 70 + i) for i, one in enumerate(bench.instances)]

    async def step(share: float, ready: float) -> None:
        now = driver.number
        own = {model.one.name: model.offer(share, ready, now) for model in models}
        outputs = await driver.cycle({}, own)
        for model in models:
            model.after(now, outputs, faults)

    for restart in ("rst", "zeroize", "rst"):
        for share in (1.0, 0.3):
            for ready in (1.0, 0.4, 0.05):
                for _ in range(30 if restart == "zeroize" else 1):
                    await driver.cycle({restart: 1})
                for model in models:
                    model.reset()
                await driver.cycle({})
                for _ in range(500):
                    await step(share, ready)
                for _ in range(400):
                    await step(0.0, 1.0)
                for model in models:
                    if model.waiting or model.begun:
                        faults.first.setdefault(model.one.name, "a context stays inside")
                for _ in range(25):
                    await step(1.0, 0.2)
    bench.judge(faults)
    for model in models:
        if model.one.mutation is None:
            assert min(model.left / 2, 2 * model.errors) > 100, (model.one.name, model.left)


@pytest.mark.usefixtures("mutants")
def test_aesforge_ocb_nonce(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
