# SPDX-License-Identifier: Apache-2.0
"""aesforge_engine_gcm: packets of associated data, text and tag, whatever either side does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cocotb
import pytest
import queue_probes
from context_ports import ID_BITS, USER_BITS, AheadPorts, add_stored_engine
from engine_ports import judge, little, reset, step, traffic, zeroize_zeroizes
from fips197 import rounds
from rtl_bench import Bench, Driver, Instance, Mutation, Twins, twins_of, zeroizes_the_cores_alone
from streams import BYTES, Beat, beats_of, bytes_of, with_junk

from aesforge.design import Design
from aesforge.reference.gcm import gcm

M, SHELL, CHECK = "aesforge_engine_gcm", "aesforge_axis_shell", "aesforge_section_check"
COUNTER, TAG, GHASH = "aesforge_gcm_counter", "aesforge_gcm_tag", "aesforge_ghash"
POWERS = "aesforge_gcm_powers"
FULL = 2**BYTES - 1
IV_PACKET, IV_HASHED = 1, 2
IV_LENGTHS = (8, 12, 13, 16, 17, 60, 128)
TAG_BYTES = (16, 15, 14, 13, 12)
SHORT_TAG_BYTES = (8, 4)
NAMES = (
    *("KeyBits", "Unroll", "SboxStages", "LinearStages", "KeySlots", "MultiplyStages"),
    *("ShortTags", "CountBits", "Depth", "QueueStyle", "MultiplyDigit", "Tiles"),
)
FAST = (128, 10, 0, 1, 3, 6, 0, 32, 64, 0, 8)
# One product after the other, in as many cycles as a block is in the core.
SMALL = (128, 1, 0, 1, 2, 0, 0, 32, 16, 0, 16)
SHAPES = {
    "unrolled": FAST,
    "looped": (128, 2, 0, 1, 2, 2, 1, 32, 16, 0, 8),
    "256, few blocks": (256, 14, 0, 1, 4, 4, 0, 4, 64, 0, 8),
    "192, long multiplier": (192, 12, 0, 1, 5, 10, 1, 32, 64, 1, 8),
}
SMALL_SHAPES = {
    "small": SMALL,
    "192, a multiplier slower than its ring": (192, 4, 0, 1, 5, 0, 1, 4, 8, 1, 8),
    "256, a multiplier slower than its pipeline": (256, 14, 0, 1, 3, 0, 1, 32, 16, 0, 32),
}
# name -> shape, mutation
MUTATIONS: dict[str, tuple[str, Mutation]] = {
    "the tag has a counter of its own": (
        "unrolled",
        Mutation(COUNTER, "beat_first || beat_tag", "beat_first", (M,)),
    ),
    "associated data count": (
        "unrolled",
        Mutation(COUNTER, "!beat_aad && !beat_tag", "!beat_tag", (M,)),
    ),
    "a placeholder is part of the tag": (
        "unrolled",
        Mutation(TAG, "made = in_tag && (!in_decrypt || in_iv)", "made = 1'b0", (M,)),
    ),
    "plaintext is hashed": (
        "unrolled",
        Mutation(
            TAG,
            "from_xor  = (in_aad || in_decrypt) && !in_tag;\n"
            "    from_data = !in_aad && !in_decrypt",
            "from_xor  = in_aad && !in_tag;\n    from_data = !in_aad",
            (M,),
        ),
    ),
    "what is not kept of associated data is hashed": (
        "unrolled",
        Mutation(SHELL, "side_kept[i] ? side_xor", "1'b1 ? side_xor", (M,)),
    ),
    "a wrong tag passes": (
        "unrolled",
        Mutation(TAG, "(compare_q && differs_q != '0)", "1'b0", (M,)),
    ),
    "a byte of the tag is not compared": (
        "unrolled",
        Mutation(TAG, "differs_q != '0", "differs_q[14:0] != '0", (M,)),
    ),
    "tags are compared in all bytes": (
        "looped",
        Mutation(TAG, "(tag_keep[i] ?", "(tag_keep[0] ?", (M,)),
    ),
    "a tag that was compared leaves": (
        "unrolled",
        Mutation(TAG, "blank_q <= error || (tag && decrypt);", "blank_q <= error;", (M,)),
    ),
    "a tag of another length": (
        "unrolled",
        Mutation(CHECK, "|| !fits_q", "", (SHELL, M)),
    ),
    "short tags": ("unrolled", Mutation(M, "{5'b0, ShortTags, 1'b0}", "7'b0000010")),
    "a tag of 13 bytes may have 14": (
        "unrolled",
        Mutation(M, "ctx_tag_length = 7'b0001000", "ctx_tag_length = 7'b0011000"),
    ),
    "associated data after text": (
        "unrolled",
        Mutation(CHECK, "(aad && text_q) ||", "", (SHELL, M)),
    ),
    "partial beats within a section": (
        "unrolled",
        Mutation(CHECK, "|| (part_q && part_aad_q == aad)", "", (SHELL, M)),
    ),
    "a tag marked as associated data": (
        "unrolled",
        Mutation(CHECK, "aad || !fits_q", "!fits_q", (SHELL, M)),
    ),
    "too many blocks": (
        "256, few blocks",
        Mutation(TAG, "full_q ? all_ones_q", "full_q ? 1'b0", (M,)),
    ),
    "one block too many, if partial": (
        "256, few blocks",
        Mutation(TAG, ": but_one_q)", ": 1'b0)", (M,)),
    ),
    "too many blocks are forgotten": (
        "256, few blocks",
        Mutation(TAG, "over_q <= over_d;", "over_q <= over;", (M,)),
    ),
    "the sums of the packet before": (
        "unrolled",
        Mutation(GHASH, "!in_first && seen_q", "seen_q", (TAG, M)),
    ),
    "the hash of the packet before": (
        "unrolled",
        Mutation(GHASH, "(in_first || !some_final_q)", "!some_final_q", (TAG, M)),
    ),
    "sums are left out": (
        "unrolled",
        Mutation(GHASH, "(wait_add_q ? sums[wait_sum_q] : '0)", "'0", (TAG, M)),
    ),
    "the powers of another slot": (
        "unrolled",
        Mutation(
            GHASH,
            ".read_place({slot_q, power_q[b]})",
            ".read_place({slot_q ^ 1'b1, power_q[b]})",
            (TAG, M),
        ),
    ),
    "a power is missing": (
        "unrolled",
        Mutation(
            POWERS,
            "final_q <= write_power == '1;",
            "final_q <= write_power >= 6;",
            (M,),
        ),
    ),
    "a packet before the powers": (
        "unrolled",
        Mutation(
            M,
            "assign key_ready   = core_key_ready && !powers_busy;",
            "assign key_ready   = core_key_ready;",
        ),
    ),
    "the bytes of the packet before": (
        "unrolled",
        Mutation(TAG, "aad_bytes  = hash_first ? '0 :", "aad_bytes  =", (M,)),
    ),
    "an IV that is not hashed yet": ("unrolled", Mutation(M, "|| next_iv_stall),", "),")),
    "the hash of an IV leaves": (
        "unrolled",
        Mutation(TAG, "in_tag && !in_iv}", "in_tag}", (M,)),
    ),
    "J0 is half an IV": (
        "unrolled",
        Mutation(
            COUNTER,
            "beat_hashed ? hashed_iv : {beat_iv, 32'd1}",
            "beat_hashed ? {hashed_iv[127:32], 32'd1} : {beat_iv, 32'd1}",
            (M,),
        ),
    ),
    "a looped core is never full": (
        "looped",
        Mutation(M, ".Elastic (Elastic)", ".Elastic (1'b0)"),
    ),
}
# With one product after the other, and what came later.
MORE_MUTATIONS: dict[str, tuple[str, Mutation]] = {
    "a tag that came is a placeholder": (
        "unrolled",
        Mutation(TAG, "made = in_tag && (!in_decrypt || in_iv)", "made = in_tag", (M,)),
    ),
    "blocks enter at any time": (
        "192, a multiplier slower than its ring",
        Mutation(M, "assign paced = pace_q == '0;", "assign paced = 1'b1;"),
    ),
    "blocks enter a cycle too early": (
        "256, a multiplier slower than its pipeline",
        Mutation(M, "PaceBits'(Interval - 1)", "PaceBits'(Interval - 2)"),
    ),
    "what bypasses the core enters at any time": (
        "small",
        Mutation(
            M, "enter = paced && (core_ready || skip)", "enter = (paced && core_ready) || skip"
        ),
    ),
    "a block enters twice": (
        "small",
        Mutation(M, "mode_valid && !skip && paced", "mode_valid && !skip"),
    ),
    "the sum of the packet before": (
        "small",
        Mutation(GHASH, "zeroize || begin_packet", "zeroize", (TAG, M)),
    ),
    "the subkey of another slot": (
        "small",
        Mutation(GHASH, ".b(keys[in_slot])", ".b(keys[~in_slot])", (TAG, M)),
    ),
    "a packet before H": (
        "small",
        Mutation(
            M,
            "assign key_ready   = core_key_ready && !powers_busy;",
            "assign key_ready   = core_key_ready; // one at a time",
        ),
    ),
    "a wrong tag passes, one at a time": (
        "small",
        Mutation(TAG, "compare_q && differs_q != '0", "compare_q && differs_q != '0 && 1'b0", (M,)),
    ),
    "one product: too many blocks": (
        "192, a multiplier slower than its ring",
        Mutation(TAG, "full_q ? all_ones_q", "full_q ? 1'b0", (M,)),
    ),
    "one product: the next packet's place of the IV": (
        "small",
        Mutation(M, ".beat_hashed(beat_kind[1])", ".beat_hashed(!beat_kind[1])"),
    ),
}
# Of these, what random traffic shows too seldom, or not at all: a test of its own shows it.
SLOWER = ("a block enters twice",)
TOO_LONG = ("one product: too many blocks", "too many blocks are forgotten")
TAG_LENGTHS = ("a tag of another length", "short tags", "a tag of 13 bytes may have 14")
IV_MUTATIONS = {
    "an IV is used again": Mutation(
        M, "iv_ready_q <= 1'b0;\n    end\n    if", "iv_ready_q <= 1'b1;\n    end\n    if"
    ),
    "an IV of another slot": Mutation(M, "|| iv_slot_q != next_slot", ""),
    "an IV packet that is none": Mutation(TAG, "(iv && tag && beat_bare)", "1'b0", (M,)),
}
# Only a test of the rate sees these.
RATE_MUTATIONS = {
    "a quarter of the credits": Mutation(
        SHELL, "(CreditLatency)", "(CreditLatency + Depth / 4 * 3)", (M,)
    ),
}
# Two of each with different secrets: what `zeroize` zeroizes is then the same in both. The queues
# take longest in the first, the powers in the second; the third has a digit-serial multiplier.
TWINS = {
    "queues": (128, 10, 0, 1, 2, 2, 0, 32, 8, 0, 8),
    "powers": (128, 10, 0, 1, 2, 10, 0, 32, 8, 0, 8),
    "serial": (128, 1, 0, 1, 2, 0, 0, 32, 8, 0, 16),
    "two blocks": (128, 10, 0, 1, 2, 2, 0, 32, 8, 0, 8, 2),
    "the second of two": (128, 10, 0, 1, 2, 2, 0, 32, 8, 0, 8, 2),
}
TWIN_MUTATIONS = {
    "serial": Mutation(
        GHASH, ".zeroize(zeroize || begin_packet)", ".zeroize(begin_packet)", (TAG, M)
    ),
    "queues": zeroizes_the_cores_alone(M),
    "powers": Mutation(GHASH, "zeroize ? walk_q + 1'b1", "zeroize ? '0", (TAG, M)),
    # Long enough for the powers of one block.
    "two blocks": Mutation(M, "2 ** SlotBits * Ahead * Tiles;", "2 ** SlotBits;"),
    "the second of two": Mutation(SHELL, "Groups'({zeroize_data_q, 1'b1})", "Groups'(1)", (M,)),
}


def parameters_of(shape: tuple[int, ...]) -> dict[str, int]:
    """Return the parameters of a shape; a beat has one block where it says nothing."""
    return {"Tiles": 1, **dict(zip(NAMES, shape, strict=False))}


def secrets(parameters: Mapping[str, int]) -> dict[str, tuple[str, int]]:
    """Path and width of all that holds a secret in an engine, its core apart.

    `zeroize` of the core has its own test.
    """
    ahead, depth = ahead_of(parameters["MultiplyStages"]), parameters["Depth"]
    serial, tiles = not parameters["MultiplyStages"], parameters["Tiles"]
    data, keep = 128 * tiles, BYTES * tiles
    places = max(16, 2 * ahead)
    left = 0 if serial else (ahead * tiles).bit_length()
    slot = (parameters["KeySlots"] - 1).bit_length()
    head = data + keep + ID_BITS + USER_BITS
    word = data + keep + ID_BITS + USER_BITS + left + 2
    side = word + 1 + slot + 2
    kept = data + BYTES + keep + 1 + ID_BITS + USER_BITS + 4
    hash_cycles = 1 + 6 + parameters["MultiplyStages"] + 4
    shell, powers = "u_shell", "u_powers.gen_powers"
    ghash = "u_tag.u_ghash.gen_serial" if serial else "u_tag.u_ghash.gen_sums"
    found = {
        "head_data": (f"{shell}.data_q", data),
        "beat_data": (f"{shell}.beat_data", data),
        "given": (f"{shell}.u_contexts.payload_q", 96),
        "beat_payload": (f"{shell}.beat_payload", 96),
        "side_first": (f"{shell}.u_sides.gen_block.first_q", side),
        "side_second": (f"{shell}.side_second_q", side),
        "result_first": (f"{shell}.result_first_q", data),
        "result_second": (f"{shell}.result_second_q", data),
        "out": (f"{shell}.out_data_q", data),
        "post_xor": (f"{shell}.post_xor", data),
        **queue_probes.of_output_queue(shell, word, depth, blocks=tiles),
        "counter_block": ("core_block", data),
        "key": ("u_interlock.key", parameters["KeyBits"]),
        "tag_waited": ("u_tag.data", data),
        "tag_sum": ("u_tag.sum_q", data),
        "tag_out": ("u_tag.out_data", data),
        "hash": ("u_tag.u_ghash.out_hash", 128),
        "hashed_iv": ("u_tag.iv_hash", 128),
    }
    if serial:
        found |= {
            "hash_a": (f"{ghash}.u_multiply.a_q", 128),
            "hash_b": (f"{ghash}.u_multiply.b_q", 128),
            "parts": ("u_tag.hash_parts", 256),
        }
    else:
        first = head - 128 * (tiles - 1) + 1 + left
        found |= {
            "look_entry": ("gen_head.u_lookahead.data_q", head),
            "look_out": ("gen_head.u_slice.m_data", first),
            "look_spare": ("gen_head.u_slice.spare_q", first),
            "hash_key": (f"{powers}.hash_key_q", 128),
            "power_a": (f"{powers}.u_multiply.a_q", 128),
            "power_b": (f"{powers}.u_multiply.b_q", 128),
            "power_product": (f"{powers}.u_multiply.product", 128),
            "tag_block": ("u_tag.block_parts", data),
            "hash_block": (f"{ghash}.block_q", data),
            "hash_wait": (f"{ghash}.wait_block_q", data),
            "hash_left": (f"{ghash}.left_q", data),
            "product": (f"{ghash}.product", 128),
        }
        for block in range(1, tiles):
            apart = f"gen_head.gen_apart[{block}].u_slice"
            found[f"look_out_{block}"] = (f"{apart}.m_data", 128)
            found[f"look_spare_{block}"] = (f"{apart}.spare_q", 128)
        for block in range(tiles):
            own = f"{ghash}.gen_block[{block}]"
            found |= {
                f"hash_right_{block}": (f"{own}.right_q", 128),
                f"product_of_bytes_{block}": (f"{own}.u_multiply.c_4_q", 1215),
                f"product_of_halves_{block}": (f"{own}.u_multiply.c_8_q", 255),
            }
            for i in range(parameters["KeySlots"] * ahead * tiles):
                path = f"{own}.u_powers.gen_block.memory[{i}]"
                found[f"power_{block}_{i}"] = (path, 128)
    for i in range(4):
        found[f"payload_{i}"] = (f"{shell}.u_contexts.payloads[{i}]", 96)
    for i in range(1 if serial else 6):
        found[f"iv_{i}"] = (f"u_counter.iv_q[{i}]", 96)
    for i in range(0 if serial else 6):
        found[f"count_side_{i}"] = (
            f"u_tag.u_count_side.gen_registers.stage_q[{i}]",
            data + 4 + (keep - 1).bit_length() + slot + left,
        )
    for i in range(depth):
        found[f"side_{i}"] = (f"{shell}.u_sides.gen_block.memory[{i}]", side)
    if serial:
        for i in range(parameters["KeySlots"]):
            found[f"subkey_{i}"] = (f"{ghash}.keys[{i}]", 128)
        return found
    for i in range(places):
        found[f"look_{i}"] = (f"gen_head.u_lookahead.memory[{i}]", head)
    for i in range(hash_cycles - 1):
        found[f"wait_{i}"] = (f"u_tag.gen_wait.u_beat.gen_ram.memory[{i}]", kept)
    for i in range(ahead):
        found[f"sum_{i}"] = (f"{ghash}.sums[{i}]", 128)
    return found


def ahead_of(multiply_stages: int) -> int:
    """Return how many beats an engine looks ahead; 1 with a digit-serial multiplier."""
    if not multiply_stages:
        return 1
    return 4 if multiply_stages <= 2 else 8 if multiply_stages <= 6 else 16


def tag_latency(one: Instance) -> int:
    """Return the cycles that a beat is in aesforge_gcm_tag."""
    multiply = one["MultiplyStages"]
    return multiply + 13 if multiply else 128 // one["MultiplyDigit"] + 4


def zeroize_bound(one: Instance) -> int:
    """Return the cycles from `zeroize` until the engine is zeroized and open again."""
    core = Design(
        key_bits=one["KeyBits"],
        unroll=one["Unroll"],
        sbox="table",
        sbox_stages=one["SboxStages"],
        linear_stages=one["LinearStages"],
        key_schedule="stored",
        key_slots=one["KeySlots"],
    )
    multiply = one["MultiplyStages"]
    powers = one["Tiles"] * ahead_of(multiply) << (one["KeySlots"] - 1).bit_length()
    rest = max(one["Depth"] + 6 + one["Tiles"] + tag_latency(one), powers + multiply + 8)
    return core.zeroize_cycles + rest + 4


@dataclass
class Context:
    """What a packet brings."""

    slot: int
    iv: bytes
    decrypt: int
    tag_bytes: int
    iv_kind: int = 0  # 0: `iv`; 1: the packet is an IV; 2: that of the last such packet


@dataclass
class Packet:
    """Beats as they go in, and the context, None where it has none."""

    beats: list[Beat]
    context: Context | None
    slot: int
    end: int = 2**40  # the number of its last beat, once its first has gone in


def first_error(beats: list[Beat], context: Context, one: Instance) -> int:
    """Index of the first beat that is an error in itself, the tag's value apart."""
    legal = TAG_BYTES + (SHORT_TAG_BYTES if one["ShortTags"] else ())
    if context.tag_bytes not in legal:
        return 0
    text, partial, blocks = False, None, 0
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
        blocks += not mark
        if blocks > 2 ** one["CountBits"] - 2:
            return index
        partial = mark if beat.keep != FULL else None
    return len(beats)


