# SPDX-License-Identifier: Apache-2.0
"""A second implementation of the cipher with the research key schemes, to hold the model against.

Nothing of `aesforge.reference` is used, and little is alike: words are 32-bit integers, the S-box
comes from powers of a generator, a round is one pass over tables of columns, and deciphering is the
equivalent inverse cipher on tables of its own. The schemes are written from the table in
docs/cores/aesforge_key_round.md.
"""

from __future__ import annotations

MASK = 0xFFFFFFFF
SCHEMES = ("fips197", "hu2009", "liu2014")


def _left(value: int, places: int, bits: int = 32) -> int:
    """Rotate to the left."""
    return (value << places | value >> (bits - places)) & ((1 << bits) - 1)


def _powers() -> list[int]:
    """The powers of 3, which generates all bytes but zero."""
    powers = [1]
    for _ in range(254):
        last = powers[-1]
        doubled = last << 1
        powers.append((doubled ^ (0x11B if doubled > 0xFF else 0)) ^ last)
    return powers


POWERS = _powers()
LOGS = {power: exponent for exponent, power in enumerate(POWERS)}


def _product(a: int, b: int) -> int:
    return POWERS[(LOGS[a] + LOGS[b]) % 255] if a and b else 0


def _substitute(byte: int) -> int:
    inverse = POWERS[-LOGS[byte] % 255] if byte else 0
    result = 0x63
    for places in range(5):
        result ^= _left(inverse, places, 8)
    return result


SUB = [_substitute(byte) for byte in range(256)]
UNSUB = [SUB.index(byte) for byte in range(256)]


def _column(byte: int, factors: tuple[int, int, int, int]) -> int:
    """A byte in row 0, times the factors that go to rows 0 to 3."""
    return sum(_product(byte, factor) << (24 - 8 * row) for row, factor in enumerate(factors))


ROUND = [_column(SUB[byte], (2, 1, 1, 3)) for byte in range(256)]
UNROUND = [_column(UNSUB[byte], (14, 9, 13, 11)) for byte in range(256)]
UNMIX = [_column(byte, (14, 9, 13, 11)) for byte in range(256)]


def _bytes(word: int) -> tuple[int, int, int, int]:
    return word >> 24, word >> 16 & 255, word >> 8 & 255, word & 255


def _words(data: bytes) -> list[int]:
    return [int.from_bytes(data[i : i + 4], "big") for i in range(0, 16, 4)]


def _f(word: int, step: int) -> int:
    """F: RotWord, SubWord and Rcon."""
    a, b, c, d = _bytes(word)
    rcon = POWERS[25 * (step - 1) % 255]  # 2 is the 25th power of 3
    return (SUB[b] ^ rcon) << 24 | SUB[c] << 16 | SUB[d] << 8 | SUB[a]


def expand(key: bytes, scheme: str) -> list[list[int]]:
    """Round keys 0 to 10, four words each."""
    w = _words(key)
    keys = [w]
    for step in range(1, 11):
        if scheme == "fips197":
            n0 = w[0] ^ _f(w[3], step)
            n1 = n0 ^ w[1]
            n2 = n1 ^ w[2]
            n3 = n2 ^ w[3]
        elif scheme == "hu2009":
            n0 = w[0] ^ _f(w[2] ^ w[3], step)
            n1 = w[1] ^ w[2]
            n2, n3 = n0 ^ n1, n0
        else:
            n0 = w[0] ^ _f(w[3], step)
            n1 = w[1] ^ _f(w[2], step)
            n2 = n0 ^ _left(n1, 8 << (n0 & 1))
            n3 = n1 ^ _left(n2, 8 << (n0 >> 8 & 1))
        w = [n0, n1, n2, n3]
        keys.append(w)
    return keys


def _pass(state: list[int], key: list[int], table: list[int], turn: int) -> list[int]:
    """A whole round: column c takes row r from column c + turn r."""
    result = []
    for c in range(4):
        column = key[c]
        for row in range(4):
            byte = _bytes(state[(c + turn * row) % 4])[row]
            column ^= _left(table[byte], -8 * row % 32)
        result.append(column)
    return result


def _last(state: list[int], key: list[int], box: list[int], turn: int) -> bytes:
    """The last round, which mixes no columns."""
    words = []
    for c in range(4):
        rows = (box[_bytes(state[(c + turn * row) % 4])[row]] for row in range(4))
        words.append(int.from_bytes(bytes(rows), "big") ^ key[c])
    return b"".join(word.to_bytes(4, "big") for word in words)


def encrypt(block: bytes, key: bytes, scheme: str) -> bytes:
    """Encrypt a block of 16 bytes under a key of 16."""
    keys = expand(key, scheme)
    state = [a ^ b for a, b in zip(_words(block), keys[0], strict=True)]
    for round_key in keys[1:10]:
        state = _pass(state, round_key, ROUND, 1)
    return _last(state, keys[10], SUB, 1)


def decrypt(block: bytes, key: bytes, scheme: str) -> bytes:
    """Decrypt a block of 16 bytes under a key of 16."""
    keys = expand(key, scheme)
    state = [a ^ b for a, b in zip(_words(block), keys[10], strict=True)]
    for round_key in keys[9:0:-1]:
        mixed = []
        for word in round_key:
            column = 0
            for row, byte in enumerate(_bytes(word)):
                column ^= _left(UNMIX[byte], -8 * row % 32)
            mixed.append(column)
        state = _pass(state, mixed, UNROUND, -1)
    return _last(state, keys[0], UNSUB, -1)
