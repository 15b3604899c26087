# SPDX-License-Identifier: Apache-2.0
"""aesforge_engine: packets through every mode, whatever either side does; what a packet may not be.

Each instance has its own traffic. Mutants of the engine, and of the shell where only whole packets
show what is wrong, run beside the true ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cocotb
import pytest
import queue_probes
from engine_ports import (
    LENGTHS,
    USER_BITS,
    InOrderPorts,
    add_engine,
    judge,
    reset,
    step,
    traffic,
    zeroize_zeroizes,
)
from fips197 import rounds
from rtl_bench import (
    Bench,
    Driver,
    Instance,
    Mutation,
    Twins,
    elaborate,
    twins_of,
    zeroizes_the_cores_alone,
)
from streams import (
    BYTES,
    CBC,
    CFB128,
    CTR,
    ECB,
    WHOLE,
    Context,
    Packet,
    cut,
    expected_beats,
)

from aesforge.design import Design

ID_BITS = 3
NAMES = (
    *("KeyBits", "Direction", "Unroll", "SboxStages", "LinearStages", "KeySlots", "Tiles"),
    *("Modes", "Depth"),
)
FAST = (128, 0, 10, 0, 1, 0, 1, 2, 64)
SHAPES = {
    "all modes": (128, 2, 1, 0, 1, 0, 1, 15, 8),
    "ctr, stored": (128, 0, 5, 0, 1, 3, 1, 2, 32),
    "ctr, 256": (256, 0, 2, 1, 1, 0, 2, 2, 32),
    "ecb, 192": (192, 0, 4, 0, 1, 0, 1, 1, 16),
    "cbc, stored": (128, 1, 2, 0, 1, 2, 1, 4, 16),
    "cfb and ecb, 256, stored": (256, 2, 7, 0, 1, 5, 1, 9, 32),
    "ctr, unrolled": FAST,
}
M, SHELL, INTERLOCK = "aesforge_engine", "aesforge_axis_shell", "aesforge_slot_key_interlock"
MODE = "aesforge_mode_forward"
# name -> shape, mutation
MUTATIONS = {
    "decrypts CTR": (
        "all modes",
        Mutation(M, "|| 32'(beat_mode) == aesforge_pkg::ModeCbc);", "|| 1'b1);"),
    ),
    "CBC both ways": (
        "cbc, stored",
        Mutation(M, "next_unbuilt = !HasCbc || !next_decrypt;", "next_unbuilt = !HasCbc;"),
    ),
    "modes it has not": (
        "ecb, 192",
        Mutation(M, "ModeCtr: next_unbuilt = !HasCtr;", "ModeCtr: next_unbuilt = 1'b0;"),
    ),
    "packets wait for no key": (
        "ctr, stored",
        Mutation(M, ".next_stall,\n      .next_error", ".next_stall(1'b0),\n      .next_error"),
    ),
    "keys in the midst of a packet": (
        "cbc, stored",
        Mutation(M, ".use_valid(open),", ".use_valid(beat_valid),"),
    ),
    "keys before the last blocks": (
        "ctr, stored",
        Mutation(M, ".Stages(!HasCtr ? 1 : Blocks > 1 ? 11 : 9)", ".Stages(0)"),
    ),
    "partial blocks in CBC": (
        "cbc, stored",
        Mutation(M, "|| 32'(next_mode) == aesforge_pkg::ModeCfb;", "|| 1'b1;"),
    ),
    "a beat without a block takes no time": (
        "all modes",
        Mutation(M, "skip_q[Latency-1]", "skip_q[0]"),
    ),
    "a beat without a key waits for one": (
        "ctr, stored",
        Mutation(M, "core_ready || skip", "core_ready"),
    ),
    "a looped core is never full": (
        "ctr, 256",
        Mutation(M, ".Elastic(Looped)", ".Elastic(1'b0)"),
    ),
}
# Only a test of the rate sees these.
RATE_MUTATIONS = {
    "a bubble between contexts": Mutation(
        "aesforge_axis_slice",
        "s_ready = !stall_q",
        "s_ready = !m_valid",
        ("aesforge_context_fifo", SHELL, M),
    ),
    "a bubble between words": Mutation(
        "aesforge_axis_queue", "!first_valid_q || second_take", "!first_valid_q", (SHELL, M)
    ),
    "a quarter of the credits": Mutation(
        SHELL, "(CreditLatency)", "(CreditLatency + Depth / 4 * 3)", (M,)
    ),
}
# Two of each with different secrets: what `zeroize` zeroizes is then the same in both.
TWINS = {"agile": (128, 2, 1, 0, 1, 0, 1, 15, 8), "stored": (128, 1, 2, 0, 1, 3, 1, 4, 8)}
TWIN_MUTATIONS = {
    "agile": Mutation("aesforge_context_fifo", "|| zeroize) write_q", ") write_q", (SHELL, M)),
    "stored": zeroizes_the_cores_alone(M),
}


def secrets(parameters: dict[str, int]) -> dict[str, tuple[str, int]]:
    """Path and width of all that holds a secret in an engine, its core apart.

    `zeroize` of the core has its own test.
    """
    window = 2 if parameters["KeySlots"] else parameters["KeyBits"]
    payload = 128 + (0 if parameters["KeySlots"] else window)
    depth = parameters["Depth"]
    modes = parameters["Modes"]
    word = 128 + 16 + ID_BITS + USER_BITS + 2
    side = word + 16
    found = {
        "beat_data": ("u_shell.beat_data", 128),
        "head_data": ("u_shell.data_q", 128),
        "given": ("u_shell.u_contexts.payload_q", payload),
        "beat_payload": ("u_shell.beat_payload", payload),
        "side_first": ("u_shell.u_sides.gen_block.first_q", side),
        "side_second": ("u_shell.side_second_q", side),
        "result_first": ("u_shell.result_first_q", 128),
        "result_second": ("u_shell.result_second_q", 128),
        "out": ("u_shell.out_data_q", 128),
        **queue_probes.of_output_queue("u_shell", word, depth),
        "previous": ("u_mode.gen_previous.previous_q", 128),
    }
    for i in range(4):
        found[f"payload_{i}"] = (f"u_shell.u_contexts.payloads[{i}]", payload)
    for i in range(depth):
        found[f"side_{i}"] = (f"u_shell.u_sides.gen_block.memory[{i}]", side)
    if modes & 2:
        counter = "u_mode.gen_counter.u_counter"
        for i in range(8):
            found[f"stage_{i}"] = (f"{counter}.side_q[{i}]", window + 2)
            for k in range(8 - i):
                found[f"late_{i}_{k}"] = (f"{counter}.gen_word[{i}].late_q[{k}]", 16)
            for k in range(i):
                found[f"early_{i}_{k}"] = (f"{counter}.gen_word[{i}].early_q[{k}]", 16)
    if parameters["KeySlots"]:
        found["key"] = ("gen_interlock.u_interlock.key", parameters["KeyBits"])
    return found


def add(
    bench: Bench,
    name: str,
    shape: tuple[int, ...],
    mutation: Mutation | None = None,
    probed: dict[str, tuple[str, int]] | None = None,
) -> None:
    """Add an engine to a bench; ``probed`` has path and width of its internal signals."""
    parameters = {**dict(zip(NAMES, shape, strict=True)), "IdBits": ID_BITS}
    add_engine(bench, name, M, parameters, mutation, probed, mode_bits=2, id_bits=ID_BITS)


def make_bench_of(
    shapes: Mapping[str, tuple[int, ...]], mutants: Mapping[str, tuple[str, Mutation]]
) -> Bench:
    """Engines, and mutants of theirs: name -> shape's name, mutation."""
    bench = Bench({"zeroize": 1})
    for name, shape in shapes.items():
        add(bench, name, shape)
    for name, (shape_name, mutation) in mutants.items():
        add(bench, name, shapes[shape_name], mutation)
    return bench


