# SPDX-License-Identifier: Apache-2.0
"""The program of a bundle for Linux' UIO, on a mapped file in which this process is the engine."""

from __future__ import annotations

import mmap
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from c_driver import STRICT, gcc

from aesforge.bundle import build
from aesforge.design import load_any

pytestmark = pytest.mark.skipif(not shutil.which("gcc"), reason="needs a C compiler, gcc")
AGILE = ("ctr-stream", ["contexts=csr", "name=agile"])
STORED = ("modes-stream", ["contexts=csr", "name=stored", "key_schedule=stored"])
IV = bytes(range(0xF0, 0x100))
KEY = bytes(range(16))
LETTERS = 0x41455346
STATUS, PACKETS, IN_ERROR, KEY_AT, IV_AT, LOAD, PUSH = 0x08, 0x10, 0x14, 0x20, 0x40, 0x50, 0x54


def compiled(
    folder: Path,
    preset: str,
    overrides: list[str],
    name: str,
    drivers: Sequence[str] = ("aesforge_engine",),
) -> Path:
    """Build a bundle, and compile its program as its first lines say, with every warning."""
    bundle = folder / name
    build(load_any(preset, overrides), bundle)
    source = bundle / "software" / "linux" / f"{name}_uio.c"
    files = [f"software/c/{driver}.c" for driver in drivers]
    command = (
        f"gcc -std=c99 -O2 -Isoftware/c software/linux/{name}_uio.c {' '.join(files)} -o {name}_uio"
    )
    assert f"//   {command}\n" in source.read_text(encoding="utf-8")
    others = [bundle / file for file in files]
    gcc(*STRICT, "-I", bundle / "software" / "c", source, *others, "-o", folder / f"{name}_uio")
    return folder / f"{name}_uio"


@pytest.fixture(scope="module")
def agile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("uio"), *AGILE, "agile")


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("uio"), *STORED, "stored")


class Device:
    """A file in place of a UIO device; a thread answers in place of the engine."""

    def __init__(
        self,
        path: Path,
        answer: Callable[[Device], None] | None = None,
        letters: int = LETTERS,
        push: int = PUSH,
    ) -> None:
        self.path, self.push = path, push
        path.write_bytes(bytes(4096))
        with path.open("r+b") as file:
            self.bytes = mmap.mmap(file.fileno(), 4096)
        self.put(0, letters)
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.serve, args=(answer,))
        self.thread.start()

    def put(self, offset: int, value: int) -> None:
        self.bytes[offset : offset + 4] = value.to_bytes(4, "little")

    def get(self, offset: int, size: int = 4) -> bytes:
        return self.bytes[offset : offset + size]

    def serve(self, answer: Callable[[Device], None] | None) -> None:
        while not self.stop.wait(0.001):
            if answer and any(self.get(self.push)):
                answer(self)
                return

    def run(self, program: Path, *words: str, key: str = KEY.hex()) -> tuple[int, str]:
        done = subprocess.run(
            [program, self.path, *words],
            input=key,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        self.stop.set()
        self.thread.join()
        return done.returncode, done.stdout + done.stderr


def well(device: Device) -> None:
    device.put(PACKETS, 1)


def badly(device: Device) -> None:
    device.put(IN_ERROR, 1)
    time.sleep(0.01)
    device.put(PACKETS, 1)


def test_a_packet_with_its_key(agile: Path, tmp_path: Path) -> None:
    device = Device(tmp_path / "uio0", well)
    status, text = device.run(agile, "ctr", "encrypt", IV.hex())
    assert (status, text) == (0, f"{device.path}: done\n")
    assert device.get(KEY_AT, 16) + device.get(IV_AT, 16) == KEY + IV
    assert device.get(PUSH) == bytes([1, 0, 0, 0])


def test_a_packet_under_a_stored_key(stored: Path, tmp_path: Path) -> None:
    device = Device(tmp_path / "uio0", well)
    device.put(LOAD, 9)
    status, text = device.run(
        stored, "cfb-decrypt", "decrypt", IV.hex().upper(), key=KEY.hex() + "\r\n"
    )
    assert (status, text) == (0, f"{device.path}: done\n")
    assert device.get(KEY_AT, 16) + device.get(IV_AT, 16) == KEY + IV
    assert device.get(LOAD) + device.get(PUSH) == bytes([0, 0, 0, 0, 0x13, 0, 0, 0])


def test_what_goes_wrong_with_the_engine(agile: Path, tmp_path: Path) -> None:
    words = ("ctr", "decrypt", IV.hex())
    device = Device(tmp_path / "error", badly)
    assert device.run(agile, *words) == (
        1,
        f"{device.path}: a packet came out with the error flag\n",
    )
    device = Device(tmp_path / "silent")
    assert device.run(agile, *words) == (1, f"{device.path}: not done in time\n")
    device = Device(tmp_path / "busy")
    device.put(STATUS, 1)
    text = f"{device.path}: what was handed over before still waits\n"
    assert device.run(agile, *words) == (1, text)
    device = Device(tmp_path / "other")
    device.put(0, LETTERS + 1)
    assert device.run(agile, *words) == (1, f"{device.path}: no engine at this address\n")
    device = Device(tmp_path / "none")
    device.path.unlink()
    status, text = device.run(agile, *words)
    assert status == 1
    assert text.startswith(f"{device.path}: No such file")
    device = Device(tmp_path / "no IV")
    assert device.run(agile, "ctr", "encrypt", "-") == (1, f"{device.path}: the mode takes an IV\n")


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("ctr", "encrypt"),
        ("ecb", "encrypt", IV.hex()),
        ("ctr", "both", IV.hex()),
        ("ctr", "encrypt", IV.hex()[1:]),
        ("ctr", "encrypt", IV.hex() + "0"),
        ("ctr", "encrypt", "g" * 32),
        ("ctr", "encrypt", "@" * 32),
        ("ctr", "encrypt", ""),
        ("ctr", "encrypt", IV.hex(), "more"),
    ],
)
def test_usage(agile: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    device = Device(tmp_path / "uio0")
    status, text = device.run(agile, *words)
    assert status == 2
    assert text.startswith("usage: agile_uio DEVICE ctr encrypt|decrypt IV < KEY\n")
    assert not any(device.get(4, 4092))


@pytest.mark.parametrize("key", ["", "\n", KEY.hex()[1:], KEY.hex() + "0", KEY.hex()[:-1] + "x"])
def test_a_key_that_is_none(agile: Path, tmp_path: Path, key: str) -> None:
    device = Device(tmp_path / "uio0")
    status, text = device.run(agile, "ctr", "encrypt", IV.hex(), key=key)
    assert status == 2
    assert text == "standard input: the key must be 32 hex digits on one line\n"
    assert not any(device.get(4, 4092))
