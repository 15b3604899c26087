# SPDX-License-Identifier: Apache-2.0
"""Packets for an engine, what must come of them, and where the beats that came differ.

The reference is OpenSSL. `Traffic` turns packets and keys into words for the simulator's channels
(`aesforge.simulate.stream`), `first_fault` names the first beat that was lost, repeated or wrong.
"""

from __future__ import annotations

import bisect
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Self

from aesforge.design.engine import BLOCK_BYTES, COUNT_BYTES, FIXED_BYTES, Engine
from aesforge.design.modes import MODES, Mode
from aesforge.reference import openssl
from aesforge.reference.ccm import ccm, most_text_bytes
from aesforge.reference.gcm import gcm
from aesforge.reference.ocb import ocb
from aesforge.simulate.build import Optimize, style
from aesforge.simulate.stream import VALID_FELL, Channel, Module, StreamResult, StreamSimulator

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

# Names of the engine's channels; the last where IVs are made inside.
KEYS, CONTEXTS, BEATS, RESULTS, IVS = "s_key", "s_ctx", "s_axis", "m_axis", "m_iv"


def counted_iv(fixed: bytes, count: int) -> bytes:
    """Return the IV that an engine makes of a slot's fixed field and its count."""
    return fixed + count.to_bytes(COUNT_BYTES, "big")


def fixed_fields(engine: Engine) -> dict[int, bytes]:
    """Return the fixed field of each slot that a simulation has: all bytes are different."""
    return {
        slot: bytes((0xC0 + slot, 0x10 * slot + 1, 0x5A ^ slot, 0x80 | slot))
        for slot in range(engine.core.key_slots or 0)
    }


def engine_module(
    engine: Engine, *, optimize: Optimize = "speed", files: Sequence[Path] | None = None
) -> Module:
    """Return an engine as the simulator sees it.

    Args:
        engine: the engine.
        optimize: as the simulator is asked for.
        files: source files in compile order instead of the package's own.
    """
    stored = not engine.core.is_agile
    # Inputs that are not named stay 0; what an engine does not use must not matter, though.
    context = tuple(f"{CONTEXTS}_{name}" for name in engine.kind.context)
    # It counts when a context is accepted.
    context += ("iv_fixed",) if engine.counts_ivs else ()
    sources = [
        Channel(CONTEXTS, "s_ctx_tvalid", "s_ctx_tready", context),
        Channel(BEATS, "s_axis_tvalid", "s_axis_tready", beat_ports("s_axis")),
    ]
    if stored:
        sources.insert(
            0, Channel(KEYS, "s_key_tvalid", "s_key_tready", ("s_key_slot", "s_key_tdata"))
        )
    return Module(
        name=engine.name,
        top=engine.top,
        sources=tuple(sources),
        sink=Channel(RESULTS, "m_axis_tvalid", "m_axis_tready", beat_ports("m_axis")),
        zeroize="zeroize",
        parameters=engine.rtl_parameters(),
        files=None if files is None else tuple(files),
        style=style(engine.core, optimize),
        more_sinks=(_IV_CHANNEL,) if engine.counts_ivs else (),
    )


_IV_CHANNEL = Channel(IVS, "m_iv_tvalid", "m_iv_tready", ("m_iv_tdata", "m_iv_tuser"))


def beat_ports(channel: str) -> tuple[str, ...]:
    """Return the ports of a beat of an AXI4-Stream channel, as the standard spells them."""
    return tuple(f"{channel}_{name}" for name in ("tdata", "tkeep", "tlast", "tid", "tuser"))


# --- What goes in ---------------------------------------------------------------------------------


# `s_ctx_iv_kind`: the IV is that of the context; the text of this packet is an IV; it is the IV of
# the last such packet, which is used once; there is none, which is an error.
IV_GIVEN, IV_PACKET, IV_HASHED, IV_NONE = range(4)


