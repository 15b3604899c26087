# SPDX-License-Identifier: Apache-2.0
"""aesforge_engine_ccm: packets of associated data, text and tag over several streams, whatever
either side does; every length of nonce and tag; what a packet may not be; rate and latency.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cocotb
import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESCCM
from engine_ports import USER_BITS, WAIT, judge, little, reset, step, traffic
from interleaved import InterleavedEngine, StreamPacket, core_latency, stream_bits
from rtl_bench import Bench, Driver, Instance, Mutation, elaborate
from streams import BYTES, Beat, Context, beats_of, bytes_of

from aesforge.reference.ccm import NONCE_BYTES, TAG_BYTES, ccm, ctr

M, MODE, SHELL = "aesforge_engine_ccm", "aesforge_mode_ccm", "aesforge_stream_shell"
LENGTHS, CORE = "aesforge_length_check", "aesforge_stream_core"
FULL = 2**BYTES - 1
NAMES = (
    *("KeyBits", "Unroll", "SboxStages", "LinearStages", "KeySlots", "Tiles"),
    *("Streams", "Depth"),
)
FAST = (128, 10, 0, 1, 0, 1, 16, 32)
SHAPES = {
    "unrolled": FAST,
    "no stage": (128, 10, 0, 0, 0, 1, 4, 8),
    "looped, stored": (128, 5, 0, 1, 3, 1, 5, 16),
    "192, two rings": (192, 6, 0, 1, 2, 2, 4, 8),
    "256, one stream": (256, 7, 0, 1, 0, 1, 1, 8),
}
# Every length up to 40 bytes, of associated data and of text.
SIZES = tuple(range(41))
# name -> shape, mutation
MUTATIONS: dict[str, tuple[str, Mutation]] = {
    "a wrong tag passes": (
        "unrolled",
        Mutation(MODE, "(compare_q && differs_q != '0)", "1'b0", (M,)),
    ),
    "a byte of the tag is not compared": (
        "unrolled",
        Mutation(MODE, "differs_q != '0", "differs_q[15:1] != '0", (M,)),
    ),
    "tags are compared in all bytes": (
        "unrolled",
        Mutation(MODE, "4'(i) <= last_byte && tag_made", "tag_made", (M,)),
    ),
    "a tag that was compared leaves": (
        "unrolled",
        Mutation(MODE, "decrypt ? '0 : tag_made", "tag_made", (M,)),
    ),
    "the ciphertext is authenticated": (
        "unrolled",
        Mutation(MODE, "(decrypt ? sum : back_wait)", "back_wait", (M,)),
    ),
    "keystream in the padding": (
        "unrolled",
        Mutation(MODE, "4'(i) <= last_byte ? back_block", "1'b1 ? back_block", (M,)),
    ),
    "bytes that are not kept": (
        "unrolled",
        Mutation(MODE, "beat_keep[i] ? beat_data", "1'b1 ? beat_data", (M,)),
    ),
    "associated data without their last block": (
        "unrolled",
        Mutation(MODE, "(over && look_end)", "1'b0", (M,)),
    ),
    "a last block for each beat": (
        "unrolled",
        Mutation(MODE, "(over && look_end)", "over", (M,)),
    ),
    "a nonce with what is above it": (
        "unrolled",
        Mutation(M, "if (4'(i) >= s_ctx_iv_bytes) ctx", "if (1'b0) ctx"),
    ),
    "odd tags": ("unrolled", Mutation(M, "!s_ctx_tag_bytes[0] && ", "")),
    "tags of two bytes": ("unrolled", Mutation(M, "s_ctx_tag_bytes >= 5'd4 && ", "")),
    "tags of any length": ("unrolled", Mutation(M, " && s_ctx_tag_bytes <= 5'd16", "")),
    "short nonces": ("unrolled", Mutation(M, "s_ctx_iv_bytes >= 4'd7 && ", "")),
    "long nonces": ("unrolled", Mutation(M, " && s_ctx_iv_bytes <= 4'd13", "")),
    "too long a text for a nonce of 13": (
        "unrolled",
        Mutation(M, "s_ctx_text_bytes[31:16] == '0", "1'b1"),
    ),
    "too long a text for a nonce of 12": (
        "unrolled",
        Mutation(M, "s_ctx_text_bytes[31:24] == '0", "1'b1"),
    ),
    "packets of any length": (
        "unrolled",
        Mutation(MODE, "wrong_q <= look_error", "wrong_q <= 1'b0", (M,)),
    ),
    "an error of a length is forgotten": (
        "unrolled",
        Mutation(LENGTHS, "bad = bad_q ||", "bad = ", (MODE, M)),
    ),
    "what is wrong leaves": (
        "unrolled",
        Mutation(SHELL, "out_block && !out_wrong_q &&", "out_block &&", (M,)),
    ),
    "empty beats": (
        "unrolled",
        Mutation(SHELL, "bad_keep = !beat_keep[0]", "bad_keep = 1'b0", (M,)),
    ),
    "keys in the midst of a packet": (
        "looped, stored",
        Mutation("aesforge_stream_key_interlock", "used[s_key_slot] || ", "", (CORE, M)),
    ),
    "no queue for a ring": (
        "looped, stored",
        Mutation(CORE, ".m_valid(core_valid)", ".m_valid()", (M,)),
    ),
}


@dataclass
class CcmContext(Context):
    """What a packet brings: `iv` is the nonce; the lengths are those that it says."""

    tag_bytes: int = 16
    aad_bytes: int = 0
    text_bytes: int = 0


def sections(aad: bytes, text: bytes, tag: bytes, stream: int, user: int) -> list[Beat]:
    """Return the beats of a packet."""
    beats = beats_of(aad, 1, stream, user) + beats_of(text, 0, stream, user)
    return [*beats, Beat(little(tag), 2 ** len(tag) - 1, 1, stream, user << 1)]


def is_legal(context: CcmContext) -> bool:
    """SP 800-38C Sec. 5.3 and A.1."""
    return (
        len(context.iv) in NONCE_BYTES
        and context.tag_bytes in TAG_BYTES
        and context.text_bytes < 2 ** (8 * (15 - len(context.iv)))
    )


def first_error(beats: list[Beat], context: CcmContext) -> int:
    """Index of the first beat that is not what the lengths say, the tag's value apart."""
    due = []
    for size, mark in ((context.aad_bytes, 1), (context.text_bytes, 0)):
        for at in range(0, min(size, BYTES * len(beats)), BYTES):
            due.append((2 ** min(BYTES, size - at) - 1, mark, 0))
    due.append((2**context.tag_bytes - 1, 0, 1))
    for index, beat in enumerate(beats):
        if (beat.keep, beat.user & 1, beat.last) != due[index]:
            return index
    return len(beats)


