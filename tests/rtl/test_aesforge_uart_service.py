# SPDX-License-Identifier: Apache-2.0
"""aesforge_uart_service, bit by bit: every command and error, agile and stored keys, sections."""

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
    **{"Packets": 0, "TagLengths": 0},
}
SLOTS = 3
# Tags of 12, 13 and 16 bytes.
TAGS = 0x9800
SEALED = {**PARAMETERS, "EncryptModes": 1, "DecryptModes": 1, "TagLengths": TAGS, "KeySlots": 0}
GCM, CCM = 1, 2
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

GCM_MUTATIONS = {
    "a text leaves whose tag is wrong": Mutation(M, "Sections && result_error ? 16'd1 :", ""),
    "a tag that was compared comes back": Mutation(M, "!Sections || !decrypt_q", "1'b1"),
    "no tag comes back": Mutation(M, "!Sections || !decrypt_q", "!Sections"),
    "an IV is no packet": Mutation(M, "iv_turn_q <= iv_long;", "iv_turn_q <= 1'b0;"),
    "only the IV is a packet": Mutation(M, "Sections && iv_turn_q ? Context", "1'b0 ? Context"),
    "the IV for ever": Mutation(
        M, "        iv_turn_q <= 1'b0;\n        state_q <= Sec", "        state_q <= Sec"
    ),
    "the IV is not used": Mutation(M, "iv_turn_q ? 2'd1 : 2'd2", "iv_turn_q ? 2'd1 : 2'd0"),
    "the IV is that of a packet before": Mutation(M, "iv_turn_q ? 2'd1 : 2'd2", "2'd2"),
    "an IV of 12 bytes is hashed": Mutation(M, "Gcm && iv_bytes_q != 8'd12", "Gcm"),
    "no IV is hashed": Mutation(M, "Gcm && iv_bytes_q != 8'd12", "1'b0"),
    "the packet begins with its IV": Mutation(M, "if (!iv_turn_q) first =", "if (1'b0) first ="),
    "the IV begins after itself": Mutation(M, "if (!iv_turn_q) first =", "if (1'b1) first ="),
    "the IV has associated data": Mutation(M, "iv_turn_q ? '0 : aad_bytes_q", "aad_bytes_q"),
    "no associated data": Mutation(M, "iv_turn_q ? '0 : aad_bytes_q", "'0"),
    "the IV has the length of the text": Mutation(
        M, "iv_turn_q ? 16'(iv_bytes_q) : text_bytes_q", "text_bytes_q"
    ),
    "all is text": Mutation(M, "frame_length - outside[15:0];", "frame_length - 16'(RunHeader);"),
    "takes every length of a tag": Mutation(M, "!TagLengths[5'(tag_index)]", "1'b0"),
    "takes a tag of no bytes": Mutation(M, "tag_bytes_q == '0 || ", ""),
    "takes a tag of many bytes": Mutation(M, "tag_bytes_q > 8'd16", "1'b0"),
    "takes an IV of no bytes": Mutation(M, "32'(iv_bytes_q) < LeastIv", "1'b0"),
    "takes an IV of many bytes": Mutation(M, "32'(iv_bytes_q) > MostIv", "1'b0"),
    "takes sections longer than the frame": Mutation(M, "outside > 17'(frame_length)", "1'b0"),
    "refuses a packet without text": Mutation(M, "outside > 17'", "outside >= 17'"),
    "a byte for the length of the associated data": Mutation(
        M, "{fetched, aad_bytes_q[15:8]}", "{8'd0, taken[0] ? fetched : aad_bytes_q[7:0]}"
    ),
    "associated data come back": Mutation(M, "Sections && m_axis_tuser[1]", "1'b0"),
    "the header has no lengths": Mutation(M, "Sections ? SectionHeader :", "1'b0 ? 0 :"),
    "does not say what its packets are": Mutation(M, "8'(Packets),", "8'd0,"),
    "does not say what its tags are": Mutation(M, "16'(TagLengths),", "16'd0,"),
    "the context has another tag": Mutation(M, "Sections ? tag_bytes_q[4:0]", "1'b0 ? 5'd0"),
}
CCM_MUTATIONS = {
    "does not tell associated data": Mutation(M, "Sections ? 32'(aad_bytes_q) :", ""),
    "does not tell the text": Mutation(M, "Sections ? 32'(text_bytes_q) :", ""),
    "does not tell the IV's length": Mutation(M, "Sections ? iv_bytes_q[3:0] :", ""),
    "hashes IVs": Mutation(M, "Gcm = Packets == 1", "Gcm = 1'b1"),
    "takes a short nonce": Mutation(M, "Packets == 2 ? 7 : 1", "1"),
    "takes a long nonce": Mutation(M, "Packets == 2 ? 13 : 15", "15"),
}