def expected_beats(
    beats: list[Beat], context: Context | None, key: bytes | None, one: Instance
) -> list[Beat]:
    """Return the beats that a packet comes out as."""
    good = 0 if context is None or key is None else first_error(beats, context, one)
    out = [Beat(0, b.keep, b.last, b.id, b.user, int(i >= good)) for i, b in enumerate(beats)]
    if not good:
        return out
    assert context is not None
    assert key is not None
    body = beats[: min(good, len(beats) - 1)]
    if context.iv_kind == IV_PACKET:
        for index, beat in enumerate(body):
            out[index] = Beat(little(bytes_of([beat])), beat.keep, 0, beat.id, beat.user)
        if good == len(beats):
            some = any(beat.user & 1 for beat in body) or len(bytes_of(body)) in (0, 12)
            last = beats[-1]
            out[-1] = Beat(0, last.keep, 1, last.id, last.user, int(some))
        return out
    aad = [beat for beat in body if beat.user & 1]
    text = bytes_of([beat for beat in body if not beat.user & 1])
    decrypt = bool(context.decrypt)
    result, tag = gcm(key, context.iv, text, bytes_of(aad), decrypt=decrypt)
    for index, beat in enumerate(body):
        at = BYTES * (index - len(aad))
        part = bytes_of([beat]) if index < len(aad) else result[at : at + BYTES]
        out[index] = Beat(little(part), beat.keep, 0, beat.id, beat.user)
    if good == len(beats):
        last = beats[-1]
        tag = tag[: context.tag_bytes]
        wrong = decrypt and bytes_of([last]) != tag
        value = 0 if decrypt else little(tag)
        out[-1] = Beat(value, last.keep, 1, last.id, last.user, int(wrong))
    return out


