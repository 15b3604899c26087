# SPDX-License-Identifier: Apache-2.0
"""CCM, SP 800-38C step by step; the block cipher, its counter mode and CBC-MAC are OpenSSL's.

OpenSSL's own CCM compares the tag itself, so that it is no help with a message that is damaged on
purpose; the tests compare this with it.
"""

from __future__ import annotations

from aesforge.reference import openssl

BLOCK_BYTES = 16
NONCE_BYTES = range(7, 14)
TAG_BYTES = range(4, 17, 2)


def encoded_length(aad_bytes: int) -> bytes:
    """Return what associated data of a length begin with (Appendix A.2.2)."""
    if aad_bytes == 0:
        return b""
    if aad_bytes < 2**16 - 2**8:
        return aad_bytes.to_bytes(2, "big")
    return b"\xff\xfe" + aad_bytes.to_bytes(4, "big")


def first_block(nonce: bytes, text_bytes: int, aad_bytes: int, tag_bytes: int) -> bytes:
    """Return B0, which has the lengths (Appendix A.2.1)."""
    count_bytes = BLOCK_BYTES - 1 - len(nonce)
    flags = 64 * (aad_bytes > 0) + 8 * ((tag_bytes - 2) // 2) + count_bytes - 1
    return bytes([flags]) + nonce + text_bytes.to_bytes(count_bytes, "big")


def counter_block(nonce: bytes, number: int) -> bytes:
    """Return a counter block: 0 is for the tag, those from 1 on for the text (Appendix A.3)."""
    count_bytes = BLOCK_BYTES - 1 - len(nonce)
    return bytes([count_bytes - 1]) + nonce + number.to_bytes(count_bytes, "big")


def most_text_bytes(nonce_bytes: int) -> int:
    """Return the longest text with a nonce of a length (Sec. 5.3), or what 32 bits can say."""
    return int(2 ** min(8 * (BLOCK_BYTES - 1 - nonce_bytes), 32)) - 1


def _padded(data: bytes) -> bytes:
    return data.ljust(-(-len(data) // BLOCK_BYTES) * BLOCK_BYTES, b"\0")


def ctr(key: bytes, nonce: bytes, data: bytes) -> bytes:
    """Encrypt or decrypt text, without looking at its tag (Sec. 6.1, steps 5 to 8)."""
    return openssl.crypt("ctr", key, data, counter_block(nonce, 1))


def ccm(
    key: bytes,
    nonce: bytes,
    data: bytes,
    aad: bytes = b"",
    *,
    tag_bytes: int = BLOCK_BYTES,
    decrypt: bool = False,
) -> tuple[bytes, bytes]:
    """Encrypt or decrypt a message (Sec. 6.1 and 6.2, without the comparison).

    Args:
        key: 16, 24 or 32 bytes.
        nonce: `NONCE_BYTES`.
        data: plaintext, or ciphertext without its tag; up to `most_text_bytes`.
        aad: additional authenticated data, less than 2^32 bytes.
        tag_bytes: one of `TAG_BYTES`; it is part of what the tag is over.
        decrypt: or encrypt.

    Returns:
        The other text, and the tag.
    """
    result = ctr(key, nonce, data)
    text = result if decrypt else data
    blocks = first_block(nonce, len(text), len(aad), tag_bytes)
    blocks += _padded(encoded_length(len(aad)) + aad) + _padded(text)
    mask = openssl.ecb(key, counter_block(nonce, 0))
    mac = openssl.cbc_mac(key, blocks)
    return result, bytes(a ^ b for a, b in zip(mac, mask, strict=True))[:tag_bytes]