def expected(beats: list[Beat], context: CcmContext | None, key: bytes | None) -> list[Beat]:
    """Return the beats that a packet comes out as."""
    good = 0
    if context is not None and key is not None and is_legal(context):
        good = first_error(beats, context)
    out = [Beat(0, b.keep, b.last, b.id, b.user, int(i >= good)) for i, b in enumerate(beats)]
    if not good:
        return out
    assert context is not None
    assert key is not None
    body = beats[: min(good, len(beats) - 1)]
    aad = bytes_of([beat for beat in body if beat.user & 1])
    text = bytes_of([beat for beat in body if not beat.user & 1])
    result = ctr(key, context.iv, text)
    at = 0
    for index, beat in enumerate(body):
        part = bytes_of([beat])
        if not beat.user & 1:
            part, at = result[at : at + BYTES], at + BYTES
        out[index] = Beat(little(part), beat.keep, 0, beat.id, beat.user)
    if good == len(beats):
        plain = result if context.decrypt else text
        sealed = AESCCM(key, context.tag_bytes).encrypt(context.iv, plain, aad)
        tag, last = sealed[len(plain) :], beats[-1]
        wrong = bool(context.decrypt) and bytes_of([last]) != tag
        value = 0 if context.decrypt else little(tag)
        out[-1] = Beat(value, last.keep, 1, last.id, last.user, int(wrong))
    return out


