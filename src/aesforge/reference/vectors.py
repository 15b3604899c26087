# SPDX-License-Identifier: Apache-2.0
"""Known answers for AES: NIST's published records and the Monte Carlo loop.

The records are the AESAVS known-answer tests (GFSbox, KeySbox, VarKey, VarTxt) and multi-block
messages (MMT) of each mode of operation, and for counter mode those of RFC 3686, from the package
``cryptography-vectors``. That package has no Monte Carlo records for ECB, so :func:`monte_carlo`
gives the loop and any cipher can be put in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from aesforge.errors import AesforgeError, ToolMissing
from aesforge.toolchain import install

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]

FAMILIES = ("GFSbox", "KeySbox", "VarKey", "VarTxt", "MMT")
KEY_BITS = (128, 192, 256)
# Counted once by hand; a package with other numbers is not the one this project was tested with.
RECORD_COUNT = {128: 588, 192: 720, 256: 830}
# The files of a mode, by what `crypt --mode` calls it; RFC 3686 has one file for a key size.
_NIST = {
    "ecb": "ECB/ECB",
    "cbc": "CBC/CBC",
    "cfb": "CFB/CFB128",
    "ofb": "OFB/OFB",
    "cfb8": "CFB/CFB8",
}
_MACS = "cmac"
# Those of whole bytes, of 2,000 for each key size: the others have 130, 140 or 250 bits.
_UNITS = "xts"
_UNITS_COUNT = {128: 1600, 192: 0, 256: 1200}
_RFC_3686 = "ctr"
_RFC_3686_COUNT = 3


@dataclass(frozen=True)
class Record:
    """One published record; it can be used to encrypt as well as to decrypt."""

    family: str
    """One of :data:`FAMILIES`, or the RFC."""
    section: str
    """``ENCRYPT`` or ``DECRYPT``: where the file lists it."""
    count: int
    """The record's number in its section."""
    key: bytes
    """16, 24 or 32 bytes."""
    plaintext: bytes
    """A whole number of blocks; one, except in MMT."""
    ciphertext: bytes
    iv: bytes = b""
    """16 bytes, or none in ECB."""
    mode: str = "ECB"
    """The mode of operation, as the files are named."""

    @property
    def name(self) -> str:
        """Return the record's name for messages."""
        bits = 8 * len(self.key)
        if self.family not in FAMILIES:
            return f"{self.family} {self.mode}, {bits}-bit keys, COUNT={self.count}"
        return f"{self.mode}{self.family}{bits} {self.section} COUNT={self.count}"


# FIPS 197 Appendix A: key, and the last round key of its expansion, by key bits.
KEY_EXPANSIONS: dict[int, tuple[bytes, bytes]] = {
    8 * len(key): (key, last)
    for key, last in (
        (bytes.fromhex(key), bytes.fromhex(last))
        for key, last in (
            (
                "2b7e151628aed2a6abf7158809cf4f3c",
                "d014f9a8c9ee2589e13f0cc8b6630ca6",
            ),
            (
                "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
                "e98ba06f448c773c8ecc720401002202",
            ),
            (
                "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
                "fe4890d1e6188d0b046df344706c631e",
            ),
        )
    )
}


def records(key_bits: int | None = None) -> tuple[Record, ...]:
    """Return all records, or those of one key size: 588 + 720 + 830 = 2,138.

    Raises:
        ToolMissing: the package ``cryptography-vectors`` is not installed.
        AesforgeError: it does not hold the records expected.
    """
    return tuple(
        r for bits in ([key_bits] if key_bits else KEY_BITS) for r in mode_records("ecb", bits)
    )


