# SPDX-License-Identifier: Apache-2.0
"""`board run` on simulated devices: UART, service and engine in RTL, on a pseudo-terminal."""

from __future__ import annotations

import contextlib
import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from aesforge.board.frames import FAILED, Command, Error, Frame, Identity, next_frame
from aesforge.board.host import Device, DeviceFailed, Line, open_line
from aesforge.board.run import run_file
from aesforge.board.uart_service import application, parameters, require_engine
from aesforge.design import load_any
from aesforge.design.engine import Engine
from aesforge.design.modes import Mode
from aesforge.errors import CheckFailed, UsageError
from aesforge.reference import openssl
from aesforge.simulate import verilator
from aesforge.simulate.uart import UartModule, UartSimulator
from test_cli import run
from uart_device import Program, Twin, device

KEY = bytes(range(16))
IV = bytes(range(0x30, 0x40))
CTR = ("--mode", "ctr", "--iv", IV.hex(), "--key", KEY.hex())


def engine(name: str, *overrides: str) -> Engine:
    return require_engine(load_any(name, overrides))


@pytest.fixture(scope="module")
def agile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[UartSimulator]:
    """Return ECB and CTR both ways and CBC decryption, a key with each packet."""
    one = engine("compact-stream", "modes=ecb,ctr,cbc-decrypt", "direction=both")
    with device(one, tmp_path_factory.mktemp("agile")) as simulated:
        yield simulated


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[UartSimulator]:
    """Return the modes with feedback, four slots."""
    with device(engine("feedback-compact"), tmp_path_factory.mktemp("stored")) as simulated:
        yield simulated


@pytest.fixture(scope="module")
def text() -> bytes:
    """Return more than two packets, and part of a block."""
    return random.Random(5).randbytes(2 * 992 + 37)


# --- Files


def test_a_file_goes_there_and_back(agile: UartSimulator, text: bytes, tmp_path: Path) -> None:
    """By the program itself, as a user calls it, twice in a row."""
    (tmp_path / "in").write_bytes(text)
    for names, more in ((("in", "out"), ()), (("out", "back"), ("--decrypt",))):
        files = [str(tmp_path / name) for name in names]
        command = [sys.executable, "-m", "aesforge", "board", "run", agile.port, *files]
        done = subprocess.run(
            [*command, *CTR, *more], capture_output=True, text=True, check=False, timeout=120
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout == ""
        assert "device      compact-stream-custom, AES-128" in done.stderr
        assert "2,021 bytes in, 2,021 bytes out (CTR, " in done.stderr
        assert ", equal to OpenSSL's\n" in done.stderr
        assert "line        3 packets, " in done.stderr
    assert (tmp_path / "out").read_bytes() == openssl.crypt("ctr", KEY, text, IV)
    assert (tmp_path / "back").read_bytes() == text


def test_blocks_are_padded_as_by_crypt(agile: UartSimulator, tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"seventeen bytes..")
    key_file = tmp_path / "key"
    key_file.write_text(KEY.hex() + "\n")
    common = ("board", "run", agile.port)
    done = run(*common, str(tmp_path / "in"), str(tmp_path / "out"), "--mode", "ecb", "--key-file",
               str(key_file), "--json")  # fmt: skip
    assert done.exit_code == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["input_bytes"], report["output_bytes"], report["packets"]) == (17, 32, 1)
    assert report["equals_openssl"] is True
    padded = b"seventeen bytes.." + bytes([15]) * 15
    assert (tmp_path / "out").read_bytes() == openssl.ecb(KEY, padded)
    done = run(*common, str(tmp_path / "out"), str(tmp_path / "back"), "--mode", "ecb",
               "--key-file", "-", "--decrypt", stdin=KEY.hex())  # fmt: skip
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "back").read_bytes() == b"seventeen bytes.."