class Engine(InterleavedEngine):
    """One engine with random packets over random streams."""

    def __init__(self, one: Instance, seed: int, faulty: float = 0.4) -> None:
        self.turn = seed
        super().__init__(one, seed, faulty)
        self.verified = 0
        self.kinds: set[tuple[str, int]] = set()

    def random_context(self) -> CcmContext:
        draw = self.draw
        base = self.context(0, draw.randrange(2), draw.randbytes(draw.choice(NONCE_BYTES)))
        return CcmContext(
            0, base.decrypt, base.iv, base.key, base.slot, tag_bytes=draw.choice(TAG_BYTES)
        )

    def random_packet(
        self, stream: int, length: int | None = None, aad_bytes: int | None = None
    ) -> StreamPacket:
        draw = self.draw
        context = self.random_context()
        # Every length in its turn, and those at the edges more often.
        self.turn += 1
        sizes = (0, 10, 14, 15, 16, 60) if self.turn % 3 == 0 else (SIZES[self.turn % len(SIZES)],)
        context.aad_bytes = draw.choice(sizes) if aad_bytes is None else aad_bytes
        context.text_bytes = draw.choice((*sizes, draw.choice(SIZES))) if length is None else length
        aad, text = draw.randbytes(context.aad_bytes), draw.randbytes(context.text_bytes)
        key = self.known.get(context.slot) if self.one["KeySlots"] else context.key
        tag = draw.randbytes(context.tag_bytes)
        if context.decrypt and key and (draw.random() < 0.9 or not self.faulty):
            tag = ccm(key, context.iv, text, aad, tag_bytes=context.tag_bytes, decrypt=True)[1]
        beats = sections(aad, text, tag, stream, draw.randrange(2 ** (USER_BITS - 1)))
        # What is not kept may hold anything.
        for index, beat in enumerate(beats):
            above = draw.getrandbits(128) >> 8 * beat.keep.bit_count() << 8 * beat.keep.bit_count()
            beats[index] = Beat(beat.data | above, beat.keep, beat.last, stream, beat.user)
        if stream >= self.streams:
            return StreamPacket(beats, None, beyond=True)
        if draw.random() < self.faulty:
            return StreamPacket(beats, self.spoil_packet(beats, context))
        self.kinds |= {
            ("nonce", len(context.iv)),
            ("tag", context.tag_bytes),
            ("aad", context.aad_bytes),
            ("text", context.text_bytes),
        }
        return StreamPacket(beats, context)

    def spoil_packet(self, beats: list[Beat], context: CcmContext) -> CcmContext | None:
        """Make a packet wrong in some way, or perhaps so; give what its context is then."""
        draw = self.draw
        at = draw.randrange(len(beats))
        beat, tag = beats[at], beats[-1]
        rest = beat.last, beat.id, beat.user
        # One bit of the first byte of the tag, or something else.
        match 13 if context.decrypt and draw.random() < 0.25 else draw.randrange(18):
            case 0:  # a hole
                beats[at] = Beat(beat.data, 0b1011 << draw.randrange(12), *rest)
            case 1:  # another length
                beats[at] = Beat(beat.data, 2 ** draw.randrange(17) - 1, *rest)
            case 2:
                return None
            case 3:  # other lengths than the beats have
                off = draw.choice((-16, -1, 1, 16, 2**16, 2**24))
                context.aad_bytes = max(0, context.aad_bytes + off)
            case 4:
                off = draw.choice((-16, -1, 1, 16))
                context.text_bytes = max(0, context.text_bytes + off)
            case 5 | 17:  # a text that may be too long for the nonce
                context.iv = draw.randbytes(draw.choice((11, 12, 13)))
                context.text_bytes += 2 ** (min(31, 8 * max(2, 15 - len(context.iv))) if at else 31)
            case 6:  # a slot that may hold no key
                context.slot = draw.randrange(2 ** self.one.inputs["s_ctx_slot"][1])
            case 7:  # another section
                beats[at] = Beat(beat.data, beat.keep, beat.last, beat.id, beat.user ^ 1)
            case 8:  # no bytes
                beats[at] = Beat(beat.data, 0, *rest)
            case 9 | 14 | 15:  # a tag length that may not be legal, and that its beat may have
                context.tag_bytes = draw.choice((0, 2, 3, 5, 5, 13, 15, 18, 18, 20, 30))
                if draw.randrange(4):
                    keep = 2 ** max(1, min(context.tag_bytes, BYTES)) - 1
                    beats[-1] = Beat(tag.data, keep, 1, tag.id, tag.user)
            case 10 | 16:  # a nonce of another length, which may not be legal
                context.iv = draw.randbytes(draw.choice((0, 1, 5, 6, 8, 14, 15)))
            case 11:  # the packet ends early
                beats[at:] = [Beat(beat.data, beat.keep, 1, beat.id, beat.user)]
            case 12:  # one bit of anything
                beats[at] = Beat(beat.data ^ 1 << draw.randrange(128), beat.keep, *rest)
            case 13:
                beats[-1] = Beat(tag.data ^ 1 << draw.randrange(8), tag.keep, 1, tag.id, tag.user)
            case _:
                context.decrypt ^= 1
        return context

    def decide(self, packet: StreamPacket) -> None:
        context: Any = packet.context
        key = None
        if context is not None:
            key = self.known.get(context.slot) if self.one["KeySlots"] else context.key
        packet.due = expected(packet.beats, context, key)
        error = packet.due[-1].error
        self.errors += error
        self.verified += int(context is not None and context.decrypt and not error)
        self.expect(packet, 0)

    def context_values(self, context: Any) -> dict[str, int]:
        values = super().context_values(context)
        del values["s_ctx_mode"]
        size = len(context.iv)
        above = self.draw.getrandbits(128) >> 8 * size << 8 * size
        return values | {
            "s_ctx_iv": little(context.iv) | above,
            "s_ctx_iv_bytes": size,
            "s_ctx_tag_bytes": context.tag_bytes,
            "s_ctx_aad_bytes": context.aad_bytes,
            "s_ctx_text_bytes": context.text_bytes,
        }


