# SPDX-License-Identifier: Apache-2.0
"""aesforge_packet_registers: each packet gets its context, each context its result, in order.

Software and streams are driven by cocotbext-axi, but for interleaved streams; a model in Python
stands in place of the engine.
"""

from __future__ import annotations

import itertools
import random
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cocotb
import pytest
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

M = "aesforge_packet_registers"
RESULTS, USER_BITS = 4, 3
INDEX_BITS = 2
INNER = INDEX_BITS + 1 + USER_BITS
COMMON = {"UserBits": USER_BITS, "Results": RESULTS}
TAGS = {**COMMON, "KeyBits": 256, "KeySlots": 3, "Counted": 1, "IdBits": 8}
UNITS = {**COMMON, "KeyBits": 512, "KeySlots": 4, "Tags": 0, "IdBits": 1}
STREAMS = {**COMMON, "KeyBits": 128, "KeySlots": 0, "Streams": 3, "IdBits": 2}
SHAPES = {"tags": TAGS, "units": UNITS, "streams": STREAMS}

# name -> shape, mutation
MUTANTS = {
    "the tag of the stream": (
        "tags",
        Mutation(M, "replaces ? expected", "0 ? expected"),
    ),
    "the length of the stream": (
        "tags",
        Mutation(M, "replaces ? tag_keep", "0 ? tag_keep"),
    ),
    "the tag in each beat": (
        "tags",
        Mutation(M, "replaces ? expected", "tag_given ? expected"),
    ),
    "a tag of the context to come": (
        "tags",
        Mutation(M, "expected} = memory[place]", "expected} = memory[given]"),
    ),
    "results without end": (
        "tags",
        Mutation(M, "ctx_valid_q && !results_full &&", "ctx_valid_q &&"),
    ),
    "a packet before its context": (
        "tags",
        Mutation(M, "has_context = begun_q != given_q ||", "has_context = 1'b1 ||"),
    ),
    "authentic whatever its tag": (
        "tags",
        Mutation(M, "verifies_q[head] && !result_error", "verifies_q[head]"),
    ),
    "an IV is authentic": ("tags", Mutation(M, "&& ctx_iv_kind_q != 2'd1;", ";")),
    "encrypted and authentic": (
        "tags",
        Mutation(M, "Tags && ctx_decrypt_q && ctx_iv_kind", "Tags && ctx_iv_kind"),
    ),
    "an IV where none is": (
        "tags",
        Mutation(M, "&& makes_q[head] && !result_none", "&& makes_q[head]"),
    ),
    "an IV of what is decrypted": (
        "tags",
        Mutation(M, "Counted && makes_q[head] &&", "Counted &&"),
    ),
    "the next context's IV": ("tags", Mutation(M, "[IndexBits-1:0] - 1'b1", "[IndexBits-1:0]")),
    "a field for all slots": ("tags", Mutation(M, "&& 32'(key_slot_q) == i)", ")")),
    "pops twice": (
        "tags",
        Mutation(M, "popped_q <= popped_q + 1'b1", "popped_q <= popped_q + 2'd2"),
    ),
    "pops what is not there": ("tags", Mutation(M, "popped = pop && result_waits", "popped = pop")),
    "no error in the result": (
        "tags",
        Mutation(M, "{out_error || any_error_q, 8'", "{1'b0, 8'"),
    ),
    "a result for each unit": (
        "units",
        Mutation(M, "out_last && out_final && !zeroize", "out_last && !zeroize"),
    ),
    "the last unit's error": ("units", Mutation(M, "{out_error || any_error_q,", "{out_error,")),
    "an error for ever": (
        "units",
        Mutation(M, "!Tags && !out_final && (any_error_q", "!Tags && (any_error_q"),
    ),
    "one unit a context": (
        "units",
        Mutation(M, "final_unit = unit_q == memory[place]", "final_unit = 1'b1"),
    ),
    "units of the context before": (
        "units",
        Mutation(M, "unit_q <= final_unit ? '0 :", "unit_q <="),
    ),
    "one stream": (
        "streams",
        Mutation(M, "place = open ? places[s_axis_tid] :", "place ="),
    ),
    "an end for each stream": (
        "streams",
        Mutation(
            M, "open_q[s_axis_tid] <= !s_axis_tlast;", "open_q <= {2 ** IdBits{!s_axis_tlast}};"
        ),
    ),
    "a stream more": (
        "streams",
        Mutation(M, "counts = {1'b0, s_axis_tid} < Count", "counts = 1'b1"),
    ),
    "a tag for a stranger": ("streams", Mutation(M, "tag_given && counts", "tag_given")),
    "a stranger's error": (
        "streams",
        Mutation(M, "any_error_q <= !Tags && !out_final", "any_error_q <= !out_final"),
    ),
    "results from places in turn": (
        "streams",
        Mutation(M, "<= out_place;", "<= ended_q[IndexBits-1:0];"),
    ),
    "packets to places in turn": (
        "streams",
        Mutation(M, "<= given;", "<= given_q[IndexBits-1:0];"),
    ),
    "a place for two": ("streams", Mutation(M, "if (accept) taken_q[given] <= 1'b1;", "")),
    "a place for ever": ("streams", Mutation(M, "if (popped) taken_q[head] <= 1'b0;", "")),
}
# What zeroize must leave as zeros is seen inside.
ZEROIZE_MUTANTS = {
    "expected tags stay": (
        "tags",
        Mutation(M, "assign at = sweeping_q ? sweep_q : given;", "assign at = given;"),
    ),
    "results stay": (
        "tags",
        Mutation(M, "result_at = sweeping_q ? sweep_q : out_place", "result_at = out_place"),
    ),
    "IVs stay": (
        "tags",
        Mutation(M, "assign at = sweeping_q ? sweep_q : latest;", "assign at = latest;"),
    ),
    "the waiting key stays": (
        "tags",
        Mutation(M, "{key_q, key_fixed_q} <= '0;", "key_fixed_q <= '0;"),
    ),
    "the waiting tag stays": (
        "tags",
        Mutation(M, "{ctx_key_q, ctx_iv_q, ctx_tag_q} <= '0;", "{ctx_key_q, ctx_iv_q} <= '0;"),
    ),
    "the waiting context's key stays": (
        "streams",
        Mutation(M, "{ctx_key_q, ctx_iv_q, ctx_tag_q} <= '0;", "{ctx_iv_q, ctx_tag_q} <= '0;"),
    ),
    "fixed fields stay": ("tags", Mutation(M, "if (rst || zeroize) fixed_q", "if (rst) fixed_q")),
}