@pytest.mark.parametrize("mode", ["cbc", "cfb", "ofb", "cfb8"])
def test_feedback_goes_on_from_packet_to_packet(
    stored: UartSimulator, text: bytes, mode: str, tmp_path: Path
) -> None:
    data = text[: 3 * 48 - (0 if mode == "cbc" else 5)]
    (tmp_path / "in").write_bytes(data)
    options = ("--mode", mode, "--iv", IV.hex(), "--key", KEY.hex(), "--packet", "48")
    pad = ("--no-pad",) if mode == "cbc" else ()
    done = run("board", "run", stored.port, str(tmp_path / "in"), str(tmp_path / "out"), *options,
               *pad)  # fmt: skip
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "out").read_bytes() == openssl.crypt(mode, KEY, data, IV)


def test_a_message_is_decrypted_in_packets(
    agile: UartSimulator, text: bytes, tmp_path: Path
) -> None:
    data = text[:64]
    (tmp_path / "in").write_bytes(openssl.crypt("cbc", KEY, data, IV))
    done = run("board", "run", agile.port, str(tmp_path / "in"), str(tmp_path / "out"), "--mode",
               "cbc", "--iv", IV.hex(), "--key", KEY.hex(), "--packet", "32", "--decrypt",
               "--no-pad")  # fmt: skip
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "out").read_bytes() == data


def test_an_empty_file_is_no_packet(agile: UartSimulator, tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"")
    done = run("board", "run", agile.port, str(tmp_path / "in"), str(tmp_path / "out"), *CTR)
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "out").read_bytes() == b""
    assert "0 packets" in done.stderr


# --- Requests that a device cannot carry out


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (("--mode", "ofb", "--iv", IV.hex()), "does not encrypt ofb: it has ecb (encrypt and"),
        (("--mode", "cbc", "--iv", IV.hex()), "does not encrypt cbc"),
        (("--mode", "ctr"), "mode = ctr needs an IV"),
        (("--mode", "ecb", "--iv", IV.hex()), "mode = ecb and an IV exclude each other"),
        (("--mode", "ctr", "--iv", "00"), "the IV has 2 hexadecimal digits"),
        (("--mode", "ctr", "--iv", IV.hex(), "--no-pad"), "never pads"),
        (("--mode", "ecb", "--packet", "40"), "must be a multiple of 16"),
        (("--mode", "ecb", "--packet", "1008"), "takes at most 992"),
        (("--mode", "ecb", "--key", "00"), "given 2 times"),
    ],
)
def test_a_bad_request_is_refused(
    agile: UartSimulator, options: tuple[str, ...], what: str, tmp_path: Path
) -> None:
    (tmp_path / "in").write_bytes(b"text")
    files = (str(tmp_path / "in"), str(tmp_path / "out"))
    done = run("board", "run", agile.port, *files, "--key", KEY.hex(), *options)
    assert done.exit_code == 2
    assert what in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_key_of_another_length_is_refused(agile: UartSimulator, tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"text")
    files = (str(tmp_path / "in"), str(tmp_path / "out"))
    done = run("board", "run", agile.port, *files, "--mode", "ecb", "--key", "00" * 32)
    assert done.exit_code == 2
    assert "key_bits = 128 takes a key of 32" in done.stderr


# --- The line


def line_says(line: Line, text: bytes, seconds: float = 0.6) -> list[Frame]:
    """Send bytes, and return the frames that come until nothing more does."""
    line.reset_input_buffer()
    line.write(text)
    buffer, found, end = bytearray(), [], time.monotonic() + seconds
    while time.monotonic() < end:
        if part := line.read(64):
            buffer += part
            end = max(end, time.monotonic() + 0.2)
        while (frame := next_frame(buffer, 1024)) is not None:
            found.append(frame)
    return found


def spoiled(text: bytes, at: int) -> bytes:
    changed = bytearray(text)
    changed[at] ^= 0x10
    return bytes(changed)


IDENTIFY = Frame(Command.IDENTIFY, 9).encoded()