@dataclass(frozen=True)
class Context:
    """What a packet runs under: as the ports `s_ctx_*` have it, bytes first byte first.

    An IV that a packet brings may have more bytes than its port; it is here all the same. Lengths
    of None are those of the packet.
    """

    code: int
    decrypt: bool
    iv: bytes = bytes(BLOCK_BYTES)
    key: bytes = b""
    slot: int = 0
    tag_bytes: int = BLOCK_BYTES
    iv_kind: int = IV_GIVEN
    aad_bytes: int | None = None
    text_bytes: int | None = None
    more: int = 0
    follows: bool = False
    """It is not given: that of a packet before serves this one too (its `more`)."""

    def ports(self) -> dict[str, int | bytes]:
        """Return the value of each port, `s_ctx_` left out."""
        return {
            "key": self.key,
            "slot": self.slot,
            # What is above it must not matter.
            "iv": self.iv[:BLOCK_BYTES].ljust(BLOCK_BYTES, b"\xa5"),
            "iv_bytes": len(self.iv),
            "iv_kind": self.iv_kind,
            "more": self.more,
            "mode": self.code,
            "decrypt": int(self.decrypt),
            "tag_bytes": self.tag_bytes,
            "aad_bytes": self.aad_bytes or 0,
            "text_bytes": self.text_bytes or 0,
        }


@dataclass(frozen=True)
class Answer:
    """What must come of a packet.

    Args:
        data: the bytes of its beats up to the first error; of a digest, the block.
        good: number of the first beat that is an error; that of all if none is.
    """

    data: bytes
    good: int