@cache
def mode_records(cipher: str, key_bits: int) -> tuple[Record, ...]:
    """Return all records of a mode of operation for a key size.

    Args:
        cipher: as `crypt --mode` spells it: ``ecb``, ``ctr``, ``cbc``, ``cfb`` (128 bits), ``cfb8``
            or ``ofb``; ``cmac``, with its tag as the ciphertext; or ``xts``, those of whole bytes.
        key_bits: 128, 192 or 256.

    Raises:
        ToolMissing: the package ``cryptography-vectors`` is not installed.
        AesforgeError: it does not hold the records expected.
    """
    if cipher == _RFC_3686:
        files = {"RFC 3686": f"CTR/aes-{key_bits}-ctr.txt"}
        mode, expected = "CTR", _RFC_3686_COUNT
    elif cipher == _MACS:
        return _macs(key_bits)
    elif cipher == _UNITS:
        names = ("tweak-128hexstr", "tweak-dataunitseqno") if _UNITS_COUNT[key_bits] else ()
        files = {name: f"XTS/{name}/XTSGenAES{key_bits}.rsp" for name in names}
        mode, expected = "XTS", _UNITS_COUNT[key_bits]
    else:
        files = {family: f"{_NIST[cipher]}{family}{key_bits}.rsp" for family in FAMILIES}
        mode, expected = _NIST[cipher].partition("/")[2], RECORD_COUNT[key_bits]
    try:
        import cryptography_vectors
    except ImportError:
        raise ToolMissing(
            "NIST's published vectors are not installed; install them with "
            f"`{install.command('cryptography-vectors')}`"
        ) from None
    found: list[Record] = []
    for family, file in files.items():
        path = f"ciphers/AES/{file}"
        try:
            with cryptography_vectors.open_vector_file(path, "r") as handle:
                parse = _units if cipher == _UNITS else _parse
                found.extend(parse(handle, family, mode))
        except OSError as error:
            raise AesforgeError(
                f"the package cryptography-vectors lacks {path} ({error.strerror}); "
                "install it again"
            ) from None
    if len(found) != expected:
        raise AesforgeError(
            f"the package cryptography-vectors holds {len(found)} {mode} records for "
            f"{key_bits}-bit keys; {expected} were expected. Install the version in "
            "requirements.lock"
        )
    return tuple(found)


def _macs(key_bits: int) -> tuple[Record, ...]:
    """Return the CMAC examples of SP 800-38B for a key size."""
    import cryptography_vectors

    found = []
    with cryptography_vectors.open_vector_file(
        f"CMAC/nist-800-38b-aes{key_bits}.txt", "r"
    ) as handle:
        fields: dict[str, str] = {}
        for line in handle:
            name, equals, value = line.strip().partition(" =")
            if equals:
                fields[name] = value.strip()
            if "OUTPUT" in fields:
                key, text, tag = (fields.pop(name) for name in ("KEY", "MESSAGE", "OUTPUT"))
                found.append(
                    Record(
                        family="SP 800-38B",
                        section="",
                        count=int(fields.pop("COUNT")),
                        key=bytes.fromhex(key),
                        plaintext=bytes.fromhex(text),
                        ciphertext=bytes.fromhex(tag),
                        mode="CMAC",
                    )
                )
    return tuple(found)


def _units(lines: Iterable[str], family: str, mode: str) -> Iterator[Record]:
    """Read NIST's records of XTS that have whole bytes; the number of the unit is the IV."""
    section = ""
    fields: dict[str, str] = {}
    for line in lines:
        text = line.strip()
        if text in ("[ENCRYPT]", "[DECRYPT]"):
            section = text.strip("[]")
        name, equals, value = text.partition(" = ")
        if text.startswith("#") or not equals:
            continue
        fields[name] = value
        if not {"COUNT", "Key", "PT", "CT", "DataUnitLen"} <= fields.keys():
            continue
        if int(fields["DataUnitLen"]) % 8 == 0:
            number = (
                fields.get("i") or int(fields["DataUnitSeqNumber"]).to_bytes(16, "little").hex()
            )
            key, plaintext, ciphertext = (
                bytes.fromhex(fields[name]) for name in ("Key", "PT", "CT")
            )
            yield Record(
                family,
                section,
                int(fields["COUNT"]),
                key,
                plaintext,
                ciphertext,
                bytes.fromhex(number),
                mode,
            )
        fields = {}


