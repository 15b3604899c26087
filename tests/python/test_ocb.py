# SPDX-License-Identifier: Apache-2.0
"""The reference for OCB is RFC 7253's: its examples, its iterated test, and OpenSSL's OCB3."""

from __future__ import annotations

import os

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESOCB3

from aesforge.reference.ocb import NONCE_BYTES, ocb


@pytest.mark.parametrize("key_bytes", [16, 24, 32])
@pytest.mark.parametrize("nonce_bytes", range(12, 16))
def test_openssl_agrees(key_bytes: int, nonce_bytes: int) -> None:
    for text_bytes in (0, 1, 15, 16, 17, 48, 100, 16 * 9):
        for aad_bytes in (0, 1, 16, 33, 80):
            key, nonce = os.urandom(key_bytes), os.urandom(nonce_bytes)
            text, aad = os.urandom(text_bytes), os.urandom(aad_bytes)
            found, tag = ocb(key, nonce, text, aad)
            assert found + tag == AESOCB3(key).encrypt(nonce, text, aad)
            assert ocb(key, nonce, found, aad, decrypt=True) == (text, tag)


def test_a_tag_of_96_bits() -> None:
    """RFC 7253 Appendix A, the example with another key."""
    key = bytes(range(15, -1, -1))
    both = bytes(range(40))
    text, tag = ocb(key, bytes.fromhex("bbaa9988776655443322110d"), both, both, tag_bytes=12)
    assert (text + tag).hex() == (
        "1792a4e31e0755fb03e31b22116e6c2ddf9efd6e33d536f1a0124b0a55bae884ed93481529c76b6a"
        "d0c515f4d1cdd4fdac4f02aa"
    )


@pytest.mark.parametrize(
    ("key_bytes", "tag_bytes", "expected"),
    [
        (16, 16, "67e944d23256c5e0b6c61fa22fdf1ea2"),
        (24, 16, "f673f2c3e7174aae7bae986ca9f29e17"),
        (32, 16, "d90eb8e9c977c88b79dd793d7ffa161c"),
        (16, 12, "77a3d8e73589158d25d01209"),
        (24, 12, "05d56ead2752c86be6932c5e"),
        (32, 12, "5458359ac23b0cba9e6330dd"),
        (16, 8, "192c9b7bd90ba06a"),
        (24, 8, "0066bc6e0ef34e24"),
        (32, 8, "7d4ea5d445501cbe"),
    ],
)
def test_the_iterated_test(key_bytes: int, tag_bytes: int, expected: str) -> None:
    """RFC 7253 Appendix A: 384 messages, and one over all their ciphertexts."""
    key = bytes(key_bytes - 1) + bytes([8 * tag_bytes])

    def sealed(number: int, text: bytes, aad: bytes) -> bytes:
        nonce = number.to_bytes(12, "big")
        found, tag = ocb(key, nonce, text, aad, tag_bytes=tag_bytes)
        return found + tag

    total = b""
    for i in range(128):
        zeros = bytes(i)
        total += sealed(3 * i + 1, zeros, zeros)
        total += sealed(3 * i + 2, zeros, b"")
        total += sealed(3 * i + 3, b"", zeros)
    assert sealed(385, b"", total).hex() == expected


def test_every_length_of_a_nonce_differs() -> None:
    found = {ocb(bytes(16), bytes(length), b"text")[1] for length in NONCE_BYTES}
    assert len(found) == len(NONCE_BYTES)
