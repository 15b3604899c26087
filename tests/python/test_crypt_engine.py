# SPDX-License-Identifier: Apache-2.0
"""Files go through an engine as packets: right, or nothing is written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from aesforge.crypt.engine import crypt_file_as_packets
from aesforge.errors import CheckFailed, UsageError
from aesforge.reference import openssl
from aesforge.simulate.engine import engine_module
from cores import changed_rtl
from engines import BROAD, FEEDBACK, SMALL, WIDE
from test_check_engine import MUTANTS

KEY = bytes(range(16))
IV = b"\xff" * 15 + b"\xfa"


def through(tmp_path: Path, data: bytes, engine: Any = SMALL, **options: Any) -> tuple[bytes, Any]:
    source, target = tmp_path / "in", tmp_path / "out"
    source.write_bytes(data)
    options = {"cipher": "ctr", "key": KEY, "iv": IV, "optimize": "build", **options}
    report = crypt_file_as_packets(engine, source, target, **options)
    return target.read_bytes(), report


@pytest.mark.parametrize("size", [0, 1, 16, 1000])
def test_counter_mode_across_packets(size: int, tmp_path: Path) -> None:
    data = os.urandom(size)
    out, report = through(tmp_path, data, packet_bytes=48, stall=0.4, seed=7)
    assert out == openssl.crypt("ctr", KEY, data, IV)
    assert report.packets == -(-size // 48)
    assert report.beats == -(-size // 16)
    assert "equal to OpenSSL's" in report.text()


@pytest.mark.parametrize("size", [0, 1, 48, 49, 1000])
def test_counter_mode_in_beats_of_three_blocks(size: int, tmp_path: Path) -> None:
    data = os.urandom(size)
    for packet_bytes in (96, None):
        out, report = through(tmp_path, data, BROAD, packet_bytes=packet_bytes, stall=0.4, seed=7)
        assert out == openssl.crypt("ctr", KEY, data, IV)
        assert report.beats == -(-size // 48)
        assert report.packets == -(-size // (packet_bytes or 4080))
    if size:
        assert report.cycles_per_block == pytest.approx(report.cycles / -(-size // 16))


@pytest.mark.parametrize("cipher", ["ecb", "cbc", "cfb"])
def test_messages_of_other_modes(cipher: str, tmp_path: Path) -> None:
    # Not random: the last block but one must not end like padding.
    plain = (bytes(range(256)) * 2)[:333]
    fill = 16 - len(plain) % 16
    padded = plain if cipher == "cfb" else plain + bytes([fill]) * fill
    given = openssl.crypt(cipher, KEY, padded, IV)
    iv = None if cipher == "ecb" else IV
    options = {"cipher": cipher, "iv": iv, "decrypt": True, "packet_bytes": 64, "stall": 0.3}
    out, _ = through(tmp_path, given, WIDE, **options)
    assert out == plain
    if cipher != "cfb":
        out, _ = through(tmp_path, given, WIDE, pad=False, **options)
        assert out == padded
        with pytest.raises(UsageError, match="5 bytes stand after the last block"):
            through(tmp_path, given[:-11], WIDE, **options)
        with pytest.raises(UsageError, match=r"PKCS#7 padding.*nothing was written"):
            through(tmp_path, given[:-16], WIDE, **options)


@pytest.mark.parametrize(("cipher", "decrypt"), [("cbc", False), ("cfb", False), ("ofb", True)])
def test_messages_with_feedback(cipher: str, decrypt: bool, tmp_path: Path) -> None:
    text = os.urandom(160)
    options = {"cipher": cipher, "decrypt": decrypt, "packet_bytes": 48, "pad": cipher != "cbc"}
    out, _ = through(tmp_path, text, FEEDBACK, stall=0.3, **options)
    assert out == openssl.crypt(cipher, KEY, text, IV, decrypt=decrypt)


def test_stalls_follow_the_seed(tmp_path: Path) -> None:
    data = bytes(1600)
    cycles = [through(tmp_path, data, stall=0.9, seed=seed)[1].cycles for seed in (1, 1, 2)]
    assert cycles[0] == cycles[1] != cycles[2]


REFUSALS: list[tuple[dict[str, Any], str]] = [
    ({"iv": None}, "ctr needs an IV, the first counter block"),
    ({"pad": False}, "ctr and no padding exclude each other"),
    ({"key": bytes(24)}, "the key has 24 bytes; key_bits = 128 takes 16"),
    ({"packet_bytes": 100}, "a multiple of 16, for example 96 or 112"),
    ({"packet_bytes": 8}, "a multiple of 16, for example 16 or 32"),
    ({"engine": BROAD, "packet_bytes": 64}, "a multiple of 48, for example 48 or 96"),
    ({"cipher": "cbc"}, "does not encrypt cbc: it has ctr"),
    ({"engine": WIDE, "cipher": "ecb"}, "ecb and an IV exclude each other"),
]


@pytest.mark.parametrize(("options", "words"), REFUSALS, ids=lambda v: str(v)[:30])
def test_what_a_file_is_refused_for(options: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        through(tmp_path, bytes(40), **options)
    assert words in caught.value.message
    assert not (tmp_path / "out").exists()


def test_a_wrong_engine_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, old, new, _ = MUTANTS["no credits"]
    rtl = changed_rtl(tmp_path / "rtl", file, old, new)
    monkeypatch.setattr(
        "aesforge.crypt.engine.engine_module",
        lambda engine, optimize: engine_module(engine, optimize=optimize, files=rtl),
    )
    with pytest.raises(CheckFailed, match=r"beat \d+ is (lost|wrong)") as caught:
        through(tmp_path, os.urandom(3200), stall=0.96)
    assert "'little-ctr' is wrong: cycle" in caught.value.message
    assert caught.value.message.endswith("nothing was written")
    assert not (tmp_path / "out").exists()
