# SPDX-License-Identifier: Apache-2.0
"""aesforge_engine_ocb: packets of associated data, text and tag, whatever either side does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cocotb
import pytest
import queue_probes
from context_ports import (
    BOTH,
    ENCRYPT,
    ID_BITS,
    USER_BITS,
    EarlyContext,
    EarlyKeyPorts,
    EarlyPacket,
    EngineBenches,
    cores_zeroize_cycles,
    cycles_of_beats,
    keys_follow_packets,
    latency_of,
    note_rate,
)
from engine_ports import judge, little, reset, step, traffic, zeroize_zeroizes
from fips197 import rounds
from rtl_bench import Driver, Instance, Mutation, Twins, zeroizes_the_cores_alone
from streams import BYTES, Beat, beats_of, bytes_of, with_junk

from aesforge.reference.ocb import ocb

M, SHELL, CHECK = "aesforge_engine_ocb", "aesforge_axis_shell", "aesforge_section_check"
MODE, NONCE, INDEX = "aesforge_mode_ocb", "aesforge_ocb_nonce", "aesforge_ocb_index"
TABLE, COMPARE = "aesforge_ocb_table", "aesforge_tag_compare"
INTERLOCK = "aesforge_context_key_interlock"
FULL = 2**BYTES - 1
TAG_BYTES = (16, 12, 8)
# Bytes of a section that is drawn.
LENGTHS = (0, 0, 1, 15, 16, 17, 32, 40, 80)
NAMES = (
    *("KeyBits", "Direction", "SboxStages", "LinearStages", "KeySlots", "CountBits"),
    *("Depth", "QueueStyle"),
)
FAST = (128, ENCRYPT, 0, 1, 3, 14, 64, 0)
BACK = (128, BOTH, 0, 1, 2, 14, 64, 1)
SHAPES = {
    "encrypt": FAST,
    "both": BACK,
    "256, few blocks": (256, BOTH, 1, 1, 5, 6, 128, 0),
    "192, encrypt": (192, ENCRYPT, 1, 1, 2, 14, 64, 0),
}
# name -> shape, mutation. Those of the parts alone are in the parts' own tests.
MUTATIONS: dict[str, tuple[str, Mutation]] = {
    "the table of another slot": (
        "encrypt",
        Mutation(TABLE, "words[{slot, index}]", "words[{slot ^ 1'b1, index}]", (M,)),
    ),
    "a packet before its table": (
        "encrypt",
        Mutation(M, ".key_ready(cores_ready && !table_busy)", ".key_ready(cores_ready)"),
    ),
    "a block too many": (
        "256, few blocks",
        Mutation(INDEX, "at_end && s_full && !s_last", "1'b0", (M,)),
    ),
    "the checksum of the packet before": (
        "encrypt",
        Mutation(MODE, "if (beat_last) checksum_q <= '0;\n      else if", "if", (M,)),
    ),
    "a wrong tag passes": (
        "both",
        Mutation(COMPARE, "(compare_q && differs_q != '0)", "1'b0", (M,)),
    ),
    "a tag of another length": (
        "encrypt",
        Mutation(CHECK, "|| !fits_q", "", (SHELL, M)),
    ),
    "a tag length that is not legal": ("encrypt", Mutation(M, "|| next_tag_length == '0", "")),
    "associated data after text": (
        "encrypt",
        Mutation(CHECK, "(aad && text_q) ||", "", (SHELL, M)),
    ),
    "decryption that is not built": ("encrypt", Mutation(M, "(!Decrypts && next_decrypt)", "1'b0")),
    "a key that is in use": ("encrypt", Mutation(INTERLOCK, "used[s_key_slot] || ", "", (M,))),
}
# Only a test of the rate sees these.
RATE_MUTATIONS = {
    "a quarter of the credits": Mutation(
        SHELL, "(CreditLatency)", "(CreditLatency + Depth / 4 * 3)", (M,)
    ),
}
# Only a test of keys that follow closely sees this, at the entry of the core.
KEY_MUTATIONS = {
    "a key before the tag": Mutation(M, "Decrypts ? Latency + 8 : 4", "4"),
}
TWINS = {
    "compare": (128, BOTH, 0, 1, 2, 14, 8, 0),
    "seal": (128, ENCRYPT, 0, 1, 2, 14, 16, 0),
}
TWIN_MUTATIONS = {
    "compare": zeroizes_the_cores_alone(M),
    "seal": Mutation(TABLE, "zeroize?walk_q", "zeroize?'0", (M,)),
}


@dataclass(kw_only=True)
class Context(EarlyContext):
    """What a packet brings."""

    nonce: bytes
    tag_bytes: int


def first_error(beats: list[Beat], context: Context, one: Instance) -> int:
    """Index of the first beat that is an error in itself, the tag's value apart."""
    if context.tag_bytes not in TAG_BYTES or not context.nonce:
        return 0
    if context.decrypt and one["Direction"] != BOTH:
        return 0
    text, partial, blocks = False, None, {0: 0, 1: 0}
    for index, beat in enumerate(beats):
        mark = beat.user & 1
        if beat.keep & (beat.keep + 1) or not beat.keep:
            return index
        if beat.last:
            if mark or beat.keep != 2**context.tag_bytes - 1:
                return index
            continue
        if (mark and text) or partial == mark:
            return index
        text |= not mark
        blocks[mark] += beat.keep == FULL
        if blocks[mark] == 2 ** one["CountBits"]:
            return index
        partial = mark if beat.keep != FULL else None
    return len(beats)


