# SPDX-License-Identifier: Apache-2.0
"""Engines whose CSRs keep results, driven by cocotbext-axi and compared with OpenSSL.

The driver of `software/python` hands contexts over and reads results; another driver can take its
place.
"""

from __future__ import annotations

import dataclasses
import random
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import cocotb
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
from named_ports import Named, NamedBench, axi_lite, axi_stream
from rtl_bench import Mutation

from aesforge.design.modes import MODES
from aesforge.reference import openssl
from aesforge.simulate.packets import seal

REPO = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPO / "software" / "python"))
from aesforge_engine import EngineError, MasterBus  # noqa: E402
from aesforge_packet_engine import (  # noqa: E402
    CCM,
    GCM,
    IV_HASHED,
    IV_PACKET,
    OCB,
    XTS,
    PacketConfig,
    PacketEngine,
    Result,
)

# For the files of the engines, whose imports cannot come before that of this one.
__all__ = ["CCM", "GCM", "OCB", "SMALL", "XTS", "PacketBench", "PacketConfig", "Result", "Shape"]

ID_BITS, USER_BITS = 3, 2
NAMES = {GCM: "gcm", OCB: "ocb", CCM: "ccm", XTS: "xts"}
# Small cores: tables for S-boxes, a register for each round.
SMALL = {"SboxStyle": 0, "KeySboxStyle": 0, "SboxStages": 0, "LinearStages": 1}


@dataclass(frozen=True)
class Shape:
    """An engine: its module, parameters, and what the driver is told about it."""

    module: str
    parameters: Mapping[str, int]
    config: PacketConfig

    @property
    def id_bits(self) -> int:
        """Width of `tid`."""
        streams = self.parameters.get("Streams", 0)
        return max(1, (streams - 1).bit_length()) if streams else ID_BITS

    def named(self, name: str, mutation: Mutation | None = None) -> Named:
        """Return an instance of it."""
        ports = [*axi_lite(8), *axi_stream(self.id_bits, USER_BITS)]
        parameters = {**self.parameters, "UserBits": USER_BITS}
        if not self.parameters.get("Streams"):
            parameters["IdBits"] = ID_BITS
        return Named(name, self.module, parameters, ports, mutation)


class Driver(Protocol):
    """What hands contexts over; as `PacketEngine`, but each status is a name."""

    async def load_key(self, slot: int, key: bytes, iv_fixed: bytes) -> str:
        """Load a stored key."""

    async def begin(self, **context: Any) -> str:
        """Begin a packet."""

    async def finish(self) -> tuple[str, Result | None]:
        """Take the oldest result."""

    async def take_errors(self) -> int:
        """Return the flags, and take them back."""

    async def zeroize(self) -> str:
        """Zeroize the engine."""


class Python:
    """The driver in Python, whose exceptions are the names of their statuses."""

    def __init__(self, bus: Any, config: PacketConfig, polls: int = 200) -> None:
        self.engine = PacketEngine(MasterBus(bus), config, polls)

    async def _name(self, done: Any) -> str:
        try:
            await done
        except EngineError as error:
            return str(error.status.name)
        return "OK"

    async def open(self) -> str:
        """Find the engine."""
        return await self._name(self.engine.open())

    async def load_key(self, slot: int, key: bytes, iv_fixed: bytes) -> str:
        """Load a stored key."""
        return await self._name(self.engine.load_key(slot, key, iv_fixed))

    async def begin(self, **context: Any) -> str:
        """Begin a packet."""
        return await self._name(self.engine.begin(**context))

    async def finish(self) -> tuple[str, Result | None]:
        """Take the oldest result."""
        try:
            result = await self.engine.finish()
        except EngineError as error:
            return str(error.status.name), None
        return ("PACKET_ERROR" if result.error else "OK"), result

    async def take_errors(self) -> int:
        """Return the flags, and take them back."""
        return await self.engine.take_errors()

    async def zeroize(self) -> str:
        """Zeroize the engine."""
        return await self._name(self.engine.zeroize())


@dataclass
class Sent:
    """A packet that was begun, and what must become of it.

    Args:
        tid: of its beats.
        out: bytes that must leave without an error, the tag among them; None: it is an IV.
        error: whether it is an error.
        authentic: whether its tag is right.
        tag: that is made.
        counted: texts and key by which its IV is found out.
    """

    tid: int
    out: bytes | None
    error: bool
    authentic: bool
    tag: bytes
    counted: tuple[bytes, bytes, bytes, bytes] | None = None


