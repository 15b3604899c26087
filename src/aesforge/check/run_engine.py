# SPDX-License-Identifier: Apache-2.0
"""One check of an engine: makes packets, has them sent, compares what comes out."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aesforge.check.report import Report
from aesforge.design.engine import BLOCK_BYTES, Engine
from aesforge.design.modes import MODES, Mode
from aesforge.simulate.engine import BEATS, CONTEXTS, IVS, KEYS, RESULTS
from aesforge.simulate.packets import Context, KeyLoad, Packet, mode_of
from aesforge.simulate.traffic import Traffic, fault_text, first_fault

if TYPE_CHECKING:
    from aesforge.simulate.stream import StreamResult, StreamSimulator

# Beats of one call of the simulator: limits the memory.
CHUNK_BEATS = 4096
# Beats of a packet at full load.
LONG = 16
# Packet lengths in bytes that are drawn more often than others.
_LENGTHS = (0, 1, 15, 16, 16, 16, 17, 31, 32, 33, 48, 64, 80)
# How many times slower than its other stalls the reader of IVs is.
_IV_READER = 8


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
    sources: str = "NIST, RFC 3686"
    """Who published the vectors."""
    vector_records: int = 0
    """Published records that were sent, in one direction or both; counted where tags are."""
    left_out: int = 0
    """Published records that the engine cannot have: another length of the IV or of the tag."""
    errors: dict[str, int] = field(default_factory=dict)
    """What was wrong on purpose, and how often; counted where tags are."""
    ivs: int = 0
    """IVs that were made inside; each was compared."""
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
            f"compared    with published vectors ({self.sources}) and OpenSSL"
            if self.vector_packets
            else "compared    with OpenSSL",
            f"packets     {self.packets:,} ({self.vector_packets:,} of published vectors, "
            f"{self.random_packets:,} random, of which {self.error_packets:,} wrong on purpose)",
            *self._record_lines(),
            *([f"IVs         {self.ivs:,} made inside, none twice"] if self.ivs else []),
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

    def _record_lines(self) -> list[str]:
        if not self.vector_records:
            return []
        return [
            f"records     {self.vector_records:,} published; {self.left_out:,} others have IVs or "
            "tags of lengths that the engine does not take",
        ]


class EngineRun:
    """One check: makes packets, has them sent, compares."""

    def __init__(
        self,
        engine: Engine,
        simulator: StreamSimulator,
        report: StreamReport,
        random_keys: bool,
        most_records: int | None,
    ) -> None:
        self.most_records = most_records
        self.engine = engine
        self.simulator = simulator
        self.report = report
        self.draw = random.Random(report.seed)
        self.traffic = Traffic(simulator, engine)
        self.one_key = None if random_keys else self.draw.randbytes(engine.key_bits // 8)
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
            if not self.engine.stealing:
                records = tuple(one for one in records if len(one.plaintext) % BLOCK_BYTES == 0)
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
        self.load(items, slot, key)
        return slot

    def load(self, items: list[Packet | KeyLoad], slot: int, key: bytes) -> None:
        """Load a key."""
        self.slots.append(slot)
        items.append(KeyLoad(slot, key))

    def full_load(self, blocks: int) -> Iterator[list[Packet | KeyLoad]]:
        """Return packets of whole blocks, one or many beats long."""
        while blocks > 0:
            items: list[Packet | KeyLoad] = []
            self._random_key(items)
            while blocks > 0 and self.beats_of(items) < CHUNK_BEATS:
                # Streams in step: as many beats of each.
                count = LONG if self.engine.is_interleaved else self.draw.choice((1, 1, LONG))
                data = self.draw.randbytes(self.engine.beat_bytes * count)
                items.append(self._made(data, self._context(), self._stream()))
                self.report.random_packets += 1
                blocks -= count * self.engine.blocks_per_beat
            yield items

    def directed(self) -> Iterator[list[Packet | KeyLoad]]:
        """Return packets that random ones seldom are."""
        yield from ()

    def random(self, blocks: int) -> Iterator[list[Packet | KeyLoad]]:
        """Return packets of any length, some of them wrong."""
        while blocks > 0:
            items: list[Packet | KeyLoad] = []
            self._random_key(items)
            while blocks > 0 and self.beats_of(items) < CHUNK_BEATS:
                if self.one_key is None and self.draw.random() < 0.1:
                    self._random_key(items)
                packets = self._packets()
                items += packets
                self.report.random_packets += len(packets)
                blocks -= self.beats_of(packets) * self.engine.blocks_per_beat
            yield items

    def _random_key(self, items: list[Packet | KeyLoad]) -> None:
        slots = self.engine.core.key_slots
        if slots is None or (self.one_key is not None and self.slots):
            return
        slot = self.draw.randrange(slots)
        self.load(items, slot, self.one_key or self.draw.randbytes(self.engine.key_bits // 8))

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
            self.one_key or draw.randbytes(self.engine.key_bits // 8),
            draw.choice(self.slots) if self.slots else 0,
        )

    def _packets(self) -> list[Packet]:
        """Return a random packet, with others that it needs before it."""
        return [self._packet()]

    def _packet(self) -> Packet:
        draw, engine = self.draw, self.engine
        context = self._context()
        mode = next(MODES[name] for name in engine.modes if MODES[name].code == context.code)
        packet = self._made(
            draw.randbytes(self._length(mode)),
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
        if not engine.ends_in_part(mode.name):
            faults.append("partial")
        if mode.least_bytes:
            faults.append("too short")
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
            return packet.in_context(code=code, decrypt=decrypt)
        if fault == "empty slot":
            slot = self._empty_slot()
            assert slot is not None
            return packet.in_context(slot=slot)
        if fault == "too short":
            return dataclasses.replace(packet, data=packet.data[: draw.randrange(mode.least_bytes)])
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

    def _length(self, mode: Mode) -> int:
        """Return how many bytes a packet has."""
        draw, engine = self.draw, self.engine
        length = draw.choice(_LENGTHS)
        if engine.blocks_per_beat > 1:
            length += draw.randrange(3) * engine.beat_bytes
        if not engine.ends_in_part(mode.name):
            length -= length % BLOCK_BYTES
        if mode.digest and not mode.partial:
            length = max(length, BLOCK_BYTES)
        return max(length, mode.least_bytes)

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
            stalls={
                KEYS: before,
                CONTEXTS: before,
                BEATS: before,
                # The contexts wait for who reads the IVs: slower than an engine takes contexts.
                IVS: 1 - (1 - before) / _IV_READER if before else 0.0,
                RESULTS: after,
            },
            wanted=len(due),
            tail_cycles=self.engine.latency_cycles + 20,
            watchdog_cycles=20_000
            + 2 * self.engine.context_timeout
            + 4 * self.engine.zeroize_cycles,
        )
        report = self.report
        report.count(result)
        report.beats += len(due)
        # What a wrong IV does to the beats says less.
        fault = self._fault(result.rows, due, first) or fault_text(result)
        fault = self._iv_fault(result) or fault
        if fault is not None:
            self.fault(part, f"{fault}\n  (seed {report.seed})")
            return
        if part == "full load" and self._measures(items):
            first_packet = next(item for item in items if isinstance(item, Packet))
            beat = self._latency_beat(first_packet)
            self._measure(result.taken[BEATS], result.rows["cycle"], beat)

    def _iv_fault(self, result: StreamResult) -> str | None:
        """Compare the IVs that were made inside, and count them."""
        fault = self.traffic.iv_fault(result)
        self.report.ivs = self.traffic.counted
        return fault

    def _latency_beat(self, packet: Packet) -> int:
        """Return the beat of the first packet that shows the latency: where held, the last.

        Where a second core serves the contexts, the first ones wait for it.
        """
        if self.engine.withholds:
            return packet.beats - 1
        return packet.beats // 2 if self.engine.kind.second_core else 0

    def _measures(self, items: Sequence[Packet | KeyLoad]) -> bool:
        """Return whether latency and rate show in packets at full load."""
        return bool(items)

    def _measure(self, taken: Any, left: Any, from_beat: int) -> None:
        """Compare latency and rate of beats that nobody kept waiting."""
        report, engine = self.report, self.engine
        modes = [MODES[name] for name in engine.modes]
        # A digest leaves long after its first beat; a ring with feedback may be waited for.
        varies = any(mode.calls > engine.kind.calls for mode in modes)
        fixed = not varies and not any(mode.digest for mode in modes)
        # Beats are accepted faster than they are processed: where the latency counts from the last
        # one of a packet, it has waited for those before it.
        fixed = fixed and not (engine.withholds and engine.beats_per_cycle < 1)
        if fixed and (engine.core.is_unrolled or not engine.is_interleaved):
            latency = int(left[0 if engine.withholds else from_beat]) - int(taken[from_beat])
            if report.latency_cycles_seen is None:
                report.latency_cycles_seen = latency
            if latency != engine.latency_cycles:
                self.fault(
                    "latency",
                    f"the first beat took {latency} cycles; the engine computes "
                    f"{engine.latency_cycles}",
                )
        if varies:
            return
        # When the queues have filled: whole turns of the ring that is inside, or of the streams.
        turn = max(
            round(engine.core.blocks_in_flight / engine.blocks_per_beat), engine.streams or 1
        )
        first = 2 * max(engine.depth or 0, turn)
        last = len(taken) - 1
        if engine.is_interleaved:  # the last packets leave streams idle
            last -= 2 * LONG * (engine.streams or 1)
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
        self._key(items, draw.randbytes(engine.key_bits // 8))
        # They are in, and none of them is awaited.
        transfers, _ = self.traffic.transfers(
            [*items, *(self._one_block() for _ in range(min(4, engine.depth or 4)))]
        )
        result = self.simulator.run(transfers, stalls={RESULTS: 0.9})
        self.report.count(result)
        # One that nobody took is zeroized; its count is used.
        if (fault := self.traffic.iv_fault(result, complete=False)) is not None:
            self.fault("before zeroize", fault)
        self.traffic.ivs.clear()
        first = self.simulator.moved[RESULTS]
        again: list[Packet | KeyLoad] = []
        if self.slots:
            self.load(again, self.slots[-1], draw.randbytes(engine.key_bits // 8))
        transfers, due = self.traffic.transfers([*again, *(self._one_block() for _ in range(8))])
        result = self.simulator.run(
            transfers,
            wanted=len(due),
            zeroize=True,
            tail_cycles=engine.latency_cycles + 20,
            watchdog_cycles=20_000 + 2 * engine.context_timeout + 4 * engine.zeroize_cycles,
        )
        self.report.count(result)
        self.report.beats += len(due)
        fault = self._iv_fault(result) or self._fault(result.rows, due, first)
        if fault is not None:
            self.fault("after zeroize", fault)

    def _one_block(self) -> Packet:
        """Return a packet of one beat of text, under the key that was loaded last."""
        engine, draw = self.engine, self.draw
        name = engine.modes[0]
        decrypt = engine.ways(name)[0] == "decrypt"
        key = draw.randbytes(engine.key_bits // 8)
        slot = self.slots[-1] if self.slots else 0
        context = Context(MODES[name].code, decrypt, draw.randbytes(16), key, slot)
        return self._made(draw.randbytes(engine.beat_bytes), context)
