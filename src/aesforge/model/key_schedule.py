# SPDX-License-Identifier: Apache-2.0
"""Key expansion, FIPS 197 Section 5.2: the key of Nk words gives 4 (Nr + 1) words of round keys.

A word is four bytes [a0, a1, a2, a3] held in ``bytes`` of length 4.
"""

from __future__ import annotations

from aesforge.model.field import xtimes
from aesforge.model.sbox import SBOX

Word = bytes


def key_parameters(key: bytes) -> tuple[int, int]:
    """(Nk, Nr) for a key of 16, 24 or 32 bytes (FIPS 197 Sec. 5, Table 3).

    Raises ValueError for any other length.
    """
    if len(key) not in (16, 24, 32):
        raise ValueError(f"an AES key has 16, 24 or 32 bytes, not {len(key)}")
    nk = len(key) // 4
    return nk, nk + 6


def rot_word(word: Word) -> Word:
    """ROTWORD([a0, a1, a2, a3]) = [a1, a2, a3, a0] (FIPS 197 Eq. 5.10)."""
    return word[1:] + word[:1]


def sub_word(word: Word) -> Word:
    """SUBWORD(): SBOX() on each of the four bytes (FIPS 197 Eq. 5.11)."""
    return bytes(SBOX[b] for b in word)


def rcon(j: int) -> Word:
    """Rcon[j] = [x^(j-1), {00}, {00}, {00}] for j >= 1 (FIPS 197 Sec. 5.2, Table 5)."""
    power = 1
    for _ in range(j - 1):
        power = xtimes(power)
    return bytes([power, 0, 0, 0])


def xor_words(a: Word, b: Word) -> Word:
    """Add two words, byte by byte."""
    return bytes(x ^ y for x, y in zip(a, b, strict=True))


def key_expansion(key: bytes) -> list[Word]:
    """KEYEXPANSION() (FIPS 197 Alg. 2): 4 (Nr + 1) words from a key of 16, 24 or 32 bytes."""
    nk, nr = key_parameters(key)
    w = [key[4 * i : 4 * i + 4] for i in range(nk)]
    for i in range(nk, 4 * nr + 4):
        temp = w[i - 1]
        if i % nk == 0:
            temp = xor_words(sub_word(rot_word(temp)), rcon(i // nk))
        elif nk > 6 and i % nk == 4:
            temp = sub_word(temp)
        w.append(xor_words(w[i - nk], temp))
    return w


def key_expansion_eic(key: bytes) -> list[Word]:
    """KEYEXPANSIONEIC() (FIPS 197 Alg. 5): the key schedule of the equivalent inverse cipher."""
    # Imported here because the cipher's transformations build on this module.
    from aesforge.model.transformations import inv_mix_columns, state_of, words_of

    _, nr = key_parameters(key)
    dw = list(key_expansion(key))
    for round_ in range(1, nr):
        i = 4 * round_
        # Sec. 5.3.5: the round keys of rounds 1..Nr-1 pass InvMixColumns.
        dw[i : i + 4] = words_of(inv_mix_columns(state_of(b"".join(dw[i : i + 4]))))
    return dw