def _parse(lines: Iterable[str], family: str, mode: str) -> Iterator[Record]:
    """Read NIST's response format: sections in brackets, then `NAME = value` lines."""
    section = ""
    fields: dict[str, str] = {}
    wanted = {"COUNT", "KEY", "PLAINTEXT", "CIPHERTEXT"} | (set() if mode == "ECB" else {"IV"})
    for line in lines:
        text = line.strip()
        if text.startswith("["):
            section = text.strip("[]")
        name, equals, value = text.partition(" = ")
        if text.startswith("#") or not equals:
            continue
        fields[name] = value
        if wanted <= fields.keys():
            yield Record(
                family,
                section,
                int(fields["COUNT"]),
                bytes.fromhex(fields["KEY"]),
                bytes.fromhex(fields["PLAINTEXT"]),
                bytes.fromhex(fields["CIPHERTEXT"]),
                bytes.fromhex(fields.get("IV", "")),
                mode,
            )
            fields = {}


def blocks_of(chosen: Iterable[Record]) -> tuple[Bytes, Bytes, Bytes, list[str]]:
    """Return records block by block: ECB treats each block of a message alone.

    Returns:
        keys (n, 32), shorter ones filled up with zeros; plaintext (n, 16); ciphertext (n, 16);
        the name of each block's record.
    """
    import numpy as np

    keys, plain, cipher, names = bytearray(), bytearray(), bytearray(), []
    for record in chosen:
        count = len(record.plaintext) // 16
        keys += record.key.ljust(32, b"\0") * count
        plain += record.plaintext
        cipher += record.ciphertext
        names += [record.name] * count
    return (
        np.frombuffer(keys, np.uint8).reshape(-1, 32),
        np.frombuffer(plain, np.uint8).reshape(-1, 16),
        np.frombuffer(cipher, np.uint8).reshape(-1, 16),
        names,
    )


# --- Monte Carlo ---------------------------------------------------------------------------------

Chain = Callable[[bytes, bytes, int], tuple[bytes, bytes]]
"""(key, first block, n) -> the last two of n chained results, the last one second."""


@dataclass(frozen=True)
class MonteCarlo:
    """One of the hundred records of the Monte Carlo test."""

    key: bytes
    block: bytes
    """The first input block, 16 bytes."""
    result: bytes
    """The last output block, 16 bytes."""


def monte_carlo(
    key: bytes, block: bytes, chain: Chain, *, outer: int = 100, inner: int = 1000
) -> Iterator[MonteCarlo]:
    """Run the AESAVS Monte Carlo test for ECB (AESAVS, 15 November 2002, Sec. 6.4.1).

    Each record chains ``inner`` blocks, output to input; the next record starts with the last
    output, under a key to which the last output bits, as many as the key has, are added.

    Args:
        key: the first key, 16, 24 or 32 bytes.
        block: the first block, 16 bytes.
        chain: the cipher, encrypting or decrypting; see :data:`Chain`.
        outer: records.
        inner: chained blocks in a record, at least two.
    """
    for _ in range(outer):
        before, last = chain(key, block, inner)
        yield MonteCarlo(key, block, last)
        addend = (before + last)[-len(key) :]
        key = bytes(a ^ b for a, b in zip(key, addend, strict=True))
        block = last


# --- Research ciphers ----------------------------------------------------------------------------


def model_each(keys: Bytes, blocks: Bytes, decrypt: NDArray[np.bool_], scheme: str) -> Bytes:
    """Do as `aesforge.reference.openssl.ecb_each` does, by our own model, where no library can.

    Args:
        keys: (n, 32), of which the first 16 bytes count.
        blocks: (n, 16 m): m blocks under one key.
        decrypt: (n,).
        scheme: one of `aesforge.reference.RESEARCH_SCHEMES`.

    Returns:
        The results in the shape of ``blocks``.
    """
    import numpy as np

    from aesforge import reference

    result = np.empty_like(blocks)
    for row, (key, block) in enumerate(zip(keys[:, :16], blocks, strict=True)):
        function = reference.inv_cipher if decrypt[row] else reference.cipher
        for at in range(0, len(block), 16):
            done = function(block[at : at + 16].tobytes(), key.tobytes(), scheme=scheme)
            result[row, at : at + 16] = np.frombuffer(done, np.uint8)
    return result
