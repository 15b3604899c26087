# SPDX-License-Identifier: Apache-2.0
"""`board run` with tags on simulated devices: UART, service and engine in RTL."""

from __future__ import annotations

import json
import random
import struct
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from aesforge.board.frames import ANSWER, FAILED, Command, Error, Frame, next_frame
from aesforge.board.host import SILENCE_SECONDS, Device, open_line
from aesforge.board.uart_service import require_engine
from aesforge.crypt import crypt_file
from aesforge.design import load_any
from aesforge.design.modes import MODES
from aesforge.simulate.packets import seal
from aesforge.simulate.uart import UartSimulator
from test_board_run import line_says, spoiled
from test_cli import run
from uart_device import Program, device

KEY, IV = bytes(range(16)), bytes(range(0x30, 0x3C))
AAD = b"header of 21 bytes..."
TEXT = random.Random(6).randbytes(300)
GCM = ("--mode", "gcm", "--key", KEY.hex(), "--iv", IV.hex())


@pytest.fixture(scope="module")
def gcm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[UartSimulator]:
    with device(require_engine(load_any("gcm-compact", ())), tmp_path_factory.mktemp("gcm")) as one:
        yield one


@pytest.fixture(scope="module")
def ccm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[UartSimulator]:
    with device(require_engine(load_any("ccm-compact", ())), tmp_path_factory.mktemp("ccm")) as one:
        yield one


def there_and_back(
    port: str, folder: Path, mode: str, iv: bytes, size: int, aad: bytes, tag_bits: int
) -> None:
    """Want a text to go through a device, and what came to be OpenSSL's, and to go back."""
    text = TEXT[:size]
    (folder / "in").write_bytes(text)
    (folder / "aad").write_bytes(aad)
    options = ["--mode", mode, "--key", KEY.hex(), "--iv", iv.hex(), "--tag-bits", str(tag_bits)]
    options += ["--aad", str(folder / "aad")] if aad else []
    for names, more in ((("in", "out"), []), (("out", "back"), ["--decrypt"])):
        paths = [str(folder / name) for name in names]
        done = run("board", "run", port, *paths, *options, *more)
        assert done.exit_code == 0, done.stderr
        assert f"a tag of {tag_bits} bits over it and" in done.stderr
    due, tag = seal(MODES[mode], KEY, iv, text, aad, tag_bits // 8)
    assert (folder / "out").read_bytes() == due + tag
    assert (folder / "back").read_bytes() == text


@pytest.mark.parametrize(
    ("iv_bytes", "size", "aad", "tag_bits"),
    [
        *((12, 300, AAD, 128), (12, 0, b"", 128), (12, 16, AAD[:16], 96), (12, 45, b"", 104)),
        *((1, 20, AAD, 128), (16, 0, AAD, 120), (60, 33, b"", 128)),
    ],
)
def test_gcm_goes_there_and_back(
    gcm: UartSimulator, iv_bytes: int, size: int, aad: bytes, tag_bits: int, tmp_path: Path
) -> None:
    there_and_back(gcm.port, tmp_path, "gcm", bytes(range(iv_bytes)), size, aad, tag_bits)


@pytest.mark.parametrize(
    ("iv_bytes", "size", "aad", "tag_bits"),
    [(7, 300, AAD, 128), (13, 0, b"", 32), (12, 16, AAD[:1], 64), (11, 31, b"", 112)],
)
def test_ccm_goes_there_and_back(
    ccm: UartSimulator, iv_bytes: int, size: int, aad: bytes, tag_bits: int, tmp_path: Path
) -> None:
    there_and_back(ccm.port, tmp_path, "ccm", bytes(range(iv_bytes)), size, aad, tag_bits)


def test_a_file_of_crypt_is_read_by_a_device(gcm: UartSimulator, tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(TEXT)
    engine = load_any("gcm-compact", ())
    crypt_file(engine, tmp_path / "in", tmp_path / "out", mode="gcm", key=KEY, iv=IV)
    paths = [str(tmp_path / name) for name in ("out", "back")]
    done = run("board", "run", gcm.port, *paths, *GCM, "--decrypt", "--json")
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "back").read_bytes() == TEXT
    report = json.loads(done.stdout)
    assert (report["aad_bytes"], report["tag_bits"], report["packets"]) == (0, 128, 1)


@pytest.mark.parametrize("what", ["text", "tag", "aad", "iv", "key"])
def test_a_wrong_tag_gives_no_file(gcm: UartSimulator, what: str, tmp_path: Path) -> None:
    text, tag = seal(MODES["gcm"], KEY, IV, TEXT, AAD)
    data, aad, iv, key = text + tag, AAD, IV, KEY
    data = spoiled(data, 7) if what == "text" else spoiled(data, -1) if what == "tag" else data
    aad = spoiled(aad, 3) if what == "aad" else aad
    iv = spoiled(iv, 3) if what == "iv" else iv
    key = spoiled(key, 3) if what == "key" else key
    (tmp_path / "in").write_bytes(data)
    (tmp_path / "aad").write_bytes(aad)
    paths = [str(tmp_path / name) for name in ("in", "out")]
    options = ("--mode", "gcm", "--key", key.hex(), "--iv", iv.hex(), "--decrypt")
    done = run("board", "run", gcm.port, *paths, *options, "--aad", str(tmp_path / "aad"))
    assert done.exit_code == 1
    assert "in' is wrong: it, its associated data, the IV or the key is not what" in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"in", "aad"}


