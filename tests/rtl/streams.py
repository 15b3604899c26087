# SPDX-License-Identifier: Apache-2.0
"""AXI4-Stream for the benches: sources, sinks, a scoreboard that names what went wrong, packets.

Values of a cycle are given before its edge and outputs read before it, as `rtl_bench.Driver` does;
a word moves in a cycle in which its valid and its ready are both high.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from cryptography.hazmat.decrepit.ciphers.modes import CFB, CFB8, OFB
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.cmac import CMAC

BYTES = 16


@dataclass(frozen=True)
class Beat:
    """A beat: ``data`` with byte 0 in bits 7 to 0, ``keep`` with a bit per byte; ``error`` at the
    output only.
    """

    data: int
    keep: int
    last: int
    id: int = 0
    user: int = 0
    error: int = 0


class Source:
    """Offers words in turn; what it has offered stays until it is taken."""

    def __init__(self) -> None:
        self.queue: deque[Any] = deque()
        self.offered = False

    def offer(self, draw: random.Random, share: float) -> bool:
        """Whether a word is offered in this cycle; ``share`` of the free cycles have one."""
        self.offered = bool(self.queue) and (self.offered or draw.random() < share)
        return self.offered

    def after(self, ready: int) -> Any:
        """Return the word that was taken in this cycle."""
        if not (self.offered and ready):
            return None
        self.offered = False
        return self.queue.popleft()

    def drop(self) -> None:
        self.queue.clear()
        self.offered = False


class Stall:
    """Whether the key of the context that waits is ready; once it is, it stays so."""

    def __init__(self) -> None:
        self.stall = self.free = False
        self._head: object = None
        self._cycles = 0

    def step(self, draw: random.Random, head: object) -> bool:
        """Draw `stall` for a cycle, and return whether another context waits than before.

        `head` is the context, None without one.

        `free` says that the context may be accepted: in the cycle before, its key was ready.
        """
        another = head is not self._head
        self.free = head is not None and not another and not self.stall
        if another:
            self._head, self._cycles = head, draw.choice((0, 0, 0, 1, 2, 15))
        self.stall = self._cycles > 0
        self._cycles -= self.stall
        return another


class Scoreboard:
    """Compares beats as they leave with those that must, in order; keeps the first fault."""

    def __init__(self) -> None:
        self.expected: deque[tuple[int, Beat]] = deque()
        self.given = self.left = 0
        self.last: tuple[int, Beat] | None = None
        self.waiting: Beat | None = None  # was at the output, and not taken
        self.fault: str | None = None

    def accepted(self, beat: Beat) -> None:
        """A beat has gone in; so it must come out."""
        self.expected.append((self.given, beat))
        self.given += 1

    def _name(self, got: Beat) -> str:
        """What is wrong, when ``got`` is not the beat that must come next."""
        if not self.expected:
            return f"a beat too many after beat {self.left - 1}: {got}"
        number, due = self.expected[0]
        if self.last and got == self.last[1]:
            return f"beat {self.last[0]} is repeated in place of beat {number}"
        for other, beat in list(self.expected)[1:]:
            if got == beat:
                return f"beat {number} is lost or late: beat {other} comes in its place"
        return f"beat {number} is wrong: {got}, expected {due}"

    def watch(self, now: int, valid: int, ready: int, got: Beat) -> None:
        """What waits at the output stays as it is."""
        if self.fault is None and self.waiting is not None:
            if not valid:
                self.fault = f"tvalid fell in cycle {now} before {self.waiting} was taken"
            elif got != self.waiting:
                self.fault = f"the waiting beat changed in cycle {now}: {got}, was {self.waiting}"
        self.waiting = got if valid and not ready else None

    def cycle(self, now: int, valid: int, ready: int, got: Beat) -> None:
        """Look at the output in a cycle."""
        self.watch(now, valid, ready, got)
        if not (valid and ready):
            return
        if self.fault is None and not (self.expected and got == self.expected[0][1]):
            self.fault = f"cycle {now}: {self._name(got)}"
        if self.expected:
            self.last = self.expected.popleft()
        self.left += 1

    def end(self, left_over: int) -> None:
        """All that was accepted must be out, and ``left_over`` beats that still wait must not."""
        if self.fault is None and self.expected:
            self.fault = f"beat {self.expected[0][0]} never came: {self.expected[0][1]}"
        elif self.fault is None and left_over:
            self.fault = f"beat {self.given} is never taken"

    def drop(self) -> None:
        """A reset: nothing under way comes out any more."""
        self.expected.clear()
        self.waiting = self.last = None


class StreamScoreboard(Scoreboard):
    """A scoreboard for each tid: packets of one must come out in order, of several as they like."""

    def __init__(self) -> None:
        super().__init__()
        self.streams: dict[int, Scoreboard] = {}

    def of(self, tid: int) -> Scoreboard:
        return self.streams.setdefault(tid, Scoreboard())

    def accepted(self, beat: Beat) -> None:
        self.of(beat.id).accepted(beat)
        self.given += 1

    def cycle(self, now: int, valid: int, ready: int, got: Beat) -> None:
        self.watch(now, valid, ready, got)
        if not (valid and ready):
            return
        stream = self.of(got.id)
        stream.cycle(now, 1, 1, got)
        if self.fault is None and stream.fault:
            self.fault = f"stream {got.id}: {stream.fault}"
        self.left += 1

    def end(self, left_over: int) -> None:
        for tid, stream in self.streams.items():
            stream.end(0)
            if self.fault is None and stream.fault:
                self.fault = f"stream {tid}: {stream.fault}"
        if self.fault is None and left_over:
            self.fault = f"{left_over} beats are never taken"

    def drop(self) -> None:
        super().drop()
        for stream in self.streams.values():
            stream.drop()

    @property
    def owed(self) -> int:
        """Beats that must still come out."""
        return sum(len(stream.expected) for stream in self.streams.values())


# --- Packets --------------------------------------------------------------------------------------


@dataclass
class Context:
    """What a packet brings: ``key`` for agile keys, ``slot`` for stored ones."""

    mode: int
    decrypt: int
    iv: bytes
    key: bytes = b""
    slot: int = 0


@dataclass
class Packet:
    """Beats as they go in, and the context, None where it has none."""

    beats: list[Beat]
    context: Context | None
    left: int = field(default=0)


def beats_of(data: bytes, mark: int, id_: int, user: int) -> list[Beat]:
    """Return the beats of a section: none of no bytes; ``mark`` is bit 0 of `tuser`."""
    beats = []
    for at in range(0, len(data), BYTES):
        part = data[at : at + BYTES]
        value = int.from_bytes(part, "little")
        beats.append(Beat(value, 2 ** len(part) - 1, 0, id_, user << 1 | mark))
    return beats


def bytes_of(beats: Sequence[Beat], size: int = BYTES) -> bytes:
    """Return the bytes that are kept, of beats of ``size`` bytes."""
    return b"".join(beat.data.to_bytes(size, "little")[: beat.keep.bit_count()] for beat in beats)


def with_junk(draw: random.Random, beat: Beat, size: int = BYTES) -> Beat:
    """Return a beat in which the bytes that are not kept hold anything."""
    kept = (1 << 8 * beat.keep.bit_count()) - 1
    return replace(beat, data=beat.data | draw.getrandbits(8 * size) & ~kept)


def cut(data: bytes, id_: int = 0, user: int = 0, size: int = BYTES) -> list[Beat]:
    """Return the beats of a packet of these bytes; of no bytes, one beat without any."""
    beats = []
    for at in range(0, max(len(data), 1), size):
        part = data[at : at + size]
        last = int(at + size >= len(data))
        beats.append(Beat(int.from_bytes(part, "little"), (1 << len(part)) - 1, last, id_, user))
    return beats


ECB, CTR, CBC, CFB128, OFB128, CFB_BYTES, CBC_MAC, CMAC128 = range(8)
WHOLE = (ECB, CBC, CBC_MAC)  # modes of whole blocks
DIGESTS = (CBC_MAC, CMAC128)  # modes that give one beat for a packet


@cache
def apply_mode(mode: int, decrypt: int, key: bytes, iv: bytes, data: bytes) -> bytes:
    """What OpenSSL makes of these bytes."""
    if mode == CMAC128:
        mac = CMAC(algorithms.AES(key))
        mac.update(data)
        return mac.finalize()
    if mode == CBC_MAC:
        return apply_mode(CBC, 0, key, bytes(BYTES), data)[-BYTES:]
    rules = {
        **{ECB: modes.ECB(), CTR: modes.CTR(iv), CBC: modes.CBC(iv), CFB128: CFB(iv)},
        **{OFB128: OFB(iv), CFB_BYTES: CFB8(iv)},
    }
    cipher: Cipher[Any] = Cipher(algorithms.AES(key), rules[mode])
    worker = cipher.decryptor() if decrypt else cipher.encryptor()
    result: bytes = worker.update(data) + worker.finalize()
    return result


def bad_beat(beats: Sequence[Beat], mode: int) -> int:
    """Index of the first beat that is an error in itself; their number if none is."""
    for index, beat in enumerate(beats):
        full = beat.keep == 2**BYTES - 1
        if beat.keep & (beat.keep + 1):
            return index
        if not full and not beat.last:
            return index
        if not full and beat.keep and mode in WHOLE:
            return index
        # A digest ends in a block; CMAC has one for a packet without bytes too.
        if not beat.keep and mode in DIGESTS and not (index == 0 and mode == CMAC128):
            return index
    return len(beats)


def expected_beats(
    beats: Sequence[Beat], context: Context | None, key: bytes | None, digest: bool = False
) -> list[Beat]:
    """Return the beats that a packet comes out as.

    Args:
        beats: of the packet.
        context: what it runs under, or None where it is an error as a whole.
        key: the key that its slot holds, or its own.
        digest: its mode is built in, and gives one beat for it.
    """
    good = 0 if context is None or key is None else bad_beat(beats, context.mode)
    result = b""
    if good:
        assert context is not None
        assert key is not None
        data = b"".join(
            beat.data.to_bytes(BYTES, "little")[: beat.keep.bit_count()] for beat in beats[:good]
        )
        result = apply_mode(context.mode, context.decrypt, key, context.iv, data)
    if context is not None and digest:
        last = beats[-1]
        value = int.from_bytes(result, "little") if good == len(beats) else 0
        error = int(good < len(beats))
        return [Beat(value, 2**BYTES - 1, 1, last.id, last.user, error)]
    out = []
    for index, beat in enumerate(beats):
        part = result[BYTES * index : BYTES * index + BYTES] if index < good else b""
        value = int.from_bytes(part, "little")
        out.append(Beat(value, beat.keep, beat.last, beat.id, beat.user, int(index >= good)))
    return out
