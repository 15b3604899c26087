# SPDX-License-Identifier: Apache-2.0
"""The transformations of the state, FIPS 197 Sections 3.4, 5.1 and 5.3.

The state is four rows of four bytes: ``state[r][c]`` is s[r,c]. Every function gives a new state.
"""

from __future__ import annotations

from collections.abc import Sequence

from aesforge.reference.field import Word, multiply
from aesforge.reference.sbox import INV_SBOX, SBOX

State = list[list[int]]


def state_of(block: bytes) -> State:
    """Input block to state: s[r,c] = in[r + 4c] (FIPS 197 Sec. 3.4, Eq. 3.6).

    Raises ValueError when ``block`` has not 16 bytes.
    """
    if len(block) != 16:
        raise ValueError(f"an AES block has 16 bytes, not {len(block)}")
    return [[block[r + 4 * c] for c in range(4)] for r in range(4)]


def block_of(state: State) -> bytes:
    """State to output block: out[r + 4c] = s[r,c] (FIPS 197 Sec. 3.4, Eq. 3.7)."""
    return bytes(state[i % 4][i // 4] for i in range(16))


def words_of(state: State) -> list[Word]:
    """Return the columns of the state as four words (FIPS 197 Sec. 3.5)."""
    return [bytes(state[r][c] for r in range(4)) for c in range(4)]


def sub_bytes(state: State) -> State:
    """SUBBYTES() (FIPS 197 Sec. 5.1.1)."""
    return [[SBOX[b] for b in row] for row in state]


def inv_sub_bytes(state: State) -> State:
    """INVSUBBYTES() (FIPS 197 Sec. 5.3.2)."""
    return [[INV_SBOX[b] for b in row] for row in state]


def shift_rows(state: State) -> State:
    """SHIFTROWS(): s'[r,c] = s[r, (c + r) mod 4] (FIPS 197 Sec. 5.1.2, Eq. 5.5)."""
    return [[state[r][(c + r) % 4] for c in range(4)] for r in range(4)]


def inv_shift_rows(state: State) -> State:
    """INVSHIFTROWS(): s'[r,c] = s[r, (c - r) mod 4] (FIPS 197 Sec. 5.3.1, Eq. 5.12)."""
    return [[state[r][(c - r) % 4] for c in range(4)] for r in range(4)]


def _multiply_columns(state: State, first_column: Sequence[int]) -> State:
    """Each column times the circulant matrix whose first column is ``first_column``."""
    return [
        [
            multiply(first_column[(r - 0) % 4], state[0][c])
            ^ multiply(first_column[(r - 1) % 4], state[1][c])
            ^ multiply(first_column[(r - 2) % 4], state[2][c])
            ^ multiply(first_column[(r - 3) % 4], state[3][c])
            for c in range(4)
        ]
        for r in range(4)
    ]


def mix_columns(state: State) -> State:
    """MIXCOLUMNS(): columns times [{02}, {01}, {01}, {03}] (FIPS 197 Sec. 5.1.3, Eq. 5.7)."""
    return _multiply_columns(state, (0x02, 0x01, 0x01, 0x03))


def inv_mix_columns(state: State) -> State:
    """INVMIXCOLUMNS(): columns times [{0e}, {09}, {0d}, {0b}] (FIPS 197 Sec. 5.3.3, Eq. 5.14)."""
    return _multiply_columns(state, (0x0E, 0x09, 0x0D, 0x0B))


def add_round_key(state: State, round_key: Sequence[Word]) -> State:
    """ADDROUNDKEY(): column c plus word c of the four round-key words (FIPS 197 Sec. 5.1.4)."""
    return [[state[r][c] ^ round_key[c][r] for c in range(4)] for r in range(4)]
