# SPDX-License-Identifier: Apache-2.0
"""The known answers of a core's test bench are right, and show what can go wrong."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from aesforge.bundle.vectors import VECTORS, Beat, beats, expansions
from aesforge.design import Design


@pytest.mark.parametrize("key_bits", VECTORS)
def test_vectors_are_right(key_bits: int) -> None:
    assert len({vector.key for vector in VECTORS[key_bits]}) == 2
    for vector in VECTORS[key_bits]:
        key = bytes.fromhex(vector.key)
        assert 8 * len(key) == key_bits
        encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
        assert encryptor.update(bytes.fromhex(vector.plaintext)).hex() == vector.ciphertext


def test_lanes_get_different_blocks_under_one_key() -> None:
    found = beats(Design(tiles=3))
    assert all(len(beat.blocks_in) == len(beat.blocks_out) == 3 for beat in found)
    assert len(set(found[-1].blocks_in)) == 3


def test_both_directions_and_the_outer_slots_are_used() -> None:
    found = beats(Design(direction="both", key_schedule="stored", key_slots=5))
    assert {beat.decrypt for beat in found} == {False, True}
    assert {beat.slot for beat in found} == {0, 4}
    one = next(beat for beat in found if beat.decrypt)
    back = Beat(one.source, one.key, one.slot, False, one.blocks_out, one.blocks_in)
    assert back.blocks_out == one.blocks_in


@pytest.mark.parametrize("key_bits", VECTORS)
def test_expansions_are_those_of_the_standard(key_bits: int) -> None:
    from aesforge.reference.vectors import KEY_EXPANSIONS

    found = expansions(Design(architecture="key_expand", key_bits=key_bits))
    assert len({one.key for one in found}) == len(found) == 3
    key, last = KEY_EXPANSIONS[key_bits]
    assert found[0].key == key.hex()
    assert found[0].round_keys[-1] == last.hex()
    for one in found:
        assert len(one.round_keys) == key_bits // 32 + 7
        assert "".join(one.round_keys).startswith(one.key)
