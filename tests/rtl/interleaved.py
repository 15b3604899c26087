# SPDX-License-Identifier: Apache-2.0
"""An interleaved engine on a bench: the traffic at its ports, and what must come of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import queue_probes
from engine_ports import LENGTHS, USER_BITS, EnginePorts, add_engine
from fips197 import rounds
from rtl_bench import Bench, Instance, Mutation, Outputs
from streams import (
    BYTES,
    CBC,
    CFB_BYTES,
    DIGESTS,
    WHOLE,
    Beat,
    Context,
    StreamScoreboard,
    cut,
    expected_beats,
)

from aesforge.design import Design

MODULE = "aesforge_engine_interleaved"
NAMES = (
    *("KeyBits", "Unroll", "SboxStages", "LinearStages", "KeySlots", "Tiles"),
    *("Modes", "Streams", "Depth"),
)
ALL_MODES = 252


def core_latency(one: Instance) -> int:
    """Cycles of the core inside (docs/cores/aesforge_core.md)."""
    return rounds(one["KeyBits"]) * (one["SboxStages"] + one["LinearStages"]) + 1


def stream_bits(streams: int) -> int:
    return max(1, (streams - 1).bit_length())


def add(
    bench: Bench,
    name: str,
    shape: tuple[int, ...],
    mutation: Mutation | None = None,
    probed: Mapping[str, tuple[str, int]] | None = None,
) -> None:
    """Add an engine to a bench; ``probed`` has path and width of its internal signals."""
    parameters = dict(zip(NAMES, shape, strict=True))
    id_bits = stream_bits(parameters["Streams"])
    add_engine(bench, name, MODULE, parameters, mutation, probed, mode_bits=3, id_bits=id_bits)


def window_bits(parameters: Mapping[str, int]) -> int:
    """Width of what travels with a block to the core: key or slot."""
    slots = parameters["KeySlots"]
    return (slots - 1).bit_length() if slots else parameters["KeyBits"]


def shell_secrets(
    parameters: Mapping[str, int], start: int, payload: int
) -> dict[str, tuple[str, int]]:
    """Path and width of what holds a secret beside the mode: in the shell, and before the core.

    Args:
        parameters: of the engine.
        start: bits of a context for the first beat.
        payload: bits of a context for all beats.
    """
    window, streams = window_bits(parameters), parameters["Streams"]
    out = 128 + 16 + stream_bits(streams) + USER_BITS + 2
    found = {
        "head_data": ("u_shell.head_data_q", 128),
        "beat_data": ("u_shell.beat_data", 128),
        "beat_start": ("u_shell.beat_start", start),
        "given": ("u_shell.u_contexts.payload_q", start + payload),
        **{f"given_{i}": (f"u_shell.u_contexts.payloads[{i}]", start + payload) for i in range(4)},
        "done_data": ("u_shell.done_data_q", 128),
        "out_data": ("u_shell.out_data_q", 128),
        **queue_probes.of_output_queue("u_shell", out, parameters["Depth"]),
    }
    if parameters["Unroll"] < rounds(parameters["KeyBits"]):
        width, queue = stream_bits(streams) + window + 128, "u_core.gen_queue.u_queue"
        found |= queue_probes.of_queue("turn", queue, width, 2 ** stream_bits(streams))
        found["turn"] = (f"{queue}.m_data", width)
    if parameters["KeySlots"]:
        found["key"] = ("u_core.gen_interlock.u_interlock.key", parameters["KeyBits"])
    else:
        found["payload"] = ("u_shell.payload_q", payload)
        found["late_new"] = ("u_shell.late_new_q", payload)
        found["late_old"] = ("u_shell.late_old_q", payload)
        for i in range(streams):
            found[f"context_{i}"] = (f"u_shell.payloads[{i}]", payload)
    return found


def zeroize_bound(one: Instance) -> int:
    """Cycles from `zeroize` until the engine is zeroized and open again."""
    core = Design(
        unroll=one["Unroll"],
        sbox="table",
        sbox_stages=one["SboxStages"],
        linear_stages=one["LinearStages"],
        key_schedule="stored" if one["KeySlots"] else "agile",
        key_slots=one["KeySlots"] or None,
    )
    return core.zeroize_cycles + max(one["Depth"], 1 << stream_bits(one["Streams"])) + 9


@dataclass(eq=False)
class StreamPacket:
    """A packet on its way.

    Args:
        beats: as they go in; ``id`` is the stream.
        context: None where it has none.
        beyond: its stream is not built, so that its beats are errors and it takes no context.
        due: what it comes out as, once that is decided.
    """

    beats: list[Beat]
    context: Context | None
    beyond: bool = False
    due: list[Beat] | None = None
    digest: bool = False
    taken: int = field(default=0)  # beats that went in
    has_context: bool = False


class InterleavedEngine(EnginePorts):
    """One engine with random packets over random streams.

    Args:
        one: the instance.
        seed: of its traffic.
        faulty: share of packets that are wrong in some way.
    """

    def __init__(self, one: Instance, seed: int, faulty: float = 0.15) -> None:
        self.scoreboard = StreamScoreboard()
        self.streams = one["Streams"]
        self.places = 2 ** stream_bits(self.streams)
        self.interleaved = 0
        super().__init__(one, seed, faulty, self.scoreboard)

    def reset(self) -> None:
        super().reset()
        self.open: dict[int, tuple[StreamPacket, int]] = {}  # stream -> what is left to be queued
        self.plan: list[StreamPacket] = []  # whose context has not been given to the source
        self.head: StreamPacket | None = None  # at the entry, undecided
        self.missing: StreamPacket | None = None  # at the entry, without a context
        self.inside: set[int] = set()  # streams whose packet has begun to go in

    # --- What goes in

    def random_context(self) -> Context:
        draw, one = self.draw, self.one
        mode = draw.choice([mode for mode in range(8) if one["Modes"] >> mode & 1])
        decrypt = 0 if mode == CBC else draw.randrange(2)
        return self.context(mode, decrypt, draw.randbytes(BYTES))

    def random_packet(self, stream: int, length: int | None = None) -> StreamPacket:
        draw = self.draw
        context = self.random_context()
        length = draw.choice(LENGTHS) if length is None else length
        if context.mode in WHOLE:
            length -= length % BYTES
        if context.mode in DIGESTS and context.mode in WHOLE:
            length = max(length, BYTES)
        if context.mode == CFB_BYTES:  # a call of the core for each byte
            length = min(length, 33)
        beats = cut(draw.randbytes(length), stream, draw.randrange(2**USER_BITS))
        if stream >= self.streams:
            return StreamPacket(beats, None, beyond=True)
        if draw.random() < self.faulty:
            return StreamPacket(beats, self.spoil(beats, context))
        return StreamPacket(beats, context)

    def queue(self, stream: int, packet: StreamPacket | None = None) -> None:
        """Queue the next beat of a stream, of a new packet where none is open."""
        packet, index = self.open.pop(stream, (packet, 0))
        if packet is None:
            packet = self.random_packet(stream)
        if index == 0:
            self.plan.append(packet)
        self.beats.queue.append((packet, index))
        if index + 1 < len(packet.beats):
            self.open[stream] = packet, index + 1

    def queue_packet(self) -> None:
        self.queue(self.draw.randrange(self.places if self.draw.random() < 0.1 else self.streams))

    def finish(self) -> None:
        while self.open:
            self.queue(self.draw.choice([*self.open]))

    # --- A cycle

    def next_beat(self) -> Beat:
        packet, index = self.beats.queue[0]
        beat: Beat = packet.beats[index]
        return beat

    def next_context(self) -> Context:
        context: Context = self.contexts.queue[0].context
        return context

    def offer(self, share: float, ready: float) -> dict[str, int]:
        self.feed_contexts()
        return super().offer(share, ready)

    def feed_contexts(self) -> None:
        """Contexts are given in order; one after a packet without any waits until that one is by,
        which is so when a beat goes in after it or nothing of its stream is inside.
        """
        while self.plan:
            packet = self.plan[0]
            if packet.context is not None:
                self.contexts.queue.append(packet)
            elif not packet.beyond and (
                not packet.taken
                or (self.missing is packet and self.scoreboard.of(packet.beats[0].id).expected)
            ):
                break
            self.plan.pop(0)

    def after(self, now: int, outputs: Outputs) -> None:
        self.watch(now, outputs)
        self.take_key(outputs)
        given = self.contexts.after(outputs.of(self.one, "s_ctx_tready"))
        if given is not None:
            given.has_context = True
        taken = self.take_beat(outputs)
        if taken is not None:
            self.take(*taken)
        # A packet is decided when its first beat and its context are both in.
        if self.head and (self.head.has_context or self.head.context is None):
            self.decide(self.head)
            self.head = None

    def take(self, packet: StreamPacket, index: int) -> None:
        packet.taken += 1
        self.missing = packet if index == 0 and packet.context is None else None
        stream, last = packet.beats[index].id, packet.beats[index].last
        self.interleaved += bool(self.inside - {stream})
        self.inside = self.inside - {stream} if last else self.inside | {stream}
        if index == 0:
            self.head = packet
        else:
            self.expect(packet, index)
        if packet.taken == len(packet.beats):
            self.packets += 1

    def expect(self, packet: StreamPacket, index: int) -> None:
        assert packet.due is not None, "a beat went in after one that waits for its context"
        if not packet.digest:
            self.board.accepted(packet.due[index])
        elif packet.beats[index].last:
            self.board.accepted(packet.due[0])

    def decide(self, packet: StreamPacket) -> None:
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
        return not (self.beats.queue or self.scoreboard.owed or self.contexts.queue or self.head)