@dataclass(frozen=True)
class Packet:
    """A packet.

    Args:
        data: its bytes; none at all is a beat without bytes.
        context: None where the packet comes without one.
        id: `tid` of its beats.
        user: `tuser` of its beats.
        keeps: `tkeep` by number of the beat, where it does not follow from the data.
        beat_bytes: of the engine's beats.
        fill: what the bytes of a beat hold that are not kept.
    """

    data: bytes | memoryview
    context: Context | None
    id: int = 0
    user: int = 0
    keeps: Mapping[int, int] = field(default_factory=dict)
    beat_bytes: int = BLOCK_BYTES
    fill: int = 0

    def in_context(self, **changes: Any) -> Self:
        """Return the packet with changes of its context, which it must have."""
        assert self.context is not None
        return replace(self, context=replace(self.context, **changes))

    @property
    def stated(self) -> Context | None:
        """Its context, with the lengths that it says."""
        return self.context

    @property
    def sections(self) -> tuple[bytes | memoryview, ...]:
        """The parts that each begin a beat; the last has one even if it is empty."""
        return (self.data,)

    @property
    def beats(self) -> int:
        """How many beats it has."""
        return sum(self.section_beats())

    def section_beats(self) -> list[int]:
        """Return how many beats each section has."""
        counts = [-(-len(part) // self.beat_bytes) for part in self.sections]
        return [*counts[:-1], max(1, counts[-1])]

    def on_bus(self) -> bytes:
        """Return the bytes of all beats, those that are not kept among them."""
        counts = self.section_beats()
        return b"".join(
            bytes(part).ljust(self.beat_bytes * count, bytes([self.fill]))
            for part, count in zip(self.sections, counts, strict=True)
        )

    def part_keeps(self) -> dict[int, int]:
        """Return `tkeep` by number of the beat, of those that may not be full."""
        found: dict[int, int] = {}
        beat = 0
        for part, count in zip(self.sections, self.section_beats(), strict=True):
            beat += count
            if count:
                found[beat - 1] = full_keep(len(part) - self.beat_bytes * (count - 1))
        return found | dict(self.keeps)

    def users(self) -> list[int]:
        """Return `tuser` of each beat."""
        return [self.user] * self.beats

    def answer(self, engine: Engine, mode: Mode, key: bytes) -> Answer:
        """Return what must come of it, by OpenSSL."""
        assert self.context is not None
        good = first_bad_beat(self, mode, partial=engine.ends_in_part(mode.name))
        if not good or (mode.digest and good < self.beats):
            return Answer(b"", good)
        data = bytes(self.data[: self.beat_bytes * good])
        return Answer(reference(mode, self.context.decrypt, key, self.context.iv, data), good)


# SP 800-38D Sec. 5.2.1.1: there are no more counter blocks for one IV.
MOST_TEXT_BLOCKS = 2**32 - 2


@dataclass(frozen=True)
class SealedPacket(Packet):
    """A packet of associated data, text and a tag.

    `data` is the text. Bit 0 of `tuser` is the AAD mark, above it is `user` without that bit.

    Args:
        aad: additional authenticated data.
        tag: what the last beat carries: the received tag, or a placeholder for that to be made.
        marks: AAD mark by number of the beat, where it does not follow from the sections.
        most_blocks: of text, that the engine counts.
    """

    aad: bytes = b""
    tag: bytes = bytes(BLOCK_BYTES)
    marks: Mapping[int, bool] = field(default_factory=dict)
    most_blocks: int = MOST_TEXT_BLOCKS

    @property
    def stated(self) -> Context | None:
        """Its context, with the lengths that it says."""
        context = self.context
        if context is None:
            return None
        aad = len(self.aad) if context.aad_bytes is None else context.aad_bytes
        text = len(self.data) if context.text_bytes is None else context.text_bytes
        return replace(context, aad_bytes=aad, text_bytes=text)

    @property
    def sections(self) -> tuple[bytes | memoryview, ...]:
        """The parts that each begin a beat."""
        return (self.aad, self.data, self.tag)

    def _marks(self) -> list[bool]:
        aad, text, tag = self.section_beats()
        marks = [True] * aad + [False] * (text + tag)
        for number, mark in self.marks.items():
            marks[number] = mark
        return marks

    def users(self) -> list[int]:
        """Return `tuser` of each beat."""
        return [self.user & ~1 | mark for mark in self._marks()]

    def first_bad_beat(self, tag_bytes: int) -> int:
        """Return the number of the first beat that is an error in itself; that of all if none is.

        Args:
            tag_bytes: length of the tag that the context says.
        """
        keeps, marks = self.part_keeps(), self._marks()
        full = full_keep(self.beat_bytes)
        text = 0
        part: bool | None = None  # section of the beat before, if that was not full
        for number, mark in enumerate(marks):
            keep = keeps.get(number, full)
            if not keep or keep & (keep + 1):
                return number
            if number == len(marks) - 1:
                return number if mark or keep != full_keep(tag_bytes) else number + 1
            text += 0 if mark else -(-keep.bit_count() // BLOCK_BYTES)
            if (mark and text) or part == mark or text > self.most_blocks:
                return number
            part = mark if keep != full else None
        raise AssertionError("a packet has a beat")

    def first_odd_beat(self) -> int:
        """Return the number of the first beat that does not fit the lengths of its context.

        That of all if they all fit.
        """
        context, size, count = self.stated, self.beat_bytes, self.beats
        assert context is not None
        due: list[tuple[int, bool]] = []
        for length, mark in ((context.aad_bytes or 0, True), (context.text_bytes or 0, False)):
            # Of more beats than it has, none is looked at.
            for at in range(0, min(length, size * count), size):
                due.append((full_keep(min(size, length - at)), mark))
        keeps, marks = self.part_keeps(), self._marks()
        for number in range(count - 1):
            beat = keeps.get(number, full_keep(size)), marks[number]
            if number >= len(due) or beat != due[number]:
                return number
        return count if len(due) == count - 1 else count - 1

    def answer(self, engine: Engine, mode: Mode, key: bytes) -> Answer:
        """Return what must come of it, by OpenSSL."""
        context = self.stated
        assert context is not None
        if context.tag_bytes not in engine.tag_bytes or context.iv_kind > IV_HASHED:
            return Answer(b"", 0)
        good = self.first_bad_beat(context.tag_bytes)
        if mode.iv_lengths and len(context.iv) not in mode.iv_lengths:
            return Answer(b"", 0)
        if mode.states_lengths:
            # They are part of what is authenticated.
            if (context.text_bytes or 0) > most_text_bytes(len(context.iv)):
                return Answer(b"", 0)
            good = min(good, self.first_odd_beat())
        bus, size, keeps, marks = self.on_bus(), self.beat_bytes, self.part_keeps(), self._marks()
        last = len(marks) - 1
        parts = {True: bytearray(), False: bytearray()}
        for number in range(min(good, last)):
            count = keeps[number].bit_count() if number in keeps else size
            parts[marks[number]] += bus[size * number : size * number + count]
        aad, data = bytes(parts[True]), bytes(parts[False])
        iv = context.iv[: mode.iv_bytes] if context.iv_kind == IV_GIVEN else context.iv
        brings = context.iv_kind == IV_PACKET
        text, tag = data, b""
        if not brings:
            size_and_way = (context.tag_bytes, context.decrypt)
            text, tag = seal(mode, key, iv, data, aad, *size_and_way)
        whole = b"".join(one.ljust(-(-len(one) // size) * size, b"\0") for one in (aad, text))
        if good > last and brings:
            # An IV of 12 bytes is in its context.
            good -= bool(aad) or len(data) in (0, mode.iv_bytes)
            whole += bytes(size)
        elif good > last:
            received = bus[size * last :][: context.tag_bytes]
            if context.decrypt and received != tag:
                good = last
            whole += bytes(size) if context.decrypt else tag.ljust(size, b"\0")
        return Answer(whole[: size * good], good)


def seal(
    mode: Mode,
    key: bytes,
    iv: bytes,
    data: bytes,
    aad: bytes,
    tag_bytes: int = BLOCK_BYTES,
    decrypt: bool = False,
) -> tuple[bytes, bytes]:
    """Return the other text, and the tag over it.

    Args:
        mode: GCM, CCM or OCB.
        key: 16, 24 or 32 bytes.
        iv: as long as the mode allows.
        data: plaintext, or ciphertext without its tag.
        aad: additional authenticated data.
        tag_bytes: length of the tag.
        decrypt: or encrypt.
    """
    own = {"ccm": ccm, "ocb": ocb}.get(mode.cipher)
    if own is not None:
        return own(key, iv, data, aad, tag_bytes=tag_bytes, decrypt=decrypt)
    text, tag = gcm(key, iv, data, aad, decrypt=decrypt)
    return text, tag[:tag_bytes]


def kind_of_iv(iv: bytes, mode: Mode) -> int:
    """Return how a packet gets an IV: in its context, or by a packet of its own."""
    return IV_GIVEN if mode.iv_lengths or len(iv) == mode.iv_bytes else IV_HASHED


def with_its_iv(packet: SealedPacket) -> list[SealedPacket]:
    """Return a packet, after the one that brings its IV if it needs one."""
    assert packet.context is not None
    return [iv_packet(packet), packet] if packet.context.iv_kind == IV_HASHED else [packet]


def iv_packet(packet: SealedPacket, tag_bytes: int = BLOCK_BYTES) -> SealedPacket:
    """Return the packet that brings the IV of another, which follows it."""
    context = packet.context
    assert context is not None
    return SealedPacket(
        context.iv,
        replace(context, iv_kind=IV_PACKET, tag_bytes=tag_bytes),
        id=packet.id,
        user=packet.user,
        beat_bytes=packet.beat_bytes,
        fill=packet.fill,
        tag=bytes(tag_bytes),
    )


@dataclass(frozen=True)
class KeyLoad:
    """A key for a slot; packets that follow run under it, those before it do not."""

    slot: int
    key: bytes


def mode_of(engine: Engine, context: Context) -> Mode | None:
    """Return the mode that a context asks for, or None where this engine has not built it."""
    way = "decrypt" if context.decrypt else "encrypt"
    for name in engine.modes:
        mode = MODES[name]
        # A digest has no direction, and does not look at it.
        if mode.code == context.code and (mode.digest or way in engine.ways(name)):
            return mode
    return None


def reference(mode: Mode, decrypt: bool, key: bytes, iv: bytes, data: bytes) -> bytes:
    """Return what OpenSSL makes of a packet: as many bytes, or one block where it is a digest."""
    if not mode.digest:
        return openssl.crypt(mode.cipher, key, data, iv, decrypt=decrypt)
    return openssl.cbc_mac(key, data) if mode.name == "cbc-mac" else openssl.cmac(key, data)


# Ways to carry a message on for which the packet before must be through.
AFTER_RESULT = ("output", "keystream", "ciphertext")


def next_iv(mode: Mode, decrypt: bool, iv: bytes, data: bytes, result: bytes) -> bytes:
    """Return the IV of the packet that carries a message on.

    Args:
        mode: says what carries it (`Mode.chain`).
        decrypt: or encrypt.
        iv: of the packet before.
        data: of the packet before, whole blocks, but for a data unit.
        result: its result; ignored unless the mode is one of `AFTER_RESULT`.
    """
    if mode.chain == "counter":
        number = int.from_bytes(iv, "big") + len(data) // BLOCK_BYTES
        return (number % (1 << 8 * BLOCK_BYTES)).to_bytes(BLOCK_BYTES, "big")
    if mode.chain == "none":
        return iv
    if mode.is_unit:
        number = int.from_bytes(iv, "little") + 1
        return (number % (1 << 8 * BLOCK_BYTES)).to_bytes(BLOCK_BYTES, "little")
    # Shifted in, so that packets shorter than a block do too.
    shifted: dict[str, bytes] = {
        "input": data,
        "output": result,
        "ciphertext": data if decrypt else result,
        "keystream": bytes(a ^ b for a, b in zip(data, result, strict=False)),
    }
    whole: bytes = iv + shifted[mode.chain]
    return whole[-BLOCK_BYTES:]


def full_keep(size: int) -> int:
    """Return the `tkeep` of a beat that has all its bytes."""
    return (1 << size) - 1


def first_bad_beat(packet: Packet, mode: Mode, *, partial: bool) -> int:
    """Return the number of the first beat that is an error in itself; that of all if none is.

    Args:
        packet: the packet.
        mode: its mode.
        partial: whether a last beat may end in part of a block.
    """
    keeps, last = packet.part_keeps(), packet.beats - 1
    for number in sorted(keeps):
        keep = keeps[number]
        holes = keep & (keep + 1) != 0
        short = keep != full_keep(packet.beat_bytes) and number < last
        short = short or (keep.bit_count() % BLOCK_BYTES != 0 and not partial)
        short = short or (number == 0 and keep.bit_count() < mode.least_bytes)
        # A digest ends in a block; CMAC has one for a packet without bytes too.
        none = mode.digest and keep == 0 and not (number == 0 and partial)
        if holes or short or none:
            return number
    return packet.beats


class Traffic:
    """Packets and keys in their order, as words for the simulator, and the beats due.

    Args:
        simulator: of the engine, running.
        engine: the engine.
        fixed: where IVs are made inside, the fixed field of each slot, 4 bytes; None: those of
            `fixed_fields`.
    """

    def __init__(
        self,
        simulator: StreamSimulator,
        engine: Engine,
        *,
        fixed: Mapping[int, bytes] | None = None,
    ) -> None:
        self.simulator = simulator
        self.engine = engine
        self.fixed = fixed_fields(engine) if fixed is None else fixed
        self.counted = 0
        """IVs that were made inside since the reset."""
        self.ivs: deque[tuple[bytes, int]] = deque()
        """What must still leave `m_iv`: the IV, and whether there was none."""
        self.ivs_seen = 0
        """What left it since the start."""
        self.slots: dict[int, bytes] = {}
        """The key that each slot holds."""
        self.iv: tuple[int, bytes] | None = None
        """The IV that a packet brought, and its slot."""

    def transfers(
        self, items: Sequence[Packet | KeyLoad]
    ) -> tuple[dict[str, NDArray[Any]], NDArray[Any]]:
        """Return the words of each channel, and the expected output rows (`cycle` is 0).

        A key waits until the packets before it are in, and packets until the keys before them are;
        the context after a packet without one waits for that packet. Between keys, packets of
        several streams take turns beat by beat in an interleaved engine.
        """
        import numpy as np

        sim, kind = self.simulator, self.engine.kind
        packets = [item for item in items if isinstance(item, Packet)]
        loads = [item for item in items if isinstance(item, KeyLoad)]
        counts = np.array([packet.beats for packet in packets], np.int64)
        starts = np.cumsum(counts) - counts
        total = int(counts.sum())

        # Beats, all at once, packet by packet; `order` is theirs on the bus.
        size = self.engine.beat_bytes
        beats = sim.transfers(BEATS, total)
        buffer = b"".join(packet.on_bus() for packet in packets)
        beats["s_axis_tdata"] = np.frombuffer(buffer, np.uint8).reshape(total, size)
        keeps = np.full(total, full_keep(size), object)
        if total:
            beats["s_axis_tlast"][starts + counts - 1] = 1
            put(beats, "s_axis_tid", np.repeat([packet.id for packet in packets], counts))
            put(beats, "s_axis_tuser", [user for packet in packets for user in packet.users()])
        for start, packet in zip(starts, packets, strict=True):
            for at, keep in packet.part_keeps().items():
                keeps[start + at] = keep
        put(beats, "s_axis_tkeep", keeps)
        order = np.array(self._order(items), np.int64)
        at_bus = np.empty_like(order)
        at_bus[order] = np.arange(total)

        # Bus place of the first beat, and how many keys go in before.
        contexts: list[tuple[int, Context, int]] = []
        keys = sim.transfers(KEYS, len(loads)) if loads else None
        due: list[NDArray[Any]] = []
        # Of packets without a context: bus place of the first beat, number of the result that tells
        # that it is through, and how many keys go in before.
        without: list[tuple[int, int, int]] = []
        beat = load = 0
        for item in items:
            if isinstance(item, KeyLoad):
                assert keys is not None
                # Where a first beat is taken before its context is looked at, its result tells.
                early = kind.accepts_early
                before = (RESULTS, sum(map(len, due))) if early else (BEATS, beat)
                keys["after"][load] = sim.after(before[0])
                keys["count"][load] = sim.moved[before[0]] + before[1]
                put(keys[load : load + 1], "s_key_slot", [item.slot])
                put_bytes(keys[load], "s_key_tdata", item.key)
                self._load(item)
                load += 1
                continue
            part = slice(beat, beat + item.beats)
            if load and beat < total:
                # All beats after a key wait for it: the first on the bus does.
                first = int(order[beat])
                if not beats["after"][first]:
                    beats["after"][first] = sim.after(KEYS)
                    beats["count"][first] = sim.moved[KEYS] + load
            place = int(at_bus[beat])
            if (stated := item.stated) is None:
                without.append((place, sum(map(len, due)) + 1, load))
            elif not stated.follows:
                contexts.append((place, stated, load))
            due.append(self._due(beats[part], self._numbered(item)))
            beat += item.beats
        rows = sim.transfers(CONTEXTS, len(contexts))
        if self.engine.counts_ivs:
            port = b"".join(self.fixed[slot] for slot in sorted(self.fixed))
            put(rows, "iv_fixed", [int.from_bytes(port, "little")] * len(rows))
        without.sort()
        for row, (place, context, loads_before) in zip(
            rows, sorted(contexts, key=lambda one: one[0]), strict=True
        ):
            before_it = bisect.bisect_left(without, (place, 0, 0))
            last = without[before_it - 1] if before_it else None
            if kind.second_core and loads_before and (not last or last[2] < loads_before):
                # That key waits for the packets before it.
                row["after"], row["count"] = sim.after(KEYS), sim.moved[KEYS] + loads_before
            elif last is not None:
                # The beat is in, or the one after it, where the first is looked at inside; or out.
                channel = kind.context_after
                beat_before, result, _ = last
                taken = beat_before + (2 if self.engine.is_interleaved else 1)
                if channel == RESULTS:
                    taken = result
                row["after"], row["count"] = sim.after(channel), sim.moved[channel] + taken
            self._put_context(row, context)
        words = {BEATS: beats[order], CONTEXTS: rows}
        all_due = np.concatenate(due) if due else np.zeros(0, sim.row_dtype)
        return (words | {KEYS: keys} if keys is not None else words), all_due

    def _numbered(self, packet: Packet) -> Packet:
        """Return a packet with the IV that is made for it, if one is; note what leaves `m_iv`."""
        context = packet.context
        if not self.engine.counts_ivs or context is None or context.decrypt:
            return packet
        if context.iv_kind != IV_GIVEN or self.counted >> 8 * COUNT_BYTES:
            self.ivs.append((bytes(FIXED_BYTES + COUNT_BYTES), 1))
            return packet.in_context(iv_kind=IV_NONE)
        fixed = self.fixed.get(context.slot, bytes(FIXED_BYTES))
        iv = counted_iv(fixed, self.counted)
        self.counted += 1
        self.ivs.append((iv, 0))
        return packet.in_context(iv=iv)

    def iv_fault(self, result: StreamResult, *, complete: bool = True) -> str | None:
        """Compare what left `m_iv` in a run with what must; return the first fault, or None.

        Args:
            result: of the run.
            complete: whether all that are due must have come.
        """
        if not self.engine.counts_ivs:
            return None
        for row in result.more_rows[IVS]:
            got = row["m_iv_tdata"].tobytes(), int(row["m_iv_tuser"])
            where = f"cycle {int(row['cycle'])}: IV {self.ivs_seen} at m_iv"
            if not self.ivs:
                return f"{where} is one too many: {_iv_text(*got)}"
            if got != (due := self.ivs.popleft()):
                return f"{where} is {_iv_text(*got)}; due is {_iv_text(*due)}"
            self.ivs_seen += 1
        if complete and self.ivs:
            return f"IV {self.ivs_seen} never left m_iv: {_iv_text(*self.ivs[0])}"
        return None

    def _load(self, item: KeyLoad) -> None:
        """Note what a slot holds then: nothing, where two keys are the same."""
        half = len(item.key) // 2
        if self.engine.keys > 1 and item.key[:half] == item.key[half:]:
            self.slots.pop(item.slot, None)
        else:
            self.slots[item.slot] = item.key

    def _order(self, items: Sequence[Packet | KeyLoad]) -> list[int]:
        """Return the order on the bus of all beats: streams take turns, up to the next key."""
        order: list[int] = []
        beat = 0
        streams: dict[int, list[range]] = {}

        def turn() -> None:
            waiting = {stream: deque(chain(*parts)) for stream, parts in streams.items()}
            while waiting:
                for stream in list(waiting):
                    order.append(waiting[stream].popleft())
                    if not waiting[stream]:
                        del waiting[stream]
            streams.clear()

        for item in items:
            if isinstance(item, KeyLoad):
                turn()
                continue
            # Without streams every packet is of one.
            stream = item.id if self.engine.is_interleaved else 0
            streams.setdefault(stream, []).append(range(beat, beat + item.beats))
            beat += item.beats
        turn()
        return order

    def _put_context(self, word: Any, context: Context) -> None:
        ports = context.ports()
        for name in self.engine.kind.context:
            value = ports[name]
            if isinstance(value, bytes):
                put_bytes(word, f"{CONTEXTS}_{name}", value)
            else:
                word[f"{CONTEXTS}_{name}"] = value

    def _due(self, beats: NDArray[Any], packet: Packet) -> NDArray[Any]:
        """Return the expected output of a packet."""
        import numpy as np

        engine, context = self.engine, packet.context
        mode = None if context is None else mode_of(engine, context)
        answer = Answer(b"", 0)
        if context is not None and mode is not None:
            key = context.key if engine.core.is_agile else self.slots.get(context.slot)
            resolved = self._with_iv(packet)
            if key is not None and resolved is not None:
                answer = resolved.answer(engine, mode, key)
            if context.iv_kind == IV_PACKET:
                right = answer.good == packet.beats
                self.iv = (context.slot, bytes(packet.data)) if right else None
        result = answer.data
        digest = mode is not None and mode.digest
        due = np.zeros(1 if digest else len(beats), self.simulator.row_dtype)
        if digest:
            due["m_axis_tkeep"], due["m_axis_tlast"] = full_keep(BLOCK_BYTES), 1
            error = np.array([not result], object)
        else:
            due["m_axis_tkeep"] = beats["s_axis_tkeep"]
            due["m_axis_tlast"] = beats["s_axis_tlast"]
            error = (np.arange(len(due)) >= answer.good).astype(object)
        if result:
            size = packet.beat_bytes
            whole = result.ljust(-(-len(result) // size) * size, b"\0")
            parts = np.frombuffer(whole, np.uint8).reshape(-1, size)
            due["m_axis_tdata"][: len(parts)] = parts
        put(due, "m_axis_tid", [packet.id] * len(due))
        # Bit 0 of tuser is the error flag.
        users = np.array(packet.users()[: len(due)], object)
        if self._is_withheld(packet, answer):
            # One beat stands for it, with the side data of the last.
            due, users, error = due[-1:], users[-1:], np.array([1], object)
            due["m_axis_tdata"] = 0
        put(due, "m_axis_tuser", error | users << 1)
        return due

    def _is_withheld(self, packet: Packet, answer: Answer) -> bool:
        engine = self.engine
        if not engine.withholds:
            return False
        return answer.good < packet.beats or packet.beats > (engine.most_beats or 0)

    def _with_iv(self, packet: Packet) -> Packet | None:
        """Return a packet with its IV, or None where a packet must have brought it and has not."""
        context = packet.context
        if context is None or context.iv_kind != IV_HASHED:
            return packet
        kept, self.iv = self.iv, None
        if kept is None or kept[0] != context.slot:
            return None
        return packet.in_context(iv=kept[1])

    def streams_in_order(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return rows as they can be compared: those of one stream one after another.

        What comes of several streams may leave in any order.
        """
        import numpy as np

        if not self.engine.is_interleaved:
            return rows
        return rows[np.argsort(rows["m_axis_tid"], kind="stable")]


def _iv_text(iv: bytes, none: int) -> str:
    return f"tdata {iv.hex()}, tuser {none}"


def put(words: NDArray[Any], name: str, values: Any) -> None:
    """Write numbers to a port of words, whatever its width."""
    import numpy as np

    if words.dtype[name].shape:
        size = words.dtype[name].shape[0]
        rows = b"".join(int(value).to_bytes(size, "little") for value in values)
        words[name] = np.frombuffer(rows, np.uint8).reshape(-1, size)
    else:
        words[name] = np.asarray(values).astype(words.dtype[name])


def put_bytes(word: Any, name: str, data: bytes) -> None:
    """Write bytes to a wide port of a word, byte 0 in bits 7 to 0."""
    import numpy as np

    word[name][: len(data)] = np.frombuffer(data, np.uint8)


# --- Outputs --------------------------------------------------------------------------------------


def beat_transfers(row: Any) -> str:
    """Return a beat in words."""
    parts = []
    for name in row.dtype.names:
        if name == "cycle":
            continue
        value = row[name]
        size = row.dtype[name].itemsize
        text = value[::-1].tobytes().hex() if row.dtype[name].shape else f"{int(value):x}"
        short = name.rsplit("_", 1)[-1]
        parts.append(f"{short} {text if size <= 2 else text.rjust(2 * size, '0')}")
    return ", ".join(parts)


def first_fault(
    got: NDArray[Any], due: NDArray[Any], first: int = 0, *, complete: bool = True
) -> str | None:
    """Return a message about the first wrong beat, or None.

    Args:
        got: rows that came out, in order.
        due: rows that must, of the same record but for the cycle.
        first: number of the first of them since the start.
        complete: whether all that are due must have come.
    """
    import numpy as np

    names = [name for name in due.dtype.names or () if name != "cycle"]
    both = min(len(got), len(due))
    wrong = np.zeros(both, bool)
    for name in names:
        differs = got[name][:both] != due[name][:both]
        wrong |= differs.any(axis=1) if differs.ndim > 1 else differs
    found = np.flatnonzero(wrong)
    if not len(found):
        if len(got) < len(due) and complete:
            return f"beat {first + both} never came: {beat_transfers(due[both])}"
        if len(got) > len(due):
            return f"a beat too many after beat {first + both - 1}: {beat_transfers(got[both])}"
        return None
    at = int(found[0])

    def same(left: Any, right: Any) -> bool:
        return all(np.array_equal(left[name], right[name]) for name in names)

    where = f"cycle {int(got['cycle'][at])}"
    # The same bytes may be due more than once; bytes that are not due say nothing of order.
    if at and same(got[at], due[at - 1]):
        return f"{where}: beat {first + at - 1} is repeated in place of beat {first + at}"
    for other in range(at + 1, min(len(due), at + 4096)):
        if same(got[at], due[other]):
            return (
                f"{where}: beat {first + at} is lost or late: beat {first + other} comes in its "
                "place"
            )
    return (
        f"{where}: beat {first + at} is wrong\n"
        f"  expected  {beat_transfers(due[at])}\n  got       {beat_transfers(got[at])}"
    )


def fault_text(result: StreamResult) -> str | None:
    """Return a message about a handshake error at an output, or None."""
    for what, cycle, word, channel in result.faults:
        of = "" if channel == RESULTS else f" of {channel}"
        if what == VALID_FELL:
            return f"cycle {cycle}: tvalid{of} fell before beat {word} was taken"
        return f"cycle {cycle}: beat {word}{of} changed while it waited to be taken"
    return None