def test_no_byte_of_a_wrong_packet_crosses_the_line(gcm: UartSimulator) -> None:
    with open_line(gcm.port) as line:
        one = Device(line)
        mode = one.identify().mode_for("gcm", True)
        one.load_key(KEY)
        text, tag = seal(mode, KEY, IV, TEXT, AAD)
        assert one.run_sealed(mode, IV, AAD, text, tag, decrypt=True) == (TEXT, False)
        assert one.run_sealed(mode, IV, AAD, text, spoiled(tag, 0), decrypt=True) == (b"", True)
        one.zeroize()


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (("--mode", "ctr", "--iv", "00" * 16), "does not encrypt ctr: it has gcm (encrypt and"),
        (("--mode", "ctr", "--iv", "00" * 16, "--aad", "x"), "--aad is for modes with a tag"),
        (("--mode", "ctr", "--iv", "00" * 16, "--sector", "1"), "--sector is for modes of data"),
        (("--mode", "gcm"), "mode = gcm needs an IV"),
        (("--mode", "gcm", "--iv", ""), "the IV is empty"),
        (("--mode", "gcm", "--iv", "00" * 129), "the device takes up to 128 for gcm"),
        (("--mode", "gcm", "--iv", "00" * 12, "--tag-bits", "64"), "a tag of 64 bits: 'gcm-comp"),
        (("--mode", "gcm", "--iv", "00" * 12, "--packet", "16"), "leave --packet out"),
        (("--mode", "gcm", "--iv", "00" * 12, "--no-pad"), "never pads"),
        (("--mode", "gcm", "--iv", "00" * 12, "--aad", "none"), "cannot read the associated data"),
        (("--mode", "gcm", "--iv", "00" * 12, "--decrypt"), "it must end in its tag, 16 bytes"),
    ],
)
def test_a_bad_request_is_refused(
    gcm: UartSimulator, options: tuple[str, ...], what: str, tmp_path: Path
) -> None:
    (tmp_path / "in").write_bytes(b"text")
    paths = [str(tmp_path / name) for name in ("in", "out")]
    done = run("board", "run", gcm.port, *paths, "--key", KEY.hex(), *options)
    assert done.exit_code == 2
    assert what in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("size", "status"), [(985 - len(AAD), 0), (986 - len(AAD), 2)])
def test_a_message_must_fit_into_the_buffer(
    gcm: UartSimulator, size: int, status: int, tmp_path: Path
) -> None:
    (tmp_path / "in").write_bytes(bytes(size))
    (tmp_path / "aad").write_bytes(AAD)
    paths = [str(tmp_path / name) for name in ("in", "out")]
    done = run("board", "run", gcm.port, *paths, *GCM, "--aad", str(tmp_path / "aad"))
    assert done.exit_code == status, done.stderr
    assert (tmp_path / "out").exists() == (status == 0)
    if status:
        assert "takes up to 1,001 bytes of associated data, text and tag" in done.stderr


@pytest.mark.parametrize(
    ("payload", "error"),
    [
        (bytes(22), Error.WRONG_LENGTH),
        (bytes(19) + struct.pack("<BBH", 12, 16, 5) + bytes(20), Error.WRONG_LENGTH),
        (bytes(19) + struct.pack("<BBH", 12, 11, 0) + bytes(40), Error.WRONG_ARGUMENT),
        (bytes(19) + struct.pack("<BBH", 0, 16, 0) + bytes(40), Error.WRONG_ARGUMENT),
        (b"\2" + bytes(18) + struct.pack("<BBH", 12, 16, 0) + bytes(40), Error.WRONG_ARGUMENT),
    ],
    ids=["short", "sections too long", "tag of 11", "no IV", "slot"],
)
def test_a_broken_frame_is_an_error(gcm: UartSimulator, payload: bytes, error: Error) -> None:
    with open_line(gcm.port) as line:
        one = Device(line)
        one.load_key(KEY)
        frame = Frame(Command.RUN_PACKET, 9, payload).encoded()
        assert line_says(line, frame) == [Frame(FAILED, 9, bytes([error]))]
        one.zeroize()