@pytest.mark.parametrize(
    ("text", "number", "error"),
    [
        (spoiled(IDENTIFY, 1), 9, Error.WRONG_CRC),
        (spoiled(IDENTIFY, 8), 9, Error.WRONG_CRC),
        (Frame(Command.LOAD_KEY, 9, bytes(3)).encoded(), 9, Error.WRONG_LENGTH),
        (Frame(Command.RUN_PACKET, 9, bytes(1025)).encoded(), 9, Error.WRONG_LENGTH),
        (Frame(77, 9).encoded(), 9, Error.UNKNOWN_COMMAND),
        (IDENTIFY[:2], 0, Error.CUT_OFF),
        (IDENTIFY[:-1], 9, Error.CUT_OFF),
        (Frame(Command.RUN_PACKET, 9, bytes(200)).encoded()[:150], 9, Error.CUT_OFF),
        (Frame(Command.LOAD_KEY, 9, b"\1" + KEY).encoded(), 9, Error.WRONG_ARGUMENT),
    ],
    ids=[
        *("command changed", "CRC changed", "short key", "too long", "unknown"),
        *("cut off early", "cut off late", "cut off in data", "slot"),
    ],
)
def test_a_broken_frame_is_an_error(
    agile: UartSimulator, text: bytes, number: int, error: Error
) -> None:
    """And the next frame is understood."""
    with open_line(agile.port) as line:
        Device(line).zeroize()
        assert line_says(line, text) == [Frame(FAILED, number, bytes([error]))]
        assert Device(line).identify().design == "compact-stream-custom"


def test_noise_before_a_frame_is_dropped(agile: UartSimulator) -> None:
    with open_line(agile.port) as line:
        Device(line).zeroize()
        assert [one.number for one in line_says(line, b"noise\0\xff" + IDENTIFY)] == [9]


class Spoiling:
    """A line that spoils the first frames of a kind, on their way there."""

    def __init__(self, line: Line, kind: int, *, at: int, count: int) -> None:
        self.line, self.kind, self.at, self.count = line, kind, at, count
        self.read, self.reset_input_buffer = line.read, line.reset_input_buffer

    def write(self, data: bytes, /) -> int | None:
        if data[1] == self.kind and self.count:
            self.count -= 1
            data = spoiled(data, self.at)
        return self.line.write(data)


@pytest.mark.parametrize("at", [0, 3, 4, 30], ids=["start", "length", "long length", "data"])
def test_a_spoiled_frame_is_sent_again(
    agile: UartSimulator, at: int, text: bytes, tmp_path: Path
) -> None:
    (tmp_path / "in").write_bytes(text[:300])
    with open_line(agile.port) as line:
        one = Device(Spoiling(line, Command.RUN_PACKET, at=at, count=1))
        report = run_file(
            *(one, one.identify(), tmp_path / "in", tmp_path / "out"),
            cipher="ctr",
            key=KEY,
            iv=IV,
        )
    assert report.repeated >= 1
    assert (tmp_path / "out").read_bytes() == openssl.crypt("ctr", KEY, text[:300], IV)


# --- Keys


class Doubtful(Device):
    """A device whose results are taken for wrong ones."""

    def run(
        self, mode: Mode, iv: bytes, data: bytes, *, decrypt: bool, slot: int = 0
    ) -> tuple[bytes, bool]:
        result, error = super().run(mode, iv, data, decrypt=decrypt, slot=slot)
        return spoiled(result, 0), error


@pytest.mark.parametrize("kind", [Device, Doubtful])
def test_a_run_leaves_no_key(
    agile: UartSimulator, kind: type[Device], text: bytes, tmp_path: Path
) -> None:
    """Nor does one that fails."""
    (tmp_path / "in").write_bytes(text[:40])
    with open_line(agile.port) as line:
        one = Device(line)
        identity = one.identify()
        mode = identity.mode_for("ctr", False)
        one.load_key(KEY)
        assert one.run(mode, IV, b"x", decrypt=False)[1] is False
        expected = pytest.raises(CheckFailed) if kind is Doubtful else contextlib.nullcontext()
        with expected:
            run_file(
                *(kind(line), identity, tmp_path / "in", tmp_path / "out"),
                cipher="ctr",
                key=KEY,
                iv=IV,
            )
        with pytest.raises(DeviceFailed, match="no key was loaded"):
            one.run(mode, IV, b"x", decrypt=False)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_run_leaves_no_key(
    agile: UartSimulator, number: int, status: int, tmp_path: Path
) -> None:
    (tmp_path / "in").write_bytes(bytes(200_000))
    files = [str(tmp_path / name) for name in ("in", "out")]
    # A shell without job control would start it deaf to SIGINT.
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from aesforge.cli.main import main; main()"
    )
    command = [sys.executable, "-c", program, "board", "run", agile.port, *files, *CTR]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        end = time.monotonic() + 20
        while not list(tmp_path.glob(".aesforge-*")) and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(0.5)
        process.send_signal(number)
        _, said = process.communicate(timeout=30)
    assert process.returncode == status
    assert said == f"aesforge: {'interrupted' if number == signal.SIGINT else 'terminated'}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
    with open_line(agile.port) as line:
        mode = Identity("", 128, 0, 2, 2, 1024).mode_for("ctr", False)
        with pytest.raises(DeviceFailed, match="no key was loaded"):
            Device(line).run(mode, IV, b"x", decrypt=False)