def make_bench() -> Bench:
    bench = make_bench_of(SHAPES, MUTATIONS)
    for name, mutation in RATE_MUTATIONS.items():
        add(bench, name, FAST, mutation)
    for name, shape in TWINS.items():
        probed = secrets(dict(zip(NAMES, shape, strict=True)))
        for twin, change in twins_of(name, TWIN_MUTATIONS[name]):
            add(bench, twin, shape, change, probed)
    return bench


def true_and(mutations: dict[str, Any]) -> list[Instance]:
    """The true instances and some of the mutants."""
    wanted = {*SHAPES, *mutations}
    return [one for one in make_bench().instances if one.name in wanted]


def design_of(one: Instance) -> Design:
    """The core inside, as the Python side knows it."""
    return Design(
        key_bits=one["KeyBits"],
        direction=("encrypt", "decrypt", "both")[one["Direction"]],
        unroll=one["Unroll"],
        sbox="table",
        sbox_stages=one["SboxStages"],
        linear_stages=one["LinearStages"],
        key_schedule="stored" if one["KeySlots"] else "agile",
        key_slots=one["KeySlots"] or None,
        tiles=one["Tiles"],
    )


def first_beat(one: Instance) -> int:
    """Cycles from a beat in, offered together with its context, to the same beat out."""
    # A context and the beat that needs it are offered in one cycle: it waits for one.
    return design_of(one).latency_cycles + 9 + (8 if one["Modes"] & 2 else 0) + 1