class Engine(AheadPorts):
    """One engine, the traffic at its ports, and what must come of it."""

    def __init__(self, one: Instance, seed: int, faulty: float = 0.5) -> None:
        super().__init__(one, seed, faulty)
        self.verified = self.hashed = 0

    def reset(self) -> None:
        super().reset()
        self.inside: list[tuple[int, int]] = []  # slot, number of its last beat
        self.queued: Counter[int] = Counter()
        self.iv: tuple[int, bytes] | None = None  # slot, and the IV that a packet brought

    # --- What goes in

    def load(self, slot: int) -> None:
        # A key may only go to a slot that no packet inside, or on its way, has.
        self.inside = [(s, last) for s, last in self.inside if not self.has_left(last)]
        if not self.queued[slot] and all(s != slot for s, _ in self.inside):
            super().load(slot)

    def random_packet(self, aad: int | None = None, text: int | None = None) -> Packet:
        draw, one = self.draw, self.one
        legal = TAG_BYTES + (SHORT_TAG_BYTES if one["ShortTags"] else ())
        # Not a slot whose key is on its way.
        coming = {slot for slot, _ in self.keys.queue}
        slots = [slot for slot in self.known if slot not in coming] or [2**20]
        slot = draw.choice(slots)
        if slot == 2**20:
            slot = draw.choice([s for s in range(2**self.slot_bits) if s not in coming] or [0])
        context = Context(slot, draw.randbytes(12), draw.randrange(2), draw.choice(legal))
        if aad is None and draw.random() < 0.15:
            context.iv, context.iv_kind = draw.randbytes(draw.choice(IV_LENGTHS)), IV_HASHED
            packet = self.iv_packet(context.iv, slot)
            if draw.random() < self.faulty / 3:
                self.spoil_packet(packet)
            self.send(packet)
        id_, user = draw.randrange(2**ID_BITS), draw.randrange(2 ** (USER_BITS - 1))
        lengths = (0, 0, 1, 15, 16, 17, 32, 40, 80)
        aad = draw.choice(lengths) if aad is None else aad
        text = draw.choice((*lengths, *lengths, 150, 224, 225, 300)) if text is None else text
        key = self.known.get(slot, bytes(one["KeyBits"] // 8))
        sections = draw.randbytes(aad), draw.randbytes(text)
        tag = draw.randbytes(BYTES)
        if context.decrypt and draw.random() < 0.8:
            tag = gcm(key, context.iv, sections[1], sections[0], decrypt=True)[1]
        beats = beats_of(sections[0], 1, id_, user) + beats_of(sections[1], 0, id_, user)
        beats = [with_junk(draw, beat) for beat in beats]
        kept = little(tag) % 2 ** (8 * context.tag_bytes)
        beats.append(Beat(kept, 2**context.tag_bytes - 1, 1, id_, user << 1))
        packet = Packet(beats, context, slot)
        if draw.random() < self.faulty:
            self.spoil_packet(packet)
        return packet

    def iv_packet(self, iv: bytes, slot: int) -> Packet:
        """Return the packet that brings an IV."""
        draw = self.draw
        context = Context(slot, draw.randbytes(12), draw.randrange(2), 16, IV_PACKET)
        beats = [*beats_of(iv, 0, 0, 0), Beat(draw.getrandbits(128), FULL, 1, 0, 0)]
        return Packet(beats, context, slot)

    @property
    def slot_bits(self) -> int:
        return self.one.inputs["s_ctx_slot"][1]

    def spoil_packet(self, packet: Packet) -> None:
        """Make a packet wrong in some way, or perhaps so."""
        draw, beats, context = self.draw, packet.beats, packet.context
        assert context is not None
        at = draw.randrange(len(beats))
        beat, tag = beats[at], beats[-1]
        rest = beat.last, beat.id, beat.user
        match draw.randrange(11):
            case 0:  # a hole
                beats[at] = Beat(beat.data, 0b1011 << draw.randrange(12), *rest)
            case 1:  # another length
                beats[at] = Beat(beat.data, 2 ** draw.randrange(17) - 1, *rest)
            case 2:
                packet.context = None
            case 3:  # a tag length that may not be legal
                context.tag_bytes = draw.choice((0, 1, 4, 4, 8, 8, 8, 11, 17, 31))
                if draw.randrange(4):
                    keep = 2 ** min(context.tag_bytes, BYTES) - 1
                    beats[-1] = Beat(tag.data, keep, 1, tag.id, tag.user)
            case 4:  # another section
                beats[at] = Beat(beat.data, beat.keep, beat.last, beat.id, beat.user ^ 1)
            case 5:  # the tag marked as associated data
                beats[-1] = Beat(tag.data, tag.keep, 1, tag.id, tag.user ^ 1)
            case 6:  # a tag of another length, which the context may have too
                context.tag_bytes = draw.choice(TAG_BYTES + SHORT_TAG_BYTES)
                if draw.randrange(2):
                    keep = 2**context.tag_bytes - 1
                    beats[-1] = Beat(tag.data, keep, 1, tag.id, tag.user)
            case 7:  # one bit of the tag, or of what it is of
                beats[at] = Beat(beat.data ^ 1 << draw.randrange(128), beat.keep, *rest)
            case 9:  # an IV that is or is not a packet, or none
                others = [s for s in self.known if s not in {s for s, _ in self.keys.queue}]
                if context.iv_kind == IV_HASHED and others:
                    context.slot = packet.slot = draw.choice(others)
                else:
                    context.iv_kind = draw.randrange(4)
            case 8:  # one bit of the first byte of the tag
                beats[-1] = Beat(tag.data ^ 1 << draw.randrange(8), tag.keep, 1, tag.id, tag.user)
            case _:
                context.decrypt ^= 1

    def send(self, packet: Packet) -> None:
        super().send(packet)
        self.queued[packet.slot] += 1

    # --- A cycle

    def context_values(self, context: Any) -> dict[str, int]:
        return {
            "s_ctx_iv": little(context.iv[:12]) | self.draw.getrandbits(32) << 96,
            "s_ctx_iv_kind": context.iv_kind,
            "s_ctx_slot": context.slot,
            "s_ctx_decrypt": context.decrypt,
            "s_ctx_tag_bytes": context.tag_bytes,
        }

    def is_whole(self, packet: Any) -> bool:
        return bool(packet.end < 2**40) and not self.due

    def open(self) -> None:
        packet = self.under_way.pop(0)
        self.queued[packet.slot] -= 1
        context = packet.context
        key = self.known.get(context.slot) if context else None
        if context and context.iv_kind == IV_HASHED:
            kept, self.iv = self.iv, None
            if kept is None or kept[0] != context.slot:
                context = None
            else:
                context.iv = kept[1]
        if context and context.iv_kind > IV_HASHED:
            context = None
        if context and context.iv_kind == 0:
            context.iv = context.iv[:12]
        self.due = expected_beats(packet.beats, context, key, self.one)
        if context and context.iv_kind == IV_PACKET:
            good = not self.due[-1].error
            self.iv = (context.slot, bytes_of(packet.beats[:-1])) if good else None
        packet.end = self.board.given + len(self.due) - 1
        self.inside.append((packet.slot, packet.end))
        self.errors += self.due[-1].error
        self.hashed += bool(context and context.iv_kind == IV_HASHED and not self.due[-1].error)
        if context and context.decrypt and not self.due[-1].error:
            self.verified += 1


def add(
    bench: Bench,
    name: str,
    shape: tuple[int, ...],
    mutation: Mutation | None = None,
    probed: Mapping[str, tuple[str, int]] | None = None,
) -> None:
    """Add an engine to a bench; ``probed`` has path and width of its internal signals."""
    add_stored_engine(
        bench,
        name,
        M,
        parameters_of(shape),
        mutation,
        probed,
        context={"iv": 128, "iv_kind": 2, "decrypt": 1, "tag_bytes": 5},
    )


def make_bench(test: str) -> Bench:
    """Return the bench of one cocotb test: each engine costs time in every cycle."""
    bench = Bench({"zeroize": 1})
    shapes = SHAPES | SMALL_SHAPES
    directed = (*SLOWER, *TOO_LONG, *TAG_LENGTHS)
    true: Collection[str] = ()
    mutations: dict[str, tuple[str, Mutation]] = {}
    match test:
        case "packets_go_through":
            true = SHAPES
            mutations = {name: one for name, one in MUTATIONS.items() if name not in directed}
        case "packets_go_through_small_engines":
            true = SMALL_SHAPES
            mutations = {name: one for name, one in MORE_MUTATIONS.items() if name not in directed}
        case "an_iv_is_used_once_and_with_its_slot":
            true = ("unrolled",)
            mutations = {name: ("unrolled", one) for name, one in IV_MUTATIONS.items()}
        case "a_text_may_be_too_long":
            mutations = {name: (MUTATIONS | MORE_MUTATIONS)[name] for name in TOO_LONG}
            true = list(dict.fromkeys(shape for shape, _ in mutations.values()))
        case "a_tag_has_the_length_that_its_context_says":
            true = ("unrolled",)
            mutations = {name: MUTATIONS[name] for name in TAG_LENGTHS}
        case "rate_and_latency":
            true = shapes
            mutations = {name: ("unrolled", one) for name, one in RATE_MUTATIONS.items()}
            mutations |= {name: MORE_MUTATIONS[name] for name in SLOWER}
        case "zeroize_zeroizes_everything":
            for name, shape in TWINS.items():
                probed = secrets(parameters_of(shape))
                for twin, change in twins_of(name, TWIN_MUTATIONS[name]):
                    add(bench, twin, shape, change, probed)
    for name in true:
        add(bench, name, shapes[name])
    for name, (shape_name, mutation) in mutations.items():
        add(bench, name, shapes[shape_name], mutation)
    return bench


async def packets(dut: Any, test: str, least: int) -> None:
    """Idle x back-pressure x reset or zeroize in flight x key change between packets x lengths."""
    bench = make_bench(test)
    engines = [Engine(one, 100 + i) for i, one in enumerate(bench.instances)]
    await traffic(Driver(dut, bench), engines, cycles=700, left=40)
    judge(engines, bench.mutants)
    for engine in engines:
        if engine.one.mutation is None:
            assert engine.packets > least, (engine.one.name, engine.packets)
            assert engine.errors > least // 10, (engine.one.name, engine.errors)
            assert engine.verified > least // 10, (engine.one.name, engine.verified)
            assert engine.hashed >= least // 33, (engine.one.name, engine.hashed)


@cocotb.test()
async def packets_go_through(dut: Any) -> None:
    await packets(dut, "packets_go_through", 100)


@cocotb.test()
async def packets_go_through_small_engines(dut: Any) -> None:
    """On their own: in one traffic, the others would wait for them. They have fewer beats."""
    await packets(dut, "packets_go_through_small_engines", 40)


async def load_keys(driver: Driver, engines: Sequence[Engine]) -> None:
    """Reset engines and load two slots; then the keys are in, with all powers."""
    await reset(driver, engines)
    for engine in engines:
        engine.load(0)
        engine.load(1)
    for _ in range(700):
        await step(driver, engines, 1.0, 1.0)


async def with_keys(dut: Any, test: str, seed: int) -> tuple[Bench, Driver, list[Engine]]:
    """Return the bench of a test, and its engines with two keys and legal packets only."""
    bench = make_bench(test)
    driver = Driver(dut, bench)
    engines = [Engine(one, seed + i, faulty=0) for i, one in enumerate(bench.instances)]
    await load_keys(driver, engines)
    return bench, driver, engines


@cocotb.test()
async def an_iv_is_used_once_and_with_its_slot(dut: Any) -> None:
    """An IV used a second time or under another slot, or that is none, is an error."""
    bench, driver, engines = await with_keys(dut, "an_iv_is_used_once_and_with_its_slot", 500)
    for engine in engines:
        # The slot of an IV, and those of the packets that use it.
        for size, slot, *users in ((20, 0, 1, 0), (20, 0, 0, 0), (20, 1, 1, 0, 1), (12, 0, 0)):
            # One of 96 bits is not hashed.
            engine.send(engine.iv_packet(bytes(size), slot))
            for user in users:
                packet = engine.random_packet(20, 40)
                assert packet.context is not None
                packet.context.iv_kind, packet.context.decrypt = IV_HASHED, 0
                packet.context.slot = packet.slot = user
                engine.send(packet)
    # With gaps between the packets: the beats of one hide the next one's error.
    for _ in range(1200):
        await step(driver, engines, 0.3, 1.0)
    judge(engines, bench.mutants)
    (true,) = (engine for engine in engines if engine.one.mutation is None)
    assert (true.hashed, true.errors) == (2, 7)


@cocotb.test()
async def a_text_may_be_too_long(dut: Any) -> None:
    """As many blocks as there are counters are legal, one more is not, nor part of one."""
    bench, driver, engines = await with_keys(dut, "a_text_may_be_too_long", 600)
    for engine in engines:
        for blocks in (14, 15, 17):
            packet = engine.random_packet(20, BYTES * blocks)
            assert packet.context is not None
            packet.context.decrypt = 0
            engine.send(packet)
    for _ in range(2500):
        await step(driver, engines, 1.0, 1.0)
    judge(engines, bench.mutants)
    assert {engine.errors for engine in engines if engine.one.mutation is None} == {2}


@cocotb.test()
async def a_tag_has_the_length_that_its_context_says(dut: Any) -> None:
    """Any other is an error, and so are all tags of a length that is not legal."""
    bench, driver, engines = await with_keys(dut, "a_tag_has_the_length_that_its_context_says", 700)
    for engine in engines:
        for said in (*TAG_BYTES, *SHORT_TAG_BYTES, 11):
            for more in (0, 1 if said < BYTES else -1):
                packet = engine.random_packet(20, 40)
                assert packet.context is not None
                packet.context.decrypt, packet.context.tag_bytes = 0, said
                tag = packet.beats[-1]
                keep = 2 ** (said + more) - 1
                packet.beats[-1] = Beat(tag.data, keep, 1, tag.id, tag.user)
                engine.send(packet)
    for _ in range(1200):
        await step(driver, engines, 1.0, 1.0)
    judge(engines, bench.mutants)
    (true,) = (engine for engine in engines if engine.one.mutation is None)
    assert (true.packets, true.errors) == (16, 11)


@cocotb.test()
async def rate_and_latency(dut: Any) -> None:
    """No stalls: a beat per cycle, also of packets of two beats under random slots."""
    bench = make_bench("rate_and_latency")
    driver = Driver(dut, bench)
    engines = [Engine(one, 300 + i, faulty=0) for i, one in enumerate(bench.instances)]
    for aad, text in ((0, 16), (20, 64), (0, 16 * 11)):
        await load_keys(driver, engines)
        beats = 1 + sum(-(-length // BYTES) for length in (aad, text))
        for engine in engines:
            for _ in range(300 // beats + 1):
                engine.send(engine.random_packet(aad, text))
        begin = driver.number
        out: dict[str, list[int]] = {engine.one.name: [] for engine in engines}
        for _ in range(250):
            left = {engine.one.name: engine.board.left for engine in engines}
            await step(driver, engines, 1.0, 1.0)
            for engine in engines:
                if engine.board.left > left[engine.one.name]:
                    out[engine.one.name].append(driver.number - 1 - begin)
        for engine in engines:
            one, cycles = engine.one, out[engine.one.name]
            # Nothing hides the cycle in which its context comes with it.
            latency = first_beat(one, beats) + (not one["MultiplyStages"])
            if engine.board.fault is None and cycles[:1] != [latency]:
                engine.board.fault = f"first beat in {cycles[:1]}, latency {latency}"
            every = interval(one)
            full = every is None or cycles == list(range(latency, 250, every))
            if engine.board.fault is None and not full:
                engine.board.fault = f"not a beat per {every} cycles: {cycles[:9]}"
    judge(engines, bench.mutants)


def first_beat(one: Instance, beats: int) -> int:
    """Cycles from the first beat of a packet in to the same beat out."""
    core = rounds(one["KeyBits"]) * (one["SboxStages"] + one["LinearStages"]) + 1
    if not one["MultiplyStages"]:
        return core + 9 + 2 + tag_latency(one)
    ahead = ahead_of(one["MultiplyStages"])
    # It waits for the last beat of its packet, or for the one after so many.
    return core + 9 + 7 + tag_latency(one) + 5 + min(beats - 1, ahead)


def interval(one: Instance) -> int | None:
    """Return the cycles from beat to beat, or None where they vary."""
    full, core = rounds(one["KeyBits"]), rounds(one["KeyBits"]) // one["Unroll"]
    if one["MultiplyStages"]:
        return 1 if one["Unroll"] == full else None
    multiply = 128 // one["MultiplyDigit"] + 2
    return max(core, multiply) if one["Unroll"] in (1, full) else None


@cocotb.test()
async def zeroize_zeroizes_everything(dut: Any) -> None:
    def own_control(one: Instance, number: int) -> Mapping[str, int]:
        # A key for each slot; the second waits until the powers of the first are made, and a third
        # is under way at the end. Packets, with associated data now and then, use the first.
        key = number < 5 or 20 <= number < 25 or number > 650
        go = number > 340
        return {
            **{"s_key_tvalid": int(key), "s_key_slot": int(number >= 20)},
            **{"s_ctx_tvalid": int(go), "s_axis_tvalid": int(go)},
            **{"s_ctx_slot": 0, "s_ctx_decrypt": number // 5 % 2},
            **{"s_ctx_tag_bytes": 16, "s_axis_tuser": int(number % 9 < 2)},
            "s_axis_tkeep": 2 ** (BYTES * one["Tiles"]) - 1,
            # Now and then an IV to hash.
            "s_ctx_iv_kind": int(number % 50 < 10),
        }

    bench = make_bench("zeroize_zeroizes_everything")
    await zeroize_zeroizes(
        Driver(dut, bench),
        Twins(bench, TWINS, "m_axis_tdata"),
        modes=range(1),
        cycles=680,
        public_cycles=120,
        bound=zeroize_bound,
        own_control=own_control,
    )


@pytest.mark.usefixtures("mutants")
@pytest.mark.parametrize(
    "test",
    [
        "packets_go_through",
        "packets_go_through_small_engines",
        "an_iv_is_used_once_and_with_its_slot",
        "a_text_may_be_too_long",
        "a_tag_has_the_length_that_its_context_says",
        "rate_and_latency",
        "zeroize_zeroizes_everything",
    ],
)
def test_aesforge_engine_gcm(test: str, tmp_path: Path) -> None:
    make_bench(test).run(__file__, tmp_path, test)
