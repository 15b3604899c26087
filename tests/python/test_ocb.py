# SPDX-License-Identifier: Apache-2.0
"""OCB: the reference against RFC 7253 and OpenSSL's OCB3, engines against the reference."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESOCB3

from aesforge.bundle.packets import bench_packets
from aesforge.check.engine import check_engine
from aesforge.crypt.sealed import crypt_sealed_file
from aesforge.design.engine import Engine, why_engine_illegal
from aesforge.errors import NotAuthentic, UsageError
from aesforge.reference.ocb import NONCE_BYTES, ocb
from cores import changed_rtl
from engines import OFFSETS, SEALING_OFFSETS


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


# --- Engines

# What is broken: the file, the text, and what stands there then.
MUTANTS = {
    "the table": ("aesforge_ocb_table.sv", "128'h87", "128'h86"),
    "the shift of the offset": ("aesforge_ocb_nonce.sv", "2'd3 - second_bottom_q", "2'd3"),
    "the length of the tag": (
        "aesforge_ocb_nonce.sv",
        "{tag_bytes_q[3:0], 3'b0, nonce_q",
        "{7'b0, nonce_q",
    ),
    "a nonce of no bytes": ("aesforge_ocb_nonce.sv", "next_unknown || none_q", "next_unknown"),
    "the sum over associated data": ("aesforge_mode_ocb.sv", "ready_block ^ sum_q", "ready_block"),
    "the checksum of decrypted text": (
        "aesforge_mode_ocb.sv",
        "(decrypt && full ? offset : padded)",
        "padded",
    ),
    "a byte of the tag is not compared": (
        "aesforge_tag_compare.sv",
        "differs_q != '0",
        "differs_q[7:1] != '0",
    ),
}


@pytest.mark.parametrize("engine", [OFFSETS, SEALING_OFFSETS], ids=lambda one: one.name)
def test_check_passes(engine: Engine) -> None:
    report = check_engine(engine, seed=4, blocks=2000, optimize="build")
    assert report.passed, report.text()
    assert report.latency_cycles_seen == engine.latency_cycles
    assert report.blocks_per_cycle_seen == pytest.approx(1)
    assert report.vector_records == 71
    assert report.vector_packets == 71 * len(engine.ways("ocb"))
    assert "RFC 7253" in report.text()


@pytest.mark.parametrize("key_bits", [192, 256])
def test_check_of_other_key_sizes(key_bits: int) -> None:
    core = dataclasses.replace(OFFSETS.core, key_bits=key_bits, unroll="full")
    engine = dataclasses.replace(OFFSETS, name=f"little-ocb-{key_bits}", core=core, depth=None)
    report = check_engine(engine, seed=3, blocks=1000, optimize="build")
    assert report.passed, report.text()
    assert report.vector_records == 0


@pytest.mark.parametrize("name", MUTANTS)
def test_check_names_what_is_wrong(name: str, tmp_path: Path) -> None:
    rtl = changed_rtl(tmp_path, *MUTANTS[name])
    report = check_engine(OFFSETS, seed=4, blocks=1500, vectors=False, rtl=rtl, optimize="build")
    assert not report.passed


def through(folder: Path, data: bytes, **options: Any) -> bytes:
    source, target = folder / "in", folder / "out"
    source.write_bytes(data)
    target.unlink(missing_ok=True)
    options = {"cipher": "ocb", "key": bytes(range(16)), "optimize": "build", **options}
    crypt_sealed_file(options.pop("engine", OFFSETS), source, target, **options)
    return target.read_bytes()


@pytest.mark.parametrize("nonce_bytes", [1, 12, 15])
@pytest.mark.parametrize("tag_bits", [64, 96, 128])
def test_files(nonce_bytes: int, tag_bits: int, tmp_path: Path) -> None:
    aad = tmp_path / "aad"
    aad.write_bytes(bytes(33))
    text, nonce = os.urandom(1003), os.urandom(nonce_bytes)
    options: dict[str, Any] = {"iv": nonce, "tag_bits": tag_bits, "aad": aad, "stall": 0.3}
    made = through(tmp_path, text, **options)
    found, tag = ocb(bytes(range(16)), nonce, text, bytes(33), tag_bytes=tag_bits // 8)
    assert made == found + tag
    assert through(tmp_path, made, decrypt=True, **options) == text
    wrong = made[:-1] + bytes([made[-1] ^ 1])
    with pytest.raises(NotAuthentic):
        through(tmp_path, wrong, decrypt=True, **options)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"iv": bytes(16)}, "the IV has 16 bytes; mode = ocb takes"),
        ({"iv": None}, "needs an IV"),
        ({"tag_bits": 104}, "104"),
        ({"engine": SEALING_OFFSETS, "decrypt": True}, "does not decrypt ocb"),
        ({"key": bytes(24)}, "the key has 24 bytes"),
    ],
)
def test_what_a_file_is_refused_for(options: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=words):
        through(tmp_path, bytes(100), **{"iv": bytes(12), **options})
    assert not (tmp_path / "out").exists()


def test_a_file_of_more_blocks_than_the_table_has_words_for(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the message has 262,144 bytes"):
        through(tmp_path, bytes(2**18), iv=bytes(12))


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"direction": "decrypt"}, "it needs the forward cipher"),
        ({"unroll": 2}, "a fixed number of cycles after the text"),
        ({"tiles": 2}, "no offsets yet"),
        ({"key_schedule": "agile"}, "the table of a key is made once"),
        ({"release": "later"}, "withheld or flagged"),
    ],
)
def test_what_is_no_engine(choices: dict[str, Any], words: str) -> None:
    base = {"modes": ["ocb"], "key_schedule": "stored", "direction": "both"}
    why = why_engine_illegal(base | choices)
    assert why is not None
    assert words in why


@pytest.mark.parametrize("key_bits", [128, 192, 256])
def test_the_bench_sends_the_example_of_the_rfc(key_bits: int) -> None:
    core = dataclasses.replace(OFFSETS.core, key_bits=key_bits, unroll="full")
    packets = bench_packets(dataclasses.replace(OFFSETS, core=core, depth=None))
    out = b"".join(bytes.fromhex(data)[::-1] for data, *_ in packets[0].due[1:])
    if key_bits == 128:
        # RFC 7253 Appendix A, N = BBAA99887766554433221104.
        assert out.hex() == "571d535b60b277188be5147170a9a22c3ad7a4ff3835b8c5701c1ccec8fc3358"
    wrong = [packet for packet in packets if packet.due[-1][2]]
    assert [packet.source.endswith(": error") for packet in packets] == [
        packet in wrong for packet in packets
    ]
    assert len(wrong) == 7