def add(
    bench: Bench,
    name: str,
    shape: tuple[int, ...],
    mutation: Mutation | None = None,
    probed: Mapping[str, tuple[str, int]] | None = None,
) -> None:
    """Add an engine to a bench; ``probed`` has path and width of its internal signals."""
    parameters = dict(zip(NAMES, shape, strict=True))
    slots, bits = parameters["KeySlots"], parameters["KeyBits"]
    slot_bits = (slots - 1).bit_length() if slots else 1
    id_bits = stream_bits(parameters["Streams"])
    common = {"SboxStyle": 0, "KeySboxStyle": 0, "ContextTimeout": WAIT, "UserBits": USER_BITS}
    bench.add(
        name,
        M,
        {**parameters, **common},
        inputs={
            **{"rst": 1, "s_key_tvalid": 1, "s_key_slot": slot_bits, "s_key_tdata": bits},
            **{"s_ctx_tvalid": 1, "s_ctx_key": bits, "s_ctx_slot": slot_bits},
            **{"s_ctx_iv": 128, "s_ctx_iv_bytes": 4, "s_ctx_decrypt": 1, "s_ctx_tag_bytes": 5},
            **{"s_ctx_aad_bytes": 32, "s_ctx_text_bytes": 32},
            **{"s_axis_tvalid": 1, "s_axis_tdata": 128, "s_axis_tkeep": 16, "s_axis_tlast": 1},
            **{"s_axis_tid": id_bits, "s_axis_tuser": USER_BITS, "m_axis_tready": 1},
        },
        outputs={
            **{"s_key_tready": 1, "s_ctx_tready": 1, "s_axis_tready": 1, "m_axis_tvalid": 1},
            **{"m_axis_tdata": 128, "m_axis_tkeep": 16, "m_axis_tlast": 1},
            **{"m_axis_tid": id_bits, "m_axis_tuser": USER_BITS + 1},
        },
        probes=probed,
        mutation=mutation,
    )


