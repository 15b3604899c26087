# SPDX-License-Identifier: Apache-2.0
"""Cycles that packets of one size take through an engine with tags, back to back.

Under keys that it has, or each under a key of its own.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import msgspec

from aesforge.check.load import SealedLoad
from aesforge.check.sealed import random_packet
from aesforge.errors import CheckFailed
from aesforge.simulate.engine import BEATS, KEYS, RESULTS
from aesforge.simulate.packets import KeyLoad, Packet, SealedPacket
from aesforge.simulate.stream import StreamSimulator
from aesforge.simulate.traffic import fault_text, first_fault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from aesforge.design.engine import Engine
    from aesforge.simulate.build import Optimize


class PacketRate(msgspec.Struct, frozen=True, kw_only=True):
    """What packets of one size took.

    Args:
        text_bytes: of each.
        aad_bytes: of each.
        beats: of each, its tag included.
        cycles: of each, on average over `packets`, when nobody waits.
        packets: that were counted, in both directions, under all key slots in random order.
    """

    text_bytes: int
    aad_bytes: int
    beats: int
    cycles: float
    packets: int

    @property
    def bubbles(self) -> float:
        """Cycles of a packet in which no beat was taken."""
        return self.cycles - self.beats


def packet_rates(
    engine: Engine,
    sizes: Sequence[tuple[int, int]],
    *,
    packets: int = 500,
    seed: int = 1,
    optimize: Optimize = "speed",
) -> list[PacketRate]:
    """Return what packets of some sizes take.

    Args:
        engine: an engine with tags.
        sizes: bytes of text and of associated data.
        packets: that are counted, of each size.
        seed: of their content.
        optimize: as of the simulator.

    Raises:
        ToolMissing: something to simulate with is not installed.
        CheckFailed: a beat was lost, repeated, reordered or wrong.
    """
    source = SealedLoad(engine, optimize)
    draw = random.Random(seed)
    found = []
    with StreamSimulator(source.module, optimize=optimize, seed=seed) as simulator:
        source.start(simulator)
        # The first of them run while the engine fills up.
        before = 2 * (engine.depth or 0)
        for text_bytes, aad_bytes in sizes:
            made = []
            for _ in range(packets + before):
                slot = draw.randrange(len(source.keys))
                key = source.keys[slot]
                made.append(
                    random_packet(
                        engine, draw, slot, key, text_bytes=text_bytes, aad_bytes=aad_bytes
                    )
                )
            words = source.traffic.transfers(made)
            found.append(_rate(source, simulator, words, made, before))
    return found


def new_key_rates(
    engine: Engine,
    sizes: Sequence[tuple[int, int]],
    *,
    packets: int = 60,
    seed: int = 1,
    optimize: Optimize = "speed",
) -> list[PacketRate]:
    """Return what packets take if each has a new key: of an engine with stored keys.

    Slots take turns. A key goes in as soon as the packet before in its slot has left.

    Args and raises: as of :func:`packet_rates`.
    """
    source = SealedLoad(engine, optimize)
    draw = random.Random(seed)
    slots = engine.core.key_slots or 1
    found = []
    with StreamSimulator(source.module, optimize=optimize, seed=seed) as simulator:
        source.start(simulator)
        before = 2 * slots
        for text_bytes, aad_bytes in sizes:
            items: list[Packet | KeyLoad] = []
            made = []
            for number in range(packets + before):
                slot, key = number % slots, draw.randbytes(engine.core.key_bits // 8)
                made.append(
                    random_packet(
                        engine, draw, slot, key, text_bytes=text_bytes, aad_bytes=aad_bytes
                    )
                )
                items += [KeyLoad(slot, key), made[-1]]
            words = source.traffic.transfers(items)
            beats = made[0].beats
            for number, load in enumerate(words[0][KEYS]):
                # `transfers` has a key wait for all packets before it.
                load["count"] = simulator.moved[RESULTS] + beats * max(0, number - slots + 1)
            found.append(_rate(source, simulator, words, made, before))
    return found


def _rate(
    source: SealedLoad,
    simulator: StreamSimulator,
    words: tuple[dict[str, NDArray[Any]], NDArray[Any]],
    made: Sequence[SealedPacket],
    before: int,
) -> PacketRate:
    """Return what packets of one size take; the first ones run while the engine fills up."""
    transfers, due = words
    result = simulator.run(transfers, wanted=len(due))
    fault = source.other_fault(result, True) or first_fault(result.rows, due)
    if fault := fault or fault_text(result):
        raise CheckFailed(f"'{source.engine.name}' is wrong: {fault}")
    packet, packets = made[0], len(made) - before
    starts = result.taken[BEATS][:: packet.beats]
    cycles = int(starts[before + packets - 1]) - int(starts[before - 1])
    return PacketRate(
        text_bytes=len(packet.data),
        aad_bytes=len(packet.aad),
        beats=packet.beats,
        cycles=cycles / packets,
        packets=packets,
    )
