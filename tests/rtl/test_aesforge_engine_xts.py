# SPDX-License-Identifier: Apache-2.0
"""aesforge_engine_xts: data units of any length, whatever either side does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import cocotb
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from engine_ports import InOrderPorts, drain, judge, little, reset, step, traffic, zeroize_zeroizes
from fips197 import rounds
from rtl_bench import Bench, Driver, Instance, Mutation, Outputs, Twins
from streams import BYTES, Beat, cut

from aesforge.design import Design

M, SHELL, MODE = "aesforge_engine_xts", "aesforge_axis_shell", "aesforge_mode_xts"
TWEAK, LOOK = "aesforge_xts_tweak", "aesforge_unit_lookahead"
KEYS = "aesforge_stream_key_interlock"
ID_BITS, USER_BITS, WAIT = 2, 3, 20
FULL = 2**BYTES - 1
ENCRYPT, DECRYPT, BOTH = range(3)
# Bytes of a data unit that is drawn.
LENGTHS = (16, 16, 17, 17, 18, 31, 31, 32, 33, 47, 48, 64, 80, 95, 140, 160, 200)
NAMES = (
    *("KeyBits", "Direction", "SboxStages", "LinearStages", "KeySlots", "Stealing", "UnitBits"),
    *("Depth", "QueueStyle"),
)
FAST = (128, ENCRYPT, 0, 1, 3, 1, 20, 64, 0)
BACK = (128, DECRYPT, 0, 1, 2, 1, 20, 64, 1)
SHAPES = {
    "encrypt": FAST,
    "decrypt": BACK,
    "256, both, few blocks": (256, BOTH, 1, 1, 5, 1, 3, 64, 0),
    "whole blocks": (128, BOTH, 0, 1, 2, 0, 20, 32, 0),
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
    "equal keys": ("encrypt", Mutation(M, "|| refused_q[unit_slot]", "")),
    "half of the keys are compared": ("encrypt", Mutation(M, "&equal_q", "&equal_q[3:0]")),
    "equal keys once are refused for ever": (
        "encrypt",
        Mutation(
            M,
            "refused_q[key_slot] <= &equal_q",
            "refused_q[key_slot] <= refused_q[key_slot] || &equal_q",
        ),
    ),
    "one key for both": (
        "encrypt",
        Mutation(M, ".key(key[KeyBits-1:0])", ".key(key[2*KeyBits-1:KeyBits])"),
    ),
    "a key that is in use": ("encrypt", Mutation(KEYS, "used[s_key_slot] || ", "", (M,))),
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
    "a key before the second time": Mutation(M, "Stealing ? Latency + 8 : 4", "4"),
}
ENTRY = {name: (name, 1) for name in ("core_valid", "core_ready")}
TWINS = {
    "stealing": (128, ENCRYPT, 0, 1, 2, 1, 20, 8, 0),
    "plain": (128, DECRYPT, 0, 1, 2, 0, 20, 16, 0),
}
TWIN_MUTATIONS = {
    name: Mutation(M, "zeroize || (zeroize_q && !rest_end)", "zeroize") for name in TWINS
}


def latency_of(one: Instance) -> int:
    return int(rounds(one["KeyBits"]) * (one["SboxStages"] + one["LinearStages"]) + 1)


@dataclass
class Context:
    """What a packet brings, or several in turn: ``more`` follow."""

    slot: int
    number: int
    decrypt: int
    more: int = 0
    key: bytes | None = None  # of the slot, once the context has gone in
    accepted: bool = False


@dataclass
class Packet:
    """Beats as they go in, and the context, None where it has none."""

    beats: list[Beat]
    context: Context | None
    place: int = 0  # of those that share its context
    due: list[int] = field(default_factory=list)  # its beats that have gone in
    end: int = 2**40  # the number of its last beat, once it is expected

    @property
    def resolved(self) -> bool:
        return self.context is None or self.context.accepted


def bytes_of(beats: list[Beat]) -> bytes:
    return b"".join(beat.data.to_bytes(BYTES, "little")[: beat.keep.bit_count()] for beat in beats)


def first_error(beats: list[Beat], one: Instance) -> int:
    """Index of the first beat that is an error in itself."""
    for index, beat in enumerate(beats):
        last, full = index == len(beats) - 1, beat.keep == FULL
        if beat.keep & (beat.keep + 1) or (not full and not last):
            return index
        if not full and (index == 0 or (beat.keep and not one["Stealing"])):
            return index
        if beat.keep and index >= 2 ** one["UnitBits"]:
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
        data = xts(context.key, number, bytes_of(beats[:good]), context.decrypt)
    out = []
    for index, beat in enumerate(beats):
        part = data[BYTES * index : BYTES * (index + 1)] if index < good else b""
        out.append(Beat(little(part), beat.keep, beat.last, beat.id, beat.user, int(index >= good)))
    return out


class Engine(InOrderPorts):
    """One engine, the traffic at its ports, and what must come of it."""

    def __init__(self, one: Instance, seed: int, faulty: float = 0.4) -> None:
        self.stolen = self.sequences = 0
        super().__init__(one, seed, faulty)

    def reset(self) -> None:
        super().reset()
        self.inside: list[tuple[Packet, int]] = []  # beats that are in, not yet expected
        self.taken: list[Packet] = []

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
        context = Context(slot, number, way, more)
        self.sequences += more > 0
        for place in range(more + 1):
            packet = Packet(self.random_beats(), context, place)
            if draw.random() < self.faulty:
                self.spoil_packet(packet)
            self.send(packet)
        if draw.random() < self.faulty / 8:
            self.send(Packet(self.random_beats(), None))

    def random_beats(self, length: int | None = None) -> list[Beat]:
        draw = self.draw
        size = draw.choice(LENGTHS) if length is None else length
        if not self.one["Stealing"]:
            size -= size % BYTES
        id_, user = draw.randrange(2**ID_BITS), draw.randrange(2**USER_BITS)
        beats = cut(draw.randbytes(size), id_, user)
        # What is not kept may hold anything.
        junk = (
            draw.getrandbits(128)
            >> 8 * beats[-1].keep.bit_count()
            << 8 * beats[-1].keep.bit_count()
        )
        beats[-1] = Beat(beats[-1].data | junk, beats[-1].keep, 1, id_, user)
        return beats

    def spoil_packet(self, packet: Packet) -> None:
        """Make a packet wrong in some way, or perhaps so."""
        draw, beats = self.draw, packet.beats
        at = draw.choice((draw.randrange(len(beats)), len(beats) - 1))
        beat = beats[at]
        rest = beat.last, beat.id, beat.user
        match draw.randrange(5):
            case 0:  # a hole
                beats[at] = Beat(beat.data, 0b1011 << draw.randrange(12), *rest)
            case 1:  # another length
                beats[at] = Beat(beat.data, 2 ** draw.randrange(17) - 1, *rest)
            case 2:  # nothing in the last beat
                beats[-1] = Beat(0, 0, 1, beat.id, beat.user)
            case 3:  # less than a block
                packet.beats = self.random_beats(draw.randrange(16))
            case _:  # not the first bytes
                beats[at] = Beat(beat.data, 0b1100, *rest)

    # --- A cycle

    def has_left(self, number: int) -> bool:
        """Whether a beat of this number is out."""
        expected = self.board.expected
        return number < (expected[0][0] if expected else self.board.given)

    def context_values(self, context: Any) -> dict[str, int]:
        return {
            **{"s_ctx_iv": context.number, "s_ctx_slot": context.slot},
            **{"s_ctx_decrypt": context.decrypt, "s_ctx_more": context.more},
        }

    def offer(self, share: float, ready: float) -> dict[str, int]:
        # Contexts are given in order; one after a packet without any waits until that has left.
        while self.plan and (self.plan[0].context or self.has_left(self.plan[0].end)):
            packet = self.plan.pop(0)
            if packet.context and packet.place == 0:
                self.contexts.queue.append(packet.context)
        # Nor may the next packet wait for its context in the meantime.
        lone = self.plan and self.plan[0].context is None
        if lone and self.plan[0] not in self.under_way and not self.beats.offered:
            share = 0.0
        return super().offer(share, ready)

    def after(self, now: int, outputs: Outputs) -> None:
        # A context finds the keys that went in before it, or with it.
        self.take_key(outputs)
        context = self.contexts.after(outputs.of(self.one, "s_ctx_tready"))
        if context is not None:
            context.accepted = True
            context.key = self.known.get(context.slot)
        if self.take_beat(outputs):
            packet = self.under_way[0]
            packet.due.append(0)
            self.inside.append((packet, len(packet.due) - 1))
            if len(packet.due) == len(packet.beats):
                self.under_way.pop(0)
                self.packets += 1
        while self.inside and self.inside[0][0].resolved:
            packet, index = self.inside.pop(0)
            beats = expected_beats(packet, self.one)
            if index == len(beats) - 1:
                packet.end = self.board.given
                self.errors += beats[-1].error
                part = 0 < beats[-1].keep < FULL
                self.stolen += part and not beats[-1].error
            self.board.accepted(beats[index])
        self.watch(now, outputs)

    @property
    def idle(self) -> bool:
        return super().idle and not self.inside


def add(
    bench: Bench,
    name: str,
    shape: tuple[int, ...],
    mutation: Mutation | None = None,
    probed: Mapping[str, tuple[str, int]] | None = None,
) -> None:
    """Add an engine to a bench; ``probed`` has path and width of its internal signals."""
    parameters = dict(zip(NAMES, shape, strict=True))
    slot_bits = (parameters["KeySlots"] - 1).bit_length()
    bench.add(
        name,
        M,
        {
            **parameters,
            **{"SboxStyle": 0, "KeySboxStyle": 0, "ContextTimeout": WAIT},
            **{"UserBits": USER_BITS, "IdBits": ID_BITS},
        },
        inputs={
            **{"rst": 1, "s_key_tvalid": 1, "s_key_slot": slot_bits},
            **{
                "s_key_tdata": 2 * parameters["KeyBits"],
                "s_ctx_tvalid": 1,
                "s_ctx_slot": slot_bits,
            },
            **{"s_ctx_iv": 128, "s_ctx_more": 16, "s_ctx_decrypt": 1},
            **{"s_axis_tvalid": 1, "s_axis_tdata": 128, "s_axis_tkeep": 16, "s_axis_tlast": 1},
            **{"s_axis_tid": ID_BITS, "s_axis_tuser": USER_BITS, "m_axis_tready": 1},
        },
        outputs={
            **{"s_key_tready": 1, "s_ctx_tready": 1, "s_axis_tready": 1, "m_axis_tvalid": 1},
            **{"m_axis_tdata": 128, "m_axis_tkeep": 16, "m_axis_tlast": 1},
            **{"m_axis_tid": ID_BITS, "m_axis_tuser": USER_BITS + 1},
        },
        probes=probed,
        mutation=mutation,
    )


def secrets(parameters: Mapping[str, int]) -> dict[str, tuple[str, int]]:
    """Path and width of all that holds a secret in an engine, its cores apart.

    `zeroize` of the core has its own test.
    """
    depth, slot = parameters["Depth"], (parameters["KeySlots"] - 1).bit_length()
    latency = (
        rounds(parameters["KeyBits"]) * (parameters["SboxStages"] + parameters["LinearStages"]) + 1
    )
    inner = USER_BITS + 2
    word = 128 + BYTES + ID_BITS + inner + 2
    side = word + 1 + 1
    unit = 128 + ID_BITS + USER_BITS
    shell, tweaks = "u_shell", "u_tweak.u_cipher.u_blocks"
    found = {
        "look_next": ("u_lookahead.u_slice.m_data", unit + 19),
        "look_spare": ("u_lookahead.u_slice.spare_q", unit + 19),
        "look_held": ("u_lookahead.m_data", unit),
        "head_data": (f"{shell}.data_q", 128),
        "beat_data": (f"{shell}.beat_data", 128),
        "given": (f"{shell}.u_contexts.payload_q", 128),
        "beat_payload": (f"{shell}.beat_payload", 128),
        "side_first": (f"{shell}.u_sides.gen_block.first_q", side),
        "side_second": (f"{shell}.side_second_q", side),
        "result_first": (f"{shell}.result_first_q", 128),
        "result_second": (f"{shell}.result_second_q", 128),
        "out": (f"{shell}.out_data_q", 128),
        "word_first": (f"{shell}.u_queue.u_ram.gen_block.first_q", word),
        "word_second": (f"{shell}.u_queue.second_q", word),
        "word_spare": (f"{shell}.u_queue.u_slice.spare_q", word),
        "key": ("u_interlock.key", 2 * parameters["KeyBits"]),
        "number": ("u_tweak.number_q", 128),
        "tweak_first": (f"{tweaks}.u_ram.gen_block.first_q", 128),
        "tweak_second": (f"{tweaks}.second_q", 128),
        "tweak_out": (f"{tweaks}.m_data", 128),
        "tweak_spare": (f"{tweaks}.u_slice.spare_q", 128),
        "next_tweak": ("u_mode.next_q", 128),
        "core_block": ("core_block", 128),
    }
    for i in range(4):
        found[f"payload_{i}"] = (f"{shell}.u_contexts.payloads[{i}]", 128)
    for i in range(16):
        found[f"tweak_{i}"] = (f"{tweaks}.u_ram.gen_block.memory[{i}]", 128)
    for i in range(depth):
        found[f"side_{i}"] = (f"{shell}.u_sides.gen_block.memory[{i}]", side)
        found[f"word_{i}"] = (f"{shell}.u_queue.u_ram.gen_block.memory[{i}]", word)
    if parameters["Stealing"]:
        steal = "u_mode.gen_stealing"
        rest = 128 + BYTES + slot + 1
        found |= {
            "waiting": (f"{steal}.block_q", 128),
            "before": (f"{steal}.before_q", 128),
            "again": (f"{steal}.again_block_q", 128),
            "rest": (f"{steal}.rest_q", 128),
            "rest_first": (f"{steal}.u_rest.u_ram.gen_block.first_q", rest),
            "rest_second": (f"{steal}.u_rest.q", rest),
            "wait_first": (f"{steal}.u_results.u_ram.gen_block.first_q", 128),
            "wait_second": (f"{steal}.u_results.q", 128),
        }
        for name, cycles, width in (("rest", latency, rest), ("results", latency + 3, 128)):
            for i in range(1 << (cycles - 2).bit_length()):
                found[f"{name}_{i}"] = (f"{steal}.u_{name}.u_ram.gen_block.memory[{i}]", width)
    return found


def zeroize_bound(one: Instance) -> int:
    """Return the cycles from `zeroize` until the engine is zeroized and open again."""
    # The core of one round has more places in its stores for round keys.
    core = max(
        Design(
            key_bits=one["KeyBits"],
            unroll=unroll,
            sbox="table",
            sbox_stages=one["SboxStages"],
            linear_stages=one["LinearStages"],
            key_schedule="stored",
            key_slots=one["KeySlots"],
        ).zeroize_cycles
        for unroll in (1, rounds(one["KeyBits"]))
    )
    latency = latency_of(one)
    queues = one["Depth"] + 7 + (latency + 6 if one["Stealing"] else 2)
    waits = (1 << (latency + 1).bit_length()) + 4
    return int(core + max(queues, waits) + 4)


def make_bench() -> Bench:
    bench = Bench({"zeroize": 1})
    for name, shape in SHAPES.items():
        add(bench, name, shape, None, ENTRY)
    for name, (shape_name, mutation) in MUTATIONS.items():
        add(bench, name, SHAPES[shape_name], mutation)
    for name, mutation in RATE_MUTATIONS.items():
        add(bench, name, FAST, mutation)
    for name, mutation in KEY_MUTATIONS.items():
        add(bench, name, FAST, mutation, ENTRY)
    for name, shape in TWINS.items():
        probed = secrets(dict(zip(NAMES, shape, strict=True)))
        for side in ("left", "right"):
            add(bench, f"{name} {side}", shape, None, probed)
            add(bench, f"{name} {side}, not quite", shape, TWIN_MUTATIONS[name], probed)
    return bench


def true_and(mutations: Mapping[str, Any]) -> list[Instance]:
    """The true instances and some of the mutants."""
    wanted = {*SHAPES, *mutations}
    return [one for one in make_bench().instances if one.name in wanted]


@cocotb.test()
async def packets_go_through(dut: Any) -> None:
    """Idle x back-pressure x reset or zeroize in flight x key change between packets x lengths."""
    driver = Driver(dut, make_bench())
    engines = [Engine(one, 100 + i) for i, one in enumerate(true_and(MUTATIONS))]
    await traffic(driver, engines, cycles=500, left=40)
    judge(engines, MUTATIONS)
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
    driver = Driver(dut, make_bench())
    engines = [Engine(one, 300 + i, faulty=0) for i, one in enumerate(true_and(RATE_MUTATIONS))]
    for beats in (14, 15, 32):
        await reset(driver, engines)
        for engine in engines:
            engine.known[0] = engine.draw.randbytes(engine.one["KeyBits"] // 4)
            engine.keys.queue.append((0, engine.known[0]))
        for _ in range(80):  # the keys are in
            await step(driver, engines, 1.0, 1.0)
        part = 9 if beats == 15 else 16
        for engine in engines:
            way = engine.one["Direction"] % 2
            if 2 ** engine.one["UnitBits"] < beats or (part < 16 and not engine.one["Stealing"]):
                continue
            for number in range(300 // beats + 1):
                data = engine.random_beats(16 * beats - 16 + part)
                engine.send(Packet(data, Context(0, number, way)))
        begin = driver.number
        out: dict[str, list[int]] = {engine.one.name: [] for engine in engines}
        for _ in range(270):
            left = {engine.one.name: engine.board.left for engine in engines}
            await step(driver, engines, 1.0, 1.0)
            for engine in engines:
                if engine.board.left > left[engine.one.name]:
                    out[engine.one.name].append(driver.number - 1 - begin)
        for engine in engines:
            one, cycles = engine.one, out[engine.one.name]
            if not cycles:
                continue
            # The first beat waits for its tweak. Part of a block at the end takes a cycle more.
            start = cycles[0]
            gaps = sum(b - a - 1 for a, b in pairwise(cycles))
            full = start + len(cycles) + gaps == 270 and gaps <= (part < 16) * len(cycles) // beats
            if engine.board.fault is None and not full:
                engine.board.fault = f"not a beat per cycle: {cycles}"
            if engine.board.fault is None and start > first_beat(one):
                engine.board.fault = f"first beat in {start}, at most {first_beat(one)}"
    judge(engines, RATE_MUTATIONS)


@cocotb.test()
async def keys_follow_closely(dut: Any) -> None:
    """A key for the slot of a data unit that ends in part of a block, at every distance."""
    driver = Driver(dut, make_bench())
    engines = [Engine(one, 500 + i, faulty=0) for i, one in enumerate(true_and(KEY_MUTATIONS))]
    await reset(driver, engines)
    for engine in engines:
        engine.load(0)
    for distance in range(45):
        for engine in engines:
            for number in range(2):
                beats = engine.random_beats(41)
                engine.send(Packet(beats, Context(0, number, engine.one["Direction"] % 2)))
        for number in range(100):
            if number == distance:
                for engine in engines:
                    engine.load(0)
            now = driver.number
            own = {engine.one.name: engine.offer(1.0, 1.0) for engine in engines}
            outputs = await driver.cycle({}, own, probes=True)
            for engine in engines:
                engine.after(now, outputs)
                if outputs.of(engine.one, "core_valid") > outputs.of(engine.one, "core_ready"):
                    engine.board.fault = f"a block in cycle {now} that the core does not accept"
    await drain(driver, engines, 1.0, 1.0)
    judge(engines, KEY_MUTATIONS)


def first_beat(one: Instance) -> int:
    """Cycles from the first context in to the first beat out."""
    core = latency_of(one)
    return core + 9 + core + 12 + (core + 3 if one["Stealing"] else 0)


@cocotb.test()
async def zeroize_zeroizes_everything(dut: Any) -> None:
    def own_control(one: Instance, number: int) -> Mapping[str, int]:
        return {
            "s_ctx_more": number % 3,
            "s_ctx_slot": 0,
            "s_key_slot": 0,
            "s_ctx_decrypt": int(one["Direction"]),
        }

    bench = make_bench()
    await zeroize_zeroizes(
        Driver(dut, bench),
        Twins(bench, TWINS, "m_axis_tdata"),
        modes=range(1),
        cycles=300,
        public_cycles=120,
        bound=zeroize_bound,
        own_control=own_control,
    )


def test_aesforge_engine_xts(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)
