# SPDX-License-Identifier: Apache-2.0
"""aesforge_engine_xts: data units of any length, whatever either side does."""

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
    DECRYPT,
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
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from engine_ports import judge, little, reset, step, traffic, zeroize_zeroizes
from fips197 import rounds
from rtl_bench import Driver, Instance, Mutation, Twins, zeroizes_the_cores_alone
from streams import BYTES, Beat, bytes_of, cut, with_junk

M, SHELL, MODE = "aesforge_engine_xts", "aesforge_axis_shell", "aesforge_mode_xts"
TWEAK, LOOK = "aesforge_xts_tweak", "aesforge_unit_lookahead"
INTERLOCK, PAIRS = "aesforge_context_key_interlock", "aesforge_key_pair_check"
FULL = 2**BYTES - 1  # `tkeep` of a block
# Bytes of a data unit that is drawn.
LENGTHS = (16, 16, 17, 17, 18, 31, 31, 32, 33, 47, 48, 64, 80, 95, 140, 160, 200)
NAMES = (
    *("KeyBits", "Direction", "SboxStages", "LinearStages", "KeySlots", "Stealing", "UnitBits"),
    *("Depth", "QueueStyle", "Tiles"),
)
FAST = (128, ENCRYPT, 0, 1, 3, 1, 20, 64, 0, 1)
BACK = (128, DECRYPT, 0, 1, 2, 1, 20, 64, 1, 1)
SHAPES = {
    "encrypt": FAST,
    "decrypt": BACK,
    "256, both, few blocks": (256, BOTH, 1, 1, 5, 1, 3, 64, 0, 1),
    "whole blocks": (128, BOTH, 0, 1, 2, 0, 20, 32, 0, 1),
    "two blocks": (128, BOTH, 0, 1, 3, 1, 4, 64, 0, 2),
    "four whole blocks": (128, BOTH, 0, 1, 2, 0, 20, 32, 0, 4),
}
# name -> shape, mutation. Those of the parts alone are in the parts' own tests.
MUTATIONS: dict[str, tuple[str, Mutation]] = {
    "alpha without its polynomial": ("encrypt", Mutation(MODE, "8'h87", "8'h86", (M,))),
    "the second time has the slot of another": (
        "encrypt",
        Mutation(MODE, "again_side_q <= rest_side", "again_side_q <= core_side", (M,)),
    ),
    "a block too many": (
        "256, both, few blocks",
        Mutation(LOOK, "m_error <= next_over ||", "m_error <=", (M,)),
    ),
    "numbers count in 16 bits": (
        "encrypt",
        Mutation(TWEAK, "carry_q  <= sum[16]", "carry_q  <= 1'b0", (M,)),
    ),
    "equal keys": ("encrypt", Mutation(M, "|| keys_equal", "")),
    "half of the keys are compared": (
        "encrypt",
        Mutation(PAIRS, "&equal_q", "&equal_q[3:0]", (M,)),
    ),
    "equal keys once are refused for ever": (
        "encrypt",
        Mutation(PAIRS, "<= &equal_q", "<= refused_q[key_slot] || &equal_q", (M,)),
    ),
    "one key for both": (
        "encrypt",
        Mutation(M, ".key(key[KeyBits-1:0])", ".key(key[2*KeyBits-1:KeyBits])"),
    ),
    "a key that is in use": ("encrypt", Mutation(INTERLOCK, "used[s_key_slot] || ", "", (M,))),
    "no direction is an error": (
        "encrypt",
        Mutation(M, "(Direction == aesforge_pkg::Encrypt && next_decrypt)", "1'b0"),
    ),
    "no direction is an error, decrypting": (
        "decrypt",
        Mutation(M, "(Direction == aesforge_pkg::Decrypt && !next_decrypt)", "1'b0"),
    ),
    "ends of packets without a context count": (
        "encrypt",
        Mutation(M, "beat_last && beat_header[HeaderBits]", "beat_last"),
    ),
    "the beats of two blocks are counted as one": (
        "two blocks",
        Mutation(M, ".Blocks(Tiles),\n      .UnitBits", ".UnitBits", (M,)),
    ),
    "part of a block where none is built": (
        "four whole blocks",
        Mutation(M, ".next_partial(Stealing)", ".next_partial(1'b1)"),
    ),
    "errors found ahead do not count": (
        "encrypt",
        Mutation(SHELL, "(Marked && user_q[UserBits-1]) ||", "", (M,)),
    ),
}
# Only a test of the rate sees these.
RATE_MUTATIONS = {
    "a quarter of the credits": Mutation(
        SHELL, "(CreditLatency)", "(CreditLatency + Depth / 4 * 3)", (M,)
    ),
}
# Only a test of keys that follow closely sees this, at the entry of the core.
KEY_MUTATIONS = {
    "a key before the second time": Mutation(M, "Stealing ? Latency + 9 : 5", "5"),
}
TWINS = {
    "stealing": (128, ENCRYPT, 0, 1, 2, 1, 20, 8, 0, 1),
    "plain": (128, DECRYPT, 0, 1, 2, 0, 20, 16, 0, 1),
    "two blocks": (128, ENCRYPT, 0, 1, 2, 1, 20, 8, 0, 2),
}
TWIN_MUTATIONS = {name: zeroizes_the_cores_alone(M) for name in TWINS}


