# SPDX-License-Identifier: Apache-2.0
"""The program for Linux' UIO of a bundle with results, on a file in which this process answers."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from test_uio_example import Device, compiled

pytestmark = pytest.mark.skipif(not shutil.which("gcc"), reason="needs a C compiler, gcc")
KEY, IV, TAG = bytes(range(16)), bytes(range(100, 112)), bytes(range(200, 216))
LETTERS = 0x41455350
STATUS, KEY_AT, IV_AT, TAG_AT, AAD, TEXT, FIXED = 0x08, 0x20, 0x60, 0x70, 0x80, 0x84, 0x8C
PUSH, RESULT, POP, RESULT_TAG, RESULT_IV = 0x94, 0xA0, 0xA4, 0xB0, 0xC0


def program(folder: Path, preset: str, *overrides: str) -> Path:
    """Build a bundle and compile its program."""
    named = ["contexts=csr", "name=mine", *overrides]
    return compiled(folder, preset, named, "mine", ("aesforge_packet_engine", "aesforge_engine"))


@pytest.fixture(scope="module")
def gcm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return program(tmp_path_factory.mktemp("uio"), "gcm-compact")


def device_at(path: Path, result: int = 0) -> Device:
    """Return a device in which a result comes after the push."""

    def answer(device: Device) -> None:
        device.put(RESULT, result)
        for at, data in ((RESULT_TAG, TAG), (RESULT_IV, IV)):
            for i in range(0, len(data), 4):
                device.put(at + i, int.from_bytes(data[i : i + 4], "little"))
        device.put(STATUS, 4)

    return Device(path, answer, LETTERS, PUSH)


def test_a_tag_is_made(gcm: Path, tmp_path: Path) -> None:
    device = device_at(tmp_path / "uio0")
    status, text = device.run(gcm, "encrypt", IV.hex(), "12")
    assert (status, text) == (0, f"{device.path}: done\ntag {TAG[:12].hex()}\n")
    assert device.get(KEY_AT, 16) + device.get(IV_AT, 12) == KEY + IV
    # Encrypt, a placeholder, slot 0, an IV of 12 bytes, a tag of 12.
    assert device.get(PUSH) == (1 << 5 | 12 << 12 | 12 << 16).to_bytes(4, "little")
    assert device.get(POP) == bytes([1, 0, 0, 0])


def test_a_tag_is_compared(gcm: Path, tmp_path: Path) -> None:
    device = device_at(tmp_path / "right", 2)
    assert device.run(gcm, "decrypt", IV.hex(), TAG.hex()) == (0, f"{device.path}: done\n")
    assert device.get(TAG_AT, 16) == TAG
    device = device_at(tmp_path / "wrong", 1)
    said = f"{device.path}: a packet came out with the error flag\n"
    assert device.run(gcm, "decrypt", IV.hex(), TAG.hex()) == (1, said)
    device = Device(tmp_path / "other", None, LETTERS + 1)
    assert device.run(gcm, "decrypt", IV.hex(), TAG.hex())[0] == 1
    for words in ((IV.hex()[2:], "16"), (IV.hex(), "11"), ("-", "16")):
        device = device_at(tmp_path / "refused")
        assert device.run(gcm, "encrypt", *words)[0] == 1
        assert device.get(PUSH) == bytes(4)


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("encrypt", IV.hex()),
        ("both", IV.hex(), "16"),
        ("encrypt", IV.hex(), "x"),
        ("encrypt", IV.hex(), "-1"),
        ("encrypt", IV.hex()[1:], "16"),
        ("decrypt", IV.hex(), TAG.hex() + "00"),
        ("encrypt", IV.hex(), "16", "0"),
    ],
)
def test_usage(gcm: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    device = device_at(tmp_path / "uio0")
    status, text = device.run(gcm, *words)
    assert status == 2
    assert text.startswith("usage: mine_uio DEVICE encrypt|decrypt IV TAG < KEY\n")


def test_an_iv_that_is_made(tmp_path: Path) -> None:
    counted = program(tmp_path, "gcm-compact", "iv=counted", "release=withheld")
    fields = set()
    for number in range(2):
        device = device_at(tmp_path / f"uio{number}", 4)
        status, text = device.run(counted, "encrypt", "-", "16")
        assert (status, text) == (0, f"{device.path}: done\nIV {IV.hex()}\ntag {TAG.hex()}\n")
        fields.add(device.get(FIXED))
    # Drawn at random.
    assert len(fields) == 2


def test_lengths_of_ccm(tmp_path: Path) -> None:
    ccm = program(tmp_path, "ccm-compact")
    device = device_at(tmp_path / "uio0")
    assert device.run(ccm, "encrypt", IV.hex(), "8", "20", "1000")[0] == 0
    assert [int.from_bytes(device.get(at), "little") for at in (AAD, TEXT)] == [20, 1000]
