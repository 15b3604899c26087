# SPDX-License-Identifier: Apache-2.0
"""Key expansion, FIPS 197 Section 5.2: the key of Nk words gives 4 (Nr + 1) words of round keys.

Two further schemes are here for research. They are **not AES**: from round key 1 on, each round key
is a function of 64 bits (`aesforge.research.security` shows what follows). They are defined for
keys of 16 bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aesforge.reference.field import Word, xtimes
from aesforge.reference.sbox import SBOX
from aesforge.reference.transformations import inv_mix_columns, state_of, words_of


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


def hu2009_round_key(w: Sequence[Word], j: int) -> list[Word]:
    """Round key j of scheme hu2009 from round key j - 1; four words each, j from 1 to 10.

    Hu et al. as Liu, Xu and Yuan (2014) report it. Equations 4 and 5 there give words 2 and 3, and
    Sec. 4.1 puts an XOR before SubWord; the rest of Fig. 7b is our reading: word 1 is the sum of
    words 1 and 2, and SubWord takes the sum of words 2 and 3.
    """
    n0 = xor_words(w[0], round_function(xor_words(w[2], w[3]), j))
    n1 = xor_words(w[1], w[2])
    n2 = xor_words(n0, n1)
    return [n0, n1, n2, xor_words(n1, n2)]


def liu2014_round_key(w: Sequence[Word], j: int) -> list[Word]:
    """Round key j of scheme liu2014 from round key j - 1; four words each, j from 1 to 10.

    Liu, Xu and Yuan (2014), Sec. 4.1 and Fig. 7c. The judgement bits, "any two bits" of the new
    word 0 there, are the last bits of its last byte and of its last but one: bytes that Rcon does
    not reach.
    """
    n0 = xor_words(w[0], round_function(w[3], j))
    n1 = xor_words(w[1], round_function(w[2], j))
    n2 = judgement(n0[3] & 1, n0, n1)
    return [n0, n1, n2, judgement(n0[2] & 1, n1, n2)]


def round_function(word: Word, j: int) -> Word:
    """SUBWORD(ROTWORD(word)) plus Rcon[j], what FIPS 197 Alg. 2 adds to every fourth word."""
    return xor_words(sub_word(rot_word(word)), rcon(j))


def judgement(bit: int, one: Word, other: Word) -> Word:
    """Liu Sec. 4.1: ``one`` plus ``other``, rotated left by 16 where the bit is 1, else by 8."""
    places = 2 if bit else 1
    return xor_words(one, other[places:] + other[:places])


# Scheme to the round key that follows another.
RESEARCH_SCHEMES: dict[str, Callable[[Sequence[Word], int], list[Word]]] = {
    "hu2009": hu2009_round_key,
    "liu2014": liu2014_round_key,
}


def key_expansion(key: bytes, scheme: str = "fips197") -> list[Word]:
    """KEYEXPANSION() (FIPS 197 Alg. 2): 4 (Nr + 1) words from a key of 16, 24 or 32 bytes.

    Args:
        key: the key.
        scheme: ``fips197``, or one of `RESEARCH_SCHEMES`, which are not AES.

    Raises:
        ValueError: the key has another length, or one that the scheme is not defined for.
    """
    nk, nr = key_parameters(key)
    if scheme != "fips197":
        if nk != 4:
            raise ValueError(f"scheme {scheme} takes a key of 16 bytes, not {len(key)}")
        w = [key[4 * i : 4 * i + 4] for i in range(4)]
        for j in range(1, nr + 1):
            w += RESEARCH_SCHEMES[scheme](w[-4:], j)
        return w
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
    _, nr = key_parameters(key)
    dw = list(key_expansion(key))
    for round_ in range(1, nr):
        i = 4 * round_
        # Sec. 5.3.5: the round keys of rounds 1..Nr-1 pass InvMixColumns.
        dw[i : i + 4] = words_of(inv_mix_columns(state_of(b"".join(dw[i : i + 4]))))
    return dw