@dataclass(kw_only=True)
class Context(EarlyContext):
    """What a packet brings, or several in turn: ``more`` follow."""

    number: int
    more: int = 0


@dataclass(kw_only=True, eq=False)
class Packet(EarlyPacket):
    """A data unit."""

    place: int = 0  # of those that share its context


def first_error(beats: list[Beat], one: Instance) -> int:
    """Index of the first beat that is an error in itself."""
    size = BYTES * one["Tiles"]
    for index, beat in enumerate(beats):
        last, kept = index == len(beats) - 1, beat.keep.bit_count()
        if beat.keep & (beat.keep + 1) or (kept < size and not last):
            return index
        if (index == 0 and kept < BYTES) or (kept % BYTES and not one["Stealing"]):
            return index
        if kept and index * one["Tiles"] >= 2 ** one["UnitBits"]:
            return index
    return len(beats)


def xts(key: bytes, number: int, data: bytes, decrypt: int) -> bytes:
    """What OpenSSL makes of a data unit."""
    tweak = (number % 2**128).to_bytes(16, "little")
    cipher = Cipher(algorithms.AES(key), modes.XTS(tweak))
    worker = cipher.decryptor() if decrypt else cipher.encryptor()
    return worker.update(data) + worker.finalize()


def expected_beats(packet: Packet, one: Instance) -> list[Beat]:
    """Return the beats that a packet comes out as."""
    beats, context = packet.beats, packet.context
    size = BYTES * one["Tiles"]
    good = 0
    if context is not None and context.key is not None:
        half = len(context.key) // 2
        if context.key[:half] != context.key[half:] and one["Direction"] in (context.decrypt, BOTH):
            good = first_error(beats, one)
    data = b""
    if good:
        assert context is not None
        assert context.key is not None
        number = context.number + packet.place
        data = xts(context.key, number, bytes_of(beats[:good], size), context.decrypt)
    out = []
    for index, beat in enumerate(beats):
        part = data[size * index : size * (index + 1)] if index < good else b""
        out.append(Beat(little(part), beat.keep, beat.last, beat.id, beat.user, int(index >= good)))
    return out


