# SPDX-License-Identifier: Apache-2.0
"""Files through a core: right for every length, and nothing written when something is wrong."""

from __future__ import annotations

import dataclasses
import errno
import os
import random
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from aesforge import simulate
from aesforge.crypt import message
from aesforge.crypt.core import CryptReport, crypt_file
from aesforge.design import Design
from aesforge.errors import AesforgeError, CheckFailed, UsageError
from cores import SMALL, SMALL_BOTH, SMALL_STORED, TWO_BLOCKS

KEY = bytes(range(16))
IV = bytes(range(240, 256))
LENGTHS = (0, 1, 15, 16, 17, 31, 32, 1000, 4096)
BOTH_TWO_BLOCKS = dataclasses.replace(TWO_BLOCKS, direction="both")
DECRYPT = dataclasses.replace(SMALL, name="backward", direction="decrypt")


def openssl(mode: str, data: bytes, *, pad: bool = True, iv: bytes = IV) -> bytes:
    from cryptography.hazmat.primitives import padding
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    chosen = modes.CTR(iv) if mode == "ctr" else modes.ECB()
    if mode == "ecb" and pad:
        padder = padding.PKCS7(128).padder()
        data = padder.update(data) + padder.finalize()
    encryptor = Cipher(algorithms.AES(KEY), chosen).encryptor()
    return encryptor.update(data) + encryptor.finalize()


