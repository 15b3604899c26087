# SPDX-License-Identifier: Apache-2.0
"""Simulate an engine against the published vectors and against OpenSSL, packet by packet.

Everything that comes out is compared: data, `tkeep`, `tlast`, `tid`, `tuser` with the error flag,
their order, and that what waits at the output stays as it is. Every random choice follows from the
seed, so that a run can be repeated exactly.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aesforge.check.report import Progress, Report, chosen_seed, repeat_command
from aesforge.design.engine import BLOCK_BYTES, Engine
from aesforge.design.modes import MODES
from aesforge.errors import CheckFailed
from aesforge.simulate.packets import (
    BEATS,
    CONTEXTS,
    KEYS,
    RESULTS,
    Context,
    KeyLoad,
    Packet,
    Traffic,
    engine_module,
    fault_text,
    first_fault,
    mode_of,
)

if TYPE_CHECKING:
    from aesforge.simulate.build import Optimize
    from aesforge.simulate.stream import StreamSimulator

# Beats of one call of the simulator: limits the memory.
_CHUNK_BEATS = 4096
# Beats of a packet at full load.
_LONG = 16
# Packet lengths in bytes that are drawn more often than others.
_LENGTHS = (0, 1, 15, 16, 16, 16, 17, 31, 32, 33, 48, 64, 80)


@dataclass(kw_only=True)
class StreamReport(Report):
    """What a check of an engine found."""

    engine: str
    """The engine's name."""
    vector_packets: int = 0
    """Packets of published vectors that were sent."""
    random_packets: int = 0
    """Random packets that were sent."""
    error_packets: int = 0
    """Those that were wrong on purpose, and must leave with the error flag."""
    beats: int = 0
    """Beats of all packets."""
    stall: float = 0.0
    """Share of cycles in which a side waited, where they did."""
    latency_cycles_seen: int | None = None
    """Of the first beat into an idle engine."""

    @property
    def packets(self) -> int:
        """All packets that were sent."""
        return self.vector_packets + self.random_packets

    def as_dict(self) -> dict[str, Any]:
        """Return the report for JSON."""
        return {"engine": self.engine, **super().as_dict(), "packets": self.packets}

    def success(self) -> str:
        """Return the line for a run without faults."""
        return "passed: no beat lost, repeated, reordered or wrong"

    def lines(self) -> list[str]:
        """Return the lines before the faults."""
        latency = self.latency_cycles_seen
        return [
            f"engine      {self.engine}: {self.summary}",
            "compared    with published vectors (NIST, RFC 3686) and OpenSSL"
            if self.vector_packets
            else "compared    with OpenSSL",
            f"packets     {self.packets:,} ({self.vector_packets:,} of published vectors, "
            f"{self.random_packets:,} random, of which {self.error_packets:,} wrong on purpose)",
            f"beats       {self.beats:,} in {self.cycles:,} cycles; "
            + (
                f"at full load, with each side waiting in {100 * self.stall:.3g} % of them, and "
                "to a reader at half the rate"
                if self.stall
                else "nobody waited"
            ),
            f"latency     {'not measured' if latency is None else f'{latency} cycles'} "
            f"(computed: {self.latency_cycles})",
            self.throughput("blocks"),
            f"simulation  {self.cycles_per_second:,.0f} cycles/s",
            f"seed        {self.seed}",
        ]