class Engine(EarlyKeyPorts):
    """One engine, the traffic at its ports, and what must come of it."""

    def __init__(self, one: Instance, seed: int, faulty: float = 0.4) -> None:
        self.stolen = self.sequences = 0
        super().__init__(one, seed, faulty)

    # --- What goes in

    def load(self, slot: int) -> None:
        size = self.one["KeyBits"] // 8
        key = self.draw.randbytes(2 * size)
        match self.draw.randrange(6):
            case 0:
                key = 2 * key[:size]
            case 1:  # one bit apart
                at = self.draw.randrange(8 * size)
                key = key[:size] + (little(key[:size]) ^ 1 << at).to_bytes(size, "little")
        self.keys.queue.append((slot, key))

    def queue_packet(self) -> None:
        """Queue a packet, or several under one context."""
        draw, one = self.draw, self.one
        more = draw.randrange(1, 5) if draw.random() < 0.2 else 0
        number = draw.getrandbits(128)
        if draw.random() < 0.4:  # at the edge of a word
            number = (number >> 64 << 64) | (2 ** draw.choice((16, 32, 48, 64)) - draw.randrange(4))
        if draw.random() < 0.1:
            number = 2**128 - draw.randrange(1, 4)
        way = one["Direction"] if one["Direction"] != BOTH else draw.randrange(2)
        slot = draw.choice([*self.known] or [0])
        if draw.random() < self.faulty / 6:
            way ^= 1
        if draw.random() < self.faulty / 6:
            slot = draw.randrange(2 ** one.inputs["s_ctx_slot"][1])
        context = Context(slot=slot, number=number, decrypt=way, more=more)
        self.sequences += more > 0
        for place in range(more + 1):
            packet = Packet(beats=self.random_beats(), context=context, place=place)
            if draw.random() < self.faulty:
                self.spoil_packet(packet)
            self.send(packet)
        if draw.random() < self.faulty / 8:
            self.send(Packet(beats=self.random_beats(), context=None))

    def random_beats(self, length: int | None = None) -> list[Beat]:
        draw = self.draw
        size = draw.choice(LENGTHS) if length is None else length
        if not self.one["Stealing"]:
            size -= size % BYTES
        id_, user = draw.randrange(2**ID_BITS), draw.randrange(2**USER_BITS)
        wide = BYTES * self.one["Tiles"]
        beats = cut(draw.randbytes(size), id_, user, wide)
        beats[-1] = with_junk(draw, beats[-1], wide)
        return beats

    def spoil_packet(self, packet: Packet) -> None:
        """Make a packet wrong in some way, or perhaps so."""
        draw, beats = self.draw, packet.beats
        at = draw.choice((draw.randrange(len(beats)), len(beats) - 1))
        beat = beats[at]
        rest = beat.last, beat.id, beat.user
        size = BYTES * self.one["Tiles"]
        match draw.randrange(5):
            case 0:  # a hole
                beats[at] = Beat(beat.data, 0b1011 << draw.randrange(size - 4), *rest)
            case 1:  # another length
                beats[at] = Beat(beat.data, 2 ** draw.randrange(size + 1) - 1, *rest)
            case 2:  # nothing in the last beat
                beats[-1] = Beat(0, 0, 1, beat.id, beat.user)
            case 3:  # less than a block
                packet.beats = self.random_beats(draw.randrange(16))
            case _:  # not the first bytes
                beats[at] = Beat(beat.data, 0b1100, *rest)

    # --- A cycle

    def context_values(self, context: Any) -> dict[str, int]:
        return {
            **{"s_ctx_iv": context.number, "s_ctx_slot": context.slot},
            **{"s_ctx_decrypt": context.decrypt, "s_ctx_more": context.more},
        }

    def brings_context(self, packet: Any) -> bool:
        return bool(packet.place == 0)

    def expected_beats(self, packet: Any) -> list[Beat]:
        return expected_beats(packet, self.one)

    def ended(self, packet: Any, last: Beat) -> None:
        self.stolen += last.keep.bit_count() % BYTES > 0 and not last.error


