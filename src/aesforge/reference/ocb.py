# SPDX-License-Identifier: Apache-2.0
"""OCB as RFC 7253 defines it (OCB3), over OpenSSL's cipher: nonces and tags of any length.

The package ``cryptography`` has it for nonces of 12 to 15 bytes and tags of 16.
"""

from __future__ import annotations

from aesforge.reference import openssl

BLOCK_BYTES = 16
# Lengths of a nonce, in bytes.
NONCE_BYTES = range(1, 16)


def _xor(left: bytes, right: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(left, right, strict=True))


def _double(block: bytes) -> bytes:
    number = int.from_bytes(block, "big") << 1
    if number >> 128:
        number ^= 1 << 128 | 0x87
    return number.to_bytes(BLOCK_BYTES, "big")


def _padded(part: bytes) -> bytes:
    return (part + b"\x80").ljust(BLOCK_BYTES, b"\0")


class _Table:
    """The words L of a key (Sec. 4.1)."""

    def __init__(self, key: bytes) -> None:
        self.key = key
        self.star = openssl.ecb(key, bytes(BLOCK_BYTES))
        self.dollar = _double(self.star)
        self.words = [_double(self.dollar)]

    def word(self, number: int) -> bytes:
        """Return the word that block ``number``, 1 for the first, adds to the offset."""
        index = (number & -number).bit_length() - 1
        while len(self.words) <= index:
            self.words.append(_double(self.words[-1]))
        return self.words[index]

    def hash(self, aad: bytes) -> bytes:
        """Return HASH(K, A) (Sec. 4.1)."""
        total = offset = bytes(BLOCK_BYTES)
        whole = len(aad) // BLOCK_BYTES
        for number in range(1, whole + 1):
            offset = _xor(offset, self.word(number))
            block = aad[BLOCK_BYTES * (number - 1) : BLOCK_BYTES * number]
            total = _xor(total, openssl.ecb(self.key, _xor(block, offset)))
        if rest := aad[BLOCK_BYTES * whole :]:
            offset = _xor(offset, self.star)
            total = _xor(total, openssl.ecb(self.key, _xor(_padded(rest), offset)))
        return total

    def offset(self, nonce: bytes, tag_bytes: int) -> bytes:
        """Return Offset_0 (Sec. 4.2)."""
        number = (8 * tag_bytes % 128) << 121 | 1 << 8 * len(nonce) | int.from_bytes(nonce, "big")
        bottom = number % 64
        top = openssl.ecb(self.key, (number - bottom).to_bytes(BLOCK_BYTES, "big"))
        stretch = int.from_bytes(top + _xor(top[:8], top[1:9]), "big")
        return (stretch >> 64 - bottom & (1 << 128) - 1).to_bytes(BLOCK_BYTES, "big")


def ocb(
    key: bytes,
    nonce: bytes,
    data: bytes,
    aad: bytes = b"",
    *,
    tag_bytes: int = BLOCK_BYTES,
    decrypt: bool = False,
) -> tuple[bytes, bytes]:
    """Encrypt or decrypt a message; nothing is compared here.

    Args:
        key: 16, 24 or 32 bytes.
        nonce: 1 to 15 bytes.
        data: plaintext, or ciphertext without its tag.
        aad: additional authenticated data.
        tag_bytes: length of the tag, which changes the ciphertext too; 1 to 16.
        decrypt: or encrypt.

    Returns:
        The other text, and its tag.
    """
    table = _Table(key)
    offset = table.offset(nonce, tag_bytes)
    checksum = bytes(BLOCK_BYTES)
    parts = []
    whole = len(data) // BLOCK_BYTES
    for number in range(1, whole + 1):
        offset = _xor(offset, table.word(number))
        block = data[BLOCK_BYTES * (number - 1) : BLOCK_BYTES * number]
        result = _xor(openssl.ecb(key, _xor(block, offset), decrypt=decrypt), offset)
        parts.append(result)
        checksum = _xor(checksum, result if decrypt else block)
    if rest := data[BLOCK_BYTES * whole :]:
        offset = _xor(offset, table.star)
        pad = openssl.ecb(key, offset)
        result = _xor(rest, pad[: len(rest)])
        parts.append(result)
        checksum = _xor(checksum, _padded(result if decrypt else rest))
    tag = openssl.ecb(key, _xor(_xor(checksum, offset), table.dollar))
    return b"".join(parts), _xor(tag, table.hash(aad))[:tag_bytes]
