# SPDX-License-Identifier: Apache-2.0
"""aesforge_uart_service, bit by bit: every command and every error, with agile and stored keys."""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cocotb
import pytest
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, Outputs, elaborate

from aesforge.board.frames import ANSWER, FAILED, Command, Error, Frame, Identity, next_frame

M = "aesforge_uart_service"
DIVIDER, TIMEOUT, BYTES, ZEROIZE = 4, 200, 64, 100
NAME = int.from_bytes(b"abc", "big")
PARAMETERS = {
    **{"Divider": DIVIDER, "TimeoutCycles": TIMEOUT, "BufferBytes": BYTES, "KeyBits": 128},
    # CTR both ways, CBC one way.
    **{"EncryptModes": 2, "DecryptModes": 6, "ZeroizeCycles": ZEROIZE, "Name": NAME},
}
SLOTS = 3
AGILE = {
    "the answer has another number": Mutation(
        M, ".number,\n      .length(answer", ".number(8'd0),\n      .length(answer"
    ),
    "answers have no bit 7": Mutation(M, "command | 8'h80", "command"),
    "errors are not told": Mutation(M, "if (error_q != Good) begin", "if (1'b0) begin"),
    "an error stays": Mutation(M, "        error_q <= Good;\n        if", "        if"),
    "takes every key": Mutation(M, "== KeyHeader + KeyBits / 8", ">= KeyHeader + KeyBits / 8"),
    "takes every slot": Mutation(M, "32'(fetched) >= Slots", "1'b0"),
    "takes every mode": Mutation(M, "mode_q > 8'd7 || !modes[mode_q[2:0]]", "1'b0"),
    "a mode of many bits": Mutation(M, "mode_q > 8'd7 || ", ""),
    "the direction does not matter": Mutation(
        M, "fetched == 8'd1 ? 8'(DecryptModes)", "fetched == 8'd1 ? 8'(EncryptModes)"
    ),
    "flags are ignored": Mutation(
        M, "8'(DecryptModes) : 8'd0;", "8'(DecryptModes) : 8'(EncryptModes);"
    ),
    "takes a packet without a key": Mutation(M, "mode_wrong || no_key", "mode_wrong"),
    "takes a packet without an IV": Mutation(
        M, "32'(frame_length) >= RunHeader", "32'(frame_length) >= 1"
    ),
    "takes an identify with a payload": Mutation(
        M, "Identify: if (frame_length != '0) error_q <= WrongLength;", "Identify: ;"
    ),
    "knows every command": Mutation(M, "default: error_q <= UnknownCommand;", "default: ;"),
    "does not tell the engine's error": Mutation(M, "{7'd0, result_error}", "8'd0"),
    "waits for an engine for ever": Mutation(
        M, "else if (!moved) watch_q", "else if (1'b0) watch_q"
    ),
    "waits for a context for ever": Mutation(
        M,
        "if (s_ctx_tready) state_q <= Run;\n      else watch_q <= watch_q + 1'b1;",
        "if (s_ctx_tready) state_q <= Run;",
    ),
    "a slow engine is given up": Mutation(M, "!moved) watch_q", "1'b1) watch_q"),
    "zeroize keeps the key": Mutation(M, "        key_q <= '0;\n        iv_q", "        iv_q"),
    "zeroize keeps the IV": Mutation(M, "        iv_q <= '0;\n", ""),
    "zeroize keeps the buffer": Mutation(M, "result_write || zeroizing;", "result_write;"),
    "zeroize does not forget that there was a key": Mutation(M, "        keyed_q <= '0;\n", ""),
    "zeroize ends before the engine's": Mutation(
        M, "ZeroizeCycles > BufferBytes ? ZeroizeCycles : BufferBytes", "BufferBytes"
    ),
    "the engine is not zeroized": Mutation(
        M, "zeroize = zeroizing && zero_q == '0", "zeroize = 1'b0"
    ),
    "a reset does not zeroize": Mutation(
        M, "      state_q <= Zeroizing;\n      zero_q", "      state_q <= Listen;\n      zero_q"
    ),
    "listens while it answers": Mutation(M, "listen = state_q == Listen", "listen = 1'b1"),
    "the name is backwards": Mutation(M, "aesforge_pkg::byte_swap(Name, 32)", "Name"),
}
STORED = {
    "a key is not loaded": Mutation(M, "Stored && state_q == Load && !stands", "1'b0"),
    "a loaded key stays": Mutation(M, "        if (Stored) key_q <= '0;\n", ""),
    "waits for a slot for ever": Mutation(M, "end else watch_q", "end else if (1'b0) watch_q"),
    "every slot is the first": Mutation(M, "s_ctx_slot = Stored ? slot_q : '0", "s_ctx_slot = '0"),
    "one key for all slots": Mutation(M, "!keyed_q[Stored?slot_q : '0]", "keyed_q == '0"),
}  # fmt: skip