def check_engine(
    engine: Engine,
    *,
    seed: int | None = None,
    blocks: int = 1000,
    stall: float = 0.5,
    random_keys: bool = True,
    vectors: bool = True,
    progress: Progress | None = None,
    optimize: Optimize = "speed",
    rtl: Sequence[Path] | None = None,
    command: str | None = None,
) -> StreamReport:
    """Simulate an engine and compare every beat.

    The published vectors come first, all those of its modes and key size, a packet each. Then
    packets of whole blocks back to back, where latency and rate are measured. Then random packets
    of all its modes and of any length, some of them wrong in each way that an engine has to flag,
    with waits on all sides and new keys for slots between them; others to a reader so slow that
    all queues are full; and last a `zeroize` with packets inside.

    Args:
        engine: the engine.
        seed: fixes every random choice; drawn and reported when left out.
        blocks: about how many random blocks to send.
        stall: how likely either side waits in a cycle, 0 to below 1; 0 leaves waits out altogether.
        random_keys: a new key (stored: slot) with every packet, or one for all.
        vectors: send the published vectors.
        progress: called with blocks done and blocks in all.
        optimize: see :class:`aesforge.simulate.stream.StreamSimulator`.
        rtl: source files in compile order instead of the package's own, to test changed RTL.
        command: what a user types for a check of this engine, to be extended to the report's
            ``command``.

    Raises:
        ToolMissing: something to simulate with is not installed.
        AesforgeError: the model does not compile.
    """
    from aesforge.simulate.stream import StreamSimulator

    seed = chosen_seed(seed)
    report = StreamReport(
        engine=engine.name,
        summary=engine.summary(),
        choices=engine.choices(),
        seed=seed,
        command=repeat_command(
            command or f"aesforge check {engine.name}",
            seed=seed,
            blocks=blocks,
            bubbles=stall,
            random_keys=random_keys,
            vectors=vectors,
        ),
        stall=stall,
        latency_cycles=engine.latency_cycles,
        blocks_per_cycle=engine.blocks_per_cycle,
    )
    module = engine_module(engine, optimize=optimize, files=rtl)
    with StreamSimulator(module, optimize=optimize, seed=seed) as simulator:
        assert simulator.model is not None
        report.build_seconds = simulator.model.build_seconds
        run = _Run(engine, simulator, report, random_keys)
        # At half the rate at which results come, the queues fill up to the last place.
        slow = 1 - engine.beats_per_cycle / 2
        # As many beats, whatever they hold: a rate shows when the queues are full.
        blocks *= engine.blocks_per_beat
        parts: list[tuple[str, Iterator[list[Packet | KeyLoad]], tuple[float, float]]] = []
        if vectors:
            parts.append(("published vectors", run.published(), (0.0, 0.0)))
        parts.append(("full load", run.full_load(blocks // 2), (0.0, 0.0)))
        parts.append(("random packets", run.random(blocks // 4), (stall, stall)))
        if stall:
            parts.append(("slow reader", run.random(blocks - 3 * (blocks // 4)), (0.0, slow)))
        chunks = [(name, list(given), share) for name, given, share in parts]
        total = sum(run.beats_of(items) for _, given, _ in chunks for items in given)
        done = 0
        try:
            for name, given, share in chunks:
                for items in given:
                    run.send(name, items, share)
                    done += run.beats_of(items)
                    if progress is not None:
                        progress(done, total)
            run.zeroize()
        except CheckFailed as error:
            run.fault("simulation", error.message)
    return report


class _Run:
    """One check: makes packets, has them sent, compares."""

    def __init__(
        self,
        engine: Engine,
        simulator: StreamSimulator,
        report: StreamReport,
        random_keys: bool,
    ) -> None:
        self.engine = engine
        self.simulator = simulator
        self.report = report
        self.draw = random.Random(report.seed)
        self.traffic = Traffic(simulator, engine)
        self.one_key = None if random_keys else self.draw.randbytes(engine.core.key_bits // 8)
        self.stream = -1
        self.slots: list[int] = []  # that hold a key, as packets are made

    def fault(self, part: str, message: str) -> None:
        """Note that the engine is wrong."""
        self.report.fault(part, f"{part}: {message}")

    def _fault(self, got: Any, due: Any, first: int) -> str | None:
        order = self.traffic.streams_in_order
        return first_fault(order(got), order(due), first)

    def _stream(self) -> int:
        """Return a `tid`: in an interleaved engine, the streams in turn."""
        streams = self.engine.streams
        self.stream = (self.stream + 1) % streams if streams else 0
        return self.stream

    @staticmethod
    def beats_of(items: Sequence[Packet | KeyLoad]) -> int:
        """Count the beats of some packets."""
        return sum(item.beats for item in items if isinstance(item, Packet))

    # --- Packets

    def _made(self, data: bytes, context: Context | None, stream: int = 0, user: int = 0) -> Packet:
        return Packet(data, context, stream, user, beat_bytes=self.engine.beat_bytes)

    def published(self) -> Iterator[list[Packet | KeyLoad]]:
        """Return every record of the engine's modes, as a packet."""
        from aesforge.reference.vectors import mode_records

        core = self.engine.core
        for name in self.engine.modes:
            mode = MODES[name]
            if mode.name == "cbc-mac":  # nobody publishes any
                continue
            records = mode_records(mode.cipher, core.key_bits)
            for first in range(0, len(records), 256):
                items: list[Packet | KeyLoad] = []
                for record in records[first : first + 256]:
                    for way in self.engine.ways(name):
                        decrypt = way == "decrypt"
                        data = record.ciphertext if decrypt else record.plaintext
                        slot = self._key(items, record.key)
                        context = Context(mode.code, decrypt, record.iv, record.key, slot)
                        items.append(self._made(data, context, self._stream()))
                        self.report.vector_packets += 1
                yield items

    def _key(self, items: list[Packet | KeyLoad], key: bytes) -> int:
        """Load a key into a slot where keys are stored, the slots in turn; give the slot."""
        slots = self.engine.core.key_slots
        if slots is None:
            return 0
        slot = (self.slots[-1] + 1) % slots if self.slots else 0
        self.slots.append(slot)
        items.append(KeyLoad(slot, key))
        return slot

    def full_load(self, blocks: int) -> Iterator[list[Packet | KeyLoad]]:
        """Return packets of whole blocks, one or many beats long."""
        while blocks > 0:
            items: list[Packet | KeyLoad] = []
            self._random_key(items)
            while blocks > 0 and self.beats_of(items) < _CHUNK_BEATS:
                # Streams in step: as many beats of each.
                count = _LONG if self.engine.is_interleaved else self.draw.choice((1, 1, _LONG))
                data = self.draw.randbytes(self.engine.beat_bytes * count)
                items.append(self._made(data, self._context(), self._stream()))
                self.report.random_packets += 1
                blocks -= count * self.engine.blocks_per_beat
            yield items

    def random(self, blocks: int) -> Iterator[list[Packet | KeyLoad]]:
        """Return packets of any length, some of them wrong."""
        while blocks > 0:
            items: list[Packet | KeyLoad] = []
            self._random_key(items)
            while blocks > 0 and self.beats_of(items) < _CHUNK_BEATS:
                if self.one_key is None and self.draw.random() < 0.1:
                    self._random_key(items)
                packet = self._packet()
                items.append(packet)
                self.report.random_packets += 1
                blocks -= packet.beats * self.engine.blocks_per_beat
            yield items

    def _random_key(self, items: list[Packet | KeyLoad]) -> None:
        slots = self.engine.core.key_slots
        if slots is None or (self.one_key is not None and self.slots):
            return
        slot = self.draw.randrange(slots)
        self.slots.append(slot)
        key = self.one_key or self.draw.randbytes(self.engine.core.key_bits // 8)
        items.append(KeyLoad(slot, key))

    def _context(self) -> Context:
        draw = self.draw
        name = draw.choice(self.engine.modes)
        iv = draw.randbytes(BLOCK_BYTES)
        if draw.random() < 0.3:
            # Counters at the edge of 32, 64, 96 and 128 bits.
            low = draw.choice((4, 8, 12, 16))
            iv = iv[:-low] + (2 ** (8 * low) - draw.randrange(1, 4)).to_bytes(low, "big")
        return Context(
            MODES[name].code,
            draw.choice(self.engine.ways(name)) == "decrypt",
            iv,
            self.one_key or draw.randbytes(self.engine.core.key_bits // 8),
            draw.choice(self.slots) if self.slots else 0,
        )

    def _packet(self) -> Packet:
        draw, engine = self.draw, self.engine
        context = self._context()
        mode = next(MODES[name] for name in engine.modes if MODES[name].code == context.code)
        length = draw.choice(_LENGTHS)
        if engine.blocks_per_beat > 1:
            length += draw.randrange(3) * engine.beat_bytes
        if not mode.partial:
            length -= length % BLOCK_BYTES
        if mode.digest and not mode.partial:
            length = max(length, BLOCK_BYTES)
        packet = self._made(
            draw.randbytes(length),
            context,
            draw.randrange(engine.streams or 2**engine.tid_bits),
            draw.randrange(2**engine.user_bits),
        )
        if draw.random() >= 0.15:
            return packet
        self.report.error_packets += 1
        at = draw.randrange(packet.beats)
        faults = ["hole", "not from byte 0"]
        if packet.beats > 1:
            faults.append("short before the last")
        if not mode.partial:
            faults.append("partial")
        if engine.context_timeout:
            faults.append("no context")
        if self._empty_slot() is not None:
            faults.append("empty slot")
        if (unbuilt := self._unbuilt()) is not None:
            faults.append("not built")
        fault = draw.choice(faults)
        if fault == "no context":
            return dataclasses.replace(packet, context=None)
        if fault == "not built":
            assert unbuilt is not None
            code, decrypt = unbuilt
            return dataclasses.replace(
                packet, context=dataclasses.replace(context, code=code, decrypt=decrypt)
            )
        if fault == "empty slot":
            slot = self._empty_slot()
            assert slot is not None
            return dataclasses.replace(packet, context=dataclasses.replace(context, slot=slot))
        if fault == "partial":
            return dataclasses.replace(
                packet, keeps={packet.beats - 1: 2 ** draw.randrange(1, 16) - 1}
            )
        if fault == "short before the last":
            return dataclasses.replace(
                packet, keeps={draw.randrange(packet.beats - 1): 2 ** draw.randrange(16) - 1}
            )
        keep = 0b1011 << draw.randrange(12) if fault == "hole" else 0b1100
        return dataclasses.replace(packet, keeps={at: keep})

    def _empty_slot(self) -> int | None:
        slots = self.engine.core.key_slots or 0
        free = sorted(set(range(slots)) - set(self.slots))
        return free[0] if free else None

    def _unbuilt(self) -> tuple[int, bool] | None:
        """Return a mode and a direction that this engine has not."""
        codes = sorted({mode.code for mode in MODES.values() if mode.kind == self.engine.kind.name})
        found = [
            (code, decrypt)
            for code in codes
            for decrypt in (False, True)
            if mode_of(self.engine, Context(code, decrypt)) is None
        ]
        return self.draw.choice(found) if found else None

    # --- Sending

    def send(self, part: str, items: list[Packet | KeyLoad], stalls: tuple[float, float]) -> None:
        """Send packets and compare the outputs; stalls at both sides of the engine."""
        first = self.simulator.moved[RESULTS]
        transfers, due = self.traffic.transfers(items)
        before, after = stalls
        result = self.simulator.run(
            transfers,
            stalls={KEYS: before, CONTEXTS: before, BEATS: before, RESULTS: after},
            wanted=len(due),
            tail_cycles=self.engine.latency_cycles + 20,
            watchdog_cycles=20_000
            + 2 * self.engine.context_timeout
            + 4 * self.engine.zeroize_cycles,
        )
        report = self.report
        report.count(result)
        report.beats += len(due)
        fault = self._fault(result.rows, due, first) or fault_text(result)
        if fault is not None:
            self.fault(part, f"{fault}\n  (seed {report.seed})")
            return
        if part == "full load":
            self._measure(result.taken[BEATS], result.rows["cycle"])

    def _measure(self, taken: Any, left: Any) -> None:
        """Compare latency and rate of beats that nobody kept waiting."""
        report, engine = self.report, self.engine
        modes = [MODES[name] for name in engine.modes]
        # A digest leaves long after its first beat; a ring with feedback may be waited for.
        fixed = not any(mode.digest or mode.calls > 1 for mode in modes)
        if fixed and (engine.core.is_unrolled or not engine.is_interleaved):
            latency = int(left[0]) - int(taken[0])
            if report.latency_cycles_seen is None:
                report.latency_cycles_seen = latency
            if latency != engine.latency_cycles:
                self.fault(
                    "latency",
                    f"the first beat took {latency} cycles; the engine computes "
                    f"{engine.latency_cycles}",
                )
        if any(mode.calls > 1 for mode in modes):
            return
        # When the queues have filled: whole turns of the ring that is inside, or of the streams.
        turn = max(
            round(engine.core.blocks_in_flight / engine.blocks_per_beat), engine.streams or 1
        )
        first = 2 * max(engine.depth or 0, turn)
        last = len(taken) - 1
        if engine.is_interleaved:  # the last packets leave streams idle
            last -= 2 * _LONG * (engine.streams or 1)
        turns = (last - first) // turn
        if turns < 1:
            return
        cycles = int(taken[first + turns * turn]) - int(taken[first])
        rate = turns * turn / cycles
        report.blocks_per_cycle_seen = rate * engine.blocks_per_beat
        # A key that comes between two beats, or a place in a ring that is just missed.
        share = 0.95 if engine.is_interleaved else 0.999
        if rate < share * engine.beats_per_cycle:
            self.fault(
                "rate",
                f"{turns * turn} beats back to back took {cycles} cycles, {rate:.4g} a cycle; the "
                f"engine computes {engine.beats_per_cycle:.4g}",
            )

    def zeroize(self) -> None:
        """Zeroize the engine with packets inside: none of them leaves, and it works again."""
        engine, draw = self.engine, self.draw
        items: list[Packet | KeyLoad] = []
        self._key(items, draw.randbytes(engine.core.key_bits // 8))
        name = engine.modes[0]
        decrypt = engine.ways(name)[0] == "decrypt"

        def packet() -> Packet:
            key = draw.randbytes(engine.core.key_bits // 8)
            slot = self.slots[-1] if self.slots else 0
            context = Context(MODES[name].code, decrypt, draw.randbytes(16), key, slot)
            return self._made(draw.randbytes(engine.beat_bytes), context)

        # They are in, and none of them is awaited.
        transfers, _ = self.traffic.transfers(
            [*items, *(packet() for _ in range(min(4, engine.depth or 4)))]
        )
        result = self.simulator.run(transfers, stalls={RESULTS: 0.9})
        self.report.count(result)
        first = self.simulator.moved[RESULTS]
        again: list[Packet | KeyLoad] = []
        if self.slots:
            again.append(KeyLoad(self.slots[-1], draw.randbytes(engine.core.key_bits // 8)))
        transfers, due = self.traffic.transfers([*again, *(packet() for _ in range(8))])
        result = self.simulator.run(
            transfers,
            wanted=len(due),
            zeroize=True,
            tail_cycles=engine.latency_cycles + 20,
            watchdog_cycles=20_000 + 2 * engine.context_timeout + 4 * engine.zeroize_cycles,
        )
        self.report.count(result)
        self.report.beats += len(due)
        if (fault := self._fault(result.rows, due, first)) is not None:
            self.fault("after zeroize", fault)
