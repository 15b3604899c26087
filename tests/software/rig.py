# SPDX-License-Identifier: Apache-2.0
"""Engines with CSRs in one simulated bench, each with an AXI4-Lite master and AXI4-Stream ends."""

from __future__ import annotations

from typing import Any

from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotbext.axi import (
    AxiLiteBus,
    AxiLiteMaster,
    AxiStreamBus,
    AxiStreamFrame,
    AxiStreamSink,
    AxiStreamSource,
)
from named_ports import Named, axi_lite, axi_stream

USER_BITS = 1
_SMALL = {"Unroll": 1, "SboxStyle": 0, "KeySboxStyle": 0, "SboxStages": 0, "LinearStages": 1}
_SMALL |= {"UserBits": USER_BITS, "Depth": 8, "ContextTimeout": 64}
# Keys with each context; stored keys; interleaved streams with the modes that feed back.
PARAMETERS: dict[str, dict[str, int]] = {
    "agile": {**_SMALL, "KeyBits": 256, "Unroll": 2, "Modes": 0b10, "IdBits": 2},
    "stored": {
        **_SMALL,
        **{"KeyBits": 128, "Modes": 0b1111, "Direction": 2, "KeySlots": 4, "IdBits": 2},
    },
    "streams": {**_SMALL, "KeyBits": 128, "Modes": 0b11111100, "KeySlots": 4, "Streams": 4},
}
# As the drivers are told: bytes of a key, slots, modes that encrypt, modes that decrypt.
CONFIGS = {
    "agile": (32, 0, 0b10, 0b10),
    "stored": (16, 4, 0b0011, 0b1111),
    "streams": (16, 4, 0b11111100, 0b00111000),
}
INSTANCES = [
    Named(name, "aesforge_engine_axi", given, [*axi_lite(7), *axi_stream(2, USER_BITS)])
    for name, given in PARAMETERS.items()
]


class Rig:
    """One engine of the bench with its bus models."""

    def __init__(self, dut: Any, name: str) -> None:
        def stream(channel: str) -> Any:
            return AxiStreamBus.from_prefix(dut, f"{name}_{channel}")

        self.name, self.dut = name, dut
        self.config = CONFIGS[name]
        self.bus = AxiLiteMaster(AxiLiteBus.from_prefix(dut, f"{name}_s_axil"), dut.clk, dut.rst)
        self.source = AxiStreamSource(stream("s_axis"), dut.clk, dut.rst)
        self.sink = AxiStreamSink(stream("m_axis"), dut.clk, dut.rst)

    async def read(self, offset: int) -> int:
        """Return a word of the CSRs."""
        return int(await self.bus.read_dword(offset))

    async def write(self, offset: int, value: int) -> None:
        """Write a word of the CSRs."""
        await self.bus.write_dword(offset, value)

    async def send(self, data: bytes) -> None:
        """Send a packet."""
        await self.source.send(AxiStreamFrame(data, tid=0, tuser=0))

    async def receive(self) -> bytes:
        """Return the bytes of the next packet, or of none that comes."""
        got = await with_timeout(self.sink.recv(), 100, "us")
        return bytes(got.tdata)


def open_bench(dut: Any) -> dict[str, Rig]:
    """Return the engines by name, and start the clock."""
    for one in INSTANCES:
        for way, _, name in one.ports:
            if way == "input":
                getattr(dut, f"{one.name}_{name}").value = 0
    dut.rst.value = 1
    Clock(dut.clk, 10, "ns").start()
    return {one.name: Rig(dut, one.name) for one in INSTANCES}


async def reset(rig: Rig) -> None:
    """Reset all engines, and drop what waits for this one."""
    rig.source.clear()
    rig.sink.clear()
    rig.sink.pause = False
    rig.dut.rst.value = 1
    await ClockCycles(rig.dut.clk, 4)
    rig.dut.rst.value = 0
    await RisingEdge(rig.dut.clk)
