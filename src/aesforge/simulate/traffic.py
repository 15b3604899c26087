# SPDX-License-Identifier: Apache-2.0
"""Packets and keys as words for the simulator's channels, and where the beats that came differ.

`Traffic` makes the words, `first_fault` names the first beat that was lost, repeated or wrong.
"""

from __future__ import annotations

import bisect
from collections import deque
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from aesforge.design.engine import BLOCK_BYTES, COUNT_BYTES, FIXED_BYTES, Engine
from aesforge.simulate.engine import (
    BEATS,
    CONTEXTS,
    IVS,
    KEYS,
    RESULTS,
    counted_iv,
    fixed_fields,
    put,
    put_bytes,
)
from aesforge.simulate.packets import (
    IV_GIVEN,
    IV_HASHED,
    IV_NONE,
    IV_PACKET,
    Answer,
    Context,
    KeyLoad,
    Packet,
    full_keep,
    mode_of,
)
from aesforge.simulate.stream import VALID_FELL, StreamResult, StreamSimulator

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Traffic:
    """Packets and keys in their order, as words for the simulator, and the beats due.

    Args:
        simulator: of the engine, running.
        engine: the engine.
        fixed: where IVs are made inside, the fixed field of each slot, 4 bytes; None: those of
            `fixed_fields`.
    """

    def __init__(
        self,
        simulator: StreamSimulator,
        engine: Engine,
        *,
        fixed: Mapping[int, bytes] | None = None,
    ) -> None:
        self.simulator = simulator
        self.engine = engine
        self.fixed = fixed_fields(engine) if fixed is None else fixed
        self.counted = 0
        """IVs that were made inside since the reset."""
        self.ivs: deque[tuple[bytes, int]] = deque()
        """What must still leave `m_iv`: the IV, and whether there was none."""
        self.ivs_seen = 0
        """What left it since the start."""
        self.slots: dict[int, bytes] = {}
        """The key that each slot holds."""
        self.iv: tuple[int, bytes] | None = None
        """The IV that a packet brought, and its slot."""

    def transfers(
        self, items: Sequence[Packet | KeyLoad]
    ) -> tuple[dict[str, NDArray[Any]], NDArray[Any]]:
        """Return the words of each channel, and the expected output rows (`cycle` is 0).

        A key waits until the packets before it are in, and packets until the keys before them are;
        the context after a packet without one waits for that packet. Between keys, packets of
        several streams take turns beat by beat in an interleaved engine.
        """
        import numpy as np

        sim, kind = self.simulator, self.engine.kind
        packets = [item for item in items if isinstance(item, Packet)]
        loads = [item for item in items if isinstance(item, KeyLoad)]
        counts = np.array([packet.beats for packet in packets], np.int64)
        starts = np.cumsum(counts) - counts
        total = int(counts.sum())

        # Beats, all at once, packet by packet; `order` is theirs on the bus.
        size = self.engine.beat_bytes
        beats = sim.transfers(BEATS, total)
        buffer = b"".join(packet.on_bus() for packet in packets)
        beats["s_axis_tdata"] = np.frombuffer(buffer, np.uint8).reshape(total, size)
        keeps = np.full(total, full_keep(size), object)
        if total:
            beats["s_axis_tlast"][starts + counts - 1] = 1
            put(beats, "s_axis_tid", np.repeat([packet.id for packet in packets], counts))
            put(beats, "s_axis_tuser", [user for packet in packets for user in packet.users()])
        for start, packet in zip(starts, packets, strict=True):
            for at, keep in packet.part_keeps().items():
                keeps[start + at] = keep
        put(beats, "s_axis_tkeep", keeps)
        order = np.array(self._order(items), np.int64)
        at_bus = np.empty_like(order)
        at_bus[order] = np.arange(total)

        # Bus place of the first beat, and how many keys go in before.
        contexts: list[tuple[int, Context, int]] = []
        keys = sim.transfers(KEYS, len(loads)) if loads else None
        due: list[NDArray[Any]] = []
        # Of packets without a context: bus place of the first beat, number of the result that tells
        # that it is through, and how many keys go in before.
        without: list[tuple[int, int, int]] = []
        beat = load = 0
        for item in items:
            if isinstance(item, KeyLoad):
                assert keys is not None
                # Where a first beat is taken before its context is looked at, its result tells.
                early = kind.accepts_early
                before = (RESULTS, sum(map(len, due))) if early else (BEATS, beat)
                keys["after"][load] = sim.after(before[0])
                keys["count"][load] = sim.moved[before[0]] + before[1]
                put(keys[load : load + 1], "s_key_slot", [item.slot])
                put_bytes(keys[load], "s_key_tdata", item.key)
                self._load(item)
                load += 1
                continue
            part = slice(beat, beat + item.beats)
            if load and beat < total:
                # All beats after a key wait for it: the first on the bus does.
                first = int(order[beat])
                if not beats["after"][first]:
                    beats["after"][first] = sim.after(KEYS)
                    beats["count"][first] = sim.moved[KEYS] + load
            place = int(at_bus[beat])
            if (stated := item.stated) is None:
                without.append((place, sum(map(len, due)) + 1, load))
            elif not stated.follows:
                contexts.append((place, stated, load))
            due.append(self._due(beats[part], self._numbered(item)))
            beat += item.beats
        rows = sim.transfers(CONTEXTS, len(contexts))
        if self.engine.counts_ivs:
            port = b"".join(self.fixed[slot] for slot in sorted(self.fixed))
            put(rows, "iv_fixed", [int.from_bytes(port, "little")] * len(rows))
        without.sort()
        for row, (place, context, loads_before) in zip(
            rows, sorted(contexts, key=lambda one: one[0]), strict=True
        ):
            before_it = bisect.bisect_left(without, (place, 0, 0))
            last = without[before_it - 1] if before_it else None
            if kind.second_core and loads_before and (not last or last[2] < loads_before):
                # That key waits for the packets before it.
                row["after"], row["count"] = sim.after(KEYS), sim.moved[KEYS] + loads_before
            elif last is not None:
                # The beat is in, or the one after it, where the first is looked at inside; or out.
                channel = kind.context_after
                beat_before, result, _ = last
                taken = beat_before + (2 if self.engine.is_interleaved else 1)
                if channel == RESULTS:
                    taken = result
                row["after"], row["count"] = sim.after(channel), sim.moved[channel] + taken
            self._put_context(row, context)
        words = {BEATS: beats[order], CONTEXTS: rows}
        all_due = np.concatenate(due) if due else np.zeros(0, sim.row_dtype)
        return (words | {KEYS: keys} if keys is not None else words), all_due

    def _numbered(self, packet: Packet) -> Packet:
        """Return a packet with the IV that is made for it, if one is; note what leaves `m_iv`."""
        context = packet.context
        if not self.engine.counts_ivs or context is None or context.decrypt:
            return packet
        if context.iv_kind != IV_GIVEN or self.counted >> 8 * COUNT_BYTES:
            self.ivs.append((bytes(FIXED_BYTES + COUNT_BYTES), 1))
            return packet.in_context(iv_kind=IV_NONE)
        fixed = self.fixed.get(context.slot, bytes(FIXED_BYTES))
        iv = counted_iv(fixed, self.counted)
        self.counted += 1
        self.ivs.append((iv, 0))
        return packet.in_context(iv=iv)

    def iv_fault(self, result: StreamResult, *, complete: bool = True) -> str | None:
        """Compare what left `m_iv` in a run with what must; return the first fault, or None.

        Args:
            result: of the run.
            complete: whether all that are due must have come.
        """
        if not self.engine.counts_ivs:
            return None
        for row in result.more_rows[IVS]:
            got = row["m_iv_tdata"].tobytes(), int(row["m_iv_tuser"])
            where = f"cycle {int(row['cycle'])}: IV {self.ivs_seen} at m_iv"
            if not self.ivs:
                return f"{where} is one too many: {_iv_text(*got)}"
            if got != (due := self.ivs.popleft()):
                return f"{where} is {_iv_text(*got)}; due is {_iv_text(*due)}"
            self.ivs_seen += 1
        if complete and self.ivs:
            return f"IV {self.ivs_seen} never left m_iv: {_iv_text(*self.ivs[0])}"
        return None

    def _load(self, item: KeyLoad) -> None:
        """Note what a slot holds then: nothing, where two keys are the same."""
        half = len(item.key) // 2
        if self.engine.keys > 1 and item.key[:half] == item.key[half:]:
            self.slots.pop(item.slot, None)
        else:
            self.slots[item.slot] = item.key

    def _order(self, items: Sequence[Packet | KeyLoad]) -> list[int]:
        """Return the order on the bus of all beats: streams take turns, up to the next key."""
        order: list[int] = []
        beat = 0
        streams: dict[int, list[range]] = {}

        def turn() -> None:
            waiting = {stream: deque(chain(*parts)) for stream, parts in streams.items()}
            while waiting:
                for stream in list(waiting):
                    order.append(waiting[stream].popleft())
                    if not waiting[stream]:
                        del waiting[stream]
            streams.clear()

        for item in items:
            if isinstance(item, KeyLoad):
                turn()
                continue
            # Without streams every packet is of one.
            stream = item.id if self.engine.is_interleaved else 0
            streams.setdefault(stream, []).append(range(beat, beat + item.beats))
            beat += item.beats
        turn()
        return order

    def _put_context(self, word: Any, context: Context) -> None:
        ports = context.ports()
        for name in self.engine.kind.context:
            value = ports[name]
            if isinstance(value, bytes):
                put_bytes(word, f"{CONTEXTS}_{name}", value)
            else:
                word[f"{CONTEXTS}_{name}"] = value

    def _due(self, beats: NDArray[Any], packet: Packet) -> NDArray[Any]:
        """Return the expected output of a packet."""
        import numpy as np

        engine, context = self.engine, packet.context
        mode = None if context is None else mode_of(engine, context)
        answer = Answer(b"", 0)
        if context is not None and mode is not None:
            key = context.key if engine.core.is_agile else self.slots.get(context.slot)
            resolved = self._with_iv(packet)
            if key is not None and resolved is not None:
                answer = resolved.answer(engine, mode, key)
            if context.iv_kind == IV_PACKET:
                right = answer.good == packet.beats
                self.iv = (context.slot, bytes(packet.data)) if right else None
        result = answer.data
        digest = mode is not None and mode.digest
        due = np.zeros(1 if digest else len(beats), self.simulator.row_dtype)
        if digest:
            due["m_axis_tkeep"], due["m_axis_tlast"] = full_keep(BLOCK_BYTES), 1
            error = np.array([not result], object)
        else:
            due["m_axis_tkeep"] = beats["s_axis_tkeep"]
            due["m_axis_tlast"] = beats["s_axis_tlast"]
            error = (np.arange(len(due)) >= answer.good).astype(object)
        if result:
            size = packet.beat_bytes
            whole = result.ljust(-(-len(result) // size) * size, b"\0")
            parts = np.frombuffer(whole, np.uint8).reshape(-1, size)
            due["m_axis_tdata"][: len(parts)] = parts
        put(due, "m_axis_tid", [packet.id] * len(due))
        # Bit 0 of tuser is the error flag.
        users = np.array(packet.users()[: len(due)], object)
        if self._is_withheld(packet, answer):
            # One beat stands for it, with the side data of the last.
            due, users, error = due[-1:], users[-1:], np.array([1], object)
            due["m_axis_tdata"] = 0
        put(due, "m_axis_tuser", error | users << 1)
        return due

    def _is_withheld(self, packet: Packet, answer: Answer) -> bool:
        engine = self.engine
        if not engine.withholds:
            return False
        return answer.good < packet.beats or packet.beats > (engine.most_beats or 0)

    def _with_iv(self, packet: Packet) -> Packet | None:
        """Return a packet with its IV, or None where a packet must have brought it and has not."""
        context = packet.context
        if context is None or context.iv_kind != IV_HASHED:
            return packet
        kept, self.iv = self.iv, None
        if kept is None or kept[0] != context.slot:
            return None
        return packet.in_context(iv=kept[1])

    def streams_in_order(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return rows as they can be compared: those of one stream one after another.

        What comes of several streams may leave in any order.
        """
        import numpy as np

        if not self.engine.is_interleaved:
            return rows
        return rows[np.argsort(rows["m_axis_tid"], kind="stable")]


def _iv_text(iv: bytes, none: int) -> str:
    return f"tdata {iv.hex()}, tuser {none}"


def beat_transfers(row: Any) -> str:
    """Return a beat in words."""
    parts = []
    for name in row.dtype.names:
        if name == "cycle":
            continue
        value = row[name]
        size = row.dtype[name].itemsize
        text = value[::-1].tobytes().hex() if row.dtype[name].shape else f"{int(value):x}"
        short = name.rsplit("_", 1)[-1]
        parts.append(f"{short} {text if size <= 2 else text.rjust(2 * size, '0')}")
    return ", ".join(parts)


def first_fault(
    got: NDArray[Any], due: NDArray[Any], first: int = 0, *, complete: bool = True
) -> str | None:
    """Return a message about the first wrong beat, or None.

    Args:
        got: rows that came out, in order.
        due: rows that must, of the same record but for the cycle.
        first: number of the first of them since the start.
        complete: whether all that are due must have come.
    """
    import numpy as np

    names = [name for name in due.dtype.names or () if name != "cycle"]
    both = min(len(got), len(due))
    wrong = np.zeros(both, bool)
    for name in names:
        differs = got[name][:both] != due[name][:both]
        wrong |= differs.any(axis=1) if differs.ndim > 1 else differs
    found = np.flatnonzero(wrong)
    if not len(found):
        if len(got) < len(due) and complete:
            return f"beat {first + both} never came: {beat_transfers(due[both])}"
        if len(got) > len(due):
            return f"a beat too many after beat {first + both - 1}: {beat_transfers(got[both])}"
        return None
    at = int(found[0])

    def same(left: Any, right: Any) -> bool:
        return all(np.array_equal(left[name], right[name]) for name in names)

    where = f"cycle {int(got['cycle'][at])}"
    # The same bytes may be due more than once; bytes that are not due say nothing of order.
    if at and same(got[at], due[at - 1]):
        return f"{where}: beat {first + at - 1} is repeated in place of beat {first + at}"
    for other in range(at + 1, min(len(due), at + 4096)):
        if same(got[at], due[other]):
            return (
                f"{where}: beat {first + at} is lost or late: beat {first + other} comes in its "
                "place"
            )
    return (
        f"{where}: beat {first + at} is wrong\n"
        f"  expected  {beat_transfers(due[at])}\n  got       {beat_transfers(got[at])}"
    )


def fault_text(result: StreamResult) -> str | None:
    """Return a message about a handshake error at an output, or None."""
    for what, cycle, word, channel in result.faults:
        of = "" if channel == RESULTS else f" of {channel}"
        if what == VALID_FELL:
            return f"cycle {cycle}: tvalid{of} fell before beat {word} was taken"
        return f"cycle {cycle}: beat {word}{of} changed while it waited to be taken"
    return None