# --- Devices that are none


def test_a_silent_device_is_told(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"text")
    files = (str(tmp_path / "in"), str(tmp_path / "out"))
    with Program(lambda _part: None) as nobody:
        started = time.monotonic()
        done = run("board", "run", nobody.port, *files, *CTR, "--timeout", "0.05")
        assert time.monotonic() - started < 10
    assert done.exit_code == 2
    assert (
        "does not answer identify: after 4 attempts nothing came; is this its port" in done.stderr
    )
    assert not (tmp_path / "out").exists()


def test_a_device_that_talks_nonsense_is_told(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"text")
    files = (str(tmp_path / "in"), str(tmp_path / "out"))
    draw = random.Random(7)
    with Program(lambda _part: draw.randbytes(50) + b"\xa5") as other:
        done = run("board", "run", other.port, *files, *CTR, "--timeout", "0.05")
    assert done.exit_code == 2
    assert "bytes came that are no answer" in done.stderr


def test_a_device_of_another_version_is_told(tmp_path: Path) -> None:
    files = (str(tmp_path / "in"), str(tmp_path / "out"))

    def answer(part: bytes) -> bytes:
        return Frame(0x81, part[2], b"\x07" + bytes(38)).encoded()

    with Program(answer) as other:
        done = run("board", "run", other.port, *files, *CTR)
    assert done.exit_code == 2
    assert "version 7 of the protocol, and this program version 2" in done.stderr