def outputs_of(slots: int, wide: int) -> dict[str, int]:
    """Return the output ports; key and IV with some low bits, which are enough for a mutant."""
    ports = {
        **{"txd": 1, "busy": 1, "zeroize": 1, "s_key_tvalid": 1, "s_ctx_tvalid": 1},
        **{"s_axis_tvalid": 1, "m_axis_tready": 1, "s_ctx_iv": wide, "s_ctx_mode": 3},
        **{"s_ctx_decrypt": 1, "s_axis_tdata": 128, "s_axis_tkeep": 16, "s_axis_tlast": 1},
        **{"s_axis_tuser": 1, "s_ctx_iv_bytes": 4, "s_ctx_iv_kind": 2, "s_ctx_tag_bytes": 5},
        **{"s_ctx_aad_bytes": 32, "s_ctx_text_bytes": 32},
    }
    # The other key port is not used.
    if slots:
        return ports | {"s_key_slot": 2, "s_key_tdata": wide, "s_ctx_slot": 2}
    return ports | {"s_ctx_key": wide}


def seen_by(one: Instance, entry: tuple[object, ...]) -> tuple[object, ...]:
    """Return an entry of a log as an instance has it, whose ports may be cut."""
    mask = (1 << one.outputs["s_ctx_iv"][1]) - 1
    return tuple(value & mask if isinstance(value, int) else value for value in entry)


SHARED = {"rst": 1, "rxd": 1, "s_key_tready": 1, "s_ctx_tready": 1, "s_axis_tready": 1}
INPUTS = {
    **{"m_axis_tvalid": 1, "m_axis_tdata": 128, "m_axis_tkeep": 16, "m_axis_tlast": 1},
    **{"m_axis_tuser": 2},
}


def make_sealed_bench() -> Bench:
    """Return the services of packets with sections."""
    bench = Bench(SHARED)
    probes = {"iv_q": ("iv_q", 128)} | {f"byte {i}": (f"buffer[{i}]", 8) for i in range(BYTES)}
    for packets, mutations in ((GCM, GCM_MUTATIONS), (CCM, CCM_MUTATIONS)):
        true = {GCM: "gcm", CCM: "ccm"}[packets]
        for name, mutation in {true: None, **mutations}.items():
            bench.add(
                *(name, M, {**SEALED, "Packets": packets}),
                inputs=INPUTS,
                outputs=outputs_of(0, 128 if mutation is None else 16),
                probes=probes,
                mutation=mutation,
            )
    return bench