class Twin:
    """What the RTL does, in Python, with OpenSSL; and what it does wrong.

    Args:
        spoil: what it makes of the payload of an answer to a packet.
    """

    def __init__(self, spoil: Callable[[bytes], bytes]) -> None:
        self.spoil = spoil
        self.buffer = bytearray()
        self.asked: list[int] = []

    def answer(self, part: bytes) -> bytes | None:
        """Return the answer to the frame that a part completes."""
        self.buffer += part
        if (frame := next_frame(self.buffer, 1024)) is None:
            return None
        self.asked.append(frame.kind)
        payload = b""
        if frame.kind == Command.IDENTIFY:
            payload = struct.pack("<BBBBBHBH32s", 2, 16, 2, 1, 1, 1024, 1, 0x8000, b"twin")
        elif frame.kind == Command.RUN_PACKET:
            decrypt, data, tag = frame.payload[2], frame.payload[23:-16], frame.payload[-16:]
            text, due = seal(MODES["gcm"], KEY, IV, data, b"", 16, bool(decrypt))
            payload = b"\0" + text + (b"" if decrypt else due)
            if decrypt and tag != due:
                payload = b"\1"
            payload = self.spoil(payload)
        return Frame(frame.kind | ANSWER, frame.number, payload).encoded()


@pytest.mark.parametrize(
    ("spoil", "good", "decrypt", "what"),
    [
        (lambda payload: spoiled(payload, 6), True, False, "differs from OpenSSL's from byte 5 on"),
        (lambda payload: spoiled(payload, -1), True, False, "from byte 315 on"),
        (lambda payload: payload[:-1], True, False, "(315 bytes, 316 expected)"),
        (lambda _: b"\1", True, False, "the engine set its error flag; nothing"),
        (lambda _: b"\1", True, True, "its error flag, though the tag is right; nothing"),
        (lambda _: b"\0" + TEXT, False, True, "took a wrong tag for a right one"),
        (lambda _: b"\1" + TEXT, False, True, "sent 300 bytes of a packet that is an error"),
        (bytes, False, True, "the tag of"),
    ],
    ids=["text", "tag", "short", "flag", "right tag", "wrong tag", "leak", "twin"],
)
def test_a_wrong_device_is_found(
    spoil: Callable[[bytes], bytes], good: bool, decrypt: bool, what: str, tmp_path: Path
) -> None:
    text, tag = seal(MODES["gcm"], KEY, IV, TEXT, b"")
    data = text + (tag if good else spoiled(tag, 0)) if decrypt else TEXT
    (tmp_path / "in").write_bytes(data)
    paths = [str(tmp_path / name) for name in ("in", "out")]
    twin = Twin(spoil)
    with Program(twin.answer) as other:
        done = run("board", "run", other.port, *paths, *GCM, *["--decrypt"] * decrypt)
    assert done.exit_code == 1
    assert what in done.stderr
    assert "nothing was written" in done.stderr
    assert not (tmp_path / "out").exists()
    # The key does not stay.
    assert twin.asked[-1] == Command.ZEROIZE


# --- Unrolled engines, slowly

# Fewer registers, so that the simulation keeps up.
SMALL = ("sbox=table", "sbox_stages=1", "linear_stages=0", "key_slots=2", "depth=32")


@pytest.mark.parametrize(("name", "mode"), [("ocb-stream", "ocb"), ("xts-stream", "xts")])
def test_an_unrolled_engine_serves_the_host(name: str, mode: str, tmp_path: Path) -> None:
    hertz = 20_000.0
    options = ["--timeout", "60", "--mode", mode]
    options += (
        ["--key", KEY.hex() + KEY[::-1].hex(), "--sector-size", "40", "--sector", "5"]
        if mode == "xts"
        else ["--key", KEY.hex(), "--iv", IV.hex(), "--tag-bits", "96"]
    )
    (tmp_path / "in").write_bytes(TEXT[:100])
    with device(require_engine(load_any(name, SMALL)), tmp_path, hertz) as one:
        # After its reset it takes no frame before the line was silent.
        time.sleep(2 * SILENCE_SECONDS)
        for names, more in ((("in", "out"), []), (("out", "back"), ["--decrypt"])):
            paths = [str(tmp_path / part) for part in names]
            done = run("board", "run", one.port, *paths, *options, *more)
            assert done.exit_code == 0, done.stderr
        if mode == "xts":
            # A data unit that the buffer does not hold.
            (tmp_path / "in").write_bytes(bytes(1006))
            paths = [str(tmp_path / part) for part in ("in", "long")]
            done = run("board", "run", one.port, *paths, *options[:4], "--key", options[5])
            assert done.exit_code == 2
            assert "of 1,006 bytes: the device (xts-stream-custom) takes up to 1,005" in done.stderr
            assert not (tmp_path / "long").exists()
    assert (tmp_path / "back").read_bytes() == TEXT[:100]
    if mode == "ocb":
        text, tag = seal(MODES["ocb"], KEY, IV, TEXT[:100], b"", 12)
        assert (tmp_path / "out").read_bytes() == text + tag
