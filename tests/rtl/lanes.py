# SPDX-License-Identifier: Apache-2.0
"""An interleaved engine on a bench: the traffic at its ports, and what must come of it."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fips197 import rounds
from rtl_bench import Bench, Driver, Instance, Mutation, Outputs
from streams import (
    BYTES,
    CBC,
    CFB_BYTES,
    DIGESTS,
    WHOLE,
    Beat,
    Context,
    LaneScoreboard,
    Source,
    cut,
    expected_beats,
)

MODULE = "aesforge_engine_interleaved"
USER_BITS, WAIT = 2, 20
NAMES = (
    *("KeyBits", "Unroll", "SboxStages", "LinearStages", "KeySlots", "Tiles"),
    *("Modes", "Lanes", "Depth"),
)
ALL_MODES = 252
LENGTHS = (0, 1, 15, 16, 16, 16, 17, 31, 32, 33, 48, 64, 80)


def core_latency(one: Instance) -> int:
    """Cycles of the core inside (docs/cores/aesforge_core.md)."""
    return rounds(one["KeyBits"]) * (one["SboxStages"] + one["LinearStages"]) + 1


def lane_bits(lanes: int) -> int:
    return max(1, (lanes - 1).bit_length())


def add(
    bench: Bench,
    name: str,
    shape: tuple[int, ...],
    mutation: Mutation | None = None,
    probed: Mapping[str, tuple[str, int]] | None = None,
) -> None:
    """Add an engine to a bench; ``probed`` has path and width of its internal signals."""
    parameters = dict(zip(NAMES, shape, strict=True))
    parameters |= {"SboxStyle": 0, "KeySboxStyle": 0, "ContextWait": WAIT, "UserBits": USER_BITS}
    slots, bits = parameters["KeySlots"], parameters["KeyBits"]
    slot_bits = (slots - 1).bit_length() if slots else 1
    id_bits = lane_bits(parameters["Lanes"])
    bench.add(
        name,
        MODULE,
        parameters,
        inputs={
            **{"rst": 1, "s_key_tvalid": 1, "s_key_slot": slot_bits, "s_key_tdata": bits},
            **{"s_ctx_tvalid": 1, "s_ctx_key": bits, "s_ctx_slot": slot_bits},
            **{"s_ctx_iv": 128, "s_ctx_mode": 3, "s_ctx_decrypt": 1},
            **{"s_axis_tvalid": 1, "s_axis_tdata": 128, "s_axis_tkeep": 16, "s_axis_tlast": 1},
            **{"s_axis_tid": id_bits, "s_axis_tuser": USER_BITS, "m_axis_tready": 1},
        },
        outputs={
            **{"s_key_tready": 1, "s_ctx_tready": 1, "s_axis_tready": 1, "m_axis_tvalid": 1},
            **{"m_axis_tdata": 128, "m_axis_tkeep": 16, "m_axis_tlast": 1},
            **{"m_axis_tid": id_bits, "m_axis_tuser": USER_BITS + 1},
            **{probe: width for probe, (_, width) in (probed or {}).items()},
        },
        probes={probe: path for probe, (path, _) in (probed or {}).items()},
        mutation=mutation,
    )


@dataclass(eq=False)
class LanePacket:
    """A packet on its way.

    Args:
        beats: as they go in; ``id`` is the lane.
        context: None where it has none.
        beyond: its lane is not built, so that its beats are errors and it takes no context.
        due: what it comes out as, once that is decided.
    """

    beats: list[Beat]
    context: Context | None
    beyond: bool = False
    due: list[Beat] | None = None
    digest: bool = False
    taken: int = field(default=0)  # beats that went in
    has_context: bool = False


def little(data: bytes) -> int:
    return int.from_bytes(data, "little")


class LaneEngine:
    """One engine with random packets over random lanes.

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
        self.board = LaneScoreboard()
        self.lanes = one["Lanes"]
        self.places = 2 ** lane_bits(self.lanes)
        self.packets = self.errors = self.interleaved = 0
        self.reset()

    def reset(self) -> None:
        for source in (self.beats, self.contexts, self.keys):
            source.drop()
        self.board.drop()
        self.known: dict[int, bytes] = {}
        self.open: dict[int, tuple[LanePacket, int]] = {}  # lane -> what is left to be queued
        self.plan: list[LanePacket] = []  # whose context has not been given to the source
        self.wait: list[LanePacket] = []  # whose context the source has
        self.head: LanePacket | None = None  # at the entry, undecided
        self.missing: LanePacket | None = None  # at the entry, without a context
        self.inside: set[int] = set()  # lanes whose packet has begun to go in
        self.stalled = 0

    # --- What goes in

    def random_context(self) -> Context:
        draw, one = self.draw, self.one
        mode = draw.choice([mode for mode in range(8) if one["Modes"] >> mode & 1])
        return Context(
            mode,
            0 if mode == CBC else draw.randrange(2),
            draw.randbytes(BYTES),
            draw.randbytes(one["KeyBits"] // 8),
            draw.choice([*self.known] or [0]) if one["KeySlots"] else 0,
        )

    def random_packet(self, lane: int, length: int | None = None) -> LanePacket:
        draw = self.draw
        context: Context | None = self.random_context()
        assert context is not None
        length = draw.choice(LENGTHS) if length is None else length
        if context.mode in WHOLE:
            length -= length % BYTES
        if context.mode in DIGESTS and context.mode in WHOLE:
            length = max(length, BYTES)
        if context.mode == CFB_BYTES:  # a call of the core for each byte
            length = min(length, 33)
        beats = cut(draw.randbytes(length), lane, draw.randrange(2**USER_BITS))
        if lane >= self.lanes:
            return LanePacket(beats, None, beyond=True)
        if draw.random() < self.faulty:
            fault = draw.randrange(8)
            at = draw.randrange(len(beats))
            beat = beats[at]
            rest = beat.last, beat.id, beat.user
            if fault == 0:  # a hole
                beats[at] = Beat(beat.data, 0b1011 << draw.randrange(12), *rest)
            elif fault == 1:  # too short, where a beat is not the last or the mode wants whole ones
                beats[at] = Beat(beat.data, 2 ** draw.randrange(16) - 1, *rest)
            elif fault == 2:
                context = None
            elif fault == 3:  # a mode or way that may not be built
                context.mode, context.decrypt = draw.randrange(8), draw.randrange(2)
            elif fault == 4:  # a slot that may hold no key
                context.slot = draw.randrange(2 ** self.one.inputs["s_ctx_slot"][1])
            elif fault == 5:  # not the first bytes
                beats[at] = Beat(beat.data, 0b1100, *rest)
            elif fault == 6:  # nothing in the last beat
                beats[-1] = Beat(0, 0, 1, lane, beat.user)
            else:
                context.decrypt ^= 1
        return LanePacket(beats, context)

    def queue(self, lane: int, packet: LanePacket | None = None) -> None:
        """Queue the next beat of a lane, of a new packet where none is open."""
        packet, index = self.open.pop(lane, (packet, 0))
        if packet is None:
            packet = self.random_packet(lane)
        if index == 0:
            self.plan.append(packet)
        self.beats.queue.append((packet, index))
        if index + 1 < len(packet.beats):
            self.open[lane] = packet, index + 1

    def load(self, slot: int) -> None:
        self.keys.queue.append((slot, self.draw.randbytes(self.one["KeyBits"] // 8)))

    def fill(self) -> None:
        """Keep the sources busy."""
        draw = self.draw
        if self.one["KeySlots"]:
            if not self.known and not self.keys.queue:
                self.load(0)
            elif not self.keys.queue and draw.random() < 0.02:
                self.load(draw.randrange(2 ** self.one.inputs["s_key_slot"][1]))
            if not self.known:
                return
        while len(self.beats.queue) < 8:
            self.queue(draw.randrange(self.places if draw.random() < 0.1 else self.lanes))

    def finish(self) -> None:
        """Queue what is left of the open packets."""
        while self.open:
            self.queue(self.draw.choice([*self.open]))

    # --- A cycle

    def offer(self, share: float, ready: float) -> dict[str, int]:
        """Values of this engine's inputs."""
        self.feed_contexts()
        draw = self.draw
        values = {"m_axis_tready": int(draw.random() < ready)}
        self.ready = values["m_axis_tready"]
        if self.beats.offer(draw, share):
            packet, index = self.beats.queue[0]
            beat = packet.beats[index]
            values |= {"s_axis_tvalid": 1, "s_axis_tdata": beat.data, "s_axis_tkeep": beat.keep}
            values |= {"s_axis_tlast": beat.last, "s_axis_tid": beat.id, "s_axis_tuser": beat.user}
        if self.contexts.offer(draw, max(share, 0.6)):
            context = self.contexts.queue[0].context
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

    def feed_contexts(self) -> None:
        """Contexts are given in order; one behind a packet without any waits until that one is by,
        which is so when a beat goes in behind it or nothing of its lane is inside.
        """
        while self.plan:
            packet = self.plan[0]
            if packet.context is not None:
                self.contexts.queue.append(packet)
            elif not packet.beyond and (
                not packet.taken
                or (self.missing is packet and self.board.of(packet.beats[0].id).expected)
            ):
                break
            self.plan.pop(0)

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
        key = self.keys.after(got("s_key_tready"))
        if key is not None:
            slot, value = key
            # A packet that begins later finds this key.
            self.known.pop(slot, None)
            if slot < one["KeySlots"]:
                self.known[slot] = value
        given = self.contexts.after(got("s_ctx_tready"))
        if given is not None:
            given.has_context = True
        taken = self.beats.after(got("s_axis_tready"))
        if taken is not None:
            self.take(*taken)
        # A packet is decided when its first beat and its context are both in.
        if self.head and (self.head.has_context or self.head.context is None):
            self.decide(self.head)
            self.head = None
        moved = taken is not None or (got("m_axis_tvalid") and self.ready)
        self.stalled = 0 if moved else self.stalled + 1

    def take(self, packet: LanePacket, index: int) -> None:
        packet.taken += 1
        self.missing = packet if index == 0 and packet.context is None else None
        lane, last = packet.beats[index].id, packet.beats[index].last
        self.interleaved += bool(self.inside - {lane})
        self.inside = self.inside - {lane} if last else self.inside | {lane}
        if index == 0:
            self.head = packet
        else:
            self.expect(packet, index)
        if packet.taken == len(packet.beats):
            self.packets += 1

    def expect(self, packet: LanePacket, index: int) -> None:
        assert packet.due is not None, "a beat went in behind one that waits for its context"
        if not packet.digest:
            self.board.accepted(packet.due[index])
        elif packet.beats[index].last:
            self.board.accepted(packet.due[0])

    def decide(self, packet: LanePacket) -> None:
        context = packet.context
        built = context is not None and self.built(context)
        key = None
        if context and built:
            key = self.known.get(context.slot) if self.one["KeySlots"] else context.key
        packet.digest = context is not None and built and context.mode in DIGESTS
        packet.due = expected_beats(packet.beats, context, key, packet.digest)
        self.errors += packet.due[-1].error
        self.expect(packet, 0)

    def built(self, context: Context) -> bool:
        return bool(self.one["Modes"] >> context.mode & 1) and not (
            context.mode == CBC and context.decrypt
        )

    @property
    def idle(self) -> bool:
        return not (self.beats.queue or self.board.owed or self.contexts.queue or self.head)


async def step(
    driver: Driver, engines: Sequence[LaneEngine], share: float, ready: float
) -> Outputs:
    # What has gone wrong is not driven on.
    working = [engine for engine in engines if engine.board.fault is None]
    own = {engine.one.name: engine.offer(share, ready) for engine in working}
    now = driver.number
    outputs = await driver.cycle({}, own)
    for engine in working:
        engine.after(now, outputs)
    return outputs


async def drain(
    driver: Driver, engines: Sequence[LaneEngine], share: float, ready: float, cycles: int = 6000
) -> None:
    """Go on without new packets until all is out, or until some engine has clearly stopped."""
    for engine in engines:
        engine.finish()
    for _ in range(cycles):
        if all(e.idle or e.board.fault or e.stalled > 2000 for e in engines):
            break
        await step(driver, engines, share, ready)
    for engine in engines:
        engine.board.end(len(engine.beats.queue))


async def reset(driver: Driver, engines: Sequence[LaneEngine], cycles: int = 1) -> None:
    for _ in range(cycles):
        await driver.cycle({}, {engine.one.name: {"rst": 1} for engine in engines})
    for engine in engines:
        engine.reset()


def judge(engines: Sequence[LaneEngine], mutants: Mapping[str, Any]) -> None:
    """Want no fault of a true engine, and one of every mutant."""
    faults = {e.one.name: e.board.fault for e in engines if e.board.fault}
    true = {name: fault for name, fault in faults.items() if name not in mutants}
    assert not true, f"{len(true)} engines went wrong: {true}"
    assert set(faults) == set(mutants), set(mutants) - set(faults)