def secrets(parameters: Mapping[str, int]) -> dict[str, tuple[str, int]]:
    """Path and width of all that holds a secret in an engine, its cores apart.

    `zeroize` of the core has its own test.
    """
    depth, slot = parameters["Depth"], (parameters["KeySlots"] - 1).bit_length()
    latency = (
        rounds(parameters["KeyBits"]) * (parameters["SboxStages"] + parameters["LinearStages"]) + 1
    )
    tiles = parameters["Tiles"]
    data, keep = 128 * tiles, BYTES * tiles
    inner = USER_BITS + 2
    word = data + keep + ID_BITS + inner + 2
    side = word + 1 + 1
    unit = data + ID_BITS + USER_BITS
    shell, tweaks = "u_shell", "u_tweak.u_cipher.u_blocks"
    found = {
        "look_next": ("u_lookahead.u_slice.m_data", unit + keep + 3),
        "look_spare": ("u_lookahead.u_slice.spare_q", unit + keep + 3),
        "look_held": ("u_lookahead.m_data", unit),
        "slice": ("u_head.m_data", unit + keep + 3),
        "slice_spare": ("u_head.spare_q", unit + keep + 3),
        "head_data": (f"{shell}.data_q", data),
        "beat_data": (f"{shell}.beat_data", data),
        "given": (f"{shell}.u_contexts.payload_q", 128),
        "beat_payload": (f"{shell}.beat_payload", 128),
        "side_first": (f"{shell}.u_sides.gen_block.first_q", side),
        "side_second": (f"{shell}.side_second_q", side),
        "result_first": (f"{shell}.result_first_q", data),
        "result_second": (f"{shell}.result_second_q", data),
        "out": (f"{shell}.out_data_q", data),
        **queue_probes.of_output_queue(shell, word, depth, blocks=tiles),
        "key": ("u_interlock.key", 2 * parameters["KeyBits"]),
        "number": ("u_tweak.number_q", 128),
        **queue_probes.of_queue("tweak", tweaks, 128, 16),
        "tweak_out": (f"{tweaks}.m_data", 128),
        "next_tweak": ("u_mode.next_q", 128),
        "mode_data": ("u_mode.data_q", data),
        "mode_tweak": ("u_mode.tweak_q", data),
        "mode_mask": ("u_mode.xor_q", data),
        "mask_first": ("u_mode.u_xors.u_ram.gen_block.first_q", data),
        "mask_second": ("u_mode.u_xors.q", data),
        "core_block": ("core_block", data),
    }
    for i in range(4):
        found[f"payload_{i}"] = (f"{shell}.u_contexts.payloads[{i}]", 128)
    for i in range(depth):
        found[f"side_{i}"] = (f"{shell}.u_sides.gen_block.memory[{i}]", side)
    masks = 2 * latency + 3 if parameters["Stealing"] else latency
    for i in range(1 << (masks - 2).bit_length()):
        found[f"mask_{i}"] = (f"u_mode.u_xors.u_ram.gen_block.memory[{i}]", data)
    if parameters["Stealing"]:
        steal = "u_mode.gen_stealing"
        rest = data + keep + slot + 1
        found |= {
            "last": (f"{steal}.last_q", 128),
            "last_tweak": (f"{steal}.last_tweak_q", 128),
            "again": (f"{steal}.again_block_q", data),
            "rest": (f"{steal}.rest_q", data),
            "rest_first": (f"{steal}.u_rest.u_ram.gen_block.first_q", rest),
            "rest_second": (f"{steal}.u_rest.q", rest),
            "wait_first": (f"{steal}.u_results.u_ram.gen_block.first_q", data),
            "wait_second": (f"{steal}.u_results.q", data),
        }
        for name, cycles, width in (("rest", latency, rest), ("results", latency + 3, data)):
            for i in range(1 << (cycles - 2).bit_length()):
                found[f"{name}_{i}"] = (f"{steal}.u_{name}.u_ram.gen_block.memory[{i}]", width)
        for block in range(tiles - 1):
            found[f"early_{block}"] = (f"{steal}.gen_rest[{block}].gen_other.early_q", 128)
            found[f"late_{block}"] = (f"{steal}.gen_result[{block}].gen_other.out_q", 128)
    return found


def zeroize_bound(one: Instance) -> int:
    """Return the cycles from `zeroize` until the engine is zeroized and open again."""
    core = cores_zeroize_cycles(one)
    latency = latency_of(one)
    queues = one["Depth"] + 6 + one["Tiles"] + (latency + 7 if one["Stealing"] else 3)
    waits = (1 << (2 * latency + 1).bit_length()) + 4
    return core + max(queues, waits) + 4


make_bench = EngineBenches(
    module=M,
    names=NAMES,
    shapes=SHAPES,
    mutations={
        "packets_go_through": MUTATIONS,
        "rate_and_latency": {name: ("encrypt", one) for name, one in RATE_MUTATIONS.items()},
        "keys_follow_closely": {name: ("encrypt", one) for name, one in KEY_MUTATIONS.items()},
    },
    keyed=tuple(SHAPES),
    twins=TWINS,
    twin_mutations=TWIN_MUTATIONS,
    secrets=secrets,
    keys=2,
    context={"iv": 128, "more": 16, "decrypt": 1},
).make


