# SPDX-License-Identifier: Apache-2.0
"""OpenSSL, through the package ``cryptography``: the second library every core is compared with."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from aesforge.reference.vectors import Chain

    Bytes = NDArray[np.uint8]

BLOCK_BYTES = 16
# The lengths of an IV that the package's interface to GCM takes.
GCM_IV_BYTES = range(8, 129)


def stream(cipher: str, key: bytes, iv: bytes = b"", *, decrypt: bool = False) -> Any:
    """Return a context of OpenSSL, whose ``update(data)`` returns the next part of a message.

    Args:
        cipher: ``ecb``, ``ctr``, ``cbc``, ``cfb`` (128 bits), ``cfb8``, ``ofb``, or ``xts``: one
            data unit.
        key: 16, 24 or 32 bytes; for ``xts`` 32 or 64, the key of the data first.
        iv: 16 bytes; not looked at in ``ecb``; for ``xts`` the number of the data unit, lowest byte
            first.
        decrypt: or encrypt.
    """
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    try:
        from cryptography.hazmat.decrepit.ciphers.modes import CFB, CFB8, OFB
    except ImportError:  # before version 46
        from cryptography.hazmat.primitives.ciphers.modes import CFB, CFB8, OFB

    rules: dict[str, Any] = {"ecb": lambda _iv: modes.ECB(), "ctr": modes.CTR, "cbc": modes.CBC}
    rules |= {"cfb": CFB, "ofb": OFB, "cfb8": CFB8, "xts": modes.XTS}
    worker: Any = Cipher(algorithms.AES(key), rules[cipher](iv))
    return worker.decryptor() if decrypt else worker.encryptor()


def crypt(cipher: str, key: bytes, data: bytes, iv: bytes = b"", *, decrypt: bool = False) -> bytes:
    """Encrypt or decrypt a whole message, without padding; arguments as of :func:`stream`."""
    context = stream(cipher, key, iv, decrypt=decrypt)
    result: bytes = context.update(data) + context.finalize()
    return result


def ecb(key: bytes, data: bytes, *, decrypt: bool = False) -> bytes:
    """Encrypt or decrypt whole blocks, each alone (ECB)."""
    return crypt("ecb", key, data, decrypt=decrypt)


class Units:
    """A message of data units of equal length, the last perhaps shorter, in XTS.

    Args:
        key: 32 or 64 bytes, the key of the data first.
        number: of the first unit; 16 bytes, lowest first.
        unit_bytes: of a unit.
        decrypt: or encrypt.
    """

    def __init__(self, key: bytes, number: bytes, unit_bytes: int, *, decrypt: bool) -> None:
        self.key, self.unit_bytes, self.decrypt = key, unit_bytes, decrypt
        self.number = int.from_bytes(number, "little")

    def update(self, data: bytes) -> bytes:
        """Return the next part of the message, whole units but for the last."""
        parts = []
        for at in range(0, len(data), self.unit_bytes):
            number = (self.number % 2**128).to_bytes(BLOCK_BYTES, "little")
            part = data[at : at + self.unit_bytes]
            parts.append(crypt("xts", self.key, part, number, decrypt=self.decrypt))
            self.number += 1
        return b"".join(parts)


def cbc_mac(key: bytes, data: bytes) -> bytes:
    """Return the CBC-MAC (16 bytes) of whole blocks: CBC's last block under an IV of zeros."""
    return crypt("cbc", key, data, bytes(BLOCK_BYTES))[-BLOCK_BYTES:]


def cmac(key: bytes, data: bytes) -> bytes:
    """Return the CMAC (16 bytes; SP 800-38B) of a message of any length."""
    from cryptography.hazmat.primitives.ciphers import algorithms
    from cryptography.hazmat.primitives.cmac import CMAC

    worker = CMAC(algorithms.AES(key))
    worker.update(data)
    return worker.finalize()


def gcm(
    key: bytes, iv: bytes, data: bytes, aad: bytes = b"", *, decrypt: bool = False
) -> tuple[bytes, bytes]:
    """Encrypt or decrypt a message with GCM (SP 800-38D).

    Nothing is compared here: a received tag is right if it is the beginning of the second result.

    Args:
        key: 16, 24 or 32 bytes.
        iv: `GCM_IV_BYTES`; with others, `aesforge.reference.gcm` does the same.
        data: plaintext, or ciphertext without its tag; any length.
        aad: additional authenticated data; any length.
        decrypt: or encrypt.

    Returns:
        The other text, and the whole tag of 16 bytes.
    """
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    text = data
    if decrypt:
        text = Cipher(algorithms.AES(key), modes.GCM(iv)).decryptor().update(data)
    worker = Cipher(algorithms.AES(key), modes.GCM(iv)).encryptor()
    worker.authenticate_additional_data(aad)
    result = worker.update(text) + worker.finalize()
    return text if decrypt else result, worker.tag


def ecb_chain(decrypt: bool = False) -> Chain:
    """Return OpenSSL as the cipher of :func:`aesforge.reference.vectors.monte_carlo`."""

    def chain(key: bytes, block: bytes, count: int) -> tuple[bytes, bytes]:
        context = stream("ecb", key, decrypt=decrypt)
        before = block
        for _ in range(count):
            before, block = block, context.update(block)
        return before, block

    return chain


def ecb_each(keys: Bytes, blocks: Bytes, decrypt: NDArray[np.bool_], key_bits: int) -> Bytes:
    """Encrypt or decrypt each row under its own key.

    Rows that share key and direction with the row before are done together.

    Args:
        keys: (n, 32), of which the first ``key_bits / 8`` bytes count.
        blocks: (n, 16 m): m blocks under one key.
        decrypt: (n,).
        key_bits: 128, 192 or 256.

    Returns:
        The results in the shape of ``blocks``.
    """
    import numpy as np

    result = np.empty_like(blocks)
    if not len(blocks):
        return result
    change = (keys[1:] != keys[:-1]).any(axis=1) | (decrypt[1:] != decrypt[:-1])
    starts = [0, *(np.flatnonzero(change) + 1).tolist(), len(blocks)]
    size = key_bits // 8
    for start, end in itertools.pairwise(starts):
        key = keys[start, :size].tobytes()
        done = ecb(key, blocks[start:end].tobytes(), decrypt=bool(decrypt[start]))
        result[start:end] = np.frombuffer(done, np.uint8).reshape(end - start, -1)
    return result