@pytest.mark.parametrize(
    ("spoil", "what"),
    [
        (lambda payload: spoiled(payload, 6), "packet 1: the device's result differs from OpenSSL's"
         " from byte 5 on"),
        (lambda payload: payload[:-1], "from byte 39 on (39 bytes, 40 expected)"),
        (lambda payload: b"\1" + payload[1:], "packet 1: the engine set its error flag"),
    ],
    ids=["wrong", "short", "flag"],
)  # fmt: skip
def test_a_wrong_result_is_found(spoil: object, what: str, text: bytes, tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(text[:40])
    files = (str(tmp_path / "in"), str(tmp_path / "out"))
    assert callable(spoil)
    twin = Twin(spoil)
    with Program(twin.answer) as other:
        done = run("board", "run", other.port, *files, *CTR)
    assert done.exit_code == CheckFailed.exit_code == 1
    assert what in done.stderr
    assert "nothing was written" in done.stderr
    assert not (tmp_path / "out").exists()
    # The key does not stay behind.
    assert twin.asked[-1].kind == Command.ZEROIZE


def test_the_twin_is_right(text: bytes, tmp_path: Path) -> None:
    """So that the tests above find what they spoil."""
    (tmp_path / "in").write_bytes(text)
    files = (str(tmp_path / "in"), str(tmp_path / "out"))
    twin = Twin()
    with Program(twin.answer) as other:
        done = run("board", "run", other.port, *files, *CTR)
    assert done.exit_code == 0, done.stderr
    kinds = [frame.kind for frame in twin.asked]
    assert kinds == [Command.IDENTIFY, Command.LOAD_KEY, *[Command.RUN_PACKET] * 3, Command.ZEROIZE]


# --- The module


@pytest.mark.parametrize(
    ("design", "overrides", "what"),
    [
        ("compact", (), "a core; give it modes"),
        ("compact-stream", ("contexts=csr",), "an engine with CSRs; take contexts=ports"),
        ("xts-stream", ("stealing=false",), "without ciphertext stealing; take stealing=true"),
        ("gcm-compact", ("release=withheld", "iv=counted"), "that makes the IVs; take iv=given"),
        (
            "gcm-compact",
            ("release=withheld", "hold_beats=64"),
            "of up to 60 beats; take hold_beats",
        ),
        ("ctr-stream", ("tiles=2",), "beats of 32 bytes; take tiles=1"),
    ],
)
def test_an_engine_that_it_cannot_serve_is_refused(
    design: str, overrides: tuple[str, ...], what: str
) -> None:
    with pytest.raises(UsageError, match="the UART service cannot use") as failed:
        require_engine(load_any(design, overrides))
    assert what in failed.value.message


def test_parameters_follow_from_the_engine() -> None:
    def values(name: str, *overrides: str) -> dict[str, str]:
        found = parameters(engine(name, *overrides), 25.0, 115200)
        return {key: value for _, key, value, _ in found}

    agile = values("compact-stream", "modes=ecb,ctr,cbc-decrypt", "direction=both")
    # 25 MHz / 115,200; 0.1 s; ECB and CTR; CBC only one way.
    assert (agile["Divider"], agile["TimeoutCycles"]) == ("217", "2500000")
    assert (agile["EncryptModes"], agile["DecryptModes"]) == ("3", "7")
    assert (agile["KeySlots"], agile["KeyBits"], agile["Name"]) == (
        "0",
        "128",
        '"compact-stream-custom"',
    )
    stored = values("feedback-compact", "key_bits=256")
    # CBC encryption, CFB, OFB, CFB8; the MACs are none of these.
    assert (stored["EncryptModes"], stored["DecryptModes"]) == ("60", "56")
    assert (stored["KeySlots"], stored["KeyBits"]) == ("4", "256")


def test_the_application_is_the_same_each_time() -> None:
    one = engine("feedback-compact")
    given = parameters(one, 25.0, 115200)
    text = application(one, given)
    assert text == application(one, given)
    assert "module application #(" in text
    assert "feedback_compact u_engine (" in text


@pytest.mark.parametrize(
    ("design", "overrides"),
    [
        ("compact-stream", ()),
        ("compact-stream", ("modes=ecb,cbc-decrypt", "direction=both", "key_bits=256")),
        ("feedback-compact", ()),
        ("gcm-compact", ()),
        ("ccm-compact", ()),
        ("ocb-stream", ("user_bits=3",)),
        ("xts-stream", ()),
    ],
)
def test_the_application_has_no_lint(
    design: str, overrides: tuple[str, ...], tmp_path: Path
) -> None:
    tools = verilator.find()
    files = map(str, device(engine(design, *overrides), tmp_path).module.files)
    done = subprocess.run(
        [str(tools.verilator), "--lint-only", "-Wall", "--top-module", "application", *files],
        env=tools.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_module_without_a_uart_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "plain.sv"
    source.write_text("module plain (input logic clk, input logic rxd); endmodule\n")
    module = UartModule("plain", "plain", [source], 4, reset=None)
    simulator = UartSimulator(module, hertz=1e6, optimize="build")
    with pytest.raises(UsageError, match="plain has no port 'txd' of one bit"):
        simulator.__enter__()


def test_the_simulation_ends_with_its_block(tmp_path: Path) -> None:
    source = tmp_path / "echo.sv"
    source.write_text(
        "module echo (input logic clk, input logic rst, input logic rxd, output logic txd);\n"
        "  always_ff @(posedge clk) txd <= rxd || rst;\nendmodule\n"
    )
    module = UartModule("echo", "echo", [source], 8)
    with UartSimulator(module, hertz=1e6, optimize="build") as simulator:
        port = simulator.port
        process = simulator._process
        assert process is not None
        with open_line(port) as line:
            line.write(bytes(range(256)))
            got = b""
            end = time.monotonic() + 20
            while len(got) < 256 and time.monotonic() < end:
                got += line.read(256)
            assert got == bytes(range(256))
    assert process.returncode is not None
    with pytest.raises(UsageError, match="cannot open"), open_line(port):
        pass
