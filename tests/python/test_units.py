# SPDX-License-Identifier: Apache-2.0
"""Data units (XTS): what an engine is checked with, and files by sectors."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from aesforge.bundle.engine import render
from aesforge.bundle.packets import bench_packets
from aesforge.check.engine import check_engine
from aesforge.crypt.engine import crypt_file_as_packets
from aesforge.describe.engine import describe_engine
from aesforge.design import Design
from aesforge.design.engine import Engine, why_engine_illegal
from aesforge.errors import CheckFailed, UsageError
from aesforge.reference import openssl, vectors
from cores import changed_rtl
from engines import OFFSETS, SEALED, UNITS, WHOLE_UNITS

KEY = bytes(range(32))
# What is broken, the file, the text, what stands there then, and what the check says.
MUTANTS = {
    "alpha": ("aesforge_mode_xts.sv", "8'h87", "8'h86", "is wrong"),
    "the tweaks of decryption": (
        "aesforge_mode_xts.sv",
        "decrypt_q ? previous_tweak : tweak_q",
        "tweak_q",
        "is wrong",
    ),
    "one key for both": (
        "aesforge_engine_xts.sv",
        ".key(key[KeyBits-1:0])",
        ".key(key[2*KeyBits-1:KeyBits])",
        "is wrong",
    ),
    "equal keys": ("aesforge_engine_xts.sv", " || keys_equal", "", "is wrong"),
    "less than a block": (
        "aesforge_unit_lookahead.sv",
        "(next_last && !next_full && first_q)",
        "1'b0",
        "is wrong",
    ),
    "numbers in sequence": (
        "aesforge_xts_tweak.sv",
        "carry_q <= 1'b1",
        "carry_q <= 1'b0",
        "is wrong",
    ),
}


@pytest.mark.parametrize(
    "engine",
    [
        UNITS,
        WHOLE_UNITS,
        dataclasses.replace(UNITS, name="few", depth=16),
        dataclasses.replace(
            UNITS, name="wide", core=dataclasses.replace(UNITS.core, tiles=2), depth=None
        ),
    ],
    ids=lambda one: one.name,
)
def test_check_passes(engine: Engine) -> None:
    report = check_engine(engine, seed=4, blocks=1200)
    assert report.passed, report.text()
    assert report.blocks_per_cycle_seen is not None
    assert report.blocks_per_cycle_seen >= 0.99 * engine.blocks_per_cycle
    if engine.depth == engine.full_rate_depth:
        assert report.latency_cycles_seen == engine.latency_cycles
    # All of NIST's that have whole bytes, or whole blocks.
    ways = len(engine.ways("xts"))
    assert report.vector_packets == ways * (1600 if engine.stealing else 1200)
    assert report.error_packets > 20
    assert "published vectors (NIST) and OpenSSL" in report.text()


def test_check_of_the_other_key_size() -> None:
    core = Design(
        key_bits=256,
        sbox="table",
        sbox_stages=0,
        linear_stages=1,
        direction="decrypt",
        key_schedule="stored",
        key_slots=2,
    )
    engine = Engine(name="little-xts-256", core=core, modes=("xts",))
    report = check_engine(engine, seed=4, blocks=400)
    assert report.passed, report.text()
    assert report.vector_packets == 1200


@pytest.mark.parametrize("name", MUTANTS)
def test_check_names_what_is_wrong(name: str, tmp_path: Path) -> None:
    file, old, new, words = MUTANTS[name]
    rtl = changed_rtl(tmp_path, file, old, new)
    report = check_engine(UNITS, seed=4, blocks=600, vectors=False, rtl=rtl, optimize="build")
    assert not report.passed
    assert any(words in failure for failure in report.failures), report.failures


@pytest.mark.parametrize("key_bits", [128, 256])
def test_openssl_agrees_with_every_record(key_bits: int) -> None:
    records = vectors.mode_records("xts", key_bits)
    assert len(records) == {128: 1600, 256: 1200}[key_bits]
    for record in records:
        assert openssl.crypt("xts", record.key, record.plaintext, record.iv) == record.ciphertext
    assert {len(record.plaintext) % 16 for record in records} == (
        {0, 9} if key_bits == 128 else {0}
    )
    assert not vectors.mode_records("xts", 192)


# --- Files


def by_openssl(data: bytes, sector: int, size: int, decrypt: bool = False) -> bytes:
    """Encrypt sectors one by one, without the package under test."""
    out = b""
    for at in range(0, len(data), size):
        tweak = ((sector + at // size) % 2**128).to_bytes(16, "little")
        cipher = Cipher(algorithms.AES(KEY), modes.XTS(tweak))
        worker = cipher.decryptor() if decrypt else cipher.encryptor()
        out += worker.update(data[at : at + size]) + worker.finalize()
    return out


def through(
    tmp_path: Path, data: bytes, engine: Engine = UNITS, **options: Any
) -> tuple[bytes, Any]:
    source, target = tmp_path / "in", tmp_path / "out"
    source.write_bytes(data)
    options = {"cipher": "xts", "key": KEY, "optimize": "build", **options}
    report = crypt_file_as_packets(engine, source, target, **options)
    return target.read_bytes(), report


@pytest.mark.parametrize(
    ("length", "size", "sector"),
    [(0, 512, 0), (16, 512, 5), (5000, 512, 2**64 - 3), (5001, 4096, 7), (999, 37, 2**128 - 2)],
)
def test_sectors_of_a_file(length: int, size: int, sector: int, tmp_path: Path) -> None:
    data = os.urandom(length)
    for decrypt in (False, True):
        out, report = through(
            tmp_path, data, sector_size=size, sector=sector, decrypt=decrypt, stall=0.3, seed=5
        )
        assert out == by_openssl(data, sector, size, decrypt)
        assert report.packets == -(-length // size)
    if length:
        out, _ = through(tmp_path, data, sector_size=size, iv=sector.to_bytes(16, "little"))
        assert out == by_openssl(data, sector, size)


def test_a_file_of_more_units_than_a_chunk_has(tmp_path: Path) -> None:
    data = os.urandom((1 << 20) + 3 * 4096 + 20)
    out, report = through(tmp_path, data, sector=9)
    assert out == by_openssl(data, 9, 4096)
    assert report.packets == 260


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sector_size": 15}, "data units of 15 bytes: xts takes 16 to 16,777,216"),
        ({"sector_size": (1 << 24) + 1}, "data units of 16,777,217 bytes"),
        ({"sector_size": 99}, "the last data unit would have 10 bytes; it must have 16 or more"),
        ({"packet_bytes": 512}, "--packet exclude each other"),
        ({"iv": bytes(16), "sector": 0}, "--iv and --sector exclude each other"),
        ({"key": KEY[:16]}, "the key has 16 bytes"),
        ({"key": 2 * KEY[:16]}, "the two keys of mode = xts are the same"),
        ({"pad": False}, "never pads"),
        ({"engine": WHOLE_UNITS, "sector_size": 100}, "takes whole blocks"),
        ({"engine": WHOLE_UNITS, "decrypt": True}, "does not decrypt xts"),
        ({"engine": WHOLE_UNITS, "sector_size": 48}, "not a whole number of blocks"),
    ],
)
def test_what_a_file_is_refused_for(options: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=words):
        through(tmp_path, os.urandom(1000), **options)
    assert not (tmp_path / "out").exists()


def test_a_wrong_engine_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from aesforge.simulate.engine import engine_module

    file, old, new, _ = MUTANTS["alpha"]
    rtl = changed_rtl(tmp_path, file, old, new)
    monkeypatch.setattr(
        "aesforge.crypt.engine.engine_module",
        lambda engine, **options: engine_module(engine, files=rtl, **options),
    )
    with pytest.raises(CheckFailed, match="is wrong"):
        through(tmp_path, os.urandom(100))
    assert not (tmp_path / "out").exists()


# --- Designs and bundles


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"key_bits": 192}, "keys of 128 or 256 bits"),
        ({"unroll": 2}, "a fixed number of cycles after the first"),
        ({"tiles": 3}, "a beat has 1, 2 or 4 blocks"),
        ({"tiles": 2, "contexts": "csr"}, "the engine with registers has beats of one block"),
        ({"key_schedule": "agile", "key_slots": None}, "needs its tweak before its first block"),
        ({"stealing": 1}, "it is true or false"),
        ({"short_tags": True}, "short_tags is a choice of authenticated engines"),
    ],
)
def test_what_is_no_engine(choices: dict[str, Any], words: str) -> None:
    base = {"modes": ["xts"], "key_schedule": "stored", "direction": "both", **choices}
    why = why_engine_illegal({name: value for name, value in base.items() if value is not None})
    assert why is not None
    assert words in why


@pytest.mark.parametrize("key_bits", [128, 256])
def test_the_bench_sends_the_vectors_of_the_standard(key_bits: int) -> None:
    core = dataclasses.replace(UNITS.core, key_bits=key_bits, unroll="full")
    packets = bench_packets(dataclasses.replace(UNITS, core=core, depth=None))
    first, back = packets[:2]
    # IEEE Std 1619-2007 Annex B, vectors 2 and 10.
    start = {128: "c454185e6a16936e39334038acef838b", 256: "1c3b3a102f770386e4836c99e370cf9b"}
    assert bytes.fromhex(first.due[0][0])[::-1].hex() == start[key_bits]
    assert back.beats[0][0] == first.due[0][0]
    wrong = [packet for packet in packets if packet.due[-1][2]]
    assert [packet.source.split(",")[0].endswith(": error") for packet in packets] == [
        packet in wrong for packet in packets
    ]
    assert len(wrong) == 4


@pytest.mark.parametrize(
    ("engine", "part", "last_beat"), [(UNITS, True, "any length"), (WHOLE_UNITS, False, "whole")]
)
def test_what_is_said_of_the_last_beat(engine: Engine, part: bool, last_beat: str) -> None:
    found = describe_engine(engine)
    assert [mode["partial_last_beat"] for mode in found.as_dict()["modes"]] == [part]
    assert found.mode_rows()[0][3] == last_beat
    readme = render(engine)["README.md"]
    assert f"| {last_beat} |" in readme
    assert ("part of a block in a mode of whole blocks" in readme) != part


def test_the_readme_says_what_an_error_is_and_which_keys_count() -> None:
    readme = render(UNITS)["README.md"]
    for words in (
        "fewer than 16 bytes, more than 2^20 blocks, a slot with two equal keys",
        "held when its context was accepted",
    ):
        assert words in readme
    assert "a packet of no bytes" not in readme
    assert "held when its context was accepted" in render(OFFSETS)["README.md"]
    assert "held at its first beat" in render(SEALED)["README.md"]