def make_bench(test: str) -> Bench:
    """Return the bench of one cocotb test: each engine costs time in every cycle."""
    bench = Bench({"zeroize": 1})
    if test == "rate_and_latency":
        add(bench, "unrolled", SHAPES["unrolled"])
        return bench
    for name, shape in SHAPES.items():
        add(bench, name, shape)
    for name, (shape_name, mutation) in MUTATIONS.items():
        add(bench, name, SHAPES[shape_name], mutation)
    return bench


@cocotb.test()
async def packets_go_through(dut: Any) -> None:
    """Idle x back-pressure x reset or zeroize in flight x key change between packets x lengths."""
    bench = make_bench("packets_go_through")
    driver = Driver(dut, bench)
    engines = [Engine(one, 100 + i) for i, one in enumerate(bench.instances)]
    await traffic(driver, engines, cycles=600, left=60)
    judge(engines, MUTATIONS)
    kinds: set[tuple[str, int]] = set()
    for engine in engines:
        if engine.one.mutation is None:
            assert engine.errors > 20, (engine.one.name, engine.errors)
            assert engine.verified > 10, (engine.one.name, engine.verified)
            assert engine.interleaved > 50 or engine.streams == 1, engine.one.name
            kinds |= engine.kinds
    every = {("nonce", size) for size in NONCE_BYTES} | {("tag", size) for size in TAG_BYTES}
    every |= {(section, size) for section in ("aad", "text") for size in SIZES}
    assert every <= kinds, every - kinds


@cocotb.test()
async def rate_and_latency(dut: Any) -> None:
    """L + 5 streams: an unrolled core has a block in every cycle; one stream: the times of the
    page.
    """
    bench = make_bench("rate_and_latency")
    driver = Driver(dut, bench)
    (engine,) = engines = [Engine(one, 300, faulty=0) for one in bench.instances]
    latency = core_latency(engine.one)

    async def leave(aad: int, text: int, streams: int, cycles: int) -> list[int]:
        """Offer packets to some streams in turn; give when beats came out."""
        await reset(driver, engines, 2)
        while len(engine.beats.queue) < cycles:
            for stream in range(streams):
                engine.queue(
                    stream,
                    None if stream in engine.open else engine.random_packet(stream, text, aad),
                )
        found = []
        begin = driver.number
        for _ in range(cycles):
            left = engine.board.left
            await step(driver, engines, 1.0, 1.0)
            if engine.board.left > left:
                found.append(driver.number - 1 - begin)
        return found

    # One stream: associated data L + 11 and every L + 5; text L + 3 more.
    found = await leave(14, 0, 1, 200)
    assert found[:3] == [latency + 11, 3 * latency + 19, 4 * latency + 24], found[:3]
    found = await leave(0, 160, 1, 400)
    assert found[0] == 2 * latency + 14, found[0]
    assert {b - a for a, b in itertools.pairwise(found)} == {2 * latency + 8}
    # Many: two blocks a beat of text, one of associated data.
    found = await leave(0, 16 * 15, latency + 5, 1000)
    steady = [cycle for cycle in found if cycle > 200]
    assert abs(len(steady) - 400) <= 8, len(steady)
    found = await leave(16 * 60 - 2, 0, latency + 5, 1000)
    steady = [cycle for cycle in found if 200 < cycle <= 700]
    assert abs(len(steady) - 500) <= 8, len(steady)
    judge(engines, {})


@pytest.mark.usefixtures("mutants")
@pytest.mark.parametrize("test", ["packets_go_through", "rate_and_latency"])
def test_aesforge_engine_ccm(test: str, tmp_path: Path) -> None:
    make_bench(test).run(__file__, tmp_path, test)


SMALL = {"SboxStyle": 0, "KeySboxStyle": 0, "Unroll": 1}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"Unroll": 10, "Tiles": 2}, "tiles must be 1 where unroll is full"),
        ({"Streams": 300}, "streams must be 1 to 256"),
        ({"Depth": 12}, "depth must be a power of two"),
    ],
    ids=str,
)
def test_illegal_sets_are_refused(parameters: dict[str, int], message: str) -> None:
    legal, said = elaborate(M, SMALL | parameters)
    assert not legal
    assert message in said


def test_small_engine_is_legal() -> None:
    legal, said = elaborate(M, SMALL)
    assert legal, said