def make_bench() -> Bench:
    bench = Bench(SHARED)
    for slots, mutations in ((0, AGILE), (SLOTS, STORED)):
        probes = {"key_q": ("key_q", 128), "iv_q": ("iv_q", 128)}
        probes |= {f"byte {i}": (f"buffer[{i}]", 8) for i in range(BYTES)}
        parameters = {**PARAMETERS, "KeySlots": slots}
        name = "stored" if slots else "agile"
        for one, mutation in {name: None, **mutations}.items():
            bench.add(
                *(one, M, parameters),
                inputs=INPUTS,
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
    back: list[tuple[int, int, int, int]] = field(default_factory=list)
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
        data, keep, last, mark = self.back[0]
        ports = {"m_axis_tvalid": 1, "m_axis_tdata": data, "m_axis_tkeep": keep}
        return {**ports, "m_axis_tlast": last, "m_axis_tuser": 2 * mark + error}

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
            values: tuple[str, ...] = (key_port, "s_ctx_iv", "s_ctx_mode", "s_ctx_decrypt")
            lengths = ("s_ctx_tag_bytes", "s_ctx_aad_bytes", "s_ctx_text_bytes")
            if self.one["Packets"] == GCM:
                # It has no other lengths.
                values += ("s_ctx_iv_kind", "s_ctx_tag_bytes")
            elif self.one["Packets"]:
                values += ("s_ctx_iv_kind", "s_ctx_iv_bytes", *lengths)
            self.log.append(("context", *(port(name) for name in values)))
        if port("s_axis_tvalid") and shared["s_axis_tready"]:
            keep = port("s_axis_tkeep")
            mask = sum(0xFF << 8 * i for i in range(16) if keep >> i & 1)
            beat = port("s_axis_tdata"), keep, port("s_axis_tlast"), port("s_axis_tuser")
            self.back.append((~beat[0] & mask, *beat[1:]))
            if self.one["Packets"]:
                self.log.append(("beat", beat))
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

    async def no_secrets(self, secret: bool, where: str, only: str = "") -> None:
        """Look whether key, IV and buffer are zeros."""
        outputs = await self.driver.settle({"rxd": 1, **self.ready}, probes=True)
        for one in (engine.one for engine in self.engines):
            if only not in ("", kind_of(one)):
                continue
            held = {probe for probe in one.probes if outputs.of(one, probe)}
            if not secret:
                self.faults.check(one, held, set(), f"{where}: not zeroized")
            elif kind_of(one) == "stored":
                # A key is only on its way to its slot.
                self.faults.check(one, outputs.of(one, "key_q"), 0, f"{where}: key of a slot")
            if secret and one["Packets"] and one.mutation is None:
                assert {"iv_q", "byte 0"} <= held, one.name
            elif secret and one.name in ("agile", "stored"):
                wanted = {"iv_q", "byte 0"} | ({"key_q"} if one.name == "agile" else set())
                assert wanted <= held, (one.name, wanted - held)

    def failed(self, error: Error, **given: Any) -> None:
        self.check((FAILED, bytes([error])), where=error.name, **given)


def kind_of(one: Instance) -> str:
    if one["Packets"]:
        return "gcm" if one["Packets"] == GCM else "ccm"
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
        identity = struct.pack(
            "<BBBBBHBH32s", 2, 16, slots, 2, 6, BYTES, 0, 0, b"abc".rjust(32, b"\0")
        )
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


@dataclass(frozen=True)
class Sealed:
    """A packet with sections, as a frame and as the engine gets it."""

    aad: bytes
    text: bytes
    tag: bytes
    decrypt: int
    iv: bytes

    def frame(self, kind: str) -> bytes:
        """Return the payload of its frame for a service."""
        alone = self.iv if kind == "gcm" and len(self.iv) != 12 else b""
        field_of_iv = (b"" if alone else self.iv).ljust(16, b"\0")
        head = struct.pack("<BBB16sBBH", 0, 0, self.decrypt, field_of_iv, len(self.iv),
                           len(self.tag), len(self.aad))  # fmt: skip
        return head + alone + self.aad + self.text + self.tag

    def given(self, kind: str, key: int) -> list[tuple[object, ...]]:
        """Return contexts and beats."""
        number = int.from_bytes
        lengths = (len(self.tag), len(self.aad), len(self.text))
        if kind == "ccm":
            iv = number(self.iv, "little")
            of_ccm = ("context", key, iv, 0, self.decrypt, 0, len(self.iv), *lengths)
            return [of_ccm, *self.beats(self.aad, self.text, self.tag)]
        if len(self.iv) == 12:
            iv = number(self.iv, "little")
            context = ("context", key, iv, 0, self.decrypt, 0, lengths[0])
            return [context, *self.beats(self.aad, self.text, self.tag)]
        # What stands after the IV is in place of a tag.
        place = (self.aad + self.text + self.tag)[: len(self.tag)]
        return [
            ("context", key, 0, 0, self.decrypt, 1, lengths[0]),
            *self.beats(b"", self.iv, place),
            ("context", key, 0, 0, self.decrypt, 2, lengths[0]),
            *self.beats(self.aad, self.text, self.tag),
        ]

    @staticmethod
    def beats(aad: bytes, text: bytes, tag: bytes) -> list[tuple[object, ...]]:
        """Return the beats of a packet."""
        return [
            (
                "beat",
                (
                    int.from_bytes(part[at : at + 16], "little"),
                    (1 << len(part[at : at + 16])) - 1,
                    int(part is tag),
                    int(part is aad),
                ),
            )
            for part in (aad, text, tag)
            for at in range(0, len(part), 16)
        ]

    def result(self) -> bytes:
        """Return what comes back of it, after the status."""
        out = self.text if self.decrypt else self.text + self.tag
        return bytes(255 - byte for byte in out)


@cocotb.test()
async def every_section_is_answered(dut: Any) -> None:
    """Packets of associated data, text and tag; IVs of every kind; wrong lengths; wrong tags."""
    bench, draw, faults = make_sealed_bench(), random.Random(5), Faults()
    one = Session(Driver(dut, bench), faults)
    kinds = {GCM: "gcm", CCM: "ccm"}
    await one.cycle(rst=1)
    await one.cycle(rst=1)
    for engine in one.engines:
        engine.log.clear()
    await one.wait(TIMEOUT + ZEROIZE)
    await one.ask(Command.IDENTIFY, wait=2400)
    for packets, kind in kinds.items():
        name = b"abc".rjust(32, b"\0")
        identity = struct.pack("<BBBBBHBH32s", 2, 16, 0, 1, 1, BYTES, packets, TAGS, name)
        assert Identity.decoded(identity).tag_bytes == (12, 13, 16)
        for engine in one.engines:
            if kind_of(engine.one) == kind:
                due = [Frame(Command.IDENTIFY | ANSWER, 1, identity)]
                faults.check(engine.one, engine.frames(), due, "identify")
                engine.log = []
    key = draw.randbytes(16)
    await one.ask(Command.LOAD_KEY, bytes(1) + key)
    one.check((Command.LOAD_KEY | ANSWER, b""), where="key")

    async def sealed(packet: Sealed, kind: str, error: int = 0) -> None:
        one.error = error
        await one.ask(Command.RUN_PACKET, packet.frame(kind), wait=700)
        sizes = f"{kind}, {[len(x) for x in (packet.aad, packet.text, packet.tag, packet.iv)]}"
        answer = bytes([error]) + (b"" if error else packet.result())
        log = packet.given(kind, int.from_bytes(key, "little"))
        one.check((Command.RUN_PACKET | ANSWER, answer), log=log, only=kind, where=sizes)
        one.error = 0

    def drawn(aad: int, text: int, tag: int, decrypt: int, iv: int) -> Sealed:
        parts = [draw.randbytes(n) for n in (aad, text, tag)]
        return Sealed(parts[0], parts[1], parts[2], decrypt, draw.randbytes(iv))

    for kind in kinds.values():
        for sizes in (
            (5, 17, 16, 0),
            (0, 20, 12, 1),
            (17, 0, 16, 1),
            (0, 0, 16, 0),
            (8, 20, 13, 1),
        ):
            await sealed(drawn(*sizes, 12), kind)
        await sealed(drawn(5, 17, 16, 1, 12), kind, error=1)
        await one.no_secrets(True, "after packets")
    for all_sizes in ((5, 10, 16, 0, 1), (0, 6, 13, 1, 16), (7, 0, 12, 1, 20)):
        await sealed(drawn(*all_sizes), "gcm")
    await sealed(drawn(3, 3, 12, 1, 16), "gcm", error=1)
    for length in (7, 13):
        await sealed(drawn(3, 9, 12, 0, length), "ccm")

    # Wrong lengths. The frame has room for a text that would do.
    def lengths(iv: int, tag: int, aad: int, rest: int = 36) -> bytes:
        return struct.pack("<BBB16sBBH", 0, 0, 0, b"", iv, tag, aad) + bytes(rest)

    for kind, payload, error in (
        *((kind, lengths(12, 0, 0), Error.WRONG_ARGUMENT) for kind in kinds.values()),
        *((kind, lengths(12, 4, 0), Error.WRONG_ARGUMENT) for kind in kinds.values()),
        *((kind, lengths(12, 32, 0), Error.WRONG_ARGUMENT) for kind in kinds.values()),
        *((kind, lengths(12, 16, 21), Error.WRONG_LENGTH) for kind in kinds.values()),
        *((kind, lengths(12, 16, 256 + 5), Error.WRONG_LENGTH) for kind in kinds.values()),
        *((kind, lengths(12, 16, 0xFFFF), Error.WRONG_LENGTH) for kind in kinds.values()),
        *((kind, lengths(12, 16, 0, 15), Error.WRONG_LENGTH) for kind in kinds.values()),
        *((kind, lengths(12, 16, 0)[:22], Error.WRONG_LENGTH) for kind in kinds.values()),
        *((kind, lengths(0, 16, 0), Error.WRONG_ARGUMENT) for kind in kinds.values()),
        *((kind, lengths(129, 16, 0), Error.WRONG_ARGUMENT) for kind in kinds.values()),
        ("gcm", lengths(21, 16, 0), Error.WRONG_LENGTH),
        ("ccm", lengths(6, 16, 0), Error.WRONG_ARGUMENT),
        ("ccm", lengths(14, 16, 0), Error.WRONG_ARGUMENT),
    ):
        await one.ask(Command.RUN_PACKET, payload, wait=500 - 20 * len(payload))
        one.check((FAILED, bytes([error])), log=[], only=kind, where=f"{kind}: {error.name}")

    # An engine that stands in the IV's packet; then everything is zeros, and works again.
    one.ready["s_axis_tready"] = 0
    await one.ask(Command.RUN_PACKET, drawn(5, 10, 16, 0, 1).frame("gcm"), wait=TIMEOUT + 800)
    one.check((FAILED, bytes([Error.ENGINE_STANDS])), only="gcm", where="engine stands")
    one.ready = dict.fromkeys(one.ready, 1)
    await one.no_secrets(False, "after an engine that stands", only="gcm")
    await one.ask(Command.LOAD_KEY, bytes(1) + key)
    one.check((Command.LOAD_KEY | ANSWER, b""), only="gcm", where="key")
    await sealed(drawn(5, 10, 16, 0, 12), "gcm")
    bench.judge(faults)


@pytest.mark.usefixtures("mutants")
def test_aesforge_uart_service(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path, "every_command_is_answered")


@pytest.mark.usefixtures("mutants")
def test_aesforge_uart_service_with_sections(tmp_path: Path) -> None:
    make_sealed_bench().run(__file__, tmp_path, "every_section_is_answered")


@pytest.mark.parametrize(("packets", "tags"), [(5, 0), (1, 0), (0, 1), (4, 1)])
def test_packets_without_their_tags_are_refused(packets: int, tags: int) -> None:
    legal, text = elaborate(M, {"Packets": packets, "TagLengths": tags})
    assert not legal
    assert "Packets must be 0 to 4, and TagLengths 0 unless it is 1, 2 or 3" in text


def test_other_sizes_of_the_buffer_are_refused() -> None:
    for size in (32, 96, 65536):
        legal, text = elaborate(M, {"BufferBytes": size})
        assert not legal
        assert "BufferBytes must be a power of two from 64 to 32768" in text
