# SPDX-License-Identifier: Apache-2.0
"""aesforge_engine_gcm_counted: a packet is encrypted under the IV that leaves, and none twice."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cocotb
import pytest
from context_ports import add_stored_engine
from engine_ports import drain, judge, little, reset, step
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, Outputs
from test_aesforge_engine_gcm import NAMES, Engine, Packet, parameters_of

M, IV = "aesforge_engine_gcm_counted", "aesforge_gcm_iv"
NO_IV = 3
# As of aesforge_engine_gcm; then the bits of the counter.
SHAPES = {
    "unrolled": ((128, 10, 0, 1, 3, 6, 0, 32, 64, 0, 8), 64),
    "small": ((128, 1, 0, 1, 2, 0, 1, 32, 16, 0, 16), 4),
}
MUTATIONS = {
    "the IV of the context": Mutation(M, ".s_ctx_iv(ctx_iv)", ".s_ctx_iv(s_ctx_iv)"),
    "the kind of IV of the context": Mutation(
        M, ".s_ctx_iv_kind(ctx_iv_kind)", ".s_ctx_iv_kind(s_ctx_iv_kind)"
    ),
    "the slot of the next context": Mutation(M, ".s_ctx_slot(ctx_slot)", ".s_ctx_slot(s_ctx_slot)"),
    "the direction of the next context": Mutation(
        M, ".s_ctx_decrypt(ctx_decrypt)", ".s_ctx_decrypt(s_ctx_decrypt)"
    ),
    "the tag length of the next context": Mutation(
        M, ".s_ctx_tag_bytes(ctx_tag_bytes)", ".s_ctx_tag_bytes(s_ctx_tag_bytes)"
    ),
    "a counter of 64 bits": Mutation(M, ".CountBits(InvocationBits)", ".CountBits(64)"),
    "zeroize restarts the count": Mutation(
        IV, "if (rst) {spent_q, count_q}", "if (rst || zeroize) {spent_q, count_q}", (M,)
    ),
    "wraps": Mutation(IV, "refused = spent_q ||", "refused =", (M,)),
    "a counter for each direction": Mutation(IV, "accept && encrypts &&", "accept &&", (M,)),
    "another IV leaves": Mutation(
        IV, "refused ? '0 : iv;", "refused ? '0 : {iv[95:89], ~iv[88], iv[87:0]};", (M,)
    ),
    "another IV is used": Mutation(
        IV, "encrypts ? {32'b0, iv}", "encrypts ? {32'b0, iv[95:89], ~iv[88], iv[87:0]}", (M,)
    ),
}

# Only a context that waits shows it.
ZEROIZE_MUTATIONS = {
    "a context outlives zeroize": Mutation(
        M, ".zeroize,\n      .iv_fixed", ".zeroize(1'b0),\n      .iv_fixed"
    )
}


class CountedEngine(Engine):
    """One engine that makes its IVs, and the IVs that must leave it."""

    def __init__(self, one: Instance, seed: int) -> None:
        self.restart()
        super().__init__(one, seed)
        self.fixed = self.draw.getrandbits(32 * one["KeySlots"])
        self.iv_ready = 0

    def restart(self) -> None:
        """A reset: the counter starts again. `zeroize` leaves it as it is."""
        self.planned = self.encrypted = self.refused = 0

    def reset(self) -> None:
        super().reset()
        # What was sent and not taken has used no IV.
        self.planned = self.encrypted
        # What contexts say, in the order in which they go in, and what must leave `m_iv`.
        self.said: deque[int] = deque()
        self.ivs: deque[tuple[int, int]] = deque()

    def iv_packet(self, iv: bytes, slot: int) -> Packet:
        packet = super().iv_packet(iv, slot)
        assert packet.context is not None
        # One that is said to encrypt is refused: seldom.
        packet.context.decrypt = int(self.draw.random() < 0.9)
        return packet

    def offer(self, share: float, ready: float) -> dict[str, int]:
        # Contexts wait for it, and no packet may wait for its context for too long.
        self.iv_ready = int(self.draw.random() < 0.8)
        own = {"iv_fixed": self.fixed, "m_iv_tready": self.iv_ready}
        return super().offer(share, ready) | own

    def after(self, now: int, outputs: Outputs) -> None:
        one = self.one
        if outputs.of(one, "m_iv_tvalid"):
            got = outputs.of(one, "m_iv_tdata"), outputs.of(one, "m_iv_tuser")
            due = self.ivs[0] if self.ivs else None
            if got != due and self.board.fault is None:
                self.board.fault = f"IV {got} in cycle {now}, due is {due}"
            if self.iv_ready and self.ivs:
                self.ivs.popleft()
        if self.contexts.offered and outputs.of(one, "s_ctx_tready"):
            self.take(self.contexts.queue[0])
        super().after(now, outputs)

    def send(self, packet: Packet) -> None:
        # Beats go in before their context does, and contexts in this order.
        if packet.context is not None:
            self.number(packet.context)
        super().send(packet)

    def number(self, context: Any) -> None:
        """Give a context that encrypts its IV."""
        self.said.append(context.iv_kind)
        if context.decrypt:
            return
        if context.iv_kind or self.planned >> counter_bits(self.one):
            context.iv_kind = NO_IV
            return
        field = self.fixed >> 32 * context.slot & 0xFFFFFFFF
        context.iv = field.to_bytes(4, "little") + self.planned.to_bytes(8, "big")
        self.planned += 1

    def take(self, context: Any) -> None:
        """A context goes in."""
        self.said.popleft()
        if context.decrypt:
            return
        refused = context.iv_kind == NO_IV
        self.ivs.append((0 if refused else little(context.iv), int(refused)))
        self.refused += refused
        self.encrypted += not refused

    def context_values(self, context: Any) -> dict[str, int]:
        values = super().context_values(context) | {"s_ctx_iv_kind": self.said[0]}
        if not context.decrypt:
            values["s_ctx_iv"] = self.draw.getrandbits(128)
        return values

    @property
    def idle(self) -> bool:
        return super().idle and not self.ivs


def counter_bits(one: Instance) -> int:
    """Return the bits of the counter of an engine."""
    return int(one["InvocationBits"])


def make_bench() -> Bench:
    bench = Bench({"zeroize": 1})
    mutants = {
        name: ("small", mutation) for name, mutation in (MUTATIONS | ZEROIZE_MUTATIONS).items()
    }
    true = {name: (name, None) for name in SHAPES}
    for name, (shape_name, mutation) in (true | mutants).items():
        shape, bits = SHAPES[shape_name]
        slots = shape[NAMES.index("KeySlots")]
        add_stored_engine(
            bench,
            name,
            M,
            parameters_of(shape) | {"InvocationBits": bits},
            mutation,
            None,
            context={"iv": 128, "iv_kind": 2, "decrypt": 1, "tag_bytes": 5},
            more_inputs={"iv_fixed": 32 * slots, "m_iv_tready": 1},
            more_outputs={"m_iv_tvalid": 1, "m_iv_tdata": 96, "m_iv_tuser": 1},
        )
    return bench


async def run(driver: Driver, engines: Sequence[CountedEngine], cycles: int, share: float) -> None:
    """Random packets, of which some are inside at the end."""
    for number in range(cycles + 60):
        if number == cycles:
            await drain(driver, engines, share, 0.7)
        for engine in engines:
            engine.fill()
        await step(driver, engines, share, 0.7)


@cocotb.test()
async def packets_go_through(dut: Any) -> None:
    """Packets in both directions under all slots, `zeroize` and resets in flight, key updates."""
    driver = Driver(dut, make_bench())
    ones = [one for one in driver.bench.instances if one.name not in ZEROIZE_MUTATIONS]
    engines = [CountedEngine(one, 700 + i) for i, one in enumerate(ones)]
    small = next(engine for engine in engines if engine.one.name == "small")
    most = 0
    for share in (1.0, 0.4):
        for engine in engines:
            engine.restart()
        await reset(driver, engines)
        for _ in range(3):
            await run(driver, engines, 1400, share)
            await driver.cycle({"zeroize": 1})
            for _ in range(2):
                await driver.cycle({})
            for engine in engines:
                # The counter goes on.
                engine.reset()
        await run(driver, engines, 1400, share)
        assert small.encrypted == 2 ** counter_bits(small.one)
        assert small.refused > 5, small.refused
        most = max(most, *(engine.encrypted for engine in engines if engine.one.mutation is None))
    judge(engines, MUTATIONS)
    assert most > 50, most
    for engine in engines:
        if engine.one.mutation is None:
            assert engine.verified > 20, (engine.one.name, engine.verified)
            assert engine.hashed > 0, (engine.one.name, engine.hashed)


@cocotb.test()
async def zeroize_drops_a_context_that_waits(dut: Any) -> None:
    """Contexts without packets, until none is accepted any more; after `zeroize` one is."""
    bench = make_bench()
    driver = Driver(dut, bench)
    await driver.cycle({}, {one.name: {"rst": 1} for one in bench.instances})
    context = {"s_ctx_tvalid": 1, "s_ctx_tag_bytes": 16, "m_iv_tready": 1}
    for _ in range(60):
        outputs = await driver.cycle({}, {one.name: context for one in bench.instances})
    waits = {one.name for one in bench.instances if not outputs.of(one, "s_ctx_tready")}
    ones = [one for one in bench.instances if one.name not in MUTATIONS]
    assert {one.name for one in ones} <= waits
    await driver.cycle({"zeroize": 1})
    outputs = await driver.cycle({})
    faults = Faults()
    for one in ones:
        faults.check(one, outputs.of(one, "s_ctx_tready"), 1, "s_ctx_tready after zeroize")
    bench.judge(faults, ones)


@pytest.mark.usefixtures("mutants")
def test_aesforge_engine_gcm_counted(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