def ports_of(parameters: dict[str, int]) -> list[tuple[str, int, str]]:
    slots = parameters["KeySlots"]
    slot_bits = (slots - 1).bit_length() if slots else 1
    key, ids = parameters["KeyBits"], parameters["IdBits"]
    beat = [("data", 128), ("keep", 16), ("last", 1), ("id", ids)]
    context = [("key", key), ("slot", slot_bits), ("iv", 128), ("iv_kind", 2), ("iv_bytes", 4)]
    context += [("decrypt", 1), ("tag_bytes", 5), ("aad_bytes", 32), ("text_bytes", 32)]
    outputs = [("zeroize", 1), ("key_valid", 1), ("key_slot", slot_bits), ("key", key)]
    outputs += [("iv_fixed", 32 * max(slots, 1)), ("ctx_valid", 1), ("out_ready", 1)]
    outputs += [(f"ctx_{name}", bits) for name, bits in [*context, ("more", 16)]]
    outputs += [("in_valid", 1), *((f"in_{name}", bits) for name, bits in beat)]
    outputs += [("in_user", INNER), ("iv_ready", 1)]
    inputs = [("key_ready", 1), ("ctx_ready", 1), ("in_ready", 1), ("out_valid", 1)]
    inputs += [*((f"out_{name}", bits) for name, bits in beat), ("out_user", INNER + 1)]
    inputs += [("iv_valid", 1), ("iv_data", 96), ("iv_none", 1)]
    return [
        *axi_lite(8),
        *axi_stream(ids, USER_BITS),
        *(("output", bits, name) for name, bits in outputs),
        *(("input", bits, name) for name, bits in inputs),
    ]