def outputs_of(slots: int, wide: int) -> dict[str, int]:
    """Return the output ports; key and IV with some low bits, which are enough for a mutant."""
    ports = {
        **{"txd": 1, "busy": 1, "zeroize": 1, "s_key_tvalid": 1, "s_ctx_tvalid": 1},
        **{"s_axis_tvalid": 1, "m_axis_tready": 1, "s_ctx_iv": wide, "s_ctx_mode": 3},
        **{"s_ctx_decrypt": 1, "s_axis_tdata": 128, "s_axis_tkeep": 16, "s_axis_tlast": 1},
    }
    # The other key port is not used.
    if slots:
        return ports | {"s_key_slot": 2, "s_key_tdata": wide, "s_ctx_slot": 2}
    return ports | {"s_ctx_key": wide}


def seen_by(one: Instance, entry: tuple[object, ...]) -> tuple[object, ...]:
    """Return an entry of a log as an instance has it, whose ports may be cut."""
    mask = (1 << one.outputs["s_ctx_iv"][1]) - 1
    return tuple(value & mask if isinstance(value, int) else value for value in entry)


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "rxd": 1, "s_key_tready": 1, "s_ctx_tready": 1, "s_axis_tready": 1})
    inputs = {
        **{"m_axis_tvalid": 1, "m_axis_tdata": 128, "m_axis_tkeep": 16, "m_axis_tlast": 1},
        **{"m_axis_tuser": 1},
    }
    for slots, mutations in ((0, AGILE), (SLOTS, STORED)):
        probes = {"key_q": ("key_q", 128), "iv_q": ("iv_q", 128)}
        probes |= {f"byte {i}": (f"buffer[{i}]", 8) for i in range(BYTES)}
        parameters = {**PARAMETERS, "KeySlots": slots}
        name = "stored" if slots else "agile"
        for one, mutation in {name: None, **mutations}.items():
            bench.add(
                *(one, M, parameters),
                inputs=inputs,
                outputs=outputs_of(slots, 128 if mutation is None else 16),
                probes=probes,
                mutation=mutation,
            )
    return bench