def expected_beats(packet: EarlyPacket, one: Instance) -> list[Beat]:
    """Return the beats that a packet comes out as."""
    beats, context = packet.beats, packet.context
    good = 0
    if context is not None and context.key is not None:
        good = first_error(beats, context, one)
    out = [Beat(0, b.keep, b.last, b.id, b.user, int(i >= good)) for i, b in enumerate(beats)]
    if not good:
        return out
    assert context is not None
    assert context.key is not None
    body = beats[: min(good, len(beats) - 1)]
    aad = [beat for beat in body if beat.user & 1]
    text = bytes_of([beat for beat in body if not beat.user & 1])
    decrypt = bool(context.decrypt)
    result, tag = ocb(
        context.key,
        context.nonce,
        text,
        bytes_of(aad),
        tag_bytes=context.tag_bytes,
        decrypt=decrypt,
    )
    for index, beat in enumerate(body):
        at = BYTES * (index - len(aad))
        part = bytes_of([beat]) if index < len(aad) else result[at : at + BYTES]
        out[index] = Beat(little(part), beat.keep, 0, beat.id, beat.user)
    if good == len(beats):
        last = beats[-1]
        wrong = decrypt and bytes_of([last]) != tag
        value = 0 if decrypt else little(tag)
        out[-1] = Beat(value, last.keep, 1, last.id, last.user, int(wrong))
    return out


