# SPDX-License-Identifier: Apache-2.0
"""States that go through a module column by column, and their columns when they come out."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from fips197 import decrypt, encrypt, rounds, to_bytes, to_int
from rtl_bench import Faults, Instance, Outputs

from aesforge import reference
from aesforge.reference import State


@dataclass(frozen=True)
class Given:
    """A state whose first column comes in cycle ``start`` of a stream."""

    start: int
    decrypt: int
    state: int


def column(state: int, number: int) -> int:
    """Column 0 to 3 of a state as on a port: bit 127 of the state is bit 31 of column 0."""
    return state >> (96 - 32 * number) & 0xFFFFFFFF


def on_state(function: Callable[[State], State], state: int) -> int:
    """One of the model's functions of a state, for a state as on a port."""
    return to_int(reference.block_of(function(reference.state_of(to_bytes(state, 128)))))


def random_stream(draw: random.Random, count: int) -> list[Given]:
    """Return states back to back and with gaps of every length, directions in every order."""
    given, start = [], 0
    for number in range(count):
        decrypt = number & 1 if number < count // 2 else draw.randrange(2)
        given.append(Given(start, decrypt, draw.getrandbits(128)))
        start += 4 + (0 if number % 3 else draw.randrange(12))
    return given


def inputs(draw: random.Random, given: list[Given], after: int) -> list[dict[str, int]]:
    """Return a stream's inputs cycle by cycle: noise where no state is, and ``after`` the last."""
    cycles = [
        {"first_i": 0, "decrypt_i": draw.randrange(2), "column_i": draw.getrandbits(32)}
        for _ in range(given[-1].start + 4 + after)
    ]
    for one in given:
        for number in range(4):
            cycles[one.start + number] = {
                "first_i": int(number == 0),
                "decrypt_i": one.decrypt,
                "column_i": column(one.state, number),
            }
    return cycles


class Core:
    """What a core of the 32-bit data path is given, and when it must be ready, by its page.

    Args:
        one: the instance; its ports are those of aesforge_serial, or of aesforge_serial_cipher.
    """

    def __init__(self, one: Instance) -> None:
        self.one = one
        self.rounds = rounds(one["KeyBits"])
        round_latency = one["SboxStages"] + one["LinearStages"] + (4 if one["ShiftStyle"] else 5)
        # From a block's acceptance: to its first column after the last round, to the whole.
        self.first_column = self.rounds * round_latency + 1
        self.latency = self.first_column + 4
        # Cycles from a round key to the next.
        self.key_step = one["SboxStages"] + 1
        self.whole = "in_block" in one.inputs
        self.loaded: int | None = None
        # Nothing comes until this cycle, and then a block to decrypt: one too early for its key.
        self.early_block = -1
        self.now = 0
        self.key = 0
        self.free = 0  # first cycle in which a key is taken
        self.begun = -4
        self.columns: dict[int, int] = {}
        self.blocks: dict[int, tuple[int, int]] = {}  # cycle of acceptance -> direction, tag
        self.results: dict[int, tuple[int, int]] = {}  # cycle of acceptance -> result, tag
        self.left = self.loads = 0

    def offer(self, draw: random.Random, share: float, key_share: float) -> dict[str, int]:
        """Values for this instance's own inputs of the next cycle."""
        one = self.one
        self.given = {port: draw.getrandbits(width) for port, (_, width) in one.inputs.items()}
        for port in ("rst", "zeroize", "zeroize"):
            self.given.pop(port, None)
        self.valid = "in_valid" if self.whole else "in_first"
        self.given[self.valid] = int(draw.random() < share)
        self.given["key_valid"] = int(draw.random() < key_share)
        if self.now <= self.early_block:
            self.given["key_valid"] = 0
            self.given[self.valid] = self.given["in_decrypt"] = int(self.now == self.early_block)
        self.waits_for_decryption = draw.random() < 0.5
        return self.given

    def decrypts(self) -> int:
        way = self.one["Direction"]
        return self.given["in_decrypt"] if way == 2 else way

    def cycle(self, now: int, outputs: Outputs, faults: Faults, *, reset: bool = False) -> None:
        """Compare a cycle's outputs; note what was accepted."""
        one, given = self.one, self.given
        self.now = now + 1

        def check(port: str, value: int) -> None:
            faults.check(one, outputs.of(one, port), value, f"{port} in cycle {now}")

        key_ready = now >= self.free
        check("key_ready", int(key_ready))
        wait = (self.rounds if self.decrypts() else 3) * self.key_step + 1
        held = self.loaded is not None and now >= self.loaded + wait
        ready = held and now >= self.begun + 4 and not given["key_valid"]
        check("in_ready", int(ready))
        if not self.whole:
            self.columns[now] = given["in_column"]
        self._leave(now, check)
        if reset:
            self.forget(now)
        elif given["key_valid"] and key_ready:
            self.loaded, self.key = now, given["key"]
            self.loads += 1
            if self.waits_for_decryption:
                self.early_block = now + self.rounds * self.key_step
        elif given[self.valid] and ready:
            self.begun, self.free = now, now + self.latency
            if self.whole:
                self._enter(now, given["in_block"], self.decrypts(), given["in_tag"])
            else:
                self.blocks[now] = self.decrypts(), 0
        begun = now - 3
        if begun in self.blocks:
            block = 0
            for number in range(4):
                block = block << 32 | self.columns.pop(begun + number)
            self._enter(begun, block, *self.blocks.pop(begun))

    def _enter(self, now: int, block: int, undo: int, tag: int) -> None:
        function = decrypt if undo else encrypt
        self.results[now] = function(block, self.key, self.one["KeyBits"]), tag

    def _leave(self, now: int, check: Callable[[str, int], None]) -> None:
        if self.whole:
            leaving = self.results.pop(now - self.latency, None)
            check("out_valid", int(leaving is not None))
            if leaving is not None:
                check("out_block", leaving[0])
                check("out_tag", leaving[1])
                self.left += 1
            return
        check("out_first", int(now - self.first_column in self.results))
        for number in range(4):
            begun = now - self.first_column - number
            if begun in self.results:
                check("out_column", column(self.results[begun][0], number))
                if number == 3:
                    self.results.pop(begun)
                    self.left += 1

    def forget(self, now: int, *, zeroized: bool = False) -> None:
        """A reset, or the end of zeroization: no key, no blocks."""
        self.loaded, self.begun = None, -4
        self.free = now + (1 if zeroized else self.latency)
        self.columns.clear()
        self.blocks.clear()
        self.results.clear()