@dataclass
class Engine:
    """The engine of one instance, and its line: each beat comes back, its bits inverted."""

    one: Instance
    bits: bytearray = field(default_factory=bytearray)
    log: list[tuple[object, ...]] = field(default_factory=list)
    back: list[tuple[int, int, int]] = field(default_factory=list)
    wait: int = 0

    def __post_init__(self) -> None:
        self.txd = self.one.outputs["txd"][0]

    def inputs(self, delay: int, error: int) -> dict[str, int]:
        """Return the beat that comes back, some cycles after it went in."""
        if not self.back:
            self.wait = 0
            return {}
        self.wait += 1
        if self.wait <= delay:
            return {}
        data, keep, last = self.back[0]
        ports = {"m_axis_tvalid": 1, "m_axis_tdata": data, "m_axis_tkeep": keep}
        return {**ports, "m_axis_tlast": last, "m_axis_tuser": error}

    def step(self, given: dict[str, int], shared: dict[str, int], outputs: Outputs) -> None:
        """Note what the instance did in a cycle."""

        def port(name: str) -> int:
            return int(outputs.of(self.one, name))

        if port("zeroize"):
            self.back.clear()
            self.log.append(("zeroize",))
        if port("s_key_tvalid") and shared["s_key_tready"]:
            stored = self.one["KeySlots"] > 0
            key = (port("s_key_slot"), port("s_key_tdata")) if stored else ("of an agile engine",)
            self.log.append(("key", *key))
        if port("s_ctx_tvalid") and shared["s_ctx_tready"]:
            key_port = "s_ctx_slot" if self.one["KeySlots"] else "s_ctx_key"
            values = (key_port, "s_ctx_iv", "s_ctx_mode", "s_ctx_decrypt")
            self.log.append(("context", *(port(name) for name in values)))
        if port("s_axis_tvalid") and shared["s_axis_tready"]:
            keep = port("s_axis_tkeep")
            mask = sum(0xFF << 8 * i for i in range(16) if keep >> i & 1)
            self.back.append((~port("s_axis_tdata") & mask, keep, port("s_axis_tlast")))
        if given and port("m_axis_tready"):
            self.back.pop(0)
            self.wait = 0

    def frames(self) -> list[Frame]:
        """Return the frames on the line since the last call."""
        text, at = bytearray(), 0
        while (at := self.bits.find(0, at)) >= 0:
            samples = [
                self.bits[at + DIVIDER // 2 + DIVIDER * i : at + DIVIDER * 10] for i in range(10)
            ]
            if not all(samples):
                break
            text.append(sum(samples[i + 1][0] << i for i in range(8)))
            at += 10 * DIVIDER
        self.bits.clear()
        found = []
        while (frame := next_frame(text, BYTES)) is not None:
            found.append(frame)
        return found


class Session:
    """Sends the same to all instances, and compares what each answers."""

    def __init__(self, driver: Driver, faults: Faults) -> None:
        self.driver, self.faults = driver, faults
        self.engines = [Engine(one) for one in driver.bench.instances]
        self.ready = {"s_key_tready": 1, "s_ctx_tready": 1, "s_axis_tready": 1}
        self.delay = 30
        self.error = 0
        self.number = 0
        bench = driver.bench
        self.octets = -(-bench.output_bits // 8)
        moves = ("zeroize", "s_key_tvalid", "s_ctx_tvalid", "s_axis_tvalid")
        self.mask = sum(1 << one.outputs[name][0] for one in bench.instances for name in moves)

    async def cycle(self, rxd: int = 1, rst: int = 0) -> None:
        own = {e.one.name: e.inputs(self.delay, self.error) for e in self.engines if e.back}
        shared = {"rxd": rxd, "rst": rst, **self.ready}
        outputs = await self.driver.cycle(shared, own)
        # Nothing but the line moves in most cycles.
        octets = outputs.word.to_bytes(self.octets, "little")
        for engine in self.engines:
            engine.bits.append(octets[engine.txd >> 3] >> (engine.txd & 7) & 1)
        if own or outputs.word & self.mask:
            for engine in self.engines:
                engine.step(own.get(engine.one.name, {}), shared, outputs)

    async def wait(self, cycles: int) -> None:
        for _ in range(cycles):
            await self.cycle()

    async def send(self, text: bytes) -> None:
        for byte in text:
            for bit in [0, *(byte >> i & 1 for i in range(8)), 1]:
                for _ in range(DIVIDER):
                    await self.cycle(bit)

    async def ask(self, kind: int, payload: bytes = b"", wait: int = 500) -> None:
        """Send a frame, and wait for longer than its answer takes."""
        self.number = self.number % 255 + 1
        await self.send(Frame(kind, self.number, payload).encoded())
        await self.wait(wait + 41 * len(payload))

    def check(
        self,
        *answers: tuple[int, bytes],
        log: list[tuple[object, ...]] | None = None,
        number: int | None = None,
        where: str = "",
        only: str = "",
    ) -> None:
        """Compare the answers, kind and payload, and what the engine was given."""
        due = [
            Frame(kind, self.number if number is None else number, text) for kind, text in answers
        ]
        for engine in self.engines:
            frames, seen = engine.frames(), engine.log
            engine.log = []
            if only in ("", kind_of(engine.one)):
                self.faults.check(engine.one, frames, due, f"{where}: answers")
                if log is not None:
                    wanted = [seen_by(engine.one, entry) for entry in log]
                    self.faults.check(engine.one, seen, wanted, f"{where}: engine")

    async def no_secrets(self, secret: bool, where: str) -> None:
        """Look whether key, IV and buffer are zeros."""
        outputs = await self.driver.settle({"rxd": 1, **self.ready}, probes=True)
        for engine in self.engines:
            one = engine.one
            held = {probe for probe in one.probes if outputs.of(one, probe)}
            if not secret:
                self.faults.check(one, held, set(), f"{where}: not zeroized")
            elif kind_of(one) == "stored":
                # A key is only on its way to its slot.
                self.faults.check(one, outputs.of(one, "key_q"), 0, f"{where}: key of a slot")
            if secret and one.name in ("agile", "stored"):
                wanted = {"iv_q", "byte 0"} | ({"key_q"} if one.name == "agile" else set())
                assert wanted <= held, (one.name, wanted - held)

    def failed(self, error: Error, **given: Any) -> None:
        self.check((FAILED, bytes([error])), where=error.name, **given)


def kind_of(one: Instance) -> str:
    return "stored" if one["KeySlots"] else "agile"


def run(slot: int, mode: int, decrypt: int, iv: bytes, data: bytes) -> bytes:
    return bytes([slot, mode, decrypt]) + iv + data


@cocotb.test()
async def every_command_is_answered(dut: Any) -> None:
    """Commands, wrong ones, an engine that stands, broken frames, zeroization and reset."""
    bench, draw, faults = make_bench(), random.Random(4), Faults()
    one = Session(Driver(dut, bench), faults)
    key, iv = draw.randbytes(16), draw.randbytes(16)
    number = int.from_bytes
    key_number, iv_number = number(key, "little"), number(iv, "little")
    await one.cycle(rst=1)
    await one.cycle(rst=1)
    for engine in one.engines:
        engine.log.clear()
    await one.wait(TIMEOUT + ZEROIZE)
    one.check(log=[("zeroize",)], where="reset")
    await one.no_secrets(False, "reset")

    # Identify.
    await one.ask(Command.IDENTIFY, wait=2200)
    for slots, name in ((0, "agile"), (SLOTS, "stored")):
        identity = struct.pack("<BBBBBH32s", 1, 16, slots, 2, 6, BYTES, b"abc".rjust(32, b"\0"))
        assert Identity.decoded(identity) == Identity("abc", 128, slots, 2, 6, BYTES)
        for engine in one.engines:
            if kind_of(engine.one) == name:
                due = [Frame(Command.IDENTIFY | ANSWER, 1, identity)]
                faults.check(engine.one, engine.frames(), due, "identify")
                engine.log = []

    # No key yet; then a key, and packets.
    packet = run(0, 1, 0, iv, b"x")
    await one.ask(Command.RUN_PACKET, packet)
    one.failed(Error.NO_KEY, log=[])
    await one.ask(Command.LOAD_KEY, bytes(1) + key)
    one.check((Command.LOAD_KEY | ANSWER, b""), where="key")
    for size, mode, decrypt in ((45, 1, 0), (0, 1, 1), (16, 2, 1), (1, 1, 1)):
        data = draw.randbytes(size)
        one.error = int(size == 16)
        await one.ask(Command.RUN_PACKET, run(0, mode, decrypt, iv, data))
        result = bytes([one.error]) + bytes(255 - byte for byte in data)
        for name, which in (("agile", key_number), ("stored", 0)):
            for engine in one.engines:
                if kind_of(engine.one) == name:
                    context = ("context", which, iv_number, mode, decrypt)
                    wanted = [seen_by(engine.one, context)]
                    faults.check(engine.one, engine.log, wanted, f"context of {size} bytes")
        one.check((Command.RUN_PACKET | ANSWER, result), where=f"packet of {size} bytes")
    one.error = 0
    await one.no_secrets(True, "after packets")

    # Wrong in every way, the line being right.
    for kind, payload, error in (
        (Command.IDENTIFY, b"x", Error.WRONG_LENGTH),
        (Command.LOAD_KEY, bytes(16), Error.WRONG_LENGTH),
        (Command.LOAD_KEY, bytes(18), Error.WRONG_LENGTH),
        (Command.RUN_PACKET, bytes(18), Error.WRONG_LENGTH),
        (Command.ZEROIZE, b"x", Error.WRONG_LENGTH),
        (0, b"", Error.UNKNOWN_COMMAND),
        (5, b"xyz", Error.UNKNOWN_COMMAND),
        (0x81, b"", Error.UNKNOWN_COMMAND),
        (Command.LOAD_KEY, bytes([SLOTS]) + bytes(16), Error.WRONG_ARGUMENT),
        (Command.RUN_PACKET, run(SLOTS, 1, 0, iv, b"x"), Error.WRONG_ARGUMENT),
        (Command.RUN_PACKET, run(0, 0, 0, iv, b"x"), Error.WRONG_ARGUMENT),
        (Command.RUN_PACKET, run(0, 2, 0, iv, b"x"), Error.WRONG_ARGUMENT),
        (Command.RUN_PACKET, run(0, 9, 0, iv, b"x"), Error.WRONG_ARGUMENT),
        (Command.RUN_PACKET, run(0, 1, 2, iv, b"x"), Error.WRONG_ARGUMENT),
    ):
        await one.ask(kind, payload, wait=500 - 41 * len(payload))
        one.failed(error, log=[])
    # They did no harm.
    await one.ask(Command.RUN_PACKET, packet)
    one.check((Command.RUN_PACKET | ANSWER, bytes([0, 255 - ord("x")])), where="after errors")

    # Slots: another key, and a slot without one.
    await one.ask(Command.LOAD_KEY, bytes([1]) + iv)
    one.check((Command.LOAD_KEY | ANSWER, b""), log=[("key", 1, iv_number)], only="stored")
    await one.ask(Command.RUN_PACKET, run(1, 1, 0, iv, b"y"))
    context = ("context", 1, iv_number, 1, 0)
    one.check((Command.RUN_PACKET | ANSWER, b"\0\x86"), log=[context], only="stored")
    await one.ask(Command.RUN_PACKET, run(2, 1, 0, iv, b"y"))
    one.check((FAILED, bytes([Error.NO_KEY])), log=[], only="stored")

    # Broken frames, each followed by silence: bad CRC, too long, cut off, no stop bit.
    text = Frame(Command.IDENTIFY, 9, b"").encoded()
    for broken, error, sent in (
        (text[:-1] + bytes([text[-1] ^ 1]), Error.WRONG_CRC, 9),
        (Frame(1, 9, bytes(BYTES + 1)).encoded(), Error.WRONG_LENGTH, 9),
        (text[:4], Error.CUT_OFF, 9),
        (text[:2], Error.CUT_OFF, 0),
    ):
        await one.send(broken)
        await one.wait(2 * TIMEOUT + 500)
        one.failed(error, log=[], number=sent)
    await one.send(text[:3])
    for _ in range(14 * DIVIDER):
        await one.cycle(0)
    await one.wait(2 * TIMEOUT + 500)
    one.failed(Error.NO_STOP_BIT, log=[], number=9)
    await one.send(b"noise")
    await one.ask(Command.RUN_PACKET, packet)
    one.check((Command.RUN_PACKET | ANSWER, bytes([0, 255 - ord("x")])), where="after noise")

    # A frame that comes while the answer to another leaves is dropped.
    await one.ask(Command.RUN_PACKET, packet, wait=-760)
    first = one.number
    await one.ask(Command.ZEROIZE)
    one.check((Command.RUN_PACKET | ANSWER, bytes([0, 255 - ord("x")])), number=first, where="two")

    # A slow engine is waited for; one that stands is given up, and zeroized.
    one.delay = TIMEOUT // 2
    data = bytes(40)
    await one.ask(Command.RUN_PACKET, run(0, 1, 0, iv, data), wait=500 + 4 * TIMEOUT)
    one.check((Command.RUN_PACKET | ANSWER, bytes(1) + b"\xff" * 40), where="slow engine")
    for what in ("s_axis_tready", "s_ctx_tready", "result", "s_key_tready"):
        if what == "result":
            one.delay = 10 * TIMEOUT
        else:
            one.ready[what] = 0
        kind, payload = Command.RUN_PACKET, packet
        if what == "s_key_tready":
            kind, payload = Command.LOAD_KEY, bytes(1) + key
        await one.ask(kind, payload, wait=TIMEOUT + ZEROIZE + 600)
        only = "stored" if what == "s_key_tready" else ""
        one.failed(Error.ENGINE_STANDS, only=only)
        one.delay = 30
        one.ready = dict.fromkeys(one.ready, 1)
        await one.ask(Command.RUN_PACKET, packet)
        one.failed(Error.NO_KEY, log=[], only=only)
        await one.ask(Command.LOAD_KEY, bytes(1) + key)
        one.check((Command.LOAD_KEY | ANSWER, b""), where=f"key after {what}")

    # Zeroize: it is answered when the engine's is over, too, and the key is gone.
    await one.ask(Command.RUN_PACKET, run(0, 1, 0, iv, data))
    one.check((Command.RUN_PACKET | ANSWER, bytes(1) + b"\xff" * 40), where="before zeroize")
    await one.no_secrets(True, "before zeroize")
    one.number = one.number % 255 + 1
    await one.send(Frame(Command.ZEROIZE, one.number).encoded())
    await one.wait(ZEROIZE - 12)
    for engine in one.engines:
        faults.check(engine.one, 0 in engine.bits[-40:], False, "an answer during zeroization")
    await one.wait(600)
    one.check((Command.ZEROIZE | ANSWER, b""), log=[("zeroize",)], where="zeroize")
    await one.no_secrets(False, "zeroize")
    await one.ask(Command.RUN_PACKET, packet)
    one.failed(Error.NO_KEY, log=[])

    # A reset does likewise, in the middle of an answer.
    await one.ask(Command.LOAD_KEY, bytes(1) + key)
    one.check((Command.LOAD_KEY | ANSWER, b""), where="key before reset")
    await one.ask(Command.RUN_PACKET, run(0, 1, 0, iv, data), wait=-600)
    await one.cycle(rst=1)
    await one.wait(TIMEOUT + ZEROIZE)
    for engine in one.engines:
        engine.bits.clear()
        engine.log.clear()
    await one.no_secrets(False, "reset")
    await one.ask(Command.RUN_PACKET, packet)
    one.failed(Error.NO_KEY, log=[])
    bench.judge(faults)


@pytest.mark.usefixtures("mutants")
def test_aesforge_uart_service(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


def test_other_sizes_of_the_buffer_are_refused() -> None:
    for size in (32, 96, 65536):
        legal, text = elaborate(M, {"BufferBytes": size})
        assert not legal
        assert "BufferBytes must be a power of two from 64 to 32768" in text
