# SPDX-License-Identifier: Apache-2.0
"""GCM: OpenSSL's, and SP 800-38D algorithm by algorithm for IVs that its interface refuses.

Of the second, the block cipher is OpenSSL's, the field that of `aesforge.reference.gf128`. Blocks
are ``bytes``.
"""

from __future__ import annotations

from aesforge.reference import openssl
from aesforge.reference.gf128 import block_product

BLOCK_BYTES = 16


def _padded(data: bytes) -> bytes:
    return data.ljust(-(-len(data) // BLOCK_BYTES) * BLOCK_BYTES, b"\0")


def _length(data: bytes) -> bytes:
    return (8 * len(data)).to_bytes(8, "big")


def ghash(subkey: bytes, data: bytes) -> bytes:
    """Return GHASH of whole blocks under a hash subkey (Sec. 6.4, Algorithm 2)."""
    y, h = 0, int.from_bytes(subkey, "big")
    for at in range(0, len(data), BLOCK_BYTES):
        y = block_product(y ^ int.from_bytes(data[at : at + BLOCK_BYTES], "big"), h)
    return y.to_bytes(BLOCK_BYTES, "big")


def first_counter_block(subkey: bytes, iv: bytes) -> bytes:
    """Return J0, the block that the counter starts from (Sec. 7.1, step 2)."""
    if len(iv) == 12:
        return iv + (1).to_bytes(4, "big")
    return ghash(subkey, _padded(iv) + bytes(8) + _length(iv))


def gctr(key: bytes, block: bytes, data: bytes) -> bytes:
    """Encrypt or decrypt from a counter block on; 32 bits of it count (Sec. 6.5, Algorithm 3)."""
    start, fixed = int.from_bytes(block[12:], "big"), block[:12]
    count = -(-len(data) // BLOCK_BYTES)
    counters = b"".join(fixed + ((start + i) % 2**32).to_bytes(4, "big") for i in range(count))
    stream = openssl.ecb(key, counters)
    return bytes(a ^ b for a, b in zip(data, stream, strict=False))


def gcm(
    key: bytes, iv: bytes, data: bytes, aad: bytes = b"", *, decrypt: bool = False
) -> tuple[bytes, bytes]:
    """Do as :func:`by_the_book`, by OpenSSL where it takes the IV."""
    does = openssl.gcm if len(iv) in openssl.GCM_IV_BYTES else by_the_book
    return does(key, iv, data, aad, decrypt=decrypt)


def by_the_book(
    key: bytes, iv: bytes, data: bytes, aad: bytes = b"", *, decrypt: bool = False
) -> tuple[bytes, bytes]:
    """Encrypt or decrypt a message (Sec. 7.1 and 7.2, Algorithms 4 and 5, without the comparison).

    Args:
        key: 16, 24 or 32 bytes.
        iv: any number of bytes but none.
        data: plaintext, or ciphertext without its tag.
        aad: additional authenticated data.
        decrypt: or encrypt.

    Returns:
        The other text, and the whole tag of 16 bytes.
    """
    subkey = openssl.ecb(key, bytes(BLOCK_BYTES))
    j0 = first_counter_block(subkey, iv)
    following = j0[:12] + ((int.from_bytes(j0[12:], "big") + 1) % 2**32).to_bytes(4, "big")
    result = gctr(key, following, data)
    cipher = data if decrypt else result
    lengths = _length(aad) + _length(cipher)
    return result, gctr(key, j0, ghash(subkey, _padded(aad) + _padded(cipher) + lengths))
