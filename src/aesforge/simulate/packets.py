# SPDX-License-Identifier: Apache-2.0
"""Packets for an engine, and what must come of them; the reference is OpenSSL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from aesforge.design.engine import BLOCK_BYTES, Engine
from aesforge.design.modes import MODES, Mode
from aesforge.reference import openssl
from aesforge.reference.ccm import ccm, most_text_bytes
from aesforge.reference.gcm import gcm
from aesforge.reference.ocb import ocb

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