class Engine(EarlyKeyPorts):
    """One engine, the traffic at its ports, and what must come of it."""

    def __init__(self, one: Instance, seed: int, faulty: float = 0.4) -> None:
        self.verified = self.sealed = 0
        super().__init__(one, seed, faulty)

    # --- What goes in

    def queue_packet(self) -> None:
        draw = self.draw
        context = None if draw.random() < self.faulty / 10 else self.random_context()
        packet = self.made_packet(context)
        if draw.random() < self.faulty:
            self.spoil_packet(packet)
        self.send(packet)

    def random_context(self) -> Context:
        draw, one = self.draw, self.one
        slot = draw.choice([*self.known] or [0])
        nonce = draw.randbytes(draw.choice((12, 12, *range(1, 16))))
        decrypt = draw.randrange(2) if one["Direction"] == BOTH else 0
        return Context(slot=slot, nonce=nonce, decrypt=decrypt, tag_bytes=draw.choice(TAG_BYTES))

    def made_packet(
        self, context: Context | None, aad: int | None = None, text: int | None = None
    ) -> EarlyPacket:
        draw, one = self.draw, self.one
        id_, user = draw.randrange(2**ID_BITS), draw.randrange(2 ** (USER_BITS - 1))
        most = 16 * 66 if one["CountBits"] == 6 else 16 * 34
        long = draw.choice((150, 272, most))
        aad = draw.choice((*LENGTHS, *LENGTHS, long)) if aad is None else aad
        if text is None:
            text = draw.choice((*LENGTHS, 96, 128, 144, long))
            if one["CountBits"] == 6 and draw.random() < 0.1:  # up to one block too many
                text = draw.choice((16 * 63, 16 * 63 + 5, 16 * 64, 16 * 64 + 5))
        sections = draw.randbytes(aad), draw.randbytes(text)
        tag_bytes = context.tag_bytes if context else BYTES
        tag = draw.randbytes(tag_bytes)
        # The key that it will find is known where none is on its way.
        key = self.known.get(context.slot) if context else None
        if context and context.decrypt and key and draw.random() < 0.8:
            tag = ocb(
                key, context.nonce, sections[1], sections[0], tag_bytes=tag_bytes, decrypt=True
            )[1]
        beats = beats_of(sections[0], 1, id_, user) + beats_of(sections[1], 0, id_, user)
        tag_beat = Beat(little(tag), 2**tag_bytes - 1, 1, id_, user << 1)
        beats = [with_junk(draw, beat) for beat in (*beats, tag_beat)]
        return EarlyPacket(beats=beats, context=context)

    def spoil_packet(self, packet: EarlyPacket) -> None:
        """Make a packet wrong in some way, or perhaps so."""
        draw, beats, context = self.draw, packet.beats, packet.context
        at = draw.randrange(len(beats))
        beat, tag = beats[at], beats[-1]
        rest = beat.last, beat.id, beat.user
        match draw.randrange(9):
            case 0:  # a hole
                beats[at] = Beat(beat.data, 0b1011 << draw.randrange(12), *rest)
            case 1:  # another length
                beats[at] = Beat(beat.data, 2 ** draw.randrange(17) - 1, *rest)
            case 2 if context:  # a slot that may hold no key
                context.slot = draw.randrange(2 ** self.one.inputs["s_ctx_slot"][1])
            case 3 if context:  # a tag length that may not be legal
                context.tag_bytes = draw.choice((0, 1, 4, 8, 11, 12, 13, 17, 28, 31))
            case 4:  # another section
                beats[at] = Beat(beat.data, beat.keep, beat.last, beat.id, beat.user ^ 1)
            case 5:  # the tag marked as associated data
                beats[-1] = Beat(tag.data, tag.keep, 1, tag.id, tag.user ^ 1)
            case 6:  # one bit of the tag, or of what it is of
                beats[at] = Beat(beat.data ^ 1 << draw.randrange(128), beat.keep, *rest)
            case 7:  # one bit of the tag
                bit = draw.randrange(8 * tag.keep.bit_count())
                beats[-1] = Beat(tag.data ^ 1 << bit, tag.keep, 1, tag.id, tag.user)
            case 8 if context:
                if draw.randrange(2):
                    context.nonce = b""
                else:
                    context.decrypt ^= 1

    # --- A cycle

    def context_values(self, context: Any) -> dict[str, int]:
        # Bytes beyond the nonce may hold anything.
        size = len(context.nonce)
        junk = self.draw.getrandbits(128) >> 8 * size << 8 * size
        return {
            **{"s_ctx_iv": little(context.nonce) | junk, "s_ctx_iv_bytes": size},
            **{"s_ctx_slot": context.slot, "s_ctx_decrypt": context.decrypt},
            "s_ctx_tag_bytes": context.tag_bytes,
        }

    def expected_beats(self, packet: Any) -> list[Beat]:
        return expected_beats(packet, self.one)

    def ended(self, packet: Any, last: Beat) -> None:
        decrypt = bool(packet.context and packet.context.decrypt)
        self.verified += decrypt and not last.error
        self.sealed += not decrypt and not last.error


