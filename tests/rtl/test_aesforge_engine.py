# SPDX-License-Identifier: Apache-2.0
"""aesforge_engine: packets through every mode, whatever either side does; what a packet may not be.

Each instance has its own traffic. Mutants of the engine, and of the shell where only whole packets
show what is wrong, run beside the true ones.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cocotb
import pytest
from fips197 import rounds
from rtl_bench import Bench, Driver, Instance, Mutation, Outputs, elaborate
from streams import (
    CBC,
    CFB128,
    CTR,
    ECB,
    Beat,
    Context,
    Packet,
    Scoreboard,
    Source,
    cut,
    expected_beats,
)

from aesforge.design import Design

ID_BITS, USER_BITS, WAIT = 3, 2, 20
NAMES = (
    *("KeyBits", "Direction", "Unroll", "SboxStages", "LinearStages", "KeySlots", "Tiles"),
    *("Modes", "Depth"),
)
FAST = (128, 0, 10, 0, 1, 0, 1, 2, 32)
SHAPES = {
    "all modes": (128, 2, 1, 0, 1, 0, 1, 15, 8),
    "ctr, stored": (128, 0, 5, 0, 1, 3, 1, 2, 32),
    "ctr, 256": (256, 0, 2, 1, 1, 0, 2, 2, 32),
    "ecb, 192": (192, 0, 4, 0, 1, 0, 1, 1, 16),
    "cbc, stored": (128, 1, 2, 0, 1, 2, 1, 4, 16),
    "cfb and ecb, 256, stored": (256, 2, 7, 0, 1, 5, 1, 9, 32),
    "ctr, unrolled": FAST,
}
M, SHELL, GUARD = "aesforge_engine", "aesforge_axis_shell", "aesforge_slot_guard"
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
        Mutation(M, ".next_wait,\n      .next_error", ".next_wait(1'b0),\n      .next_error"),
    ),
    "keys in the midst of a packet": (
        "cbc, stored",
        Mutation(M, ".use_valid(open),", ".use_valid(beat_valid),"),
    ),
    "keys before the last blocks": (
        "ctr, stored",
        Mutation(M, ".Ranks(HasCtr ? 8 : 0)", ".Ranks(0)"),
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
        "aesforge_axis_slice", "s_ready = !spare_valid_q", "s_ready = !m_valid", (SHELL, M)
    ),
    "a bubble between words": Mutation(
        "aesforge_axis_queue", "!first_valid_q || second_take", "!first_valid_q", (SHELL, M)
    ),
    "half the credits": Mutation(SHELL, "Depth - 1 - Late", "Depth / 2 - 1 - Late", (M,)),
}
# Two of each with different secrets: what `clear` wipes is then the same in both.
TWINS = {"agile": (128, 2, 1, 0, 1, 0, 1, 15, 8), "stored": (128, 1, 2, 0, 1, 3, 1, 4, 8)}
TWIN_MUTATIONS = {
    "agile": Mutation(SHELL, "      beat_data <= '0;\n", "", (M,)),
    "stored": Mutation(M, "clear || (wipe_q && !rest_end)", "clear"),
}


def secrets(parameters: dict[str, int]) -> dict[str, tuple[str, int]]:
    """Path and width of all that holds a secret in an engine, its core apart.

    `clear` of the core has its own test.
    """
    window = 2 if parameters["KeySlots"] else parameters["KeyBits"]
    context, depth = window + 131, parameters["Depth"]
    modes = parameters["Modes"]
    side = 128 + 16 + ID_BITS + USER_BITS + 3
    word = side - 1
    found = {
        "beat_data": ("u_shell.beat_data", 128),
        "beat_context": ("u_shell.beat_context", context),
        "next_context": ("u_shell.u_contexts.m_data", context),
        "spare_context": ("u_shell.u_contexts.spare_q", context),
        "side_first": ("u_shell.side_first_q", side),
        "side_second": ("u_shell.side_second_q", side),
        "result_first": ("u_shell.result_first_q", 128),
        "result_second": ("u_shell.result_second_q", 128),
        "out": ("u_shell.out_data_q", 128),
        "word_first": ("u_shell.u_queue.first_q", word),
        "word_second": ("u_shell.u_queue.second_q", word),
        "word_spare": ("u_shell.u_queue.u_slice.spare_q", word),
        "previous": ("u_mode.gen_previous.previous_q", 128),
    }
    for i in range(depth):
        found[f"side_{i}"] = (f"u_shell.sides[{i}]", side)
        found[f"word_{i}"] = (f"u_shell.u_queue.memory[{i}]", word)
    if modes & 2:
        counter = "u_mode.gen_counter.u_counter"
        for i in range(8):
            found[f"rank_{i}"] = (f"{counter}.side_q[{i}]", window + 2)
            for k in range(8 - i):
                found[f"late_{i}_{k}"] = (f"{counter}.gen_word[{i}].late_q[{k}]", 16)
            for k in range(i):
                found[f"early_{i}_{k}"] = (f"{counter}.gen_word[{i}].early_q[{k}]", 16)
    if parameters["KeySlots"]:
        found["key"] = ("gen_guard.u_guard.key", parameters["KeyBits"])
    return found


def add(
    bench: Bench,
    name: str,
    shape: tuple[int, ...],
    mutation: Mutation | None = None,
    probed: dict[str, tuple[str, int]] | None = None,
) -> None:
    """Add an engine to a bench."""
    parameters = dict(zip(NAMES, shape, strict=True))
    parameters |= {"SboxStyle": 0, "KeySboxStyle": 0, "ContextWait": WAIT}
    parameters |= {"IdBits": ID_BITS, "UserBits": USER_BITS}
    slots = parameters["KeySlots"]
    slot_bits = (slots - 1).bit_length() if slots else 1
    bits = parameters["KeyBits"]
    bench.add(
        name,
        M,
        parameters,
        inputs={
            **{"rst": 1, "s_key_tvalid": 1, "s_key_slot": slot_bits, "s_key_tdata": bits},
            **{"s_ctx_tvalid": 1, "s_ctx_key": bits, "s_ctx_slot": slot_bits},
            **{"s_ctx_iv": 128, "s_ctx_mode": 2, "s_ctx_decrypt": 1},
            **{"s_axis_tvalid": 1, "s_axis_tdata": 128, "s_axis_tkeep": 16, "s_axis_tlast": 1},
            **{"s_axis_tid": ID_BITS, "s_axis_tuser": USER_BITS, "m_axis_tready": 1},
        },
        outputs={
            **{"s_key_tready": 1, "s_ctx_tready": 1, "s_axis_tready": 1, "m_axis_tvalid": 1},
            **{"m_axis_tdata": 128, "m_axis_tkeep": 16, "m_axis_tlast": 1},
            **{"m_axis_tid": ID_BITS, "m_axis_tuser": USER_BITS + 1},
            **{probe: width for probe, (_, width) in (probed or {}).items()},
        },
        probes={probe: path for probe, (path, _) in (probed or {}).items()},
        mutation=mutation,
    )


def make_bench_of(
    shapes: Mapping[str, tuple[int, ...]], mutants: Mapping[str, tuple[str, Mutation]]
) -> Bench:
    """Engines, and mutants of theirs: name -> shape's name, mutation."""
    bench = Bench({"clear": 1})
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
        for side in ("left", "right"):
            add(bench, f"{name} {side}", shape, None, probed)
            add(bench, f"{name} {side}, not quite", shape, TWIN_MUTATIONS[name], probed)
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