@dataclass
class PacketRig:
    """One instance with its bus models, and what it did wrong."""

    dut: Any
    one: Named
    shape: Shape
    draw: random.Random
    faults: list[str] = field(default_factory=list)
    keys: dict[int, tuple[bytes, bytes]] = field(default_factory=dict)
    made: int = 0

    def __post_init__(self) -> None:
        def stream(channel: str) -> Any:
            return AxiStreamBus.from_prefix(self.dut, f"{self.one.name}_{channel}")

        dut = self.dut
        self.bus = AxiLiteMaster(
            AxiLiteBus.from_prefix(dut, f"{self.one.name}_s_axil"), dut.clk, dut.rst
        )
        self.source = AxiStreamSource(stream("s_axis"), dut.clk, dut.rst)
        self.sink = AxiStreamSink(stream("m_axis"), dut.clk, dut.rst)
        self.source.set_pause_generator(iter(lambda: self.draw.random() < 0.2, None))
        self.sink.set_pause_generator(iter(lambda: self.draw.random() < 0.3, None))
        self.config = self.shape.config
        self.mode = MODES[NAMES[self.config.mode]]
        self.came: dict[int, deque[list[tuple[bytes, int]]]] = {}
        self.part: dict[int, list[tuple[bytes, int]]] = {}

    def same(self, what: str, got: object, due: object) -> None:
        """Note a difference."""
        if got != due:
            self.faults.append(f"{what}: {got!r}, not {due!r}")

    async def send(self, tid: int, sections: Sequence[tuple[bytes, int]]) -> None:
        """Send a packet: the bytes and the mark of each section, which begins a beat."""
        data, keep, user = b"", list[int](), list[int]()
        for part, mark in sections:
            size = -(-len(part) // 16) * 16
            data += part.ljust(size, b"\xa5")
            keep += [1] * len(part) + [0] * (size - len(part))
            user += [mark | 2 * (tid & 1)] * size
        await self.source.send(AxiStreamFrame(data, tkeep=keep, tid=tid, tuser=user))

    async def receive(self, tid: int) -> tuple[bytes, int]:
        """Return the bytes that are kept and the error flag of the next packet of a `tid`."""
        while not self.came.get(tid):
            frame = await self.sink.recv(compact=False)
            last = len(frame.tdata) - 16
            for at in range(0, len(frame.tdata), 16):
                data = bytes(
                    byte
                    for byte, keep in zip(frame.tdata[at:][:16], frame.tkeep[at:][:16], strict=True)
                    if keep
                )
                beats = self.part.setdefault(frame.tid[at], [])
                beats.append((data, frame.tuser[at] & 1))
                if at == last:
                    self.came.setdefault(frame.tid[at], deque()).append(beats)
                    self.part[frame.tid[at]] = []
        beats = self.came[tid].popleft()
        return b"".join(data for data, _ in beats), beats[-1][1]

    async def new_key(self, driver: Driver) -> None:
        """Load a key into a slot, with a fixed field."""
        slot = self.draw.randrange(self.config.key_slots)
        key, fixed = self.draw.randbytes(self.config.key_bytes), self.draw.randbytes(4)
        self.same("load_key", await driver.load_key(slot, key, fixed), "OK")
        self.keys[slot] = key, fixed

    async def begin(self, driver: Driver, tid: int) -> list[Sent]:
        """Begin a packet at random, and send it; in XTS several, and in GCM its IV first."""
        if self.config.mode == XTS:
            return await self._units(driver, tid)
        draw, config = self.draw, self.config
        text, aad = (
            draw.randbytes(draw.choice((0, 5, 16, 33))),
            draw.randbytes(draw.choice((0, 16, 20))),
        )
        decrypt = bool(config.decrypts and draw.randrange(2))
        wrong, in_register = decrypt and draw.random() < 0.3, draw.random() < 0.5
        sizes = [size for size in range(17) if config.tag_lengths >> size & 1]
        size = draw.choice(sizes)
        counted = config.counted and not decrypt
        lengths = {GCM: (12, 20), OCB: (1, 12, 15), CCM: (7, 12, 13)}[config.mode]
        iv = draw.randbytes(12 if counted else draw.choice(lengths))
        brings = config.mode == GCM and len(iv) != 12
        context: dict[str, Any] = {"decrypt": decrypt, "tag_bytes": size}
        if config.key_slots:
            context["slot"] = draw.choice([*self.keys])
            key, fixed = self.keys[context["slot"]]
        else:
            key, fixed = draw.randbytes(config.key_bytes), bytes(4)
            context["key"] = key
        sent = []
        if brings:
            first = {**context, "iv_kind": IV_PACKET}
            self.same("begin of an IV", await driver.begin(**first), "OK")
            await self.send(tid, [(iv, 0), (bytes(draw.randint(1, 16)), 0)])
            sent.append(Sent(tid, None, False, False, bytes(16)))
            context["iv_kind"] = IV_HASHED
        elif counted:
            iv = fixed + self.made.to_bytes(8, "big")
            self.made += 1
        else:
            context["iv"] = iv
        if config.mode == CCM:
            context |= {"aad_bytes": len(aad), "text_bytes": len(text)}
        cipher, tag = seal(self.mode, key, iv, text, aad, size)
        got = bytes([tag[0] ^ 1, *tag[1:size]]) if wrong else tag[:size]
        if decrypt and in_register:
            context["tag"] = got
        placeholder = draw.randbytes(draw.randint(1, 16))
        last = got if decrypt and not in_register else placeholder
        self.same("begin", await driver.begin(**context), "OK")
        await self.send(tid, [(aad, 1), (cipher if decrypt else text, 0), (last, 0)])
        out = aad + (text if decrypt else cipher) + (bytes(size) if decrypt else tag[:size])
        made = bytes(16) if decrypt else tag[:size].ljust(16, b"\0")
        one = Sent(tid, out, wrong, decrypt and not wrong, made)
        one.counted = (iv, b"", b"", b"") if counted else None
        return [*sent, one]

    async def dropped(self, driver: Driver, wait: int) -> None:
        """Zeroize so many cycles after a packet is in: nothing of it comes, nor its result."""
        await self.begin(driver, 0)
        await self.source.wait()
        await ClockCycles(self.dut.clk, wait)
        self.same("zeroize", await driver.zeroize(), "OK")
        for _ in range(300):
            await ClockCycles(self.dut.clk, 1)
            self.same("m_axis_tvalid after zeroize", int(self.sink.bus.tvalid.value), 0)
        # A packet may have begun to leave: the sink keeps its beats until it is reset.
        self.sink.assert_reset()
        self.sink.clear()
        self.came.clear()
        self.part.clear()
        self.same("a result", (await driver.finish())[0], "TIMEOUT")
        self.keys.clear()
        if self.config.key_slots:
            for _ in range(3):
                await self.new_key(driver)

    async def serve(self, driver: Driver) -> None:
        """Begin the context of a packet of 48 bytes of text and a tag, in stream 0, and take it."""
        config = self.config
        context: dict[str, Any] = {"decrypt": not config.encrypts}
        if config.key_slots:
            context["slot"] = next(iter(self.keys))
        else:
            context["key"] = bytes(config.key_bytes)
        if not config.counted:
            context["iv"] = bytes({GCM: 12, OCB: 12, CCM: 7, XTS: 16}[config.mode])
        if config.mode != XTS:
            context["tag_bytes"] = 16
        if config.mode == CCM:
            context["text_bytes"] = 48
        self.made += config.counted
        self.same("begin", await driver.begin(**context), "OK")
        self.same("error flag", (await with_timeout(self.receive(0), 30, "us"))[1], 0)
        self.same("finish", (await driver.finish())[0], "OK")

    async def _units(self, driver: Driver, tid: int) -> list[Sent]:
        """Begin data units under one context; one may be wrong."""
        draw = self.draw
        slot = draw.choice([*self.keys])
        key, number = self.keys[slot][0], draw.getrandbits(100)
        decrypt = bool(self.config.decrypts and draw.randrange(2))
        more = draw.randrange(3)
        wrong = draw.randrange(more + 1) if draw.random() < 0.3 else None
        context = {"decrypt": decrypt, "slot": slot, "iv": number.to_bytes(16, "little")}
        self.same("begin", await driver.begin(**context, more=more), "OK")
        outs = []
        for i in range(more + 1):
            # Less than a block is an error.
            text = draw.randbytes(9 if i == wrong else draw.choice((16, 20, 32)))
            await self.send(tid, [(text, 0)])
            iv = (number + i).to_bytes(16, "little")
            outs.append(b"" if i == wrong else openssl.crypt("xts", key, text, iv, decrypt=decrypt))
        return [Sent(tid, out, (i == wrong), False, bytes(16)) for i, out in enumerate(outs)]

    async def check(self, driver: Driver, sent: Sequence[Sent]) -> None:
        """Receive packets, and take the result of their context."""
        flagged = False
        for one in sent:
            data, error = await self.receive(one.tid)
            self.same("error flag", bool(error), one.error)
            flagged |= one.error
            if one.out is not None and not one.error:
                self.same("packet", data.hex(), one.out.hex())
        if self.config.mode == XTS:
            await self._result(driver, [dataclasses.replace(sent[-1], error=flagged)])
            return
        due = [*sent]
        while due:
            await self._result(driver, due)

    async def _result(self, driver: Driver, due: list[Sent]) -> None:
        """Take a result, and out of those that are due: the first one, or that of its stream."""
        status, result = await driver.finish()
        if result is None:
            self.faults.append(f"finish: {status}")
            due.clear()
            return
        at = 0
        if self.one.parameters.get("Streams"):
            found = [i for i, one in enumerate(due) if one.tid == result.id]
            self.same("results of the stream", bool(found), True)
            at = found[0] if found else 0
        one = due.pop(at)
        self.same("finish", status, "PACKET_ERROR" if one.error else "OK")
        self.same("authentic", result.authentic, one.authentic)
        self.same("id", result.id, one.tid)
        self.same("IV", result.iv, one.counted and one.counted[0])
        if one.out is not None:
            self.same("tag", result.tag.hex(), one.tag.hex())


async def traffic(rig: PacketRig, driver: Driver, count: int) -> None:
    """Send packets, two at a time, and check all that comes of them."""
    draw = rig.draw
    streams = rig.one.parameters.get("Streams", 0)
    for number in range(count):
        if rig.config.key_slots and (number < 3 or draw.random() < 0.2):
            await rig.new_key(driver)
        tids = draw.sample(range(streams), 2) if streams else [draw.randrange(8) for _ in range(2)]
        sent = [await rig.begin(driver, tid) for tid in tids]
        if streams:
            # Packets of streams may end in another order.
            sent = [[one for several in sent for one in several]]
        for one in sent:
            await rig.check(driver, one)
    rig.same("errors", await driver.take_errors() & ~1, 0)


async def begin_bench(dut: Any, instances: Sequence[Named]) -> None:
    """Drive all inputs to 0, start the clock, and reset."""
    for one in instances:
        for way, _, name in one.ports:
            if way == "input":
                getattr(dut, f"{one.name}_{name}").value = 0
    Clock(dut.clk, 10, "ns").start()
    dut.rst.value = 1
    await ClockCycles(dut.clk, 4)
    dut.rst.value = 0
    await RisingEdge(dut.clk)


class PacketBench:
    """True engines and mutants of one module, and the two tests of its file.

    Args:
        shapes: name to engine.
        mutants: name to the name of a shape and a mutation.
    """

    def __init__(
        self, shapes: Mapping[str, Shape], mutants: Mapping[str, tuple[str, Mutation]]
    ) -> None:
        self.shapes = dict(shapes)
        found = [shape.named(name) for name, shape in shapes.items()]
        for i, (name, mutation) in enumerate(mutants.values()):
            self.shapes[f"m{i}"] = shapes[name]
            found.append(shapes[name].named(f"m{i}", mutation))
        self.bench = NamedBench(found)

    async def packets(self, dut: Any, count: int = 12) -> None:
        """Every engine does all as OpenSSL does, and no mutant does."""
        instances = self.bench.instances
        rigs = [PacketRig(dut, one, self.shapes[one.name], random.Random(3)) for one in instances]
        await begin_bench(dut, instances)
        tasks: list[Any] = []
        for rig in rigs:
            driver = Python(rig.bus, rig.config)
            rig.same("open", await driver.open(), "OK")
            tasks.append(cocotb.start_soon(traffic(rig, driver, count)))
        for rig, task in zip(rigs, tasks, strict=True):
            if rig.one.mutation is None:
                await with_timeout(task, 500, "us")
                assert not rig.faults, (rig.one.name, rig.faults[:3])
        for rig, task in zip(rigs, tasks, strict=True):
            if rig.one.mutation is not None:
                assert rig.faults or not task.done(), rig.one
                task.cancel()

    async def waits_and_zeroizes(self, dut: Any) -> None:
        """A packet waits for its context without a limit, and zeroize drops it and all else."""
        true = [one for one in self.bench.instances if one.mutation is None]
        await begin_bench(dut, self.bench.instances)
        for one in true:
            rig = PacketRig(dut, one, self.shapes[one.name], random.Random(4))
            driver = Python(rig.bus, rig.config)
            if rig.config.key_slots:
                for _ in range(3):
                    await rig.new_key(driver)
            await rig.send(0, [(bytes(48), 0), (bytes(16), 0)])
            await ClockCycles(dut.clk, 1500)
            assert rig.sink.empty()
            assert await driver.zeroize() == "OK"
            # No slot has a key now, and no context waits. The beat at the input begins a packet.
            rig.keys.clear()
            if rig.config.key_slots:
                for _ in range(3):
                    await rig.new_key(driver)
            await rig.serve(driver)
            await with_timeout(traffic(rig, driver, 4), 200, "us")
            for wait in (0, 9, 23, 41, 77):
                await rig.dropped(driver, wait)
                await with_timeout(traffic(rig, driver, 1), 100, "us")
            assert not rig.faults, (one.name, rig.faults[:3])
