# SPDX-License-Identifier: Apache-2.0
"""Keys and IVs as a user writes them; no message may show them."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from aesforge.crypt import keys
from aesforge.errors import UsageError

KEY = "000102030405060708090a0b0c0d0e0f"


def test_a_good_key_in_either_case_and_with_space_around() -> None:
    wanted = bytes(range(16))
    assert keys.parse_key(KEY, 128) == wanted
    assert keys.parse_key(f"  {KEY.upper()}\n", 128) == wanted
    assert keys.parse_key(KEY + KEY, 256) == wanted + wanted


@pytest.mark.parametrize(
    ("text", "bits", "words"),
    [
        ("", 128, ["empty"]),
        ("  \n", 128, ["empty"]),
        (KEY[:-1], 128, ["31 hexadecimal digits", "key of 32"]),
        ("a", 256, ["1 hexadecimal digit;", "key of 64"]),
        (KEY, 192, ["32 hexadecimal digits", "key of 48", "--set key_bits=128"]),
        (KEY + KEY, 128, ["64 hexadecimal digits", "key of 32", "--set key_bits=256"]),
        (KEY[:6] + "g" + KEY[7:], 128, ["not hexadecimal", "character 7"]),
        (KEY[:8] + " " + KEY[8:], 128, ["not hexadecimal", "character 9"]),
        ("0x" + KEY, 128, ["character 2", "leave the 0x out"]),
        ("\N{FULLWIDTH DIGIT ONE}" * 32, 128, ["not hexadecimal", "character 1"]),
    ],
)
def test_a_bad_key_is_explained_and_never_shown(text: str, bits: int, words: list[str]) -> None:
    with pytest.raises(UsageError) as caught:
        keys.parse_key(text, bits)
    message = caught.value.message
    assert all(word in message for word in words), message
    assert caught.value.exit_code == 2
    if len(text.strip()) > 8:
        pieces = {text.strip()[i : i + 4] for i in range(len(text.strip()) - 3)}
        assert not any(piece in message for piece in pieces), message


def test_iv() -> None:
    assert keys.parse_iv(KEY) == bytes(range(16))
    with pytest.raises(UsageError, match="the IV has 30 hexadecimal digits; it takes 32"):
        keys.parse_iv(KEY[2:])
    with pytest.raises(UsageError, match="the IV is not hexadecimal"):
        keys.parse_iv("z" * 32)


def test_key_from_a_file_and_from_standard_input(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text(KEY + "\r\n")
    assert keys.read_key(file, 128) == bytes(range(16))
    assert keys.read_key("-", 128, io.BytesIO(KEY.encode() + b"\n")) == bytes(range(16))


def test_bad_key_files(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no key file"):
        keys.read_key(tmp_path / "none", 128)
    with pytest.raises(UsageError, match="cannot read the key file"):
        keys.read_key(tmp_path, 128)
    file = tmp_path / "key"
    file.write_bytes(bytes(range(240, 256)))
    with pytest.raises(UsageError, match="not as raw bytes"):
        keys.read_key(file, 128)
    file.write_bytes(b"0" * 5000)
    with pytest.raises(UsageError, match="that is no key"):
        keys.read_key(file, 128)
    file.write_text(KEY + "\n" + KEY)
    with pytest.raises(UsageError, match="not hexadecimal: its character 33"):
        keys.read_key(file, 128)
    with pytest.raises(UsageError, match="the key on standard input has 2 hexadecimal digits"):
        keys.read_key("-", 128, io.BytesIO(b"00"))


def test_exactly_one_source(tmp_path: Path) -> None:
    assert keys.choose_key(KEY, None, 128) == bytes(range(16))
    assert keys.choose_key(None, "-", 128, io.BytesIO(KEY.encode())) == bytes(range(16))
    with pytest.raises(UsageError, match="exclude each other"):
        keys.choose_key(KEY, tmp_path, 128)
    with pytest.raises(UsageError, match=r"there is no key: .* 48 hexadecimal digits"):
        keys.choose_key(None, None, 192)
