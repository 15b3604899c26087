# SPDX-License-Identifier: Apache-2.0
"""What the self-test has to find: blocks, keys and the signature over all ciphertexts of a pass.

A pass is short enough to be computed by OpenSSL here, and the board repeats it until 2^32 blocks
are done: so a fault shows whenever it comes, in both cores at once too. See `aesforge_self_test`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

PLAINTEXT_SEED = int("00112233445566778899aabbccddeeff", 16)
KEY_SEED = bytes(range(32))
_POLYNOMIALS = {128: 0x87, 192: 0x87, 256: 0x425}


def times_alpha(value: int, bits: int) -> int:
    """Multiply by alpha in GF(2^bits), with CMAC's polynomials (SP 800-38B Sec. 5.3)."""
    shifted = value << 1
    return shifted ^ (1 << bits | _POLYNOMIALS[bits]) if shifted >> bits else shifted


def pairs(key_bits: int) -> Iterator[tuple[bytes, bytes]]:
    """Return keys and plaintexts of a pass, without end; the first are those of FIPS 197 App. C."""
    key = int.from_bytes(KEY_SEED[: key_bits // 8], "big")
    block = PLAINTEXT_SEED
    while True:
        yield key.to_bytes(key_bits // 8, "big"), block.to_bytes(16, "big")
        key, block = times_alpha(key, key_bits), times_alpha(block, 128)


@cache
def signature(key_bits: int, pass_bits: int) -> int:
    """Return the signature of a pass of 2^`pass_bits` blocks.

    Args:
        key_bits: 128, 192 or 256.
        pass_bits: logarithm of the number of blocks.
    """
    from itertools import islice

    from aesforge.reference.openssl import stream

    found = 0
    for key, block in islice(pairs(key_bits), 1 << pass_bits):
        ciphertext: bytes = stream("ecb", key).update(block)
        found = times_alpha(found, 128) ^ int.from_bytes(ciphertext, "big")
    return found