def zeroize_bound(one: Instance) -> int:
    """Cycles from `zeroize` until the engine is zeroized and open again."""
    return design_of(one).zeroize_cycles + one["Depth"] + one["Tiles"] + 10


class Engine(InOrderPorts):
    """One engine, the traffic at its ports, and what must come of it.

    Args:
        one: the instance.
        seed: of its traffic.
        faulty: share of packets that are wrong in some way.
    """

    def __init__(self, one: Instance, seed: int, faulty: float = 0.15) -> None:
        super().__init__(one, seed, faulty)

    # --- What goes in

    def random_context(self) -> Context:
        draw, one = self.draw, self.one
        built = [mode for mode in (ECB, CTR, CBC, CFB128) if one["Modes"] >> mode & 1]
        mode = draw.choice(built)
        decrypt = one["Direction"] if one["Direction"] < 2 else draw.randrange(2)
        decrypt = 1 if mode in (CBC, CFB128) else decrypt
        iv = draw.randbytes(BYTES)
        if draw.random() < 0.3:
            # Counters at the edge of 32, 64, 96 and 128 bits.
            low = draw.choice((4, 8, 12, 16))
            iv = iv[: BYTES - low] + (2 ** (8 * low) - draw.randrange(1, 4)).to_bytes(low, "big")
        return self.context(mode, decrypt, iv)

    def random_packet(self, length: int | None = None) -> Packet:
        draw = self.draw
        context = self.random_context()
        length = draw.choice(LENGTHS) if length is None else length
        if context.mode in WHOLE and draw.random() >= self.faulty:
            length -= length % BYTES
        id_, user = draw.randrange(2**ID_BITS), draw.randrange(2**USER_BITS)
        beats = cut(draw.randbytes(length), id_, user)
        if draw.random() < self.faulty:
            return Packet(beats, self.spoil(beats, context))
        return Packet(beats, context)

    # --- A cycle

    def offer(self, share: float, ready: float) -> dict[str, int]:
        # Contexts are given in order; one after a packet without any waits for that packet.
        while self.plan and (self.plan[0].context or self.plan[0] not in self.under_way):
            packet = self.plan.pop(0)
            if packet.context:
                self.contexts.queue.append(packet.context)
        return super().offer(share, ready)

    def open(self) -> None:
        packet = self.under_way.pop(0)
        context = packet.context
        key = None
        if context and self.built(context):
            key = self.known.get(context.slot) if self.one["KeySlots"] else context.key
        self.due = expected_beats(packet.beats, context, key)
        self.errors += self.due[-1].error

    def built(self, context: Context) -> bool:
        one = self.one
        if not one["Modes"] >> context.mode & 1:
            return False
        if context.mode == ECB:
            return one["Direction"] in (context.decrypt, 2)
        return context.mode == CTR or bool(context.decrypt)