class Room:
    """A folder with an input, and a check that nothing but the output was left."""

    def __init__(self, folder: Path, data: bytes) -> None:
        self.folder = folder
        self.src = folder / "in"
        self.dst = folder / "out"
        self.src.write_bytes(data)

    def crypt(self, design: Design, mode: str, **options: Any) -> CryptReport:
        if mode == "ctr":
            options.setdefault("iv", IV)
        report = crypt_file(design, self.src, self.dst, mode=mode, key=KEY, **options)
        assert {path.name for path in self.folder.iterdir()} == {"in", "out"}
        return report

    def refuse(self, match: str, design: Design = SMALL, mode: str = "ecb", **options: Any) -> None:
        before = {path: path.lstat().st_mtime_ns for path in self.folder.iterdir()}
        with pytest.raises(UsageError, match=match) as caught:
            crypt_file(design, self.src, self.dst, **{"mode": mode, "key": KEY, **options})
        assert caught.value.exit_code == 2
        assert KEY.hex() not in caught.value.message
        assert {path: path.lstat().st_mtime_ns for path in self.folder.iterdir()} == before


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path, random.Random(1).randbytes(1000))


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make files of a few blocks span several chunks."""
    monkeypatch.setattr("aesforge.crypt.core._CHUNK_BLOCKS", 16)


# --- What comes out ------------------------------------------------------------------------------


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize(
    "design", [SMALL_BOTH, SMALL_STORED, BOTH_TWO_BLOCKS], ids=lambda d: d.name
)
@pytest.mark.parametrize("mode", ["ecb", "ctr"])
def test_every_length_as_openssl(tmp_path: Path, design: Design, mode: str) -> None:
    for length in (*LENGTHS, 15 * 16, 16 * 16, 17 * 16, 32 * 16 + 5):
        data = random.Random(length).randbytes(length)
        room = Room(tmp_path, data)
        report = room.crypt(design, mode)
        wanted = openssl(mode, data)
        assert room.dst.read_bytes() == wanted, length
        assert (report.input_bytes, report.output_bytes) == (length, len(wanted))
        assert report.blocks == -(-len(wanted) // 16)
        if mode == "ctr" or design.direction == "both":
            room.src.write_bytes(wanted)
            room.crypt(design, mode, decrypt=True)
            assert room.dst.read_bytes() == data, length


@pytest.mark.usefixtures("small_chunks")
def test_without_padding(tmp_path: Path) -> None:
    for blocks in (0, 1, 15, 16, 17, 40):
        data = random.Random(blocks).randbytes(16 * blocks)
        room = Room(tmp_path, data)
        room.crypt(SMALL_BOTH, "ecb", pad=False)
        wanted = openssl("ecb", data, pad=False)
        assert room.dst.read_bytes() == wanted
        room.src.write_bytes(wanted)
        room.crypt(SMALL_BOTH, "ecb", pad=False, decrypt=True)
        assert room.dst.read_bytes() == data


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize(
    "iv", ["f" * 32, "0" * 16 + "f" * 15 + "0", "f" * 31 + "5", "0" * 31 + "f"]
)
def test_the_counter_carries_over_all_bits(tmp_path: Path, iv: str) -> None:
    data = bytes(16 * 40 + 3)
    room = Room(tmp_path, data)
    room.crypt(SMALL, "ctr", iv=bytes.fromhex(iv))
    assert room.dst.read_bytes() == openssl("ctr", data, iv=bytes.fromhex(iv))


def test_a_decryption_core(room: Room) -> None:
    plain = room.src.read_bytes()
    room.src.write_bytes(openssl("ecb", plain))
    room.crypt(DECRYPT, "ecb", decrypt=True)
    assert room.dst.read_bytes() == plain


def test_the_report_and_the_progress(room: Room) -> None:
    seen: list[tuple[int, int]] = []
    report = room.crypt(SMALL, "ecb", progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (1000, 1000)
    assert report.blocks == 63
    assert report.cycles == pytest.approx(630, abs=20)
    assert report.blocks_per_second == pytest.approx(63 / report.seconds)
    assert "blocks/s" in report.text()
    assert report.as_dict()["mode"] == "ecb"


def test_input_from_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    data = random.Random(2).randbytes(100_001)
    writer = threading.Thread(target=pipe.write_bytes, args=(data,))
    writer.start()
    crypt_file(SMALL, pipe, tmp_path / "out", mode="ctr", key=KEY, iv=IV)
    writer.join()
    assert (tmp_path / "out").read_bytes() == openssl("ctr", data)


def test_a_pipe_that_ends_within_a_block(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(bytes(33),))
    writer.start()
    with pytest.raises(UsageError, match="not a whole number of blocks: 1 byte stand"):
        crypt_file(SMALL_BOTH, pipe, tmp_path / "out", mode="ecb", key=KEY, decrypt=True)
    writer.join()
    assert {path.name for path in tmp_path.iterdir()} == {"pipe"}


# --- What is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("match", "options"),
    [
        ("mode = cbc: a core alone does ecb and ctr", {"mode": "cbc"}),
        ("mode = ctr needs an IV", {"mode": "ctr"}),
        ("the IV has 15 bytes; counter mode takes 16", {"mode": "ctr", "iv": IV[:15]}),
        ("mode = ecb and an IV exclude each other", {"iv": IV}),
        ("mode = ctr and no padding exclude each other", {"mode": "ctr", "iv": IV, "pad": False}),
        ("the key has 24 bytes; key_bits = 128 takes 16", {"key": bytes(24)}),
        ("decrypting ECB and direction = encrypt .* --set direction=both", {"decrypt": True}),
        ("encrypting ECB and direction = decrypt .* give --decrypt", {"design": DECRYPT}),
        (
            "mode = ctr and direction = decrypt .* --set direction=encrypt",
            {"design": DECRYPT, "mode": "ctr", "iv": IV, "decrypt": True},
        ),
        ("1,000 bytes, which is not a whole number of blocks: 8 bytes", {"pad": False}),
        (
            "the ciphertext has 1,000 bytes.*is it complete",
            {"design": SMALL_BOTH, "decrypt": True},
        ),
    ],
    ids=lambda value: value.split(" ")[0] if isinstance(value, str) else "",
)
def test_bad_requests(room: Room, match: str, options: dict[str, Any]) -> None:
    room.refuse(match, **options)


def test_bad_requests_build_no_model(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulate, "compile_model", lambda *_a, **_k: pytest.fail("compiled"))
    room.refuse("not a whole number of blocks", pad=False)
    room.refuse("cannot decrypt", decrypt=True)


def test_an_empty_ciphertext(tmp_path: Path) -> None:
    room = Room(tmp_path, b"")
    room.refuse("the ciphertext is empty", SMALL_BOTH, decrypt=True)


def test_bad_inputs(room: Room) -> None:
    room.src.unlink()
    room.refuse("the input '.*' does not exist")
    room.src.mkdir()
    room.refuse("the input '.*' is a folder")


@pytest.mark.parametrize("last", [0, 17, 255, 2])
def test_wrong_padding_has_one_message(tmp_path: Path, last: int) -> None:
    plain = bytes(31) + bytes([last])
    room = Room(tmp_path, openssl("ecb", plain, pad=False))
    room.dst.write_bytes(b"what was there")
    room.refuse("wrong key, damaged ciphertext", SMALL_BOTH, decrypt=True)
    assert room.dst.read_bytes() == b"what was there"


def test_input_and_output_the_same_file(room: Room) -> None:
    data = room.src.read_bytes()
    (room.folder / "hard").hardlink_to(room.src)
    (room.folder / "soft").symlink_to("in")
    (room.folder / "far").symlink_to(room.folder / "soft")
    for name in ("in", "hard", "soft", "far"):
        room.dst = room.folder / name
        room.refuse("are the same file")
    assert room.src.read_bytes() == data


def test_outputs_that_cannot_be(room: Room) -> None:
    room.dst = room.folder / "none" / "out"
    room.refuse("the folder of the output '.*' does not exist")
    room.dst = room.folder
    room.refuse("is a folder; give the name of a file in it")
    room.dst = Path(os.devnull)
    room.refuse("is a device or a pipe")
    assert room.dst.is_char_device()
    room.dst = room.folder / "in" / "out"
    room.refuse("cannot write the output")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_outputs_that_may_not_be_written(room: Room) -> None:
    room.dst.touch()
    room.dst.chmod(0o400)
    room.refuse("exists and may not be written")
    room.dst.unlink()
    room.folder.chmod(0o500)
    room.refuse("its folder may not be written")
    room.folder.chmod(0o700)


def test_a_link_as_output_keeps_its_target_in_place(room: Room) -> None:
    (room.folder / "elsewhere").mkdir()
    real = room.folder / "elsewhere" / "real"
    real.write_bytes(b"old")
    real.chmod(0o640)
    room.dst.symlink_to(real)
    crypt_file(SMALL, room.src, room.dst, mode="ctr", key=KEY, iv=IV)
    assert room.dst.is_symlink()
    assert real.read_bytes() == openssl("ctr", room.src.read_bytes())
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


# --- What goes wrong on the way ------------------------------------------------------------------


def fail_on_write(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def write(_sink: object, _data: object) -> None:
        raise error

    monkeypatch.setattr(message, "write_all", write)


def test_a_full_disk(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    room.dst.write_bytes(b"what was there")
    fail_on_write(monkeypatch, OSError(errno.ENOSPC, "No space left on device"))
    with pytest.raises(AesforgeError, match="No space left on device") as caught:
        room.crypt(SMALL, "ecb")
    assert caught.value.exit_code == 2
    assert room.dst.read_bytes() == b"what was there"
    assert {path.name for path in room.folder.iterdir()} == {"in", "out"}


def test_a_file_that_may_not_grow(room: Room) -> None:
    """A real limit of the system, met in the middle of the output."""
    script = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from aesforge.crypt.core import crypt_file\n"
        "from aesforge.errors import AesforgeError\n"
        "from cores import SMALL\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "src, dst = map(Path, sys.argv[1:])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))\n"
        "try: crypt_file(SMALL, src, dst, mode='ctr', key=bytes(16), iv=bytes(16))\n"
        "except AesforgeError as error: print(error.message)\n"
    )
    room.crypt(SMALL, "ctr")  # the model is compiled without the limit
    room.dst.unlink()
    ran = subprocess.run(
        [sys.executable, "-c", script, str(room.src), str(room.dst)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "cannot write the output" in ran.stdout
    assert "File too large" in ran.stdout
    assert {path.name for path in room.folder.iterdir()} == {"in"}


def test_an_interrupt(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    fail_on_write(monkeypatch, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        room.crypt(SMALL, "ecb")
    assert {path.name for path in room.folder.iterdir()} == {"in"}


def test_a_core_that_mixes_up_its_blocks(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    run = simulate.Simulator.run

    def swapped(self: simulate.Simulator, ops: Any) -> simulate.SimResult:
        result = run(self, ops)
        return dataclasses.replace(result, rows=result.rows[::-1])

    monkeypatch.setattr(simulate.Simulator, "run", swapped)
    with pytest.raises(CheckFailed, match="mixed up its blocks"):
        room.crypt(SMALL, "ecb")
    assert not room.dst.exists()


def test_a_core_that_loses_blocks(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    run = simulate.Simulator.run

    def short(self: simulate.Simulator, ops: Any) -> simulate.SimResult:
        result = run(self, ops)
        return dataclasses.replace(result, rows=result.rows[:-1])

    monkeypatch.setattr(simulate.Simulator, "run", short)
    with pytest.raises(CheckFailed, match="63 beats went in, 62 came out"):
        room.crypt(SMALL, "ecb")
    assert not room.dst.exists()
