# SPDX-License-Identifier: Apache-2.0
"""What the tests of this folder share about FIPS 197: example keys, and the key schedule's windows.

Blocks, keys and windows are integers, bit 127 (or the top bit) first, as on the modules' ports.
"""

from __future__ import annotations

from functools import cache

from aesforge import reference

# Appendix A: key, and the last round key of its expansion.
APPENDIX_A = {
    128: (
        0x2B7E151628AED2A6ABF7158809CF4F3C,
        0xD014F9A8C9EE2589E13F0CC8B6630CA6,
    ),
    192: (
        0x8E73B0F7DA0E6452C810F32B809079E562F8EAD2522C6B7B,
        0xE98BA06F448C773C8ECC720401002202,
    ),
    256: (
        0x603DEB1015CA71BE2B73AEF0857D77811F352C073B6108D72D9810A30914DFF4,
        0xFE4890D1E6188D0B046DF344706C631E,
    ),
}

Words = dict[int, bytes]


def rounds(key_bits: int) -> int:
    """Nr."""
    return key_bits // 32 + 6


def to_bytes(value: int, bits: int) -> bytes:
    return value.to_bytes(bits // 8, "big")


def to_int(data: bytes) -> int:
    return int.from_bytes(data, "big")


@cache
def encrypt(block: int, key: int, key_bits: int) -> int:
    """CIPHER()."""
    return to_int(reference.cipher(to_bytes(block, 128), to_bytes(key, key_bits)))


@cache
def decrypt(block: int, key: int, key_bits: int) -> int:
    """INVCIPHER()."""
    return to_int(reference.inv_cipher(to_bytes(block, 128), to_bytes(key, key_bits)))


@cache
def round_keys(key: int, key_bits: int, scheme: str = "fips197") -> tuple[int, ...]:
    """Round keys 0 to Nr."""
    words = reference.key_expansion(to_bytes(key, key_bits), scheme)
    return tuple(to_int(b"".join(words[i : i + 4])) for i in range(0, len(words), 4))


# --- Windows: the Nk words that aesforge_key_round holds after step r ---------------------------


def window_start(key_bits: int, step: int) -> int:
    """Index of the first word of the window after a step (step 0: the key)."""
    if key_bits == 192:
        return 12 * (step // 3) + (0, 4, 6)[step % 3]
    return 4 * step


def _temp(key_bits: int, i: int, before: bytes) -> bytes:
    """``temp`` of Alg. 2 for word i, from word i - 1; the recurrence may run beyond the standard's
    last word, as the window of the last steps does."""
    nk = key_bits // 32
    if i % nk == 0:
        return reference.xor_words(
            reference.sub_word(reference.rot_word(before)), reference.rcon(i // nk)
        )
    if nk > 6 and i % nk == 4:
        return reference.sub_word(before)
    return before


def _words(window: int, key_bits: int, start: int) -> Words:
    data = to_bytes(window, key_bits)
    return {start + i: data[4 * i : 4 * i + 4] for i in range(key_bits // 32)}


def _join(words: Words, start: int, count: int) -> int:
    return to_int(b"".join(words[i] for i in range(start, start + count)))


@cache
def step_forward(window: int, key_bits: int, step: int) -> tuple[int, int]:
    """Window before a step -> window after it, round key the step leads to."""
    nk = key_bits // 32
    start, end = window_start(key_bits, step - 1), window_start(key_bits, step)
    words = _words(window, key_bits, start)
    for i in range(start + nk, end + nk):
        words[i] = reference.xor_words(words[i - nk], _temp(key_bits, i, words[i - 1]))
    return _join(words, end, nk), _join(words, 4 * step, 4)


@cache
def research_step(window: int, scheme: str, step: int) -> tuple[int, int]:
    """As `step_forward`, for a key scheme that is not AES."""
    words = [to_bytes(window, 128)[i : i + 4] for i in range(0, 16, 4)]
    moved = reference.RESEARCH_SCHEMES[scheme](words, step)
    return to_int(b"".join(moved)), to_int(b"".join(moved))


@cache
def step_backward(window: int, key_bits: int, step: int) -> tuple[int, int]:
    """Window after a step -> window before it, round key that taking the step back leads to."""
    nk = key_bits // 32
    start, end = window_start(key_bits, step), window_start(key_bits, step - 1)
    words = _words(window, key_bits, start)
    for i in range(start - 1, end - 1, -1):
        words[i] = reference.xor_words(words[i + nk], _temp(key_bits, i + nk, words[i + nk - 1]))
    return _join(words, end, nk), _join(words, 4 * (step - 1), 4)


@cache
def last_window(key: int, key_bits: int) -> int:
    """Window after step Nr."""
    window = key
    for step in range(1, rounds(key_bits) + 1):
        window, _ = step_forward(window, key_bits, step)
    return window


def summed(window: int) -> int:
    """A window of a 128-bit key with the sum of words 2 and 3 in word 3's place, or back again."""
    return window ^ (window >> 32) % 2**32