@cocotb.test()
async def packets_go_through(dut: Any) -> None:
    """Idle x back-pressure x reset or zeroize in flight x key change between packets x lengths."""
    driver = Driver(dut, make_bench())
    engines = [Engine(one, 100 + i, faulty=0.3) for i, one in enumerate(true_and(MUTATIONS))]
    await traffic(driver, engines, cycles=330, left=40)
    judge(engines, MUTATIONS)
    for engine in engines:
        if engine.one.mutation is None:
            assert engine.packets > 100, (engine.one.name, engine.packets)
            assert engine.errors > 10, (engine.one.name, engine.errors)


@cocotb.test()
async def rate_and_latency(dut: Any) -> None:
    """No stalls: a beat per cycle from an unrolled core, single-block packets with a context each;
    a ring is kept full; the latency is the page's.
    """
    driver = Driver(dut, make_bench())
    engines = [Engine(one, 300 + i, faulty=0) for i, one in enumerate(true_and(RATE_MUTATIONS))]
    for length in (16, 64, 16 * 50):
        await reset(driver, engines)
        for engine in engines:
            if engine.one["KeySlots"]:
                engine.load(0)
        for _ in range(120):  # the key is in
            await step(driver, engines, 1.0, 1.0)
        for engine in engines:
            for _ in range(400 * 16 // length):
                engine.send(engine.random_packet(length))
        first: dict[str, list[int]] = {engine.one.name: [] for engine in engines}
        before = {engine.one.name: engine.board.given for engine in engines}
        begin = driver.number
        for _ in range(150):
            left = {engine.one.name: engine.board.left for engine in engines}
            await step(driver, engines, 1.0, 1.0)
            for engine in engines:
                if engine.board.left > left[engine.one.name]:
                    first[engine.one.name].append(driver.number - 1 - begin)
        for engine in engines:
            one, name = engine.one, engine.one.name
            per_block = rounds(one["KeyBits"]) / one["Unroll"] / one["Tiles"]
            given = engine.board.given - before[name]
            latency = first_beat(one)
            if engine.board.fault is None and first[name][:1] != [latency]:
                engine.board.fault = f"first beat in {first[name][:1]}, latency {latency}"
            if one["Unroll"] == rounds(one["KeyBits"]):
                due = list(range(latency, 150))
                if engine.board.fault is None and first[name] != due:
                    engine.board.fault = f"not a beat per cycle: {first[name][:9]}"
            else:
                full = (150 - latency) / per_block
                if engine.board.fault is None and len(first[name]) < full - 2:
                    engine.board.fault = f"{len(first[name])} beats of {full}, {given} taken"
    judge(engines, RATE_MUTATIONS)


@cocotb.test()
async def zeroize_zeroizes_everything(dut: Any) -> None:
    def own_control(one: Instance, number: int) -> Mapping[str, int]:
        return {"s_ctx_mode": CBC} if one["KeySlots"] else {}

    bench = make_bench()
    await zeroize_zeroizes(
        Driver(dut, bench),
        Twins(bench, TWINS, "m_axis_tdata"),
        modes=range(4),
        cycles=260,
        public_cycles=250,
        bound=zeroize_bound,
        own_control=own_control,
    )


@pytest.mark.usefixtures("mutants")
def test_aesforge_engine(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


SMALL = {"SboxStyle": 0, "KeySboxStyle": 0, "Unroll": 1}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"Modes": 4}, "direction must be decrypt or both"),
        ({"Modes": 8, "Direction": 1}, "direction must be encrypt or both"),
        ({"Modes": 2, "Direction": 1}, "direction must be encrypt or both"),
        ({"Modes": 16}, "modes must be a sum of"),
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