def secrets(parameters: Mapping[str, int]) -> dict[str, tuple[str, int]]:
    """Path and width of all that holds a secret in an engine, its cores apart.

    `zeroize` of the core has its own test.
    """
    depth, slot = parameters["Depth"], (parameters["KeySlots"] - 1).bit_length()
    latency = (
        rounds(parameters["KeyBits"]) * (parameters["SboxStages"] + parameters["LinearStages"]) + 1
    )
    inner = USER_BITS + 6
    word = 128 + BYTES + ID_BITS + inner + 2
    side = word + 1 + 1
    unit = 128 + BYTES + ID_BITS + USER_BITS + 9
    shell, blocks = "u_shell", "u_nonce.u_cipher.u_blocks"
    found = {
        "look_next": ("u_index.u_slice.m_data", unit),
        "look_spare": ("u_index.u_slice.spare_q", unit),
        "head_data": (f"{shell}.data_q", 128),
        "beat_data": (f"{shell}.beat_data", 128),
        "given": (f"{shell}.u_contexts.payload_q", 128),
        "beat_payload": (f"{shell}.beat_payload", 128),
        "side_first": (f"{shell}.u_sides.gen_block.first_q", side),
        "side_second": (f"{shell}.side_second_q", side),
        "result_first": (f"{shell}.result_first_q", 128),
        "result_second": (f"{shell}.result_second_q", 128),
        "out": (f"{shell}.out_data_q", 128),
        **queue_probes.of_output_queue(shell, word, depth),
        "key": ("u_interlock.key", parameters["KeyBits"]),
        "nonce": ("u_nonce.nonce_q", 128),
        **queue_probes.of_queue("top", blocks, 128, 16),
        "top_out": (f"{blocks}.m_data", 128),
        "stretch_first": ("u_nonce.first_q", 143),
        "stretch_second": ("u_nonce.second_q", 131),
        "offset_0": ("u_nonce.m_offset", 128),
        "table_value": ("u_table.value_q", 128),
        "table_word": ("u_table.word_q", 128),
        "offset": ("u_mode.offset_q", 128),
        "checksum": ("u_mode.checksum_q", 128),
        "sum": ("u_mode.sum_q", 128),
        "core_block": ("core_block", 128),
        "compare_first": ("u_compare.data_q", 128),
        "compare_out": ("u_compare.out_data", 128),
    }
    for i in range(4):
        found[f"payload_{i}"] = (f"{shell}.u_contexts.payloads[{i}]", 128)
    for i in range(16):
        found[f"word_l_{i}"] = (f"u_table.words[{i}]", 128)
    for i in range(depth):
        found[f"side_{i}"] = (f"{shell}.u_sides.gen_block.memory[{i}]", side)
    if parameters["Direction"] == BOTH:
        mode = "u_mode.gen_decrypts"
        known = 128 + BYTES + slot
        found |= {
            "again": ("u_mode.again_block_q", 128),
            "known": (f"{mode}.known_q", 128),
            "text_sum": (f"{mode}.text_sum_q", 128),
            "known_first": (f"{mode}.u_known.u_ram.gen_block.first_q", known),
            "known_second": (f"{mode}.u_known.q", known),
            "wait_first": (f"{mode}.u_results.u_ram.gen_block.first_q", 128),
            "wait_second": (f"{mode}.u_results.q", 128),
        }
        for name, cycles, width in (("known", latency, known), ("results", latency + 2, 128)):
            for i in range(1 << (cycles - 2).bit_length()):
                found[f"{name}_{i}"] = (f"{mode}.u_{name}.u_ram.gen_block.memory[{i}]", width)
    return found


def zeroize_bound(one: Instance) -> int:
    """Return the cycles from `zeroize` until the engine is zeroized and open again."""
    core = cores_zeroize_cycles(one)
    latency = latency_of(one)
    queues = one["Depth"] + 7 + (latency + 6 if one["Direction"] == BOTH else 4)
    waits = (1 << (latency + 1).bit_length()) + 4
    table = (16 << (one["KeySlots"] - 1).bit_length()) + 2
    return core + max(queues, waits, table) + 4


make_bench = EngineBenches(
    module=M,
    names=NAMES,
    shapes=SHAPES,
    mutations={
        "packets_go_through": MUTATIONS,
        "rate_and_latency": {name: ("encrypt", one) for name, one in RATE_MUTATIONS.items()},
        "keys_follow_closely": {name: ("both", one) for name, one in KEY_MUTATIONS.items()},
    },
    keyed=("both",),
    twins=TWINS,
    twin_mutations=TWIN_MUTATIONS,
    secrets=secrets,
    context={"iv": 128, "iv_bytes": 4, "decrypt": 1, "tag_bytes": 5},
).make


