# SPDX-License-Identifier: Apache-2.0
"""CIPHER(), INVCIPHER() and EQINVCIPHER(): FIPS 197 Sections 5.1, 5.3 and 5.3.5.

``trace``, where given, is called with the names and values of the example vectors in the
standard's appendices: "round[ 1].start", "round[ 1].s_box" and so on, each with a block of 16
bytes.
"""

from __future__ import annotations

from collections.abc import Callable

from aesforge.reference.key_schedule import key_expansion, key_expansion_eic, key_parameters
from aesforge.reference.transformations import (
    State,
    add_round_key,
    block_of,
    inv_mix_columns,
    inv_shift_rows,
    inv_sub_bytes,
    mix_columns,
    shift_rows,
    state_of,
    sub_bytes,
)

Trace = Callable[[str, bytes], None]


def _nothing(_name: str, _value: bytes) -> None:
    """Trace nothing."""


def cipher(block: bytes, key: bytes, trace: Trace = _nothing, *, scheme: str = "fips197") -> bytes:
    """CIPHER() (FIPS 197 Alg. 1): encrypt one block of 16 bytes under a key of 16, 24 or 32.

    ``scheme`` is that of :func:`key_expansion`; all but the standard's make this another cipher.

    Raises ValueError for other lengths.
    """
    _, nr = key_parameters(key)
    w = key_expansion(key, scheme)

    def note(round_: int, name: str, state: State) -> State:
        trace(f"round[{round_:2d}].{name}", block_of(state))
        return state

    state = note(0, "input", state_of(block))
    trace("round[ 0].k_sch", b"".join(w[0:4]))
    state = add_round_key(state, w[0:4])
    for round_ in range(1, nr):
        round_key = w[4 * round_ : 4 * round_ + 4]
        note(round_, "start", state)
        state = note(round_, "s_box", sub_bytes(state))
        state = note(round_, "s_row", shift_rows(state))
        state = note(round_, "m_col", mix_columns(state))
        trace(f"round[{round_:2d}].k_sch", b"".join(round_key))
        state = add_round_key(state, round_key)
    round_key = w[4 * nr : 4 * nr + 4]
    note(nr, "start", state)
    state = note(nr, "s_box", sub_bytes(state))
    state = note(nr, "s_row", shift_rows(state))
    trace(f"round[{nr:2d}].k_sch", b"".join(round_key))
    return block_of(note(nr, "output", add_round_key(state, round_key)))


def inv_cipher(
    block: bytes, key: bytes, trace: Trace = _nothing, *, scheme: str = "fips197"
) -> bytes:
    """INVCIPHER() (FIPS 197 Alg. 3): decrypt one block of 16 bytes under a key of 16, 24 or 32.

    ``scheme`` is that of :func:`cipher`.

    Raises ValueError for other lengths.
    """
    _, nr = key_parameters(key)
    w = key_expansion(key, scheme)

    def note(step: int, name: str, state: State) -> State:
        trace(f"round[{step:2d}].{name}", block_of(state))
        return state

    state = note(0, "iinput", state_of(block))
    trace("round[ 0].ik_sch", b"".join(w[4 * nr : 4 * nr + 4]))
    state = add_round_key(state, w[4 * nr : 4 * nr + 4])
    for round_ in range(nr - 1, 0, -1):
        step = nr - round_
        round_key = w[4 * round_ : 4 * round_ + 4]
        note(step, "istart", state)
        state = note(step, "is_row", inv_shift_rows(state))
        state = note(step, "is_box", inv_sub_bytes(state))
        trace(f"round[{step:2d}].ik_sch", b"".join(round_key))
        state = note(step, "ik_add", add_round_key(state, round_key))
        state = inv_mix_columns(state)
    note(nr, "istart", state)
    state = note(nr, "is_row", inv_shift_rows(state))
    state = note(nr, "is_box", inv_sub_bytes(state))
    trace(f"round[{nr:2d}].ik_sch", b"".join(w[0:4]))
    return block_of(note(nr, "ioutput", add_round_key(state, w[0:4])))


def eq_inv_cipher(block: bytes, key: bytes, trace: Trace = _nothing) -> bytes:
    """EQINVCIPHER() (FIPS 197 Alg. 4): inv_cipher() with the steps in the cipher's order.

    Raises ValueError for other lengths than those of :func:`inv_cipher`.
    """
    _, nr = key_parameters(key)
    dw = key_expansion_eic(key)

    def note(step: int, name: str, state: State) -> State:
        trace(f"round[{step:2d}].{name}", block_of(state))
        return state

    state = note(0, "iinput", state_of(block))
    trace("round[ 0].ik_sch", b"".join(dw[4 * nr : 4 * nr + 4]))
    state = add_round_key(state, dw[4 * nr : 4 * nr + 4])
    for round_ in range(nr - 1, 0, -1):
        step = nr - round_
        round_key = dw[4 * round_ : 4 * round_ + 4]
        note(step, "istart", state)
        state = note(step, "is_box", inv_sub_bytes(state))
        state = note(step, "is_row", inv_shift_rows(state))
        state = note(step, "im_col", inv_mix_columns(state))
        trace(f"round[{step:2d}].ik_sch", b"".join(round_key))
        state = add_round_key(state, round_key)
    note(nr, "istart", state)
    state = note(nr, "is_box", inv_sub_bytes(state))
    state = note(nr, "is_row", inv_shift_rows(state))
    trace(f"round[{nr:2d}].ik_sch", b"".join(dw[0:4]))
    return block_of(note(nr, "ioutput", add_round_key(state, dw[0:4])))
