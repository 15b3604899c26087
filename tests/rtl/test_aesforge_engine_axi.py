# SPDX-License-Identifier: Apache-2.0
"""aesforge_engine_axi: keys and contexts through AXI4-Lite, packets through AXI4-Stream, both
driven by cocotbext-axi and compared with OpenSSL; errors, counters and `zeroize` in the registers.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import (
    AxiLiteBus,
    AxiLiteMaster,
    AxiStreamBus,
    AxiStreamFrame,
    AxiStreamSink,
    AxiStreamSource,
)
from named_ports import Named, NamedBench, axi_lite, axi_stream
from rtl_bench import Mutation
from streams import CBC, CFB128, CTR, DIGESTS, WHOLE, apply_mode

ID_BITS, USER_BITS, WAIT = 8, 4, 64
M = "aesforge_engine_axi"
SMALL = {"Unroll": 1, "SboxStyle": 0, "KeySboxStyle": 0, "SboxStages": 0, "LinearStages": 1}
SMALL |= {"IdBits": ID_BITS, "UserBits": USER_BITS, "Depth": 8, "ContextTimeout": WAIT}
AGILE = {**SMALL, "KeyBits": 256, "Unroll": 2, "Modes": 2}
STORED = {**SMALL, "KeyBits": 128, "Modes": 15, "Direction": 2, "KeySlots": 4}
# Of several streams: each mode with feedback.
STREAMS = {**STORED, "Modes": 252, "Streams": 4}
del STREAMS["Direction"], STREAMS["IdBits"]
# Of three blocks per beat.
WIDE = {**AGILE, "KeyBits": 128, "Unroll": 10, "Tiles": 3, "Depth": 32}
# Without streams, of which only two bits of the mode tell.
COPIES = """\
        .s_ctx_key(ctx_key_q),
        .s_ctx_slot(ctx_slot_q),
        .s_ctx_iv(ctx_iv_q),
        .s_ctx_mode(ctx_mode_q[1:0]),
