# SPDX-License-Identifier: Apache-2.0
"""The ports of engines that see beats before they know the context of their packet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from engine_ports import EnginePorts, InOrderPorts, drain, reset, step
from fips197 import rounds
from rtl_bench import Bench, Driver, Instance, Mutation, Outputs, twins_of
from streams import Beat

from aesforge.design import Design

ID_BITS, USER_BITS, WAIT = 2, 3, 20
ENCRYPT, DECRYPT, BOTH = range(3)
# Of an engine: what enters its core, and whether the core accepts it.
ENTRY = {name: (name, 1) for name in ("core_valid", "core_ready")}


class AheadPorts(InOrderPorts):
    """An engine that takes beats of a packet before its context is looked at.

    Its packets have ``context``, None where they have none, and ``end``, the number of the last
    beat once that is known.
    """

    def has_left(self, number: int) -> bool:
        """Whether a beat of this number is out."""
        expected = self.board.expected
        return number < (expected[0][0] if expected else self.board.given)

    def brings_context(self, packet: Any) -> bool:
        """Whether a packet with a context is the first under it."""
        return True

    def is_whole(self, packet: Any) -> bool:
        """Whether all beats of a packet have gone in."""
        return packet not in self.under_way

    def offer(self, share: float, ready: float) -> dict[str, int]:
        # Contexts are given in order; one after a packet without any waits until that has left.
        while self.plan and (self.plan[0].context or self.has_left(self.plan[0].end)):
            packet = self.plan.pop(0)
            if packet.context and self.brings_context(packet):
                self.contexts.queue.append(packet.context)
        # Nor may the next packet wait for its context in the meantime.
        lone = self.plan and self.plan[0].context is None
        if lone and self.is_whole(self.plan[0]) and not self.beats.offered:
            share = 0.0
        return super().offer(share, ready)


@dataclass(kw_only=True)
class EarlyContext:
    """What a packet brings; it takes the key that its slot holds when the engine accepts it."""

    slot: int
    decrypt: int
    key: bytes | None = None  # of the slot, once the context has gone in
    accepted: bool = False


@dataclass(kw_only=True, eq=False)
class EarlyPacket:
    """Beats as they go in, and the context, None where it has none."""

    beats: list[Beat]
    context: Any
    taken: int = 0  # beats that have gone in
    end: int = 2**40  # the number of its last beat, once it is expected

    @property
    def resolved(self) -> bool:
        """Whether it is known what it comes out as."""
        return self.context is None or self.context.accepted


class EarlyKeyPorts(AheadPorts):
    """An engine whose packets take their key when their context is accepted."""

    def reset(self) -> None:
        super().reset()
        self.inside: list[tuple[EarlyPacket, int]] = []  # beats that are in, not yet expected

    def expected_beats(self, packet: Any) -> list[Beat]:
        """Return the beats that a packet comes out as."""
        raise NotImplementedError

    def ended(self, packet: Any, last: Beat) -> None:
        """The last beat of a packet is expected: count it."""

    def after(self, now: int, outputs: Outputs) -> None:
        # A context finds the key that went in before it, or with it.
        self.take_key(outputs)
        context = self.contexts.after(outputs.of(self.one, "s_ctx_tready"))
        if context is not None:
            context.accepted = True
            context.key = self.known.get(context.slot)
        if self.take_beat(outputs):
            packet = self.under_way[0]
            self.inside.append((packet, packet.taken))
            packet.taken += 1
            if packet.taken == len(packet.beats):
                self.under_way.pop(0)
                self.packets += 1
        while self.inside and self.inside[0][0].resolved:
            packet, index = self.inside.pop(0)
            beats = self.expected_beats(packet)
            if index == len(beats) - 1:
                packet.end = self.board.given
                self.errors += beats[-1].error
                self.ended(packet, beats[-1])
            self.board.accepted(beats[index])
        self.watch(now, outputs)

    @property
    def idle(self) -> bool:
        return super().idle and not self.inside


def latency_of(one: Instance) -> int:
    """Cycles from a block in to the same block out, of an unrolled core."""
    return int(rounds(one["KeyBits"]) * (one["SboxStages"] + one["LinearStages"]) + 1)


def cores_zeroize_cycles(one: Instance) -> int:
    """Cycles that both cores of an engine take: the looped one has more places in its stores."""
    looped = 2 if one.parameters.get("Tiles", 1) > 1 else 1
    return max(
        Design(
            key_bits=one["KeyBits"],
            unroll=unroll,
            sbox="table",
            sbox_stages=one["SboxStages"],
            linear_stages=one["LinearStages"],
            key_schedule="stored",
            key_slots=one["KeySlots"],
        ).zeroize_cycles
        for unroll in (looped, rounds(one["KeyBits"]))
    )


def add_stored_engine(
    bench: Bench,
    name: str,
    module: str,
    parameters: Mapping[str, int],
    mutation: Mutation | None,
    probed: Mapping[str, tuple[str, int]] | None,
    *,
    keys: int = 1,
    context: Mapping[str, int],
    more_inputs: Mapping[str, int] | None = None,
    more_outputs: Mapping[str, int] | None = None,
) -> None:
    """Add an engine with stored keys to a bench.

    Args:
        bench: the bench.
        name: of the instance.
        module: the engine.
        parameters: that it has beside those of all.
        mutation: of it, or None.
        probed: path and width of its internal signals.
        keys: how many of the cipher's make one of the engine's.
        context: width of each port of a context but its slot, `s_ctx_` left out.
        more_inputs: width of each input that others have not.
        more_outputs: likewise, of outputs.
    """
    slot_bits = (parameters["KeySlots"] - 1).bit_length()
    keep = 16 * parameters.get("Tiles", 1)
    bench.add(
        name,
        module,
        {
            **parameters,
            **{"SboxStyle": 0, "KeySboxStyle": 0, "ContextTimeout": WAIT},
            **{"UserBits": USER_BITS, "IdBits": ID_BITS},
        },
        inputs={
            **{"rst": 1, "s_key_tvalid": 1, "s_key_slot": slot_bits},
            **{"s_key_tdata": keys * parameters["KeyBits"], "s_ctx_tvalid": 1},
            "s_ctx_slot": slot_bits,
            **{f"s_ctx_{port}": width for port, width in context.items()},
            **{
                "s_axis_tvalid": 1,
                "s_axis_tdata": 8 * keep,
                "s_axis_tkeep": keep,
                "s_axis_tlast": 1,
            },
            **{"s_axis_tid": ID_BITS, "s_axis_tuser": USER_BITS, "m_axis_tready": 1},
            **(more_inputs or {}),
        },
        outputs={
            **{"s_key_tready": 1, "s_ctx_tready": 1, "s_axis_tready": 1, "m_axis_tvalid": 1},
            **{"m_axis_tdata": 8 * keep, "m_axis_tkeep": keep, "m_axis_tlast": 1},
            **{"m_axis_tid": ID_BITS, "m_axis_tuser": USER_BITS + 1},
            **(more_outputs or {}),
        },
        probes=probed,
        mutation=mutation,
    )


Probes = Mapping[str, tuple[str, int]]


@dataclass(frozen=True, kw_only=True)
class EngineBenches:
    """The benches of an engine with stored keys, one for each cocotb test of its file.

    Args:
        module: the engine.
        names: of the parameters of a shape, in order.
        shapes: the true engines.
        mutations: cocotb test to its mutants: name to shape and mutation.
        keyed: the true engines of `keys_follow_closely`.
        twins: shapes of the pairs of `zeroize_zeroizes_everything`.
        twin_mutations: name of a pair to the mutation of its mutant.
        secrets: probes of a pair, by its parameters.
        keys: how many of the cipher's make one of the engine's.
        context: width of each port of a context but its slot, `s_ctx_` left out.
    """

    module: str
    names: Sequence[str]
    shapes: Mapping[str, Sequence[int]]
    mutations: Mapping[str, Mapping[str, tuple[str, Mutation]]]
    keyed: Sequence[str]
    twins: Mapping[str, Sequence[int]]
    twin_mutations: Mapping[str, Mutation]
    secrets: Callable[[Mapping[str, int]], dict[str, tuple[str, int]]]
    keys: int = 1
    context: Mapping[str, int]

    def make(self, test: str) -> Bench:
        """Return the bench of one cocotb test: each engine costs time in every cycle."""
        bench = Bench({"zeroize": 1})
        if test == "zeroize_zeroizes_everything":
            for pair, shape in self.twins.items():
                probed = self.secrets(dict(zip(self.names, shape, strict=True)))
                for name, mutation in twins_of(pair, self.twin_mutations[pair]):
                    self._add(bench, name, shape, mutation, probed)
            return bench
        close = test == "keys_follow_closely"
        entry = ENTRY if close else None
        for name in self.keyed if close else self.shapes:
            self._add(bench, name, self.shapes[name], None, entry)
        for name, (shape_name, mutation) in self.mutations[test].items():
            self._add(bench, name, self.shapes[shape_name], mutation, entry)
        return bench

    def _add(
        self,
        bench: Bench,
        name: str,
        shape: Sequence[int],
        mutation: Mutation | None,
        probed: Probes | None,
    ) -> None:
        add_stored_engine(
            bench,
            name,
            self.module,
            dict(zip(self.names, shape, strict=True)),
            mutation,
            probed,
            keys=self.keys,
            context=self.context,
        )


async def cycles_of_beats(
    driver: Driver, engines: Sequence[EnginePorts], cycles: int
) -> list[tuple[EnginePorts, list[int]]]:
    """Go on without stalls; give each engine with the cycles, from now on, in which a beat left."""
    begin = driver.number
    out: dict[str, list[int]] = {engine.one.name: [] for engine in engines}
    for _ in range(cycles):
        left = {engine.one.name: engine.board.left for engine in engines}
        await step(driver, engines, 1.0, 1.0)
        for engine in engines:
            if engine.board.left > left[engine.one.name]:
                out[engine.one.name].append(driver.number - 1 - begin)
    return [(engine, out[engine.one.name]) for engine in engines]


def note_rate(
    engine: EnginePorts, beats: Sequence[int], cycles: int, *, first: int, gaps: int
) -> None:
    """Note a fault if an engine is late, or loses cycles.

    Args:
        engine: the engine.
        beats: cycles in which a beat left.
        cycles: that have passed.
        first: the latest for the first of them.
        gaps: most cycles from then on in which none left.
    """
    if engine.board.fault is not None:
        return
    lost = sum(b - a - 1 for a, b in pairwise(beats))
    if not beats:
        engine.board.fault = "not a beat came out"
    elif beats[0] + len(beats) + lost != cycles or lost > gaps:
        engine.board.fault = f"not a beat per cycle: {beats}"
    elif beats[0] > first:
        engine.board.fault = f"first beat in {beats[0]}, at most {first}"


async def keys_follow_packets(
    driver: Driver,
    engines: Sequence[EnginePorts],
    send: Callable[[Any, int, int], None],
    cycles: int,
) -> None:
    """Load a key for the slot of two packets, at every distance from their first beat.

    A block that the core does not accept is a fault: its key is on its way out.

    Args:
        driver: of the bench.
        engines: on it, with the probes of `ENTRY`.
        send: queues a packet of an engine: its distance, its number of two.
        cycles: of each distance.
    """
    await reset(driver, engines)
    for engine in engines:
        engine.load(0)
    for distance in range(45):
        for engine in engines:
            for number in range(2):
                send(engine, distance, number)
        for cycle in range(cycles):
            if cycle == distance:
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
