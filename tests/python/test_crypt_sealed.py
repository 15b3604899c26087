# SPDX-License-Identifier: Apache-2.0
"""Files go through an engine with a tag: right, or nothing is written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.ciphers.aead import AESCCM, AESGCM

from aesforge.cli.main import main
from aesforge.crypt import crypt_file
from aesforge.crypt.sealed import crypt_sealed_file
from aesforge.errors import CheckFailed, NotAuthentic, UsageError
from aesforge.simulate.engine import engine_module
from cores import changed_rtl
from engines import CCM, CCM_RING, HELD, HELD_STREAMS, SEALED, SMALL
from test_check_sealed import MUTANTS

KEY, IV = bytes(range(16)), bytes(range(12))


def through(folder: Path, data: bytes, **options: Any) -> tuple[bytes, Any]:
    source, target = folder / "in", folder / "out"
    source.write_bytes(data)
    if (aad := options.pop("aad", None)) is not None:
        options["aad"] = folder / "aad"
        options["aad"].write_bytes(aad)
    options = {"cipher": "gcm", "key": KEY, "iv": IV, "optimize": "build", **options}
    report = crypt_sealed_file(options.pop("engine", SEALED), source, target, **options)
    return target.read_bytes(), report


@pytest.mark.parametrize(("size", "aad_size"), [(0, 0), (1, 1), (16, 16), (1000, 77)])
def test_files_are_those_of_cryptography(size: int, aad_size: int, tmp_path: Path) -> None:
    data, aad = os.urandom(size), os.urandom(aad_size)
    sealed, report = through(tmp_path, data, aad=aad, stall=0.4, seed=7)
    assert sealed == AESGCM(KEY).encrypt(IV, data, aad)
    assert report.beats == -(-size // 16) - (-len(aad) // 16) + 1
    assert "a tag of 128 bits over it and" in report.text()
    assert report.as_dict()["tag_bits"] == 128
    opened, _ = through(tmp_path, sealed, aad=aad, decrypt=True, stall=0.4)
    assert opened == data


@pytest.mark.parametrize("tag_bits", [32, 80, 128])
@pytest.mark.parametrize("iv_bytes", [7, 12, 13])
def test_ccm_files_are_those_of_cryptography(iv_bytes: int, tag_bits: int, tmp_path: Path) -> None:
    data, nonce = os.urandom(300 + iv_bytes), os.urandom(iv_bytes)
    options = {"cipher": "ccm", "iv": nonce, "aad": b"header", "tag_bits": tag_bits, "stall": 0.3}
    options["engine"] = CCM if iv_bytes != 12 else CCM_RING
    sealed, report = through(tmp_path, data, **options)
    assert sealed == AESCCM(KEY, tag_bits // 8).encrypt(nonce, data, b"header")
    assert (report.packets, report.as_dict()["tag_bits"]) == (1, tag_bits)
    assert through(tmp_path, sealed, decrypt=True, **options)[0] == data
    (tmp_path / "out").unlink()
    for wrong in (sealed[:-1] + bytes([sealed[-1] ^ 1]), bytes([sealed[0] ^ 1]) + sealed[1:]):
        with pytest.raises(NotAuthentic) as one:
            through(tmp_path, wrong, decrypt=True, **options)
        assert one.value.exit_code == 1
        assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"iv": bytes(6)}, "the IV has 6 bytes; mode = ccm takes 7, 8, 9, 10, 11, 12 or 13"),
        ({"iv": bytes(14)}, "the IV has 14 bytes"),
        ({"iv": None}, "ccm needs an IV: --iv with 14 to 26 hexadecimal digits"),
        ({"tag_bits": 72}, "'little-ccm' has tags of 32, 48, 64, 80, 96, 112 or 128 bits"),
        ({"iv": bytes(13), "data": bytes(2**16)}, "with an IV of 13 bytes ccm takes up to 65,535"),
    ],
    ids=str,
)
def test_what_ccm_refuses(options: dict[str, Any], words: str, tmp_path: Path) -> None:
    given = {"data": bytes(40), "engine": CCM, "cipher": "ccm", **options}
    with pytest.raises(UsageError) as caught:
        through(tmp_path, **given)
    assert words in caught.value.message
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("iv_bytes", [8, 16, 61])
def test_ivs_of_other_lengths(iv_bytes: int, tmp_path: Path) -> None:
    data, iv = os.urandom(100), os.urandom(iv_bytes)
    sealed, report = through(tmp_path, data, iv=iv, aad=b"header", stall=0.3)
    assert sealed == AESGCM(KEY).encrypt(iv, data, b"header")
    assert report.packets == 2
    assert through(tmp_path, sealed, iv=iv, aad=b"header", decrypt=True)[0] == data
    with pytest.raises(NotAuthentic):
        through(tmp_path, sealed, iv=iv[:-1], aad=b"header", decrypt=True)


@pytest.mark.parametrize("tag_bits", [32, 64, 96, 104, 112, 120])
def test_shorter_tags(tag_bits: int, tmp_path: Path) -> None:
    data = os.urandom(40)
    sealed, _ = through(tmp_path, data, tag_bits=tag_bits)
    assert sealed == AESGCM(KEY).encrypt(IV, data, None)[: 40 + tag_bits // 8]
    assert through(tmp_path, sealed, tag_bits=tag_bits, decrypt=True)[0] == data


@pytest.mark.parametrize("place", ["text", "tag", "aad", "iv", "key"])
def test_one_wrong_bit_and_no_byte_is_written(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not for a moment either: the only way to a file is never taken."""

    def never(*_given: Any) -> None:
        raise AssertionError("a file was opened")

    given = {"aad": b"header", "iv": IV, "key": KEY}
    sealed = bytearray(AESGCM(KEY).encrypt(IV, bytes(100), b"header"))
    if place in given:
        given[place] = bytes([given[place][0] ^ 1]) + given[place][1:]
    else:
        sealed[3 if place == "text" else -1] ^= 1
    monkeypatch.setattr("aesforge.crypt.sealed.new_output", never)
    with pytest.raises(
        NotAuthentic, match=r"the tag of .* is wrong: .*; nothing was written"
    ) as one:
        through(tmp_path, bytes(sealed), decrypt=True, **given)
    assert one.value.exit_code == 1
    assert "\n" not in one.value.message
    assert {path.name for path in tmp_path.iterdir()} == {"in", "aad"}