def secrets_of(parameters: dict[str, int]) -> dict[str, tuple[str, int]]:
    """Path and width of what `zeroize` must zeroize."""
    found = {"key_q": ("key_q", parameters["KeyBits"]), "iv_q": ("ctx_iv_q", 128)}
    if parameters.get("Tags", 1):
        found["tag_q"] = ("ctx_tag_q", 128)
        for i in range(RESULTS):
            found[f"tag_{i}"] = (f"gen_expected.memory[{i}]", 134)
            found[f"result_{i}"] = (f"results[{i}]", 137)
    if parameters.get("Counted"):
        for i in range(RESULTS):
            found[f"iv_{i}"] = (f"gen_ivs.memory[{i}]", 97)
        found["fixed"] = ("iv_fixed", 96)
    if not parameters["KeySlots"]:
        found["ctx_key_q"] = ("ctx_key_q", parameters["KeyBits"])
    return found


def make_bench() -> NamedBench:
    found = [
        Named(name, M, one, ports_of(one), probes=secrets_of(one)) for name, one in SHAPES.items()
    ]
    for prefix, mutants in (("m", MUTANTS), ("z", ZEROIZE_MUTANTS)):
        for i, (shape, mutation) in enumerate(mutants.values()):
            one = SHAPES[shape]
            probes = secrets_of(one) if prefix == "z" else None
            found.append(Named(f"{prefix}{i}", M, one, ports_of(one), mutation, probes=probes))
    return NamedBench(found)


CONTROL, STATUS, ERRORS, PACKETS, IN_ERROR, BEATS = range(4, 28, 4)
KEY, IV, TAG, AAD, TEXT, MORE, FIXED, LOAD, PUSH = (
    *(0x20, 0x60, 0x70, 0x80, 0x84, 0x88, 0x8C, 0x90, 0x94),
)
RESULT, POP, RESULT_TAG, RESULT_IV = 0xA0, 0xA4, 0xB0, 0xC0
CONTEXT_WAITS, KEY_WAITS, RESULT_WAITS, RESULTS_FULL, PACKET_WAITS = (1 << bit for bit in range(5))
IV_PACKET = 1


@dataclass
class Packet:
    """A packet of the user: its beats, and what must become of them.

    Args:
        number: of its context; None: its stream does not exist.
        id: its `tid`.
        beats: (data, keep) of each.
        error: whether it comes out with the error flag.
        made: the bytes of its last beat out.
    """

    number: int | None
    id: int
    beats: list[tuple[int, int]]
    error: bool
    made: int
    taken: int = 0
    out: int = 0


@dataclass
class Context:
    """A context as it is pushed, and its result once that is known."""

    fields: dict[str, int]
    tag: int
    tag_given: bool
    packets: list[Packet] = field(default_factory=list)
    iv: tuple[int, int] = (0, 0)

    @property
    def result(self) -> tuple[int, int, int]:
        """Words: result, tag, IV."""
        error = any(one.error for one in self.packets)
        last = self.packets[-1]
        decrypt, kind = self.fields["decrypt"], self.fields["iv_kind"]
        has_iv = bool(self.iv[0]) and not self.iv[1]
        flags = error | (decrypt and not error and kind != IV_PACKET and last.made >= 0) << 1
        return flags | has_iv << 2 | last.id << 8, max(last.made, 0), self.iv[0] if has_iv else 0