def little(data: bytes) -> int:
    return int.from_bytes(data, "little")


class Engine:
    """One engine, the traffic at its ports, and what must come of it.

    Args:
        one: the instance.
        seed: of its traffic.
        faulty: share of packets that are wrong in some way.
    """

    def __init__(self, one: Instance, seed: int, faulty: float = 0.15) -> None:
        self.one = one
        self.draw = random.Random(seed)
        self.faulty = faulty
        self.beats, self.contexts, self.keys = Source(), Source(), Source()
        self.board = Scoreboard()
        self.packets = 0  # that went in whole
        self.errors = 0
        self.stalled = 0
        self.reset()

    def reset(self) -> None:
        for source in (self.beats, self.contexts, self.keys):
            source.drop()
        self.board.drop()
        self.known: dict[int, bytes] = {}
        self.due: list[Beat] = []  # of the packet that is going in
        self.plan: list[Packet] = []  # whose context has not been given to the source
        self.under_way: list[Packet] = []  # whose first beat has not gone in
        self.stalled = 0

    # --- What goes in

    def random_context(self) -> Context:
        draw, one = self.draw, self.one
        built = [mode for mode in (ECB, CTR, CBC, CFB128) if one["Modes"] >> mode & 1]
        mode = draw.choice(built)
        decrypt = one["Direction"] if one["Direction"] < 2 else draw.randrange(2)
        decrypt = 1 if mode in (CBC, CFB128) else decrypt
        iv = draw.randbytes(16)
        if draw.random() < 0.3:
            # Counters at the edge of 32, 64, 96 and 128 bits.
            low = draw.choice((4, 8, 12, 16))
            iv = iv[: 16 - low] + (2 ** (8 * low) - draw.randrange(1, 4)).to_bytes(low, "big")
        slots = one["KeySlots"]
        return Context(
            mode,
            decrypt,
            iv,
            draw.randbytes(one["KeyBits"] // 8),
            draw.choice([*self.known] or [0]) if slots else 0,
        )

    def random_packet(self, length: int | None = None) -> Packet:
        draw = self.draw
        context: Context | None = self.random_context()
        assert context is not None
        if length is None:
            length = draw.choice((0, 1, 15, 16, 16, 16, 17, 31, 32, 33, 48, 64, 80))
        if context.mode in (ECB, CBC):
            length -= length % 16
        beats = cut(
            draw.randbytes(length), draw.randrange(2**ID_BITS), draw.randrange(2**USER_BITS)
        )
        if draw.random() < self.faulty:
            fault = draw.randrange(7)
            at = draw.randrange(len(beats))
            beat = beats[at]
            if fault == 0:  # a hole
                beats[at] = Beat(beat.data, 0b1011 << draw.randrange(12), *self._rest(beat))
            elif fault == 1:  # too short, where a beat is not the last or the mode wants whole ones
                beats[at] = Beat(beat.data, 2 ** draw.randrange(16) - 1, *self._rest(beat))
            elif fault == 2:
                context = None
            elif fault == 3:  # a mode or way that may not be built
                context.mode, context.decrypt = draw.randrange(4), draw.randrange(2)
            elif fault == 6:
                context.decrypt ^= 1
            elif fault == 4:  # a slot that may hold no key
                context.slot = draw.randrange(2 ** self.one.inputs["s_ctx_slot"][1])
            else:  # not the first bytes
                beats[at] = Beat(beat.data, 0b1100, *self._rest(beat))
        return Packet(beats, context)

    @staticmethod
    def _rest(beat: Beat) -> tuple[int, int, int]:
        return beat.last, beat.id, beat.user

    def send(self, packet: Packet) -> None:
        self.beats.queue.extend(packet.beats)
        self.plan.append(packet)
        self.under_way.append(packet)

    def load(self, slot: int) -> None:
        self.keys.queue.append((slot, self.draw.randbytes(self.one["KeyBits"] // 8)))

    def fill(self) -> None:
        """Keep the sources busy."""
        if self.one["KeySlots"]:
            if not self.known and not self.keys.queue:
                self.load(0)
            elif not self.keys.queue and self.draw.random() < 0.02:
                self.load(self.draw.randrange(2 ** self.one.inputs["s_key_slot"][1]))
            if not self.known:
                return
        while len(self.beats.queue) < 8:
            self.send(self.random_packet())

    # --- A cycle

    def offer(self, share: float, ready: float) -> dict[str, int]:
        """Values of this engine's inputs."""
        # Contexts are given in order; one behind a packet without any waits for that packet.
        while self.plan and (self.plan[0].context or self.plan[0] not in self.under_way):
            packet = self.plan.pop(0)
            if packet.context:
                self.contexts.queue.append(packet.context)
        draw = self.draw
        values = {"m_axis_tready": int(draw.random() < ready)}
        self.ready = values["m_axis_tready"]
        if self.beats.offer(draw, share):
            beat = self.beats.queue[0]
            assert isinstance(beat, Beat)
            values |= {"s_axis_tvalid": 1, "s_axis_tdata": beat.data, "s_axis_tkeep": beat.keep}
            values |= {"s_axis_tlast": beat.last, "s_axis_tid": beat.id, "s_axis_tuser": beat.user}
        if self.contexts.offer(draw, max(share, 0.6)):
            context = self.contexts.queue[0]
            assert isinstance(context, Context)
            values |= {"s_ctx_tvalid": 1, "s_ctx_iv": little(context.iv)}
            values |= {"s_ctx_mode": context.mode, "s_ctx_decrypt": context.decrypt}
            if self.one["KeySlots"]:
                values["s_ctx_slot"] = context.slot
            else:
                values["s_ctx_key"] = little(context.key)
        if self.keys.offer(draw, share):
            slot, key = self.keys.queue[0]
            values |= {"s_key_tvalid": 1, "s_key_slot": slot, "s_key_tdata": little(key)}
        return values

    def after(self, now: int, outputs: Outputs) -> None:
        """Take note of what went in and look at what comes out."""
        one = self.one

        def got(port: str) -> int:
            return outputs.of(one, port)

        user = got("m_axis_tuser")
        beat = Beat(
            *(got("m_axis_tdata"), got("m_axis_tkeep"), got("m_axis_tlast"), got("m_axis_tid")),
            user=user >> 1,
            error=user & 1,
        )
        self.board.cycle(now, got("m_axis_tvalid"), self.ready, beat)
        taken = self.beats.after(got("s_axis_tready"))
        if taken is not None:
            assert isinstance(taken, Beat)
            if not self.due:
                self.open()
            self.board.accepted(self.due.pop(0))
            self.packets += not self.due
        self.contexts.after(got("s_ctx_tready"))
        key = self.keys.after(got("s_key_tready"))
        if key is not None:
            slot, value = key
            # A packet finds this key if its first beat goes in later.
            self.known.pop(slot, None)
            if slot < one["KeySlots"]:
                self.known[slot] = value
        moved = taken is not None or (got("m_axis_tvalid") and self.ready)
        self.stalled = 0 if moved else self.stalled + 1

    def open(self) -> None:
        """The first beat of a packet has gone in: what it comes out as is decided now."""
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

    @property
    def idle(self) -> bool:
        return not (self.beats.queue or self.board.expected or self.contexts.queue)


async def drain(
    driver: Driver, engines: list[Engine], share: float, ready: float, cycles: int = 4000
) -> None:
    """Go on without new packets until all is out, or until some engine has clearly stopped."""
    for _ in range(cycles):
        if all(e.idle or e.board.fault or e.stalled > 1000 for e in engines):
            break
        await step(driver, engines, share, ready)
    for engine in engines:
        engine.board.end(len(engine.beats.queue))


async def step(driver: Driver, engines: list[Engine], share: float, ready: float) -> None:
    own = {engine.one.name: engine.offer(share, ready) for engine in engines}
    now = driver.number
    outputs = await driver.cycle({}, own)
    for engine in engines:
        engine.after(now, outputs)


async def reset(driver: Driver, engines: list[Engine], cycles: int = 1) -> None:
    for _ in range(cycles):
        await driver.cycle({}, {engine.one.name: {"rst": 1} for engine in engines})
    for engine in engines:
        engine.reset()


def judge(engines: list[Engine], mutants: dict[str, Any]) -> None:
    """Want no fault of a true engine, and one of every mutant."""
    faults = {e.one.name: e.board.fault for e in engines if e.board.fault}
    true = {name: fault for name, fault in faults.items() if name not in mutants}
    assert not true, f"{len(true)} engines went wrong: {true}"
    assert set(faults) == set(mutants), set(mutants) - set(faults)


@cocotb.test()
async def packets_go_through(dut: Any) -> None:
    """Idle x back-pressure x reset or clear in flight x key change between packets x lengths."""
    driver = Driver(dut, make_bench())
    engines = [Engine(one, 100 + i) for i, one in enumerate(true_and(MUTATIONS))]
    await reset(driver, engines)
    for share in (1.0, 0.6, 0.15):
        for ready in (1.0, 0.6, 0.15):
            for _ in range(330):
                for engine in engines:
                    engine.fill()
                await step(driver, engines, share, ready)
            await drain(driver, engines, share, ready)
            # The next round begins with a reset or a clear while packets are under way.
            for _ in range(40):
                for engine in engines:
                    engine.fill()
                await step(driver, engines, share, ready)
            if ready == 0.6:
                # From the fourth cycle on nothing leaves.
                await driver.cycle({"clear": 1})
                for _ in range(2):
                    await driver.cycle({})
                for engine in engines:
                    engine.reset()
            else:
                await reset(driver, engines)
    judge(engines, MUTATIONS)
    for engine in engines:
        if engine.one.mutation is None:
            assert engine.packets > 100, (engine.one.name, engine.packets)
            assert engine.errors > 10, (engine.one.name, engine.errors)


@cocotb.test()
async def rate_and_latency(dut: Any) -> None:
    """Nobody waits: a beat a cycle from an unrolled core, single-block packets with a context each;
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
            design = design_of(one)
            per_block = rounds(one["KeyBits"]) / one["Unroll"] / one["Tiles"]
            given = engine.board.given - before[name]
            # A context and the beat that needs it are offered in one cycle: it waits for one.
            latency = design.latency_cycles + 8 + (8 if one["Modes"] & 2 else 0) + 1
            if engine.board.fault is None and first[name][:1] != [latency]:
                engine.board.fault = f"first beat in {first[name][:1]}, latency {latency}"
            if one["Unroll"] == rounds(one["KeyBits"]):
                due = list(range(latency, 150))
                if engine.board.fault is None and first[name] != due:
                    engine.board.fault = f"not a beat a cycle: {first[name][:9]}"
            else:
                full = (150 - latency) / per_block
                if engine.board.fault is None and len(first[name]) < full - 2:
                    engine.board.fault = f"{len(first[name])} beats of {full}, {given} taken"
    judge(engines, RATE_MUTATIONS)


@cocotb.test()
async def clear_wipes_everything(dut: Any) -> None:
    """Full of different secrets, two engines are the same when `clear` is through, and stay so."""
    bench = make_bench()
    driver = Driver(dut, bench)
    draw = random.Random(14)
    names = {one.name: one for one in bench.instances}
    twins = [one for one in bench.instances if one.name.split()[0] in TWINS]
    await driver.cycle({}, {one.name: {"rst": 1} for one in twins})
    late: dict[str, str] = {}
    differed: dict[str, set[str]] = {name: set() for name in TWINS}
    for _ in range(3):
        for step_number in range(260):
            # Each has its own data; the control is the same for all.
            go = step_number > 60
            control = {
                **{"s_key_tvalid": int(step_number % 20 == 1), "s_key_slot": step_number // 20 % 3},
                **{"s_ctx_tvalid": int(go), "s_ctx_slot": draw.randrange(3)},
                **{"s_ctx_mode": draw.randrange(4), "s_ctx_decrypt": 1},
                **{"s_axis_tvalid": int(go), "s_axis_tkeep": 0xFFFF},
                **{"s_axis_tlast": int(draw.random() < 0.4)},
                "m_axis_tready": int(draw.random() < 0.5),
            }
            own = {}
            for one in twins:
                data = {"s_key_tdata": 128, "s_ctx_key": 128, "s_ctx_iv": 128, "s_axis_tdata": 128}
                mode = {"s_ctx_mode": 2} if one["KeySlots"] else {}
                own[one.name] = (
                    control | mode | {port: draw.getrandbits(width) for port, width in data.items()}
                )
            outputs = await driver.cycle({}, own)
            note_differences(names, outputs, differed)
        await driver.cycle({"clear": 1})
        begin = driver.number - 1
        for _ in range(250):
            public = {
                "s_axis_tdata": driver.number,
                "s_ctx_iv": 5,
                "s_ctx_key": 7,
                "s_key_tdata": 9,
            }
            now = driver.number
            outputs = await driver.cycle({}, {one.name: public for one in twins})
            for one in twins:
                bound = design_of(one).clear_cycles + one["Depth"] + 10
                if now >= begin + bound and " left" in one.name:
                    other = names[one.name.replace(" left", " right")]
                    for probe in (*one.probes, "m_axis_tdata"):
                        if outputs.of(one, probe) != outputs.of(other, probe):
                            late.setdefault(one.name, f"{probe} in cycle {now - begin}")
                if now == begin + bound and one.mutation is None:
                    assert outputs.of(one, "s_ctx_tready"), f"{one.name} is not open again"
    for name in TWINS:
        probes = {*names[f"{name} left"].probes, "m_axis_tdata"}
        assert probes == differed[name], probes - differed[name]
    assert set(late) == {f"{name} left, not quite" for name in TWINS}, late


def note_differences(
    names: dict[str, Instance], outputs: Outputs, differed: dict[str, set[str]]
) -> None:
    """Which probes have held a secret so far."""
    for name, found in differed.items():
        left, right = names[f"{name} left"], names[f"{name} right"]
        for probe in (*left.probes, "m_axis_tdata"):
            if outputs.of(left, probe) != outputs.of(right, probe):
                found.add(probe)


def test_aesforge_engine(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


SMALL = {"SboxStyle": 0, "KeySboxStyle": 0, "Unroll": 1}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"Unroll": 10, "Tiles": 2}, "tiles must be 1 where unroll is full"),
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