def test_packets_that_are_held(tmp_path: Path) -> None:
    sealed, _ = through(tmp_path, bytes(160), aad=b"header", engine=HELD)
    assert sealed == AESGCM(KEY).encrypt(IV, bytes(160), b"header")
    options = {"engine": HELD, "decrypt": True, "aad": b"header"}
    assert through(tmp_path, sealed, **options)[0] == bytes(160)
    (tmp_path / "out").unlink()
    with pytest.raises(NotAuthentic):
        through(tmp_path, sealed[:-1] + b"?", **options)
    with pytest.raises(UsageError, match=r"takes 13 beats: .* up to 12; use --set hold_beats=32"):
        through(tmp_path, bytes(177), engine=HELD)
    assert not (tmp_path / "out").exists()


def test_packets_of_streams_that_are_held(tmp_path: Path) -> None:
    options = {"engine": HELD_STREAMS, "cipher": "ccm", "aad": b"header"}
    sealed, _ = through(tmp_path, bytes(160), **options)
    assert sealed == AESCCM(KEY).encrypt(IV, bytes(160), b"header")
    assert through(tmp_path, sealed, decrypt=True, **options)[0] == bytes(160)
    (tmp_path / "out").unlink()
    with pytest.raises(NotAuthentic):
        through(tmp_path, sealed[:-1] + b"?", decrypt=True, **options)
    with pytest.raises(UsageError, match=r"takes 13 beats: .* up to 12; use --set hold_beats=32"):
        through(tmp_path, bytes(177), **options | {"aad": None})
    assert not (tmp_path / "out").exists()


REFUSALS: list[tuple[dict[str, Any], str]] = [
    ({"iv": None}, "gcm needs an IV: --iv with 24 hexadecimal digits"),
    ({"iv": b""}, "the IV has no bytes; mode = gcm takes 12 or others"),
    ({"pad": False}, "gcm and no padding exclude each other"),
    ({"key": bytes(24)}, "the key has 24 bytes; key_bits = 128 takes 16"),
    ({"packet_bytes": 64}, "gcm and packets of 64 bytes exclude each other"),
    ({"tag_bits": 0}, "a tag of 0 bits: 'little-gcm' has tags of 32, 64, 96, 104"),
    ({"tag_bits": 100}, "a tag of 100 bits"),
    ({"decrypt": True, "data": bytes(15)}, "has 15 bytes: it must end in its tag, 16 bytes"),
    ({"cipher": "ctr"}, "does not encrypt ctr"),
]


@pytest.mark.parametrize(("options", "words"), REFUSALS, ids=lambda v: str(v)[:30])
def test_what_a_file_is_refused_for(options: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        through(tmp_path, **{"data": bytes(40), **options})
    assert words in caught.value.message
    assert not (tmp_path / "out").exists()


def test_a_short_tag_must_be_a_choice(tmp_path: Path) -> None:
    runner = CliRunner()
    (tmp_path / "in").write_bytes(b"text")
    words = ["crypt", "gcm-stream", str(tmp_path / "in"), str(tmp_path / "out"), "--mode", "gcm"]
    words += ["--key", KEY.hex(), "--iv", IV.hex()]
    done = runner.invoke(main, [*words, "--tag-bits", "64"])
    assert done.exit_code == 2
    assert "for short ones use --set short_tags=true" in done.stderr
    done = runner.invoke(main, [*words[:-1], IV.hex() + "0"])
    assert done.exit_code == 2
    assert "the IV has 25 hexadecimal digits; two make a byte" in done.stderr
    done = runner.invoke(main, [*words, "--aad", str(tmp_path / "none")])
    assert done.exit_code == 2
    assert "cannot read the associated data" in done.stderr


def test_only_modes_with_a_tag_take_its_options(tmp_path: Path) -> None:
    for options in ({"aad": tmp_path}, {"tag_bits": 128}):
        with pytest.raises(UsageError, match="is for modes with a tag"):
            crypt_file(SMALL, tmp_path, tmp_path, mode="ctr", key=KEY, **options)
        with pytest.raises(UsageError, match="is for modes with a tag"):
            crypt_file(SMALL.core, tmp_path, tmp_path, mode="ctr", key=KEY, **options)


def test_a_wrong_engine_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, old, new, _ = MUTANTS["the plaintext is hashed"]
    rtl = changed_rtl(tmp_path / "rtl", file, old, new)
    monkeypatch.setattr(
        "aesforge.crypt.sealed.engine_module",
        lambda engine, optimize: engine_module(engine, optimize=optimize, files=rtl),
    )
    # An engine that is as wrong in both directions would agree with itself, not with OpenSSL.
    sealed = AESGCM(KEY).encrypt(IV, bytes(100), None)
    with pytest.raises(CheckFailed, match=r"'little-gcm' is wrong: cycle"):
        through(tmp_path, sealed, decrypt=True)
    assert not (tmp_path / "out").exists()