@cocotb.test()
async def packets_go_through(dut: Any) -> None:
    """Idle x back-pressure x reset or zeroize in flight x key change between packets x lengths."""
    bench = make_bench("packets_go_through")
    driver = Driver(dut, bench)
    engines = [Engine(one, 100 + i) for i, one in enumerate(bench.instances)]
    await traffic(driver, engines, cycles=680, left=40)
    judge(engines, bench.mutants)
    for engine in engines:
        if engine.one.mutation is None:
            assert engine.packets > 100, (engine.one.name, engine.packets)
            assert engine.errors > 10, (engine.one.name, engine.errors)
            assert engine.sequences > 5, (engine.one.name, engine.sequences)
            assert engine.stolen > 30 or not engine.one["Stealing"], (
                engine.one.name,
                engine.stolen,
            )


@cocotb.test()
async def rate_and_latency(dut: Any) -> None:
    """No stalls: a beat per cycle, also where each data unit ends in part of a block."""
    bench = make_bench("rate_and_latency")
    driver = Driver(dut, bench)
    engines = [Engine(one, 300 + i, faulty=0) for i, one in enumerate(bench.instances)]
    for beats, part in ((14, 0), (15, 9), (15, -7), (32, 0)):
        await reset(driver, engines)
        for engine in engines:
            engine.known[0] = engine.draw.randbytes(engine.one["KeyBits"] // 4)
            engine.keys.queue.append((0, engine.known[0]))
        for _ in range(80):  # the keys are in
            await step(driver, engines, 1.0, 1.0)
        sent = []
        for engine in engines:
            one, way = engine.one, engine.one["Direction"] % 2
            blocks = beats * one["Tiles"]
            if 2 ** one["UnitBits"] < blocks or (part and not one["Stealing"]):
                continue
            # The last beat has part of its first block, or of its last.
            length = BYTES * (blocks - one["Tiles"] * (part > 0)) + part
            sent.append(engine)
            for number in range(300 // beats + 1):
                context = Context(slot=0, number=number, decrypt=way)
                engine.send(Packet(beats=engine.random_beats(length), context=context))
        for ports, cycles in await cycles_of_beats(driver, engines, 270):
            if ports in sent:
                # The first beat waits for its tweak. Part of a block at the end takes a cycle more.
                more = bool(part) * len(cycles) // beats
                note_rate(ports, cycles, 270, first=first_beat(ports.one), gaps=more)
    judge(engines, bench.mutants)


@cocotb.test()
async def keys_follow_closely(dut: Any) -> None:
    """A key for the slot of a data unit that ends in part of a block, at every distance."""
    bench = make_bench("keys_follow_closely")
    driver = Driver(dut, bench)
    engines = [Engine(one, 500 + i, faulty=0) for i, one in enumerate(bench.instances)]

    def send(engine: Engine, distance: int, number: int) -> None:
        context = Context(slot=0, number=number, decrypt=engine.one["Direction"] % 2)
        engine.send(Packet(beats=engine.random_beats(41), context=context))

    await keys_follow_packets(driver, engines, send, 100)
    judge(engines, bench.mutants)


def first_beat(one: Instance) -> int:
    """Cycles from the first context in to the first beat out."""
    core = latency_of(one)
    return core + 9 + core + 14 + (core + 3 if one["Stealing"] else 0)


@cocotb.test()
async def zeroize_zeroizes_everything(dut: Any) -> None:
    def own_control(one: Instance, number: int) -> Mapping[str, int]:
        return {
            "s_ctx_more": number % 3,
            "s_ctx_slot": 0,
            "s_key_slot": 0,
            "s_ctx_decrypt": int(one["Direction"]),
        }

    bench = make_bench("zeroize_zeroizes_everything")
    await zeroize_zeroizes(
        Driver(dut, bench),
        Twins(bench, TWINS, "m_axis_tdata"),
        modes=range(1),
        cycles=300,
        public_cycles=120,
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
def test_aesforge_engine_xts(test: str, tmp_path: Path) -> None:
    make_bench(test).run(__file__, tmp_path, test)