class Rig:
    """One instance with its bus models and the model of its engine."""

    def __init__(self, dut: Any, one: Named, seed: int) -> None:
        self.one, self.dut, self.draw = one, dut, random.Random(seed)
        self.tags = bool(one.parameters.get("Tags", 1))
        self.streams = one.parameters.get("Streams", 0)
        self.counted = bool(one.parameters.get("Counted"))

        def stream(channel: str) -> Any:
            return AxiStreamBus.from_prefix(dut, f"{one.name}_{channel}")

        self.bus = AxiLiteMaster(
            AxiLiteBus.from_prefix(dut, f"{one.name}_s_axil"), dut.clk, dut.rst
        )
        if not self.streams:
            self.source = AxiStreamSource(stream("s_axis"), dut.clk, dut.rst)
        self.sink = AxiStreamSink(stream("m_axis"), dut.clk, dut.rst)
        self.faults: list[str] = []
        self.contexts: list[Context] = []
        self.reset_model()

    def reset_model(self) -> None:
        """Forget what is inside."""
        self.accepted = self.read = 0
        # Numbers of the contexts whose packets have ended, in that order.
        self.ended: list[int] = []
        self.beats = self.packets = self.in_error = 0
        self.keys: list[tuple[int, int, int]] = []
        self.to_come: dict[int, deque[Packet]] = {i: deque() for i in range(256)}
        self.inside: deque[tuple[Packet, int, int]] = deque()
        self.iv_owed: tuple[int, int] | None = None
        # Of several streams: packets that have not begun, and those that have, with a beat to send.
        self.waiting: deque[Packet] = deque()
        self.opened: dict[int, tuple[Packet, int]] = {}

    # --- Ports

    def get(self, port: str) -> int:
        return int(getattr(self.dut, f"{self.one.name}_{port}").value)

    def put(self, port: str, value: int) -> None:
        getattr(self.dut, f"{self.one.name}_{port}").value = value

    async def word(self, address: int) -> int:
        return int(await self.bus.read_dword(address))

    async def write(self, address: int, value: int) -> None:
        await self.bus.write_dword(address, value)

    def same(self, what: str, got: object, due: object) -> None:
        if got != due:
            self.faults.append(f"{what}: {got!r}, not {due!r}")

    # --- The engine

    async def engine(self) -> None:
        """Take contexts, keys and beats, and return the beats, each side at random."""
        draw = self.draw
        while True:
            await RisingEdge(self.dut.clk)
            if self.get("zeroize"):
                self.inside.clear()
                self.put("out_valid", 0)
                self.put("iv_valid", 0)
                self.iv_owed = None
                continue
            if self.get("ctx_valid") and self.get("ctx_ready"):
                self.take_context()
            if self.get("key_valid") and self.get("key_ready"):
                self.keys.append((self.get("key_slot"), self.get("key"), self.get("iv_fixed")))
            if self.get("in_valid") and self.get("in_ready"):
                self.take_beat()
            if self.get("out_valid") and self.get("out_ready"):
                self.put("out_valid", 0)
            elif self.get("out_valid"):
                pass
            else:
                self.offer_beat()
            if self.get("iv_valid"):
                self.put("iv_valid", 0)
                self.iv_owed = None
            elif self.iv_owed is not None and draw.random() < 0.5:
                self.put("iv_valid", 1)
                self.put("iv_data", self.iv_owed[0])
                self.put("iv_none", self.iv_owed[1])
            self.put("ctx_ready", int(self.iv_owed is None and draw.random() < 0.5))
            self.put("key_ready", int(draw.random() < 0.5))
            self.put("in_ready", int(len(self.inside) < 12 and draw.random() < 0.7))

    def take_context(self) -> None:
        if self.accepted == len(self.contexts):
            self.faults.append("a context that nobody pushed")
            return
        context = self.contexts[self.accepted]
        self.accepted += 1
        if self.accepted - self.read > RESULTS:
            self.faults.append("a context without a place for its result")
        for name, value in context.fields.items():
            self.same(f"context {self.accepted}, {name}", self.get(f"ctx_{name}"), value)
        if self.counted and not context.fields["decrypt"]:
            self.iv_owed = context.iv = self.draw.getrandbits(96) | 1, self.draw.randrange(2)

    def take_beat(self) -> None:
        stream = self.get("in_id") if self.streams else 0
        if not self.to_come[stream]:
            self.faults.append("a beat that nobody sent")
            return
        packet = self.to_come[stream][0]
        data, keep = packet.beats[packet.taken]
        last = packet.taken == len(packet.beats) - 1
        if packet.number is not None:
            context = self.contexts[packet.number]
            if packet.number >= self.accepted:
                self.faults.append(f"packet {packet.number} before its context")
            if last and context.tag_given:
                data, keep = context.tag, (1 << context.fields["tag_bytes"]) - 1 & 0xFFFF
        seen = self.get("in_data"), self.get("in_keep"), self.get("in_last"), self.get("in_id")
        self.same(f"beat of packet {packet.number}", seen, (data, keep, int(last), packet.id))
        self.inside.append((packet, packet.taken, self.get("in_user")))
        packet.taken += 1
        if last:
            self.to_come[stream].popleft()

    def offer_beat(self) -> None:
        if not self.inside or self.draw.random() < 0.3:
            return
        # Beats of one stream keep their order.
        streams = {one[0].id for one in self.inside} if self.streams else {None}
        chosen = self.draw.choice(sorted(streams, key=str))
        at = next(i for i, one in enumerate(self.inside) if chosen in (None, one[0].id))
        packet, beat, user = self.inside[at]
        del self.inside[at]
        last = beat == len(packet.beats) - 1
        self.put("out_valid", 1)
        self.put("out_data", max(packet.made, 0) if last else self.draw.getrandbits(128))
        self.put("out_keep", 0xFFFF)
        self.put("out_last", int(last))
        self.put("out_id", packet.id)
        self.put("out_user", user << 1 | (packet.error and last))
        packet.out += 1
        if last and packet.number is not None:
            context = self.contexts[packet.number]
            if all(one.out == len(one.beats) for one in context.packets):
                self.ended.append(packet.number)
        self.beats += 1
        self.packets += last
        self.in_error += last and packet.error

    # --- Software and streams

    def new_context(self) -> Context:
        draw, parameters = self.draw, self.one.parameters
        slots = parameters["KeySlots"]
        fields = {
            "iv": draw.getrandbits(128),
            "iv_kind": draw.randrange(3),
            "iv_bytes": draw.randrange(16),
            "decrypt": draw.randrange(2),
            "tag_bytes": draw.randrange(17),
            "aad_bytes": draw.getrandbits(32),
            "text_bytes": draw.getrandbits(32),
            "more": draw.randrange(3) if not self.tags else draw.getrandbits(16),
            "slot": draw.randrange(slots) if slots else 0,
        }
        if not slots:
            fields["key"] = draw.getrandbits(parameters["KeyBits"])
        tag = draw.getrandbits(128)
        context = Context(fields, tag, bool(self.tags and draw.randrange(2)))
        for _ in range(1 if self.tags else fields["more"] + 1):
            made = draw.getrandbits(128) if not fields["decrypt"] else 0
            ident = draw.randrange(self.streams) if self.streams else draw.randrange(2)
            beats = [(draw.getrandbits(128), 0xFFFF) for _ in range(draw.randint(1, 5))]
            beats[-1] = (beats[-1][0], (1 << draw.randint(1, 16)) - 1)
            error = draw.random() < 0.3
            made = made if self.tags else -1
            number = len(self.contexts)
            context.packets.append(Packet(number, ident, beats, error, made))
        self.contexts.append(context)
        return context

    async def push(self, context: Context) -> None:
        """Write the registers of a context, and push it."""
        fields = context.fields
        await self.bus.write(IV, fields["iv"].to_bytes(16, "little"))
        await self.bus.write(TAG, context.tag.to_bytes(16, "little"))
        if "key" in fields:
            size = self.one.parameters["KeyBits"] // 8
            await self.bus.write(KEY, fields["key"].to_bytes(size, "little"))
        for address, name in ((AAD, "aad_bytes"), (TEXT, "text_bytes"), (MORE, "more")):
            await self.write(address, fields[name])
        word = fields["iv_kind"] | fields["decrypt"] << 4 | context.tag_given << 5
        word |= fields["slot"] << 8 | fields["iv_bytes"] << 12 | fields["tag_bytes"] << 16
        await self.write(PUSH, word)

    async def until_low(self, mask: int) -> None:
        while await self.word(STATUS) & mask:
            pass

    async def send(self, packet: Packet) -> None:
        """Send a packet, whose beats may be wrong: the engine must see them as they are."""
        stream = packet.id if self.streams else 0
        self.to_come[stream].append(packet)
        if self.streams:
            self.waiting.append(packet)
            return
        data = b"".join(value.to_bytes(16, "little") for value, _ in packet.beats)
        keep = [keep >> i & 1 for _, keep in packet.beats for i in range(16)]
        user = packet.id % 8
        frame = AxiStreamFrame(data, tkeep=keep, tid=packet.id, tuser=user)
        await self.source.send(frame)

    async def sender(self) -> None:
        """Send the packets of several streams, beat by beat in turns; they begin in order."""
        while True:
            await RisingEdge(self.dut.clk)
            if self.get("s_axis_tvalid") and not self.get("s_axis_tready"):
                continue
            self.put("s_axis_tvalid", 0)
            streams = [*self.opened]
            if self.waiting and self.waiting[0].id not in self.opened:
                streams.append(self.waiting[0].id)
            if not streams or self.draw.random() < 0.2:
                continue
            stream = self.draw.choice(streams)
            if stream not in self.opened:
                self.opened[stream] = self.waiting.popleft(), 0
            packet, beat = self.opened.pop(stream)
            last = beat == len(packet.beats) - 1
            if not last:
                self.opened[stream] = packet, beat + 1
            self.put("s_axis_tvalid", 1)
            self.put("s_axis_tdata", packet.beats[beat][0])
            self.put("s_axis_tkeep", packet.beats[beat][1])
            self.put("s_axis_tlast", int(last))
            self.put("s_axis_tid", stream)
            self.put("s_axis_tuser", packet.id % 8)

    async def pusher(self, count: int) -> None:
        held: list[Packet] = []
        for number in range(count):
            context = self.new_context()
            if self.one.parameters["KeySlots"] and self.draw.random() < 0.3:
                await self.load()
            await self.push(context)
            # The registers are free at once.
            await self.bus.write(IV, self.draw.randbytes(16))
            await self.bus.write(TAG, self.draw.randbytes(16))
            if self.draw.random() < 0.2:
                await ClockCycles(self.dut.clk, self.draw.randrange(60))
            held += context.packets
            if self.streams and self.draw.random() < 0.3:
                held.append(Packet(None, 3, [(5, 1)], True, 0))
            # Packets of several streams come together.
            if not self.streams or number % 3 == 2 or number == count - 1:
                for packet in held:
                    await self.send(packet)
                held.clear()
            await self.until_low(CONTEXT_WAITS)

    async def load(self) -> None:
        draw, parameters = self.draw, self.one.parameters
        slot = draw.randrange(parameters["KeySlots"])
        key = draw.randbytes(parameters["KeyBits"] // 8)
        fixed = draw.getrandbits(32)
        await self.bus.write(KEY, key)
        await self.write(FIXED, fixed)
        known = len(self.keys)
        await self.write(LOAD, slot)
        await self.until_low(KEY_WAITS)
        await ClockCycles(self.dut.clk, 3)
        if len(self.keys) != known + 1:
            self.faults.append(f"{len(self.keys) - known} keys, not one")
            return
        was = self.keys[-1]
        self.same("key", was[:2], (slot, int.from_bytes(key, "little")))
        due = was[2] & ~(0xFFFFFFFF << 32 * slot) | fixed << 32 * slot
        self.same("fixed fields", self.get("iv_fixed"), due if self.counted else 0)

    async def reader(self, count: int, first: int = 0) -> None:
        """Read each result, one of them late."""
        for number in range(first, first + count):
            while not await self.word(STATUS) & RESULT_WAITS:
                pass
            if number == 6:
                # Until contexts wait for a place.
                await ClockCycles(self.dut.clk, 1500)
            result = await self.word(RESULT)
            tag = int.from_bytes((await self.bus.read(RESULT_TAG, 16)).data, "little")
            iv = int.from_bytes((await self.bus.read(RESULT_IV, 12)).data, "little")
            if number >= len(self.ended):
                self.faults.append("a result of a packet that has not ended")
                return
            due = self.contexts[self.ended[number]].result
            self.same(f"result {number}", (result, tag, iv), due)
            self.read += 1
            await self.write(POP, 1)
        if not self.streams:
            self.same("order of the results", self.ended, sorted(self.ended))
        if first:
            return
        await ClockCycles(self.dut.clk, 4)
        left = [await self.word(address) for address in (RESULT, RESULT_TAG, RESULT_IV)]
        self.same("after the last result", left, [0, 0, 0])
        await self.write(POP, 1)
        self.same("status", await self.word(STATUS), 0)

    async def packets_out(self) -> None:
        """Take what leaves, and look at `tuser`."""
        while True:
            frame = await self.sink.recv()
            frame.normalize()
            # Beats of several streams may take turns.
            self.same("tuser", [one >> 1 for one in frame.tuser], [one % 8 for one in frame.tid])


def pauses(draw: random.Random, share: float) -> Iterator[bool]:
    return (draw.random() < share for _ in itertools.count())


async def begin(dut: Any, prefix: str) -> list[Rig]:
    """Return the true instances and the mutants of a test, after a reset."""
    instances = make_bench().instances
    for one in instances:
        for way, _, name in one.ports:
            if way == "input":
                getattr(dut, f"{one.name}_{name}").value = 0
    chosen = [one for one in instances if one.mutation is None or one.name[0] == prefix]
    rigs = [Rig(dut, one, 5) for one in chosen]
    Clock(dut.clk, 10, "ns").start()
    dut.rst.value = 1
    await ClockCycles(dut.clk, 4)
    dut.rst.value = 0
    await RisingEdge(dut.clk)
    return rigs


async def traffic(rig: Rig, count: int) -> None:
    if not rig.streams:
        rig.source.set_pause_generator(pauses(rig.draw, 0.2))
    rig.sink.set_pause_generator(pauses(rig.draw, 0.3))
    rest = [rig.engine(), rig.packets_out(), *([rig.sender()] if rig.streams else [])]
    others = [cocotb.start_soon(one) for one in rest]
    reader = cocotb.start_soon(rig.reader(count))
    await rig.pusher(count)
    await reader
    while rig.inside or any(rig.to_come.values()) or rig.get("out_valid") or rig.waiting:
        await RisingEdge(rig.dut.clk)
    for address, due in ((PACKETS, rig.packets), (IN_ERROR, rig.in_error), (BEATS, rig.beats)):
        rig.same(f"count at {address:#x}", await rig.word(address), due)
    for task in others:
        task.cancel()


@cocotb.test()
async def each_context_has_its_result(dut: Any) -> None:
    rigs = await begin(dut, "m")
    tasks = [
        cocotb.start_soon(traffic(rig, 30 if rig.one.mutation is None else 15)) for rig in rigs
    ]
    for rig, task in zip(rigs, tasks, strict=True):
        if rig.one.mutation is None:
            await with_timeout(task, 200, "us")
            assert not rig.faults, (rig.one.name, rig.faults[:3])
    await ClockCycles(dut.clk, 500)
    for rig, task in zip(rigs, tasks, strict=True):
        if rig.one.mutation is not None:
            assert rig.faults or not task.done(), rig.one
            task.cancel()


@cocotb.test()
async def flags_and_limits(dut: Any) -> None:
    rig = (await begin(dut, "-"))[0]
    assert await rig.word(0) == int.from_bytes(b"AESP", "big")
    # No engine takes anything: one context waits, the next is dropped; likewise a key.
    await rig.push(rig.new_context())
    assert await rig.word(STATUS) == CONTEXT_WAITS
    await rig.write(PUSH, 0)
    assert await rig.word(ERRORS) == 2
    await rig.write(LOAD, 1)
    assert await rig.word(STATUS) == CONTEXT_WAITS | KEY_WAITS
    await rig.write(LOAD, 1)
    assert await rig.word(ERRORS) == 6
    await rig.write(ERRORS, 6)
    assert await rig.word(ERRORS) == 0
    # A packet without a context waits, and says so.
    await rig.send(rig.contexts[0].packets[0])
    await ClockCycles(dut.clk, 300)
    assert await rig.word(STATUS) == CONTEXT_WAITS | KEY_WAITS | PACKET_WAITS
    task = cocotb.start_soon(rig.engine())
    cocotb.start_soon(rig.packets_out())
    while not await rig.word(STATUS) & RESULT_WAITS:
        pass
    # Results that nobody reads hold contexts back, and nothing else.
    for _ in range(RESULTS):
        context = rig.new_context()
        await rig.push(context)
        await rig.send(context.packets[0])
        await ClockCycles(dut.clk, 100)
    assert await rig.word(STATUS) == CONTEXT_WAITS | RESULT_WAITS | RESULTS_FULL | PACKET_WAITS
    assert await rig.word(PACKETS) == RESULTS
    rig.read += 1
    await rig.write(POP, 1)
    await ClockCycles(dut.clk, 100)
    assert await rig.word(STATUS) == RESULT_WAITS | RESULTS_FULL
    assert await rig.word(PACKETS) == RESULTS + 1
    # Neither keys nor expected tags are read.
    for address in range(KEY, RESULT, 4):
        assert await rig.word(address) == 0
    assert not rig.faults
    task.cancel()


@cocotb.test()
async def an_open_packet_holds_nobody_back(dut: Any) -> None:
    rig = next(rig for rig in await begin(dut, "-") if rig.streams)
    tasks = [cocotb.start_soon(one) for one in (rig.engine(), rig.packets_out())]
    first = rig.new_context()
    (packet,) = first.packets
    packet.id, packet.beats = 0, [(1, 0xFFFF), (2, 0xFFFF)]
    await rig.push(first)
    rig.to_come[0].append(packet)
    # Its first beat; the second one stays away.
    for name, value in (("tvalid", 1), ("tdata", 1), ("tkeep", 0xFFFF), ("tlast", 0), ("tid", 0)):
        rig.put(f"s_axis_{name}", value)
    while not rig.get("s_axis_tready"):
        await RisingEdge(dut.clk)
    rig.put("s_axis_tvalid", 0)
    tasks.append(cocotb.start_soon(rig.sender()))
    for _ in range(2 * RESULTS):
        context = rig.new_context()
        (other,) = context.packets
        other.id = 1
        await rig.push(context)
        await rig.send(other)
        await with_timeout(rig.reader(1, rig.read), 30, "us")
    rig.opened[0] = packet, 1
    await with_timeout(rig.reader(1, rig.read), 30, "us")
    assert rig.ended == [*range(1, 2 * RESULTS + 1), 0]
    assert not rig.faults, rig.faults[:3]
    for task in tasks:
        task.cancel()


@cocotb.test()
async def zeroize_zeroizes_everything(dut: Any) -> None:
    rigs = await begin(dut, "z")
    late: set[str] = set()
    for rig in rigs:
        probes = [*(rig.one.probes or {})]
        # Results wait in all places; a context and a key wait, and no engine takes them.
        task = cocotb.start_soon(rig.engine())
        cocotb.start_soon(rig.packets_out())
        if rig.one.parameters["KeySlots"]:
            for _ in range(12):
                await rig.load()
        senders = [cocotb.start_soon(rig.sender())] if rig.streams else []
        for _ in range(RESULTS):
            context = rig.new_context()
            context.fields["decrypt"] = 0
            for packet in context.packets:
                packet.made = rig.draw.getrandbits(128) | 1 if rig.tags else -1
            await rig.push(context)
            for packet in context.packets:
                await rig.send(packet)
            await ClockCycles(dut.clk, 150)
        task.cancel()
        for sender in senders:
            sender.cancel()
        for port in ("key_ready", "ctx_ready", "in_ready"):
            rig.put(port, 0)
        await rig.bus.write(KEY, rig.draw.randbytes(rig.one.parameters["KeyBits"] // 8))
        await rig.push(rig.new_context())
        await rig.write(LOAD, 1)
        await ClockCycles(dut.clk, 4)
        held = {probe for probe in probes if rig.get(probe)}
        assert held == {*probes}, (rig.one.name, {*probes} - held)
        cocotb.start_soon(rig.bus.write_dword(CONTROL, 1))
        while not rig.get("zeroize"):
            await RisingEdge(dut.clk)
        await ClockCycles(dut.clk, RESULTS + 2)
        if any(rig.get(probe) for probe in probes):
            late.add(rig.one.name)
        for address in (STATUS, ERRORS, PACKETS, IN_ERROR, BEATS, RESULT, RESULT_TAG, RESULT_IV):
            rig.same(f"{address:#x}", await rig.word(address), 0)
        # From here on everything goes as after a reset.
        if rig.one.mutation is None:
            rig.contexts.clear()
            rig.reset_model()
            rig.sink.clear()
            await with_timeout(traffic(rig, 6), 100, "us")
        assert not rig.faults, (rig.one.name, rig.faults[:3])
    assert late == {rig.one.name for rig in rigs if rig.one.mutation}


@pytest.mark.usefixtures("mutants")
def test_aesforge_packet_registers(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
