# SPDX-License-Identifier: Apache-2.0
"""States that go through a module column by column, and their columns when they come out."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from fips197 import to_bytes, to_int

from aesforge import model
from aesforge.model import State


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
    return to_int(model.block_of(function(model.state_of(to_bytes(state, 128)))))


def random_stream(draw: random.Random, count: int) -> list[Given]:
    """Give states back to back and with gaps of every length, directions in every order."""
    given, start = [], 0
    for number in range(count):
        decrypt = number & 1 if number < count // 2 else draw.randrange(2)
        given.append(Given(start, decrypt, draw.getrandbits(128)))
        start += 4 + (0 if number % 3 else draw.randrange(12))
    return given


def inputs(draw: random.Random, given: list[Given], after: int) -> list[dict[str, int]]:
    """Give a stream's inputs cycle by cycle: noise where no state is, and ``after`` the last."""
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