"""
# name -> instance's parameters, mutation
MUTANTS = {
    "no copy of the IV": (AGILE, Mutation(M, COPIES, COPIES.replace("ctx_iv_q", "iv_word"))),
    "no copy of the key": (AGILE, Mutation(M, COPIES, COPIES.replace("ctx_key_q", "key_word"))),
    "slot": (STORED, Mutation(M, "key_slot_q <= load_slot", "key_slot_q <= ~load_slot")),
    "mode": (STREAMS, Mutation(M, "push_mode[2:0]", "3'(push_mode[1:0])")),
    "counts beats": (
        WIDE,
        Mutation(M, "blocks = blocks + 5'(m_axis_tkeep[16*i]);", "blocks = 5'd1;"),
    ),
}


def ports_of(parameters: dict[str, int]) -> list[tuple[str, int, str]]:
    id_bits = 2 if "Streams" in parameters else ID_BITS
    blocks = parameters.get("Tiles", 1)
    return [*axi_lite(7), *axi_stream(id_bits, USER_BITS, blocks)]


def make_bench() -> NamedBench:
    true = {"agile": AGILE, "stored": STORED, "streams": STREAMS, "wide": WIDE}
    return NamedBench(
        [
            *(Named(name, M, given, ports_of(given)) for name, given in true.items()),
            *(
                Named(f"m{i}", M, given, ports_of(given), mutation)
                for i, (given, mutation) in enumerate(MUTANTS.values())
            ),
        ]
    )


ID, CONTROL, STATUS, ERRORS, PACKETS, IN_ERROR, BLOCKS = range(0, 28, 4)
KEY, IV, LOAD, PUSH = 0x20, 0x40, 0x50, 0x54


def pauses(draw: random.Random, share: float) -> Iterator[bool]:
    return (draw.random() < share for _ in itertools.count())


class Rig:
    """One instance with its bus models."""

    def __init__(self, dut: Any, one: Named, seed: int) -> None:
        self.one, self.dut = one, dut
        self.draw = random.Random(seed)
        name = one.name

        def stream(channel: str) -> Any:
            return AxiStreamBus.from_prefix(dut, f"{name}_{channel}")

        self.bus = AxiLiteMaster(AxiLiteBus.from_prefix(dut, f"{name}_s_axil"), dut.clk, dut.rst)
        self.source = AxiStreamSource(stream("s_axis"), dut.clk, dut.rst)
        self.sink = AxiStreamSink(stream("m_axis"), dut.clk, dut.rst)
        self.faults: list[str] = []
        self.keys: dict[int, bytes] = {}
        self.blocks = 0

    async def get(self, address: int) -> int:
        return int(await self.bus.read_dword(address))

    async def put(self, address: int, value: int) -> None:
        await self.bus.write_dword(address, value)

    async def until_free(self, bit: int) -> None:
        while await self.get(STATUS) >> bit & 1:
            pass

    async def load(self, slot: int, key: bytes) -> None:
        await self.bus.write(KEY, key)
        await self.put(LOAD, slot)
        await self.until_free(1)
        self.keys[slot] = key

    async def packets(self, first: int, modes: Sequence[int], length: int) -> None:
        """Push a context for each mode, then send the packets; note what comes out wrong."""
        draw, stored = self.draw, self.one.parameters.get("KeySlots", 0)
        streams = self.one.parameters.get("Streams", 0)
        due = []
        for number, mode in enumerate(modes, first):
            decrypt = 1 if mode in (CBC, CFB128) else draw.randrange(2)
            if streams and (mode == CBC or mode in DIGESTS):
                decrypt = 0
            size = 16 * (1 + length // 16) if mode in WHOLE else length
            iv, data = draw.randbytes(16), draw.randbytes(size)
            slot = draw.choice([*self.keys]) if stored else 0
            key = self.keys[slot] if stored else draw.randbytes(self.one.parameters["KeyBits"] // 8)
            if not stored:
                await self.bus.write(KEY, key)
            await self.bus.write(IV, iv)
            await self.put(PUSH, mode | decrypt << 4 | slot << 8)
            due.append((number, data, apply_mode(mode, decrypt, key, iv, data)))
            self.blocks += -(-len(due[-1][2]) // 16)
        # The registers are free as soon as a context is pushed, whether it has been taken or not.
        await self.bus.write(IV, draw.randbytes(16))
        if not stored:
            await self.bus.write(KEY, draw.randbytes(16))
        # Packets of one stream follow each other, as all do without streams.
        stream = first // len(modes) % streams if streams else None
        for number, data, _ in due:
            tid = number % 256 if stream is None else stream
            await self.source.send(AxiStreamFrame(data, tid=tid, tuser=number % 16))
        for number, _, result in due:
            tid = number % 256 if stream is None else stream
            got = await self.sink.recv()
            user = got.tuser[0] if isinstance(got.tuser, list) else got.tuser
            if bytes(got.tdata) != result or got.tid != tid or user != number % 16 << 1:
                self.faults.append(f"packet {number}: {bytes(got.tdata).hex()}, not {result.hex()}")


async def begin(dut: Any) -> list[Rig]:
    instances = make_bench().instances
    for one in instances:
        for way, _, name in one.ports:
            if way == "input":
                getattr(dut, f"{one.name}_{name}").value = 0
    rigs = [Rig(dut, one, 7) for one in instances]
    Clock(dut.clk, 10, "ns").start()
    dut.rst.value = 1
    await ClockCycles(dut.clk, 4)
    dut.rst.value = 0
    await RisingEdge(dut.clk)
    return rigs


async def traffic(rig: Rig) -> None:
    draw = rig.draw
    rig.source.set_pause_generator(pauses(draw, 0.3))
    rig.sink.set_pause_generator(pauses(draw, 0.5))
    stored = rig.one.parameters.get("KeySlots", 0)
    for number in range(0, 45 if rig.one.mutation is None else 12, 3):
        if stored and (number < 6 or draw.random() < 0.3):
            await rig.load(draw.randrange(stored), draw.randbytes(16))
        # Two contexts wait in the engine, a third in the registers.
        built = [mode for mode in range(8) if rig.one.parameters["Modes"] >> mode & 1]
        modes = [draw.choice(built) for _ in range(3)]
        await rig.packets(number, modes, draw.choice((1, 15, 16, 17, 40, 64)))
    counted = await rig.get(BLOCKS)
    if counted != rig.blocks:
        rig.faults.append(f"{rig.blocks} blocks count as {counted}")


@cocotb.test()
async def packets_and_keys(dut: Any) -> None:
    rigs = await begin(dut)
    tasks = [cocotb.start_soon(traffic(rig)) for rig in rigs]
    for rig, task in zip(rigs, tasks, strict=True):
        if rig.one.mutation is None:
            await task
            assert not rig.faults, rig.faults[0]
    await ClockCycles(dut.clk, 200)
    for rig, task in zip(rigs, tasks, strict=True):
        if rig.one.mutation is not None:
            # It gives wrong data, or nothing at all.
            assert rig.faults or not task.done(), rig.one
            task.cancel()


@cocotb.test()
async def errors_and_counters(dut: Any) -> None:
    agile = (await begin(dut))[0]
    assert await agile.get(ID) == int.from_bytes(b"AESF", "big")
    await agile.packets(0, [CTR] * 3, 40)
    assert await agile.get(PACKETS) == 3
    assert await agile.get(BLOCKS) == 9
    # Neither key nor IV is given back.
    assert [await agile.get(address) for address in (KEY, KEY + 28, IV, PUSH)] == [0] * 4
    # A packet without a context, and what is counted of it.
    await agile.source.send(AxiStreamFrame(bytes(32)))
    got = await agile.sink.recv()
    assert bytes(got.tdata) == bytes(32)
    assert await agile.get(ERRORS) == 1
    assert (await agile.get(PACKETS), await agile.get(IN_ERROR)) == (4, 1)
    await agile.put(ERRORS, 1)
    assert await agile.get(ERRORS) == 0
    # Two contexts wait in the engine, one in the registers; the next is dropped.
    for _ in range(3):
        await agile.put(PUSH, CTR)
        assert await agile.get(ERRORS) == 0
    assert await agile.get(STATUS) == 1
    await agile.put(PUSH, CTR)
    assert await agile.get(ERRORS) == 2
    # Zeroization takes all of it back.
    await agile.put(CONTROL, 1)
    await ClockCycles(dut.clk, 60)
    for address in (STATUS, ERRORS, PACKETS, IN_ERROR, BLOCKS):
        assert await agile.get(address) == 0, hex(address)
    await agile.packets(9, [CTR], 33)
    assert not agile.faults


@cocotb.test()
async def keys_that_are_dropped(dut: Any) -> None:
    stored = (await begin(dut))[1]
    # A slot that holds no key is an error of the packet.
    await stored.put(PUSH, CTR | 3 << 8)
    await stored.source.send(AxiStreamFrame(bytes(16)))
    await stored.sink.recv()
    assert await stored.get(ERRORS) == 1
    await stored.put(ERRORS, 7)
    for slot in range(4):
        await stored.load(slot, bytes([slot]) * 16)
    assert await stored.get(ERRORS) == 0
    await stored.packets(0, [CTR, CFB128], 20)
    # One key with the loader, one in the guard, one in the registers.
    for slot in range(4):
        await stored.put(LOAD, slot)
    assert await stored.get(ERRORS) & 4
    assert not stored.faults


@pytest.mark.usefixtures("mutants")
def test_aesforge_engine_axi(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
