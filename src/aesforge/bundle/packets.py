# SPDX-License-Identifier: Apache-2.0
"""The packets of a test bench: published ones, readable in a waveform, and others around them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from aesforge.bundle.vectors import VECTORS
from aesforge.design.engine import BLOCK_BYTES, COUNT_BYTES, FIXED_BYTES, Engine
from aesforge.design.modes import MODES, Mode
from aesforge.reference import openssl
from aesforge.simulate.engine import counted_iv, fixed_fields
from aesforge.simulate.packets import (
    IV_GIVEN,
    IV_NONE,
    IV_PACKET,
    Context,
    Packet,
    SealedPacket,
    full_keep,
    kind_of_iv,
    seal,
    with_its_iv,
)

# SP 800-38A Appendix F: number of a mode's part, of its first section by way.
_SECTIONS = {
    "ecb": ("F.1", {"encrypt": 1, "decrypt": 2}),
    "ctr": ("F.5", {"encrypt": 1, "decrypt": 2}),
    "cbc-encrypt": ("F.2", {"encrypt": 1}),
    "cbc-decrypt": ("F.2", {"decrypt": 2}),
    "cfb": ("F.3", {"encrypt": 13, "decrypt": 14}),
    "cfb-decrypt": ("F.3", {"decrypt": 14}),
    "ofb": ("F.4", {"encrypt": 1, "decrypt": 2}),
}
_IV = bytes(range(16))
_COUNTER = bytes(range(0xF0, 0x100))


@dataclasses.dataclass(frozen=True)
class BenchPacket:
    """A packet of the test bench: input and expected output; data in hex as on the bus.

    Args:
        source: origin of the data.
        context: key or slot, IV, mode, direction.
        beats: (data, tkeep, AAD mark) of each beat.
        due: (data, tkeep, error, number of the beat whose tid and tuser it has) of each beat out.
        iv_out: what leaves `m_iv`, in hex as on the bus, and whether there was no IV; or None.
    """

    source: str
    context: Context
    beats: tuple[tuple[str, int, int], ...]
    due: tuple[tuple[str, int, int, int], ...]
    iv_out: tuple[str, int] | None = None


def _on_bus(data: bytes, size: int) -> str:
    """Return a beat's bytes as the port's hex literal: byte 0 at the low end."""
    return data.ljust(size, b"\0")[::-1].hex()


def bench_passes(engine: Engine) -> list[list[BenchPacket]]:
    """Return the packets of each time that the test bench sends them, where what leaves differs.

    Where IVs are counted each time has others, without a reset between.
    """
    first = bench_packets(engine)
    if not engine.counts_ivs:
        return [first]
    used = sum(one.iv_out is not None and not one.iv_out[1] for one in first)
    return [first, *(bench_packets(engine, counted=used * number) for number in (1, 2))]


def bench_packets(engine: Engine, *, counted: int = 0) -> list[BenchPacket]:
    """Return the packets of the test bench: SP 800-38A's, and others around them.

    After each of the standard's come its first block alone, its first 20 bytes where the mode
    takes them, a packet that is wrong and one without bytes. With tags they are those of GCM's
    authors, or of SP 800-38C, and others around them.

    Args:
        engine: the engine.
        counted: where IVs are counted, how many were made before.
    """
    if "gcm" in engine.modes:
        return _gcm_packets(engine, counted)
    if engine.authenticates:
        return {"ccm": _ccm_packets, "ocb": _ocb_packets}[engine.modes[0]](engine)
    if engine.keys > 1:
        return _unit_packets(engine)
    bits = engine.core.key_bits
    vectors = [v for v in VECTORS[bits] if v.source.startswith("SP 800-38A")]
    plaintext = bytes.fromhex("".join(vector.plaintext for vector in vectors))
    keys = [bytes.fromhex(vectors[0].key), bytes(range(bits // 8))]
    beat = engine.beat_bytes
    found: list[BenchPacket] = []
    for name in engine.modes:
        mode = MODES[name]
        for way in engine.ways(name):
            section = f"{mode.label} of the plaintext of SP 800-38A Appendix F"
            if name in _SECTIONS:
                part, first = _SECTIONS[name]
                section = f"SP 800-38A {part}.{first[way] + 2 * (bits // 64 - 2)}"
            iv = _COUNTER if mode.chain == "counter" else _IV
            decrypt = way == "decrypt"
            data = plaintext
            if decrypt:
                data = openssl.crypt(mode.cipher, keys[0], plaintext, iv)

            def packet(
                source: str,
                packet: bytes,
                key: int = 0,
                keeps: dict[int, int] | None = None,
                *,
                mode: Mode = mode,
                decrypt: bool = decrypt,
                iv: bytes = iv,
            ) -> None:
                slot = 0 if key == 0 else (engine.core.key_slots or 1) - 1
                context = Context(mode.code, decrypt, iv, keys[key], slot)
                sent = Packet(packet, context, keeps=keeps or {}, beat_bytes=beat)
                found.append(_bench_packet(engine, source, sent, keys[key]))

            packet(f"{section}, four blocks", data)
            packet(f"first block of {section}", data[:BLOCK_BYTES])
            packet(f"data of {section} under another key", data[: 2 * BLOCK_BYTES], 1)
            if mode.partial:
                packet(f"first 20 bytes of {section}", data[:20])
            packet("tkeep has a hole: error", data[: 3 * beat], 0, {1: full_keep(beat) ^ 4})
            packet("no bytes", b"")
    return found


def _bench_packet(engine: Engine, source: str, packet: Packet, key: bytes) -> BenchPacket:
    context = packet.stated
    assert context is not None
    name = next(name for name in engine.modes if MODES[name].code == context.code)
    mode, beat, last = MODES[name], packet.beat_bytes, packet.beats - 1
    answer = packet.answer(engine, mode, key)
    keeps = [packet.part_keeps().get(i, full_keep(beat)) for i in range(packet.beats)]

    def part(data: bytes, i: int) -> str:
        return _on_bus(data[beat * i :][:beat], beat)

    bus = packet.on_bus()
    beats = tuple(
        (part(bus, i), keep, user & 1)
        for i, (keep, user) in enumerate(zip(keeps, packet.users(), strict=True))
    )
    due = [(part(answer.data, i), keep, int(i >= answer.good), i) for i, keep in enumerate(keeps)]
    too_long = packet.beats > (engine.most_beats or packet.beats)
    if engine.withholds and (answer.good < packet.beats or too_long):
        due = [(_on_bus(b"", beat), keeps[-1], 1, last)]
    if mode.digest:
        due = [(_on_bus(answer.data, beat), full_keep(beat), int(not answer.data), last)]
    return BenchPacket(source, dataclasses.replace(context, key=key), beats, tuple(due))


# --- Data units -----------------------------------------------------------------------------------

# IEEE Std 1619-2007 Annex B, vectors 2 (AES-128) and 10 (AES-256): keys, number, plaintext.
_UNIT_KEYS = {
    128: bytes.fromhex("11" * 16 + "22" * 16),
    256: bytes.fromhex(
        "2718281828459045235360287471352662497757247093699959574966967627"
        "3141592653589793238462643383279502884197169399375105820974944592"
    ),
}
_UNIT_NUMBERS = {128: 0x3333333333, 256: 0xFF}
_UNIT_TEXTS = {128: bytes.fromhex("44" * 32), 256: bytes(range(256)) * 2}


def _unit_packets(engine: Engine) -> list[BenchPacket]:
    """Return the packets of an engine of data units, in both directions, and wrong ones."""
    bits = engine.core.key_bits
    keys = (_UNIT_KEYS[bits], bytes(range(bits // 4)))
    mode = MODES[engine.modes[0]]
    last_slot = (engine.core.key_slots or 1) - 1
    beat = engine.beat_bytes
    found: list[BenchPacket] = []

    def packet(
        source: str,
        text: bytes,
        *,
        way: str | None = None,
        key: int = 0,
        number: int = _UNIT_NUMBERS[bits],
        keeps: dict[int, int] | None = None,
    ) -> None:
        for one in engine.ways(mode.name) if way is None else (way,):
            iv = number.to_bytes(BLOCK_BYTES, "little")
            decrypt = one == "decrypt"
            data = text
            if decrypt and len(text) >= BLOCK_BYTES and not keeps:
                data = openssl.crypt("xts", keys[key], text, iv)
            context = Context(mode.code, decrypt, iv, slot=0 if key == 0 else last_slot)
            sent = Packet(data, context, keeps=keeps or {}, beat_bytes=beat, fill=0xA5)
            what = f"{source}, {'de' if decrypt else 'en'}crypted"
            found.append(_bench_packet(engine, what, sent, keys[key]))

    text = _UNIT_TEXTS[bits]
    vector = {128: 2, 256: 10}[bits]
    packet(f"vector {vector} of IEEE Std 1619 Annex B: {len(text)} bytes", text)
    packet("the next data unit", text, number=_UNIT_NUMBERS[bits] + 1)
    packet("one block", text[:BLOCK_BYTES])
    packet("the same under other keys", text[:BLOCK_BYTES], key=1)
    # A part of a block steals from the one before, in its beat or in the beat before.
    long = text * (beat // BLOCK_BYTES)
    for length in dict.fromkeys((17, 20, 31, beat + 1, beat + 15, 2 * beat - 1)):
        packet(f"{length} bytes: the last one ends in part of a block", long[:length])
    packet("less than a block: error", text[:15])
    packet("tkeep has a hole: error", long[: 2 * beat], keeps={1: full_keep(beat) ^ 4})
    return found


# --- Packets with a tag ---------------------------------------------------------------------------

# McGrew and Viega, The Galois/Counter Mode of Operation (2005), Appendix B: test cases 3 and 4 for
# AES-128, 9 and 10, 15 and 16; the second of each without the last 4 bytes, with associated data.
_KEY = bytes.fromhex("feffe9928665731c6d6a8f9467308308")
_IV_96 = bytes.fromhex("cafebabefacedbaddecaf888")
_TEXT = bytes.fromhex(
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
    "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255"
)
# Of SP 800-38C Appendix C: number, bytes of tag, nonce, associated data and text.
_EXAMPLES = ((1, 4, 7, 8, 4), (2, 6, 8, 16, 16), (3, 8, 12, 20, 24))
_AAD = bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2")


@dataclasses.dataclass
class _Sealer:
    """Makes the packets of an engine with tags.

    Args:
        engine: the engine.
        keys: of the first slot, and of the last.
        iv: of packets that have no other.
        text: likewise.
        aad: likewise.
        found: the packets made so far.
        counted: where IVs are counted, how many were made before.
    """

    engine: Engine
    keys: tuple[bytes, bytes]
    iv: bytes
    text: bytes
    aad: bytes
    found: list[BenchPacket] = dataclasses.field(default_factory=list)
    counted: int = 0

    def packet(
        self,
        source: str,
        text: bytes | None = None,
        aad: bytes | None = None,
        *,
        decrypt: bool = True,
        key: int = 0,
        tag_bytes: int = BLOCK_BYTES,
        iv: bytes | None = None,
        context: Mapping[str, Any] | None = None,
        **changes: Any,
    ) -> None:
        """Add a packet, with changes of its context and of itself."""
        engine, mode = self.engine, MODES[self.engine.modes[0]]
        text, aad, iv = (
            own if one is None else one
            for one, own in ((text, self.text), (aad, self.aad), (iv, self.iv))
        )
        data, tag = text, bytes(BLOCK_BYTES)
        if decrypt:
            data, tag = seal(mode, self.keys[key], iv, text, aad, tag_bytes)
        slot = 0 if key == 0 else (engine.core.key_slots or 1) - 1
        kind = kind_of_iv(iv, mode)
        under = Context(0, decrypt, iv, self.keys[key], slot, tag_bytes=tag_bytes, iv_kind=kind)
        under = dataclasses.replace(under, **(context or {}))
        sent = SealedPacket(data, under, beat_bytes=engine.beat_bytes, aad=aad, tag=tag[:tag_bytes])
        # Bits that are not kept must not matter.
        sent = dataclasses.replace(sent, **{"fill": 0xA5, **changes})
        for one in with_its_iv(sent):
            what = source if one is sent else f"IV of {source}"
            self.found.append(self._made(what, one, self.keys[key]))

    def _made(self, source: str, packet: SealedPacket, key: bytes) -> BenchPacket:
        """Return a packet as the bench has it; one that encrypts may have a counted IV."""
        context = packet.context
        assert context is not None
        if not self.engine.counts_ivs or context.decrypt:
            return _bench_packet(self.engine, source, packet, key)
        given = context.iv_kind == IV_GIVEN
        iv = bytes(FIXED_BYTES + COUNT_BYTES)
        if given:
            fixed = fixed_fields(self.engine)[context.slot]
            iv = counted_iv(fixed, self.counted)
            self.counted += 1
        used = packet.in_context(iv=iv, iv_kind=IV_GIVEN if given else IV_NONE)
        made = _bench_packet(self.engine, source, used, key)
        said = dataclasses.replace(made.context, iv=bytes(BLOCK_BYTES), iv_kind=context.iv_kind)
        out = _on_bus(iv, FIXED_BYTES + COUNT_BYTES), int(not given)
        return dataclasses.replace(made, context=said, iv_out=out)

    def both(self, source: str, *given: bytes, **options: Any) -> None:
        """Add a packet that is encrypted, and it decrypted where the engine does that."""
        if not self.engine.counts_ivs:
            self.packet(source, *given, decrypt=False, **options)
        elif "iv" not in options:
            self.packet(f"{source}, under a counted IV", *given, decrypt=False, **options)
        if self.engine.decrypts:
            self.packet(f"{source}, decrypted", *given, **options)

    def wrong(self) -> None:
        """Add packets that are wrong in what all modes with a tag have."""
        self.packet("the tag is wrong: error", tag=bytes(BLOCK_BYTES))
        self.packet("the text is wrong: error", data=bytes(len(self.text)))
        size = self.engine.beat_bytes
        self.packet("tkeep has a hole: error", keeps={1: full_keep(size) ^ 4})
        third = -(-len(self.aad) // size) + 2
        text = (self.text * (size // BLOCK_BYTES))[: 4 * size]
        self.packet("associated data after text: error", text, marks={third: True})
        self.packet("a tag of another length than the context says: error", tag=bytes(12))
        # Of this length no mode has one.
        self.packet("a tag length that is not legal: error", context={"tag_bytes": 11})


def _gcm_packets(engine: Engine, counted: int) -> list[BenchPacket]:
    """Return the packets of an engine with GCM, in both directions, and wrong ones."""
    bits = engine.core.key_bits
    keys = ((_KEY * 2)[: bits // 8], bytes(range(bits // 8)))
    case = {128: 3, 192: 9, 256: 15}[bits]
    sealer = _Sealer(engine, keys, _IV_96, _TEXT[:60], _AAD, counted=counted)
    both = sealer.both
    both(f"test case {case + 1} of McGrew and Viega: 20 bytes of associated data, 60 of text")
    both(f"test case {case} of McGrew and Viega: four blocks of text", _TEXT, b"")
    both("the same under another key", _TEXT, b"", key=1)
    both("associated data alone (GMAC)", b"", _AAD)
    both("nothing but a tag", b"", b"")
    # Test cases 5, 11 and 17.
    both(f"test case {case + 2} of McGrew and Viega: an IV of 8 bytes", iv=_IV_96[:8])
    both("a tag of 12 bytes", _TEXT[:17], _AAD[:16], tag_bytes=12)
    if engine.counts_ivs:
        own = {"iv_kind": IV_PACKET}
        sealer.packet("an IV of its own, to encrypt: error", decrypt=False, context=own)
    sealer.wrong()
    return sealer.found


def _ocb_packets(engine: Engine) -> list[BenchPacket]:
    """Return the packets of an engine with OCB, in the directions that it has, and wrong ones."""
    size = engine.core.key_bits // 8
    # RFC 7253 Appendix A, whose examples have a key of 128 bits.
    keys = bytes(range(size)), bytes(range(size, 0, -1))
    nonce = bytes.fromhex("bbaa99887766554433221104")
    sealer = _Sealer(engine, keys, nonce, _TEXT[:60], _AAD)
    both, what = sealer.both, "" if size == BLOCK_BYTES else f", with a key of {8 * size} bits"
    both(f"the fifth example of RFC 7253 Appendix A{what}", bytes(range(16)), bytes(range(16)))
    both("20 bytes of associated data, 60 of text")
    both("20 blocks of text under another key", _TEXT * 5, b"", key=1)
    both("associated data alone", b"", _AAD)
    both("nothing but a tag", b"", b"", tag_bytes=8)
    for length in (1, 13, 15):
        both(f"a nonce of {length} bytes, a tag of 12", iv=(nonce + b"aes")[:length], tag_bytes=12)
    if engine.decrypts:
        sealer.wrong()
    sealer.packet("a nonce of no bytes: error", decrypt=False, context={"iv": b""})
    return sealer.found


def _ccm_packets(engine: Engine) -> list[BenchPacket]:
    """Return the packets of an engine with CCM, in both directions, and wrong ones."""
    size = engine.core.key_bits // 8
    # SP 800-38C Appendix C, whose examples have a key of 128 bits.
    keys = bytes(range(0x40, 0x40 + size)), bytes(range(size))
    sealer = _Sealer(engine, keys, bytes(range(0x10, 0x1D)), _TEXT[:60], _AAD)
    both, what = sealer.both, "" if size == BLOCK_BYTES else f", with a key of {8 * size} bits"
    for number, tag_bytes, nonce_bytes, aad_bytes, text_bytes in _EXAMPLES:
        both(
            f"SP 800-38C example {number}{what}",
            bytes(range(0x20, 0x20 + text_bytes)),
            bytes(range(aad_bytes)),
            iv=bytes(range(0x10, 0x10 + nonce_bytes)),
            tag_bytes=tag_bytes,
        )
    both("four blocks of text under another key", _TEXT, b"", key=1)
    both("associated data alone", b"", _AAD)
    both("associated data that end with a block more than beats", b"", _TEXT[:15])
    both("nothing but a tag", b"", b"", tag_bytes=10)
    sealer.wrong()
    for name, length in (("associated data", "aad_bytes"), ("text", "text_bytes")):
        sealer.packet(f"{name} of another length: error", context={length: 16})
    sealer.packet("a nonce length that is not legal: error", context={"iv": bytes(14)})
    sealer.packet("too long a text for its nonce: error", context={"text_bytes": 2**16})
    return sealer.found
