# SPDX-License-Identifier: Apache-2.0
"""The OpenSSL oracle against what others publish and against our own model."""

from __future__ import annotations

import numpy as np
import pytest

from aesforge import reference
from aesforge.reference import gcm, openssl, sealed, vectors

KEY = bytes(range(16))


@pytest.mark.parametrize("cipher", ["ecb", "cbc", "cfb", "cfb8", "ofb", "ctr"])
@pytest.mark.parametrize("key_bits", vectors.KEY_BITS)
def test_every_mode_gives_the_published_records(cipher: str, key_bits: int) -> None:
    records = vectors.mode_records(cipher, key_bits)
    for record in records:
        given = openssl.crypt(cipher, record.key, record.plaintext, record.iv)
        assert given == record.ciphertext, record.name
        back = openssl.crypt(cipher, record.key, record.ciphertext, record.iv, decrypt=True)
        assert back == record.plaintext, record.name


@pytest.mark.parametrize("key_bits", vectors.KEY_BITS)
def test_cmac_gives_the_published_tags(key_bits: int) -> None:
    for record in vectors.mode_records("cmac", key_bits):
        assert openssl.cmac(record.key, record.plaintext) == record.ciphertext, record.name


@pytest.mark.parametrize("key_bits", vectors.KEY_BITS)
def test_gcm_gives_the_published_records(key_bits: int) -> None:
    """Of NIST and Wycheproof, all but those without an IV."""
    without = 0
    for record in (
        *(one for way in (False, True) for one in sealed.nist_gcm(key_bits, way)),
        *sealed.wycheproof("gcm", key_bits),
    ):
        if not record.iv:
            without += 1
            continue
        key, iv, aad = record.key, record.iv, record.aad
        text, tag = gcm.gcm(key, iv, record.ciphertext, aad, decrypt=True)
        assert (tag[: len(record.tag)] == record.tag) == record.valid, record.name
        if record.plaintext is not None:
            assert text == record.plaintext, record.name
            cipher, tag = gcm.gcm(key, iv, record.plaintext, aad)
            assert (cipher, tag[: len(record.tag)]) == (record.ciphertext, record.tag), record.name
    assert 0 < without < 10


@pytest.mark.parametrize("iv_bytes", [8, 12, 16, 128])
def test_our_gcm_is_that_of_openssl(iv_bytes: int) -> None:
    iv, text, aad = bytes(range(iv_bytes)), bytes(range(50)), bytes(range(20))
    for decrypt in (False, True):
        ours = gcm.by_the_book(KEY, iv, text, aad, decrypt=decrypt)
        assert ours == openssl.gcm(KEY, iv, text, aad, decrypt=decrypt)


def test_published_gcm_records_are_all_there() -> None:
    every = [
        one for bits in vectors.KEY_BITS for way in (0, 1) for one in sealed.nist_gcm(bits, way)
    ]
    assert len(every) == 47_250
    assert sum(len(record.iv) == 12 for record in every) == 15_750
    assert {len(record.tag) for record in every} == {4, 8, 12, 13, 14, 15, 16}
    assert 0 < sum(not record.valid for record in every) < 47_250 / 2
    wrong = [
        one for bits in vectors.KEY_BITS for one in sealed.wycheproof("gcm", bits) if not one.valid
    ]
    assert len(wrong) > 50


def test_cbc_mac_chains_our_model() -> None:
    data = bytes(range(48))
    tag = bytes(16)
    for at in range(0, len(data), 16):
        mixed = bytes(a ^ b for a, b in zip(tag, data[at : at + 16], strict=True))
        tag = reference.cipher(mixed, KEY)
    assert openssl.cbc_mac(KEY, data) == tag


def test_a_stream_goes_on_where_it_was() -> None:
    data = bytes(range(64))
    whole = openssl.crypt("ctr", KEY, data, bytes(16))
    context = openssl.stream("ctr", KEY, bytes(16))
    assert context.update(data[:21]) + context.update(data[21:]) == whole


def test_each_row_has_its_own_key_and_direction() -> None:
    rng = np.random.default_rng(5)
    keys = rng.integers(0, 256, (40, 32), dtype=np.uint8)
    keys[10:20] = keys[9]  # runs of one key
    decrypt = rng.integers(0, 2, 40).astype(bool)
    blocks = rng.integers(0, 256, (40, 32), dtype=np.uint8)
    result = openssl.ecb_each(keys, blocks, decrypt, 192)
    for i in range(40):
        wanted = openssl.ecb(keys[i, :24].tobytes(), blocks[i].tobytes(), decrypt=bool(decrypt[i]))
        assert result[i].tobytes() == wanted
    assert openssl.ecb_each(keys[:0], blocks[:0], decrypt[:0], 192).shape == (0, 32)