@cocotb.test()
async def packets_go_through(dut: Any) -> None:
    """Idle x back-pressure x reset or zeroize in flight x key change between packets x lengths."""
    bench = make_bench("packets_go_through")
    driver = Driver(dut, bench)
    engines = [Engine(one, 100 + i) for i, one in enumerate(bench.instances)]
    await traffic(driver, engines, cycles=600, left=40)
    judge(engines, bench.mutants)
    for engine in engines:
        one = engine.one
        if one.mutation is None:
            assert engine.packets > 40, (one.name, engine.packets)
            assert engine.errors > 8, (one.name, engine.errors)
            assert engine.sealed > 10, (one.name, engine.sealed)
            assert engine.verified > 4 or one["Direction"] != BOTH, (one.name, engine.verified)


@cocotb.test()
async def rate_and_latency(dut: Any) -> None:
    """No stalls: a beat per cycle; a packet that is decrypted takes one more."""
    bench = make_bench("rate_and_latency")
    driver = Driver(dut, bench)
    engines = [Engine(one, 300 + i, faulty=0) for i, one in enumerate(bench.instances)]
    for decrypt, beats in ((0, 18), (0, 32), (1, 17)):
        await reset(driver, engines)
        for engine in engines:
            engine.load(0)
            engine.known[0] = engine.keys.queue[0][1]
        for _ in range(200):  # the keys are in
            await step(driver, engines, 1.0, 1.0)
        sent = [one for one in engines if not decrypt or one.one["Direction"] == BOTH]
        for engine in sent:
            for number in range(300 // beats + 1):
                context = Context(
                    slot=0, nonce=number.to_bytes(12, "big"), decrypt=decrypt, tag_bytes=16
                )
                engine.send(engine.made_packet(context, 20, 16 * (beats - 3)))
        for ports, cycles in await cycles_of_beats(driver, engines, 300):
            if ports in sent:
                # The first beat waits for its offset.
                more = decrypt * len(cycles) // beats
                note_rate(ports, cycles, 300, first=first_beat(ports.one), gaps=more)
    judge(engines, bench.mutants)


def first_beat(one: Instance) -> int:
    """Cycles from the first context, with a nonce of 12 bytes, to the first beat out."""
    core = latency_of(one)
    return core + 8 + 3 + core + 14 + (core + 2 if one["Direction"] == BOTH else 0)


@cocotb.test()
async def keys_follow_closely(dut: Any) -> None:
    """A key for the slot of a packet whose tag is compared, at every distance."""
    bench = make_bench("keys_follow_closely")
    driver = Driver(dut, bench)
    engines = [Engine(one, 500 + i, faulty=0) for i, one in enumerate(bench.instances)]

    def send(engine: Engine, distance: int, number: int) -> None:
        context = Context(slot=0, nonce=bytes([distance, number]) * 6, decrypt=1, tag_bytes=16)
        engine.send(engine.made_packet(context, 0, 41))

    await keys_follow_packets(driver, engines, send, 130)
    judge(engines, bench.mutants)


@cocotb.test()
async def zeroize_zeroizes_everything(dut: Any) -> None:
    def own_control(one: Instance, number: int) -> Mapping[str, int]:
        return {
            **{"s_ctx_slot": 0, "s_key_slot": 0, "s_ctx_decrypt": number // 5 % 2},
            **{"s_ctx_tag_bytes": 16, "s_axis_tuser": int(number % 9 < 2), "s_ctx_iv_bytes": 15},
            # Two of them, so that the first is in use for a while.
            "s_key_tvalid": int(number < 60 or number > 430),
        }

    bench = make_bench("zeroize_zeroizes_everything")
    await zeroize_zeroizes(
        Driver(dut, bench),
        Twins(bench, TWINS, "m_axis_tdata"),
        modes=range(1),
        cycles=450,
        public_cycles=140,
        bound=zeroize_bound,
        own_control=own_control,
    )


@pytest.mark.usefixtures("mutants")
@pytest.mark.parametrize(
    "test",
    [
        "packets_go_through",
        "rate_and_latency",
        "keys_follow_closely",
        "zeroize_zeroizes_everything",
    ],
)
def test_aesforge_engine_ocb(test: str, tmp_path: Path) -> None:
    make_bench(test).run(__file__, tmp_path, test)
